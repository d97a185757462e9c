//! PDBs of hot-reload deltas beside the PDB that they change.
//!
//! They are not opened automatically, because a program that ran without them has the lines of the base. A remark says that they exist.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::Session;
use super::read_file::{MAX_WHOLE, open_text, read_file};
use pdblens_formats::portable::PortablePdb;

/// Limit on the numbers of deltas that are looked for, and on the missing ones at their beginning.
const MAX_DELTAS: usize = 256;
const MAX_MISSING: usize = 8;
/// Limit on the deltas that a sentence names.
const MAX_NAMED: usize = 4;

/// A delta beside the PDB that it changes, which is not open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedDelta {
    pub name: String,
    /// Rows of the methods that it changes or adds.
    methods: Vec<u32>,
}

impl ClosedDelta {
    pub fn changes(&self, method_row: u32) -> bool {
        self.methods.binary_search(&method_row).is_ok()
    }
}

pub fn closed_deltas(session: &Session) -> &[ClosedDelta] {
    &session.closed_deltas
}

pub fn is_delta(path: &Path) -> bool {
    methods_of(path).is_some()
}

/// Rows of the methods that a delta changes or adds, in their order; `None` for a file that is no PDB of a delta.
fn methods_of(path: &Path) -> Option<Vec<u32>> {
    let mut magic = [0; 4];
    let is_portable = open_text(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok() && magic == *b"BSJB");
    if !is_portable {
        return None;
    }
    let session = Session::from_bytes(vec![(path.to_owned(), read_file(path, MAX_WHOLE).ok()?)]);
    let session = session.ok()?;
    session.portable_pdb().filter(|pdb| pdb.is_delta()).map(|pdb| pdb.delta_methods().collect())
}

/// The session with a remark on the deltas of its PDB that are beside its files, or in one of `folders`, and are not open.
pub(crate) fn with_remarks(mut session: Session, folders: &[&Path]) -> Session {
    if session.portable_pdb().is_none_or(PortablePdb::is_delta) {
        return session;
    }
    let Some(base) = session.symbol_file() else { return session };
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
    let (mut remarks, mut deltas) = (Vec::new(), Vec::new());
    let first =
        session.paths().first().and_then(|path| Some(path.file_name()?.to_str()?.to_owned())).unwrap_or_default();
    for folder in &searched {
        let mut closed: Vec<ClosedDelta> = stems.iter().flat_map(|stem| numbered(folder, stem)).collect();
        let all = closed.iter().take(MAX_NAMED).map(|delta| delta.name.as_str());
        let mut command = [first.as_str()].into_iter().chain(all).collect::<Vec<_>>().join(" ");
        command.push_str(if closed.len() > MAX_NAMED { " …" } else { "" });
        closed.retain(|delta| !opened.contains(&delta.name.as_str()));
        if !closed.is_empty() {
            let elsewhere = Some(folder.as_path()).filter(|folder| !own.iter().any(|own| own == folder));
            remarks.push(sentence(&closed, elsewhere, &base.name, &command));
        }
        deltas.extend(closed);
    }
    session.closed_deltas = deltas;
    for remark in remarks {
        if !session.remarks.contains(&remark) {
            session.remarks.push(remark);
        }
    }
    session
}

/// The deltas `STEM.1.pdb`, `STEM.2.pdb` … of a folder.
fn numbered(folder: &Path, stem: &str) -> Vec<ClosedDelta> {
    let (mut found, mut missing) = (Vec::new(), 0_usize);
    for number in 1..=MAX_DELTAS {
        let name = format!("{stem}.{number}.pdb");
        match methods_of(&folder.join(&name)) {
            Some(methods) => {
                found.push(ClosedDelta { name, methods });
                missing = 0;
            }
            None => missing += 1,
        }
        if missing > MAX_MISSING {
            break;
        }
    }
    found
}

/// Sentence about deltas that are not open, with the names to open them by; it names the folder if that is not the one of the files.
fn sentence(deltas: &[ClosedDelta], folder: Option<&Path>, base: &str, command: &str) -> String {
    let shown: Vec<&str> = deltas.iter().take(MAX_NAMED).map(|delta| delta.name.as_str()).collect();
    let more = match deltas.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let place = folder.map_or_else(String::new, |folder| format!(" in {}", folder.display()));
    format!(
        "hot-reload deltas of {base}{place} are not open: {}{more} · tip: if the program ran with them, open `{command}`",
        shown.join(", ")
    )
}
