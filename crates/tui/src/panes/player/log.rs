//! The log of the player: a row for each read.

use super::Player;
use super::sections::HIDDEN;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_session::text::safe::spaced_hex;

/// Width of the pane from which the log has the form of each value.
const WIDE: u16 = 96;
/// Bytes shown of a read.
const MAX_BYTES: usize = 3;
/// Columns of the bytes and of the form.
pub(super) const BYTES: usize = 2;
const FORM: usize = 4;

/// The reads; where values are hidden, those up to the current one, without what tells the value.
pub(super) fn rows(player: &Player, pane: u16) -> Rows<'_> {
    let Player { steps, reads, differs, hides, .. } = player;
    let (current, hides) = (player.scroll.selected, *hides);
    // The fields that follow depend on the value: a hidden point has no start line.
    let len = if hides { reads.len().min(current + 1) } else { reads.len() };
    let mut columns = vec![Head::text(""); 7];
    columns[0] = Head::number("");
    let mut rows = Rows::new("", columns, len, move |row| {
        let step = reads.get(row).and_then(|index| steps.list.get(*index));
        let Some(step) = step else { return Row::default() };
        let (field, is_covered) = (&step.field, hides && row == current);
        let (sign, tone) = if differs.contains(&step.number) { ("*", Tone::Warn) } else { ("", Tone::Dim) };
        let at = if field.span.is_empty() { String::new() } else { format!("{:#x}", field.span.start) };
        let value = if is_covered { HIDDEN.into() } else { field.stored_and_decoded() };
        let changes = step.changes_text();
        let meaning = match changes.is_empty() {
            _ if is_covered => String::new(),
            // It can tell what later reads are: the size of a blob, the row of a reference.
            true if hides => String::new(),
            true => field.meaning.clone(),
            false => changes.join("; "),
        };
        Row::plain(vec![
            Cell::toned(format!("{sign}{}", step.number), tone),
            Cell::toned(at, Tone::Dim),
            Cell::new(spaced_hex(&step.bytes, MAX_BYTES)),
            Cell::new(field.name.as_str()),
            Cell::toned(step.form(), Tone::Dim),
            Cell::new(value),
            Cell::toned(meaning, Tone::Dim),
        ])
    });
    rows.steady = true;
    rows.hidden = if pane < WIDE { vec![FORM] } else { Vec::new() };
    rows
}
