//! Owners of a byte: the nodes that have it, each found by its kind.

pub use crate::nodes::owner::Owner;
pub use crate::nodes::within::{Within, named, within};

use crate::bytes::{Space, SpaceId, Span};
use crate::formats::metadata::Token;
use crate::nodes::Place;
use crate::nodes::lazy_index::LazyIndex;
use crate::nodes::owner::OwnerSearch;
use crate::session::Session;

/// Everything that has a byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteOwners {
    /// The byte, as what has it counts: a byte of a page is one of the stream that the page belongs to.
    pub byte: Span,
    /// Owners of the byte, innermost first; never empty inside the file.
    pub owners: Vec<Owner>,
    /// Index to build for a better answer.
    pub required_index: Option<LazyIndex>,
}

/// Owners of the byte at `offset` of a space, the smallest first; of methods that share it `near` is meant.
pub fn owner_at(session: &Session, space: SpaceId, offset: u64, near: Option<Token>) -> ByteOwners {
    let len = session.spaces().get(space).map_or(0, Space::len);
    if offset >= len {
        return ByteOwners::default();
    }
    let mut search = OwnerSearch::run(session, Span::new(space, offset, 1), near);
    if search.owners.is_empty() {
        search.add(Place::Bytes(search.byte), search.byte);
    }
    // What was found first is what is meant where several have the same bytes.
    search.owners.sort_by_key(|owner| owner.span.len);
    ByteOwners { byte: search.byte, owners: search.owners, required_index: search.required_index }
}
