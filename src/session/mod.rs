//! One loaded pair.
//!
//! [`Session::open`] takes one file or two, in either order, and finds the partner where only one is named. What is broken
//! is a [`Finding`] at its place and the rest is still there; only a file that is none of the formats is refused.

mod detect;
mod open;
mod partner;
mod verdict;

use std::path::PathBuf;
use std::sync::Arc;

pub use open::OpenError;
pub use verdict::{Belong, Verdict};
pub(crate) use verdict::{entry_id, expected, matches};

use super::symbols::Symbols;
use crate::bytes::{Error, SpaceId, Spaces, Span};
use crate::formats::metadata::{Metadata, TableId, Token};
use crate::formats::pdb::streams;
use crate::formats::pe::{Directory, Pe};
use crate::nodes::Place;
use crate::nodes::lazy_index::Surveys;
use crate::nodes::place::{MetadataPart, MethodPart, PePart};
use crate::text::names::{NameIndex, Names};

/// The loaded files and all that is known of them.
#[derive(Debug)]
pub struct Session {
    /// All bytes.
    pub spaces: Arc<Spaces>,
    /// The DLL or EXE.
    pub image: Option<Image>,
    /// The symbols.
    pub symbols: Option<SymbolFile>,
    /// Whether the two belong together.
    pub verdict: Verdict,
    /// Everything that is wrong with either.
    pub findings: Vec<Finding>,
    /// What took a look at all of something, once somebody has asked.
    pub(crate) surveys: Surveys,
}

/// An image, read.
#[derive(Debug)]
pub struct Image {
    /// Where it is.
    pub path: PathBuf,
    /// Its file name.
    pub name: String,
    /// Its bytes.
    pub space: SpaceId,
    /// Its headers.
    pub pe: Pe,
    /// Its metadata, where it is managed.
    pub metadata: Option<Metadata>,
    index: NameIndex,
}

/// A symbol file, read.
#[derive(Debug)]
pub struct SymbolFile {
    /// Where it is: the image itself, where it is embedded there.
    pub path: PathBuf,
    /// Its file name, or how to speak of it where it is embedded.
    pub name: String,
    /// Its bytes.
    pub space: SpaceId,
    /// Whether it was inside the image.
    pub embedded: bool,
    /// What it says.
    pub reader: Box<dyn Symbols>,
}

/// Something that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// The bytes that are wrong, where it is about bytes.
    pub span: Option<Span>,
    /// What, in one sentence.
    pub sentence: String,
}

impl Finding {
    /// What `error` says, found at `place`.
    pub fn new(place: Place, error: &Error) -> Self {
        Self { place, span: Some(error.span), sentence: error.to_string() }
    }
}

impl Image {
    /// The number of the processor that it is for.
    pub const fn machine(&self) -> u16 {
        self.pe.coff.machine
    }

    /// Its names, where it has metadata.
    pub fn names(&self) -> Option<Names<'_>> {
        self.metadata.as_ref().map(|metadata| Names::new(metadata, &self.index))
    }
}

impl Session {
    /// The image's metadata.
    pub fn metadata(&self) -> Option<&Metadata> {
        self.image.as_ref().and_then(|image| image.metadata.as_ref())
    }

    /// What the symbols say.
    pub fn symbols(&self) -> Option<&dyn Symbols> {
        self.symbols.as_ref().map(|file| file.reader.as_ref())
    }

    /// The image's names.
    pub fn names(&self) -> Option<Names<'_>> {
        self.image.as_ref().and_then(Image::names)
    }

    /// The bytes that a place stands for.
    pub fn bytes_of(&self, place: Place) -> Option<Span> {
        match place {
            Place::Bytes(span) => Some(span),
            Place::Pe => {
                let pe = &self.image.as_ref()?.pe;
                Some(pe.dos.span.to(pe.sections.last().map_or(pe.coff.span, |section| section.span)))
            }
            Place::PePart(PePart::DebugDirectory) => self.image.as_ref()?.pe.directory(Directory::DEBUG)?.data,
            Place::PePart(PePart::Sections) => {
                let sections = &self.image.as_ref()?.pe.sections;
                Some(sections.first()?.span.to(sections.last()?.span))
            }
            Place::PePart(PePart::Directories) => {
                let directories = &self.image.as_ref()?.pe.directories;
                Some(directories.first()?.span.to(directories.last()?.span))
            }
            Place::Metadata(side, MetadataPart::Streams) => Some(self.metadata_of(side)?.root.region.span()),
            Place::Metadata(side, MetadataPart::Stream(index)) => {
                self.metadata_of(side)?.root.streams.get(index as usize).map(|stream| stream.region.span())
            }
            Place::Metadata(side, MetadataPart::PdbStream) => {
                self.metadata_of(side)?.root.stream("#Pdb").map(|stream| stream.region.span())
            }
            Place::Stream(number) => self.pdb()?.span(number),
            Place::Pages => {
                let msf = &self.pdb()?.pdb.msf;
                Some(Span::new(msf.file, 0, self.spaces.get(msf.file)?.len()))
            }
            Place::MethodPart(method, MethodPart::Il) => Some(self.body(method).ok()??.code),
            Place::Types => self.pdb()?.span(streams::TPI),
            Place::Ids => self.pdb()?.span(streams::IPI),
            Place::Modules => Some(self.pdb()?.pdb.dbi.as_ref()?.module_infos.span()),
            Place::Contributions => Some(self.pdb()?.pdb.dbi.as_ref()?.contributions.region.span()),
            Place::SectionMap => Some(self.pdb()?.pdb.dbi.as_ref()?.section_map.region.span()),
            Place::Publics | Place::Globals => {
                let view = self.pdb()?;
                view.span(view.pdb.dbi.as_ref()?.header.symbol_records.value.into())
            }
            Place::Mdb(table) => self.mdb_table_span(table),
            Place::Table(side, table) => Some(self.metadata_of(side)?.table(table).span()),
            Place::Row(side, table, row) => self.metadata_of(side)?.table(table).row_span(row).ok(),
            Place::Heap(side, heap) => Some(self.metadata_of(side)?.heaps.get(heap).span()),
            Place::HeapEntry(side, heap, entry) => self.metadata_of(side)?.heaps.entry_span(heap, entry).ok(),
            place => self.fields(place).map(|fields| fields.span),
        }
    }

    /// How many methods there are: rows of MethodDef, or of what the symbols know.
    pub fn methods(&self) -> u32 {
        let defined = self.metadata().map_or(0, |metadata| metadata.rows(TableId::METHOD_DEF));
        defined.max(self.symbols().map_or(0, Symbols::methods))
    }

    /// Whether the image is without its symbols: there are none, or those of another build.
    pub fn misses_symbols(&self) -> bool {
        self.image.is_some() && (self.symbols.is_none() || self.verdict.belong == Belong::No)
    }

    /// What to call a method: its full name, or its token where neither image nor symbols say it.
    pub fn method_name(&self, method: Token) -> String {
        match self.names() {
            Some(names) if method.row() <= self.metadata().map_or(0, |m| m.rows(TableId::METHOD_DEF)) => {
                names.method(method)
            }
            None => {
                let said = self.symbols().and_then(|symbols| symbols.method_name(method));
                said.map_or_else(|| method.to_string(), |(owner, name)| format!("{owner}.{name}"))
            }
            _ => method.to_string(),
        }
    }
}
