//! Frames of native code as debuggers and runtimes really write them, through the command.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::folder::Folder;

fn sample(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(path)
}

fn run(args: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    let mut child =
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Standard output of `trace --explain`, and the summary.
fn explained(file: &Path, log: &str) -> (String, String) {
    let output = run(&["trace", "--explain", file.to_str().unwrap()], log);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn inline_frames_are_resolved_by_the_frame_below_them() {
    let below = "00000000`0014fa00 00007ff6`12345678     parcel!parcel::weigh+0x21";
    let inline = "(Inline Function) --------`--------     parcel!parcel";
    let log = format!(
        "00 {inline}::Item::grams+0x5\n01 {inline}::postage+0x5\n02 {below}\n03 {inline}::nope+0x1\n04 {below}\n\nend\n"
    );
    let file = sample("parcel-optimized/parcel.exe");
    let (text, summary) = explained(&file, &log);
    assert!(summary.contains("5 frames: 4 resolved, 1 no such method"), "{summary}{text}");
    // The lines are those that the disassembly has beside the instruction.
    let listed = run(&["where", file.to_str().unwrap(), "parcel::weigh+0x21"], "").stdout;
    let listed = String::from_utf8(listed).unwrap();
    for name in ["parcel::postage", "parcel::Item::grams"] {
        let said = listed.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{listed}"));
        let number = said.rsplit_once(':').unwrap().1;
        let line = text.lines().find(|line| line.contains("(Inline Function)") && line.contains(name)).unwrap();
        assert!(line.ends_with(&format!(":line {number}")), "{line} {said}");
    }
    assert!(text.contains("no call of parcel::nope that is inlined at parcel::weigh+0x21"), "{text}");
    // Nothing below says where it is.
    let (text, _) = explained(&file, &format!("00 {inline}::postage+0x5\n\nend\n"));
    assert!(text.contains("no frame below it has an address"), "{text}");
}

#[test]
fn windbg_writes_underscores_into_names_of_modules() {
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name);
    fs::copy(sample("native/tally.exe"), path("my-tally.v2.exe")).unwrap();
    fs::copy(sample("native/tally.pdb"), path("tally.pdb")).unwrap();
    let (text, _) = explained(&path("my-tally.v2.exe"), "00 my_tally_v2!clamp+0x19\n01 other_tally!clamp+0x19\n");
    assert!(
        text.contains("tally.c:line 12") && text.contains("my_tally_v2 is my-tally.v2 as WinDbg writes it"),
        "{text}"
    );
    assert!(text.contains("no symbols of other_tally were found"), "{text}");
    let output = run(&["where", path("my-tally.v2.exe").to_str().unwrap(), "my_tally_v2!clamp+0x19"], "");
    assert!(String::from_utf8_lossy(&output.stdout).contains("tally.c:12"), "{output:?}");
}

#[test]
fn a_name_and_an_offset_of_machine_code_are_enough_for_a_native_pdb() {
    let folder = Folder::new();
    let pdb = folder.path().join("tally.pdb");
    fs::copy(sample("native/tally.pdb"), &pdb).unwrap();
    let (text, summary) = explained(&pdb, "   at clamp() + 0x19\n   at nope() + 0x1\n");
    let answer = run(&["where", pdb.to_str().unwrap(), "clamp+0x19"], "").stdout;
    assert!(String::from_utf8_lossy(&answer).contains("tally.c:12"));
    assert!(text.contains("at clamp() + 0x19") && text.contains("tally.c 12"), "{text}");
    assert!(text.contains("no function nope in the loaded symbols"), "{text}");
    assert!(summary.contains("2 frames: 1 resolved, 1 no such method"), "{summary}");
    // The one that was named goes before those beside it.
    fs::copy(sample("parcel/parcel.pdb"), folder.path().join("parcel.pdb")).unwrap();
    let (text, _) = explained(&pdb, "   at entry() + 0x4a\n");
    assert!(text.contains("tally.c"), "{text}");
}

#[test]
fn an_address_is_no_row_where_the_pdb_is_of_another_age() {
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name);
    let mut image = fs::read(sample("native/tally.exe")).unwrap();
    let age = image.windows(4).position(|bytes| bytes == b"RSDS").unwrap() + 20;
    image[age] = 9;
    fs::write(path("tally.exe"), image).unwrap();
    fs::copy(sample("native/tally.pdb"), path("tally.pdb")).unwrap();
    let output = run(&["where", path("tally.exe").to_str().unwrap(), "0x1079"], "");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said.contains("tally.exe is of native code, which has no methods") && !said.contains("0x06001079"),
        "{said}"
    );
    assert!(said.contains("age"), "{said}");
}

#[test]
fn no_frame_of_the_player_or_of_android_is_skipped() {
    let log = "Faults.Program:Parse (string)\n   at P.O + 0x7\n   at Faults.Program.Parse + 0x7\n";
    let (text, summary) = explained(&sample("faults/Faults.dll"), log);
    assert!(summary.contains("3 frames: 1 resolved"), "{summary}");
    assert!(text.contains("could be 0x06000002 Faults.Program.Parse(string)"), "{text}");
    assert!(text.contains("no method P.O was found") && text.contains("Program.cs:line 41"), "{text}");
    let prose = "2024-05-01 12:00:01 INFO  Listening at http://localhost:8080 (debug)\n\
                 Error:failed (42)\nWarning: deprecated (see Docs)\nlook at a.b + 0x7\nat offset + 0x7\n\
                 Ns.T:M (string) failed\nmain.c:12 (int)\nkey:value (Some remark here)\n";
    let (text, summary) = explained(&sample("faults/Faults.dll"), prose);
    assert_eq!((text.as_str(), summary.trim()), (prose, "note: 0 frames recognised"));
}
