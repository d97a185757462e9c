use std::io::{Result, Write};

use super::super::json::Json;
use crate::bytes::Origin;
use crate::nodes::pe::debug_entry::DebugEntrySummary;
use crate::session::{Image, Session};
use crate::text::safe::hex;

/// Where the bytes of a space come from.
pub(super) fn origin<W: Write>(json: &mut Json<W>, origin: &Origin) -> Result<()> {
    match origin {
        Origin::File(path) => json.text("file", &path.to_string_lossy()),
        Origin::Inflated(span) => json.span("inflated", *span),
        Origin::Pages { file, page_size, .. } => {
            json.number("pages_of", file.0)?;
            json.number("page_size", page_size)
        }
    }
}

/// The image: what its headers and tables come to, and its debug directory.
pub(super) fn write<W: Write>(json: &mut Json<W>, _session: &Session, image: &Image) -> Result<()> {
    json.key("image")?.object(|json| {
        json.text("name", &image.name)?;
        json.number("space", image.space.0)?;
        json.number("machine", image.machine())?;
        json.number("managed", image.metadata.is_some())?;
        json.key("mvid")?.maybe(image.mvid().map(|mvid| mvid.to_string()).as_deref())
    })?;
    json.key("debug_directory")?.list(|json| {
        image.pe.debug.iter().try_for_each(|entry| {
            json.object(|json| {
                json.number("type", entry.header.kind)?;
                json.text("name", entry.name())?;
                json.number("characteristics", entry.header.characteristics)?;
                json.number("stamp", entry.header.time_date_stamp)?;
                json.number("major", entry.header.major_version)?;
                json.number("minor", entry.header.minor_version)?;
                json.number("size", entry.header.size_of_data)?;
                json.number("rva", entry.header.address_of_raw_data)?;
                json.number("pointer", entry.header.pointer_to_raw_data)?;
                json.span("span", entry.header.span)?;
                if let Some(data) = entry.data {
                    json.span("payload", data)?;
                }
                match DebugEntrySummary::of(entry) {
                    DebugEntrySummary::CodeView { guid, age, path, portable } => {
                        json.shown("guid", guid)?;
                        json.number("age", age)?;
                        json.text("path", path)?;
                        json.number("portable", portable)
                    }
                    DebugEntrySummary::Checksum { algorithm, hash } => {
                        json.text("algorithm", algorithm)?;
                        json.text("checksum", &hex(hash))
                    }
                    DebugEntrySummary::Embedded { size } => json.number("uncompressed_size", size),
                    DebugEntrySummary::Broken(error) => json.shown("error", error),
                    DebugEntrySummary::Other => Ok(()),
                }
            })
        })
    })
}
