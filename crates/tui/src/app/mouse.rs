//! The mouse: click, wheel, double click to follow, dragging of dividers.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use crate::app::App;
use crate::engine::action::Action;
use crate::engine::key::Key;
use crate::state::effect::Effect;

/// Rows that a step of the wheel scrolls.
const WHEEL_ROWS: usize = 3;

/// The effect of a click on the header, the breadcrumb or a hint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ClickTarget {
    Do(Action),
    Press(Key),
    Go(pdblens_nodes::Place),
}

impl App {
    pub(super) fn mouse_event(&mut self, event: MouseEvent) -> Vec<Effect> {
        let at = Position::new(event.column, event.row);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => self.click(at),
            MouseEventKind::Drag(MouseButton::Left) => {
                self.dirty |= self.layout.drag(self.navigation.view(), at);
                Vec::new()
            }
            MouseEventKind::Up(MouseButton::Left) => self.layout.release(at).into_iter().collect(),
            MouseEventKind::ScrollUp => self.wheel(at, false),
            MouseEventKind::ScrollDown => self.wheel(at, true),
            _ => Vec::new(),
        }
    }

    fn click(&mut self, at: Position) -> Vec<Effect> {
        self.dirty = true;
        let double = self.layout.click(at, self.now);
        if let Some(mut overlay) = self.overlays.pop() {
            let hit = overlay.click(at, &self.overlay_context());
            // A click outside of an overlay closes it.
            if hit.is_none() {
                return Vec::new();
            }
            self.overlays.push(overlay);
            return if double { self.perform(Action::Accept, None) } else { Vec::new() };
        }
        if let Some((_, click_targets)) = self.click_targets().into_iter().find(|(rect, _)| rect.contains(at)) {
            return match click_targets {
                ClickTarget::Do(action) => self.perform(action, None),
                ClickTarget::Press(key) => self.key(key),
                ClickTarget::Go(place) => vec![Effect::Go(place.into())],
            };
        }
        self.layout.hold_divider(at);
        let Some((slot, body)) = self.layout.pane_at(at) else { return Vec::new() };
        self.navigation.set_focus(slot);
        if !body.contains(at) {
            return Vec::new();
        }
        let hit = self.with_pane(slot, |pane, cx| pane.click(at, body, cx));
        if let Some(action) = self.with_player(slot, |player, _| player.take_clicked()).flatten() {
            return self.perform(action, None);
        }
        if hit == Some(true) {
            self.sync_selection();
            if double {
                return self.perform(Action::Follow, None);
            }
        }
        Vec::new()
    }

    /// Scrolls the pane under the pointer without changing the selection; in an overlay, moves through the list.
    fn wheel(&mut self, at: Position, down: bool) -> Vec<Effect> {
        self.dirty = true;
        if !self.overlays.is_empty() {
            return self.perform(if down { Action::ScrollDown } else { Action::ScrollUp }, Some(WHEEL_ROWS));
        }
        if let Some((slot, _)) = self.layout.pane_at(at) {
            self.with_pane(slot, |pane, cx| pane.scroll_by(WHEEL_ROWS, down, cx));
        }
        Vec::new()
    }
}
