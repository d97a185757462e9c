//! Overlays: prompts and lists on top of the panes. The topmost takes keys first; Esc closes it.

pub(crate) mod about;
pub(crate) mod ask;
pub(crate) mod confirm;
pub(crate) mod container;
pub(crate) mod copy;
pub(crate) mod coverage;
pub(crate) mod files;
pub(crate) mod finder;
pub(crate) mod findings;
pub(crate) mod glossary;
pub(crate) mod goto;
pub(crate) mod help;
pub(crate) mod marks;
pub(crate) mod menu;
pub(crate) mod palette;
pub(crate) mod path_prompt;
pub(crate) mod picker;
pub mod ranking;
pub(crate) mod refused;
pub(crate) mod search;
pub(crate) mod source_search;
pub(crate) mod themes;
pub(crate) mod what_if;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub use crate::state::overlay::{Overlay, OverlayContext, Reply};
use crate::ui::glyphs::BoxSides;
use crate::ui::text::put;
use crate::ui::theme::{Look, Role, opaque};

/// A box of at most `width` by `height`, centred in the upper part of the screen.
pub fn place(screen: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(screen.width.saturating_sub(2)), height.min(screen.height.saturating_sub(2)));
    let y = screen.y + 1 + (screen.height.saturating_sub(height + 2)) / 4;
    Rect { x: screen.x + (screen.width - width) / 2, y, width, height }.intersection(screen)
}

/// Draws an empty box with a title; returns its inner area.
pub fn popup(buf: &mut Buffer, area: Rect, title: &str, look: &Look<'_>) -> Rect {
    ratatui::widgets::Widget::render(ratatui::widgets::Clear, area, buf);
    buf.set_style(area, look.theme.of(Role::Text).patch(look.theme.of(Role::Popup)));
    if area.width < 4 || area.height < 2 {
        return Rect { width: 0, height: 0, ..area };
    }
    let faint = look.theme.of(Role::Faint);
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    for y in area.y..=bottom {
        for x in area.x..=right {
            let (left_edge, right_edge) = (x == area.x, x == right);
            let across = y == area.y || y == bottom;
            if !across && !left_edge && !right_edge {
                continue;
            }
            let mut sides = BoxSides::NONE;
            if across {
                sides |= if left_edge { BoxSides::NONE } else { BoxSides::LEFT };
                sides |= if right_edge { BoxSides::NONE } else { BoxSides::RIGHT };
            }
            if left_edge || right_edge {
                sides |= if y == area.y { BoxSides::NONE } else { BoxSides::UP };
                sides |= if y == bottom { BoxSides::NONE } else { BoxSides::DOWN };
            }
            buf[(x, y)].set_char(look.glyphs.box_char(sides)).set_style(faint);
        }
    }
    if !title.is_empty() {
        put(buf, area.x + 2, area.y, right, &format!(" {title} "), opaque(look.theme.of(Role::Accent)), look.glyphs);
    }
    Rect { x: area.x + 2, y: area.y + 1, width: area.width - 4, height: area.height - 2 }
}

/// Draws the prompt symbol; returns the x position after it.
fn prompt(buf: &mut Buffer, area: Rect, look: &Look<'_>) -> u16 {
    put(buf, area.x, area.y, area.right(), look.glyphs.step, look.theme.of(Role::Accent), look.glyphs) + 1
}
