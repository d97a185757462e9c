//! The app: its state, and how events change it.
//!
//! Nothing here does I/O: what has to happen outside is a [`Command`] that `App::update` returns, and what takes time a job.

mod actions;
mod compare;
pub mod config;
mod cursor_actions;
mod draw;
mod export;
mod files;
mod header;
mod hints;
mod input;
mod layout;
pub mod link;
mod navigation;
mod player;
pub mod registry;
mod search;
mod show;
mod stage;
mod switch;
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
use ratatui::layout::{Position, Size};

use crate::app::config::Config;
use crate::app::cursor_actions::CursorActions;
use crate::app::files::Files;
use crate::app::layout::PaneLayout;
use crate::app::navigation::Navigation;
use crate::app::registry::PANES;
use crate::app::search::Search;
use crate::app::stage::Stage;
use crate::app::switch::Switcher;
use crate::engine::action::Action;
use crate::engine::jobs::Jobs;
use crate::engine::program::Program;
use crate::overlays::confirm::Confirm;
use crate::overlays::refused::refused_job;
use crate::overlays::source_search::source_search;
use crate::overlays::{coverage, findings};
use crate::state::effect::Effect;
pub use crate::state::effect::{Command, Event};
use crate::state::lessons::Lessons;
use crate::state::message::Msg;
use crate::state::paths::Paths;
use crate::state::selection::SelectionContext;
use crate::state::view::{PaneId, View};
use crate::ui::glyphs::{ASCII, UNICODE};
use crate::ui::layout::Slot;
use crate::ui::theme::Theme;
use pdblens_learn::lesson::{Progress, Start};
use pdblens_nodes::rows::Tone;
use pdblens_query::process::ThreadsText;
use pdblens_session::precompiled::has_code;
use pdblens_session::session::{PdbMatch, Session, why_not_read};
use pdblens_session::text::safe::utf8;

/// The theme until the background of the terminal is known: its own sixteen colours are readable on any.
pub(crate) const FALLBACK_THEME: &str = "ansi";

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

pub struct App {
    /// The time of the last event.
    pub now: Instant,
    themes: Arc<[Theme]>,
    pub mouse: bool,
    in_page: bool,
    pub stage: Stage,
    jobs: Jobs,
    search: Search,
    /// The place and the lesson that the command line names, until they are shown.
    first_place: Option<String>,
    /// The view in which a file that was chosen in a list is shown first.
    first_view: Option<Action>,
    first_lesson: Option<Start>,
    first_compared: Option<PathBuf>,
    /// Threads of the process that the command line names.
    threads: Option<ThreadsText>,
    /// Events that arrived while the files were being opened.
    typeahead: VecDeque<TerminalEvent>,
    /// Number of the parts left out that the status line has named.
    left_out_count: usize,
}

impl App {
    pub fn new(options: Options, config: Config, theme: Theme, now: Instant) -> (Self, Vec<Command>) {
        let mut app = Self {
            now,
            themes: config.themes.as_slice().into(),
            mouse: !options.no_mouse && config.mouse,
            in_page: options.in_page,
            stage: Stage {
                dirty: true,
                theme,
                layout: PaneLayout::new(options.large, &config),
                files: Files::new(options.files, options.paths, config.recents, now),
                navigation: Navigation::new(),
                lessons: Lessons::new(options.lessons.clone(), options.progress),
                panes: PANES.iter().map(|pane| (pane.new)()).collect(),
                glyphs: if config.ascii { ASCII } else { UNICODE },
                keymap: config.keymap,
                status: None,
                overlays: Vec::new(),
                found: String::new(),
            },
            jobs: Jobs::default(),
            search: Search::default(),
            first_place: options.at,
            first_view: None,
            first_lesson: options.lessons,
            first_compared: options.compare,
            threads: options.threads,
            typeahead: VecDeque::new(),
            left_out_count: 0,
        };
        if let Some(problem) = config.problems.into_iter().next() {
            app.stage.set_status(Tone::Warn, problem);
        }
        let mut out = Vec::new();
        app.apply(vec![app.stage.files.open(app.first_place.is_some())], &mut out);
        (app, out)
    }

    pub const fn selected(&self) -> Option<&SelectionContext> {
        self.stage.navigation.selected()
    }

    /// The open files; `None` while they are being opened.
    pub const fn session(&self) -> Option<&Arc<Session>> {
        self.stage.files.session()
    }

    const fn switcher(&mut self) -> Switcher<'_> {
        Switcher { stage: &mut self.stage, jobs: &mut self.jobs }
    }

    const fn on_cursor(&mut self) -> CursorActions<'_> {
        CursorActions { stage: &mut self.stage, in_page: self.in_page }
    }

    /// The jobs that the visible panes need: highlighting first, then their own, and the check of files that do not match, whose
    /// summary has no sentence about it, for header and card have their mark.
    fn request_pane_jobs(&mut self) -> Vec<Effect> {
        let Some(session) = self.stage.files.session().cloned() else { return Vec::new() };
        let placed: Vec<Slot> = self.stage.layout.areas().panes.iter().map(|placed| placed.slot).collect();
        let window = placed.iter().find_map(|slot| self.stage.facts(*slot)?.source_window);
        let mut effects =
            Vec::from_iter(window.and_then(|window| self.stage.files.request_highlighting(window, &self.jobs)));
        let shown: Vec<PaneId> = placed.into_iter().filter_map(|slot| self.stage.navigation.pane_in(slot)).collect();
        let jobs = shown.iter().filter_map(|pane| self.stage.panes.get_mut(*pane as usize)?.job(&session));
        effects.extend(jobs.map(Effect::Start));
        if self.stage.navigation.view() == View::Summary && session.pdb_match() != PdbMatch::Matched {
            effects.extend(self.stage.files.request_check());
        }
        effects
    }

    fn toggle_machine(&mut self) {
        if self.stage.files.session().is_none_or(|session| !has_code(session)) {
            return self.stage.set_status(Tone::Dim, "no precompiled code: the image is not ReadyToRun");
        }
        let is_there = self.stage.navigation.view() == View::Methods;
        self.stage.navigation.wants_machine = Some(!is_there || self.stage.navigation.machine.is_none());
        if !is_there {
            self.enter_view(View::Methods);
        }
        self.stage.update_layout();
        self.stage.refresh_panes();
    }

    /// Applies effects; commands to the world outside are collected in `out`.
    fn apply(&mut self, effects: Vec<Effect>, out: &mut Vec<Command>) {
        for effect in effects {
            // Looking at the files shows nothing.
            self.stage.dirty |= !matches!(&effect, Effect::Start(job) if job.slot == files::WATCH);
            match effect {
                Effect::Dispatch(action) => {
                    let more = self.perform(action);
                    self.apply(more, out);
                }
                Effect::Update(message) => {
                    let more = self.receive(*message);
                    self.apply(more, out);
                }
                Effect::Go(selection) => self.stage.go(selection),
                Effect::Show(selection) => self.stage.show(selection),
                Effect::Focus(slot) => {
                    self.stage.navigation.set_focus(slot);
                    self.stage.update_layout();
                }
                Effect::Visit(session, selection) => {
                    if self.stage.navigation.view() == View::Learn
                        && let Some(open) = self.stage.files.session()
                    {
                        self.stage.lessons.leave(Arc::clone(open));
                    }
                    self.switcher().visit(session, selection);
                }
                Effect::SetStatus(tone, text) => self.stage.set_status(tone, text),
                Effect::Search(input) => self.search.take_input(&mut self.stage, input),
                Effect::Open(overlay) => self.stage.overlays.push(overlay),
                Effect::Start(job) => out.push(Command::Start(self.jobs.start(job, self.now))),
                Effect::Command(command) => out.push(command),
            }
        }
    }

    fn receive(&mut self, message: Msg) -> Vec<Effect> {
        self.stage.dirty |= !matches!(message, Msg::FilesSeen(..));
        match message {
            Msg::Opened(opened) => {
                let view = self.first_view.take().filter(|_| opened.is_ok()).map(Effect::Dispatch);
                return self.take_opened(opened).into_iter().chain(view).collect();
            }
            Msg::FileOpened(opened) => {
                let view = self.first_view.take().filter(|_| opened.is_ok()).map(Effect::Dispatch);
                return self.take_file(opened).into_iter().chain(view).collect();
            }
            Msg::MismatchOpened(pair, path) => self.stage.open_overlay(files::mismatch_question(*pair, path)),
            Msg::OperandFollowed(to) => return vec![self.stage.files.opened.follow_operand(to)],
            Msg::OpenFileChosen(session) => self.switcher().switch_to(session),
            Msg::UnitChosen(unit, at, view) => {
                self.first_view = view;
                self.first_place = at.map(|at| at.to_string()).or(self.first_place.take());
                return self.stage.files.open_unit(unit);
            }
            Msg::ContainerListed(paths, Ok(units)) => return self.stage.files.list_container(&paths, units),
            Msg::ContainerListed(_, Err(error)) => self.stage.set_status(Tone::Bad, error.to_string()),
            Msg::SymbolsSearched(found) => return self.take_symbols(found),
            Msg::SymbolsNamed(opened) => return self.take_named_symbols(opened),
            Msg::LazyIndexBuilt => self.stage.reselect(),
            Msg::FunctionsRead => self.stage.show_late_home(),
            Msg::SourceRead(document, text) => {
                self.stage.files.texts_mut().insert(document, text);
                self.stage.refresh_panes();
            }
            Msg::Highlighted(document, text, highlighter) => {
                self.stage.files.texts_mut().set_highlighting(document, &text, highlighter);
            }
            Msg::DocumentInfoRead(document, info) => {
                self.stage.files.texts_mut().info.insert(document, info);
                self.stage.refresh_panes();
            }
            Msg::SourcePathChecked(Ok(path)) => return self.stage.files.add_source_path(path),
            Msg::SymbolPathChecked(Ok(path)) => return vec![self.stage.files.confirm_symbol_path(path)],
            Msg::SourcePathChecked(Err(why)) | Msg::SymbolPathChecked(Err(why)) => {
                self.stage.set_status(Tone::Bad, why);
            }
            Msg::SymbolPathConfirmed(path) => return self.stage.files.add_symbol_path(path),
            Msg::SourcesWanted(documents) => {
                return self.stage.files.fetch_sources(&documents, self.stage.navigation.document());
            }
            Msg::ExtractWanted => return self.stage.files.ask_for_extraction(),
            Msg::HostsConfirmed(hosts, urls) => return vec![self.stage.files.allow_hosts(hosts, urls)],
            Msg::SourcesFetched(found) => return self.stage.files.take_fetched(found),
            Msg::Reported(tone, text) => self.stage.set_status(tone, text),
            Msg::TraceResolved(gained) => {
                self.stage.show_pane_result();
                self.stage.set_status(Tone::Text, gained);
            }
            Msg::TraceFileRead(_, Ok(bytes)) => self.show_pasted(View::Trace, &utf8(&bytes)),
            Msg::TraceFileRead(path, Err(e)) => {
                self.stage.set_status(Tone::Bad, format!("{path}: {}", why_not_read(&e)));
            }
            Msg::ThreadsRead(Ok(text)) => self.show_threads(text),
            Msg::ThreadsRead(Err(why)) => self.stage.set_status(Tone::Bad, why.text),
            Msg::ChainFollowed(session, steps) => {
                player::take_chain(&mut self.stage, &session, steps.map(|steps| *steps));
            }
            Msg::FilesSeen(session, stamps) => return self.stage.files.take_stamps(&session, stamps),
            Msg::CompareWith(opened, after) => return self.take_compared(opened, after),
            Msg::FilesReread(opened) => self.switcher().take_reread(opened),
            Msg::Marked(sets, letter) => {
                let marked = self.stage.navigation.take_mark(sets, letter, self.stage.files.session());
                return marked.into_iter().collect();
            }
            Msg::PaneReady => self.stage.show_pane_result(),
            Msg::ListSorted => self.stage.show_order(),
            Msg::OverlayReady => return self.stage.finish_overlay_jobs(),
            message => return self.receive_answer(message),
        }
        Vec::new()
    }

    /// Takes what an overlay has answered, and lists that open one.
    fn receive_answer(&mut self, message: Msg) -> Vec<Effect> {
        match message {
            Msg::ThemeChosen(name) => self.stage.theme = self.stage.theme.changed_to(&name, &self.themes),
            Msg::ThemeKept(name) => return vec![self.stage.layout.keep_theme(&name)],
            Msg::FindingsListed(found) => self.stage.open_overlay(findings::findings(found)),
            Msg::RefusedListed(found, within) => return self.on_cursor().list_refused(found, &within),
            Msg::RefusedWanted(within) => {
                let (session, paths) = (self.session().cloned(), Arc::clone(self.stage.files.paths()));
                return session.map(|session| refused_job(session, paths, within)).into_iter().collect();
            }
            Msg::VerdictKnown(title, text, within) => {
                let (yes, wanted) = ("list refused points", Msg::RefusedWanted(within));
                self.stage.open_overlay(Confirm::new(title, text, yes, wanted).or("close", Vec::new()));
            }
            Msg::TextSought(text) => {
                self.stage.open_overlay(source_search(Arc::clone(self.stage.files.paths())).typing(&text));
                return self.stage.with_overlay(|overlay, cx| overlay.changed(cx));
            }
            Msg::PathTyped(path) => return vec![self.stage.files.open_path(path)],
            Msg::CoverageCounted(Some(found)) => self.stage.open_overlay(coverage::coverage(Arc::new(found))),
            Msg::RestartWanted(key) => return self.on_cursor().ask_to_restart(&key),
            Msg::RestartConfirmed(key) => return self.on_cursor().restart_lesson(&key),
            Msg::QuitConfirmed => return self.perform_own(Action::Quit),
            _ => {}
        }
        Vec::new()
    }

    /// Says what a job had to leave out, when it is new: the list of findings has it from then on.
    fn report_left_out(&mut self) {
        let left_out = self.stage.files.session().map_or_else(Vec::new, |session| session.spaces().budget().left_out());
        if let Some(part) = left_out.get(self.left_out_count..).and_then(<[_]>::last) {
            self.stage.set_status(Tone::Warn, part.to_string());
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
            Event::Ending => self.switcher().leave_files().into_iter().collect(),
            Event::Tick => {
                self.stage.dirty |= self.jobs.deadline(self.now).is_some();
                Vec::new()
            }
        };
        self.apply(effects, &mut out);
        while self.stage.files.session().is_some()
            && let Some(event) = self.typeahead.pop_front()
        {
            let effects = self.terminal_event(event);
            self.apply(effects, &mut out);
        }
        self.search.take_results(&mut self.stage);
        let effects = self.stage.files.requests(self.stage.navigation.selected(), &self.jobs, self.now);
        self.apply(effects, &mut out);
        self.stage.update_layout();
        let mut effects = self.request_pane_jobs();
        effects.extend(self.stage.request_searches(&self.jobs));
        self.apply(effects, &mut out);
        out
    }

    fn draw(&self, buf: &mut Buffer) -> Option<Position> {
        self.painter().draw_screen(buf)
    }

    fn resize(&mut self, size: Size) {
        self.stage.layout.resize(size);
        self.stage.dirty = true;
        self.stage.update_layout();
    }

    fn set_now(&mut self, now: Instant) {
        self.now = now;
    }

    fn deadline(&self) -> Option<Instant> {
        [self.jobs.deadline(self.now), self.stage.files.watch.next_look(self.stage.files.session(), &self.jobs)]
            .into_iter()
            .flatten()
            .min()
    }

    fn is_dirty(&self) -> bool {
        self.stage.dirty
    }

    fn set_dirty(&mut self, dirty: bool) {
        self.stage.dirty = dirty;
    }

    fn is_loaded(&self) -> bool {
        self.stage.files.session().is_some()
    }

    fn set_status(&mut self, tone: Tone, text: String) {
        self.stage.set_status(tone, text);
    }

    fn set_background(&mut self, light: bool) {
        // The user may have chosen a theme before.
        if &*self.stage.theme.name == FALLBACK_THEME {
            self.stage.theme = self.stage.theme.changed_to(if light { "light" } else { "dark" }, &self.themes);
            self.stage.dirty = true;
        }
    }
}
