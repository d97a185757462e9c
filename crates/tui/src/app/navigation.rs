//! Navigation: views, focus and history, and the actions that the app handles itself.

use crate::state::effect::{Command, Effect};
use pdblens_learn::lesson::{Lesson, Start};
use pdblens_query::search::Index;
use std::sync::Arc;

use crate::app::files::names_job;
use crate::app::history::HistoryEntry;
use crate::app::registry::{PANES, VIEWS, pane_index};
use crate::app::{App, thread};
use crate::engine::action::Action;
use crate::overlays::ask;
use crate::overlays::copy;
use crate::state::message::{Job, Msg};
use crate::state::selection::{Selection, SelectionContext};
use crate::state::view::{View, view_of};
use crate::ui::layout::Slot;
use crate::ui::scroll::Scroll;
use pdblens_nodes::Place;
use pdblens_nodes::rows::Tone;
use pdblens_nodes::{FunctionPart, MethodPart};

/// The number of entries in the history.
const MAX_HISTORY: usize = 1000;

impl App {
    /// Shows a place, in its view, and adds the present one to the history.
    pub(super) fn go(&mut self, selection: Selection) {
        self.push_history();
        let forward = std::mem::take(&mut self.forward);
        let view =
            if (self.view.def().shows)(selection.place) { Some(self.view) } else { view_of(VIEWS, selection.place) };
        self.view = view.unwrap_or(self.view);
        self.focus_owner(selection.place);
        self.update_layout();
        self.show(selection);
        self.reveal_selection();
        // A link to where one is makes no step; in a list, it opens what is selected, in another pane.
        let opens = selection.place.code_unit().is_none();
        let last = self.back.last().zip(self.history_entry());
        if last.is_some_and(|(last, here)| if opens { here == *last } else { here.is_same_step(last) }) {
            self.back.pop();
            self.forward = forward;
        }
    }

    /// Focuses the pane of the view that owns a place.
    pub(super) fn focus_owner(&mut self, place: Place) {
        let owns = |id: &str| PANES.iter().any(|pane| pane.id == id && (pane.owns)(place));
        if let Some((slot, _)) = self.view.def().panes.iter().find(|(_, id)| owns(id)) {
            self.set_focus(*slot);
        }
    }

    pub(super) fn push_history(&mut self) {
        if let Some(entry) = self.history_entry() {
            if self.back.last() != Some(&entry) {
                self.back.push(entry);
            }
            if self.back.len() > MAX_HISTORY {
                self.back.remove(0);
            }
        }
    }

    pub(super) fn history_entry(&self) -> Option<HistoryEntry> {
        let (selected, session) = (self.selected.as_ref()?, Arc::clone(self.session.as_ref()?));
        Some(HistoryEntry { session, view: self.view, focus: self.focus(), selection: selected.selection })
    }

    pub(super) fn go_back(&mut self, back: bool) {
        let (from, to) = if back { (&mut self.back, "back") } else { (&mut self.forward, "forward") };
        let Some(entry) = from.pop() else {
            return self.set_status(Tone::Dim, format!("the history has no entry {to}"));
        };
        if let Some(here) = self.history_entry() {
            if back { self.forward.push(here) } else { self.back.push(here) }
        }
        if !self.is_open(&entry.session) {
            self.switch_session(entry.session);
            self.set_status(Tone::Text, format!("{} is open again", self.file_names()));
        }
        self.view = entry.view;
        self.set_focus(entry.focus);
        self.update_layout();
        self.show(entry.selection);
        self.reveal_selection();
    }

    /// Shows a stack trace.
    pub(super) fn show_trace(&mut self, text: &str) {
        self.enter_view(View::Trace);
        self.set_focus(Slot::Main(0));
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
        if self.view == View::Trace && self.focus() == Slot::Main(0) {
            self.sync_selection();
        }
    }

    /// Changes to another view: to its last selection, or to its home.
    pub(super) fn enter_view(&mut self, view: View) {
        if view == View::Learn {
            self.return_to_lesson();
        }
        if view == self.view {
            self.with_player(Slot::Main(0), |player, cx| player.resume(true, cx));
            // The digit of the view brings the focus back to its first pane.
            return self.set_focus(view.def().panes.first().map_or(Slot::Main(0), |(slot, _)| *slot));
        }
        // The player steps through the record that was on the screen.
        let here = self.selected.as_ref().filter(|selected| view == View::Learn && selected.fields.is_ok());
        let played = here.map(|selected| selected.selection);
        let kept = self.view_states[view as usize].selected.as_ref();
        let thread = self.session.as_ref().zip(self.selected.as_ref());
        let thread = thread.and_then(|(session, selected)| thread::next_place(session, view, selected, kept));
        if let Some(place) = thread {
            self.layout.reset_zoom();
            return self.go(place.into());
        }
        self.push_history();
        self.forward.clear();
        self.view = view;
        self.layout.reset_zoom();
        match self.view_states[view as usize].selected.as_ref().map(|selected| selected.selection).or(played) {
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
        self.view = View::Learn;
        self.layout.reset_zoom();
        self.set_focus(Slot::Main(0));
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
        if self.view == View::Learn {
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
        let here = self.selected.as_ref().map(|selected| selected.selection.place);
        if here == Some(Place::Functions) {
            self.show_home();
        }
        self.refresh_panes();
    }

    /// Shows the home of the view, and focuses the pane that owns it.
    pub(super) fn show_home(&mut self) {
        let home = self.session.as_ref().map(|session| (self.view.def().home)(session));
        if let Some(home) = home {
            self.focus_owner(home);
        }
        self.update_layout();
        if let Some(home) = home {
            self.show(home.into());
        }
    }

    pub(super) fn set_focus(&mut self, slot: Slot) {
        let view_states = &mut self.view_states[self.view as usize];
        view_states.focus = slot;
        if matches!(slot, Slot::Nav | Slot::Main(_)) {
            view_states.left = slot;
        }
    }

    pub(super) fn step_focus(&mut self, forward: bool) {
        let slots = &self.layout.areas().slots;
        let at = slots.iter().position(|slot| *slot == self.focus()).unwrap_or(0);
        let step = if forward { 1 } else { slots.len().saturating_sub(1) };
        if let Some(slot) = slots.get((at + step) % slots.len().max(1)).copied() {
            self.set_focus(slot);
        }
    }

    /// Selects a place, and shows it in all panes of the view.
    pub(super) fn show(&mut self, selection: Selection) {
        self.select(selection);
        for (slot, _) in self.view.def().panes {
            self.with_pane(*slot, |pane, cx| pane.show_selection(cx));
        }
    }

    /// Lets all panes of the view take new results. A pane whose cursor stays keeps its scroll position.
    pub(super) fn refresh_panes(&mut self) {
        self.dirty = true;
        for (slot, _) in self.view.def().panes {
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
        let focus = self.focus();
        let Some(mut selection) = self.with_pane(focus, |pane, cx| pane.selection(cx)).flatten() else { return };
        if self.view == View::Learn && focus == Slot::Fields {
            // A line beside the player moves it to the point of the line.
            let all = self.with_all_points(selection);
            if all == selection {
                return;
            }
            selection = all;
        }
        if self.selected.as_ref().is_some_and(|selected| selected.selection == selection) {
            return;
        }
        self.select(selection);
        for (slot, _) in self.view.def().panes.iter().filter(|(slot, _)| *slot != focus) {
            self.with_pane(*slot, |pane, cx| pane.show_selection(cx));
        }
    }

    /// Computes the context of a selection.
    fn select(&mut self, selection: Selection) {
        self.dirty = true;
        let Some(session) = self.session.clone() else { return };
        let before = self.view_states[self.view as usize].selected.as_ref().or(self.selected.as_ref());
        let mut selected = SelectionContext::of(selection, &session, before);
        // A module or a type in the tree of methods has no code of its own: that of the last method would be taken for its.
        let is_branch = self.pane_in(self.focus()) == Some(pane_index("methods"));
        match before.filter(|_| !(self.view.def().shows)(selection.place)) {
            Some(_) if is_branch => selected.in_branch(&session),
            Some(before) => selected.keep(before),
            None => {}
        }
        self.view_states[self.view as usize].selected = Some(selected.clone());
        self.selected = Some(selected);
    }

    /// Selects the same again, after an index was built: more is known of it now.
    pub(super) fn reselect(&mut self) {
        if let Some(selected) = &self.selected {
            self.select(selected.selection);
        }
        self.refresh_panes();
        if self.pane_in(self.focus()) == Some(pane_index("bytes")) {
            self.sync_selection();
        }
    }

    /// Steps through the sequence points of the current method.
    pub(super) fn step_point(&mut self, forward: bool, times: u32) -> Vec<Effect> {
        let Some(selected) = &self.selected else { return Vec::new() };
        let Some(view) = selected.method.clone() else {
            self.set_status(Tone::Dim, "select a method first: 5 shows them");
            return Vec::new();
        };
        // Counted from 1; 0 where none is selected. From inside of a point, back goes to its start.
        let begins = selected.point.and_then(|index| view.points.get(index)).map_or(0, |point| point.offset);
        let is_point = !matches!(selected.selection.place, Place::MethodPart(_, MethodPart::Instruction(il))
                | Place::FunctionPart(_, FunctionPart::CodeAt(il)) if il > begins);
        let at = selected.point.map_or(0, |index| index as u32 + 1 + u32::from(!is_point && !forward));
        let last = view.points.len() as u32;
        // A count stops at the last point.
        let to =
            if forward { (at + times).min(last.max(at + 1)) } else { at.saturating_sub(times).max(u32::from(at > 1)) };
        if to == 0 || to > last {
            let text = match (view.points.is_empty(), view.of.is_native()) {
                (true, false) => "this method has no sequence points",
                (true, true) => "this function has no lines",
                (false, false) => "no more sequence points",
                (false, true) => "no more lines",
            };
            self.set_status(Tone::Dim, text);
            return Vec::new();
        }
        let place = view.of.point(to);
        if (self.view.def().shows)(place) {
            self.show(place.into());
        } else {
            self.go(place.into());
        }
        Vec::new()
    }

    pub(super) fn copy(&mut self, action: Action) -> Vec<Effect> {
        let focus = self.focus();
        let own = self.with_pane(focus, |pane, cx| pane.copied_text(action, cx)).flatten();
        let Some((session, selected)) = self.session.as_ref().zip(self.selected.as_ref()) else { return Vec::new() };
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
