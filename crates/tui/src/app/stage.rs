//! The stage: the panes of the view, with what they show of the open files. The app passes it keys, results and effects.

use ratatui::layout::{Position, Rect};

use crate::app::files::Files;
use crate::app::layout::PaneLayout;
use crate::app::navigation::{HistoryEntry, Navigation};
use crate::app::registry::VIEWS;
use crate::engine::action::Action;
use crate::engine::editor::SourceLine;
use crate::engine::jobs::Jobs;
use crate::engine::keymap::Keymap;
use crate::overlays::{Overlay, OverlayContext};
use crate::panes::list_pane::ListPane;
use crate::panes::pane::{Context, Facts, Pane, PaneInput};
use crate::panes::player::Learn;
use crate::state::effect::Effect;
use crate::state::lessons::Lessons;
use crate::state::message::Msg;
use crate::state::selection::{Selection, Taught};
use crate::state::texts::TextState;
use crate::state::view::{PaneId, View, view_of};
use crate::ui::card;
use crate::ui::glyphs::Glyphs;
use crate::ui::layout::{ContentSize, Slot};
use crate::ui::list_filter::{SearchMode, SearchResults};
use crate::ui::scroll::Scroll;
use crate::ui::theme::{Look, Theme};
use pdblens_learn::Link;
use pdblens_nodes::rows::Tone;
use pdblens_nodes::{self as nodes, MethodPart, Place, document};
use pdblens_session::precompiled::{Precompiled, has_code};
use pdblens_session::recorded::has_instructions;
use pdblens_session::session::Session;
use pdblens_session::source::Origin;

/// The digit that leads back to the lesson that is taken.
pub(super) const LESSON: Action = Action::View(View::Learn.number());
/// Width from which precompiled code is shown without being asked for.
const MACHINE_WIDTH: u16 = 110;

#[derive(Debug)]
pub(super) struct Status {
    pub(super) tone: Tone,
    pub(super) text: String,
    /// True until the next key.
    pub(super) is_new: bool,
}

pub struct Stage {
    /// True if something has changed since the last frame.
    pub dirty: bool,
    pub theme: Theme,
    pub(super) files: Files,
    pub(super) navigation: Navigation,
    pub(super) layout: PaneLayout,
    pub(super) lessons: Lessons,
    pub(super) panes: Vec<Box<dyn Pane>>,
    pub(super) glyphs: Glyphs,
    pub(super) keymap: Keymap,
    pub(super) status: Option<Status>,
    pub(super) overlays: Vec<Box<dyn Overlay>>,
    /// Number of matches of the search so far, in words.
    pub(super) found: String,
}

impl Stage {
    /// The link to what is shown; `None` until files are open.
    pub fn link(&self) -> Option<Link> {
        let cx = self.context(true)?;
        let player = self.player_in(Slot::Main(0)).filter(|_| self.navigation.view() == View::Learn);
        player.and_then(|player| player.link(&cx)).or_else(|| {
            let place = cx.selected.selection.place.to_string();
            Some(Link::At { place, step: None, sample: cx.session.is_sample() })
        })
    }

    pub(super) fn set_status(&mut self, tone: Tone, text: impl Into<String>) {
        self.status = Some(Status { tone, text: text.into(), is_new: true });
        self.dirty = true;
    }

    /// Slot that precompiled code takes in the Methods view: below the source, or instead of it where there is no room or no symbols.
    pub(super) fn machine_slot(&self) -> Option<Slot> {
        let session = self.files.session().filter(|session| has_code(session))?;
        let is_wide = self.layout.size().width >= MACHINE_WIDTH;
        let has_instructions = || Precompiled::of(session).is_some() || has_instructions(session);
        let is_shown = || is_wide && has_instructions();
        let is_wanted =
            self.navigation.view() == View::Methods && self.navigation.wants_machine.unwrap_or_else(is_shown);
        if !is_wanted {
            return None;
        }
        Some(if is_wide && session.symbols().is_some() { Slot::Below } else { Slot::Side })
    }

    /// Lays out the panes of the view again, and lets those whose size has changed take theirs.
    pub(super) fn update_layout(&mut self) {
        let panes = self.navigation.view().def().panes;
        let main = self.facts(Slot::Main(0)).unwrap_or_default();
        let hidden = main.hides;
        self.navigation.machine = self.machine_slot();
        let is_shown = |(_, id): &&(Slot, PaneId)| !hidden.contains(id);
        let slots: Vec<Slot> = panes.iter().filter(is_shown).map(|(slot, _)| *slot).collect();
        if !slots.contains(&self.navigation.focus()) {
            self.navigation.set_focus(Slot::Main(0));
        }
        // Machine code needs the room that long names in the navigation would take.
        let is_measured = |slot: &&Slot| **slot != Slot::Nav || self.navigation.machine.is_none();
        let contents: Vec<(Slot, ContentSize)> = slots
            .iter()
            .filter(is_measured)
            .filter_map(|slot| Some((*slot, self.facts(*slot)?.content_size)))
            .collect();
        let is_alone = self.player_in(self.navigation.focus()).is_some_and(Learn::is_alone);
        self.layout.arrange(
            &self.navigation,
            slots.clone(),
            &contents,
            card::lines(&main.card, self.layout.size().width).len() as u16,
            is_alone,
        );
        if self.navigation.selected().is_none() {
            return;
        }
        for slot in slots {
            let Some(index) = self.navigation.pane_in(slot) else { continue };
            if let Some(size) = self.layout.changed_size(slot, index) {
                self.tell(slot, PaneInput::Resize(size));
            }
        }
    }

    pub(super) fn look(&self, focused: bool) -> Look<'_> {
        Look { theme: &self.theme, glyphs: &self.glyphs, focused, line: 0 }
    }

    /// Calls a function with the pane in a slot and its context, once files are open.
    pub(super) fn with_pane<T>(&mut self, slot: Slot, ask: impl FnOnce(&mut dyn Pane, &Context<'_>) -> T) -> Option<T> {
        let index = self.navigation.pane_in(slot)?;
        let focused = slot == self.navigation.focus() && self.overlays.is_empty();
        // The context borrows all of the app but the panes.
        let mut panes = std::mem::take(&mut self.panes);
        let answer = self.context(focused).map(|cx| ask(panes[index as usize].as_mut(), &cx));
        self.panes = panes;
        answer
    }

    /// Passes input to the pane in a slot; `None` where the pane leaves it to the app.
    pub(super) fn tell(&mut self, slot: Slot, input: PaneInput) -> Option<Vec<Effect>> {
        self.with_pane(slot, |pane, cx| pane.take(input, cx)).flatten()
    }

    /// Pastes text into the pane in a slot; `None` where the pane has no use for it.
    pub(super) fn paste_into(&mut self, slot: Slot, text: &str) -> Option<Vec<Effect>> {
        let paste = |pane: &mut dyn Pane, cx: &Context<'_>| {
            pane.take(PaneInput::Do(Action::PasteTrace), &Context { pasted: Some(text), ..*cx })
        };
        self.with_pane(slot, paste).flatten()
    }

    pub(super) fn with_player<T>(&mut self, slot: Slot, ask: impl FnOnce(&mut Learn, &Context<'_>) -> T) -> Option<T> {
        self.with_pane(slot, |pane, cx| Some(ask(pane.player_mut()?, cx))).flatten()
    }

    pub(super) fn pane_in(&self, slot: Slot) -> Option<&dyn Pane> {
        Some(self.panes.get(self.navigation.pane_in(slot)? as usize)?.as_ref())
    }

    pub(super) fn player_in(&self, slot: Slot) -> Option<&Learn> {
        self.pane_in(slot)?.player()
    }

    pub(super) fn facts(&self, slot: Slot) -> Option<Facts> {
        Some(self.pane_in(slot)?.facts(&self.context(slot == self.navigation.focus())?))
    }

    /// The context of a pane; `None` until files are open.
    pub(super) fn context(&self, focused: bool) -> Option<Context<'_>> {
        Some(Context {
            session: self.files.session()?,
            view: self.navigation.view().def(),
            views: VIEWS,
            look: self.look(focused),
            selected: self.navigation.selected()?,
            texts: self.files.texts(),
            paths: self.files.paths(),
            lessons: &self.lessons,
            compared: self.files.compared(),
            other_build: self.files.opened.other_build(),
            zoomed: self.layout.is_zoomed(),
            placed: &self.layout.areas().panes,
            keymap: &self.keymap,
            pasted: None,
        })
    }

    pub(super) fn fold_bytes(&mut self) {
        if matches!(self.navigation.focus(), Slot::Bytes | Slot::Fields) {
            self.navigation.set_focus(self.navigation.left());
            if self.layout.is_folded(&self.navigation) {
                return;
            }
        }
        self.layout.toggle_fold(self.navigation.view());
    }

    pub(super) fn show_home(&mut self) {
        let Some(session) = self.files.session() else { return self.update_layout() };
        let home = (self.navigation.view().def().home)(session);
        self.navigation.focus_owner(home);
        self.update_layout();
        self.show(home.into());
    }

    pub(super) fn show_or_home(&mut self, selection: Option<Selection>) {
        let Some(selection) = selection else { return self.show_home() };
        self.update_layout();
        self.show(selection);
    }

    /// Selects a place, and shows it in all panes of the view.
    pub(super) fn show(&mut self, selection: Selection) {
        self.select(selection);
        for (slot, _) in self.navigation.view().def().panes {
            self.with_pane(*slot, Pane::show_selection);
        }
    }

    /// Lets all panes of the view take new results. A pane whose cursor stays keeps its scroll position.
    pub(super) fn refresh_panes(&mut self) {
        self.dirty = true;
        for (slot, _) in self.navigation.view().def().panes {
            self.with_pane(*slot, |pane, cx| {
                let before = pane.list().map(|list| list.grid().scroll);
                pane.show_selection(cx);
                if let (Some(before), Some(list)) = (before, pane.list_mut()) {
                    let scroll = &mut list.grid_mut().scroll;
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
            let all = self.files.session().map_or(selection, |session| with_all_points(session, selection));
            if all == selection {
                return;
            }
            selection = all;
        }
        if self.navigation.selection() == Some(selection) {
            return;
        }
        self.select(selection);
        for (slot, _) in self.navigation.view().def().panes.iter().filter(|(slot, _)| *slot != focus) {
            self.with_pane(*slot, Pane::show_selection);
        }
    }

    pub(super) fn select(&mut self, selection: Selection) {
        self.dirty = true;
        if let Some(session) = self.files.session() {
            self.navigation.select(selection, session);
        }
    }

    /// Selects the same again, after an index was built: more is known of it now.
    pub(super) fn reselect(&mut self) {
        if let Some(selection) = self.navigation.selection() {
            self.select(selection);
        }
        self.refresh_panes();
        if self.navigation.focused() == Some(PaneId::Bytes) {
            self.sync_selection();
        }
    }

    /// Shows a selection in the first pane of another view; the history leads back.
    pub(super) fn show_in(&mut self, view: View, selection: Selection) {
        self.navigation.push_history(self.files.session());
        self.navigation.take_forward();
        self.navigation.set_view(view);
        self.layout.reset_zoom();
        self.navigation.set_focus(Slot::Main(0));
        self.update_layout();
        self.show(selection);
    }

    pub(super) fn show_order(&mut self) {
        self.refresh_panes();
        self.sync_selection();
    }

    /// Shows the home of the view, once the functions it depends on are read.
    pub(super) fn show_late_home(&mut self) {
        if self.navigation.selection().is_some_and(|here| here.place == Place::Functions) {
            self.show_home();
        }
        self.refresh_panes();
    }

    /// Shows what a job has found, and the selection that comes with it.
    pub(super) fn show_pane_result(&mut self) {
        let is_in_list = self.navigation.focus() == Slot::Main(0);
        let view = self.navigation.view();
        if view == View::Sources && is_in_list {
            // The cursor of the source stays where it is in a statement of several lines.
            for slot in [Slot::Nav, Slot::Main(1)] {
                self.with_pane(slot, Pane::show_selection);
            }
        } else {
            self.refresh_panes();
        }
        if view == View::Learn || matches!(view, View::Trace | View::Compare | View::UsedBy) && is_in_list {
            self.sync_selection();
        }
    }

    pub(super) fn show_entry(&mut self, entry: &HistoryEntry) {
        self.navigation.set_view(entry.view);
        self.navigation.set_focus(entry.focus);
        self.update_layout();
        self.show(entry.selection);
        self.reveal_selection();
    }

    /// Shows a place, in its view, and adds the present one to the history.
    pub(super) fn go(&mut self, selection: Selection) {
        self.navigation.push_history(self.files.session());
        let forward = self.navigation.take_forward();
        if !(self.navigation.view().def().shows)(selection.place)
            && let Some(view) = view_of(VIEWS, selection.place)
        {
            self.navigation.set_view(view);
        }
        if matches!(selection.place, Place::MethodPart(_, MethodPart::Native | MethodPart::NativeAt(_))) {
            self.navigation.wants_machine = Some(true);
            self.update_layout();
        }
        self.navigation.focus_owner(selection.place);
        self.update_layout();
        self.show(selection);
        self.reveal_selection();
        self.navigation.drop_empty_step(self.files.session(), forward);
    }

    /// Record that the focused pane teaches, where it is not the selection.
    pub(super) fn taught(&self) -> Option<Taught> {
        self.player_in(self.navigation.focus())?.taught()
    }

    /// The file of the selection's document with the selected line; the error is a sentence.
    pub(super) fn selected_line(&self) -> Result<SourceLine, String> {
        let selected = self.navigation.selected();
        let Some((selected, document)) = selected.and_then(|selected| Some((selected, selected.document?))) else {
            let is_frame = selected.is_some_and(|selected| selected.selection.place == Place::Trace);
            let reason = if is_frame {
                "no source is known for this line of the trace: Enter says why"
            } else {
                "select a document, a point or a frame first: its source is opened"
            };
            return Err(reason.to_owned());
        };
        let folder_key = self.key_of(Action::Symbols);
        let name = || self.files.session().and_then(|session| document::name(session, document)).unwrap_or_default();
        match self.files.texts().get(document) {
            Some(TextState::Found(text)) => match &text.from {
                Origin::File(path) => {
                    let lines = selected.lines;
                    let column = lines.and_then(|lines| lines.columns).map_or(1, |(start, _)| start);
                    Ok(SourceLine { path: path.clone(), line: lines.map_or(1, |lines| lines.start), column })
                }
                from => Err(format!(
                    "this text is not a file on this machine ({}): {folder_key} says where to look",
                    from.name()
                )),
            },
            Some(TextState::NotFound(_)) => Err(format!("{} was not found: {folder_key} says where to look", name())),
            Some(TextState::Loading) | None => Err("the source is still being read".to_owned()),
        }
    }

    pub(super) fn hides_answers(&self) -> bool {
        self.player_in(Slot::Main(0)).is_some_and(Learn::hides_answers)
    }

    /// The text of the row under the cursor of the focused list in `area`, where a line of some room has it; `true` for a row that is cut.
    pub(super) fn text_of_row(&self, area: Rect, line: (bool, usize)) -> Option<String> {
        let cx = self.context(true)?;
        let list = self.pane_in(self.navigation.focus())?.list()?;
        list.grid().line_text(&list.drawn(&cx)?, area, &cx.look, line)
    }

    /// The slot whose list is sorted: the focused one, else the functions beside it.
    pub(super) fn slot_to_sort(&self) -> Option<Slot> {
        let is_code = self.navigation.view() == View::Methods;
        let slots = [Some(self.navigation.focus()), is_code.then_some(Slot::Nav)];
        slots.into_iter().flatten().find(|slot| self.facts(*slot).is_some_and(|facts| facts.sorts))
    }

    pub(super) fn with_list<T>(&mut self, slot: Slot, ask: impl FnOnce(&mut ListPane, &Context<'_>) -> T) -> Option<T> {
        self.with_pane(slot, |pane, cx| Some(ask(pane.list_mut()?, cx))).flatten()
    }

    /// Removes find and filter of a pane; false where there were none.
    pub(super) fn clear_in(&mut self, slot: Slot) -> bool {
        let done = self.with_list(slot, |list, cx| {
            let list_filter = &mut list.grid_mut().list_filter;
            let any = list_filter.find.take().is_some() | list_filter.filter.take().is_some();
            if any {
                list.apply_filter(true, cx);
            }
            any
        });
        done == Some(true)
    }

    /// Removes find and filter of all panes of the view: a filter ends with the digit that leaves its list.
    pub(super) fn end_searches(&mut self) {
        for (slot, _) in self.navigation.view().def().panes {
            self.clear_in(*slot);
        }
    }

    pub(super) fn request_searches(&mut self, jobs: &Jobs) -> Vec<Effect> {
        let Some(session) = self.files.session().cloned() else { return Vec::new() };
        let shown: Vec<Slot> = self.layout.areas().panes.iter().map(|placed| placed.slot).collect();
        let mut wanted = Vec::new();
        for (slot, mode) in
            shown.into_iter().flat_map(|slot| [SearchMode::Find, SearchMode::Filter].map(|mode| (slot, mode)))
        {
            let busy = jobs.is_running(mode.slot());
            let effect = self.with_list(slot, |list, cx| {
                // A scan that was stopped waits until the one in its place has ended.
                let hits =
                    list.grid().list_filter.results(mode).filter(|hits| hits.is_idle() && !(hits.requested && busy))?;
                let job = hits.job(mode, &session, list.row_source(cx)?, Msg::Redraw);
                list.grid_mut().list_filter.mark_requested(mode);
                Some(Effect::Start(job))
            });
            wanted.extend(effect.flatten());
        }
        wanted
    }

    pub(super) fn stop_search(&mut self) {
        for list in self.panes.iter().filter_map(|pane| pane.list()) {
            [SearchMode::Find, SearchMode::Filter]
                .iter()
                .filter_map(|mode| list.grid().list_filter.results(*mode))
                .for_each(SearchResults::stop);
        }
    }

    /// Removes the filter of the focused pane where it hides the selection.
    pub(super) fn reveal_selection(&mut self) {
        let slot = self.navigation.focus();
        let Some(place) = self.navigation.selected().map(|selected| selected.selection.place) else { return };
        let hides = self.with_pane(slot, |pane, cx| {
            let filtered = pane.list().is_some_and(|list| list.grid().list_filter.remaining().is_some());
            filtered && pane.selection(cx).is_none_or(|selection| selection.place != place)
        });
        if hides == Some(true) {
            self.with_list(slot, |list, cx| {
                list.grid_mut().list_filter.filter = None;
                list.apply_filter(true, cx);
                list.grid_mut().list_filter.restart_find(0);
            });
            self.with_pane(slot, Pane::show_selection);
        }
    }

    pub(super) fn key_of(&self, action: Action) -> String {
        self.keymap.keys_of(action, self.place()).map_or_else(String::new, |key| key.display(self.glyphs.ascii))
    }

    /// The keymap scope: the overlay on top, or the focused pane.
    pub(super) fn place(&self) -> &'static str {
        match self.overlays.last() {
            Some(overlay) => overlay.keymap_name(),
            None => self.navigation.focused().map_or("", |pane| pane.def().name),
        }
    }

    /// Returns true if keys are text: for the overlay on top, else for the focused pane.
    pub(super) fn is_typing(&self) -> bool {
        match self.overlays.last() {
            Some(overlay) => overlay.takes_text(),
            None => self.player_in(self.navigation.focus()).is_some_and(Learn::takes_text),
        }
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

    pub(super) fn open_overlay(&mut self, overlay: impl Overlay + 'static) {
        self.dirty = true;
        self.overlays.push(Box::new(overlay));
    }

    pub(super) fn overlay_context(&self) -> OverlayContext<'_> {
        OverlayContext {
            session: self.files.session(),
            paths: self.files.paths(),
            views: VIEWS,
            look: self.look(true),
            keymap: &self.keymap,
            selected: self.navigation.selected(),
            pane: self.navigation.focused(),
            found: &self.found,
            taught: self.taught(),
            hides_answers: self.hides_answers(),
            screen: Rect::from((Position::ORIGIN, self.layout.size())),
        }
    }

    /// Gives the overlays their results. The overlay that started a job may be below another one.
    pub(super) fn finish_overlay_jobs(&mut self) -> Vec<Effect> {
        let mut overlays = std::mem::take(&mut self.overlays);
        let cx = self.overlay_context();
        let effects = overlays.iter_mut().flat_map(|overlay| overlay.job_finished(&cx)).collect();
        self.overlays = overlays;
        effects
    }
}

/// A point as a part of all points of its method; any other selection as it is.
pub(super) fn with_all_points(session: &Session, selection: Selection) -> Selection {
    let Place::MethodPart(method, MethodPart::Point(_)) = selection.place else { return selection };
    let part = selection.part.or_else(|| nodes::bytes(session, selection.place));
    Selection { place: Place::MethodPart(method, MethodPart::Points), part }
}
