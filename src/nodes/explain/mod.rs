//! Everything that can be explained field by field, by its place. One file a kind of record, one line here.

mod function;
mod mdb;
mod metadata;
mod method;
mod pe;
mod streams;

use super::Place;
use super::fields::Fields;
use super::place::MethodPart;
use crate::session::Session;

impl Session {
    /// What is at `place`, field by field; `None` where that is no record, or nothing of the kind is loaded.
    pub fn fields(&self, place: Place) -> Option<Fields> {
        let mut fields = self.explain(place)?;
        for row in &mut fields.rows {
            row.to = row.to.filter(|place| self.is_there(*place));
        }
        Some(fields)
    }

    fn explain(&self, place: Place) -> Option<Fields> {
        match place {
            Place::PePart(part) => self.explain_pe(part),
            Place::Metadata(side, part) => self.explain_metadata(side, part),
            Place::Row(side, table, row) => self.explain_row(side, table, row),
            Place::HeapEntry(side, heap, offset) => self.explain_heap_entry(side, heap, offset),
            Place::Header => self.explain_header(),
            Place::Part(at) => self.explain_piece(at),
            Place::Directory => self.explain_directory(),
            Place::Stream(number) => self.explain_stream(number),
            Place::Record(stream, at) => self.explain_record(stream, at),
            Place::Module(number) => self.explain_module(number),
            Place::Function(rva) => self.explain_function(rva),
            Place::FunctionPart(rva, part) => self.explain_function_part(rva, part),
            Place::Names => self.explain_names(),
            Place::MdbRow(table, row) => self.explain_mdb(table, row),
            Place::Type(number) => self.explain_type(number, false),
            Place::Id(number) => self.explain_type(number, true),
            Place::Page(number) => self.explain_page(number),
            Place::Document(row) => self.explain_document(row),
            Place::Method(method) => self.explain_method(method),
            Place::MethodPart(method, MethodPart::Body) => self.explain_body(method),
            Place::MethodPart(method, MethodPart::Point(number)) => self.explain_point(method, number),
            Place::MethodPart(method, MethodPart::Points) => self.explain_points(method),
            Place::MethodPart(method, MethodPart::Instruction(offset)) => self.explain_instruction(method, offset),
            Place::MethodPart(method, MethodPart::Region(number)) => self.explain_region(method, number),
            _ => None,
        }
    }
}
