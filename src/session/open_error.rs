//! Reasons why nothing was opened.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Reason why nothing was opened.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum OpenError {
    /// The file cannot be read.
    #[error("{path}: {why}", path = path.display(), why = why_not_read(error))]
    Io { path: PathBuf, error: std::io::Error },
    /// The file is none of the formats.
    #[error("{path}: this is {what}{instead}", path = path.display(), instead = instead(what))]
    NotOurs {
        path: PathBuf,
        /// Description of the file by its first bytes, with advice where there is any.
        what: Cow<'static, str>,
    },
    /// The path is a directory.
    #[error("{path}: this is a directory{hint}", path = path.display(), hint = hint(path, first.as_deref()))]
    Directory {
        path: PathBuf,
        /// First file in it that could be opened.
        first: Option<PathBuf>,
    },
    /// The file begins like one of the formats, and is not.
    #[error("{path}: {what}, but {error}", path = path.display())]
    Broken { path: PathBuf, what: &'static str, error: crate::bytes::Error },
    /// Two files of the same kind were named.
    #[error("{first} and {second} are both {what}: name one image and one symbol file", first = first.display(), second = second.display())]
    TwoOfAKind { first: PathBuf, second: PathBuf, what: &'static str },
    /// More than two files were named.
    #[error("{0} files were named: name one image, one symbol file, or both")]
    TooMany(usize),
}

/// Sentence for a file that cannot be read.
fn why_not_read(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "this file may not be read".to_owned(),
        _ => format!("this file cannot be read: {error}"),
    }
}

/// Advice for a file that looks like `what`, unless that has advice of its own.
fn instead(what: &str) -> &'static str {
    if what.contains([':', ';']) { "" } else { ", not a .NET image or symbol file (.dll, .exe, .pdb, .mdb)" }
}

/// Advice for a directory.
fn hint(path: &Path, first: Option<&Path>) -> String {
    match first {
        Some(first) => format!(": name a file in it, {} for instance", path.join(first).display()),
        None => ", and no .dll, .exe, .pdb or .mdb is in it".to_owned(),
    }
}

/// The first file in a directory, by name, that looks like one to open: an image if there is one.
pub(super) fn first_in(directory: &Path) -> Option<PathBuf> {
    /// Entries of the directory that are looked at.
    const MAX_ENTRIES: usize = 10_000;
    let entries = std::fs::read_dir(directory).ok()?.take(MAX_ENTRIES).flatten();
    let rank = |path: &Path| {
        let extension = path.extension()?.to_ascii_lowercase();
        ["dll", "exe", "pdb", "mdb"].iter().position(|known| extension == *known).map(|at| at / 2)
    };
    let names = entries.map(|entry| PathBuf::from(entry.file_name()));
    names.filter_map(|name| Some((rank(&name)?, name))).min().map(|(_, name)| name)
}
