//! Containers of images and symbol files: zip archives (`.nupkg`, `.snupkg`, `.zip`, `.apk`), tar archives (`.tgz`, `.tar.gz`),
//! single-file programs of .NET, and Android's assembly stores. [`wrapped`] has the formats that hold one file.
//!
//! A container is listed first; an [`Entry`] says which bytes of the file are its packed content, and [`Entry::unpack`] takes those.
//! Names are data: nothing is ever written to a path that an archive names.

pub mod assembly_store;
pub mod bundle;
pub mod cabinet;
mod gzip;
mod msfz;
pub(crate) mod numbers;
pub mod tar;
pub mod webcil;
pub mod wrapped;
mod xalz;
pub mod zip;

use std::sync::Arc;

use super::inflate::{ceiling, inflate};
use crate::bytes::{Slice, SpaceId};

/// Limit on the entries of a container.
pub const MAX_ENTRIES: usize = 100_000;
/// Limit on the bytes of one entry, unpacked.
pub const MAX_ENTRY: u64 = 1 << 30;
/// Limit on the bytes of an entry's name.
const MAX_NAME: usize = 4096;
/// Number of bytes at the start of a file that identify its format.
pub const PREFIX_LEN: usize = 512;

/// File in one of the formats that [`wrapped`] reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwrapped {
    /// Content of the file.
    pub bytes: Vec<u8>,
    /// Description of the wrapping and of what offsets count from.
    pub remark: String,
}

/// Reason why a container or an entry is not read.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContainerError {
    #[error("this is a {0} archive that cannot be read: {1}")]
    Archive(&'static str, String),
    #[error("{0} is read by builds of pdblens with the cargo feature `packages`; this one is without it")]
    NoReader(&'static str),
    #[error("this is a single-file .NET program whose manifest cannot be read")]
    Manifest,
    #[error("this is an assembly store whose tables cannot be read")]
    Store,
    #[error("this is a zip archive in which {0} and {1} share bytes: no archiver writes that")]
    Overlap(String, String),
    #[error("it has {0} entries, above the limit of {MAX_ENTRIES}")]
    TooMany(usize),
    #[error("the entry has {0} bytes, above the limit for what it is packed in")]
    TooLarge(u64),
    #[error("the entry is encrypted")]
    Encrypted,
    #[error("the entry is packed by a method that pdblens does not read")]
    Method,
    #[error("the entry cannot be unpacked: {0}")]
    Broken(String),
}

#[cfg_attr(not(feature = "packages"), allow(dead_code, reason = "the reader of zip archives is not there"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Stored,
    /// Raw deflate.
    Deflated,
    Gzip,
    Encrypted,
    /// Blocks of a folder of a cabinet.
    Cabinet(cabinet::Place),
    Other,
}

/// A file in a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Path in the container, with `/` between the steps.
    pub path: String,
    /// Bytes of the content, as the container states them.
    pub size: u64,
    /// Bytes of the packed content.
    pub packed: u64,
    /// Offset of the packed content in the container.
    pub offset: u64,
    packing: Packing,
    crc: Option<u32>,
    /// Entry that this one is in, if the container has another in it; `offset` counts from its unpacked content then. A packed tar archive
    /// is an entry without a path.
    pub within: Option<Arc<Entry>>,
}

fn broken(why: impl Into<String>) -> ContainerError {
    ContainerError::Broken(why.into())
}

impl Entry {
    /// Returns true if the container has its bytes as they are.
    pub const fn is_stored(&self) -> bool {
        matches!(self.packing, Packing::Stored)
    }

    const fn stored(path: String, offset: u64, size: u64) -> Self {
        Self { path, size, packed: size, offset, packing: Packing::Stored, crc: None, within: None }
    }

    /// This entry of a container that is the entry `outer` of another: its path follows that of `outer` and `!`.
    #[must_use]
    pub fn inside(self, outer: &Arc<Self>) -> Self {
        Self { path: format!("{}!{}", outer.path, self.path), within: Some(Arc::clone(outer)), ..self }
    }

    /// Returns whether it is in a container that is an entry itself, not just in a packed archive.
    pub fn is_nested(&self) -> bool {
        self.within.as_ref().is_some_and(|outer| !outer.path.is_empty())
    }

    /// Returns whether an entry has the same size and CRC-32, as far as both containers state one.
    pub fn is_copy_of(&self, other: &Self) -> bool {
        self.crc.is_some() && (self.crc, self.size) == (other.crc, other.size)
    }

    /// Checks the sizes that the container states, before its bytes are read.
    pub fn check(&self) -> Result<(), ContainerError> {
        let most = match self.packing {
            Packing::Stored => self.packed.min(MAX_ENTRY),
            _ => ceiling(self.packed, MAX_ENTRY),
        };
        if self.size > most || self.packed > MAX_ENTRY { Err(ContainerError::TooLarge(self.size)) } else { Ok(()) }
    }

    /// Unpacks the content, whose packed bytes are `packed`.
    pub fn unpack(&self, packed: Vec<u8>) -> Result<Vec<u8>, ContainerError> {
        self.check()?;
        let content = match self.packing {
            Packing::Stored => packed,
            Packing::Deflated => {
                let slice = Slice::new(&packed, SpaceId(0), 0);
                let content = inflate(slice, self.size, ceiling(self.packed, MAX_ENTRY));
                content.map_err(|error| broken(error.to_string()))?
            }
            Packing::Gzip => gzip::unwrap(&packed)?.bytes,
            Packing::Cabinet(place) => cabinet::unpack(&packed, &place, u32::try_from(self.size).unwrap_or(u32::MAX))?,
            Packing::Encrypted => return Err(ContainerError::Encrypted),
            Packing::Other => return Err(ContainerError::Method),
        };
        if content.len() as u64 != self.size {
            return Err(broken("its size is not the one stated"));
        }
        let mut crc = flate2::Crc::new();
        crc.update(&content);
        if self.crc.is_some_and(|stated| stated != crc.sum()) {
            return Err(broken("its CRC-32 is not the one stated"));
        }
        Ok(content)
    }
}

/// Returns whether a file that begins with `first` is an archive of any files: zip, tar, or tar packed by gzip.
pub fn is_archive(first: &[u8]) -> bool {
    zip::is_zip(first) || tar::is_tar(first)
}

/// Returns the name of an entry as a path below the container's root; `None` for a folder, and for a name that leads elsewhere.
fn inner_path(name: &str) -> Option<String> {
    let name = name.replace('\\', "/");
    let path = name.strip_prefix("./").unwrap_or(&name);
    let is_step = |step: &str| !step.is_empty() && step != "." && step != ".." && !step.contains(['\0', ':']);
    (path.len() <= MAX_NAME && path.split('/').all(is_step)).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_left_out() {
        assert_eq!(inner_path("lib/net8.0/A.dll").as_deref(), Some("lib/net8.0/A.dll"));
        assert_eq!(inner_path("lib\\A.dll").as_deref(), Some("lib/A.dll"));
        assert_eq!(inner_path("./A.dll").as_deref(), Some("A.dll"));
        for name in ["", "lib/", "/A.dll", "../A.dll", "lib/../../A.dll", "lib//A.dll", "C:\\A.dll", "A\0.dll", "./."] {
            assert_eq!(inner_path(name), None, "{name:?}");
        }
    }

    #[test]
    fn an_entry_that_states_too_much_is_not_unpacked() {
        let entry = Entry {
            path: "A.dll".into(),
            size: 1 << 29,
            packed: 1000,
            offset: 0,
            packing: Packing::Deflated,
            crc: None,
            within: None,
        };
        assert_eq!(entry.unpack(vec![0; 1000]), Err(ContainerError::TooLarge(1 << 29)));
        let stored = Entry { packing: Packing::Stored, size: 1001, ..entry.clone() };
        assert_eq!(stored.check(), Err(ContainerError::TooLarge(1001)));
        let wrong = Entry { packing: Packing::Stored, size: 3, packed: 3, crc: Some(1), ..entry };
        assert!(matches!(wrong.unpack(vec![1, 2, 3]), Err(ContainerError::Broken(_))));
    }
}
