//! Panes of fields, with bytes, name, value, meaning and explanation: those of the selected record, and those of all records of a list.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::engine::action::Action;
use crate::panes::field_list::{COLUMNS, drawn, field_row, painted};
use crate::panes::list_pane::{self, Shows};
use crate::panes::pane::{Context, Pane};
use crate::state::effect::Effect;
use crate::state::paths::no_image;
use crate::state::selection::Selection;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::text::{put_lines, wrap};
use crate::ui::theme::{Look, Role};
use crate::ui::tree::{DepthTree, ListState};
use pdblens_nodes::fields::{FieldRow, Fields};
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{self as nodes, PePart, Place};
use pdblens_session::session::Session;

const MAX_RECORDS: usize = 2000;

#[derive(Default)]
struct RecordPane {
    /// True to show all records of a list, where the selection is one.
    lists: bool,
    /// The place that is shown, once it has fields.
    of: Option<Place>,
    /// True if an index is still required.
    waits: bool,
    members: Vec<(Place, Fields)>,
    /// The lines: index of the record, and of its field; `None` for the title of the record.
    lines: Vec<(usize, Option<usize>)>,
    rows: Arc<Vec<Row>>,
}

/// The Fields pane, of the selected record.
pub fn fields() -> Box<dyn Pane> {
    pane(RecordPane::default())
}

/// The Records pane, of a record or of all records of a list.
pub fn new() -> Box<dyn Pane> {
    pane(RecordPane { lists: true, ..RecordPane::default() })
}

fn pane(record: RecordPane) -> Box<dyn Pane> {
    list_pane::new(grid(), record)
}

fn grid() -> Grid {
    Grid { headless: true, ..Grid::default() }
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

fn empty_text(cx: &Context<'_>) -> String {
    if let Err(why) = &cx.selected.fields
        && !why.is_empty()
    {
        return why.clone();
    }
    let what = match cx.selected.selection.place {
        Place::Trace => "No fields: paste a stack trace and select a frame",
        Place::Findings => "No fields: select a finding",
        _ => "No fields for this row",
    };
    what.to_owned()
}

/// Rows at the top that only repeat the title: a group that contains all others.
fn hidden(fields: &Fields) -> usize {
    let whole = |row: &FieldRow| row.group && row.depth == 0 && row.span == fields.span;
    usize::from(fields.rows.len() > 1 && fields.rows.first().is_some_and(whole))
}

impl RecordPane {
    /// Shows other records.
    fn take(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let (place, waits) = (cx.selected.selection.place, cx.selected.required_index.is_some());
        if self.of == Some(place) && !waits && !self.waits {
            return;
        }
        self.members = match place {
            Place::Pe | Place::PePart(_) if self.lists => {
                let found = members(cx.session, place).into_iter();
                found.filter_map(|member| Some((member, nodes::fields(cx.session, member)?))).collect()
            }
            // A byte of a section may belong to any record.
            _ => cx.selected.shown().map(|fields| (place, fields.clone())).into_iter().collect(),
        };
        (self.of, self.waits) = (if self.members.is_empty() { None } else { Some(place) }, waits);
        let titled = self.members.len() > 1;
        self.lines.clear();
        for (index, (_, fields)) in self.members.iter().enumerate() {
            if titled {
                self.lines.push((index, None));
            }
            self.lines.extend((hidden(fields)..fields.rows.len()).map(|at| (index, Some(at))));
        }
        let outer = self.members.iter().map(|(_, fields)| hidden(fields)).min().unwrap_or(0) as u8;
        // Facts are shown without bytes.
        let with_bytes = self.lists || cx.selected.fields.is_ok();
        let rows = (0..self.lines.len()).map(|line| match self.row(line) {
            Some((_, field)) => field_row(field, outer, cx.session, with_bytes),
            None => Row::plain(vec![Cell::toned(self.name(self.lines[line].0), Tone::Strong)]),
        });
        let depth = |line: usize| self.row(line).map_or(0, |(_, field)| field.depth.saturating_add(u8::from(titled)));
        let nested = DepthTree::of((0..self.lines.len()).map(depth));
        self.rows = Arc::new(rows.collect());
        let height = list.grid.scroll.height;
        *list = ListState { size: list.size, ..ListState::new(grid()) };
        list.set_tree(Arc::new(nested));
        list.grid.scroll.set_height(height);
        if let (Place::Row(..), [(_, fields)]) = (place, self.members.as_slice()) {
            // Groups that lie outside of the row are collapsed at first.
            let elsewhere = |row: &FieldRow| row.group && row.depth == 0 && !fields.span.covers(row.span);
            let lines = (0..self.lines.len()).filter(|line| self.row(*line).is_some_and(|(_, row)| elsewhere(row)));
            list.folds.closed = lines.collect();
            list.update_rows();
        }
        self.show_first(list);
    }

    /// Moves the cursor to the first field, which is shown from the top of the list.
    fn show_first(&self, list: &mut ListState) {
        let is_field = |line: &usize| self.row(*line).is_some_and(|(_, row)| !row.group);
        let first = (0..self.lines.len()).find(is_field).unwrap_or(0);
        let grid = &mut list.grid;
        grid.scroll.select(grid.list_filter.nearest(first));
        grid.scroll.top = 0;
    }

    /// The field of the cursor; `None` on the title of a record.
    fn chosen(&self, list: &ListState) -> Option<(Place, &FieldRow)> {
        self.row(list.grid.row()?)
    }

    fn record(&self, list: &ListState) -> Option<usize> {
        Some(self.lines.get(list.grid.row()?)?.0)
    }

    fn row(&self, line: usize) -> Option<(Place, &FieldRow)> {
        let (record, row) = self.lines.get(line)?;
        let (place, fields) = self.members.get(*record)?;
        Some((*place, fields.rows.get((*row)?)?))
    }

    /// The line of the field of a record that contains the first byte of the selected part.
    fn line_of(&self, selection: Selection) -> Option<usize> {
        let record = self.members.iter().position(|(place, _)| *place == selection.place)?;
        let field = self.members.get(record)?.1.at(selection.part?)?;
        self.lines.iter().position(|line| *line == (record, Some(field)))
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

    /// Text below the fields, where there is space: without the focus the texts that are cut, then the explanation of the field.
    fn about(&self, area: Rect, list: &ListState, look: &Look<'_>) -> Vec<(String, Role)> {
        let Some((_, row)) = self.chosen(list) else { return Vec::new() };
        let wide = area.width.saturating_sub(2) as usize;
        let room = (area.height as usize).saturating_sub(list.grid.scroll.len);
        let mut lines: Vec<(String, Role)> = Vec::new();
        if !look.focused {
            let cut = list.grid.cut_texts(&drawn(&self.rows, list, look), area, look);
            lines.extend(cut.iter().flat_map(|text| wrap(text, wide)).map(|line| (line, Role::Text)));
        }
        lines.extend(row.drawn_bits().into_iter().map(|(bits, text)| (format!("{bits}  {text}"), Role::Dim)));
        let sentence = wrap(row.about, wide).into_iter().filter(|line| !line.is_empty());
        lines.extend(sentence.map(|line| (line, Role::Comment)));
        if lines.len() > room {
            lines.truncate(room);
            if let Some((last, _)) = lines.last_mut() {
                last.push(' ');
                last.push_str(look.glyphs.more);
            }
        }
        lines
    }
}

impl Shows for RecordPane {
    fn title(&self, list: &ListState, cx: &Context<'_>) -> Title {
        let title = match self.members.as_slice() {
            [(_, fields)] => Title::new("Fields").of(&fields.title),
            _ if self.lists => Title::new("Fields").of(self.of.unwrap_or(cx.selected.selection.place).to_string()),
            _ => return Title::new("Fields"),
        };
        let scroll = &list.grid.scroll;
        let is_long = scroll.len > scroll.height && scroll.height > 0;
        if is_long { title.at(format!("{}/{}", scroll.selected + 1, scroll.len)) } else { title }
    }

    fn load(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let selection = cx.selected.selection;
        // A member of the shown list is selected there.
        let is_member = self.members.len() > 1 && self.members.iter().any(|(member, _)| *member == selection.place);
        if selection.part.is_none() || !is_member {
            self.take(list, cx);
        }
    }

    fn rows<'c>(&'c self, list: &'c ListState, cx: &Context<'c>) -> Option<Rows<'c>> {
        Some(drawn(&self.rows, list, &cx.look))
    }

    fn made(&self) -> Option<(&'static [Head], &Arc<Vec<Row>>)> {
        Some((COLUMNS, &self.rows))
    }

    fn empty(&self, _: &ListState, cx: &Context<'_>) -> Option<EmptyState> {
        let is_of_image = self.lists && cx.session.image().is_none();
        self.lines.is_empty().then(|| match cx.selected.selection.place {
            _ if is_of_image => no_image(),
            place if self.lists => nodes::absence(cx.session, place).into(),
            _ => empty_text(cx).into(),
        })
    }

    fn perform(&mut self, action: Action, list: &mut ListState, _: &Context<'_>) -> Option<Vec<Effect>> {
        match action {
            Action::Follow => {
                let to = match self.chosen(list) {
                    Some((_, row)) => row.to,
                    None => Some(self.members.get(self.record(list)?)?.0),
                };
                to.map(|to| vec![Effect::Go(to.into())])
            }
            // Moves between records.
            Action::Left | Action::Right if self.members.len() > 1 => {
                let (at, grid) = (self.record(list)?, &mut list.grid);
                let record = |line: usize| Some(self.lines.get(grid.list_filter.row(line)?)?.0);
                // The first line of the previous or the next record with visible lines.
                let other = |line: &usize| {
                    record(*line).is_some_and(|to| if action == Action::Left { to < at } else { to > at })
                };
                let mut lines = 0..grid.scroll.len;
                let to = if action == Action::Left { lines.rfind(other) } else { lines.find(other) };
                let to = to.and_then(record);
                if let Some(line) = to.and_then(|to| (0..grid.scroll.len).find(|line| record(*line) == Some(to))) {
                    grid.scroll.select(line + 1);
                    grid.scroll.top = line.min(grid.scroll.len.saturating_sub(grid.scroll.height));
                }
                Some(Vec::new())
            }
            _ => None,
        }
    }

    fn show(&mut self, list: &mut ListState, cx: &Context<'_>) {
        match self.line_of(cx.selected.selection) {
            Some(line) => list.reveal(line),
            None if self.lists => {}
            None => self.show_first(list),
        }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, list: &ListState, cx: &Context<'_>) -> Option<Position> {
        let look = &cx.look;
        let leaf = |line: usize| match self.lines.get(line) {
            Some((record, Some(at))) => {
                let fields = self.members.get(*record).map_or(&[][..], |(_, fields)| &fields.rows);
                fields.iter().take(*at).filter(|row| !row.group).count()
            }
            _ => 0,
        };
        let about = self.about(area, list, look);
        let upper = Rect { height: area.height.saturating_sub(about.len() as u16), ..area };
        let selected = cx.selected.selection;
        let is_elsewhere = !self.lists && self.line_of(selected) != list.grid.row();
        let grid = Grid { idle: selected.part.is_none() || is_elsewhere, ..list.grid.clone() };
        let has_colours = |row| look.theme.colors_on_cursor || !look.focused || grid.row() != Some(row);
        let paint = |(row, column): (usize, usize), cell: &Cell, text: &str, style: Style| {
            if has_colours(row) { painted(column, &|| leaf(row), (cell, text, style), look) } else { None }
        };
        let cursor = grid.draw(buf, upper, &drawn(&self.rows, list, look), look, &|_, _| false, &paint);
        if let [(_, Fields { error: Some(error), .. })] = self.members.as_slice() {
            let rows = (grid.scroll.window().len() as u16).min(area.height);
            let below = Rect { y: area.y + rows, height: area.height - rows, ..area };
            put_lines(buf, below, 1, [(format!("{} {error}", look.glyphs.bad), Role::Bad)], look);
        }
        put_lines(buf, Rect { y: upper.bottom(), height: about.len() as u16, ..area }, 1, about, look);
        cursor
    }

    fn selection(&self, list: &ListState, _: &Context<'_>) -> Option<Selection> {
        match self.chosen(list) {
            // In a list, also a field without bytes keeps the list.
            Some((place, row)) => {
                Some(Selection { place, part: Some(row.span).filter(|span| self.lists || !span.is_empty()) })
            }
            None => Some(self.members.get(self.record(list)?)?.0.into()),
        }
    }

    fn copied(&self, action: Action, list: &ListState, _: &Context<'_>) -> Option<String> {
        let (_, row) = self.chosen(list).filter(|_| self.lists)?;
        match action {
            Action::CopyValue => Some(row.value.clone()),
            Action::CopyRow => Some([row.name.as_str(), &row.value, &row.meaning].join("\t")),
            _ => None,
        }
    }
}
