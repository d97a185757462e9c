use std::fmt;

use super::Span;

/// Result of reading bytes.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure to read or decode bytes, and the bytes that it concerns.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub kind: ErrorKind,
    /// Bytes that are missing, invalid or inconsistent.
    pub span: Span,
}

/// Kind of an [`Error`]. Its `Display` is the message; [`ErrorKind::Invalid`] carries its own.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A value extends past the end of its container.
    #[error("unexpected end: {} needed, {left} left", Bytes(*.wanted))]
    UnexpectedEnd { wanted: u64, left: u64 },
    /// A rule of the format is violated; the message says which.
    #[error("{0}")]
    Invalid(&'static str),
    /// An index is out of range.
    #[error("no {what} {index}: there are {count}")]
    NoSuch {
        /// Kind of the indexed thing: "row", "stream", "page".
        what: &'static str,
        index: u64,
        /// Number of valid indices.
        count: u64,
    },
    /// A size that exceeds a limit of pdblens.
    #[error("{what} exceeds the limit: {size} bytes of at most {ceiling}")]
    TooLarge {
        /// Field that states the size.
        what: &'static str,
        size: u64,
        ceiling: u64,
    },
    /// Nesting beyond the limit.
    #[error("{0} nested too deeply")]
    TooDeep(&'static str),
    /// A chain of references that contains a cycle.
    #[error("{0} is circular")]
    Circular(&'static str),
    /// Compressed data that is corrupt.
    #[error("invalid compressed data: {0}")]
    Inflate(&'static str),
    /// A read that the operating system refused.
    #[error("cannot be read: {0}")]
    Io(std::io::ErrorKind),
}

/// Displays a number of bytes.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, if self.0 == 1 { "byte" } else { "bytes" })
    }
}

/// The message, with the offset where bytes are missing. [`Spaces::error_text`](super::Spaces::error_text) names the file
/// or stream too.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, None)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// Makes an error at `span`; for a broken rule there is [`Error::invalid`].
    pub const fn new(kind: ErrorKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// Writes the message; `space` is the name of the space that the span lies in.
    pub(super) fn write(&self, f: &mut impl fmt::Write, space: Option<&str>) -> fmt::Result {
        let ErrorKind::UnexpectedEnd { wanted, left } = self.kind else { return write!(f, "{}", self.kind) };
        f.write_str("unexpected end")?;
        if let Some(name) = space {
            write!(f, " of {name}")?;
        }
        write!(f, " at {:#x}: {} needed, {left} left", self.span.start, Bytes(wanted))
    }

    /// Returns an [`ErrorKind::Invalid`] with this message.
    pub const fn invalid(sentence: &'static str, span: Span) -> Self {
        Self::new(ErrorKind::Invalid(sentence), span)
    }
}
