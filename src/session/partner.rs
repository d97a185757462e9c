//! Search for the other half of a pair.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::Image;
use super::read_file::open_regular;

/// Files of a folder that are tried as the image of a PDB.
const MAX_CANDIDATES: usize = 512;

/// Files beside an image that could be its symbols: named as its CodeView entries say, or like the image.
pub(crate) fn symbol_candidates(image: &Image) -> Vec<PathBuf> {
    let folder = image.path.parent().unwrap_or(Path::new(""));
    let named = image.pe.debug.iter().filter_map(|entry| entry.rsds()).filter_map(|rsds| file_name(&rsds.path));
    let own = image.path.with_extension("pdb");
    let mut mdb = image.path.clone().into_os_string();
    mdb.push(".mdb");
    let mut found: Vec<PathBuf> = Vec::new();
    for path in named.map(|name| folder.join(name)).chain([own, mdb.into()]) {
        if !found.contains(&path) && is_plain_file(&path) {
            found.push(path);
        }
    }
    found
}

/// Files beside a symbol file that could be its image: those of the same name first.
pub(crate) fn image_candidates(symbols: &Path) -> Vec<PathBuf> {
    let folder = symbols.parent().unwrap_or(Path::new(""));
    // `App.exe.mdb` is the symbols of `App.exe`, `App.pdb` those of `App.dll` or `App.exe`.
    let named = [symbols.with_extension(""), symbols.with_extension("dll"), symbols.with_extension("exe")];
    let mut found: Vec<PathBuf> = named.into_iter().filter(|path| is_image_name(path) && is_plain_file(path)).collect();
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = std::fs::read_dir(here) else { return found };
    let mut others: Vec<PathBuf> = entries
        .take(MAX_CANDIDATES * 16)
        .filter_map(Result::ok)
        .map(|entry| folder.join(entry.file_name()))
        .filter(|path| !found.contains(path) && is_plain_file(path) && begins_like_an_image(path))
        .take(MAX_CANDIDATES)
        .collect();
    // Those of the same name first: `addon.node`, `module.pyd`.
    others.sort_by_key(|path| (path.file_stem() != symbols.file_stem(), !is_image_name(path), path.clone()));
    found.extend(others);
    found
}

/// Returns whether a file begins with `MZ`, whatever it is called: `.node`, `.pyd`, `.efi`.
fn begins_like_an_image(path: &Path) -> bool {
    let mut first = [0; 2];
    open_regular(path).is_ok_and(|mut file| file.read_exact(&mut first).is_ok()) && first == *b"MZ"
}

fn is_image_name(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("dll") || extension.eq_ignore_ascii_case("exe"))
}

/// Returns whether it is a regular file: no folder, device or pipe is ever opened on a hint from a file.
fn is_plain_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_file())
}

/// The file name at the end of a path from a file, which may be a Windows path; `None` where it is none that could be a file
/// of this folder.
fn file_name(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\', ':']).next()?;
    (!name.is_empty() && name != "." && name != ".." && !name.contains('\0')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_step_of_a_path_from_a_file_is_used() {
        assert_eq!(file_name("C:\\src\\Ticker.pdb"), Some("Ticker.pdb"));
        assert_eq!(file_name("/src/ticker/Ticker.pdb"), Some("Ticker.pdb"));
        assert_eq!(file_name("Ticker.pdb"), Some("Ticker.pdb"));
        assert_eq!(file_name("\\\\server\\share\\"), None);
        assert_eq!(file_name("C:\\x\\.."), None);
    }
}
