//! Kinds of custom debug information, decoded by the decoders of their blobs.

mod numbers;
mod texts;

use super::{Codec, Encode};
use pdblens_formats::bytes::{Cursor, Guid, Recording, Result, Slice};
use pdblens_formats::portable::custom;

pub(super) use numbers::{ASYNC_STEPPING, DYNAMIC_LOCALS, HOISTED_SCOPES, LAMBDA_MAP, STATE_MAP, TYPE_DOCUMENTS};
pub(super) use texts::{
    DEFAULT_NAMESPACE, EMBEDDED_SOURCE, NAME_SNAPSHOT, OPTIONS, REFERENCES, SOURCE_LINK, TUPLE_NAMES,
};

const fn codec(
    name: &'static str,
    about: &'static str,
    example: (&'static str, &'static str),
    decode: for<'a> fn(&mut Cursor<'a, Recording>) -> Result<String>,
    encode: Encode,
) -> Codec {
    let paragraph = "Portable PDB › CustomDebugInformation Table";
    Codec { name, about, paragraph, example, decode, encode }
}

/// Records the fields of a blob; returns all of it, for the decoder of its values.
fn explained<'a>(kind: Guid, c: &mut Cursor<'a, Recording>) -> Result<Slice<'a>> {
    let blob = c.rest();
    custom::explain(kind, c)?;
    Ok(blob)
}
