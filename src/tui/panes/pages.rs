//! The page map of an MSF file: a cell a page, or several, by whose they are.
//!
//! Where there is room, a cell says the number of its stream; else it is a block in the stream's hue, or a letter where there are
//! no colours. The pages of the chosen stream stand out in either.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::Style;

use crate::bytes::Span;
use crate::model::pdb::{Claim, Owner, PdbView, page_ranges};
use crate::model::text::count;
use crate::model::{Place, Session};
use crate::tui::action::Action;
use crate::tui::app::Effect;
use crate::tui::pane::{Context, Look, Pane, Selection, Title};
use crate::tui::theme::Role;
use crate::tui::widgets::strip::{has_hues, letter};
use crate::tui::widgets::text::put;

/// How wide a cell is that says whose it is.
const WIDE: usize = 4;

/// The page map.
#[derive(Debug, Default)]
pub(super) struct PageMap {
    /// The page that the cursor is on.
    at: u32,
    /// The stream that is chosen.
    chosen: Option<u32>,
    size: Size,
}

/// How the pages are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cells {
    /// How many pages there are.
    pages: u32,
    /// How many cells a row has.
    row: u32,
    /// How many rows.
    rows: u32,
    /// How many pages a cell stands for.
    each: u32,
    /// How wide a cell is.
    wide: usize,
    /// How wide the numbers at the left are.
    digits: usize,
}

impl Cells {
    fn of(pages: u32, width: u16, height: u16) -> Self {
        let digits = pages.max(1).ilog10() as usize + 1;
        let room = (width as usize).saturating_sub(digits + 4).max(1);
        let rows = u32::from(height).max(1);
        let in_row = |wide: usize| {
            let cells = room / wide;
            // Rows of eights are easier to count.
            (if cells >= 16 { cells / 8 * 8 } else { cells }).max(1) as u32
        };
        let wide = if u64::from(in_row(WIDE)) * u64::from(rows) >= u64::from(pages) { WIDE } else { 1 };
        let row = in_row(wide);
        let each = u64::from(pages).div_ceil(u64::from(row) * u64::from(rows)).max(1) as u32;
        Self { pages, row, rows, each, wide, digits }
    }

    /// The first page of a cell.
    fn page(self, cell: u32) -> Option<u32> {
        cell.checked_mul(self.each).filter(|page| *page < self.pages)
    }

    fn cell(self, page: u32) -> u32 {
        page / self.each
    }

    /// Where a cell stands in `area`.
    fn place(self, cell: u32, area: Rect) -> Position {
        let x = area.x as usize + 1 + self.digits + 2 + (cell % self.row) as usize * self.wide;
        Position::new(x as u16, area.y + (cell / self.row) as u16)
    }
}

/// The stream that owns a page.
pub(super) fn stream_of(session: &Session, page: u32) -> Option<u32> {
    let view = session.pdb()?;
    match owner(&view, page).claim()? {
        Claim::Stream { stream, .. } => Some(stream),
        _ => None,
    }
}

fn owner(view: &PdbView<'_>, page: u32) -> Owner {
    view.pdb.msf.page_map(view.spaces).owner(&view.pdb.msf, page)
}

/// What a cell says of its owner: a word of up to three characters, and how it looks.
fn word(owner: Owner, look: &Look<'_>) -> (String, Style) {
    let structure = look.theme.of(Role::Text);
    match owner {
        Owner::One(Claim::Stream { stream, .. }) => (stream.to_string(), look.theme.field(stream as usize)),
        Owner::One(Claim::Superblock) => ("sb".to_owned(), structure),
        Owner::One(Claim::FreePageMap { number, .. }) => (format!("f{number}"), structure),
        Owner::One(Claim::PageList { .. }) => ("pl".to_owned(), structure),
        Owner::One(Claim::Directory { .. }) => ("dir".to_owned(), structure),
        Owner::Two(..) | Owner::Missing => (look.glyphs.bad.to_owned(), look.theme.of(Role::Bad)),
        Owner::Nobody => (look.glyphs.warn.to_owned(), look.theme.of(Role::Warn)),
        Owner::Free => (look.glyphs.dot.to_owned(), look.theme.of(Role::Faint)),
    }
}

/// The same in one character.
fn block(owner: Owner, look: &Look<'_>) -> (String, Style) {
    let (word, style) = word(owner, look);
    let text = match owner {
        Owner::One(Claim::Stream { .. }) if has_hues(look) => "▄".to_owned(),
        Owner::One(Claim::Stream { stream, .. }) => letter(stream as usize).to_string(),
        Owner::One(_) if has_hues(look) => "▄".to_owned(),
        Owner::One(_) => word.chars().next().map(|c| c.to_uppercase().to_string()).unwrap_or_default(),
        _ => word,
    };
    (text, style)
}

impl PageMap {
    /// The rows for cells, and those below that say what they are.
    fn split(area: Rect) -> (Rect, Rect) {
        let below = match area.height {
            0..=2 => 0,
            3..=5 => 1,
            _ => 2,
        };
        let map = Rect { height: area.height - below, ..area };
        (map, Rect { y: map.bottom(), height: below, ..area })
    }

    fn cells(view: &PdbView<'_>, area: Rect) -> Cells {
        let pages = view.pdb.msf.page_map(view.spaces).len() as u32;
        Cells::of(pages, area.width, area.height)
    }

    /// Says what is chosen: its pages, or whose the page is.
    fn about(&self, view: &PdbView<'_>, dot: &str) -> String {
        let Some(stream) = self.chosen.and_then(|stream| view.pdb.msf.stream(stream)) else {
            let (text, style) = match owner(view, self.at) {
                Owner::One(Claim::Superblock) => ("the superblock", ""),
                Owner::One(Claim::FreePageMap { .. }) => ("a free page map", ": one bit a page, set if it is free"),
                Owner::One(Claim::PageList { .. }) => ("the directory's page list", ""),
                Owner::One(Claim::Directory { .. }) => ("the directory", ": sizes and pages of all streams"),
                Owner::One(Claim::Stream { .. }) => ("a stream", ""),
                Owner::Two(..) => ("used twice", ": at most one of the two can be right"),
                Owner::Free => ("free", ": old content, if any"),
                Owner::Nobody => ("nobody's", ", though it is not marked free"),
                Owner::Missing => ("not in the file", ""),
            };
            return format!("page {} {dot} {text}{style}", self.at);
        };
        let name = view.stream_name(stream.index);
        let pages = count(stream.pages.len() as u64, "page");
        let at = if stream.pages.is_empty() { String::new() } else { format!(": {}", page_ranges(stream.pages)) };
        format!("stream {} {dot} {name} {dot} {pages}{at}", stream.index)
    }

    fn move_to(&mut self, page: u32, session: &Session) {
        self.at = page;
        self.chosen = stream_of(session, page);
    }
}

impl Pane for PageMap {
    fn title(&self, cx: &Context<'_>) -> Title {
        let title = Title::new("Page map");
        let Some(view) = cx.session.pdb() else { return title };
        let pages = view.pdb.msf.page_map(view.spaces).len() as u32;
        let cells = Cells::of(pages, self.size.width, Self::split(Rect::from(self.size)).0.height);
        let each = if cells.each > 1 { format!(", {} a cell", cells.each) } else { String::new() };
        let of = format!("{} of {} bytes{each}", count(pages, "page"), view.pdb.msf.page_size());
        title.of(of).at(format!("page {}", self.at))
    }

    fn act(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        let view = cx.session.pdb()?;
        let cells = Self::cells(&view, Self::split(Rect::from(self.size)).0);
        let (n, at) = (u32::try_from(count.unwrap_or(1)).unwrap_or(u32::MAX), cells.cell(self.at));
        let last = cells.cell(cells.pages.saturating_sub(1));
        let to = match action {
            Action::Left => at.saturating_sub(n),
            Action::Right => at.saturating_add(n),
            Action::Up => at.saturating_sub(cells.row.saturating_mul(n)),
            Action::Down => at.saturating_add(cells.row.saturating_mul(n)),
            Action::Top => 0,
            Action::Bottom => last,
            Action::PageUp | Action::HalfUp => at.saturating_sub(cells.row * cells.rows / 2),
            Action::PageDown | Action::HalfDown => at.saturating_add(cells.row * cells.rows / 2),
            Action::Follow => {
                let place = self.chosen.map_or(Place::Page(self.at), Place::Stream);
                return Some(vec![Effect::Go(place.into())]);
            }
            _ => return None,
        };
        let page = cells.page(to.min(last)).unwrap_or(0);
        self.move_to(page, cx.session);
        Some(Vec::new())
    }

    fn show(&mut self, cx: &Context<'_>) {
        let Some(view) = cx.session.pdb() else { return };
        let first = |stream: u32| view.pdb.msf.stream(stream).and_then(|stream| stream.pages.first().copied());
        match cx.linked.selection.place {
            Place::Page(page) => self.move_to(page, cx.session),
            Place::Stream(stream) => {
                self.chosen = Some(stream);
                self.at = first(stream).unwrap_or(self.at);
            }
            Place::Record(stream, at) => {
                self.chosen = Some(stream);
                let index = at.checked_div(view.pdb.msf.page_size()).unwrap_or(0) as usize;
                let pages = view.pdb.msf.stream(stream).map_or(&[][..], |stream| stream.pages);
                self.at = pages.get(index).copied().unwrap_or(self.at);
            }
            Place::Header => self.move_to(0, cx.session),
            Place::Streams | Place::Pages | Place::Directory => self.chosen = None,
            _ => {}
        }
    }

    fn resize(&mut self, size: Size, _: &Context<'_>) {
        self.size = size;
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let (view, look) = (cx.session.pdb()?, &cx.look);
        let (map, below) = Self::split(area);
        let cells = Self::cells(&view, map);
        let mut chosen = vec![false; (cells.row * cells.rows) as usize];
        let pages = self.chosen.and_then(|stream| view.pdb.msf.stream(stream)).map_or(&[][..], |stream| stream.pages);
        for page in pages {
            if let Some(cell) = chosen.get_mut(cells.cell(*page) as usize) {
                *cell = true;
            }
        }
        for row in 0..cells.rows {
            let Some(first) = cells.page(row * cells.row) else { break };
            let y = map.y + row as u16;
            let text = format!("{first:>digits$}", digits = cells.digits);
            put(buf, area.x + 1, y, area.right(), &text, look.theme.of(Role::Mute), look.glyphs);
        }
        let mut cursor = None;
        for (cell, is_chosen) in (0_u32..).zip(&chosen) {
            let Some(page) = cells.page(cell) else { break };
            let at = cells.place(cell, map);
            if at.x >= map.right() {
                continue;
            }
            let found = owner(&view, page);
            let (mut text, mut style) = if cells.wide > 1 { word(found, look) } else { block(found, look) };
            if *is_chosen {
                style = look.theme.of(Role::Accent);
                text = match cells.wide {
                    1 if has_hues(look) => "█".to_owned(),
                    1 => text.to_uppercase(),
                    _ => text,
                };
            }
            if cells.wide > 1 {
                text = format!("{text:>wide$}", wide = cells.wide - 1);
            }
            if *is_chosen && cells.wide > 1 {
                style = style.patch(look.theme.of(Role::Span));
            }
            if look.focused && cells.cell(self.at) == cell {
                style = look.theme.of(Role::Cursor);
                cursor = Some(at);
            }
            buf.set_stringn(at.x, at.y, &text, map.right().saturating_sub(at.x) as usize, style);
        }
        let lines = [self.about(&view, look.glyphs.dot), legend(cells.wide > 1, look)];
        for (line, text) in lines.iter().enumerate().take(below.height as usize) {
            let role = if line == 0 { Role::Text } else { Role::Mute };
            put(buf, area.x + 1, below.y + line as u16, area.right(), text, look.theme.of(role), look.glyphs);
        }
        cursor
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        let view = cx.session.pdb()?;
        let (page_size, file) = (u64::from(view.pdb.msf.page_size()), view.pdb.msf.file);
        let len = cx.session.spaces.get(file)?.len();
        let start = u64::from(self.at) * page_size;
        let part = Span::new(file, start, page_size.min(len.checked_sub(start)?));
        Some(Selection { place: Place::Page(self.at), part: Some(part) })
    }

    fn point(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let Some(view) = cx.session.pdb() else { return false };
        let (map, _) = Self::split(area);
        let cells = Self::cells(&view, map);
        let hit = (0..cells.row * cells.rows).find(|cell| {
            let Position { x, y } = cells.place(*cell, map);
            at.y == y && (x..x + cells.wide as u16).contains(&at.x)
        });
        let Some(page) = hit.and_then(|cell| cells.page(cell)) else { return false };
        self.move_to(page, cx.session);
        true
    }

    fn copy(&self, action: Action, _: &Context<'_>) -> Option<String> {
        matches!(action, Action::CopyValue | Action::CopyRow).then(|| self.at.to_string())
    }
}

/// What the cells mean.
fn legend(words: bool, look: &Look<'_>) -> String {
    let dot = look.glyphs.dot;
    match (words, has_hues(look)) {
        (true, _) => {
            format!("12 a stream   sb superblock   f1 f2 free page maps   dir directory   pl its pages   {dot} free")
        }
        (false, true) => format!("█ the chosen stream   ▄ any other, by its hue   {dot} free"),
        (false, false) => {
            format!(
                "A the chosen stream   a any other, by its number   S F D P what the file itself needs   {dot} free"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_a_cell_whatever_the_room() {
        for pages in [0, 1, 30, 1000, 65_536, 4_000_000, u32::MAX] {
            for (width, height) in [(0, 0), (1, 1), (9, 2), (52, 6), (88, 10), (160, 40)] {
                let cells = Cells::of(pages, width, height);
                assert!(u64::from(cells.row) * u64::from(cells.rows) * u64::from(cells.each) >= u64::from(pages));
                let last = pages.saturating_sub(1);
                assert!(cells.cell(last) < cells.row * cells.rows, "{pages} {cells:?}");
                assert_eq!(cells.page(cells.cell(last)).is_some(), pages > 0, "{pages} {cells:?}");
            }
        }
        assert_eq!(Cells::of(60, 88, 10).wide, WIDE);
        assert_eq!(Cells::of(5000, 88, 10).each, 7);
    }
}
