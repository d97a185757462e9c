//! Files near one half of a pair that could be the other: beside it, in neighbouring folders, and among the outputs of its build.

use std::path::{Path, PathBuf};

use super::{Image, PdbMatch, Session, SymbolFile};

const MAX_CANDIDATES: usize = 24;
const MAX_ENTRIES: usize = 4096;
/// Folders above the image that may be those of a build, and levels of folders below such a one.
const DEPTH: usize = 5;

#[derive(Debug)]
pub struct Candidate {
    pub path: PathBuf,
    /// The pair that it makes; `None` where it cannot be opened.
    pub session: Option<Session>,
}

impl Candidate {
    pub fn pdb_match(&self) -> Option<PdbMatch> {
        self.session.as_ref().map(Session::pdb_match)
    }
}

/// Files near the image that have the name of its PDB; near symbols that are open alone, those that have the name of their image. Those
/// that match come first.
pub fn near(session: &Session) -> Vec<Candidate> {
    let (path, names) = match (session.image(), session.symbol_file()) {
        (Some(image), _) => (&image.path, names_of_pdb(image)),
        (None, Some(symbols)) => (&symbols.path, names_of_image(symbols)),
        (None, None) => return Vec::new(),
    };
    let paths = files_near(path, &names);
    let open = |other: PathBuf| {
        let pair = Session::open(&[path.clone(), other.clone()]).ok();
        let is_pair = |pair: &Session| pair.image().is_some() && pair.symbol_file().is_some();
        Candidate { path: other, session: pair.filter(is_pair) }
    };
    let mut found: Vec<Candidate> = paths.into_iter().map(open).collect();
    for candidate in &found {
        log::debug!("{} beside {}: {:?}", candidate.path.display(), path.display(), candidate.pdb_match());
    }
    found.sort_by_key(|candidate| candidate.pdb_match() != Some(PdbMatch::Matched));
    found
}

/// File names that the PDB of an image can have, in lower case.
fn names_of_pdb(image: &Image) -> Vec<String> {
    let named = image.pe.debug.iter().filter_map(|entry| entry.rsds());
    let last = |path: &str| path.rsplit(['/', '\\', ':']).next().unwrap_or_default().to_lowercase();
    let mut names: Vec<String> = named.map(|rsds| last(&rsds.path)).collect();
    names.extend(image.path.file_stem().map(|stem| format!("{}.pdb", stem.to_string_lossy().to_lowercase())));
    names
}

/// File names that the image of a symbol file can have, in lower case.
fn names_of_image(symbols: &SymbolFile) -> Vec<String> {
    let stem = symbols.path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    // `App.exe.mdb` is the symbols of `App.exe`.
    vec![format!("{stem}.dll"), format!("{stem}.exe"), stem]
}

/// Files of these names near a file. A path from the current folder is made a whole one, because what is above it is looked at.
fn files_near(path: &Path, names: &[String]) -> Vec<PathBuf> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().map_or(Path::new("."), |folder| folder);
    let mut paths = Vec::new();
    collect(folder, 1, names, &mut paths);
    // WebAssembly has no such folder, and the standard library panics where it is asked for.
    let is_temporary = |folder: &Path| !cfg!(target_family = "wasm") && folder == std::env::temp_dir();
    if let Some(above) = folder.parent().filter(|above| !is_temporary(above) && above.parent().is_some()) {
        collect(above, 1, names, &mut paths);
    }
    for build in folder.ancestors().take(DEPTH).filter(|folder| is_of_build(folder)) {
        build.parent().into_iter().for_each(|project| collect(project, DEPTH, names, &mut paths));
    }
    paths.truncate(MAX_CANDIDATES);
    paths
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
        let sample = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples").join(name);
        let session =
            Session::open(&[sample("workshop/Workshop.dll"), sample("workshop-release/Workshop.pdb")]).unwrap();
        let found = near(&session);
        let verdicts: Vec<Option<PdbMatch>> = found.iter().map(Candidate::pdb_match).collect();
        assert_eq!(verdicts.first(), Some(&Some(PdbMatch::Matched)), "{found:?}");
        assert!(found[0].path.ends_with("workshop/Workshop.pdb") && verdicts.len() > 2);
        assert!(is_of_build(Path::new("/src/App/bin")) && !is_of_build(Path::new("/src/App/binary")));
    }

    #[test]
    fn what_is_beside_a_file_of_the_current_folder_is_found() {
        // Tests run in the folder of the crate.
        let names = ["ticker.pdb".to_owned()];
        let found = files_near(Path::new("../../assets/samples/ticker/Ticker.dll"), &names);
        assert!(found.iter().any(|path| path.ends_with("ticker-release/Ticker.pdb")), "{found:?}");
        let beside = files_near(Path::new("Cargo.toml"), &["cargo.toml".to_owned()]);
        assert!(beside.iter().any(|path| path.ends_with("Cargo.toml")), "{beside:?}");
    }
}
