//! Fields of the rows of a `.mdb`.

use crate::MdbTable;
use crate::fields::Fields;
use crate::mdb::layout;
use crate::method::points;
use pdblens_formats::bytes::{Cursor, Recording};
use pdblens_formats::mdb::{Mdb, MdbSection, Members};
use pdblens_formats::metadata::Token;
use pdblens_session::session::Session;

/// A row, counted from 1, followed by the parts of it that are stored elsewhere.
pub(crate) fn explain_mdb(session: &Session, table: MdbTable, row: u32) -> Option<Fields> {
    let mdb = session.mdb()?;
    let index = row.checked_sub(1)?;
    let title = format!("{} · row {row}", table.name());
    let parts = match table {
        MdbTable::Sources => [MdbSection::SourceRow(index), MdbSection::Source(index)],
        MdbTable::Units => [MdbSection::UnitRow(index), MdbSection::Unit(index)],
        MdbTable::Methods => [MdbSection::MethodRow(index), MdbSection::MethodData(index)],
        MdbTable::Lines => {
            let (method, at) = mdb.member(Members::Points, index)?;
            let token = Token(mdb.methods().get(method as usize)?.token);
            return points::explain_point(session, token, at.saturating_add(1));
        }
        MdbTable::Locals => {
            let (method, at) = mdb.member(Members::Locals, index)?;
            return explain_one(session, mdb, title, MdbSection::Locals(method), "mdb local variable", at);
        }
        MdbTable::Blocks => {
            let (method, at) = mdb.member(Members::Blocks, index)?;
            return explain_one(session, mdb, title, MdbSection::Blocks(method), "mdb code block", at);
        }
        MdbTable::AnonymousScopes => {
            return explain_one(session, mdb, title, MdbSection::AnonymousScopes, "mdb anonymous scope", index);
        }
    };
    let there = match table {
        MdbTable::Sources => mdb.documents().len(),
        MdbTable::Units => mdb.units().len(),
        _ => mdb.methods().len(),
    };
    if index as usize >= there {
        return None;
    }
    let mut records = parts.into_iter().filter_map(|part| explain_mdb_part(session, mdb, title.clone(), part));
    let mut all = records.next()?;
    for record in records {
        all.rows.extend(record.rows);
        all.error = all.error.or(record.error);
    }
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
