//! Stored values: the number in the bytes as encoded, before and after it is decoded.

use super::{Encoding, ReadAs};

/// Bits of a compressed integer that hold its value (ECMA-335 II.23.2): 7, 14 or 29. `None` if no compressed integer begins with this
/// byte.
pub const fn payload_bits(first: u8) -> Option<u32> {
    match first {
        0..0x80 => Some(7),
        0x80..0xc0 => Some(14),
        0xc0..0xe0 => Some(29),
        _ => None,
    }
}

/// Returns the number as stored, without prefix bits and before a sign is applied. `None` if the form is not an integer, or `bytes` does
/// not have its length.
pub fn stored(read: ReadAs, bytes: &[u8]) -> Option<u64> {
    let little = |len: usize| {
        let bytes = Some(bytes).filter(|bytes| bytes.len() == len)?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    };
    match read {
        ReadAs::U8 | ReadAs::I8 => little(1),
        ReadAs::U16 | ReadAs::I16 => little(2),
        ReadAs::U24 => little(3),
        ReadAs::U32 | ReadAs::I32 | ReadAs::F32 => little(4),
        ReadAs::U64 | ReadAs::I64 | ReadAs::F64 => little(8),
        ReadAs::Compressed | ReadAs::CompressedSigned => {
            let bits = payload_bits(*bytes.first()?)?;
            let number = bytes.iter().take(4).fold(0, |number, byte| number << 8 | u64::from(*byte));
            (bytes.len() as u32 == bits.saturating_add(3) / 8).then_some(number & !(u64::MAX << bits))
        }
        ReadAs::SevenBit | ReadAs::SignedSevenBit => {
            Some(bytes.iter().rev().fold(0, |number: u64, byte| number << 7 | u64::from(byte & 0x7f)) & 0xffff_ffff)
        }
        ReadAs::Native | ReadAs::NativeSigned => {
            let shift = bytes.first()?.trailing_ones().saturating_add(1);
            match bytes.len() {
                5 => little(5).map(|number| number >> 8),
                len => little(len).map(|number| number >> shift),
            }
        }
        ReadAs::Nibbles(is_high) | ReadAs::SignedNibbles(is_high) => Some(nibbles(bytes, is_high)),
        ReadAs::Bits { first, len } => {
            let all = bytes.iter().take(8).rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
            Some(all >> first & !(u64::MAX << len))
        }
        ReadAs::Unread | ReadAs::Guid | ReadAs::Text(_) | ReadAs::Bytes => None,
    }
}

/// Number of the nibbles of `bytes`, from the low or the high one of the first byte on.
fn nibbles(bytes: &[u8], is_high: bool) -> u64 {
    let mut number = 0;
    for nibble in bytes.iter().flat_map(|byte| [byte & 0xf, byte >> 4]).skip(usize::from(is_high)) {
        number = number << 3 | u64::from(nibble & 7);
        if nibble & 8 == 0 {
            break;
        }
    }
    number
}

/// Returns true for integers whose size depends only on their form.
pub const fn has_fixed_size(read: ReadAs) -> bool {
    use ReadAs::{I8, I16, I32, I64, U8, U16, U24, U32, U64};
    matches!(read, U8 | U16 | U24 | U32 | U64 | I8 | I16 | I32 | I64)
}

/// Decodes `bytes` by their form alone. Unsigned values above `i64::MAX` wrap, and so do bits of a floating-point number.
pub fn decoded(read: ReadAs, bytes: &[u8]) -> Option<i64> {
    let raw = stored(read, bytes)?;
    let signed = |bits: u32| {
        let unused = u64::BITS.saturating_sub(bits);
        (raw << unused).cast_signed() >> unused
    };
    Some(match read {
        ReadAs::I8 => signed(8),
        ReadAs::I16 => signed(16),
        ReadAs::I32 | ReadAs::SevenBit => signed(32),
        ReadAs::CompressedSigned => rotated(raw, payload_bits(*bytes.first()?)?),
        ReadAs::SignedSevenBit | ReadAs::NativeSigned => signed((bytes.len() * 7).min(32) as u32),
        ReadAs::SignedNibbles(_) => {
            let magnitude = (raw >> 1).cast_signed();
            if raw & 1 == 0 { magnitude } else { magnitude.saturating_neg() }
        }
        _ => raw.cast_signed(),
    })
}

/// Moves the lowest of `bits` bits to the top and reads the result in two's complement.
pub const fn rotated(raw: u64, bits: u32) -> i64 {
    let (value, sign) = ((raw >> 1).cast_signed(), raw & 1 == 1);
    if sign { value.wrapping_sub(1 << bits.saturating_sub(1)) } else { value }
}

/// Name of a form, as in tables of steps.
pub const fn form_name(read: ReadAs) -> &'static str {
    match read {
        ReadAs::Unread => "",
        ReadAs::U8 => "u8",
        ReadAs::U16 => "u16",
        ReadAs::U24 => "u24",
        ReadAs::U32 => "u32",
        ReadAs::U64 => "u64",
        ReadAs::I8 => "i8",
        ReadAs::I16 => "i16",
        ReadAs::I32 => "i32",
        ReadAs::I64 => "i64",
        ReadAs::F32 => "f32",
        ReadAs::F64 => "f64",
        ReadAs::Guid => "guid",
        ReadAs::Compressed => "compressed",
        ReadAs::CompressedSigned => "compressed signed",
        ReadAs::SevenBit => "leb128",
        ReadAs::SignedSevenBit => "signed leb128",
        ReadAs::Native => "native",
        ReadAs::NativeSigned => "native signed",
        ReadAs::Nibbles(_) => "nibbles",
        ReadAs::SignedNibbles(_) => "signed nibbles",
        ReadAs::Bits { .. } => "bits",
        ReadAs::Text(Encoding::Utf8) => "utf-8",
        ReadAs::Text(Encoding::Utf8Z) => "utf-8, NUL",
        ReadAs::Text(Encoding::Utf16) => "utf-16",
        ReadAs::Text(Encoding::Utf16Z) => "utf-16, NUL",
        ReadAs::Bytes => "bytes",
    }
}
