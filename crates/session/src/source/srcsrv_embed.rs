//! A copy of a Windows PDB with a `srcsrv` stream of one's own in it. The original is only ever read.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use crate::store::new_file::{Existing, NewFile};
use pdblens_formats::bytes::{DiskFile, Origin, Spaces, Storage};
use pdblens_formats::{msf::Msf, pdb::write::put_stream};

/// The most files of a folder that are looked at for a `--map`.
const MAX_FILES: usize = 200_000;

/// Reason why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The PDB is broken, or none.
    #[error(transparent)]
    Broken(#[from] pdblens_formats::bytes::Error),
}

/// Makes `copy`, which is not one of `inputs`, out of `original`, with `text` as its `srcsrv` stream.
pub fn embed(
    original: &Path,
    text: &[u8],
    copy: &Path,
    existing: Existing,
    inputs: &[&Path],
) -> Result<(), EmbedError> {
    let mut new = NewFile::create(copy, existing, inputs)?;
    let file = File::open(original)?;
    let mut spaces = Spaces::default();
    let len = file.metadata()?.len();
    let space =
        spaces.add("original", Origin::File(original.to_owned()), len, Storage::Disk(DiskFile::new(file, len).into()));
    let msf = Msf::open(&mut spaces, space)?;
    let edit = put_stream(&msf, &spaces, "srcsrv", text)?;
    let target = new.file();
    io::copy(&mut File::open(original)?, target)?;
    target.set_len(edit.len)?;
    for patch in &edit.patches {
        target.seek(SeekFrom::Start(patch.offset))?;
        target.write_all(&patch.bytes)?;
    }
    Ok(new.finish()?)
}

/// The files of a folder and of those in it, by their paths from there with `/` between; links are not followed.
pub fn files_of(folder: &Path) -> io::Result<Vec<String>> {
    let (mut found, mut open) = (Vec::new(), vec![(folder.to_owned(), String::new())]);
    while let Some((folder, before)) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (kind, name) = (entry.file_type()?, entry.file_name().to_string_lossy().into_owned());
            if kind.is_dir() {
                open.push((entry.path(), format!("{before}{name}/")));
            } else if kind.is_file() && found.len() < MAX_FILES {
                found.push(format!("{before}{name}"));
            }
        }
    }
    found.sort();
    Ok(found)
}
