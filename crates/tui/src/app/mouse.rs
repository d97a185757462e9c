//! The mouse: click, wheel, double click to follow, dragging of dividers.

use std::time::{Duration, Instant};

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::app::App;
use crate::app::resize::size_at;
use crate::engine::action::Action;
use crate::engine::key::Key;
use crate::state::effect::Effect;
use crate::ui::layout::{Divider, Slot};

/// The longest time between the clicks of a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(400);
/// Rows that a step of the wheel scrolls.
const WHEEL_ROWS: usize = 3;

/// The last click, and the divider that is being dragged.
#[derive(Debug, Default)]
pub(super) struct Pointer {
    clicked: Option<(Position, Instant)>,
    held: Option<(Divider, (u16, u16))>,
}

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
                if let Some((divider, origin)) = self.pointer.held {
                    self.move_divider(divider, size_at(divider, at.x, at.y, origin));
                }
                Vec::new()
            }
            MouseEventKind::Up(MouseButton::Left) => match self.pointer.held.take() {
                Some(_) if self.pointer.clicked.is_none_or(|(down, _)| down != at) => vec![self.save_layout()],
                _ => Vec::new(),
            },
            MouseEventKind::ScrollUp => self.wheel(at, false),
            MouseEventKind::ScrollDown => self.wheel(at, true),
            _ => Vec::new(),
        }
    }

    fn click(&mut self, at: Position) -> Vec<Effect> {
        self.dirty = true;
        let double =
            self.pointer.clicked.is_some_and(|(last, when)| last == at && self.now.duration_since(when) < DOUBLE_CLICK);
        self.pointer.clicked = if double { None } else { Some((at, self.now)) };
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
        let holds = |(_, edge, _): &&(Divider, Rect, (u16, u16))| edge.contains(at);
        // Where dividers meet, the vertical one has precedence.
        let found = self.layout.dividers.iter().filter(holds).min_by_key(|(_, edge, _)| edge.width);
        self.pointer.held = found.map(|(divider, _, origin)| (*divider, *origin));
        let Some((slot, body)) = self.under(at) else { return Vec::new() };
        self.set_focus(slot);
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
        if let Some((slot, _)) = self.under(at) {
            self.with_pane(slot, |pane, cx| pane.scroll_by(WHEEL_ROWS, down, cx));
        }
        Vec::new()
    }

    fn under(&self, at: Position) -> Option<(Slot, Rect)> {
        let found = self.layout.panes.iter().find(|placed| placed.body.contains(at) || placed.rule.contains(at))?;
        Some((found.slot, found.body))
    }
}
