//! Addresses as people and tools write them.
//!
//! [`parse_address`] is the one way from text to an [`Address`], for the prompt of the screens and for the arguments of the commands;
//! `Display` prints an address that it reads again. Callers that have numbers make the value, and print nothing.
//!
//! [`parse_address`]: crate::ask::parse_address

use crate::breakpoint::LineQuery;
use crate::where_is::parse::OffsetQuery;
use pdblens_nodes::Place;
use pdblens_nodes::resolve::{ResolveError, with_nearest};
use pdblens_session::session::Session;
use std::fmt;

/// Subject that a text refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A node, by its path, its token, its number, its id, or an offset or address of its bytes.
    Place(Place),
    /// An offset in a method or a function.
    Code(OffsetQuery),
    /// A line of a document.
    Line(LineQuery),
}

/// `method/0x06000003`, `0x06000003+0xf`, `1:13:9`: without names, which several things may have.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(place) => place.fmt(f),
            Self::Code(OffsetQuery { of, offset }) => write!(f, "{of}+{offset:#x}"),
            Self::Line(LineQuery { documents, line, column }) => {
                // All documents of a line have one path.
                write!(f, "{}:{line}", documents.first().copied().unwrap_or_default())?;
                column.map_or(Ok(()), |column| write!(f, ":{column}"))
            }
        }
    }
}

/// Reason why a text is no address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressError {
    /// Nothing has the name. The path error lacks the nearest path.
    Unknown {
        /// `method` or `function`.
        noun: &'static str,
        /// Name in the text; `None` for a text that is written like no name.
        name: Option<String>,
        /// Error of the text as a path.
        path: ResolveError,
    },
    /// A name or path that is known, and leads nowhere or to several places.
    Resolve(ResolveError),
    /// A notation that is recognised, with a number or name that the open files do not have.
    Refused(String),
}

impl AddressError {
    /// Returns whether the name is known, and only its parameters are those of no overload.
    pub const fn is_no_overload(&self) -> bool {
        matches!(self, Self::Resolve(ResolveError::NoOverload { .. }))
    }

    /// The error of a command: for an unknown name, with the path that is nearest.
    pub fn with_nearest(self, session: &Session) -> ResolveError {
        match self {
            Self::Unknown { path, .. } => with_nearest(session, path),
            Self::Resolve(error) => error,
            Self::Refused(why) => ResolveError::NotThere(why),
        }
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { noun, name: Some(name), .. } => write!(f, "no {noun} named {name}"),
            Self::Unknown { path: error, .. } | Self::Resolve(error) => error.fmt(f),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for AddressError {}

impl From<ResolveError> for AddressError {
    fn from(error: ResolveError) -> Self {
        Self::Resolve(error)
    }
}

impl From<String> for AddressError {
    fn from(why: String) -> Self {
        Self::Refused(why)
    }
}

#[cfg(test)]
mod tests;
