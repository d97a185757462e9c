//! A second process that restores the terminal if this one ends before it could: by `abort`, which ends a failed allocation and an
//! overflow of the stack, or by a signal that nothing can catch.
//!
//! This process stays the one that the shell started, so that job control, signals and exit codes are its own. The guard is the
//! same program with `ARGUMENT`, a child that reads a pipe: a line of numbers says that the terminal is taken over, and
//! an empty one that it is restored. The end of the pipe is the end of this process, however it comes about.

use std::io::{self, BufRead, Read, Write, stderr, stdin, stdout};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Resource, getpgrp, getrlimit, setpgid};
use rustix::termios::{
    ControlModes, InputModes, LocalModes, OptionalActions, OutputModes, Termios, tcgetattr, tcsetattr,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};

/// The first argument of the guard process; the second one is the first line of its input.
pub(crate) const ARGUMENT: &str = "--terminal-guard";
/// Memory that the guard makes sure of when it starts, in bytes: that of its buffers and of a line.
const RESERVED: usize = 64 << 10;
/// Sentence in the place of the one that the process could not write; raw mode may be on.
const ABORTED: &str =
    "error: pdblens was ended before it could say why: no memory was left, the stack overflowed, or it was killed\r\n";
static GUARD: Mutex<Guard> = Mutex::new(Guard { child: None, line: String::new(), over: false });

struct Guard {
    /// `None` until it has started.
    child: Option<Child>,
    /// Modes of the terminal that is taken over; empty where it is restored.
    line: String,
    /// True once no guard is needed any more.
    over: bool,
}

fn guard() -> MutexGuard<'static, Guard> {
    GUARD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the guard, on a thread of its own so that the first frame does not wait for it. Without a guard the screens work as well.
///
/// With a limit on memory (`RLIMIT_AS`) any allocation may fail, so the guard is started first; it is an error if it cannot be.
pub(super) fn start() -> io::Result<()> {
    let Ok(modes) = tcgetattr(stdout()) else { return Ok(()) };
    let first = written(&modes);
    guard().line.clone_from(&first);
    if getrlimit(Resource::As).current.is_some() {
        let mut child = spawn(&first, Stdio::piped())?;
        // Its own allocations may fail too: it writes a byte once they have succeeded.
        let said = child.stderr.take().is_some_and(|mut pipe| pipe.read_exact(&mut [0]).is_ok());
        if !said {
            let _ = child.wait();
            return Err(io::Error::other("no memory for the process that restores the terminal"));
        }
        guard().child = Some(child);
        return Ok(());
    }
    let _ = std::thread::Builder::new().name("pdblens guard".to_owned()).spawn(move || {
        // A guard that starts while this process ends would restore a terminal that is the shell's.
        let mut guard = guard();
        if guard.over {
            return;
        }
        guard.child = spawn(&first, Stdio::null()).ok();
        if guard.line != first {
            guard.tell();
        }
    });
    Ok(())
}

fn spawn(first: &str, ready: Stdio) -> io::Result<Child> {
    // The path of the program may have another file by now.
    let own = std::path::Path::new("/proc/self/exe");
    let program = if own.exists() { own.to_owned() } else { std::env::current_exe()? };
    let mut command = Command::new(program);
    command.args([ARGUMENT, first]).stdin(Stdio::piped()).stdout(Stdio::inherit()).stderr(ready);
    command.spawn()
}

impl Guard {
    fn tell(&mut self) {
        if let Some(pipe) = self.child.as_mut().and_then(|child| child.stdin.as_mut()) {
            // One write: it arrives whole or not at all.
            let _ = pipe.write_all(format!("{}\n", self.line).as_bytes());
        }
    }
}

pub(super) fn is_taken_over() {
    if let Ok(modes) = tcgetattr(stdout()) {
        let mut guard = guard();
        let line = written(&modes);
        if guard.line != line {
            guard.line = line;
            guard.tell();
        }
    }
}

pub(super) fn is_restored() {
    let mut guard = guard();
    guard.line.clear();
    guard.tell();
}

pub(super) fn end() {
    let mut guard = guard();
    guard.over = true;
    if let Some(mut child) = guard.child.take() {
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// The modes that raw mode changes, as numbers.
fn written(modes: &Termios) -> String {
    let words =
        [modes.input_modes.bits(), modes.output_modes.bits(), modes.control_modes.bits(), modes.local_modes.bits()];
    words.map(|word| word.to_string()).join(" ")
}

/// Puts written modes into `modes`.
fn read(line: &str, modes: &mut Termios) -> Option<()> {
    let mut words = line.split(' ').map_while(|word| word.parse().ok());
    modes.input_modes = InputModes::from_bits_retain(words.next()?);
    modes.output_modes = OutputModes::from_bits_retain(words.next()?);
    modes.control_modes = ControlModes::from_bits_retain(words.next()?);
    modes.local_modes = LocalModes::from_bits_retain(words.next()?);
    Some(())
}

/// Runs the guard, where the arguments of this process ask for it; returns whether they do.
pub fn run_if_asked() -> bool {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_none_or(|argument| argument != ARGUMENT) {
        return false;
    }
    let first = arguments.next().and_then(|argument| argument.into_string().ok()).unwrap_or_default();
    // A signal to the group that nothing catches must not end the guard too.
    let group = getpgrp();
    let _ = setpgid(None, None);
    // Other signals are for the process that is guarded; the end of the pipe is what counts.
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP] {
        let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
    }
    // Allocations that are needed later are tried now: the parent relies on this process once it has written its byte.
    let _ = (groups(), Vec::<u8>::with_capacity(RESERVED));
    let _ = stderr().write_all(b".");
    let last = stdin().lock().lines().map_while(Result::ok).last().unwrap_or(first);
    if !last.is_empty() {
        // Only a process of the group in the foreground may change the modes; where all of the group is gone, nobody does.
        let _ = setpgid(None, Some(group));
        restore_for_another(&last);
    }
    true
}

/// Restores the terminal of a process that has ended, as far as no other one has it by now: a shell sets modes of its own.
fn restore_for_another(line: &str) {
    let terminal = stdout();
    let Ok(mut modes) = tcgetattr(&terminal) else { return };
    let in_foreground = is_in_foreground();
    if !in_foreground && modes.local_modes.contains(LocalModes::TOSTOP) {
        return;
    }
    let raw = !modes.local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
    if in_foreground && raw && read(line, &mut modes).is_some() {
        let _ = tcsetattr(&terminal, OptionalActions::Now, &modes);
    }
    super::write_restored(&mut stdout());
    let _ = stdout().write_all(ABORTED.as_bytes());
}

/// Returns whether the group of this process has its terminal, or it has none that it could be in the background of.
fn is_in_foreground() -> bool {
    let Some((own, foreground)) = groups() else { return false };
    own == foreground || foreground <= 0
}

/// The group of this process and that in the foreground of its terminal.
fn groups() -> Option<(i32, i32)> {
    let numbers = |text: &str| {
        let mut words = text.split_whitespace().map_while(|word| word.parse().ok());
        Some((words.next()?, words.next()?))
    };
    // proc(5): state, parent, group, session, terminal and its group follow the name of the program in parentheses.
    if let Ok(stat) = std::fs::read_to_string("/proc/self/stat") {
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        return numbers(&format!("{} {}", fields.get(2)?, fields.get(5)?));
    }
    let own = std::process::id().to_string();
    let ps = Command::new("ps").args(["-o", "pgid=,tpgid=", "-p", &own]).stderr(Stdio::null()).output().ok()?;
    numbers(std::str::from_utf8(&ps.stdout).ok()?)
}
