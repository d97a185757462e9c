//! The error of the library.

use std::fmt;

use pdblens_formats::reason::Reason;
use pdblens_query::address::AddressError;
use pdblens_session::session::OpenError;

/// Reason why there is no answer, with its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Reason);

impl Error {
    pub(super) fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self(Reason::new(code, text))
    }

    /// The code and the sentence: the code stays when the sentence changes.
    pub const fn reason(&self) -> &Reason {
        &self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<AddressError> for Error {
    fn from(error: AddressError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}
