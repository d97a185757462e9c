//! Builds in which every token means the same, as after a change inside methods: their methods need no names to be paired.

use pdblens_formats::metadata::{Heap, Metadata, TableId, Token};
use pdblens_nodes::method;
use pdblens_session::session::Session;

/// Columns with the RVA of code and data, which differ between builds of the same code.
const PLACES: [(TableId, usize); 2] = [(TableId::METHOD_DEF, 0), (TableId::FIELD_RVA, 0)];

/// Returns true if the images of both builds have the same names, signatures and rows.
pub(super) fn have_same_tokens(a: &Session, b: &Session) -> bool {
    let (Some(one), Some(two)) = (a.metadata(), b.metadata()) else { return false };
    let heaps = [Heap::Strings, Heap::UserStrings, Heap::Blobs];
    heaps.iter().all(|heap| one.heaps.get(*heap).bytes() == two.heaps.get(*heap).bytes()) && have_same_rows(one, two)
}

fn have_same_rows(one: &Metadata, two: &Metadata) -> bool {
    let ids = |metadata: &Metadata| metadata.tables.present().map(|table| (table.id, table.rows())).collect::<Vec<_>>();
    let same = |(id, _): &(TableId, u32)| {
        let (table, other) = (one.table(*id), two.table(*id));
        let columns = (0..table.columns().len()).filter(|column| !PLACES.contains(&(*id, *column)));
        columns.into_iter().all(|column| table.column(column).cells().eq(other.column(column).cells()))
    };
    let tables = ids(one);
    tables == ids(two) && tables.iter().all(same)
}

/// Returns true if a method has the same bytes of code in both builds: header, instructions and exception clauses. The work is deducted
/// from `left`; where nothing is left, none is the same.
pub(super) fn has_same_body(a: &Session, b: &Session, method: Token, left: &mut u64) -> bool {
    if *left == 0 {
        return false;
    }
    let body = |session| method::body(session, method);
    match (body(a), body(b)) {
        (Ok(None), Ok(None)) => true,
        (Ok(Some(one)), Ok(Some(two))) if one.problems.is_empty() && two.problems.is_empty() => {
            *left = left.saturating_sub(one.span.len);
            match (method::image_bytes(a, one.span), method::image_bytes(b, two.span)) {
                (Ok(one), Ok(two)) => one.data == two.data,
                _ => false,
            }
        }
        _ => false,
    }
}
