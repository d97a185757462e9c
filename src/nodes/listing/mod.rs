//! Everything that can be listed, by its place. One file a kind of list, one line here.

mod heaps;
mod mdb;
mod methods;
mod native;
mod pe;
mod places;
mod streams;

pub(crate) use streams::{page_runs, whose};

use super::Place;
use super::pdb::PageUse;
use super::place::{FunctionPart, MetadataPart, MethodPart, PePart};
use super::rows::Rows;
use crate::nodes::lazy_index::Survey;
use crate::session::Session;

impl Session {
    /// What is at `place` as rows; `None` where that is no list, or nothing of the kind is loaded.
    pub fn rows(&self, place: Place) -> Option<Rows<'_>> {
        self.list(place).map(|rows| rows.linked(|place| self.is_there(place)))
    }

    /// The same with what is known by now: what has to be surveyed first is missing in its rows.
    pub fn rows_so_far(&self, place: Place) -> Option<Rows<'_>> {
        match (place, self.needs(place)) {
            (Place::Heap(side, heap), Some(Survey::Users(..))) => self.heap(side, heap, false),
            _ => self.rows(place),
        }
    }

    /// The number of the row of `list` that stands for `place`, or has it in it; none where only a look at all rows can tell.
    pub fn row_of(&self, list: Place, place: Place) -> Option<usize> {
        match (list, place) {
            (Place::Heap(of, heap), Place::HeapEntry(side, of_heap, at)) if (of, heap) == (side, of_heap) => {
                self.heap_row_of(side, heap, at)
            }
            (Place::Table(of, table), Place::Row(side, of_table, row)) if (of, table) == (side, of_table) => {
                (row as usize).checked_sub(1)
            }
            (Place::Stream(_) | Place::Module(_), Place::Record(stream, at)) => {
                let parts = self.pdb()?.parts(stream);
                parts.partition_point(|part| part.at <= at).checked_sub(1)
            }
            (Place::Stream(of), Place::Page(page)) => {
                let view = self.pdb()?;
                let owner = view.pdb.msf.page_map(view.spaces).owner(&view.pdb.msf, page);
                match owner.page_use()? {
                    PageUse::Stream { stream, from } if stream == of => {
                        view.parts(stream).partition_point(|part| u64::from(part.at) <= from).checked_sub(1)
                    }
                    _ => None,
                }
            }
            (Place::Pages, Place::Page(page)) => {
                self.page_runs().partition_point(|first| *first <= page).checked_sub(1)
            }
            (Place::Parts, Place::Part(at)) => self.piece_row(at),
            (Place::Parts, Place::Bytes(span)) => {
                let of_file = self.symbols.as_ref().is_some_and(|file| file.space == span.space);
                of_file.then(|| self.piece_row(u32::try_from(span.start).ok()?)).flatten()
            }
            (Place::Parts, Place::Header) => Some(0),
            (Place::Documents, Place::Document(row)) => (row as usize).checked_sub(1),
            (Place::Streams, Place::Stream(number)) => Some(number as usize),
            _ => None,
        }
    }

    fn list(&self, place: Place) -> Option<Rows<'_>> {
        match place {
            Place::Overview => Some(self.overview()),
            Place::Places => Some(self.places()),
            Place::Findings => Some(self.findings_list()),
            Place::Tables => Some(self.tables()),
            Place::Table(side, table) => self.table(side, table),
            Place::Heaps => Some(self.heaps()),
            Place::Heap(side, heap) => self.heap(side, heap, true),
            Place::Metadata(side, MetadataPart::Streams) => self.metadata_streams(side),
            Place::Methods => Some(self.method_list()),
            Place::MethodPart(method, part) => self.method_rows(method, part),
            Place::Documents => Some(self.documents()),
            Place::Parts => self.mono_parts(),
            Place::Streams => self.streams(),
            Place::Stream(number) => self.stream(number),
            Place::Pages => self.pages(),
            Place::Modules => self.modules(),
            Place::Module(number) => self.module(number),
            Place::Functions => self.functions(),
            Place::Function(rva) | Place::FunctionPart(rva, FunctionPart::Lines) => self.function_lines(rva),
            Place::FunctionPart(rva, FunctionPart::Code) => self.function_code(rva),
            Place::FunctionPart(rva, FunctionPart::Symbols) => self.function_symbols(rva),
            Place::Types => self.types(false),
            Place::Type(number) => self.members(number),
            Place::Ids => self.types(true),
            Place::Publics => self.symbols_of_all(true),
            Place::Globals => self.symbols_of_all(false),
            Place::SectionMap => self.section_map(),
            Place::Names => self.names_list(),
            Place::Mdb(table) => self.mdb_table(table),
            Place::Contributions => self.contributions(),
            Place::Pe => self.pe_parts(),
            Place::PePart(PePart::Sections) => self.sections(),
            Place::PePart(PePart::Directories) => self.directories(),
            Place::PePart(PePart::DebugDirectory) => self.debug_directory(),
            _ => None,
        }
    }

    fn method_rows(&self, method: crate::formats::metadata::Token, part: MethodPart) -> Option<Rows<'_>> {
        if method.row() > self.methods() {
            return None;
        }
        match part {
            MethodPart::Points => Some(self.point_list(method)),
            MethodPart::Il => Some(self.il_list(method)),
            MethodPart::Regions => Some(self.region_list(method)),
            MethodPart::Scopes => Some(self.scope_list(method)),
            _ => None,
        }
    }
}
