//! The samples, and what they are.

use std::io::Read;
use std::path::{Path, PathBuf};

/// A folder of `assets/samples`: an image, and its symbols where they are a file of their own.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The name of the folder.
    pub name: String,
    pub image: PathBuf,
    pub symbols: Option<PathBuf>,
}

/// A path in this repository.
pub fn repository(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate is in crates/testing");
    root.join(path)
}

/// The most bytes of a file that tests walk byte by byte, flip or cut.
const SMALL: u64 = 128 << 10;

/// Samples whose files are small, by name: those that tests walk byte by byte.
pub fn samples() -> Vec<Sample> {
    let mut samples = all_samples();
    samples.retain(|sample| sample.files().iter().all(|file| std::fs::metadata(file).unwrap().len() <= SMALL));
    assert!(samples.len() >= 28, "the samples are missing");
    samples
}

/// Samples of every size, by name.
pub fn all_samples() -> Vec<Sample> {
    let mut samples: Vec<Sample> = folders().into_iter().map(|folder| Sample::of(&folder)).collect();
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    samples
}

fn folders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repository("assets/samples")).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_dir()).collect()
}

impl Sample {
    fn of(folder: &Path) -> Self {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        // The shortest name first: `Relay.pdb` before the PDBs of its deltas.
        files.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
        let with = |wanted: &[&str]| {
            files.iter().find(|path| path.extension().is_some_and(|e| wanted.iter().any(|w| e == *w))).cloned()
        };
        Self {
            name: folder.file_name().unwrap().to_str().unwrap().to_owned(),
            image: with(&["dll", "exe"]).expect("every sample has an image"),
            symbols: with(&["pdb", "mdb"]),
        }
    }

    /// The image, and the symbols where they are a file.
    pub fn files(&self) -> Vec<PathBuf> {
        [Some(self.image.clone()), self.symbols.clone()].into_iter().flatten().collect()
    }

    /// Returns whether its symbols are a portable PDB, beside it or embedded.
    pub fn is_portable(&self) -> bool {
        match &self.symbols {
            Some(path) => std::fs::read(path).unwrap().starts_with(b"BSJB"),
            None => true,
        }
    }
}

/// The core of a program whose two threads wait for each other.
pub fn golden_core() -> Vec<u8> {
    core_of("deadlock/deadlock.core.gz")
}

/// A core of `assets/cores`, by its path there.
pub fn core_of(path: &str) -> Vec<u8> {
    let packed = std::fs::read(repository("assets/cores").join(path)).unwrap();
    let mut core = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut core).unwrap();
    core
}
