//! Actions on the thing under the cursor: copy, export, handout, what-if, editor; and the questions before a lesson begins again.

use std::sync::Arc;

use crate::app::stage::Stage;
use crate::app::{export, teach};
use crate::engine::action::Action;
use crate::engine::keymap::COPY;
use crate::overlays::menu::{Menu, MenuItem};
use crate::overlays::path_prompt::PathPrompt;
use crate::overlays::what_if::WhatIfPrompt;
use crate::overlays::{ask, copy, refused};
use crate::panes::pane::PaneInput;
use crate::panes::player::Learn;
use crate::state::effect::{Command, Effect};
use crate::state::message::RefusedStatement;
use crate::state::selection::Taught;
use crate::ui::layout::Slot;
use pdblens_nodes::rows::Tone;

/// Forms that the menu of copies offers.
const COPIES: [Action; 10] = [
    Action::CopyValue,
    Action::CopyRow,
    Action::CopyAddress,
    Action::CopyHex,
    Action::CopyJson,
    Action::CopyCommand,
    Action::CopyLink,
    Action::CopyTrace,
    Action::Export,
    Action::Handout,
];

/// Performs actions on the thing under the cursor.
pub(super) struct CursorActions<'a> {
    pub(super) stage: &'a mut Stage,
    /// True in a page of a browser, where no file can be written.
    pub(super) in_page: bool,
}

impl CursorActions<'_> {
    /// The text that an action copies.
    fn copied(&mut self, action: Action) -> Option<String> {
        if action == Action::CopyLink {
            return self.stage.link().map(|link| link.address());
        }
        let own = self.stage.tell(self.stage.navigation.focus(), PaneInput::Do(action));
        let own = own.into_iter().flatten().find_map(Effect::copied);
        let (session, selected) = self.stage.files.session().zip(self.stage.navigation.selected())?;
        own.or_else(|| copy::text(action, session, selected))
    }

    /// Copies text; without one, lists the forms in which the thing under the cursor can be copied or written.
    pub(super) fn copy(&mut self, action: Action) -> Vec<Effect> {
        if action == Action::Copy {
            let mut items = Vec::new();
            for action in COPIES {
                let writes = matches!(action, Action::Export | Action::Handout) && !self.in_page;
                if writes || self.copied(action).is_some() {
                    items.push(MenuItem { action, words: action.def().map_or("", |def| def.short), refusal: None });
                }
            }
            self.stage.open_overlay(Menu { title: "copy".to_owned(), scope: COPY, items, chosen: 0 });
            return Vec::new();
        }
        let what = action.def().map_or("", |def| def.short);
        let none = || Effect::SetStatus(Tone::Dim, format!("no {what} to copy here"));
        vec![self.copied(action).map_or_else(none, |text| Effect::copy(action, text))]
    }

    /// Opens the prompt with a text in it, and collects the names the first time.
    pub(super) fn ask(&mut self, text: &str) -> Vec<Effect> {
        let Some((names, others, jobs)) = self.stage.files.names() else { return Vec::new() };
        self.stage.open_overlay(ask::ask(names, others).typing(text));
        jobs
    }

    pub(super) fn open_editor(&self) -> Effect {
        let line = self.stage.facts(self.stage.navigation.focus()).and_then(|facts| facts.source_line);
        match line.map_or_else(|| self.stage.selected_line(), Ok) {
            Ok(at) => Command::Edit(at).into(),
            Err(reason) => Effect::SetStatus(Tone::Dim, reason),
        }
    }

    pub(super) fn ask_for_export(&mut self) -> Vec<Effect> {
        let session = self.stage.files.session().cloned();
        let prompt =
            self.stage.with_pane(self.stage.navigation.focus(), |pane, cx| Some(export::prompt(pane, cx, session?)));
        match prompt.flatten().unwrap_or_else(|| Err((Tone::Dim, export::NO_LIST.to_owned()))) {
            Ok(prompt) => prompt.open(),
            Err((tone, reason)) => vec![Effect::SetStatus(tone, reason)],
        }
    }

    pub(super) fn ask_what_if(&mut self) {
        if self.stage.hides_answers() {
            let keys = self.stage.key_of(Action::HideAnswers);
            let text = format!("the values are hidden: {keys} shows them, and what changes them");
            return self.stage.set_status(Tone::Dim, text);
        }
        let found = match self.stage.taught() {
            Some(Taught::Sample(session, selection)) => Some((session, selection)),
            Some(Taught::Bytes(..)) => None,
            None => self.stage.files.session().cloned().zip(self.stage.navigation.selection()),
        };
        match found.and_then(|(session, selected)| WhatIfPrompt::new(&session, selected.place, selected.part)) {
            Some(prompt) => self.stage.open_overlay(prompt),
            None => self.stage.set_status(Tone::Dim, "no record with bytes is selected"),
        }
    }

    pub(super) fn ask_for_handout(&self) -> Vec<Effect> {
        let handout =
            self.stage.files.session().zip(self.stage.navigation.selected()).and_then(|(session, selected)| {
                let from = (&**session, &self.stage.files.paths().sources);
                let (steps, command) = teach::handout_steps(self.stage.taught(), from, selected)?;
                Some(teach::handout_prompt(Arc::clone(session), steps, command))
            });
        let reason = "no record is selected: select one to make a handout of";
        handout.map_or_else(|| vec![Effect::status(Tone::Dim, reason)], PathPrompt::open)
    }

    /// Asks before the progress of a lesson is forgotten; one that has none begins at once.
    pub(super) fn ask_to_restart(&mut self, key: &str) -> Vec<Effect> {
        match teach::restart_question(&self.stage.lessons, key) {
            Some(question) => self.stage.open_overlay(question),
            None => return self.restart_lesson(key),
        }
        Vec::new()
    }

    pub(super) fn restart_lesson(&mut self, key: &str) -> Vec<Effect> {
        let Some(index) = self.stage.lessons.list.iter().position(|lesson| lesson.key() == key) else {
            return Vec::new();
        };
        let text = self.stage.lessons.update(|progress| progress.restart(key));
        self.stage.lessons.set_open(Some(index));
        self.stage.with_player(Slot::Main(0), Learn::restart);
        self.stage.dirty = true;
        text.map(|text| Command::SaveProgress(text).into()).into_iter().collect()
    }

    pub(super) fn list_refused(&mut self, found: Vec<RefusedStatement>, within: &str) -> Vec<Effect> {
        self.stage.open_overlay(refused::refused(found, within));
        // To the first point, below the name of its method.
        vec![Effect::Dispatch(Action::Down)]
    }
}
