//! PDBs of hot-reload deltas, which have rows for changed methods only.
//!
//! The EncMap table has the tokens of the rows that a delta has, in order: row *n* of MethodDebugInformation is of the method
//! of the *n*th token of that kind. Other tables of the PDB have the tokens of the program.

use super::PortablePdb;
use super::points::Header;
use crate::bytes::Span;
use crate::metadata::{Metadata, TableId, Token};
use std::path::PathBuf;

/// Rows of methods up to which any delta is believed, beside those in proportion to its size.
const MAX_ROW: u32 = 1 << 18;

/// A delta that was opened with the PDB that it changes.
#[allow(missing_docs)]
#[derive(Debug)]
pub struct Generation {
    pub name: String,
    pub path: PathBuf,
    pub pdb: PortablePdb,
    /// Rows before its own that no file before it has.
    pub gap: Option<RowGap>,
}

/// Rows between those of the files before a delta and the first that the delta adds: another delta added them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowGap {
    /// Table of the image: methods, or local signatures.
    pub table: TableId,
    /// First row that the delta adds.
    pub first: u32,
    /// Row after the last one that is known.
    pub next: u32,
}

/// A version of a method: the file with its points.
#[derive(Clone, Copy, Debug)]
pub struct MethodVersion<'p> {
    /// Name of the delta; `None` for the PDB that the deltas change.
    pub file: Option<&'p str>,
    /// Content of the file.
    pub pdb: &'p PortablePdb,
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

    /// Bytes of the blob that has the points of a method, whether they can be decoded or not.
    pub fn points_span(&self, method: Token) -> Option<Span> {
        let row = self.debug_row(method.row())?;
        let blob = self.metadata.blob_cell(TableId::METHOD_DEBUG_INFORMATION, row, 1).ok()?;
        Some(blob.span()).filter(|span| !span.is_empty())
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
        let gap = self.gap_before(&pdb);
        self.generations.push(Generation { name, path, pdb, gap });
    }

    /// Rows between those of the files so far and the first that a further delta adds.
    fn gap_before(&self, delta: &Self) -> Option<RowGap> {
        let all = || [self].into_iter().chain(self.generations.iter().map(|delta| &delta.pdb));
        let gap = |table: TableId, known: u32, rows: &mut dyn Iterator<Item = u32>| {
            let (first, next) = (rows.filter(|row| *row > known).min()?, known.saturating_add(1));
            (first > next).then_some(RowGap { table, first, next })
        };
        // Without the base, rows that are missing may be its own.
        let counted = |table: TableId| {
            if self.is_delta() {
                return None;
            }
            let stream = self.stream.as_ref()?;
            stream.rows.get(usize::from(table.0)).copied().filter(|rows| *rows > 0)
        };
        let of_methods = || {
            let known = all().map(Self::last_method).fold(counted(TableId::METHOD_DEF)?, u32::max);
            gap(TableId::METHOD_DEF, known, &mut delta.delta_methods())
        };
        let of_signatures = || {
            let added = self.generations.iter().flat_map(|delta| delta.pdb.local_signatures());
            let known = added.fold(counted(TableId::STAND_ALONE_SIG)?, u32::max);
            gap(TableId::STAND_ALONE_SIG, known, &mut delta.local_signatures())
        };
        of_methods().or_else(of_signatures)
    }

    /// Rows of the methods that a delta has.
    pub fn delta_methods(&self) -> impl Iterator<Item = u32> {
        self.delta_rows.iter().flat_map(|rows| rows.by_method.iter().map(|(method, _)| *method))
    }

    /// Rows of the local signatures of the methods that a delta has.
    fn local_signatures(&self) -> impl Iterator<Item = u32> {
        self.delta_methods().filter_map(|method| {
            let (document, blob) = self.points_blob(method).ok().flatten()?;
            let header = Header::decode(&mut blob.cursor(), document).ok()?;
            Some(header.local_signature_row()).filter(|row| *row > 0)
        })
    }

    /// Versions of a method, the newest first, and that of this PDB last.
    pub fn versions(&self, method_row: u32) -> impl Iterator<Item = MethodVersion<'_>> {
        let deltas =
            self.generations.iter().rev().map(|delta| MethodVersion { file: Some(&delta.name), pdb: &delta.pdb });
        deltas
            .chain([MethodVersion { file: None, pdb: self }])
            .filter(move |version| version.pdb.debug_row(method_row).is_some())
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
        Some((index, &self.generations.get(index)?.pdb, row.saturating_sub(before)))
    }

    /// The newest delta with a method, and the number of documents before its own.
    pub fn delta_of(&self, method: Token) -> Option<(&Self, u32)> {
        let index = self.newest(method.row())?;
        Some((&self.generations.get(index)?.pdb, self.documents_before(index)))
    }

    /// The delta that a document is in, and its row there; `None` for one of this PDB.
    pub fn in_delta(&self, document: u32) -> Option<(&Self, u32)> {
        self.in_generation(TableId::DOCUMENT, document).map(|(_, delta, row)| (delta, row))
    }

    /// Parent of custom debug information of a delta. Tables of the image have the rows of the program, those of the PDB its own.
    pub fn parent_in(&self, index: usize, parent: Option<Token>) -> Option<Token> {
        let parent = parent?;
        match parent.table() {
            table @ (TableId::DOCUMENT | TableId::IMPORT_SCOPE) => {
                Some(Token::new(table, parent.row().saturating_add(self.rows_before(table, index))))
            }
            TableId::LOCAL_SCOPE | TableId::LOCAL_VARIABLE | TableId::LOCAL_CONSTANT => None,
            _ => Some(parent),
        }
    }
}
