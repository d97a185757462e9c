//! `dump --text`: the same values as `dump --json`, without what moves from build to build.

use std::process::Command;

use pdblens::nodes::{self, Place};
use pdblens::session::Session;
use serde_json::Value;

use crate::support::samples::{Sample, samples};

fn dump(sample: &Sample, format: &str) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_pdblens")).args(["dump", format]).args(sample.files()).output().unwrap();
    assert!(output.status.success(), "{}: {}", sample.name, String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// Every method with its instructions and points, every table with its rows.
#[test]
fn the_text_has_what_the_json_has() {
    for sample in samples().iter().filter(|sample| !sample.name.starts_with("warehouse")) {
        let (text, json) = (dump(sample, "--text"), dump(sample, "--json"));
        let json: Value = serde_json::from_str(&json).unwrap();
        let json = &json["pairs"][0];
        let sections: Vec<&str> = text.split("\n== ").collect();
        for method in list(json, "methods") {
            let (token, name) = (method["token"].as_str().unwrap(), method["name"].as_str().unwrap());
            let section = sections.iter().find(|section| section.starts_with(&format!("{token} "))).unwrap();
            assert!(section.starts_with(&format!("{token} {name}")), "{}: {name} {section}", sample.name);
            let lines = |part: &str| {
                let of_part = section.lines().skip_while(|line| line.trim_end() != format!("  {part}")).skip(1);
                of_part.take_while(|line| line.starts_with("    ")).count()
            };
            assert_eq!(lines("il"), list(method, "il").len(), "{}: {name}", sample.name);
            assert_eq!(lines("points"), list(method, "points").len(), "{}: {name}", sample.name);
        }
        let session = Session::open(&sample.files()).unwrap();
        let places = nodes::rows(&session, Place::Places).unwrap();
        for place in places.window(0..places.len).filter_map(|row| row.place) {
            let Place::Table(..) = place else { continue };
            let section = sections.iter().find(|section| section.starts_with(&format!("{place}\n"))).unwrap();
            assert_eq!(section.lines().count() - 1, nodes::rows(&session, place).unwrap().len, "{place}");
        }
        assert!(!text.contains('\u{1b}') && text.lines().all(|line| line.trim_end() == line), "{}", sample.name);
    }
}

/// A string that is longer by some bytes moves every heap offset after it, and changes one line of the text.
#[test]
fn a_change_of_a_name_is_a_change_of_its_lines_alone() {
    let folder = crate::support::folder::Folder::new();
    let bytes = std::fs::read(crate::support::samples::repository("assets/samples/ticker/Ticker.dll")).unwrap();
    let mut renamed = bytes.clone();
    let at = bytes.windows(8).position(|window| window == b"started\0").unwrap();
    renamed[at..at + 7].copy_from_slice(b"elapsed");
    let text = |name: &str, bytes: &[u8]| {
        let path = folder.write(name, bytes);
        let output = Command::new(env!("CARGO_BIN_EXE_pdblens")).args(["dump", "--text"]).arg(path).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let (before, after) = (text("A.dll", &bytes), text("B.dll", &renamed));
    let differing =
        before.lines().zip(after.lines()).filter(|(a, b)| a != b && !a.contains("A.dll")).collect::<Vec<_>>();
    assert_eq!(before.lines().count(), after.lines().count());
    let named = |line: &str| line.contains("started") || line.contains("elapsed");
    assert!(!differing.is_empty() && differing.iter().all(|(a, b)| named(a) && named(b)), "{differing:?}");
}

/// Two builds of several files compare: each file is headed by its path in the folder.
#[test]
fn each_of_several_files_has_a_heading() {
    let folder = crate::support::folder::Folder::new();
    for (name, file) in [
        ("old/A.dll", "ticker-embedded/Ticker.dll"),
        ("old/lib/B.dll", "workshop-embedded/Workshop.dll"),
        ("new/A.dll", "ticker-embedded/Ticker.dll"),
        ("new/lib/B.dll", "workshop-embedded/Workshop.dll"),
    ] {
        folder.write(name, std::fs::read(crate::support::samples::repository("assets/samples").join(file)).unwrap());
    }
    let text = |names: &[&str]| {
        let program = Command::new(env!("CARGO_BIN_EXE_pdblens"))
            .args(["dump", "--text"])
            .args(names)
            .current_dir(folder.path())
            .output();
        String::from_utf8(program.unwrap().stdout).unwrap()
    };
    let headings =
        |text: &str| text.lines().filter(|line| line.starts_with("── ")).map(str::to_owned).collect::<Vec<_>>();
    let of_folder = text(&["old"]);
    assert_eq!(headings(&of_folder), ["── A.dll", "── lib/B.dll"]);
    assert!(of_folder == text(&["new"]) && of_folder.starts_with("── A.dll\n"));
    assert_eq!(headings(&text(&["old/A.dll", "new/A.dll"])), ["── old/A.dll", "── new/A.dll"]);
    assert!(headings(&text(&["old/A.dll"])).is_empty());
}
