//! Reasons why nothing was opened.

use pdblens_formats::reason::Reason;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{path}: {why}", path = path.display(), why = why_not_read(error))]
    Io { path: PathBuf, error: std::io::Error },
    /// The file is none of the formats.
    #[error("{path}: {is}{what}{instead}", path = path.display(), is = is(what), instead = instead(what))]
    NotOurs {
        path: PathBuf,
        /// Description of the file by its first bytes, with advice where there is any.
        what: Cow<'static, str>,
    },
    /// The file is native code of a system whose compilers write no PDB.
    #[error("{path}: this is {what}{instead}", path = path.display(), instead = instead(what))]
    NativeCode { path: PathBuf, what: &'static str },
    /// The file begins like one of the formats, and is not.
    #[error("{path}: {what}, but {error}", path = path.display())]
    Broken { path: PathBuf, what: &'static str, error: pdblens_formats::bytes::Error },
    #[error("{first} and {second} are both {what} · tip: name one image and one symbol file", first = first.display(), second = second.display())]
    TwoOfAKind { first: PathBuf, second: PathBuf, what: &'static str },
    /// A folder or container has several pairs, one of which has to be named.
    #[error("{path}: this is {what} with {n} files or pairs · tip: name one", path = path.display(), what = what_is(path), n = choices.len())]
    Ambiguous {
        path: PathBuf,
        /// Paths of the files of each, the one that names it first.
        choices: Vec<Vec<PathBuf>>,
    },
    /// Several pairs were named, one of which has to be chosen.
    #[error("{n} files or pairs were named · tip: name one", n = choices.len())]
    Several {
        paths: Vec<PathBuf>,
        /// Paths of the files of each, the one that names it first.
        choices: Vec<Vec<PathBuf>>,
    },
    #[error("{path}: this is {what}, and no .dll, .exe, .pdb or .mdb is in it", path = .0.display(), what = what_is(.0))]
    NothingInside(PathBuf),
    /// A pattern that matches no file, or is none.
    #[error("{0}")]
    Pattern(String),
    #[error("{0} files were named · tip: name one image, one symbol file, or both")]
    TooMany(usize),
}

impl OpenError {
    pub fn reason(&self) -> Reason {
        Reason::new(self.code(), self.to_string())
    }

    /// Code of the reason, which stays when the sentence changes.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { error, .. } => match error.kind() {
                std::io::ErrorKind::NotFound => "no-file",
                std::io::ErrorKind::PermissionDenied => "no-permission",
                _ => "io",
            },
            Self::NotOurs { .. } => "other-format",
            Self::NativeCode { .. } => "native-code",
            Self::Broken { error, .. } => error.kind.code(),
            Self::TwoOfAKind { .. } => "two-of-a-kind",
            Self::Ambiguous { .. } | Self::Several { .. } => "several-pairs",
            Self::NothingInside(_) => "nothing-inside",
            Self::Pattern(_) => "pattern",
            Self::TooMany(_) => "too-many-files",
        }
    }
}

/// Sentence about a file that cannot be read, without the error number of the system.
pub fn why_not_read(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "there is no permission to read this file".to_owned(),
        _ => {
            let text = error.to_string();
            format!("this file cannot be read: {}", text.split(" (os error").next().unwrap_or(&text))
        }
    }
}

/// Words before a description: only one with an article continues a sentence.
fn is(what: &str) -> &'static str {
    if what.starts_with("unrecognised") { "" } else { "this is " }
}

/// Advice for a file that looks like `what`, unless that has advice of its own.
fn instead(what: &str) -> &'static str {
    if what.contains([':', ';', '·']) { "" } else { "; expected a .dll, .exe, .pdb or .mdb" }
}

fn what_is(path: &Path) -> &'static str {
    let packages = ["nupkg", "snupkg"];
    match path.extension().and_then(|extension| extension.to_str()) {
        _ if path.is_dir() => "a directory",
        _ if !path.is_file() => "a pattern",
        Some(extension) if packages.iter().any(|known| extension.eq_ignore_ascii_case(known)) => "a package",
        _ => "a container",
    }
}
