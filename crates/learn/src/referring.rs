//! Places that refer to a place: rows to an entry of a heap or to another row, methods to a document, the DBI stream to others.

use pdblens_formats::metadata::schema::ColumnDef;
use pdblens_formats::metadata::{ColumnKind, TableId};
use pdblens_formats::pdb::{StreamKind, streams};
use pdblens_nodes::heap::refs::referring_rows;
use pdblens_nodes::stream::PdbView;
use pdblens_nodes::{Place, Side};
use pdblens_session::session::Session;

/// Rows of a table that are looked through: a panel is not worth more.
const MAX_SCANNED: u32 = 1 << 16;
/// Reference: the place that refers, and the column or field with which it does; empty for a heap's.
pub type Reference = (Place, &'static str);

/// Up to `limit` references to `place`, and true if there are more.
pub fn referring(session: &Session, place: Place, limit: usize) -> (Vec<Reference>, bool) {
    let mut found = match place {
        Place::HeapEntry(side, heap, entry) => {
            referring_rows(session, side, heap, entry).into_iter().map(|row| (row, "")).collect()
        }
        Place::Row(side, table, row) => rows(session, side, table, row, limit),
        Place::Document(row) => rows(session, Side::Pdb, TableId::DOCUMENT, row, limit),
        Place::Method(token) => rows(session, Side::Image, token.table(), token.row(), limit),
        Place::Stream(number) => of_stream(session, number).into_iter().collect(),
        _ => Vec::new(),
    };
    let more = found.len() > limit;
    found.truncate(limit);
    (found, more)
}

/// Rows with a cell that leads to a row; those of the PDB lead to rows of the image too.
fn rows(session: &Session, side: Side, table: TableId, row: u32, limit: usize) -> Vec<Reference> {
    let mut found = Vec::new();
    for (of, metadata) in Side::loaded(session) {
        if side == Side::Pdb && of == Side::Image {
            continue;
        }
        for other in metadata.tables.present() {
            // A table of the PDB names its own rows and those of the image, but none of the image's copies in it.
            if of != side && table.is_debug() {
                continue;
            }
            for (index, column) in other.columns().iter().enumerate() {
                if found.len() > limit {
                    return found;
                }
                let Some(stored) = stored(column, table, row) else { continue };
                let cells = other.column(index);
                let last = other.rows().min(MAX_SCANNED);
                let is_list = matches!(column.kind, ColumnKind::List(_));
                let next = |at: &u32| cells.get(at + 1);
                let leads = |at: &u32| match cells.get(*at) {
                    Some(first) if is_list => first <= stored && next(at).is_none_or(|next| stored < next),
                    cell => cell == Some(stored),
                };
                let rows = (1..=last).filter(leads).take(limit + 1);
                found.extend(rows.map(|row| (Place::Row(of, other.id, row), column.name)));
            }
        }
    }
    found
}

/// Value of a cell of `column` that leads to a row; `None` if none can.
fn stored(column: &ColumnDef, table: TableId, row: u32) -> Option<u32> {
    match column.kind {
        ColumnKind::Row(of) | ColumnKind::List(of) => (of == table).then_some(row),
        ColumnKind::Coded(index) => index.encode(table, row),
        _ => None,
    }
}

fn of_stream(session: &Session, number: u32) -> Option<Reference> {
    let view = PdbView::of(session)?;
    let header = |stream: u32| Place::Record(stream, 0);
    Some(match view.pdb.kind_of(number) {
        StreamKind::Module(module) => (Place::Module(module), "symbol stream"),
        StreamKind::Globals => (header(streams::DBI), "global symbol stream"),
        StreamKind::Publics => (header(streams::DBI), "public symbol stream"),
        StreamKind::SymbolRecords => (header(streams::DBI), "symbol record stream"),
        StreamKind::TypeHashes => (header(streams::TPI), "hash stream"),
        StreamKind::IdHashes => (header(streams::IPI), "hash stream"),
        StreamKind::Debug(_) => (Place::Stream(streams::DBI), "debug header"),
        StreamKind::Named(_) => (Place::Stream(streams::INFO), "named streams"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(session: &Session, place: &str) -> Vec<String> {
        let place: Place = place.parse().unwrap();
        referring(session, place, 12).0.into_iter().map(|(place, column)| format!("{place} {column}")).collect()
    }

    #[test]
    fn rows_documents_and_types_are_referred_to() {
        let session = Session::sample();
        let document = found(&session, "document/1");
        assert!(document.contains(&"table/MethodDebugInformation/1 Document".to_owned()), "{document:?}");
        let method = found(&session, "table/MethodDef/1");
        assert!(
            method.iter().any(|row| row.starts_with("table/LocalScope/") && row.ends_with(" Method")),
            "{method:?}"
        );
        assert!(
            method.iter().any(|row| row.starts_with("table/TypeDef/") && row.ends_with(" MethodList")),
            "{method:?}"
        );
    }
}
