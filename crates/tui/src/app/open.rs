//! Opening of files, and switching between pairs of files.

use crate::state::effect::{Command, Effect};
use std::sync::Arc;

use super::files::several;
use super::symbols::open_job;
use crate::app::App;
use crate::app::hints::LESSON;
use crate::app::registry::PANES;
use crate::engine::action::Action;
use crate::state::message::Msg;
use crate::state::paths::{Completed, Paths};
use crate::state::selection::Selection;
use crate::state::texts::Texts;
use crate::ui::layout::Slot;
use pdblens_nodes::rows::Tone;
use pdblens_session::session::inputs::open_or_list;
use pdblens_session::session::{OpenError, PdbMatch, Session};
use pdblens_session::store::Looked;

/// The pane that keeps its content when another pair is opened.
const SESSION_INDEPENDENT: &str = "trace";

impl App {
    /// The command line's files, completed with symbols on this machine.
    pub(super) fn open(&self) -> Effect {
        let files = self.options.files.clone();
        // A place is one of the program's own assembly.
        let lists = self.options.at.is_none();
        self.open_by(move || if lists { open_or_list(&files) } else { Session::open(&files) })
    }

    /// The first files, opened by a function, completed with symbols on this machine.
    pub(super) fn open_by(&self, open: impl FnOnce() -> Result<Session, OpenError> + Send + 'static) -> Effect {
        let opened = move || {
            let session = open();
            // Counted here because the first frame shows the number of methods.
            let _ = session.as_ref().map(Session::methods);
            session
        };
        open_job(format!("opening {}", self.file_names()), opened, Arc::clone(&self.paths), None, Msg::Opened)
    }

    /// Shows the files of the command line.
    pub(super) fn take_opened(&mut self, opened: Completed) -> Vec<Effect> {
        let (session, looked) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                return match several(error) {
                    Ok((paths, units)) => self.list_container(&paths, units),
                    Err(error) => vec![Command::Fail(error).into()],
                };
            }
        };
        if matches!(session.pdb_match(), PdbMatch::Mismatched(_) | PdbMatch::NoPdb) {
            // What repairs the pair comes first.
            self.navigation.set_focus(Slot::Top);
        }
        let session = Arc::new(session);
        let start = (self.navigation.view().def().home)(&session);
        self.names = self.names_of(&session);
        self.session = Some(session);
        self.set_looked(looked);
        self.update_layout();
        let mut effects: Vec<Effect> = self.remember_shown().into_iter().collect();
        if let Some(text) = self.session.clone().and_then(|session| self.remember_container(&session)) {
            self.set_status(Tone::Text, text);
        }
        if let Some(ask) = self.search_symbols() {
            // The first place may need the symbols.
            self.show(start.into());
            effects.push(ask);
        } else {
            effects.extend(self.show_start(start.into()));
        }
        effects
    }

    /// Shows the place that the command line names; else `start`.
    pub(super) fn show_start(&mut self, start: Selection) -> Vec<Effect> {
        match self.options.at.take() {
            Some(at) => {
                let effects = crate::overlays::goto::answer(&at, &self.overlay_context());
                // The message of a place that does not exist appears over the default place.
                if !effects.iter().any(|effect| matches!(effect, Effect::Go(_))) {
                    self.show(start);
                }
                effects
            }
            None => match self.options.lessons.take() {
                Some(lessons) => self.show_start_lesson(&lessons),
                None => {
                    self.show(start);
                    Vec::new()
                }
            },
        }
    }

    pub(super) fn set_looked(&mut self, looked: Vec<Looked>) {
        self.paths = Arc::new(Paths { looked, ..Paths::clone(&self.paths) });
    }

    /// Switches to another pair, and shows a place in it; the history leads back.
    pub(super) fn visit(&mut self, session: Arc<Session>, selection: Selection) {
        if self.is_open(&session) {
            return self.go(selection);
        }
        self.navigation.push_history(self.session.as_ref());
        self.remember_open();
        self.switch_session(session);
        self.remember_open();
        self.go(selection);
        let back =
            crate::engine::key::display(self.keymap.keys_of(Action::Back, "").unwrap_or_default(), self.glyphs.ascii);
        let lesson = self.lessons.open().map(|_| format!(", {} to {}", self.key_of(LESSON), self.lesson_name()));
        let text = format!("{} is open now; {back} goes back{}", self.file_names(), lesson.unwrap_or_default());
        self.set_status(Tone::Text, text);
    }

    pub(super) fn is_open(&self, session: &Arc<Session>) -> bool {
        self.session.as_ref().is_some_and(|open| Arc::ptr_eq(open, session))
    }

    /// Replaces the open pair, and resets all state that depends on it.
    pub(super) fn switch_session(&mut self, session: Arc<Session>) {
        self.jobs.cancel_all();
        (self.texts, self.names) = (Texts::default(), self.names_of(&session));
        self.session = Some(session);
        for (pane, def) in self.panes.iter_mut().zip(PANES) {
            if def.id != SESSION_INDEPENDENT {
                *pane = (def.new)();
            }
        }
        self.layout.forget_sizes();
        self.navigation.forget_selections();
        self.dirty = true;
    }
}
