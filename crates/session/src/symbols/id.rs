//! The id by which an image names its symbols.

use std::fmt::{self, Display};

use pdblens_formats::bytes::Guid;

/// Id by which an image names its symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolId {
    /// GUID; for an `.mdb` the MVID of its image.
    pub guid: Guid,
    /// Stamp of a portable PDB, or age of a Windows PDB.
    pub suffix: IdSuffix,
}

/// The second part of a [`SymbolId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdSuffix {
    /// The last four bytes of a portable PDB's 20-byte id.
    Stamp(u32),
    /// Number of times a Windows PDB was written, from 1.
    Age(u32),
    /// Nothing: the GUID is the MVID of the image.
    None,
}

impl Display for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.suffix {
            IdSuffix::Stamp(stamp) => write!(f, "{} stamp {stamp:08x}", self.guid),
            IdSuffix::Age(age) => write!(f, "{} age {age}", self.guid),
            IdSuffix::None => write!(f, "{}", self.guid),
        }
    }
}
