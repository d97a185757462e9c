//! The examples, run on the samples as they are without arguments.

#[path = "../../examples/dump_points.rs"]
mod dump_points;
#[path = "../../examples/explain_mismatch.rs"]
mod explain_mismatch;
#[path = "../../examples/line_of_offset.rs"]
mod line_of_offset;
#[path = "../../examples/resolve_trace.rs"]
mod resolve_trace;

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
fn line_of_offset_finds_the_line() {
    let text = printed(line_of_offset::run);
    assert!(text.contains("Clock.Since(long) +0x2 is ") && text.ends_with("Clock.cs:11\n"), "{text}");
}

#[test]
fn dump_points_prints_all_points() {
    let text = printed(dump_points::run);
    assert!(text.lines().count() > 10 && text.contains("0x06000003  IL_0001  11:13–11:29"), "{text}");
    assert!(text.contains("hidden"), "{text}");
}

#[test]
fn explain_mismatch_names_both_ids() {
    let text = printed(explain_mismatch::run);
    assert!(text.starts_with("✗ PDB") && text.lines().count() > 1, "{text}");
}

#[test]
fn resolve_trace_adds_lines() {
    let text = printed(resolve_trace::run);
    assert!(text.contains(":line ") && text.contains("north is full"), "{text}");
}
