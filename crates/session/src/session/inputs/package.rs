//! NuGet packages: the package with the assemblies (`.nupkg`), the one with their symbols (`.snupkg`), and the old form of that
//! (`.symbols.nupkg`).

use pdblens_formats::reason::Reason;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::archive::{self, Archive};
use super::location::{address, package_stem};
use super::{Location, units, walk};
use crate::session::OpenError;
use crate::text::safe::utf8;
use pdblens_formats::container::MAX_ENTRY;
use pdblens_formats::container::zip::{self, RawEntry};
use pdblens_formats::nuspec::Nuspec;

const MAX_NUSPEC: u64 = 4 << 20;

#[derive(Debug)]
pub struct Package {
    /// Path of the file, or address of a package in an archive.
    pub path: PathBuf,
    /// Every entry of the archive, as it is written.
    pub entries: Vec<RawEntry>,
    /// The manifest, or the reason why it cannot be read.
    pub nuspec: Result<Nuspec, Reason>,
}

/// The packages of one version; at least one of them is present.
#[derive(Debug, Default)]
pub struct Packages {
    /// The package with the assemblies.
    pub main: Option<Package>,
    /// The package with their symbols.
    pub symbols: Option<Package>,
    /// The package with symbols in the form that came before: assemblies and Windows PDBs, `.symbols.nupkg`.
    pub legacy: Option<Package>,
}

impl Package {
    fn open(path: &Path) -> Result<Self, OpenError> {
        let unreadable = |error| OpenError::Io { path: path.to_owned(), error };
        let (archive, outer) = list(path).map_err(unreadable)?;
        let entries = match &outer {
            None => zip::directory(archive::reader(path).map_err(unreadable)?),
            Some(_) => zip::directory(Cursor::new(Location::of(path).read(MAX_ENTRY).map_err(unreadable)?)),
        };
        let entries = entries.map_err(|error| unreadable(io::Error::other(error)))?;
        let inside = |entry: &str| outer.as_ref().map_or_else(|| entry.to_owned(), |outer| format!("{outer}!{entry}"));
        let own = archive.entries.iter().filter_map(|entry| match &outer {
            None => Some(entry.path.as_str()),
            Some(outer) => entry.path.strip_prefix(outer.as_str())?.strip_prefix('!'),
        });
        // The manifest is at the root, under whatever name.
        let mut manifests = own.filter(|path| {
            !path.contains(['/', '!'])
                && path.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("nuspec"))
        });
        let nuspec = match (manifests.next(), manifests.next()) {
            (Some(manifest), None) => match archive.read(&inside(manifest), MAX_NUSPEC) {
                Ok(bytes) => {
                    Nuspec::parse(&utf8(&bytes)).map_err(|why| Reason::new(why.reason, format!("{manifest}: {why}")))
                }
                Err(error) => Err(Reason::new("not-read", format!("{manifest}: {error}"))),
            },
            (None, _) => Err(Reason::new("no-manifest", "it has no .nuspec at its root")),
            (Some(_), Some(_)) => Err(Reason::new("several-manifests", "it has several .nuspec files at its root")),
        };
        Ok(Self { path: path.to_owned(), entries, nuspec })
    }

    pub fn entry(&self, path: &str) -> Location {
        Location::of(&address(&self.path, path))
    }

    pub fn name(&self) -> String {
        Location::of(&self.path).file_name()
    }
}

/// The list that has the entries of a package, and the path of the package in it unless it is a file.
fn list(path: &Path) -> io::Result<(Arc<Archive>, Option<String>)> {
    match Location::of(path) {
        Location::File(path) => Ok((archive::of(&path)?, None)),
        Location::Entry { container, path } => Ok((archive::of(&container)?, Some(path))),
    }
}

impl Packages {
    /// The packages among files that were named and in folders and archives that were, each with the others of its version: from among
    /// them, or from beside it.
    pub fn among(paths: &[PathBuf]) -> Result<Vec<Self>, OpenError> {
        let mut found: Vec<(PathBuf, Self)> = Vec::new();
        let all = all_among(paths);
        for (path, is_named) in &all {
            let (Some((stem, own)), path) = (kind(path), path.clone()) else { continue };
            if found.iter().any(|(known, _)| *known == stem) {
                continue;
            }
            let open = |end: &str| {
                let file_name = stem.file_name().unwrap_or_default().to_string_lossy();
                let other = if own == end { path.clone() } else { stem.with_file_name(format!("{file_name}{end}")) };
                if Location::of(&other).is_file() { Package::open(&other).map(Some) } else { Ok(None) }
            };
            match (open(".nupkg"), open(".snupkg"), open(".symbols.nupkg")) {
                (Ok(main), Ok(symbols), Ok(legacy)) => {
                    // Beside a package of the new form it is pushed only where it is named.
                    let is_meant = |legacy: &Package| all.iter().any(|(named, _)| *named == legacy.path);
                    let legacy = legacy.filter(|legacy| symbols.is_none() || is_meant(legacy));
                    found.push((stem, Self { main, symbols, legacy }));
                }
                (Err(error), ..) | (_, Err(error), _) | (.., Err(error)) if *is_named => return Err(error),
                // A package of a folder that cannot be read is reported with the files of the folder.
                _ => {}
            }
        }
        Ok(found.into_iter().map(|(_, packages)| packages).collect())
    }

    /// Those that are there, the assemblies first.
    pub fn each(&self) -> impl Iterator<Item = &Package> {
        self.main.iter().chain(&self.symbols).chain(&self.legacy)
    }
}

/// Paths of all packages among what was named, and whether each was named itself.
fn all_among(paths: &[PathBuf]) -> Vec<(PathBuf, bool)> {
    let mut found = Vec::new();
    for path in units::named(paths) {
        if path.is_dir() {
            let mut inside = Vec::new();
            walk::packages(&path, &mut inside);
            found.extend(inside.into_iter().map(|path| (path, false)));
        } else if is_package(&path) && Location::of(&path).is_file() {
            found.push((path, true));
        } else if path.is_file()
            && archive::is_archive(&path)
            && let Ok(archive) = archive::of(&path)
        {
            let inner = archive.entries.iter().filter(|entry| !entry.is_nested());
            let inner = inner.map(|entry| address(&path, &entry.path));
            found.extend(inner.filter(|inner| is_package(inner)).map(|inner| (inner, false)));
        }
    }
    found
}

/// Returns whether a package is among the inputs, or in a folder or archive among them.
pub fn has_package(paths: &[PathBuf]) -> bool {
    !all_among(paths).is_empty()
}

pub(super) fn is_package(path: &Path) -> bool {
    kind(path).is_some()
}

/// Path of a package without the end of its name, and the end.
fn kind(path: &Path) -> Option<(PathBuf, &'static str)> {
    let (stem, end) = package_stem(path)?;
    Some((path.with_file_name(stem), end))
}
