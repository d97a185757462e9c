//! The records pane: one record, or all records of a list, with their fields.

use pdblens_nodes as nodes;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::panes::field_columns::{COLUMNS, DrawnField, FieldColumns, text_of};
use crate::panes::pane::{Context, List, Pane};
use crate::state::effect::Effect;
use crate::state::paths::no_image;
use crate::state::selection::Selection;
use crate::ui::frame::Title;
use crate::ui::full_text;
use crate::ui::grid::{Mark, fill_row};
use crate::ui::list_filter::{ListFilter, RowSource};
use crate::ui::scroll::Scroll;
use crate::ui::text::{put, put_note, wrap};
use crate::ui::theme::{Look, Role};
use crate::ui::tree::{DepthTree, TreeGrid};
use pdblens_nodes::PePart;
use pdblens_nodes::Place;
use pdblens_nodes::fields::{FieldRow, Fields};
use pdblens_nodes::rows::{Row, Rows};
use pdblens_session::session::Session;
use pdblens_session::text::safe::visible;

const MAX_RECORDS: usize = 2000;
/// Records that determine the widths of the columns.
const MAX_MEASURED: usize = 64;

#[derive(Default)]
struct RecordPane {
    of: Option<Place>,
    /// True if an index is still required.
    waits: bool,
    members: Vec<(Place, Fields)>,
    /// The lines: index of the record, and of its field; `None` for the title of the record.
    lines: Vec<(usize, Option<usize>)>,
    /// The lines as text, for searching.
    rows: Arc<Vec<Row>>,
    /// Fields in their groups and records.
    tree: TreeGrid<DepthTree>,
    height: usize,
}

#[allow(missing_docs)]
pub fn new() -> Box<dyn Pane> {
    Box::new(RecordPane::default())
}

/// The places of the records: the place itself, or the members of a list.
fn members(session: &Session, place: Place) -> Vec<Place> {
    let Some(pe) = session.image().map(|image| &image.pe) else { return vec![place] };
    let parts: Vec<PePart> = match place {
        Place::PePart(PePart::DebugDirectory) => (0..pe.debug.len()).map(|index| PePart::Debug(index as u16)).collect(),
        Place::PePart(PePart::Sections) => (0..pe.sections.len()).map(|index| PePart::Section(index as u16)).collect(),
        Place::PePart(PePart::Directories) => {
            (0..pe.directories.len()).map(|index| PePart::Directory(index as u8)).collect()
        }
        Place::Pe => vec![PePart::Dos, PePart::Coff, PePart::Optional],
        Place::PePart(PePart::Imports | PePart::DelayImports | PePart::Exports | PePart::Resources) => {
            let entries = nodes::rows(session, place);
            return entries.iter().flat_map(Rows::iter).take(MAX_RECORDS).filter_map(|row| row.place).collect();
        }
        _ => return vec![place],
    };
    parts.into_iter().take(MAX_RECORDS).map(Place::PePart).collect()
}

impl RecordPane {
    fn load(&mut self, place: Place, cx: &Context<'_>) {
        if self.of == Some(place) && cx.selected.required_index.is_none() && !self.waits {
            return;
        }
        (self.of, self.waits) = (Some(place), cx.selected.required_index.is_some());
        self.members = match place {
            Place::Pe | Place::PePart(_) => {
                let found = members(cx.session, place).into_iter();
                found.filter_map(|member| Some((member, nodes::fields(cx.session, member)?))).collect()
            }
            // A byte of a section may belong to any record.
            _ => cx.selected.shown().map(|fields| (place, fields.clone())).into_iter().collect(),
        };
        let titled = self.members.len() > 1;
        self.lines.clear();
        for (index, (_, fields)) in self.members.iter().enumerate() {
            if titled {
                self.lines.push((index, None));
            }
            // The outermost group only repeats the title.
            let rows = fields.rows.iter().enumerate().filter(|(at, row)| !(*at == 0 && row.group && row.depth == 0));
            self.lines.extend(rows.map(|(at, _)| (index, Some(at))));
        }
        let rows = (0..self.lines.len()).map(|line| match (self.row(line), titled) {
            (Some((_, field)), titled) => text_of(field, u8::from(titled)),
            (None, _) => Row::plain(vec![self.name(self.lines[line].0).into()]),
        });
        self.rows = Arc::new(rows.collect());
        self.tree =
            TreeGrid { tree: Arc::new(DepthTree::of(self.rows.iter().map(|row| row.depth))), ..TreeGrid::default() };
        self.tree.update_rows();
        self.tree.grid.scroll.set_height(self.height);
        self.tree.grid.reveal(self.first_field(0));
        self.tree.grid.scroll.top = 0;
    }

    /// The field of the cursor; `None` on the title of a record.
    fn chosen(&self) -> Option<(Place, &FieldRow)> {
        self.row(self.tree.grid.row()?)
    }

    /// The record of the cursor.
    fn record(&self) -> Option<usize> {
        Some(self.lines.get(self.tree.grid.row()?)?.0)
    }

    /// The first field at or after a line.
    fn first_field(&self, from: usize) -> usize {
        let field = |index: &usize| self.row(*index).is_some_and(|(_, row)| !row.group);
        (from..self.lines.len()).find(field).unwrap_or(from)
    }

    fn row(&self, line: usize) -> Option<(Place, &FieldRow)> {
        let (record, row) = self.lines.get(line)?;
        let (place, fields) = self.members.get(*record)?;
        Some((*place, fields.rows.get((*row)?)?))
    }

    /// The title of a record, without the path of its list.
    fn name(&self, record: usize) -> String {
        let Some((place, fields)) = self.members.get(record) else { return String::new() };
        let title = fields.title.strip_prefix("pe/").unwrap_or(&fields.title);
        match place {
            Place::PePart(PePart::Debug(index)) => {
                format!("{index}  {}", title.split_once(" · ").map_or(title, |(_, name)| name))
            }
            _ => title.to_owned(),
        }
    }
}

impl RecordPane {
    /// Draws the sentence about the field of the cursor where there is room; a value that its row cuts shows in full before it.
    fn draw_sentence(&self, buf: &mut Buffer, area: Rect, cursor: Option<Position>, look: &Look<'_>) {
        let sentence = self.chosen().map_or("", |(_, row)| row.about);
        let row = cursor.zip(self.chosen());
        let full = row.and_then(|(at, (_, row))| cut_field(buf, Rect { y: at.y, height: 1, ..area }, row));
        if let Some((at, full)) = cursor.zip(full) {
            let texts: Vec<String> = [full, sentence.to_owned()].into_iter().filter(|text| !text.is_empty()).collect();
            return full_text::draw(buf, (area, area.y.saturating_sub(1)), at.y, &texts, look);
        }
        let lines =
            if sentence.is_empty() { Vec::new() } else { wrap(sentence, area.width.saturating_sub(2) as usize) };
        if self.tree.grid.scroll.len + lines.len() <= area.height as usize {
            let top = area.bottom() - lines.len() as u16;
            for (line, text) in lines.iter().enumerate() {
                put(buf, area.x + 1, top + line as u16, area.right(), text, look.theme.of(Role::Comment), look.glyphs);
            }
        }
    }
}

impl Pane for RecordPane {
    fn title(&self, _: &Context<'_>) -> Title {
        let title = match self.members.as_slice() {
            [(_, fields)] => Title::new("Fields").of(fields.title.as_str()),
            _ => Title::new("Fields").of(self.of.map(|place| place.to_string()).unwrap_or_default()),
        };
        let scroll = &self.tree.grid.scroll;
        let long = scroll.len > self.height && self.height > 0;
        if long { title.at(format!("{}/{}", scroll.selected + 1, scroll.len)) } else { title }
    }

    fn perform(&mut self, action: Action, count: Option<usize>, _: &Context<'_>) -> Option<Vec<Effect>> {
        match action {
            Action::Follow => {
                let to = match self.chosen() {
                    Some((_, row)) => row.to?,
                    None => self.members.get(self.record()?)?.0,
                };
                Some(vec![Effect::Go(to.into())])
            }
            // Moves between records.
            Action::Left | Action::Right if self.members.len() > 1 => {
                let (at, grid) = (self.record()?, &mut self.tree.grid);
                let record = |line: usize| Some(self.lines.get(grid.list_filter.row(line)?)?.0);
                // The first line of the previous or the next record with visible lines.
                let other = |line: &usize| {
                    record(*line).is_some_and(|to| if action == Action::Left { to < at } else { to > at })
                };
                let mut lines = 0..grid.scroll.len;
                let to = record(if action == Action::Left { lines.rfind(other) } else { lines.find(other) }?)?;
                let line = (0..grid.scroll.len).find(|line| record(*line) == Some(to))?;
                grid.scroll.select(line + 1);
                grid.scroll.top = line.min(grid.scroll.len.saturating_sub(self.height));
                Some(Vec::new())
            }
            Action::CopyValue => None,
            _ => self.tree.grid.scroll.move_cursor(action, count).then(Vec::new),
        }
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        let selection = cx.selected.selection;
        let place = selection.place;
        // A member of the shown list is selected there.
        let member = self.members.iter().position(|(member, _)| *member == place && self.members.len() > 1);
        let keep = selection.part.is_some() && member.is_some();
        if !keep {
            self.load(place, cx);
        }
        if let Some(part) = selection.part {
            let is_it = |line: &usize| {
                self.row(*line).is_some_and(|(of, row)| {
                    of == place && !row.group && row.span.contains(part.start) && row.span.space == part.space
                })
            };
            if let Some(line) = (0..self.lines.len()).rfind(is_it) {
                self.tree.grid.scroll.select(self.tree.grid.list_filter.nearest(line));
            }
        }
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.height = size.height as usize;
        self.tree.grid.scroll.set_height(self.height);
        self.show_selection(cx);
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let look = &cx.look;
        if self.lines.is_empty() {
            if cx.session.image().is_none() {
                return no_image().draw(area, buf, look, &|action| cx.keys(action));
            }
            let why = self.of.map_or_else(String::new, |place| nodes::absence(cx.session, place));
            put_note(buf, area, &why, &cx.look);
            return None;
        }
        let outer = |fields: &Fields| u8::from(fields.rows.first().is_some_and(|row| row.group && row.depth == 0));
        let measured = self.members.iter().take(MAX_MEASURED);
        let rows = measured.clone().flat_map(|(_, fields)| &fields.rows);
        let hidden = measured.map(|(_, fields)| outer(fields)).min().unwrap_or(0);
        let columns = FieldColumns::of(&rows, hidden, area.width.saturating_sub(2) as usize, true);
        let mut cursor = None;
        let grid = &self.tree.grid;
        for (line, index) in grid.scroll.window().enumerate() {
            let (Some(row), y) = (grid.list_filter.row(index), area.y + line as u16) else { break };
            let Some((record, at)) = self.lines.get(row).copied() else { break };
            let Some((_, fields)) = self.members.get(record).filter(|_| y < area.bottom()) else { break };
            let aside = grid.list_filter.is_context_row(row);
            let mark = match index == grid.scroll.selected {
                true if look.focused => Mark::Cursor,
                true if cx.selected.selection.part.is_some() => Mark::Related,
                _ => Mark::None,
            };
            let whole = Rect { y, height: 1, ..area };
            fill_row(buf, whole, mark, look);
            if mark == Mark::Cursor {
                cursor = Some(Position::new(area.x, y));
            }
            let Some((at, row)) = at.and_then(|at| Some((at, fields.rows.get(at)?))) else {
                let role = if aside { Role::Dim } else { Role::Strong };
                let style = mark.apply(look.theme.of(role), look, false);
                put(buf, area.x + 1, y, area.right(), &self.name(record), style, look.glyphs);
                grid.list_filter.highlight(buf, whole, Some(0), look);
                continue;
            };
            let leaf = fields.rows.iter().take(at).filter(|row| !row.group).count();
            let drawn = DrawnField { row, bytes: columns.bytes_of(row, cx), hue: look.theme.field(leaf), mark };
            columns.draw(buf, whole, &drawn, look);
            columns.mark(buf, whole, row, &grid.list_filter, look);
        }
        self.draw_sentence(buf, area, cursor, look);
        cursor
    }

    fn selection(&self, _: &Context<'_>) -> Option<Selection> {
        match self.chosen() {
            Some((place, row)) => Some(Selection { place, part: Some(row.span) }),
            None => Some(self.members.get(self.record()?)?.0.into()),
        }
    }

    fn click(&mut self, at: Position, area: Rect, _: &Context<'_>) -> bool {
        let scroll = &mut self.tree.grid.scroll;
        let line = scroll.top + at.y.saturating_sub(area.y) as usize;
        if line >= scroll.len {
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

    fn copied_text(&self, action: Action, _: &Context<'_>) -> Option<String> {
        let (_, row) = self.chosen()?;
        match action {
            Action::CopyValue => Some(row.value.clone()),
            Action::CopyRow => Some([row.name.as_str(), &row.value, &row.meaning].join("\t")),
            _ => None,
        }
    }
}

/// The text of a field, where the row that it was drawn in does not show all of it.
fn cut_field(buf: &Buffer, whole: Rect, row: &FieldRow) -> Option<String> {
    let drawn: String = (whole.x..whole.right()).map(|x| buf[(x, whole.y)].symbol()).collect();
    let parts = [&*row.name, &*row.value, &*row.meaning].map(|part| visible(part.trim()));
    let is_cut = parts.iter().any(|part| !drawn.contains(&**part));
    is_cut.then(|| format!("{}: {} {}", parts[0], parts[1], parts[2]))
}

impl List for RecordPane {
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
