//! Hot-reload deltas among the files that are named: they are opened with the pair that they change, as other commands open them.

use std::path::{Path, PathBuf};

use super::symbols::stem;
use pdblens_session::session::deltas::is_delta;

/// Named files: hot-reload deltas beside the pair that they change, and the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// An image or a PDB, or both, and the deltas of it, in the order in which they were named.
    pub pairs: Vec<Vec<PathBuf>>,
    /// The other files, and those of `pairs` that are no deltas.
    pub files: Vec<PathBuf>,
    /// Deltas of none of the files, or of any of several.
    pub left: Vec<PathBuf>,
}

impl Groups {
    /// Separates deltas from other files, and finds the pair that each changes: the only one, or the one whose name begins its own.
    pub fn of(paths: &[PathBuf]) -> Self {
        let (deltas, files): (Vec<PathBuf>, Vec<PathBuf>) =
            paths.iter().cloned().partition(|path| path.is_file() && is_delta(path));
        let mut groups = Self { files, ..Self::default() };
        for delta in deltas {
            let Some(changed) = groups.changed_by(&delta) else {
                groups.left.push(delta);
                continue;
            };
            match groups.pairs.iter_mut().find(|pair| changed.iter().all(|file| pair.contains(file))) {
                Some(pair) => pair.push(delta),
                None => groups.pairs.push([changed, vec![delta]].concat()),
            }
        }
        groups
    }

    /// Files that a delta changes.
    fn changed_by(&self, delta: &Path) -> Option<Vec<PathBuf>> {
        let files = || self.files.iter().filter(|path| path.is_file());
        let name =
            |path: &Path| path.file_name().and_then(|name| name.to_str()).map(stem).unwrap_or_default().to_owned();
        let mut names: Vec<String> = files().map(|path| name(path)).collect();
        names.sort_unstable();
        names.dedup();
        let own = name(delta);
        let begins = |name: &String| own.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'));
        let changed = match names.as_slice() {
            [only] => Some(only),
            // A.B.1 is of A.B and not of A.
            several => several.iter().filter(|name| begins(name)).max_by_key(|name| name.len()),
        }?;
        Some(files().filter(|path| name(path) == *changed).cloned().collect())
    }
}
