//! `pdblens decode`.

use std::fs::{self, File};
use std::process::Command;

use super::{pdblens, sample, stderr, stdout};
use crate::support::folder::Folder;

#[test]
fn published_points_are_decoded_or_say_what_is_missing() {
    let whole = "02 00 00 01 13 05 01 00 26 02 04 0e 00 25 02 00 04 00 0d 02 00 04 00 01 02 7d";
    let text = stdout(&pdblens(&["decode", "points", whole]));
    assert_eq!(text.lines().next(), Some("locals 2"), "{text}");
    assert_eq!(text.lines().last(), Some("IL_0017 23:5-23:6"), "{text}");
    // The bytes of a blog post, which begin after the header.
    let mut args = vec!["decode", "points"];
    args.extend("00 00 18 2e 09 06 00 12 04 08 06 00 01 02 79".split(' '));
    let failed = pdblens(&args);
    let printed = String::from_utf8(failed.stdout).unwrap();
    assert_eq!(failed.status.code(), Some(3), "{printed}");
    assert!(printed.contains("✗ byte 0x") && printed.contains("may lack its first byte"), "{printed}");
    args[1] = "records";
    let text = stdout(&pdblens(&args));
    assert_eq!(text, "IL_0000 46:9-46:33\nIL_0006 48:13-48:31\nIL_000c 49:9-49:10\n");
}

#[test]
fn steps_and_derivations_are_printed() {
    let text = stdout(&pdblens(&["decode", "sint", "77", "--explain"]));
    for part in ["bit 7 is 0: one byte", "123 − 128 = -5", "if it were unsigned", "119", "ECMA-335 II.23.2"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(text.ends_with("-5\n"), "{text}");
    let table = stdout(&pdblens(&["decode", "points", "--steps", "00 00 00 18 2e 09 06 00 12 04 08"]));
    assert!(table.contains("start line 46 → 48"), "{table}");
}

#[test]
fn values_outside_the_limits_are_marked_and_complete_points_kept() {
    for (kind, hex, said) in [
        ("points", "00 00 00 08 01 01 05 00 04 79 00", "IL_0005: the lines of a sequence point must be from 0"),
        ("points", "00 00 00 08 01 01 05 00 04 02 79", "IL_0005: the columns of a sequence point must be from 0"),
        ("points-documents", "00 00 00 00 08 01 01", "IL_0000: a sequence point must belong to a document"),
    ] {
        let found = pdblens(&["decode", kind, hex]);
        let printed = String::from_utf8(found.stdout).unwrap();
        assert!(found.status.code() == Some(3) && printed.contains(&format!("✗ {said}")), "{hex}: {printed}");
    }
    // The specification allows line 0, which no file has.
    for (hex, wanted) in [("00 00 00 08 00 01", true), ("00 00 00 08 01 01", false), ("00 00 00 00", false)] {
        let found = pdblens(&["decode", "points", hex]);
        let printed = String::from_utf8(found.stdout).unwrap();
        assert_eq!(printed.contains("! IL_0000: line 0 keeps the limits"), wanted, "{hex}: {printed}");
        assert!(found.status.success() && !printed.contains("✗"), "{hex}: {printed}");
    }
    let cut = pdblens(&["decode", "points", "02 00 00 01 13 05 01 00 26 02 04 0e"]);
    let printed = String::from_utf8(cut.stdout).unwrap();
    assert!(printed.starts_with("IL_0000 19:5-19:6\n✗ ") || printed.starts_with("IL_0000 19:5-19:6\nIL_"), "{printed}");
    let json = pdblens(&["decode", "points", "02 00 00 01 13 05 01", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["complete"], serde_json::json!(["IL_0000 19:5-19:6"]), "{json}");
    for format in ["md", "html"] {
        let page = pdblens(&["decode", "points", "02 00 00 01 13 05 01", "--format", format]);
        let blank = pdblens(&["decode", "points", "02 00 00 01 13 05 01", "--format", format, "--blank"]);
        assert!(!String::from_utf8(blank.stdout).unwrap().contains('✗'), "a blank tells where the decode ends");
        let page = String::from_utf8(page.stdout).unwrap();
        assert!(page.contains("✗ ") && page.contains("the bytes end before it"), "{page}");
    }
}

#[test]
fn the_read_at_fault_is_the_one_that_is_missing() {
    let found = pdblens(&["decode", "signature", "20 01"]);
    let printed = String::from_utf8(found.stdout).unwrap();
    assert!(printed.contains("byte 0x2 (the end), read 3, ") && !printed.contains("parameter count"), "{printed}");
    // The row of the method names the first document: nothing among the bytes does.
    let steps = stdout(&pdblens(&["decode", "points", "--steps", "00 00 00 08 01 01 00 12 05 00 03 02 00"]));
    assert!(steps.contains("document = 18") && !steps.contains("document 1 →"), "{steps}");
}

#[test]
fn a_handout_is_written_to_a_file() {
    let folder = Folder::new();
    let path = folder.path().join("page.html").display().to_string();
    let args = ["decode", "sint", "77", "--format", "html", "-o", &path];
    assert_eq!(stdout(&pdblens(&args)), "");
    assert!(fs::read_to_string(&path).unwrap().starts_with("<!DOCTYPE html>"));
    let again = pdblens(&args);
    assert_ne!(again.status.code(), Some(0), "the file was replaced without --force");
    assert_eq!(pdblens(&[&args[..], &["--force"]].concat()).status.code(), Some(0));
    let both = pdblens(&["decode", "sint", "77", "--format", "html", "--explain"]);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn wrong_arguments_are_refused() {
    for (args, said) in [
        (vec!["decode", "nonsense", "00"], "no kind `nonsense`"),
        (vec!["decode", "guid", "0g"], "is half a byte"),
        (vec!["decode", "guid"], "is an example"),
    ] {
        let output = pdblens(&args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(said), "{args:?}: {error}");
    }
    assert!(stdout(&pdblens(&["decode"])).lines().count() > 15);
}

#[test]
fn a_failed_decode_names_its_read_and_a_handout_its_command() {
    let failed = pdblens(&["decode", "points", "00 00 18 2e 09 06 00 12 04 08 06 00 01 02 79"]);
    let printed = String::from_utf8(failed.stdout).unwrap();
    assert!(printed.contains("read 16, Δ columns of point: unexpected end"), "{printed}");
    let page = stdout(&pdblens(&["decode", "sint", "77", "--format", "md", "--blank"]));
    assert!(
        page.contains("________") && page.contains("Made by `pdblens decode sint 77 --format md --blank`."),
        "{page}"
    );
}

#[test]
fn coded_indexes_are_shown_with_tag_and_row_and_token() {
    let show = |place: &str, form: &str| stdout(&pdblens(&["show", "--sample", place, form]));
    let row = show("table/CustomDebugInformation/1", "--tsv");
    assert!(row.contains("\t0x20 → 0x06000001\tMethodDef/1"), "{row}");
    let json = show("table/CustomDebugInformation/1", "--json");
    assert!(json.contains(r#""stored":"0x20","decoded":"0x06000001""#), "{json}");
    let steps = show("table/TypeRef/2", "--steps");
    assert!(steps.contains("tag 2 of ResolutionScope: AssemblyRef") && steps.contains("0x23000001"), "{steps}");
    // A blob has them as well, and so has one that is pasted.
    let decoded = stdout(&pdblens(&["decode", "signature", "07 01 12 0d", "--steps", "--explain"]));
    let row = decoded.lines().find(|line| line.trim_start().starts_with("token "));
    assert!(row.is_some_and(|row| row.ends_with("0x01000003")), "{decoded}");
}

#[test]
fn findings_have_their_reads_and_fields_what_is_stored() {
    let broken = |name: &str| crate::support::samples::repository("assets/broken").join(name).display().to_string();
    let found = pdblens(&["check", &broken("bad-constant/Workshop.dll"), "--steps", "--quiet"]);
    let text = String::from_utf8(found.stdout).unwrap();
    assert!(text.contains("▶   4  0xf91  00  type code = 0") && text.contains("1  0xf8e  05  length = 5"), "{text}");
    let path = broken("delta-overflow/Ticker.dll");
    let text = stdout(&pdblens(&["show", &path, "method/0x06000003/points/5"]));
    assert!(text.contains("65 → -32") && text.contains("→ column -19") && text.contains("14:-19–14:-18"), "{text}");
    let json = stdout(&pdblens(&["show", &path, "method/0x06000003/points/5", "--json"]));
    assert!(json.contains(r#""stored":"65","decoded":"-32""#), "{json}");
}

/// Output of `show --steps` for a place of a sample.
fn steps_of(file: &str, place: &str) -> String {
    let output = pdblens(&["show", sample(file).to_str().unwrap(), place, "--steps"]);
    stdout(&output) + &stderr(&output)
}

#[test]
fn steps_continue_into_instructions_and_blobs() {
    let il = steps_of("ticker/Ticker.dll", "method/Clock.Since/il");
    assert!(il.matches("opcode").count() > 3 && il.contains("IL_0000"), "{il}");
    let body = steps_of("workshop/Workshop.dll", "method/0x0600001b/body");
    let body = if body.contains("catch") { body } else { steps_of("faults/Faults.dll", "method/0x06000002/body") };
    assert!(!body.contains("exception clause") || body.contains("System."), "{body}");
    let constant = steps_of("workshop/Workshop.dll", "table/LocalConstant/1");
    assert!(constant.contains("constant signature") && constant.contains("type code"), "{constant}");
    let document = steps_of("ticker/Ticker.dll", "table/Document/1");
    assert!(document.contains("separator") && document.contains("document hash"), "{document}");
    let attribute = steps_of("workshop/Workshop.dll", "table/CustomAttribute/1");
    assert!(attribute.contains("prolog"), "{attribute}");
}

#[test]
fn ends_of_ranges_are_called_exclusive() {
    let scope = steps_of("workshop/Workshop.dll", "table/LocalScope/18");
    assert!(scope.contains("ends before IL_0046 (end exclusive)"), "{scope}");
    let file = sample("workshop/Workshop.dll");
    for list in ["scopes", "regions"] {
        let output = pdblens(&["list", file.to_str().unwrap(), &format!("method/Guarded/{list}")]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("IL_0057 end exclusive"), "{text}");
    }
}

#[test]
fn the_values_of_srcsrv_come_after_their_parts() {
    let output = pdblens(&["srcsrv", sample("native/tally.pdb").to_str().unwrap(), "--steps"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let line =
        |what: &str| text.lines().position(|line| line.contains(what)).unwrap_or_else(|| panic!("{what} in {text}"));
    assert!(line("as assigned") < line("%var2%"), "{text}");
    let whole = text.lines().position(|line| line.contains("\\native\\tally.c")).unwrap();
    assert!(line("%var4%") < whole, "{text}");
}

#[test]
fn handouts_have_the_stored_number_beside_the_decoded() {
    for format in ["md", "html"] {
        let file = sample("ticker/Ticker.dll");
        let output = pdblens(&["show", file.to_str().unwrap(), "method/Main/points", "--format", format]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("119 → -5"), "{text}");
    }
}

#[test]
fn text_on_standard_input_is_taken_as_it_is_where_a_record_is_text() {
    let fed = |kind: &str, text: &str| {
        let folder = Folder::new();
        let path = folder.path().join("input");
        fs::write(&path, text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        command.args(["decode", kind, "-"]).stdin(File::open(path).unwrap()).output().unwrap()
    };
    assert_eq!(stdout(&fed("namespace", "Ledger\n")), "Ledger\n");
    assert_eq!(stdout(&fed("namespace", "4c 65 64 67 65 72\n")), "Ledger\n");
    let map = r#"{"documents":{"/_/*":"https://example.org/*"}}"#;
    assert!(stdout(&fed("source-link", map)).contains("https://example.org/*"));
    let program = "SRCSRV: ini ---\nVERSION=2\nSRCSRV: variables ---\nSRCSRVTRG=%var2%\nSRCSRV: source files ---\na*b\nSRCSRV: end ---\n";
    assert!(stdout(&fed("srcsrv", program)).contains("SRCSRVTRG"));
    assert!(stderr(&fed("sint", "zz")).contains("is not a hexadecimal digit"));
}
