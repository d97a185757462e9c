//! Handouts as plain text.

use std::fmt::Write;

use super::{Answers, HEADS, Handout, KeyItem};
use pdblens_session::text::safe::visible;

/// The widest a column gets.
const MAX_WIDTH: usize = 60;

impl Handout<'_> {
    /// The handout as plain text: the bytes, and a table of the fields.
    pub(super) fn text(&self) -> String {
        let title = visible(self.title());
        let mut out = format!("{title}\n{}\n\n", "=".repeat(title.chars().count()));
        if self.answers == Answers::Key {
            for KeyItem { number, bytes, text } in self.key() {
                let _ = writeln!(out, "{number:>3}. {bytes}  {}", visible(&text));
            }
        } else {
            let _ = writeln!(out, "{}", self.dump());
            self.text_table(&mut out);
        }
        for (read, lines) in self.reasons() {
            let _ = writeln!(out, "\n{}", visible(&read));
            for line in lines.iter().filter(|line| !line.is_empty()) {
                let _ = writeln!(out, "   {}", visible(line));
            }
        }
        if let Some(problem) = self.problem() {
            let _ = writeln!(out, "\n{problem}");
        }
        let _ = writeln!(out, "\nMade by: {}", visible(&self.command));
        out
    }

    fn text_table(&self, out: &mut String) {
        let rows: Vec<Option<[String; 7]>> = (0..self.steps.list.len())
            .map(|index| self.cells(index).filter(|_| !self.steps.list.get(index).is_some_and(|step| step.field.group)))
            .collect();
        let widths: [usize; 7] = std::array::from_fn(|column| {
            let cells = rows.iter().flatten().filter_map(|row| row.get(column));
            let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
            widest.max(HEADS.get(column).map_or(0, |head| head.chars().count())).min(MAX_WIDTH)
        });
        line(
            out,
            &std::array::from_fn(|column| self.heads().get(column).map_or_else(String::new, |head| (*head).to_owned())),
            &widths,
        );
        let indent = widths.iter().take(3).sum::<usize>() + 4;
        for (index, row) in rows.iter().enumerate() {
            match row {
                Some(row) => {
                    line(out, row, &widths);
                    for [bits, value, meaning] in self.bits(index) {
                        let _ = writeln!(out, "{:>indent$}  {bits:<8}{value}  {meaning}", "");
                    }
                }
                None => _ = writeln!(out, "{}", visible(self.group(index))),
            }
        }
    }
}

fn line(out: &mut String, cells: &[String; 7], widths: &[usize; 7]) {
    let mut text = String::new();
    for (index, (cell, width)) in cells.iter().zip(widths).enumerate() {
        // Numbers end in one column, words begin in one.
        let _ = if index < 2 { write!(text, "{cell:>width$}  ") } else { write!(text, "{cell:width$}  ") };
    }
    let _ = writeln!(out, "{}", text.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handout::Format;
    use crate::steps;
    use pdblens_session::session::Session;

    #[test]
    fn a_free_page_map_has_its_bits_and_no_rows_of_the_same_bytes() {
        let sample =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples/ticker-windows/Ticker.pdb");
        let session = Session::open(&[sample]).unwrap();
        let steps = steps(&session, "page/1".parse().unwrap()).unwrap();
        let page = |format, answers| Handout { steps: &steps, command: String::new(), answers }.print(format);
        for format in [Format::Text, Format::Markdown, Format::Html] {
            let shown = page(format, Answers::Shown);
            assert!(shown.contains("page 2: in use · FPM2") && shown.contains("page 8: free"), "{shown}");
            let full = shown.lines().filter(|line| line.matches("ff").count() >= 16).count();
            assert!(full < 5 && shown.contains("\n*\n"), "{shown}");
            let blank = page(format, Answers::Blank);
            assert!(!blank.contains("page 8: free") && blank.contains("bit 3"), "{blank}");
        }
    }
}
