use super::Span;

/// What a read comes to.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, and at which bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Error {
    /// What went wrong.
    pub kind: ErrorKind,
    /// The bytes that could not be read, or that say something impossible.
    pub span: Span,
}

/// What can be wrong with bytes. One sentence a kind; [`ErrorKind::Invalid`] brings its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A value would reach past the end of what holds it.
    #[error("unexpected end: {wanted} bytes needed, {left} left")]
    UnexpectedEnd {
        /// How many bytes the value takes.
        wanted: u64,
        /// How many there are.
        left: u64,
    },
    /// A rule of the format is broken.
    #[error("{0}")]
    Invalid(&'static str),
    /// A number that should choose something chooses nothing.
    #[error("no {what} {index}: there are {count}")]
    NoSuch {
        /// What was to be chosen: "row", "stream", "page".
        what: &'static str,
        /// The number that was read.
        index: u64,
        /// How many there are to choose from.
        count: u64,
    },
    /// A size that would take more memory than pdblens gives to one thing.
    #[error("{what} says it takes {size} bytes, more than the {ceiling} that pdblens allows")]
    TooLarge {
        /// What says so.
        what: &'static str,
        /// The size it claims.
        size: u64,
        /// The most that is allowed.
        ceiling: u64,
    },
    /// Nested without end, or as good as.
    #[error("{0} nested too deeply")]
    TooDeep(&'static str),
    /// A chain that comes back to where it began.
    #[error("{0} goes round in a circle")]
    Circular(&'static str),
    /// Compressed data that does not inflate.
    #[error("compressed data does not inflate: {0}")]
    Inflate(&'static str),
    /// The operating system would not read the file.
    #[error("cannot be read: {0}")]
    Io(std::io::ErrorKind),
}

impl Error {
    /// An error of `kind` at `span`.
    pub const fn new(kind: ErrorKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// A broken rule, in one sentence, at `span`.
    pub const fn invalid(sentence: &'static str, span: Span) -> Self {
        Self::new(ErrorKind::Invalid(sentence), span)
    }
}
