use super::Span;

/// Result of reading bytes.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure to read or decode bytes, and the bytes that it concerns.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
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
    #[error("unexpected end: {wanted} bytes needed, {left} left")]
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
    #[error("{what} says it takes {size} bytes, more than the {ceiling} that pdblens allows")]
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
    #[error("{0} goes round in a circle")]
    Circular(&'static str),
    /// Compressed data that is corrupt.
    #[error("compressed data does not inflate: {0}")]
    Inflate(&'static str),
    /// A read that the operating system refused.
    #[error("cannot be read: {0}")]
    Io(std::io::ErrorKind),
}

impl Error {
    /// Makes an error at `span`; for a broken rule there is [`Error::invalid`].
    pub const fn new(kind: ErrorKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// Returns an [`ErrorKind::Invalid`] with this message.
    pub const fn invalid(sentence: &'static str, span: Span) -> Self {
        Self::new(ErrorKind::Invalid(sentence), span)
    }
}
