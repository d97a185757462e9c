//! Owners of a byte: the nodes that contain a given offset of a file or of a derived space.
//!
//! Headers, rows and records know their spans; here each kind finds its own nodes by a byte offset (`Kind::OWNERS`): tables by their
//! layout, and entries, bodies and records by a search in a [`LazyIndex`]. If that index has not been built yet, the answer is coarser,
//! and names the index that it requires.

use crate::lazy_index::{LazyIndex, is_cached};
use crate::place::Place;
use pdblens_formats::bytes::Span;
use pdblens_formats::metadata::Token;
use pdblens_session::session::Session;

/// Something that has a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "owner"))]
pub struct Owner {
    /// Place of the owner.
    pub place: Place,
    /// Its bytes there.
    pub span: Span,
}

/// Turns in which the kinds are asked, in this order. From `MetadataGaps` on the next turn is taken only if there is no owner yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Turn {
    /// Pages of an MSF file: a byte of one is taken for that of the stream that the page belongs to.
    Pages,
    /// Structures that headers, tables and indexes lead to.
    Records,
    /// Other nodes that have the bytes of a record: the document of a row, the points in a blob.
    Aliases,
    /// Between the tables and heaps of metadata.
    MetadataGaps,
    MachineCode,
    MethodBodies,
    /// Between what is known of a file.
    Gaps,
    Sections,
}

/// Adds the nodes of a kind that have the byte, when it is its turn. It is called each time that the cursor moves: most bytes are
/// none of a kind, which it says by their space or range.
pub(crate) type FindOwners = (Turn, fn(&mut OwnerSearch<'_>));

/// A byte whose owners are searched for.
pub struct OwnerSearch<'s> {
    pub session: &'s Session,
    /// Of methods that share a body or points, the one that is meant.
    pub near: Option<Token>,
    /// The byte; from `Turn::Records` on that of a stream, where its page belongs to one.
    pub byte: Span,
    /// In the order in which they were found.
    pub owners: Vec<Owner>,
    /// First index that a better answer needs.
    pub required_index: Option<LazyIndex>,
}

impl OwnerSearch<'_> {
    pub fn add(&mut self, place: Place, span: Span) {
        if span.covers(self.byte) {
            self.owners.push(Owner { place, span });
        }
    }

    /// Returns whether an index is available; if not, records that a better answer needs it.
    pub(crate) fn has_index(&mut self, index: LazyIndex) -> bool {
        let can = is_cached(self.session, index);
        if !can {
            self.required_index = self.required_index.or(Some(index));
        }
        can
    }

    /// Returns whether the byte is one of the image as it is in the file.
    pub(crate) fn is_in_image(&self) -> bool {
        self.session.image().is_some_and(|image| image.space == self.byte.space)
    }
}
