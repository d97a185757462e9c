//! A program in a pseudo-terminal. Waits are conditions with a limit, never a time.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};

/// How long anything may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(20);

/// What the terminal shows, and a bell for when that changes.
type Shown = Arc<(Mutex<vt100::Parser>, Condvar)>;

/// A program in a pseudo-terminal.
pub(crate) struct Session {
    /// The program.
    pub(crate) id: u32,
    /// Everything it wrote.
    pub(crate) raw: Arc<Mutex<Vec<u8>>>,
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    /// Kept open: a terminal does not go away with a program, nor does what that wrote last.
    _slave: Box<dyn SlavePty + Send>,
    writer: Box<dyn Write + Send>,
    shown: Shown,
}

fn size(width: u16, height: u16) -> PtySize {
    PtySize { rows: height, cols: width, pixel_width: 0, pixel_height: 0 }
}

impl Session {
    /// pdblens with these arguments and variables.
    pub(crate) fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_pdblens"));
        command.args(arguments);
        Self::spawn(command, variables)
    }

    /// A shell with job control.
    pub(crate) fn shell() -> Self {
        let mut command = CommandBuilder::new("bash");
        command.args(["--norc", "--noprofile", "-i"]);
        let mut session = Self::spawn(command, &[("PS1", "shell$ ")]);
        session.prompts();
        session
    }

    fn spawn(mut command: CommandBuilder, variables: &[(&str, &str)]) -> Self {
        let pair = native_pty_system().openpty(size(120, 40)).unwrap();
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        let home = std::env::temp_dir().join("pdblens-pty-home");
        command.env("HOME", &home);
        for name in ["TMUX", "NO_COLOR", "COLORFGBG", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "PDBLENS_CONFIG"] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env("RUST_BACKTRACE", "0");
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let parser = vt100::Parser::new(NonZeroU16::new(40).unwrap(), NonZeroU16::new(120).unwrap(), 0);
        let shown: Shown = Arc::new((Mutex::new(parser), Condvar::new()));
        let raw = Arc::new(Mutex::new(Vec::new()));
        let (mut reader, to, all) = (pair.master.try_clone_reader().unwrap(), Arc::clone(&shown), Arc::clone(&raw));
        std::thread::spawn(move || {
            let mut bytes = [0; 8192];
            while let Ok(read @ 1..) = reader.read(&mut bytes) {
                all.lock().unwrap().extend_from_slice(&bytes[..read]);
                to.0.lock().unwrap().process(&bytes[..read]);
                to.1.notify_all();
            }
        });
        let writer = pair.master.take_writer().unwrap();
        Self { id: child.process_id().unwrap(), raw, child, master: pair.master, _slave: pair.slave, writer, shown }
    }

    #[track_caller]
    fn wait(&self, what: &str, is: impl Fn(&vt100::Screen) -> bool) {
        let until = Instant::now() + LIMIT;
        let mut parser = self.shown.0.lock().unwrap();
        while !is(parser.screen()) {
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{what} never came:\n{}", parser.screen().contents());
            parser = self.shown.1.wait_timeout(parser, left.min(Duration::from_millis(100))).unwrap().0;
        }
    }

    /// Waits until `text` shows.
    #[track_caller]
    pub(crate) fn shows(&mut self, text: &str) -> &mut Self {
        self.wait(text, |screen| screen.contents().contains(text));
        self
    }

    /// What shows now.
    pub(crate) fn text(&self) -> String {
        self.shown.0.lock().unwrap().screen().contents()
    }

    /// Waits until the shell waits for a command.
    #[track_caller]
    pub(crate) fn prompts(&mut self) -> &mut Self {
        self.wait("the shell's prompt", |screen| screen.contents().trim_end().ends_with("shell$"));
        self
    }

    /// Waits until the terminal has been sent `text`.
    #[track_caller]
    pub(crate) fn sent(&mut self, text: &str) -> &mut Self {
        let has = |raw: &[u8]| raw.windows(text.len()).any(|part| part == text.as_bytes());
        self.wait(&format!("{text:?}"), |_| has(&self.raw.lock().unwrap()));
        self
    }

    /// Waits until the first name on the screen shows in that colour.
    #[track_caller]
    pub(crate) fn shows_in(&mut self, colour: vt100::Color) -> &mut Self {
        self.wait(&format!("{colour:?}"), |screen| screen.cell(0, 1).is_some_and(|cell| cell.fgcolor() == colour));
        self
    }

    /// Types.
    pub(crate) fn keys(&mut self, keys: &str) -> &mut Self {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
        self
    }

    /// Makes the terminal another size.
    pub(crate) fn resize(&mut self, width: u16, height: u16) -> &mut Self {
        self.master.resize(size(width, height)).unwrap();
        if let (Some(rows), Some(columns)) = (NonZeroU16::new(height), NonZeroU16::new(width)) {
            self.shown.0.lock().unwrap().screen_mut().set_size(rows, columns);
        }
        self
    }

    /// Waits until the program has ended; returns its exit code.
    #[track_caller]
    pub(crate) fn exit(&mut self) -> u32 {
        let until = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(Instant::now() < until, "it never ends:\n{}", self.shown.0.lock().unwrap().screen().contents());
            std::thread::yield_now();
        }
    }

    /// Waits until the screen is the shell's again, which has wishes of its own.
    #[track_caller]
    pub(crate) fn is_left(&mut self) -> &mut Self {
        let mouse = vt100::MouseProtocolMode::None;
        self.wait("the shell's screen", |screen| !screen.alternate_screen() && screen.mouse_protocol_mode() == mouse);
        self
    }

    /// Waits until nothing of what pdblens asks of a terminal is left on.
    #[track_caller]
    pub(crate) fn is_whole(&mut self) -> &mut Self {
        self.wait("a whole terminal", |screen| {
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && !screen.bracketed_paste()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        });
        self
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// Sends a signal to a process that a test started.
pub(crate) fn signal(id: u32, name: &str) {
    let status = std::process::Command::new("kill").args([format!("-{name}"), id.to_string()]).status().unwrap();
    assert!(status.success());
}
