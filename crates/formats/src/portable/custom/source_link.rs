//! Source Link: JSON that maps document paths to URLs. Decoded here as text only.

use super::{CustomKind, kind};
use crate::bytes::{Cursor, Encoding, Guid, Recorder, Result, Slice, fields};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0xcc11_0556, 0xa091, 0x4d38, 0x9fec_25ab_9a35_1a6a);
pub(super) const KIND: CustomKind = kind!("SourceLink", &[TableId::MODULE]);

fields! {
    /// The Source Link map, which gives the URL of each document on the web.
    SOURCE_LINK: "source link";
    /// JSON that maps document paths to URLs; a trailing * in a path stands for the * in its URL.
    JSON: "JSON";
}

/// Decodes the blob.
pub fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Slice<'a>> {
    c.group(&SOURCE_LINK, |c| c.text(&JSON, c.left(), Encoding::Utf8))
}

fn tree(json: &Slice<'_>) -> Tree {
    json.data.into()
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = b"{}";
