//! Keys by which modules of frames are looked up.

use super::library::Pair;
use super::outcome::{Cause, Refusal};
use pdblens_formats::bytes::Guid;

/// Key by which the module of a frame is looked up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// A file name or an assembly's name. It is no proof that the file found is the one that ran.
    Name(String),
    /// A file name or an assembly's name, and the time stamp in the COFF header: an image proves it, symbols alone do not.
    Stamp(String, u32),
    /// The id of the symbols: GUID, age or stamp, and what the file is called.
    Id(Guid, Option<u32>, String),
    /// The image's module version id, and the name of its file, which may be empty.
    Mvid(Guid, String),
}

impl Key {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Stamp(name, stamp) => format!("{name} with the time stamp {stamp:08x}"),
            Self::Id(guid, _, name) => format!("{name} {guid}"),
            Self::Mvid(mvid, name) if name.is_empty() => format!("the module {mvid}"),
            Self::Mvid(mvid, name) => format!("{name} with the module version id {mvid}"),
        }
    }

    /// Name of the file, for a summary.
    pub(super) fn file(&self) -> &str {
        match self {
            Self::Mvid(_, name) if name.is_empty() => "a module id",
            Self::Name(name) | Self::Stamp(name, _) | Self::Id(.., name) | Self::Mvid(_, name) => name,
        }
    }

    /// Returns whether a pair has the name in the key, if the key has one.
    pub(super) fn is_called_as(&self, pair: &Pair) -> bool {
        matches!(
            self,
            Self::Name(name) | Self::Stamp(name, _) | Self::Id(.., name) | Self::Mvid(_, name) if pair.is_called(name)
        )
    }

    /// Returns whether the key identifies a build.
    pub(crate) const fn is_proof(&self) -> bool {
        !matches!(self, Self::Name(_) | Self::Stamp(..))
    }

    /// Refusal of a build that it does not ask for.
    pub(super) fn other_build(&self, reason: String) -> Refusal {
        Cause::OtherBuild(self.file().to_owned()).because(reason)
    }
}
