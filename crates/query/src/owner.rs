//! Owners of a byte: the nodes that have it, each found by its kind.

pub use pdblens_nodes::owner::Owner;
pub use pdblens_nodes::within::{Within, named, within};

use pdblens_formats::bytes::{Space, SpaceId, Span};
use pdblens_nodes::fields::{FieldRow, Fields};
use pdblens_nodes::owner::OwnerSearch;
use pdblens_nodes::{self as nodes, LazyIndex, Place, Token, build_index};
use pdblens_session::session::Session;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteOwners {
    /// The byte, as what has it counts: a byte of a page is one of the stream that the page belongs to.
    pub byte: Span,
    /// Owners of the byte, innermost first; never empty inside the file.
    pub owners: Vec<Owner>,
    /// Index to build for a better answer.
    pub required_index: Option<LazyIndex>,
}

/// Owners of the byte at `offset` of a space, the smallest first; of methods that share it, `near` is preferred.
pub fn owner_at(session: &Session, space: SpaceId, offset: u64, near: Option<Token>) -> ByteOwners {
    let len = session.spaces().get(space).map_or(0, Space::len);
    if offset >= len {
        return ByteOwners::default();
    }
    let mut search = OwnerSearch::run(session, Span::new(space, offset, 1), near);
    if search.owners.is_empty() {
        search.add(Place::Bytes(search.byte), search.byte);
    }
    // The sort is stable: the owner found first leads those with the same bytes.
    search.owners.sort_by_key(|owner| owner.span.len);
    ByteOwners { byte: search.byte, owners: search.owners, required_index: search.required_index }
}

/// The record that has a byte in one of its fields.
#[derive(Clone, Debug)]
pub struct RecordAt {
    /// The bytes as they were named.
    pub named: Span,
    /// The same bytes in the space of the record: those of a page are of the stream that the page belongs to.
    pub bytes: Span,
    pub place: Place,
    /// Everything that has the first byte, the smallest first.
    pub owners: Vec<Owner>,
}

impl RecordAt {
    /// Returns true if a field, which is no group, has one of the bytes.
    pub fn is_in(&self, field: &FieldRow) -> bool {
        !field.group && overlaps(field.span, self.bytes)
    }
}

/// Finds the smallest record with a field that has the first of `bytes`; `None` where none has it, and for a range that the file does not have. Builds the indexes that it needs.
pub fn record_at(session: &Session, bytes: Span) -> Option<RecordAt> {
    if !nodes::exists(session, Place::Bytes(bytes)) {
        return None;
    }
    let mut found = owner_at(session, bytes.space, bytes.start, None);
    // Each index is asked for once, unless it cannot be built.
    let mut built = Vec::new();
    while let Some(index) = found.required_index.filter(|index| !built.contains(index)) {
        build_index(session, index);
        built.push(index);
        found = owner_at(session, bytes.space, bytes.start, None);
    }
    let asked = Span::new(found.byte.space, found.byte.start, bytes.len);
    let has_it = |fields: &Fields| fields.rows.iter().any(|field| !field.group && overlaps(field.span, found.byte));
    let place = found
        .owners
        .iter()
        .map(|owner| owner.place)
        .find(|place| nodes::fields(session, *place).as_ref().is_some_and(has_it))?;
    Some(RecordAt { named: bytes, bytes: asked, place, owners: found.owners })
}

const fn overlaps(one: Span, other: Span) -> bool {
    one.space.0 == other.space.0 && one.start < other.end() && other.start < one.end()
}
