//! Rows of the tables of a `.mdb`.

use crate::code_unit::document_name;
use crate::facts::Facts;
use crate::fields::Fields;
use crate::mdb::layout;
use crate::place::{MdbTable, Place};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::bytes::Span;
use pdblens_formats::bytes::{Cursor, Recording};
use pdblens_formats::mdb::{AnonymousScope, Mdb, MdbEntry, MdbMethod, MdbSection};
use pdblens_formats::metadata::Token;
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::{count, hex};

pub(crate) fn mdb_table(session: &Session, table: MdbTable) -> Option<Rows<'_>> {
    let mdb = session.mdb()?;
    let len = rows_of(mdb, table);
    let title = format!("{} · {}", table.name(), count(len as u64, "row"));
    let columns = match table {
        MdbTable::Sources => Head::list(["row:", "path", "hash", "generated", "data:"]),
        MdbTable::Units => Head::list(["row:", "source", "includes", "namespaces:", "data:"]),
        MdbTable::Methods => Head::list(["row:", "token", "method", "points:", "data:", "lines:"]),
        MdbTable::AnonymousScopes => Head::list(["row:", "id:", "captures", "scopes around"]),
    };
    Some(Rows::new(title, columns, len, move |index| {
        let cells = match table {
            MdbTable::Sources => mdb_source(mdb, index),
            MdbTable::Units => mdb_unit(session, mdb, index),
            MdbTable::Methods => mdb.methods().get(index).map(|method| mdb_method(session, mdb, method)),
            MdbTable::AnonymousScopes => mdb.anonymous_scopes().0.get(index).map(mdb_scope),
        };
        let number = index as u32 + 1;
        let broken = || vec![Cell::toned("(cannot be read)", Tone::Bad)];
        let cells = [vec![Cell::toned(number.to_string(), Tone::Dim)], cells.unwrap_or_else(broken)].concat();
        Row { span: mdb_span(mdb, table, index), ..Row::at(Place::MdbRow(table, number), cells) }
    }))
}

/// Bytes of a table that is contiguous in the file.
pub(crate) fn mdb_table_span(session: &Session, table: MdbTable) -> Option<Span> {
    let mdb = session.mdb()?;
    let header = mdb.header();
    let (found, size) = match table {
        MdbTable::Sources => (header.sources(), MdbEntry::SIZE),
        MdbTable::Units => (header.units(), MdbEntry::SIZE),
        MdbTable::Methods => (header.methods(), MdbMethod::SIZE),
        MdbTable::AnonymousScopes => (header.anonymous_scopes(), 0),
    };
    let len = if size == 0 { found.size.into() } else { rows_of(mdb, table) as u64 * size };
    let span = Span::new(header.span.space, found.offset.into(), len);
    let space = session.spaces().get(span.space)?;
    (len > 0 && span.end() <= space.len()).then_some(span)
}

pub(crate) fn mdb_table_facts(session: &Session, table: MdbTable) -> Option<Fields> {
    let rows = rows_of(session.mdb()?, table);
    let mut facts = Facts::new(format!("{} · {}", table.name(), count(rows as u64, "row")));
    facts.fact("rows", rows);
    if let Some(span) = mdb_table_span(session, table) {
        facts.bytes(session, span);
    }
    facts.fact("contains", "").mean(match table {
        MdbTable::Sources => "paths of the source files, with their hashes",
        MdbTable::Units => "the source, included files and namespaces of each compile unit",
        MdbTable::Methods => "the token of each method, with the offsets of its data and its line numbers",
        MdbTable::AnonymousScopes => "variables that lambdas and iterators capture",
    });
    facts.done()
}

fn mdb_document(session: &Session, row: u32) -> Cell {
    let name = document_name(session, row).unwrap_or_default();
    Cell::new(file_name(&name)).to(Place::Document(row))
}

fn mdb_source(mdb: &Mdb, index: usize) -> Option<Vec<Cell>> {
    let document = mdb.documents().get(index)?;
    let known = document.hash != [0; 16];
    Some(vec![
        Cell::new(mdb.path(document)).to(Place::Document(index as u32 + 1)),
        Cell::toned(if known { hex(&document.hash) } else { String::new() }, Tone::Dim),
        Cell::toned(if document.generated { "generated" } else { "" }, Tone::Dim),
        offset(document.span.start as u32),
    ])
}

fn mdb_unit(session: &Session, mdb: &Mdb, index: usize) -> Option<Vec<Cell>> {
    let unit = mdb.unit(index as u32 + 1).ok()?;
    let name = |row: &u32| file_name(&document_name(session, *row).unwrap_or_default()).to_owned();
    let includes: Vec<String> = unit.includes.iter().take(100).map(name).collect();
    Some(vec![
        mdb_document(session, unit.source),
        Cell::new(includes.join(", ")),
        Cell::new(unit.namespaces.len().to_string()),
        offset(unit.span.start as u32),
    ])
}

fn mdb_method(session: &Session, mdb: &Mdb, method: &MdbMethod) -> Vec<Cell> {
    let token = Token(method.token);
    let points = mdb.points_of(method).map_or(0, |points| points.len());
    vec![
        Cell::toned(token.to_string(), Tone::Dim),
        mdb_owner(session, method),
        Cell::new(points.to_string()),
        offset(method.data_offset),
        offset(method.line_table_offset),
    ]
}

fn mdb_owner(session: &Session, method: &MdbMethod) -> Cell {
    let token = Token(method.token);
    Cell::new(session.method_name(token)).to(Place::of_method(token))
}

fn mdb_scope(scope: &AnonymousScope) -> Vec<Cell> {
    let names: Vec<&str> = scope.variables.iter().take(100).map(|variable| variable.name.value.as_str()).collect();
    let around: Vec<String> = scope.scopes.iter().take(100).map(|around| around.scope.to_string()).collect();
    vec![Cell::new(scope.id.to_string()), Cell::new(names.join(", ")), Cell::toned(around.join(", "), Tone::Dim)]
}

fn offset(at: u32) -> Cell {
    Cell::toned(if at == 0 { String::new() } else { format!("{at:#x}") }, Tone::Dim)
}

pub(super) fn rows_of(mdb: &Mdb, table: MdbTable) -> usize {
    match table {
        MdbTable::Sources => mdb.documents().len(),
        MdbTable::Units => mdb.units().len(),
        MdbTable::Methods => mdb.methods().len(),
        MdbTable::AnonymousScopes => mdb.anonymous_scopes().0.len(),
    }
}

/// The bytes of a row that has fixed ones.
fn mdb_span(mdb: &Mdb, table: MdbTable, index: usize) -> Option<Span> {
    match table {
        MdbTable::Sources => mdb.documents().get(index).map(|document| document.span),
        MdbTable::Units => mdb.units().get(index).map(|unit| unit.span),
        MdbTable::Methods => mdb.methods().get(index).map(|method| method.span),
        MdbTable::AnonymousScopes => None,
    }
}

/// A row, counted from 1, followed by the parts of it that are stored elsewhere.
pub(crate) fn explain_mdb(session: &Session, table: MdbTable, row: u32) -> Option<Fields> {
    let mdb = session.mdb()?;
    let index = row.checked_sub(1)?;
    let title = format!("{} · row {row}", table.name());
    let parts = match table {
        MdbTable::Sources => [MdbSection::SourceRow(index), MdbSection::Source(index)],
        MdbTable::Units => [MdbSection::UnitRow(index), MdbSection::Unit(index)],
        MdbTable::Methods => [MdbSection::MethodRow(index), MdbSection::MethodData(index)],
        MdbTable::AnonymousScopes => {
            return explain_one(session, mdb, title, MdbSection::AnonymousScopes, "mdb anonymous scope", index);
        }
    };
    if index as usize >= rows_of(mdb, table) {
        return None;
    }
    let mut records = parts.into_iter().filter_map(|part| explain_mdb_part(session, mdb, title.clone(), part));
    let mut all = records.next()?;
    records.for_each(|record| all.append(record));
    Some(all)
}

fn explain_mdb_part(session: &Session, mdb: &Mdb, title: String, part: MdbSection) -> Option<Fields> {
    let slice = mdb.slice(part).ok().filter(|slice| !slice.is_empty())?;
    let decode = |cursor: &mut Cursor<'_, Recording>| mdb.decode(part, cursor);
    Some(Fields::explain(title, slice, decode, |_, field| layout::mono_meaning(session, mdb, part, field)))
}

/// One of the records of a list.
fn explain_one(session: &Session, mdb: &Mdb, title: String, part: MdbSection, group: &str, at: u32) -> Option<Fields> {
    let mut fields = explain_mdb_part(session, mdb, title, part)?;
    let mut records = fields.rows.iter().filter(|row| row.group && row.name == group);
    let span = records.nth(at as usize)?.span;
    fields.narrow(span);
    fields.error = None;
    Some(fields)
}
