//! Data directories of the image.

use crate::fields::Meaning;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::{self as nodes, PePart, Place, pe};
use pdblens_formats::bytes::{Field, Show};
use pdblens_formats::pe::Directory;
use pdblens_session::session::Session;

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
    let columns = Head::list(["#:", "directory", "rva:", "size:", "section"]);
    Some(Rows::of("data directories", columns, rows.collect()))
}

/// Meaning of a field of a data directory: the address leads to the place of the table where it has one.
pub(crate) fn meaning(session: &Session, index: u8, record: &str, field: &Field) -> Option<Meaning> {
    let meaning = pe::pe_meaning(session, record, field)?;
    let place = match index {
        Directory::EXPORTS => Place::PePart(PePart::Exports),
        Directory::IMPORTS => Place::PePart(PePart::Imports),
        Directory::RESOURCES => Place::PePart(PePart::Resources),
        Directory::EXCEPTIONS => Place::Exceptions,
        Directory::RELOCATIONS => Place::Relocations,
        Directory::DEBUG => Place::PePart(PePart::DebugDirectory),
        Directory::DELAY_IMPORTS => Place::PePart(PePart::DelayImports),
        Directory::CLI => Place::PePart(PePart::Cli),
        _ => return Some(meaning),
    };
    let to = Some(place).filter(|to| field.doc.show == Show::Rva && nodes::exists(session, *to));
    Some(Meaning { to: to.or(meaning.to), ..meaning })
}
