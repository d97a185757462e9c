//! Numbers of ready-to-run images: native format integers, nibbles, bit fields.

use super::{BitRole, Reading, Step, bits};
use pdblens_formats::bytes::ReadAs;

/// Integer of the native format, whose lowest bits give its length.
pub(super) fn native(step: &Step) -> Option<Reading> {
    let (first, raw, value) = (*step.bytes.first()?, step.raw?, step.field.number?);
    let ones = first.trailing_ones();
    let mut reading = Reading::of("native format integer", &step.bytes);
    let tag = ones + 1;
    let role = |bit| if bit < tag { BitRole::Prefix } else { BitRole::Payload };
    let form = match ones {
        0 => "bit 0 is 0: one byte, 7 bits".to_owned(),
        4 => "four low bits are 1: four more bytes hold the number".to_owned(),
        _ => format!("low bits 1, then 0, {tag} in all: {tag} bytes, {} bits, little-endian", tag * 7),
    };
    reading.drawn("first byte", bits(first.into(), 8, role), 0, form);
    let text = if ones == 4 { format!("{raw}") } else { format!("little-endian, shifted right by {tag}: {raw}") };
    reading.words("number", text);
    if value < 0 {
        let width = (tag * 7).min(32);
        reading.words(format!("two's complement, {width} bits"), format!("{raw} − {} = {value}", 1_u64 << width));
    }
    Some(reading)
}

/// Number of nibbles, the highest group of three bits first.
pub(super) fn nibbles(step: &Step, is_high: bool, is_signed: bool) -> Option<Reading> {
    let (raw, value) = (step.raw?, step.field.number?);
    let mut reading = Reading::of("nibbles", &step.bytes);
    let all = step.bytes.iter().flat_map(|byte| [byte & 0xf, byte >> 4]).skip(usize::from(is_high));
    let mut number = 0_u64;
    for nibble in all {
        number = number << 3 | u64::from(nibble & 7);
        let more = if nibble & 8 == 0 { "bit 3 is 0: the last" } else { "bit 3 is 1: more follow" };
        let role = |bit| if bit == 3 { BitRole::Prefix } else { BitRole::Payload };
        reading.drawn(
            format!("nibble {nibble:x}"),
            bits(nibble.into(), 4, role),
            0,
            format!("{more}; so far {number}"),
        );
        if nibble & 8 == 0 {
            break;
        }
    }
    if is_signed {
        reading.words("lowest bit", format!("the sign: {raw} is {value}"));
    }
    Some(reading)
}

pub(super) fn bit_field(step: &Step, first: u8, len: u8) -> Option<Reading> {
    let raw = step.raw?;
    let mut reading = Reading::of("bit field", &step.bytes);
    let all = step.bytes.iter().take(8).rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
    let (first, len) = (u32::from(first), u32::from(len));
    let role = |bit| if (first..first + len).contains(&bit) { BitRole::Payload } else { BitRole::Unused };
    let text = format!("little-endian: bits {first} to {}", first + len - 1);
    reading.drawn(reading.caption.clone(), bits(all, step.bytes.len() as u32 * 8, role), 0, text);
    reading.words("number", format!("{raw:#x} = {raw}"));
    Some(reading)
}

pub(crate) const fn hint(read: ReadAs) -> Option<&'static str> {
    match read {
        ReadAs::Native | ReadAs::NativeSigned => {
            Some("The low bits of the first byte tell the length: as many 1 bits, so many more bytes. Shift them out.")
        }
        ReadAs::Nibbles(_) | ReadAs::SignedNibbles(_) => {
            Some("The low nibble of a byte comes first; each has three bits, the highest group first.")
        }
        ReadAs::Bits { .. } => Some("The bits are counted from the lowest of the first byte."),
        _ => None,
    }
}
