//! Headers of the image.

pub mod debug_entry;
mod exports;
pub(crate) mod imports;
pub mod layout;
mod linker;
pub mod linker_parts;
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
    let to = Some(place).filter(|to| field.doc.show == Show::Rva && nodes::exists(session, *to));
    Some(Meaning { to: to.or(meaning.to), ..meaning })
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
        add_column(session, list, Place::PePart(part), column)?;
    }
    Some(())
}

#[cfg(test)]
mod tests;
mod version;

pub(crate) use exports::{exports_of, name_of_export};
pub(crate) use rich::verdict as rich_verdict;
pub(crate) use version::dotted;

use crate as nodes;
use crate::facts::Facts;
use crate::fields::{Fields, Meaning};
use crate::named::{NameList, Turn, add_column};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::{Kind, Label, Place};
use pdblens_formats::bytes::{Field, Show, Span};
use pdblens_formats::pe::{Directory, ImagePart};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

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
    patterns: PePart::PATTERNS,
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
    let tables = linker_parts::present(session)
        .map(|part| (part, nodes::bytes(session, Place::PePart(part)).unwrap_or_default()));
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

/// Meaning of a time stamp that is no date: that of a deterministic image, of its PDB, and of a portable CodeView entry.
pub(crate) fn hashed_stamp(session: &Session, stamp: u32) -> Option<Meaning> {
    let entries = &session.image()?.pe.debug;
    if entries.iter().any(|entry| entry.is_portable() && entry.header.time_date_stamp == stamp) {
        return Some(Meaning::text("hash, not a date (PDB id)"));
    }
    let deterministic =
        entries.iter().any(|entry| matches!(entry.payload, Ok(pdblens_formats::pe::Payload::Reproducible(_))));
    deterministic.then(|| Meaning::text("hash, not a date (reproducible)"))
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
    if let Some(span) = nodes::bytes(session, place) {
        facts.bytes(session, span);
    }
    facts.done()
}

parts! {
    pub enum PePart in PePart() {
        Dos = "pe/dos",
        Coff = "pe/coff",
        Optional = "pe/optional",
        Directories = "pe/directories",
        Directory(index: u8) = "pe/directories/N",
        Sections = "pe/sections",
        /// One section header, by number.
        Section(index: u16) = "pe/sections/N",
        Cli = "pe/cli",
        DebugDirectory = "pe/debug",
        /// One entry of the debug directory, by number.
        Debug(index: u16) = "pe/debug/N",
        Imports = "pe/imports",
        /// One imported function, by its position in the list.
        Import(index: u32) = "pe/imports/N",
        DelayImports = "pe/delay-imports",
        /// One function imported on its first call, by its position in the list.
        DelayImport(index: u32) = "pe/delay-imports/N",
        Exports = "pe/exports",
        /// One export, by its position in the list.
        Export(index: u32) = "pe/exports/N",
        Resources = "pe/resources",
        /// One entry of a resource table, by its position in the list of all.
        Resource(index: u32) = "pe/resources/N",
        Version = "pe/version",
        Manifest = "pe/manifest",
        Rich = "pe/rich",
    }
}
