//! Zip archives, read by the crate `zip`: its directory alone, because an `Entry` unpacks itself.

#[cfg(feature = "packages")]
mod reader;

#[cfg(feature = "packages")]
pub use reader::{directory, list};

#[cfg(not(feature = "packages"))]
use super::{ContainerError, Entry};
#[cfg(not(feature = "packages"))]
use std::io::{Read, Seek};

/// First bytes of an archive: those of its first entry, or of the end of its directory if it has none.
const MAGIC: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// Returns whether a file that begins with `first` is a zip archive.
pub fn is_zip(first: &[u8]) -> bool {
    MAGIC.iter().any(|magic| first.starts_with(magic))
}

/// An entry of the directory as it is written, which may name no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEntry {
    /// Name, with the separators that it has.
    pub name: String,
    /// Time of the last change, as `2020-09-13 12:26:40`, in the time zone of whoever wrote the archive.
    pub modified: Option<String>,
}

/// Fails: the directory is read with the feature `packages`.
#[cfg(not(feature = "packages"))]
pub fn directory(_: impl Read + Seek) -> Result<Vec<RawEntry>, ContainerError> {
    Err(ContainerError::NoReader("a zip archive"))
}

/// Fails: the files are listed with the feature `packages`.
#[cfg(not(feature = "packages"))]
pub fn list(_: impl Read + Seek) -> Result<Vec<Entry>, ContainerError> {
    Err(ContainerError::NoReader("a zip archive"))
}
