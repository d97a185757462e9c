//! Source lines with the part that a sequence point spans underlined.

use std::collections::HashMap;

use super::Error;
use super::output::Out;
use crate::model::lookup::{SourceLines, marked, shown_width};
use crate::model::{Point, Session, Tone};

/// How many lines of a long span are shown from its start; then comes the last.
const FIRST_LINES: u32 = 4;

/// The most documents whose text is kept.
const MOST_TEXTS: usize = 32;

/// The texts of a session's documents, as far as they have been looked at.
pub(super) struct Excerpts<'s> {
    session: &'s Session,
    texts: HashMap<u32, Option<SourceLines>>,
}

impl<'s> Excerpts<'s> {
    /// None yet.
    pub(super) fn new(session: &'s Session) -> Self {
        Self { session, texts: HashMap::new() }
    }

    /// Prints the lines of `point`, each behind its number; nothing where there is no text.
    pub(super) fn print(&mut self, out: &mut Out, point: &Point) -> Result<(), Error> {
        if self.texts.len() > MOST_TEXTS {
            self.texts.clear();
        }
        let session = self.session;
        let text = self.texts.entry(point.document).or_insert_with(|| session.source_lines(point.document));
        let Some(text) = text else { return Ok(()) };
        let (first, last) = (point.start_line, point.end_line.max(point.start_line));
        let width = last.to_string().len();
        let shown = if last - first > FIRST_LINES { first + FIRST_LINES - 1 } else { last };
        for number in first..=shown {
            line(out, text, point, number, width)?;
        }
        if shown < last {
            out.parts(&[(&format!("  {:>width$} ┆", ""), Tone::Dim)])?;
            line(out, text, point, last, width)?;
        }
        Ok(())
    }
}

fn line(out: &mut Out, text: &SourceLines, point: &Point, number: u32, width: usize) -> Result<(), Error> {
    let Some(line) = text.line(number) else {
        let note = format!("  {number:>width$} │ (the text has no such line)");
        return out.parts(&[(&note, Tone::Dim)]);
    };
    let indent = line.chars().take_while(|c| c.is_whitespace()).map(|c| c.len_utf16() as u32).sum::<u32>() + 1;
    let start = if number == point.start_line { point.start_column } else { indent };
    let end = if number == point.end_line { point.end_column } else { u32::MAX };
    let [before, inside, after] = marked(line, start, end);
    let margin = format!("  {number:>width$} │ ");
    let parts = [(&*margin, Tone::Dim), (&*before, Tone::Text), (&*inside, Tone::Strong), (&*after, Tone::Text)];
    out.parts(&parts)?;
    // A span of no width still has a place.
    let marks = "~".repeat(shown_width(inside.trim_end()).max(1));
    let margin = format!("  {:>width$} │ {:gap$}", "", "", gap = shown_width(&before));
    out.parts(&[(&margin, Tone::Dim), (&marks, Tone::Ok)])
}
