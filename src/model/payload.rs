//! What an entry of the debug directory says, in one line.

use super::rows::{Cell, Tone};
use super::text::hex;
use crate::formats::pe::{DebugEntry, Payload};

/// The gist of an entry's payload.
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
