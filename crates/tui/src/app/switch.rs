//! The shown pair: another one takes its place, with the history, or it is replaced by one that was read again.

use std::sync::Arc;

use crate::app::registry::PANES;
use crate::app::stage::{LESSON, Stage};
use crate::engine::action::Action;
use crate::engine::jobs::Jobs;
use crate::state::effect::Effect;
use crate::state::selection::Selection;
use crate::state::view::PaneId;
use pdblens_nodes::Place;
use pdblens_nodes::rows::Tone;
use pdblens_session::session::{OpenError, Session};

/// The pane that keeps its content when another pair is opened.
const SESSION_INDEPENDENT: PaneId = PaneId::Trace;

/// Replaces the shown pair, and cancels the jobs that are about it.
pub(super) struct Switcher<'a> {
    pub(super) stage: &'a mut Stage,
    pub(super) jobs: &'a mut Jobs,
}

impl Switcher<'_> {
    pub(super) fn go_back(&mut self, back: bool) {
        let Some(entry) = self.stage.navigation.step(back, self.stage.files.session()) else {
            let direction = if back { "back" } else { "forward" };
            return self.stage.set_status(Tone::Dim, format!("the history has no entry {direction}"));
        };
        if !self.stage.files.opened.is_shown(&entry.session) {
            self.reopen(Arc::clone(&entry.session));
        }
        self.stage.show_entry(&entry);
    }

    /// Keeps where the shown files are left: for `W`, and for another run, the list of which is written by the effect.
    pub(super) fn leave_files(&mut self) -> Option<Effect> {
        self.stage.navigation.leave(self.stage.files.session());
        let session = self.stage.files.session().cloned()?;
        self.stage.files.recents.keep_place(&session, self.stage.navigation.selection()?.place)
    }

    /// Switches to another pair, and shows a place in it; the history leads back.
    pub(super) fn visit(&mut self, session: Arc<Session>, selection: Selection) {
        if self.stage.files.opened.is_shown(&session) {
            return self.stage.go(selection);
        }
        self.stage.navigation.push_history(self.stage.files.session());
        self.leave_files();
        self.stage.files.opened.remember();
        self.switch_session(session);
        self.stage.files.opened.remember();
        self.stage.go(selection);
        let back = self.stage.key_of(Action::Back);
        let lessons = &self.stage.lessons;
        let lesson = lessons.open().map(|_| format!(", {} to {}", self.stage.key_of(LESSON), lessons.name()));
        let text = format!("{} is open now; {back} goes back{}", self.stage.files.label(), lesson.unwrap_or_default());
        self.stage.set_status(Tone::Text, text);
    }

    /// Switches to another open pair, where it was left.
    pub(super) fn switch_to(&mut self, session: Arc<Session>) {
        let left = self.stage.navigation.left_at(&session);
        let selection = left.as_ref().map_or_else(|| Place::Overview.into(), |entry| entry.selection);
        self.visit(session, selection);
        if let Some(entry) = left {
            self.stage.show_entry(&entry);
        }
    }

    fn reopen(&mut self, session: Arc<Session>) {
        self.leave_files();
        self.switch_session(session);
        self.stage.set_status(Tone::Text, format!("{} is open again", self.stage.files.label()));
    }

    /// Replaces the open pair, and resets all state that depends on it.
    fn switch_session(&mut self, session: Arc<Session>) {
        self.jobs.cancel_all();
        self.stage.files.set_session(session);
        for (pane, def) in self.stage.panes.iter_mut().zip(PANES) {
            if def.id != SESSION_INDEPENDENT {
                *pane = (def.new)();
            }
        }
        self.stage.layout.forget_sizes();
        self.stage.navigation.forget_selections();
        self.stage.dirty = true;
    }

    /// Replaces a pair by one that has its files, also in history and marks.
    pub(super) fn replace_session(&mut self, old: &Arc<Session>, new: Arc<Session>) {
        self.stage.files.opened.forget(old);
        self.stage.navigation.replace(old, &new);
        self.switch_session(new);
    }

    pub(super) fn take_reread(&mut self, opened: Result<Session, OpenError>) {
        let session = match opened {
            Ok(session) => Arc::new(session),
            Err(error) => return self.stage.set_status(Tone::Warn, format!("the files have changed on disk: {error}")),
        };
        let (here, Some(old)) = (self.stage.navigation.selection(), self.stage.files.session().cloned()) else {
            return;
        };
        // The build that was compared before is compared with the new files.
        let before =
            self.stage.files.compared().map_or_else(|| Arc::clone(&old), |compared| Arc::clone(&compared.before));
        self.replace_session(&old, session);
        self.stage.files.compare(before);
        self.stage.show_or_home(here);
        let key = self.stage.key_of(Action::Compare);
        self.stage
            .set_status(Tone::Text, format!("the files have changed on disk and were read again: {key} compares"));
    }

    /// Closes the shown pair; the last one stays.
    pub(super) fn close_file(&mut self) {
        let name = self.stage.files.label();
        let Some((session, next)) = self.stage.files.opened.close() else {
            return self.stage.set_status(Tone::Dim, "this is the only file: q quits");
        };
        self.stage.navigation.forget(&session);
        self.switch_session(next);
        self.stage.show_home();
        self.stage.set_status(Tone::Text, format!("{name} is closed"));
    }

    /// Shows the image with other symbols, and says whether they match; else why the open ones stay.
    pub(super) fn take_pair(&mut self, session: Session) {
        match self.stage.files.opened.judge(&session) {
            Ok((tone, text)) => {
                self.switch_session(Arc::new(session));
                self.stage.set_status(tone, text);
            }
            Err(reason) => self.stage.set_status(Tone::Bad, reason),
        }
    }

    /// Shows the page of the lesson that is taken, in the files that it is taken on.
    pub(super) fn return_to_lesson(&mut self) {
        let Some(session) = self.stage.lessons.take_left() else { return };
        if !self.stage.files.opened.is_shown(&session) {
            self.stage.navigation.push_history(self.stage.files.session());
            self.stage.files.opened.remember();
            self.reopen(session);
        }
    }
}
