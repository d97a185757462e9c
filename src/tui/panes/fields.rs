//! The fields of what is selected: their bytes, their names, what they say, what that means, and what they are for.

use std::borrow::Cow;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::Style;

use crate::bytes::Span;
use crate::nodes::Place;
use crate::nodes::fields::{FieldRow, Fields};
use crate::nodes::rows::{Cell, Head, Row, Rows};
use crate::text::safe::spaced_hex;
use crate::tui::core::action::Action;
use crate::tui::panes::pane::{Context, List, Pane};
use crate::tui::panes::tree_pane::say;
use crate::tui::state::effect::Effect;
use crate::tui::state::selection::Selection;
use crate::tui::ui::frame::Title;
use crate::tui::ui::grid::{Grid, Mark, fill_row};
use crate::tui::ui::list_filter::{ListFilter, RowSource};
use crate::tui::ui::scroll::Scroll;
use crate::tui::ui::text::{fit, put, put_right, width, wrap, wrap_head};
use crate::tui::ui::theme::{Look, Role};
use crate::tui::ui::tree::{DepthTree, Nesting, TreeGrid};

/// How many bytes of a field show beside it.
const BYTES: usize = 4;
/// Numbers up to this width line up on the right.
const NUMBER: usize = 12;

#[derive(Default)]
struct FieldsPane {
    tree: TreeGrid<DepthTree>,
    /// The fields as text, and whose they are.
    rows: Arc<Vec<Row>>,
    of: Option<Place>,
    height: usize,
}

/// What can be named where fields are looked for.
pub(super) const COLUMNS: &[Head] = &[Head::text("field"), Head::text("value"), Head::text("meaning")];

/// A field as text, so much deeper than it is in its record.
pub(super) fn text_of(field: &FieldRow, deeper: u8) -> Row {
    let cells = [&field.name, &field.value, &field.meaning].map(|text| Cell::new(text.as_str()));
    Row { depth: field.depth.saturating_add(deeper), ..Row::plain(cells.into()) }
}

/// Makes one.
pub fn new() -> Box<dyn Pane> {
    Box::new(FieldsPane::default())
}

fn fields<'a>(cx: &Context<'a>) -> Option<&'a Fields> {
    cx.selected.shown()
}

/// Why there is nothing, or what would fill the pane.
fn why_none(cx: &Context<'_>) -> String {
    if let Err(why) = &cx.selected.fields
        && !why.is_empty()
    {
        return why.clone();
    }
    let what = match cx.selected.selection.place {
        Place::Trace => "paste a stack trace: the record of the frame that is chosen is here, field by field",
        Place::Findings => "choose a finding: what is wrong is here, field by field",
        _ => "choose a record: its fields are here, with what they say and what that means",
    };
    what.to_owned()
}

/// How many rows at the top only say what the title says: a group that has all the others in it.
fn hidden(fields: &Fields) -> usize {
    let whole = |row: &FieldRow| row.group && row.depth == 0 && row.span == fields.span;
    usize::from(fields.rows.len() > 1 && fields.rows.first().is_some_and(whole))
}

/// The rows that show.
fn shown(fields: &Fields) -> &[FieldRow] {
    fields.rows.get(hidden(fields)..).unwrap_or_default()
}

/// Which of them has the first byte of `part`.
fn shown_at(fields: &Fields, part: Span) -> Option<usize> {
    fields.at(part).and_then(|index| index.checked_sub(hidden(fields)))
}

/// What there is to say of the field under the cursor, in lines, where there is room for it below the fields: its value where
/// that is cut in its row, and what it is for.
fn about(fields: &Fields, grid: &Grid, columns: &Columns, area: Rect, more: &str) -> Vec<(Role, String)> {
    let Some(row) = grid.row().and_then(|row| shown(fields).get(row)) else { return Vec::new() };
    let (wide, room) = (area.width.saturating_sub(2) as usize, (area.height as usize).saturating_sub(grid.scroll.len));
    let mut lines: Vec<(Role, String)> = Vec::new();
    for (text, cut) in [(&row.value, columns.cuts_value(row, wide)), (&row.meaning, columns.cuts_meaning(row, wide))] {
        if cut && !row.group {
            lines.extend(wrap_head(text, wide).into_iter().map(|line| (Role::Text, line)));
        }
    }
    lines.extend(wrap(row.about, wide).into_iter().filter(|line| !line.is_empty()).map(|line| (Role::Comment, line)));
    if lines.len() > room {
        lines.truncate(room);
        if let Some((_, last)) = lines.last_mut() {
            last.push(' ');
            last.push_str(more);
        }
    }
    lines
}

/// How wide the columns are.
pub(super) struct Columns {
    bytes: usize,
    name: usize,
    value: usize,
    /// How wide the widest number is.
    number: usize,
    /// How many groups do not show.
    outer: u8,
    /// How many bytes of a field show.
    shown: usize,
}

impl Columns {
    pub(super) fn of<'r>(
        rows: &(impl Iterator<Item = &'r FieldRow> + Clone),
        outer: u8,
        room: usize,
        with_bytes: bool,
    ) -> Self {
        let longest = |measure: &dyn Fn(&FieldRow) -> usize| rows.clone().map(measure).max().unwrap_or(0);
        let name = longest(&|row| width(&row.name) + row.depth.saturating_sub(outer) as usize * 2).min(28);
        // Bytes give way to names, values and the beginning of what they mean where there is little room.
        let meaning = longest(&|row| if row.value.is_empty() { 0 } else { width(&row.meaning) });
        let needed = name.min(16) + longest(&|row| if row.group { 0 } else { width(&row.value) }).min(10);
        let needed = needed + meaning.min(8);
        let len = |row: &FieldRow| if row.group || !with_bytes { 0 } else { row.span.len as usize };
        let taken = |shown: usize| {
            let bytes = longest(&|row| len(row).min(shown) * 3).saturating_sub(1);
            if rows.clone().any(|row| len(row) > shown) { bytes + 2 } else { bytes }
        };
        let shown = [BYTES, 2, 1].into_iter().find(|shown| taken(*shown) + needed + 3 <= room).unwrap_or(1);
        let bytes = taken(shown);
        // Names give way too, down to where they still say something.
        let value = longest(&|row| if row.group { 0 } else { width(&row.value) }).min(10);
        let least = if meaning > 0 { room * 3 / 7 } else { 0 };
        let name = name.min(room.saturating_sub(bytes + value + 3 + meaning.min(12)).max(least).max(12));
        // Long values are cut so that what they mean has room; numbers never are.
        let left = room.saturating_sub(bytes + name + 3);
        let number = longest(&|row| if row.group || !is_number(row) { 0 } else { width(&signed(row)) });
        let most = if meaning > 0 { left.saturating_sub(meaning + 1).max(left / 2).max(number) } else { left };
        // A text that means nothing more has the room of what others mean.
        let takes = |row: &FieldRow| !row.group && (!row.meaning.is_empty() || is_number(row));
        let value = longest(&|row| if takes(row) { width(&row.value) + 1 } else { 0 });
        let value = if value == 0 { left } else { value.min(most).min(left) };
        Self { bytes, name, value, number, outer, shown }
    }
}

/// Whether a value lines up with others on the right.
fn is_number(row: &FieldRow) -> bool {
    row.value.starts_with(|c: char| c.is_ascii_digit() || c == '-') && row.value.len() <= NUMBER
}

/// A value; a difference has a sign.
fn signed(row: &FieldRow) -> Cow<'_, str> {
    let grows = row.name.starts_with(['δ', 'Δ']) && is_number(row) && !row.value.starts_with(['-', '0']);
    if grows { format!("+{}", row.value).into() } else { row.value.as_str().into() }
}

/// A row and what is beside it.
pub(super) struct Drawn<'r> {
    pub(super) row: &'r FieldRow,
    pub(super) bytes: String,
    pub(super) hue: Style,
    pub(super) mark: Mark,
}

impl Columns {
    /// Marks what is looked for in a field that was drawn.
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

    /// How many cells a value has.
    fn room(&self, row: &FieldRow, wide: usize) -> usize {
        let from = self.bytes + usize::from(self.bytes > 0) + self.name + 2;
        if row.meaning.is_empty() && !is_number(row) { (wide + 1).saturating_sub(from) } else { self.value }
    }

    /// Whether a value does not fit into its row.
    fn cuts_value(&self, row: &FieldRow, wide: usize) -> bool {
        width(&row.value) > self.room(row, wide)
    }

    /// Whether what a value means does not fit behind it.
    fn cuts_meaning(&self, row: &FieldRow, wide: usize) -> bool {
        self.bytes + self.name + self.value + 3 + width(&row.meaning) > wide + 1
    }

    /// The bytes of a field, as far as they show beside it.
    pub(super) fn bytes_of(&self, row: &FieldRow, cx: &Context<'_>) -> String {
        if self.bytes == 0 {
            return String::new();
        }
        let shown = Span { len: row.span.len.min(self.shown as u64 + 1), ..row.span };
        cx.session.spaces.read(shown).map_or(String::new(), |bytes| spaced_hex(&bytes, self.shown))
    }

    pub(super) fn draw(&self, buf: &mut Buffer, line: Rect, drawn: &Drawn<'_>, look: &Look<'_>) {
        let (Drawn { row, mark, .. }, y, end) = (drawn, line.y, line.right());
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
        let value = signed(row);
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

impl Pane for FieldsPane {
    fn title(&self, cx: &Context<'_>) -> Title {
        let title = Title::new("Fields");
        match fields(cx) {
            Some(fields) if self.tree.grid.scroll.len > self.height && self.height > 0 => {
                let scroll = &self.tree.grid.scroll;
                title.of(fields.title.as_str()).at(format!("{}/{}", scroll.selected + 1, scroll.len))
            }
            Some(fields) => title.of(fields.title.as_str()),
            None => title,
        }
    }

    fn perform(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        let fields = fields(cx)?;
        match action {
            Action::Follow => match shown(fields).get(self.tree.grid.row()?)? {
                FieldRow { to: Some(to), .. } => Some(vec![Effect::Go((*to).into())]),
                _ => self.tree.fold(None).then(Vec::new),
            },
            Action::Toggle => self.tree.fold(None).then(Vec::new),
            Action::Left | Action::Right => self.tree.fold(Some(action == Action::Right)).then(Vec::new),
            Action::ExpandAll | Action::CollapseAll => {
                self.tree.fold_all(action == Action::ExpandAll);
                Some(Vec::new())
            }
            Action::CopyValue => None,
            _ => self.tree.grid.scroll.move_cursor(action, count).then(Vec::new),
        }
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        let Some(fields) = fields(cx) else { return };
        let place = cx.selected.selection.place;
        if self.of != Some(place) {
            self.of = Some(place);
            self.rows = Arc::new(shown(fields).iter().map(|field| text_of(field, 0)).collect());
            let tree = Arc::new(DepthTree::of(self.rows.iter().map(|row| row.depth)));
            self.tree = TreeGrid { tree, ..TreeGrid::default() };
            // What a row leads to, and what stands elsewhere, unfolds.
            let elsewhere = |row: &FieldRow| row.group && row.depth == 0 && !fields.span.covers(row.span);
            if matches!(place, Place::Row(..)) {
                let rows = shown(fields).iter().enumerate();
                self.tree.folds.closed = rows.filter(|(_, row)| elsewhere(row)).map(|(index, _)| index).collect();
            }
            self.tree.update_rows();
            self.tree.grid.scroll.set_height(self.height);
        }
        let part = cx.selected.selection.part.and_then(|part| shown_at(fields, part));
        let first = shown(fields).iter().position(|row| !row.group).unwrap_or(0);
        match part {
            Some(part) => self.tree.reveal(part),
            None => {
                let grid = &mut self.tree.grid;
                grid.scroll.select(grid.list_filter.nearest(first));
                grid.scroll.top = 0;
            }
        }
    }

    fn resize(&mut self, size: Size, _: &Context<'_>) {
        self.height = size.height as usize;
        self.tree.grid.scroll.set_height(self.height);
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let look = &cx.look;
        let Some(fields) = fields(cx) else {
            say(buf, area, &why_none(cx), cx);
            return None;
        };
        let rows = shown(fields);
        // Of facts the bytes only show what is meant.
        let with_bytes = cx.selected.fields.is_ok();
        let room = area.width.saturating_sub(2) as usize;
        // What is folded away takes no room.
        let folded = |index: usize| {
            let mut up = std::iter::successors(self.tree.tree.parent(index), |row| self.tree.tree.parent(*row));
            !self.tree.folds.closed.is_empty() && up.any(|row| !self.tree.is_open(row))
        };
        let open = rows.iter().enumerate().filter(|(index, _)| !folded(*index)).map(|(_, row)| row);
        let columns = Columns::of(&open, hidden(fields) as u8, room, with_bytes);
        let mut cursor = None;
        let part = cx.selected.selection.part.and_then(|part| shown_at(fields, part));
        let grid = &self.tree.grid;
        for (line, at) in grid.scroll.window().enumerate() {
            let (Some(index), y) = (grid.list_filter.row(at), area.y + line as u16) else { break };
            let Some(row) = rows.get(index).filter(|_| y < area.bottom()) else { break };
            let mark = match at == grid.scroll.selected {
                true if look.focused => Mark::Cursor,
                true if part == Some(index) => Mark::Linked,
                _ => Mark::None,
            };
            let line = Rect { y, height: 1, ..area };
            fill_row(buf, line, mark, look);
            if mark == Mark::Cursor {
                cursor = Some(Position::new(area.x, y));
            }
            let leaf = rows.iter().take(index).filter(|row| !row.group).count();
            let hue = look.theme.field(leaf);
            columns.draw(buf, line, &Drawn { row, bytes: columns.bytes_of(row, cx), hue, mark }, look);
            if row.group && !self.tree.is_open(index) {
                let x = area.x + 1 + u16::from(row.depth.saturating_sub(columns.outer)) * 2;
                let text = format!("{} {}", look.glyphs.closed, row.name);
                put(buf, x, y, area.right(), &text, mark.apply(look.theme.of(Role::Text), look, false), look.glyphs);
            }
            columns.mark(buf, line, row, &grid.list_filter, look);
        }
        if let Some(error) = &fields.error {
            let y = area.y + grid.scroll.window().len() as u16;
            if y < area.bottom() {
                let text = format!("{} {error}", look.glyphs.bad);
                put(buf, area.x + 1, y, area.right(), &text, look.theme.of(Role::Bad), look.glyphs);
            }
        }
        let lines = about(fields, grid, &columns, area, look.glyphs.more);
        let top = area.bottom().saturating_sub(lines.len() as u16);
        for (line, (role, text)) in lines.iter().enumerate() {
            put(buf, area.x + 1, top + line as u16, area.right(), text, look.theme.of(*role), look.glyphs);
        }
        cursor
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        let row = shown(fields(cx)?).get(self.tree.grid.row()?)?;
        let part = Some(row.span).filter(|span| !span.is_empty());
        Some(Selection { part, ..cx.selected.selection })
    }

    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let scroll = &mut self.tree.grid.scroll;
        let line = scroll.top + at.y.saturating_sub(area.y) as usize;
        if fields(cx).is_none() || line >= scroll.len {
            return false;
        }
        scroll.selected = line;
        true
    }

    fn list(&self) -> Option<&dyn List> {
        Some(self)
    }

    fn list_mut(&mut self) -> Option<&mut dyn List> {
        Some(self)
    }
}

impl List for FieldsPane {
    fn parts(&self) -> (&Scroll, &ListFilter) {
        self.tree.grid.parts()
    }

    fn parts_mut(&mut self) -> (&mut Scroll, &mut ListFilter) {
        self.tree.grid.parts_mut()
    }

    fn row_source(&self, _: &Context<'_>) -> Option<RowSource> {
        let rows = Arc::clone(&self.rows);
        Some(Arc::new(move |_| Some(Rows::shared(COLUMNS, &rows))))
    }

    fn apply_filter(&mut self, another: bool, _: &Context<'_>) {
        if another { self.tree.filter_changed() } else { self.tree.update_rows() }
    }
}
