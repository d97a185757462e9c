//! Numbers of as many bytes as they need: compressed integers (ECMA-335 II.23.2) and LEB128 numbers.

use super::{BitRole, Reading, Step, bits};
use pdblens_formats::bytes::stored::{payload_bits, rotated};
use pdblens_session::text::safe::count;

pub(super) fn unsigned(step: &Step) -> Option<Reading> {
    let (mut reading, payload, raw) = begin(step, "unsigned compressed integer", false)?;
    let end = reading.bits.len();
    let mut state = length_state(&reading);
    state.push(("value", raw.to_string()));
    reading.step(end - payload..end, "the payload is the value: the number is unsigned", state);
    Some(reading)
}

pub(super) fn signed(step: &Step) -> Option<Reading> {
    let (mut reading, width, raw) = begin(step, "signed compressed integer", true)?;
    let payload = width as u32;
    let end = reading.bits.len();
    let indent = (end - width) as u8;
    let (negative, value) = (raw & 1 == 1, rotated(raw, payload));
    let turned = raw >> 1 | (raw & 1) << (payload - 1);
    let sign = if negative { "negative" } else { "not negative" };
    let sign_at = |at: u32| move |bit| if bit == at { BitRole::Sign } else { BitRole::Payload };
    let complement = format!("{turned} − {} = {value}", 1_u64 << payload);

    reading.drawn("lowest bit", bits(raw, payload, sign_at(0)), indent, format!("the sign: {sign}"));
    let text = format!("sign to the top: {turned}");
    reading.drawn("rotated right", bits(turned, payload, sign_at(payload - 1)), indent, text);
    let text = if negative { complement.clone() } else { value.to_string() };
    reading.words(format!("two's complement, {payload} bits"), text);
    reading.words("if it were unsigned", raw.to_string());

    let mut state = vec![("payload", format!("{raw:0width$b} = {raw}")), ("sign", sign.to_owned())];
    let text = format!("the lowest bit is the sign: {}, {sign}", raw & 1);
    reading.step(end - 1..end, text, state.clone());
    state.push(("rotated", format!("{turned:0width$b} = {turned}")));
    let text = "rotate right: the lowest bit moves to the top, the others down by one";
    reading.step(end - width..end, text, state.clone());
    state.push(("value", value.to_string()));
    let result = if negative { complement } else { format!("the top bit is 0, so the value is {value}") };
    reading.step(end - width..end, format!("two's complement of {payload} bits: {result}"), state);
    Some(reading)
}

/// The reading up to the payload, the number of bits of the payload, and the number that they are.
fn begin(step: &Step, title: &str, is_signed: bool) -> Option<(Reading, usize, u64)> {
    let (first, raw) = (*step.bytes.first()?, step.raw?);
    let payload = payload_bits(first)?;
    let mut reading = Reading::of(title, &step.bytes);
    let all = reading.bits.len();
    let prefix = all.checked_sub(payload as usize)?;
    let form = match prefix {
        1 => "bit 7 is 0: one byte, 7 bits",
        2 => "begins with 10: two bytes, 14 bits, big-endian",
        _ => "begins with 110: four bytes, 29 bits, big-endian",
    };
    let role = |bit| if bit < payload { BitRole::Payload } else { BitRole::Prefix };
    let whole = step.bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    reading.drawn(reading.caption.clone(), bits(whole, all as u32, role), 0, form);
    reading.drawn("payload", bits(raw, payload, |_| BitRole::Payload), prefix as u8, raw.to_string());
    add_not_shortest(step, is_signed, &mut reading);
    for at in 0..prefix {
        add_prefix_step(&mut reading, at, prefix);
    }
    add_payload_steps(&mut reading, prefix, raw);
    Some((reading, payload as usize, raw))
}

fn add_not_shortest(step: &Step, is_signed: bool, reading: &mut Reading) {
    let Some(number) = step.field.number else { return };
    let fits = |bits: u32| {
        let half = 1_i64 << (bits - 1);
        let range = if is_signed { -half..half } else { 0..half << 1 };
        range.contains(&number)
    };
    let fewest = if fits(7) {
        1
    } else if fits(14) {
        2
    } else {
        4
    };
    if fewest < step.bytes.len() {
        let text = format!("{number} fits into {}, and writers use the fewest bytes", count(fewest as u64, "byte"));
        reading.words("not the shortest form", text);
    }
}

fn add_prefix_step(reading: &mut Reading, at: usize, prefix: usize) {
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
    let payload = reading.bits.len() - prefix;
    let length = if last { format!("{length}: {payload} bits of payload") } else { length.to_owned() };
    reading.step(at..at + 1, text, vec![("length", length)]);
}

/// Steps of the payload, from its highest bit.
fn add_payload_steps(reading: &mut Reading, prefix: usize, raw: u64) {
    let length = length_state(reading);
    let end = reading.bits.len();
    for at in prefix..end {
        let left = end - at - 1;
        let number = raw >> left;
        let width = at + 1 - prefix;
        let text = format!("payload: {} × 2 + {} = {number}", number >> 1, number & 1);
        let mut state = length.clone();
        state.push(("payload", format!("{number:0width$b} = {number}")));
        state.push(("bits left", left.to_string()));
        reading.step(at..at + 1, text, state);
    }
}

fn length_state(reading: &Reading) -> Vec<(&'static str, String)> {
    reading.bit_steps.last().into_iter().filter_map(|step| step.state.first().cloned()).collect()
}

/// A LEB128 number: in each byte the bit that tells if another follows, and seven bits of the value.
pub(super) fn seven_bit(step: &Step) -> Option<Reading> {
    let number = step.field.number?;
    let mut reading = Reading::of("LEB128 number", &step.bytes);
    let mut value = 0_u64;
    for (index, byte) in step.bytes.iter().enumerate() {
        let is_last = byte & 0x80 == 0;
        let role = |bit| if bit == 7 { BitRole::Prefix } else { BitRole::Payload };
        let text = if is_last { "the last byte" } else { "bit 7 is set: another byte follows" };
        reading.drawn(format!("byte {byte:02x}"), bits(u64::from(*byte), 8, role), 0, text);

        let from = index * 8;
        let text = if is_last { "bit 7 is 0: this is the last byte" } else { "bit 7 is 1: another byte follows" };
        reading.step(from..from + 1, text, vec![("value so far", value.to_string())]);
        let (payload, shift) = (u64::from(byte & 0x7f), (index as u32 * 7).min(56));
        value = value.wrapping_add(payload << shift);
        let text = format!("seven bits, {payload}, count 2^{shift} each: + {} = {value}", payload << shift);
        reading.step(from + 1..from + 8, text, vec![("value so far", value.to_string())]);
    }
    reading.bit_steps.last_mut()?.state = vec![("value", number.to_string())];
    reading.words("7 bits each, lowest first", number.to_string());
    Some(reading)
}
