//! The command line: partners, verdicts, errors.

mod completions;
mod decode;
mod encode;
mod examples;
mod exit_codes;
mod explain;
mod learn;
mod messages;
mod mismatch;
mod printed;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::folder::Folder;

mod rows;
mod schema;
mod standard_input;
mod stores;

fn sample(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(path)
}

fn pdblens<S: AsRef<OsStr>>(args: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pdblens")).args(args).env_remove("NO_COLOR").output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn copy(folder: &Folder, from: &str, to: &str) -> PathBuf {
    folder.write(to, fs::read(sample(from)).unwrap())
}

#[test]
fn either_half_finds_the_other_and_order_does_not_matter() {
    let (dll, pdb) = (sample("workshop/Workshop.dll"), sample("workshop/Workshop.pdb"));
    let whole = stdout(&pdblens(&[OsStr::new("info"), dll.as_os_str(), pdb.as_os_str()]));
    assert!(whole.starts_with("✓ PDB matches DLL\n"), "{whole}");
    assert!(whole.contains("74 methods") && whole.contains("10 documents in C#"), "{whole}");
    for files in [vec![&dll], vec![&pdb], vec![&pdb, &dll]] {
        let args: Vec<&OsStr> =
            std::iter::once(OsStr::new("info")).chain(files.iter().map(|file| file.as_os_str())).collect();
        assert_eq!(stdout(&pdblens(&args)), whole, "{files:?}");
    }
}

#[test]
fn partners_are_found_by_id_and_not_by_name() {
    let folder = Folder::new();
    // The image has another name than the PDB, and a stranger has the PDB's.
    copy(&folder, "ticker/Ticker.pdb", "Renamed.pdb");
    let image = copy(&folder, "ticker/Ticker.dll", "Other.exe");
    copy(&folder, "faults/Faults.dll", "Renamed.dll");
    let text = stdout(&pdblens(&[OsStr::new("info"), folder.path().join("Renamed.pdb").as_os_str()]));
    assert!(text.starts_with("✓") && text.contains("Other.exe"), "{text}");
    // The other way the image's name leads nowhere, but its CodeView entry does.
    copy(&folder, "ticker/Ticker.pdb", "Ticker.pdb");
    let text = stdout(&pdblens(&[OsStr::new("info"), image.as_os_str()]));
    assert!(text.starts_with("✓") && text.contains("Ticker.pdb"), "{text}");
}

#[test]
fn a_pdb_of_another_build_is_never_joined_silently() {
    let folder = Folder::new();
    let dll = copy(&folder, "ticker/Ticker.dll", "Ticker.dll");
    let pdb = copy(&folder, "ticker-release/Ticker.pdb", "Ticker.pdb");
    // Found beside: not taken, and said why.
    let output = pdblens(&[OsStr::new("info"), dll.as_os_str()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(
        text.starts_with("! No PDB found") && text.contains("does not match") && text.contains("name both"),
        "{text}"
    );
    // Named: taken, with a loud verdict.
    let output = pdblens(&[OsStr::new("info"), dll.as_os_str(), pdb.as_os_str()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(
        text.starts_with("✗ PDB does not match: GUID differs") && text.contains("\n1 finding in the headers"),
        "{text}"
    );
    let output = pdblens(&[OsStr::new("check"), dll.as_os_str(), pdb.as_os_str()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("1 finding of checksum follows from it") && text.contains("\n1 finding, "), "{text}");
}

#[test]
fn an_embedded_pdb_is_used_and_knows_where_it_was() {
    let dll = sample("ticker-embedded/Ticker.dll");
    let text = stdout(&pdblens(&[OsStr::new("info"), dll.as_os_str()]));
    assert!(text.contains("the PDB is inside the image") && text.contains("2 sources"), "{text}");
    let json: serde_json::Value =
        serde_json::from_slice(&pdblens(&[OsStr::new("dump"), dll.as_os_str()]).stdout).unwrap();
    let spaces = json["pairs"][0]["spaces"].as_array().unwrap();
    assert_eq!(spaces.len(), 2);
    assert_eq!(spaces[1]["inflated"][0], spaces[0]["space"], "the inflated bytes name the file they came from");
}

#[test]
fn the_sample_is_opened_on_request() {
    let text = stdout(&pdblens(&["info", "--sample"]));
    assert!(text.contains("Ticker.dll") && text.starts_with("✓"), "{text}");
    assert_eq!(stdout(&pdblens::<&str>(&[])), text, "without a terminal the overview is printed instead");
    for command in ["info", "list", "show", "dump", "check", "sources", "where", "break"] {
        let output = pdblens(&[command]);
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(stderr(&output).contains("--sample") && output.stdout.is_empty(), "{}", stderr(&output));
        let question = if command == "break" { "Clock.cs:13" } else { "Clock.Since+0xf" };
        // The others take the question for a file that is missing.
        let asked = !["info", "check", "sources"].contains(&command);
        assert_eq!(pdblens(&[command, question]).status.code(), Some(1 + i32::from(asked)), "{command} {question}");
    }
    let output = pdblens(&[OsStr::new("info"), OsStr::new("--sample"), sample("ticker/Ticker.dll").as_os_str()]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn unrecognised_files_get_a_one_line_error() {
    let folder = Folder::new();
    let cases: [(&str, &[u8], &str); 5] = [
        ("a.out", b"\x7fELF\x02\x01\x01", "ELF"),
        ("a.nupkg", b"PK\x03\x04rest", "zip archive"),
        ("a.cs", b"using System;\r\n", "text"),
        ("empty.dll", b"", "an empty file"),
        ("noise.pdb", b"\x00\x01\x02\x03\xff", "unrecognised file format"),
    ];
    for (name, bytes, word) in cases {
        let path = folder.write(name, bytes);
        let output = pdblens(&[OsStr::new("dump"), path.as_os_str()]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(said.lines().count() == 1 && said.contains(word) && said.contains(name), "{said}");
        assert!(output.stdout.is_empty());
    }
    let output = pdblens(&[OsStr::new("show"), folder.path().as_os_str()]);
    assert!(stderr(&output).contains("a directory"), "{}", stderr(&output));
    let output = pdblens(&[OsStr::new("dump"), folder.path().join("missing.dll").as_os_str()]);
    assert_eq!((output.status.code(), stderr(&output).lines().count()), (Some(1), 1));
}

#[test]
fn unsuitable_sets_of_files_are_refused_with_a_reason() {
    let (dll, pdb) = (sample("ticker/Ticker.dll"), sample("ticker/Ticker.pdb"));
    let output = pdblens(&[OsStr::new("show"), dll.as_os_str(), sample("faults/Faults.dll").as_os_str()]);
    assert!(stderr(&output).contains("both images"), "{}", stderr(&output));
    let output = pdblens(&[OsStr::new("show"), dll.as_os_str(), pdb.as_os_str(), pdb.as_os_str()]);
    assert!(stderr(&output).contains("both symbol files"), "{}", stderr(&output));
}

#[test]
fn places_are_listed_shown_and_corrected() {
    let points = stdout(&pdblens(&["list", "--sample", "method/Clock.Since/points"]));
    assert!(points.contains("IL_0001  11:13–11:29  Clock.cs  01 00 10 02 08"), "{points}");
    let tsv = stdout(&pdblens(&["list", "--sample", "method/0x06000003/points", "--tsv"]));
    assert_eq!(tsv.lines().nth(2), Some("2\tIL_0001\t11:13–11:29\tClock.cs\t01 00 10 02 08"));
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&pdblens(&["show", "--sample", "method/3/points/2", "--json"]))).unwrap();
    let names: Vec<_> = json["fields"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| f["group"] == false)
        .map(|f| f["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["δ IL offset", "Δ lines", "Δ columns", "δ start line", "δ start column"]);
    for (wrong, near) in [
        ("tabels", "\"tables\""),
        ("table/Documents", "table/Document"),
        ("method/Clock.Sinse/il", "Ticker.Clock.Since/il"),
    ] {
        let output = pdblens(&["list", "--sample", wrong]);
        assert_eq!(output.status.code(), Some(3), "{wrong}");
        assert!(stderr(&output).contains(near), "{}", stderr(&output));
    }
    let output = pdblens(&["list", "--sample", "table/TypeDef/99"]);
    assert!(stderr(&output).contains("it has 3 rows"), "{}", stderr(&output));
    let output = pdblens(&["show", "--sample", "tables"]);
    assert!(stderr(&output).contains("pdblens list"), "{}", stderr(&output));
}

#[test]
fn methods_that_are_not_there_have_no_parts() {
    for place in ["method/0x06000017/points", "method/0x0600ffff/body", "method/0x06000017/il", "method/0x06000017"] {
        for command in ["show", "list"] {
            let output = pdblens(&[command, "--sample", place]);
            let error = stderr(&output);
            assert!(output.status.code() == Some(3) && error.contains("there is no method 0x0600"), "{place}: {error}");
        }
    }
    let parts = stdout(&pdblens(&["list", "--sample", "method/Clock.Since"]));
    for part in ["points  list    5 rows", "il", "body    record", "scopes"] {
        assert!(parts.contains(&format!("method/0x06000003/{part}")), "{parts}");
    }
    // A constructor that the compiler made has no points.
    let shapes = sample("shapes/Shapes.dll");
    let error = stderr(&pdblens(&["show", shapes.to_str().unwrap(), "method/0x06000009/points"]));
    assert!(error.contains("has no sequence points"), "{error}");
}

#[test]
fn names_with_the_characters_of_patterns_are_names() {
    let image = sample("parcel/parcel.exe");
    let image = image.to_str().unwrap();
    let first_copy = "?first_copy@parcel@@YAHH@Z";
    for question in [format!("{first_copy}+0x4"), format!("parcel!{first_copy}+0x4")] {
        let output = pdblens(&["where", image, &question]);
        assert!(stdout(&output).starts_with("parcel::first_copy+0x4 "), "{question}: {}", stderr(&output));
    }
    // What is no name either is said to be none, and a pattern that stands first is one.
    let output = pdblens(&["where", image, "?nothing@parcel@@YAHH@Z+0x4"]);
    assert!(stderr(&output).contains("no function is called"), "{}", stderr(&output));
    for args in [&["list", "nowhere/*"][..], &["where", "nowhere/*", "f+0x1"], &["info", "nowhere/*"]] {
        let output = pdblens(args);
        assert!(stderr(&output).contains("no file matches the pattern"), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn bytes_of_a_place_are_written_as_they_are() {
    let folder = Folder::new();
    let to = folder.path().join("blob.bin");
    let output = pdblens(&[
        OsStr::new("dump"),
        OsStr::new("--sample"),
        OsStr::new("pdb/heap/guid"),
        OsStr::new("-o"),
        to.as_os_str(),
    ]);
    assert!(output.status.success() && output.stdout.is_empty());
    let (written, whole) = (fs::read(&to).unwrap(), fs::read(sample("ticker/Ticker.pdb")).unwrap());
    assert!(written.len() == 80 && whole.windows(80).any(|window| window == written));
}

#[test]
fn colour_only_when_asked_for_on_a_pipe() {
    assert!(!stdout(&pdblens(&["info", "--sample"])).contains('\x1b'));
    assert!(stdout(&pdblens(&["info", "--sample", "--color", "always"])).contains("\x1b[32m"));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_success() {
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_pdblens"))
        .args([OsStr::new("dump"), sample("workshop/Workshop.dll").as_os_str()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.is_empty()), (Some(0), true));
}

#[test]
fn paths_of_the_other_systems_lead_to_the_file_name() {
    // The sample was built under `/src/ticker`; Windows builds have drive letters and backslashes. Neither folder is looked into.
    let folder = Folder::new();
    let mut dll = fs::read(sample("ticker/Ticker.dll")).unwrap();
    let at = dll.windows(22).position(|window| window == b"/src/ticker/Ticker.pdb").unwrap();
    dll[at..at + 22].copy_from_slice(b"C:\\src\\tick\\Clock9.pdb");
    let dll = folder.write("App.dll", &dll);
    copy(&folder, "ticker/Ticker.pdb", "Clock9.pdb");
    let text = stdout(&pdblens(&[OsStr::new("info"), dll.as_os_str()]));
    assert!(text.starts_with("✓") && text.contains("Clock9.pdb"), "{text}");
}

#[test]
fn completions_and_the_man_page_name_every_command() {
    let man = stdout(&pdblens(&["gen", "man"]));
    for shell in ["bash", "zsh", "fish", "powershell", "nushell"] {
        let completions = stdout(&pdblens(&["gen", "completions", shell]));
        for command in ["info", "list", "show", "where", "break", "trace", "dump", "sources", "check", "find", "diff"] {
            assert!(completions.contains(command) && man.contains(command), "{shell} {command}");
        }
    }
}

#[test]
fn the_man_page_has_the_keys_of_the_screens() {
    let man = stdout(&pdblens(&["gen", "man"]));
    let keys = man.split("KEYS OF THE SCREENS").nth(1).unwrap();
    let documented = pdblens::tui::state::key_list::documented_keys();
    assert!(documented.len() > 40);
    for (bound, help) in documented {
        // What roff takes for something else is written so that it does not.
        let plain = |text: &str| text.replace('\\', "").replace("*(Aq", "'");
        assert!(plain(keys).contains(&plain(&help)), "{help}");
        let shown = bound.iter().all(|key| plain(keys).contains(&plain(&key.replace('`', ""))));
        assert!(shown, "{bound:?}");
    }
    let completions = stdout(&pdblens(&["gen", "completions", "fish"]));
    for option in ["source-root", "map", "symbols"] {
        assert!(completions.contains(&format!("-l {option}")), "{option}");
    }
}
