//! Source lines with the part that a sequence point spans underlined; without a source, what the code of the point does.

use std::collections::HashMap;

use super::Error;
use super::output::Out;
use crate::nodes::SequencePoint;
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::rows::Tone;
use crate::query::statement::Statements;
use crate::session::Session;
use crate::source::{self, HashVerdict, SourceOptions, SourceText, locate, shown};
use crate::text::safe::visible;

/// Lines of a long span that are shown before its last one.
const FIRST_LINES: u32 = 4;

/// The most documents whose text is kept.
const MOST_TEXTS: usize = 32;

/// Width of a tab in cells.
const TAB: usize = 4;

/// The texts of a session's documents, as far as they have been looked at.
pub(super) struct Excerpts<'s> {
    session: &'s Session,
    options: SourceOptions,
    texts: HashMap<u32, Option<ExcerptText>>,
    statements: Option<Statements<'s>>,
}

/// A document's text, and what is to be said of it.
struct ExcerptText {
    text: SourceText,
    doubt: Option<String>,
}

impl<'s> Excerpts<'s> {
    /// None yet; `options` say where texts are.
    pub(super) fn new(session: &'s Session, options: SourceOptions) -> Self {
        Self { session, options, texts: HashMap::new(), statements: Statements::new(session) }
    }

    /// Prints the lines of `point`, each after its number. Where there is no text, the statement that is reconstructed from IL.
    pub(super) fn print(&mut self, out: &mut Out, of: CodeUnit, point: &SequencePoint) -> Result<(), Error> {
        if self.texts.len() > MOST_TEXTS {
            self.texts.clear();
        }
        let (session, options) = (self.session, &self.options);
        let found = self.texts.entry(point.document).or_insert_with(|| text(session, point.document, options));
        let Some(found) = found else { return self.reconstructed(out, of, point) };
        if let Some(doubt) = &found.doubt {
            out.prose(&[("  ! ", Tone::Warn)], &[(doubt, Tone::Warn)])?;
        }
        let (first, last) = (point.start_line, point.end_line.max(point.start_line));
        let width = last.to_string().len();
        let most = first.saturating_add(FIRST_LINES);
        let shown = if last > most { most.saturating_sub(1) } else { last };
        for number in first..=shown {
            line(out, &found.text, point, number, width)?;
        }
        if shown < last {
            out.parts(&[(&format!("  {:>width$} ┆", ""), Tone::Dim)])?;
            line(out, &found.text, point, last, width)?;
        }
        Ok(())
    }
}

impl Excerpts<'_> {
    /// Prints the statement of a point whose source is not here.
    pub(super) fn print_without_source(&self, out: &mut Out, of: CodeUnit, point: &SequencePoint) -> Result<(), Error> {
        match text(self.session, point.document, &self.options) {
            Some(_) => Ok(()),
            None => self.reconstructed(out, of, point),
        }
    }

    /// Prints the statement of a point; `≈` before one that is not as wide as its span.
    fn reconstructed(&self, out: &mut Out, of: CodeUnit, point: &SequencePoint) -> Result<(), Error> {
        let statement = self.statements.as_ref().and_then(|statements| statements.at(of.token(), point.offset));
        let Some(statement) = statement.filter(|statement| !statement.text.is_empty()) else { return Ok(()) };
        let number = format!("  {} ┆ ", point.start_line);
        let doubt = if statement.fits { "" } else { "≈ " };
        let tone = if statement.whole { Tone::Text } else { Tone::Dim };
        out.parts(&[
            (&number, Tone::Dim),
            (doubt, Tone::Warn),
            (&visible(&statement.text), tone),
            ("  reconstructed from IL", Tone::Dim),
        ])
    }
}

fn text(session: &Session, document: u32, options: &SourceOptions) -> Option<ExcerptText> {
    let source = source::find(session, document, options).ok()?;
    let doubt = match &source.verdict {
        HashVerdict::Verified(_) => None,
        other => Some(format!("{}: {other}", source.from)),
    };
    Some(ExcerptText { text: source.text?, doubt })
}

fn line(out: &mut Out, text: &SourceText, point: &SequencePoint, number: u32, width: usize) -> Result<(), Error> {
    let Some(line) = text.line(number) else {
        let note = format!("  {number:>width$} │ (the text has no such line)");
        return out.parts(&[(&note, Tone::Dim)]);
    };
    let spaces = line.chars().take_while(|c| c.is_whitespace()).map(|c| c.len_utf16() as u32);
    let indent = spaces.sum::<u32>().saturating_add(1);
    let begins = number == point.start_line && point.start_column > 0;
    let start = if begins { point.start_column } else { indent };
    // A range without columns, or without an end, reaches to the end of the line.
    let ends = number == point.end_line && point.end_column > 0;
    let end = if ends { point.end_column } else { u32::MAX };
    let (from, to) = (locate(line, start, TAB).cell, locate(line, end, TAB).cell);
    out.parts(&[(&format!("  {number:>width$} │ "), Tone::Dim), (&shown(line, TAB), Tone::Text)])?;
    // A span of no width still has a place.
    let marks = "~".repeat(to.saturating_sub(from).max(1));
    out.parts(&[(&format!("  {:>width$} │ {:from$}", "", ""), Tone::Dim), (&marks, Tone::Ok)])
}
