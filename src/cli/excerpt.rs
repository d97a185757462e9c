//! Source lines with the part that a sequence point spans underlined; without a source, what the code of the point does.

use std::collections::HashMap;

use super::Error;
use super::output::Out;
use crate::nodes::SequencePoint;
use crate::nodes::code_unit::{self, CodeUnit};
use crate::nodes::rows::Tone;
use crate::query::statement::Statements;
use crate::session::Session;
use crate::source::{self, HashVerdict, SourceOptions, SourceText, locate, shown};
use crate::text::safe::visible;

/// Lines of a long span that are shown before its last one.
const FIRST_LINES: u32 = 4;
const MOST_TEXTS: usize = 32;
/// Width of a tab in cells.
const TAB: usize = 4;
pub(super) type ExcerptLine = Vec<(String, Tone)>;

/// The texts of a session's documents, as far as they have been looked at.
pub(super) struct Excerpts<'s> {
    session: &'s Session,
    options: SourceOptions,
    texts: HashMap<u32, Option<ExcerptText>>,
    statements: Option<Statements<'s>>,
}

struct ExcerptText {
    text: Option<SourceText>,
    /// Reason why the text may be another one, or why it is withheld.
    doubt: Option<String>,
}

impl<'s> Excerpts<'s> {
    /// None yet; `options` say where texts are.
    pub(super) fn new(session: &'s Session, options: SourceOptions) -> Self {
        Self { session, options, texts: HashMap::new(), statements: Statements::new(session) }
    }

    /// Prints the lines of `point`, each after its number. Where there is no text, the statement that is reconstructed from IL.
    pub(super) fn print(&mut self, out: &mut Out, of: CodeUnit, point: &SequencePoint) -> Result<(), Error> {
        print(out, &self.lines(of, point))
    }

    /// Lines of the point that begins at a line and column.
    pub(super) fn lines_at(&mut self, of: CodeUnit, start: (u32, u32)) -> Vec<ExcerptLine> {
        point_at(self.session, of, start).map_or_else(Vec::new, |point| self.lines(of, &point))
    }

    fn lines(&mut self, of: CodeUnit, point: &SequencePoint) -> Vec<ExcerptLine> {
        if self.texts.len() > MOST_TEXTS {
            self.texts.clear();
        }
        let (session, options) = (self.session, &self.options);
        let found = self.texts.entry(point.document).or_insert_with(|| text(session, point.document, options));
        let Some(found) = found else { return self.reconstructed(of, point).into_iter().collect() };
        let doubt = |doubt: &String| vec![("  ! ".to_owned(), Tone::Warn), (doubt.clone(), Tone::Warn)];
        let mut lines: Vec<ExcerptLine> = found.doubt.iter().map(doubt).collect();
        let Some(text) = &found.text else {
            lines.extend(self.reconstructed(of, point));
            return lines;
        };
        let (first, last) = (point.start_line, point.end_line.max(point.start_line));
        let width = last.to_string().len();
        let most = first.saturating_add(FIRST_LINES);
        let shown = if last > most { most.saturating_sub(1) } else { last };
        for number in first..=shown {
            line(&mut lines, text, point, number, width);
        }
        if shown < last {
            lines.push(vec![(format!("  {:>width$} ┆", ""), Tone::Dim)]);
            line(&mut lines, text, point, last, width);
        }
        lines
    }

    pub(super) fn print_without_source(&self, out: &mut Out, of: CodeUnit, point: &SequencePoint) -> Result<(), Error> {
        match text(self.session, point.document, &self.options) {
            Some(ExcerptText { text: Some(_), .. }) => Ok(()),
            _ => print(out, self.reconstructed(of, point).as_slice()),
        }
    }

    /// The statement of a point; `≈` before one that is not proved, and the reason behind it.
    fn reconstructed(&self, of: CodeUnit, point: &SequencePoint) -> Option<ExcerptLine> {
        let statement = self.statements.as_ref()?.at(of, point.offset)?;
        if statement.text.is_empty() {
            return None;
        }
        let doubt = statement.doubt().map_or(String::new(), |doubt| format!(", {}", visible(&doubt)));
        let mark = if doubt.is_empty() { "" } else { "≈ " };
        let tone = if statement.whole { Tone::Text } else { Tone::Dim };
        Some(vec![
            (format!("  {} ┆ ", point.start_line), Tone::Dim),
            (mark.to_owned(), Tone::Warn),
            (visible(&statement.text).into_owned(), tone),
            (format!("  reconstructed from {}{doubt}", of.words().statements), Tone::Dim),
        ])
    }
}

pub(super) fn point_at(session: &Session, of: CodeUnit, start: (u32, u32)) -> Option<SequencePoint> {
    let is_it = &mut |point: &SequencePoint| !point.is_hidden() && (point.start_line, point.start_column) == start;
    code_unit::find_point(session, of, is_it).map(|(_, point)| point)
}

fn print(out: &mut Out, lines: &[ExcerptLine]) -> Result<(), Error> {
    lines.iter().try_for_each(|line| {
        let parts: Vec<(&str, Tone)> = line.iter().map(|(text, tone)| (text.as_str(), *tone)).collect();
        out.parts(&parts)
    })
}

fn text(session: &Session, document: u32, options: &SourceOptions) -> Option<ExcerptText> {
    let source = source::find(session, document, options).ok()?;
    let doubt = match &source.verdict {
        HashVerdict::Verified(_) => None,
        other if source.text.is_some() => Some(format!("{}: {other}", source.from)),
        _ => source.withheld(),
    };
    if source.text.is_none() && doubt.is_none() {
        return None;
    }
    Some(ExcerptText { text: source.text, doubt })
}

fn line(lines: &mut Vec<ExcerptLine>, text: &SourceText, point: &SequencePoint, number: u32, width: usize) {
    let Some(line) = text.line(number) else {
        lines.push(vec![(format!("  {number:>width$} │ (the text has no such line)"), Tone::Dim)]);
        return;
    };
    let spaces = line.chars().take_while(|c| c.is_whitespace()).map(|c| c.len_utf16() as u32);
    let indent = spaces.sum::<u32>() + 1;
    let begins = number == point.start_line && point.start_column > 0;
    let start = if begins { point.start_column } else { indent };
    // A range without columns, or without an end, reaches to the end of the line.
    let ends = number == point.end_line && point.end_column > 0;
    let end = if ends { point.end_column } else { u32::MAX };
    let (from, to) = (locate(line, start, TAB).cell, locate(line, end, TAB).cell);
    lines.push(vec![(format!("  {number:>width$} │ "), Tone::Dim), (shown(line, TAB).into_owned(), Tone::Text)]);
    // A span of no width still has a place.
    let marks = "~".repeat(to.saturating_sub(from).max(1));
    lines.push(vec![(format!("  {:>width$} │ {}", "", " ".repeat(from)), Tone::Dim), (marks, Tone::Ok)]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::sequence_point::Violations;

    #[test]
    fn a_line_may_be_wider_than_a_format_argument() {
        let text = SourceText::decode(format!("{}Run();", "\t".repeat(20_000)).as_bytes());
        let point = SequencePoint {
            offset: 0,
            document: 1,
            start_line: 1,
            start_column: 20_001,
            end_line: 1,
            end_column: 20_007,
            at: 0,
            len: 0,
            violations: Violations::NONE,
        };
        let mut lines = Vec::new();
        line(&mut lines, &text, &point, 1, 1);
        let [_, marks] = &lines[..] else { panic!() };
        assert_eq!(marks[0].0.len(), "  1 │ ".len() + 20_000 * TAB);
        assert_eq!(marks[1].0, "~~~~~~");
    }
}
