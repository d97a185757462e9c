//! The reading of one value, bit by bit: prefix, payload and sign of compressed integers, each bit field of flags, each byte of
//! other numbers.

use std::ops::Range;

use super::Step;
use super::derivation::{coded_index, hex_bytes};
use pdblens_formats::bytes::stored::{payload_bits, rotated};
use pdblens_formats::bytes::{ReadAs, Show};
use pdblens_formats::metadata::schema::CodedIndex;

/// The reading of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitWalk {
    /// Noun for the bits: `byte 77`, `0x0006 of bytes 06 00`.
    pub caption: String,
    /// The bits as they are drawn.
    pub bits: Vec<bool>,
    /// Steps in the order of the reading; never empty.
    pub steps: Vec<BitStep>,
}

/// One step: the bits that it looks at, and what is known after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitStep {
    /// Indices of the bits as drawn.
    pub bits: Range<usize>,
    /// Meaning of the bits, in a sentence.
    pub text: String,
    /// State after the step: a noun and its value.
    pub state: Vec<(&'static str, String)>,
}

/// Reads the value of a step bit by bit. `None` for text, GUIDs, floating-point numbers and plain bytes.
pub fn walk(step: &Step) -> Option<BitWalk> {
    match step.field.read {
        ReadAs::Compressed => compressed(step, false),
        ReadAs::CompressedSigned => compressed(step, true),
        ReadAs::SevenBit => seven_bit(step),
        ReadAs::Text(_) | ReadAs::Bytes | ReadAs::Unread | ReadAs::Guid | ReadAs::F32 | ReadAs::F64 => None,
        _ => bit_fields(step).or_else(|| bytes(step)),
    }
}

/// The highest bit of each byte first.
fn bits_of(bytes: &[u8]) -> Vec<bool> {
    bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1)).collect()
}

/// Bits as a binary number without blanks.
fn binary(bits: &[bool]) -> String {
    bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect()
}

fn number(bits: &[bool]) -> u64 {
    bits.iter().fold(0, |number, bit| number << 1 | u64::from(*bit))
}

fn named(bytes: &[u8]) -> String {
    format!("{} {}", if bytes.len() == 1 { "byte" } else { "bytes" }, hex_bytes(bytes))
}

/// Steps of a compressed integer (ECMA-335 II.23.2): up to three prefix bits, the payload from its highest bit, and the sign.
fn compressed(step: &Step, signed: bool) -> Option<BitWalk> {
    let payload = payload_bits(*step.bytes.first()?)? as usize;
    let bits = bits_of(&step.bytes);
    let prefix = bits.len().checked_sub(payload)?;
    let mut steps: Vec<BitStep> = (0..prefix).map(|at| prefix_step(at, prefix, payload)).collect();
    let length = steps.last().and_then(|step| step.state.first().cloned());
    let length = || length.clone().into_iter();
    for at in prefix..bits.len() {
        let read = bits.get(prefix..=at).unwrap_or_default();
        let (bit, left) = (u64::from(bits.get(at) == Some(&true)), bits.len() - at - 1);
        let before = number(read) >> 1;
        let text = format!("payload: {before} × 2 + {bit} = {}", number(read));
        let payload = format!("{} = {}", binary(read), number(read));
        let rest = [("payload", payload), ("bits left", left.to_string())];
        steps.push(BitStep { bits: at..at + 1, text, state: length().chain(rest).collect() });
    }
    let raw = number(bits.get(prefix..)?);
    if signed {
        sign_steps(&mut steps, bits.len(), prefix, raw);
    } else {
        let done = BitStep {
            bits: prefix..bits.len(),
            text: "the payload is the value: the number is unsigned".to_owned(),
            state: length().chain([("value", raw.to_string())]).collect(),
        };
        steps.push(done);
    }
    if !signed && let Some(index) = coded_index(step) {
        steps.extend(coded(index, raw, prefix, bits.len()));
    }
    Some(BitWalk { caption: named(&step.bytes), bits, steps })
}

/// A prefix bit of a compressed integer.
fn prefix_step(at: usize, prefix: usize, payload: usize) -> BitStep {
    let last = at + 1 == prefix;
    let size = match prefix {
        1 => "1 byte",
        2 => "2 bytes, big-endian",
        _ => "4 bytes, big-endian",
    };
    let (text, length) = match (at, last) {
        (0, true) => ("bit 7 is 0: the number has one byte", size),
        (0, false) => ("bit 7 is 1: the number has more than one byte; the next bit tells how many", "2 or 4 bytes"),
        (1, true) => ("bit 6 is 0: two bytes", size),
        (1, false) => ("bit 6 is 1: four bytes, if the next bit is 0", "4 bytes"),
        _ => ("bit 5 is 0: four bytes", size),
    };
    let length = if last { format!("{length}: {payload} bits of payload") } else { length.to_owned() };
    BitStep { bits: at..at + 1, text: text.to_owned(), state: vec![("length", length)] }
}

/// Sign, rotation and two's complement of a compressed signed integer.
fn sign_steps(steps: &mut Vec<BitStep>, end: usize, prefix: usize, raw: u64) {
    let payload = (end - prefix) as u32;
    let (negative, turned) = (raw & 1 == 1, raw >> 1 | (raw & 1) << (payload - 1));
    let width = payload as usize;
    let stored = ("payload", format!("{raw:0width$b} = {raw}"));
    let sign = ("sign", if negative { "negative".to_owned() } else { "not negative".to_owned() });
    let rotated_bits = ("rotated", format!("{turned:0width$b} = {turned}"));
    let value = rotated(raw, payload);
    let last = end - 1..end;
    let text = format!("the lowest bit is the sign: {}, {}", raw & 1, sign.1);
    steps.push(BitStep { bits: last.clone(), text, state: vec![stored.clone(), sign.clone()] });
    let text = "rotate right: the lowest bit moves to the top, the others down by one".to_owned();
    let state = vec![stored.clone(), sign.clone(), rotated_bits.clone()];
    steps.push(BitStep { bits: prefix..end, text, state });
    let text = if negative {
        format!("two's complement of {payload} bits: {turned} − {} = {value}", 1_u64 << payload)
    } else {
        format!("two's complement of {payload} bits: the top bit is 0, so the value is {value}")
    };
    let state = vec![stored, sign, rotated_bits, ("value", value.to_string())];
    steps.push(BitStep { bits: prefix..end, text, state });
}

/// Tag and row of a coded index, of which the bits up to `end` are drawn.
fn coded(index: &CodedIndex, value: u64, start: usize, end: usize) -> [BitStep; 2] {
    let tag_bits = u32::from(index.bits);
    let cut = end - (tag_bits as usize).min(end - start);
    let tag = value & ((1 << tag_bits) - 1);
    let table = index.decode(value as u32).map_or_else(|| "no table".to_owned(), |(table, _)| table.name().to_owned());
    let tagged = ("table", table.clone());
    [
        BitStep {
            bits: cut..end,
            text: format!("the lowest {tag_bits} bits are the tag of {}: {tag} selects {table}", index.name),
            state: vec![tagged.clone()],
        },
        BitStep {
            bits: start..cut,
            text: format!(
                "the bits above are the row: {value} ÷ {} = {}, and the remainder {tag} is the tag",
                1 << tag_bits,
                value >> tag_bits
            ),
            state: vec![tagged, ("row", (value >> tag_bits).to_string())],
        },
    ]
}

/// Steps of a LEB128 number: in each byte the bit that tells if another follows, and seven bits of the value.
fn seven_bit(step: &Step) -> Option<BitWalk> {
    let (mut steps, mut value) = (Vec::new(), 0_u64);
    for (index, byte) in step.bytes.iter().enumerate() {
        let (from, payload) = (index * 8, u64::from(byte & 0x7f));
        let last = byte & 0x80 == 0;
        let text = if last { "bit 7 is 0: this is the last byte" } else { "bit 7 is 1: another byte follows" };
        let so_far = ("value so far", value.to_string());
        steps.push(BitStep { bits: from..from + 1, text: text.to_owned(), state: vec![so_far] });
        let shift = (index as u32 * 7).min(56);
        value = value.wrapping_add(payload << shift);
        let text = format!("seven bits, {payload}, count 2^{shift} each: + {} = {value}", payload << shift);
        steps.push(BitStep { bits: from + 1..from + 8, text, state: vec![("value so far", value.to_string())] });
    }
    let last = steps.last_mut()?;
    last.state = vec![("value", step.field.number?.to_string())];
    Some(BitWalk { caption: named(&step.bytes), bits: bits_of(&step.bytes), steps })
}

/// Steps of flags, bit fields and coded indexes: each field with its bits, from the lowest.
fn bit_fields(step: &Step) -> Option<BitWalk> {
    let value = step.field.number?.cast_unsigned();
    let width = step.bytes.len() * 8;
    let bits: Vec<bool> = (0..width as u32).rev().map(|bit| value >> bit & 1 == 1).collect();
    let mut steps = match (coded_index(step).filter(|_| step.column.is_some()), step.field.show) {
        (Some(index), _) => coded(index, value, 0, width).to_vec(),
        (None, _) if !step.field.bits.is_empty() => step
            .field
            .bits
            .iter()
            .map(|bit| {
                field_step(bit.mask, value, width, &format!("{} = {}: {}", bit.label(), bit.of(value), bit.text))
            })
            .collect(),
        (None, Some(Show::Flags(names))) => flags(names, value, width),
        (None, Some(Show::Parts(parts))) => bit_parts(parts, value, width),
        _ => return None,
    };
    steps.retain(|step| !step.bits.is_empty());
    let digits = step.bytes.len() * 2;
    let caption = format!("0x{value:0digits$x}, little-endian in {}", named(&step.bytes));
    (!steps.is_empty()).then_some(BitWalk { caption, bits, steps })
}

/// One step for the bits of `mask`.
fn field_step(mask: u64, value: u64, width: usize, text: &str) -> BitStep {
    let (low, high) = (mask.trailing_zeros() as usize, 64 - mask.leading_zeros() as usize);
    let bits = if mask == 0 || high > width { 0..0 } else { width - high..width - low };
    let state = vec![("bits", format!("{:#x} of {value:#x}", value & mask))];
    BitStep { bits, text: text.to_owned(), state }
}

/// Steps of flags, and one for the bits that have no name.
fn flags(names: &[(u64, &'static str)], value: u64, width: usize) -> Vec<BitStep> {
    let mut named: Vec<_> = names.iter().filter(|(mask, _)| *mask != 0).collect();
    named.sort_by_key(|(mask, _)| mask.trailing_zeros());
    let mut set: Vec<&str> = Vec::new();
    let mut steps = Vec::new();
    for (mask, name) in named {
        let is_set = value & mask == *mask;
        set.extend(is_set.then_some(*name));
        let text =
            if is_set { format!("{mask:#x} is set: {name}") } else { format!("{mask:#x} is not set: not {name}") };
        let so_far = if set.is_empty() { "none".to_owned() } else { set.join(" | ") };
        steps.push(BitStep { state: vec![("set so far", so_far)], ..field_step(*mask, value, width, &text) });
    }
    steps
}

/// Steps of bit fields with several values each: one for each mask.
fn bit_parts(parts: &[(u64, u64, &'static str)], value: u64, width: usize) -> Vec<BitStep> {
    let mut masks: Vec<u64> = parts.iter().map(|(mask, ..)| *mask).collect();
    masks.sort_by_key(|mask| (mask.trailing_zeros(), *mask));
    masks.dedup();
    let one = |mask: &u64| {
        let found = parts.iter().find(|(of, is, _)| of == mask && value & mask == *is);
        let name = found.map_or("no name", |(.., name)| name);
        field_step(*mask, value, width, &format!("mask {mask:#x}: {:#x} is {name}", value & mask))
    };
    masks.iter().map(one).collect()
}

/// Steps of a little-endian number: each byte counts 256 times as much as the one before it.
fn bytes(step: &Step) -> Option<BitWalk> {
    let (mut steps, mut sum) = (Vec::new(), 0_u128);
    for (index, byte) in step.bytes.iter().enumerate() {
        let worth = u128::from(*byte) << (8 * index);
        sum += worth;
        let text = match index {
            0 => format!("the first byte, {byte:02x}, counts ones: {byte}"),
            _ => format!(
                "byte {}, {byte:02x}, counts 256^{index}: {byte} × {} = {worth}",
                index + 1,
                1_u128 << (8 * index)
            ),
        };
        let at = index * 8;
        steps.push(BitStep { bits: at..at + 8, text, state: vec![("sum so far", format!("{sum} = {sum:#x}"))] });
    }
    let value = step.field.number?;
    if value < 0 && matches!(step.field.read, ReadAs::I8 | ReadAs::I16 | ReadAs::I32 | ReadAs::I64) {
        let (top, width) = ((step.bytes.len() - 1) * 8, step.bytes.len() * 8);
        let text = format!("the highest bit is 1: negative, {sum} − 2^{width} = {value}");
        steps.push(BitStep { bits: top..top + 1, text, state: vec![("value", value.to_string())] });
    }
    (!steps.is_empty()).then(|| BitWalk { caption: named(&step.bytes), bits: bits_of(&step.bytes), steps })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::codec::Codec;

    fn walk_of(kind: &str, text: &str) -> BitWalk {
        let codec = Codec::named(kind).unwrap();
        let decoded = codec.decode(&codec.encode(text).unwrap());
        walk(decoded.steps.reads().next().unwrap()).unwrap()
    }

    fn last_value(walk: &BitWalk) -> String {
        walk.steps.last().unwrap().state.iter().find(|(name, _)| *name == "value").unwrap().1.clone()
    }

    #[test]
    fn a_signed_number_is_read_from_its_prefix_to_its_sign() {
        let walk = walk_of("sint", "-5");
        assert_eq!((walk.caption.as_str(), binary(&walk.bits).as_str()), ("byte 77", "01110111"));
        let texts: Vec<&str> = walk.steps.iter().map(|step| step.text.as_str()).collect();
        assert_eq!(texts.len(), 11);
        assert_eq!(texts[0], "bit 7 is 0: the number has one byte");
        assert_eq!(texts[7], "payload: 59 × 2 + 1 = 119");
        assert_eq!(texts[8], "the lowest bit is the sign: 1, negative");
        assert!(texts[9].starts_with("rotate right"), "{}", texts[9]);
        assert_eq!(texts[10], "two's complement of 7 bits: 123 − 128 = -5");
        let state = &walk.steps[10].state;
        assert!(state.contains(&("rotated", "1111011 = 123".to_owned())), "{state:?}");
        assert_eq!((walk.steps[0].bits.clone(), walk.steps[8].bits.clone()), (0..1, 7..8));
    }

    #[test]
    fn the_prefix_of_four_bytes_has_three_bits() {
        let walk = walk_of("uint", "16384");
        assert_eq!(walk.steps[2].state, [("length", "4 bytes, big-endian: 29 bits of payload".to_owned())]);
        assert_eq!((walk.steps[3].bits.clone(), last_value(&walk)), (3..4, "16384".to_owned()));
    }

    #[test]
    fn a_coded_index_ends_with_its_tag_and_row() {
        let codec = Codec::named("type").unwrap();
        let decoded = codec.decode(&[0x12, 0x0d]);
        let index = decoded.steps.reads().find(|step| step.field.name == "type").unwrap();
        let walk = walk(index).unwrap();
        let [tag, row] = walk.steps.last_chunk::<2>().unwrap();
        assert!(
            tag.text.ends_with("1 selects TypeRef") && row.text.ends_with("13 ÷ 4 = 3, and the remainder 1 is the tag"),
            "{walk:?}"
        );
        assert_eq!((tag.bits.clone(), row.bits.clone()), (6..8, 1..6));
    }

    #[test]
    fn flags_name_their_bits_and_other_numbers_their_bytes() {
        let codec = Codec::named("references").unwrap();
        let (hex, _) = codec.example;
        let steps = codec.decode(&crate::codec::parse_hex(hex).unwrap()).steps;
        let of = |name: &str| walk(steps.reads().find(|step| step.field.name == name).unwrap()).unwrap();
        let texts: Vec<String> = of("flags").steps.into_iter().map(|step| step.text).collect();
        assert_eq!(texts, ["0x1 is set: assembly", "0x2 is not set: not interop types embedded"]);
        let size = of("size of image");
        assert_eq!(size.steps[1].text, "byte 2, 20, counts 256^1: 32 × 256 = 8192");
    }

    proptest! {
        #[test]
        fn the_last_state_is_the_value(unsigned in 0_u32..0x2000_0000, signed in -0x1000_0000_i32..0x1000_0000) {
            prop_assert_eq!(last_value(&walk_of("uint", &unsigned.to_string())), unsigned.to_string());
            let walk = walk_of("sint", &signed.to_string());
            prop_assert_eq!(last_value(&walk), signed.to_string());
            for step in &walk.steps {
                prop_assert!(step.bits.end <= walk.bits.len() && !step.bits.is_empty());
            }
        }
    }
}
