//! Writing embedded sources and other parts out, and never outside of the folder that was named.
//!
//! The names come out of a file. Each becomes a path of plain steps: no drive, no root, no way up, no name that some system
//! keeps for a device. Folders are made one by one and have to be real ones, and a file is only ever made new: so a link that
//! somebody left in the folder leads nowhere.

use pdblens_formats::reason::Reason;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::store::new_file::{self, Existing};
use crate::text::paths::is_device_name;
use crate::text::safe::is_hidden;

/// The most bytes of a step: file systems have 255, and some room is left for a number.
const LONGEST_STEP: usize = 200;
/// The most steps of a path.
const MAX_DEPTH: usize = 64;

#[derive(Debug)]
pub struct Extraction {
    folder: PathBuf,
    /// The folder as it was named, which paths of files begin with: that of Windows is `\\?\C:\…` in full.
    named: PathBuf,
    existing: Existing,
    /// Paths that have a file, in lower case.
    taken: HashSet<String>,
}

impl Extraction {
    /// Makes the folder if it is not there. A file that is there already has the same bytes or is an error, unless `existing` says to
    /// replace it.
    pub fn to(folder: &Path, existing: Existing) -> io::Result<Self> {
        new_file::create_folder(folder)?;
        Ok(Self { folder: fs::canonicalize(folder)?, named: folder.to_owned(), existing, taken: HashSet::new() })
    }

    /// Writes a file with a name out of the symbols, into a subfolder if that has a name, which may be a path. Returns its path, and the
    /// bytes written or the reason why not.
    pub fn write(
        &mut self,
        subfolder: &str,
        name: &str,
        bytes: Result<Cow<'_, [u8]>, Reason>,
    ) -> (PathBuf, Result<u64, Reason>) {
        let subfolder = if subfolder.is_empty() { Vec::new() } else { plain_steps(subfolder) };
        let steps = unused(subfolder.into_iter().chain(plain_steps(name)).collect(), &mut self.taken);
        let path = steps.iter().fold(self.named.clone(), |path, step| path.join(step));
        let write = |bytes: Cow<'_, [u8]>| write(&self.folder, &steps, &bytes, self.existing);
        (path, bytes.and_then(|bytes| write(bytes).map_err(|error| Reason::new("not-written", error.to_string()))))
    }
}

/// A name as steps that every file system takes, none of which leads up.
fn plain_steps(name: &str) -> Vec<String> {
    let mut steps: Vec<String> =
        name.split(['/', '\\']).filter(|step| !step.is_empty() && *step != ".").map(plain_step).collect();
    let surplus = steps.len().saturating_sub(MAX_DEPTH);
    steps.drain(..surplus);
    if steps.is_empty() { vec!["unnamed".to_owned()] } else { steps }
}

/// `C:` becomes `C`, `..` becomes `_`, and what some system would take for more than a name becomes `_` too.
fn plain_step(step: &str) -> String {
    let step = step.strip_suffix(':').unwrap_or(step);
    let special = |c: char| is_hidden(c) || matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*');
    let mut plain: String = step.chars().map(|c| if special(c) { '_' } else { c }).collect();
    while plain.len() > LONGEST_STEP {
        plain.pop();
    }
    // Windows drops dots and spaces at the end of a name.
    let kept = plain.trim_end_matches(['.', ' ']).len();
    plain.truncate(kept);
    if plain.is_empty() || is_device_name(&plain) { format!("_{plain}") } else { plain }
}

/// The same path, or one with a number where another document has it: whatever the case of letters, for some systems see none.
fn unused(mut steps: Vec<String>, taken: &mut HashSet<String>) -> Vec<String> {
    let Some(last) = steps.pop() else { return steps };
    let key = |last: &str| format!("{}/{last}", steps.join("/")).to_lowercase();
    let (stem, extension) = last.rsplit_once('.').map_or((last.as_str(), String::new()), |(s, e)| (s, format!(".{e}")));
    let mut name = last.clone();
    let mut number = 2_u64;
    while !taken.insert(key(&name)) {
        name = format!("{stem} ({number}){extension}");
        number += 1;
    }
    steps.push(name);
    steps
}

fn write(folder: &Path, steps: &[String], bytes: &[u8], existing: Existing) -> io::Result<u64> {
    let Some((file, folders)) = steps.split_last() else { return Ok(0) };
    let path = new_file::create_folders_in(folder, folders.iter().map(String::as_str))?.join(file);
    let done = || bytes.len() as u64;
    match new_file::write(&path, existing, bytes) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let same = fs::metadata(&path)?.len() == done() && fs::read(&path)? == bytes;
            let other = || io::Error::other("there is another file of that name: --force replaces it");
            if same { Ok(done()) } else { Err(other()) }
        }
        written => written.map(|()| done()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_steps_that_lead_down() {
        for (name, steps) in [
            ("/_/ticker/Clock.cs", vec!["_", "ticker", "Clock.cs"]),
            (r"C:\src\P.cs", vec!["C", "src", "P.cs"]),
            (r"..\..\..\etc\passwd", vec!["_", "_", "_", "etc", "passwd"]),
            (r"\\server\share\x", vec!["server", "share", "x"]),
            ("a/./con.cs/NUL", vec!["a", "_con.cs", "_NUL"]),
            ("a/b:c/d\u{7}?", vec!["a", "b_c", "d__"]),
            ("a/\u{202e}sc.exe/\u{200b}", vec!["a", "_sc.exe", "_"]),
            ("x. . /...", vec!["x", "_"]),
            ("", vec!["unnamed"]),
            ("///", vec!["unnamed"]),
        ] {
            assert_eq!(plain_steps(name), steps, "{name}");
        }
        assert_eq!(plain_steps(&"é".repeat(300))[0].len(), LONGEST_STEP);
        assert_eq!(plain_steps(&"a/".repeat(300)).len(), MAX_DEPTH);
    }

    #[test]
    fn two_documents_never_share_a_file() {
        let mut taken = HashSet::new();
        let mut name = |name: &str| unused(plain_steps(name), &mut taken).join("/");
        assert_eq!(name("a/P.cs"), "a/P.cs");
        assert_eq!(name("A/p.CS"), "A/p (2).CS");
        assert_eq!(name("a/P?"), "a/P_");
        assert_eq!(name("a/P*"), "a/P_ (2)");
    }
}
