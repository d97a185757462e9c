//! The header under which damaged tables would fill their stream.
//!
//! When the rows that the header of `#~` claims end before the stream does, or after it, one of its fields is wrong: a row count, a
//! bit of `Valid`, or a flag of `HeapSizes`. Each change of one field under which the rows fit is tried, and the rows are read
//! with it: of those that fit, the ones with the fewest dangling cells are what the writer may have meant.

use super::schema::{ColumnKind, TableId};
use super::tables::{EXTRA_DATA_FLAG, RowCounts, Tables, TablesContent, header, row_counts};
use super::{Heaps, Metadata};
use crate::bytes::{Region, Span};

/// Limit on the size of a stream whose rows are read once for each change under which they fit.
const MAX_STREAM: u64 = 1 << 24;
/// Offset of `HeapSizes` in the stream.
const HEAP_SIZES_AT: u64 = 6;
/// Offset of `Valid` in the stream.
const VALID_AT: u64 = 8;
/// Offset of the first row count in the stream.
const COUNTS_AT: u64 = 24;

/// A change of one field of the header.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderChange {
    Rows {
        table: TableId,
        said: u32,
        fits: u32,
    },
    /// Another bit mask of wide heaps.
    HeapSizes {
        said: u8,
        fits: u8,
    },
    /// A table more, or one fewer, in the mask of those that are present.
    Valid {
        table: TableId,
        present: bool,
    },
}

/// A change of the header under which the tables fill their stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Field to change, and its value.
    pub change: HeaderChange,
    /// Span of the field.
    pub span: Span,
    /// Number of cells that name a row or an entry that is not there.
    pub dangling: u64,
}

impl Metadata {
    /// Changes of one field of the tables' header under which the rows fill the stream: those that leave the fewest cells
    /// dangling, and none where the rows fit as they are. `external` has the row counts of tables that are in another file.
    pub fn repairs(&self, external: &RowCounts) -> Vec<Repair> {
        let Some(stream) = self.root.table_stream() else { return Vec::new() };
        let region = &stream.region;
        if self.tables.fit() || region.len() > MAX_STREAM {
            return Vec::new();
        }
        let Ok(said) = header(&mut region.cursor()) else { return Vec::new() };
        let minimal = self.root.stream("#JTD").is_some();
        let mut fitting: Vec<Repair> = Vec::new();
        for Candidate { change, at, header, end } in candidates(&self.tables, &said, region) {
            let span = region.span().part(0, end);
            let tables = Tables::laid_out(region.clone(), span, &header, external, minimal);
            if tables.fit() {
                let dangling = dangling(&tables, &self.heaps, &header.rows, external);
                fitting.push(Repair { change, span: region.span().part(at.0, at.1), dangling });
            }
        }
        let least = fitting.iter().map(|repair| repair.dangling).min().unwrap_or(0);
        fitting.retain(|repair| repair.dangling == least);
        fitting
    }
}

/// A header with one field changed.
struct Candidate {
    change: HeaderChange,
    /// Offset and size of the field in the stream.
    at: (u64, u64),
    header: TablesContent,
    /// End of the header, from the start of the stream.
    end: u64,
}

/// Every header that differs from `said` in one field; of row counts those that can make the rows fit.
fn candidates(tables: &Tables, said: &TablesContent, region: &Region) -> Vec<Candidate> {
    let end = tables.header.len;
    let mut all: Vec<_> = [0x01, 0x02, 0x04]
        .into_iter()
        .map(|flag| {
            let heap_sizes = said.heap_sizes ^ flag;
            let change = HeaderChange::HeapSizes { said: said.heap_sizes, fits: heap_sizes };
            Candidate { change, at: (HEAP_SIZES_AT, 1), header: TablesContent { heap_sizes, ..*said }, end }
        })
        .collect();
    for table in TableId::all() {
        let (bit, index) = (1 << table.0, table.0 as usize);
        let before = u64::from((said.valid & !(u64::MAX << table.0)).count_ones());
        let claimed = said.rows.get(index).copied().unwrap_or(0);
        let most = if said.valid & bit == 0 { None } else { tables.most_rows(table, claimed) };
        // The padding may look like one or two short rows.
        let fitting = most.into_iter().flat_map(|most| most.saturating_sub(2)..=most).filter(|rows| *rows != claimed);
        for fits in fitting {
            let mut header = *said;
            header.rows.iter_mut().skip(index).take(1).for_each(|rows| *rows = fits);
            let change = HeaderChange::Rows { table, said: claimed, fits };
            all.push(Candidate { change, at: (before * 4 + COUNTS_AT, 4), header, end });
        }
        let valid = said.valid ^ bit;
        let mut cursor = region.slice().rest(COUNTS_AT).cursor();
        if let Ok(rows) = row_counts(&mut cursor, valid) {
            let before = if said.heap_sizes & EXTRA_DATA_FLAG != 0 { COUNTS_AT + 4 } else { COUNTS_AT };
            let end = cursor.consumed() + before;
            let change = HeaderChange::Valid { table, present: valid & bit != 0 };
            all.push(Candidate { change, at: (VALID_AT, 8), header: TablesContent { valid, rows, ..*said }, end });
        }
    }
    all
}

/// Number of cells that name a row, an offset or a GUID that is not there.
fn dangling(tables: &Tables, heaps: &Heaps, own: &RowCounts, external: &RowCounts) -> u64 {
    let rows = |table: TableId| {
        let count = |counts: &RowCounts| counts.get(table.0 as usize).copied().unwrap_or(0);
        count(own).max(count(external))
    };
    // Tables of another file whose rows are not counted here cannot be judged; a list may begin after the last row.
    let past = |table: TableId, row: u32, more: u32| {
        row > rows(table).saturating_add(more) && (rows(table) > 0 || table.is_debug())
    };
    let mut found = 0_u64;
    for table in tables.present() {
        for (column, def) in table.columns().iter().enumerate() {
            let is_dangling = |value: u32| match def.kind {
                ColumnKind::Fixed(_) => false,
                ColumnKind::String => value as u64 >= heaps.strings.len().max(1),
                ColumnKind::Blob => value as u64 >= heaps.blobs.len().max(1),
                ColumnKind::Guid => value as u64 > heaps.guids.len() / 16,
                ColumnKind::Row(to) => past(to, value, u32::from(table.id == TableId::LOCAL_SCOPE)),
                ColumnKind::List(to) => past(to, value, 1),
                ColumnKind::Coded(index) => index.decode(value).is_none_or(|(to, row)| past(to, row, 0)),
            };
            let dangling = table.column(column).cells().filter(|value| is_dangling(*value));
            found += dangling.count() as u64;
        }
        // Scopes, state machines and custom debug information are sorted by their first column.
        let is_keyed = [TableId::LOCAL_SCOPE, TableId::STATE_MACHINE_METHOD, TableId::CUSTOM_DEBUG_INFORMATION]
            .contains(&table.id);
        found += u64::from(is_keyed && !table.rises(0));
    }
    // A PDB has a row for each method of its image, or none.
    let of_methods = tables.get(TableId::METHOD_DEBUG_INFORMATION).rows();
    let methods = external.get(TableId::METHOD_DEF.0 as usize).copied().unwrap_or(0);
    found + u64::from(of_methods != 0 && methods != 0 && of_methods != methods)
}
