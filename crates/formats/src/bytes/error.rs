use std::fmt;
use std::ops::{Deref, DerefMut};

use super::Span;

/// Result of reading bytes.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure to read or decode bytes, and the bytes that it concerns. Boxed, so that a [`Result`] is hardly larger than
/// its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<ErrorDetails>);

/// Content of an [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorDetails {
    pub kind: ErrorKind,
    /// Bytes that are missing, invalid or inconsistent.
    pub span: Span,
}

/// Kind of an [`Error`]. Its `Display` is the message; [`ErrorKind::Invalid`] carries its own.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    #[error("unexpected end: {} needed, {left} left", byte_count(*.wanted))]
    UnexpectedEnd { wanted: u64, left: u64 },
    /// A part whose header states a size that its container has no room for.
    #[error("{what} of {} extends past the end: {left} left", byte_count(*.size))]
    PastEnd { what: &'static str, size: u64, left: u64 },
    /// A table whose header states more rows than its stream has room for, and the number of tables that have no room after it.
    #[error("{what} of {} extends past the end: {left} left, and none for {}", byte_count(*.size), tables_after(*.after))]
    TablesPastEnd { what: &'static str, size: u64, left: u64, after: u64 },
    #[error("{what} and {other} overlap by {}", byte_count(*.by))]
    Overlap { what: &'static str, other: &'static str, by: u64 },
    #[error("{0} is missing, and rows refer to it")]
    Missing(&'static str),
    #[error("{} after {after} are in no row", byte_count(*.bytes))]
    Leftover { after: &'static str, bytes: u64 },
    /// A rule of the format is violated; the message says which.
    #[error("{0}")]
    Invalid(&'static str),
    #[error("unknown {what} {}", number(*.value))]
    Unknown { what: &'static str, value: u64 },
    #[error("{what} is {}, expected {expected}", number(*.value))]
    Unexpected { what: &'static str, value: u64, expected: &'static str },
    #[error("{what} is {}, expected {}", number(*.value), number(*.expected))]
    Differs { what: &'static str, value: u64, expected: u64 },
    #[error("no {what} {index}: there are {count}")]
    NoSuch {
        /// Kind of the indexed thing: "row", "stream", "page".
        what: &'static str,
        index: u64,
        /// Number of valid indices.
        count: u64,
    },
    #[error("page {nth} of {} is number {page}, and the file has the pages 0 to {last}", page_owner(what, *.stream))]
    PageOutOfFile {
        /// Owner of the list, and the number of a stream.
        what: &'static str,
        stream: Option<u32>,
        /// Position in the list, from 0.
        nth: u64,
        page: u64,
        last: u64,
    },
    #[error(
        "page {page} belongs to stream {stream}, and bit {page} of FPM{map}, the active free page map, is 1 (free): it must be 0"
    )]
    FreePageInUse {
        page: u32,
        stream: u32,
        /// Number of the map, 1 or 2.
        map: u32,
    },
    #[error(
        "the directory size of {size} bytes in the superblock leaves room for {left} of {wanted} page numbers: it must be {needed}"
    )]
    DirectoryTooShort { size: u64, needed: u64, wanted: u64, left: u64 },
    /// A size that exceeds a limit of pdblens.
    #[error("{what} exceeds the limit: {size} bytes of at most {ceiling}")]
    TooLarge {
        /// Field that states the size.
        what: &'static str,
        size: u64,
        ceiling: u64,
    },
    /// Parts that are not read, because there are more than a limit of pdblens.
    #[error("{what}: {count} left out, because at most {max} are read")]
    LeftOut {
        /// Kind of the parts: "streams".
        what: &'static str,
        count: u64,
        max: u64,
    },
    #[error("{0} nested too deeply")]
    TooDeep(&'static str),
    #[error("{0} is circular")]
    Circular(&'static str),
    #[error("invalid compressed data: {0}")]
    Inflate(&'static str),
    #[error("cannot be read: {0}")]
    Io(std::io::ErrorKind),
}

impl ErrorKind {
    /// Code of the kind, which stays when the message changes.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnexpectedEnd { .. } => "unexpected-end",
            Self::PastEnd { .. } | Self::TablesPastEnd { .. } => "past-end",
            Self::Overlap { .. } => "overlap",
            Self::Missing(_) => "missing",
            Self::Leftover { .. } => "leftover",
            Self::Invalid(_) => "invalid",
            Self::Unknown { .. } => "unknown",
            Self::Unexpected { .. } | Self::Differs { .. } => "unexpected",
            Self::NoSuch { .. } => "no-such",
            Self::PageOutOfFile { .. } => "page-out-of-file",
            Self::FreePageInUse { .. } => "free-page-in-use",
            Self::DirectoryTooShort { .. } => "directory-too-short",
            Self::TooLarge { .. } => "too-large",
            Self::LeftOut { .. } => "left-out",
            Self::TooDeep(_) => "too-deep",
            Self::Circular(_) => "circular",
            Self::Inflate(_) => "inflate",
            Self::Io(_) => "io",
        }
    }
}

/// Returns the value, or keeps the error among `problems`.
pub(crate) fn or_problem<T>(result: Result<T>, problems: &mut Vec<Error>) -> Option<T> {
    result.map_err(|error| problems.push(error)).ok()
}

fn byte_count(count: u64) -> String {
    format!("{count} {}", if count == 1 { "byte" } else { "bytes" })
}

fn page_owner(what: &str, stream: Option<u32>) -> String {
    stream.map_or_else(|| what.to_owned(), |stream| format!("stream {stream}"))
}

fn tables_after(count: u64) -> String {
    if count == 1 { "the table after it".to_owned() } else { format!("the {count} tables after it") }
}

/// A value: small numbers as people count, others in hexadecimal.
fn number(value: u64) -> String {
    if value < 10 { value.to_string() } else { format!("{value:#x}") }
}

/// The message, with the offset where bytes are missing. [`Spaces::error_text`](super::Spaces::error_text) names the file
/// or stream too.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(format_args!("at {:#x}", self.span.start)))
    }
}

impl std::error::Error for Error {}

impl Deref for Error {
    type Target = ErrorDetails;

    fn deref(&self) -> &ErrorDetails {
        &self.0
    }
}

impl DerefMut for Error {
    fn deref_mut(&mut self) -> &mut ErrorDetails {
        &mut self.0
    }
}

impl Error {
    /// Makes an error at `span`; for a broken rule there is [`Error::invalid`].
    #[cold]
    pub fn new(kind: ErrorKind, span: Span) -> Self {
        Self(Box::new(ErrorDetails { kind, span }))
    }

    /// Returns the same failure, blamed on other bytes: those that led to the bytes which could not be read.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = span;
        self
    }

    /// The message; `place` says where bytes are missing.
    pub(super) fn message(&self, place: fmt::Arguments<'_>) -> String {
        let ErrorKind::UnexpectedEnd { wanted, left } = self.kind else { return self.kind.to_string() };
        format!("unexpected end {place}: {} needed, {left} left", byte_count(wanted))
    }

    /// Returns an [`ErrorKind::Invalid`] with this message.
    pub fn invalid(sentence: &'static str, span: Span) -> Self {
        Self::new(ErrorKind::Invalid(sentence), span)
    }

    /// Returns an [`ErrorKind::Unknown`]: `unknown opcode 0xfe24`.
    pub fn unknown(what: &'static str, value: impl Into<u64>, span: Span) -> Self {
        Self::new(ErrorKind::Unknown { what, value: value.into() }, span)
    }

    /// Returns an [`ErrorKind::Unexpected`]: `version of the name snapshot is 2, expected 1`.
    pub fn unexpected(what: &'static str, value: impl Into<u64>, expected: &'static str, span: Span) -> Self {
        Self::new(ErrorKind::Unexpected { what, value: value.into(), expected }, span)
    }

    /// Returns an [`ErrorKind::NoSuch`]: `no row 17: there are 12`.
    pub fn no_such(what: &'static str, index: impl Into<u64>, count: u64, span: Span) -> Self {
        Self::new(ErrorKind::NoSuch { what, index: index.into(), count }, span)
    }
}
