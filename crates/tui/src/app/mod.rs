//! The app: its state, and how events change it.
//!
//! Nothing here does I/O: what has to happen outside is a [`Command`] that `App::update` returns, and what takes time a job.

mod actions;
mod compare;
pub mod config;
mod draw;
mod export;
mod files;
mod header;
mod input;
mod layout;
pub mod link;
mod navigation;
pub mod registry;
mod search;
mod show;
mod tabs;
mod teach;
mod thread;
mod why;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use crate::engine::press::Press as TerminalEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::app::config::Config;
use crate::app::files::Files;
use crate::app::layout::PaneLayout;
use crate::app::navigation::Navigation;
use crate::app::registry::{PANES, VIEWS};
use crate::app::search::Search;
use crate::engine::action::Action;
use crate::engine::jobs::Jobs;
use crate::engine::keymap::Keymap;
use crate::engine::program::Program;
use crate::overlays::confirm::Confirm;
use crate::overlays::refused::refused_job;
use crate::overlays::source_search::source_search;
use crate::overlays::{Overlay, OverlayContext, coverage, findings, refused};
use crate::panes::pane::{Context, Facts, Pane, PaneInput};
use crate::panes::player::Learn;
use crate::state::effect::Effect;
pub use crate::state::effect::{Command, Event};
use crate::state::lessons::Lessons;
use crate::state::message::Msg;
use crate::state::paths::Paths;
use crate::state::selection::SelectionContext;
use crate::state::view::{PaneId, View};
use crate::ui::glyphs::{ASCII, Glyphs, UNICODE};
use crate::ui::layout::{ContentSize, Slot};
use crate::ui::theme::{Look, Theme};
use pdblens_learn::lesson::{Progress, Start};
use pdblens_nodes::rows::Tone;
use pdblens_query::process::ThreadsText;
use pdblens_query::quality::RefusedPoint;
use pdblens_session::precompiled::{Precompiled, has_code};
use pdblens_session::recorded::has_instructions;
use pdblens_session::session::{PdbMatch, Session, why_not_read};
use pdblens_session::text::safe::utf8;

/// The theme until the background of the terminal is known: its own sixteen colours are readable on any.
pub(crate) const FALLBACK_THEME: &str = "ansi";
/// Width from which precompiled code is shown without being asked for.
const MACHINE_WIDTH: u16 = 110;

#[derive(Debug, Default)]
pub struct Options {
    /// The files to open; empty for the built-in sample.
    pub files: Vec<PathBuf>,
    /// The first place, in any form that the prompt understands.
    pub at: Option<String>,
    /// Name of the theme; detected where it is `None`.
    pub theme: Option<String>,
    pub no_mouse: bool,
    /// True to show one pane on the whole screen, for a projector.
    pub large: bool,
    /// True in a page of a browser, which reads, writes and starts nothing.
    pub in_page: bool,
    pub paths: Paths,
    /// A file of an older build, which the files are compared with.
    pub compare: Option<PathBuf>,
    pub lessons: Option<Start>,
    /// Threads of a process, to show first.
    pub threads: Option<ThreadsText>,
    pub progress: Progress,
}

#[derive(Debug)]
struct Status {
    tone: Tone,
    text: String,
    /// True until the next key.
    is_new: bool,
}

pub struct App {
    /// The time of the last event.
    pub now: Instant,
    /// True if something has changed since the last frame.
    pub dirty: bool,
    pub theme: Theme,
    themes: Arc<[Theme]>,
    pub mouse: bool,
    in_page: bool,
    files: Files,
    navigation: Navigation,
    layout: PaneLayout,
    jobs: Jobs,
    search: Search,
    lessons: Lessons,
    panes: Vec<Box<dyn Pane>>,
    overlays: Vec<Box<dyn Overlay>>,
    glyphs: Glyphs,
    keymap: Keymap,
    /// The place and the lesson that the command line names, until they are shown.
    first_place: Option<String>,
    first_lesson: Option<Start>,
    first_compared: Option<PathBuf>,
    /// Threads of the process that the command line names.
    threads: Option<ThreadsText>,
    status: Option<Status>,
    /// Events that arrived while the files were being opened.
    typeahead: VecDeque<TerminalEvent>,
    /// Number of the parts left out that the status line has named.
    left_out_count: usize,
}

impl App {
    pub fn new(options: Options, config: Config, theme: Theme, now: Instant) -> (Self, Vec<Command>) {
        let mut app = Self {
            now,
            dirty: true,
            theme,
            themes: config.themes.as_slice().into(),
            mouse: !options.no_mouse && config.mouse,
            in_page: options.in_page,
            layout: PaneLayout::new(options.large, &config),
            files: Files::new(options.files, options.paths, config.recents, now),
            navigation: Navigation::new(),
            jobs: Jobs::default(),
            search: Search::default(),
            lessons: Lessons::new(options.lessons.clone(), options.progress),
            panes: PANES.iter().map(|pane| (pane.new)()).collect(),
            overlays: Vec::new(),
            glyphs: if config.ascii { ASCII } else { UNICODE },
            keymap: config.keymap,
            first_place: options.at,
            first_lesson: options.lessons,
            first_compared: options.compare,
            threads: options.threads,
            status: None,
            typeahead: VecDeque::new(),
            left_out_count: 0,
        };
        if let Some(problem) = config.problems.into_iter().next() {
            app.set_status(Tone::Warn, problem);
        }
        let mut out = Vec::new();
        app.apply(vec![app.files.open(app.first_place.is_some())], &mut out);
        (app, out)
    }

    pub const fn selected(&self) -> Option<&SelectionContext> {
        self.navigation.selected()
    }

    /// The open files; `None` while they are being opened.
    pub const fn session(&self) -> Option<&Arc<Session>> {
        self.files.session()
    }

    /// The jobs that the visible panes need: highlighting first, then their own, and the check of files that do not match, whose
    /// summary has no sentence about it, for header and card have their mark.
    fn request_pane_jobs(&mut self) -> Vec<Effect> {
        let Some(session) = self.files.session().cloned() else { return Vec::new() };
        let placed: Vec<Slot> = self.layout.areas().panes.iter().map(|placed| placed.slot).collect();
        let window = placed.iter().find_map(|slot| self.facts(*slot)?.source_window);
        let mut effects = Vec::from_iter(window.and_then(|window| self.files.request_highlighting(window, &self.jobs)));
        let shown: Vec<PaneId> = placed.into_iter().filter_map(|slot| self.navigation.pane_in(slot)).collect();
        let jobs = shown.iter().filter_map(|pane| self.panes.get_mut(*pane as usize)?.job(&session));
        effects.extend(jobs.map(Effect::Start));
        if self.navigation.view() == View::Summary && session.pdb_match() != PdbMatch::Matched {
            effects.extend(self.files.request_check());
        }
        effects
    }

    /// Slot that precompiled code takes in the Methods view: below the source, or instead of it where there is no room or no symbols.
    fn machine_slot(&self) -> Option<Slot> {
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

    fn toggle_machine(&mut self) {
        if self.files.session().is_none_or(|session| !has_code(session)) {
            return self.set_status(Tone::Dim, "no precompiled code: the image is not ReadyToRun");
        }
        let is_there = self.navigation.view() == View::Methods;
        self.navigation.wants_machine = Some(!is_there || self.navigation.machine.is_none());
        if !is_there {
            self.enter_view(View::Methods);
        }
        self.update_layout();
        self.refresh_panes();
    }

    fn fold_bytes(&mut self) {
        if matches!(self.navigation.focus(), Slot::Bytes | Slot::Fields) {
            self.navigation.set_focus(self.navigation.left());
            if self.layout.is_folded(&self.navigation) {
                return;
            }
        }
        self.layout.toggle_fold(self.navigation.view());
    }

    /// Lays out the panes of the view again, and lets those whose size has changed take theirs.
    fn update_layout(&mut self) {
        let panes = self.navigation.view().def().panes;
        let hidden = self.facts(Slot::Main(0)).map_or(&[][..], |facts| facts.hides);
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
        self.layout.arrange(&self.navigation, slots.clone(), &contents, is_alone);
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

    pub(crate) fn set_status(&mut self, tone: Tone, text: impl Into<String>) {
        self.status = Some(Status { tone, text: text.into(), is_new: true });
        self.dirty = true;
    }

    pub(crate) fn overlay_context(&self) -> OverlayContext<'_> {
        OverlayContext {
            session: self.files.session(),
            paths: self.files.paths(),
            views: VIEWS,
            look: self.look(true),
            keymap: &self.keymap,
            selected: self.navigation.selected(),
            pane: self.navigation.pane_in(self.navigation.focus()),
            found: &self.search.found,
            taught: self.taught(),
            hides_answers: self.hides_answers(),
            screen: Rect::from((Position::ORIGIN, self.layout.size())),
        }
    }

    fn look(&self, focused: bool) -> Look<'_> {
        Look { theme: &self.theme, glyphs: &self.glyphs, focused, line: 0 }
    }

    /// Calls a function with the pane in a slot and its context, once files are open.
    fn with_pane<T>(&mut self, slot: Slot, ask: impl FnOnce(&mut dyn Pane, &Context<'_>) -> T) -> Option<T> {
        let index = self.navigation.pane_in(slot)?;
        let focused = slot == self.navigation.focus() && self.overlays.is_empty();
        // The context borrows all of the app but the panes.
        let mut panes = std::mem::take(&mut self.panes);
        let answer = self.context(focused).map(|cx| ask(panes[index as usize].as_mut(), &cx));
        self.panes = panes;
        answer
    }

    /// Passes input to the pane in a slot; `None` where the pane leaves it to the app.
    fn tell(&mut self, slot: Slot, input: PaneInput) -> Option<Vec<Effect>> {
        self.with_pane(slot, |pane, cx| pane.take(input, cx)).flatten()
    }

    /// Pastes text into the pane in a slot; `None` where the pane has no use for it.
    fn paste_into(&mut self, slot: Slot, text: &str) -> Option<Vec<Effect>> {
        let paste = |pane: &mut dyn Pane, cx: &Context<'_>| {
            pane.take(PaneInput::Do(Action::PasteTrace), &Context { pasted: Some(text), ..*cx })
        };
        self.with_pane(slot, paste).flatten()
    }

    fn with_player<T>(&mut self, slot: Slot, ask: impl FnOnce(&mut Learn, &Context<'_>) -> T) -> Option<T> {
        self.with_pane(slot, |pane, cx| Some(ask(pane.player_mut()?, cx))).flatten()
    }

    fn player_in(&self, slot: Slot) -> Option<&Learn> {
        self.panes.get(self.navigation.pane_in(slot)? as usize)?.player()
    }

    fn facts(&self, slot: Slot) -> Option<Facts> {
        let pane = self.panes.get(self.navigation.pane_in(slot)? as usize)?;
        Some(pane.facts(&self.context(slot == self.navigation.focus())?))
    }

    /// The context of a pane; `None` until files are open.
    fn context(&self, focused: bool) -> Option<Context<'_>> {
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

    /// Applies effects; commands to the world outside are collected in `out`.
    fn apply(&mut self, effects: Vec<Effect>, out: &mut Vec<Command>) {
        for effect in effects {
            // Looking at the files shows nothing.
            self.dirty |= !matches!(&effect, Effect::Start(job) if job.slot == files::WATCH);
            match effect {
                Effect::Dispatch(action) => {
                    let more = self.perform(action);
                    self.apply(more, out);
                }
                Effect::Update(message) => {
                    let more = self.receive(*message);
                    self.apply(more, out);
                }
                Effect::Go(selection) => self.go(selection),
                Effect::Show(selection) => self.show(selection),
                Effect::Focus(slot) => {
                    self.navigation.set_focus(slot);
                    self.update_layout();
                }
                Effect::Visit(session, selection) => {
                    if self.navigation.view() == View::Learn
                        && let Some(open) = self.files.session()
                    {
                        self.lessons.leave(Arc::clone(open));
                    }
                    self.visit(session, selection);
                }
                Effect::SetStatus(tone, text) => self.set_status(tone, text),
                Effect::Search(input) => self.take_search_input(input),
                Effect::Open(overlay) => self.overlays.push(overlay),
                Effect::Start(job) => out.push(Command::Start(self.jobs.start(job, self.now))),
                Effect::Command(command) => out.push(command),
            }
        }
    }

    pub(super) fn open_overlay(&mut self, overlay: impl Overlay + 'static) {
        self.dirty = true;
        self.overlays.push(Box::new(overlay));
    }

    fn list_refused(&mut self, found: Vec<RefusedPoint>, within: &str) -> Vec<Effect> {
        self.open_overlay(refused::refused(found).typing(within));
        // To the first point, below the name of its method.
        vec![Effect::Dispatch(Action::Down)]
    }

    fn receive(&mut self, message: Msg) -> Vec<Effect> {
        self.dirty |= !matches!(message, Msg::FilesSeen(..));
        match message {
            Msg::Opened(opened) => return self.take_opened(opened),
            Msg::FileOpened(opened) => return self.take_file(opened),
            Msg::MismatchOpened(pair, path) => self.open_overlay(files::mismatch_question(*pair, path)),
            Msg::OperandFollowed(to) => return vec![self.files.opened.follow_operand(to)],
            Msg::OpenFileChosen(session) => self.switch_to(session),
            Msg::UnitChosen(unit, at) => {
                self.first_place = at.map(|at| at.to_string()).or(self.first_place.take());
                return self.files.open_unit(unit);
            }
            Msg::ContainerListed(paths, Ok(units)) => return self.files.list_container(&paths, units),
            Msg::ContainerListed(_, Err(error)) => self.set_status(Tone::Bad, error.to_string()),
            Msg::SymbolsSearched(found) => return self.take_symbols(found),
            Msg::SymbolsNamed(opened) => return self.take_named_symbols(opened),
            Msg::LazyIndexBuilt => self.reselect(),
            Msg::FunctionsRead => self.show_late_home(),
            Msg::SourceRead(document, text) => {
                self.files.texts_mut().insert(document, text);
                self.refresh_panes();
            }
            Msg::Highlighted(document, text, highlighter) => {
                self.files.texts_mut().set_highlighting(document, &text, highlighter);
            }
            Msg::DocumentInfoRead(document, info) => {
                self.files.texts_mut().info.insert(document, info);
                self.refresh_panes();
            }
            Msg::SourcePathChecked(Ok(path)) => return self.files.add_source_path(path),
            Msg::SymbolPathChecked(Ok(path)) => return vec![self.files.confirm_symbol_path(path)],
            Msg::SourcePathChecked(Err(why)) | Msg::SymbolPathChecked(Err(why)) => self.set_status(Tone::Bad, why),
            Msg::SymbolPathConfirmed(path) => return self.files.add_symbol_path(path),
            Msg::SourcesWanted(documents) => return self.files.fetch_sources(&documents, self.navigation.document()),
            Msg::ExtractWanted => return self.files.ask_for_extraction(),
            Msg::HostsConfirmed(hosts, urls) => return vec![self.files.allow_hosts(hosts, urls)],
            Msg::SourcesFetched(found) => return self.files.take_fetched(found),
            Msg::Reported(tone, text) => self.set_status(tone, text),
            Msg::TraceResolved(gained) => {
                self.show_pane_result();
                self.set_status(Tone::Text, gained);
            }
            Msg::TraceFileRead(_, Ok(bytes)) => self.show_pasted(View::Trace, &utf8(&bytes)),
            Msg::TraceFileRead(path, Err(e)) => self.set_status(Tone::Bad, format!("{path}: {}", why_not_read(&e))),
            Msg::ThreadsRead(Ok(text)) => self.show_threads(text),
            Msg::ThreadsRead(Err(why)) => self.set_status(Tone::Bad, why.text),
            Msg::ChainFollowed(session, steps) => self.take_chain(&session, steps.map(|steps| *steps)),
            Msg::FilesSeen(session, stamps) => return self.files.take_stamps(&session, stamps),
            Msg::CompareWith(opened, after) => return self.take_compared(opened, after),
            Msg::FilesReread(opened) => self.take_reread(opened),
            Msg::Marked(sets, letter) => return self.take_mark(sets, letter),
            Msg::PaneReady => self.show_pane_result(),
            Msg::ListSorted => self.show_order(),
            Msg::OverlayReady => return self.finish_overlay_jobs(),
            message => return self.receive_answer(message),
        }
        Vec::new()
    }

    /// Takes what an overlay has answered, and lists that open one.
    fn receive_answer(&mut self, message: Msg) -> Vec<Effect> {
        match message {
            Msg::ThemeChosen(name) => self.theme = self.theme.changed_to(&name, &self.themes),
            Msg::ThemeKept(name) => return vec![self.layout.keep_theme(&name)],
            Msg::FindingsListed(found) => self.open_overlay(findings::findings(found)),
            Msg::RefusedListed(found, within) => return self.list_refused(found, &within),
            Msg::RefusedWanted(within) => {
                return self.files.session().cloned().map(|session| refused_job(session, within)).into_iter().collect();
            }
            Msg::VerdictKnown(title, text, within) => {
                let (yes, wanted) = ("list refused points", Msg::RefusedWanted(within));
                self.open_overlay(Confirm::new(title, text, yes, wanted).or("close", Vec::new()));
            }
            Msg::TextSought(text) => {
                self.open_overlay(source_search(Arc::clone(self.files.paths())).typing(&text));
                return self.with_overlay(|overlay, cx| overlay.changed(cx));
            }
            Msg::PathTyped(path) => return vec![self.files.open_path(path)],
            Msg::CoverageCounted(Some(found)) => self.open_overlay(coverage::coverage(Arc::new(found))),
            Msg::RestartWanted(key) => return self.ask_to_restart(&key),
            Msg::RestartConfirmed(key) => return self.restart_lesson(&key),
            Msg::QuitConfirmed => return self.perform_own(Action::Quit),
            _ => {}
        }
        Vec::new()
    }

    /// Gives the overlays their results. The overlay that started a job may be below another one.
    fn finish_overlay_jobs(&mut self) -> Vec<Effect> {
        let mut overlays = std::mem::take(&mut self.overlays);
        let cx = self.overlay_context();
        let effects = overlays.iter_mut().flat_map(|overlay| overlay.job_finished(&cx)).collect();
        self.overlays = overlays;
        effects
    }

    fn take_mark(&mut self, sets: bool, letter: char) -> Vec<Effect> {
        self.navigation.take_mark(sets, letter, self.files.session()).into_iter().collect()
    }

    /// Says what a job had to leave out, when it is new: the list of findings has it from then on.
    fn report_left_out(&mut self) {
        let left_out = self.files.session().map_or_else(Vec::new, |session| session.spaces().budget().left_out());
        if let Some(part) = left_out.get(self.left_out_count..).and_then(<[_]>::last) {
            self.set_status(Tone::Warn, part.to_string());
        }
        self.left_out_count = left_out.len();
    }
}

impl Program for App {
    type Message = Msg;

    fn update(&mut self, event: Event) -> Vec<Command> {
        let mut out = Vec::new();
        let effects = match event {
            Event::Terminal(event) => self.terminal_event(event),
            Event::Done(job) => match self.jobs.finish(job) {
                Some(Ok(message)) => {
                    let effects = self.receive(message);
                    self.report_left_out();
                    effects
                }
                Some(Err(panic)) => vec![Effect::SetStatus(Tone::Bad, format!("internal error: {panic}"))],
                None => return out,
            },
            Event::Resumed => vec![Command::Redraw.into()],
            Event::Ending => self.leave_files().into_iter().collect(),
            Event::Tick => {
                self.dirty |= self.jobs.deadline(self.now).is_some();
                Vec::new()
            }
        };
        self.apply(effects, &mut out);
        while self.files.session().is_some()
            && let Some(event) = self.typeahead.pop_front()
        {
            let effects = self.terminal_event(event);
            self.apply(effects, &mut out);
        }
        self.take_search_results();
        let effects = self.files.requests(self.navigation.selected(), &self.jobs, self.now);
        self.apply(effects, &mut out);
        self.update_layout();
        let mut effects = self.request_pane_jobs();
        effects.extend(self.request_search());
        self.apply(effects, &mut out);
        out
    }

    fn draw(&self, buf: &mut Buffer) -> Option<Position> {
        self.draw_screen(buf)
    }

    fn resize(&mut self, size: Size) {
        self.layout.resize(size);
        self.dirty = true;
        self.update_layout();
    }

    fn set_now(&mut self, now: Instant) {
        self.now = now;
    }

    fn deadline(&self) -> Option<Instant> {
        [self.jobs.deadline(self.now), self.files.watch.next_look(self.files.session(), &self.jobs)]
            .into_iter()
            .flatten()
            .min()
    }

    fn is_dirty(&self) -> bool {
        self.dirty
    }

    fn set_dirty(&mut self, dirty: bool) {
        self.dirty = dirty;
    }

    fn is_loaded(&self) -> bool {
        self.files.session().is_some()
    }

    fn set_status(&mut self, tone: Tone, text: String) {
        self.set_status(tone, text);
    }

    fn set_background(&mut self, light: bool) {
        // The user may have chosen a theme before.
        if &*self.theme.name == FALLBACK_THEME {
            self.theme = self.theme.changed_to(if light { "light" } else { "dark" }, &self.themes);
            self.dirty = true;
        }
    }
}
