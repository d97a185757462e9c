//! Columns of field lists: bytes, name, value and meaning, shared by the panes that show fields.

use crate::panes::pane::Context;
use crate::ui::grid::Mark;
use crate::ui::list_filter::ListFilter;
use crate::ui::text::{fit, put, put_right, width};
use crate::ui::theme::{Look, Role};
use pdblens_formats::bytes::Span;
use pdblens_nodes::fields::FieldRow;
use pdblens_nodes::rows::{Cell, Head, Row};
use pdblens_session::text::safe::spaced_hex;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::borrow::Cow;

/// Bytes of a field that are shown.
const MAX_BYTES: usize = 4;
/// Width of a list from which on a coded index is shown with its token.
const TOKEN_ROOM: usize = 64;
/// Width up to which numbers are right-aligned.
const MAX_NUMBER_WIDTH: usize = 12;

/// Columns that a query can name.
pub(super) const COLUMNS: &[Head] = &[Head::text("field"), Head::text("value"), Head::text("meaning")];

/// A field as a row of text; `deeper` is added to its depth.
pub(super) fn text_of(field: &FieldRow, deeper: u8) -> Row {
    let cells = [field.name.as_str(), &field.stored_and_decoded(), &field.meaning].map(Cell::new);
    Row { depth: field.depth.saturating_add(deeper), ..Row::plain(cells.into()) }
}

/// Widths of the columns.
pub(super) struct FieldColumns {
    pub(super) bytes: usize,
    pub(super) name: usize,
    pub(super) value: usize,
    /// Width of the widest number.
    pub(super) number: usize,
    /// Levels of groups that are hidden.
    pub(super) outer: u8,
    /// Bytes of a field that are shown.
    pub(super) shown: usize,
    /// True where the token of a coded index has space beside the stored number.
    pub(super) tokens: bool,
}

impl FieldColumns {
    pub(super) fn of<'r>(
        rows: &(impl Iterator<Item = &'r FieldRow> + Clone),
        outer: u8,
        room: usize,
        with_bytes: bool,
    ) -> Self {
        let tokens = room >= TOKEN_ROOM;
        let value_width = |row: &FieldRow| width(&signed(row, tokens));
        let longest = |measure: &dyn Fn(&FieldRow) -> usize| rows.clone().map(measure).max().unwrap_or(0);
        let name = longest(&|row| width(&row.name) + row.depth.saturating_sub(outer) as usize * 2).min(28);
        // Where space is short, bytes are reduced in favour of names, values and meanings.
        let meaning = longest(&|row| if row.value.is_empty() { 0 } else { width(&row.meaning) });
        let needed = name.min(16) + longest(&|row| if row.group { 0 } else { value_width(row) }).min(10);
        let needed = needed + meaning.min(8);
        let len = |row: &FieldRow| if row.group || !with_bytes { 0 } else { row.span.len as usize };
        let taken = |shown: usize| {
            let bytes = longest(&|row| len(row).min(shown) * 3).saturating_sub(1);
            if rows.clone().any(|row| len(row) > shown) { bytes + 2 } else { bytes }
        };
        let shown = [MAX_BYTES, 2, 1].into_iter().find(|shown| taken(*shown) + needed + 3 <= room).unwrap_or(1);
        let bytes = taken(shown);
        // Names are cut too, down to a useful width.
        let value = longest(&|row| if row.group { 0 } else { value_width(row) }).min(10);
        let least = if meaning > 0 { room * 3 / 7 } else { 0 };
        let name = name.min(room.saturating_sub(bytes + value + 3 + meaning.min(12)).max(least).max(12));
        // Long values are cut in favour of meanings; numbers never are.
        let left = room.saturating_sub(bytes + name + 3);
        let number = longest(&|row| if row.group || !is_number(row) { 0 } else { value_width(row) });
        let most = if meaning > 0 { left.saturating_sub(meaning + 1).max(left / 2).max(number) } else { left };
        // A value without meaning may extend over the column of meanings.
        let takes = |row: &FieldRow| !row.group && (!row.meaning.is_empty() || is_number(row));
        let value = longest(&|row| if takes(row) { value_width(row) + 1 } else { 0 });
        let value = if value == 0 { left } else { value.min(most).min(left) };
        Self { bytes, name, value, number, outer, shown, tokens }
    }
}

/// Returns whether a value is right-aligned as a number.
pub(super) fn is_number(row: &FieldRow) -> bool {
    row.value.starts_with(|c: char| c.is_ascii_digit() || c == '-') && row.value.len() <= MAX_NUMBER_WIDTH
}

/// The value, after the stored number where that is another one; deltas have a sign. Without `tokens`, a coded index is shown as
/// stored: its meaning names the row.
fn signed(row: &FieldRow, tokens: bool) -> Cow<'_, str> {
    let grows = row.name.starts_with(['δ', 'Δ']) && is_number(row) && !row.value.starts_with(['-', '0']);
    match &row.stored {
        Some((stored, decoded)) if !tokens && is_token(decoded) && !row.meaning.is_empty() => stored.as_str().into(),
        Some((stored, decoded)) if grows => format!("{stored} → +{decoded}").into(),
        Some(_) => row.stored_and_decoded(),
        None if grows => format!("+{}", row.value).into(),
        None => row.value.as_str().into(),
    }
}

/// Returns whether a decoded value is a token.
fn is_token(decoded: &str) -> bool {
    decoded.len() == 10 && decoded.starts_with("0x")
}

/// A field with its bytes and styles.
pub(super) struct DrawnField<'r> {
    pub(super) row: &'r FieldRow,
    pub(super) bytes: String,
    pub(super) hue: Style,
    pub(super) mark: Mark,
}

impl FieldColumns {
    /// Highlights the matches in a field that is drawn.
    pub(super) fn mark(&self, buf: &mut Buffer, line: Rect, row: &FieldRow, list_filter: &ListFilter, look: &Look<'_>) {
        if row.group {
            return list_filter.highlight(buf, line, Some(0), look);
        }
        let mut x = line.x + self.bytes as u16 + 2;
        for (column, wide) in [self.name, self.value, usize::from(line.width)].into_iter().enumerate() {
            let cell = Rect { x, width: wide as u16, ..line }.intersection(line);
            list_filter.highlight(buf, cell, Some(column), look);
            x = x.saturating_add(wide as u16 + 1);
        }
    }

    /// Width available for a value.
    pub(super) fn room(&self, row: &FieldRow, wide: usize) -> usize {
        let from = self.bytes + usize::from(self.bytes > 0) + self.name + 2;
        if row.meaning.is_empty() && !is_number(row) { (wide + 1).saturating_sub(from) } else { self.value }
    }

    pub(super) fn cuts_value(&self, row: &FieldRow, wide: usize) -> bool {
        let value = signed(row, self.tokens);
        width(&value) > self.room(row, wide)
            || row.stored.as_ref().is_some_and(|(_, decoded)| !self.tokens && is_token(decoded))
    }

    pub(super) fn cuts_meaning(&self, row: &FieldRow, wide: usize) -> bool {
        self.bytes + self.name + self.value + 3 + width(&row.meaning) > wide + 1
    }

    /// The shown bytes of a field in hexadecimal.
    pub(super) fn bytes_of(&self, row: &FieldRow, cx: &Context<'_>) -> String {
        if self.bytes == 0 {
            return String::new();
        }
        let shown = Span { len: row.span.len.min(self.shown as u64 + 1), ..row.span };
        cx.session.spaces().read(shown).map_or(String::new(), |bytes| spaced_hex(&bytes, self.shown))
    }

    pub(super) fn draw(&self, buf: &mut Buffer, line: Rect, drawn: &DrawnField<'_>, look: &Look<'_>) {
        let (DrawnField { row, mark, .. }, y, end) = (drawn, line.y, line.right());
        let indent = u16::from(row.depth.saturating_sub(self.outer)) * 2;
        let style = |role, hue| mark.apply(look.theme.of(role), look, hue);
        let mut x = line.x + 1;
        if row.group {
            put(buf, x + indent, y, end, &row.name, style(Role::Dim, false), look.glyphs);
            return;
        }
        put(buf, x, y, end, &drawn.bytes, mark.apply(drawn.hue.bold(), look, true), look.glyphs);
        x += self.bytes as u16 + u16::from(self.bytes > 0);
        let name_end = (x + self.name as u16).min(end);
        put(buf, x + indent, y, name_end, &row.name, style(Role::Text, false), look.glyphs);
        x = name_end + 1;
        let number = is_number(row);
        let room = if row.meaning.is_empty() && !number { end.saturating_sub(x) } else { self.value as u16 };
        let value_end = (x + room).min(end);
        let value = signed(row, self.tokens);
        let value = fit(&value, room as usize, look.glyphs);
        if number {
            let right = value_end.min(x + self.number as u16);
            put_right(buf, x, y, right, &value, style(Role::Number, true), look.glyphs);
        } else {
            put(buf, x, y, value_end, &value, style(Role::Text, false), look.glyphs);
        }
        let role = if row.to.is_some() { Role::Link } else { Role::Dim };
        put(buf, value_end + 1, y, end, &row.meaning, style(role, row.to.is_some()), look.glyphs);
    }
}
