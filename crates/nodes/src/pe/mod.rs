//! Headers of the image.

pub mod debug_entry;
mod exports;
pub(crate) mod imports;
pub mod layout;
mod linker;
pub mod linker_parts;
mod meaning;
mod owners;
mod resources;
mod rich;

fn directories_rows(session: &Session) -> Option<Rows<'_>> {
    let image = session.image()?;
    let rows = image.pe.directories.iter().enumerate().map(|(index, directory)| {
        let place = Place::PePart(PePart::Directory(index as u8));
        let section = image.pe.section_of(directory.rva).map_or(String::new(), |section| section.name.clone());
        let tone = if directory.rva == 0 { Tone::Dim } else { Tone::Text };
        let cells = vec![
            Cell::toned(index.to_string(), Tone::Dim),
            Cell::toned(directory.name(), tone).to(place),
            Cell::toned(format!("{:#x}", directory.rva), tone).to(directory.data.map(Place::Bytes)),
            Cell::toned(directory.size.to_string(), tone),
            Cell::toned(section, Tone::Dim),
        ];
        Row::at(place, cells).from(directory.span)
    });
    let columns = Head::list(["#:", "directory", "rva:", "size:", "section"]);
    Some(Rows::of("data directories", columns, rows.collect()))
}

/// Meaning of a field of a data directory: the address leads to the place of the table where it has one.
fn directory_meaning(session: &Session, index: u8, field: &Field) -> Option<Meaning> {
    let meaning = pe_meaning(session, field)?;
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
    let to = Some(place).filter(|to| field.doc.show == Show::Rva && has_table(session, *to));
    Some(Meaning { to: to.or(meaning.to), ..meaning })
}

/// Returns whether the image has the table, as the kind of its place says.
fn has_table(session: &Session, place: Place) -> bool {
    let Some(image) = session.image() else { return false };
    match place {
        Place::PePart(part) => (PART.exists)(session, part),
        Place::Exceptions => Exceptions::of(&image.pe).is_some_and(|table| !table.is_empty()),
        _ => image.pe.directory(Directory::RELOCATIONS).is_some_and(|directory| directory.data.is_some()),
    }
}

fn sections_rows(session: &Session) -> Option<Rows<'_>> {
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

fn add_names(session: &Session, list: &mut dyn NameList) -> Option<()> {
    let Some(image) = session.image() else { return Some(()) };
    for (number, section) in image.pe.sections.iter().enumerate() {
        list.add(Place::PePart(PePart::Section(number as u16)), &section.name)?;
    }
    for (number, directory) in image.pe.directories.iter().enumerate().filter(|(_, found)| found.is_present()) {
        list.add(Place::PePart(PePart::Directory(number as u8)), directory.name())?;
    }
    for (number, entry) in image.pe.debug.iter().enumerate() {
        list.add(Place::PePart(PePart::Debug(number as u16)), entry.name())?;
    }
    for part in linker_parts::present(session) {
        list.add(Place::PePart(part), linker_parts::name(part))?;
    }
    for (part, column) in [
        (PePart::Imports, "name"),
        (PePart::DelayImports, "name"),
        (PePart::Exports, "name"),
        (PePart::Resources, "resource"),
    ] {
        add_column(list, (PART.rows)(session, part), column)?;
    }
    Some(())
}

#[cfg(test)]
mod tests;
mod version;

pub(crate) use exports::{exports_of, name_of_export};
pub(crate) use rich::verdict as rich_verdict;
pub(crate) use version::dotted;

use crate::facts::Facts;
use crate::fields::{Fields, Meaning};
use crate::kind::{Kind, Label};
use crate::named::{NameList, Turn, add_column};
use crate::place::{PePart, Place};
use crate::rows::{Cell, Head, Row, Rows, Tone};
pub(crate) use meaning::{meanings, pe_meaning};
use pdblens_formats::bytes::{Field, Show};
use pdblens_formats::pe::{Directory, Exceptions, ImagePart};
use pdblens_session::session::Session;

pub(crate) const PE: Kind = Kind {
    listed: |session| session.image().map(|_| Place::Pe).into_iter().collect(),
    exists: |session, ()| session.image().is_some(),
    rows: |session, ()| pe_parts(session),
    summary: |session, ()| image_facts(session, Place::Pe),
    bytes: |session, ()| {
        let pe = &session.image()?.pe;
        Some(pe.dos.span.to(pe.sections.last().map_or(pe.coff.span, |section| section.header.span)))
    },
    ..Kind::NEW
};

pub(crate) const PART: Kind<PePart> = Kind {
    owners: owners::PARTS,
    named: &[(Turn::Image, add_names)],
    listed: |session| {
        let parts = [PePart::Dos, PePart::Coff, PePart::Optional, PePart::Cli].into_iter();
        let lists = [PePart::Sections, PePart::Directories, PePart::DebugDirectory].into_iter();
        let all = || parts.chain(lists).chain(linker_parts::present(session)).map(Place::PePart).collect();
        session.image().map(|_| all()).unwrap_or_default()
    },
    parent: |part| matches!(part, PePart::Version | PePart::Manifest).then_some(Place::PePart(PePart::Resources)),
    label: |part| match part {
        PePart::Section(_) => Label::new("section", 1),
        PePart::Directory(_) => Label::new("directory", 2),
        PePart::Debug(_) => Label::new("debug entry", 2),
        PePart::Import(_) | PePart::DelayImport(_) => Label::new("import", 2),
        PePart::Export(_) => Label::new("export", 2),
        PePart::Resource(_) => Label::new("resource", 2),
        part if !linker_parts::name(part).is_empty() => Label::new("image part", 1),
        _ => Label::default(),
    },
    context: |session, part| Some(linker_parts::module(session, part).unwrap_or_default().to_owned()),
    exists: |session, part| session.image().is_some() && linker_parts::exists(session, part),
    absence: |session, part| {
        if let Some(sentence) = linker_parts::absence(session, part) {
            return Some(sentence);
        }
        let without = part == PePart::DebugDirectory && session.image().is_some();
        without.then(|| "the image has no debug directory: it does not say which PDB is its own".to_owned())
    },
    rows: |session, part| match part {
        PePart::Sections => sections_rows(session),
        PePart::Directories => directories_rows(session),
        PePart::DebugDirectory => debug_entry::debug_directory_rows(session),
        part => linker_parts::rows(session, part),
    },
    fields: explain_pe,
    summary: |session, part| match part {
        PePart::Sections | PePart::Directories | PePart::DebugDirectory => image_facts(session, Place::PePart(part)),
        _ => None,
    },
    bytes: |session, part| {
        let pe = &session.image()?.pe;
        match part {
            PePart::DebugDirectory => pe.directory(Directory::DEBUG)?.data,
            PePart::Sections => Some(pe.sections.first()?.header.span.to(pe.sections.last()?.header.span)),
            PePart::Directories => Some(pe.directories.first()?.span.to(pe.directories.last()?.span)),
            part => explain_pe(session, part).map(|fields| fields.span),
        }
    },
    ..Kind::NEW
};

/// The parts of an image's headers, in file order.
pub(crate) fn pe_parts(session: &Session) -> Option<Rows<'_>> {
    let image = session.image()?;
    let headers = image.pe.parts().filter(|part| !matches!(part, ImagePart::Payload(_) | ImagePart::Directory(_)));
    let headers = headers.map(|part| (PePart::from(part), image.pe.span(part).unwrap_or_default()));
    let tables = linker_parts::present(session).map(|part| (part, (PART.bytes)(session, part).unwrap_or_default()));
    let rows = headers.chain(tables).map(|(part, span)| {
        let place = Place::PePart(part);
        let cells = vec![
            Cell::new(place.to_string()).to(place),
            Cell::new(format!("{:#x}", span.start)),
            Cell::new(span.len.to_string()),
        ];
        Row::at(place, cells).from(span)
    });
    let columns = Head::list(["part", "offset:", "bytes:"]);
    Some(Rows::of(format!("{} · headers", image.name), columns, rows.collect()))
}

impl From<ImagePart> for PePart {
    fn from(part: ImagePart) -> Self {
        match part {
            ImagePart::Dos => Self::Dos,
            ImagePart::Coff => Self::Coff,
            ImagePart::Optional => Self::Optional,
            ImagePart::Directory(index) => Self::Directory(index),
            ImagePart::Section(index) => Self::Section(index),
            ImagePart::Cli => Self::Cli,
            ImagePart::Debug(index) | ImagePart::Payload(index) => Self::Debug(index),
        }
    }
}

/// A header. An entry of the debug directory comes with its payload.
pub(crate) fn explain_pe(session: &Session, part: PePart) -> Option<Fields> {
    let image = session.image()?;
    let title = Place::PePart(part).to_string();
    let found = match part {
        PePart::Dos => ImagePart::Dos,
        PePart::Coff => ImagePart::Coff,
        PePart::Optional => ImagePart::Optional,
        PePart::Cli => ImagePart::Cli,
        PePart::Directory(index) => ImagePart::Directory(index),
        PePart::Section(index) => ImagePart::Section(index),
        PePart::Debug(index) => return debug_entry::explain_debug(session, index),
        PePart::Directories | PePart::Sections | PePart::DebugDirectory => return None,
        part => return linker_parts::fields(session, part),
    };
    let decode = |cursor: &mut _| image.pe.note(found, cursor);
    let mut fields = Fields::explain(title, image.pe.slice(found)?, decode, |_, field| match part {
        PePart::Directory(index) => directory_meaning(session, index, field),
        _ => pe_meaning(session, field),
    });
    if let PePart::Directory(index @ Directory::CERTIFICATES) = part
        && let Some(bytes) = image.pe.directory(index).and_then(|directory| image.pe.bytes(directory.data?).ok())
    {
        fields.rows.extend(Fields::explain("", bytes, Directory::certificates, |_, _| None).rows);
    }
    Some(fields)
}

/// Facts about the headers of an image, or a list of them.
pub(crate) fn image_facts(session: &Session, place: Place) -> Option<Fields> {
    let image = session.image()?;
    let mut facts = Facts::new(match place {
        Place::Pe => format!("{} · headers", image.name),
        place => place.to_string(),
    });
    let pe = &image.pe;
    let (name, count, each) = match place {
        Place::PePart(PePart::Sections) => ("headers", pe.sections.len(), "40 bytes each"),
        Place::PePart(PePart::Directories) => ("directories", pe.directories.len(), "8 bytes each"),
        Place::PePart(PePart::DebugDirectory) => ("entries", pe.debug.len(), "28 bytes each, and what they lead to"),
        _ => ("sections", pe.sections.len(), "what the headers are followed by"),
    };
    facts.fact(name, count).mean(each);
    let span = if let Place::PePart(part) = place { (PART.bytes)(session, part) } else { (PE.bytes)(session, ()) };
    if let Some(span) = span {
        facts.bytes(session, span);
    }
    facts.done()
}
