//! The headers of an image.

use crate::formats::pe::Part;
use crate::nodes::Place;
use crate::nodes::place::PePart;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::Session;

/// The parts of an image's headers, in file order.
pub(crate) fn pe_parts(session: &Session) -> Option<Rows<'_>> {
    let image = session.image()?;
    let rows = image.pe.parts().filter(|part| !matches!(part, Part::Payload(_) | Part::Directory(_))).map(|part| {
        let place = Place::PePart(PePart::from(part));
        let span = image.pe.span(part).unwrap_or_default();
        let cells = vec![
            Cell::new(place.to_string()).to(place),
            Cell::new(format!("{:#x}", span.start)),
            Cell::new(span.len.to_string()),
        ];
        Row::at(place, cells).from(span)
    });
    let columns = vec![Head::text("part"), Head::number("offset"), Head::number("bytes")];
    Some(Rows::of(format!("{} · headers", image.name), columns, rows.collect()))
}

/// The sections of an image.
pub(crate) fn sections_rows(session: &Session) -> Option<Rows<'_>> {
    let image = session.image()?;
    let rows = image.pe.sections.iter().enumerate().map(|(index, section)| {
        let place = Place::PePart(PePart::Section(index as u16));
        let cells = vec![
            Cell::new(section.name.clone()).to(place),
            Cell::new(format!("{:#x}", section.virtual_address)),
            Cell::new(section.virtual_size.to_string()),
            Cell::new(format!("{:#x}", section.raw_pointer)),
            Cell::new(section.raw_size.to_string()),
            Cell::new(format!("{:#x}", section.characteristics)),
        ];
        Row::at(place, cells).from(section.span)
    });
    let columns = vec![
        Head::text("section"),
        Head::number("rva"),
        Head::number("virtual size"),
        Head::number("file offset"),
        Head::number("file size"),
        Head::text("characteristics"),
    ];
    Some(Rows::of("sections", columns, rows.collect()))
}

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

/// Every entry of the debug directory, all eight fields.
pub(crate) fn debug_directory_rows(session: &Session) -> Option<Rows<'_>> {
    let image = session.image()?;
    let rows = image.pe.debug.iter().enumerate().map(|(index, entry)| {
        let place = Place::PePart(PePart::Debug(index as u16));
        let cells = vec![
            Cell::toned(index.to_string(), Tone::Dim),
            Cell::new(entry.name()).to(place).beside(entry.kind.to_string()),
            Cell::new(format!("{:#x}", entry.characteristics)),
            Cell::new(format!("{:08x}", entry.stamp)),
            Cell::new(format!("{}.{}", entry.major, entry.minor)),
            Cell::new(entry.size.to_string()),
            Cell::new(format!("{:#x}", entry.rva)),
            Cell::new(format!("{:#x}", entry.pointer)),
            crate::nodes::debug_payload::summary(entry),
        ];
        Row::at(place, cells).from(entry.span)
    });
    let columns = vec![
        Head::number("#"),
        Head::text("type"),
        Head::text("characteristics"),
        Head::text("stamp"),
        Head::text("version"),
        Head::number("size"),
        Head::number("rva"),
        Head::number("pointer"),
        Head::text("payload"),
    ];
    Some(Rows::of("debug directory", columns, rows.collect()))
}
