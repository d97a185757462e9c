//! References to entries of heaps.
//!
//! An entry does not record its references, so finding them requires reading every cell. This is done once, on first use, and kept as a
//! list sorted by entry.

use crate::lazy_index::{IndexKind, LazyIndex};
use crate::place::{Place, Side};
use pdblens_formats::metadata::Heap;
use pdblens_formats::metadata::{ColumnKind, Metadata, TableId};
use pdblens_formats::portable::document::DocumentName;
use pdblens_formats::portable::imports;
use pdblens_session::session::Session;
use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

const MAX_REFS: usize = 1000;

/// Who uses the entries of the heaps of both files, and where those begin.
#[derive(Debug, Default)]
pub(crate) struct HeapIndex {
    refs: [[OnceLock<Vec<HeapRef>>; Heap::ALL.len()]; 2],
    entries: [[OnceLock<Vec<u32>>; Heap::ALL.len()]; 2],
}

impl HeapIndex {
    fn of(session: &Session) -> &Self {
        session.cache().get()
    }
}

fn slot<T>(all: &[[T; Heap::ALL.len()]; 2], (side, heap): (Side, Heap)) -> Option<&T> {
    all.get(side as usize)?.get(heap as usize)
}

static ENTRIES: IndexKind = IndexKind {
    name: |of| heap_of(of).map_or("", |(_, heap)| heap.stream()).to_owned(),
    size: |session, of| {
        let len = |(side, heap): (Side, Heap)| Some(side.metadata(session)?.heaps.get(heap).len());
        heap_of(of).and_then(len).unwrap_or(0)
    },
    is_built: |session, of| heap_of(of).and_then(|of| slot(&HeapIndex::of(session).entries, of)?.get()).is_some(),
    build: |session, of| {
        heap_of(of).map(|(side, heap)| entries(session, side, heap));
    },
    is_optional: false,
};

static REFS: IndexKind = IndexKind {
    name: |of| format!("references to {}", heap_of(of).map_or("", |(_, heap)| heap.stream())),
    size: |session, of| {
        let len = |(side, _): (Side, Heap)| Some(side.metadata(session)?.root.region.len());
        heap_of(of).and_then(len).unwrap_or(0)
    },
    is_built: |session, of| heap_of(of).and_then(|of| slot(&HeapIndex::of(session).refs, of)?.get()).is_some(),
    build: |session, of| {
        heap_of(of).map(|(side, heap)| of_entry(session, side, heap, 0));
    },
    is_optional: true,
};

const fn heap_of(place: Place) -> Option<(Side, Heap)> {
    match place {
        Place::Heap(side, heap) => Some((side, heap)),
        _ => None,
    }
}

pub(crate) const fn entries_index(side: Side, heap: Heap) -> LazyIndex {
    ENTRIES.of(Place::Heap(side, heap))
}

pub(crate) const fn refs_index(side: Side, heap: Heap) -> LazyIndex {
    REFS.of(Place::Heap(side, heap))
}

/// A cell that refers to an entry, directly or by its blob. Eight bytes, as there is one for each cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HeapRef {
    /// The offset of the entry; the number of a GUID.
    entry: u32,
    /// The cell: 1 bit that is set for a nested one, 7 of the number of its column, 24 of its row.
    cell: u32,
}

/// Rows of a table that have a token.
const MAX_ROW: u32 = (1 << 24) - 1;

/// All columns that lead to heaps, by their numbers in a [`HeapRef`].
static COLUMNS: LazyLock<Vec<(TableId, u8)>> = LazyLock::new(|| {
    let is_of_heap = |kind| matches!(kind, ColumnKind::String | ColumnKind::Guid | ColumnKind::Blob);
    let of_table = |table: TableId| {
        let columns = table.def().map_or(&[][..], |def| def.columns).iter().enumerate();
        columns.filter(move |(_, def)| is_of_heap(def.kind)).map(move |(column, _)| (table, column as u8))
    };
    TableId::all().flat_map(of_table).collect()
});

impl HeapRef {
    fn new(entry: u32, nested: bool, column: u32, row: u32) -> Self {
        Self { entry, cell: u32::from(nested) << 31 | column << 24 | row }
    }

    /// True if the cell's blob names the entry, rather than the cell.
    pub(crate) const fn is_nested(self) -> bool {
        self.cell >> 31 != 0
    }

    pub(crate) fn table(self) -> TableId {
        self.table_and_column().0
    }

    pub(crate) fn column(self) -> usize {
        self.table_and_column().1.into()
    }

    pub(crate) const fn row(self) -> u32 {
        self.cell & MAX_ROW
    }

    fn table_and_column(self) -> (TableId, u8) {
        COLUMNS.get((self.cell >> 24 & 0x7f) as usize).copied().unwrap_or((TableId::MODULE, 0))
    }
}

fn number_of(table: TableId, column: usize) -> Option<u32> {
    COLUMNS.iter().position(|known| *known == (table, column as u8)).map(|number| number as u32)
}

/// Rows that refer to an entry of a heap, in their order; at most a thousand.
pub fn referring_rows(session: &Session, side: Side, heap: Heap, entry: u32) -> Vec<Place> {
    let mut places = Vec::new();
    for user in of_entry(session, side, heap, entry).iter().take(MAX_REFS) {
        let place = Place::Row(side, user.table(), user.row());
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Offsets of the entries of a heap (numbers in `#GUID`), ascending; found once and kept.
pub(crate) fn entries(session: &Session, side: Side, heap: Heap) -> &[u32] {
    let Some(metadata) = side.metadata(session) else { return &[] };
    let Some(kept) = slot(&HeapIndex::of(session).entries, (side, heap)) else { return &[] };
    kept.get_or_init(|| metadata.heaps.entries(heap).map(|(offset, _)| offset).collect())
}

pub(crate) fn row_of(session: &Session, side: Side, heap: Heap, offset: u32) -> Option<usize> {
    entries(session, side, heap).partition_point(|entry| *entry <= offset).checked_sub(1)
}

/// The cells that lead to an entry, those that do so by themselves first.
pub(crate) fn of_entry(session: &Session, side: Side, heap: Heap, entry: u32) -> &[HeapRef] {
    let Some(metadata) = side.metadata(session) else { return &[] };
    let Some(kept) = slot(&HeapIndex::of(session).refs, (side, heap)) else { return &[] };
    users_of(kept.get_or_init(|| users(metadata, heap)), entry)
}

/// All uses of a heap's entries for one pass: the kept ones, or a list that is not kept.
pub(crate) fn all_users(session: &Session, side: Side, heap: Heap) -> Cow<'_, [HeapRef]> {
    let kept = slot(&HeapIndex::of(session).refs, (side, heap)).and_then(OnceLock::get);
    match (kept, side.metadata(session)) {
        (Some(kept), _) => Cow::Borrowed(kept),
        (None, Some(metadata)) => Cow::Owned(users(metadata, heap)),
        (None, None) => Cow::default(),
    }
}

/// Those of `users`, which are in order, that lead to an entry.
pub(crate) fn users_of(users: &[HeapRef], entry: u32) -> &[HeapRef] {
    let first = users.partition_point(|user| user.entry < entry);
    let rest = users.get(first..).unwrap_or_default();
    rest.get(..rest.partition_point(|user| user.entry == entry)).unwrap_or_default()
}

/// Returns whether the cells of a kind of column lead to a heap.
pub(super) const fn leads(kind: ColumnKind, heap: Heap) -> bool {
    matches!(
        (kind, heap),
        (ColumnKind::String, Heap::Strings) | (ColumnKind::Guid, Heap::Guids) | (ColumnKind::Blob, Heap::Blobs)
    )
}

/// Every use of a heap's entries, but of entry 0, which is nothing, in order.
fn users(metadata: &Metadata, heap: Heap) -> Vec<HeapRef> {
    let mut users = Vec::new();
    for table in metadata.tables.present() {
        for (column, def) in table.columns().iter().enumerate() {
            if leads(def.kind, heap)
                && let Some(number) = number_of(table.id, column)
            {
                let cells = table.column(column);
                let rows = 1..=table.rows().min(MAX_ROW);
                let used = rows.filter_map(|row| Some((row, cells.get(row).filter(|entry| *entry > 0)?)));
                users.extend(used.map(|(row, entry)| HeapRef::new(entry, false, number, row)));
            }
        }
    }
    if heap == Heap::Blobs {
        nested(metadata, &mut users);
    }
    users.sort_unstable();
    users.shrink_to_fit();
    users
}

/// The blobs that the names of documents and the imports are made of.
///
/// Rows may share such a blob, and in a file that lies blobs may overlap: there are never more of them than bytes in the heap.
fn nested(metadata: &Metadata, users: &mut Vec<HeapRef>) {
    let mut left = metadata.heaps.blobs.len() as usize;
    for (id, column) in [(TableId::DOCUMENT, 0), (TableId::IMPORT_SCOPE, 1)] {
        let Some(number) = number_of(id, column) else { continue };
        for row in 1..=metadata.rows(id).min(MAX_ROW) {
            let Ok(blob) = metadata.blob_cell(id, row, column) else { continue };
            let mut add = |entry: u32| {
                if let (Some(fewer), true) = (left.checked_sub(1), entry > 0) {
                    left = fewer;
                    users.push(HeapRef::new(entry, true, number, row));
                }
            };
            if id == TableId::DOCUMENT {
                let name = DocumentName::decode(&mut blob.cursor());
                name.into_iter().flat_map(DocumentName::parts).for_each(|part| add(part.value));
            } else {
                // What comes before a bad import is read.
                let _ = imports::decode(&mut blob.cursor(), |import| {
                    [import.alias, import.namespace].into_iter().flatten().for_each(&mut add);
                });
            }
            if left == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_knows_who_uses_it() {
        let session = Session::sample();
        let heap = |text: &str| match text.parse() {
            Ok(Place::HeapEntry(side, heap, entry)) => referring_rows(&session, side, heap, entry),
            _ => panic!("{text}"),
        };
        let named = |text: &str| text.parse::<Place>().unwrap();
        // The points of Clock.Since, and one GUID for both documents.
        let since = Side::Pdb.metadata(&session).unwrap().table(TableId::METHOD_DEBUG_INFORMATION).cell(3, 1).unwrap();
        assert_eq!(heap(&format!("pdb/heap/blob/{since}")), [named("table/MethodDebugInformation/3")]);
        let csharp = Side::Pdb.metadata(&session).unwrap().table(TableId::DOCUMENT).cell(1, 3).unwrap();
        assert!(
            heap(&format!("pdb/heap/guid/{csharp}"))
                .starts_with(&[named("table/Document/1"), named("table/Document/2")])
        );
        assert_eq!(heap("pdb/heap/blob/0"), []);
        assert_eq!(heap("pdb/heap/blob/0xffffffff"), []);
    }

    #[test]
    fn a_part_of_a_path_is_used_by_the_documents_that_it_is_in() {
        let session = Session::sample();
        let metadata = Side::Pdb.metadata(&session).unwrap();
        let name = metadata.blob_cell(TableId::DOCUMENT, 2, 0).unwrap();
        let parts: Vec<u32> = DocumentName::decode(&mut name.cursor())
            .unwrap()
            .parts()
            .map(|part| part.value)
            .filter(|part| *part > 0)
            .collect();
        let (folder, file) = (parts[0], parts[parts.len() - 1]);
        let document = |row| Place::Row(Side::Pdb, TableId::DOCUMENT, row);
        assert!(referring_rows(&session, Side::Pdb, Heap::Blobs, folder).starts_with(&[document(1), document(2)]));
        assert_eq!(referring_rows(&session, Side::Pdb, Heap::Blobs, file), [document(2)]);
    }
}
