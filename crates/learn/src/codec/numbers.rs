//! Compressed integers.

use super::encode::{Encoded, number, put_signed, put_unsigned};
use super::{Codec, no_advice};
use pdblens_formats::bytes::{Cursor, Recording, Result, fields};

fields! {
    /// A compressed integer: one, two or four bytes, as the first byte tells.
    NUMBER: "number";
}

pub(super) const UINT: Codec = Codec {
    name: "uint",
    about: "unsigned compressed integers: 3 16384",
    paragraph: "ECMA-335 II.23.2",
    example: ("03 c0 00 40 00", "3 16384"),
    decode: |c| numbers(c, |c| c.compressed(&NUMBER).map(|number| number.to_string())),
    encode: |text| encode(text, |out, word| put_unsigned(out, number(word)?)),
    advice: no_advice,
};

pub(super) const SINT: Codec = Codec {
    name: "sint",
    about: "signed compressed integers: -5 64",
    paragraph: "ECMA-335 II.23.2",
    example: ("77 80 80", "-5 64"),
    decode: |c| numbers(c, |c| c.compressed_signed(&NUMBER).map(|number| number.to_string())),
    encode: |text| encode(text, |out, word| put_signed(out, number(word)?)),
    advice: no_advice,
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

fn encode(text: &str, put: impl Fn(&mut Vec<u8>, &str) -> Encoded<()>) -> Encoded {
    let mut out = Vec::new();
    text.split_whitespace().try_for_each(|word| put(&mut out, word))?;
    Ok(out)
}
