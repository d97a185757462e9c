//! Sections of the player, laid out: in one column or two, and in large type, as far as cells have that: lines, bytes and bits apart.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::sections::{self, Section};
use super::{MIN_LOG, Player, TWO_COLUMNS, draw_line};
use crate::learn::paragraph;
use crate::nodes::Place;
use crate::tui::panes::pane::Context;
use crate::tui::ui::text::put;
use crate::tui::ui::theme::Role;

/// Sections that are left out of large type, one more at a time, until the rest has room: the points so far and what of the state does
/// not change, then the reason, then the state.
const MAX_LEFT_OUT: usize = 3;

/// Sections, and how they are drawn.
pub(super) struct Layout {
    sections: Vec<Section>,
    /// Rows from line to line.
    step: u16,
    /// True if some sections are right of the others.
    two: bool,
}

impl Layout {
    /// Rows of the one column, or of the longer of two.
    pub fn rows(&self) -> u16 {
        let lines = |section: &Section| if section.lines.is_empty() { 0 } else { section.lines.len() + 1 };
        let shown = self.sections.iter().filter(|section| self.two || !section.optional);
        let (mut left, mut right) = (0, 0);
        for section in shown {
            let column = if self.two && section.right { &mut right } else { &mut left };
            *column += lines(section);
        }
        u16::try_from(left.max(right)).unwrap_or(u16::MAX).saturating_mul(self.step)
    }

    /// Draws the sections into an area.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) {
        let column = column_width(area);
        let mut tops = [area.y; 2];
        for section in &self.sections {
            if !self.two && section.optional {
                continue;
            }
            let side = usize::from(self.two && section.right);
            let x = area.x + if side == 1 { column + 1 } else { 0 };
            let end = if self.two && side == 0 { x + column } else { area.right() };
            let top = &mut tops[side];
            if *top + 1 >= area.bottom() || section.lines.is_empty() {
                continue;
            }
            draw_heading(Rect { x, y: *top, width: end - x, height: 1 }, &section.title, buf, cx);
            *top += self.step;
            for line in &section.lines {
                if *top >= area.bottom() {
                    break;
                }
                draw_line(Rect { x: x + 1, y: *top, width: (end - x).saturating_sub(1), height: 1 }, line, buf, cx);
                *top += self.step;
            }
        }
    }
}

impl Player {
    /// Layout of a step in at most `room` rows; a large one where it fits.
    pub(super) fn layout(&self, place: Option<Place>, index: usize, area: Rect, room: u16, large: bool) -> Layout {
        let two = area.width >= TWO_COLUMNS;
        let apart = (0..=MAX_LEFT_OUT).filter(|_| large).map(|left_out| {
            let sections = self.sections(place, index, area, Some(left_out));
            Layout { sections, step: 2, two }
        });
        apart.into_iter().find(|layout| layout.rows() <= room).unwrap_or_else(|| Layout {
            sections: self.sections(place, index, area, None),
            step: 1,
            two,
        })
    }

    /// Layout above the log, and the height of the log, which takes the rest.
    pub(super) fn layout_with_log(&self, area: Rect, index: usize, large: bool) -> (Layout, u16) {
        // The heading, and the head of the log.
        let rest = area.height.saturating_sub(2);
        let log = MIN_LOG.min(area.height / 3);
        let layout = self.layout(self.of, index, area, rest.saturating_sub(log), large);
        let height = rest.saturating_sub(layout.rows()).max(log);
        (layout, height)
    }

    /// Sections above the log, the most important first; in large type all but the `left_out` last ones.
    fn sections(&self, place: Option<Place>, index: usize, area: Rect, left_out: Option<usize>) -> Vec<Section> {
        let record = self.steps.list.get(index).map_or("", |step| step.record.as_str());
        let paragraph = match place {
            Some(place) => paragraph(place, record),
            None => Some(self.specified).filter(|text| !text.is_empty()),
        };
        let wide = column_width(area).saturating_sub(2) as usize;
        let left = left_out.unwrap_or(0);
        let whole = area.width >= TWO_COLUMNS && left == 0;
        let read = || sections::read(&self.steps, index, self.hides, wide, left_out.is_some());
        let mut all = vec![self.bit_section(wide).unwrap_or_else(read)];
        if left < 3 {
            all.push(sections::state(&self.steps, index, self.hides, whole));
        }
        if left < 2 {
            all.push(sections::reason(paragraph, &self.steps, index, wide));
        }
        if left < 1 {
            all.push(sections::output(&self.steps, index, self.hides));
        }
        all
    }
}

/// Width of a column of sections.
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
