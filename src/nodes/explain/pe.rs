//! Headers of the image.

use crate::formats::pe::{Part, Payload};
use crate::nodes::fields::{Fields, Meaning};
use crate::nodes::place::PePart;
use crate::nodes::{Place, debug_payload};
use crate::session::Session;
use crate::text::safe::count;

impl From<Part> for PePart {
    fn from(part: Part) -> Self {
        match part {
            Part::Dos => Self::Dos,
            Part::Coff => Self::Coff,
            Part::Optional => Self::Optional,
            Part::Directory(index) => Self::Directory(index),
            Part::Section(index) => Self::Section(index),
            Part::Cli => Self::Cli,
            Part::Debug(index) | Part::Payload(index) => Self::Debug(index),
        }
    }
}

/// A header. An entry of the debug directory comes with its payload.
pub(crate) fn explain_pe(session: &Session, part: PePart) -> Option<Fields> {
    let (image, part_of) = (session.image()?, |part| Place::PePart(part).to_string());
    let title = part_of(part);
    let found = match part {
        PePart::Dos => Part::Dos,
        PePart::Coff => Part::Coff,
        PePart::Optional => Part::Optional,
        PePart::Cli => Part::Cli,
        PePart::Directory(index) => Part::Directory(index),
        PePart::Section(index) => Part::Section(index),
        PePart::Debug(index) => return explain_debug(session, index),
        PePart::Directories | PePart::Sections | PePart::DebugDirectory => return None,
    };
    let decode = |cursor: &mut _| image.pe.note(found, cursor);
    Some(Fields::explain(title, image.pe.slice(found)?, decode, |record, field| pe_meaning(session, record, field)))
}

fn explain_debug(session: &Session, index: u16) -> Option<Fields> {
    let image = session.image()?;
    let entry = image.pe.debug.get(index as usize)?;
    let title = format!("pe/debug/{index} · {}", entry.name());
    let mut all = Fields { title, ..Fields::default() };
    for part in [Part::Debug(index), Part::Payload(index)] {
        let Some(slice) = image.pe.slice(part) else { continue };
        let decode = |cursor: &mut _| image.pe.note(part, cursor);
        let one = Fields::explain("", slice, decode, |record, field| pe_meaning(session, record, field));
        if part == Part::Debug(index) {
            all.span = one.span;
        }
        all.rows.extend(one.rows);
        all.error = all.error.or(one.error);
    }
    if let Ok(Payload::EmbeddedPortablePdb(_)) = &entry.payload {
        all.title = format!("{} · {}", all.title, debug_payload::summary(entry).text);
    }
    Some(all)
}

/// What an address in a header or a row leads to.
pub(crate) fn pe_meaning(session: &Session, record: &str, field: &crate::bytes::Field) -> Option<Meaning> {
    use crate::model::lessons::{Show, find};
    let (image, number) = (session.image()?, field.value.number().filter(|number| *number > 0)?);
    match find(record, field.name)?.show {
        Show::Rva => {
            let offset = image.pe.rva_to_offset(number as u32)?;
            let section = image.pe.section_of(number as u32).map_or("headers", |section| section.name.as_str());
            let place = Place::Bytes(crate::bytes::Span::new(image.space, offset, 16));
            Some(Meaning::to(format!("{section}, file offset {offset:#x}"), place))
        }
        Show::Offset => {
            let place = Place::Bytes(crate::bytes::Span::new(image.space, number as u64, 16));
            Some(Meaning::to(format!("{} into {}", count(number as u64, "byte"), image.name), place))
        }
        Show::Token => {
            let token = crate::formats::metadata::Token(number as u32);
            let name = session.names().map(|names| names.token(token)).unwrap_or_default();
            Some(Meaning::to(name, Place::row(token.table(), token.row())))
        }
        _ => None,
    }
}
