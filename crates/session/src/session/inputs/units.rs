//! Pairs among the files that were named: those in folders, containers and patterns too.

use pdblens_formats::reason::Reason;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};

use super::location::{address, package_stem};
use super::walk::walk;
use super::{Location, archive, installed, is_package, launcher, without_fingerprint};
use super::{MAX_FILES, all_in, has_extension, is_named_like_ours, is_symbols, ours_in};
use crate::session::{OpenError, Session, detect};

/// Pattern of the paths of files, in which `*` stands for any characters, separators too.
#[derive(Clone, Debug)]
pub struct PathPattern(Pattern);

impl PathPattern {
    /// The pattern that a text is, if it is one.
    pub fn new(text: &str) -> Option<Self> {
        Pattern::new(text).ok().map(Self)
    }

    pub fn is_of(&self, path: &Path) -> bool {
        self.0.matches(&path.to_string_lossy().replace('\\', "/"))
    }
}

/// Limit on the number of `**` in a pattern: each multiplies the walk by the depth of the folders.
const MAX_RECURSIVE: usize = 4;
/// Files and folders below the start of a pattern with `**`, whether they match or not.
const MAX_SEARCHED: usize = 500_000;

/// Matching of the part of a pattern after `!`.
const IN_CONTAINERS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: false };

/// Files that belong together by their names: an image, a symbol file, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    image: Option<PathBuf>,
    symbols: Option<PathBuf>,
}

impl Unit {
    pub fn of_files(files: Vec<PathBuf>) -> Self {
        let named = |path: &PathBuf| is_symbols(&Location::of(path).file_name());
        let (symbols, images): (Vec<_>, Vec<_>) = files.into_iter().partition(named);
        Self { image: images.into_iter().next(), symbols: symbols.into_iter().next() }
    }

    /// The path that names the unit: that of the image if there is one.
    pub fn path(&self) -> &Path {
        self.image.as_deref().or(self.symbols.as_deref()).unwrap_or(Path::new(""))
    }

    /// Its files: the image first.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.image.as_deref().into_iter().chain(self.symbols.as_deref())
    }

    /// Returns whether it is native code of a system whose compilers write no PDB, and a file of its own.
    pub fn is_foreign(&self) -> bool {
        if self.symbols.is_some() {
            return false;
        }
        let image = self.image.as_deref();
        let first = image.filter(|path| path.is_file()).and_then(archive::first_bytes);
        first.is_some_and(|first| detect::is_foreign_program(&first))
    }

    /// Its path below the folder `base`, or in the container `base`.
    pub fn path_in(&self, base: &Path) -> String {
        match Location::of(self.path()) {
            Location::Entry { container, path } if container == base => path,
            location => {
                let path = location.path();
                path.strip_prefix(base).unwrap_or(&path).display().to_string()
            }
        }
    }

    /// Size of its files in bytes, unpacked; `None` if one cannot be read.
    pub fn size(&self) -> Option<u64> {
        self.files().map(|file| Location::of(file).size()).sum()
    }

    /// Opens the unit. Symbols are searched for as for an image alone; the symbol file of the same name is opened even if it does not
    /// match.
    pub fn open(&self) -> Result<Session, OpenError> {
        let session = Session::open(std::slice::from_ref(&self.path().to_owned()))?;
        match (&self.image, &self.symbols) {
            (Some(image), Some(symbols)) if session.symbol_file().is_none() => {
                Session::open(&[image.clone(), symbols.clone()]).or(Ok(session))
            }
            _ => Ok(session),
        }
    }
}

/// Names of units in a list of inputs: their paths in the only folder or container, or else below their common folder.
pub fn names_in(paths: &[PathBuf], units: &[Unit]) -> Vec<String> {
    let within = |base: &Path| units.iter().map(|unit| unit.path_in(base)).collect::<Vec<_>>();
    if let [path] = paths {
        let names = within(path);
        let is_inside = |(name, unit): (&String, &Unit)| !name.contains(':') && Path::new(name) != unit.path();
        if names.iter().zip(units).all(is_inside) {
            return names;
        }
    }
    let folder = |unit: &Unit| unit.path().parent().map(Path::to_owned).unwrap_or_default();
    let common = |one: PathBuf, other: PathBuf| -> PathBuf {
        one.components().zip(other.components()).take_while(|(one, other)| one == other).map(|(one, _)| one).collect()
    };
    within(&units.iter().map(folder).reduce(common).unwrap_or_default())
}

pub(super) fn is_pattern(path: &Path) -> bool {
    let has_wildcard = path.to_str().is_some_and(|text| text.contains(['*', '?', '[']));
    has_wildcard && !installed::is_address(path) && !path.exists() && !Location::of(path).is_file()
}

/// Groups all inputs into units. A file that is named directly is taken, whatever its extension.
pub fn units(paths: &[PathBuf]) -> Result<Vec<Unit>, OpenError> {
    let mut files = Vec::new();
    for path in paths {
        if is_pattern(path) {
            expand(path, &mut files)?;
        } else {
            add(path, &mut files)?;
        }
    }
    if files.len() > MAX_FILES {
        return Err(OpenError::TooMany(files.len()));
    }
    Ok(pair(files))
}

fn add(path: &Path, files: &mut Vec<Location>) -> Result<(), OpenError> {
    let installed = installed::resolve(path)?;
    let path = installed.as_deref().unwrap_or(path);
    if path.is_dir() {
        let before = files.len();
        walk(path, files);
        if installed.is_some() {
            let of_package = files.split_off(before);
            files.extend(of_package.into_iter().filter(|file| !is_packed(file, path)));
        }
    } else if archive::is_file(path) && archive::is_container(path) {
        files.extend(all_in(&*list(path)?, path));
    } else if let Some((archive, container, outer)) = archive::nested(path) {
        files.extend(ours_in(archive.inside(&outer), &container));
    } else if let Some((path, _)) = launcher::launched(path) {
        files.push(Location::File(path));
    } else {
        files.push(Location::of(path));
    }
    Ok(())
}

/// Returns whether a file is in a package of the folder `installed`, into which the package is unpacked.
fn is_packed(file: &Location, installed: &Path) -> bool {
    matches!(file, Location::Entry { container, .. } if is_package(container) && container.parent() == Some(installed))
}

fn list(path: &Path) -> Result<std::sync::Arc<archive::Archive>, OpenError> {
    archive::of(path).map_err(|error| OpenError::Io { path: path.to_owned(), error })
}

/// A pattern in which each run of `**` is one: `**/**/x` matches what `**/x` does, and is looked for once per folder and `**`.
///
/// # Errors
/// Still more than [`MAX_RECURSIVE`] of them.
fn folded(pattern: &str) -> Result<String, &'static str> {
    let mut parts: Vec<&str> = pattern.split('/').collect();
    parts.dedup_by(|part, before| *part == "**" && before == part);
    if parts.iter().filter(|part| part.contains("**")).count() > MAX_RECURSIVE {
        return Err("a pattern may have `**` four times at most");
    }
    Ok(parts.join("/"))
}

/// Fails for a pattern with `**` below a folder that has more in it than is looked through.
fn check_extent(pattern: &str) -> Result<(), Reason> {
    let Some((before, _)) = pattern.split_once("**") else { return Ok(()) };
    let plain = before.split(['*', '?', '[']).next().unwrap_or_default();
    let root = plain.rfind('/').and_then(|at| plain.get(..=at)).map_or(Path::new("."), Path::new);
    let (mut folders, mut seen) = (vec![root.to_owned()], 0_usize);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            seen += 1;
            if seen > MAX_SEARCHED {
                let root = root.display();
                let text = format!(
                    "{root} has more than {MAX_SEARCHED} files and folders in it: begin the pattern with a folder further down"
                );
                return Err(Reason::new("too-many-files", text));
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    Ok(())
}

/// The paths that were named, with the files that patterns match in their place.
pub(super) fn named(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().flat_map(|path| named_by(path).unwrap_or_else(|| vec![path.clone()])).collect()
}

/// The files, and the entries of containers, that match a pattern; `None` for a path that is not a pattern.
fn named_by(path: &Path) -> Option<Vec<PathBuf>> {
    if !is_pattern(path) {
        return None;
    }
    let text = folded(path.to_str()?).ok()?;
    let (outer, inner) = text.split_once('!').map_or((text.as_str(), None), |(outer, inner)| (outer, Some(inner)));
    let inner = inner.map(Pattern::new).transpose().ok()?;
    check_extent(outer).ok()?;
    let found = glob::glob(outer).ok()?.take(MAX_FILES).flatten();
    let Some(inner) = inner else { return Some(found.collect()) };
    let mut entries = Vec::new();
    for container in found {
        let Ok(archive) = archive::of(&container) else { continue };
        let matching = archive.entries.iter().filter(|entry| inner.matches_with(&entry.path, IN_CONTAINERS));
        entries.extend(matching.map(|entry| address(&container, &entry.path)));
    }
    Some(entries)
}

/// Adds the files that match a pattern, of which the part after `!` is matched in containers.
pub(super) fn expand(path: &Path, files: &mut Vec<Location>) -> Result<(), OpenError> {
    let text = path.to_string_lossy();
    let unreadable = |error: &dyn std::fmt::Display| OpenError::Pattern(format!("{text}: {error}"));
    let folded = folded(&text).map_err(|error| unreadable(&error))?;
    let (outer, inner) = folded.split_once('!').map_or((folded.as_str(), None), |(outer, inner)| (outer, Some(inner)));
    let before = files.len();
    check_extent(outer).map_err(|error| unreadable(&error))?;
    for found in glob::glob(outer).map_err(|error| unreadable(&error))?.take(MAX_FILES).flatten() {
        let Some(inner) = inner else {
            add(&found, files)?;
            continue;
        };
        let inner = Pattern::new(inner).map_err(|error| unreadable(&error))?;
        let archive = list(&found)?;
        let matching = archive.entries.iter().filter(|entry| inner.matches_with(&entry.path, IN_CONTAINERS));
        let (outer, matching): (Vec<_>, Vec<_>) =
            matching.partition(|entry| archive.inside(&entry.path).next().is_some());
        for outer in outer {
            files.extend(ours_in(archive.inside(&outer.path), &found));
        }
        let (ours, others): (Vec<_>, Vec<_>) = matching.into_iter().partition(|entry| is_named_like_ours(&entry.path));
        files.extend(
            if ours.is_empty() { others } else { ours }
                .into_iter()
                .map(|entry| Location::Entry { container: found.clone(), path: entry.path.clone() }),
        );
    }
    if files.len() == before { Err(unreadable(&"no file matches the pattern")) } else { Ok(()) }
}

/// Folder and name, which files of one unit share.
type UnitKey = (PathBuf, String);

/// The key of a file. Those in `browser` are of names with a fingerprint, which an image and its symbols do not share.
fn key(location: &Location, browser: &BTreeSet<UnitKey>) -> UnitKey {
    // `App.exe.mdb` belongs to `App.exe`, whose PDB would be `App.pdb`.
    let name = location.file_name().trim_end_matches(".mdb").to_owned();
    let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    let plain = without_fingerprint(stem).map(|plain| (folder(location), plain.to_ascii_lowercase()));
    plain.filter(|key| browser.contains(key)).unwrap_or_else(|| (folder(location), stem.to_ascii_lowercase()))
}

/// Pairs images with symbol files of the same folder and name, in the order of their first file.
fn pair(files: Vec<Location>) -> Vec<Unit> {
    let wasm = files.iter().filter(|file| has_extension(&file.file_name(), &["wasm"]));
    let browser = wasm.filter_map(|file| Some((folder(file), without_fingerprint(&file.stem())?.to_ascii_lowercase())));
    let browser: BTreeSet<UnitKey> = browser.collect();
    let mut keys: BTreeMap<UnitKey, usize> = BTreeMap::new();
    let mut units: Vec<Unit> = Vec::new();
    let mut seen = HashSet::new();
    for location in files.into_iter().filter(|location| seen.insert(location.clone())) {
        let path = location.path();
        let is_symbols = is_symbols(&location.file_name());
        let unit = Unit { image: (!is_symbols).then(|| path.clone()), symbols: is_symbols.then(|| path.clone()) };
        let key = key(&location, &browser);
        let known = keys.get(&key).and_then(|at| units.get_mut(*at));
        match known {
            Some(known) if unit.files().all(|file| known.files().any(|other| other == file)) => {}
            Some(known) if is_symbols && known.symbols.is_none() => known.symbols = unit.symbols,
            Some(known) if !is_symbols && known.image.is_none() => known.image = unit.image,
            // The old form of a symbols package has the images of the package too.
            Some(known) if !is_symbols && location.is_copy_of(&Location::of(known.path())) => {}
            // A launcher beside its DLL is no image of its own.
            Some(known) if !is_symbols && starts(&path, known.path()) => {}
            Some(known) if !is_symbols && starts(known.path(), &path) => known.image = Some(path),
            _ => {
                keys.insert(key, units.len());
                units.push(unit);
            }
        }
    }
    units
}

fn starts(launcher: &Path, dll: &Path) -> bool {
    launcher::launched(launcher).is_some_and(|(path, _)| path == dll)
}

/// The folder of a file; the same for a package and for that of its symbols.
fn folder(location: &Location) -> PathBuf {
    match location {
        Location::File(path) => path.parent().unwrap_or(Path::new("")).to_owned(),
        // The symbols of the files of a program are beside it.
        Location::Entry { container, path } if !archive::is_archive(container) => {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            container.parent().unwrap_or(Path::new("")).join(folder)
        }
        Location::Entry { .. } => {
            let (container, path) = location.innermost().unwrap_or_default();
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let package = package_stem(&container).map(|(stem, _)| container.with_file_name(stem));
            // Paths in packages are not case-sensitive.
            address(&package.unwrap_or(container), &folder.to_lowercase())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_without_what_units_share() {
        let names = |paths: &[&str]| {
            let units: Vec<Unit> = paths.iter().map(|path| Unit::of_files(vec![path.into()])).collect();
            names_in(&[], &units)
        };
        let paths = ["/b/A.nupkg!lib/net8.0/A.dll", "/b/A.nupkg!lib/net472/A.dll", "/b/C/A.dll"];
        assert_eq!(names(&paths), ["A.nupkg!lib/net8.0/A.dll", "A.nupkg!lib/net472/A.dll", "C/A.dll"]);
        assert_eq!(names(&["a/App.dll"]), ["App.dll"]);
    }

    #[test]
    fn a_run_of_recursive_wildcards_is_one() {
        assert_eq!(folded("/a/**/**/**/b").unwrap(), "/a/**/b");
        assert_eq!(folded("a/**/b/**/*.pdb").unwrap(), "a/**/b/**/*.pdb");
        assert!(folded(&"**/a/".repeat(5)).is_err());
    }
}
