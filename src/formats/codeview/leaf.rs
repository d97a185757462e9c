use crate::bytes::{At, Cursor, Encoding, ErrorKind, Notes, Result, Slice};

/// The value of a constant: a CodeView *numeric leaf*, which says itself what it is and how long.
///
/// A number below 0x8000 stands for itself in two bytes; one from 0x8000 on says what follows.
#[derive(Clone, Copy, Debug)]
pub enum Leaf<'a> {
    /// A number with a sign.
    Signed(i64),
    /// A number without.
    Unsigned(u64),
    /// The bits of a 32-bit floating-point number.
    Single(u32),
    /// The bits of a 64-bit floating-point number.
    Double(u64),
    /// Text in UTF-8.
    Text(Slice<'a>),
    /// A decimal as OLE has it: reserved, scale, sign, and 96 bits in three parts.
    Decimal(Decimal),
    /// The bits of an OLE date: days since the end of 1899, as a 64-bit floating-point number.
    Date(u64),
    /// Bytes of a kind of number that .NET does not have.
    Other(u16, Slice<'a>),
}

/// A decimal number: `bits` ÷ 10^`scale`, less than zero if `negative`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// How many digits stand behind the point.
    pub scale: u8,
    /// Whether it is less than zero.
    pub negative: bool,
    /// The digits, as a number of 96 bits.
    pub bits: u128,
}

impl<'a> Leaf<'a> {
    /// Reads one.
    pub fn decode<N: Notes>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let start = c.position();
        let leaf = c.u16("numeric leaf")?;
        if leaf < 0x8000 {
            return Ok(Self::Unsigned(leaf as u64));
        }
        Ok(match leaf {
            0x8000 => Self::Signed(c.i8("value")? as i64),
            0x8001 => Self::Signed(c.i16("value")? as i64),
            0x8002 => Self::Unsigned(c.u16("value")? as u64),
            0x8003 => Self::Signed(c.i32("value")? as i64),
            0x8004 => Self::Unsigned(c.u32("value")? as u64),
            0x8005 => Self::Single(c.f32("value")?.to_bits()),
            0x8006 => Self::Double(c.f64("value")?.to_bits()),
            0x8009 => Self::Signed(c.i64("value")?),
            0x800a => Self::Unsigned(c.u64("value")?),
            0x8010 => {
                let len = c.u16("text length")?;
                Self::Text(c.text("value", len as u64, Encoding::Utf8)?)
            }
            0x8019 => Self::Decimal(Decimal::decode(c)?),
            0x801a => Self::Date(c.f64("value")?.to_bits()),
            0x801b => Self::Text(c.text_z("value")?),
            _ => match size_of_other(leaf) {
                Some(len) => Self::Other(leaf, c.bytes("value", len)?),
                None => {
                    return Err(c.error_since(start, ErrorKind::Invalid("a numeric leaf of a kind that is not known")));
                }
            },
        })
    }

    /// Reads one, with the span of all of it.
    pub fn at<N: Notes>(c: &mut Cursor<'a, N>) -> Result<At<Self>> {
        let start = c.position();
        Ok(At::new(Self::decode(c)?, c.since(start)))
    }
}

impl Decimal {
    fn decode<N: Notes>(c: &mut Cursor<'_, N>) -> Result<Self> {
        c.group("decimal", |c| {
            c.u16("reserved")?;
            let (scale, sign) = (c.u8("scale")?, c.u8("sign")?);
            let (high, low) = (c.u32("high 32 bits")?, c.u64("low 64 bits")?);
            Ok(Self { scale, negative: sign & 0x80 != 0, bits: (high as u128) << 64 | low as u128 })
        })
    }
}

/// How many bytes follow the leaves of numbers that .NET does not have.
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
