//! Everything that can be listed, by its place. One file a kind of list, one line here.

pub mod heaps;
pub(crate) mod mdb;
pub(crate) mod methods;
pub(crate) mod native;
pub(crate) mod pe;
pub(crate) mod places;
pub(crate) mod streams;

use crate::nodes;
use crate::nodes::heap_refs;
use crate::nodes::lazy_index;
use crate::nodes::overview;
use crate::nodes::pdb::PdbView;
use crate::nodes::table;
pub use places::span_text;
pub(crate) use streams::{page_runs, whose};

use super::Place;
use super::pdb::PageUse;
use super::place::{FunctionPart, MetadataPart, MethodPart, PePart};
use super::rows::Rows;
use crate::nodes::lazy_index::LazyIndex;
use crate::session::Session;

/// What is at `place` as rows; `None` where that is no list, or nothing of the kind is loaded.
pub fn rows(session: &Session, place: Place) -> Option<Rows<'_>> {
    list(session, place).map(|rows| rows.linked(|place| nodes::exists(session, place)))
}

/// The same with what is known by now: what has to be surveyed first is missing in its rows.
pub fn partial_rows(session: &Session, place: Place) -> Option<Rows<'_>> {
    match (place, nodes::required_index(session, place)) {
        (Place::Heap(side, heap), Some(LazyIndex::HeapRefs(..))) => heaps::heap_rows(session, side, heap, false),
        _ => rows(session, place),
    }
}

/// The number of the row of `list` that stands for `place`, or has it in it; none where only a look at all rows can tell.
pub fn row_of(session: &Session, list: Place, place: Place) -> Option<usize> {
    match (list, place) {
        (Place::Heap(of, heap), Place::HeapEntry(side, of_heap, at)) if (of, heap) == (side, of_heap) => {
            heap_refs::row_of(session, side, heap, at)
        }
        (Place::Table(of, table), Place::Row(side, of_table, row)) if (of, table) == (side, of_table) => {
            (row as usize).checked_sub(1)
        }
        (Place::Stream(_) | Place::Module(_), Place::Record(stream, at)) => {
            let parts = PdbView::of(session)?.parts(stream);
            parts.partition_point(|part| part.at <= at).checked_sub(1)
        }
        (Place::Stream(of), Place::Page(page)) => {
            let view = PdbView::of(session)?;
            let owner = view.pdb.msf.page_map(view.spaces).owner(&view.pdb.msf, page);
            match owner.page_use()? {
                PageUse::Stream { stream, from } if stream == of => {
                    view.parts(stream).partition_point(|part| u64::from(part.at) <= from).checked_sub(1)
                }
                _ => None,
            }
        }
        (Place::Pages, Place::Page(page)) => {
            lazy_index::page_runs(session).partition_point(|first| *first <= page).checked_sub(1)
        }
        (Place::Parts, Place::Part(at)) => super::mdb::mdb_region_row(session, at),
        (Place::Parts, Place::Bytes(span)) => {
            let of_file = session.symbol_file().is_some_and(|file| file.space == span.space);
            of_file.then(|| super::mdb::mdb_region_row(session, u32::try_from(span.start).ok()?)).flatten()
        }
        (Place::Parts, Place::Header) => Some(0),
        (Place::Documents, Place::Document(row)) => (row as usize).checked_sub(1),
        (Place::Streams, Place::Stream(number)) => Some(number as usize),
        _ => None,
    }
}

fn list(session: &Session, place: Place) -> Option<Rows<'_>> {
    match place {
        Place::Overview => Some(overview::overview_rows(session)),
        Place::Places => Some(places::places_rows(session)),
        Place::Findings => Some(places::findings_list(session)),
        Place::Tables => Some(table::tables_rows(session)),
        Place::Table(side, table) => table::table_rows(session, side, table),
        Place::Heaps => Some(heaps::heaps_rows(session)),
        Place::Heap(side, heap) => heaps::heap_rows(session, side, heap, true),
        Place::Metadata(side, MetadataPart::Streams) => heaps::metadata_streams(session, side),
        Place::Methods => Some(methods::method_list(session)),
        Place::MethodPart(method, part) => method_rows(session, method, part),
        Place::Documents => Some(methods::documents_rows(session)),
        Place::Parts => super::mdb::mono_parts(session),
        Place::Streams => streams::streams_rows(session),
        Place::Stream(number) => streams::stream_rows(session, number),
        Place::Pages => streams::pages_rows(session),
        Place::Modules => native::modules_rows(session),
        Place::Module(number) => native::module_rows(session, number),
        Place::Functions => native::functions_rows(session),
        Place::Function(rva) | Place::FunctionPart(rva, FunctionPart::Lines) => native::function_lines(session, rva),
        Place::FunctionPart(rva, FunctionPart::Code) => native::function_code(session, rva),
        Place::FunctionPart(rva, FunctionPart::Symbols) => native::function_symbols(session, rva),
        Place::Types => native::types_rows(session, false),
        Place::Type(number) => native::members_rows(session, number),
        Place::Ids => native::types_rows(session, true),
        Place::Publics => native::symbols_of_all(session, true),
        Place::Globals => native::symbols_of_all(session, false),
        Place::SectionMap => native::section_map_rows(session),
        Place::Names => native::names_list(session),
        Place::Mdb(table) => mdb::mdb_table(session, table),
        Place::Contributions => native::contributions_rows(session),
        Place::Pe => pe::pe_parts(session),
        Place::PePart(PePart::Sections) => pe::sections_rows(session),
        Place::PePart(PePart::Directories) => pe::directories_rows(session),
        Place::PePart(PePart::DebugDirectory) => pe::debug_directory_rows(session),
        _ => None,
    }
}

fn method_rows(session: &Session, method: crate::formats::metadata::Token, part: MethodPart) -> Option<Rows<'_>> {
    if method.row() > session.methods() {
        return None;
    }
    match part {
        MethodPart::Points => Some(methods::point_list(session, method)),
        MethodPart::Il => Some(methods::il_list(session, method)),
        MethodPart::Regions => Some(methods::region_list(session, method)),
        MethodPart::Scopes => Some(methods::scope_list(session, method)),
        _ => None,
    }
}
