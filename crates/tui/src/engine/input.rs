//! Threads that read the terminal, watch for its end, and take signals.

use std::io;
use std::sync::mpsc::Sender;
#[cfg(unix)]
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
#[cfg(unix)]
use std::time::Duration;

use crossterm::event;

use crate::engine::event::Event;
use crate::engine::terminal::{AnswerFilter, Filtered};

pub(super) enum Input<M> {
    Event(Event<M>),
    Background {
        light: bool,
    },
    #[cfg(unix)]
    Signal(i32),
    /// The editor has ended; the error is a sentence.
    #[cfg(unix)]
    EditorEnded(Result<std::process::ExitStatus, String>),
    Closed,
}

/// Holds back the thread that reads the terminal while another program has it.
#[cfg(unix)]
#[derive(Debug, Default)]
pub(super) struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[cfg(unix)]
#[derive(Debug, Default)]
struct GateState {
    is_closed: bool,
    is_waiting: bool,
}

/// The time that the thread may take to stop reading.
#[cfg(unix)]
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

#[cfg(unix)]
impl Gate {
    fn state(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops the thread, and returns once it reads no more. A change of the terminal's size ends the read that it waits in.
    pub(super) fn close(&self) -> io::Result<()> {
        self.state().is_closed = true;
        signal_hook::low_level::raise(signal_hook::consts::SIGWINCH)?;
        let waits = self.changed.wait_timeout_while(self.state(), CLOSE_TIMEOUT, |state| !state.is_waiting);
        let is_waiting = waits.unwrap_or_else(PoisonError::into_inner).0.is_waiting;
        if is_waiting { Ok(()) } else { Err(io::Error::other("the terminal is still being read")) }
    }

    pub(super) fn open(&self) {
        self.state().is_closed = false;
        self.changed.notify_all();
    }

    fn pass(&self) {
        let mut state = self.state();
        state.is_waiting = state.is_closed;
        self.changed.notify_all();
        let mut state = self.changed.wait_while(state, |state| state.is_closed).unwrap_or_else(PoisonError::into_inner);
        state.is_waiting = false;
    }
}

/// Starts the threads; `asked` tells whether the terminal was asked for its background colour.
pub(super) fn listen<M: Send + 'static>(
    sender: Sender<Input<M>>,
    asked: bool,
    #[cfg(unix)] gate: Arc<Gate>,
) -> io::Result<()> {
    read_terminal(
        sender.clone(),
        asked,
        #[cfg(unix)]
        gate,
    )?;
    #[cfg(unix)]
    {
        watch_hangup(sender.clone())?;
        take_signals(sender)?;
    }
    Ok(())
}

fn read_terminal<M: Send + 'static>(
    sender: Sender<Input<M>>,
    asked: bool,
    #[cfg(unix)] gate: Arc<Gate>,
) -> io::Result<()> {
    std::thread::Builder::new().name("pdblens input".to_owned()).spawn(move || {
        let mut filter = AnswerFilter::new(asked);
        loop {
            #[cfg(unix)]
            gate.pass();
            let more = filter.timeout().map_or(Ok(true), event::poll);
            let filtered = match more.and_then(|more| more.then(event::read).transpose()) {
                Ok(Some(event)) => filter.filter(event),
                Ok(None) => Filtered { events: filter.release(), light: None },
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => {
                    let _ = sender.send(Input::Closed);
                    return;
                }
            };
            let events = filtered.events.into_iter().map(|event| Input::Event(Event::Terminal(event)));
            for input in events.chain(filtered.light.map(|light| Input::Background { light })) {
                if sender.send(input).is_err() {
                    return;
                }
            }
        }
    })?;
    Ok(())
}

/// Waits until the terminal is closed. Usually a signal tells; where none does, the reading thread would retry for ever.
#[cfg(unix)]
fn watch_hangup<M: Send + 'static>(sender: Sender<Input<M>>) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    std::thread::Builder::new().name("pdblens end".to_owned()).spawn(move || {
        let terminal = io::stdin();
        loop {
            // No event is requested: only a hangup or an error ends the call.
            let mut asked = [PollFd::new(&terminal, PollFlags::empty())];
            match poll(&mut asked, None) {
                Err(error) if error == rustix::io::Errno::INTR => {}
                Ok(_) if asked[0].revents().contains(PollFlags::HUP) => {
                    let _ = sender.send(Input::Closed);
                    return;
                }
                _ => return,
            }
        }
    })?;
    Ok(())
}

#[cfg(unix)]
fn take_signals<M: Send + 'static>(sender: Sender<Input<M>>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP])?;
    std::thread::Builder::new().name("pdblens signals".to_owned()).spawn(move || {
        for signal in &mut signals {
            if sender.send(Input::Signal(signal)).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}
