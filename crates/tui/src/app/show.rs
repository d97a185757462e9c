//! Navigation: views, focus and history, and the actions that the app handles itself.

use crate::state::effect::{Command, Effect};
use pdblens_learn::lesson::{Lesson, Start};
use pdblens_query::search::Index;
use std::sync::Arc;

use crate::app::files::names_job;
use crate::app::registry::{VIEWS, pane_index};
use crate::app::{App, thread};
use crate::engine::action::Action;
use crate::overlays::ask;
use crate::overlays::copy;
use crate::state::message::{Job, Msg};
use crate::state::selection::Selection;
use crate::state::view::{View, view_of};
use crate::ui::layout::Slot;
use crate::ui::scroll::Scroll;
use pdblens_nodes::Place;
use pdblens_nodes::rows::Tone;

impl App {
    /// Shows a place, in its view, and adds the present one to the history.
    pub(super) fn go(&mut self, selection: Selection) {
        self.navigation.push_history(self.session.as_ref());
        let forward = self.navigation.take_forward();
        let view = if (self.navigation.view().def().shows)(selection.place) {
            Some(self.navigation.view())
        } else {
            view_of(VIEWS, selection.place)
        };
        self.navigation.set_view(view.unwrap_or(self.navigation.view()));
        self.navigation.focus_owner(selection.place);
        self.update_layout();
        self.show(selection);
        self.reveal_selection();
        self.navigation.drop_empty_step(self.session.as_ref(), forward);
    }

    pub(super) fn go_back(&mut self, back: bool) {
        let Some(entry) = self.navigation.step(back, self.session.as_ref()) else {
            let direction = if back { "back" } else { "forward" };
            return self.set_status(Tone::Dim, format!("the history has no entry {direction}"));
        };
        if !self.is_open(&entry.session) {
            self.switch_session(entry.session);
            self.set_status(Tone::Text, format!("{} is open again", self.file_names()));
        }
        self.navigation.set_view(entry.view);
        self.navigation.set_focus(entry.focus);
        self.update_layout();
        self.show(entry.selection);
        self.reveal_selection();
    }

    /// Shows a stack trace.
    pub(super) fn show_trace(&mut self, text: &str) {
        self.enter_view(View::Trace);
        self.navigation.set_focus(Slot::Main(0));
        self.update_layout();
        if let Some(effects) = self.with_pane(Slot::Main(0), |pane, cx| pane.paste(text, cx)).flatten() {
            for effect in effects {
                if let Effect::SetStatus(tone, text) = effect {
                    self.set_status(tone, text);
                }
            }
        }
    }

    /// Shows a resolved stack trace, and selects its first frame.
    pub(super) fn show_resolved_trace(&mut self) {
        self.refresh_panes();
        if self.navigation.view() == View::Trace && self.navigation.focus() == Slot::Main(0) {
            self.sync_selection();
        }
    }

    /// Changes to another view: to its last selection, or to its home.
    pub(super) fn enter_view(&mut self, view: View) {
        if view == View::Learn {
            self.return_to_lesson();
        }
        if view == self.navigation.view() {
            self.with_player(Slot::Main(0), |player, cx| player.resume(true, cx));
            // The digit of the view brings the focus back to its first pane.
            return self.navigation.set_focus(view.def().panes.first().map_or(Slot::Main(0), |(slot, _)| *slot));
        }
        // The player steps through the record that was on the screen.
        let here = self.navigation.selected().filter(|selected| view == View::Learn && selected.fields.is_ok());
        let played = here.map(|selected| selected.selection);
        let kept = self.navigation.kept(view);
        let thread = self.session.as_ref().zip(self.navigation.selected());
        let thread = thread.and_then(|(session, selected)| thread::next_place(session, view, selected, kept));
        if let Some(place) = thread {
            self.layout.reset_zoom();
            return self.go(place.into());
        }
        self.navigation.push_history(self.session.as_ref());
        self.navigation.take_forward();
        self.navigation.set_view(view);
        self.layout.reset_zoom();
        match self.navigation.kept(view).map(|selected| selected.selection).or(played) {
            Some(selection) => {
                self.update_layout();
                self.show(selection);
            }
            None => self.show_home(),
        }
        if view == View::Trace {
            self.show_resolved_trace();
        }
        self.with_player(Slot::Main(0), |player, cx| player.resume(false, cx));
        if view == View::Learn {
            self.sync_selection();
        }
    }

    /// Shows the Learn view with the lesson that the command line names, or the list of lessons.
    pub(super) fn show_lessons(&mut self) {
        self.navigation.set_view(View::Learn);
        self.layout.reset_zoom();
        self.navigation.set_focus(Slot::Main(0));
        self.show_home();
    }

    /// Shows what the command line asks of the Learn view.
    pub(super) fn show_start_lesson(&mut self, start: &Start) -> Vec<Effect> {
        self.show_lessons();
        let key = start.open.filter(|_| start.restart).and_then(|index| start.lessons.get(index)).map(Lesson::key);
        key.map_or_else(Vec::new, |key| self.ask_to_restart(key))
    }

    /// Shows what a job has found, and the selection that comes with it.
    pub(super) fn show_pane_result(&mut self) {
        self.refresh_panes();
        if self.navigation.view() == View::Learn {
            self.sync_selection();
        }
    }

    /// Shows a list in its new order, and selects its first row.
    pub(super) fn show_sorted_list(&mut self) {
        self.refresh_panes();
        self.sync_selection();
    }

    /// Shows the home of the view, once the functions it depends on are read.
    pub(super) fn show_late_home(&mut self) {
        let here = self.navigation.selected().map(|selected| selected.selection.place);
        if here == Some(Place::Functions) {
            self.show_home();
        }
        self.refresh_panes();
    }

    /// Shows the home of the view, and focuses the pane that owns it.
    pub(super) fn show_home(&mut self) {
        let home = self.session.as_ref().map(|session| (self.navigation.view().def().home)(session));
        if let Some(home) = home {
            self.navigation.focus_owner(home);
        }
        self.update_layout();
        if let Some(home) = home {
            self.show(home.into());
        }
    }

    /// Selects a place, and shows it in all panes of the view.
    pub(super) fn show(&mut self, selection: Selection) {
        self.select(selection);
        for (slot, _) in self.navigation.view().def().panes {
            self.with_pane(*slot, |pane, cx| pane.show_selection(cx));
        }
    }

    /// Lets all panes of the view take new results. A pane whose cursor stays keeps its scroll position.
    pub(super) fn refresh_panes(&mut self) {
        self.dirty = true;
        for (slot, _) in self.navigation.view().def().panes {
            self.with_pane(*slot, |pane, cx| {
                let before = pane.list().map(|list| *list.parts().0);
                pane.show_selection(cx);
                if let (Some(before), Some(list)) = (before, pane.list_mut()) {
                    let scroll = list.parts_mut().0;
                    if *scroll == (Scroll { top: scroll.top, ..before }) {
                        *scroll = before;
                    }
                }
            });
        }
    }

    /// Takes the selection of the focused pane, and shows it in the others.
    pub(super) fn sync_selection(&mut self) {
        let focus = self.navigation.focus();
        let Some(mut selection) = self.with_pane(focus, |pane, cx| pane.selection(cx)).flatten() else { return };
        if self.navigation.view() == View::Learn && focus == Slot::Fields {
            // A line beside the player moves it to the point of the line.
            let all = self.with_all_points(selection);
            if all == selection {
                return;
            }
            selection = all;
        }
        if self.navigation.selected().is_some_and(|selected| selected.selection == selection) {
            return;
        }
        self.select(selection);
        for (slot, _) in self.navigation.view().def().panes.iter().filter(|(slot, _)| *slot != focus) {
            self.with_pane(*slot, |pane, cx| pane.show_selection(cx));
        }
    }

    fn select(&mut self, selection: Selection) {
        self.dirty = true;
        if let Some(session) = &self.session {
            self.navigation.select(selection, session);
        }
    }

    /// Selects the same again, after an index was built: more is known of it now.
    pub(super) fn reselect(&mut self) {
        if let Some(selected) = self.navigation.selected() {
            self.select(selected.selection);
        }
        self.refresh_panes();
        if self.navigation.pane_in(self.navigation.focus()) == Some(pane_index("bytes")) {
            self.sync_selection();
        }
    }

    pub(super) fn copy(&mut self, action: Action) -> Vec<Effect> {
        let focus = self.navigation.focus();
        let own = self.with_pane(focus, |pane, cx| pane.copied_text(action, cx)).flatten();
        let Some((session, selected)) = self.session.as_ref().zip(self.navigation.selected()) else {
            return Vec::new();
        };
        let what = action.def().map_or("", |def| def.short);
        vec![match own.or_else(|| copy::text(action, session, selected)) {
            Some(text) => Command::Copy(what.to_owned(), text).into(),
            None => Effect::SetStatus(Tone::Dim, format!("no {what} to copy here")),
        }]
    }

    /// Opens the prompt with a text in it, and collects the names the first time.
    pub(super) fn ask(&mut self, text: &str) -> Vec<Effect> {
        let Some(session) = self.session.clone() else { return Vec::new() };
        let others = self.other_names();
        self.open_overlay(ask::ask(Arc::clone(&self.names), others.clone()).typing(text));
        let mut effects: Vec<Effect> = names_job(others).into_iter().collect();
        if self.names.get().is_some() {
            return effects;
        }
        effects.push(Effect::Start(Job::new("collecting names", "names", move |token| {
            Msg::Indexed(Index::build(&session, &|done, total| {
                token.report(done, total);
                !token.is_cancelled()
            }))
        })));
        effects
    }

    /// Lets the overlay on top take a result from its inbox.
    pub(super) fn refresh_overlay(&mut self) -> Vec<Effect> {
        self.dirty = true;
        self.with_overlay(|overlay, overlay_context| overlay.job_finished(overlay_context))
    }
}
