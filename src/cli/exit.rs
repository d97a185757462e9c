use std::io;
use std::process::{ExitCode, Termination};

use crate::session::OpenError;

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done: 0.
    Done,
    /// It failed: 1.
    Failed,
    /// The words of the command were wrong: 2.
    Usage,
    /// It was done, and something was found: 3.
    Findings,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Findings => 3,
        })
    }
}

/// Why a command failed: what, where, and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No file could be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Nothing could be printed.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
    /// A place that is not there.
    #[error("{0}")]
    Place(String),
    /// Something else, in one sentence.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// Whether whoever read our output has had enough.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The exit code that goes with it.
    pub const fn exit(&self) -> Exit {
        match self {
            Self::Place(_) => Exit::Usage,
            _ => Exit::Failed,
        }
    }
}
