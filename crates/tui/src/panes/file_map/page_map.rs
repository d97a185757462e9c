//! The page map of an MSF file: one cell for one or more pages, by owner. The pages of the selected stream stand out.

use crate::panes::lists::{page_owner, stream_of_page};
use pdblens_nodes as nodes;
use std::collections::HashMap;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::engine::jobs::JobHandle;
use crate::panes::file_map::legend::{self, LegendItem};
use crate::panes::pane::Context;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg, index_job};
use crate::state::selection::Selection;
use crate::ui::frame::Title;
use crate::ui::glyphs::Glyphs;
use crate::ui::layout::Slot;
use crate::ui::page_cells::{BLOCK, Cells, SIGNS, has_blocks, has_colors, hue, letter, mark};
use crate::ui::text::{fit_path, put, put_note, width};
use crate::ui::theme::{Look, Role};
use pdblens_formats::bytes::Span;
use pdblens_nodes::Place;
use pdblens_nodes::regions::{FileRegion, FileRegionKind};
use pdblens_nodes::stream::{Family, Owner, PageUse, PdbView, page_ranges};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;

/// Cells of a run that has room for a name.
const MIN_NAMED: usize = 5;

/// Height with two rows of cells, the line about the selection and the legend in two lines.
pub(super) const BRIEF: u16 = 5;

#[derive(Debug, Default)]
pub(super) struct PageMap {
    /// The page of the cursor.
    at: u32,
    /// The selected stream.
    pub(super) chosen: Option<u32>,
    size: Size,
    cells: Cells,
    /// Bytes of a cell; 0 until the pages are known.
    pub(super) scale: u64,
    /// A representative page of each cell, and its owner.
    owners: Vec<(u32, Owner)>,
    /// Pages of each family of streams.
    shares: [u64; Family::ALL.len()],
    free: u64,
    /// The job that finds the owners.
    index_job: JobHandle,
}

impl PageMap {
    /// Splits the area into the map and the legend.
    fn split(area: Rect) -> (Rect, Rect) {
        let below = match area.height {
            0..=2 => 0,
            3 => 1,
            4 => 2,
            _ => 3,
        };
        let map = Rect { height: area.height - below, ..area };
        (map, Rect { y: map.bottom(), height: below, ..area })
    }

    /// Computes the cells.
    fn update_cells(&mut self, session: &Session) {
        if nodes::required_index(session, Place::Pages).is_some() {
            return;
        }
        let Some(view) = PdbView::of(session) else { return };
        let map = view.pdb.msf.page_map(view.spaces);
        let area = Self::split(Rect::from(self.size)).0;
        let cells = Cells::of(map.len() as u32, area.width, area.height);
        if self.cells == cells {
            return;
        }
        (self.cells, self.owners) = (cells, cells.owners(&view));
        self.scale = (u64::from(cells.each) * u64::from(view.pdb.msf.page_size())).div_ceil(cells.wide as u64);
        self.shares = Family::ALL.map(|family| {
            let of_family = |stream: &u32| view.family(*stream) == family;
            let streams = (0..view.pdb.msf.stream_count()).filter(of_family);
            streams.filter_map(|stream| view.pdb.msf.stream(stream)).map(|stream| stream.pages.len() as u64).sum()
        });
        self.free = map.free();
    }

    /// The selected stream as a region, once its records are known.
    pub(super) fn stream_region(&self, session: &Session) -> Option<FileRegion> {
        let (stream, view) = (self.chosen?, PdbView::of(session)?);
        let place = Place::Stream(stream);
        if nodes::required_index(session, place).is_some() {
            return None;
        }
        let (name, span) = (view.stream_name(stream), view.span(stream)?);
        Some(FileRegion { name, span, kind: FileRegionKind::Data, place: Some(place) })
    }

    /// The representative page of a cell.
    fn shown(&self, cell: u32) -> Option<u32> {
        self.owners.get(cell as usize).map(|(page, _)| *page)
    }

    /// The line about the selected stream or page, with the name of the stream cut to fit into `room`.
    fn about(&self, view: &PdbView<'_>, room: usize, glyphs: &Glyphs) -> String {
        let dot = glyphs.dot;
        let Some(stream) = self.chosen.and_then(|stream| view.pdb.msf.stream(stream)) else {
            let (text, style) = match page_owner(view, self.at) {
                Owner::Unique(PageUse::Superblock) => ("the superblock", ""),
                Owner::Unique(PageUse::FreePageMap { .. }) => {
                    ("a free page map (FPM)", ": one bit per page, set if it is free")
                }
                Owner::Unique(PageUse::PageList { .. }) => ("the directory's block map", ""),
                Owner::Unique(PageUse::Directory { .. }) => ("the directory", ": sizes and pages of all streams"),
                Owner::Unique(PageUse::Stream { .. }) => ("a stream", ""),
                Owner::Conflict(..) => ("used twice", ": at most one of the two can be right"),
                Owner::Free => ("free", ": old content, if any"),
                Owner::Unclaimed => ("unclaimed", ", though it is not marked free"),
                Owner::Missing => ("not in the file", ""),
            };
            return format!("page {} {dot} {text}{style}", self.at);
        };
        let name = view.stream_name(stream.index);
        let pages = count(stream.pages.len() as u64, "page");
        let at = if stream.pages.is_empty() { String::new() } else { format!(": {}", page_ranges(stream.pages)) };
        let (head, tail) = (format!("stream {} {dot} ", stream.index), format!("{pages}{at}"));
        if name.is_empty() {
            return format!("{head}{tail}");
        }
        let room = room.saturating_sub(width(&head) + width(&tail) + 3).max(room / 2);
        format!("{head}{} {dot} {tail}", fit_path(&name, room, glyphs))
    }

    pub(super) const fn is_in_first_row(&self) -> bool {
        self.at < self.cells.row * self.cells.each
    }

    fn move_to(&mut self, page: u32, session: &Session) {
        self.at = page;
        self.chosen = stream_of_page(session, page);
    }
}

impl PageMap {
    pub(super) fn title(&self, cx: &Context<'_>) -> Title {
        let title = Title::new("Page map");
        let Some(view) = PdbView::of(cx.session) else { return title };
        let (dot, size) = (cx.look.glyphs.dot, view.pdb.msf.page_size());
        let (each, all) = (self.cells.each, self.cells.pages);
        let first = self.cells.page(self.cells.cell(self.at)).unwrap_or(0);
        let last = first.saturating_add(each).min(all).saturating_sub(1);
        match each {
            0 | 1 => title.of(format!("{all} pages of {size} bytes")).at(format!("page {}", self.at)),
            _ => title
                .of(format!("{all} pages of {size} bytes {dot} {each} in a cell"))
                .at(format!("pages {first}–{last}")),
        }
    }

    pub(super) fn perform(&mut self, action: Action, cx: &Context<'_>) -> Option<Vec<Effect>> {
        PdbView::of(cx.session)?;
        let cells = self.cells;
        let at = cells.cell(self.at);
        let last = cells.cell(cells.pages.saturating_sub(1));
        let to = match action {
            Action::Left => at.saturating_sub(1),
            Action::Right => at.saturating_add(1),
            Action::Up => at.saturating_sub(cells.row),
            Action::Down => at.saturating_add(cells.row),
            Action::Top => 0,
            Action::Bottom => last,
            Action::PageUp => at.saturating_sub(cells.row * cells.height / 2),
            Action::PageDown => at.saturating_add(cells.row * cells.height / 2),
            Action::Follow => {
                let place = self.chosen.map_or(Place::Page(self.at), Place::Stream);
                return Some(vec![Effect::Go(place.into()), Effect::Focus(Slot::Main(1))]);
            }
            Action::CopyValue | Action::CopyRow => return Some(vec![Effect::copy(action, self.at.to_string())]),
            _ => return None,
        };
        let page = self.shown(to.min(last)).unwrap_or(0);
        self.move_to(page, cx.session);
        Some(Vec::new())
    }

    pub(super) fn show_selection(&mut self, cx: &Context<'_>) {
        self.update_cells(cx.session);
        if nodes::required_index(cx.session, Place::Pages).is_some() {
            return;
        }
        let Some(view) = PdbView::of(cx.session) else { return };
        let first = |stream: u32| view.pdb.msf.stream(stream).and_then(|stream| stream.pages.first().copied());
        match cx.selected.selection.place {
            Place::Page(page) => (self.at, self.chosen) = (page, stream_of_page(cx.session, page)),
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
            Place::Directory => {
                let pages = view.own_pages();
                self.move_to(pages.first().copied().unwrap_or(0), cx.session);
            }
            Place::Streams | Place::Pages => self.chosen = None,
            _ => {}
        }
    }

    pub(super) fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.size = size;
        self.update_cells(cx.session);
    }

    /// Draws the map, and the line about its cursor, or what is said instead of it where that is elsewhere.
    pub(super) fn draw(
        &self,
        area: Rect,
        buf: &mut Buffer,
        elsewhere: Option<String>,
        cx: &Context<'_>,
    ) -> Option<Position> {
        let (view, look) = (PdbView::of(cx.session)?, &cx.look);
        if let Some(required) = nodes::required_index(cx.session, Place::Pages) {
            put_note(buf, area, &format!("reading {required} {}", look.glyphs.more), &cx.look);
            return None;
        }
        let (map, below) = Self::split(area);
        let cells = self.cells;
        let mut chosen = vec![false; self.owners.len()];
        let pages = self.chosen.and_then(|stream| view.pdb.msf.stream(stream)).map_or(&[][..], |stream| stream.pages);
        for page in pages {
            if let Some(cell) = chosen.get_mut(cells.cell(*page) as usize) {
                *cell = true;
            }
        }
        for row in 0..u32::from(map.height) {
            let Some(first) = cells.page(row * cells.row) else { break };
            let text = format!("{first:>digits$}", digits = cells.digits);
            let style = look.theme.of(Role::Mute);
            put(buf, area.x + 1, map.y + row as u16, area.right(), &text, style, look.glyphs);
        }
        let (mut cursor, wide) = (None, cells.wide > 1);
        for (cell, ((page, owner), is_chosen)) in (0_u32..).zip(self.owners.iter().zip(&chosen)) {
            let Some(at) = cells.place(cell, map) else { continue };
            if at.x >= map.right() || at.y >= map.bottom() {
                continue;
            }
            // A cell with pages of the selected stream shows that stream.
            let owner = match (is_chosen, self.chosen) {
                (true, Some(stream)) if cells.each > 1 => Owner::Unique(PageUse::Stream { stream, from: 0 }),
                _ => *owner,
            };
            let (mut text, mut style) = mark(owner, &view, *is_chosen, cells, look);
            if wide {
                text = format!("{text:>wide$}", wide = cells.wide - 1);
            }
            if *is_chosen && wide {
                style = style.patch(look.theme.of(Role::Span));
            }
            if look.focused && elsewhere.is_none() && (self.at == *page || cells.cell(self.at) == cell) {
                style = look.theme.of(Role::Cursor);
                cursor = Some(at);
            }
            buf.set_stringn(at.x, at.y, &text, map.right().saturating_sub(at.x) as usize, style);
        }
        self.draw_names(map, buf, (&view, look));
        if below.height > 0 {
            let own = || self.about(&view, usize::from(below.width).saturating_sub(2), look.glyphs);
            let (text, style) = (elsewhere.unwrap_or_else(own), look.theme.of(Role::Text));
            put(buf, below.x + 1, below.y, below.right(), &text, style, look.glyphs);
            let area = Rect { y: below.y + 1, height: below.height - 1, ..below };
            legend::draw(buf, area, &self.legend(look), look);
        }
        cursor
    }

    pub(super) fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        let view = PdbView::of(cx.session)?;
        let (page_size, file) = (u64::from(view.pdb.msf.page_size()), view.pdb.msf.file);
        let len = cx.session.spaces().get(file)?.len();
        let start = u64::from(self.at) * page_size;
        let part = Span::new(file, start, page_size.min(len.checked_sub(start)?));
        Some(Selection { place: Place::Page(self.at), part: Some(part) })
    }

    pub(super) fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let (map, _) = Self::split(area);
        let cells = self.cells;
        let hit = (0..self.owners.len() as u32).find(|cell| {
            let place = cells.place(*cell, map);
            place.is_some_and(|Position { x, y }| at.y == y && (x..x + cells.wide as u16).contains(&at.x))
        });
        let Some(page) = hit.and_then(|cell| self.shown(cell)) else { return false };
        self.move_to(page, cx.session);
        true
    }

    pub(super) fn job(&mut self, session: &Arc<Session>) -> Option<Job> {
        let required = nodes::required_index(session, Place::Pages)?;
        index_job(&mut self.index_job, session, required, "pages", Msg::LazyIndexBuilt)
    }

    /// Draws the name of each stream in the longest run of its cells in a row, where it has room and the theme fills cells.
    fn draw_names(&self, map: Rect, buf: &mut Buffer, (view, look): (&PdbView<'_>, &Look<'_>)) {
        if self.cells.wide > 1 || !has_blocks(look) {
            return;
        }
        let stream_of = |(_, owner): &(u32, Owner)| match owner.page_use() {
            Some(PageUse::Stream { stream, .. }) => Some(stream),
            _ => None,
        };
        let mut longest: HashMap<u32, (u32, usize)> = HashMap::new();
        for (row, owners) in (0_u32..).zip(self.owners.chunks(self.cells.row.max(1) as usize)) {
            let mut cell = row * self.cells.row;
            for run in owners.chunk_by(|one, other| stream_of(one) == stream_of(other)) {
                if let Some(stream) = run.first().and_then(stream_of).filter(|_| run.len() >= MIN_NAMED) {
                    let best = longest.entry(stream).or_default();
                    *best = if run.len() > best.1 { (cell, run.len()) } else { *best };
                }
                cell += run.len() as u32;
            }
        }
        for (stream, (cell, len)) in longest {
            let name = view.stream_name(stream);
            let name = format!(" {} ", file_name(&name));
            let index = |family| Family::ALL.iter().position(|other| *other == family).unwrap_or(0);
            let fill = look.theme.fill(index(view.family(stream)), stream.is_multiple_of(2) || self.cells.each > 1);
            if let (Some(at), Some(style)) = (self.cells.place(cell, map), fill)
                && width(&name) <= len
                && self.chosen != Some(stream)
                && !name.trim().is_empty()
            {
                put(buf, at.x, at.y, map.right(), &name, style, look.glyphs);
            }
        }
    }

    /// The parts of the legend: families with their share of the pages, then the signs.
    fn legend(&self, look: &Look<'_>) -> Vec<LegendItem> {
        let (wide, colored) =
            (self.cells.wide > 1, if self.cells.wide > 1 { has_colors(look) } else { has_blocks(look) });
        let mut items: Vec<LegendItem> = Vec::new();
        let accent = look.theme.of(Role::Accent);
        match (wide, colored) {
            (true, false) => {
                items.push(("12".to_owned(), look.theme.of(Role::Text), "a stream".to_owned(), String::new()));
            }
            (true, true) => {}
            (false, true) => items.push((BLOCK.to_owned(), accent, "chosen".to_owned(), String::new())),
            (false, false) => items.push(("A".to_owned(), accent, "chosen".to_owned(), String::new())),
        }
        for (family, pages) in Family::ALL.into_iter().zip(self.shares).filter(|(_, pages)| *pages > 0) {
            let (sign, name) = match (wide, colored) {
                // The numbers of streams have the colours of these words.
                (true, true) => (family.name().to_owned(), ""),
                (true, false) => break,
                (false, true) => (BLOCK.to_owned(), family.name()),
                (false, false) => (letter(family).to_string(), family.name()),
            };
            items.push((sign, hue(family, look), name.to_owned(), self.share(pages)));
        }
        let own = look.theme.of(Role::Strong);
        for (index, (sign, what)) in SIGNS.into_iter().enumerate() {
            let word = ["sb", "f1 f2", "dir", "pl"].get(index).map_or(String::new(), |word| (*word).to_owned());
            items.push((if wide { word } else { sign.to_string() }, own, what.to_owned(), String::new()));
        }
        if self.free > 0 {
            let free =
                (look.glyphs.dot.to_owned(), look.theme.of(Role::Mute), "free".to_owned(), self.share(self.free));
            items.insert(items.len() - SIGNS.len(), free);
        }
        items
    }

    /// The share of all pages in percent.
    fn share(&self, pages: u64) -> String {
        let all = u64::from(self.cells.pages.max(1));
        match (pages * 100 + all / 2) / all {
            0 => "<1 %".to_owned(),
            percent => format!("{percent} %"),
        }
    }
}
