//! Files of a folder and of the folders in it: images, symbol files, and those in packages and single-file programs.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use super::{Location, archive, is_package, programs, published};
use super::{MAX_FILES, all_in, has_extension, is_named_like_ours};

/// Bytes of programs without symbols beside them that are looked into, in all folders: most are no .NET program.
const MAX_PROGRAM_BYTES: u64 = 512 << 20;
/// Limit on folders in folders.
const MAX_DEPTH: usize = 64;
/// Ends of the names that the marks of NuGet have beside a package that is unpacked already.
const UNPACKED: &[&str] = &[".nupkg.metadata", ".sha512"];

/// Adds the images and symbol files below a folder. Links to folders are not followed.
pub(super) fn walk(folder: &Path, files: &mut Vec<Location>) {
    let mut budget = MAX_PROGRAM_BYTES;
    each(folder, 0, &mut |here| {
        let beside: Vec<Location> = here.iter().map(|path| Location::File(path.clone())).collect();
        let symbols = programs(&beside);
        let programs = published::single_files(here, &symbols, &mut budget);
        for path in here {
            let name = name(path);
            if programs.contains(path) {
                files.extend(published::files_of(path, &beside));
            } else if archive::is_named_like_an_archive(&name) {
                add_archive(path, here, files);
            } else if is_ours(path, &name) && path.is_file() {
                files.push(Location::File(path.clone()));
            }
        }
        files.len() <= MAX_FILES
    });
}

/// Adds the packages below a folder, but for those that are unpacked there.
pub(super) fn packages(folder: &Path, packages: &mut Vec<PathBuf>) {
    each(folder, 0, &mut |here| {
        let found =
            here.iter().filter(|path| is_package(path) && !is_unpacked(here, path) && archive::is_archive(path));
        packages.extend(found.cloned());
        packages.len() <= MAX_FILES
    });
}

/// Returns whether the content of a package is among the files beside it, as in the folder of all packages.
fn is_unpacked(beside: &[PathBuf], package: &Path) -> bool {
    let own = name(package);
    let is_mark = |other: &PathBuf| {
        let other = name(other);
        UNPACKED.iter().any(|end| other == *end || other.strip_suffix(end) == Some(own.as_str()))
    };
    beside.iter().any(is_mark)
}

/// Calls `visit` with the files, sorted, of a folder and of each folder in it, until it returns false.
fn each(folder: &Path, depth: usize, visit: &mut dyn FnMut(&[PathBuf]) -> bool) -> bool {
    let mut entries: Vec<DirEntry> = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).collect();
    entries.sort_by_key(DirEntry::file_name);
    let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let (folders, files): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_folder);
    let path = |entry: &DirEntry| folder.join(entry.file_name());
    if !visit(&files.iter().map(path).collect::<Vec<_>>()) {
        return false;
    }
    let visible = |entry: &&DirEntry| !entry.file_name().to_string_lossy().starts_with('.');
    let mut folders = folders.iter().filter(visible);
    depth >= MAX_DEPTH || folders.all(|folder| each(&path(folder), depth + 1, visit))
}

/// Adds the files in a package or archive of a folder. A package that cannot be read is added itself, for its error to be told.
fn add_archive(path: &Path, beside: &[PathBuf], files: &mut Vec<Location>) {
    if is_unpacked(beside, path) || !path.is_file() {
        return;
    }
    let archive = if archive::is_archive(path) { archive::of(path).ok() } else { None };
    match archive {
        Some(archive) => files.extend(all_in(&archive, path)),
        None if is_package(path) => files.push(Location::File(path.to_owned())),
        None => {}
    }
}

/// Returns whether a file of a folder is an image or a symbol file by its name, or wraps an assembly for a browser.
fn is_ours(path: &Path, name: &str) -> bool {
    is_named_like_ours(name) || has_extension(name, &["wasm"]) && archive::is_webcil(path)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
