//! The text of a document, in the PDB.
//!
//! A format and then the content: 0 means as it is, a number above 0 means deflated, and is the size that it inflates to.
//! Numbers below 0 are reserved.

use super::{Kind, kind};
use crate::bytes::{Cursor, Guid, Recorder, Result, Slice, fields};
use crate::formats::metadata::TableId;
use crate::formats::tree::Tree;

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0x0e8a_571b, 0x6926, 0x466e, 0xb4ad_8ab0_4611_f5fe);

pub(super) const KIND: Kind = kind!("EmbeddedSource", &[TableId::DOCUMENT]);

fields! {
    /// The text of the document itself: it can be shown without the file.
    EMBEDDED_SOURCE: "embedded source";
    /// 0 if the text is stored as it is; a positive number if it is deflated, and then its inflated size in bytes.
    FORMAT: "format";
    /// The text, or its deflated bytes (RFC 1951).
    CONTENT: "content";
}

/// How the text of a document is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As it is.
    Raw,
    /// Deflated (RFC 1951); it inflates to this many bytes.
    Deflate(u32),
    /// In a way that nobody has specified.
    Reserved(i32),
}

/// The text of a document.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedSource<'a> {
    /// How it is stored.
    pub format: Format,
    /// What is stored.
    pub content: Slice<'a>,
}

/// Reads the blob.
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
