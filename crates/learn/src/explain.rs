//! Explanations of what a person types: a paragraph of a specification, an address, a number that asks why, a line.

use super::about::{Explanation, Section, about};
use super::codec::{CODECS, Codec, parse_hex};
use super::errata::errata;
use super::headings::{self, Heading};
use super::names;
use super::reading;
use pdblens_nodes::{self as nodes, Place, document};
use pdblens_query::address::line_query;
use pdblens_query::ask::{Here, ask, line_of};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::spaced_hex;

const MAX_DOCUMENTS: u32 = 200;
const MAX_LINES: usize = 8;
/// Pasted bytes that are decoded, at least: one is a number of any kind.
const MIN_BYTES: usize = 2;
/// Pasted bytes in the title at most.
const MAX_BYTES: usize = 16;

/// Explanation of a text that is no term; `None` where it is nothing that is known.
pub fn explain(session: &Session, text: &str) -> Option<Explanation> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("errata") {
        return Some(errata(session));
    }
    if let Some(heading) = headings::find(text) {
        return Some(of_heading(heading));
    }
    if let Some(number) = text.strip_prefix("why ") {
        return derivation(number.trim());
    }
    if let Some(line) = text.strip_prefix("line ") {
        return of_line(session, line.trim().parse().ok()?);
    }
    if let Some(found) = names::of_name(text) {
        return Some(found);
    }
    let Ok((place, said)) = ask(session, text, Here::default()) else {
        return of_bytes(text).or_else(|| names::of_field(text));
    };
    let fields = nodes::fields(session, place).or_else(|| nodes::summary(session, place));
    let mut found = about(session, place, fields.as_ref(), None);
    if !said.is_empty() {
        found.sections.insert(0, Section { heading: "answer", lines: vec![said] });
    }
    found.sections.insert(0, Section { heading: "place", lines: vec![place.to_string()] });
    found.to = Some(place);
    Some(found)
}

fn of_heading(heading: Heading) -> Explanation {
    let title = match heading.number {
        "" => heading.citation(),
        _ => format!("{}  {}", heading.citation(), heading.title),
    };
    let terms: Vec<String> = heading.terms().map(|term| format!("{}\t{}", term.term, term.meaning)).collect();
    let sections = if terms.is_empty() { Vec::new() } else { vec![Section { heading: "terms", lines: terms }] };
    Explanation { title, sections, to: None }
}

/// Bytes of a number as a compressed integer, and the way back from them.
fn derivation(number: &str) -> Option<Explanation> {
    let forms = [("sint", "signed compressed integer"), ("uint", "unsigned compressed integer")];
    let section = |(kind, heading): (&str, &'static str)| {
        let codec = Codec::named(kind)?;
        let bytes = codec.encode(number).ok()?;
        let steps = codec.decode(&bytes).steps;
        let step = steps.reads().next()?;
        let rows = reading(step).unwrap_or_default().lines();
        let lines = std::iter::once(format!("bytes\t{}", spaced_hex(&bytes, 4))).chain(rows).collect();
        Some(Section { heading, lines })
    };
    let sections: Vec<Section> = forms.into_iter().filter_map(section).collect();
    (!sections.is_empty()).then(|| Explanation { title: format!("{number} in bytes"), sections, to: None })
}

/// Text of pasted bytes, as each kind of record that they are one of without a violation.
fn of_bytes(text: &str) -> Option<Explanation> {
    let bytes = parse_hex(text).ok().filter(|bytes| bytes.len() >= MIN_BYTES)?;
    let section = |codec: &&Codec| {
        let found = codec.decode(&bytes);
        let lines: Vec<String> = found.text.ok()?.lines().take(MAX_LINES).map(str::to_owned).collect();
        (found.violations.is_empty() && !lines.is_empty()).then_some(Section { heading: codec.name, lines })
    };
    let sections: Vec<Section> = CODECS.iter().filter_map(section).collect();
    (!sections.is_empty()).then(|| Explanation { title: spaced_hex(&bytes, MAX_BYTES), sections, to: None })
}

/// Documents that have code on a line, and the place of that code.
fn of_line(session: &Session, line: u32) -> Option<Explanation> {
    let documents = (1..=MAX_DOCUMENTS).map_while(|row| Some((row, document::name(session, row)?)));
    let place = |(_, name): (u32, String)| {
        let (place, said) = line_of(session, &line_query(session, &name, line, None).ok()?);
        place.code_unit().map(|_| (place, format!("{}:{line}\t{place}  {said}", file_name(&name))))
    };
    let found: Vec<(Place, String)> = documents.filter_map(place).take(MAX_LINES).collect();
    let to = found.first().map(|(place, _)| *place)?;
    let lines = found.into_iter().map(|(_, line)| line.trim_end().to_owned()).collect();
    Some(Explanation {
        title: format!("line {line}"),
        sections: vec![Section { heading: "code", lines }],
        to: Some(to),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text of an explanation; empty for none.
    fn text(typed: &str) -> String {
        let Some(found) = explain(&Session::sample(), typed) else { return String::new() };
        let lines = found.sections.iter().flat_map(|section| &section.lines);
        let headings = found.sections.iter().map(|section| section.heading.to_owned()).collect::<Vec<_>>();
        headings.iter().chain([&found.title]).chain(lines).cloned().collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn paragraphs_addresses_lines_and_numbers_are_explained() {
        for (typed, parts) in [
            ("II.23.2", &["Blobs and signatures", "compressed integer\t"][..]),
            ("#b5", &["pdb/heap/blob/0xb5"]),
            ("why -5", &["bytes\t77", "rotated right", "= -5"]),
            ("030000010a09010010020806001c020004002102000d00010279", &["IL_000b 13:13-13:46"]),
            ("why 200", &["bytes\t81 90", "bytes\t80 c8"]),
            ("line 11", &["Program.cs:11\tmethod/0x06000001/points/2", "Clock.cs:11"]),
            ("ldloc.0", &["IL instruction", "code\t06"]),
            ("s_gproc32", &["S_GPROC32", "kind\t0x1110"]),
            ("DEBUG_S_LINES", &["debug subsection", "kind\t0x00f2"]),
            ("page count", &["The number of pages in the file", "of Ticker (Windows PDB)\theader"]),
            ("errata", &["the other way round", "the local signature"]),
            ("Since+2", &["method/0x06000003"]),
        ] {
            let text = text(typed);
            assert!(parts.iter().all(|part| text.contains(part)), "{typed}: {text}");
        }
        assert_eq!(["line 4711", "why not", "nonsense"].map(text), [""; 3]);
    }
}
