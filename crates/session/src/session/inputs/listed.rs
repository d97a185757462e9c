//! Images and symbol files among the files of folders and containers, by their names.

use std::path::Path;

use super::{Location, archive};
use pdblens_formats::container::Entry;

/// Limit on the files of a command.
pub(super) const MAX_FILES: usize = 200_000;
/// Extensions of images, whatever the system.
const IMAGES: &[&str] = &["dll", "exe", "winmd", "node", "pyd", "efi", "ocx", "scr", "cpl", "ax", "sys", "dl_", "ex_"];
/// Extensions of symbol files.
const SYMBOLS: &[&str] = &["pdb", "mdb", "pd_", "pdz"];

/// Returns whether a file name is that of an image.
pub(super) fn is_image(name: &str) -> bool {
    has_extension(name, IMAGES)
}

/// Returns whether a file name is that of a symbol file.
pub(super) fn is_symbols(name: &str) -> bool {
    has_extension(name, SYMBOLS)
}

pub(super) fn is_named_like_ours(name: &str) -> bool {
    is_image(name) || is_symbols(name)
}

/// Returns whether a name ends in one of several extensions, in any case.
pub(in crate::session) fn has_extension(name: &str, of: &[&str]) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| of.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// Images and symbol files of a container.
pub(super) fn all_in(archive: &archive::Archive, container: &Path) -> Vec<Location> {
    ours_in(archive.entries.iter(), container)
}

/// Images and symbol files among entries of a container.
pub(super) fn ours_in<'e>(entries: impl Iterator<Item = &'e Entry>, container: &Path) -> Vec<Location> {
    let ours = entries.filter(|entry| is_named_like_ours(&entry.path));
    ours.map(|entry| Location::Entry { container: container.to_owned(), path: entry.path.clone() }).collect()
}
