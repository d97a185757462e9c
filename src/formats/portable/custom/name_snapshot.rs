//! The names that the F# compiler made up, so that hot reload can give the same ones again.
//!
//! A version (1), a count of buckets, and for each its key, a count, and the names in the order in which they were given. A
//! string is its length in bytes and UTF-8.

use super::{Decoded, counted};
use crate::bytes::{Cursor, Encoding, Error, Guid, Recorder, Result, Slice};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0x49dd_b47e, 0x9c74, 0x46ec, 0x8626_0350_6765_71eb);

const VERSION: u32 = 1;

/// The names that were made up from one key.
#[derive(Clone, Debug)]
pub struct Bucket<'a> {
    /// What they were made up from.
    pub key: Slice<'a>,
    /// The names, in the order in which they were given.
    pub names: Vec<Slice<'a>>,
}

pub(super) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    c.group("synthesized name snapshot", |c| {
        let start = c.position();
        if c.compressed("version")? != VERSION {
            return Err(Error::invalid("only version 1 of a name snapshot is known", c.since(start)));
        }
        let count = c.compressed("bucket count")?;
        counted(c, count, |c| c.group("bucket", bucket)).map(Decoded::NameSnapshot)
    })
}

fn bucket<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Bucket<'a>> {
    let key = string(c, "key length", "key")?;
    let count = c.compressed("name count")?;
    let names = counted(c, count, |c| string(c, "name length", "name"))?;
    Ok(Bucket { key, names })
}

fn string<'a, N: Recorder>(c: &mut Cursor<'a, N>, length: &'static str, name: &'static str) -> Result<Slice<'a>> {
    let len = c.compressed(length)?;
    c.text(name, len as u64, Encoding::Utf8)
}
