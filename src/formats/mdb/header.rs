use super::LineRules;
use crate::bytes::{Cursor, Error, Guid, Recorder, Result, Span};

/// The first eight bytes, as a number.
pub const MAGIC: u64 = 0x45e8_2623_fd7f_a614;

/// What the file begins with: which assembly it belongs to, and where its tables are.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Major and minor version: 50 and 0.
    pub version: (u32, u32),
    /// The module version id of the assembly that it belongs to.
    pub guid: Guid,
    /// How long the file says it is.
    pub file_size: u32,
    /// Where the entries of variable length are; the count is of bytes.
    pub data: Table,
    /// The table of compile units.
    pub units: Table,
    /// The table of source files.
    pub sources: Table,
    /// The table of methods.
    pub methods: Table,
    /// How many types the compiler saw; nothing else is said of them.
    pub type_count: u32,
    /// The table of anonymous scopes.
    pub anonymous_scopes: Table,
    /// The numbers that the line programs are written with.
    pub rules: LineRules,
    /// Bit 0: some source is generated (ASP.NET); bit 1: paths are those of Windows.
    pub flags: u32,
    /// The bytes of all this.
    pub span: Span,
}

/// Where a table is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// How many rows it has.
    pub count: u32,
    /// The offset of the first.
    pub offset: u32,
    /// How many bytes they take.
    pub size: u32,
}

impl Header {
    /// Reads it: 112 bytes.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        let (version, guid) = cursor.group("mdb header", |c| {
            let magic = c.u64("magic")?;
            if magic != MAGIC {
                return Err(Error::invalid("not Mono's magic number", c.since(start)));
            }
            Ok(((c.u32("major version")?, c.u32("minor version")?), c.guid("guid")?))
        })?;
        cursor.group("mdb offset table", |c| {
            let file_size = c.u32("total file size")?;
            let (offset, size) = (c.u32("data section offset")?, c.u32("data section size")?);
            let data = Table { count: size, offset, size };
            let units = Table {
                count: c.u32("compile unit count")?,
                offset: c.u32("compile unit table offset")?,
                size: c.u32("compile unit table size")?,
            };
            let sources = Table {
                count: c.u32("source count")?,
                offset: c.u32("source table offset")?,
                size: c.u32("source table size")?,
            };
            let methods = Table {
                count: c.u32("method count")?,
                offset: c.u32("method table offset")?,
                size: c.u32("method table size")?,
            };
            let type_count = c.u32("type count")?;
            let anonymous_scopes = Table {
                count: c.u32("anonymous scope count")?,
                offset: c.u32("anonymous scope table offset")?,
                size: c.u32("anonymous scope table size")?,
            };
            let rules = LineRules {
                line_base: c.i32("line base")?,
                line_range: c.i32("line range")?,
                opcode_base: c.u32("opcode base")?,
            };
            let flags = c.u32("file flags")?;
            let span = c.since(start);
            Ok(Self {
                version,
                guid,
                file_size,
                data,
                units,
                sources,
                methods,
                type_count,
                anonymous_scopes,
                rules,
                flags,
                span,
            })
        })
    }
}
