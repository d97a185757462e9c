//! Progress: one line on standard error where that is a terminal, rewritten in place and erased at the end.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::Error;
use super::output::Out;
use crate::text::safe::count;

/// Delay before the line is shown: work that ends earlier shows none.
const DELAY: Duration = Duration::from_millis(300);
const INTERVAL: Duration = Duration::from_millis(100);
/// Carriage return, and the sequence that erases from the cursor to the end of the line.
const ERASE: &str = "\r\x1b[K";

pub(super) struct StatusLine {
    /// Time from which it is written again; `None` where no line is wanted.
    due: Option<Instant>,
    /// True if the line is on the terminal and nothing that erases it was written since.
    shown: bool,
}

impl StatusLine {
    /// A line that is written only on a terminal that a person looks at.
    pub(super) fn new() -> Self {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "false");
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let is_wanted = io::stderr().is_terminal() && !dumb && !is_set("CI");
        Self { due: if is_wanted { Instant::now().checked_add(DELAY) } else { None }, shown: false }
    }

    /// Erases the line before something is printed on the same terminal: in the order of the output, which is buffered.
    pub(super) fn before(&mut self, out: &mut Out) -> Result<(), Error> {
        if self.shown && out.is_terminal() {
            out.raw(ERASE)?;
            self.shown = false;
        }
        Ok(())
    }

    /// Writes how many of the pairs are checked, if it is time to.
    pub(super) fn checked(&mut self, done: usize, of: usize, out: &mut Out) -> Result<(), Error> {
        if of > 1 && self.is_due() {
            // Buffered output first: the line is below it.
            out.finish()?;
            self.write(&format!("checked {done} of {}", count(of as u64, "pair")));
        }
        Ok(())
    }

    /// Writes how many bytes have arrived, if it is time to; the transfer goes on.
    pub(super) fn fetched(&mut self, done: u64, of: Option<u64>) -> ControlFlow<()> {
        if self.is_due() {
            let mega = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
            let of = of.map_or(String::new(), |of| format!(" of {}", mega(of)));
            self.write(&format!("fetching: {}{of}", mega(done)));
        }
        ControlFlow::Continue(())
    }

    fn is_due(&self) -> bool {
        self.due.is_some_and(|due| Instant::now() >= due)
    }

    fn write(&mut self, text: &str) {
        let cells = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
        let text: String = text.chars().take(cells.saturating_sub(1)).collect();
        // A terminal that is gone is reported by the next write to standard output.
        let _ = write!(io::stderr(), "{ERASE}{text}");
        self.shown = true;
        self.due = Instant::now().checked_add(INTERVAL);
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "{ERASE}");
        }
    }
}
