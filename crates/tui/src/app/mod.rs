//! The app: its state, and how events change it.
//!
//! Nothing here does I/O: what has to happen outside is a [`Command`] that [`App::update`] returns, and what takes time a job.

mod actions;
mod background;
pub mod config;
mod draw;
mod editor;
mod effects;
mod export;
mod files;
mod header;
mod hints;
mod keys;
mod layout;
mod messages;
mod mouse;
mod navigation;
mod open;
mod player;
mod program;
mod recents;
pub mod registry;
mod reload;
mod search;
mod show;
mod sources;
mod symbols;
mod teach;
mod thread;

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::Event as TerminalEvent;
use ratatui::layout::{Position, Rect, Size};

use crate::app::config::Config;
use crate::app::layout::PaneLayout;
use crate::app::navigation::Navigation;
use crate::app::recents::Recent;
use crate::app::registry::{PANES, VIEWS};
use crate::engine::jobs::{JobHandle, Jobs};
use crate::engine::key::Key;
use crate::engine::keymap::Keymap;
use crate::overlays::finder::Names;
use crate::overlays::{Overlay, OverlayContext};
use crate::panes::pane::{Context, Facts, Pane, Player};
use crate::state::effect::Effect;
pub use crate::state::effect::{Command, Event};
use crate::state::lessons::Lessons;
use crate::state::paths::{Paths, names_of};
use crate::state::selection::SelectionContext;
use crate::state::texts::Texts;
use crate::state::view::View;
use crate::ui::glyphs::{ASCII, Glyphs, UNICODE};
use crate::ui::layout::{ContentSize, Slot, WidthClass};
use crate::ui::theme::{Look, Theme};
use pdblens_learn::lesson::{Progress, Start};
use pdblens_nodes::rows::Tone;
use pdblens_session::session::Session;

/// The time that a message stays in the status line.
const STATUS_DURATION: Duration = Duration::from_secs(4);
/// The delay after which the continuations of a sequence are shown.
const WHICH_KEY_DELAY: Duration = Duration::from_millis(400);
/// Slot of the job that opens the files.
const OPEN_SLOT: &str = "open";
/// The theme until the background of the terminal is known: its own sixteen colours are readable on any.
pub(crate) const FALLBACK_THEME: &str = "ansi";
/// The number of events kept while the files are being opened.
const MAX_TYPEAHEAD: usize = 1000;

/// Options from the command line.
#[derive(Debug, Default)]
pub struct Options {
    /// The files to open; empty for the built-in sample.
    pub files: Vec<PathBuf>,
    /// The first place, in any form that the prompt understands.
    pub at: Option<String>,
    /// Name of the theme; detected where it is `None`.
    pub theme: Option<String>,
    /// True not to capture the mouse.
    pub no_mouse: bool,
    /// True to show one pane on the whole screen, for a projector.
    pub large: bool,
    /// Search paths for sources and symbols.
    pub paths: Paths,
    /// Lessons to begin with.
    pub lessons: Option<Start>,
    /// The learner's progress.
    pub progress: Progress,
}

/// The message in the status line.
#[derive(Debug)]
struct Status {
    tone: Tone,
    text: String,
    until: Instant,
}

/// The state of the screens: open files, views, overlays, jobs, history.
#[allow(missing_docs)]
pub struct App {
    /// The open files; `None` while they are being opened.
    pub session: Option<Arc<Session>>,
    /// The time of the last event.
    pub now: Instant,
    /// True if something has changed since the last frame.
    pub dirty: bool,
    pub keymap: Keymap,
    pub theme: Theme,
    /// True if the mouse is captured.
    pub mouse: bool,
    /// The text of the last find.
    pub last_search: String,
    /// The search line that is open, and the pending move of the cursor.
    active_search: Option<search::ActiveSearch>,
    goal: Option<search::CursorGoal>,
    /// Summary of the matches, for the search line.
    found: String,
    options: Options,
    glyphs: Glyphs,
    panes: Vec<Box<dyn Pane>>,
    navigation: Navigation,
    layout: PaneLayout,
    overlays: Vec<Box<dyn Overlay>>,
    /// The pairs that are open, the shown one last once another is opened.
    opened: Vec<Arc<Session>>,
    /// Folders and containers whose files were listed, those that were named together in one entry; the last one first.
    containers: Vec<Vec<PathBuf>>,
    /// Files that were opened before; `None` where they are not kept.
    recents: Option<Vec<Recent>>,
    /// The job that builds the index for the selection.
    index_job: JobHandle,
    texts: Texts,
    names: Names,
    /// The names of all open files.
    known_names: Vec<(Arc<Session>, Names)>,
    paths: Arc<Paths>,
    lessons: Lessons,
    /// The hosts that the user has allowed to contact for sources.
    allowed_hosts: HashSet<String>,
    status: Option<Status>,
    pending: Vec<Key>,
    pending_since: Instant,
    /// Events that arrived while the files were being opened.
    typeahead: VecDeque<TerminalEvent>,
    /// Number of the parts left out that the status line has named.
    left_out_count: usize,
    count: Option<usize>,
    jobs: Jobs,
    watch: reload::Watch,
}

impl App {
    /// Creates the app, and the commands that open the files.
    pub fn new(options: Options, config: Config, theme: Theme, now: Instant) -> (Self, Vec<Command>) {
        let mut app = Self {
            session: None,
            now,
            dirty: true,
            keymap: config.keymap.clone(),
            theme,
            mouse: !options.no_mouse && config.mouse,
            last_search: String::new(),
            active_search: None,
            goal: None,
            found: String::new(),
            glyphs: if config.ascii { ASCII } else { UNICODE },
            panes: PANES.iter().map(|pane| (pane.new)()).collect(),
            navigation: Navigation::new(),
            layout: PaneLayout::new(options.large, &config),
            overlays: Vec::new(),
            opened: Vec::new(),
            containers: Vec::new(),
            recents: config.recents,
            index_job: JobHandle::default(),
            texts: Texts::default(),
            names: Names::default(),
            known_names: Vec::new(),
            paths: Arc::new(options.paths.clone()),
            lessons: Lessons::new(options.lessons.clone(), options.progress.clone()),
            allowed_hosts: HashSet::new(),
            status: None,
            pending: Vec::new(),
            pending_since: now,
            typeahead: VecDeque::new(),
            left_out_count: 0,
            count: None,
            jobs: Jobs::default(),
            watch: reload::Watch::new(now),
            options,
        };
        if let Some(problem) = config.problems.first() {
            app.set_status(Tone::Warn, problem.clone());
        }
        let mut out = Vec::new();
        app.apply(vec![app.open()], &mut out);
        (app, out)
    }

    /// Handles an event; returns the commands for the event loop.
    pub fn update(&mut self, event: Event) -> Vec<Command> {
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
            Event::Tick => {
                self.dirty |= !self.pending.is_empty() || self.jobs.deadline(self.now).is_some();
                Vec::new()
            }
        };
        self.apply(effects, &mut out);
        while self.session.is_some()
            && let Some(event) = self.typeahead.pop_front()
        {
            let effects = self.terminal_event(event);
            self.apply(effects, &mut out);
        }
        self.take_search_results();
        if self.status.as_ref().is_some_and(|status| status.until <= self.now) {
            self.status = None;
            self.dirty = true;
        }
        let mut effects: Vec<Effect> = self.request_index().into_iter().collect();
        let shown = self.request_text().into_iter().chain(self.request_document_info());
        effects.extend(shown.chain(self.request_functions()).chain(self.request_stamps()));
        self.apply(effects, &mut out);
        self.update_layout();
        let mut effects: Vec<Effect> = self.request_highlighting().into_iter().collect();
        effects.extend(self.request_pane_jobs().into_iter().chain(self.request_check()));
        effects.extend(self.request_search());
        self.apply(effects, &mut out);
        out
    }

    /// The selection and what is known of it.
    pub const fn selected(&self) -> Option<&SelectionContext> {
        self.navigation.selected()
    }

    /// The next time at which something changes without an event.
    pub fn deadline(&self) -> Option<Instant> {
        let which_key = self.pending_since + WHICH_KEY_DELAY;
        let which_key = (!self.pending.is_empty() && which_key > self.now).then_some(which_key);
        let status = self.status.as_ref().map(|status| status.until);
        [which_key, status, self.jobs.deadline(self.now), self.next_look()].into_iter().flatten().min()
    }

    /// Takes the size of the terminal.
    pub fn resize(&mut self, size: Size) {
        self.layout.resize(size);
        self.dirty = true;
        self.update_layout();
    }

    /// Lays out the panes of the view again, and lets those whose size has changed take theirs.
    fn update_layout(&mut self) {
        let class = self.layout.class();
        let panes = self.navigation.view().def().panes;
        let hidden = self.facts(Slot::Main(0)).map_or(&[][..], |facts| facts.hides);
        let available: Vec<Slot> = panes.iter().filter(|(_, id)| !hidden.contains(id)).map(|(slot, _)| *slot).collect();
        if !available.contains(&self.navigation.focus()) {
            self.navigation.set_focus(Slot::Main(0));
        }
        let focus = self.navigation.focus();
        // In a narrow terminal the player keeps its rows: Tab leads to the source.
        let is_apart = class == WidthClass::Narrow && self.navigation.view() == View::Learn && focus != Slot::Fields;
        let slots: Vec<Slot> = available.iter().copied().filter(|slot| !is_apart || *slot != Slot::Fields).collect();
        let contents: Vec<(Slot, ContentSize)> =
            slots.iter().filter_map(|slot| Some((*slot, self.facts(*slot)?.content_size))).collect();
        let is_alone = self.player_in(focus).is_some_and(Player::is_alone);
        self.layout.arrange(&self.navigation, &slots, &contents, is_alone, available);
        if self.navigation.selected().is_none() {
            return;
        }
        for slot in slots {
            let Some(index) = self.navigation.pane_in(slot) else { continue };
            if let Some(size) = self.layout.changed_size(slot, index) {
                self.with_pane(slot, |pane, cx| pane.resize(size, cx));
            }
        }
    }

    /// Shows a message in the status line for a while.
    pub(crate) fn set_status(&mut self, tone: Tone, text: impl Into<String>) {
        self.status = Some(Status { tone, text: text.into(), until: self.now + STATUS_DURATION });
        self.dirty = true;
    }

    /// The state that overlays can read.
    pub(crate) fn overlay_context(&self) -> OverlayContext<'_> {
        OverlayContext {
            session: self.session.as_ref(),
            views: VIEWS,
            look: self.look(true),
            keymap: &self.keymap,
            selected: self.navigation.selected(),
            pane: self.navigation.pane_in(self.navigation.focus()).map_or("", |pane| PANES[pane].id),
            found: &self.found,
            hides_answers: self.hides_answers(),
            screen: Rect::from((Position::ORIGIN, self.layout.size())),
        }
    }

    fn look(&self, focused: bool) -> Look<'_> {
        Look { theme: &self.theme, glyphs: &self.glyphs, focused }
    }

    /// The names of the files that are open or being opened.
    pub(super) fn file_names(&self) -> String {
        match &self.session {
            Some(session) if session.is_sample() => "built-in sample".to_owned(),
            Some(session) => {
                let names = session.image().into_iter().map(|file| file.name.as_str());
                let names = names.chain(session.symbol_file().into_iter().map(|file| file.name.as_str()));
                names.collect::<Vec<_>>().join(" + ")
            }
            None if self.options.files.is_empty() => "the built-in sample".to_owned(),
            None => names_of(&self.options.files),
        }
    }

    /// Calls a function with the pane in a slot and its context, once files are open.
    fn with_pane<T>(&mut self, slot: Slot, ask: impl FnOnce(&mut dyn Pane, &Context<'_>) -> T) -> Option<T> {
        let index = self.navigation.pane_in(slot)?;
        let focused = slot == self.navigation.focus() && self.overlays.is_empty();
        let session = self.session.as_ref()?;
        let look = Look { theme: &self.theme, glyphs: &self.glyphs, focused };
        let (selected, texts) = (self.navigation.selected()?, &self.texts);
        let view = self.navigation.view().def();
        let cx = Context {
            session,
            view,
            views: VIEWS,
            look,
            selected,
            texts,
            paths: &self.paths,
            lessons: &self.lessons,
            zoomed: self.layout.is_zoomed(),
            placed: &self.layout.areas().panes,
            keymap: &self.keymap,
        };
        Some(ask(self.panes[index].as_mut(), &cx))
    }

    /// Calls a function with the player, where it is the pane in a slot.
    fn with_player<T>(&mut self, slot: Slot, ask: impl FnOnce(&mut dyn Player, &Context<'_>) -> T) -> Option<T> {
        self.with_pane(slot, |pane, cx| Some(ask(pane.player_mut()?, cx))).flatten()
    }

    /// The player, where it is the pane in a slot.
    fn player_in(&self, slot: Slot) -> Option<&dyn Player> {
        self.panes.get(self.navigation.pane_in(slot)?)?.player()
    }

    /// The facts about the pane in a slot, once files are open.
    fn facts(&self, slot: Slot) -> Option<Facts> {
        let (session, selected) = self.session.as_ref().zip(self.navigation.selected())?;
        let pane = self.panes.get(self.navigation.pane_in(slot)?)?;
        Some(pane.facts(&self.context(session, selected, slot == self.navigation.focus())))
    }

    /// The context of a pane.
    fn context<'a>(&'a self, session: &'a Arc<Session>, selected: &'a SelectionContext, focused: bool) -> Context<'a> {
        Context {
            session,
            view: self.navigation.view().def(),
            views: VIEWS,
            look: self.look(focused),
            selected,
            texts: &self.texts,
            paths: &self.paths,
            lessons: &self.lessons,
            zoomed: self.layout.is_zoomed(),
            placed: &self.layout.areas().panes,
            keymap: &self.keymap,
        }
    }
}
