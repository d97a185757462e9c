//! Everything that can be explained field by field, by its place. One file a kind of record, one line here.

pub(crate) mod function;
pub(crate) mod mdb;
pub(crate) mod metadata;
pub(crate) mod method;
pub(crate) mod pe;
pub(crate) mod streams;

use super::Place;
use super::fields::Fields;
use super::place::MethodPart;
use crate::nodes;
use crate::session::Session;

/// What is at `place`, field by field; `None` where that is no record, or nothing of the kind is loaded.
pub fn fields(session: &Session, place: Place) -> Option<Fields> {
    let mut fields = explain(session, place)?;
    for row in &mut fields.rows {
        row.to = row.to.filter(|place| nodes::exists(session, *place));
    }
    Some(fields)
}

fn explain(session: &Session, place: Place) -> Option<Fields> {
    match place {
        Place::PePart(part) => pe::explain_pe(session, part),
        Place::Metadata(side, part) => metadata::explain_metadata(session, side, part),
        Place::Row(side, table, row) => metadata::explain_row(session, side, table, row),
        Place::HeapEntry(side, heap, offset) => metadata::explain_heap_entry(session, side, heap, offset),
        Place::Header => streams::explain_header(session),
        Place::Part(at) => super::mdb::explain_mdb_region(session, at),
        Place::Directory => streams::explain_directory(session),
        Place::Stream(number) => streams::explain_stream(session, number),
        Place::Record(stream, at) => streams::explain_record(session, stream, at),
        Place::Module(number) => streams::explain_module(session, number),
        Place::Function(rva) => function::explain_function(session, rva),
        Place::FunctionPart(rva, part) => function::explain_function_part(session, rva, part),
        Place::Names => streams::explain_names(session),
        Place::MdbRow(table, row) => mdb::explain_mdb(session, table, row),
        Place::Type(number) => streams::explain_type(session, number, false),
        Place::Id(number) => streams::explain_type(session, number, true),
        Place::Page(number) => streams::explain_page(session, number),
        Place::Document(row) => method::explain_document(session, row),
        Place::Method(method) => method::explain_method(session, method),
        Place::MethodPart(method, MethodPart::Body) => method::explain_body(session, method),
        Place::MethodPart(method, MethodPart::Point(number)) => method::explain_point(session, method, number),
        Place::MethodPart(method, MethodPart::Points) => method::explain_points(session, method),
        Place::MethodPart(method, MethodPart::Instruction(offset)) => {
            method::explain_instruction(session, method, offset)
        }
        Place::MethodPart(method, MethodPart::Region(number)) => method::explain_region(session, method, number),
        _ => None,
    }
}
