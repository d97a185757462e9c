//! The only writer of files: `-o`, `--extract`, caches and settings go through it.
//!
//! A file is written beside its destination under a temporary name and renamed when it is complete, so that a reader never sees a
//! part of one. The destination is a regular file or does not exist yet: no link, device or folder is written to.
//!
//! The temporary name is random. A signal removes the file ([`remove_unfinished`]); one that a crash left behind is removed by the next
//! file that is written to its folder.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use crate::session::read_file::read_file;

/// Temporary names that are tried before there is an error.
const MAX_TRIES: usize = 16;
/// Age from which a temporary file belongs to no program that still runs.
const MIN_LEFT_AGE: Duration = Duration::from_hours(24);
/// Entries of a folder that are searched for temporary files.
const MAX_ENTRIES: usize = 10_000;

/// The most bytes of a settings file.
const MAX_SETTINGS: u64 = 1 << 20;

/// Temporary files of this process, and the folders that it has searched for those of others.
static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished { parts: BTreeSet::new(), searched: BTreeSet::new() });

struct Unfinished {
    parts: BTreeSet<PathBuf>,
    searched: BTreeSet<PathBuf>,
}

fn unfinished() -> MutexGuard<'static, Unfinished> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    Keep,
    Replace,
}

impl Existing {
    /// Treatment with and without `--force`.
    pub const fn of_force(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// A file in the making. It has its name after [`NewFile::finish`], and nothing is left of it without.
#[derive(Debug)]
pub struct NewFile {
    file: File,
    part: PathBuf,
    path: PathBuf,
    existing: Existing,
}

impl NewFile {
    /// Begins the file `path`, which must not be one of `inputs`, by whatever name or link.
    pub fn create(path: &Path, existing: Existing, inputs: &[&Path]) -> io::Result<Self> {
        if inputs.iter().any(|input| is_same_file(input, path)) {
            return Err(refused("the file is one of the inputs: name another one"));
        }
        check(path, existing)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        if unfinished().searched.insert(folder.to_owned()) {
            remove_left(folder);
        }
        let (file, part) = create_part(folder, random)?;
        let new = Self { file, part, path: path.to_owned(), existing };
        if let Ok(old) = fs::metadata(path) {
            new.file.set_permissions(old.permissions())?;
        }
        Ok(new)
    }

    /// The open file, for a writer that seeks.
    pub const fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives the complete file its name.
    pub fn finish(self) -> io::Result<()> {
        self.file.sync_all()?;
        check(&self.path, self.existing)?;
        fs::rename(&self.part, &self.path)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // After `finish` nothing has this name any more.
        let _ = fs::remove_file(&self.part);
        unfinished().parts.remove(&self.part);
    }
}

/// Removes the temporary files of this process, which is about to end.
pub fn remove_unfinished() {
    for part in std::mem::take(&mut unfinished().parts) {
        let _ = fs::remove_file(part);
    }
}

pub fn write(path: &Path, existing: Existing, bytes: &[u8]) -> io::Result<()> {
    let mut file = NewFile::create(path, existing, &[])?;
    file.write_all(bytes)?;
    file.finish()
}

/// Replaces the text of a settings file by what `change` makes of it. Programs that do so at the same time take turns, by a lock on a file
/// beside it.
pub fn update(path: &Path, change: impl FnOnce(&str) -> String) -> io::Result<()> {
    // The user's own link to the file is followed.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let lock = OpenOptions::new().create(true).write(true).truncate(false).open(path.with_extension("lock"))?;
    lock.lock()?;
    let old = match read_file(&path, MAX_SETTINGS) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    write(&path, Existing::Replace, change(&old).as_bytes())
}

/// Makes a folder and those above it, as the user named it.
pub fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Makes the folders `steps` below `root`, none of which may be a link, and returns the innermost.
pub(crate) fn create_folders_in<'s>(root: &Path, steps: impl IntoIterator<Item = &'s str>) -> io::Result<PathBuf> {
    let mut path = root.to_owned();
    for step in steps {
        path.push(step);
        match fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display())));
            }
            _ => {}
        }
        let found = fs::symlink_metadata(&path)?;
        if found.is_symlink() {
            return Err(refused(&format!("{} is a link: not followed", path.display())));
        }
        if !found.is_dir() {
            return Err(refused(&format!("{} is not a folder", path.display())));
        }
    }
    Ok(path)
}

/// Refuses a destination that is no regular file, or one that has to stay.
fn check(path: &Path, existing: Existing) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if found.is_symlink() {
        return Err(refused("symbolic links are not followed: name the file itself"));
    }
    if !found.is_file() {
        return Err(refused("not a regular file: without the option the output goes to standard output"));
    }
    match existing {
        Existing::Replace => Ok(()),
        Existing::Keep => Err(io::Error::new(io::ErrorKind::AlreadyExists, "the file exists: --force replaces it")),
    }
}

fn refused(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

#[cfg(unix)]
fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    // Hard links are the same file too.
    let id = |path| fs::metadata(path).ok().map(|found: fs::Metadata| (found.dev(), found.ino()));
    id(one).is_some_and(|one| Some(one) == id(other))
}

#[cfg(not(unix))]
fn is_same_file(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}

/// Creates a temporary file in a folder. Its name is short, because that of the destination may be as long as the file system allows.
fn create_part(folder: &Path, mut number: impl FnMut() -> u64) -> io::Result<(File, PathBuf)> {
    let mut tries = 1;
    loop {
        let part = folder.join(format!(".pdblens-{:016x}.part", number()));
        // A signal must not come between the file and its entry.
        let mut unfinished = unfinished();
        match OpenOptions::new().read(true).write(true).create_new(true).open(&part) {
            Ok(file) => {
                unfinished.parts.insert(part.clone());
                return Ok((file, part));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < MAX_TRIES => {
                tries += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

/// A number that cannot be foreseen: a hasher has random keys.
fn random() -> u64 {
    RandomState::new().hash_one(())
}

/// Removes the temporary files that were left in a folder: those that have not been written to for a day.
fn remove_left(folder: &Path) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for entry in fs::read_dir(folder).into_iter().flatten().take(MAX_ENTRIES).filter_map(Result::ok) {
        let name = entry.file_name();
        let is_part = name.to_str().and_then(|name| name.strip_prefix(".pdblens-")?.strip_suffix(".part")).is_some();
        // A link is not followed: its own metadata is read.
        let Some(metadata) = entry.metadata().ok().filter(|metadata| is_part && metadata.is_file()) else { continue };
        let age = metadata.modified().ok().and_then(|modified| SystemTime::now().duration_since(modified).ok());
        if age.is_some_and(|age| age > MIN_LEFT_AGE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_temporary_name_leads_to_another() {
        let folder = std::env::temp_dir().join(format!("pdblens-new-file-{:016x}", random()));
        fs::create_dir(&folder).unwrap();
        let part = |number: u64| folder.join(format!(".pdblens-{number:016x}.part"));
        fs::write(part(1), "text").unwrap();
        let mut numbers = [1, 1, 2].into_iter();
        assert_eq!(create_part(&folder, || numbers.next().unwrap()).unwrap().1, part(2));
        assert_eq!(create_part(&folder, || 1).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(part(1)).unwrap(), "text");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn temporary_names_are_random() {
        assert_eq!((0..8).map(|_| random()).collect::<BTreeSet<_>>().len(), 8);
    }
}
