//! Progress of a check of many pairs: one line on standard error where that is a terminal, rewritten and taken away at the end.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::cli::Error;
use crate::cli::output::Out;
use crate::text::safe::count;

/// Time without a line: a check that is done by then shows none.
const DELAY: Duration = Duration::from_millis(300);
/// Time between two states of the line.
const INTERVAL: Duration = Duration::from_millis(100);
/// Carriage return, and the sequence that erases from the cursor to the end of the line.
const ERASE: &str = "\r\x1b[K";

/// The line.
pub(super) struct Progress {
    total: usize,
    done: usize,
    /// Time from which it is written again; `None` where no line is wanted.
    due: Option<Instant>,
    /// True if the line is on the terminal and nothing that erases it was written since.
    shown: bool,
    /// Width of the terminal in cells.
    cells: usize,
}

impl Progress {
    /// A line for `total` pairs, which is written only on a terminal that a person looks at.
    pub(super) fn new(total: usize) -> Self {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "false");
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let is_wanted = total > 1 && io::stderr().is_terminal() && !dumb && !is_set("CI");
        let size = terminal_size::terminal_size_of(io::stderr());
        Self {
            total,
            done: 0,
            due: if is_wanted { Instant::now().checked_add(DELAY) } else { None },
            shown: false,
            cells: size.map_or(80, |(width, _)| usize::from(width.0)),
        }
    }

    /// Erases the line before something is printed on the same terminal: in the order of the output, which is buffered.
    pub(super) fn before(&mut self, out: &mut Out) -> Result<(), Error> {
        if self.shown && out.is_terminal() {
            out.raw(ERASE)?;
            self.shown = false;
        }
        Ok(())
    }

    /// Counts a pair, and writes the line if it is time to.
    pub(super) fn advance(&mut self, out: &mut Out) -> Result<(), Error> {
        self.done = self.done.saturating_add(1);
        if self.due.is_none_or(|due| Instant::now() < due) {
            return Ok(());
        }
        // Buffered output first: the line is below it.
        out.finish()?;
        let text = format!("checked {} of {}", self.done, count(self.total as u64, "pair"));
        let text: String = text.chars().take(self.cells.saturating_sub(1)).collect();
        // A terminal that is gone is reported by the next write to standard output.
        let _ = write!(io::stderr(), "{ERASE}{text}");
        self.shown = true;
        self.due = Instant::now().checked_add(INTERVAL);
        Ok(())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "{ERASE}");
        }
    }
}
