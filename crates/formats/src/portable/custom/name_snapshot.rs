//! Names that the F# compiler generated, with which hot reload generates the same names again.
//!
//! A version (1), the number of buckets, and for each its key, a count, and the names in the order of generation.
//! Strings are UTF-8 after their length in bytes.

use super::{CustomKind, counted, kind};
use crate::bytes::{Cursor, Encoding, Error, FieldDoc, Guid, Recorder, Result, Slice, fields};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0x49dd_b47e, 0x9c74, 0x46ec, 0x8626_0350_6765_71eb);
pub(super) const KIND: CustomKind = kind!("FSharpSynthesizedNameSnapshot", &[TableId::MODULE]);

fields! {
    /// The names that the F# compiler synthesized, so that hot reload generates the same ones again.
    SYNTHESIZED_NAME_SNAPSHOT: "synthesized name snapshot";
    /// The version of the format; 1.
    FORMAT_VERSION: "version";
    /// The number of buckets that follow.
    BUCKET_COUNT: "bucket count";
    /// The names that were generated from one key.
    BUCKET: "bucket";
    /// The size of the key in bytes.
    KEY_LENGTH: "key length";
    /// The base name that the names of the bucket were generated from.
    KEY: "key";
    /// The number of names that follow.
    NAME_COUNT: "name count";
    /// The size of the name in bytes.
    NAME_LENGTH: "name length";
    /// A generated name; the order of the names is the order in which they were generated.
    NAME: "name";
}

const VERSION: u32 = 1;

/// Names generated from one key.
#[derive(Clone, Debug)]
pub struct Bucket<'a> {
    /// Name that the generated names derive from.
    pub key: Slice<'a>,
    /// Names in the order of generation.
    pub names: Vec<Slice<'a>>,
}

/// Decodes the blob.
pub fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Vec<Bucket<'a>>> {
    c.group(&SYNTHESIZED_NAME_SNAPSHOT, |c| {
        let start = c.position();
        let version = c.compressed(&FORMAT_VERSION)?;
        if version != VERSION {
            return Err(Error::unexpected("version of the name snapshot", version, "1", c.since(start)));
        }
        let count = c.compressed(&BUCKET_COUNT)?;
        counted(c, count, |c| c.group(&BUCKET, bucket))
    })
}

fn bucket<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Bucket<'a>> {
    let key = string(c, &KEY_LENGTH, &KEY)?;
    let count = c.compressed(&NAME_COUNT)?;
    let names = counted(c, count, |c| string(c, &NAME_LENGTH, &NAME))?;
    Ok(Bucket { key, names })
}

fn string<'a, N: Recorder>(
    c: &mut Cursor<'a, N>,
    length: &'static FieldDoc,
    text: &'static FieldDoc,
) -> Result<Slice<'a>> {
    let len = c.compressed(length)?;
    c.text(text, len as u64, Encoding::Utf8)
}

fn tree(buckets: &Vec<Bucket<'_>>) -> Tree {
    let one = |bucket: &Bucket<'_>| {
        let names = bucket.names.iter().map(|name| name.data).collect();
        Tree::Object(vec![("key", bucket.key.data.into()), ("names", names)])
    };
    buckets.iter().map(one).collect()
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = b"\x01\x02\x01k\x02\x03k-1\x03k-2\x00\x00";
