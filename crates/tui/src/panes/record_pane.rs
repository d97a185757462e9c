//! Panes of fields, with bytes, name, value, meaning and explanation: those of the selected record, and those of all records of a list.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::panes::field_list::{FieldList, field_row};
use crate::panes::pane::{Context, Pane, ability};
use crate::state::effect::Effect;
use crate::state::paths::no_image;
use crate::state::selection::Selection;
use crate::ui::frame::Title;
use crate::ui::text::{put_lines, put_note, wrap};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::fields::{FieldRow, Fields};
use pdblens_nodes::rows::{Cell, Row, Rows, Tone};
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
    list: FieldList,
}

/// The Fields pane, of the selected record.
pub fn fields() -> Box<dyn Pane> {
    Box::new(RecordPane::default())
}

/// The Records pane, of a record or of all records of a list.
pub fn new() -> Box<dyn Pane> {
    Box::new(RecordPane { lists: true, ..RecordPane::default() })
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
    fn load(&mut self, cx: &Context<'_>) {
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
        let (rows, depths) = (rows.collect(), (0..self.lines.len()).map(depth).collect::<Vec<u8>>());
        self.list.set(rows, depths.into_iter());
        if let (Place::Row(..), [(_, fields)]) = (place, self.members.as_slice()) {
            // Groups that lie outside of the row are collapsed at first.
            let elsewhere = |row: &FieldRow| row.group && row.depth == 0 && !fields.span.covers(row.span);
            let lines = (0..self.lines.len()).filter(|line| self.row(*line).is_some_and(|(_, row)| elsewhere(row)));
            self.list.tree.folds.closed = lines.collect();
            self.list.tree.update_rows();
        }
        self.show_first();
    }

    /// Moves the cursor to the first field, which is shown from the top of the list.
    fn show_first(&mut self) {
        let is_field = |line: &usize| self.row(*line).is_some_and(|(_, row)| !row.group);
        let first = (0..self.lines.len()).find(is_field).unwrap_or(0);
        let grid = &mut self.list.tree.grid;
        grid.scroll.select(grid.list_filter.nearest(first));
        grid.scroll.top = 0;
    }

    /// The field of the cursor; `None` on the title of a record.
    fn chosen(&self) -> Option<(Place, &FieldRow)> {
        self.row(self.list.tree.grid.row()?)
    }

    fn record(&self) -> Option<usize> {
        Some(self.lines.get(self.list.tree.grid.row()?)?.0)
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
    fn about(&self, area: Rect, look: &Look<'_>) -> Vec<(String, Role)> {
        let Some((_, row)) = self.chosen() else { return Vec::new() };
        let wide = area.width.saturating_sub(2) as usize;
        let room = (area.height as usize).saturating_sub(self.list.tree.grid.scroll.len);
        let mut lines: Vec<(String, Role)> = Vec::new();
        if !look.focused {
            let cut = self.list.cut_texts(area.width, look);
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

impl Pane for RecordPane {
    fn title(&self, cx: &Context<'_>) -> Title {
        match self.members.as_slice() {
            [(_, fields)] => self.list.title(&fields.title),
            _ if self.lists => self.list.title(&self.of.unwrap_or(cx.selected.selection.place).to_string()),
            _ => Title::new("Fields"),
        }
    }

    fn perform(&mut self, action: Action, count: Option<usize>, _: &Context<'_>) -> Option<Vec<Effect>> {
        match action {
            Action::Follow => {
                let to = match self.chosen() {
                    Some((_, row)) => row.to,
                    None => Some(self.members.get(self.record()?)?.0),
                };
                match to {
                    Some(to) => Some(vec![Effect::Go(to.into())]),
                    None => self.list.tree.fold(None).then(Vec::new),
                }
            }
            // Moves between records.
            Action::Left | Action::Right if self.members.len() > 1 => {
                let (at, grid) = (self.record()?, &mut self.list.tree.grid);
                let record = |line: usize| Some(self.lines.get(grid.list_filter.row(line)?)?.0);
                // The first line of the previous or the next record with visible lines.
                let other = |line: &usize| {
                    record(*line).is_some_and(|to| if action == Action::Left { to < at } else { to > at })
                };
                let mut lines = 0..grid.scroll.len;
                let to = record(if action == Action::Left { lines.rfind(other) } else { lines.find(other) }?)?;
                let line = (0..grid.scroll.len).find(|line| record(*line) == Some(to))?;
                grid.scroll.select(line + 1);
                grid.scroll.top = line.min(grid.scroll.len.saturating_sub(grid.scroll.height));
                Some(Vec::new())
            }
            Action::Left | Action::Right => self.list.tree.fold(Some(action == Action::Right)).then(Vec::new),
            Action::ExpandAll | Action::CollapseAll => {
                self.list.tree.fold_all(action == Action::ExpandAll);
                Some(Vec::new())
            }
            Action::CopyValue => None,
            _ => self.list.tree.grid.scroll.move_cursor(action, count).then(Vec::new),
        }
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        let selection = cx.selected.selection;
        // A member of the shown list is selected there.
        let is_member = self.members.len() > 1 && self.members.iter().any(|(member, _)| *member == selection.place);
        if selection.part.is_none() || !is_member {
            self.load(cx);
        }
        match self.line_of(selection) {
            Some(line) => self.list.tree.reveal(line),
            None if self.lists => {}
            None => self.show_first(),
        }
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.list.tree.grid.scroll.set_height(size.height.into());
        if self.lists {
            self.show_selection(cx);
        }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let (look, grid) = (&cx.look, &self.list.tree.grid);
        if self.lines.is_empty() {
            if self.lists && cx.session.image().is_none() {
                return no_image().draw(area, buf, look, &|action| cx.keys(action));
            }
            let place = cx.selected.selection.place;
            let why = if self.lists { nodes::absence(cx.session, place) } else { empty_text(cx) };
            put_note(buf, area, &why, look);
            return None;
        }
        let leaf = |line: usize| match self.lines.get(line) {
            Some((record, Some(at))) => {
                let fields = self.members.get(*record).map_or(&[][..], |(_, fields)| &fields.rows);
                fields.iter().take(*at).filter(|row| !row.group).count()
            }
            _ => 0,
        };
        let about = self.about(area, look);
        let list = Rect { height: area.height.saturating_sub(about.len() as u16), ..area };
        let selected = cx.selected.selection;
        let is_elsewhere = !self.lists && self.line_of(selected) != grid.row();
        let cursor = self.list.draw(buf, list, &leaf, selected.part.is_none() || is_elsewhere, look);
        if let [(_, Fields { error: Some(error), .. })] = self.members.as_slice() {
            let rows = (grid.scroll.window().len() as u16).min(area.height);
            let below = Rect { y: area.y + rows, height: area.height - rows, ..area };
            put_lines(buf, below, 1, [(format!("{} {error}", look.glyphs.bad), Role::Bad)], look);
        }
        put_lines(buf, Rect { y: list.bottom(), height: about.len() as u16, ..area }, 1, about, look);
        cursor
    }

    fn selection(&self, _: &Context<'_>) -> Option<Selection> {
        match self.chosen() {
            // In a list, also a field without bytes keeps the list.
            Some((place, row)) => {
                Some(Selection { place, part: Some(row.span).filter(|span| self.lists || !span.is_empty()) })
            }
            None => Some(self.members.get(self.record()?)?.0.into()),
        }
    }

    fn click(&mut self, at: Position, area: Rect, _: &Context<'_>) -> bool {
        self.list.click(at, area)
    }

    ability!(List, list);

    fn copied_text(&self, action: Action, _: &Context<'_>) -> Option<String> {
        let (_, row) = self.chosen().filter(|_| self.lists)?;
        match action {
            Action::CopyValue => Some(row.value.clone()),
            Action::CopyRow => Some([row.name.as_str(), &row.value, &row.meaning].join("\t")),
            _ => None,
        }
    }
}
