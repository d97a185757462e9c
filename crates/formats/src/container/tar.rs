//! Tar archives, as they are or packed by gzip, read by the crate `tar`: packages of npm (`.tgz`) and releases (`.tar.gz`).

use std::io::Read;
use std::sync::Arc;

use flate2::read::GzDecoder;

use super::{ContainerError, Entry, Packing, gzip};

/// Magic of a header (POSIX `ustar`, and what GNU writes), and its offset.
const MAGIC: &[u8] = b"ustar";
const MAGIC_OFFSET: usize = 257;

/// Returns whether a file that begins with `first` is a tar archive, packed by gzip or not.
pub fn is_tar(first: &[u8]) -> bool {
    let mut header = [0; MAGIC_OFFSET + MAGIC.len()];
    // The first bytes are a part of the stream: they end in an error after what they hold.
    let is_header = if gzip::begins(first) {
        GzDecoder::new(first).read_exact(&mut header).is_ok()
    } else {
        first.take(header.len() as u64).read_exact(&mut header).is_ok()
    };
    is_header && header.ends_with(MAGIC)
}

/// Lists the files of an archive. Offsets of a packed one count from the unpacked archive, which is the entry that they are within.
pub fn list(bytes: &[u8]) -> Result<Vec<Entry>, ContainerError> {
    if !gzip::begins(bytes) {
        return entries(bytes, None);
    }
    let content = gzip::unwrap(bytes)?.bytes;
    let stored = Entry::stored(String::new(), 0, bytes.len() as u64);
    let whole = Entry { packing: Packing::Gzip, size: content.len() as u64, ..stored };
    entries(&content, Some(&Arc::new(whole)))
}

#[cfg(feature = "packages")]
fn entries(bytes: &[u8], within: Option<&Arc<Entry>>) -> Result<Vec<Entry>, ContainerError> {
    use super::{MAX_ENTRIES, inner_path};
    let unreadable = |error: std::io::Error| ContainerError::Archive("tar", error.to_string());
    let mut found = Vec::new();
    for (index, entry) in tar::Archive::new(bytes).entries().map_err(unreadable)?.enumerate() {
        if index == MAX_ENTRIES {
            return Err(ContainerError::TooMany(index));
        }
        let entry = entry.map_err(unreadable)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if entry.header().entry_type().is_file()
            && let Some(path) = inner_path(&name)
        {
            let stored = Entry::stored(path, entry.raw_file_position(), entry.size());
            found.push(Entry { within: within.cloned(), ..stored });
        }
    }
    Ok(found)
}

#[cfg(not(feature = "packages"))]
const fn entries(_: &[u8], _: Option<&Arc<Entry>>) -> Result<Vec<Entry>, ContainerError> {
    Err(ContainerError::NoReader("a tar archive"))
}
