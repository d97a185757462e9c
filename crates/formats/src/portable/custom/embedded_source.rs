//! Source text of a document, embedded in the PDB.
//!
//! A format and then the content: 0 means uncompressed, a positive number means deflated and is the inflated size.
//! Negative numbers are reserved.

use super::{CustomKind, kind};
use crate::bytes::{Cursor, Guid, Recorder, Result, Slice, fields};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0x0e8a_571b, 0x6926, 0x466e, 0xb4ad_8ab0_4611_f5fe);
pub(super) const KIND: CustomKind = kind!("EmbeddedSource", &[TableId::DOCUMENT]);

fields! {
    /// The text of the document itself: it can be shown without the file.
    EMBEDDED_SOURCE: "embedded source";
    /// 0 if the text is stored as it is; a positive number if it is deflated, and then its inflated size in bytes.
    FORMAT: "format";
    /// The text, or its deflated bytes (RFC 1951).
    CONTENT: "content";
}

/// Encoding of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Uncompressed.
    Raw,
    /// Deflated (RFC 1951), with the inflated size in bytes.
    Deflate(u32),
    /// Reserved negative number.
    Reserved(i32),
}

/// Embedded source of a document.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedSource<'a> {
    pub format: Format,
    /// Content as stored.
    pub content: Slice<'a>,
}

/// Decodes the blob.
pub fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<EmbeddedSource<'a>> {
    c.group(&EMBEDDED_SOURCE, |c| {
        let format = match c.i32(&FORMAT)? {
            0 => Format::Raw,
            size @ 1.. => Format::Deflate(size.cast_unsigned()),
            reserved => Format::Reserved(reserved),
        };
        let content = c.bytes(&CONTENT, c.left())?;
        Ok(EmbeddedSource { format, content })
    })
}

fn tree(source: &EmbeddedSource<'_>) -> Tree {
    let (format, size) = match source.format {
        Format::Raw => ("raw", source.content.len() as i64),
        Format::Deflate(size) => ("deflate", size.into()),
        Format::Reserved(number) => ("reserved", number.into()),
    };
    Tree::Object(vec![("format", Tree::Text(format.to_owned())), ("size", Tree::Number(size))])
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = b"\x09\0\0\0abc";
