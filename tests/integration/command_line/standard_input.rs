//! `-`: a file, questions or bytes on standard input.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::{sample, stderr};
use crate::support::containers::bundle;
use crate::support::folder::Folder;

/// Output of the program in a folder, with a file as its standard input.
fn fed(folder: &Folder, args: &[&str], input: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pdblens"))
        .args(args)
        .current_dir(folder.path())
        .stdin(Stdio::from(File::open(input).unwrap()))
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Commands with one file, which is standard input.
const OF_ONE_FILE: [&[&str]; 10] = [
    &["info", "-"],
    &["list", "-"],
    &["list", "-", "tables"],
    &["show", "-", "method/Clock.Since"],
    &["points", "-"],
    &["methods", "-"],
    &["documents", "-"],
    &["sources", "-"],
    &["check", "-"],
    &["find", "-"],
];

#[test]
fn every_command_reads_a_file_from_standard_input() {
    let (folder, image) = (Folder::new(), sample("ticker-embedded/Ticker.dll"));
    let named = image.to_str().unwrap();
    let others: [&[&str]; 3] = [&["dump", "-", "pdb"], &["diff", "-", named], &["diff", named, "-"]];
    for args in OF_ONE_FILE.into_iter().chain(others) {
        let output = fed(&folder, args, &image);
        let answered = matches!(output.status.code(), Some(0 | 3));
        assert!(answered && !output.stdout.is_empty(), "{args:?}: {output:?}");
        let as_file: Vec<&str> = args.iter().map(|word| if *word == "-" { named } else { *word }).collect();
        let of_file = fed(&folder, &as_file, &image);
        assert_eq!(output.status.code(), of_file.status.code(), "{args:?}");
        if matches!(args[0], "list" | "dump" | "points" | "methods" | "documents" | "diff") {
            let same = text(&output).replace("standard input", "Ticker.dll") == text(&of_file);
            assert!(same, "{args:?}: {}", text(&output));
        }
    }
    let output = fed(&folder, &["diff", "-", named, "--bytes"], &image);
    assert!(text(&output).contains("identical"), "{output:?}");
    // A PDB has no name of its own; an image has that of its module.
    assert!(text(&fed(&folder, &["find", "-"], &image)).contains("/ticker.dll"), "{output:?}");
    let output = fed(&folder, &["extract", "-", "--to", "out"], &image);
    assert!(output.status.success() && folder.files().contains(&"out/Ticker.pdb".to_owned()), "{output:?}");
    let output = fed(&folder, &["store", "add", "-", "--to", "symbols"], &image);
    assert!(output.status.success(), "{output:?}");
    assert!(folder.files().iter().any(|file| file.starts_with("symbols/ticker.dll/")), "{:?}", folder.files());
    let output = fed(&folder, &["store", "add", "-", "--to", "symbols"], &sample("ticker/Ticker.pdb"));
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("standard input has none · tip: save it to a file"), "{output:?}");
}

#[test]
fn every_command_reads_a_package_from_standard_input() {
    let folder = Folder::new();
    let (dll, pdb) = (fs::read(sample("ticker/Ticker.dll")).unwrap(), fs::read(sample("ticker/Ticker.pdb")).unwrap());
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in [("lib/net8.0/Ticker.dll", &dll), ("lib/net8.0/Ticker.pdb", &pdb)] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut zip, bytes).unwrap();
    }
    let package = folder.write("P.zip", zip.finish().unwrap().into_inner());
    for input in [&package, &folder.write("App", bundle(&[("Ticker.dll", &dll), ("Ticker.pdb", &pdb)]))] {
        let others: [&[&str]; 4] = [
            &["check", "-", "--json"],
            &["diff", "-", "-"],
            &["extract", "-", "--only", "streams", "--to", "out"],
            &["store", "add", "-", "--to", "symbols"],
        ];
        for args in OF_ONE_FILE.into_iter().chain(others) {
            let output = fed(&folder, args, input);
            let answered = matches!(output.status.code(), Some(0 | 3));
            assert!(answered && !output.stdout.is_empty(), "{input:?} {args:?}: {output:?}");
        }
        assert!(text(&fed(&folder, &["info", "-"], input)).contains("PDB matches DLL"));
    }
    let named = fed(&folder, &["points", "--", "-!lib/net8.0/Ticker.dll"], &package);
    assert!(named.status.success() && text(&named).contains("Clock"), "{named:?}");
    let output = fed(&folder, &["where", "--", "-!lib/net8.0/Ticker.dll", "Clock.Since+15"], &package);
    assert!(output.status.success() && text(&output).contains("Clock.cs:13"), "{output:?}");
    let cut = folder.write("cut.zip", &fs::read(&package).unwrap()[..600]);
    let output = fed(&folder, &["info", "-"], &cut);
    assert!(output.status.code() == Some(1) && stderr(&output).contains("zip archive"), "{output:?}");
}

#[test]
fn questions_and_a_file_cannot_both_be_standard_input() {
    let (folder, image) = (Folder::new(), sample("ticker/Ticker.dll"));
    for (command, question) in [("where", "Clock.Since+15"), ("break", "Clock.cs:13")] {
        let output = fed(&folder, &[command, "-", question], &image);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let tip = format!("tip: save the file, then `pdblens {command} App.dll -`");
        assert!(said.contains("no file is named") && said.contains(&tip), "{said}");
    }
}

#[test]
fn input_that_is_no_file_or_has_no_end_is_refused() {
    let folder = Folder::new();
    let empty = folder.write("empty", "");
    let log = folder.write("log.txt", "one line\n");
    for (input, said) in [(empty, "-: this is an empty file"), (log, "-: this is text")] {
        let output = fed(&folder, &["info", "-"], &input);
        assert!(output.status.code() == Some(1) && stderr(&output).contains(said), "{output:?}");
    }
    #[cfg(unix)]
    for args in [&["info", "-"][..], &["check", "-"], &["decode", "points", "-"]] {
        let output = fed(&folder, args, Path::new("/dev/zero"));
        assert!(output.status.code() == Some(1), "{output:?}");
    }
}

#[test]
fn decode_reads_digits_or_bytes() {
    let folder = Folder::new();
    let wanted = text(&fed(&folder, &["decode", "sint", "7b"], &folder.write("none", "")));
    for content in [&b"7b"[..], b"0x7B\n", b"7b \r\n"] {
        let input = folder.write("input", content);
        assert_eq!(text(&fed(&folder, &["decode", "sint", "-"], &input)), wanted);
    }
    let hex = ["decode", "points", "02", "00", "00", "01", "13", "05", "01", "00", "26", "02", "04"];
    let blob = folder.write("blob", [2, 0, 0, 1, 0x13, 5, 1, 0, 0x26, 2, 4]);
    let found = fed(&folder, &["decode", "points", "-"], &blob);
    assert_eq!((found.status.code(), text(&found)), (Some(0), text(&fed(&folder, &hex, &blob))));
    let output = fed(&folder, &["decode", "points", "-"], &folder.write("bad", "0g"));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(fs::metadata(blob).is_ok());
}

/// A trace needs something to read: an empty input is one only where it is meant.
#[test]
fn an_empty_input_is_refused_where_nothing_was_given() {
    let folder = Folder::new();
    let empty = folder.write("empty", b"");
    let refused = fed(&folder, &["trace"], &empty);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("standard input is empty") && text(&refused).is_empty(), "{}", stderr(&refused));
    let dll = sample("ticker/Ticker.dll");
    for args in [&["trace", "-"][..], &["trace", dll.to_str().unwrap()], &["trace", "--symbols", "."]] {
        assert_eq!(fed(&folder, args, &empty).status.code(), Some(0), "{args:?}");
    }
    for command in ["points", "lines", "methods", "documents"] {
        let refused = fed(&folder, &[command], &empty);
        assert_eq!((refused.status.code(), text(&refused).as_str()), (Some(2), ""), "{command}");
        assert!(stderr(&refused).contains("nothing to open"), "{command}: {}", stderr(&refused));
    }
}
