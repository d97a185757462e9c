//! Source files: the streams `/src/files/…`, one a document, and `/src/headerblock`, which lists them.
//!
//! A managed compiler writes one stream for each document, named after the file in lower case. The case as it was is in the
//! string table, and the header block says where.
//!
//! ```text
//! /src/files/NAME     language, vendor, document type, hash algorithm (GUIDs), sizes of hash and source, hash, source
//! /src/headerblock    version, size, time, age, then a hash table of headers: file name, object, name of the stream
//! ```
//!
//! # References
//!
//! microsoft/microsoft-pdb `langapi/include/pdb.h` (`SrcHeaderBlock`, `SrcHeaderOut`); the stream's layout was read from
//! files: it is that of Portable PDB's Document row with the hash at its end.

use crate::bytes::{At, Cursor, Error, ErrorKind, Guid, Notes, Result, Span};

/// What the name of a source file's stream begins with.
pub const PREFIX: &str = "/src/files/";

/// What a managed compiler says about one source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// The language it is written in.
    pub language: At<Guid>,
    /// Who made the language.
    pub vendor: At<Guid>,
    /// What kind of document it is: text.
    pub document_type: At<Guid>,
    /// How the hash was computed; nil if there is none.
    pub hash_algorithm: At<Guid>,
    /// Where the hash of its content stands.
    pub hash: Span,
    /// Where its content stands, if it is embedded.
    pub source: Span,
}

impl SourceFile {
    /// Reads a stream `/src/files/…`.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group("source file", |c| {
            let (language, vendor) = (guid(c, "language")?, guid(c, "vendor")?);
            let (document_type, hash_algorithm) = (guid(c, "document type")?, guid(c, "hash algorithm")?);
            let hash_size = c.u32("hash size")? as u64;
            let source_size = c.u32("source size")? as u64;
            let hash = c.bytes("hash", hash_size)?.span();
            let source = c.bytes("source", source_size)?.span();
            if !c.is_done() {
                c.bytes("left over", c.left())?;
            }
            Ok(Self { language, vendor, document_type, hash_algorithm, hash, source })
        })
    }
}

fn guid<N: Notes>(c: &mut Cursor<'_, N>, name: &'static str) -> Result<At<Guid>> {
    let start = c.position();
    Ok(At::new(c.guid(name)?, c.since(start)))
}

/// One source file as the header block lists it; its names are offsets into the string table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceHeader {
    /// How many bytes the stream has.
    pub size: u32,
    /// The file's name as the compiler was given it.
    pub file: u32,
    /// The object it was injected by.
    pub object: u32,
    /// The file's name in lower case, which its stream is called by.
    pub virtual_name: u32,
    /// Where the record stands.
    pub span: Span,
}

/// The list of source files.
#[derive(Clone, Debug, Default)]
pub struct HeaderBlock {
    /// One for each, in the order of the hash table.
    pub headers: Vec<SourceHeader>,
    /// What is wrong with it.
    pub problems: Vec<Error>,
}

impl HeaderBlock {
    /// Reads the stream `/src/headerblock`.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let mut block = Self::default();
        cursor.group("source header block", |c| {
            c.u32("version")?;
            c.u32("size")?;
            c.u64("time")?;
            c.u32("age")?;
            c.bytes("padding", 44)?;
            let start = c.position();
            let count = c.u32("file count")?;
            c.u32("slot count")?;
            for name in ["used slots", "deleted slots"] {
                c.group(name, |c| {
                    let words = c.u32("word count")?;
                    (0..words).try_for_each(|_| c.u32("bits").map(drop))
                })?;
            }
            let there = (count as u64).min(c.left() / 44);
            if there < count as u64 {
                let kind = ErrorKind::UnexpectedEnd { wanted: count as u64 * 44, left: c.left() };
                block.problems.push(c.error_since(start, kind));
            }
            for _ in 0..there {
                block.headers.push(c.group("source header", SourceHeader::decode)?);
            }
            if !c.is_done() {
                c.bytes("left over", c.left())?;
            }
            Ok(())
        })?;
        Ok(block)
    }
}

impl SourceHeader {
    fn decode<N: Notes>(c: &mut Cursor<'_, N>) -> Result<Self> {
        let start = c.position();
        c.u32("key")?;
        c.u32("record size")?;
        c.u32("version")?;
        c.u32("crc")?;
        let size = c.u32("stream size")?;
        let (file, object) = (c.u32("file name")?, c.u32("object name")?);
        let virtual_name = c.u32("virtual name")?;
        c.u8("compression")?;
        c.u8("flags")?;
        c.bytes("padding", 10)?;
        Ok(Self { size, file, object, virtual_name, span: c.since(start) })
    }
}
