//! Compressed integers and GUIDs.

use super::{Codec, EncodeError, each, number, put_signed, put_unsigned};
use pdblens_formats::bytes::{Cursor, Guid, Recording, Result, fields};

fields! {
    /// A compressed integer: one, two or four bytes, as the first byte tells.
    NUMBER: "number";
    /// 16 bytes: a 32-bit and two 16-bit numbers, little-endian, and 8 bytes in their order.
    VALUE: "GUID" as Guid;
}

pub(super) const UINT: Codec = Codec {
    name: "uint",
    about: "unsigned compressed integers: 3 16384",
    paragraph: "ECMA-335 II.23.2",
    example: ("03 c0 00 40 00", "3 16384"),
    decode: |c| numbers(c, |c| c.compressed(&NUMBER).map(|number| number.to_string())),
    encode: |text| each(text.split_whitespace(), |out, word| put_unsigned(out, number(word)?)),
};

pub(super) const SINT: Codec = Codec {
    name: "sint",
    about: "signed compressed integers: -5 64",
    paragraph: "ECMA-335 II.23.2",
    example: ("77 80 80", "-5 64"),
    decode: |c| numbers(c, |c| c.compressed_signed(&NUMBER).map(|number| number.to_string())),
    encode: |text| each(text.split_whitespace(), |out, word| put_signed(out, number(word)?)),
};

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
};

type RecordingCursor<'a> = Cursor<'a, Recording>;

fn numbers<'a>(
    c: &mut RecordingCursor<'a>,
    read: impl Fn(&mut RecordingCursor<'a>) -> Result<String>,
) -> Result<String> {
    let mut text = vec![read(c)?];
    while !c.is_done() {
        text.push(read(c)?);
    }
    Ok(text.join(" "))
}
