//! The text of a document, in the PDB.
//!
//! A format and then the content: 0 means as it is, a number above 0 means deflated, and is the size that it inflates to.
//! Numbers below 0 are reserved.

use super::Decoded;
use crate::bytes::{Cursor, Guid, Recorder, Result, Slice};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0x0e8a_571b, 0x6926, 0x466e, 0xb4ad_8ab0_4611_f5fe);

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

pub(super) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    c.group("embedded source", |c| {
        let format = match c.i32("format")? {
            0 => Format::Raw,
            size @ 1.. => Format::Deflate(size.cast_unsigned()),
            reserved => Format::Reserved(reserved),
        };
        let content = c.bytes("content", c.left())?;
        Ok(Decoded::EmbeddedSource(EmbeddedSource { format, content }))
    })
}
