//! Lines of the log: one for each read, in columns that are as wide as what is in them.

use super::sections::{HIDDEN, SectionLine};
use crate::ui::glyphs::Glyphs;
use crate::ui::text::{fit, width};
use crate::ui::theme::Role;
use pdblens_learn::Steps;
use pdblens_learn::steps::Step;
use pdblens_session::text::safe::spaced_hex;

/// Width of the pane from which the log has the form of each value.
const WIDE: u16 = 96;
/// Number of reads that column widths are computed from: the longest records repeat theirs.
const MEASURED: usize = 512;
/// Bytes shown of a read.
const BYTES: usize = 3;
/// Greatest width of a name and of a value, in cells.
const MAX_TEXT: usize = 24;

/// Part of a line that is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cover {
    None,
    /// The meaning, which can tell what later reads are: the size of a blob, the row of a reference.
    Meaning,
    /// The value too, and what it changes.
    Value,
}

/// Widths of the columns, in cells.
pub(super) struct Columns {
    bytes: usize,
    name: usize,
    /// 0 without the column.
    form: usize,
    value: usize,
}

impl Columns {
    pub fn of(steps: &Steps, reads: &[usize], pane: u16) -> Self {
        let mut columns = Self { bytes: 0, name: 0, form: 0, value: 0 };
        let widest = |column: &mut usize, text: &str| *column = width(text).min(MAX_TEXT).max(*column);
        for step in reads.iter().take(MEASURED).filter_map(|index| steps.list.get(*index)) {
            widest(&mut columns.bytes, &spaced_hex(&step.bytes, BYTES));
            widest(&mut columns.name, &step.field.name);
            widest(&mut columns.value, &step.field.stored_and_decoded());
            if pane >= WIDE {
                widest(&mut columns.form, step.form());
            }
        }
        columns
    }

    /// One line, without what is hidden of it.
    pub fn line(&self, step: &Step, cover: Cover, glyphs: &Glyphs) -> SectionLine {
        let padded = |text: &str, cells| padded(text, cells, glyphs);
        let value = if cover == Cover::Value { HIDDEN.into() } else { step.field.stored_and_decoded() };
        let at = if step.field.span.is_empty() { String::new() } else { format!("{:#x}", step.field.span.start) };
        let mut line = vec![
            (Role::Dim, format!("{:>4}  {at:<8}  ", step.number)),
            (Role::Number, padded(&spaced_hex(&step.bytes, BYTES), self.bytes)),
            (Role::Text, padded(&step.field.name, self.name)),
        ];
        if self.form > 0 {
            line.push((Role::Dim, padded(step.form(), self.form)));
        }
        line.push((Role::Text, padded(&value, self.value)));
        if cover != Cover::Value {
            let changes = step.changes_text();
            let meaning = if cover == Cover::None { step.field.meaning.clone() } else { String::new() };
            let text = if changes.is_empty() { meaning } else { changes.join("; ") };
            line.push((Role::Dim, text));
        }
        line
    }
}

/// A text in a column, cut where it is longer, and two cells after it.
fn padded(text: &str, cells: usize, glyphs: &Glyphs) -> String {
    let shown = fit(text, cells, glyphs);
    let room = cells.saturating_sub(width(&shown)) + 2;
    format!("{shown}{:room$}", "")
}
