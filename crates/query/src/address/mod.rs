//! Addresses as people and tools write them.
//!
//! [`parse_address`] is the one way from text to an [`Address`], for the prompt of the screens and for the arguments of the commands;
//! `Display` prints an address that it reads again. Callers that have numbers make the value, and print nothing.
//!
//! [`parse_address`]: crate::ask::parse_address

mod code;
mod line;
mod mistaken;
mod native_code;
mod notations;
pub mod offset;

pub use code::{OffsetQuery, joined, name_part, parse_native, parse_offset};
pub(crate) use code::{offset_at_place, offset_in, past_end};
pub use line::{LineQuery, line_query, parse_line, split_line};
pub(crate) use mistaken::{line_for_offset, source_line};
pub use native_code::offset_at;

use pdblens_nodes::Place;
use pdblens_nodes::resolve::{ResolveError, with_nearest};
use pdblens_session::session::Session;
use std::fmt;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A node, by its path, its token, its number, its id, or an offset or address of its bytes.
    Place(Place),
    Code(OffsetQuery),
    Line(LineQuery),
}

/// `method/0x06000003`, `0x06000003+0xf`, `1:13:9`: without names, which several things may have.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(place) => place.fmt(f),
            Self::Code(OffsetQuery { of, offset }) => write!(f, "{of}+{offset:#x}"),
            Self::Line(LineQuery { documents, line, column, .. }) => {
                // All documents of a line have one path.
                write!(f, "{}:{line}", documents.first().copied().unwrap_or_default())?;
                column.map_or(Ok(()), |column| write!(f, ":{column}"))
            }
        }
    }
}

/// Reason why a text is no address, and the part of the text that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    pub kind: AddressErrorKind,
    /// Bytes of the text that are wrong; past its end where all of it is.
    pub at: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressErrorKind {
    /// No method or function has the name. The path error lacks the nearest path.
    Unknown {
        /// `method` or `function`.
        noun: &'static str,
        /// Name in the text; `None` for a text that is written like no name.
        name: Option<String>,
        path: Box<ResolveError>,
    },
    NoDocument {
        name: String,
        nearest: Option<String>,
        /// Command that lists the documents.
        list: String,
    },
    /// The text after a method or a function is no offset of it.
    NotAnOffset {
        /// The method or function, as it is written.
        of: String,
        rest: String,
    },
    /// A name or path that is known, and leads nowhere or to several places.
    Resolve(ResolveError),
    /// An address of another kind than a command takes: a line for an offset, or an offset for a line.
    OtherKind(String),
    /// A notation that is recognised, with a number or name that the open files do not have.
    Refused(String),
}

impl AddressError {
    /// Its code in JSON.
    pub const fn code(&self) -> &'static str {
        match &self.kind {
            AddressErrorKind::Unknown { .. } => "unknown",
            AddressErrorKind::NoDocument { .. } => "no-document",
            AddressErrorKind::NotAnOffset { .. } => "not-an-offset",
            AddressErrorKind::Resolve(error) => error.code(),
            AddressErrorKind::OtherKind(_) => "other-kind",
            AddressErrorKind::Refused(_) => "refused",
        }
    }

    /// Returns true for a text that has the name of nothing: it may be an address of another kind.
    pub const fn is_unknown(&self) -> bool {
        matches!(self.kind, AddressErrorKind::Unknown { .. })
    }

    /// Returns true where the name is known, and only its parameters are those of no overload.
    pub const fn is_no_overload(&self) -> bool {
        matches!(self.kind, AddressErrorKind::Resolve(ResolveError::NoOverload { .. }))
    }

    /// Returns true for a line of a document that is not known, or not the only one with its name.
    pub const fn is_about_document(&self) -> bool {
        matches!(
            self.kind,
            AddressErrorKind::NoDocument { .. } | AddressErrorKind::Resolve(ResolveError::Ambiguous(..))
        )
    }

    /// The sentence of a command: for an unknown name, with the path that is nearest.
    pub fn with_nearest(&self, session: &Session) -> String {
        match &self.kind {
            AddressErrorKind::Unknown { path, .. } => with_nearest(session, (**path).clone()).to_string(),
            _ => self.to_string(),
        }
    }

    /// The error with its position moved by `before` bytes, for a text that is a part of a longer one.
    #[must_use]
    pub fn after(self, before: usize) -> Self {
        Self { at: self.at.start.saturating_add(before)..self.at.end.saturating_add(before), ..self }
    }

    /// The error about a part of a text.
    #[must_use]
    pub fn about(self, text: &str, part: &str) -> Self {
        let at = match text.find(part) {
            Some(start) => start..start + part.len(),
            None => self.at,
        };
        Self { at, ..self }
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl fmt::Display for AddressErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { noun, name: Some(name), .. } => write!(f, "no {noun} named {name}"),
            Self::Unknown { path, .. } => path.fmt(f),
            Self::Resolve(error) => error.fmt(f),
            Self::NoDocument { name, nearest: Some(nearest), .. } => {
                ResolveError::Near(name.clone(), nearest.clone()).fmt(f)
            }
            Self::NoDocument { name, list, .. } => {
                write!(f, "no document is called {name:?} · tip: `{list}` lists them all")
            }
            Self::NotAnOffset { of, rest } => {
                write!(f, "{rest:?} is not an offset of {of}{}", code::offset_tip(of, rest, "write"))
            }
            Self::OtherKind(why) | Self::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for AddressError {}

impl From<AddressErrorKind> for AddressError {
    fn from(kind: AddressErrorKind) -> Self {
        Self { kind, at: 0..usize::MAX }
    }
}

impl From<ResolveError> for AddressError {
    fn from(error: ResolveError) -> Self {
        AddressErrorKind::Resolve(error).into()
    }
}

impl From<String> for AddressError {
    fn from(why: String) -> Self {
        AddressErrorKind::Refused(why).into()
    }
}

#[cfg(test)]
mod tests;
