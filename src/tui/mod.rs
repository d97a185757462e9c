//! The screens.
//!
//! ```text
//! input thread ─ Event ─┐                      ┌─ Effect::Work ─▶ worker threads ─ Event::Done ┐
//!                       ▼                      │                                               │
//!    loop: recv one, drain the rest → keymap → Action → App::update → Vec<Effect>  ◀───────────┘
//!          if changed: layout → App::draw(&self), all at once
//! ```
//!
//! Start with [`app::App`] for how state changes, [`pane`] for what a pane is and which there are, [`action`] and [`keymap`]
//! for what can be done, [`layout`] for where things stand, [`theme`] for what they look like.

pub mod about;
pub mod action;
pub mod app;
pub mod clipboard;
pub mod colour;
pub mod config;
pub mod crumbs;
mod fetch;
pub mod fuzzy;
pub mod glyphs;
pub mod jobs;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod linked;
pub mod overlays;
pub mod pane;
pub mod panes;
pub mod paths;
pub mod terminal;
pub mod texts;
pub mod theme;
pub mod widgets;

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use crossterm::event;

pub use app::Options;
use app::{App, Effect, Event};
use config::Config;
use jobs::Workers;
use terminal::{Answer, Known, Screen, Taken};
use theme::Theme;

use crate::model::{OpenError, Tone};

/// Why the screens ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing could be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The terminal failed.
    #[error("the terminal: {0}")]
    Terminal(#[from] io::Error),
}

/// The theme to begin with where it is not sure which is right.
const UNSURE: &str = "ansi";
/// How long the first frame waits for the files, and for the terminal to say what its background is.
const FIRST_FRAME: Duration = Duration::from_millis(6);
/// How soon after it was asked the terminal is not left alone: what it answers then would be for the shell.
const ANSWERS: Duration = Duration::from_millis(150);

/// What comes in from outside.
enum Incoming {
    Event(Event),
    /// The terminal's background is light, or dark.
    Light(bool),
    #[cfg(unix)]
    Signal(i32),
    /// The terminal is gone.
    Gone,
}

/// How the loop ended.
enum End {
    Quit,
    Fail(OpenError),
    #[cfg(unix)]
    Signal(i32),
}

/// Shows the screens until the user quits.
pub fn run(options: Options) -> Result<(), Error> {
    let start = Instant::now();
    let config = Config::load();
    terminal::restore_on_panic();
    let asked = options.theme.as_deref().or(config.theme.as_deref());
    let (name, ask) = match terminal::known_theme(asked) {
        Known::Theme(name) => (name, false),
        // The terminal's own sixteen colours can be read on any background.
        Known::Ask => (UNSURE, true),
    };
    let mut theme = config.themed(Theme::named(name).unwrap_or_default());
    if !terminal::has_all_colours() {
        theme = theme.with_256_colours();
    }
    let (app, first) = App::new(options, config, theme, start);
    let (sender, incoming) = channel();
    let done = sender.clone();
    let workers = Workers::start(move |job| {
        let _ = done.send(Incoming::Event(Event::Done(job)));
    })?;
    // The files are opened while the terminal is taken.
    for effect in first {
        if let Effect::Work(job) = effect {
            let _ = workers.send(job);
        }
    }
    let end = {
        // Where a theme was asked for, that goes before `NO_COLOR`.
        let plain = terminal::no_color() && app.theme.name == "mono";
        let screen = Screen::enter(app.mouse, "pdblens", ask, plain)?;
        listen_to_terminal(sender.clone(), ask)?;
        #[cfg(unix)]
        {
            listen_for_the_end(sender.clone())?;
            listen_to_signals(sender)?;
        }
        let asked = ask.then(Instant::now);
        let mut stage = Stage { app, screen, incoming, workers, patience: Some(start + FIRST_FRAME), asked };
        stage.app.resize(stage.screen.size());
        let end = stage.serve()?;
        if matches!(end, End::Quit | End::Fail(_)) {
            stage.await_answer();
        }
        end
    };
    match end {
        End::Quit => Ok(()),
        End::Fail(error) => Err(error.into()),
        #[cfg(unix)]
        End::Signal(signal) => {
            // The terminal is whole again: now the signal does what it does.
            signal_hook::low_level::emulate_default_handler(signal)?;
            Ok(())
        }
    }
}

/// The app, and the world it is in.
struct Stage {
    app: App,
    screen: Screen,
    incoming: Receiver<Incoming>,
    workers: Workers,
    /// How long the first frame may wait for what belongs on it; nothing once it is drawn.
    patience: Option<Instant>,
    /// When the terminal was asked for its background; nothing once it has answered.
    asked: Option<Instant>,
}

impl Stage {
    /// Takes what comes in and draws what changed, until the end.
    fn serve(&mut self) -> Result<End, Error> {
        let mut effects = Vec::new();
        loop {
            for effect in std::mem::take(&mut effects) {
                match effect {
                    Effect::Quit => return Ok(End::Quit),
                    Effect::Fail(error) => return Ok(End::Fail(error)),
                    effect => self.carry_out(effect, &mut effects)?,
                }
            }
            if !effects.is_empty() {
                continue;
            }
            if self.app.dirty && self.is_ready() {
                self.app.dirty = false;
                #[cfg(debug_assertions)]
                assert!(std::env::var_os("PDBLENS_PANIC").is_none(), "a panic, as PDBLENS_PANIC asks");
                self.screen.draw(|buffer| self.app.draw(buffer))?;
            }
            let mut next = self.wait();
            self.app.now = Instant::now();
            // Everything that is there is taken before anything is drawn.
            while let Some(come) = next {
                match come {
                    Incoming::Event(event) => effects.extend(self.app.update(event)),
                    Incoming::Light(light) => self.answered(light),
                    #[cfg(unix)]
                    Incoming::Signal(signal_hook::consts::SIGTSTP) => effects.push(Effect::Suspend),
                    #[cfg(unix)]
                    Incoming::Signal(signal) => return Ok(End::Signal(signal)),
                    Incoming::Gone => return Ok(End::Quit),
                }
                next = if effects.is_empty() { self.incoming.try_recv().ok() } else { None };
            }
        }
    }

    /// Whether a frame can be drawn: the first one waits for a moment, so that it is whole.
    fn is_ready(&mut self) -> bool {
        let whole = self.app.session.is_some() && self.asked.is_none();
        if whole || self.patience.is_none_or(|until| until <= Instant::now()) {
            self.patience = None;
        }
        self.patience.is_none()
    }

    /// The next thing to come in; a tick where something changes by itself before.
    fn wait(&self) -> Option<Incoming> {
        match [self.app.deadline(), self.patience].into_iter().flatten().min() {
            None => self.incoming.recv().ok().or(Some(Incoming::Gone)),
            Some(deadline) => match self.incoming.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(come) => Some(come),
                Err(RecvTimeoutError::Timeout) => Some(Incoming::Event(Event::Tick)),
                Err(RecvTimeoutError::Disconnected) => Some(Incoming::Gone),
            },
        }
    }

    /// The terminal has said what its background is; the user may have chosen a theme before.
    fn answered(&mut self, light: bool) {
        if self.asked.take().is_some() && self.app.theme.name == UNSURE {
            self.app.theme = self.app.theme.changed_to(if light { "light" } else { "dark" });
            self.app.dirty = true;
        }
    }

    /// Waits for an answer that is on its way: without us it would be typed into the shell.
    fn await_answer(&mut self) {
        while let Some(asked) = self.asked {
            let left = (asked + ANSWERS).saturating_duration_since(Instant::now());
            match self.incoming.recv_timeout(left) {
                Ok(Incoming::Light(_) | Incoming::Gone) | Err(_) => self.asked = None,
                Ok(_) => {}
            }
        }
    }

    /// Does what an effect asks of the world.
    fn carry_out(&mut self, effect: Effect, effects: &mut Vec<Effect>) -> Result<(), Error> {
        let app = &mut self.app;
        match effect {
            Effect::Suspend => {
                self.screen.suspend()?;
                app.resize(self.screen.size());
                app.now = Instant::now();
                effects.extend(app.update(Event::Resumed));
            }
            Effect::Redraw => {
                self.screen.forget();
                app.dirty = true;
            }
            Effect::Mouse(on) => self.screen.set_mouse(on)?,
            Effect::Copy(what, text) => match clipboard::copy(&what, &text) {
                Ok(said) => app.say(Tone::Ok, said),
                Err(said) => app.say(Tone::Bad, said),
            },
            Effect::Remember(state) => {
                if let Err(error) = remember(&state) {
                    app.say(Tone::Warn, format!("the dividers cannot be remembered: {error}"));
                }
            }
            Effect::Work(job) => {
                let sent = self.workers.send(job);
                // A worker that is gone was ended by a panic that its thread could not catch.
                sent.unwrap_or_else(|_| app.say(Tone::Bad, "the worker is gone: restart pdblens"));
            }
            // The app carries out the others itself.
            _ => {}
        }
        Ok(())
    }
}

fn remember(state: &str) -> io::Result<()> {
    let Some(path) = config::state_path() else { return Ok(()) };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, state)
}

/// Reads keys, and what the terminal answers in between them, if it was asked something.
fn listen_to_terminal(sender: Sender<Incoming>, asked: bool) -> io::Result<()> {
    std::thread::Builder::new().name("pdblens input".to_owned()).spawn(move || {
        let mut answer = Answer::new(asked);
        loop {
            let more = answer.patience().map_or(Ok(true), event::poll);
            let taken = match more.and_then(|more| more.then(event::read).transpose()) {
                Ok(Some(event)) => answer.take(event),
                Ok(None) => Taken { events: answer.give_up(), light: None },
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => {
                    let _ = sender.send(Incoming::Gone);
                    return;
                }
            };
            let events = taken.events.into_iter().map(|event| Incoming::Event(Event::Terminal(event)));
            for come in events.chain(taken.light.map(Incoming::Light)) {
                if sender.send(come).is_err() {
                    return;
                }
            }
        }
    })?;
    Ok(())
}

/// Waits until the terminal is closed. Mostly a signal says so; where none does, whoever reads would try again for ever.
#[cfg(unix)]
fn listen_for_the_end(sender: Sender<Incoming>) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    std::thread::Builder::new().name("pdblens end".to_owned()).spawn(move || {
        let terminal = io::stdin();
        loop {
            // Nothing is asked for: what comes is the end, or that there can be no asking here.
            let mut asked = [PollFd::new(&terminal, PollFlags::empty())];
            match poll(&mut asked, None) {
                Err(error) if error == rustix::io::Errno::INTR => {}
                Ok(_) if asked[0].revents().contains(PollFlags::HUP) => {
                    let _ = sender.send(Incoming::Gone);
                    return;
                }
                _ => return,
            }
        }
    })?;
    Ok(())
}

#[cfg(unix)]
fn listen_to_signals(sender: Sender<Incoming>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP};
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT, SIGTSTP])?;
    std::thread::Builder::new().name("pdblens signals".to_owned()).spawn(move || {
        for signal in &mut signals {
            if sender.send(Incoming::Signal(signal)).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}
