//! Source files: the streams `/src/files/…`, one a document, and `/src/headerblock`, which lists them.
//!
//! A managed compiler writes one stream for each document, named after the lower-case path. The original path is in the
//! string table, at an offset that the header block has.
//!
//! ```text
//! /src/files/NAME     language, vendor, document type, hash algorithm (GUIDs), sizes of hash and source, hash, source
//! /src/headerblock    version, size, time, age, then a hash table of headers: file name, object, name of the stream
//! ```
//!
//! # References
//!
//! microsoft/microsoft-pdb `langapi/include/pdb.h` (`SrcHeaderBlock`, `SrcHeaderOut`). The layout of a document's
//! stream is not documented; it was derived from files, and resembles a Document row of Portable PDB.

use crate::bytes::{At, Cursor, Error, Guid, Recorder, Region, Result, Span, fields, record};
use crate::pdb::info::{DELETED_SLOTS, USED_SLOTS, bits};

/// Prefix of the names of source file streams.
pub const PREFIX: &str = "/src/files/";

fields! {
    /// A source file: the language of a document, and the hash of its contents.
    SOURCE_FILE: "source file";
    /// The language of the document.
    LANGUAGE: "language" as Guid;
    /// The vendor of the language.
    VENDOR: "vendor" as Guid;
    /// The type of the document, which is text.
    DOCUMENT_TYPE: "document type" as Guid;
    /// The hash algorithm; nil if there is no hash.
    HASH_ALGORITHM: "hash algorithm" as Guid;
    /// The size of the hash in bytes.
    HASH_SIZE: "hash size";
    /// The size of the embedded source after the hash in bytes.
    SOURCE_SIZE: "source size";
    /// The hash of the document when it was compiled, to verify that a source file is the right one.
    HASH: "hash";
    /// The contents of the document, if the compiler embedded them.
    SOURCE: "source";
    /// Bytes after the end of what the sizes account for.
    LEFT_OVER: "left over";
}

/// Stream of a source file: its language, and the hash of its contents.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFile {
    pub language: At<Guid>,
    pub vendor: At<Guid>,
    /// Type of the document, which is text.
    pub document_type: At<Guid>,
    /// Hash algorithm; nil if there is no hash.
    pub hash_algorithm: At<Guid>,
    pub hash: Span,
    pub source: Span,
}

impl SourceFile {
    /// Reads the stream of a document; `None` for a file that a native linker embedded under the same prefix (`/NATVIS`).
    /// That is text, and no record is: its sizes and GUIDs have zero bytes.
    pub fn read(stream: &Region) -> Option<Result<Self>> {
        let data = stream.slice().data;
        let is_text = data.starts_with(b"\xff\xfe") || !data.contains(&0) && std::str::from_utf8(data).is_ok();
        (!is_text).then(|| Self::decode(&mut stream.cursor()))
    }

    /// Reads a stream `/src/files/…`.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group(&SOURCE_FILE, |c| {
            let mut guid = |doc| c.spanned(|c| c.guid(doc));
            let (language, vendor) = (guid(&LANGUAGE)?, guid(&VENDOR)?);
            let (document_type, hash_algorithm) = (guid(&DOCUMENT_TYPE)?, guid(&HASH_ALGORITHM)?);
            let hash_size = c.u32(&HASH_SIZE)? as u64;
            let source_size = c.u32(&SOURCE_SIZE)? as u64;
            let hash = c.bytes(&HASH, hash_size)?.span();
            let source = c.bytes(&SOURCE, source_size)?.span();
            c.left_over(&LEFT_OVER)?;
            Ok(Self { language, vendor, document_type, hash_algorithm, hash, source })
        })
    }
}

record! {
    /// A source header: a source file, and the stream with its language and hash. Names are offsets in the string table.
    pub struct SourceHeader: "source header" {
        /// The key of the entry in the hash table, which is the virtual name.
        key: u32,
        /// The size of the entry in bytes, without its key: 40.
        record_size: u32,
        /// The version of the entry, a date.
        version: u32,
        /// The CRC of the stream's contents.
        crc: u32 as Hex,
        /// The size of the stream of this source file in bytes.
        stream_size: u32,
        /// The name of the source file as it was passed to the compiler: an offset in the string table.
        file_name: u32 as NameOffset,
        /// The object file that the source came with: an offset in the string table; the name is empty.
        object_name: u32 as NameOffset,
        /// The name in lower case: an offset in the string table; the name of the stream is `/src/files/` and this name.
        virtual_name: u32 as NameOffset,
        /// The compression of the contents; managed compilers write 101 for their own format.
        compression: u8,
        /// Bit 0: the file is virtual, there is none on disk.
        flags: u8 as Hex,
        /// Reserved; must be 0.
        padding: [u8; 10],
    }
}

fields! {
    /// The source header block, which lists the source files that have a stream.
    HEADER_BLOCK: "source header block";
    /// The version of the block, a date.
    BLOCK_VERSION: "version";
    /// The size of the block in bytes.
    BLOCK_SIZE: "size";
    /// The time of the last write as a Windows FILETIME; 0 for none.
    BLOCK_TIME: "time" as Hex;
    /// The number of times that the block was written.
    BLOCK_AGE: "age";
    /// Reserved; fills the head up to 64 bytes.
    BLOCK_PADDING: "padding";
    /// The number of source files.
    FILE_COUNT: "file count";
    /// The number of slots of the hash table.
    SLOT_COUNT: "slot count";
    /// Bytes after the last entry.
    TABLE_LEFT_OVER: "left over";
}

/// List of source files, stream `/src/headerblock`.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct HeaderBlock {
    /// Headers in the order of the hash table.
    pub headers: Vec<SourceHeader>,
    pub problems: Vec<Error>,
}

impl HeaderBlock {
    /// Reads the stream `/src/headerblock`. MSVC's linker makes an empty one, which lists no files.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let mut block = Self::default();
        if cursor.is_done() {
            return Ok(block);
        }
        cursor.group(&HEADER_BLOCK, |c| {
            c.u32(&BLOCK_VERSION)?;
            c.u32(&BLOCK_SIZE)?;
            c.u64(&BLOCK_TIME)?;
            c.u32(&BLOCK_AGE)?;
            c.bytes(&BLOCK_PADDING, 44)?;
            let start = c.position();
            let count = c.u32(&FILE_COUNT)?;
            c.u32(&SLOT_COUNT)?;
            bits(c, &USED_SLOTS)?;
            bits(c, &DELETED_SLOTS)?;
            let there = (count as u64).min(c.left() / SourceHeader::SIZE);
            block.problems.extend(c.require(u64::from(count) * SourceHeader::SIZE, start).err());
            for _ in 0..there {
                block.headers.push(SourceHeader::decode(c)?);
            }
            c.left_over(&TABLE_LEFT_OVER)?;
            Ok(())
        })?;
        Ok(block)
    }
}
