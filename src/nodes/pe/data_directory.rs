//! Data directories of the image.

use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::nodes::{PePart, Place};
use crate::session::Session;

/// The data directories of an image.
pub(crate) fn directories_rows(session: &Session) -> Option<Rows<'_>> {
    let image = session.image()?;
    let rows = image.pe.directories.iter().enumerate().map(|(index, directory)| {
        let place = Place::PePart(PePart::Directory(index as u8));
        let section = image.pe.section_of(directory.rva).map_or(String::new(), |section| section.name.clone());
        let tone = if directory.rva == 0 { Tone::Dim } else { Tone::Text };
        let data = directory.data.map(Place::Bytes);
        let mut at = Cell::toned(format!("{:#x}", directory.rva), tone);
        at.to = data;
        let cells = vec![
            Cell::toned(index.to_string(), Tone::Dim),
            Cell::toned(directory.name(), tone).to(place),
            at,
            Cell::toned(directory.size.to_string(), tone),
            Cell::toned(section, Tone::Dim),
        ];
        Row::at(place, cells).from(directory.span)
    });
    let columns = vec![
        Head::number("#"),
        Head::text("directory"),
        Head::number("rva"),
        Head::number("size"),
        Head::text("section"),
    ];
    Some(Rows::of("data directories", columns, rows.collect()))
}
