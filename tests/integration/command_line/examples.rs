//! The examples, run on the samples as they are without arguments.

#[path = "../../examples/documents.rs"]
mod documents;
#[path = "../../examples/line_table.rs"]
mod line_table;
#[path = "../../examples/symbolicate.rs"]
mod symbolicate;

use std::error::Error;
use std::io::Write;

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
    assert!(text.lines().count() == 21 && text.contains("no hash"), "{text}");
    assert!(text.ends_with("}\n\n") && text.contains(r#"{"documents":{"/_/*""#), "{text}");
}

#[test]
fn line_tables_are_in_the_order_of_the_methods() {
    let text = printed(line_table::run);
    let tokens: Vec<&str> = text.lines().filter_map(|line| line.split("  ").next()).collect();
    assert!(tokens.is_sorted() && tokens.len() == 19, "{text}");
    assert!(text.contains("0x06000003  IL_0001  /_/ticker/Clock.cs:11\n") && text.contains("IL_0013  hidden"), "{text}");
}

#[test]
fn addresses_have_inlined_calls_first() {
    let text = printed(symbolicate::run);
    let inlined = "  parcel::postage  /src/parcel-cpp/./shapes.h:79\n  parcel::weigh  /src/parcel-cpp/box.cpp:17\n";
    assert_eq!(text, format!("parcel.exe+0x1072\n{inlined}parcel.exe+0x59999\n  no function\n"));
}
