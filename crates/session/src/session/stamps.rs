//! Stamps (size and time) of the open files, to detect a change on disk.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Session;

/// Time of the last change, and size; `None` for a file that is not there, and for an entry of a container.
pub type Stamp = Option<(SystemTime, u64)>;

pub fn when_read(session: &Session) -> &[(PathBuf, Stamp)] {
    &session.stamps
}

pub fn now(session: &Session) -> Vec<(PathBuf, Stamp)> {
    let image = session.image.as_ref().map(|image| &image.path);
    let symbols = session.symbols.as_ref().filter(|file| !file.embedded).map(|file| &file.path);
    image.into_iter().chain(symbols).map(|path| (path.clone(), stamp(path))).collect()
}

fn stamp(path: &Path) -> Stamp {
    let data = std::fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}
