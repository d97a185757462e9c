use super::read;
use crate::bytes::{Cursor, Guid, Recorder, Result, Span, fields, record};

record! {
    /// A row of the source table or of the compile unit table.
    pub struct MdbEntry: "mdb table entry" {
        /// The number by which other records refer to the row, from 1.
        index: u32,
        /// The file offset of the source file or compile unit.
        data_offset: u32 as Offset,
    }
}

fields! {
    /// A source file: its path, and the hash to verify it by.
    SOURCE: "mdb source";
    /// The size of the path in bytes of UTF-8.
    PATH_LENGTH: "path length";
    /// The path of the source file as it was passed to the compiler.
    PATH: "path";
    /// A GUID that the compiler generated for the file, new in each build.
    GUID: "guid" as Guid;
    /// The MD5 hash of the source's bytes, to verify that the text at hand is the text that was compiled.
    HASH: "hash";
    /// 1 if a program generated the source, as ASP.NET does.
    AUTO_GENERATED: "auto generated";
}

/// A source file.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MdbDocument {
    /// Characters of the path ([`super::Mdb::path`]).
    pub path: Span,
    /// GUID that the compiler generated for the file.
    pub guid: Guid,
    /// MD5 of the file; zero if the compiler could not read it again.
    pub hash: [u8; 16],
    pub hash_span: Span,
    pub generated: bool,
    pub span: Span,
}

impl MdbDocument {
    /// Decodes one record.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group(&SOURCE, |c| {
            let path = read::string(c, &PATH_LENGTH, &PATH)?.span();
            let guid = c.guid(&GUID)?;
            let bytes = c.bytes(&HASH, 16)?;
            let hash = bytes.data.first_chunk().copied().unwrap_or_default();
            let generated = c.u8(&AUTO_GENERATED)? == 1;
            Ok(Self { path, guid, hash, hash_span: bytes.span(), generated, span: c.since(start) })
        })
    }
}
