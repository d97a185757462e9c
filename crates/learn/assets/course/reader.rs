//! A reader of portable PDBs: README.md has the exercises. `rustc reader.rs` compiles it, without any crate.

use std::path::Path;

/// An answer, as JSON text.
type Answer = Result<String, String>;

fn guid(_data: &[u8]) -> Answer {
    // Exercise 1: Ok(format!("{{\"guid\": {:?}}}", "6ba7b811-9dad-11d1-80b4-00c04fd430c8")) is an answer.
    Err("not written yet".into())
}

fn rsds(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn unsigned(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn signed(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn root(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn msf(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn pdb(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn tables(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn points(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn layout(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn documents(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn methods(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn frames(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn bounds(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn symbols(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn mdb(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn c13(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn program(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

fn addresses(_data: &[u8]) -> Answer {
    Err("not written yet".into())
}

/// Text as JSON.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}

fn main() {
    let mut answers = Vec::new();
    for file in std::env::args().skip(1) {
        let path = Path::new(&file);
        let name = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let exercise = name(path.parent().and_then(Path::file_name));
        let read: fn(&[u8]) -> Answer = match exercise.as_str() {
            "guid" => guid,
            "rsds" => rsds,
            "unsigned" => unsigned,
            "signed" => signed,
            "root" => root,
            "msf" => msf,
            "pdb" => pdb,
            "tables" => tables,
            "points" => points,
            "layout" => layout,
            "documents" => documents,
            "methods" => methods,
            "frames" => frames,
            "bounds" => bounds,
            "symbols" => symbols,
            "mdb" => mdb,
            "c13" => c13,
            "program" => program,
            "addresses" => addresses,
            _ => continue,
        };
        let data = std::fs::read(path).expect("the input is a file");
        let answer = read(&data).unwrap_or_else(|error| format!("{{\"error\": {}}}", quoted(&error)));
        answers.push(format!("{}: {answer}", quoted(&format!("{exercise}/{}", name(path.file_stem())))));
    }
    println!("{{{}}}", answers.join(",\n"));
}
