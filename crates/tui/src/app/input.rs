//! Terminal events: keys, pasted text, the mouse, and keys that are typed before anything is open.

use crate::engine::press::{MouseButton, MouseEvent, MouseEventKind, Press as TerminalEvent};
use ratatui::layout::{Position, Size};

use super::files::OPEN;
use super::{App, link};
use crate::engine::action::Action;
use crate::engine::key::Key;
use crate::engine::keymap::PROMPT;
use crate::engine::program::Program;
use crate::overlays::Reply;
use crate::overlays::confirm::Confirm;
use crate::panes::pane::PaneInput;
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
                self.stage.dirty = true;
                self.paste(&text)
            }
            TerminalEvent::FocusGained | TerminalEvent::FocusLost => {
                self.stage.files.watch.take_focus(event == TerminalEvent::FocusGained, self.now);
                Vec::new()
            }
        }
    }

    fn is_typeahead(&self, event: &TerminalEvent) -> bool {
        if self.stage.files.session().is_some() || !self.jobs.is_running(OPEN) || self.typeahead.len() >= MAX_TYPEAHEAD
        {
            return false;
        }
        match event {
            TerminalEvent::Key(event) => Key::from_event(*event).is_some_and(|key| {
                let found = self.stage.keymap.lookup(key, self.stage.place(), false);
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
        self.stage.dirty = true;
        // A message holds until the next key.
        self.stage.status.iter_mut().for_each(|status| status.is_new = false);
        let typing = self.stage.is_typing();
        let place = if typing { PROMPT } else { self.stage.place() };
        let effects = match self.stage.keymap.lookup(key, place, typing) {
            Some(action) => self.perform(action),
            None if typing && self.stage.overlays.is_empty() => self.type_into_pane(key),
            None if typing => self.stage.with_overlay(|overlay, cx| overlay.key(key, cx)),
            None => {
                let told = key.typed_char().and_then(moved_view);
                told.map(|told| Effect::status(Tone::Text, told)).into_iter().collect()
            }
        };
        self.stage.status.take_if(|status| !status.is_new);
        effects
    }

    fn type_into_pane(&mut self, key: Key) -> Vec<Effect> {
        let focus = self.stage.navigation.focus();
        let effects = self.stage.with_player(focus, |player, cx| player.key(key, cx)).unwrap_or_default();
        self.stage.sync_selection();
        effects
    }

    fn paste(&mut self, text: &str) -> Vec<Effect> {
        // Several lines are a stack trace, one is a place.
        let is_trace = self.stage.overlays.is_empty() && !is_srcsrv(text) && text.trim().contains(['\n', '\r']);
        if text.len() > MAX_PASTED && !is_trace {
            let told = format!("the pasted text has {} bytes: a line takes at most {MAX_PASTED}", text.len());
            return vec![Effect::SetStatus(Tone::Warn, told)];
        }
        if let Some(link) = Link::parse(text).filter(|_| self.stage.overlays.is_empty()) {
            return link::follow(self, &link);
        }
        if is_srcsrv(text) {
            self.stage.overlays.clear();
            self.show_pasted(View::Learn, text);
            return Vec::new();
        }
        if self.stage.overlays.is_empty() {
            let focus = self.stage.navigation.focus();
            if let Some(effects) = self.stage.paste_into(focus, text) {
                self.stage.sync_selection();
                return effects;
            }
            if is_trace {
                self.show_pasted(View::Trace, text);
                return Vec::new();
            }
            let mut effects = self.perform(Action::GoTo);
            effects.extend(self.stage.with_overlay(|overlay, cx| overlay.paste(text, cx)));
            return effects;
        }
        self.stage.with_overlay(|overlay, cx| overlay.paste(text, cx))
    }

    /// Performs an action: in the overlay on top, else in the focused pane, else in the app.
    pub(crate) fn perform(&mut self, action: Action) -> Vec<Effect> {
        self.stage.dirty = true;
        if action == Action::Suspend {
            return vec![Command::Suspend.into()];
        }
        if let Some(mut overlay) = self.stage.overlays.pop() {
            match overlay.perform(action, &self.stage.overlay_context()) {
                Reply::Close(effects) => return effects,
                Reply::Stay(effects) => {
                    self.stage.overlays.push(overlay);
                    return effects;
                }
                Reply::Pass => self.stage.overlays.push(overlay),
            }
        }
        let focus = self.stage.navigation.focus();
        if let Some(effects) = self.stage.tell(focus, PaneInput::Do(action)) {
            // A movement cancels the pending move to a match.
            self.search.goal = None;
            self.stage.sync_selection();
            return effects;
        }
        self.perform_own(action)
    }

    fn mouse_event(&mut self, event: MouseEvent) -> Vec<Effect> {
        let at = Position::new(event.column, event.row);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => self.click(at),
            MouseEventKind::Down(MouseButton::Right) if self.stage.overlays.is_empty() => {
                let mut effects = self.click(at);
                self.stage.layout.release(at);
                effects.extend(self.perform(Action::Menu));
                effects
            }
            MouseEventKind::Drag(MouseButton::Left) => {
                self.stage.dirty |= self.stage.layout.drag(self.stage.navigation.view(), at);
                Vec::new()
            }
            MouseEventKind::Up(MouseButton::Left) => self.stage.layout.release(at).into_iter().collect(),
            MouseEventKind::ScrollUp => self.wheel(at, false),
            MouseEventKind::ScrollDown => self.wheel(at, true),
            _ => Vec::new(),
        }
    }

    fn click(&mut self, at: Position) -> Vec<Effect> {
        self.stage.dirty = true;
        let double = self.stage.layout.click(at, self.now);
        let action = self.stage.overlays.last().and_then(|top| top.action_at(at, &self.stage.overlay_context()));
        if let Some(action) = action {
            return self.perform(action);
        }
        if let Some(mut overlay) = self.stage.overlays.pop() {
            let hit = overlay.click(at, &self.stage.overlay_context());
            // A click outside of an overlay closes it.
            if hit.is_none() {
                return Vec::new();
            }
            self.stage.overlays.push(overlay);
            return if double { self.perform(Action::Accept) } else { Vec::new() };
        }
        if let Some((_, click_targets)) = self.painter().click_targets().into_iter().find(|(rect, _)| rect.contains(at))
        {
            return match click_targets {
                ClickTarget::Do(Action::Quit) => {
                    let text = vec!["The open files are left as they are.".to_owned()];
                    self.stage.open_overlay(Confirm::new("Quit pdblens?".to_owned(), text, "quit", Msg::QuitConfirmed));
                    Vec::new()
                }
                ClickTarget::Do(action) => self.perform(action),
                ClickTarget::Go(place) => vec![Effect::Go(place.into())],
            };
        }
        self.stage.layout.hold_divider(at);
        let Some((slot, body)) = self.stage.layout.pane_at(at) else { return Vec::new() };
        self.stage.navigation.set_focus(slot);
        if !body.contains(at) {
            return Vec::new();
        }
        let Some(mut effects) = self.stage.tell(slot, PaneInput::Click(at, body)) else { return Vec::new() };
        self.stage.sync_selection();
        if double && effects.is_empty() {
            effects = self.perform(Action::Follow);
        }
        effects
    }

    /// Scrolls the pane under the pointer without changing the selection; in an overlay, moves through the list.
    fn wheel(&mut self, at: Position, down: bool) -> Vec<Effect> {
        self.stage.dirty = true;
        if !self.stage.overlays.is_empty() {
            let (action, open) = (if down { Action::ScrollDown } else { Action::ScrollUp }, self.stage.overlays.len());
            let mut effects = Vec::new();
            for _ in 0..WHEEL_ROWS {
                // A prompt that any key closes does not pass the rest on to what is below it.
                if self.stage.overlays.len() == open {
                    effects.extend(self.perform(action));
                }
            }
            return effects;
        }
        if let Some((slot, _)) = self.stage.layout.pane_at(at) {
            self.stage.tell(slot, PaneInput::Wheel(WHEEL_ROWS, down));
        }
        Vec::new()
    }
}
