use super::read;
use crate::bytes::{Cursor, Guid, Recorder, Result, Span};

/// A row of the table of sources or of that of compile units: where the rest of it is.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its number, from 1.
    pub index: u32,
    /// The offset of its data.
    pub offset: u32,
    /// The bytes of this row.
    pub span: Span,
}

/// A source file.
#[derive(Clone, Copy, Debug)]
pub struct Document {
    /// The characters of its path ([`super::Mdb::path`]).
    pub path: Span,
    /// A GUID made up for it by the compiler.
    pub guid: Guid,
    /// The MD5 of its bytes; zero where the compiler could not read it again.
    pub hash: [u8; 16],
    /// Where the hash stands.
    pub hash_span: Span,
    /// Whether a program wrote it.
    pub generated: bool,
    /// The bytes of all this.
    pub span: Span,
}

impl Entry {
    /// How many bytes a row takes.
    pub const SIZE: u64 = 8;

    /// Reads one.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group("mdb table entry", |c| {
            Ok(Self { index: c.u32("index")?, offset: c.u32("data offset")?, span: c.since(start) })
        })
    }
}

impl Document {
    /// Reads one.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group("mdb source", |c| {
            let path = read::string(c, "path length", "path")?.span();
            let guid = c.guid("guid")?;
            let bytes = c.bytes("hash", 16)?;
            let hash = bytes.data.first_chunk().copied().unwrap_or_default();
            let generated = c.u8("auto generated")? == 1;
            Ok(Self { path, guid, hash, hash_span: bytes.span(), generated, span: c.since(start) })
        })
    }

    /// What stands for one that cannot be read.
    pub(super) fn missing(entry: Entry) -> Self {
        let nothing = entry.span.part(0, 0);
        Self {
            path: nothing,
            guid: Guid::default(),
            hash: [0; 16],
            hash_span: nothing,
            generated: false,
            span: entry.span,
        }
    }
}
