//! Sections of the image, as a Windows PDB has them.

use crate::kind::Kind;
use crate::module;
use crate::place::Place;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::stream::PdbView;
use pdblens_session::session::Session;

pub(crate) const SECTION_MAP: Kind = Kind {
    listed: |_| vec![Place::SectionMap],
    rows: |session, ()| section_map_rows(session),
    summary: |session, ()| module::debug_information_facts(session, Place::SectionMap),
    bytes: |session, ()| Some(PdbView::of(session)?.pdb.dbi.as_ref()?.section_map.region.span()),
    ..Kind::NEW
};

pub(crate) fn section_map_rows(session: &Session) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    let map = &view.pdb.dbi.as_ref()?.section_map;
    let sections = view.native.map_or(&[][..], |native| &native.addresses(view.pdb, view.spaces).sections);
    let columns = Head::list(["section:", "name", "rva:", "offset:", "bytes:", "flags"]);
    let rows = map.entries.iter().map(|entry| {
        // Sections count from 1; the last entry, for absolute symbols, is of none.
        let section = (entry.frame as usize).checked_sub(1).and_then(|index| sections.get(index));
        Row::plain(vec![
            Cell::new(entry.frame.to_string()),
            Cell::new(section.map_or(String::new(), |section| section.name.to_text().into_owned())),
            Cell::new(section.map_or(String::new(), |section| format!("{:#x}", section.virtual_address))),
            Cell::new(format!("{:#x}", entry.offset)),
            Cell::new(format!("{:#x}", entry.length)),
            Cell::toned(format!("{:#06x}", entry.flags), Tone::Dim),
        ])
    });
    Some(Rows::of("section map", columns, rows.collect()))
}

/// A section of the image, as the PDB has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "image_section"))]
pub struct SectionDetails {
    /// Its number, from 1.
    pub section: u32,
    /// Name, such as `.text`.
    pub name: String,
    /// Address in the image.
    #[serde(rename = "address", serialize_with = "pdblens_formats::serialize::hexadecimal")]
    #[cfg_attr(feature = "schema", schemars(with = "pdblens_formats::json_schema::Address"))]
    pub rva: u32,
    /// Bytes in memory.
    pub size: u32,
    /// Contents and access rights, as in an image.
    pub characteristics: u32,
}

/// Sections of the image of native code; with OMAP, those of the image as it was linked if `linked`.
pub fn section_list(session: &Session, linked: bool) -> Vec<SectionDetails> {
    let Some(view) = PdbView::of(session) else { return Vec::new() };
    let addresses = view.native.map(|native| native.addresses(view.pdb, view.spaces));
    let headers = addresses.map_or(&[][..], |found| if linked { &found.linked } else { &found.sections });
    let section = (1..).zip(headers).map(|(section, header)| SectionDetails {
        section,
        name: header.name.to_text().into_owned(),
        rva: header.virtual_address,
        size: header.virtual_size,
        characteristics: header.characteristics,
    });
    section.collect()
}
