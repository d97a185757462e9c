//! Open containers: their lists, which are kept, and their entries, which are read again each time.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::formats::container::{self, ContainerError, Entry};
use crate::formats::host::{self, Host};
use crate::session::detect;
use crate::session::read_file::{open_regular, read_rest};

/// The largest program that is read to find the files in it.
const MAX_HOST: u64 = 512 << 20;
/// Lists that are kept.
const MAX_KEPT: usize = 16;

/// A container and the list of its entries.
#[derive(Debug)]
pub(in crate::session) struct Archive {
    path: PathBuf,
    pub(in crate::session) entries: Vec<Entry>,
}

/// The state of a file: a list is not used for a file that was written since.
type Stamp = (u64, Option<SystemTime>);

/// Lists of the containers used last.
static LISTS: Mutex<Vec<(Stamp, Arc<Archive>)>> = Mutex::new(Vec::new());

impl Archive {
    pub(super) fn entry(&self, path: &str) -> Option<&Entry> {
        self.entries.iter().rfind(|entry| entry.path == path)
    }

    /// Reads an entry of at most `max` bytes.
    pub(super) fn read(&self, path: &str, max: u64) -> io::Result<Vec<u8>> {
        let entry = self.entry(path).ok_or(io::ErrorKind::NotFound)?;
        entry.check().map_err(other)?;
        if entry.size > max {
            return Err(other(ContainerError::TooLarge(entry.size)));
        }
        let mut file = open_regular(&self.path)?;
        file.seek(SeekFrom::Start(entry.offset))?;
        let mut packed = Vec::new();
        // The file may be shorter than the entry states.
        file.take(entry.packed).read_to_end(&mut packed)?;
        entry.unpack(packed).map_err(other)
    }
}

fn other(error: ContainerError) -> io::Error {
    io::Error::other(error)
}

/// Returns whether a file begins like a zip archive.
pub(super) fn is_zip(path: &Path) -> bool {
    first_bytes(path).is_some_and(|first| container::zip::is_zip(&first))
}

/// Returns whether a file is a zip archive or a single-file program.
pub(super) fn is_container(path: &Path) -> bool {
    is_zip(path) || may_be_host(path) && of(path).is_ok()
}

/// Returns whether a file may be a host of a .NET program: a program of this or another system that is not named like a DLL.
pub(super) fn may_be_host(path: &Path) -> bool {
    let dll = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("dll"));
    !dll && first_bytes(path).is_some_and(|first| first.starts_with(b"MZ") || detect::is_foreign_program(&first))
}

fn first_bytes(path: &Path) -> Option<Vec<u8>> {
    let mut first = Vec::new();
    open_regular(path).ok()?.take(16).read_to_end(&mut first).ok()?;
    Some(first)
}

/// Reads a program that may be a host.
pub(super) fn read_host(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_rest(&mut open_regular(path)?, &mut bytes, MAX_HOST)?;
    Ok(bytes)
}

/// The list of the container `path`.
pub(in crate::session) fn of(path: &Path) -> io::Result<Arc<Archive>> {
    let found = std::fs::metadata(path)?;
    let stamp = (found.len(), found.modified().ok());
    let kept = || LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, archive)) = kept().iter().find(|(known, archive)| *known == stamp && archive.path == path) {
        return Ok(Arc::clone(archive));
    }
    let archive = Arc::new(Archive { path: path.to_owned(), entries: list(path)? });
    let mut kept = kept();
    kept.retain(|(_, other)| other.path != path);
    if kept.len() >= MAX_KEPT {
        kept.remove(0);
    }
    kept.push((stamp, Arc::clone(&archive)));
    Ok(archive)
}

fn list(path: &Path) -> io::Result<Vec<Entry>> {
    if is_zip(path) {
        return container::zip::list(BufReader::new(File::open(path)?)).map_err(other);
    }
    let bytes = read_host(path)?;
    match host::host(&bytes) {
        Some(Host::Bundle(bundle)) => container::bundle::list(&bytes, &bundle).map_err(other),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
