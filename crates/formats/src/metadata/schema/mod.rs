//! Metadata tables as data: number, name and columns (ECMA-335 II.22; Portable PDB v1.0 from 0x30 on).

use std::fmt;

use super::Heap;
use crate::bytes::{FieldDoc, Show};
pub use data::*;

/// Number of a metadata table, the high byte of its tokens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub u8);

/// Number of table numbers, one for each bit of the `Valid` mask.
pub const TABLE_COUNT: usize = 64;

/// Definition of a table.
#[allow(missing_docs)]
#[derive(Debug)]
pub struct TableDef {
    pub name: &'static str,
    /// Description of a row.
    pub doc: FieldDoc,
    pub columns: &'static [ColumnDef],
}

/// Definition of a column.
#[allow(missing_docs)]
#[derive(Debug)]
pub struct ColumnDef {
    pub name: &'static str,
    pub kind: ColumnKind,
    /// Description of a cell.
    pub doc: FieldDoc,
}

/// Encoding of a column's cells (ECMA-335 II.22).
#[derive(Clone, Copy, Debug)]
pub enum ColumnKind {
    /// Constant of this many bytes.
    Fixed(u8),
    /// Offset into `#Strings`.
    String,
    /// 1-based index into `#GUID`.
    Guid,
    /// Offset into `#Blob`.
    Blob,
    /// 1-based row of one table.
    Row(TableId),
    /// First row of a list in one table; the list ends where that of the next row begins.
    List(TableId),
    /// Row of one of several tables.
    Coded(&'static CodedIndex),
}

impl ColumnKind {
    /// Returns the heap that cells of this kind refer to.
    pub const fn heap(self) -> Option<Heap> {
        match self {
            Self::String => Some(Heap::Strings),
            Self::Guid => Some(Heap::Guids),
            Self::Blob => Some(Heap::Blobs),
            Self::Fixed(_) | Self::Row(_) | Self::List(_) | Self::Coded(_) => None,
        }
    }

    /// Default notation of a column of this kind.
    const fn show(self) -> Show {
        match self {
            Self::String | Self::Blob | Self::Coded(_) => Show::Hex,
            Self::Guid => Show::Guid,
            Self::Fixed(_) | Self::Row(_) | Self::List(_) => Show::Plain,
        }
    }
}

/// A coded index (ECMA-335 II.24.2.6): a row number above a tag of `bits` bits that selects the table.
#[derive(Debug)]
pub struct CodedIndex {
    /// Name in the specification.
    pub name: &'static str,
    /// Size of the tag in bits.
    pub bits: u8,
    /// Table of each tag; `None` for an unused tag.
    pub tables: &'static [Option<TableId>],
}

impl CodedIndex {
    /// Splits `value` into table and row; row 0 is nil.
    pub fn decode(&self, value: u32) -> Option<(TableId, u32)> {
        let tag = value & !(u32::MAX << self.bits);
        let table = self.tables.get(tag as usize).copied().flatten()?;
        Some((table, value >> self.bits))
    }

    /// Encodes a row of `table`; `None` if the index has no tag for the table.
    pub fn encode(&self, table: TableId, row: u32) -> Option<u32> {
        let tag = self.tables.iter().position(|found| *found == Some(table))?;
        Some(row << self.bits | tag as u32)
    }
}

/// A metadata token (ECMA-335 II.22, III.1.9): the table in the high byte, the row in the low 24 bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub u32);

impl Token {
    /// Makes the token of a row.
    pub const fn new(table: TableId, row: u32) -> Self {
        Self((table.0 as u32) << 24 | row & 0xff_ffff)
    }

    /// Table number in the high byte.
    pub const fn table(self) -> TableId {
        TableId((self.0 >> 24) as u8)
    }

    /// Row number, from 1; 0 is nil.
    pub const fn row(self) -> u32 {
        self.0 & 0xff_ffff
    }

    /// Returns true if the row is 0.
    pub const fn is_nil(self) -> bool {
        self.row() == 0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Dumps write hundreds of thousands of tokens, and `write!` with a width costs more than the digits.
        let digit = |shift: u32| match (self.0 >> shift & 0xf) as u8 {
            digit @ 0..=9 => b'0' | digit,
            letter => letter.wrapping_add(b'a' - 10),
        };
        let text = [b'0', b'x', digit(28), digit(24), digit(20), digit(16), digit(12), digit(8), digit(4), digit(0)];
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl serde::Serialize for Token {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TableId {
    /// Returns the definition; `None` for an unassigned number.
    pub fn def(self) -> Option<&'static TableDef> {
        TABLES.get(self.0 as usize).and_then(Option::as_ref)
    }

    /// Name, or `"?"` for an unassigned number.
    pub fn name(self) -> &'static str {
        self.def().map_or("?", |def| def.name)
    }

    /// Description of a row.
    pub fn doc(self) -> &'static FieldDoc {
        const UNKNOWN: FieldDoc = FieldDoc::new("?", "A table that no version of the format has.");
        self.def().map_or(&UNKNOWN, |def| &def.doc)
    }

    /// Finds a table by name, ignoring case.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|table| table.name().eq_ignore_ascii_case(name))
    }

    /// Tables with a definition, by number.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..TABLE_COUNT as u8).map(Self).filter(|table| table.def().is_some())
    }

    /// Returns true for the tables of debug metadata (0x30 and above), which only portable PDBs have.
    pub const fn is_debug(self) -> bool {
        self.0 >= 0x30
    }

    /// Position of the column with this name.
    pub fn column(self, name: &str) -> Option<usize> {
        self.def()?.columns.iter().position(|column| column.name == name)
    }
}

impl fmt::Debug for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())
    }
}

macro_rules! tables {
    ($(
        $(#[doc = $about:literal])+
        $constant:ident = $number:literal $name:literal {
            $($(#[doc = $column_about:literal])+ $column:literal: $kind:expr $(=> $show:expr)?),* $(,)?
        }
    )*) => {
        impl TableId {$(
            #[doc = concat!("The `", $name, "` table.")]
            pub const $constant: Self = Self($number);
        )*}

        /// Definitions, indexed by table number.
        pub static TABLES: [Option<TableDef>; TABLE_COUNT] = {
            let mut tables = [const { None }; TABLE_COUNT];
            $(tables[$number] = Some(TableDef {
                name: $name,
                doc: FieldDoc::new($name, sentence(concat!($($about),+))),
                columns: &[$(ColumnDef {
                    name: $column,
                    kind: $kind,
                    doc: FieldDoc::new($column, sentence(concat!($($column_about),+)))
                        .shown(column_show!($kind $(, $show)?)),
                }),*],
            });)*
            tables
        };
    };
}

/// Notation of a column: the stated one, or the default of its kind.
macro_rules! column_show {
    ($kind:expr, $show:expr) => {
        $show
    };
    ($kind:expr) => {
        $kind.show()
    };
}

macro_rules! coded {
    ($($name:ident $text:literal $bits:literal [$($table:tt)*];)*) => {$(
        #[doc = concat!("The `", $text, "` coded index.")]
        pub static $name: CodedIndex = CodedIndex { name: $text, bits: $bits, tables: coded!(@list [] $($table)*) };
    )*};
    (@list [$($done:expr),*]) => { &[$($done),*] };
    (@list [$($done:expr),*] - $($rest:tt)*) => { coded!(@list [$($done,)* None] $($rest)*) };
    (@list [$($done:expr),*] $table:ident $($rest:tt)*) => { coded!(@list [$($done,)* Some(TableId::$table)] $($rest)*) };
}

mod data;

#[cfg(test)]
mod tests {
    use super::ColumnKind::Coded;
    use super::*;

    #[test]
    fn every_table_and_every_column_has_a_sentence() {
        for table in TABLES.iter().flatten() {
            assert!(table.doc.about.ends_with('.'), "{}", table.name);
            for column in table.columns {
                assert!(column.doc.about.ends_with('.'), "{}.{}", table.name, column.name);
            }
        }
    }

    #[test]
    fn every_tag_fits_its_bits() {
        for column in TABLES.iter().flatten().flat_map(|table| table.columns) {
            if let Coded(index) = column.kind {
                assert!(
                    index.tables.len() <= 1 << index.bits && index.tables.len() > 1 << (index.bits - 1),
                    "{}",
                    index.name
                );
            }
        }
    }

    #[test]
    fn tables_are_found_by_number_and_by_name() {
        assert_eq!(TableId(0x31).name(), "MethodDebugInformation");
        assert_eq!(TableId::named("customdebuginformation"), Some(TableId::CUSTOM_DEBUG_INFORMATION));
        assert_eq!(TableId(0x2d).def().map(|def| def.name), None);
        assert_eq!(TableId::all().count(), 0x2d + 8);
        assert_eq!(RESOLUTION_SCOPE.decode(0x17), Some((TableId::TYPE_REF, 5)));
        assert_eq!(RESOLUTION_SCOPE.encode(TableId::TYPE_REF, 5), Some(0x17));
        assert_eq!(CUSTOM_ATTRIBUTE_TYPE.decode(0x08), None);
        assert_eq!(Token::new(TableId::METHOD_DEF, 2).to_string(), "0x06000002");
    }
}
