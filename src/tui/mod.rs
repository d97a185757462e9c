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
pub mod svg;
pub mod terminal;
pub mod texts;
pub mod theme;
mod vb;
pub mod widgets;

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Instant;

pub use app::Options;
use app::{App, Effect, Event};
use config::Config;
use jobs::Workers;
use terminal::Screen;
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

/// What comes in from outside.
enum Incoming {
    Event(Event),
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
    let config = Config::load();
    let asked = options.theme.clone().or_else(|| config.theme.clone());
    terminal::restore_on_panic();
    // Asked before the alternate screen, where some terminals do not answer.
    let name = terminal::detect_theme(asked.as_deref());
    let mut theme = config.themed(Theme::named(name).unwrap_or_default());
    if !terminal::has_all_colours() {
        theme = theme.with_256_colours();
    }
    let now = Instant::now();
    let (mut app, first) = App::new(options, config, theme, now);
    let (sender, incoming) = channel();
    let end = {
        let mut screen = Screen::enter(app.mouse, "pdblens")?;
        app.resize(screen.size());
        #[cfg(unix)]
        listen_to_signals(sender.clone())?;
        let done = sender.clone();
        let workers = Workers::start(move |job| {
            let _ = done.send(Incoming::Event(Event::Done(job)));
        })?;
        listen_to_terminal(sender)?;
        serve(&mut app, first, &mut screen, &incoming, &workers)?
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

/// Takes what comes in and draws what changed, until the end.
fn serve(
    app: &mut App,
    first: Vec<Effect>,
    screen: &mut Screen,
    incoming: &Receiver<Incoming>,
    workers: &Workers,
) -> Result<End, Error> {
    let mut effects = first;
    loop {
        for effect in std::mem::take(&mut effects) {
            match effect {
                Effect::Quit => return Ok(End::Quit),
                Effect::Fail(error) => return Ok(End::Fail(error)),
                effect => carry_out(effect, app, screen, workers, &mut effects)?,
            }
        }
        if !effects.is_empty() {
            continue;
        }
        if std::mem::take(&mut app.dirty) {
            #[cfg(debug_assertions)]
            assert!(std::env::var_os("PDBLENS_PANIC").is_none(), "a panic, as PDBLENS_PANIC asks");
            screen.draw(|buffer| app.draw(buffer))?;
        }
        let mut next = wait(app, incoming);
        app.now = Instant::now();
        // Everything that is there is taken before anything is drawn.
        while let Some(come) = next {
            match come {
                Incoming::Event(event) => effects.extend(app.update(event)),
                #[cfg(unix)]
                Incoming::Signal(signal_hook::consts::SIGTSTP) => effects.push(Effect::Suspend),
                #[cfg(unix)]
                Incoming::Signal(signal) => return Ok(End::Signal(signal)),
                Incoming::Gone => return Ok(End::Quit),
            }
            next = if effects.is_empty() { incoming.try_recv().ok() } else { None };
        }
    }
}

/// The next thing to come in; a tick where something changes by itself before.
fn wait(app: &App, incoming: &Receiver<Incoming>) -> Option<Incoming> {
    match app.deadline() {
        None => incoming.recv().ok().or(Some(Incoming::Gone)),
        Some(deadline) => match incoming.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(come) => Some(come),
            Err(RecvTimeoutError::Timeout) => Some(Incoming::Event(Event::Tick)),
            Err(RecvTimeoutError::Disconnected) => Some(Incoming::Gone),
        },
    }
}

/// Does what an effect asks of the world.
fn carry_out(
    effect: Effect,
    app: &mut App,
    screen: &mut Screen,
    workers: &Workers,
    effects: &mut Vec<Effect>,
) -> Result<(), Error> {
    match effect {
        Effect::Suspend => {
            screen.suspend()?;
            app.resize(screen.size());
            app.now = Instant::now();
            effects.extend(app.update(Event::Resumed));
        }
        Effect::Redraw => {
            screen.forget();
            app.dirty = true;
        }
        Effect::Mouse(on) => screen.set_mouse(on)?,
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
            // A worker that is gone was ended by a panic that its thread could not catch.
            let sent = workers.send(job);
            sent.unwrap_or_else(|_| app.say(Tone::Bad, "the worker is gone: restart pdblens"));
        }
        // The app carries out the others itself.
        _ => {}
    }
    Ok(())
}

fn remember(state: &str) -> io::Result<()> {
    let Some(path) = config::state_path() else { return Ok(()) };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, state)
}

fn listen_to_terminal(sender: Sender<Incoming>) -> io::Result<()> {
    std::thread::Builder::new().name("pdblens input".to_owned()).spawn(move || {
        loop {
            let come = match crossterm::event::read() {
                Ok(event) => Incoming::Event(Event::Terminal(event)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => Incoming::Gone,
            };
            let gone = matches!(come, Incoming::Gone);
            if sender.send(come).is_err() || gone {
                return;
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
