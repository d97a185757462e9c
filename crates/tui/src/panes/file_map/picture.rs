//! A file to scale: each cell is the same number of bytes, and a region is drawn in the cells of its bytes.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::ui::text::{put, width};
use crate::ui::theme::{Look, Role};
use pdblens_formats::bytes::Span;
use pdblens_nodes::fill::percent;
use pdblens_nodes::regions::{FileRegion, FileRegionKind};

/// The style of a cell of an area: where the theme has colours to mix, its sign has the colour of its ground.
pub(super) fn solid(index: usize, is_bright: bool, look: &Look<'_>) -> Style {
    let fill = look.theme.fill(index, is_bright).filter(|_| !look.glyphs.ascii);
    fill.map_or_else(|| look.theme.field(index), |fill| Style { fg: fill.bg, ..fill })
}

/// Tells the regions that are lit besides that of the cursor.
pub(super) type IsLit<'l> = dyn Fn(&FileRegion) -> bool + 'l;

/// The smallest share of a file that is said beside a name: one in so many bytes.
const MIN_SHARE: u64 = 20;

/// A file, or a region of it, and the regions in it from its first byte to its last.
pub(super) struct Picture {
    pub(super) name: String,
    pub(super) whole: Span,
    pub(super) regions: Vec<FileRegion>,
}

impl Picture {
    pub(super) fn new(name: String, regions: Vec<FileRegion>) -> Self {
        let ends = regions.first().zip(regions.last());
        let whole = ends.map_or_else(Span::default, |(first, last)| first.span.to(last.span));
        Self { name, whole, regions }
    }

    pub(super) fn region_at(&self, offset: u64) -> Option<&FileRegion> {
        self.regions.get(self.index_at(offset))
    }

    /// The name of a region, with what it contains and its share of the file, if that is large, as far as they have room.
    fn label(&self, region: &FileRegion, room: usize) -> String {
        let mut label = region.name.clone();
        let share = if region.span.len * MIN_SHARE >= self.whole.len {
            percent(region.span.len, self.whole.len) + " %"
        } else {
            String::new()
        };
        for part in [region.meaning(), &share] {
            if !part.is_empty() && width(&label) + 2 + width(part) <= room {
                label = format!("{label}  {part}");
            }
        }
        label
    }

    fn index_at(&self, offset: u64) -> usize {
        self.regions.partition_point(|region| region.span.start <= offset).saturating_sub(1)
    }

    /// Rows of cells, without the title.
    pub(super) fn rows(&self, cell: u64, width: u16) -> u16 {
        let row = cell * u64::from(width.saturating_sub(2)).max(1);
        u16::try_from(self.whole.len.div_ceil(row)).unwrap_or(u16::MAX)
    }

    /// File offset of the cell at a screen position.
    pub(super) fn offset_at(&self, at: Position, area: Rect, cell: u64) -> Option<u64> {
        let (x, y) = (at.x.checked_sub(area.x + 1)?, at.y.checked_sub(area.y)?);
        let wide = area.width.saturating_sub(2);
        let number = u64::from(y) * u64::from(wide) + u64::from(x);
        let offset = self.whole.start + number * cell;
        (x < wide && y < area.height && offset < self.whole.end()).then_some(offset)
    }

    pub(super) fn title(&self) -> String {
        format!("{}  {} bytes", self.name, self.whole.len)
    }

    /// Draws the cells; returns the position of the cursor, which is at the `chosen` offset. The region there is lit, and so are those that
    /// `is_lit` says.
    pub(super) fn draw(
        &self,
        area: Rect,
        buf: &mut Buffer,
        (cell, chosen, is_lit): (u64, Option<u64>, &IsLit<'_>),
        look: &Look<'_>,
    ) -> Option<Position> {
        let cells = Rect { height: self.rows(cell, area.width).min(area.height), ..area };
        let own = chosen.map(|offset| self.index_at(offset));
        let is_lit = |index: usize| own == Some(index) || is_lit(&self.regions[index]);
        let mut cursor = None;
        // Neighbours differ, whatever lies between them.
        let numbers = self.regions.iter().scan(0, |number, region| {
            *number += usize::from(region.kind != FileRegionKind::Gap);
            Some(*number)
        });
        let numbers: Vec<usize> = numbers.collect();
        // The first cell of the longest stretch of each region in a row, and its length.
        let mut labels: Vec<(Position, u16)> = vec![(Position::ORIGIN, 0); self.regions.len()];
        let mut stretch = (usize::MAX, Position::ORIGIN, 0);
        for y in cells.y..cells.bottom() {
            stretch.0 = usize::MAX;
            for x in cells.x + 1..cells.right().saturating_sub(1) {
                let Some(offset) = self.offset_at(Position { x, y }, cells, cell) else { break };
                let index = self.index_at(offset);
                if stretch.0 != index {
                    stretch = (index, Position { x, y }, 0);
                }
                stretch.2 += 1;
                if labels[index].1 < stretch.2 {
                    labels[index] = (stretch.1, stretch.2);
                }
                let is_gap = self.regions[index].kind == FileRegionKind::Gap;
                let (fill, style) = match (is_gap, is_lit(index)) {
                    (_, true) => (look.glyphs.fills[2], look.theme.of(Role::Accent)),
                    (true, false) => (look.glyphs.dot, look.theme.of(Role::Faint)),
                    (false, false) => {
                        let is_bright = numbers[index].is_multiple_of(2);
                        (look.glyphs.fills[usize::from(!is_bright)], solid(numbers[index], is_bright, look))
                    }
                };
                buf.set_stringn(x, y, fill, 1, style);
                if chosen.is_some_and(|chosen| (offset..offset + cell).contains(&chosen)) {
                    cursor = Some(Position { x, y });
                }
            }
        }
        for (index, (region, (at, len))) in self.regions.iter().zip(labels).enumerate() {
            if region.kind != FileRegionKind::Gap && usize::from(len) >= width(&region.name) + 2 {
                let label = self.label(region, usize::from(len) - 2);
                let style = match look.theme.fill(numbers[index], numbers[index].is_multiple_of(2)) {
                    _ if is_lit(index) => look.theme.of(Role::Strong),
                    Some(fill) => fill,
                    None => look.theme.of(Role::Text),
                };
                put(buf, at.x, at.y, area.right(), &format!(" {label} "), style, look.glyphs);
            }
        }
        if let Some(at) = cursor {
            buf.set_stringn(at.x, at.y, look.glyphs.fills[3], 1, look.theme.of(Role::Cursor));
        }
        cursor
    }
}
