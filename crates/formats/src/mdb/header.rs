use super::LineRules;
use crate::bytes::{Cursor, Error, Guid, Recorder, Result, Span, record};

/// Magic number, the first 8 bytes.
pub const MAGIC: u64 = 0x45e8_2623_fd7f_a614;

record! {
    /// The header of a .mdb file: the version of the format, and the assembly that the file belongs to.
    pub struct FileHeader: "mdb header" {
        /// Identifies a symbol file of Mono's.
        magic: u64 as Hex,
        /// The major version, 50 since Mono 2.0; the runtime accepts no other.
        major_version: u32,
        /// The minor version, 0 in every file that was ever shipped.
        minor_version: u32,
        /// The module version id (MVID) of the assembly: file and assembly belong together only if they are equal.
        guid: Guid as Guid,
    }
}

record! {
    /// The offset table: the location of each table of the file, and the parameters of its line programs.
    pub struct OffsetTable: "mdb offset table" {
        /// The size of the file in bytes; a shorter file was truncated.
        total_file_size: u32,
        /// The file offset of the data section, which holds everything of variable length: paths, lines, locals.
        data_section_offset: u32 as Offset,
        /// The size of the data section in bytes.
        data_section_size: u32,
        /// The number of compile units.
        compile_unit_count: u32,
        /// The file offset of the compile unit table.
        compile_unit_table_offset: u32 as Offset,
        /// The size of the compile unit table in bytes: 8 per row.
        compile_unit_table_size: u32,
        /// The number of source files.
        source_count: u32,
        /// The file offset of the source table.
        source_table_offset: u32 as Offset,
        /// The size of the source table in bytes: 8 per row.
        source_table_size: u32,
        /// The number of methods with debug information.
        method_count: u32,
        /// The file offset of the method table, which is sorted by token.
        method_table_offset: u32 as Offset,
        /// The size of the method table in bytes: 12 per row.
        method_table_size: u32,
        /// The number of types that the compiler saw; the file says nothing else about them.
        type_count: u32,
        /// The number of anonymous scopes, which have captured variables.
        anonymous_scope_count: u32,
        /// The file offset of the anonymous scopes.
        anonymous_scope_table_offset: u32 as Offset,
        /// The size of the anonymous scopes in bytes.
        anonymous_scope_table_size: u32,
        /// The smallest line advance of a special opcode; -1 lets one go back a line.
        line_base: i32,
        /// The number of line advances that a special opcode chooses from; the rest of its number is the IL advance.
        line_range: i32,
        /// The first special opcode; the numbers below it are named instructions.
        opcode_base: u32,
        /// Properties of the source files.
        file_flags: u32 as Flags(&[(1, "a source is generated (ASP.NET)"), (2, "paths are those of Windows")]),
    }
}

/// The header of a .mdb file, with its offset table.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub file: FileHeader,
    pub offsets: OffsetTable,
    pub span: Span,
}

/// Location of a table.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableLocation {
    /// Number of rows.
    pub count: u32,
    /// File offset of the first row.
    pub offset: u32,
    pub size: u32,
}

impl Header {
    /// Reads the 112 bytes of both records.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        if cursor.remaining().first_chunk::<8>().is_some_and(|magic| *magic != MAGIC.to_le_bytes()) {
            cursor.skip(8)?;
            return Err(Error::invalid("invalid magic number of an MDB file", cursor.since(start)));
        }
        let (file, offsets) = (FileHeader::decode(cursor)?, OffsetTable::decode(cursor)?);
        Ok(Self { file, offsets, span: cursor.since(start) })
    }

    /// Compile unit table.
    pub const fn units(&self) -> TableLocation {
        let OffsetTable { compile_unit_count: count, compile_unit_table_offset: offset, .. } = self.offsets;
        TableLocation { count, offset, size: self.offsets.compile_unit_table_size }
    }

    /// Source table.
    pub const fn sources(&self) -> TableLocation {
        let OffsetTable { source_count: count, source_table_offset: offset, .. } = self.offsets;
        TableLocation { count, offset, size: self.offsets.source_table_size }
    }

    /// Method table.
    pub const fn methods(&self) -> TableLocation {
        let OffsetTable { method_count: count, method_table_offset: offset, .. } = self.offsets;
        TableLocation { count, offset, size: self.offsets.method_table_size }
    }

    /// Table of anonymous scopes, whose records vary in size.
    pub const fn anonymous_scopes(&self) -> TableLocation {
        let OffsetTable { anonymous_scope_count: count, anonymous_scope_table_offset: offset, .. } = self.offsets;
        TableLocation { count, offset, size: self.offsets.anonymous_scope_table_size }
    }

    /// Parameters of the line programs.
    pub const fn rules(&self) -> LineRules {
        let OffsetTable { line_base, line_range, opcode_base, .. } = self.offsets;
        LineRules { line_base, line_range, opcode_base }
    }
}
