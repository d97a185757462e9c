//! The continuations of an incomplete key sequence.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::engine::key::{self, Key};
use crate::engine::keymap::PREFIXES;
use crate::overlays::{OverlayContext, popup};
use crate::ui::text::{put, width};
use crate::ui::theme::Role;

/// Draws the continuations of `pending` in the scope `place`, at the bottom right.
pub fn draw(pending: &[Key], place: &str, buf: &mut Buffer, cx: &OverlayContext<'_>) {
    let look = &cx.look;
    let rows: Vec<(String, &str)> = cx
        .keymap
        .following(pending, place)
        .filter_map(|(keys, action)| Some((key::display(keys, look.glyphs.ascii), action.def()?.help)))
        .collect();
    let pressed = key::display(pending, look.glyphs.ascii);
    let name = PREFIXES.iter().find(|(prefix, _)| *prefix == pressed).map_or("", |(_, name)| name);
    let keys_wide = rows.iter().map(|(keys, _)| width(keys)).max().unwrap_or(0);
    let wide = rows.iter().map(|(_, help)| keys_wide + 2 + width(help)).max().unwrap_or(0) as u16 + 4;
    let screen = cx.screen;
    let (wide, high) = (wide.min(screen.width), (rows.len() as u16 + 2).min(screen.height.saturating_sub(1)));
    let area =
        Rect { x: screen.right() - wide, y: screen.bottom().saturating_sub(high + 1), width: wide, height: high };
    let inside = popup(buf, area, format!("{pressed} {name}").trim(), look);
    for (line, (keys, help)) in rows.iter().enumerate().take(inside.height as usize) {
        let y = inside.y + line as u16;
        put(buf, inside.x, y, inside.right(), keys, look.theme.of(Role::Strong), look.glyphs);
        put(buf, inside.x + keys_wide as u16 + 2, y, inside.right(), help, look.theme.of(Role::Dim), look.glyphs);
    }
}
