//! Traces of programs that hot reload changed: `trace` answers as `where` does.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const FILES: [&str; 3] = ["Relay.dll", "Relay.1.pdb", "Relay.2.pdb"];

/// Standard output and standard error of a command in the folder of the sample.
fn run(args: &[&str], files: &[&str], input: &str) -> (String, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples/relay");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    command.args(args).args(files).current_dir(folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn tokens_lead_through_the_map_of_the_newest_delta() {
    let log = "   at Relay.Back(Int32 value) in Relay.dll:token 0x6000002+0x5\n\
               \x20  at Relay.Double(Int32 value) in Relay.dll:token 0x6000004+0x1\n";
    let (text, summary) = run(&["trace", "--explain"], &FILES, log);
    let (answer, _) = run(&["where"], &[&FILES[..], &["0x06000002+5"]].concat(), "");
    assert!(answer.contains("Relay.cs:14"), "{answer}");
    assert!(text.contains("Relay.cs:line 14") && text.contains("Relay.cs:line 22"), "{text}");
    for hop in [
        "row of the delta 1 → 0x06000002 by the EncMap of Relay.1.pdb, the first delta named",
        "row of the delta 2 → 0x06000004 by the EncMap of Relay.2.pdb, the second delta named",
    ] {
        assert!(text.contains(hop), "{text}");
    }
    assert!(
        answer.contains("in an older version it would be line 13 (Relay.pdb)") && text.contains("line 13 (Relay.pdb)"),
        "{text}"
    );
    assert!(summary.contains("2 frames: 2 resolved"), "{summary}");
    let (json, _) = run(&["trace", "--json"], &FILES, log);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["frames"][0]["hops"][0]["kind"], "generation", "{json}");
    assert_eq!(json["frames"][0]["start_line"], 14);
}

#[test]
fn a_name_alone_names_the_versions() {
    let (text, _) = run(&["trace", "--explain"], &FILES, "   at Relay.Back(Int32 value)\n");
    assert!(text.contains("versions: Relay.1.pdb 13–17 (taken), Relay.pdb 12–"), "{text}");
    let mvid = "c530a04aeef84d7a95964e2a14c11a71";
    let mono = format!("  at Relay.Back (System.Int32 value) [0x00005] in <{mvid}>:0 \n");
    let (text, _) = run(&["trace", "--explain"], &FILES, &mono);
    assert!(text.contains("Relay.cs:14") && text.contains("line 13 (Relay.pdb)"), "{text}");
}

#[test]
fn a_delta_of_none_of_the_files_is_said() {
    let others = ["../ticker/Ticker.dll", "../workshop/Workshop.dll", "Relay.1.pdb"];
    let (_, said) = run(&["trace"], &others, "nothing\n");
    assert!(said.contains("Relay.1.pdb is a hot-reload delta, but none of the files named is its base"), "{said}");
}

#[test]
fn methods_that_closed_deltas_change_are_told_from_others() {
    // Back is changed by the first delta alone, Forward by none.
    let log = "   at Relay.Back(Int32 value) in Relay.dll:token 0x6000002+0x5\n\n   at Relay.Forward(Int32 value) in Relay.dll:token 0x6000001+0x0\n";
    let (text, said) = run(&["trace", "--explain"], &["Relay.dll"], log);
    let changed = "hot reload changed the method in Relay.1.pdb, which is not open: the line is that before it";
    assert_eq!(text.matches(changed).count(), 1, "{text}");
    assert!(text.find(changed) < text.find("Relay.Forward"), "{text}");
    assert!(
        said.contains("2 resolved (1 of them in methods that hot reload changed, by deltas that are not open)"),
        "{said}"
    );
    let (text, _) = run(&["where"], &["Relay.dll", "0x06000002+5", "0x06000001+0"], "");
    assert_eq!(text.matches(changed).count(), 1, "{text}");
    let (_, said) = run(&["where"], &["Relay.dll", "Relay.1.pdb", "0x06000002+5"], "");
    assert!(said.contains("`Relay.dll Relay.1.pdb Relay.2.pdb`"), "{said}");
    let (text, said) = run(&["trace", "--explain"], &["Relay.dll", "Relay.1.pdb", "Relay.2.pdb"], log);
    assert!(
        !text.contains("not open") && said.contains("2 frames: 2 resolved; build not proved (~)\n"),
        "{text}{said}"
    );
}
