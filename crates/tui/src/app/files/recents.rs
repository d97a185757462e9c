//! Files that were opened before, across runs, and where they were left: the last ones first, in `recent.txt` of the state folder. `recent = false` in the
//! configuration turns them off: nothing is written or read then.

use std::path::{Component, PathBuf};
use std::sync::Arc;

use crate::state::effect::{Command, Effect};
use pdblens_nodes::Place;
use pdblens_nodes::resolve::resolve_exactly;
use pdblens_session::session::{Session, codeview_ids};
use pdblens_session::symbols::{IdSuffix, SymbolId};

/// Entries that are kept.
const MAX_RECENT: usize = 30;

/// An entry of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recent {
    /// One file, or an image and its symbols.
    pub files: Vec<PathBuf>,
    /// The id of the files, and the place that was selected last.
    left: Option<(String, String)>,
    /// True for an entry of this program, false for one that it has read.
    is_own: bool,
}

/// Reads a list: an entry a line, its files separated by tabs, and after `@` the id and the place. No absolute path begins with `@`.
pub fn parse(text: &str) -> Vec<Recent> {
    let entry = |line: &str| {
        let left = line.rsplit_once("\t@").and_then(|(_, left)| left.split_once(' '));
        let files = line.split('\t').filter(|field| !field.starts_with('@')).map(PathBuf::from).collect();
        Recent { files, left: left.map(|(id, place)| (id.to_owned(), place.to_owned())), is_own: false }
    };
    text.lines().filter(|line| !line.trim().is_empty()).take(MAX_RECENT).map(entry).collect()
}

/// The list of `old` with the entries of `changed` before the others: another program may have written its own since this one began.
pub fn merge(old: &str, changed: &str) -> String {
    let mut list = parse(changed);
    for entry in parse(old) {
        if !list.iter().any(|own| plain(&own.files) == plain(&entry.files)) {
            list.push(entry);
        }
    }
    list.truncate(MAX_RECENT);
    write(&list)
}

fn write(list: &[Recent]) -> String {
    let line = |entry: &Recent| {
        let files = entry.files.iter().map(|path| path.to_string_lossy().into_owned());
        let left = entry.left.as_ref().map(|(id, place)| format!("@{id} {place}"));
        files.chain(left).collect::<Vec<_>>().join("\t") + "\n"
    };
    list.iter().map(line).collect()
}

/// The files of a session; `None` for the sample, and for a path that a line of text cannot hold.
fn files_of(session: &Session) -> Option<Vec<PathBuf>> {
    if session.is_sample() {
        return None;
    }
    let image = session.image().map(|file| &file.path);
    // Symbols inside of the image have its path.
    let symbols = session.symbol_file().map(|file| &file.path).filter(|path| image != Some(path));
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let files: Vec<PathBuf> = image.into_iter().chain(symbols).map(absolute).collect();
    let can_be_kept = |path: &PathBuf| path.to_str().is_some_and(|text| !text.contains(['\t', '\n', '\r']));
    (!files.is_empty() && files.iter().all(can_be_kept)).then_some(files)
}

/// The id of a build: that of the module, or by which the image names its symbols.
fn id_of(session: &Session) -> Option<String> {
    let image = session.image();
    let of_image = image.and_then(|image| Some(SymbolId { guid: image.mvid()?, suffix: IdSuffix::None }));
    let named = || codeview_ids(&image?.pe).next();
    let id = of_image.or_else(named).or_else(|| session.symbols()?.id())?;
    Some(id.to_string().replace(' ', "-"))
}

/// The paths without `.` and `..`, by which entries are compared; they are opened as they were named.
fn plain(files: &[PathBuf]) -> Vec<PathBuf> {
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
    files.iter().map(without).collect()
}

fn save_own(list: &[Recent]) -> Effect {
    let own: Vec<Recent> = list.iter().filter(|entry| entry.is_own).cloned().collect();
    Command::SaveRecent(write(&own)).into()
}

/// Files that were opened before; `None` where they are not kept.
pub(in crate::app) struct Recents(pub(super) Option<Vec<Recent>>);

impl Recents {
    /// Puts the files of a session before the others; returns the command that writes the entries of this program, where they have changed.
    pub(in crate::app) fn remember(&mut self, session: &Session) -> Option<Effect> {
        let files = files_of(session)?;
        let list = self.0.as_mut()?;
        if list.first().is_some_and(|first| first.is_own && first.files == files) {
            return None;
        }
        let known = list.iter().position(|other| plain(&other.files) == plain(&files));
        let left = known.and_then(|known| list.remove(known).left);
        list.insert(0, Recent { files, left, is_own: true });
        list.truncate(MAX_RECENT);
        Some(save_own(list))
    }

    /// Keeps the place at which files are left; returns the command that writes the list.
    pub(in crate::app) fn keep_place(&mut self, session: &Session, place: Place) -> Option<Effect> {
        let files = files_of(session)?;
        let left = if place == Place::Overview { None } else { id_of(session).map(|id| (id, place.to_string())) };
        let list = self.0.as_mut()?;
        let entry = list.iter_mut().find(|entry| entry.files == files)?;
        (entry.left, entry.is_own) = (left, true);
        Some(save_own(list))
    }

    /// The place at which files were left in another run, once; `None` where their id is another now, or a mismatch is to be seen first.
    pub(in crate::app) fn take_left(&mut self, session: &Session) -> Option<Place> {
        let files = files_of(session)?;
        let (id, place) = self.0.as_mut()?.iter_mut().find(|entry| entry.files == files)?.left.take()?;
        if session.pdb_match().is_mismatch() || id_of(session)? != id {
            return None;
        }
        resolve_exactly(session, &place).ok()
    }

    /// The entries that are not open, also not as a part of a pair.
    pub(super) fn closed(&self, opened: &[Arc<Session>]) -> Vec<Vec<PathBuf>> {
        let open: Vec<_> = opened.iter().filter_map(|session| files_of(session)).map(|files| plain(&files)).collect();
        let is_open =
            |recent: &Recent| open.iter().any(|open| plain(&recent.files).iter().all(|path| open.contains(path)));
        self.0.iter().flatten().filter(|recent| !is_open(recent)).map(|recent| recent.files.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let entry =
            |files: &[&str], left| Recent { files: files.iter().map(PathBuf::from).collect(), left, is_own: false };
        let left = Some(("1-2".to_owned(), "document/a b.cs".to_owned()));
        let list = vec![entry(&["/a b/X.dll", "/c/X.pdb"], left), entry(&["/d.pdb"], None)];
        assert_eq!(write(&list), "/a b/X.dll\t/c/X.pdb\t@1-2 document/a b.cs\n/d.pdb\n");
        assert_eq!(parse(&write(&list)), list);
        assert_eq!(parse("\n\n"), []);
        let merged = merge(&write(&list), "/d.pdb\t@3-4 table/Document/1\n");
        assert_eq!(merged, "/d.pdb\t@3-4 table/Document/1\n/a b/X.dll\t/c/X.pdb\t@1-2 document/a b.cs\n");
        assert!(files_of(&Session::sample()).is_none());
        assert_eq!(plain(&[PathBuf::from("/a/j2/../X.dll")]), [PathBuf::from("/a/X.dll")]);
    }
}
