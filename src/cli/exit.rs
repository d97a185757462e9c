use std::io;
use std::ops::Range;
use std::path::Path;
use std::process::{ExitCode, Termination};

use crate::formats::reason::Reason;
use crate::session::OpenError;

/// Exit code of a run.
///
/// The code of a run is the greatest of its parts: an error outweighs a finding, and a finding success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: answered.
    Done,
    /// 3: no answer, or a finding.
    Findings,
    /// 2: misuse: the arguments are wrong, whatever is in the files.
    Usage,
    /// 1: an error of the input or of the machine.
    Failed,
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
    /// Standard output cannot be written.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
    /// The arguments are wrong, whatever is in the files.
    #[error("{0}")]
    Usage(String),
    /// The files have no answer: a place that does not exist, a PDB that there is not.
    #[error("{0}")]
    NoAnswer(String),
    /// A text that is no address in these files.
    #[error("{sentence}")]
    Address {
        sentence: String,
        text: String,
        /// Bytes of the text that are wrong; past its end where all of it is.
        at: Range<usize>,
    },
    #[error("nothing to open · tip: name a DLL or a PDB, or --sample for the built-in sample")]
    NoInput,
    /// Something else, in one sentence.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// A file that cannot be written: where, and why.
    pub fn cannot_write(path: &Path, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "no such folder".to_owned(),
            io::ErrorKind::PermissionDenied => "no permission".to_owned(),
            _ => error.to_string(),
        };
        Self::Other(format!("cannot write {}: {why}", path.display()))
    }

    /// Returns true if the reader of a pipe closed it.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The sentence with its code.
    pub fn reason(&self) -> Reason {
        let code = match self {
            Self::Open(error) => error.code(),
            Self::Io(_) => "io",
            Self::Usage(_) => "usage",
            Self::NoAnswer(_) => "no-answer",
            Self::Address { .. } => "address",
            Self::NoInput => "no-input",
            Self::Other(_) => "failed",
        };
        Reason::new(code, self.to_string())
    }

    pub const fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) | Self::NoInput | Self::Open(OpenError::Ambiguous { .. }) => Exit::Usage,
            Self::NoAnswer(_) | Self::Address { .. } | Self::Open(OpenError::NothingInside(_)) => Exit::Findings,
            _ => Exit::Failed,
        }
    }
}
