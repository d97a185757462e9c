//! The debug directory: which debug information belongs to an image.
//!
//! An array of entries of 28 bytes, each with a type, and with the place of a payload whose form depends on the type. A kind
//! of entry is one file here and one line in `KINDS`.

mod characteristics;
mod checksum;
mod codeview;
mod coff;
mod embedded;
mod feature;
mod fixup;
mod fpo;
mod kind;
mod misc;
mod omap;
mod perfmap;
mod pogo;
mod probe;
mod reproducible;
#[cfg(test)]
mod tests;

pub use checksum::PdbChecksum;
pub use codeview::{Nb10, Rsds};
pub use embedded::EmbeddedPortablePdb;
pub use fpo::FpoData;
pub use omap::OmapEntry;
pub use perfmap::PerfMap;
pub use probe::{HEAD_SIZE, codeview_entries};
pub use reproducible::Reproducible;

use kind::{EntryKind, Raw, kind};
use object::pe;

use super::{Directory, Pe};
use crate::bytes::{Cursor, Error, ErrorKind, Recording, Region, Result, Span, or_problem, record};

/// Every kind of entry that has a name. Where the payload is not described anywhere, it is [`Raw`].
const KINDS: &[EntryKind] = &[
    kind::<Raw>(pe::IMAGE_DEBUG_TYPE_UNKNOWN, "Unknown"),
    kind::<coff::CoffSymbols>(pe::IMAGE_DEBUG_TYPE_COFF, "COFF"),
    kind::<codeview::CodeView>(pe::IMAGE_DEBUG_TYPE_CODEVIEW, "CodeView"),
    kind::<fpo::Fpo>(pe::IMAGE_DEBUG_TYPE_FPO, "FPO"),
    kind::<misc::Misc>(pe::IMAGE_DEBUG_TYPE_MISC, "Misc"),
    kind::<Raw>(pe::IMAGE_DEBUG_TYPE_EXCEPTION, "Exception"),
    kind::<fixup::Fixups>(pe::IMAGE_DEBUG_TYPE_FIXUP, "Fixup"),
    kind::<omap::Omap>(pe::IMAGE_DEBUG_TYPE_OMAP_TO_SRC, "OMAP to source"),
    kind::<omap::Omap>(pe::IMAGE_DEBUG_TYPE_OMAP_FROM_SRC, "OMAP from source"),
    kind::<Raw>(pe::IMAGE_DEBUG_TYPE_BORLAND, "Borland"),
    kind::<Raw>(pe::IMAGE_DEBUG_TYPE_RESERVED10, "BBT"),
    kind::<Raw>(pe::IMAGE_DEBUG_TYPE_CLSID, "CLSID"),
    kind::<feature::VcFeature>(pe::IMAGE_DEBUG_TYPE_VC_FEATURE, "VC feature"),
    kind::<pogo::Pogo>(pe::IMAGE_DEBUG_TYPE_POGO, "POGO"),
    kind::<Raw>(pe::IMAGE_DEBUG_TYPE_ILTCG, "ILTCG"),
    kind::<Raw>(pe::IMAGE_DEBUG_TYPE_MPX, "MPX"),
    kind::<Reproducible>(pe::IMAGE_DEBUG_TYPE_REPRO, "Reproducible"),
    kind::<EmbeddedPortablePdb>(pe::DebugType(17), "EmbeddedPortablePdb"),
    kind::<Raw>(pe::IMAGE_DEBUG_TYPE_SPGO, "SPGO"),
    kind::<PdbChecksum>(pe::DebugType(19), "PdbChecksum"),
    kind::<characteristics::ExDllCharacteristics>(pe::IMAGE_DEBUG_TYPE_EX_DLLCHARACTERISTICS, "EX_DLLCHARACTERISTICS"),
    kind::<PerfMap>(pe::DebugType(21), "R2R PerfMap"),
];

/// The types of entries, and what they are called.
pub const TYPES: [(u64, &str); KINDS.len()] = kind::names(KINDS);

record! {
    /// An entry of the debug directory: a kind of debug information, and where its payload is.
    pub struct DebugDirectoryEntry: "debug directory entry" {
        /// Reserved; must be 0.
        characteristics: u32 as Hex,
        /// When the debug data was created, or part of its hash; in a CodeView entry for a portable PDB, the last four
        /// bytes of the PDB's id.
        time_date_stamp: u32 as Time,
        /// The major version of the payload's format; 0x0100 in a CodeView entry for a portable PDB.
        major_version: u16,
        /// The minor version of the payload's format; 0x504D (PM) in a CodeView entry marks the PDB as a portable one.
        minor_version: u16 as Hex,
        /// The format of the payload.
        kind "type": u32 as OneOf(&TYPES),
        /// The size of the payload in bytes.
        size_of_data: u32,
        /// The RVA of the payload when loaded; 0 if it is not loaded.
        address_of_raw_data: u32 as Rva,
        /// The file offset of the payload.
        pointer_to_raw_data: u32 as Offset,
    }
}

/// An entry of the debug directory, and its payload.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct DebugEntry {
    pub header: DebugDirectoryEntry,
    /// The bytes of the payload, where the file has them.
    pub data: Option<Span>,
    pub payload: Result<Payload>,
}

/// The decoded payload of an entry of the debug directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// The PDB that belongs to the image: its path, and the id that proves it.
    Rsds(Rsds),
    /// The same, as Visual C++ up to 6.0 wrote it.
    Nb10(Nb10),
    /// The hash of the PDB that belongs to the image.
    PdbChecksum(PdbChecksum),
    /// A whole portable PDB, deflated.
    EmbeddedPortablePdb(EmbeddedPortablePdb),
    /// The image comes out the same whenever it is built from the same input.
    Reproducible(Reproducible),
    /// The symbols of the code that was compiled ahead of time.
    PerfMap(PerfMap),
    /// Nothing that is asked for anywhere; its fields say all there is to say.
    Other,
}

impl DebugEntry {
    /// Name of its type; `unknown` for a number that has none.
    pub fn name(&self) -> &'static str {
        kind::of(self.header.kind).name
    }

    /// The PDB that it names, where it is a CodeView entry of today.
    pub fn rsds(&self) -> Option<&Rsds> {
        match &self.payload {
            Ok(Payload::Rsds(rsds)) => Some(rsds),
            _ => None,
        }
    }

    /// Returns whether the PDB that it names is a portable one: the minor version is `PM`.
    pub fn is_portable(&self) -> bool {
        self.rsds().is_some() && self.header.minor_version == 0x504d
    }
}

pub(super) fn read(pe: &mut Pe) -> Vec<DebugEntry> {
    let mut problems = Vec::new();
    let mut entries = entries(pe, &mut problems);
    // Honest payloads do not overlap, so together they are no longer than the file.
    let mut budget = pe.region().len();
    for entry in &mut entries {
        let Some(data) = locate(pe, entry, &mut problems) else {
            let wanted = entry.header.size_of_data as u64;
            let pointer = entry.header.span_of(&DebugDirectoryEntry::pointer_to_raw_data);
            entry.payload = Err(Error::new(ErrorKind::UnexpectedEnd { wanted, left: 0 }, pointer));
            continue;
        };
        entry.data = Some(data.span());
        entry.payload = match budget.checked_sub(data.len()) {
            Some(left) => {
                budget = left;
                (kind::of(entry.header.kind).read)(&mut data.cursor())
            }
            None => Err(Error::invalid("the payloads of the debug directory overlap", entry.header.span)),
        };
    }
    pe.problems.append(&mut problems);
    entries
}

fn entries(pe: &Pe, problems: &mut Vec<Error>) -> Vec<DebugEntry> {
    let Some(directory) = pe.directory(Directory::DEBUG) else { return Vec::new() };
    let Ok(rest) = pe.near_rva(directory.rva, directory.size as u64) else { return Vec::new() };
    if !(directory.size as u64).is_multiple_of(DebugDirectoryEntry::SIZE) {
        let expected = "a multiple of the entry size 0x1c";
        problems.push(Error::unexpected("size of the debug directory", directory.size, expected, directory.span));
    }
    let mut cursor = rest.cursor();
    let count = (directory.size as u64 / DebugDirectoryEntry::SIZE).min(u16::MAX as u64);
    let headers = (0..count).map_while(|_| or_problem(DebugDirectoryEntry::decode(&mut cursor), problems));
    headers.map(|header| DebugEntry { header, data: None, payload: Ok(Payload::Other) }).collect()
}

/// The payload of an entry: where the pointer says, or else where the RVA says.
fn locate(pe: &Pe, entry: &DebugEntry, problems: &mut Vec<Error>) -> Option<Region> {
    let image = pe.region();
    let by_pointer = match entry.header.pointer_to_raw_data {
        0 => None,
        pointer => image.part(pointer as u64, entry.header.size_of_data as u64).ok(),
    };
    let by_rva = match entry.header.address_of_raw_data {
        0 => None,
        rva => pe.span_at_rva(rva, entry.header.size_of_data).and_then(|span| image.part_at(span)).ok(),
    };
    let mut problem = |sentence, field| problems.push(Error::invalid(sentence, entry.header.span_of(field)));
    let (pointer, address) = (&DebugDirectoryEntry::pointer_to_raw_data, &DebugDirectoryEntry::address_of_raw_data);
    match (&by_pointer, &by_rva) {
        _ if entry.header.size_of_data == 0 => return Some(image.clip(entry.header.pointer_to_raw_data as u64, 0)),
        (Some(data), Some(loaded)) if data.span() != loaded.span() => {
            problem("pointer and address of a debug entry lead to different bytes", address);
        }
        (Some(_), _) => {}
        (None, Some(_)) => problem("the pointer of a debug entry leads nowhere, its address does", pointer),
        (None, None) => problem("a debug entry leads to bytes that the file does not have", pointer),
    }
    by_pointer.or(by_rva)
}

/// Reads a payload of that type once more with notes.
pub fn note(kind: u32, cursor: &mut Cursor<'_, Recording>) -> Result<Payload> {
    (kind::of(kind).note)(cursor)
}
