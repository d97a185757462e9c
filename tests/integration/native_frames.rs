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
        assert!(line.ends_with(&format!(":line {number} ~")), "{line} {said}");
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
    assert!(text.starts_with("   at clamp() + 0x19 in /src/native/tally.c:line 12 ~\n"), "{text}");
    // What has its line is left as it is.
    let again = explained(&pdb, text.lines().next().unwrap());
    assert!(
        again.0.starts_with(text.lines().next().unwrap()) && again.1.contains("1 with a line already"),
        "{again:?}"
    );
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
    assert_eq!(output.status.code(), Some(3));
    assert!(said.contains("tally.exe is native code, which has no methods") && !said.contains("0x06001079"), "{said}");
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

#[test]
fn a_frame_in_folded_code_has_the_line_of_the_function_that_it_names() {
    let log = "   at parcel!parcel::second_copy+0x1\n   at parcel!parcel::first_copy+0x1\n   at parcel!<BaseAddress>+0x10b1\n";
    let file = sample("parcel-optimized/parcel.exe");
    let output = run(&["trace", file.to_str().unwrap()], log);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().map(|line| line.rsplit_once('/').unwrap().1).collect();
    let ambiguous = "box.cpp:line 23 (or line 24 of parcel::second_copy: folded) ~";
    assert_eq!(lines, ["box.cpp:line 24 ~", "box.cpp:line 23 ~", ambiguous], "{text}");
    let summary = String::from_utf8(output.stderr).unwrap();
    assert!(summary.contains("3 resolved (1 of them in code shared by several functions)"), "{summary}");
    let json = run(&["trace", file.to_str().unwrap(), "--json"], log).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let frames = json["frames"].as_array().unwrap();
    assert_eq!(frames[0]["start_line"], 24, "{json}");
    assert_eq!(frames[0]["function"]["name"], "parcel::second_copy", "{json}");
    assert!(frames[0].get("folded").is_none(), "{json}");
    assert_eq!(frames[2]["folded"][0]["line"], 24, "{json}");
}

#[test]
fn a_crash_dump_says_which_build_a_module_is() {
    let folder = Folder::new();
    let (own, other) = (folder.path().join("a"), folder.path().join("b"));
    for (path, name) in [(&own, "native"), (&other, "native")] {
        fs::create_dir(path).unwrap();
        for file in ["tally.exe", "tally.pdb"] {
            fs::copy(sample(&format!("{name}/{file}")), path.join(file)).unwrap();
        }
    }
    // The other build has another id, in both of its files.
    let pdb = fs::read(own.join("tally.pdb")).unwrap();
    let image = fs::read(own.join("tally.exe")).unwrap();
    let at = image.windows(4).position(|bytes| bytes == b"RSDS").unwrap() + 4;
    let guid = image[at..at + 16].to_vec();
    for file in ["tally.exe", "tally.pdb"] {
        let mut bytes = fs::read(other.join(file)).unwrap();
        let found: Vec<usize> = (0..bytes.len() - 16).filter(|at| bytes[*at..*at + 16] == guid[..]).collect();
        for at in &found {
            bytes[*at] ^= 0xff;
        }
        assert!(!found.is_empty(), "{file}");
        fs::write(other.join(file), bytes).unwrap();
    }
    assert!(pdb.len() > 100);
    let mut id: Vec<u8> = guid.clone();
    for (start, end) in [(0, 4), (4, 6), (6, 8)] {
        id[start..end].reverse();
    }
    let id = id.iter().fold(String::new(), |id, byte| format!("{id}{byte:02X}"));
    let log = |id: &str| {
        format!(
            "OS|Windows NT|10\nModule|tally.exe|1.0|tally.pdb|{id}1|0x7ff61000|0x7ff62000|1\n\n0|0|tally.exe|clamp|||0x19\n"
        )
    };
    // Of two builds the id chooses one.
    let (text, summary) = explained(folder.path(), &log(&id));
    assert!(text.contains("0|0|tally.exe|clamp|/src/native/tally.c|12|0x19"), "{text}{summary}");
    assert!(text.contains("tally.pdb by its id") && text.contains("/a/tally.pdb"), "{text}");
    // Symbols of another build give no line.
    let (text, summary) = explained(&other.join("tally.exe"), &log(&id));
    assert!(summary.contains("1 frame: 0 resolved"), "{summary}{text}");
    // Without an id the name is all that is known.
    let (text, _) = explained(&own.join("tally.exe"), &log(&"0".repeat(32)));
    assert!(text.contains("nothing in the trace says which build"), "{text}");
}

#[test]
fn every_frame_is_recognised_as_one_and_resolved_where_that_can_be() {
    let native = ">\ttally.exe!clamp(int value, int low, int high) Line 12\tC\n 1  tally.exe!clamp + 0x19\n\
        02 00000000`0014fa00 00007ff6`12345678     tally+0x1079\n   at tally!<BaseAddress>+0x1079\n\
        0x0000000140001079 (tally) clamp\n";
    let (text, summary) = explained(&sample("native/tally.exe"), native);
    assert!(summary.contains("5 frames: 4 resolved, 1 with a line already"), "{summary}{text}");
    assert_eq!(text.matches(" in /src/native/tally.c:line 12 ~\n").count(), 4, "{text}");
    // An address that only a guess leads to a module has to be in the function that the frame names.
    let (text, summary) =
        explained(&sample("native/tally.exe"), "0x0000000140001079 (tally) Foo\n0x0000000140001079 (tally) clamp\n");
    assert!(
        summary.contains("2 frames: 1 resolved, 1 no module") && text.contains("and not in Foo"),
        "{summary}{text}"
    );
    let managed = "System.Exception: z\n   at lambda_method1(Closure, String)\n   at async Task Faults.Program.Main(string[] args)\n\
        0x0000020E7B2A3B33 (Mono JIT Code) [Program.cs:45] Faults.Program:Parse (string)\n\
        0x0000020E7B2A3B33 (Mono JIT Code) Faults.Program:Parse (string)\n\
        0x00007ff6c1b31050 (Unity) StackWalker::GetCurrentCallstack\n  at (wrapper managed-to-native) X.Y (intptr)\n";
    let (text, summary) = explained(&sample("faults/Faults.dll"), managed);
    assert!(summary.contains("6 frames: 0 resolved, 1 with a line already"), "{summary}{text}");
    assert!(text.contains("no method lambda_method1 in the loaded symbols"), "{text}");
    assert!(text.contains("could be 0x06000002 Faults.Program.Parse(string)"), "{text}");
}

#[test]
fn an_image_without_symbols_is_no_other_build() {
    let folder = Folder::new();
    let image = folder.path().join("Ticker.dll");
    fs::copy(sample("ticker/Ticker.dll"), &image).unwrap();
    let log = "   at Ticker.Clock.Since(Int64 x) in Ticker.dll:token 0x6000003+0xf\n   at Ticker.Program.Main(String[] args)\n   \
               at Ticker.Nothing() in Ticker.dll:token 0x6000009+0x1\n";
    let (text, summary) = explained(&image, log);
    assert!(summary.contains("3 no symbols for Ticker.dll"), "{summary}{text}");
    for said in [
        "Ticker.dll has Ticker.Clock.Since(long), but no PDB for this image was found inside it or beside it",
        "Ticker.dll has Ticker.Program.Main(string[]), but no PDB",
        "no symbols of Ticker.dll were found",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // A PDB of another build is what the image lacks.
    let other = folder.path().join("Ticker.pdb");
    fs::copy(sample("ticker-release/Ticker.pdb"), other).unwrap();
    let (text, _) = explained(&image, log);
    assert!(
        text.contains("Ticker.dll has Ticker.Clock.Since(long), but Ticker.pdb, beside it, does not match"),
        "{text}"
    );
}
