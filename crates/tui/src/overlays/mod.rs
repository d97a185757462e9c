//! Overlays: prompts and lists on top of the panes. The topmost takes keys first; Esc closes it.

pub(crate) mod about;
pub(crate) mod ask;
mod best_names;
pub(crate) mod confirm;
pub(crate) mod container;
pub(crate) mod copy;
pub(crate) mod coverage;
pub(crate) mod files;
pub(crate) mod finder;
pub(crate) mod glossary;
pub(crate) mod goto;
pub(crate) mod help;
pub(crate) mod marks;
pub(crate) mod open_trace;
pub(crate) mod palette;
pub(crate) mod path_prompt;
pub(crate) mod picker;
pub mod ranking;
pub(crate) mod search;
pub(crate) mod themes;
pub(crate) mod what_if;
pub(crate) mod which_key;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::engine::key::Key;
use crate::engine::keymap::{Keymap, PROMPT};
use crate::state::effect::Effect;
use crate::state::selection::SelectionContext;
use crate::state::view::ViewDef;
use crate::ui::glyphs::BoxSides;
use crate::ui::text::put;
use crate::ui::theme::{Look, Role, opaque};
use pdblens_session::session::Session;

/// The state that an overlay can read.
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub struct OverlayContext<'a> {
    /// The open files.
    pub session: Option<&'a Arc<Session>>,
    pub views: &'a [ViewDef],
    pub look: Look<'a>,
    pub keymap: &'a Keymap,
    pub selected: Option<&'a SelectionContext>,
    /// Id of the focused pane.
    pub pane: &'static str,
    /// Summary of the search matches.
    pub found: &'a str,
    /// True while a pane hides values that its reader is to find.
    pub hides_answers: bool,
    /// The whole screen.
    pub screen: Rect,
}

/// The response of an overlay to an action.
pub enum Reply {
    /// The overlay stays open.
    Stay(Vec<Effect>),
    /// The overlay closes.
    Close(Vec<Effect>),
    /// The action is passed on to the pane and the app.
    Pass,
}

/// A prompt or list on top of the panes, which takes keys first.
pub trait Overlay {
    /// The keymap scope.
    fn keymap_name(&self) -> &'static str {
        PROMPT
    }

    /// Returns whether text can be typed into the overlay.
    fn takes_text(&self) -> bool {
        true
    }

    /// Actions for the key hints, where text can be typed into the overlay.
    fn hints(&self) -> &'static [(Action, &'static str)] {
        &[(Action::Accept, "accept"), (Action::Cancel, "close")]
    }

    /// Performs an action.
    fn perform(&mut self, action: Action, count: Option<usize>, cx: &OverlayContext<'_>) -> Reply;

    /// Handles a key that has no action.
    fn key(&mut self, _key: Key, _cx: &OverlayContext<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// Inserts pasted text.
    fn paste(&mut self, _text: &str, _cx: &OverlayContext<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// Takes a result from the inbox.
    fn job_finished(&mut self, _cx: &OverlayContext<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// Selects what is drawn at a position; `None` where that is outside.
    fn click(&mut self, at: Position, cx: &OverlayContext<'_>) -> Option<bool>;

    /// Draws the overlay; returns the position of the cursor.
    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position>;
}

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
