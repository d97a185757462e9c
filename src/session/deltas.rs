//! PDBs of hot-reload deltas beside the PDB that they change.
//!
//! They are not opened automatically, because a program that ran without them has the lines of the base. A remark says that they exist.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::Session;
use super::read_file::{MAX_WHOLE, open_text, read_file};
use crate::formats::portable::PortablePdb;

/// Limit on the numbers of deltas that are looked for, and on the missing ones at their beginning.
const MAX_DELTAS: usize = 256;
const MAX_MISSING: usize = 8;
/// Limit on the deltas that a sentence names.
const MAX_NAMED: usize = 4;

/// Returns whether a file is the PDB of a hot-reload delta.
pub(crate) fn is_delta(path: &Path) -> bool {
    let mut magic = [0; 4];
    let is_portable = open_text(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok() && magic == *b"BSJB");
    let read = || Session::from_bytes(vec![(path.to_owned(), read_file(path, MAX_WHOLE).ok()?)]).ok();
    is_portable && read().is_some_and(|session| session.portable_pdb().is_some_and(PortablePdb::is_delta))
}

/// The session with a remark on the deltas of its PDB that are beside its files, or in one of `folders`, and are not open.
pub(crate) fn with_remarks(mut session: Session, folders: &[&Path]) -> Session {
    let Some(base) = session.symbol_file().filter(|_| session.portable_pdb().is_some_and(|pdb| !pdb.is_delta())) else {
        return session;
    };
    let own: Vec<PathBuf> = session.paths().into_iter().filter_map(Path::parent).map(Path::to_owned).collect();
    let mut searched: Vec<PathBuf> =
        own.iter().map(PathBuf::as_path).chain(folders.iter().copied()).map(Path::to_owned).collect();
    searched.dedup();
    let mut stems: Vec<String> =
        session.paths().iter().filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
    stems.dedup();
    let opened: Vec<&str> = session
        .portable_pdb()
        .into_iter()
        .flat_map(PortablePdb::generations)
        .map(|delta| delta.name.as_str())
        .collect();
    let mut remarks = Vec::new();
    for folder in &searched {
        let found: Vec<PathBuf> = stems.iter().flat_map(|stem| numbered(folder, stem)).collect();
        let names: Vec<String> = found.iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
        let closed: Vec<&String> = names.iter().filter(|name| !opened.contains(&name.as_str())).collect();
        if !closed.is_empty() {
            let elsewhere = Some(folder.as_path()).filter(|folder| !own.iter().any(|own| own == folder));
            remarks.push(sentence(&closed, elsewhere, &base.name));
        }
    }
    for remark in remarks {
        if !session.remarks.contains(&remark) {
            session.remarks.push(remark);
        }
    }
    session
}

/// The deltas `STEM.1.pdb`, `STEM.2.pdb` … of a folder.
fn numbered(folder: &Path, stem: &str) -> Vec<PathBuf> {
    let (mut found, mut missing) = (Vec::new(), 0);
    for number in 1..=MAX_DELTAS {
        let path = folder.join(format!("{stem}.{number}.pdb"));
        if is_delta(&path) {
            found.push(path);
            missing = 0;
        } else {
            missing += 1;
        }
        if missing > MAX_MISSING {
            break;
        }
    }
    found
}

/// Sentence about deltas that are not open; it names the folder if that is not the one of the files.
fn sentence(names: &[&String], folder: Option<&Path>, base: &str) -> String {
    let shown: Vec<&str> = names.iter().take(MAX_NAMED).map(|name| name.as_str()).collect();
    let more = match names.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let place = folder.map_or_else(String::new, |folder| format!(" in {}", folder.display()));
    format!(
        "hot-reload deltas of {base}{place} are not open: {}{more} · tip: name them after it if the program ran with them",
        shown.join(", ")
    )
}
