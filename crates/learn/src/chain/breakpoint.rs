//! A line of a document to the code that a breakpoint binds to.

use super::{Chain, line_of};
use crate::Steps;
use pdblens_nodes::{Place, code_unit, document};
use pdblens_query::breakpoint::{Breakpoint, LineQuery};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

const MAX_METHODS: usize = 20;

/// Steps of a breakpoint: line → document → methods → point → range of IL.
pub fn breakpoint(session: &Session, query: &LineQuery, found: &Breakpoint) -> Steps {
    let document = query.documents.first().copied().unwrap_or_default();
    let path = document::name(session, document).unwrap_or_default();
    let mut chain = Chain::new(session, format!("break {path}:{}", query.line));
    for row in &query.documents {
        let name = document::name(session, *row).unwrap_or_default();
        let about = "A breakpoint names a file: the document with that path, or its end.";
        chain.find("document", format!("#{row}"), Place::Document(*row), about).mean(name);
    }
    if let Some(note) = query.folder_note(session) {
        let about = "The path is one of another machine: the document with the longest common end is meant.";
        chain.step("folder", note, about);
    }
    let (methods, points) = found.scanned;
    let about = "No table leads from a line to its code: the points of every method are read, and those of the document are kept.";
    let points = format!("with code in the document: {}", count(points as u64, "point"));
    chain.step("scan", count(methods as u64, "method"), about).mean(points);
    let about = "Points whose lines hold the line, in every method that has points in the document.";
    let units = found.hits.chunk_by(|a, b| a.of == b.of);
    let methods = units.clone().count() as u64;
    chain.step("line", query.line, about).mean(count(methods, "method"));
    if found.line != query.line {
        let text = if found.line == 0 { "none".to_owned() } else { found.line.to_string() };
        chain.step(
            "next line with code",
            text,
            "No point holds the line: a debugger moves on to the next line that has code.",
        );
    }
    for hits in units.take(MAX_METHODS) {
        let Some(hit) = hits.iter().find(|hit| hit.binds).or_else(|| hits.first()) else { continue };
        let name = code_unit::name(session, hit.of);
        let about = "One method with code for the line; a lambda, an initialiser or an iterator adds others.";
        chain.step("method", hit.of, about).to(hit.of.place()).mean(name);
        let (range, _) = line_of(&hit.point);
        let about =
            "The first point that begins on the line; where a statement only passes through, the innermost one.";
        let points = count(hits.len() as u64, "point");
        let meaning =
            format!("{range}, of {points} on the line; {}", if hit.binds { "binds" } else { "does not bind" });
        chain.find("point", format!("point {}", hit.number), hit.place(), about).mean(meaning);
        let label = |offset: u32| hit.of.label(offset.into());
        let code = format!("{}..{} (end exclusive)", label(hit.range.start), label(hit.range.end));
        let about = "The breakpoint is set at the first instruction; the end of the range is exclusive.";
        chain.find("code", code, hit.of.code(hit.range.start), about);
        chain.jit(hit.of);
    }
    chain.done()
}
