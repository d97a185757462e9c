//! Bytes that a place stands for.

use super::Place;
use super::place::{MetadataPart, MethodPart, PePart};
use crate::bytes::Span;
use crate::formats::pdb::streams;
use crate::formats::pe::Directory;
use crate::nodes;
use crate::nodes::listing::mdb;
use crate::nodes::method;
use crate::nodes::pdb::PdbView;
use crate::session::Session;

/// The bytes that a place stands for.
pub fn bytes(session: &Session, place: Place) -> Option<Span> {
    match place {
        Place::Bytes(span) => Some(span),
        Place::Pe => {
            let pe = &session.image()?.pe;
            Some(pe.dos.span.to(pe.sections.last().map_or(pe.coff.span, |section| section.span)))
        }
        Place::PePart(PePart::DebugDirectory) => session.image()?.pe.directory(Directory::DEBUG)?.data,
        Place::PePart(PePart::Sections) => {
            let sections = &session.image()?.pe.sections;
            Some(sections.first()?.span.to(sections.last()?.span))
        }
        Place::PePart(PePart::Directories) => {
            let directories = &session.image()?.pe.directories;
            Some(directories.first()?.span.to(directories.last()?.span))
        }
        Place::Metadata(side, MetadataPart::Streams) => Some(side.metadata(session)?.root.region.span()),
        Place::Metadata(side, MetadataPart::Stream(index)) => {
            side.metadata(session)?.root.streams.get(index as usize).map(|stream| stream.region.span())
        }
        Place::Metadata(side, MetadataPart::PdbStream) => {
            side.metadata(session)?.root.stream("#Pdb").map(|stream| stream.region.span())
        }
        Place::Stream(number) => PdbView::of(session)?.span(number),
        Place::Pages => {
            let msf = &PdbView::of(session)?.pdb.msf;
            Some(Span::new(msf.file, 0, session.spaces().get(msf.file)?.len()))
        }
        Place::MethodPart(method, MethodPart::Il) => Some(method::body(session, method).ok()??.code),
        Place::Types => PdbView::of(session)?.span(streams::TPI),
        Place::Ids => PdbView::of(session)?.span(streams::IPI),
        Place::Modules => Some(PdbView::of(session)?.pdb.dbi.as_ref()?.module_infos.span()),
        Place::Contributions => Some(PdbView::of(session)?.pdb.dbi.as_ref()?.contributions.region.span()),
        Place::SectionMap => Some(PdbView::of(session)?.pdb.dbi.as_ref()?.section_map.region.span()),
        Place::Publics | Place::Globals => {
            let view = PdbView::of(session)?;
            view.span(view.pdb.dbi.as_ref()?.header.symbol_records.value.into())
        }
        Place::Mdb(table) => mdb::mdb_table_span(session, table),
        Place::Table(side, table) => Some(side.metadata(session)?.table(table).span()),
        Place::Row(side, table, row) => side.metadata(session)?.table(table).row_span(row).ok(),
        Place::Heap(side, heap) => Some(side.metadata(session)?.heaps.get(heap).span()),
        Place::HeapEntry(side, heap, entry) => side.metadata(session)?.heaps.entry_span(heap, entry).ok(),
        place => nodes::fields(session, place).map(|fields| fields.span),
    }
}
