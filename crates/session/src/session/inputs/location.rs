//! Location of a file's bytes.

use std::io;
use std::path::{Path, PathBuf};

use super::archive;
use crate::session::read_file::read_file;
use pdblens_formats::container::{Entry, wrapped};

const MAX_LISTED: usize = 8192;
/// Packages of one build, by the ends of their names; the symbols of `A.nupkg` are in `A.snupkg`.
const PACKAGES: &[&str] = &[".symbols.nupkg", ".snupkg", ".nupkg"];

/// A file, or an entry of a container, which is written `CONTAINER!PATH`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    File(PathBuf),
    Entry {
        container: PathBuf,
        /// Path in the container, with `/` between the steps.
        path: String,
    },
}

impl Location {
    /// The location that a path names. A file whose own name has an exclamation mark is a file.
    pub fn of(path: &Path) -> Self {
        if let Some(text) = path.to_str().filter(|text| text.contains('!'))
            && !path.exists()
        {
            for (at, _) in text.match_indices('!') {
                if let (Some(container), Some(inner)) = (text.get(..at), text.get(at + 1..))
                    && archive::is_file(Path::new(container))
                {
                    // `App.exe!` is the launcher or the program itself.
                    if inner.is_empty() {
                        return Self::File(container.into());
                    }
                    return Self::Entry { container: container.into(), path: inner.replace('\\', "/") };
                }
            }
        }
        Self::File(path.to_owned())
    }

    pub fn path(&self) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Entry { container, path } => address(container, path),
        }
    }

    pub fn file_name(&self) -> String {
        match self {
            Self::File(path) => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
            Self::Entry { path, .. } => split(path).1.to_owned(),
        }
    }

    pub fn stem(&self) -> String {
        let name = self.file_name();
        name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem).to_owned()
    }

    /// The file `name` in the same folder.
    #[must_use]
    pub fn beside(&self, name: &str) -> Self {
        match self {
            Self::File(path) => Self::File(path.parent().unwrap_or(Path::new("")).join(name)),
            Self::Entry { container, path } => {
                Self::Entry { container: container.clone(), path: format!("{}{name}", split(path).0) }
            }
        }
    }

    /// The file `name` beside the single-file program that it is in, where publishing leaves symbols.
    pub(in crate::session) fn beside_program(&self, name: &str) -> Option<Self> {
        match self {
            Self::Entry { container, .. } if !archive::is_archive(container) => {
                Some(Self::File(container.with_file_name(name)))
            }
            _ => None,
        }
    }

    /// The innermost container of an entry, whose own path may be an address, and the path in it; `None` for a file.
    pub fn innermost(&self) -> Option<(PathBuf, &str)> {
        let Self::Entry { container, path } = self else { return None };
        let Some((outer, inner)) = path.rsplit_once('!') else { return Some((container.clone(), path)) };
        let outer = Self::Entry { container: container.clone(), path: outer.to_owned() };
        Some((outer.path(), inner))
    }

    /// Itself, and the same place in the packages beside its own that have the same id and version.
    pub fn twins(&self) -> Vec<Self> {
        let mut found = vec![self.clone()];
        if let Some((package, inner)) = self.innermost()
            && let Some((stem, _)) = package_stem(&package)
        {
            let others = PACKAGES.iter().map(|end| package.with_file_name(format!("{stem}{end}")));
            let others = others.filter(|other| *other != package && Self::of(other).is_file());
            found.extend(others.map(|other| Self::of(&address(&other, inner))));
        }
        found
    }

    /// The location with its path as the container writes it, whatever its case; `None` for what is not there.
    pub(in crate::session) fn existing(self) -> Option<Self> {
        match &self {
            Self::File(_) => self.is_file().then_some(self),
            Self::Entry { container, path } => {
                let path = archive::of(container).ok()?.entry(path)?.path.clone();
                Some(Self::Entry { container: container.clone(), path })
            }
        }
    }

    /// Returns whether two entries have the same size and CRC-32.
    pub(super) fn is_copy_of(&self, other: &Self) -> bool {
        let entry = |location: &Self| match location {
            Self::Entry { container, path } => archive::of(container).ok()?.entry(path).cloned(),
            Self::File(_) => None,
        };
        entry(self).zip(entry(other)).is_some_and(|(one, two)| one.is_copy_of(&two))
    }

    /// Returns whether it is a regular file, or an entry that is there.
    pub fn is_file(&self) -> bool {
        match self {
            Self::File(path) => std::fs::metadata(path).is_ok_and(|found| found.is_file()),
            Self::Entry { container, path } => {
                archive::of(container).is_ok_and(|archive| archive.entry(path).is_some())
            }
        }
    }

    /// Size in bytes, unpacked; `None` for what cannot be read.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::File(path) => std::fs::metadata(path).ok().map(|found| found.len()),
            Self::Entry { container, path } => archive::of(container).ok()?.entry(path).map(|entry| entry.size),
        }
    }

    /// Files with a name below `src` in its package and in those beside it: symbol packages have their sources there.
    pub fn package_sources(&self, name: &str) -> Vec<Self> {
        let root = |path: &str| path.rsplit_once('!').map(|(root, _)| root.to_owned());
        let in_package = |twin: Self| -> Vec<Self> {
            let Self::Entry { container, path } = twin else { return Vec::new() };
            let Ok(archive) = archive::of(&container) else { return Vec::new() };
            let is_source = |entry: &&Entry| {
                let inner = entry.path.rsplit('!').next().unwrap_or_default();
                let is_below = inner.get(..4).is_some_and(|folder| folder.eq_ignore_ascii_case("src/"));
                is_below && root(&entry.path) == root(&path) && split(&entry.path).1.eq_ignore_ascii_case(name)
            };
            let found = archive.entries.iter().filter(is_source).take(MAX_LISTED);
            found.map(|entry| Self::Entry { container: container.clone(), path: entry.path.clone() }).collect()
        };
        self.twins().into_iter().flat_map(in_package).collect()
    }

    pub fn neighbours(&self) -> Vec<Self> {
        match self {
            Self::File(path) => {
                let folder = path.parent().unwrap_or(Path::new(""));
                let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                let entries = std::fs::read_dir(here).into_iter().flatten().take(MAX_LISTED).filter_map(Result::ok);
                entries.map(|entry| Self::File(folder.join(entry.file_name()))).collect()
            }
            Self::Entry { container, path } => {
                let Ok(archive) = archive::of(container) else { return Vec::new() };
                let is_beside = |entry: &&Entry| split(&entry.path).0.eq_ignore_ascii_case(split(path).0);
                let same = archive.entries.iter().filter(is_beside).take(MAX_LISTED);
                same.map(|entry| Self::Entry { container: container.clone(), path: entry.path.clone() }).collect()
            }
        }
    }

    /// Reads all of it, at most `max` bytes.
    pub fn read(&self, max: u64) -> io::Result<Vec<u8>> {
        match self {
            Self::File(path) => read_file(path, max),
            Self::Entry { container, path } => archive::of(container)?.read(path, max),
        }
    }

    /// Returns whether it begins like an image or a file that wraps one, whatever it is called; of an entry, whether it is called
    /// like an image.
    pub fn begins_like_an_image(&self) -> bool {
        match self {
            Self::File(path) => {
                let first = archive::first_bytes(path).unwrap_or_default();
                first.starts_with(b"MZ") || wrapped::may_wrap_an_image(&first)
            }
            Self::Entry { .. } => super::is_image(&self.file_name()),
        }
    }
}

pub(super) fn address(container: &Path, inner: &str) -> PathBuf {
    let mut address = container.as_os_str().to_owned();
    address.push("!");
    address.push(inner);
    address.into()
}

/// Splits the path of an entry at its last `/`, or at the `!` after a container in the container: folder and name.
fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind(['/', '!']).map_or(0, |at| at + 1))
}

/// Id and version of a package as its name has them, and the end of the name.
pub(super) fn package_stem(container: &Path) -> Option<(String, &'static str)> {
    let name = container.file_name()?.to_str()?;
    let end = PACKAGES.iter().find(|end| name.to_ascii_lowercase().ends_with(*end))?;
    Some((name.get(..name.len() - end.len())?.to_owned(), end))
}
