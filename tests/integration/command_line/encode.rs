//! `pdblens encode`.

use super::{pdblens, stdout};

#[test]
fn values_become_bytes() {
    for (args, bytes) in [
        (vec!["encode", "sint", "-5"], "77\n"),
        (vec!["encode", "uint", "16384", "3"], "c0 00 40 00 03\n"),
        (vec!["encode", "points", "IL_0000 46:9-46:33; IL_0006 48:13-48:31"], "00 00 00 18 2e 09 06 00 12 04 08\n"),
        (
            vec!["encode", "guid", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
            "10 b8 a7 6b ad 9d d1 11 80 b4 00 c0 4f d4 30 c8\n",
        ),
    ] {
        assert_eq!(stdout(&pdblens(&args)), bytes, "{args:?}");
    }
}

#[test]
fn an_error_names_the_word() {
    for (args, said) in [
        (vec!["encode", "sint", "5", "abc"], "`abc`: a number is expected"),
        (vec!["encode", "points", "IL_0004 1:1-1:2; IL_0004 2:1-2:2"], "IL offsets must ascend"),
        (vec!["encode", "signature", "locals (int32, nonsense)"], "`nonsense)`: a type is expected"),
    ] {
        let output = pdblens(&args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(said), "{args:?}: {error}");
    }
}

#[test]
fn what_decode_refuses_is_said() {
    for text in ["IL_0000 1:70000-1:70001", "IL_0000 16707566:1-16707566:5"] {
        let found = pdblens(&["encode", "points", text]);
        assert_eq!(found.status.code(), Some(3), "{text}");
        let said = String::from_utf8(found.stderr).unwrap();
        assert!(said.contains("✗ IL_0000: "), "{text}: {said}");
    }
}

#[test]
fn a_negative_list_in_quotes_is_a_value() {
    assert_eq!(stdout(&pdblens(&["encode", "sint", "-5 64"])), "77 80 80\n");
}
