//! Terminal events: keys, pasted text, the mouse, and keys that are typed before anything is open.

use crate::engine::press::{MouseButton, MouseEvent, MouseEventKind, Press as TerminalEvent};
use ratatui::layout::{Position, Size};

use super::files::OPEN;
use super::{App, link};
use crate::engine::action::Action;
use crate::engine::key::Key;
use crate::engine::keymap::PROMPT;
use crate::engine::program::Program;
use crate::overlays::confirm::Confirm;
use crate::overlays::{Overlay, OverlayContext, Reply};
use crate::panes::pane::PaneInput;
use crate::panes::player::Learn;
use crate::state::effect::{Command, Effect};
use crate::state::message::Msg;
use crate::state::view::View;
use crate::ui::input::MAX_PASTED;
use pdblens_learn::Link;
use pdblens_learn::codec::is_srcsrv;
use pdblens_nodes::rows::Tone;

/// The number of events kept while the files are being opened.
const MAX_TYPEAHEAD: usize = 1000;
const WHEEL_ROWS: usize = 3;

/// Digits of views that have another key now.
const MOVED: [(char, &str); 3] =
    [('7', "Compare is 5 now"), ('8', "Used by is r now, on whatever is selected"), ('9', "Learn is 6 now")];

fn moved_view(digit: char) -> Option<&'static str> {
    MOVED.iter().find(|(moved, _)| *moved == digit).map(|(_, told)| *told)
}

/// The effect of a click on the header, the breadcrumb or a hint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ClickTarget {
    Do(Action),
    Go(pdblens_nodes::Place),
}

impl App {
    pub(super) fn terminal_event(&mut self, event: TerminalEvent) -> Vec<Effect> {
        if self.is_typeahead(&event) {
            self.typeahead.push_back(event);
            return Vec::new();
        }
        match event {
            TerminalEvent::Key(event) => match Key::from_event(event) {
                Some(key) => self.key(key),
                None => Vec::new(),
            },
            TerminalEvent::Mouse(event) => self.mouse_event(event),
            TerminalEvent::Resize(width, height) => {
                self.resize(Size { width, height });
                // The size may have changed several times since the last frame: the screen content is unknown.
                vec![Command::Redraw.into()]
            }
            TerminalEvent::Paste(text) => {
                self.dirty = true;
                self.paste(&text)
            }
            TerminalEvent::FocusGained | TerminalEvent::FocusLost => {
                self.files.watch.take_focus(event == TerminalEvent::FocusGained, self.now);
                Vec::new()
            }
        }
    }

    fn is_typeahead(&self, event: &TerminalEvent) -> bool {
        if self.files.session().is_some() || !self.jobs.is_running(OPEN) || self.typeahead.len() >= MAX_TYPEAHEAD {
            return false;
        }
        match event {
            TerminalEvent::Key(event) => Key::from_event(*event).is_some_and(|key| {
                let found = self.keymap.lookup(key, self.place(), false);
                let now = [Action::Quit, Action::Cancel, Action::Suspend, Action::Redraw];
                let at_once = found.is_some_and(|action| now.contains(&action));
                // After other keys it may be part of a text.
                !at_once || !self.typeahead.is_empty() && key.typed_char().is_some()
            }),
            TerminalEvent::Paste(_) => true,
            _ => false,
        }
    }

    pub fn key(&mut self, key: Key) -> Vec<Effect> {
        self.dirty = true;
        // A message holds until the next key.
        self.status.iter_mut().for_each(|status| status.is_new = false);
        let typing = self.is_typing();
        let place = if typing { PROMPT } else { self.place() };
        let effects = match self.keymap.lookup(key, place, typing) {
            Some(action) => self.perform(action),
            None if typing && self.overlays.is_empty() => self.type_into_pane(key),
            None if typing => self.with_overlay(|overlay, cx| overlay.key(key, cx)),
            None => {
                let told = key.typed_char().and_then(moved_view);
                told.map(|told| Effect::status(Tone::Text, told)).into_iter().collect()
            }
        };
        self.status.take_if(|status| !status.is_new);
        effects
    }

    /// Returns true if keys are text: for the overlay on top, else for the focused pane.
    pub(super) fn is_typing(&self) -> bool {
        match self.overlays.last() {
            Some(overlay) => overlay.takes_text(),
            None => self.player_in(self.navigation.focus()).is_some_and(Learn::takes_text),
        }
    }

    fn type_into_pane(&mut self, key: Key) -> Vec<Effect> {
        let focus = self.navigation.focus();
        let effects = self.with_player(focus, |player, cx| player.key(key, cx)).unwrap_or_default();
        self.sync_selection();
        effects
    }

    /// The keymap scope: the overlay on top, or the focused pane.
    pub(super) fn place(&self) -> &'static str {
        match self.overlays.last() {
            Some(overlay) => overlay.keymap_name(),
            None => self.navigation.pane_in(self.navigation.focus()).map_or("", |pane| pane.def().name),
        }
    }

    fn paste(&mut self, text: &str) -> Vec<Effect> {
        // Several lines are a stack trace, one is a place.
        let is_trace = self.overlays.is_empty() && !is_srcsrv(text) && text.trim().contains(['\n', '\r']);
        if text.len() > MAX_PASTED && !is_trace {
            let told = format!("the pasted text has {} bytes: a line takes at most {MAX_PASTED}", text.len());
            return vec![Effect::SetStatus(Tone::Warn, told)];
        }
        if let Some(link) = Link::parse(text).filter(|_| self.overlays.is_empty()) {
            return link::follow(self, &link);
        }
        if is_srcsrv(text) {
            self.overlays.clear();
            self.show_pasted(View::Learn, text);
            return Vec::new();
        }
        if self.overlays.is_empty() {
            let focus = self.navigation.focus();
            if let Some(effects) = self.paste_into(focus, text) {
                self.sync_selection();
                return effects;
            }
            if is_trace {
                self.show_pasted(View::Trace, text);
                return Vec::new();
            }
            let mut effects = self.perform(Action::GoTo);
            effects.extend(self.with_overlay(|overlay, cx| overlay.paste(text, cx)));
            return effects;
        }
        self.with_overlay(|overlay, cx| overlay.paste(text, cx))
    }

    pub(super) fn with_overlay(
        &mut self,
        give: impl FnOnce(&mut dyn Overlay, &OverlayContext<'_>) -> Vec<Effect>,
    ) -> Vec<Effect> {
        let Some(mut overlay) = self.overlays.pop() else { return Vec::new() };
        let effects = give(overlay.as_mut(), &self.overlay_context());
        self.overlays.push(overlay);
        effects
    }

    /// Performs an action: in the overlay on top, else in the focused pane, else in the app.
    pub(crate) fn perform(&mut self, action: Action) -> Vec<Effect> {
        self.dirty = true;
        if action == Action::Suspend {
            return vec![Command::Suspend.into()];
        }
        if let Some(mut overlay) = self.overlays.pop() {
            match overlay.perform(action, &self.overlay_context()) {
                Reply::Close(effects) => return effects,
                Reply::Stay(effects) => {
                    self.overlays.push(overlay);
                    return effects;
                }
                Reply::Pass => self.overlays.push(overlay),
            }
        }
        let focus = self.navigation.focus();
        if let Some(effects) = self.tell(focus, PaneInput::Do(action)) {
            // A movement cancels the pending move to a match.
            self.search.goal = None;
            self.sync_selection();
            return effects;
        }
        self.perform_own(action)
    }

    fn mouse_event(&mut self, event: MouseEvent) -> Vec<Effect> {
        let at = Position::new(event.column, event.row);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => self.click(at),
            MouseEventKind::Down(MouseButton::Right) if self.overlays.is_empty() => {
                let mut effects = self.click(at);
                self.layout.release(at);
                effects.extend(self.perform(Action::Menu));
                effects
            }
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
            return if double { self.perform(Action::Accept) } else { Vec::new() };
        }
        if let Some((_, click_targets)) = self.click_targets().into_iter().find(|(rect, _)| rect.contains(at)) {
            return match click_targets {
                ClickTarget::Do(Action::Quit) => {
                    let text = vec!["The open files are left as they are.".to_owned()];
                    self.open_overlay(Confirm::new("Quit pdblens?".to_owned(), text, "quit", Msg::QuitConfirmed));
                    Vec::new()
                }
                ClickTarget::Do(action) => self.perform(action),
                ClickTarget::Go(place) => vec![Effect::Go(place.into())],
            };
        }
        self.layout.hold_divider(at);
        let Some((slot, body)) = self.layout.pane_at(at) else { return Vec::new() };
        self.navigation.set_focus(slot);
        if !body.contains(at) {
            return Vec::new();
        }
        let Some(mut effects) = self.tell(slot, PaneInput::Click(at, body)) else { return Vec::new() };
        self.sync_selection();
        if double && effects.is_empty() {
            effects = self.perform(Action::Follow);
        }
        effects
    }

    /// Scrolls the pane under the pointer without changing the selection; in an overlay, moves through the list.
    fn wheel(&mut self, at: Position, down: bool) -> Vec<Effect> {
        self.dirty = true;
        if !self.overlays.is_empty() {
            let (action, open) = (if down { Action::ScrollDown } else { Action::ScrollUp }, self.overlays.len());
            let mut effects = Vec::new();
            for _ in 0..WHEEL_ROWS {
                // A prompt that any key closes does not pass the rest on to what is below it.
                if self.overlays.len() == open {
                    effects.extend(self.perform(action));
                }
            }
            return effects;
        }
        if let Some((slot, _)) = self.layout.pane_at(at) {
            self.tell(slot, PaneInput::Wheel(WHEEL_ROWS, down));
        }
        Vec::new()
    }
}
