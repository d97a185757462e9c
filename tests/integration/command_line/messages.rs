//! Sentences on standard error: misspelt commands, missing files, texts without frames.

use std::io::Write;
use std::process::{Command, Stdio};

use super::{pdblens, sample, stderr, stdout};
use crate::support::folder::Folder;

/// Lines that a run in a folder prints: exactly these, whatever is around them.
#[test]
fn each_message_has_its_words() {
    let folder = Folder::new();
    let (dll, pdb) = (sample("ticker/Ticker.dll"), sample("ticker/Ticker.pdb"));
    for (name, from) in [("host/Ticker.dll", &dll), ("host/Ticker.pdb", &pdb), ("lone/Ticker.dll", &dll)] {
        folder.write(name, std::fs::read(from).unwrap());
    }
    folder.write("noise.bin", [0xfe; 64]);
    for (args, input, line) in [
        ("info noise.bin", "", "error: noise.bin: unrecognised file format; expected a .dll, .exe, .pdb or .mdb"),
        (
            "where --sample Sincee+1",
            "",
            "error: no method is named \"Sincee\" · tip: did you mean \"method/Ticker.Clock.Since\"?",
        ),
        ("where --sample -", "Clock.Since+1\n\nbad line\n", "error: line 3: \"bad line\" is not METHOD+OFFSET"),
        ("break --sample -", "Clock.cs:13\n13\n", "error: line 2: which file? write FILE:13"),
        ("break --sample 13", "", "error: which file? write FILE:13"),
        ("where --sample Clock+1", "", "error: Clock is a type; its methods: Clock.Now(), Clock.Since(long)"),
        ("show --sample Clock", "", "error: Clock is a type; its methods: Clock.Now(), Clock.Since(long)"),
        ("info nuget:", "", "error: nuget: needs a package: nuget:ID@VERSION"),
        (
            "diff host/Ticker.dll",
            "",
            "error: diff compares two builds: name the second · tip: `pdblens diff old/App.dll App.dll`",
        ),
        ("dump --sample -o out/x.json", "", "error: cannot write out/x.json: no such folder"),
        ("info host", "", "note: host contains one pair: Ticker.dll"),
        (
            "where lone/Ticker.dll Clock.Since+1",
            "",
            "  no PDB, so no line: `pdblens find lone/Ticker.dll` shows where it was looked for",
        ),
        ("sources lone/Ticker.dll", "", "note: lone/Ticker.dll has no symbols"),
        (
            "break lone/Ticker.dll Clock.cs:13",
            "",
            "error: no PDB was found, so no line: `pdblens find lone/Ticker.dll` shows where it was looked for",
        ),
        ("show lone/Ticker.dll pdb/metadata", "", "error: no PDB is open"),
        ("store list nowhere", "", "error: no such folder: nowhere"),
        ("check --sample", "", "✓  deterministic       deterministic build"),
        ("check --sample", "", "0 findings, 2 notes"),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pdblens"))
            .args(args.split(' '))
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = stderr(&output) + &String::from_utf8(output.stdout).unwrap();
        assert!(said.lines().any(|found| found == line), "pdblens {args}\n{line}\n{said}");
    }
}

/// The program has the words that it looks for in launchers.
#[test]
fn the_program_is_no_launcher() {
    let said = stderr(&pdblens(&["info", env!("CARGO_BIN_EXE_pdblens")]));
    assert!(said.starts_with("error: ") && !said.contains("launcher"), "{said}");
}

#[test]
fn a_misspelt_command_is_told_from_a_missing_file() {
    let dll = sample("ticker/Ticker.dll");
    let output = pdblens(&["infoo", dll.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean `pdblens info`?"), "{}", stderr(&output));
    for word in ["missing.dll", "nowhere/info", "quite-another-name"] {
        let said = stderr(&pdblens(&[word]));
        assert!(said.contains("there is no such file") && !said.contains("did you mean"), "{said}");
    }
}

#[test]
fn a_place_after_a_file_has_a_tip_where_there_are_no_screens() {
    let dll = sample("ticker/Ticker.dll");
    let output = pdblens(&[dll.to_str().unwrap(), "method/0x06000003/points"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("tip: `pdblens show FILE method/0x06000003/points`"), "{}", stderr(&output));
    // A word that no path of a place begins with is a file.
    let said = stderr(&pdblens(&[dll.to_str().unwrap(), "nowhere/at-all"]));
    assert!(said.contains("there is no such file") && !said.contains("show FILE"), "{said}");
}

#[test]
fn a_missing_file_has_the_same_sentence_in_every_command() {
    let folder = Folder::new();
    let (missing, to) = (folder.path().join("missing.dll"), folder.path().join("store"));
    let (missing, to) = (missing.to_str().unwrap(), to.to_str().unwrap());
    for args in
        [&["info", missing][..], &["trace", missing], &["store", "add", missing, "--to", to], &["find", missing]]
    {
        let output = pdblens(args);
        let said = stderr(&output) + &String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("there is no such file") && !said.contains("os error"), "{args:?}: {said}");
    }
}

#[test]
fn a_missing_file_may_have_words_of_a_frame_in_its_name() {
    let image = sample("native/tally.exe");
    let said = stderr(&pdblens(&["show", image.to_str().unwrap(), "/usr/lib (x86)/from there/tally.exe"]));
    assert!(said.contains("there is no such file"), "{said}");
}

#[test]
fn find_says_why_there_are_no_symbols_and_where_it_looked() {
    let folder = Folder::new();
    let image = folder.write("tally.exe", std::fs::read(sample("native/tally.exe")).unwrap());
    let output = pdblens(&["find", image.to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("has none   no PDB for this image was found inside it or beside it"), "{text}");
    assert!(text.contains("no symbol path was named · tip: --symbols DIR"), "{text}");
}

#[test]
fn a_text_without_frames_is_passed_on_with_a_note() {
    let folder = Folder::new();
    let (text, dll) = (folder.write("log.txt", "nothing\r\nat all"), sample("ticker/Ticker.dll"));
    let output = pdblens(&["trace", text.to_str().unwrap(), dll.to_str().unwrap()]);
    assert_eq!(
        (output.stdout.as_slice(), stderr(&output).as_str()),
        (b"nothing\r\nat all".as_slice(), "note: 0 frames recognised\n")
    );
}

#[test]
fn diff_says_that_both_sides_are_the_same_files() {
    let (dll, pdb) = (sample("ticker/Ticker.dll"), sample("ticker/Ticker.pdb"));
    let said = |a: &std::path::Path, b: &std::path::Path| {
        stderr(&pdblens(&["diff", a.to_str().unwrap(), b.to_str().unwrap()]))
    };
    assert!(said(&dll, &pdb).starts_with("note: both sides are the same files: "), "{}", said(&dll, &pdb));
    assert_eq!(said(&dll, &sample("ticker-release/Ticker.dll")), "");
}

#[test]
fn an_address_beyond_the_image_is_outside_it() {
    let tally = sample("native/tally.exe");
    let output = pdblens(&["where", tally.to_str().unwrap(), "clamp+0x99999"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("is outside the image, which ends at 0x") && !text.contains("nearest"), "{text}");
}

#[test]
fn a_place_that_is_not_there_is_an_error_and_not_its_parent() {
    let ticker = sample("ticker/Ticker.dll").display().to_string();
    let native = sample("native/tally.pdb").display().to_string();
    for (file, place, said) in [
        (&ticker, "method/0x06000003/points/99", "has no sequence point 99: it has"),
        (&ticker, "method/0x06000003/il/0x999", "there is no instruction at 0x999: Ticker.Clock.Since(long) has"),
        (&ticker, "method/0x06000003/regions/9", "there is no exception clause 9"),
        (&ticker, "pdb/heap/guid/99", "nothing is at pdb/heap/guid/99"),
        (&native, "stream/1/0xffffff", "nothing is at 0xffffff of stream 1: it has"),
        (&native, "function/0x999999", "no function has the code at 0x999999"),
        (&native, "function/0x1000/lines/999", "has no line 999: it has"),
        (&native, "type/0xffffff", "there is no type 0xffffff"),
        (&native, "id/0xffffff", "there is no id 0xffffff"),
        (&native, "stream/1/0x8", "the byte belongs to the field `age` of the record that begins at 0x0"),
    ] {
        for options in [&[][..], &["--steps"], &["--json"]] {
            let found = pdblens(&[&["show", file, place], options].concat());
            let error = String::from_utf8(found.stderr).unwrap();
            assert!(found.status.code() == Some(3) && error.contains(said), "{place} {options:?}: {error}");
            assert!(found.stdout.is_empty(), "{place} {options:?}");
        }
    }
}

#[test]
fn text_after_a_method_that_is_no_offset_is_named_and_never_dropped() {
    let dll = sample("ticker/Ticker.dll");
    let dll = dll.to_str().unwrap();
    for (command, question) in [
        ("where", "Clock.Since(Int64) 15"),
        ("where", "Clock.Since(Int64)-5"),
        ("where", "Clock.Since(Int64)[15]"),
        ("where", "Clock.Since() foo"),
        ("where", "Clock.Since(bool)+1"),
        ("show", "Clock.Since(Int64) 15"),
        ("show", "method/Clock.Since(bool)"),
        ("break", "Clock.cs:13 foo"),
    ] {
        let output = pdblens(&[command, dll, question]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0), "{command} {question}: {output:?}");
    }
    let said = stderr(&pdblens(&["where", dll, "Clock.Since(bool)+1"]));
    assert!(said.contains("(bool) · tip: it has 1: method/0x06000003 Ticker.Clock.Since(long)"), "{said}");
    for question in [
        "Ticker.Clock.Since (System.Int64 x) [0x0000f] in <3222a828>:0",
        "0x6000003 0xF",
        "0x06000003@0xF",
        "6000003+15",
    ] {
        let output = pdblens(&["where", dll, question]);
        assert!(stdout(&output).starts_with("Ticker.Clock.Since(long)+0xf  "), "{question}: {output:?}");
    }
    let output = pdblens(&["where", dll, "Clock.Since:15"]);
    assert!(stderr(&output).contains("15 is decimal, +0xf · tip: write Clock.Since+0x15"), "{output:?}");
}

#[test]
fn a_suggestion_is_near_what_was_typed() {
    let dll = sample("ticker/Ticker.dll");
    let said = |command, question| stderr(&pdblens(&[command, dll.to_str().unwrap(), question]));
    for (command, question) in [("break", "Nope.cs:3"), ("where", "Nope+3"), ("list", "Nope"), ("show", "method/Nope")]
    {
        assert!(!said(command, question).contains("did you mean"), "{}", said(command, question));
    }
    for (command, question, near) in
        [("break", "Progam.cs:3", "Program.cs"), ("where", "Sicne+3", "Clock.Since"), ("list", "tabels", "tables")]
    {
        let said = said(command, question);
        assert!(said.contains("did you mean") && said.contains(near), "{said}");
    }
}

#[test]
fn a_folder_is_no_trace() {
    let folder = Folder::new();
    let output = pdblens(&["trace", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(
        said.contains("is a folder, not a text with stack traces") && said.contains("pdblens trace log.txt"),
        "{said}"
    );
}

#[test]
fn refused_arguments_are_told_in_one_line_with_a_tip() {
    for (args, said) in [
        (
            &["where", "--sampel"][..],
            "error: unexpected argument '--sampel' found · tip: a similar argument exists: '--sample'\n",
        ),
        (
            &["info", "--bar"],
            "error: unexpected argument '--bar' found · tip: `pdblens info --help` shows what it takes\n",
        ),
        (
            &["info", "--no-mouse"],
            "error: unexpected argument '--no-mouse' found · tip: it is an option of the screens, `pdblens --no-mouse` without a command\n",
        ),
        (
            &["store", "add", "x"],
            "error: the following required arguments were not provided: --to <DIR> · tip: `pdblens store add --help` shows what it takes\n",
        ),
        (
            &["gen", "completions", "foo"],
            "error: invalid value 'foo' for '<SHELL>' · tip: write one of bash, fish, nushell, powershell, zsh\n",
        ),
        (
            &["diff", "\u{1b}[2J"],
            "error: diff compares two builds: name the second · tip: `pdblens diff old/App.dll App.dll`\n",
        ),
    ] {
        let output = pdblens(args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
        let found = stderr(&output);
        assert!(found.starts_with(said) && found.lines().count() == 1, "{args:?}: {found}");
    }
    let help = pdblens(&["store"]);
    assert!(stderr(&help).contains("Commands:") && help.status.code() == Some(2), "{help:?}");
}

#[test]
fn a_value_that_is_not_near_is_not_suggested() {
    for (shell, tip) in [("tcsh", "write one of bash, fish"), ("bahs", "'bash'"), ("fis", "'fish'")] {
        let said = stderr(&pdblens(&["gen", "completions", shell]));
        assert!(said.contains(tip), "{shell}: {said}");
    }
}

#[test]
fn a_trace_shows_the_code_of_its_frames() {
    let folder = Folder::new();
    for end in ["dll", "pdb"] {
        let from = sample(&format!("faults/Faults.{end}"));
        folder.write(&format!("Faults.{end}"), std::fs::read(from).unwrap());
    }
    let (ticker, faults) = (sample("ticker/Ticker.dll"), folder.path().join("Faults.dll"));
    let log = "   at Ticker.Clock.Since(Int64 x) in Ticker.dll:token 0x6000003+0xb\nanother trace\n   \
               at Faults.Program.Parse(String text) in Faults.dll:token 0x6000002+0x1\n";
    folder.write("log.txt", log);
    let files = [ticker.to_str().unwrap(), faults.to_str().unwrap(), folder.path().join("log.txt").to_str().unwrap()]
        .map(str::to_owned);
    let args = |more: &[&'static str]| {
        ["trace"].into_iter().chain(files.iter().map(String::as_str)).chain(more.iter().copied()).collect::<Vec<_>>()
    };
    let text = stdout(&pdblens(&args(&["--excerpt"])));
    assert!(
        text.contains("\n       13 │             return elapsed < 0 ? 0 : elapsed;\n          │             ~~~"),
        "{text}"
    );
    assert!(text.contains("\n       40 ┆ {  reconstructed from IL\n"), "{text}");
    let json = stdout(&pdblens(&args(&["--excerpt", "--json"])));
    assert!(json.contains("\"reconstructed\":{\"statement\":\"return elapsed < 0 ? 0 : elapsed;\""), "{json}");
    assert!(!stdout(&pdblens(&args(&["--json"]))).contains("reconstructed"));
}
