use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::Error;
use crate::session::Session;
use crate::store::http::Http;
use crate::store::{SymbolPath, SymbolPaths};

/// Where symbols are that are not beside their image.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SymbolArgs {
    /// Search a folder, a symbol store, a server, or a path like `srv*cache*https://…` for symbols. A server is asked only if
    /// it is named here. Folders and stores of _NT_SYMBOL_PATH are searched too.
    #[arg(long, value_name = "PATH")]
    symbols: Vec<String>,
}

impl SymbolArgs {
    /// What the options name.
    pub(super) fn named(&self) -> SymbolPath {
        SymbolPath::parse(&self.symbols.join(";"))
    }

    /// The same, with what the environment names.
    pub fn paths(&self) -> SymbolPaths {
        SymbolPaths { named: self.named(), environment: SymbolPath::of_environment() }
    }

    /// The session with symbols from there, if it has none of its own.
    pub(super) fn complete(&self, session: Session) -> Result<Session, Error> {
        let mut shown = Shown::default();
        let (session, _) =
            self.paths().complete(session, Some(&Http::default()), &mut |done, of| shown.at(done, of))?;
        Ok(session)
    }
}

/// How far a transfer is, on a terminal's last line; nothing of it stays.
#[derive(Debug, Default)]
pub(super) struct Shown {
    began: Option<Instant>,
    last: Option<Instant>,
}

impl Shown {
    /// Shows that `done` bytes are there, if that has taken a while.
    pub(super) fn at(&mut self, done: u64, of: Option<u64>) -> ControlFlow<()> {
        let now = Instant::now();
        let began = *self.began.get_or_insert(now);
        let due = self.last.is_none_or(|last| now - last > Duration::from_millis(100));
        if now - began > Duration::from_millis(150) && due && io::stderr().is_terminal() {
            let mega = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
            let of = of.map_or(String::new(), |of| format!(" of {}", mega(of)));
            // Whether it can be shown is of no weight.
            let _ = write!(io::stderr(), "\r\x1b[Kfetching: {}{of}", mega(done));
            self.last = Some(now);
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if self.last.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
