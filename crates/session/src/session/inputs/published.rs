//! Names and places that publishing gives: fingerprints of files for browsers, symbols beside a single-file program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::archive;
use super::launcher::program_name;
use super::location::Location;

/// Letters and digits of a fingerprint: the start of a hash in base 36.
const FINGERPRINT: usize = 10;
const MAX_PROGRAMS: usize = 64;

/// `Acme.Clock` of `Acme.Clock.dqhbc65nvv`; `None` for a name without a fingerprint.
pub(in crate::session) fn without_fingerprint(stem: &str) -> Option<&str> {
    let is_digit = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let (name, print) = stem.rsplit_once('.')?;
    (print.len() == FINGERPRINT && print.bytes().all(is_digit)).then_some(name)
}

/// The single-file programs among the files of a folder that have symbols beside them: `App` where `App.pdb` is.
pub(in crate::session) fn programs(files: &[Location]) -> Vec<PathBuf> {
    let names: BTreeSet<String> = files.iter().map(Location::file_name).collect();
    let is_program = |path: &PathBuf| {
        names.contains(&format!("{}.pdb", program_name(path)))
            && archive::may_be_host(path)
            && !archive::is_archive(path)
            && archive::of(path).is_ok()
    };
    let paths = files.iter().filter_map(|file| match file {
        Location::File(path) => Some(path.clone()),
        Location::Entry { .. } => None,
    });
    paths.filter(is_program).take(MAX_PROGRAMS).collect()
}

/// The single-file programs among the files of a folder: those in `with_symbols`, and programs that have none beside them, as many as
/// `budget` bytes of programs allow to look into.
pub(super) fn single_files(files: &[PathBuf], with_symbols: &[PathBuf], budget: &mut u64) -> Vec<PathBuf> {
    let mut found = with_symbols.to_vec();
    for path in files.iter().filter(|path| !with_symbols.contains(path) && may_be_program(path)).take(MAX_PROGRAMS) {
        let size = std::fs::metadata(path).map_or(u64::MAX, |found| found.len());
        let Some(rest) = budget.checked_sub(size) else { continue };
        *budget = rest;
        if !archive::is_archive(path) && archive::of(path).is_ok() {
            found.push(path.clone());
        }
    }
    found
}

/// Returns whether a file is a program rather than a library by its name or its mode, and begins like one.
fn may_be_program(path: &Path) -> bool {
    let is_named = path.extension().is_none_or(|end| end.eq_ignore_ascii_case("exe")) || is_executable(path);
    let is_library = [".dll", ".so", ".dylib", ".node"].iter().any(|end| path.to_string_lossy().ends_with(end));
    is_named && !is_library && archive::may_be_host(path)
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
const fn is_executable(_: &Path) -> bool {
    false
}

/// The files of a program that a folder selects: images whose symbols are beside it; all, where it has none there.
pub(super) fn files_of(program: &Path, beside: &[Location]) -> Vec<Location> {
    let found = images_of(program, beside);
    let all = || archive::of(program).map(|archive| super::all_in(&archive, program)).unwrap_or_default();
    if found.is_empty() { all() } else { found }
}

/// The images in a program whose symbols are among the files beside it.
pub(in crate::session) fn images_of(program: &Path, beside: &[Location]) -> Vec<Location> {
    let Ok(archive) = archive::of(program) else { return Vec::new() };
    let names: BTreeSet<String> = beside.iter().map(Location::file_name).collect();
    let entries = archive.entries.iter().filter(|entry| super::is_image(&entry.path));
    let images = entries.map(|entry| Location::Entry { container: program.to_owned(), path: entry.path.clone() });
    images.filter(|image| names.contains(&format!("{}.pdb", image.stem()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_above_the_budget_are_not_looked_into() {
        let path = std::env::current_exe().unwrap();
        let (files, mut budget) = ([path.clone(), path], 1);
        assert!(single_files(&files, &[], &mut budget).is_empty());
        assert_eq!(budget, 1, "nothing was read");
        let named = [PathBuf::from("App")];
        assert_eq!(single_files(&files, &named, &mut budget), named);
    }

    #[test]
    fn fingerprints_have_ten_letters_and_digits() {
        assert_eq!(without_fingerprint("Acme.Clock.dqhbc65nvv"), Some("Acme.Clock"));
        for stem in ["Acme.Clock", "dqhbc65nvv", "Acme.Dqhbc65nvv", "Acme.dqhbc65nv", "Acme.dqhbc65nvvv", ""] {
            assert_eq!(without_fingerprint(stem), None, "{stem}");
        }
    }
}
