//! The two files that have metadata; tables and heaps of both have the same numbers.

use pdblens_formats::bytes::Span;
use pdblens_formats::metadata::{Metadata, TableId};
use pdblens_session::session::Session;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The DLL or EXE.
    Image,
    /// The PDB.
    Pdb,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Image => "image/",
            Self::Pdb => "pdb/",
        })
    }
}

impl Side {
    /// Metadata of the file, where it has any.
    pub fn metadata(self, session: &Session) -> Option<&Metadata> {
        match self {
            Self::Image => session.metadata(),
            Self::Pdb => session.portable_pdb().map(|pdb| &pdb.metadata),
        }
    }

    /// Files that have metadata, the image first.
    pub fn loaded(session: &Session) -> impl Iterator<Item = (Self, &Metadata)> {
        [Self::Image, Self::Pdb].into_iter().filter_map(|side| Some((side, side.metadata(session)?)))
    }

    /// The file whose metadata has a byte.
    pub(crate) fn with(session: &Session, byte: Span) -> Option<(Self, &Metadata)> {
        Self::loaded(session).find(|(_, metadata)| metadata.root.region.span().covers(byte))
    }

    /// Its word in lists.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Pdb => "pdb",
        }
    }

    /// The file that the number of a table belongs to.
    pub(crate) const fn of(table: TableId) -> Self {
        if table.is_debug() { Self::Pdb } else { Self::Image }
    }
}
