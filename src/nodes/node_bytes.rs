//! Bytes that a place stands for.

use super::Place;
use super::place::{MetadataPart, MethodPart, PePart};
use crate::bytes::Span;
use crate::formats::pdb::streams;
use crate::formats::pe::Directory;
use crate::session::Session;

impl Session {
    /// The bytes that a place stands for.
    pub fn bytes_of(&self, place: Place) -> Option<Span> {
        match place {
            Place::Bytes(span) => Some(span),
            Place::Pe => {
                let pe = &self.image()?.pe;
                Some(pe.dos.span.to(pe.sections.last().map_or(pe.coff.span, |section| section.span)))
            }
            Place::PePart(PePart::DebugDirectory) => self.image()?.pe.directory(Directory::DEBUG)?.data,
            Place::PePart(PePart::Sections) => {
                let sections = &self.image()?.pe.sections;
                Some(sections.first()?.span.to(sections.last()?.span))
            }
            Place::PePart(PePart::Directories) => {
                let directories = &self.image()?.pe.directories;
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
                Some(Span::new(msf.file, 0, self.spaces().get(msf.file)?.len()))
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
}
