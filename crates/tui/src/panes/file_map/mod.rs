//! The Layout pane: pictures of both files to scale; of an MSF file, the page map; of both files, a treemap.

mod legend;
mod page_map;
mod picture;

use self::picture::Picture;
use crate::panes::lists::{has_records, is_of_image, stream_of_metadata};
use pdblens_nodes as nodes;
use pdblens_nodes::contributions::{contribution_count, module_stream};
use pdblens_nodes::fill;
use pdblens_nodes::mdb;
use pdblens_nodes::regions;
use pdblens_nodes::stream::PdbView;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::engine::jobs::CancelToken;
use crate::panes::file_map::page_map::PageMap;
use crate::panes::pane::{Context, Facts, Pane, PaneInput};
use crate::panes::treemap::Treemap;
use crate::state::effect::Effect;
use crate::state::message::{Inbox, Job};
use crate::state::paths::no_image;
use crate::state::selection::Selection;
use crate::state::view::PaneId;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::layout::{ContentSize, Slot};
use crate::ui::text::put;
use crate::ui::theme::Role;
use pdblens_formats::bytes::Span;
use pdblens_nodes::Place;
use pdblens_nodes::regions::FileRegion;
use pdblens_nodes::{PePart, Side};
use pdblens_session::session::{Session, hold};
use pdblens_session::text::safe::count;

struct Map {
    loaded: bool,
    files: Vec<Picture>,
    /// The regions that filled the pane one after the other, the one that does now last; and the file that they are of.
    zooms: Vec<Picture>,
    outer: usize,
    /// The file of the cursor, and its offset there.
    at: usize,
    offset: u64,
    /// The selected part, which may be several regions.
    lit: Option<Span>,
    /// Bytes of a cell.
    cell: u64,
    size: Size,
    /// The page map, and whether the cursor is in it. The image is above it, or instead of it where it has no room there.
    pages: PageMap,
    paged: bool,
    /// The treemap of both files, where it is shown instead of everything else.
    treemap: Option<Box<Treemap>>,
    /// The regions of large files, which a job finds.
    found: Inbox<Vec<Picture>>,
}

pub fn new() -> Box<dyn Pane> {
    Box::new(Map {
        loaded: false,
        files: Vec::new(),
        zooms: Vec::new(),
        outer: 0,
        at: 0,
        offset: 0,
        lit: None,
        cell: 1,
        size: Size::default(),
        pages: PageMap::default(),
        paged: false,
        treemap: None,
        found: Inbox::default(),
    })
}

/// Methods and contributions from which the regions are found by a job.
const SYNC_LIMIT: u64 = 5000;

fn is_large(session: &Session) -> bool {
    u64::from(session.methods()) > SYNC_LIMIT || contribution_count(session) > SYNC_LIMIT
}

/// The files with all of their regions; of the symbols once they can be read.
fn pictures(session: &Session, has_symbols: bool) -> Vec<Picture> {
    let expanded = |regions: Vec<FileRegion>| {
        regions.into_iter().flat_map(|region| regions::expanded(session, region)).collect::<Vec<_>>()
    };
    let mut files = Vec::new();
    if let Some(image) = session.image() {
        let sections = regions::of_sections(session);
        let inside = |region: FileRegion| match region.place {
            Some(Place::PePart(PePart::Section(index))) => {
                sections.get(usize::from(index)).cloned().unwrap_or_else(|| vec![region])
            }
            _ => vec![region],
        };
        let all = regions::of_image(session).into_iter().flat_map(inside).collect();
        files.push(Picture::new(image.name.clone(), expanded(all)));
    }
    let symbols = session.symbol_file().filter(|_| has_symbols).map(|file| {
        let is_mdb = mdb::is_loaded(session);
        (file, if is_mdb { mdb::file_regions(session) } else { expanded(regions::of_metadata(session, Side::Pdb)) })
    });
    if let Some((file, regions)) = symbols.filter(|(_, regions)| !regions.is_empty()) {
        files.push(Picture::new(file.name.clone(), regions));
    }
    files
}

impl Map {
    fn load(&mut self, session: &Session) {
        if self.loaded {
            return;
        }
        // The regions of an `.mdb` may need an index first.
        let is_ready = nodes::required_index(session, Place::Parts).is_none();
        if let Some(files) = self.found.take().or_else(|| (!is_large(session)).then(|| pictures(session, is_ready))) {
            (self.files, self.loaded) = (files, is_ready);
            self.update();
        }
    }

    /// Returns whether the page map is drawn: what fills the pane takes its place.
    fn is_paged(&self) -> bool {
        self.zooms.is_empty() && (self.paged || !self.strip(Rect::from(self.size)).is_empty())
    }

    /// The part of an area with the image above the page map, in the same scale; empty where the pages need the room, or the image would be
    /// a few cells.
    fn strip(&self, area: Rect) -> Rect {
        let least = self.pages.scale * u64::from(area.width / 4);
        let rows = match self.files.first() {
            Some(image) if least > 0 && image.whole.len >= least => 1 + image.rows(self.pages.scale, area.width),
            _ => 0,
        };
        Rect { height: if rows * 4 <= area.height { rows } else { 0 }, ..area }
    }

    /// Fits the page map below the image, whose height depends on the pages of a cell.
    fn fit_pages(&mut self, cx: &Context<'_>) {
        for _ in 0..2 {
            let above = self.strip(Rect::from(self.size)).height;
            self.pages.resize(Size { height: self.size.height - above, ..self.size }, cx);
        }
        self.update();
    }

    /// The files that are drawn: all of them, or the region that fills the pane.
    fn drawn(&self) -> &[Picture] {
        self.zooms.last().map_or(&self.files, std::slice::from_ref)
    }

    /// The files that fit, by their index: all of them, or that of the cursor. A file needs its title and a row.
    fn fitting(&self) -> std::ops::Range<usize> {
        let all = self.drawn().len();
        if usize::from(self.size.height) > all * 2 { 0..all } else { self.at..self.at + 1 }
    }

    /// Finds the number of bytes of a cell with which the files fit.
    fn update(&mut self) {
        if self.is_paged() {
            self.cell = self.pages.scale.max(1);
            return;
        }
        let (width, height) = (u64::from(self.size.width.saturating_sub(2)).max(1), u64::from(self.size.height));
        let files = self.drawn().get(self.fitting()).unwrap_or_default();
        // The title of each file but the first, and the line about the region of the cursor.
        let room = height.saturating_sub(files.len() as u64).max(1);
        let rows = |cell: u64| files.iter().map(|file| file.whole.len.div_ceil(cell * width)).sum::<u64>();
        let mut cell = files.iter().map(|file| file.whole.len).sum::<u64>().div_ceil(width * room).max(1);
        while rows(cell) > room && files.len() as u64 <= room {
            cell += cell.div_ceil(16);
        }
        self.cell = cell;
    }

    /// The region of the cursor.
    fn extent(&self) -> Option<&FileRegion> {
        self.drawn().get(self.at)?.region_at(self.offset)
    }

    /// Moves the cursor to the next region or the previous one, in all files.
    fn step(&mut self, forward: bool, n: usize) {
        for _ in 0..n {
            let Some(extent) = self.extent() else { return };
            let (start, end) = (extent.span.start, extent.span.end());
            let (file, files) = (&self.drawn()[self.at], self.drawn());
            let to = if forward && end < file.whole.end() {
                Some((self.at, end))
            } else if forward {
                files.get(self.at + 1).map(|next| (self.at + 1, next.whole.start))
            } else if start > file.whole.start {
                file.region_at(start - 1).map(|region| (self.at, region.span.start))
            } else {
                let before = self.at.checked_sub(1);
                before.and_then(|at| Some((at, files.get(at)?.regions.last()?.span.start)))
            };
            let Some(to) = to else { return };
            (self.at, self.offset) = to;
        }
    }

    /// Moves the cursor by rows.
    fn step_row(&mut self, down: bool) {
        let row = self.cell * u64::from(self.size.width.saturating_sub(2)).max(1);
        let whole = self.drawn().get(self.at).map_or_else(Span::default, |file| file.whole);
        let to = if down { self.offset.checked_add(row) } else { self.offset.checked_sub(row) };
        match to.filter(|to| (whole.start..whole.end()).contains(to)) {
            Some(to) => self.offset = to,
            None if down && self.at + 1 < self.drawn().len() => {
                (self.at, self.offset) = (self.at + 1, self.drawn()[self.at + 1].whole.start);
            }
            None if !down && self.at > 0 => {
                (self.at, self.offset) = (self.at - 1, self.drawn()[self.at - 1].whole.end().saturating_sub(1));
            }
            None => {}
        }
    }

    /// Lets the region of the cursor fill the pane, or the image that is above the page map; false where nothing is told apart in it.
    fn zoom_in(&mut self, session: &Session) -> bool {
        if self.is_paged() && !self.paged {
            let Some(Picture { name, regions, .. }) = self.files.first() else { return false };
            self.zooms.push(Picture::new(name.clone(), regions.clone()));
            self.update();
            return true;
        }
        let of_pages = || self.pages.stream_region(session);
        let region = if self.is_paged() { of_pages() } else { self.extent().cloned() };
        let Some(region) = region else { return false };
        let inside = regions::inside(session, &region);
        if inside.len() < 2 {
            return false;
        }
        if self.zooms.is_empty() {
            self.outer = self.at;
        }
        (self.at, self.offset) = (0, region.span.start);
        self.zooms.push(Picture::new(region.name, inside));
        self.update();
        true
    }

    fn zoom_out(&mut self) {
        if self.zooms.pop().is_some() {
            self.at = if self.zooms.is_empty() { self.outer } else { 0 };
            self.update();
        }
    }

    /// Leaves what fills the pane until that contains the bytes.
    fn zoom_to(&mut self, span: Span) {
        while self.zooms.last().is_some_and(|zoom| !zoom.whole.covers(span)) {
            self.zoom_out();
        }
    }

    /// Lights the stream of the module whose code or data the cursor is on, above the page map.
    fn light_module(&mut self, session: &Session) {
        if self.is_paged() && !self.paged {
            self.pages.chosen = self.extent().and_then(|extent| module_stream(session, extent.place?));
        }
    }

    /// Moves the cursor to a place, or to the region with its bytes.
    fn choose(&mut self, place: Place, span: Option<Span>) {
        self.lit = span;
        let covers = |span: Span| move |region: &FileRegion| region.span.covers(Span { len: span.len.min(1), ..span });
        if let Some(span) = span {
            self.zoom_to(span);
        }
        let mut found = None;
        for (index, file) in self.drawn().iter().enumerate() {
            let named = file.regions.iter().find(|region| region.place == Some(place));
            let region =
                named.or_else(|| file.regions.iter().find(|region| span.is_some_and(|span| covers(span)(region))));
            if let Some(region) = region {
                let inside = span.filter(|span| region.span.covers(Span { len: span.len.min(1), ..*span }));
                found = Some((index, inside.map_or(region.span.start, |span| span.start)));
            }
        }
        if let Some(found) = found {
            (self.at, self.offset) = found;
            self.update();
        }
    }

    fn perform(&mut self, action: Action, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if action == Action::Sort {
            self.treemap = if self.treemap.is_some() { None } else { Some(Box::default()) };
            self.resize(self.size, cx);
            return Some(Vec::new());
        }
        if let Some(treemap) = &mut self.treemap {
            return treemap.perform(action);
        }
        let is_paged = self.is_paged();
        if is_paged && self.paged {
            if action == Action::Follow && self.zoom_in(cx.session) {
                return Some(Vec::new());
            }
            let has_image = !self.strip(self.size.into()).is_empty();
            if action != Action::Up || !self.pages.is_in_first_row() || !has_image {
                return self.pages.perform(action, cx);
            }
            // Above the first row of pages is the image.
            self.paged = false;
            self.light_module(cx.session);
            return Some(Vec::new());
        }
        self.load(cx.session);
        self.lit = None;
        let before = self.offset;
        match action {
            Action::Left => self.step(false, 1),
            Action::Right => self.step(true, 1),
            Action::Top => self.step(false, usize::MAX),
            Action::Bottom => self.step(true, usize::MAX),
            Action::Up => self.step_row(false),
            Action::Down => self.step_row(true),
            Action::Back | Action::Parent if !self.zooms.is_empty() => self.zoom_out(),
            Action::Follow => {
                if !self.zoom_in(cx.session) {
                    let place = self.extent()?.place?;
                    let open = (cx.view.shows)(place).then_some(Effect::Focus(Slot::Main(1)));
                    return Some([Effect::Go(place.into())].into_iter().chain(open).collect());
                }
            }
            Action::CopyValue => return Some(vec![Effect::copy(action, self.extent()?.name.clone())]),
            Action::CopyRow => {
                let FileRegion { name, span, .. } = self.extent()?;
                return Some(vec![Effect::copy(action, format!("{name}\t{:#x}\t{}", span.start, span.len))]);
            }
            _ => return None,
        }
        self.paged |= is_paged && action == Action::Down && self.offset == before;
        self.light_module(cx.session);
        self.update();
        Some(Vec::new())
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.load(cx.session);
        self.size = size;
        self.update();
        self.fit_pages(cx);
        if let Some(treemap) = &mut self.treemap {
            treemap.resize(size);
        }
    }

    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        if let Some(treemap) = &mut self.treemap {
            return treemap.click(Position { x: at.x.saturating_sub(area.x), y: at.y.saturating_sub(area.y) });
        }
        if self.is_paged() {
            let strip = self.strip(area);
            self.paged = !strip.contains(at);
            if self.paged {
                return self.pages.click(at, below(area, strip), cx);
            }
        }
        let mut y = area.y;
        for index in self.fitting() {
            let Some(file) = self.drawn().get(index) else { break };
            let rows = file.rows(self.cell, area.width);
            if let Some(offset) = file.offset_at(at, Rect { y, height: rows, ..area }, self.cell) {
                (self.at, self.offset, self.lit) = (index, offset, None);
                self.light_module(cx.session);
                return true;
            }
            y += 1 + rows;
        }
        false
    }
}

impl Pane for Map {
    fn title(&self, cx: &Context<'_>) -> Title {
        if let Some(treemap) = &self.treemap {
            return treemap.title();
        }
        if self.is_paged() && self.strip(self.size.into()).is_empty() {
            return self.pages.title(cx);
        }
        let first = self.drawn().get(self.fitting().start).map_or_else(String::new, Picture::title);
        Title::new("Layout").of(first).at(format!("{} a cell", count(self.cell, "byte")))
    }

    fn take(&mut self, input: PaneInput, cx: &Context<'_>) -> Option<Vec<Effect>> {
        match input {
            PaneInput::Do(action) => return self.perform(action, cx),
            PaneInput::Click(at, area) => return self.click(at, area, cx).then(Vec::new),
            PaneInput::Wheel(..) => {}
            PaneInput::Resize(size) => self.resize(size, cx),
        }
        None
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        if let Some(treemap) = &mut self.treemap {
            treemap.take_found();
        }
        self.load(cx.session);
        let Selection { place, part } = cx.selected.selection;
        if PdbView::of(cx.session).is_some() {
            // Beside an MSF file, metadata belongs to the image.
            let of_metadata =
                matches!(place, Place::Metadata(..) | Place::Heap(..) | Place::HeapEntry(..) | Place::Table(..));
            let of_bytes = matches!(place, Place::Bytes(_));
            let in_image = part.is_some_and(|part| cx.session.image().is_some_and(|image| image.space == part.space));
            self.paged = !of_metadata && !is_of_image(place) && !in_image && (self.paged || !of_bytes);
            self.zoom_to(part.or(cx.selected.span()).unwrap_or_default());
            if self.paged && self.zooms.is_empty() {
                self.pages.show_selection(cx);
                return self.fit_pages(cx);
            }
        }
        let stream = stream_of_metadata(cx.session, place);
        // The place of a section has the bytes of its header.
        let section = match (place, cx.session.image()) {
            (Place::PePart(PePart::Section(index)), Some(image)) => image.pe.sections.get(usize::from(index)),
            _ => None,
        };
        let span = part.or(section.map(|section| section.data)).or(cx.selected.span());
        self.choose(stream.unwrap_or(place), span);
        self.light_module(cx.session);
    }

    fn facts(&self, cx: &Context<'_>) -> Facts {
        let is_paged = self.is_paged();
        let brief = if is_paged { page_map::BRIEF } else { 0 };
        Facts {
            content_size: ContentSize { brief, ..ContentSize::default() },
            item: match &self.treemap {
                Some(_) => Some("box"),
                None => (is_paged && self.paged).then_some("page"),
            },
            hides: match &self.treemap {
                Some(_) => &[PaneId::Parts, PaneId::Records, PaneId::Bytes, PaneId::Fields],
                // The records are the fields.
                None if has_records(cx.selected.selection.place) => &[PaneId::Fields],
                None => &[],
            },
            sorts: true,
            ..Facts::default()
        }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if let Some(treemap) = &self.treemap {
            treemap.draw(area, buf, cx);
            return None;
        }
        let look = &cx.look;
        let is_lit = |region: &FileRegion| {
            let chosen = self.pages.chosen.filter(|_| self.is_paged());
            self.lit.is_some_and(|lit| lit.covers(region.span))
                || chosen.is_some() && region.place.and_then(|place| module_stream(cx.session, place)) == chosen
        };
        let whole = self.drawn().get(self.at).map_or(0, |file| file.whole.len);
        let about = self.extent().map(|extent| about(extent, whole, look.glyphs.dot));
        if self.is_paged() {
            let strip = self.strip(area);
            let (mut cursor, below) = (None, below(area, strip));
            if let Some(image) = self.files.first().filter(|_| !strip.is_empty()) {
                let at = (!self.paged).then_some(self.offset);
                cursor = image.draw(Rect { height: strip.height - 1, ..strip }, buf, (self.cell, at, &is_lit), look);
                let Title { name, of, position, .. } = self.pages.title(cx);
                let title = format!("{name}  {of} {} {position}", look.glyphs.dot);
                put(buf, area.x + 1, below.y - 1, area.right(), &title, look.theme.of(Role::Dim), look.glyphs);
            }
            let in_pages = self.pages.draw(below, buf, about.filter(|_| !self.paged), cx);
            return if self.paged { in_pages } else { cursor.filter(|_| look.focused) };
        }
        if self.files.is_empty() {
            let state =
                if self.loaded { no_image() } else { EmptyState::default().text("finding the parts of the files") };
            return state.draw(area, buf, look, &|action| cx.keys(action));
        }
        let (mut y, mut cursor) = (area.y, None);
        for index in self.fitting() {
            let Some(file) = self.drawn().get(index) else { break };
            if y > area.y {
                put(buf, area.x + 1, y, area.right(), &file.title(), look.theme.of(Role::Dim), look.glyphs);
                y += 1;
            }
            let at = (index == self.at).then_some(self.offset);
            let rest = Rect { y, height: area.bottom().saturating_sub(y + 1), ..area };
            cursor = cursor.or(file.draw(rest, buf, (self.cell, at, &is_lit), look));
            y += file.rows(self.cell, area.width);
        }
        if let Some(text) = about {
            let style = look.theme.of(if look.focused { Role::Strong } else { Role::Dim });
            put(buf, area.x + 1, area.bottom().saturating_sub(1), area.right(), &text, style, look.glyphs);
        }
        if look.focused { cursor } else { None }
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        if let Some(treemap) = &self.treemap {
            return treemap.selection();
        }
        if self.is_paged() && self.paged {
            return self.pages.selection(cx);
        }
        let extent = self.extent()?;
        Some(Selection { place: extent.place.unwrap_or(Place::Bytes(extent.span)), part: Some(extent.span) })
    }

    fn job(&mut self, session: &Arc<Session>) -> Option<Job> {
        match &mut self.treemap {
            Some(treemap) => {
                let session = Arc::clone(session);
                treemap.job(move |by| {
                    hold(&session);
                    fill::whole(&session, by)
                })
            }
            None if !self.loaded && is_large(session) && !self.found.is_pending() => {
                if nodes::required_index(session, Place::Parts).is_some() {
                    return None;
                }
                let session = Arc::clone(session);
                let find = move |_: &CancelToken| Some(pictures(&session, true));
                Some(self.found.job("finding the parts of the files", "regions", find))
            }
            None if PdbView::of(session).is_some() => self.pages.job(session),
            None => None,
        }
    }
}

fn below(area: Rect, strip: Rect) -> Rect {
    Rect { y: area.y + strip.height, height: area.height - strip.height, ..area }
}

/// Name, position and share of a region.
fn about(extent: &FileRegion, of: u64, dot: &str) -> String {
    let Span { start, len, .. } = extent.span;
    let share = len as f64 * 100.0 / of.max(1) as f64;
    format!("{} {dot} {start:#x}+{len} {dot} {share:.0} %", extent.name)
}
