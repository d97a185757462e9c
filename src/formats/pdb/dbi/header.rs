use crate::bytes::{At, Cursor, ErrorKind, Notes, Result};

/// What the streams of the debug header are copies of, in its order.
pub const DEBUG_STREAMS: [&str; 11] = [
    "fpo data",
    "exception data",
    "fixup data",
    "omap to source",
    "omap from source",
    "section headers",
    "token to record id map",
    "xdata",
    "pdata",
    "new fpo data",
    "original section headers",
];

/// What the stream begins with: whose debug information it is, which streams have its symbols, and how long its parts are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The version of the format, a date.
    pub version: u32,
    /// How often the debug information was written: what symbol stores call the age of the file.
    pub age: At<u32>,
    /// The stream that finds global symbols by name.
    pub globals: At<u16>,
    /// The stream that finds public symbols by name and by address.
    pub publics: At<u16>,
    /// The stream that has the records of both.
    pub symbol_records: At<u16>,
    /// How many bytes the module infos take.
    pub module_infos_size: u32,
    /// How many bytes the section contributions take.
    pub contributions_size: u32,
    /// How many bytes the section map takes.
    pub section_map_size: u32,
    /// How many bytes the source info takes.
    pub source_info_size: u32,
    /// How many bytes the type server map takes.
    pub type_server_map_size: u32,
    /// How many bytes the debug header takes.
    pub debug_header_size: u32,
    /// How many bytes the edit-and-continue part takes.
    pub edit_and_continue_size: u32,
    /// Whether it was linked incrementally, stripped, or has conflicting types.
    pub flags: u16,
    /// The processor; 0xC0EE for IL.
    pub machine: At<u16>,
}

impl Header {
    /// Reads the header, at the first byte of the stream.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group("dbi header", |c| {
            let start = c.position();
            if c.i32("signature")? != -1 {
                let sentence = "a debug information stream of this century begins with -1";
                return Err(c.error_since(start, ErrorKind::Invalid(sentence)));
            }
            let version = c.u32("version")?;
            let start = c.position();
            let age = At::new(c.u32("age")?, c.since(start));
            let globals = stream(c, "global symbols stream")?;
            c.u16("build number")?;
            let publics = stream(c, "public symbols stream")?;
            c.u16("dll version")?;
            let symbol_records = stream(c, "symbol records stream")?;
            c.u16("dll rebuild")?;
            let module_infos_size = c.u32("module infos size")?;
            let contributions_size = c.u32("section contributions size")?;
            let section_map_size = c.u32("section map size")?;
            let source_info_size = c.u32("source info size")?;
            let type_server_map_size = c.u32("type server map size")?;
            c.u32("mfc type server")?;
            let debug_header_size = c.u32("debug header size")?;
            let edit_and_continue_size = c.u32("edit and continue size")?;
            let flags = c.u16("flags")?;
            let machine = stream(c, "machine")?;
            c.u32("padding")?;
            Ok(Self {
                version,
                age,
                globals,
                publics,
                symbol_records,
                module_infos_size,
                contributions_size,
                section_map_size,
                source_info_size,
                type_server_map_size,
                debug_header_size,
                edit_and_continue_size,
                flags,
                machine,
            })
        })
    }
}

fn stream<N: Notes>(c: &mut Cursor<'_, N>, name: &'static str) -> Result<At<u16>> {
    let start = c.position();
    Ok(At::new(c.u16(name)?, c.since(start)))
}
