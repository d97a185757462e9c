//! Sections of the player, laid out: in one column or two, and in large type, as far as cells have that: lines, bytes and bits apart.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::sections::{self, PlayerSection};
use super::{MIN_LOG, Player, TWO_COLUMNS, draw_line};
use crate::engine::action::Action;
use crate::panes::pane::Context;
use crate::ui::text::{put, put_right};
use crate::ui::theme::Role;
use pdblens_learn::paragraph;
use pdblens_nodes::Place;

/// Reads of a record that large type is measured by: all have the same spacing, so that nothing jumps from step to step.
const MAX_MEASURED: usize = 64;
/// Points so far that are shown, in ordinary and in large type.
const MAX_POINTS: (usize, usize) = (8, 4);

/// Sections whose lines are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Apart {
    None,
    /// The bytes and their arithmetic.
    Read,
    All,
}

/// Sections, the first of them the bytes and their arithmetic, and how they are drawn.
pub(super) struct Layout {
    sections: Vec<PlayerSection>,
    apart: Apart,
    /// True if some sections are right of the others.
    two: bool,
    /// Rows of the largest layout of the record; 0 in ordinary type.
    measured: u16,
}

impl Layout {
    /// Rows of the one column, or of the longer of two.
    pub fn rows(&self) -> u16 {
        let lines = |section: &PlayerSection| if section.lines.is_empty() { 0 } else { section.lines.len() + 1 };
        let shown = self.sections.iter().enumerate().filter(|(_, section)| self.two || !section.optional);
        let (mut left, mut right) = (0, 0);
        for (index, section) in shown {
            let column = if self.two && section.right { &mut right } else { &mut left };
            *column += lines(section) * usize::from(self.step(index));
        }
        u16::try_from(left.max(right)).unwrap_or(u16::MAX)
    }

    /// Rows from line to line of the section with an index.
    const fn step(&self, index: usize) -> u16 {
        match self.apart {
            Apart::All => 2,
            Apart::Read if index == 0 => 2,
            _ => 1,
        }
    }

    /// Draws the rows from `first` on into an area, with the number of those that are below it.
    pub fn draw_from(&self, first: u16, area: Rect, buf: &mut Buffer, cx: &Context<'_>) {
        let rows = self.rows();
        let first = first.min(rows.saturating_sub(area.height));
        if rows <= area.height || area.is_empty() {
            return self.draw(area, buf, cx);
        }
        let whole = Rect { x: 0, y: 0, width: area.width, height: rows };
        let mut drawn = Buffer::empty(whole);
        self.draw(whole, &mut drawn, cx);
        for (x, y) in (0..area.height).flat_map(|y| (0..area.width).map(move |x| (x, y))) {
            if let (Some(cell), Some(to)) = (drawn.cell((x, first + y)), buf.cell_mut((area.x + x, area.y + y))) {
                *to = cell.clone();
            }
        }
        let below = rows.saturating_sub(first + area.height);
        let (up, down) = (cx.keys(Action::ScrollUp), cx.keys(Action::ScrollDown));
        let text = if below > 0 { format!(" {below} more: {down} ") } else { format!(" back: {up} ") };
        let y = area.bottom() - 1;
        put_right(buf, area.x, y, area.right(), &text, cx.look.theme.of(Role::Warn), cx.look.glyphs);
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) {
        let column = column_width(area);
        let mut tops = [area.y; 2];
        for (index, section) in self.sections.iter().enumerate() {
            let step = self.step(index);
            if !self.two && section.optional {
                continue;
            }
            let side = usize::from(self.two && section.right);
            let x = area.x + if side == 1 { column + 1 } else { 0 };
            let end = if self.two && side == 0 { x + column } else { area.right() };
            let top = &mut tops[side];
            if *top >= area.bottom() || section.lines.is_empty() {
                continue;
            }
            draw_heading(Rect { x, y: *top, width: end - x, height: 1 }, &section.title, buf, cx);
            *top += step;
            for line in &section.lines {
                if *top >= area.bottom() {
                    break;
                }
                draw_line(Rect { x: x + 1, y: *top, width: (end - x).saturating_sub(1), height: 1 }, line, buf, cx);
                *top += step;
            }
        }
    }
}

impl Player {
    /// Layout of a step in at most `room` rows; a large one as far as all steps of the record fit.
    pub(super) fn layout(&self, place: Option<Place>, index: usize, area: Rect, room: u16, large: bool) -> Layout {
        let of = |index, apart| Layout {
            sections: self.sections(place, index, area, large),
            apart,
            two: area.width >= TWO_COLUMNS,
            measured: 0,
        };
        if !large {
            return of(index, Apart::None);
        }
        let reads = || self.reads.iter().take(MAX_MEASURED).chain([&index]);
        let measured = |apart| reads().map(|index| of(*index, apart).rows()).max().unwrap_or(0);
        let mut spacings = [Apart::All, Apart::Read, Apart::None].into_iter().map(|apart| (apart, measured(apart)));
        let (apart, measured) = spacings.find(|(_, rows)| *rows <= room).unwrap_or((Apart::None, room));
        Layout { measured, ..of(index, apart) }
    }

    /// Layout above the log, and the height of the log, which takes the rest.
    pub(super) fn layout_with_log(&self, area: Rect, index: usize, large: bool) -> (Layout, u16) {
        // The heading, and the head of the log.
        let rest = area.height.saturating_sub(2);
        // Large type needs the rows of the log, down to that of the current read.
        let log = if large { 1 } else { MIN_LOG }.min(area.height / 3);
        let layout = self.layout(self.of, index, area, rest.saturating_sub(log), large);
        let height = rest.saturating_sub(layout.rows().max(layout.measured)).max(log);
        (layout, height)
    }

    /// Sections above the log, the most important first.
    fn sections(&self, place: Option<Place>, index: usize, area: Rect, large: bool) -> Vec<PlayerSection> {
        let record = self.steps.list.get(index).map_or("", |step| step.record.as_str());
        let paragraph = match place {
            Some(place) => paragraph(place, record),
            None => Some(self.specified).filter(|text| !text.is_empty()),
        };
        let wide = column_width(area).saturating_sub(2) as usize;
        let read = || sections::read(&self.steps, index, self.cover(), wide, large);
        let points = if large { MAX_POINTS.1 } else { MAX_POINTS.0 };
        vec![
            self.bit_section(wide).unwrap_or_else(read),
            sections::state(&self.steps, index, self.hides, area.width >= TWO_COLUMNS),
            sections::reason(paragraph, &self.steps, index, self.hides, wide),
            sections::output(&self.steps, index, self.hides, points, self.points),
        ]
    }
}

pub(super) const fn column_width(area: Rect) -> u16 {
    if area.width < TWO_COLUMNS { area.width } else { area.width - area.width * 9 / 20 }
}

/// Draws a title with a rule after it.
pub(super) fn draw_heading(area: Rect, title: &[(Role, String)], buf: &mut Buffer, cx: &Context<'_>) {
    let mut x = area.x + 1;
    for (role, text) in title {
        x = put(buf, x, area.y, area.right(), text, cx.look.theme.of(*role), cx.look.glyphs);
    }
    let rule = if cx.look.glyphs.ascii { "-" } else { "─" };
    let room = area.right().saturating_sub(x + 1) as usize;
    put(buf, x + 1, area.y, area.right(), &rule.repeat(room), cx.look.theme.of(Role::Faint), cx.look.glyphs);
}
