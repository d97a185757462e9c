//! Fields as rows of a list, with bytes, name, value and meaning: shared by the panes that show fields.

use std::borrow::Cow;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::panes::pane::{Context, List, grid};
use crate::ui::frame::Title;
use crate::ui::list_filter::RowSource;
use crate::ui::theme::{Look, Role};
use crate::ui::tree::{DepthTree, Nesting, TreeGrid};
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
const COLUMNS: &[Head] = &[Head::text("bytes"), Head::text("field"), Head::text("value"), Head::text("meaning")];
const BYTES: usize = 0;
const NAME: usize = 1;
const VALUE: usize = 2;

/// The fields as rows of text, in the tree of their groups.
#[derive(Default)]
pub(super) struct FieldList {
    pub(super) tree: TreeGrid<DepthTree>,
    pub(super) rows: Arc<Vec<Row>>,
}

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

impl FieldList {
    /// Shows other fields; `depths` are those of their groups, which can be closed.
    pub(super) fn set(&mut self, rows: Vec<Row>, depths: impl Iterator<Item = u8>) {
        let height = self.tree.grid.scroll.height;
        self.rows = Arc::new(rows);
        self.tree = TreeGrid { tree: Arc::new(DepthTree::of(depths)), ..TreeGrid::default() };
        self.tree.update_rows();
        self.tree.grid.scroll.set_height(height);
    }

    /// Moves the cursor to a position of the mouse; false where there is no row.
    pub(super) fn click(&mut self, at: Position, area: Rect) -> bool {
        let scroll = &mut self.tree.grid.scroll;
        let line = scroll.top + at.y.saturating_sub(area.y) as usize;
        if line >= scroll.len {
            return false;
        }
        scroll.selected = line;
        true
    }

    /// The title of a record, with the position in a list that is longer than its pane.
    pub(super) fn title(&self, record: &str) -> Title {
        let scroll = &self.tree.grid.scroll;
        let title = Title::new("Fields").of(record);
        let is_long = scroll.len > scroll.height && scroll.height > 0;
        if is_long { title.at(format!("{}/{}", scroll.selected + 1, scroll.len)) } else { title }
    }

    /// The rows as they are drawn: a sign marks the groups that are closed.
    fn drawn<'l>(&'l self, width: u16, look: &Look<'l>) -> Rows<'l> {
        let (closed, more) = (look.glyphs.closed, look.glyphs.more);
        let mut rows = Rows::new("", vec![Head::text(""); COLUMNS.len()], self.rows.len(), move |index| {
            let Some(mut row) = self.rows.get(index).cloned() else { return Row::default() };
            if let Some(bytes) = row.cells.get_mut(BYTES)
                && width < NARROW
                && bytes.text.len() > FEW_BYTES * 3
            {
                bytes.text.truncate(FEW_BYTES * 3);
                bytes.text.push_str(more);
            }
            if let Some(name) = row.cells.get_mut(NAME)
                && self.tree.tree.folds(index)
                && !self.tree.is_open(index)
            {
                let start = name.text.len() - name.text.trim_start().len();
                name.text.insert_str(start, &format!("{closed} "));
                name.tone = Tone::Text;
            }
            row
        });
        // Closed groups do not determine the widths.
        rows.steady = self.tree.folds.closed.is_empty();
        rows
    }

    /// The texts of the cursor row that the columns cut in a list of a width.
    pub(super) fn cut_texts(&self, width: u16, look: &Look<'_>) -> Vec<String> {
        self.tree.grid.cut_texts(&self.drawn(width, look), width, look)
    }

    /// Draws the window. `leaf` is the index of a field in its record, which gives the colour of its bytes.
    /// The cursor row is `idle` if the selection is elsewhere.
    pub(super) fn draw(
        &self,
        buf: &mut Buffer,
        area: Rect,
        leaf: &dyn Fn(usize) -> usize,
        idle: bool,
        look: &Look<'_>,
    ) -> Option<Position> {
        let mut grid = self.tree.grid.clone();
        grid.headless = true;
        grid.idle = idle;
        let has_colours = |row| look.theme.colors_on_cursor || !look.focused || self.tree.grid.row() != Some(row);
        let paint = |(row, column): (usize, usize), cell: &Cell, text: &str, style: Style| {
            let own = match column {
                BYTES => look.theme.field(leaf(row)).bold(),
                VALUE if is_number(&cell.text) => look.theme.of(Role::Number),
                _ => return None,
            };
            has_colours(row).then(|| vec![(text.to_owned(), style.patch(own))])
        };
        grid.draw(buf, area, &self.drawn(area.width, look), look, &|_, _| false, &paint)
    }
}

impl List for FieldList {
    grid!(tree.grid);

    fn row_source(&self, _: &Context<'_>) -> Option<RowSource> {
        let rows = Arc::clone(&self.rows);
        Some(Arc::new(move |_| Some(Rows::shared(COLUMNS, &rows))))
    }

    fn apply_filter(&mut self, another: bool, _: &Context<'_>) {
        if another { self.tree.filter_changed() } else { self.tree.update_rows() }
    }
}
