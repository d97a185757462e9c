//! Meanings of the fields of headers.

use crate::fields::{Meaning, hashed_stamp};
use crate::place::Place;
use pdblens_formats::bytes::{Field, Show, Span};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

/// Meanings of the fields of a header or a row, whatever its record.
pub(crate) fn meanings(session: &Session) -> impl Fn(&str, &Field) -> Option<Meaning> + Copy {
    move |_, field| pe_meaning(session, field)
}

/// Meaning of an address in a header or a row.
pub(crate) fn pe_meaning(session: &Session, field: &Field) -> Option<Meaning> {
    let (image, number) = (session.image()?, field.value.number().filter(|number| *number > 0)?);
    match field.doc.show {
        Show::Rva => {
            let offset = image.pe.rva_to_offset(number as u32)?;
            let section = image.pe.section_of(number as u32).map_or("headers", |section| section.name.as_str());
            let place = Place::Bytes(Span::new(image.space, offset, 16));
            Some(Meaning::to(format!("{section}, file offset {offset:#x}"), place))
        }
        Show::Offset => {
            let place = Place::Bytes(Span::new(image.space, number as u64, 16));
            Some(Meaning::to(format!("{} into {}", count(number as u64, "byte"), image.name), place))
        }
        Show::Token => {
            let token = pdblens_formats::metadata::Token(number as u32);
            let name = session.names().map(|names| names.token(token)).unwrap_or_default();
            Some(Meaning::to(name, Place::row(token.table(), token.row())))
        }
        Show::Time => hashed_stamp(session, number as u32),
        _ => None,
    }
}
