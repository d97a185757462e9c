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
mod fpo;
mod kind;
mod misc;
mod omap;
mod perfmap;
mod pogo;
mod reproducible;
#[cfg(test)]
mod tests;

pub use checksum::PdbChecksum;
pub use codeview::{Nb10, Rsds};
pub use embedded::EmbeddedPortablePdb;
pub use perfmap::PerfMap;
pub use reproducible::Reproducible;

use kind::{Kind, Raw, kind};
use object::pe;

use super::{Directory, Pe};
use crate::bytes::{Cursor, Error, ErrorKind, Noted, Notes, Result, Slice, Span};

/// Every kind of entry that has a name. Where the payload is not described anywhere, it is [`Raw`].
const KINDS: &[Kind] = &[
    kind::<Raw>(pe::IMAGE_DEBUG_TYPE_UNKNOWN, "Unknown"),
    kind::<coff::CoffSymbols>(pe::IMAGE_DEBUG_TYPE_COFF, "COFF"),
    kind::<codeview::CodeView>(pe::IMAGE_DEBUG_TYPE_CODEVIEW, "CodeView"),
    kind::<fpo::Fpo>(pe::IMAGE_DEBUG_TYPE_FPO, "FPO"),
    kind::<misc::Misc>(pe::IMAGE_DEBUG_TYPE_MISC, "Misc"),
    kind::<Raw>(pe::IMAGE_DEBUG_TYPE_EXCEPTION, "Exception"),
    kind::<Raw>(pe::IMAGE_DEBUG_TYPE_FIXUP, "Fixup"),
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

/// An entry of the debug directory.
#[derive(Clone, Debug)]
pub struct DebugEntry {
    /// Reserved; 0.
    pub characteristics: u32,
    /// When the payload was made, in seconds since 1970, or part of its hash. Part of a portable PDB's id.
    pub stamp: u32,
    /// The version of the payload's format.
    pub major: u16,
    /// The version of the payload's format; 0x504D (`PM`) in a CodeView entry says that the PDB is a portable one.
    pub minor: u16,
    /// What the payload is: the entry's type, of [`TYPES`].
    pub kind: u32,
    /// How many bytes the payload takes.
    pub size: u32,
    /// Where the payload is loaded; 0 where it is not.
    pub rva: u32,
    /// Where the payload is in the file.
    pub pointer: u32,
    /// The bytes of the entry.
    pub span: Span,
    /// The bytes of the payload, where the file has them.
    pub data: Option<Span>,
    /// What the payload says.
    pub payload: Result<Payload>,
}

/// What an entry of the debug directory leads to.
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
    const SIZE: u64 = 28;
    /// `PM`: the minor version of a CodeView entry whose PDB is a portable one.
    const PORTABLE: u16 = 0x504d;

    /// What its type is called.
    pub fn name(&self) -> &'static str {
        kind::of(self.kind).name
    }

    /// The PDB that it names, where it is a CodeView entry of today.
    pub fn rsds(&self) -> Option<&Rsds> {
        match &self.payload {
            Ok(Payload::Rsds(rsds)) => Some(rsds),
            _ => None,
        }
    }

    /// Whether the PDB that it names is a portable one.
    pub fn is_portable(&self) -> bool {
        self.rsds().is_some() && self.minor == Self::PORTABLE
    }

    /// The id of the portable PDB that it names: the GUID, then the entry's stamp.
    pub fn portable_id(&self) -> Option<[u8; 20]> {
        let rsds = self.rsds().filter(|_| self.is_portable())?;
        let mut id = [0; 20];
        let (guid, stamp) = id.split_at_mut(16);
        guid.copy_from_slice(&rsds.guid.0);
        stamp.copy_from_slice(&self.stamp.to_le_bytes());
        Some(id)
    }

    pub(super) fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group("debug directory entry", |c| {
            Ok(Self {
                characteristics: c.u32("characteristics")?,
                stamp: c.u32("time date stamp")?,
                major: c.u16("major version")?,
                minor: c.u16("minor version")?,
                kind: c.u32("type")?,
                size: c.u32("size of data")?,
                rva: c.u32("address of raw data")?,
                pointer: c.u32("pointer to raw data")?,
                span: c.since(start),
                data: None,
                payload: Ok(Payload::Other),
            })
        })
    }

    const fn rva_span(&self) -> Span {
        self.span.part(20, 4)
    }

    const fn pointer_span(&self) -> Span {
        self.span.part(24, 4)
    }
}

/// Reads the debug directory and what its entries lead to.
pub(super) fn read(pe: &mut Pe) -> Vec<DebugEntry> {
    let mut problems = Vec::new();
    let mut entries = entries(pe, &mut problems);
    // Honest payloads do not overlap, so together they are no longer than the file.
    let mut budget = pe.region().len();
    for entry in &mut entries {
        let Some(data) = locate(pe, entry, &mut problems) else {
            entry.payload =
                Err(Error::new(ErrorKind::UnexpectedEnd { wanted: entry.size as u64, left: 0 }, entry.pointer_span()));
            continue;
        };
        entry.data = Some(data.span());
        entry.payload = match budget.checked_sub(data.len()) {
            Some(left) => {
                budget = left;
                (kind::of(entry.kind).read)(&mut data.cursor())
            }
            None => Err(Error::invalid("the payloads of the debug directory overlap", entry.span)),
        };
    }
    pe.problems.append(&mut problems);
    entries
}

fn entries(pe: &Pe, problems: &mut Vec<Error>) -> Vec<DebugEntry> {
    let mut entries = Vec::new();
    let Some(directory) = pe.directory(Directory::DEBUG) else { return entries };
    let Ok(rest) = pe.rest_at_rva(directory.rva) else { return entries };
    if !(directory.size as u64).is_multiple_of(DebugEntry::SIZE) {
        problems.push(Error::invalid("the debug directory does not end at the end of an entry", directory.span));
    }
    let mut cursor = rest.cursor();
    let count = (directory.size as u64 / DebugEntry::SIZE).min(u16::MAX as u64);
    for _ in 0..count {
        match DebugEntry::decode(&mut cursor) {
            Ok(entry) => entries.push(entry),
            Err(error) => {
                problems.push(error);
                break;
            }
        }
    }
    entries
}

/// The payload of an entry: where the pointer says, or else where the RVA says.
fn locate<'a>(pe: &'a Pe, entry: &DebugEntry, problems: &mut Vec<Error>) -> Option<Slice<'a>> {
    let image = pe.region().slice();
    let by_pointer = match entry.pointer {
        0 => None,
        pointer => image.part(pointer as u64, entry.size as u64).ok(),
    };
    let by_rva = match entry.rva {
        0 => None,
        rva => pe.at_rva(rva, entry.size).ok(),
    };
    match (by_pointer, by_rva) {
        _ if entry.size == 0 => image.rest(entry.pointer as u64).part(0, 0).ok(),
        (Some(data), Some(loaded)) if data.start != loaded.start => {
            problems
                .push(Error::invalid("pointer and address of a debug entry lead to different bytes", entry.rva_span()));
            Some(data)
        }
        (Some(data), _) => Some(data),
        (None, Some(data)) => {
            problems.push(Error::invalid(
                "the pointer of a debug entry leads nowhere, its address does",
                entry.pointer_span(),
            ));
            Some(data)
        }
        (None, None) => {
            problems
                .push(Error::invalid("a debug entry leads to bytes that the file does not have", entry.pointer_span()));
            None
        }
    }
}

/// Reads a payload of that type once more with notes.
pub fn note(kind: u32, cursor: &mut Cursor<'_, Noted>) -> Result<()> {
    (kind::of(kind).note)(cursor).map(drop)
}
