//! Where we are: views, focus, history, and what the app itself does for an action.

use std::sync::Arc;

use crate::model::place::{FunctionPart, MethodPart};
use crate::model::{Place, Routine, Tone};
use crate::tui::app::App;
use crate::tui::app::Effect;
use crate::tui::app::Stop;
use crate::tui::core::action::Action;
use crate::tui::core::jobs::Job;
use crate::tui::overlays::copy;
use crate::tui::overlays::finder;
use crate::tui::overlays::goto;
use crate::tui::overlays::help;
use crate::tui::overlays::open_trace;
use crate::tui::overlays::palette;
use crate::tui::panes::pane::{PANES, Selection, VIEWS, pane, view_of};
use crate::tui::state::selection::Linked;
use crate::tui::ui::layout::Slot;
use crate::tui::ui::list_filter::How;
use crate::tui::ui::scroll::Scroll;

/// How many places back are remembered.
const REMEMBERED: usize = 1000;
/// As many times is something done at most that is counted.
const MOST_TIMES: usize = 1000;
/// The number of the view for stack traces.
const TRACE: usize = 6;

impl App {
    /// Does what neither a layer nor a pane did.
    pub(super) fn act(&mut self, action: Action, count: Option<usize>) -> Vec<Effect> {
        let times = count.unwrap_or(1).min(MOST_TIMES);
        match action {
            Action::View(number) => self.enter(number as usize - 1),
            Action::NextPane => self.step_focus(true),
            Action::PreviousPane => self.step_focus(false),
            Action::Zoom => self.zoom = !self.zoom,
            Action::Back | Action::Forward => (0..times).for_each(|_| self.step_back(action == Action::Back)),
            Action::Parent => match self.linked.as_ref().and_then(|linked| linked.selection.place.parent()) {
                Some(parent) => self.go(parent.into()),
                None => self.say(Tone::Dim, "this is part of nothing larger"),
            },
            Action::NextPoint => return self.step_point(true, times as u32),
            Action::PreviousPoint => return self.step_point(false, times as u32),
            Action::Wider | Action::Narrower | Action::Taller | Action::Shorter | Action::ResetSplits => {
                return self.resize_split(action);
            }
            Action::Find => return self.search(How::Find),
            Action::Filter => return self.search(How::Filter),
            Action::NextMatch | Action::PreviousMatch => {
                (0..times).for_each(|_| self.find_again(action == Action::NextMatch));
            }
            Action::GoTo => return vec![Effect::Open(Box::new(goto::Goto::new("")))],
            Action::GoToken => return vec![Effect::Open(Box::new(goto::Goto::new("0x06")))],
            Action::GoOffset => return vec![Effect::Open(Box::new(goto::Goto::new("file 0x")))],
            Action::GoInstruction => {
                let of = self.linked.as_ref().and_then(|linked| linked.method.as_ref()).map(|view| view.of);
                let text = match (of, &self.session) {
                    (Some(Routine::Function(_)), Some(session)) => {
                        of.map_or_else(String::new, |of| format!("{}+0x", session.routine_name(of)))
                    }
                    (Some(of), _) => format!("{of}+0x"),
                    (None, _) => String::new(),
                };
                return vec![Effect::Open(Box::new(goto::Goto::new(&text)))];
            }
            Action::FindAnything => return self.find_anything(""),
            Action::Palette => return vec![Effect::Open(Box::new(palette::palette()))],
            Action::Help => return vec![Effect::Open(Box::new(help::help()))],
            Action::CopyValue
            | Action::CopyHex
            | Action::CopyAddress
            | Action::CopyRow
            | Action::CopyJson
            | Action::CopyCommand => return self.copy(action),
            Action::About => self.say_about(),
            Action::Mouse => {
                self.mouse = !self.mouse;
                let text = if self.mouse {
                    "the mouse is ours: click, wheel, double-click to follow, drag a divider"
                } else {
                    "the mouse is the terminal's: select text as usual"
                };
                self.say(Tone::Text, text);
                return vec![Effect::Mouse(self.mouse)];
            }
            Action::Theme => {
                self.theme = self.theme.next();
                self.say(Tone::Text, format!("theme {}", self.theme.name));
            }
            Action::Redraw => return vec![Effect::Redraw],
            Action::Suspend => return vec![Effect::Suspend],
            Action::Cancel if self.unsift() => {}
            Action::Cancel => match self.jobs.cancel(self.now) {
                Some(what) => {
                    self.stop_looking();
                    self.say(Tone::Warn, format!("stopped {what}"));
                }
                None if self.zoom => self.zoom = false,
                None => self.status = None,
            },
            Action::Quit => return vec![Effect::Quit],
            Action::PasteTrace => {
                self.enter(TRACE);
                self.say(Tone::Text, "paste the stack trace now");
            }
            Action::OpenTrace => return open_trace::open_trace(),
            Action::SourceRoot => return self.ask_for_sources(),
            Action::FetchSource => return self.fetch_source(),
            Action::Symbols => return self.ask_for_symbols(),
            _ => {}
        }
        Vec::new()
    }

    /// Goes to a place, remembering where we were.
    pub(super) fn go(&mut self, selection: Selection) {
        self.remember();
        self.forward.clear();
        let view = if (VIEWS[self.view].shows)(selection.place) { Some(self.view) } else { view_of(selection.place) };
        self.view = view.unwrap_or(self.view);
        self.focus_owner(selection.place);
        self.lay_out();
        self.show(selection);
        self.uncover();
    }

    /// Focuses the pane of the view that a place is for, if one is.
    pub(super) fn focus_owner(&mut self, place: Place) {
        let owns = |id: &str| PANES.iter().any(|pane| pane.id == id && (pane.owns)(place));
        if let Some((slot, _)) = VIEWS[self.view].panes.iter().find(|(_, id)| owns(id)) {
            self.set_focus(*slot);
        }
    }

    pub(super) fn remember(&mut self) {
        if let Some(stop) = self.stop() {
            if self.back.last() != Some(&stop) {
                self.back.push(stop);
            }
            if self.back.len() > REMEMBERED {
                self.back.remove(0);
            }
        }
    }

    fn stop(&self) -> Option<Stop> {
        let (linked, pair) = (self.linked.as_ref()?, Arc::clone(self.session.as_ref()?));
        Some(Stop { pair, view: self.view, focus: self.focus(), selection: linked.selection })
    }

    fn step_back(&mut self, back: bool) {
        let (from, to) = if back { (&mut self.back, "back") } else { (&mut self.forward, "forward") };
        let Some(stop) = from.pop() else {
            return self.say(Tone::Dim, format!("there is nothing to go {to} to"));
        };
        if let Some(here) = self.stop() {
            if back { self.forward.push(here) } else { self.back.push(here) }
        }
        if !self.is_open(&stop.pair) {
            self.switch(stop.pair);
            self.say(Tone::Text, format!("{} is open again", self.file_names()));
        }
        self.view = stop.view;
        self.set_focus(stop.focus);
        self.lay_out();
        self.show(stop.selection);
        self.uncover();
    }

    /// Shows a stack trace.
    pub(in crate::tui) fn show_trace(&mut self, text: &str) {
        self.enter(TRACE);
        self.set_focus(Slot::Main(0));
        self.lay_out();
        if let Some(effects) = self.with_pane(Slot::Main(0), |pane, cx| pane.paste(text, cx)).flatten() {
            for effect in effects {
                if let Effect::Say(tone, text) = effect {
                    self.say(tone, text);
                }
            }
        }
    }

    /// Takes a stack trace that was resolved: its first frame is selected.
    pub(in crate::tui) fn traced(&mut self) -> Vec<Effect> {
        self.show_again();
        if self.view == TRACE && self.focus() == Slot::Main(0) {
            self.follow_focus();
        }
        Vec::new()
    }

    /// Goes to another view: to what was selected there, or to where it begins.
    fn enter(&mut self, view: usize) {
        if view >= VIEWS.len() {
            return self.say(Tone::Dim, "there is no such view");
        }
        if view == self.view {
            return;
        }
        self.remember();
        self.forward.clear();
        self.view = view;
        self.zoom = false;
        match self.memory[view].linked.as_ref().map(|linked| linked.selection) {
            Some(selection) => {
                self.lay_out();
                self.show(selection);
            }
            None => self.show_home(),
        }
        if view == TRACE {
            self.traced();
        }
    }

    /// Goes to where a view begins that could not say so before.
    pub(super) fn find_home(&mut self) {
        let here = self.linked.as_ref().map(|linked| linked.selection.place);
        if here == Some(Place::Functions) {
            self.show_home();
        }
    }

    /// Shows where the view begins, with the focus in the pane that this is for.
    pub(super) fn show_home(&mut self) {
        let home = self.session.as_ref().map(|session| (VIEWS[self.view].home)(session));
        if let Some(home) = home {
            self.focus_owner(home);
        }
        self.lay_out();
        if let Some(home) = home {
            self.show(home.into());
        }
    }

    pub(super) fn set_focus(&mut self, slot: Slot) {
        let memory = &mut self.memory[self.view];
        memory.focus = slot;
        if matches!(slot, Slot::Nav | Slot::Main(_)) {
            memory.left = slot;
        }
    }

    fn step_focus(&mut self, forward: bool) {
        let panes = VIEWS[self.view].panes;
        let at = panes.iter().position(|(slot, _)| *slot == self.focus()).unwrap_or(0);
        let step = if forward { 1 } else { panes.len() - 1 };
        self.set_focus(panes[(at + step) % panes.len()].0);
    }

    /// Shows what is selected in every pane of the view.
    pub(super) fn show(&mut self, selection: Selection) {
        self.select(selection);
        for (slot, _) in VIEWS[self.view].panes {
            self.with_pane(*slot, |pane, cx| pane.show(cx));
        }
    }

    /// Lets every pane of the view take what has become known. What is selected is the same: where that is still on its row, nothing
    /// moves that somebody scrolled.
    pub(in crate::tui) fn show_again(&mut self) {
        self.dirty = true;
        for (slot, _) in VIEWS[self.view].panes {
            self.with_pane(*slot, |pane, cx| {
                let before = pane.list().map(|list| *list.parts().0);
                pane.show(cx);
                if let (Some(before), Some(list)) = (before, pane.list_mut()) {
                    let scroll = list.parts_mut().0;
                    if *scroll == (Scroll { top: scroll.top, ..before }) {
                        *scroll = before;
                    }
                }
            });
        }
    }

    /// Takes what is selected in the focused pane, and shows it in the others.
    pub(super) fn follow_focus(&mut self) {
        let focus = self.focus();
        let Some(selection) = self.with_pane(focus, |pane, cx| pane.selection(cx)).flatten() else { return };
        if self.linked.as_ref().is_some_and(|linked| linked.selection == selection) {
            return;
        }
        self.select(selection);
        for (slot, _) in VIEWS[self.view].panes.iter().filter(|(slot, _)| *slot != focus) {
            self.with_pane(*slot, |pane, cx| pane.show(cx));
        }
    }

    /// Works out what is known of a selection.
    fn select(&mut self, selection: Selection) {
        self.dirty = true;
        let Some(session) = self.session.clone() else { return };
        let before = self.memory[self.view].linked.as_ref().or(self.linked.as_ref());
        let mut linked = Linked::of(selection, &session, before);
        if let Some(before) = before.filter(|_| !(VIEWS[self.view].shows)(selection.place)) {
            linked.keep(before);
        }
        self.memory[self.view].linked = Some(linked.clone());
        self.linked = Some(linked);
    }

    /// Takes what the worker has surveyed: what is selected is known better now, and the byte that the cursor is on.
    pub(in crate::tui) fn look_again(&mut self) -> Vec<Effect> {
        if let Some(linked) = &self.linked {
            self.select(linked.selection);
        }
        self.show_again();
        if self.pane_in(self.focus()) == Some(pane("bytes")) {
            self.follow_focus();
        }
        Vec::new()
    }

    /// Steps through the points of the method that is shown, whichever pane has the focus.
    fn step_point(&mut self, forward: bool, times: u32) -> Vec<Effect> {
        let Some(linked) = &self.linked else { return Vec::new() };
        let Some(view) = linked.method.clone() else {
            self.say(Tone::Dim, "choose a method first: 5 shows them");
            return Vec::new();
        };
        // Counted from 1; 0 where none is chosen yet. From the middle of a point, back is its beginning.
        let begins = linked.point.and_then(|index| view.points.get(index)).map_or(0, |point| point.il);
        let is_point = !matches!(linked.selection.place, Place::MethodPart(_, MethodPart::Instruction(il))
                | Place::FunctionPart(_, FunctionPart::CodeAt(il)) if il > begins);
        let at = linked.point.map_or(0, |index| index as u32 + 1 + u32::from(!is_point && !forward));
        let last = view.points.len() as u32;
        // Several steps end at the last point; from there is no further one.
        let to =
            if forward { (at + times).min(last.max(at + 1)) } else { at.saturating_sub(times).max(u32::from(at > 1)) };
        if to == 0 || to > last {
            let text = match (view.points.is_empty(), view.of.is_native()) {
                (true, false) => "this method has no sequence points",
                (true, true) => "this function has no lines",
                (false, false) => "there are no more points",
                (false, true) => "there are no more lines",
            };
            self.say(Tone::Dim, text);
            return Vec::new();
        }
        let place = view.of.point(to);
        if (VIEWS[self.view].shows)(place) {
            self.show(place.into());
        } else {
            self.go(place.into());
        }
        Vec::new()
    }

    fn copy(&mut self, action: Action) -> Vec<Effect> {
        let focus = self.focus();
        let own = self.with_pane(focus, |pane, cx| pane.copy(action, cx)).flatten();
        let Some((session, linked)) = self.session.as_ref().zip(self.linked.as_ref()) else { return Vec::new() };
        let what = action.def().map_or("", |def| def.short);
        vec![match own.or_else(|| copy::text(action, session, linked)) {
            Some(text) => Effect::Copy(what.to_owned(), text),
            None => Effect::Say(Tone::Dim, format!("there is no {what} to copy here")),
        }]
    }

    /// Opens the finder, with a text typed in it; the first time the worker has to collect the names.
    pub(in crate::tui) fn find_anything(&mut self, typed: &str) -> Vec<Effect> {
        let Some(session) = self.session.clone() else { return Vec::new() };
        let names = Arc::clone(&self.names);
        let open = Effect::Open(Box::new(finder::finder(Arc::clone(&names)).typing(typed)));
        if names.get().is_some() {
            return vec![open];
        }
        let collect = Job {
            what: "collecting names".to_owned(),
            slot: "names",
            work: Box::new(move |ticket| {
                let index = session.index(&|done, total| {
                    ticket.progress(done, total);
                    !ticket.cancelled()
                });
                if !ticket.cancelled() {
                    // Whoever came first has collected the same.
                    let _ = names.set(index);
                }
                Box::new(Self::answers_came)
            }),
        };
        vec![open, Effect::Start(collect)]
    }

    /// Lets the layer on top take what the worker found for it.
    pub(in crate::tui) fn answers_came(&mut self) -> Vec<Effect> {
        self.dirty = true;
        self.with_layer(|layer, scene| layer.came(scene))
    }

    /// Says what the selected field is for.
    fn say_about(&mut self) {
        let found = self.linked.as_ref().and_then(|linked| {
            let fields = linked.shown()?;
            let at = linked.selection.part.and_then(|part| fields.at(part));
            let row = at.and_then(|index| fields.rows.get(index)).or_else(|| fields.leaves().next())?;
            (!row.about.is_empty()).then(|| format!("{}: {}", row.name, row.about))
        });
        match found {
            Some(text) => self.say(Tone::Text, text),
            None => self.say(Tone::Dim, "nothing more is known of this"),
        }
    }
}
