//! PDBs of hot-reload deltas, which have rows for changed methods only.
//!
//! The EncMap table has the tokens of the rows that a delta has, in order: row *n* of MethodDebugInformation is of the method
//! of the *n*th token of that kind. Other tables of the PDB have the tokens of the program.

use super::PortablePdb;
use crate::formats::metadata::{Metadata, TableId, Token};
use std::path::PathBuf;

/// Rows of methods up to which any delta is believed, beside those in proportion to its size.
const MAX_ROW: u32 = 1 << 18;

/// A delta that was opened with the PDB that it changes.
#[derive(Debug)]
pub struct Generation {
    /// File name.
    pub name: String,
    /// Path that it was read from.
    pub path: PathBuf,
    /// Content.
    pub pdb: PortablePdb,
}

/// Rows of a delta, by themselves and by their methods.
#[derive(Debug)]
pub(super) struct DeltaRows {
    /// Rows of methods; the first is that of row 1, and 0 is none.
    methods: Vec<u32>,
    /// Rows of methods and of MethodDebugInformation, sorted.
    by_method: Vec<(u32, u32)>,
}

/// Rows of MethodDebugInformation; `None` for a PDB that is no delta.
pub(super) fn rows_of(metadata: &Metadata) -> Option<DeltaRows> {
    let map = metadata.table(TableId::ENC_MAP);
    if map.rows() == 0 {
        return None;
    }
    let tokens = map.column(0);
    let rows = metadata.rows(TableId::METHOD_DEBUG_INFORMATION);
    let highest = MAX_ROW.saturating_add(rows.saturating_mul(64));
    let of_methods = (1..=map.rows()).filter_map(|row| tokens.get(row)).map(Token).filter_map(|token| {
        let known = [TableId::METHOD_DEBUG_INFORMATION, TableId::METHOD_DEF].contains(&token.table());
        known.then(|| if token.row() <= highest { token.row() } else { 0 })
    });
    let methods: Vec<u32> = of_methods.take(rows as usize).collect();
    let mut by_method: Vec<_> = methods.iter().copied().zip(1..).filter(|(method, _)| *method > 0).collect();
    by_method.sort_unstable();
    Some(DeltaRows { methods, by_method })
}

impl PortablePdb {
    /// Returns true for the PDB of a hot-reload delta.
    pub const fn is_delta(&self) -> bool {
        self.delta_rows.is_some()
    }

    /// Row of MethodDebugInformation with the points of a method; `None` if this file has none.
    pub fn debug_row(&self, method_row: u32) -> Option<u32> {
        match &self.delta_rows {
            None => {
                (1..=self.metadata.rows(TableId::METHOD_DEBUG_INFORMATION)).contains(&method_row).then_some(method_row)
            }
            Some(rows) => {
                let at = rows.by_method.partition_point(|(method, _)| *method < method_row);
                rows.by_method.get(at).filter(|(method, _)| *method == method_row).map(|(_, row)| *row)
            }
        }
    }

    /// Row of the method that a row of MethodDebugInformation is of.
    pub fn method_of_row(&self, row: u32) -> u32 {
        match &self.delta_rows {
            None => row,
            Some(rows) => (row as usize).checked_sub(1).and_then(|index| rows.methods.get(index)).copied().unwrap_or(0),
        }
    }

    /// Highest row of a method that this file has points of.
    pub fn last_method(&self) -> u32 {
        match &self.delta_rows {
            None => self.metadata.rows(TableId::METHOD_DEBUG_INFORMATION),
            Some(rows) => rows.by_method.last().map_or(0, |(method, _)| *method),
        }
    }

    /// Adds the next generation.
    pub fn add_generation(&mut self, name: String, path: PathBuf, pdb: Self) {
        self.generations.push(Generation { name, path, pdb });
    }

    /// Deltas that were opened with this PDB, the oldest first.
    pub fn generations(&self) -> &[Generation] {
        &self.generations
    }

    /// Position in [`PortablePdb::generations`] of the newest delta with a method; `None` if only this PDB may have it.
    pub fn newest(&self, method_row: u32) -> Option<usize> {
        self.generations.iter().rposition(|delta| delta.pdb.debug_row(method_row).is_some())
    }

    /// Number of documents in this PDB and in the first `generations` of its deltas.
    pub fn documents_before(&self, generations: usize) -> u32 {
        self.rows_before(TableId::DOCUMENT, generations)
    }

    /// Number of rows of a table in this PDB and in the first `generations` of its deltas.
    pub fn rows_before(&self, table: TableId, generations: usize) -> u32 {
        let rows = |pdb: &Self| pdb.metadata.rows(table);
        let deltas = self.generations.iter().take(generations).map(|delta| rows(&delta.pdb));
        deltas.fold(rows(self), u32::saturating_add)
    }

    /// The delta that has a row of a table, its position, and the row there; `None` for a row of this PDB.
    pub fn in_generation(&self, table: TableId, row: u32) -> Option<(usize, &Self, u32)> {
        let all = 0..self.generations.len();
        let (index, before) =
            all.map(|index| (index, self.rows_before(table, index))).rfind(|(_, rows)| row > *rows)?;
        Some((index, &self.generations.get(index)?.pdb, row - before))
    }
}
