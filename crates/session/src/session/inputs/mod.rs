//! Inputs of a command: files, folders, patterns, packages, single-file programs, and addresses in them
//! (`Acme.1.2.0.nupkg!lib/net8.0/Acme.dll`).
//!
//! [`Location`] is where the bytes of one file are; [`units`] makes pairs of what was named.

mod archive;
mod installed;
mod itself;
mod launcher;
mod location;
mod package;
mod program_offset;
mod published;
mod units;
mod walk;

use std::path::{Path, PathBuf};

pub use installed::installed_roots;
pub use itself::{PlainContent, PlainFile, itself};
pub use location::Location;
use package::is_package;
pub use package::{Package, Packages, has_package};
pub use program_offset::{ProgramPlace, place_in_program};
pub(super) use published::{images_of, programs, without_fingerprint};
pub use units::{PathPattern, Unit, names_in, units};

use super::{OpenError, PdbMatch, Session};
use pdblens_formats::container::Entry;

/// The file to open for a named path, and a remark if it is another file.
pub(super) struct Chosen {
    pub(super) path: PathBuf,
    pub(super) remark: Option<String>,
    /// Number of the other pairs of the container or folder.
    pub(super) others: usize,
}

/// The file to open for a path: the path itself, the DLL of a launcher, or the only pair of a folder or container.
///
/// `App.exe!` is the launcher or the single-file program itself; [`itself`] describes one without a reader.
pub(super) fn choose(path: &Path) -> Result<Chosen, OpenError> {
    if let Location::File(own) = Location::of(path)
        && own != path
    {
        return Ok(Chosen { path: own, remark: None, others: 0 });
    }
    if let Some(found) = installed::resolve(path)? {
        let remark = format!("{} is {}", path.display(), found.display());
        return choose_from(&found, path).map(|chosen| Chosen { remark: chosen.remark.or(Some(remark)), ..chosen });
    }
    choose_from(path, path)
}

/// The same for a path that is no address; `named` is the one that was named, whose units count.
fn choose_from(path: &Path, named: &Path) -> Result<Chosen, OpenError> {
    let is_entry = matches!(Location::of(path), Location::Entry { .. });
    if is_entry && !units::is_pattern(path) && archive::nested(path).is_none() {
        return Ok(Chosen { path: path.to_owned(), remark: None, others: 0 });
    }
    if let Some((path, remark)) = launcher::launched(path) {
        return Ok(Chosen { path, remark: Some(remark), others: 0 });
    }
    if !is_many(path) {
        return Ok(Chosen { path: path.to_owned(), remark: None, others: 0 });
    }
    let found = units(std::slice::from_ref(&named.to_owned()))?;
    let unit = match found.as_slice() {
        [] => return Err(OpenError::NothingInside(path.to_owned())),
        [unit] => unit,
        all => match own_unit(path, all).and_then(|at| all.get(at)) {
            Some(unit) => unit,
            None => return Err(OpenError::Ambiguous { path: path.to_owned(), choices: choices(&found) }),
        },
    };
    let within = unit.path_in(path);
    let remark = match found.len() {
        1 => format!("{} contains one pair: {within}", path.display()),
        n => format!("opened {within}, of {n} files or pairs in {}", path.display()),
    };
    Ok(Chosen { path: unit.path().to_owned(), remark: Some(remark), others: found.len() - 1 })
}

/// Returns whether a path is a pattern that no file matches, because decorated names of C++ and types contain pattern characters too.
pub fn is_pattern_without_files(path: &Path) -> bool {
    units::is_pattern(path) && units::expand(path, &mut Vec::new()).is_err()
}

/// Returns whether a path is a single-file program with several pairs, of which [`Session::open`](crate::session::Session::open) opens
/// the program's own.
pub fn is_program_of_several(path: &Path) -> bool {
    pairs_of_program(path).is_some()
}

/// Pairs of a single-file program that has several; `None` for any other path.
pub(crate) fn pairs_of_program(path: &Path) -> Option<Vec<Unit>> {
    if !archive::is_file(path) || archive::is_archive(path) || !archive::is_container(path) {
        return None;
    }
    let found = units(std::slice::from_ref(&path.to_owned())).ok()?;
    (found.len() > 1).then_some(found)
}

/// Index of the pair that has the name of its single-file program.
pub fn own_unit(path: &Path, units: &[Unit]) -> Option<usize> {
    let program = launcher::program_name(path);
    if !archive::is_file(path) || archive::is_archive(path) {
        return None;
    }
    units.iter().position(|unit| Location::of(unit.path()).stem() == program)
}

/// Number of other pairs in the container of a session, if only the container was named.
pub const fn others(session: &Session) -> usize {
    session.others
}

pub fn is_archive(path: &Path) -> bool {
    path.file_name().is_some_and(|name| archive::is_named_like_an_archive(&name.to_string_lossy())) && path.is_file()
}

/// Returns whether a path may stand for several files: a folder, a container, a pattern.
pub fn is_many(path: &Path) -> bool {
    installed::is_address(path)
        || path.is_dir()
        || units::is_pattern(path)
        || archive::is_file(path) && archive::is_container(path)
        || archive::nested(path).is_some()
}

/// Limit on the files of a command.
const MAX_FILES: usize = 200_000;
const IMAGES: &[&str] = &["dll", "exe", "winmd", "node", "pyd", "efi", "ocx", "scr", "cpl", "ax", "sys", "dl_", "ex_"];
const SYMBOLS: &[&str] = &["pdb", "mdb", "pd_", "pdz"];

fn is_image(name: &str) -> bool {
    has_extension(name, IMAGES)
}

fn is_symbols(name: &str) -> bool {
    has_extension(name, SYMBOLS)
}

fn is_named_like_ours(name: &str) -> bool {
    is_image(name) || is_symbols(name)
}

/// Returns whether a name ends in one of several extensions, in any case.
pub(super) fn has_extension(name: &str, of: &[&str]) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| of.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

fn all_in(archive: &archive::Archive, container: &Path) -> Vec<Location> {
    ours_in(archive.entries.iter(), container)
}

/// Images and symbol files among entries of a container.
fn ours_in<'e>(entries: impl Iterator<Item = &'e Entry>, container: &Path) -> Vec<Location> {
    let ours = entries.filter(|entry| is_named_like_ours(&entry.path));
    ours.map(|entry| Location::Entry { container: container.to_owned(), path: entry.path.clone() }).collect()
}

/// Returns whether one of the paths is a folder, container or pattern, or whether two are images.
pub fn names_several(paths: &[PathBuf]) -> bool {
    let images = paths.iter().filter(|path| Location::of(path).begins_like_an_image());
    images.take(2).count() > 1 || paths.iter().any(|path| is_many(path))
}

/// Opens the paths if they are one pair, with its deltas; else returns all their pairs as [`OpenError::Several`] or
/// [`OpenError::Ambiguous`]. A single-file program of several pairs is a list too.
pub fn open_or_list(paths: &[PathBuf]) -> Result<Session, OpenError> {
    if let [path] = paths {
        return match pairs_of_program(path) {
            Some(units) => Err(OpenError::Ambiguous { path: path.clone(), choices: choices(&units) }),
            None => Session::open(paths),
        };
    }
    let several = names_several(paths);
    // A pair may be in two packages. Of more inputs, none is read before it is chosen.
    if paths.len() <= 2 || !several {
        let opened = Session::open(paths);
        let is_one = match &opened {
            Ok(session) => !several || others(session) == 0 && session.pdb_match() == PdbMatch::Matched,
            Err(OpenError::Ambiguous { .. } | OpenError::TwoOfAKind { .. } | OpenError::TooMany(_)) => false,
            Err(_) => !several,
        };
        if is_one {
            return opened;
        }
    }
    let found = units(paths)?;
    match found.as_slice() {
        [] => Err(OpenError::NothingInside(paths.first().cloned().unwrap_or_default())),
        [unit] => unit.open(),
        _ => Err(OpenError::Several { paths: paths.to_vec(), choices: choices(&found) }),
    }
}

fn choices(units: &[Unit]) -> Vec<Vec<PathBuf>> {
    units.iter().map(|unit| unit.files().map(Path::to_owned).collect()).collect()
}
