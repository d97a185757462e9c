//! What lies on top of the panes: a stack of layers. The top one sees keys first; Esc takes it away.

pub mod confirm;
pub mod copy;
pub mod finder;
pub mod goto;
pub mod help;
pub mod open_trace;
pub mod palette;
pub mod path_prompt;
pub mod picker;
pub mod search;
pub mod which_key;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::session::Session;
use crate::tui::core::action::Action;
use crate::tui::core::key::Key;
use crate::tui::core::keymap::{Keymap, PROMPT};
use crate::tui::state::effect::Effect;
use crate::tui::state::selection::SelectionContext;
use crate::tui::state::view::ViewDef;
use crate::tui::ui::glyphs::BoxSides;
use crate::tui::ui::text::put;
use crate::tui::ui::theme::{Look, Role, opaque};

/// What a layer is given to answer with.
#[derive(Clone, Copy)]
pub struct OverlayContext<'a> {
    /// The loaded files, once they are.
    pub session: Option<&'a Arc<Session>>,
    /// All views.
    pub views: &'a [ViewDef],
    /// How things look.
    pub look: Look<'a>,
    /// Which keys do what.
    pub keymap: &'a Keymap,
    /// What is selected.
    pub selected: Option<&'a SelectionContext>,
    /// The pane that has the focus.
    pub pane: &'static str,
    /// What was found so far of what is looked for.
    pub found: &'a str,
    /// The whole screen.
    pub screen: Rect,
}

/// What a layer makes of an action.
pub enum Reply {
    /// It stays.
    Stay(Vec<Effect>),
    /// It goes.
    Close(Vec<Effect>),
    /// It is not for the layer: pane and app may have it.
    Pass,
}

/// Something that lies on top of the panes.
pub trait Overlay {
    /// The name under which its keys are bound.
    fn keymap_name(&self) -> &'static str {
        PROMPT
    }

    /// Whether text is typed into it.
    fn takes_text(&self) -> bool {
        true
    }

    /// Does what `action` says.
    fn perform(&mut self, action: Action, count: Option<usize>, cx: &OverlayContext<'_>) -> Reply;

    /// Takes a key that does nothing else.
    fn key(&mut self, _key: Key, _scene: &OverlayContext<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// Takes a text all at once.
    fn paste(&mut self, _text: &str, _scene: &OverlayContext<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// The worker knows more of what it answers with.
    fn job_finished(&mut self, _scene: &OverlayContext<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// Selects what is drawn at a position; nothing where that is outside.
    fn click(&mut self, at: Position, cx: &OverlayContext<'_>) -> Option<bool>;

    /// Draws itself; returns where the cursor is to stand.
    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position>;
}

/// A box of at most `width` by `height` in the upper middle of the screen.
pub fn place(screen: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(screen.width.saturating_sub(2)), height.min(screen.height.saturating_sub(2)));
    let y = screen.y + 1 + (screen.height.saturating_sub(height + 2)) / 4;
    Rect { x: screen.x + (screen.width - width) / 2, y, width, height }.intersection(screen)
}

/// Draws an empty box with a title on its rule; returns what is inside.
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

/// Draws the sign that something can be typed; returns where that goes.
fn prompt(buf: &mut Buffer, area: Rect, look: &Look<'_>) -> u16 {
    put(buf, area.x, area.y, area.right(), look.glyphs.step, look.theme.of(Role::Accent), look.glyphs) + 1
}
