//! Navigation: the view, the selection in it, the history, and the marks.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::app::registry::VIEWS;
use crate::overlays::marks::MarkPrompt;
use crate::panes::lists::has_records;
use crate::state::breadcrumb::breadcrumb;
use crate::state::effect::Effect;
use crate::state::selection::{Selection, SelectionContext};
use crate::state::view::{PaneId, TABS, Tab, View};
use crate::ui::layout::Slot;
use pdblens_nodes::rows::Tone;
use pdblens_nodes::{FunctionPart, MethodPart, Place, Side, TableId, Token};
use pdblens_session::session::Session;

const MAX_HISTORY: usize = 1000;

/// The state that Back, Forward and a mark return to.
#[derive(Clone, Debug)]
pub(super) struct HistoryEntry {
    pub(super) session: Arc<Session>,
    pub(super) view: View,
    pub(super) focus: Slot,
    pub(super) selection: Selection,
}

impl HistoryEntry {
    /// True for an entry that differs in the focus at most.
    fn is_same_step(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.session, &other.session) && (self.view, self.selection) == (other.view, other.selection)
    }
}

impl PartialEq for HistoryEntry {
    fn eq(&self, other: &Self) -> bool {
        self.is_same_step(other) && self.focus == other.focus
    }
}

/// The state of a view while another one is shown.
#[derive(Clone, Debug)]
struct ViewState {
    focus: Slot,
    left: Slot,
    selected: Option<SelectionContext>,
}

#[derive(Debug)]
pub(super) struct Navigation {
    view: View,
    /// View that each tab showed last.
    last: [View; TABS.len()],
    view_states: Vec<ViewState>,
    selected: Option<SelectionContext>,
    back: Vec<HistoryEntry>,
    forward: Vec<HistoryEntry>,
    /// Last position in each of the other open pairs.
    left: Vec<HistoryEntry>,
    marks: BTreeMap<char, HistoryEntry>,
    /// Choice of the user to show machine code beside IL; `None` where the width of the screen decides.
    pub(super) wants_machine: Option<bool>,
    /// Slot of the Methods view that machine code takes.
    pub(super) machine: Option<Slot>,
}

impl Navigation {
    pub(super) fn new() -> Self {
        let view_states = VIEWS.iter().map(|view| {
            let first = view.panes.iter().map(|(slot, _)| *slot).find(|slot| matches!(slot, Slot::Main(_)));
            ViewState { focus: view.focus, left: first.unwrap_or(Slot::Main(0)), selected: None }
        });
        Self {
            view: View::Summary,
            last: TABS.map(|tab| tab.first),
            view_states: view_states.collect(),
            selected: None,
            back: Vec::new(),
            forward: Vec::new(),
            left: Vec::new(),
            marks: BTreeMap::new(),
            wants_machine: None,
            machine: None,
        }
    }

    pub(super) const fn view(&self) -> View {
        self.view
    }

    pub(super) const fn selected(&self) -> Option<&SelectionContext> {
        self.selected.as_ref()
    }

    pub(super) fn selection(&self) -> Option<Selection> {
        Some(self.selected.as_ref()?.selection)
    }

    pub(super) fn document(&self) -> Option<u32> {
        self.selected.as_ref()?.document
    }

    /// Selection that a view had when it was left.
    pub(super) fn kept(&self, view: View) -> Option<&SelectionContext> {
        self.view_states[view as usize].selected.as_ref()
    }

    pub(super) fn focus(&self) -> Slot {
        self.view_states[self.view as usize].focus
    }

    /// The column that had the focus last.
    pub(super) fn left(&self) -> Slot {
        self.view_states[self.view as usize].left
    }

    /// The pane with the focus.
    pub(super) fn focused(&self) -> Option<PaneId> {
        self.pane_in(self.focus())
    }

    pub(super) fn pane_in(&self, slot: Slot) -> Option<PaneId> {
        if self.view == View::Methods && self.machine == Some(slot) {
            return Some(PaneId::Machine);
        }
        if (self.view, slot) == (View::File, Slot::Main(1))
            && !self.selection().is_none_or(|here| has_records(here.place))
        {
            return Some(PaneId::Contents);
        }
        self.view.def().panes.iter().find(|(there, _)| *there == slot).map(|(_, pane)| *pane)
    }

    pub(super) fn set_focus(&mut self, slot: Slot) {
        let view_state = &mut self.view_states[self.view as usize];
        view_state.focus = slot;
        if matches!(slot, Slot::Nav | Slot::Main(_)) {
            view_state.left = slot;
        }
    }

    pub(super) fn step_focus(&mut self, slots: &[Slot], forward: bool) {
        let at = slots.iter().position(|slot| *slot == self.focus()).unwrap_or(0);
        let step = if forward { 1 } else { slots.len().saturating_sub(1) };
        if let Some(slot) = slots.get((at + step) % slots.len().max(1)) {
            self.set_focus(*slot);
        }
    }

    pub(super) fn focus_owner(&mut self, place: Place) {
        let owns = |slot: Slot| self.pane_in(slot).is_some_and(|pane| (pane.def().owns)(place));
        if let Some((slot, _)) = self.view.def().panes.iter().find(|(slot, _)| owns(*slot)) {
            self.set_focus(*slot);
        }
    }

    pub(super) fn set_view(&mut self, view: View) {
        self.view = view;
        self.last[view.tab() as usize] = view;
    }

    /// View that the digit of a tab shows: the one that was left there; from there, out of a table and a list of users.
    pub(super) fn view_of_tab(&self, tab: Tab) -> View {
        match self.view {
            View::Tables | View::UsedBy if self.view.tab() == tab => TABS[tab as usize].first,
            _ => self.last[tab as usize],
        }
    }

    pub(super) fn select(&mut self, selection: Selection, session: &Session) {
        let before = self.kept(self.view).or(self.selected.as_ref());
        let mut selected = SelectionContext::of(selection, session, before);
        if self.view == View::UsedBy {
            selected.show_owner(session);
        }
        // A module or a type in the tree of methods has no code of its own: that of the last method would be taken for its.
        let is_branch = self.focused() == Some(PaneId::Methods);
        if let Some(before) = before
            && !(self.view.def().shows)(selection.place)
        {
            if is_branch {
                selected.in_branch(session);
            } else {
                selected.keep(before);
            }
        }
        self.view_states[self.view as usize].selected = Some(selected.clone());
        self.selected = Some(selected);
    }

    pub(super) fn left_at(&self, session: &Arc<Session>) -> Option<HistoryEntry> {
        self.left.iter().find(|entry| Arc::ptr_eq(&entry.session, session)).cloned()
    }

    /// Saves the position in the current pair before another one is shown.
    pub(super) fn leave(&mut self, session: Option<&Arc<Session>>) {
        let Some(entry) = self.here(session) else { return };
        self.left.retain(|other| !Arc::ptr_eq(&other.session, &entry.session));
        self.left.push(entry);
    }

    pub(super) fn forget_selections(&mut self) {
        for view_state in &mut self.view_states {
            view_state.selected = None;
        }
        self.selected = None;
    }

    /// The step of the history that leads to where one is.
    pub(super) fn here(&self, session: Option<&Arc<Session>>) -> Option<HistoryEntry> {
        let (selection, session) = (self.selection()?, Arc::clone(session?));
        Some(HistoryEntry { session, view: self.view, focus: self.focus(), selection })
    }

    pub(super) fn push_history(&mut self, session: Option<&Arc<Session>>) {
        let Some(entry) = self.here(session) else { return };
        if self.back.last() != Some(&entry) {
            self.back.push(entry);
        }
        if self.back.len() > MAX_HISTORY {
            self.back.remove(0);
        }
    }

    /// Returns whether no step back leads to another place of the same files.
    pub(super) fn is_first_step(&self, session: Option<&Arc<Session>>) -> bool {
        let last = self.back.last().map(|entry| &entry.session);
        last.zip(session).is_none_or(|(last, session)| !Arc::ptr_eq(last, session))
    }

    /// The steps that Forward would take; there are none from then on.
    pub(super) fn take_forward(&mut self) -> Vec<HistoryEntry> {
        std::mem::take(&mut self.forward)
    }

    /// Takes the last step back where it made none: a link to where one is. In a list, it opens what is selected, in another pane.
    pub(super) fn drop_empty_step(&mut self, session: Option<&Arc<Session>>, forward: Vec<HistoryEntry>) {
        let Some((last, here)) = self.back.last().zip(self.here(session)) else { return };
        let is_code = here.selection.place.code_unit().is_some();
        if if is_code { here.is_same_step(last) } else { here == *last } {
            self.back.pop();
            self.forward = forward;
        }
    }

    /// Takes a step of the history; `None` where there is none in that direction.
    pub(super) fn step(&mut self, back: bool, session: Option<&Arc<Session>>) -> Option<HistoryEntry> {
        let here = self.here(session);
        let (from, to) = if back { (&mut self.back, &mut self.forward) } else { (&mut self.forward, &mut self.back) };
        let entry = from.pop()?;
        to.extend(here);
        Some(entry)
    }

    /// Numbers of steps back and forward.
    pub(super) const fn history_len(&self) -> (usize, usize) {
        (self.back.len(), self.forward.len())
    }

    /// Lets history and marks lead into files that replace others.
    pub(super) fn replace(&mut self, old: &Arc<Session>, new: &Arc<Session>) {
        let entries =
            self.back.iter_mut().chain(&mut self.forward).chain(&mut self.left).chain(self.marks.values_mut());
        for entry in entries.filter(|entry| Arc::ptr_eq(&entry.session, old)) {
            entry.session = Arc::clone(new);
        }
    }

    pub(super) fn forget(&mut self, session: &Arc<Session>) {
        for entries in [&mut self.back, &mut self.forward, &mut self.left] {
            entries.retain(|entry| !Arc::ptr_eq(&entry.session, session));
        }
    }

    pub(super) fn mark_prompt(&self, sets: bool, step: &str) -> MarkPrompt {
        let label = |entry: &HistoryEntry| {
            let steps = breadcrumb(&entry.session, entry.selection.place, VIEWS);
            let steps: Vec<String> = steps.into_iter().map(|(step, _)| step).collect();
            steps.join(&format!(" {step} "))
        };
        MarkPrompt { sets, marks: self.marks.iter().map(|(letter, entry)| (*letter, label(entry))).collect() }
    }

    /// Marks the selection with a letter, or goes to what the letter marks, in whichever files it is.
    pub(super) fn take_mark(&mut self, sets: bool, letter: char, session: Option<&Arc<Session>>) -> Option<Effect> {
        let here = self.here(session)?;
        if sets {
            self.marks.insert(letter, here);
            return Some(Effect::status(Tone::Text, format!("marked {letter}")));
        }
        match self.marks.get(&letter) {
            // The history gets no step to where one is.
            Some(entry) if here.is_same_step(entry) => {
                self.set_focus(entry.focus);
                None
            }
            Some(entry) if Arc::ptr_eq(&entry.session, &here.session) => Some(Effect::Go(entry.selection)),
            Some(entry) => Some(Effect::Visit(Arc::clone(&entry.session), entry.selection)),
            None => Some(Effect::status(Tone::Dim, format!("there is no mark {letter}"))),
        }
    }

    pub(super) fn step_point(&self, forward: bool) -> Option<Effect> {
        let selected = self.selected.as_ref()?;
        let Some(view) = &selected.method else {
            return Some(Effect::status(Tone::Dim, "select a method first: 3 shows them"));
        };
        // Counted from 1; 0 where none is selected. From inside of a point, back goes to its start.
        let begins = selected.point.and_then(|index| view.points.get(index)).map_or(0, |point| point.offset);
        let is_point = !matches!(selected.selection.place, Place::MethodPart(_, MethodPart::Instruction(il))
                | Place::FunctionPart(_, FunctionPart::CodeAt(il)) if il > begins);
        let at = selected.point.map_or(0, |index| index as u32 + 1 + u32::from(!is_point && !forward));
        let last = view.points.len() as u32;
        let to = if forward { at + 1 } else { at.saturating_sub(1) };
        if to == 0 || to > last {
            let words = view.of.words();
            let text = match view.points.is_empty() {
                true => format!("this {} has no {}s", words.unit, words.full_point),
                false => format!("no more {}s", words.full_point),
            };
            return Some(Effect::status(Tone::Dim, text));
        }
        let place = view.of.point(to);
        let is_here = (self.view.def().shows)(place);
        Some(if is_here { Effect::Show(place.into()) } else { Effect::Go(place.into()) })
    }

    /// Steps of the breadcrumb, outermost first: their texts and places.
    pub(super) fn breadcrumb_steps(
        &self,
        session: Option<&Arc<Session>>,
        subject: Option<Place>,
    ) -> Vec<(String, Place)> {
        let Some((session, selection)) = session.zip(self.selection()) else { return Vec::new() };
        let at = subject.unwrap_or(selection.place);
        let mut steps = breadcrumb(session, at, VIEWS);
        // A heading of the tree of methods is a type there, not a row of a table; and so is what is used.
        let is_named = |table| table == TableId::TYPE_DEF && self.view == View::Methods || subject.is_some();
        if let Place::Row(Side::Image, table, row) = at
            && let Some(names) = session.names().filter(|_| is_named(table))
        {
            let name = names.row(Token::new(table, row));
            // The type of a field is before its name.
            let name =
                if table == TableId::FIELD { name.rsplit(' ').next().unwrap_or_default().to_owned() } else { name };
            steps = vec![(View::Methods.def().name().to_owned(), Place::Methods), (name, at)];
        }
        steps.extend(subject.map(|_| ("used by".to_owned(), selection.place)));
        // The first step names the view that is on the screen, also where the place has another one.
        let here = self.view.def().name();
        let is_other_view = |name: &str| name != here && TABS.iter().any(|tab| tab.name == name);
        let is_list = |place: Place| place == Place::Functions && steps.len() == 1;
        if steps.first().is_some_and(|(first, place)| is_other_view(first) || is_list(*place)) {
            let home = (self.view.def().home)(session);
            let is_view_only = steps.len() == 1;
            match steps.first_mut() {
                Some(first) if !is_view_only => *first = (here.to_owned(), home),
                _ => steps.insert(0, (here.to_owned(), home)),
            }
        }
        steps
    }
}
