//! What an entry of the debug directory says, in one line.

use super::rows::{Cell, Tone};
use crate::bytes::{Error, Guid};
use crate::formats::pe::{DebugEntry, Payload};
use crate::text::safe::hex;

/// One-line summary of an entry's payload.
pub fn summary(entry: &DebugEntry) -> Cell {
    match &entry.payload {
        Err(error) => Cell::toned(format!("({error})"), Tone::Bad),
        Ok(Payload::Rsds(rsds)) if entry.is_portable() => {
            Cell::new(format!("{} {:08x}  {}", rsds.guid, entry.stamp, rsds.path)).beside("portable")
        }
        Ok(Payload::Rsds(rsds)) => Cell::new(format!("{} age {}  {}", rsds.guid, rsds.age, rsds.path)),
        Ok(Payload::Nb10(nb10)) => Cell::new(format!("stamp {:08x} age {}  {}", nb10.stamp, nb10.age, nb10.path)),
        Ok(Payload::PdbChecksum(checksum)) => Cell::new(format!("{} {}", checksum.algorithm, hex(&checksum.checksum))),
        Ok(Payload::EmbeddedPortablePdb(embedded)) => {
            Cell::new(format!("{} bytes, {} deflated", embedded.size, embedded.deflated.len))
        }
        Ok(Payload::PerfMap(map)) => Cell::new(format!("{}  {}", hex(&map.signature), map.path)),
        Ok(Payload::Reproducible(found)) => Cell::new(hex(&found.hash)),
        Ok(Payload::Other) => Cell::default(),
    }
}

/// Payload of a debug directory entry, reduced to the fields that commands print.
#[derive(Debug)]
pub enum DebugEntrySummary<'e> {
    /// Which PDB belongs to the image.
    CodeView {
        /// Its id.
        guid: Guid,
        /// How often it was written.
        age: u32,
        /// Where it was.
        path: &'e str,
        /// Whether it is a portable PDB.
        portable: bool,
    },
    /// The hash of that PDB.
    Checksum {
        /// How it was made.
        algorithm: &'e str,
        /// The hash.
        hash: &'e [u8],
    },
    /// The PDB itself, deflated.
    Embedded {
        /// How many bytes it has.
        size: u32,
    },
    /// It cannot be read.
    Broken(&'e Error),
    /// Nothing of that kind.
    Other,
}

impl<'e> DebugEntrySummary<'e> {
    /// Summary of an entry's payload.
    pub fn of(entry: &'e DebugEntry) -> Self {
        match &entry.payload {
            Err(error) => Self::Broken(error),
            Ok(Payload::Rsds(rsds)) => {
                Self::CodeView { guid: rsds.guid, age: rsds.age, path: &rsds.path, portable: entry.is_portable() }
            }
            Ok(Payload::PdbChecksum(found)) => Self::Checksum { algorithm: &found.algorithm, hash: &found.checksum },
            Ok(Payload::EmbeddedPortablePdb(found)) => Self::Embedded { size: found.size },
            Ok(_) => Self::Other,
        }
    }
}
