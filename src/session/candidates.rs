//! PDBs near an image that could be the ones it names: beside it, in neighbouring folders, and among the outputs of its build.

use std::path::{Path, PathBuf};

use super::{Image, PdbMatch, Session};

/// Candidates that are opened.
const MAX_CANDIDATES: usize = 24;
/// Entries of a folder that are looked at.
const MAX_ENTRIES: usize = 4096;
/// Folders above the image that may be those of a build, and levels of folders below such a one.
const DEPTH: usize = 5;

/// A file that was looked at as the symbols of an image.
#[derive(Debug)]
pub struct Candidate {
    /// Path of the file.
    pub path: PathBuf,
    /// The image with this file; `None` where it cannot be opened.
    pub session: Option<Session>,
}

impl Candidate {
    /// Match of the image and this file.
    pub fn pdb_match(&self) -> Option<PdbMatch> {
        self.session.as_ref().map(Session::pdb_match)
    }
}

/// Files near an image with the name of its PDB, those that match first.
pub fn near(image: &Image) -> Vec<Candidate> {
    let named = image.pe.debug.iter().filter_map(|entry| entry.rsds());
    let last = |path: &str| path.rsplit(['/', '\\', ':']).next().unwrap_or_default().to_lowercase();
    let mut names: Vec<String> = named.map(|rsds| last(&rsds.path)).collect();
    names.extend(image.path.file_stem().map(|stem| format!("{}.pdb", stem.to_string_lossy().to_lowercase())));
    let folder = image.path.parent().map_or(Path::new("."), |folder| folder);
    let mut paths = Vec::new();
    collect(folder, 1, &names, &mut paths);
    if let Some(above) = folder.parent().filter(|above| *above != std::env::temp_dir() && above.parent().is_some()) {
        collect(above, 1, &names, &mut paths);
    }
    for build in folder.ancestors().take(DEPTH).filter(|folder| is_of_build(folder)) {
        build.parent().into_iter().for_each(|project| collect(project, DEPTH, &names, &mut paths));
    }
    paths.truncate(MAX_CANDIDATES);
    let open = |path: PathBuf| {
        let session = Session::open(&[image.path.clone(), path.clone()]).ok();
        Candidate { path, session: session.filter(|session| session.image().is_some()) }
    };
    let mut found: Vec<Candidate> = paths.into_iter().map(open).collect();
    found.sort_by_key(|candidate| candidate.pdb_match() != Some(PdbMatch::Matched));
    found
}

/// True for the folder of a build's output or of its intermediate files: the other one is beside it.
fn is_of_build(folder: &Path) -> bool {
    folder
        .file_name()
        .is_some_and(|name| ["bin", "obj", "artifacts", "publish"].iter().any(|known| name.eq_ignore_ascii_case(known)))
}

/// Collects the files of these names, down to a number of levels.
fn collect(folder: &Path, levels: usize, names: &[String], out: &mut Vec<PathBuf>) {
    let Ok(entries) = folder.read_dir() else { return };
    let mut folders = Vec::new();
    for entry in entries.filter_map(Result::ok).take(MAX_ENTRIES) {
        let Ok(kind) = entry.file_type() else { continue };
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if kind.is_dir() && levels > 0 && !name.starts_with('.') {
            folders.push(entry.path());
        } else if kind.is_file() && names.contains(&name) && !out.contains(&entry.path()) {
            out.push(entry.path());
        }
        if out.len() >= MAX_CANDIDATES {
            return;
        }
    }
    folders.sort();
    for folder in folders {
        collect(&folder, levels - 1, names, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_pdb_of_a_build_is_found_before_wrong_ones() {
        let sample = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(name);
        let session =
            Session::open(&[sample("workshop/Workshop.dll"), sample("workshop-release/Workshop.pdb")]).unwrap();
        let found = near(session.image().unwrap());
        let verdicts: Vec<Option<PdbMatch>> = found.iter().map(Candidate::pdb_match).collect();
        assert_eq!(verdicts.first(), Some(&Some(PdbMatch::Matched)), "{found:?}");
        assert!(found[0].path.ends_with("workshop/Workshop.pdb") && verdicts.len() > 2);
        assert!(is_of_build(Path::new("/src/App/bin")) && !is_of_build(Path::new("/src/App/binary")));
    }
}
