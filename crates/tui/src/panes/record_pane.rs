//! The records pane: one record, or all records of a list, with their fields.

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
use crate::ui::theme::Role;
use pdblens_nodes::fields::{FieldRow, Fields};
use pdblens_nodes::rows::{Cell, Row, Rows, Tone};
use pdblens_nodes::{self as nodes, PePart, Place};
use pdblens_session::session::Session;

const MAX_RECORDS: usize = 2000;

#[derive(Default)]
struct RecordPane {
    of: Option<Place>,
    /// True if an index is still required.
    waits: bool,
    members: Vec<(Place, Fields)>,
    /// The lines: index of the record, and of its field; `None` for the title of the record.
    lines: Vec<(usize, Option<usize>)>,
    list: FieldList,
}

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
            let rows = fields.rows.iter().enumerate().skip(usize::from(has_outer_group(fields)));
            self.lines.extend(rows.map(|(at, _)| (index, Some(at))));
        }
        let outer =
            self.members.iter().map(|(_, fields)| usize::from(has_outer_group(fields))).min().unwrap_or(0) as u8;
        let rows = (0..self.lines.len()).map(|line| match self.row(line) {
            Some((_, field)) => field_row(field, outer, cx.session, true),
            None => Row::plain(vec![Cell::toned(self.name(self.lines[line].0), Tone::Strong)]),
        });
        let depth = |line: usize| self.row(line).map_or(0, |(_, field)| field.depth.saturating_add(u8::from(titled)));
        let (rows, depths) = (rows.collect(), (0..self.lines.len()).map(depth).collect::<Vec<u8>>());
        self.list.set(rows, depths.into_iter());
        self.list.tree.grid.reveal(self.first_field(0));
        self.list.tree.grid.scroll.top = 0;
    }

    /// The field of the cursor; `None` on the title of a record.
    fn chosen(&self) -> Option<(Place, &FieldRow)> {
        self.row(self.list.tree.grid.row()?)
    }

    fn record(&self) -> Option<usize> {
        Some(self.lines.get(self.list.tree.grid.row()?)?.0)
    }

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

    /// The sentence about the field of the cursor, where there is room for it below the list.
    fn sentence(&self, area: Rect) -> Vec<String> {
        let sentence = self.chosen().map_or("", |(_, row)| row.about);
        let lines = wrap(sentence, area.width.saturating_sub(2).into());
        let has_room = self.list.tree.grid.scroll.len + lines.len() <= usize::from(area.height);
        if sentence.is_empty() || !has_room { Vec::new() } else { lines }
    }
}

/// Returns true if the first row is a group that only repeats the title.
fn has_outer_group(fields: &Fields) -> bool {
    fields.rows.first().is_some_and(|row| row.group && row.depth == 0)
}

impl Pane for RecordPane {
    fn title(&self, _: &Context<'_>) -> Title {
        match self.members.as_slice() {
            [(_, fields)] => self.list.title(&fields.title),
            _ => self.list.title(&self.of.map(|place| place.to_string()).unwrap_or_default()),
        }
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
            Action::CopyValue => None,
            _ => self.list.tree.grid.scroll.move_cursor(action, count).then(Vec::new),
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
                self.list.tree.grid.scroll.select(self.list.tree.grid.list_filter.nearest(line));
            }
        }
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.list.tree.grid.scroll.set_height(size.height.into());
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
        let sentence = self.sentence(area);
        let list = Rect { height: area.height - sentence.len() as u16, ..area };
        let leaf = |line: usize| match self.lines.get(line) {
            Some((record, Some(at))) => {
                let fields = self.members.get(*record).map_or(&[][..], |(_, fields)| &fields.rows);
                fields.iter().take(*at).filter(|row| !row.group).count()
            }
            _ => 0,
        };
        let below = Rect { y: list.bottom(), height: area.bottom() - list.bottom(), ..area };
        put_lines(buf, below, 1, sentence.into_iter().map(|line| (line, Role::Comment)), look);
        self.list.draw(buf, list, &leaf, cx.selected.selection.part.is_none(), look)
    }

    fn selection(&self, _: &Context<'_>) -> Option<Selection> {
        match self.chosen() {
            Some((place, row)) => Some(Selection { place, part: Some(row.span) }),
            None => Some(self.members.get(self.record()?)?.0.into()),
        }
    }

    fn click(&mut self, at: Position, area: Rect, _: &Context<'_>) -> bool {
        self.list.click(at, area)
    }

    ability!(List, list);

    fn copied_text(&self, action: Action, _: &Context<'_>) -> Option<String> {
        let (_, row) = self.chosen()?;
        match action {
            Action::CopyValue => Some(row.value.clone()),
            Action::CopyRow => Some([row.name.as_str(), &row.value, &row.meaning].join("\t")),
            _ => None,
        }
    }
}
