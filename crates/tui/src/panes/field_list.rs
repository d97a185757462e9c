//! Fields as rows of a list, with bytes, name, value and meaning: shared by the panes that show fields.

use std::borrow::Cow;

use ratatui::style::Style;

use crate::ui::theme::{Look, Role};
use crate::ui::tree::ListState;
use pdblens_formats::bytes::Span;
use pdblens_nodes::fields::FieldRow;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_session::session::Session;
use pdblens_session::text::safe::spaced_hex;

const MAX_BYTES: usize = 4;
/// Width of a list below which fewer are shown, and so many.
const NARROW: u16 = 60;
const FEW_BYTES: usize = 2;
/// Columns that a query can name; none is drawn above the list.
pub(super) const COLUMNS: &[Head] =
    &[Head::text("bytes"), Head::text("field"), Head::text("value"), Head::text("meaning")];
const BYTES: usize = 0;
const NAME: usize = 1;
const VALUE: usize = 2;

/// The row of a field, without indentation for the `outer` groups around it that are not shown; `with_bytes` is false for facts,
/// which have no bytes of their own.
pub(super) fn field_row(field: &FieldRow, outer: u8, session: &Session, with_bytes: bool) -> Row {
    let indent = usize::from(field.depth.saturating_sub(outer)) * 2;
    let name = format!("{:indent$}{}", "", field.name);
    if field.group {
        return Row::plain(vec![Cell::default(), Cell::toned(name, Tone::Dim)]);
    }
    let bytes = if with_bytes { first_bytes(field, session) } else { String::new() };
    let tone = if field.to.is_some() { Tone::Text } else { Tone::Dim };
    let meaning = Cell { to: field.to, tone, ..Cell::new(field.meaning.as_str()) };
    Row::plain(vec![Cell::new(bytes), Cell::new(name), Cell::new(signed(field)), meaning])
}

fn first_bytes(field: &FieldRow, session: &Session) -> String {
    let shown = Span { len: field.span.len.min(MAX_BYTES as u64 + 1), ..field.span };
    session.spaces().read(shown).map_or(String::new(), |bytes| spaced_hex(&bytes, MAX_BYTES))
}

fn is_number(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_digit() || c == '-') && !value.contains(' ')
}

/// The value, after the stored number where that is another one; deltas have a sign.
pub(super) fn signed(field: &FieldRow) -> Cow<'_, str> {
    let grows = field.name.starts_with(['δ', 'Δ']) && is_number(&field.value) && !field.value.starts_with(['-', '0']);
    match &field.stored {
        Some((stored, decoded)) if grows => format!("{stored} → +{decoded}").into(),
        None if grows => format!("+{}", field.value).into(),
        _ => field.stored_and_decoded(),
    }
}

/// The rows as they are drawn: a sign marks the groups that are closed.
pub(super) fn drawn<'l>(fields: &'l [Row], list: &'l ListState, look: &Look<'l>) -> Rows<'l> {
    let (closed, more, width) = (look.glyphs.closed, look.glyphs.more, list.size.width);
    let mut rows = Rows::new("", vec![Head::text(""); COLUMNS.len()], fields.len(), move |index| {
        let Some(mut row) = fields.get(index).cloned() else { return Row::default() };
        if let Some(bytes) = row.cells.get_mut(BYTES)
            && width < NARROW
            && bytes.text.len() > FEW_BYTES * 3
        {
            bytes.text.truncate(FEW_BYTES * 3);
            bytes.text.push_str(more);
        }
        if let Some(name) = row.cells.get_mut(NAME)
            && list.has_inside(index)
            && !list.is_open(index)
        {
            let start = name.text.len() - name.text.trim_start().len();
            name.text.insert_str(start, &format!("{closed} "));
            name.tone = Tone::Text;
        }
        row
    });
    // Closed groups do not determine the widths.
    rows.steady = list.folds.closed.is_empty();
    rows
}

/// A cell in its own colour: `leaf` is the index of a field in its record, which gives the colour of its bytes.
pub(super) fn painted(
    column: usize,
    leaf: &dyn Fn() -> usize,
    (cell, text, style): (&Cell, &str, Style),
    look: &Look<'_>,
) -> Option<Vec<(String, Style)>> {
    let own = match column {
        BYTES => look.theme.field(leaf()).bold(),
        VALUE if is_number(&cell.text) => look.theme.of(Role::Number),
        _ => return None,
    };
    Some(vec![(text.to_owned(), style.patch(own))])
}
