//! Findings as they are printed: what they name can be typed again, and every format names what cannot be read.

use serde_json::Value;

use super::{pdblens, sample};
use crate::support::folder::Folder;
use pdblens::bytes::Span;
use pdblens::query::ask::place;
use pdblens::query::check::check;
use pdblens::session::Session;
use pdblens::source::SourceOptions;

fn text(args: &[&str]) -> String {
    String::from_utf8(pdblens(args).stdout).unwrap()
}

#[test]
fn the_bytes_of_every_finding_can_be_typed() {
    let mut typed = 0;
    for folder in std::fs::read_dir(sample("../broken")).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(image) = Session::open(&[folder.join("Ticker.dll"), folder.join("Ticker.pdb")]) else { continue };
        for remark in check(&image, &SourceOptions::default()) {
            // Of a stream that is cut off there may be no bytes.
            let has_bytes = |span: &Span| !span.is_empty() && image.spaces().read(*span).is_ok();
            let Some(span) = remark.span.filter(has_bytes) else { continue };
            let said = pdblens::nodes::span_text(&image, span);
            assert_eq!(place(&image, &said), Ok(pdblens::nodes::Place::Bytes(span)), "{said}");
            typed += 1;
        }
    }
    assert!(typed > 20, "{typed}");
}

#[test]
fn an_offset_after_a_pdb_is_one_of_the_pdb() {
    let path = |name: &str| sample(name).display().to_string();
    let (image, pdb) = (path("ticker/Ticker.dll"), path("ticker/Ticker.pdb"));
    let wanted = text(&["show", &image, "bytes/1/0x607+5"]);
    assert!(wanted.contains("Ticker.pdb"), "{wanted}");
    for args in
        [&["show", &image, "Ticker.pdb 0x607+5"][..], &["show", &image, &pdb, "0x607+5"], &["show", &pdb, "0x607+5"]]
    {
        assert_eq!(text(args), wanted, "{args:?}");
    }
    assert!(text(&["show", &pdb, "0x607"]).contains("Ticker.pdb 0x607+1"));
    // A token stays one, and an offset after an image is an address.
    assert_eq!(text(&["show", &pdb, "0x06000002"]), text(&["show", &pdb, "method/0x06000002"]));
    assert!(!text(&["show", &image, "0x2050"]).contains("Ticker.pdb"));
}

#[test]
fn the_json_of_check_names_the_spaces_of_its_spans() {
    let image = sample("../broken/page-out-of-file/Ticker.dll").display().to_string();
    let json: Value = serde_json::from_str(&text(&["check", "--json", &image])).unwrap();
    let many: Value = serde_json::from_str(&text(&["check", "--json", &image, &image])).unwrap();
    for json in [&json["pairs"][0], &many["pairs"][0]] {
        let spaces: Vec<&Value> = json["spaces"].as_array().unwrap().iter().map(|space| &space["space"]).collect();
        let spans: Vec<&Value> = json["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|remark| &remark["span"])
            .filter(|span| !span.is_null())
            .collect();
        assert!(!spans.is_empty() && spans.iter().all(|span| spaces.contains(&&span[0])), "{json}");
        assert!(json["spaces"].as_array().unwrap().iter().any(|space| space["file"].is_string()), "{json}");
    }
}

#[test]
fn what_cannot_be_read_is_an_error_in_every_format() {
    let folder = Folder::new();
    let image = std::fs::read(sample("ticker/Ticker.dll")).unwrap();
    let cut = folder.write("Cut.dll", &image[..100]);
    // Metadata that does not begin with BSJB.
    let mut damaged = image.clone();
    let at = image.windows(4).position(|bytes| bytes == b"BSJB").unwrap();
    damaged[at] = b'X';
    let damaged = folder.write("Damaged.dll", damaged);
    for (file, code, words) in [(&cut, 1, "unexpected end"), (&damaged, 3, "BSJB")] {
        for format in ["sarif", "junit", "github"] {
            let output = pdblens(&["check", "--format", format, file.to_str().unwrap()]);
            let text = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(code), "{format}: {text}");
            assert!(text.contains(words), "{format}: {text}");
        }
        let sarif: Value =
            serde_json::from_str(&text(&["check", "--format", "sarif", file.to_str().unwrap()])).unwrap();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        assert!(results.iter().any(|result| result["ruleId"] == "read" && result["level"] == "error"), "{sarif}");
    }
}

/// The author of another reader has an offset of a file and looks for the field.
#[test]
fn an_offset_of_a_file_leads_to_its_field() {
    let path = |name: &str| sample(name).display().to_string();
    let (image, pdb, windows) =
        (path("ticker/Ticker.dll"), path("ticker/Ticker.pdb"), path("ticker-windows/Ticker.pdb"));
    let steps = text(&["show", &image, &pdb, "--at", "0x5a4", "--steps"]);
    for part in
        ["Ticker.pdb 0x5a4+1  77", "δ start column = 119 → -5", "method/0x06000001/points/5", "▶ δ start column"]
    {
        assert!(steps.contains(part), "{part} in {steps}");
    }
    // The byte by any other name, and in decimal.
    for args in [
        &["show", &pdb, "--at", "1444", "--steps"][..],
        &["show", &image, "--at", "Ticker.pdb 0x5a4", "--steps"],
        &["show", &image, "file/0x5a4", "--steps"],
        &["show", &image, "pdb/0x5a4", "--steps"],
    ] {
        assert_eq!(text(args), steps, "{args:?}");
    }
    // A byte of a page is one of the stream that has the page, and the offset of an image is none of the PDB.
    let page = text(&["show", &windows, "--at", "0x607"]);
    assert!(page.contains("Ticker.pdb 0x607+1 = stream 9 0x7+1") && page.contains("▶ language"), "{page}");
    assert!(text(&["show", &image, "image/0x3c"]).contains("▶ pe header offset"));
    let json: Value = serde_json::from_str(&text(&["show", &pdb, "--at", "0x5a4", "--steps", "--json"])).unwrap();
    let marked = json["at"]["fields"][0].as_u64().unwrap() as usize;
    assert_eq!(json["steps"][marked]["name"], "δ start column");
    assert_eq!(json["at"]["owners"][0]["place"], json["place"]);
    let past = String::from_utf8(pdblens(&["show", &image, "--at", "0xc00"]).stderr).unwrap();
    assert!(past.contains("Ticker.dll has 3072 bytes"), "{past}");
}
