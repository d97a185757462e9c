//! GUIDs.

use super::encode::EncodeError;
use super::{Codec, no_advice};
use pdblens_formats::bytes::{Guid, fields};

fields! {
    /// 16 bytes: a 32-bit and two 16-bit numbers, little-endian, and 8 bytes in their order.
    VALUE: "GUID" as Guid;
}

pub(super) const GUID: Codec = Codec {
    name: "guid",
    about: "a GUID: 6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    paragraph: "ECMA-335 II.24.2.5",
    example: ("10 b8 a7 6b ad 9d d1 11 80 b4 00 c0 4f d4 30 c8", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
    decode: |c| c.guid(&VALUE).map(|guid| guid.to_string()),
    encode: |text| {
        let guid = text.trim().parse::<Guid>();
        guid.map(|guid| guid.0.to_vec()).map_err(|()| EncodeError::new(text, "32 hexadecimal digits are expected"))
    },
    advice: no_advice,
};
