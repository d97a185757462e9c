//! Metadata tables: their columns as data, their rows as numbers, and how wide each index is (ECMA-335 II.22, II.24.2.6).

use std::ops::Range;

use super::bytes::Put;
use super::heaps::Heaps;
use super::tables::Column::{Blob, Coded, Guid, Row, Strings, U16, U32};

pub const MODULE: u8 = 0x00;
pub const TYPE_REF: u8 = 0x01;
pub const TYPE_DEF: u8 = 0x02;
pub const FIELD: u8 = 0x04;
pub const METHOD_DEF: u8 = 0x06;
pub const PARAM: u8 = 0x08;
pub const MEMBER_REF: u8 = 0x0a;
pub const STAND_ALONE_SIG: u8 = 0x11;
pub const TYPE_SPEC: u8 = 0x1b;
pub const ENC_LOG: u8 = 0x1e;
pub const ENC_MAP: u8 = 0x1f;
pub const ASSEMBLY: u8 = 0x20;
pub const ASSEMBLY_REF: u8 = 0x23;
pub const NESTED_CLASS: u8 = 0x29;
pub const GENERIC_PARAM: u8 = 0x2a;
pub const DOCUMENT: u8 = 0x30;
pub const METHOD_DEBUG_INFORMATION: u8 = 0x31;
pub const LOCAL_SCOPE: u8 = 0x32;
pub const LOCAL_VARIABLE: u8 = 0x33;
pub const LOCAL_CONSTANT: u8 = 0x34;
pub const IMPORT_SCOPE: u8 = 0x35;
pub const CUSTOM_DEBUG_INFORMATION: u8 = 0x37;

/// Type of a column, which determines its width.
#[derive(Clone, Copy)]
pub enum Column {
    U16,
    U32,
    Strings,
    Guid,
    Blob,
    /// A row of that table.
    Row(u8),
    /// A row of one of several tables: so many low bits say of which.
    Coded(u32, &'static [u8]),
}

const RESOLUTION_SCOPE: Column = Coded(2, &[MODULE, 0x1a, ASSEMBLY_REF, TYPE_REF]);
const TYPE_DEF_OR_REF: Column = Coded(2, &[TYPE_DEF, TYPE_REF, 0x1b]);
const MEMBER_REF_PARENT: Column = Coded(3, &[TYPE_DEF, TYPE_REF, 0x1a, METHOD_DEF, 0x1b]);
const HAS_CUSTOM_DEBUG_INFORMATION: Column = Coded(
    5,
    &[
        METHOD_DEF,
        FIELD,
        TYPE_REF,
        TYPE_DEF,
        PARAM,
        0x09,
        MEMBER_REF,
        MODULE,
        0x0e,
        0x17,
        0x14,
        STAND_ALONE_SIG,
        0x1a,
        0x1b,
        ASSEMBLY,
        ASSEMBLY_REF,
        0x26,
        0x27,
        0x28,
        0x2a,
        0x2c,
        0x2b,
        DOCUMENT,
        LOCAL_SCOPE,
        LOCAL_VARIABLE,
        LOCAL_CONSTANT,
        IMPORT_SCOPE,
    ],
);

/// The columns of the tables that are written here.
pub fn columns(table: u8) -> &'static [Column] {
    match table {
        MODULE => &[U16, Strings, Guid, Guid, Guid],
        TYPE_REF => &[RESOLUTION_SCOPE, Strings, Strings],
        TYPE_DEF => &[U32, Strings, Strings, TYPE_DEF_OR_REF, Row(FIELD), Row(METHOD_DEF)],
        FIELD => &[U16, Strings, Blob],
        METHOD_DEF => &[U32, U16, U16, Strings, Blob, Row(PARAM)],
        PARAM | LOCAL_VARIABLE => &[U16, U16, Strings],
        MEMBER_REF => &[MEMBER_REF_PARENT, Strings, Blob],
        STAND_ALONE_SIG | TYPE_SPEC => &[Blob],
        ENC_LOG => &[U32, U32],
        ENC_MAP => &[U32],
        ASSEMBLY => &[U32, U16, U16, U16, U16, U32, Blob, Strings, Strings],
        ASSEMBLY_REF => &[U16, U16, U16, U16, U32, Blob, Strings, Strings, Blob],
        NESTED_CLASS => &[Row(TYPE_DEF), Row(TYPE_DEF)],
        GENERIC_PARAM => &[U16, U16, Coded(1, &[TYPE_DEF, METHOD_DEF]), Strings],
        DOCUMENT => &[Blob, Guid, Blob, Guid],
        METHOD_DEBUG_INFORMATION => &[Row(DOCUMENT), Blob],
        LOCAL_SCOPE => &[Row(METHOD_DEF), Row(IMPORT_SCOPE), Row(LOCAL_VARIABLE), Row(LOCAL_CONSTANT), U32, U32],
        LOCAL_CONSTANT => &[Strings, Blob],
        IMPORT_SCOPE => &[Row(IMPORT_SCOPE), Blob],
        CUSTOM_DEBUG_INFORMATION => &[HAS_CUSTOM_DEBUG_INFORMATION, Guid, Blob],
        _ => panic!("table {table:#x} is not written here"),
    }
}

/// Rows, and how many rows the tables have that are in another file.
pub struct Tables {
    cells: [Vec<u32>; 64],
    pub external: [u32; 64],
    delta: bool,
}

/// Location of a table.
#[derive(Clone, Debug)]
pub struct Placed {
    pub table: u8,
    /// The offset of the number of its rows in the metadata root.
    pub count_at: usize,
    /// The offset of its first row in the metadata root.
    pub at: usize,
    pub rows: u32,
    widths: Vec<usize>,
}

impl Placed {
    /// The bytes of a cell; rows count from one, columns from zero.
    pub fn cell(&self, row: u32, column: usize) -> Range<usize> {
        let size: usize = self.widths.iter().sum();
        let start = self.at + (row as usize - 1) * size + self.widths[..column].iter().sum::<usize>();
        start..start + self.widths[column]
    }
}

impl Tables {
    pub fn new() -> Self {
        Self { cells: std::array::from_fn(|_| Vec::new()), external: [0; 64], delta: false }
    }

    /// Tables of a delta: every index takes four bytes.
    pub fn of_delta() -> Self {
        Self { delta: true, ..Self::new() }
    }

    /// True for the tables of a delta.
    pub fn is_delta(&self) -> bool {
        self.delta
    }

    /// Adds a row and returns its number.
    pub fn add<const N: usize>(&mut self, table: u8, row: [u32; N]) -> u32 {
        assert_eq!(N, columns(table).len(), "table {table:#x}");
        self.cells[table as usize].extend_from_slice(&row);
        self.rows(table)
    }

    /// Row count of a table in this file.
    pub fn rows(&self, table: u8) -> u32 {
        let cells = &self.cells[table as usize];
        if cells.is_empty() { 0 } else { (cells.len() / columns(table).len()) as u32 }
    }

    /// The tables that have rows, and how many.
    pub fn present(&self) -> impl Iterator<Item = (u8, u32)> + '_ {
        (0..64).map(|table| (table, self.rows(table))).filter(|(_, rows)| *rows > 0)
    }

    /// Width of a column in bytes. An index is small when its largest value is less than 65 536: the number of rows,
    /// shifted by the bits that choose the table; the size of the heap.
    fn width(&self, column: Column, heaps: &Heaps) -> usize {
        let rows = |table: u8| (self.rows(table) + self.external[table as usize]) as usize;
        let reach = match column {
            U16 => return 2,
            U32 => return 4,
            Strings => heaps.strings.len(),
            Guid => heaps.guids.len() / 16,
            Blob => heaps.blobs.len(),
            Row(table) => rows(table),
            Coded(bits, tables) => tables.iter().map(|table| rows(*table)).max().unwrap_or_default() << bits,
        };
        if reach < 0x10000 && !self.delta { 2 } else { 4 }
    }

    /// Writes the stream of tables; its metadata root begins at `root` in `out`.
    pub fn write(&self, heaps: &Heaps, root: usize, out: &mut Vec<u8>) -> Vec<Placed> {
        // Bits 5 and 7 say that this is an Edit and Continue delta, with deleted items marked.
        let wide = |column: Column, bit: u8| if self.width(column, heaps) == 4 { bit } else { 0 };
        let sizes = wide(Strings, 1) | wide(Guid, 2) | wide(Blob, 4) | if self.delta { 0xa0 } else { 0 };
        out.put_u32(0);
        out.put(&[2, 0, sizes, 1]);
        out.put_u64(self.present().fold(0, |bits, (table, _)| bits | 1 << table));
        // Which tables are sorted: the compilers name them all, present or not.
        out.put_u64(
            0x0000_1600_3301_fa00 | self.present().fold(0, |bits, (table, _)| bits | 1 << table) & SORTED_DEBUG_TABLES,
        );
        let counts_at = out.len() - root;
        for (_, rows) in self.present() {
            out.put_u32(rows);
        }
        let placed = self.present().enumerate().map(|(index, (table, rows))| {
            let widths: Vec<_> = columns(table).iter().map(|column| self.width(*column, heaps)).collect();
            let at = out.len() - root;
            for (cell, width) in self.cells[table as usize].iter().zip(widths.iter().cycle()) {
                out.put(&cell.to_le_bytes()[..*width]);
            }
            Placed { table, count_at: counts_at + index * 4, at, rows, widths }
        });
        let placed = placed.collect();
        out.align(4);
        placed
    }
}

const SORTED_DEBUG_TABLES: u64 = 1 << LOCAL_SCOPE | 1 << 0x36 | 1 << CUSTOM_DEBUG_INFORMATION;
