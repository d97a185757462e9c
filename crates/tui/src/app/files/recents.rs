//! Files that were opened before, across runs: the last ones first, in `recent.txt` of the state folder. `recent = false` in the
//! configuration turns them off: nothing is written or read then.

use std::path::{Component, PathBuf};

use super::Files;
use crate::state::effect::{Command, Effect};
use pdblens_session::session::Session;

/// Entries that are kept.
const MAX_RECENT: usize = 30;

/// The files of each entry: one, or an image and its symbols.
pub type Recent = Vec<PathBuf>;

/// Reads a list: an entry a line, its files separated by tabs.
pub fn parse(text: &str) -> Vec<Recent> {
    let entry = |line: &str| line.split('\t').map(PathBuf::from).collect();
    text.lines().filter(|line| !line.trim().is_empty()).take(MAX_RECENT).map(entry).collect()
}

fn write(list: &[Recent]) -> String {
    let line = |entry: &Recent| entry.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>().join("\t") + "\n";
    list.iter().map(line).collect()
}

/// The files of a session; `None` for the sample, and for a path that a line of text cannot hold.
fn entry(session: &Session) -> Option<Recent> {
    if session.is_sample() {
        return None;
    }
    let image = session.image().map(|file| &file.path);
    // Symbols inside of the image have its path.
    let symbols = session.symbol_file().map(|file| &file.path).filter(|path| image != Some(path));
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let files: Recent = image.into_iter().chain(symbols).map(absolute).collect();
    let can_be_kept = |path: &PathBuf| path.to_str().is_some_and(|text| !text.contains(['\t', '\n', '\r']));
    (!files.is_empty() && files.iter().all(can_be_kept)).then_some(files)
}

/// The paths without `.` and `..`, by which entries are compared; they are opened as they were named.
fn plain(entry: &[PathBuf]) -> Recent {
    let without = |path: &PathBuf| {
        path.components().fold(PathBuf::new(), |mut plain, part| {
            match part {
                Component::CurDir => {}
                Component::ParentDir => drop(plain.pop()),
                part => plain.push(part),
            }
            plain
        })
    };
    entry.iter().map(without).collect()
}

impl Files {
    /// Puts the files of a session before the others; returns the command that writes the list, where it has changed.
    pub(in crate::app) fn remember_recent(&mut self, session: &Session) -> Option<Effect> {
        let list = self.recents.as_mut()?;
        let entry = entry(session)?;
        if list.first() == Some(&entry) {
            return None;
        }
        list.retain(|other| plain(other) != plain(&entry));
        list.insert(0, entry);
        list.truncate(MAX_RECENT);
        Some(Command::SaveRecent(write(list)).into())
    }

    /// The entries that are not open, also not as a part of a pair.
    pub(super) fn closed_recents(&self) -> Vec<Recent> {
        let open: Vec<Recent> = self.opened.iter().filter_map(|session| entry(session)).collect();
        let open: Vec<Recent> = open.iter().map(|entry| plain(entry)).collect();
        let is_open = |recent: &&Recent| open.iter().any(|open| plain(recent).iter().all(|path| open.contains(path)));
        self.recents.iter().flatten().filter(|recent| !is_open(recent)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let list = vec![vec![PathBuf::from("/a b/X.dll"), PathBuf::from("/c/X.pdb")], vec![PathBuf::from("/d.pdb")]];
        assert_eq!(write(&list), "/a b/X.dll\t/c/X.pdb\n/d.pdb\n");
        assert_eq!(parse(&write(&list)), list);
        assert_eq!(parse("\n\n"), Vec::<Recent>::new());
        assert!(entry(&Session::sample()).is_none());
        assert_eq!(plain(&[PathBuf::from("/a/j2/../X.dll")]), [PathBuf::from("/a/X.dll")]);
    }
}
