//! `pdblens show FILE… PLACE --steps`

mod document;

pub(super) use self::document::{ChainsDocument, ChainsPair, StepJson, StepsDocument};
use super::Error;
use super::json::write;
use super::output::Out;
use super::show_at::marked_name;
use crate::learn::failure::WrongReads;
use crate::learn::{self, Reading, Steps, chain, paragraph};
use crate::nodes::fields::{BitMeaning, FieldRow};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::nodes::{self, Place};
use crate::query::owner::RecordAt;
use crate::session::Session;
use crate::symbols::SymbolReader;
use crate::text::safe::{count, spaced_hex};

/// Prints the steps of the record at `place`: one line a read, or with derivation and reason below it.
pub(super) fn print(
    out: &mut Out,
    session: &Session,
    place: Place,
    at: Option<&RecordAt>,
    steps: &Steps,
    explain: bool,
) -> Result<(), Error> {
    let span = nodes::span_text(session, steps.span);
    out.parts(&[(&steps.title, Tone::Strong), ("  ", Tone::Text), (&span, Tone::Dim)])?;
    if explain {
        explained(out, |record| paragraph(place, record), steps)?;
    } else {
        out.table(&rows(steps, at))?;
    }
    if let Some(error) = &steps.error {
        out.prose(&[("✗ ", Tone::Bad)], &[(&session.spaces().error_text(error), Tone::Bad)])?;
        if let Some(failure) = steps.failure() {
            out.prose(&[("  ", Tone::Text)], &[(&failure.text(), Tone::Text)])?;
        }
    }
    Ok(())
}

pub(super) fn print_chains(out: &mut Out, session: &Session, chains: &[Steps], json: bool) -> Result<(), Error> {
    if json {
        return Ok(write(out, &ChainsDocument::of(session, chains))?);
    }
    for (index, steps) in chains.iter().enumerate() {
        if index > 0 {
            out.line("")?;
        }
        out.parts(&[(&steps.title, Tone::Strong)])?;
        out.table(&chain_rows(session, steps))?;
    }
    Ok(())
}

/// Chains of the documents to their sources, by Source Link and by srcsrv; an error where there are none.
pub(super) fn mappings(session: &Session) -> Result<Vec<Steps>, Error> {
    let documents = session.symbols().map_or(0, SymbolReader::documents);
    let of = |row| [chain::source_link(session, row), chain::srcsrv(session, row)];
    let chains: Vec<_> = (1..=documents).flat_map(of).flatten().collect();
    if chains.is_empty() {
        let what = "the symbols have neither a Source Link map nor a srcsrv stream, which would map documents";
        return Err(Error::NoAnswer(what.to_owned()));
    }
    Ok(chains)
}

fn chain_rows(session: &Session, steps: &Steps) -> Rows<'static> {
    let columns = Head::list(["#:", "step", "value", "meaning", "bytes"]);
    let rows = steps.list.iter().map(|step| {
        let field = &step.field;
        let mark = if field.is_derived() { "derived" } else { "" };
        let at = if field.span.is_empty() { mark.to_owned() } else { nodes::span_text(session, field.span) };
        let cells = vec![
            Cell::toned(step.number.to_string(), Tone::Dim),
            Cell::new(field.name.clone()),
            Cell { to: field.to, ..Cell::toned(field.value.clone(), Tone::Strong) },
            Cell::new(field.meaning.clone()),
            Cell::toned(at, Tone::Dim).beside(spaced_hex(&step.bytes, 6)),
        ];
        Row { span: Some(field.span), depth: field.depth, cells, ..Row::default() }
    });
    Rows::of(steps.title.clone(), columns, rows.collect())
}

/// Prints the reads at fault, marked, and those before them.
pub(super) fn print_wrong(out: &mut Out, found: &WrongReads) -> Result<(), Error> {
    let reads = found.steps.reads().count();
    out.parts(&[("   ", Tone::Text), (&format!("{}: {}", found.place, count(reads as u64, "read")), Tone::Dim)])?;
    for step in found.shown() {
        let wrong = found.is_wrong(step);
        let field = &step.field;
        let text = format!(
            "{:>4}  {:#x}  {}  {} = {}  {}",
            step.number,
            field.span.start,
            spaced_hex(&step.bytes, 8),
            field.name,
            field.stored_and_decoded(),
            if field.changes.is_empty() { field.meaning.clone() } else { step.changes_text().join("; ") },
        );
        let tone = if wrong { Tone::Bad } else { Tone::Text };
        out.parts(&[(if wrong { "   ▶" } else { "    " }, tone), (text.trim_end(), tone)])?;
    }
    if let Some(missing) = found.missing() {
        out.parts(&[("   ▶  ", Tone::Bad), (&missing.text(), Tone::Bad)])?;
    }
    Ok(())
}

/// Steps as a table, those of `at` marked.
pub(super) fn rows(steps: &Steps, at: Option<&RecordAt>) -> Rows<'static> {
    let has_state = steps.reads().any(|step| !step.field.changes.is_empty());
    let mut columns = Head::list(["field", "#:", "offset:", "bytes", "read as", "raw:", "value"]);
    if has_state {
        columns.push(Head::text("state"));
    }
    columns.push(Head::text("meaning"));
    let width = columns.len();
    let rows = steps.list.iter().flat_map(|step| {
        let field = &step.field;
        let number = if field.group { String::new() } else { step.number.to_string() };
        let has_no_bytes = field.is_derived() && field.span.is_empty();
        let offset = if has_no_bytes { String::new() } else { format!("{:#x}", field.span.start) };
        let raw = step.raw.map_or_else(String::new, |raw| raw.to_string());
        let mut cells = vec![
            Cell::toned(marked_name(at, field), if field.group { Tone::Strong } else { Tone::Text }),
            Cell::toned(number, Tone::Dim),
            Cell::toned(offset, Tone::Dim),
            Cell::new(spaced_hex(&step.bytes, 8)),
            Cell::toned(step.form(), Tone::Dim),
            Cell::new(raw),
            Cell::new(field.told_value().into_owned()),
        ];
        if has_state {
            cells.push(Cell::new(step.changes_text().join("; ")));
        }
        cells.push(Cell::new(field.meaning.clone()));
        let row = Row { span: Some(field.span), depth: field.depth, cells, ..Row::default() };
        std::iter::once(row).chain(field.bits.iter().map(move |bits| bit_row(field, bits, width)))
    });
    Rows::of(steps.title.clone(), columns, rows.collect())
}

fn bit_row(field: &FieldRow, bits: &BitMeaning, width: usize) -> Row {
    let value = field.number.map_or(0, |number| bits.of(number.cast_unsigned()));
    let mut cells = vec![Cell::default(); width];
    cells[0] = Cell::toned(bits.label(), Tone::Dim);
    cells[6] = Cell::new(value.to_string());
    cells[width - 1] = Cell { to: bits.to, ..Cell::new(bits.text.clone()) };
    Row { span: Some(field.span), depth: field.depth.saturating_add(1), cells, ..Row::default() }
}

pub(super) fn explained(
    out: &mut Out,
    paragraph: impl Fn(&str) -> Option<&'static str>,
    steps: &Steps,
) -> Result<(), Error> {
    for (index, step) in steps.list.iter().enumerate() {
        let field = &step.field;
        if field.group {
            out.line("")?;
            out.prose(&[(&field.name, Tone::Strong), ("  ", Tone::Text)], &[(field.about, Tone::Dim)])?;
            continue;
        }
        let head = format!("{:>4}  {:#x}  {}", step.number, field.span.start, spaced_hex(&step.bytes, 8));
        let value = format!("{} = {}", field.name, field.stored_and_decoded());
        out.prose(
            &[(&head, Tone::Dim), ("  ", Tone::Text)],
            &[(&value, Tone::Strong), ("  ", Tone::Text), (&field.meaning, Tone::Text)],
        )?;
        if let Some(reading) = learn::reading(step) {
            arithmetic(out, &reading)?;
        }
        reason(out, steps, index)?;
        let paragraphs = [paragraph(&step.record), paragraph::of_form(field.read)];
        let mut paragraphs: Vec<&str> = paragraphs.into_iter().flatten().collect();
        paragraphs.dedup();
        if !paragraphs.is_empty() {
            out.prose(&[("      see  ", Tone::Dim)], &[(&paragraphs.join(" · "), Tone::Dim)])?;
        }
    }
    Ok(())
}

/// Prints why a field is there, where that is known.
pub(super) fn reason(out: &mut Out, steps: &Steps, index: usize) -> Result<(), Error> {
    match learn::reason(steps, index).as_str() {
        "" => Ok(()),
        why => out.prose(&[("      why  ", Tone::Dim)], &[(why, Tone::Text)]),
    }
}

pub(super) fn arithmetic(out: &mut Out, reading: &Reading) -> Result<(), Error> {
    let gap = if reading.rows.iter().all(|row| row.bits.is_empty()) { "" } else { "  " };
    for (left, text) in reading.columns() {
        out.prose(&[(&format!("      {left}"), Tone::Dim), (gap, Tone::Text)], &[(text, Tone::Text)])?;
    }
    Ok(())
}
