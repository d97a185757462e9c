use crate::bytes::{At, Cursor, Encoding, ErrorKind, Recorder, Result, Slice, fields};

/// Types of the values that follow a numeric leaf.
const LEAVES: &[(u64, &str)] = &[
    (0x8000, "signed, 1 byte"),
    (0x8001, "signed, 2 bytes"),
    (0x8002, "unsigned, 2 bytes"),
    (0x8003, "signed, 4 bytes"),
    (0x8004, "unsigned, 4 bytes"),
    (0x8005, "floating-point, 4 bytes"),
    (0x8006, "floating-point, 8 bytes"),
    (0x8009, "signed, 8 bytes"),
    (0x800a, "unsigned, 8 bytes"),
    (0x8010, "text with its length"),
    (0x8019, "decimal"),
    (0x801a, "date"),
    (0x801b, "text that ends in a NUL"),
];

fields! {
    /// The value itself if it is below 0x8000; otherwise the type of the value that follows.
    NUMERIC_LEAF: "numeric leaf" as OneOf(LEAVES);
    /// The value of the numeric leaf: the value of a constant or an enumerator, the size of a type, or the offset of a member.
    pub(super) VALUE: "value";
    /// The size of the text in bytes of UTF-8.
    TEXT_LENGTH: "text length";
    /// A decimal number: a sign, a scale, and 96 bits of digits.
    DECIMAL: "decimal";
    /// 14, the type of an OLE variant that holds a decimal.
    RESERVED: "reserved" as Hex;
    /// The number of digits after the decimal point.
    SCALE: "scale";
    /// 0x80 if the number is negative.
    SIGN: "sign" as Hex;
    /// The high 32 of the 96 bits of all digits as one number.
    HIGH: "high 32 bits" as Hex;
    /// The low 64 of the 96 bits of all digits as one number.
    LOW: "low 64 bits" as Hex;
}

/// A CodeView *numeric leaf*: a self-describing value, such as that of a constant.
///
/// A 16-bit number below 0x8000 is the value itself; from 0x8000 on it is the type of the value that follows.
#[derive(Clone, Copy, Debug)]
pub enum Leaf<'a> {
    /// Signed integer.
    Signed(i64),
    /// Unsigned integer.
    Unsigned(u64),
    /// Bits of an IEEE 754 binary32.
    Single(u32),
    /// Bits of an IEEE 754 binary64.
    Double(u64),
    /// UTF-8 text.
    Text(Slice<'a>),
    /// OLE `DECIMAL`: reserved, scale, sign, and a 96-bit number in three parts.
    Decimal(Decimal),
    /// Bits of an OLE `DATE`: days since 1899-12-30, as an IEEE 754 binary64.
    Date(u64),
    /// Number of a type that .NET does not have: its leaf and its bytes.
    Other(u16, Slice<'a>),
}

/// A decimal number: `bits` ÷ 10^`scale`, less than zero if `negative`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// Number of digits after the decimal point.
    pub scale: u8,
    /// True for a negative number.
    pub negative: bool,
    /// Unscaled value, 96 bits.
    pub bits: u128,
}

impl<'a> Leaf<'a> {
    /// Decodes a leaf.
    pub fn decode<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let start = c.position();
        let leaf = c.u16(&NUMERIC_LEAF)?;
        if leaf < 0x8000 {
            return Ok(Self::Unsigned(leaf as u64));
        }
        Ok(match leaf {
            0x8000 => Self::Signed(c.i8(&VALUE)? as i64),
            0x8001 => Self::Signed(c.i16(&VALUE)? as i64),
            0x8002 => Self::Unsigned(c.u16(&VALUE)? as u64),
            0x8003 => Self::Signed(c.i32(&VALUE)? as i64),
            0x8004 => Self::Unsigned(c.u32(&VALUE)? as u64),
            0x8005 => Self::Single(c.f32(&VALUE)?.to_bits()),
            0x8006 => Self::Double(c.f64(&VALUE)?.to_bits()),
            0x8009 => Self::Signed(c.i64(&VALUE)?),
            0x800a => Self::Unsigned(c.u64(&VALUE)?),
            0x8010 => {
                let len = c.u16(&TEXT_LENGTH)?;
                Self::Text(c.text(&VALUE, len as u64, Encoding::Utf8)?)
            }
            0x8019 => Self::Decimal(Decimal::decode(c)?),
            0x801a => Self::Date(c.f64(&VALUE)?.to_bits()),
            0x801b => Self::Text(c.text_z(&VALUE)?),
            _ => match size_of_other(leaf) {
                Some(len) => Self::Other(leaf, c.bytes(&VALUE, len)?),
                None => {
                    return Err(c.error_since(start, ErrorKind::Unknown { what: "numeric leaf", value: leaf.into() }));
                }
            },
        })
    }

    /// Decodes one leaf, with its span.
    pub fn at<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<At<Self>> {
        c.spanned(Self::decode)
    }
}

impl Decimal {
    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Self> {
        c.group(&DECIMAL, |c| {
            c.u16(&RESERVED)?;
            let (scale, sign) = (c.u8(&SCALE)?, c.u8(&SIGN)?);
            let (high, low) = (c.u32(&HIGH)?, c.u64(&LOW)?);
            Ok(Self { scale, negative: sign & 0x80 != 0, bits: (high as u128) << 64 | low as u128 })
        })
    }
}

/// Size in bytes of the numeric leaves that .NET has no type for.
const fn size_of_other(leaf: u16) -> Option<u64> {
    Some(match leaf {
        0x800b => 6,
        0x800c => 8,
        0x8007 => 10,
        0x8008 | 0x800d | 0x8017 | 0x8018 => 16,
        0x800e => 20,
        0x800f => 32,
        _ => return None,
    })
}
