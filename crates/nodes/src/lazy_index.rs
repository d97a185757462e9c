//! Indexes that are built by reading all of something: a heap, a stream, the bodies of all methods. Each is built once, when it is first
//! needed, and kept.
//!
//! A caller that needs an index waits until it is built. Callers that must not wait, such as the screens, first ask whether an index is
//! required (`required_index`) and build it on another thread (`build_index`).
//!
//! A kind of node declares its index as a static `IndexKind` in its own file, and keeps the values in the cache of the session.

use crate::place::Place;
use pdblens_session::session::Session;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Up to so many bytes are looked at while somebody waits.
const SYNC_LIMIT: u64 = 1 << 20;

/// An index of one thing: a kind of index, and the place that it is of.
#[derive(Clone, Copy)]
pub struct LazyIndex {
    kind: &'static IndexKind,
    of: Place,
}

/// A kind of index. Each function receives the place that the index belongs to.
pub(crate) struct IndexKind {
    /// Noun phrase for what is looked at: `#Blob`, `method bodies`.
    pub name: fn(Place) -> String,
    /// Bytes that are looked at.
    pub size: fn(&Session, Place) -> u64,
    pub is_built: fn(&Session, Place) -> bool,
    pub build: fn(&Session, Place),
    /// True if rows can be shown without it, with less in them.
    pub is_optional: bool,
}

impl IndexKind {
    pub(crate) const fn of(&'static self, place: Place) -> LazyIndex {
        LazyIndex { kind: self, of: place }
    }
}

impl LazyIndex {
    pub(crate) fn size(self, session: &Session) -> u64 {
        (self.kind.size)(session, self.of)
    }

    pub const fn is_optional(self) -> bool {
        self.kind.is_optional
    }
}

impl PartialEq for LazyIndex {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.kind, other.kind) && self.of == other.of
    }
}

impl Eq for LazyIndex {}

impl Hash for LazyIndex {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.kind, state);
        self.of.hash(state);
    }
}

impl fmt::Debug for LazyIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LazyIndex({self})")
    }
}

impl fmt::Display for LazyIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&(self.kind.name)(self.of))
    }
}

/// Returns whether an index is built, or small enough to be built while the caller waits.
pub(crate) fn is_cached(session: &Session, index: LazyIndex) -> bool {
    index.size(session) <= SYNC_LIMIT || (index.kind.is_built)(session, index.of)
}

/// Takes the look, if it was not taken before.
pub fn build_index(session: &Session, index: LazyIndex) {
    (index.kind.build)(session, index.of);
}
