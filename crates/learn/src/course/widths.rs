//! Sizes of the rows of metadata tables, by the rule of ECMA-335 II.24.2.6 and by the rules that readers take for it.

use pdblens_formats::metadata::schema::CodedIndex;
use pdblens_formats::metadata::{ColumnKind, Metadata, RowCounts, TableId};
use pdblens_session::session::Session;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WidthRule {
    Right,
    /// The row counts of the `#Pdb` stream are not looked at.
    OwnRowsOnly,
    /// Every index into a heap takes 2 bytes.
    NarrowHeaps,
    /// Coded indexes get 4 bytes above 65 535 rows, as plain ones do.
    TagNotCounted,
    /// Every index takes 2 bytes.
    Narrow,
    /// Columns of 32 bits take 2 bytes.
    ShortNumbers,
}

pub(super) const WRONG_RULES: &[(WidthRule, &str)] = &[
    (
        WidthRule::OwnRowsOnly,
        "The row counts in the #Pdb stream are missing: the tables of the image decide about the width of an index too.",
    ),
    (
        WidthRule::NarrowHeaps,
        "An index into a heap has the wrong size: of the heap sizes, 1 makes those into #Strings 4 bytes, 2 into #GUID, 4 into #Blob.",
    ),
    (
        WidthRule::TagNotCounted,
        "A coded index is too narrow: it needs 4 bytes when any of its tables has more than 65535 >> 5 rows, 5 bits being its tag.",
    ),
    (WidthRule::ShortNumbers, "A column of 32 bits has them whatever the rows: it is no index."),
    (WidthRule::Narrow, "Every index was taken for 2 bytes: large heaps and tables have indexes of 4."),
];

#[derive(Clone, Debug)]
pub(super) struct Counts {
    own: RowCounts,
    external: RowCounts,
    heap_sizes: u8,
    valid: u64,
}

impl Counts {
    /// Counts in the headers of a portable PDB, whether or not the rows are there.
    pub(super) fn of(session: &Session, metadata: &Metadata) -> Option<Self> {
        let steps = crate::steps(session, "pdb/metadata/tables".parse().ok()?)?;
        let mut own: RowCounts = [0; 64];
        for step in steps.reads().filter(|step| step.record == "tables header") {
            let slot = TableId::named(&step.field.name).and_then(|table| own.get_mut(usize::from(table.0)));
            if let (Some(slot), Some(rows)) = (slot, step.raw) {
                *slot = rows as u32;
            }
        }
        let external = session.portable_pdb()?.stream.as_ref().map_or([0; 64], |stream| stream.rows);
        Some(Self { own, external, heap_sizes: metadata.tables.heap_sizes, valid: metadata.tables.valid })
    }

    pub(super) fn present(&self) -> impl Iterator<Item = TableId> + use<> {
        of_mask(self.valid)
    }

    pub(super) fn rows(&self, table: TableId) -> u32 {
        self.own.get(usize::from(table.0)).copied().unwrap_or(0)
    }

    pub(super) fn row_size(&self, table: TableId, rule: WidthRule) -> u32 {
        let columns = table.def().map_or(&[][..], |def| def.columns);
        columns.iter().map(|column| self.width(column.kind, rule)).sum()
    }

    fn width(&self, kind: ColumnKind, rule: WidthRule) -> u32 {
        let rows = |table: TableId| {
            let external = self.external.get(usize::from(table.0)).copied().unwrap_or(0);
            if rule == WidthRule::OwnRowsOnly { self.rows(table) } else { self.rows(table).max(external) }
        };
        let heap = |bit: u8| rule != WidthRule::NarrowHeaps && self.heap_sizes & bit != 0;
        let is_wide = match kind {
            ColumnKind::Fixed(_) if rule == WidthRule::ShortNumbers => return 2,
            ColumnKind::Fixed(bytes) => return u32::from(bytes),
            ColumnKind::String => heap(1),
            ColumnKind::Guid => heap(2),
            ColumnKind::Blob => heap(4),
            ColumnKind::Row(table) | ColumnKind::List(table) => rows(table) > 0xffff,
            ColumnKind::Coded(CodedIndex { bits, tables, .. }) => {
                let most = if rule == WidthRule::TagNotCounted { 0xffff } else { 0xffff >> bits };
                tables.iter().flatten().any(|table| rows(*table) > most)
            }
        };
        if is_wide && rule != WidthRule::Narrow { 4 } else { 2 }
    }
}

pub(super) fn of_mask(mask: u64) -> impl Iterator<Item = TableId> {
    (0..64_u8).filter(move |bit| mask >> bit & 1 == 1).map(TableId)
}
