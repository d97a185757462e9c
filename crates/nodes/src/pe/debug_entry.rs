//! Entries of the debug directory.

use super::meaning::meanings;
use crate::fields::Fields;
use crate::place::{PePart, Place};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::bytes::{Guid, Spaces};
use pdblens_formats::pe::{DebugEntry, ImagePart, Payload};
use pdblens_formats::reason::Reason;
use pdblens_session::session::Session;
use pdblens_session::text::safe::hex;

pub(crate) fn debug_directory_rows(session: &Session) -> Option<Rows<'_>> {
    let image = session.image()?;
    let rows = image.pe.debug.iter().enumerate().map(|(index, entry)| {
        let place = Place::PePart(PePart::Debug(index as u16));
        let cells = vec![
            Cell::toned(index.to_string(), Tone::Dim),
            Cell::new(entry.name()).to(place).beside(entry.header.kind.to_string()),
            Cell::new(format!("{:#x}", entry.header.characteristics)),
            Cell::new(format!("{:08x}", entry.header.time_date_stamp)),
            Cell::new(format!("{}.{}", entry.header.major_version, entry.header.minor_version)),
            Cell::new(entry.header.size_of_data.to_string()),
            Cell::new(format!("{:#x}", entry.header.address_of_raw_data)),
            Cell::new(format!("{:#x}", entry.header.pointer_to_raw_data)),
            summary(session.spaces(), entry),
        ];
        Row::at(place, cells).from(entry.header.span)
    });
    let columns =
        Head::list(["#:", "type", "characteristics", "stamp", "version", "size:", "rva:", "pointer:", "payload"]);
    Some(Rows::of("debug directory", columns, rows.collect()))
}

pub(crate) fn explain_debug(session: &Session, index: u16) -> Option<Fields> {
    let image = session.image()?;
    let entry = image.pe.debug.get(index as usize)?;
    let title = format!("pe/debug/{index} · {}", entry.name());
    let mut all = Fields { title, ..Fields::default() };
    for part in [ImagePart::Debug(index), ImagePart::Payload(index)] {
        let Some(slice) = image.pe.slice(part) else { continue };
        let decode = |cursor: &mut _| image.pe.note(part, cursor);
        all.append(Fields::explain("", slice, decode, meanings(session)));
    }
    if let Ok(Payload::EmbeddedPortablePdb(_)) = &entry.payload {
        all.title = format!("{} · {}", all.title, summary(session.spaces(), entry).text);
    }
    Some(all)
}

pub fn summary(spaces: &Spaces, entry: &DebugEntry) -> Cell {
    match &entry.payload {
        Err(error) => Cell::broken(spaces, error),
        Ok(Payload::Rsds(rsds)) if entry.is_portable() => {
            Cell::new(format!("{} {:08x}  {}", rsds.guid, entry.header.time_date_stamp, rsds.path)).beside("portable")
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

/// Payload of a debug directory entry, reduced to the fields that commands print; they depend on its type.
#[derive(Debug, serde::Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum DebugEntrySummary {
    /// CodeView entry: identity of the PDB.
    CodeView {
        /// GUID of the PDB.
        guid: Guid,
        /// Number of times that the PDB was written.
        age: u32,
        /// Path of the PDB when the image was built.
        path: String,
        /// True for a portable PDB.
        portable: bool,
    },
    /// The hash of that PDB.
    Checksum {
        /// Name of the hash algorithm.
        algorithm: String,
        /// Hash of the PDB.
        #[serde(serialize_with = "pdblens_formats::serialize::bytes")]
        #[cfg_attr(feature = "schema", schemars(with = "pdblens_formats::json_schema::Bytes"))]
        checksum: Vec<u8>,
    },
    /// The PDB itself, deflated.
    Embedded {
        /// Size in bytes when inflated.
        uncompressed_size: u32,
    },
    /// It cannot be read.
    Broken {
        /// Error in the payload.
        error: Reason,
    },
    /// Nothing of that kind.
    Other {},
}

impl DebugEntrySummary {
    pub fn of(spaces: &Spaces, entry: &DebugEntry) -> Self {
        match &entry.payload {
            Err(error) => Self::Broken { error: spaces.reason(error) },
            Ok(Payload::Rsds(rsds)) => {
                let (guid, age, path) = (rsds.guid, rsds.age, rsds.path.clone());
                Self::CodeView { guid, age, path, portable: entry.is_portable() }
            }
            Ok(Payload::PdbChecksum(found)) => {
                Self::Checksum { algorithm: found.algorithm.clone(), checksum: found.checksum.clone() }
            }
            Ok(Payload::EmbeddedPortablePdb(found)) => Self::Embedded { uncompressed_size: found.size },
            Ok(_) => Self::Other {},
        }
    }
}
