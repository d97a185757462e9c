//! The layout panes: bars in proportion, of an image and its sections, or of metadata streams; of an MSF file, the page
//! map.

mod bar;
mod legend;
mod page_map;

use self::bar::Bar;
use crate::panes::lists::stream_of_metadata;
use pdblens_nodes as nodes;
use pdblens_nodes::mdb;
use pdblens_nodes::regions;
use pdblens_nodes::stream::PdbView;
use std::collections::HashMap;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::panes::file_map::page_map::PageMap;
use crate::panes::pane::{Ability, AbilityMut, Context, Facts, Pane, Window};
use crate::state::effect::Effect;
use crate::state::message::Job;
use crate::state::paths::no_image;
use crate::state::selection::Selection;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::{Mark, fill_row};
use crate::ui::layout::ContentSize;
use crate::ui::segment_bar;
use crate::ui::text::{put, put_right, width};
use crate::ui::theme::Role;
use pdblens_formats::bytes::Span;
use pdblens_nodes::Place;
use pdblens_nodes::regions::FileRegion;
use pdblens_nodes::{PePart, Side};
use pdblens_session::session::Session;

/// Rows of a complete bar: title, names, bar, offsets, gap.
const BAR_ROWS: u16 = 5;

/// The subject of the pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MapSubject {
    /// The image, and one of its sections.
    Image,
    /// The metadata of both files.
    Metadata,
}

struct Map {
    kind: MapSubject,
    loaded: bool,
    bars: Vec<Bar>,
    /// The bar of the cursor.
    at: usize,
    sections: Vec<Vec<FileRegion>>,
    /// The section of a place.
    places: HashMap<Place, u16>,
    /// The page map, and whether it is shown instead of the bars.
    pages: PageMap,
    paged: bool,
}

fn new(kind: MapSubject) -> Box<dyn Pane> {
    Box::new(Map {
        kind,
        loaded: false,
        bars: Vec::new(),
        at: 0,
        sections: Vec::new(),
        places: HashMap::new(),
        pages: PageMap::default(),
        paged: false,
    })
}

/// The layout of an image.
pub fn image() -> Box<dyn Pane> {
    new(MapSubject::Image)
}

/// The layout of metadata or pages.
pub fn metadata() -> Box<dyn Pane> {
    new(MapSubject::Metadata)
}

impl Map {
    fn load(&mut self, session: &Session) {
        // The regions of an `.mdb` may need an index first.
        let waits = self.kind == MapSubject::Metadata && nodes::required_index(session, Place::Parts).is_some();
        if waits || std::mem::replace(&mut self.loaded, true) {
            return;
        }
        match self.kind {
            MapSubject::Image => {
                let Some(image) = session.image() else { return };
                self.bars.push(Bar::new(image.name.clone(), regions::of_image(session)));
                self.sections = regions::of_sections(session);
                for (index, section) in self.sections.iter().enumerate() {
                    for place in section.iter().filter_map(|extent| extent.place) {
                        self.places.entry(place).or_insert(index as u16);
                    }
                }
                self.open_section(0);
            }
            MapSubject::Metadata => {
                if mdb::is_loaded(session)
                    && let Some(file) = session.symbol_file()
                {
                    self.bars.push(Bar::new(file.name.clone(), mdb::file_regions(session)));
                }
                // The PDB first: it has what most users look for.
                let mut sides: Vec<Side> = Side::loaded(session).map(|(side, _)| side).collect();
                sides.reverse();
                for side in sides {
                    let name = match side {
                        Side::Image => session.image().map(|image| image.name.as_str()),
                        Side::Pdb => session.symbol_file().map(|file| file.name.as_str()),
                    };
                    let of = format!("metadata of {}", name.unwrap_or_default());
                    self.bars.push(Bar::new(of, regions::of_metadata(session, side)));
                }
            }
        }
    }

    /// Shows the regions of a section.
    fn open_section(&mut self, index: usize) {
        self.bars.truncate(1);
        let Some(extents) = self.sections.get(index).filter(|extents| !extents.is_empty()) else { return };
        let place = Place::PePart(PePart::Section(index as u16));
        let name = self.bars.iter().flat_map(|bar| &bar.extents).find(|extent| extent.place == Some(place));
        let name = name.map_or_else(|| format!("section {index}"), |extent| extent.name.clone());
        self.bars.push(Bar::new(name, extents.clone()));
    }

    /// Shows the regions of the selected section.
    fn follow_section(&mut self) {
        if self.kind != MapSubject::Image || self.at > 0 {
            return;
        }
        let chosen = self.bars.first().and_then(Bar::chosen).and_then(|extent| extent.place);
        if let Some(Place::PePart(PePart::Section(index))) = chosen {
            self.open_section(index as usize);
        }
    }

    /// Selects a place in every bar.
    fn choose(&mut self, place: Place, span: Option<Span>) {
        if self.kind == MapSubject::Image {
            let inside = self.places.get(&place).copied();
            let Some(top) = self.bars.first_mut() else { return };
            let section = inside.map(|index| Place::PePart(PePart::Section(index)));
            let all = matches!(place, Place::Pe | Place::PePart(PePart::Sections | PePart::Directories));
            top.chosen = top.find(section.unwrap_or(place), if all { None } else { span });
            let at = std::mem::replace(&mut self.at, 0);
            self.follow_section();
            if let Some(bar) = self.bars.get_mut(1) {
                bar.chosen = bar.find(place, span);
            }
            self.at = at.min(self.bars.len().saturating_sub(1));
            return;
        }
        for (index, bar) in self.bars.iter_mut().enumerate() {
            bar.chosen = bar.find(place, span);
            if bar.chosen.is_some() {
                self.at = index;
            }
        }
    }

    /// The bars that fit: metadata bars need their titles, so that there may be space for one only.
    fn shown(&self, height: u16) -> std::ops::Range<usize> {
        let all = 0..self.bars.len();
        let few = usize::from(height) + 1 < all.len() * 4;
        if self.kind == MapSubject::Metadata && few && !all.is_empty() { self.at..self.at + 1 } else { all }
    }

    /// The area of a bar with its title, and of the bar alone.
    fn place(&self, index: usize, area: Rect) -> (Rect, Rect) {
        let shown = self.shown(area.height);
        let rows = (area.height.saturating_add(1) / (shown.len() as u16).max(1)).min(BAR_ROWS);
        let down = index.saturating_sub(shown.start) as u16;
        let top = Rect { y: area.y + rows * down, height: rows, ..area }.intersection(area);
        // A complete bar has a title row and a gap.
        let title = u16::from(rows >= 4);
        let own = Rect { y: top.y + title, height: top.height.saturating_sub(title).min(3), ..top }.intersection(area);
        (top, own)
    }

    /// Moves the cursor along its bar.
    fn step(&mut self, forward: bool, n: usize) {
        let Some(bar) = self.bars.get_mut(self.at) else { return };
        let last = bar.extents.len().saturating_sub(1);
        bar.chosen = Some(match bar.chosen {
            None => 0,
            Some(at) if forward => at.saturating_add(n).min(last),
            Some(at) => at.saturating_sub(n),
        });
        self.follow_section();
    }

    fn extent(&self) -> Option<&FileRegion> {
        self.bars.get(self.at)?.chosen()
    }
}

impl Pane for Map {
    fn title(&self, cx: &Context<'_>) -> Title {
        if self.paged {
            return self.pages.title(cx);
        }
        let name = match self.kind {
            MapSubject::Image => "File layout",
            MapSubject::Metadata if mdb::is_loaded(cx.session) => "Layout",
            MapSubject::Metadata => "Metadata layout",
        };
        let title = Title::new(name);
        // The detail line has the position too, where there is space for one.
        let chosen = self.extent().map(|extent| format!("{:#x}+{}", extent.span.start, extent.span.len));
        let all = match self.bars.first() {
            Some(bar) if self.kind == MapSubject::Image => Some(format!("{} bytes", bar.len())),
            _ => None,
        };
        let chosen = if cx.look.focused { chosen } else { None };
        let parts: Vec<String> = chosen.into_iter().chain(all).collect();
        title.at(parts.join(" of "))
    }

    fn perform(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if self.paged {
            return self.pages.perform(action, count, cx);
        }
        self.load(cx.session);
        let n = count.unwrap_or(1);
        match action {
            Action::Left => self.step(false, n),
            Action::Right => self.step(true, n),
            Action::Top => self.step(false, usize::MAX),
            Action::Bottom => self.step(true, usize::MAX),
            Action::Up | Action::Down => {
                let last = self.bars.len().saturating_sub(1);
                self.at = if action == Action::Up { self.at.saturating_sub(1) } else { (self.at + 1).min(last) };
                if self.extent().is_none() {
                    self.step(true, 0);
                }
            }
            Action::Follow => {
                let inner = self.at == 0 && self.kind == MapSubject::Image && self.bars.len() > 1;
                let section = |extent: &FileRegion| matches!(extent.place, Some(Place::PePart(PePart::Section(_))));
                if inner && self.extent().is_some_and(section) {
                    self.at = 1;
                    if self.extent().is_none() {
                        self.step(true, 0);
                    }
                } else {
                    return Some(vec![Effect::Go(self.extent()?.place?.into())]);
                }
            }
            _ => return None,
        }
        Some(Vec::new())
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        self.load(cx.session);
        let Selection { place, part } = cx.selected.selection;
        if self.kind == MapSubject::Metadata && PdbView::of(cx.session).is_some() {
            // Beside an MSF file, metadata belongs to the image.
            let of_metadata =
                matches!(place, Place::Metadata(..) | Place::Heap(..) | Place::HeapEntry(..) | Place::Table(..));
            let of_bytes = matches!(place, Place::Bytes(_));
            self.paged = !of_metadata && (self.paged || !of_bytes);
            if self.paged {
                return self.pages.show_selection(cx);
            }
        }
        let stream = if self.kind == MapSubject::Metadata { stream_of_metadata(cx.session, place) } else { None };
        self.choose(stream.unwrap_or(place), part.or(cx.selected.span()));
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.load(cx.session);
        self.pages.resize(size, cx);
    }

    fn facts(&self, _: &Context<'_>) -> Facts {
        let brief = if self.paged { page_map::BRIEF } else { 0 };
        Facts {
            content_size: ContentSize { brief, ..ContentSize::default() },
            item: self.paged.then_some("page"),
            ..Facts::default()
        }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if self.paged {
            return self.pages.draw(area, buf, cx);
        }
        let look = &cx.look;
        if self.bars.is_empty() {
            let state = match self.kind {
                MapSubject::Image => no_image(),
                MapSubject::Metadata if !self.loaded => {
                    EmptyState::default().text("reading the regions of the symbol file")
                }
                MapSubject::Metadata => EmptyState::default()
                    .text("No metadata and no MSF file is open.")
                    .keys(Action::OpenFile, "open a managed DLL or a PDB"),
            };
            return state.draw(area, buf, look, &|action| cx.keys(action));
        }
        let mut cursor = None;
        let shown = self.shown(area.height);
        for (index, bar) in self.bars.iter().enumerate().skip(shown.start).take(shown.len()) {
            let (top, own) = self.place(index, area);
            if top.is_empty() {
                break;
            }
            let current = index == self.at && look.focused;
            if own.y > top.y {
                let line = Rect { height: 1, ..top };
                if current {
                    fill_row(buf, line, Mark::Related, look);
                }
                let role = if current { Role::Strong } else { Role::Dim };
                let x = put(buf, area.x + 1, top.y, area.right(), &bar.of, look.theme.of(role), look.glyphs);
                if let Some(extent) = bar.chosen() {
                    let text = about(extent, bar.len(), look.glyphs.dot);
                    if x as usize + width(&text) + 3 < area.right() as usize {
                        let end = area.right() - 1;
                        put_right(buf, x, top.y, end, &text, look.theme.of(Role::Dim), look.glyphs);
                    }
                }
            }
            segment_bar::draw(buf, own, &bar.segments, bar.chosen, look);
            if current {
                let places = segment_bar::cell_ranges(&bar.segments, own.width.saturating_sub(2));
                let x = bar.chosen.and_then(|chosen| places.get(chosen)).map_or(0, |(x, _)| *x);
                cursor = Some(Position::new(own.x + 1 + x, own.y + u16::from(own.height > 1)));
            }
        }
        cursor
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        if self.paged {
            return self.pages.selection(cx);
        }
        let extent = self.extent()?;
        Some(Selection { place: extent.place.unwrap_or(Place::Bytes(extent.span)), part: Some(extent.span) })
    }

    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        if self.paged {
            return self.pages.click(at, area, cx);
        }
        for index in self.shown(area.height) {
            let (top, own) = self.place(index, area);
            if !top.contains(at) {
                continue;
            }
            self.at = index;
            let Some(x) = at.x.checked_sub(own.x + 1) else { return false };
            let places = segment_bar::cell_ranges(&self.bars[index].segments, own.width.saturating_sub(2));
            let Some(hit) = places.iter().position(|(from, cells)| (*from..from + cells).contains(&x)) else {
                return false;
            };
            self.bars[index].chosen = Some(hit);
            self.follow_section();
            return true;
        }
        false
    }

    fn ability_mut(&mut self) -> AbilityMut<'_> {
        Ability::Window(self)
    }

    fn background_job(&mut self, session: &Arc<Session>) -> Option<Job> {
        if self.paged { self.pages.background_job(session) } else { None }
    }

    fn copied_text(&self, action: Action, cx: &Context<'_>) -> Option<String> {
        if self.paged {
            return self.pages.copied_text(action, cx);
        }
        let extent = self.extent()?;
        match action {
            Action::CopyValue => Some(extent.name.clone()),
            Action::CopyRow => Some(format!("{}\t{:#x}\t{}", extent.name, extent.span.start, extent.span.len)),
            _ => None,
        }
    }
}

impl Window for Map {
    fn scroll_by(&mut self, rows: usize, down: bool, _: &Context<'_>) {
        if self.paged {
            self.pages.scroll(rows, down);
        }
    }
}

/// Name, position and share of a region.
fn about(extent: &FileRegion, of: u64, dot: &str) -> String {
    let Span { start, len, .. } = extent.span;
    let share = len as f64 * 100.0 / of.max(1) as f64;
    format!("{} {dot} {start:#x}+{len} {dot} {share:.0} %", extent.name)
}
