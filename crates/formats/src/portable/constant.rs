//! The signature of a local constant: its type and its value.
//!
//! Custom modifiers come first, then an element type and the value. A number, `bool` or `char` that is followed by a
//! type is a value of that enum. A struct is a type followed by its value, whose encoding is specified for
//! `System.Decimal` and `System.DateTime` only; without a value it is the default of the type. The name of the type is
//! in the image, which may not be available, so the two are distinguished by their size: 13 and 8 bytes.
//!
//! # References
//!
//! Portable PDB v1.0, "LocalConstantSig Blob".

use crate::bytes::{Cursor, Encoding, Error, ErrorKind, Recorder, Result, Slice, fields};
use crate::metadata::Token;
use crate::signature::{element, type_token};

/// Encoding of a null string.
const NULL_STRING: u8 = 0xff;
const MAX_MODIFIERS: usize = 64;
const DECIMAL_LEN: u64 = 13;
const DATE_TIME_LEN: u64 = 8;

fields! {
    /// The type and value of a local constant, which has no slot.
    LOCAL_CONSTANT: "local constant";
    /// A custom modifier of the type of the constant.
    CUSTOM_MODIFIER: "custom modifier";
    /// CMOD_REQD or CMOD_OPT: required (modreq) or optional (modopt).
    ELEMENT_TYPE: "element type" as OneOf(element::NAMES);
    /// The type that is the modifier, as a coded index.
    MODIFIER: "modifier" as Hex;
    /// The element type of the value.
    TYPE_CODE: "type code" as OneOf(element::NAMES);
    /// The value; a string takes the rest of the blob, in UTF-16.
    VALUE: "value";
    /// 0xFF alone marks a null string; the empty string has no bytes.
    NULL: "null" as Hex;
    /// The type of the value, as a coded index; without bytes after it, the value is the default of the type.
    TYPE: "type" as Hex;
    /// The enum that the number belongs to, as a coded index.
    ENUM_TYPE: "enum type" as Hex;
    /// A DateTime, in units of 100 ns since the year 1.
    TICKS: "ticks";
    /// A Decimal: an integer of 96 bits, its sign and its scale.
    DECIMAL: "decimal";
    /// The sign in the highest bit, and in the others the number of decimal digits after the point.
    SIGN_AND_SCALE: "sign and scale" as Hex;
    /// The lowest 32 bits of the integer.
    LOW: "low" as Hex;
    /// The middle 32 bits of the integer.
    MID: "mid" as Hex;
    /// The highest 32 bits of the integer.
    HIGH: "high" as Hex;
    /// Bytes after a value that is already complete.
    SURPLUS: "surplus";
}

/// Type and value of a local constant (Portable PDB v1.0, "LocalConstantSig Blob").
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct Constant<'a> {
    pub modifiers: Vec<Modifier>,
    pub value: Value<'a>,
}

/// Custom modifier of a constant's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modifier {
    /// True for `modreq`, false for `modopt`.
    pub required: bool,
    /// Modifier type.
    pub modifier: Token,
}

/// Value of a local constant.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// Value of a type with an element type of its own.
    Primitive(Primitive<'a>),
    Enum {
        value: Primitive<'a>,
        of: Token,
    },
    /// Null reference of type `object`.
    NullObject,
    /// Default value of a type: null for a class.
    Default {
        of: Token,
        /// True for a value type.
        is_value: bool,
    },
    Decimal(Decimal),
    /// `System.DateTime` in ticks of 100 ns since 0001-01-01.
    DateTime(i64),
    /// Value of a type without a specified encoding.
    Unknown {
        of: Token,
        bytes: Slice<'a>,
    },
}

/// Value of a type with an element type of its own.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "named as in the specification")]
pub enum Primitive<'a> {
    Boolean(bool),
    Char(u16),
    I1(i8),
    U1(u8),
    I2(i16),
    U2(u16),
    I4(i32),
    U4(u32),
    I8(i64),
    U8(u64),
    R4(f32),
    R8(f64),
    /// UTF-16, little-endian.
    String(Slice<'a>),
    NullString,
}

/// A decimal number, `digits` ÷ 10^`scale`, less than zero if `negative`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// True for a number below zero, and for negative zero.
    pub negative: bool,
    /// Number of decimal digits after the point; .NET accepts 28 at most.
    pub scale: u8,
    /// Unscaled value, 96 bits.
    pub digits: u128,
}

impl<'a> Constant<'a> {
    /// Decodes the blob of the Signature column.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'a, N>) -> Result<Self> {
        cursor.group(&LOCAL_CONSTANT, |c| {
            let modifiers = modifiers(c)?;
            let value = value(c)?;
            if !c.is_done() {
                let start = c.position();
                c.bytes(&SURPLUS, c.left())?;
                return Err(Error::invalid("bytes after the value of the constant", c.since(start)));
            }
            Ok(Self { modifiers, value })
        })
    }
}

fn modifiers<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Vec<Modifier>> {
    let mut modifiers = Vec::new();
    while let Some(first @ (element::CMOD_REQD | element::CMOD_OPT)) = c.peek() {
        let start = c.position();
        let modifier = c.group(&CUSTOM_MODIFIER, |c| {
            c.u8(&ELEMENT_TYPE)?;
            type_token(c, &MODIFIER)
        })?;
        if modifiers.len() == MAX_MODIFIERS {
            return Err(Error::invalid("too many custom modifiers", c.since(start)));
        }
        modifiers.push(Modifier { required: first == element::CMOD_REQD, modifier });
    }
    Ok(modifiers)
}

fn value<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Value<'a>> {
    let start = c.position();
    let code = c.u8(&TYPE_CODE)?;
    let value = match code {
        element::OBJECT => return Ok(Value::NullObject),
        element::CLASS => return general(c, false),
        element::VALUETYPE => return general(c, true),
        element::R4 => return Ok(Value::Primitive(Primitive::R4(c.f32(&VALUE)?))),
        element::R8 => return Ok(Value::Primitive(Primitive::R8(c.f64(&VALUE)?))),
        element::STRING => return string(c).map(Value::Primitive),
        element::BOOLEAN => Primitive::Boolean(c.u8(&VALUE)? != 0),
        element::CHAR => Primitive::Char(c.u16(&VALUE)?),
        element::I1 => Primitive::I1(c.i8(&VALUE)?),
        element::U1 => Primitive::U1(c.u8(&VALUE)?),
        element::I2 => Primitive::I2(c.i16(&VALUE)?),
        element::U2 => Primitive::U2(c.u16(&VALUE)?),
        element::I4 => Primitive::I4(c.i32(&VALUE)?),
        element::U4 => Primitive::U4(c.u32(&VALUE)?),
        element::I8 => Primitive::I8(c.i64(&VALUE)?),
        element::U8 => Primitive::U8(c.u64(&VALUE)?),
        _ => {
            let what = "type code of a constant (after its custom modifiers, 0x1f and 0x20)";
            let expected = "0x02 to 0x0e, 0x11, 0x12 or 0x1c";
            return Err(c.error_since(start, ErrorKind::Unexpected { what, value: code.into(), expected }));
        }
    };
    if c.is_done() { Ok(Value::Primitive(value)) } else { Ok(Value::Enum { value, of: type_token(c, &ENUM_TYPE)? }) }
}

/// A string takes the rest of the blob; the only odd length is that of null.
fn string<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Primitive<'a>> {
    if c.left() == 1 && c.peek() == Some(NULL_STRING) {
        c.u8(&NULL)?;
        return Ok(Primitive::NullString);
    }
    let start = c.position();
    let text = c.text(&VALUE, c.left(), Encoding::Utf16)?;
    if text.len() % 2 == 1 {
        return Err(Error::invalid("the UTF-16 string has an odd number of bytes", c.since(start)));
    }
    Ok(Primitive::String(text))
}

fn general<'a, N: Recorder>(c: &mut Cursor<'a, N>, is_value: bool) -> Result<Value<'a>> {
    let of = type_token(c, &TYPE)?;
    Ok(match c.left() {
        0 => Value::Default { of, is_value },
        DECIMAL_LEN if is_value => Value::Decimal(decimal(c)?),
        DATE_TIME_LEN if is_value => Value::DateTime(c.i64(&TICKS)?),
        left => Value::Unknown { of, bytes: c.bytes(&VALUE, left)? },
    })
}

fn decimal<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Decimal> {
    c.group(&DECIMAL, |c| {
        let first = c.u8(&SIGN_AND_SCALE)?;
        let (low, mid, high) = (c.u32(&LOW)?, c.u32(&MID)?, c.u32(&HIGH)?);
        let digits = (high as u128) << 64 | (mid as u128) << 32 | low as u128;
        Ok(Decimal { negative: first & 0x80 != 0, scale: first & 0x7f, digits })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::SpaceId;
    use crate::bytes::record::undescribed;

    fn decode(blob: &[u8]) -> Result<Constant<'_>> {
        Constant::decode(&mut Slice::new(blob, SpaceId(0), 0).cursor())
    }

    /// Blobs of every shape, and how their value prints.
    const ALL: &[(&[u8], &str)] = &[
        (&[0x02, 1], "Primitive(Boolean(true))"),
        (&[0x03, 0x78, 0], "Primitive(Char(120))"),
        (&[0x04, 0xff], "Primitive(I1(-1))"),
        (&[0x05, 0xff], "Primitive(U1(255))"),
        (&[0x06, 0xfe, 0xff], "Primitive(I2(-2))"),
        (&[0x07, 0xfe, 0xff], "Primitive(U2(65534))"),
        (&[0x08, 42, 0, 0, 0], "Primitive(I4(42))"),
        (&[0x09, 0, 0, 0, 0x80], "Primitive(U4(2147483648))"),
        (&[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "Primitive(I8(-1))"),
        (&[0x0b, 0, 0, 0, 0, 0, 0, 0, 0x80], "Primitive(U8(9223372036854775808))"),
        (&[0x0c, 0, 0, 0, 0x3f], "Primitive(R4(0.5))"),
        (&[0x0d, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f], "Primitive(R8(0.5))"),
        (&[0x0e, 0xff], "Primitive(NullString)"),
        // An enum of TypeRef 0x27, as workshop has it.
        (&[0x08, 5, 0, 0, 0, 0x80, 0x9d], "Enum { value: I4(5), of: 0x01000027 }"),
        (&[0x1c], "NullObject"),
        (&[0x12, 0x05], "Default { of: 0x01000001, is_value: false }"),
        (&[0x11, 0x0a], "Default { of: 0x1b000002, is_value: true }"),
        // 12.34, as workshop has it: two digits after the point.
        (
            &[0x11, 0x80, 0x99, 2, 0xd2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            "Decimal(Decimal { negative: false, scale: 2, digits: 1234 })",
        ),
        (
            &[0x11, 0x05, 0x80, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0],
            "Decimal(Decimal { negative: true, scale: 0, digits: 55340232229718589441 })",
        ),
        (&[0x11, 0x05, 1, 0, 0, 0, 0, 0, 0, 0], "DateTime(1)"),
    ];

    #[test]
    fn every_type_has_its_encoding() {
        for (blob, expected) in ALL {
            let constant = decode(blob).unwrap();
            assert_eq!(
                (format!("{:?}", constant.value).as_str(), constant.modifiers.len()),
                (*expected, 0),
                "{blob:x?}"
            );
        }
        let text = decode(&[0x0e, b'i', 0, b'n', 0]).unwrap();
        assert!(matches!(text.value, Value::Primitive(Primitive::String(text)) if text.data == b"i\0n\0"));
        assert!(matches!(decode(&[0x0e]).unwrap().value, Value::Primitive(Primitive::String(text)) if text.is_empty()));
        let odd = decode(&[0x12, 0x05, 1, 2]).unwrap();
        assert!(matches!(odd.value, Value::Unknown { bytes, .. } if bytes.data == [1, 2]));
    }

    #[test]
    fn modifiers_come_first() {
        let constant = decode(&[0x1f, 0x05, 0x20, 0x08, 0x02, 0]).unwrap();
        let required = Modifier { required: true, modifier: Token(0x0100_0001) };
        let optional = Modifier { required: false, modifier: Token(0x0200_0002) };
        assert_eq!(constant.modifiers, [required, optional]);
        assert!(matches!(constant.value, Value::Primitive(Primitive::Boolean(false))));
        assert!(decode(&[0x20, 0x08].repeat(1000)).is_err());
    }

    #[test]
    fn notes_tile_the_blob_however_it_is_cut() {
        for (whole, _) in ALL {
            for len in 0..=whole.len() {
                let mut cursor = Cursor::recording(Slice::new(&whole[..len], SpaceId(0), 0));
                let done = Constant::decode(&mut cursor).is_ok();
                let read = cursor.consumed();
                let leaves = cursor.fields().into_iter().filter(|field| field.value != crate::bytes::Value::Group);
                let end = leaves.fold(0, |at, leaf| {
                    assert_eq!(leaf.span.start, at);
                    leaf.span.end()
                });
                assert_eq!(end, read);
                assert!(!done || end == len as u64);
            }
        }
    }

    #[test]
    fn bytes_that_no_type_takes_are_an_error() {
        assert!(decode(&[]).is_err());
        assert!(decode(&[0x01]).is_err());
        assert!(decode(&[0x1c, 0]).is_err());
        assert!(decode(&[0x0c, 0, 0, 0, 0, 0]).is_err());
        assert!(decode(&[0x0e, 1, 2, 3]).is_err());
        assert!(decode(&[0x02, 1, 0x05, 0]).is_err());
    }

    #[test]
    fn every_field_of_constants_has_a_sentence() {
        for blob in [
            &[0x1f, 5, 0x20, 5, 0x02, 1, 5][..],
            &[0x0e, b'a', 0],
            &[0x0e, 0xff],
            &[0x11, 5, 1, 2, 3],
            &[0x11, 5, 0, 0, 0, 0, 0, 0, 0, 0],
            &[0x11, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            &[0x1c, 0],
        ] {
            assert_eq!(undescribed(blob, |c| Constant::decode(c).map(drop)), [""; 0], "{blob:?}");
        }
    }
}
