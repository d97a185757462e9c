//! Sections of the image.

use crate::rows::{Cell, Head, Row, Rows};
use crate::{PePart, Place};
use pdblens_session::session::Session;

/// The sections of an image.
pub(crate) fn sections_rows(session: &Session) -> Option<Rows<'_>> {
    let image = session.image()?;
    let rows = image.pe.sections.iter().enumerate().map(|(index, section)| {
        let place = Place::PePart(PePart::Section(index as u16));
        let cells = vec![
            Cell::new(section.name.clone()).to(place),
            Cell::new(format!("{:#x}", section.header.virtual_address)),
            Cell::new(section.header.virtual_size.to_string()),
            Cell::new(format!("{:#x}", section.header.pointer_to_raw_data)),
            Cell::new(section.header.size_of_raw_data.to_string()),
            Cell::new(format!("{:#x}", section.header.characteristics)),
        ];
        Row::at(place, cells).from(section.header.span)
    });
    let columns = Head::list(["section", "rva:", "virtual size:", "file offset:", "file size:", "characteristics"]);
    Some(Rows::of("sections", columns, rows.collect()))
}
