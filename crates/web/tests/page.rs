//! The module in Node against the same code on this machine, cell by cell; the page in Chromium.
//!
//! `PDBLENS_PAGE` names the folder that `scripts/page.sh` made; without it, without Node or Chromium, a test says that it is skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use pdblens_testing::browser;
use pdblens_testing::folder::Folder;
use pdblens_testing::samples::repository;
use pdblens_web::{Screen, answer};
use serde_json::{Value, json};

struct Case {
    name: &'static str,
    /// Files of the samples that the page has.
    files: &'static [&'static str],
    at: Option<&'static str>,
    keys: &'static str,
    size: (u16, u16),
}

const TICKER: &[&str] = &["ticker/Ticker.dll", "ticker/Ticker.pdb"];
const NATIVE: &[&str] = &["native/tally.exe", "native/tally.pdb"];

/// A view or an overlay each, of managed and native files and at several sizes.
const CASES: &[Case] = &[
    Case { name: "sample", files: &[], at: None, keys: "", size: (120, 40) },
    Case { name: "summary", files: TICKER, at: None, keys: "1", size: (120, 40) },
    Case { name: "file", files: TICKER, at: None, keys: "2", size: (120, 40) },
    Case { name: "code", files: TICKER, at: Some("Clock.Since"), keys: "", size: (120, 40) },
    Case { name: "code-small", files: TICKER, at: Some("Clock.Since"), keys: "", size: (80, 24) },
    Case { name: "code-large", files: TICKER, at: Some("Clock.Since"), keys: "ArrowDown ArrowDown", size: (200, 50) },
    Case { name: "row", files: TICKER, at: Some("table/Document/1"), keys: "", size: (120, 40) },
    Case { name: "points", files: TICKER, at: Some("method/0x06000002/points"), keys: ".", size: (120, 40) },
    Case { name: "help", files: TICKER, at: None, keys: "?", size: (120, 40) },
    Case { name: "ask", files: TICKER, at: None, keys: "o S i n c e", size: (120, 40) },
    Case { name: "filter", files: TICKER, at: Some("Clock.Since"), keys: "/ r e t u r n Enter", size: (120, 40) },
    Case { name: "image-alone", files: &["ticker/Ticker.dll"], at: None, keys: "", size: (120, 40) },
    Case { name: "pdb-alone", files: &["ticker/Ticker.pdb"], at: None, keys: "2", size: (120, 40) },
    Case {
        name: "windows",
        files: &["workshop-windows/Workshop.dll", "workshop-windows/Workshop.pdb"],
        at: None,
        keys: "2",
        size: (120, 40),
    },
    Case { name: "native", files: NATIVE, at: None, keys: "", size: (120, 40) },
    Case { name: "native-function", files: NATIVE, at: Some("main"), keys: "", size: (120, 40) },
    Case { name: "native-small", files: NATIVE, at: Some("main"), keys: "", size: (80, 24) },
    Case {
        name: "mono",
        files: &["ticker-mono/Ticker.exe", "ticker-mono/Ticker.exe.mdb"],
        at: None,
        keys: "",
        size: (120, 40),
    },
    Case { name: "faults", files: &["faults/Faults.dll", "faults/Faults.pdb"], at: None, keys: "!", size: (120, 40) },
    Case {
        name: "embedded",
        files: &["ticker-embedded/Ticker.dll"],
        at: Some("Clock.Since"),
        keys: "",
        size: (120, 40),
    },
];

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

/// The requests of a case, whose files are in a folder of its name below the current one.
fn requests(case: &Case) -> Vec<Value> {
    let files: Vec<PathBuf> = case.files.iter().map(|file| Path::new(case.name).join(name_of(file))).collect();
    let start = json!({ "files": files, "at": case.at, "theme": "dark", "columns": case.size.0, "rows": case.size.1 });
    let keys = case.keys.split_whitespace();
    let key = |key| json!({ "key": { "key": key, "shift": false, "ctrl": false, "alt": false } });
    std::iter::once(json!({ "start": start })).chain(keys.map(key)).collect()
}

/// The cells of the last frame, as this machine draws them.
fn expected(requests: &[Value]) -> Vec<u8> {
    let (mut screen, mut frame): (Option<Screen>, _) = (None, Vec::new());
    let mut ask = |request: &Value| {
        let bytes = answer(&mut screen, &serde_json::to_vec(request).unwrap()).unwrap();
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        let reply: Value = serde_json::from_slice(&bytes[..end]).unwrap();
        if !reply["frame"].is_null() {
            frame = bytes[end + 1..].to_vec();
        }
        reply["works"] == true
    };
    for request in requests {
        let mut works = ask(request);
        while works {
            works = ask(&json!("work"));
        }
    }
    frame
}

/// The symbols of cells, a line a row.
fn text(cells: &[u8], columns: u16) -> Vec<String> {
    let (mut rest, mut symbols) = (cells, Vec::new());
    while let Some((head, tail)) = rest.split_first_chunk::<11>() {
        let (symbol, after) = tail.split_at(head[10].into());
        symbols.push(String::from_utf8_lossy(symbol).into_owned());
        rest = after;
    }
    symbols.chunks(columns.into()).map(|row| row.concat().trim_end().to_owned()).collect()
}

/// The folder of the page; `None`, with a sentence, where it or Node is not here.
fn page() -> Option<PathBuf> {
    let page = std::env::var_os("PDBLENS_PAGE").map(PathBuf::from);
    let Some(page) = page.filter(|page| page.join("pdblens.wasm").exists()) else {
        println!("skipped: PDBLENS_PAGE names no page (scripts/page.sh DIR makes one)");
        return None;
    };
    if Command::new("node").arg("--version").output().is_err() {
        println!("skipped: there is no Node");
        return None;
    }
    Some(page)
}

/// Runs a script of the tests in Node, and prints what it says.
fn node(script: &str, arguments: &[Option<&Path>]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(script);
    let output = Command::new("node").arg(&script).args(arguments.iter().flatten()).output().unwrap();
    println!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_visitor_uses_the_page_in_chromium() {
    let Some(page) = page() else { return };
    let Some(chromium) = browser::chromium() else { return };
    let pictures = repository("screenshots");
    let samples = repository("assets/samples");
    // Other fonts make other pictures: they are only written where that is asked for.
    let pictures = std::env::var_os("PDBLENS_PICTURES").map(|_| pictures.as_path());
    node("browser.mjs", &[Some(&page), Some(&samples), Some(&chromium), pictures]);
}

#[test]
fn an_editor_of_vs_code_has_the_page() {
    let Some(page) = page() else { return };
    let (extension, samples) = (repository("editors/vscode"), repository("assets/samples"));
    let chromium = browser::chromium();
    node("extension.mjs", &[Some(extension.as_path()), Some(&page), Some(&samples), chromium.as_deref()]);
}

#[test]
fn the_page_draws_what_the_terminal_draws() {
    let Some(page) = page() else { return };
    let inside =
        |case: &Case, file: &str| (format!("{}/{}", case.name, name_of(file)), repository("assets/samples").join(file));
    let asked: Vec<Value> = CASES
        .iter()
        .map(|case| {
            let files: Vec<(String, PathBuf)> = case.files.iter().map(|file| inside(case, file)).collect();
            json!({ "name": case.name, "files": files, "requests": requests(case) })
        })
        .collect();
    let out = Folder::new();
    let cases = out.write("cases.json", serde_json::to_vec(&asked).unwrap());
    node("module.mjs", &[Some(&page), Some(&cases), Some(out.path())]);
    let mut differ = Vec::new();
    for case in CASES {
        let drawn = std::fs::read(out.path().join(format!("{}.cells", case.name))).unwrap();
        // On this machine the files lie as the page has them, below the current folder.
        let here = Folder::new();
        for (path, from) in case.files.iter().map(|file| inside(case, file)) {
            here.write(&path, std::fs::read(from).unwrap());
        }
        std::env::set_current_dir(here.path()).unwrap();
        let wanted = expected(&requests(case));
        let [drawn_text, wanted_text] = [&drawn, &wanted].map(|cells| text(cells, case.size.0));
        if drawn != wanted {
            let lines = drawn_text.iter().zip(&wanted_text).filter(|(a, b)| a != b);
            let lines: Vec<String> = lines.map(|(a, b)| format!("  page {a}\n  here {b}")).collect();
            differ.push(format!("{}:\n{}", case.name, lines.join("\n")));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
