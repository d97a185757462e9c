//! Offsets in a single-file program. On Linux and macOS the runtime maps the images from the one file, so that the maps of a process and
//! perf name code by its offset there. On Windows it copies them, and no address belongs to the file.
//!
//! # References
//!
//! dotnet/runtime: `src/coreclr/vm/peimagelayout.cpp` (`PEImageLayout::Load`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::location::address;
use super::{archive, has_extension};
use crate::session::read_file::MAX_WHOLE;
use pdblens_formats::bytes::{Region, SpaceId};
use pdblens_formats::pe::Pe;
use pdblens_formats::reason::Reason;

/// An image in a single-file program, and an address in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPlace {
    /// Address of the image in the program: `App!Acme.dll`.
    pub path: PathBuf,
    pub rva: u32,
}

/// The image that has a byte of a single-file program; `None` for any other file.
pub fn place_in_program(program: &Path, offset: u64) -> Option<Result<ProgramPlace, Reason>> {
    if !archive::is_file(program) || archive::is_archive(program) || !archive::may_be_host(program) {
        return None;
    }
    let archive = archive::of(program).ok()?;
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let refused = |code, text: String| Some(Err(Reason::new(code, format!("offset {offset:#x} of {name} {text}"))));
    let is_in = |at: u64, size: u64| offset.checked_sub(at).is_some_and(|into| into < size);
    let entry = archive.entries.iter().find(|entry| entry.within.is_none() && is_in(entry.offset, entry.packed));
    let Some(entry) = entry else {
        let text = "is in none of its files: the host, its manifest or padding is there";
        return refused("no-file-there", text.to_owned());
    };
    if !entry.is_stored() {
        let why = "which is compressed: the runtime unpacks it into memory, and maps no code from here";
        let text = format!("is in {}, {why}", entry.path);
        return refused("compressed", text);
    }
    if !has_extension(&entry.path, &["dll", "exe"]) {
        return refused("no-image", format!("is in {}, which is no image", entry.path));
    }
    let rva = archive.read(&entry.path, MAX_WHOLE).ok().and_then(|bytes| {
        let image = Pe::parse(Region::whole(SpaceId(0), Arc::new(bytes))).ok()?;
        image.offset_to_rva(offset - entry.offset)
    });
    match rva {
        Some(rva) => Some(Ok(ProgramPlace { path: address(program, &entry.path), rva })),
        None => refused("not-mapped", format!("is in {}, in no section of it", entry.path)),
    }
}
