//! The only writer of files: `-o`, `--extract`, caches and settings go through it.
//!
//! A file is written beside its destination under a temporary name and renamed when it is complete, so that a reader never sees a
//! part of one. The destination is a regular file or does not exist yet: no link, device or folder is written to.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Treatment of a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the new file is refused.
    Keep,
    /// The new file takes its place.
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
        let part = part_of(path);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&part)?;
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
    }
}

/// Writes a whole file.
pub fn write(path: &Path, existing: Existing, bytes: &[u8]) -> io::Result<()> {
    let mut file = NewFile::create(path, existing, &[])?;
    file.write_all(bytes)?;
    file.finish()
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

/// A temporary name in the folder of `path`: short, because the name of `path` may be as long as the file system allows.
fn part_of(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".pdblens-{}-{number}.part", std::process::id()))
}
