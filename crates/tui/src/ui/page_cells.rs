//! The cells of a page map: the pages that each stands for, their owner, and its look.
//!
//! A cell has the colour of the family of its stream: modules, types, symbols. Where there is space it shows the stream
//! number, else a block, or a letter in themes without colour. Pages of the file's own structure have signs.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use crate::ui::text::put;
use crate::ui::theme::{Look, Role};
use pdblens_nodes::stream::{Family, Owner, PageUse, PdbView};
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::session::Session;

/// A page of a stream, where cells are blocks.
pub const BLOCK: &str = "█";
pub const WIDE: usize = 4;
/// Pages that are examined of a cell that stands for many.
const MAX_SAMPLES: u32 = 9;
/// Pages whose owners are found while a screen is drawn.
const MAX_AT_ONCE: u32 = 4096;

/// Legend of the cells that are not the number of a stream.
pub const WORDS: &str = "Each cell is a page: sb superblock, f1 and f2 free page maps, dir directory, pl its block map; a number is the \
                         stream that has the page, a dot is free.";

/// Returns whether the theme has colours to tell families apart.
pub fn has_colors(look: &Look<'_>) -> bool {
    look.theme.field(0).fg.is_some() && !look.glyphs.ascii
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    pub pages: u32,
    /// Cells per row.
    pub row: u32,
    pub rows: u32,
    /// Rows that there is room for.
    pub height: u32,
    /// Pages per cell.
    pub each: u32,
    pub wide: usize,
    /// Width of the page numbers on the left.
    pub digits: usize,
}

impl Cells {
    pub fn of(pages: u32, width: u16, height: u16) -> Self {
        let digits = pages.max(1).ilog10() as usize + 1;
        let room = (width as usize).saturating_sub(digits + 4).max(1);
        let height = u32::from(height).max(1);
        let in_row = |wide: usize| {
            let cells = room / wide;
            // Multiples of eight are easier to count.
            (if cells >= 16 { cells / 8 * 8 } else { cells }).max(1) as u32
        };
        let wide = if u64::from(in_row(WIDE)) * u64::from(height) >= u64::from(pages) { WIDE } else { 1 };
        let row = in_row(wide);
        // All pages are in sight: a cell has several pages of a long file.
        let most = u64::from(row) * u64::from(height);
        let each = u64::from(pages).div_ceil(most).max(1) as u32;
        let rows = pages.div_ceil(each).div_ceil(row).max(1);
        Self { pages, row, rows, height, each, wide, digits }
    }

    /// The first page of a cell.
    pub fn page(self, cell: u32) -> Option<u32> {
        cell.checked_mul(self.each).filter(|page| *page < self.pages)
    }

    pub fn cell(self, page: u32) -> u32 {
        page / self.each.max(1)
    }

    /// The position of a cell in `area`.
    pub fn place(self, cell: u32, area: Rect) -> Option<Position> {
        let row = self.row.max(1);
        let x = area.x as usize + 1 + self.digits + 2 + (cell % row) as usize * self.wide;
        Some(Position::new(x as u16, area.y + u16::try_from(cell / row).ok()?))
    }

    /// For each cell a representative page and its owner: the most frequent owner of a sample, or the file's own
    /// structure.
    pub fn owners(self, view: &PdbView<'_>) -> Vec<(u32, Owner)> {
        let msf = &view.pdb.msf;
        let map = msf.page_map(view.spaces);
        let family = |owner: Owner| match owner.page_use() {
            Some(PageUse::Stream { stream, .. }) => Some(view.family(stream)),
            _ => None,
        };
        let shown = |cell: u32| {
            let first = self.page(cell)?;
            let pages = self.each.min(self.pages - first);
            let step = pages.div_ceil(MAX_SAMPLES).max(1);
            let seen: Vec<(u32, Owner)> =
                (first..first + pages).step_by(step as usize).map(|page| (page, map.owner(msf, page))).collect();
            let votes = |owner: Owner| seen.iter().filter(|(_, other)| family(*other) == family(owner)).count();
            // The first of equal ones.
            seen.iter().rev().max_by_key(|(_, owner)| votes(*owner)).copied()
        };
        let mut cells: Vec<(u32, Owner)> = (0..self.row * self.rows).map_while(shown).collect();
        let step = usize::try_from(msf.page_size()).unwrap_or(0).max(1);
        // Where every cell would contain a free page map, only the first two are shown.
        let often = u64::from(self.each) * 4 > u64::from(msf.page_size());
        let maps = [1, 2]
            .into_iter()
            .flat_map(|number| (number..self.pages).step_by(step).take(if often { 1 } else { usize::MAX }));
        for page in maps.chain(view.own_pages()) {
            if let Some(cell) = cells.get_mut(self.cell(page) as usize) {
                *cell = (page, map.owner(msf, page));
            }
        }
        cells
    }
}

/// Draws the map of a file of few pages, or of one whose map is known, and highlights the page of an offset.
pub fn draw_pages(session: &Session, at: u64, area: Rect, buf: &mut Buffer, look: &Look<'_>) {
    let Some(view) = PdbView::of(session) else { return };
    let msf = &view.pdb.msf;
    if nodes::required_index(session, Place::Pages).is_some() && msf.file_pages() > MAX_AT_ONCE {
        return;
    }
    let cells = Cells::of(msf.page_map(view.spaces).len() as u32, area.width, area.height);
    let page = u32::try_from(at / u64::from(msf.page_size().max(1))).unwrap_or(u32::MAX);
    for (cell, (_, owner)) in (0_u32..).zip(cells.owners(&view)) {
        let Some(place) = cells.place(cell, area).filter(|place| place.y < area.bottom()) else { continue };
        let (text, style) = mark(owner, &view, false, cells, look);
        if cell % cells.row == 0 {
            let first = format!("{:>digits$}", cell * cells.each, digits = cells.digits);
            put(buf, area.x + 1, place.y, area.right(), &first, look.theme.of(Role::Mute), look.glyphs);
        }
        let style = if cells.cell(page) == cell { style.patch(look.theme.of(Role::Span)) } else { style };
        put(buf, place.x, place.y, area.right(), &format!("{text:>wide$}", wide = cells.wide - 1), style, look.glyphs);
    }
}

pub fn hue(family: Family, look: &Look<'_>) -> Style {
    match Family::ALL.iter().position(|other| *other == family) {
        Some(index) if family != Family::Unknown && has_colors(look) => look.theme.field(index),
        _ => look.theme.of(Role::Dim),
    }
}

/// The style of a block of a family, in one of two brightnesses.
pub fn filled(family: Family, is_bright: bool, look: &Look<'_>) -> Style {
    let index = Family::ALL.iter().position(|other| *other == family).filter(|_| family != Family::Unknown);
    match index.and_then(|index| look.theme.fill(index, is_bright)) {
        Some(fill) => Style { fg: fill.bg, ..fill },
        None if is_bright => hue(family, look),
        None => hue(family, look).add_modifier(Modifier::DIM),
    }
}

/// Returns whether cells are blocks in colours; they are letters in themes without colour and in ASCII.
pub fn has_blocks(look: &Look<'_>) -> bool {
    has_colors(look) && !look.glyphs.ascii
}

/// The letter of a family, in themes without colour.
pub fn letter(family: Family) -> char {
    family.name().chars().next().unwrap_or('?')
}

/// Signs and names of pages of the file's own structure.
pub const SIGNS: [(char, &str); 4] = [('#', "superblock"), ('%', "FPM"), ('=', "directory"), ('-', "its block map")];

pub fn mark(owner: Owner, view: &PdbView<'_>, chosen: bool, cells: Cells, look: &Look<'_>) -> (String, Style) {
    let (own, wide) = (look.theme.of(Role::Strong), cells.wide > 1);
    let sign = |index: usize, word: String| {
        let narrow = SIGNS.get(index).map_or(' ', |(sign, _)| *sign).to_string();
        (if wide { word } else { narrow }, own)
    };
    match owner {
        Owner::Unique(PageUse::Stream { stream, .. }) => {
            let family = view.family(stream);
            let blocks = has_blocks(look);
            let text = match (wide, blocks) {
                (true, _) => stream.to_string(),
                (false, true) => BLOCK.to_owned(),
                (false, false) if chosen => letter(family).to_uppercase().to_string(),
                (false, false) => letter(family).to_string(),
            };
            let alternate = cells.each == 1 && stream % 2 == 1;
            let style = match (chosen, wide) {
                (true, _) => look.theme.of(Role::Accent),
                (false, true) if !has_colors(look) => look.theme.of(Role::Text),
                // Neighbours differ in brightness, so that it can be seen where one ends.
                (false, false) if blocks => filled(family, !alternate, look),
                (false, false) if alternate && !has_colors(look) => look.theme.of(Role::Text),
                (false, _) => hue(family, look),
            };
            (text, style)
        }
        Owner::Unique(PageUse::Superblock) => sign(0, "sb".to_owned()),
        Owner::Unique(PageUse::FreePageMap { number, .. }) => sign(1, format!("f{number}")),
        Owner::Unique(PageUse::Directory { .. }) => sign(2, "dir".to_owned()),
        Owner::Unique(PageUse::PageList { .. }) => sign(3, "pl".to_owned()),
        Owner::Conflict(..) | Owner::Missing => (look.glyphs.bad.to_owned(), look.theme.of(Role::Bad)),
        Owner::Unclaimed => (look.glyphs.warn.to_owned(), look.theme.of(Role::Warn)),
        Owner::Free => (look.glyphs.dot.to_owned(), look.theme.of(Role::Faint)),
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
        assert_eq!((Cells::of(5000, 88, 10).each, Cells::of(5000, 88, 10).rows), (7, 9));
        // 72 cells in a row, 10 rows.
        assert_eq!(Cells::of(50_000, 88, 10).each, 70);
    }

    #[test]
    fn a_cell_shows_what_most_of_its_pages_are_and_never_hides_the_files_own() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/workshop-windows/Workshop.dll");
        let session = Session::open(&[path.into()]).unwrap();
        let view = PdbView::of(&session).unwrap();
        let pages = view.pdb.msf.page_map(view.spaces).len() as u32;
        for (width, height) in [(200, 10), (40, 2), (20, 2)] {
            let cells = Cells::of(pages, width, height);
            let owners = cells.owners(&view);
            assert_eq!(owners.len() as u32, pages.div_ceil(cells.each), "{cells:?}");
            for (cell, (page, owner)) in (0..).zip(&owners) {
                assert_eq!(cells.cell(*page), cell);
                assert_eq!(*owner, view.pdb.msf.page_map(view.spaces).owner(&view.pdb.msf, *page));
            }
            let own = owners.iter().filter(|(_, owner)| {
                matches!(
                    owner,
                    Owner::Unique(PageUse::Superblock | PageUse::Directory { .. } | PageUse::PageList { .. })
                )
            });
            assert!(own.count() >= 2, "{cells:?}");
        }
    }
}
