//! The interface of an overlay.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::engine::key::Key;
use crate::engine::keymap::{Keymap, PROMPT};
use crate::state::effect::Effect;
use crate::state::paths::Paths;
use crate::state::selection::{SelectionContext, Taught};
use crate::state::view::{PaneId, ViewDef};
use crate::ui::input::Input;
use crate::ui::theme::Look;
use pdblens_session::session::Session;

pub struct OverlayContext<'a> {
    pub session: Option<&'a Arc<Session>>,
    pub paths: &'a Arc<Paths>,
    pub views: &'a [ViewDef],
    pub look: Look<'a>,
    pub keymap: &'a Keymap,
    pub selected: Option<&'a SelectionContext>,
    /// The focused pane.
    pub pane: Option<PaneId>,
    pub found: &'a str,
    /// Record that the focused pane teaches, where it is not the selection.
    pub taught: Option<Taught>,
    /// True while a pane hides values that its reader is to find.
    pub hides_answers: bool,
    pub screen: Rect,
}

impl OverlayContext<'_> {
    pub fn keys(&self, action: Action, scope: &str) -> String {
        self.keymap.keys_of(action, scope).map_or_else(String::new, |key| key.display(self.look.glyphs.ascii))
    }
}

pub enum Reply {
    Stay(Vec<Effect>),
    Close(Vec<Effect>),
    /// The action is passed on to the pane and the app.
    Pass,
}

/// A prompt or list on top of the panes, which takes keys first.
pub trait Overlay {
    fn keymap_name(&self) -> &'static str {
        PROMPT
    }

    fn takes_text(&self) -> bool {
        true
    }

    /// Actions for the key hints, where text can be typed into the overlay.
    fn hints(&self) -> &'static [(Action, &'static str)] {
        &[(Action::Accept, "accept"), (Action::Cancel, "close")]
    }

    fn perform(&mut self, action: Action, cx: &OverlayContext<'_>) -> Reply;

    /// The line that takes typed and pasted text.
    fn input(&mut self) -> Option<&mut Input> {
        None
    }

    /// The text of the line was changed.
    fn changed(&mut self, _cx: &OverlayContext<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// Handles a key that has no action.
    fn key(&mut self, key: Key, cx: &OverlayContext<'_>) -> Vec<Effect> {
        if self.input().is_some_and(|input| input.key(key)) { self.changed(cx) } else { Vec::new() }
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let Some(input) = self.input() else { return Vec::new() };
        input.paste(text);
        self.changed(cx)
    }

    /// Takes a result from the inbox.
    fn job_finished(&mut self, _cx: &OverlayContext<'_>) -> Vec<Effect> {
        Vec::new()
    }

    fn area(&self, screen: Rect) -> Rect;

    /// The action that a click on a position performs.
    fn action_at(&self, _: Position, _: &OverlayContext<'_>) -> Option<Action> {
        None
    }

    /// Selects what is drawn at a position; `None` where that is outside.
    fn click(&mut self, at: Position, cx: &OverlayContext<'_>) -> Option<bool> {
        self.area(cx.screen).contains(at).then_some(false)
    }

    /// Draws the overlay; returns the position of the cursor.
    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position>;
}
