//! What is in a blob is for the column to say that leads to it: here is which column means what.

use super::fields::Meaning;
use super::place::Side;
use super::session::Session;
use crate::bytes::{Cursor, Field, Guid, Noted, Result, Slice};
use crate::formats::metadata::{TableId, heaps};
use crate::formats::{metadata::Heap, portable::points, signature};

/// What the blobs of a column hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// Nothing that pdblens decodes.
    Bytes,
    /// A signature.
    Signature,
    /// The sequence points of a method.
    Points,
}

/// The columns whose blobs are decoded.
const COLUMNS: &[(TableId, usize, Holds)] = &[
    (TableId::FIELD, 2, Holds::Signature),
    (TableId::METHOD_DEF, 4, Holds::Signature),
    (TableId::MEMBER_REF, 2, Holds::Signature),
    (TableId::STAND_ALONE_SIG, 0, Holds::Signature),
    (TableId::PROPERTY, 2, Holds::Signature),
    (TableId::TYPE_SPEC, 0, Holds::Signature),
    (TableId::METHOD_SPEC, 1, Holds::Signature),
    (TableId::METHOD_DEBUG_INFORMATION, 1, Holds::Points),
];

fn holds(table: TableId, column: usize) -> Holds {
    COLUMNS.iter().find(|(t, c, _)| (*t, *c) == (table, column)).map_or(Holds::Bytes, |(_, _, holds)| *holds)
}

/// What a blob says, in one line; empty where it is only bytes.
pub fn summary(session: &Session, side: Side, table: TableId, row: u32, column: usize, blob: Slice<'_>) -> String {
    match holds(table, column) {
        Holds::Bytes => String::new(),
        Holds::Signature if table == TableId::TYPE_SPEC => {
            session.names().map(|names| names.row(crate::model::Token::new(table, row))).unwrap_or_default()
        }
        Holds::Signature => match (session.names(), signature::decode(&mut blob.cursor())) {
            (Some(names), Ok(found)) => names.signature_text(&found),
            _ => String::new(),
        },
        Holds::Points => {
            let document = cell(session, side, table, row, 0);
            let points = points::Points::new(blob, document).map_or(0, |points| points.filter(Result::is_ok).count());
            super::text::count(points as u64, "sequence point")
        }
    }
}

/// Reads the blob of a cell, its length first; noting, its fields tile the entry.
pub fn explain(
    session: &Session,
    side: Side,
    table: TableId,
    row: u32,
    column: usize,
    cursor: &mut Cursor<'_, Noted>,
) -> Result<()> {
    let holds = holds(table, column);
    if holds == Holds::Bytes {
        return heaps::explain(cursor, Heap::Blobs);
    }
    cursor.compressed("length")?;
    match holds {
        Holds::Signature if table == TableId::TYPE_SPEC => signature::decode_type(cursor).map(drop),
        Holds::Signature => signature::decode(cursor).map(drop),
        Holds::Points => points::decode(cursor, cell(session, side, table, row, 0)).map(drop),
        Holds::Bytes => Ok(()),
    }
}

/// What a field of a blob means, where its lesson cannot know.
pub fn meaning(
    _session: &Session,
    _side: Side,
    _table: TableId,
    _row: u32,
    _column: usize,
    _record: &str,
    _field: &Field,
) -> Option<Meaning> {
    None
}

fn cell(session: &Session, side: Side, table: TableId, row: u32, column: usize) -> u32 {
    session.metadata_of(side).and_then(|metadata| metadata.table(table).cell(row, column).ok()).unwrap_or(0)
}

/// The name of a kind of custom debug information.
pub fn kind_name(_kind: Guid) -> Option<&'static str> {
    None
}
