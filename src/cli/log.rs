//! The log that `PDBLENS_LOG` asks for: a line an event on standard error.

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::time::Instant;

use log::{LevelFilter, Metadata, Record};

struct Log {
    since: Instant,
}

static LOG: OnceLock<Log> = OnceLock::new();

/// Begins the log where `PDBLENS_LOG` names a level: error, warn, info, debug, trace.
///
/// Screens have no log on the terminal that they draw on: there standard error must be a file or a pipe.
pub(super) fn begin(screens: bool) {
    let level = std::env::var("PDBLENS_LOG").ok().and_then(|level| level.parse::<LevelFilter>().ok());
    let Some(level) = level.filter(|_| !(screens && io::stderr().is_terminal())) else { return };
    if log::set_logger(LOG.get_or_init(|| Log { since: Instant::now() })).is_ok() {
        log::set_max_level(level);
    }
}

impl log::Log for Log {
    /// Libraries are not logged: a request of theirs may name a token.
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("pdblens")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let (time, target) = (self.since.elapsed().as_secs_f64() * 1e3, record.target());
            // A log that cannot be written is no reason to fail.
            let _ = writeln!(io::stderr(), "{time:10.3} ms  {target}: {}", record.args());
        }
    }

    fn flush(&self) {}
}
