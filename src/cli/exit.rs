use std::io;
use std::process::{ExitCode, Termination};

use crate::session::OpenError;

/// Exit code of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: success.
    Done,
    /// 1: failure.
    Failed,
    /// 2: wrong arguments.
    Usage,
    /// 3: success with findings.
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

/// Failure of a command: what happened, where, and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No file could be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// NoInput could be printed.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
    /// A place that does not exist.
    #[error("{0}")]
    Place(String),
    /// No file was named.
    #[error("nothing to open · tip: name a DLL or a PDB, or --sample for the built-in sample")]
    NoInput,
    /// Something else, in one sentence.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// Returns true if the reader of a pipe closed it.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The exit code that goes with it.
    pub const fn exit(&self) -> Exit {
        match self {
            Self::Place(_) | Self::NoInput | Self::Open(OpenError::Ambiguous { .. } | OpenError::NothingInside(_)) => {
                Exit::Usage
            }
            _ => Exit::Failed,
        }
    }
}
