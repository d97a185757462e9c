//! Records with all their fields, one below the other: a header, or everything that a list of headers has.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use super::fields::{Columns, Drawn, bytes_of};
use super::outline::say;
use crate::model::place::PePart;
use crate::model::{FieldRow, Fields, Place, Session};
use crate::tui::action::Action;
use crate::tui::app::Effect;
use crate::tui::pane::{Context, Pane, Selection, Title};
use crate::tui::theme::Role;
use crate::tui::widgets::grid::{Mark, ground};
use crate::tui::widgets::scroll::Scroll;
use crate::tui::widgets::text::{put, wrap};

/// The most records that are shown of a list.
const MOST: usize = 2000;
/// As many of them say how wide the columns are.
const MEASURED: usize = 64;

#[derive(Default)]
struct Records {
    of: Option<Place>,
    members: Vec<(Place, Fields)>,
    /// What shows, a line each: a record, and the row of its fields; no row for its title.
    lines: Vec<(usize, Option<usize>)>,
    scroll: Scroll,
    height: usize,
}

/// Makes one.
pub fn new() -> Box<dyn Pane> {
    Box::new(Records::default())
}

/// The places whose records show for `place`: its own, or those of the list that it is.
fn members(session: &Session, place: Place) -> Vec<Place> {
    let Some(pe) = session.image.as_ref().map(|image| &image.pe) else { return vec![place] };
    let parts: Vec<PePart> = match place {
        Place::PePart(PePart::DebugDirectory) => (0..pe.debug.len()).map(|index| PePart::Debug(index as u16)).collect(),
        Place::PePart(PePart::Sections) => (0..pe.sections.len()).map(|index| PePart::Section(index as u16)).collect(),
        Place::PePart(PePart::Directories) => {
            (0..pe.directories.len()).map(|index| PePart::Directory(index as u8)).collect()
        }
        Place::Pe => vec![PePart::Dos, PePart::Coff, PePart::Optional],
        _ => return vec![place],
    };
    parts.into_iter().take(MOST).map(Place::PePart).collect()
}

/// What shows for a place: itself, or the list that it is one of.
fn shown_for(place: Place) -> Option<Place> {
    match place {
        Place::Pe | Place::PePart(_) => Some(place),
        _ => None,
    }
}

impl Records {
    fn load(&mut self, place: Place, session: &Session) {
        if self.of == Some(place) {
            return;
        }
        self.of = Some(place);
        let found = members(session, place).into_iter();
        self.members = found.filter_map(|member| Some((member, session.fields(member)?))).collect();
        let titled = self.members.len() > 1;
        self.lines.clear();
        for (index, (_, fields)) in self.members.iter().enumerate() {
            if titled {
                self.lines.push((index, None));
            }
            // The outermost group only says what the title says.
            let rows = fields.rows.iter().enumerate().filter(|(at, row)| !(*at == 0 && row.group && row.depth == 0));
            self.lines.extend(rows.map(|(at, _)| (index, Some(at))));
        }
        self.scroll = Scroll { height: self.height, len: self.lines.len(), ..Scroll::default() };
        self.scroll.select(self.first_field(0));
        self.scroll.top = 0;
    }

    /// The first line from `from` on that is a field.
    fn first_field(&self, from: usize) -> usize {
        let field = |index: &usize| self.row(*index).is_some_and(|(_, row)| !row.group);
        (from..self.lines.len()).find(field).unwrap_or(from)
    }

    fn row(&self, line: usize) -> Option<(Place, &FieldRow)> {
        let (record, row) = self.lines.get(line)?;
        let (place, fields) = self.members.get(*record)?;
        Some((*place, fields.rows.get((*row)?)?))
    }

    /// What the record of a line is called: its title without the path of the list it is in.
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

impl Pane for Records {
    fn title(&self, _: &Context<'_>) -> Title {
        let title = match self.members.as_slice() {
            [(_, fields)] => Title::new("Fields").of(fields.title.as_str()),
            _ => Title::new("Fields").of(self.of.map(|place| place.to_string()).unwrap_or_default()),
        };
        let long = self.lines.len() > self.height && self.height > 0;
        if long { title.at(format!("{}/{}", self.scroll.selected + 1, self.lines.len())) } else { title }
    }

    fn act(&mut self, action: Action, count: Option<usize>, _: &Context<'_>) -> Option<Vec<Effect>> {
        match action {
            Action::Follow => {
                let to = match self.row(self.scroll.selected) {
                    Some((_, row)) => row.to?,
                    None => self.members.get(self.lines.get(self.scroll.selected)?.0)?.0,
                };
                Some(vec![Effect::Go(to.into())])
            }
            // From record to record.
            Action::Left | Action::Right if self.members.len() > 1 => {
                let at = self.lines.get(self.scroll.selected)?.0;
                let to = if action == Action::Left { at.saturating_sub(1) } else { at + 1 };
                let line = self.lines.iter().position(|(record, _)| *record == to)?;
                self.scroll.select(line + 1);
                self.scroll.top = line.min(self.lines.len().saturating_sub(self.height));
                Some(Vec::new())
            }
            Action::CopyValue => None,
            _ => self.scroll.act(action, count).then(Vec::new),
        }
    }

    fn show(&mut self, cx: &Context<'_>) {
        let selection = cx.linked.selection;
        let Some(place) = shown_for(selection.place) else { return };
        // One of a list that shows already is shown there.
        let member = self.members.iter().position(|(member, _)| *member == place && self.members.len() > 1);
        let keep = selection.part.is_some() && member.is_some();
        if !keep {
            self.load(place, cx.session);
        }
        if let Some(part) = selection.part {
            let is_it = |line: &usize| {
                self.row(*line).is_some_and(|(of, row)| {
                    of == place && !row.group && row.span.contains(part.start) && row.span.space == part.space
                })
            };
            if let Some(line) = (0..self.lines.len()).rfind(is_it) {
                self.scroll.select(line);
            }
        }
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.height = size.height as usize;
        self.scroll.set_height(self.height);
        self.show(cx);
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let look = &cx.look;
        if self.lines.is_empty() {
            let why = match (&cx.session.image, self.of) {
                (None, _) => {
                    "no image is open: name the DLL or EXE beside the symbols, and its headers are here".to_owned()
                }
                (_, Some(place)) => cx.session.not_there(place),
                _ => String::new(),
            };
            say(buf, area, &why, cx);
            return None;
        }
        let outer = |fields: &Fields| u8::from(fields.rows.first().is_some_and(|row| row.group && row.depth == 0));
        let measured = self.members.iter().take(MEASURED);
        let rows = measured.clone().flat_map(|(_, fields)| &fields.rows);
        let hidden = measured.map(|(_, fields)| outer(fields)).min().unwrap_or(0);
        let columns = Columns::of(&rows, hidden, area.width.saturating_sub(2) as usize);
        let mut cursor = None;
        for (line, index) in self.scroll.window().enumerate() {
            let (Some((record, at)), y) = (self.lines.get(index).copied(), area.y + line as u16) else { break };
            let Some((_, fields)) = self.members.get(record).filter(|_| y < area.bottom()) else { break };
            let mark = match index == self.scroll.selected {
                true if look.focused => Mark::Cursor,
                true if cx.linked.selection.part.is_some() => Mark::Linked,
                _ => Mark::None,
            };
            let whole = Rect { y, height: 1, ..area };
            ground(buf, whole, mark, look);
            if mark == Mark::Cursor {
                cursor = Some(Position::new(area.x, y));
            }
            let Some((at, row)) = at.and_then(|at| Some((at, fields.rows.get(at)?))) else {
                let style = mark.over(look.theme.of(Role::Strong), look, false);
                put(buf, area.x + 1, y, area.right(), &self.name(record), style, look.glyphs);
                continue;
            };
            let leaf = fields.rows.iter().take(at).filter(|row| !row.group).count();
            let drawn = Drawn { row, bytes: bytes_of(row, cx), hue: look.theme.field(leaf), mark };
            columns.draw(buf, whole, &drawn, look);
        }
        let sentence = self.row(self.scroll.selected).map_or("", |(_, row)| row.about);
        let lines =
            if sentence.is_empty() { Vec::new() } else { wrap(sentence, area.width.saturating_sub(2) as usize) };
        if self.lines.len() + lines.len() <= area.height as usize {
            let top = area.bottom() - lines.len() as u16;
            for (line, text) in lines.iter().enumerate() {
                put(buf, area.x + 1, top + line as u16, area.right(), text, look.theme.of(Role::Comment), look.glyphs);
            }
        }
        cursor
    }

    fn selection(&self, _: &Context<'_>) -> Option<Selection> {
        match self.row(self.scroll.selected) {
            Some((place, row)) => Some(Selection { place, part: Some(row.span) }),
            None => Some(self.members.get(self.lines.get(self.scroll.selected)?.0)?.0.into()),
        }
    }

    fn point(&mut self, at: Position, area: Rect, _: &Context<'_>) -> bool {
        let line = self.scroll.top + at.y.saturating_sub(area.y) as usize;
        if line >= self.lines.len() {
            return false;
        }
        self.scroll.selected = line;
        true
    }

    fn find(&mut self, text: &str, forward: bool, _: &Context<'_>) -> bool {
        let (sought, at, len) = (text.to_lowercase(), self.scroll.selected, self.lines.len());
        let has = |line: &usize| {
            self.row(*line).is_some_and(|(_, row)| {
                [&row.name, &row.value, &row.meaning].into_iter().any(|text| text.to_lowercase().contains(&sought))
            })
        };
        let mut steps = (1..=len).map(|step| if forward { (at + step) % len } else { (at + len - step) % len });
        let found = steps.find(has);
        if let Some(line) = found {
            self.scroll.reveal(line);
        }
        found.is_some()
    }

    fn copy(&self, action: Action, _: &Context<'_>) -> Option<String> {
        let (_, row) = self.row(self.scroll.selected)?;
        match action {
            Action::CopyValue => Some(row.value.clone()),
            Action::CopyRow => Some([row.name.as_str(), &row.value, &row.meaning].join("\t")),
            _ => None,
        }
    }
}
