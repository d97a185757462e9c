//! `points`, `lines`, `methods` and `documents`: rows for databases, and the questions of docs/queries.md.

use pdblens::formats::pdb::ModuleStream;
use pdblens::nodes::function::NativeView;
use pdblens::session::Session;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::samples::repository;

fn run(folder: &Path, args: &[&str]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pdblens")).args(args).current_dir(folder).output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    (output, text)
}

/// Rows of JSON lines.
fn objects(args: &[&str]) -> Vec<BTreeMap<String, Value>> {
    let (output, text) = run(&repository("assets/samples"), args);
    let code = if text.is_empty() { 3 } else { 0 };
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The members of `dump` that a row has too.
#[test]
fn points_are_those_of_the_dump() {
    for sample in ["workshop-release/Workshop.dll", "ticker-windows/Ticker.dll", "ticker-mono/Ticker.exe"] {
        let (_, text) = run(&repository("assets/samples"), &["dump", sample]);
        let dump = &serde_json::from_str::<Value>(&text).unwrap()["pairs"][0];
        let mut rows = objects(&["points", "--jsonl", sample]).into_iter();
        let document = |row: u64| dump["documents"][row as usize - 1]["name"].clone();
        for method in dump["methods"].as_array().unwrap() {
            for point in method["points"].as_array().unwrap() {
                let row = rows.next().unwrap();
                assert_eq!((&row["token"], &row["full_name"]), (&method["token"], &method["full_name"]));
                for member in ["il", "hidden", "start_line", "end_line"] {
                    assert_eq!(row[member], point[member], "{sample} {member}");
                }
                assert_eq!(row["document"], document(point["document"].as_u64().unwrap()));
                assert_eq!(row["mvid"], dump["image"]["mvid"]);
                assert_eq!(row["pdb_id"], dump["pdb"]["guid"]);
            }
        }
        assert!(rows.next().is_none());
    }
}

#[test]
fn lines_of_native_code_are_those_of_the_dump() {
    let (_, text) = run(&repository("assets/samples"), &["dump", "native/tally.exe"]);
    let dump = &serde_json::from_str::<Value>(&text).unwrap()["pairs"][0];
    let count = |function: &Value| function["lines"].as_array().unwrap().len();
    let lines: usize = dump["functions"].as_array().unwrap().iter().map(count).sum();
    let rows = objects(&["lines", "--jsonl", "native/tally.exe"]);
    assert_eq!(rows.len(), lines);
    assert!(rows.iter().any(|row| row["name"] == "add" && row["document"].as_str().unwrap().contains("tally")));
    let (output, text) = run(&repository("assets/samples"), &["points", "--jsonl", "native/tally.exe"]);
    assert_eq!((output.status.code(), text.as_str()), (Some(3), ""));
}

#[test]
fn every_row_has_a_value_for_each_column_in_both_forms() {
    for command in ["points", "lines", "methods", "documents"] {
        for sample in ["ticker", "native", "ticker-mono", "shapes-embedded"] {
            let (output, text) = run(&repository("assets/samples"), &[command, sample]);
            // A head without rows is no answer.
            let code = if text.lines().count() == 1 { 3 } else { 0 };
            assert_eq!(output.status.code(), Some(code), "{command} {sample}");
            let mut lines = text.lines();
            let heads: Vec<&str> = lines.next().unwrap().split('\t').collect();
            let rows = objects(&[command, "--jsonl", sample]);
            assert_eq!(lines.clone().count(), rows.len());
            for (line, row) in lines.zip(rows) {
                let cells: Vec<&str> = line.split('\t').collect();
                assert_eq!((cells.len(), row.len()), (heads.len(), heads.len()), "{line}");
                for (head, cell) in heads.iter().zip(cells) {
                    let text = match &row[*head] {
                        Value::Null => String::new(),
                        Value::Bool(flag) => u8::from(*flag).to_string(),
                        Value::String(text) => text.clone(),
                        other => other.to_string(),
                    };
                    assert_eq!(cell, text, "{command} {sample} {head}");
                }
            }
        }
    }
}

/// A file that cannot be read is reported, and the others are listed in their order.
#[test]
fn rows_of_many_files_come_in_their_order() {
    let folder = Folder::new();
    let samples = repository("assets/samples");
    for (to, from) in [("b/Ticker", "ticker/Ticker"), ("c/Ticker", "ticker-release/Ticker")] {
        for extension in [".dll", ".pdb"] {
            folder
                .write(&format!("{to}{extension}"), std::fs::read(samples.join(format!("{from}{extension}"))).unwrap());
        }
    }
    let alone = |name: &str| run(folder.path(), &["points", name]).1;
    let (output, both) = run(folder.path(), &["points", "."]);
    assert_eq!(output.status.code(), Some(0));
    let rows = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&both), [rows(&alone("b/Ticker.dll")), rows(&alone("c/Ticker.dll"))].concat());
    folder.write("a/Broken.dll", b"MZ");
    let (output, text) = run(folder.path(), &["points", "."]);
    assert_eq!((output.status.code(), text), (Some(1), both));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Broken.dll"));
    folder.write("readme.txt", b"");
    assert_eq!(run(folder.path(), &["points"]).0.status.code(), Some(2));
}

/// Runs the `sh` blocks of docs/queries.md in turn, and compares with the `text` blocks after them.
#[test]
fn the_questions_of_the_documentation_have_their_answers() {
    if !cfg!(unix) || Command::new("sqlite3").arg("--version").output().is_err() {
        eprintln!("sqlite3 is not installed: the questions of docs/queries.md are not asked");
        return;
    }
    let (folder, text) = (Folder::new(), std::fs::read_to_string(repository("docs/queries.md")).unwrap());
    let path = Path::new(env!("CARGO_BIN_EXE_pdblens")).parent().unwrap().to_owned();
    let path = format!("{}:{}", path.display(), std::env::var("PATH").unwrap());
    let prepare = format!("ln -s '{}' assets", repository("assets").display());
    assert!(Command::new("sh").args(["-c", &prepare]).current_dir(folder.path()).status().unwrap().success());
    let mut asked = 0;
    for block in text.split("```sh\n").skip(1) {
        let (script, after) = block.split_once("```").unwrap();
        let output = Command::new("sh").args(["-ec", script]).current_dir(folder.path()).env("PATH", &path).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{script}: {said}");
        let expected = after.trim_start().strip_prefix("```text\n").and_then(|text| text.split_once("```"));
        if let Some((expected, _)) = expected {
            asked += 1;
            let found = String::from_utf8(output.stdout).unwrap();
            let lines = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
            assert_eq!(lines(&found), lines(expected), "{script}");
        }
    }
    assert_eq!(asked, 5);
}

/// Folded functions, code of several sections, and PDBs of two linkers.
#[test]
fn every_line_record_is_a_row_of_its_own_address() {
    for name in ["native/tally", "parcel-optimized/parcel", "parcel-x86/parcel", "parcel-lto/parcel", "sorter/sorter"] {
        let pdb = repository(&format!("assets/samples/{name}.pdb"));
        let session = Session::open(&[pdb]).unwrap();
        let native = NativeView::of(&session).unwrap();
        let view = native.view;
        let of_module = |number: u32| ModuleStream::read_once(view.pdb, view.spaces, number).unwrap();
        let records = (0..view.pdb.modules().len() as u32).filter_map(of_module).map(|module| module.lines().0.len());
        let rows = objects(&["lines", "--jsonl", &format!("{name}.pdb")]);
        assert_eq!(rows.len(), records.sum::<usize>(), "{name}");
        for row in &rows {
            let rva = u32::from_str_radix(row["address"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
            let (Some(function), Some(found)) = (row["name"].as_str(), native.function_at(rva)) else {
                assert!(row["name"].is_null() && row["offset"].is_null(), "{name}: {row:?}");
                continue;
            };
            assert_eq!(u64::from(rva - native.rva_of(&found).unwrap()), row["offset"].as_u64().unwrap(), "{function}");
        }
    }
}
