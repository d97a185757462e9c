//! Forms of values in JSON, for `serialize_with`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serializer;

use crate::bytes::hex;

/// Writes an address or the index of a type as `0x1060`: it identifies, and is no quantity.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub fn hexadecimal<S: Serializer>(number: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:#x}"))
}

/// Writes an address that there is.
#[allow(clippy::trivially_copy_pass_by_ref, clippy::ref_option, reason = "serde passes a reference")]
pub fn some_hexadecimal<S: Serializer>(number: &Option<u32>, serializer: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) => hexadecimal(number, serializer),
        None => serializer.serialize_none(),
    }
}

/// Writes a list of indices.
pub fn hexadecimals<S: Serializer>(numbers: &[u32], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers.iter().map(|number| format!("{number:#x}")))
}

/// Writes two digits a byte.
pub fn bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex(bytes))
}

/// Writes two digits a byte; `null` if there are none.
pub fn some_bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    if bytes.is_empty() { serializer.serialize_none() } else { self::bytes(bytes, serializer) }
}

/// Writes names and their values as objects with both.
pub fn named_texts<S: Serializer>(texts: &[(impl AsRef<str>, String)], serializer: S) -> Result<S::Ok, S::Error> {
    let named = |(name, value): &(_, String)| {
        BTreeMap::from([("name", AsRef::<str>::as_ref(name).to_owned()), ("value", value.clone())])
    };
    serializer.collect_seq(texts.iter().map(named))
}

/// Writes a path, with U+FFFD for each part that is not Unicode.
pub fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}
