//! `pdblens explain`.

use super::{pdblens, sample, stdout};

#[test]
fn a_term_has_a_sentence_a_paragraph_and_an_example() {
    let dll = sample("ticker/Ticker.dll").display().to_string();
    let text = stdout(&pdblens(&["explain", &dll, "sequence", "point"]));
    for part in [
        "An IL offset with a range of source",
        "PPDB, Sequence Points Blob",
        "pdblens show ",
        "method/0x06000001/points",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let place = text.trim_end().rsplit(' ').next().unwrap();
    assert!(stdout(&pdblens(&["show", &dll, place])).contains("δ IL offset"));
}

#[test]
fn an_example_of_a_sample_is_called_that() {
    let in_sample = "header of the built-in sample Ticker (Windows PDB)";
    let lone = sample("ticker/Ticker.pdb").display().to_string();
    for words in [vec!["explain", "superblock"], vec!["explain", "superblock", &lone]] {
        let text = stdout(&pdblens(&words));
        assert!(text.contains("None in these files") && text.contains(in_sample), "{text}");
    }
    for file in ["ticker-windows/Ticker.dll", "ticker-windows/Ticker.pdb"] {
        let file = sample(file).display().to_string();
        let text = stdout(&pdblens(&["explain", "superblock", &file]));
        assert!(text.contains(" header") && !text.contains("built-in sample"), "{text}");
    }
}

#[test]
fn a_mistyped_term_is_guessed() {
    let output = pdblens(&["explain", "tokken"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(3) && error.contains("did you mean token?"), "{error}");
    assert!(stdout(&pdblens(&["explain"])).lines().count() > 45);
}
