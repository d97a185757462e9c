//! Owners of a byte: the way back from an offset of a file, or of a derived space, to the nodes that have it.
//!
//! Headers, rows and records know their bytes; this is the way back. Everything is found by its address: tables by their
//! layout, entries, bodies and records by a search in what a [`LazyIndex`] found. Where that was not made yet the answer is
//! coarser, and says what it needs.

mod functions;
mod image;
mod metadata;
mod methods;
mod mono;
mod streams;

use crate::nodes;
use crate::nodes::stream::PdbView;
pub use crate::nodes::within::{Within, within};

use crate::bytes::{Space, SpaceId, Span};
use crate::formats::metadata::Token;
use crate::nodes::Place;
use crate::nodes::Side;
use crate::nodes::lazy_index::LazyIndex;
use crate::session::Session;

/// Something that has a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Place of the owner.
    pub place: Place,
    /// Its bytes there.
    pub span: Span,
}

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

/// A byte whose owners are looked for.
struct Search<'s> {
    session: &'s Session,
    /// Of methods that share a body or points, the one that is meant.
    near: Option<Token>,
    byte: Span,
    owners: Vec<Owner>,
    required_index: Option<LazyIndex>,
}

/// Owners of the byte at `offset` of a space, the smallest first; of methods that share it `near` is meant.
pub fn owner_at(session: &Session, space: SpaceId, offset: u64, near: Option<Token>) -> ByteOwners {
    let len = session.spaces().get(space).map_or(0, Space::len);
    let byte = Span::new(space, offset, 1);
    if offset >= len {
        return ByteOwners::default();
    }
    let mut search = Search { session, near, byte, owners: Vec::new(), required_index: None };
    search.all();
    if search.owners.is_empty() {
        search.add(Place::Bytes(search.byte), search.byte);
    }
    // What was found first is what is meant where several have the same bytes.
    search.owners.sort_by_key(|owner| owner.span.len);
    ByteOwners { byte: search.byte, owners: search.owners, required_index: search.required_index }
}

impl Search<'_> {
    fn all(&mut self) {
        let session = self.session;
        if session.image().is_some_and(|image| image.space == self.byte.space) {
            return self.in_image();
        }
        if PdbView::of(session).is_some() {
            return self.in_msf();
        }
        if Side::Pdb.metadata(session).is_some_and(|found| found.root.region.span().covers(self.byte)) {
            return self.in_metadata(Side::Pdb);
        }
        if !self.in_mono() {
            self.in_header();
        }
    }

    /// Adds what has the byte.
    fn add(&mut self, place: Place, span: Span) {
        if span.covers(self.byte) {
            self.owners.push(Owner { place, span });
        }
    }

    /// Returns whether an index is available; if not, records that a better answer needs it.
    fn has_index(&mut self, index: LazyIndex) -> bool {
        let can = nodes::is_cached(self.session, index);
        if !can {
            self.required_index = self.required_index.or(Some(index));
        }
        can
    }

    /// Adds the header and the rest of a file of which only the header is decoded.
    fn in_header(&mut self) {
        let Some(file) = self.session.symbol_file().filter(|file| file.space == self.byte.space) else { return };
        let len = self.session.spaces().get(file.space).map_or(0, Space::len);
        let header = nodes::bytes(self.session, Place::Header).unwrap_or_default();
        self.add(Place::Header, header);
        let rest = Span::new(file.space, header.end(), len.saturating_sub(header.end()));
        self.add(Place::Bytes(rest), rest);
    }
}
