//! Source files on this machine: where a document's could be, and which of those may be opened.
//!
//! A document's name is a path out of a file that anybody may have written, for a machine that need not be this one. It is
//! opened only where it is a plain local file: never a device, a pipe or a share of another machine.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::text::paths::{after_drive, components, is_device_name, is_separator};

/// The largest source file that is read.
pub(crate) const MAX_SOURCE_SIZE: u64 = 64 << 20;

/// The most steps of a path that are looked for under a source root: the last ones.
const MAX_DEPTH: usize = 32;

/// Part of a path to replace by another, as `--map OLD=NEW` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    pub old: String,
    pub new: PathBuf,
}

impl Map {
    /// Reads `OLD=NEW`.
    pub fn parse(text: &str) -> Option<Self> {
        let (old, new) = text.split_once('=')?;
        (!old.is_empty() && !new.is_empty()).then(|| Self { old: old.to_owned(), new: new.into() })
    }

    /// Maps `name`, if the prefix matches whole components of it.
    fn apply(&self, name: &str) -> Option<PathBuf> {
        let old = self.old.trim_end_matches(['/', '\\']);
        let (start, rest) = name.split_at_checked(old.len())?;
        let same = |(a, b): (char, char)| a.eq_ignore_ascii_case(&b) || (is_separator(a) && is_separator(b));
        let begins = start.chars().count() == old.chars().count() && start.chars().zip(old.chars()).all(same);
        if !begins || !(rest.is_empty() || rest.starts_with(is_separator)) {
            return None;
        }
        under(&self.new, &components(rest)?)
    }
}

/// Paths on this machine that could have a document's text, the likeliest first.
///
/// `linked` is the part of the name that Source Link's `*` stands for; `home` is where the symbols are, which relative names
/// count from.
pub(crate) fn candidates(
    name: &str,
    linked: Option<&str>,
    maps: &[Map],
    roots: &[PathBuf],
    home: &Path,
) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = maps.iter().filter_map(|map| map.apply(name)).collect();
    found.extend(as_written(name, home));
    let linked = linked.and_then(components).filter(|steps| !steps.is_empty());
    for root in roots {
        found.extend(linked.as_ref().and_then(|steps| under(root, steps)));
        // The last steps of the name under the root: all of them first, then fewer, then the file name alone.
        let Some(all) = components(name) else { continue };
        let first = all.len().saturating_sub(MAX_DEPTH);
        found.extend((first..all.len()).filter_map(|from| under(root, all.get(from..)?)));
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|path| seen.insert(path.clone()));
    found
}

fn as_written(name: &str, home: &Path) -> Option<PathBuf> {
    if is_share(name) {
        return None;
    }
    let is_absolute = if cfg!(windows) {
        after_drive(name).is_some_and(|rest| rest.starts_with(is_separator))
    } else {
        name.starts_with('/')
    };
    if is_absolute {
        Some(name.into())
    } else if is_relative(name) {
        under(home, &components(name)?)
    } else {
        None
    }
}

fn is_relative(name: &str) -> bool {
    !name.starts_with(is_separator) && after_drive(name).is_none()
}

/// Returns whether a path names a share of another machine, or a device (`\\server\share`, `\\.\pipe\x`, `\\?\C:\x`).
fn is_share(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(is_separator) && chars.next().is_some_and(is_separator)
}

fn under(root: &Path, steps: &[&str]) -> Option<PathBuf> {
    (!steps.is_empty()).then(|| steps.iter().fold(root.to_owned(), |path, step| path.join(step)))
}

#[derive(Debug)]
pub(crate) enum NotRead {
    Missing,
    /// It is none that is opened on a hint from a file.
    Refused(&'static str),
    Failed(std::io::Error),
    /// A plain file that this process may not open, as in a sandbox.
    Denied,
}

/// Reads a plain file: its bytes, and its path without symbolic links.
pub(crate) fn read(path: &Path) -> Result<(Vec<u8>, PathBuf), NotRead> {
    if let Some(why) = refused(path) {
        return Err(NotRead::Refused(why));
    }
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => NotRead::Missing,
        _ => NotRead::Failed(error),
    };
    // Opening a pipe would wait for its other end, so what it is comes first; and again, in case it has changed.
    plain(&std::fs::metadata(path).map_err(failed)?)?;
    let real = std::fs::canonicalize(path).map_err(failed)?;
    if let Some(why) = refused(&real) {
        return Err(NotRead::Refused(why));
    }
    let file = File::open(&real).map_err(|error| match error.kind() {
        std::io::ErrorKind::PermissionDenied => NotRead::Denied,
        _ => failed(error),
    })?;
    plain(&file.metadata().map_err(failed)?)?;
    let mut bytes = Vec::new();
    file.take(MAX_SOURCE_SIZE + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_SOURCE_SIZE { Err(NotRead::Refused(TOO_LARGE)) } else { Ok((bytes, real)) }
}

/// Returns whether a file belongs to the tree of a pair, whose files are shown without a matching hash: one below the folder of the
/// symbols and not hidden, as `.ssh` is. A home folder and what contains it is no such tree.
pub(crate) fn is_in_tree(real: &Path, folder: &Path) -> bool {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(folder) = folder.canonicalize() else { return false };
    if is_wide(&folder) {
        return false;
    }
    let is_hidden = |step: &std::ffi::OsStr| step.as_encoded_bytes().starts_with(b".");
    real.strip_prefix(folder).is_ok_and(|rest| !rest.iter().any(is_hidden))
}

/// Returns whether a folder is a home folder or contains it: what a file in it may reach is not the whole of it.
pub fn is_wide(folder: &Path) -> bool {
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder))
}

const TOO_LARGE: &str = "larger than 64 MB";

fn plain(found: &std::fs::Metadata) -> Result<(), NotRead> {
    if found.is_dir() {
        return Err(NotRead::Missing);
    }
    if !found.is_file() {
        return Err(NotRead::Refused("not a regular file"));
    }
    if found.len() > MAX_SOURCE_SIZE { Err(NotRead::Refused(TOO_LARGE)) } else { Ok(()) }
}

/// Reason never to open a path, by its form.
fn refused(path: &Path) -> Option<&'static str> {
    if cfg!(windows) {
        let text = path.to_string_lossy();
        // Windows writes its own canonical paths with this prefix.
        let text = text.strip_prefix(r"\\?\").unwrap_or(&text);
        if is_share(text) || text.starts_with("UNC\\") {
            return Some("on another machine");
        }
        let text = after_drive(text).unwrap_or(text);
        return text.split(is_separator).any(is_device_name).then_some("a device");
    }
    ["/dev", "/proc", "/sys"]
        .iter()
        .any(|folder| path.starts_with(folder))
        .then_some("a device or a part of the system")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(found: Vec<PathBuf>) -> Vec<String> {
        found.into_iter().map(|path| path.to_string_lossy().replace('\\', "/")).collect()
    }

    #[test]
    #[cfg(unix)]
    fn where_a_source_could_be() {
        let maps = [Map::parse(r"C:\Src=/home/me/src").unwrap(), Map::parse("/_/=/repo").unwrap()];
        let at = |name, linked| paths(candidates(name, linked, &maps, &["/root".into()], Path::new("/bin")));
        assert_eq!(
            at(r"c:\src\app\P.cs", None),
            ["/home/me/src/app/P.cs", "/root/src/app/P.cs", "/root/app/P.cs", "/root/P.cs"]
        );
        assert_eq!(at(r"C:\srcs\P.cs", None), ["/root/srcs/P.cs", "/root/P.cs"], "a map ends with a step");
        assert_eq!(
            at("/_/app/P.cs", Some("app/P.cs")),
            ["/repo/app/P.cs", "/_/app/P.cs", "/root/app/P.cs", "/root/_/app/P.cs", "/root/P.cs"]
        );
        assert_eq!(at("obj/G.cs", None), ["/bin/obj/G.cs", "/root/obj/G.cs", "/root/G.cs"]);
    }

    #[test]
    fn a_path_that_leads_up_or_away_is_no_candidate() {
        let none: Vec<String> = Vec::new();
        let maps = [Map::parse("/a=/b").unwrap()];
        let at = |name| paths(candidates(name, Some("../../etc/passwd"), &maps, &["/root".into()], Path::new("/bin")));
        for name in [r"\\server\share\P.cs", "//server/share/P.cs", r"\\.\pipe\x", r"\\?\UNC\s\s\P.cs"] {
            assert!(at(name).iter().all(|path| path.starts_with("/root/")), "{name}");
        }
        assert_eq!(at("../../P.cs"), none);
        assert_eq!(at("/a/../../etc/passwd").iter().filter(|path| path.starts_with("/b")).count(), 0);
        assert_eq!(at("P.cs:stream"), none);
    }

    #[test]
    #[cfg(unix)]
    fn only_plain_files_are_read() {
        assert!(matches!(read(Path::new("/dev/zero")), Err(NotRead::Refused(_))));
        assert!(matches!(read(Path::new("/proc/self/environ")), Err(NotRead::Refused(_))));
        assert!(matches!(read(Path::new("/")), Err(NotRead::Missing)));
        assert!(matches!(read(Path::new("/no/such/file")), Err(NotRead::Missing)));
    }
}
