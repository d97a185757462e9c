//! The examples, run on the samples as they are without arguments.

#[allow(dead_code)] // Its `main`.
#[path = "../../../examples/documents.rs"]
mod documents;
#[allow(dead_code)] // Its `main`.
#[path = "../../../examples/gate.rs"]
mod gate;
#[allow(dead_code)] // Its `main`.
#[path = "../../../examples/points.rs"]
mod points;
#[allow(dead_code)] // Its `main`.
#[path = "../../../examples/service.rs"]
mod service;

use std::error::Error;
use std::io::Write;

use crate::support::samples::repository;

type Run = fn(&[String], &mut dyn Write) -> Result<(), Box<dyn Error>>;

/// Output of an example without arguments.
fn printed(run: Run) -> String {
    let mut out = Vec::new();
    run(&[], &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn documents_have_their_hash_and_url() {
    let text = printed(documents::run);
    let hash = "2ea231abea983b5114837d83448fc8c280205e6abc76177d1c78f9a8753c5d5b";
    let url = "https://example.com/pdblens/samples/workshop/Program.cs";
    assert!(text.contains(&format!("/_/workshop/Program.cs  SHA-256 {hash}\n  {url}\n")), "{text}");
    assert!(text.lines().count() == 22 && text.contains("no hash"), "{text}");
    assert!(text.ends_with("}\n\n") && text.contains(r#"{"documents":{"/_/*""#), "{text}");
}

#[test]
fn line_tables_are_in_the_order_of_the_methods() {
    let text = printed(points::run);
    let tokens: Vec<&str> = text.lines().filter_map(|line| line.split("  ").next()).collect();
    assert!(tokens.is_sorted() && tokens.len() == 19, "{text}");
    assert!(
        text.contains("0x06000003  IL_0001  /_/ticker/Clock.cs:11\n") && text.contains("IL_0013  hidden"),
        "{text}"
    );
}

#[test]
fn addresses_have_inlined_calls_first() {
    let text = printed(service::run);
    let clock = "Ticker.dll 0x06000003+0xf\n  Ticker.Clock.Since(long)  /_/ticker/Clock.cs:13\n";
    let inlined = "  parcel::postage  /src/parcel-cpp/./shapes.h:79\n  parcel::weigh  /src/parcel-cpp/box.cpp:17\n";
    let code = format!("{clock}parcel.exe 0x1072\n{inlined}parcel.exe 0x59999\n  no code\nNone.dll 0x1\n");
    let rest = text.strip_prefix(&code).unwrap_or_else(|| panic!("{text}"));
    assert!(rest.contains("no such file") && rest.lines().count() == 1, "{rest}");
}

#[test]
fn a_gate_fails_for_what_it_denies() {
    let mut out = Vec::new();
    assert_eq!(gate::run(&["no/such.dll".to_owned()], &mut out).unwrap() + gate::run(&[], &mut out).unwrap(), 2);
    let text = String::from_utf8(out).unwrap();
    for found in ["no/such.dll: ", "ticker-windows/Ticker.dll: pdb-format: ", "/ticker/Ticker.dll: source-link: "] {
        assert!(text.contains(found), "{found}: {text}");
    }
    assert!(!text.contains(": paths: "), "{text}");
    let strong = repository("assets/samples/workshop/Workshop.dll").display().to_string();
    assert_eq!(gate::run(&[strong], &mut Vec::new()).unwrap(), 0);
}

/// `docs/library.md` has the programs as they are: `DOCS_UPDATE=1` writes them.
#[test]
fn the_documentation_has_the_programs() {
    let path = repository("docs/library.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut parts = text.split("```rust\n");
    let mut written = parts.next().unwrap().to_owned();
    let mut number = 0;
    for (part, name) in parts.zip(["service", "points", "gate"]) {
        let program = std::fs::read_to_string(repository(&format!("examples/{name}.rs"))).unwrap();
        // The programs have fences in their comments.
        let (_, rest) = part.split_once("\n```\n").unwrap();
        written.extend(["```rust\n", program.as_str(), "```\n", rest]);
        number += 1;
    }
    assert_eq!(number, 3);
    if std::env::var_os("DOCS_UPDATE").is_some() {
        std::fs::write(path, written).unwrap();
    } else {
        assert_eq!(text, written, "DOCS_UPDATE=1 writes the programs");
    }
}
