//! The event loop: takes events, hands them to the program, carries out its commands, and draws what changed.
//!
//! ```text
//! input thread ─ Event ─┐                        ┌─ Command::Start ─▶ worker threads ─ Event::Done ┐
//!                       ▼                        │                                                 │
//!    loop: wait for one, drain the rest → Program::update → Vec<Command>  ◀────────────────────────┘
//!          if needed: Program::draw, one frame
//! ```
//!
//! The loop knows the app only as a [`Program`].

use std::io;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::sync::mpsc::Sender;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::engine::clipboard;
use crate::engine::editor::{Editor, SourceLine};
use crate::engine::event::{Command, Event};
#[cfg(unix)]
use crate::engine::input::Gate;
use crate::engine::input::{self, Input};
use crate::engine::jobs::Workers;
use crate::engine::program::{Program, ScreenError};
use crate::engine::terminal::Screen;
use pdblens_nodes::rows::Tone;
use pdblens_session::session::OpenError;
use pdblens_session::store::new_file::{self, Existing};

/// The time that the first frame waits for the files and for the terminal's background colour.
const FIRST_FRAME_DELAY: Duration = Duration::from_millis(6);
/// The time that a late answer of the terminal is waited for on exit: the shell would take it for input.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(150);

#[derive(Clone, Debug)]
pub struct Setup {
    pub title: &'static str,
    pub start: Instant,
    pub mouse: bool,
    pub ask_background: bool,
    /// True to leave out all colours.
    pub plain: bool,
    pub layout_file: Option<PathBuf>,
    pub recent_file: Option<PathBuf>,
    /// Puts the entries of this program into the text of that file.
    pub merge_recent: fn(&str, &str) -> String,
    pub progress_file: Option<PathBuf>,
}

enum End {
    Quit,
    Fail(OpenError),
    #[cfg(unix)]
    Signal(i32),
}

/// Runs a program until it quits; `first` is carried out while the terminal is being taken over.
pub fn run<P: Program>(program: P, first: Vec<Command<P::Message>>, setup: Setup) -> Result<(), ScreenError> {
    let (sender, incoming) = channel();
    let done = sender.clone();
    let workers = Workers::start(move |job| {
        let _ = done.send(Input::Event(Event::Done(job)));
    })?;
    for command in first {
        if let Command::Start(job) = command {
            let _ = workers.send(job);
        }
    }
    let end = {
        let screen = Screen::enter(setup.mouse, setup.title, setup.ask_background, setup.plain)?;
        #[cfg(unix)]
        let gate = Arc::new(Gate::default());
        #[cfg(unix)]
        input::listen(sender.clone(), setup.ask_background, Arc::clone(&gate))?;
        #[cfg(not(unix))]
        input::listen(sender, setup.ask_background)?;
        let mut event_loop = EventLoop {
            program,
            screen,
            incoming,
            #[cfg(unix)]
            sender,
            #[cfg(unix)]
            gate,
            workers,
            first_frame: Some(setup.start + FIRST_FRAME_DELAY),
            asked: setup.ask_background.then(Instant::now),
            layout_file: setup.layout_file,
            recent_file: setup.recent_file,
            merge_recent: setup.merge_recent,
            progress_file: setup.progress_file,
        };
        event_loop.program.resize(event_loop.screen.size());
        let end = event_loop.run()?;
        if matches!(end, End::Quit | End::Fail(_)) {
            event_loop.await_answer();
        }
        end
    };
    // A worker that writes a file does not come to its end.
    new_file::remove_unfinished();
    match end {
        End::Quit => Ok(()),
        End::Fail(error) => Err(error.into()),
        #[cfg(unix)]
        End::Signal(signal) => {
            // The terminal is restored: now the signal has its usual effect.
            signal_hook::low_level::emulate_default_handler(signal)?;
            Ok(())
        }
    }
}

struct EventLoop<P: Program> {
    program: P,
    screen: Screen,
    incoming: Receiver<Input<P::Message>>,
    #[cfg(unix)]
    sender: Sender<Input<P::Message>>,
    #[cfg(unix)]
    gate: Arc<Gate>,
    workers: Workers<P::Message>,
    /// The latest time of the first frame; `None` once it is drawn.
    first_frame: Option<Instant>,
    /// When the terminal was asked for its background; `None` once it has answered.
    asked: Option<Instant>,
    layout_file: Option<PathBuf>,
    recent_file: Option<PathBuf>,
    merge_recent: fn(&str, &str) -> String,
    progress_file: Option<PathBuf>,
}

impl<P: Program> EventLoop<P> {
    fn run(&mut self) -> Result<End, ScreenError> {
        let mut commands = Vec::new();
        let mut events = 0;
        loop {
            for command in std::mem::take(&mut commands) {
                match command {
                    Command::Quit => return Ok(End::Quit),
                    Command::Fail(error) => return Ok(End::Fail(error)),
                    command => self.carry_out(command, &mut commands)?,
                }
            }
            if !commands.is_empty() {
                continue;
            }
            if self.program.is_dirty() && self.is_ready() {
                self.program.set_dirty(false);
                #[cfg(debug_assertions)]
                assert!(std::env::var_os("PDBLENS_PANIC").is_none(), "a panic, as PDBLENS_PANIC asks");
                let began = Instant::now();
                self.screen.draw(|buffer| self.program.draw(buffer))?;
                log::debug!("frame drawn in {:?} after {events} events", began.elapsed());
            }
            let mut next = self.wait();
            events = 0;
            self.program.set_now(Instant::now());
            // All events that have arrived are taken before the next frame.
            while let Some(input) = next {
                events += 1;
                match input {
                    Input::Event(event) => commands.extend(self.program.update(event)),
                    Input::Background { light } => {
                        if self.asked.take().is_some() {
                            self.program.set_background(light);
                        }
                    }
                    #[cfg(unix)]
                    Input::Signal(signal_hook::consts::SIGTSTP) => commands.push(Command::Suspend),
                    #[cfg(unix)]
                    Input::Signal(signal) => return self.end(End::Signal(signal)),
                    #[cfg(unix)]
                    Input::EditorEnded(_) => {}
                    Input::Closed => return self.end(End::Quit),
                }
                next = if commands.is_empty() { self.incoming.try_recv().ok() } else { None };
            }
        }
    }

    /// Lets the program write what it keeps, as no key ended it.
    fn end(&mut self, end: End) -> Result<End, ScreenError> {
        for command in self.program.update(Event::Ending) {
            self.carry_out(command, &mut Vec::new())?;
        }
        Ok(end)
    }

    /// Returns whether a frame can be drawn: the first one waits for a moment, so that it is complete.
    fn is_ready(&mut self) -> bool {
        let complete = self.program.is_loaded() && self.asked.is_none();
        if complete || self.first_frame.is_none_or(|until| until <= Instant::now()) {
            self.first_frame = None;
        }
        self.first_frame.is_none()
    }

    /// The next input; a tick at the deadline.
    fn wait(&self) -> Option<Input<P::Message>> {
        match [self.program.deadline(), self.first_frame].into_iter().flatten().min() {
            None => self.incoming.recv().ok().or(Some(Input::Closed)),
            Some(deadline) => match self.incoming.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(input) => Some(input),
                Err(RecvTimeoutError::Timeout) => Some(Input::Event(Event::Tick)),
                Err(RecvTimeoutError::Disconnected) => Some(Input::Closed),
            },
        }
    }

    /// Waits for an answer of the terminal that is still on its way, so that the shell does not read it.
    fn await_answer(&mut self) {
        while let Some(asked) = self.asked {
            let left = (asked + ANSWER_TIMEOUT).saturating_duration_since(Instant::now());
            match self.incoming.recv_timeout(left) {
                Ok(Input::Background { .. } | Input::Closed) | Err(_) => self.asked = None,
                Ok(_) => {}
            }
        }
    }

    fn carry_out(
        &mut self,
        command: Command<P::Message>,
        commands: &mut Vec<Command<P::Message>>,
    ) -> Result<(), ScreenError> {
        let program = &mut self.program;
        match command {
            Command::Quit | Command::Fail(_) => {}
            Command::Suspend => {
                self.screen.suspend()?;
                program.resize(self.screen.size());
                program.set_now(Instant::now());
                commands.extend(program.update(Event::Resumed));
            }
            Command::Redraw => {
                self.screen.forget();
                program.set_dirty(true);
            }
            Command::CaptureMouse(on) => self.screen.set_mouse(on)?,
            Command::Copy(label, text) => match clipboard::copy(&label, &text) {
                Ok(message) => program.set_status(Tone::Ok, message),
                Err(message) => program.set_status(Tone::Bad, message),
            },
            Command::Edit(at) => {
                let (tone, message) = self.edit(&at, commands);
                self.program.set_status(tone, message);
            }
            Command::SaveLayout(text) => keep(program, self.layout_file.as_deref(), &text, "theme and layout"),
            Command::SaveRecent(text) => {
                let merge = self.merge_recent;
                let written = self.recent_file.as_deref().map(|path| {
                    make_folder_of(path)?;
                    new_file::update(path, |old| merge(old, &text))
                });
                say_not_kept(program, written, "the recent files");
            }
            Command::SaveProgress(text) => keep(program, self.progress_file.as_deref(), &text, "the progress"),
            Command::Start(job) => {
                // A worker has only ended where a panic could not be caught.
                if self.workers.send(job).is_err() {
                    program.set_status(Tone::Bad, "the worker is gone: restart pdblens".to_owned());
                }
            }
        }
        Ok(())
    }

    #[cfg(unix)]
    /// Runs an editor in the terminal until it ends; what happens meanwhile is handled. Returns a message.
    fn run_in_terminal(
        &mut self,
        editor: &Editor,
        commands: &mut Vec<Command<P::Message>>,
    ) -> Result<(Tone, String), String> {
        self.gate.close().map_err(|error| error.to_string())?;
        let (sender, incoming, program) = (self.sender.clone(), &self.incoming, &mut self.program);
        let ended = self.screen.lend(|| {
            let (started, to_wait_for) = channel::<std::process::Child>();
            // The thread first: without one the end of the editor would not be seen.
            let wait = move || {
                let Ok(mut child) = to_wait_for.recv() else { return };
                let ended = child.wait().map_err(|error| error.to_string());
                let _ = sender.send(Input::EditorEnded(ended));
            };
            std::thread::Builder::new().spawn(wait).map_err(|error| editor.not_started(&error))?;
            let child = editor.command().spawn().map_err(|error| editor.not_started(&error))?;
            let _ = started.send(child);
            loop {
                match incoming.recv() {
                    Ok(Input::EditorEnded(ended)) => return ended.map(|status| editor.ended(status)),
                    // The editor stops the whole group: this process stops with it.
                    Ok(Input::Signal(signal_hook::consts::SIGTSTP)) => {
                        let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP);
                    }
                    Ok(Input::Signal(signal_hook::consts::SIGINT | signal_hook::consts::SIGQUIT)) => {}
                    Ok(Input::Signal(signal)) => {
                        let _ = signal_hook::low_level::emulate_default_handler(signal);
                    }
                    Ok(Input::Event(Event::Done(job))) => commands.extend(program.update(Event::Done(job))),
                    Ok(Input::Closed) | Err(_) => return Ok((Tone::Dim, String::new())),
                    Ok(_) => {}
                }
            }
        });
        self.gate.open();
        ended.map_err(|error| error.to_string())?
    }

    fn edit(&mut self, at: &SourceLine, commands: &mut Vec<Command<P::Message>>) -> (Tone, String) {
        let editor = match Editor::of(at, &|name| std::env::var(name).ok()) {
            Ok(editor) => editor,
            Err(message) => return (Tone::Warn, message),
        };
        #[cfg(unix)]
        if editor.in_terminal {
            let ended = self.run_in_terminal(&editor, commands);
            self.program.resize(self.screen.size());
            self.program.set_now(Instant::now());
            commands.extend(self.program.update(Event::Resumed));
            return ended.unwrap_or_else(|message| (Tone::Bad, message));
        }
        #[cfg(not(unix))]
        let _ = commands;
        match editor.command().spawn() {
            Ok(mut child) => {
                // Nothing is left of a process that has ended and that is waited for.
                let _ = std::thread::Builder::new().spawn(move || child.wait());
                (Tone::Ok, format!("opened line {} in {}", at.line, editor.name()))
            }
            Err(error) => (Tone::Bad, editor.not_started(&error)),
        }
    }
}

/// Writes a file of the user's settings, where there is a place for it.
fn keep<P: Program>(program: &mut P, path: Option<&Path>, text: &str, name: &str) {
    say_not_kept(program, path.map(|path| write_file(path, text)), name);
}

fn say_not_kept<P: Program>(program: &mut P, written: Option<io::Result<()>>, name: &str) {
    if let Some(Err(error)) = written {
        program.set_status(Tone::Warn, format!("{name} cannot be kept: {error}"));
    }
}

fn make_folder_of(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), new_file::create_folder)
}

fn write_file(path: &Path, text: &str) -> io::Result<()> {
    make_folder_of(path)?;
    // The user's own link to the file is followed.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    new_file::write(&path, Existing::Replace, text.as_bytes())
}
