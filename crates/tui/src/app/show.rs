//! Places, views, other files and the player: how they come on the screen.

use std::sync::Arc;

use crate::app::{App, link, player, thread};
use crate::engine::action::Action;
use crate::overlays::files::comparison_job;
use crate::overlays::goto;
use crate::panes::pane::PaneInput;
use crate::panes::parts::home_of_other;
use crate::state::effect::{Command, Effect};
use crate::state::message::{Job, Msg, chain_job};
use crate::state::paths::Completed;
use crate::state::selection::{Selection, SelectionContext};
use crate::state::view::View;
use crate::ui::layout::Slot;
use pdblens_learn::Link;
use pdblens_learn::chain::Asked;
use pdblens_learn::lesson::Start;
use pdblens_nodes::resolve::resolve_exactly;
use pdblens_nodes::rows::Tone;
use pdblens_nodes::{PePart, Place, used_by};
use pdblens_query::process::ThreadsText;
use pdblens_query::samples;
use pdblens_session::session::{OpenError, PdbMatch, Session};
use pdblens_session::text::safe::count;

impl App {
    /// Shows a text in the view that takes it: a stack trace, bytes.
    pub(super) fn show_pasted(&mut self, view: View, text: &str) {
        self.enter_view(view);
        self.stage.navigation.set_focus(Slot::Main(0));
        self.stage.update_layout();
        if let Some(effects) = self.stage.paste_into(Slot::Main(0), text) {
            for effect in effects {
                if let Effect::SetStatus(tone, text) = effect {
                    self.stage.set_status(tone, text);
                }
            }
        }
    }

    /// Shows the threads of the process as they are now, and says how many moved.
    pub(super) fn show_threads(&mut self, text: String) {
        self.show_pasted(View::Trace, &text);
        let moved = text.lines().filter(|line| line.starts_with("thread ") && line.ends_with(", moved")).count();
        self.stage.set_status(Tone::Text, format!("read again: {} moved", count(moved as u64, "thread")));
        if let Some(threads) = &mut self.threads {
            threads.text = text;
        }
    }

    /// Shows what refers to the selection; returns false where nothing can.
    pub(super) fn show_users(&mut self) -> bool {
        let Some((session, here)) = self.stage.files.session().zip(self.stage.navigation.selection()) else {
            return false;
        };
        if !used_by::can_be_used(session, here.place) {
            let message = "nothing can refer to this: select a method, a type, a field, a string, a document or a row";
            self.stage.set_status(Tone::Dim, message);
            return false;
        }
        self.stage.show_in(View::UsedBy, here);
        self.stage.tell(Slot::Main(0), PaneInput::Do(Action::UsedBy));
        // The first user is previewed at once; where an index is read first, once that is there.
        self.stage.sync_selection();
        true
    }

    /// Changes to another view: to its last selection, or to its home.
    pub(super) fn enter_view(&mut self, view: View) {
        if view == View::UsedBy && self.stage.navigation.kept(view).is_none() && self.show_users() {
            return;
        }
        if view == View::Learn {
            self.switcher().return_to_lesson();
        }
        if view == self.stage.navigation.view() {
            self.stage.with_player(Slot::Main(0), |player, cx| player.resume(true, cx));
            // The digit of the view brings the focus back to its first pane, that of the File view leads to the other file.
            self.stage.navigation.set_focus(view.def().panes.first().map_or(Slot::Main(0), |(slot, _)| *slot));
            let here = self.stage.navigation.selection().filter(|_| view == View::File);
            let other =
                self.stage.files.session().zip(here).and_then(|(session, here)| home_of_other(session, here.place));
            if let Some(other) = other {
                self.stage.go(other.into());
            }
            return;
        }
        self.stage.end_searches();
        // The player steps through the record that was on the screen.
        let here = self.stage.navigation.selected().filter(|selected| view == View::Learn && selected.fields.is_ok());
        let played = here.map(|selected| selected.selection);
        let kept = self.stage.navigation.kept(view);
        let thread = self.stage.files.session().zip(self.stage.navigation.selected());
        let thread = thread.and_then(|(session, selected)| thread::next_place(session, view, selected, kept));
        if let Some(place) = thread {
            self.stage.layout.reset_zoom();
            return self.stage.go(place.into());
        }
        self.stage.navigation.push_history(self.stage.files.session());
        self.stage.navigation.take_forward();
        self.stage.navigation.set_view(view);
        self.stage.layout.reset_zoom();
        self.stage.show_or_home(self.stage.navigation.kept(view).map(|selected| selected.selection).or(played));
        if view == View::Trace {
            self.stage.show_pane_result();
        }
        self.stage.with_player(Slot::Main(0), |player, cx| player.resume(false, cx));
        if view == View::Learn {
            self.stage.sync_selection();
        }
    }

    /// Shows the lesson that the command line names, or the list of lessons.
    fn show_start_lesson(&mut self, start: &Start) -> Vec<Effect> {
        self.stage.navigation.set_view(View::Learn);
        self.stage.layout.reset_zoom();
        self.stage.navigation.set_focus(Slot::Main(0));
        self.stage.show_home();
        let lesson = start.open.and_then(|index| start.lessons.get(index));
        match lesson {
            Some(lesson) if start.restart => self.on_cursor().ask_to_restart(&lesson.key()),
            _ => Vec::new(),
        }
    }

    pub(super) fn take_opened(&mut self, opened: Completed) -> Vec<Effect> {
        let (session, looked) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                return self.compare_named(error).unwrap_or_else(|error| vec![Command::Fail(error).into()]);
            }
        };
        if matches!(session.pdb_match(), PdbMatch::Mismatched(_) | PdbMatch::NoPdb) {
            // Actions that repair the pair are listed first.
            self.stage.navigation.set_focus(Slot::Top);
        }
        let session = Arc::new(session);
        let start = (self.stage.navigation.view().def().home)(&session);
        self.stage.files.set_session(Arc::clone(&session));
        self.stage.files.set_looked(looked);
        self.stage.update_layout();
        let mut effects: Vec<Effect> = self.stage.files.recents.remember(&session).into_iter().collect();
        if let Some(text) = self.stage.files.remember_container(&session, &self.stage.key_of(Action::SwitchFile)) {
            self.stage.set_status(Tone::Text, text);
        }
        effects.extend(self.first_compared.take().map(|path| Effect::Start(comparison_job(vec![path]))));
        if let Some(ask) = self.stage.files.search_symbols() {
            // The first place may need the symbols.
            self.stage.show(start.into());
            effects.push(ask);
        } else {
            effects.extend(self.show_start(start.into()));
        }
        effects
    }

    /// Shows the place that the command line names; else `start`.
    fn show_start(&mut self, start: Selection) -> Vec<Effect> {
        if let Some(at) = self.first_place.take() {
            if let Some(link) = Link::parse(&at) {
                self.stage.show(start);
                return link::follow(self, &link);
            }
            let effects = goto::answer(&at, &self.stage.overlay_context());
            // The message of a place that does not exist appears over the default place.
            if !effects.iter().any(|effect| matches!(effect, Effect::Go(_))) {
                self.stage.show(start);
            }
            return effects;
        }
        if let Some(lessons) = self.first_lesson.take() {
            return self.show_start_lesson(&lessons);
        }
        self.stage.show(start);
        if let Some(text) = self.threads.as_ref().map(|threads| threads.text.clone()) {
            self.show_pasted(View::Trace, &text);
            return Vec::new();
        }
        match self.stage.files.session().and_then(|session| samples::attached(session)) {
            Some(Ok(found)) => {
                let hottest = found.points.first().map(|point| Effect::Go(point.place.into()));
                let status = Effect::SetStatus(Tone::Text, found.sentence());
                return hottest.into_iter().chain([status]).collect();
            }
            Some(Err(why)) => return vec![Effect::status(Tone::Warn, why.text.clone())],
            None => {}
        }
        let session = self.stage.files.session().cloned().filter(|_| start.place == Place::Overview);
        let Some(left) = session.and_then(|session| self.stage.files.recents.take_left(&session)) else {
            return Vec::new();
        };
        let text = format!(
            "continued where {} was left; {} leads back",
            self.stage.files.label(),
            self.stage.key_of(Action::Back)
        );
        vec![Effect::Go(left.into()), Effect::SetStatus(Tone::Text, text)]
    }

    pub(super) fn take_file(&mut self, opened: Result<Session, OpenError>) -> Vec<Effect> {
        let at = self.first_place.take();
        match opened {
            Ok(session) => {
                let mut effects: Vec<Effect> = self.stage.files.recents.remember(&session).into_iter().collect();
                let others = self.stage.files.remember_container(&session, &self.stage.key_of(Action::SwitchFile));
                let session = Arc::new(session);
                if let Some(old) = self.stage.files.opened.joined_by(&session) {
                    // It is not open twice, and the history leads into the pair.
                    self.stage.navigation.push_history(Some(&old));
                    self.switcher().replace_session(&old, Arc::clone(&session));
                    self.stage.files.opened.remember();
                    self.stage.set_status(Tone::Text, format!("{} is open now", self.stage.files.label()));
                }
                let at = at.and_then(|at| resolve_exactly(&session, &at).ok());
                let home = at.or_else(|| self.stage.files.recents.take_left(&session)).unwrap_or(Place::Overview);
                effects.push(Effect::Visit(session, home.into()));
                effects.extend(others.map(|text| Effect::SetStatus(Tone::Text, text)));
                effects
            }
            Err(error) => {
                let failed = |error: OpenError| vec![Effect::status(Tone::Bad, error.to_string())];
                self.stage.files.list_several(error).unwrap_or_else(failed)
            }
        }
    }

    pub(super) fn take_named_symbols(&mut self, opened: Result<Session, OpenError>) -> Vec<Effect> {
        let here = self.stage.navigation.selection().unwrap_or_else(|| Place::Overview.into());
        match opened {
            Ok(session) => self.switcher().take_pair(session),
            Err(error) => self.stage.set_status(Tone::Bad, format!("{error}; the open files stay")),
        }
        self.show_start(here)
    }

    pub(super) fn take_symbols(&mut self, found: Completed) -> Vec<Effect> {
        let here = self.stage.navigation.selection().unwrap_or_else(|| Place::Overview.into());
        match found {
            Ok((session, looked)) => {
                self.stage.files.set_looked(looked);
                if session.symbol_file().is_some() {
                    self.switcher().take_pair(session);
                } else {
                    let message = "symbols not found: Match in the Summary lists the places searched";
                    self.stage.set_status(Tone::Warn, message);
                }
            }
            Err(error) => self.stage.set_status(Tone::Bad, error.to_string()),
        }
        self.show_start(here)
    }

    /// Shows the steps of an answer about the selection, else those of the selected record; in the player, leads back.
    pub(super) fn open_player(&mut self) -> Vec<Effect> {
        if self.stage.navigation.view() == View::Learn {
            self.switcher().go_back(true);
            return Vec::new();
        }
        let asked = self.stage.navigation.selected().and_then(|selected| asked(self.stage.navigation.view(), selected));
        let Some((session, asked)) = self.stage.files.session().zip(asked) else {
            player::play_record(&mut self.stage);
            return Vec::new();
        };
        vec![Effect::Start(chain_job(session, asked))]
    }
}

/// Question that a selection is in its view.
fn asked(view: View, selected: &SelectionContext) -> Option<Asked> {
    let place = selected.selection.place;
    let lines = selected.document.zip(selected.lines);
    match view {
        View::Summary => (place == Place::Overview).then_some(Asked::SymbolKey),
        View::File => (place == Place::PePart(PePart::DebugDirectory)).then_some(Asked::SymbolKey),
        View::Sources => match (place, lines) {
            (Place::Document(row), _) => Some(Asked::Document(row)),
            (_, lines) => lines.map(|(row, lines)| Asked::Line(row, lines.start)),
        },
        View::Trace => place.code_unit().map(|of| Asked::Code(of, selected.code.start)),
        _ => None,
    }
}

/// Starts to read the threads of a process again.
pub(super) fn read_threads(threads: Option<&ThreadsText>) -> Effect {
    let Some(threads) = threads.cloned() else {
        return Effect::status(Tone::Dim, "no process to read again: `pdblens live PID` shows the threads of one");
    };
    Effect::Start(Job::new("reading the threads again", "threads", move |_| Msg::ThreadsRead(threads.again())))
}
