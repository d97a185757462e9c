//! Files in memory.

use std::io::{self, Read, Seek};
use std::path::PathBuf;

use pdblens_formats::bytes::Memory;
use pdblens_session::session::read_file::MAX_WHOLE;

/// A file in memory: an image or its symbols, told apart by the bytes.
#[derive(Clone, Debug)]
pub struct Input {
    pub(super) path: PathBuf,
    pub(super) bytes: Memory,
}

impl Input {
    /// Bytes that are held without a copy (`Vec<u8>`, `Arc<[u8]>`), or a copy of a `&[u8]`. The name is for messages, and by it an image finds
    /// its PDB.
    pub fn new(name: impl Into<PathBuf>, bytes: impl Into<Memory>) -> Self {
        Self { path: name.into(), bytes: bytes.into() }
    }

    /// All bytes of a reader, from its start, up to 1 GB.
    pub fn read(name: impl Into<PathBuf>, mut reader: impl Read + Seek) -> io::Result<Self> {
        reader.rewind()?;
        let mut bytes = Vec::new();
        reader.by_ref().take(MAX_WHOLE).read_to_end(&mut bytes)?;
        if reader.read(&mut [0])? > 0 {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the file is larger than 1 GB"));
        }
        Ok(Self::new(name, bytes))
    }
}
