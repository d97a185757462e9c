//! The id by which an image names its symbols.

use std::fmt::{self, Display};

use crate::bytes::Guid;

/// What an image names its symbols by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolId {
    /// The GUID.
    pub guid: Guid,
    /// What follows it: a portable PDB's stamp, a Windows PDB's age.
    pub suffix: IdSuffix,
}

/// The second part of a [`SymbolId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdSuffix {
    /// The last four bytes of a portable PDB's 20-byte id.
    Stamp(u32),
    /// How often a Windows PDB was written.
    Age(u32),
    /// Nothing: the GUID is the image's module version id.
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
