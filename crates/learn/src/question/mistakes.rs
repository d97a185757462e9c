//! Mistakes that people make with the forms of numbers, and the numbers that come out of them.

use super::{Given, Mistake};
use crate::codec::Codec;
use crate::steps::notation;
use crate::{Step, Steps};
use pdblens_formats::bytes::stored::payload_bits;
use pdblens_formats::bytes::{ReadAs, Show};

/// The line of a hidden point in Windows PDBs and in the interfaces of debuggers.
const HIDDEN_LINE: i64 = 0x00fe_efee;
const BIG_ENDIAN: &str = "Compressed integers are big-endian: the byte with the length comes first.";
const LENGTH_BITS: &str = "The bits that tell the length are missing: 10 for two bytes, 110 for four.";

/// Collects mistakes, without those that give a right answer or one that is already explained.
#[derive(Clone, Debug)]
pub(super) struct Mistakes {
    right: Vec<Given>,
    pub found: Vec<Mistake>,
}

impl Mistakes {
    pub fn new(right: Vec<Given>) -> Self {
        Self { right, found: Vec::new() }
    }

    pub fn add(&mut self, answer: impl Into<Given>, because: impl Into<String>) {
        let answer = answer.into();
        if !self.right.contains(&answer) && self.found.iter().all(|mistake| mistake.answer != answer) {
            self.found.push(Mistake { answer, because: because.into() });
        }
    }

    pub fn extend(&mut self, more: Vec<Mistake>) {
        for Mistake { answer, because } in more {
            self.add(answer, because);
        }
    }
}

pub(super) fn of_value(step: &Step) -> Vec<Mistake> {
    let Some(value) = step.field.number else { return of_guid(step) };
    let mut mistakes = Mistakes::new(vec![Given::Number(value)]);
    let raw = step.raw.map_or(0, u64::cast_signed);
    let big = number_of(step.bytes.iter());
    let little = number_of(step.bytes.iter().rev());
    let first = i64::from(step.bytes.first().copied().unwrap_or(0));
    let bits = payload_bits(first as u8).unwrap_or(7);
    let mask = !(i64::MAX << bits);
    match step.field.read {
        ReadAs::CompressedSigned => {
            signed(&mut mistakes, raw, value, bits);
            mistakes.add(big, "The bits that tell the length do not belong to the number.");
            mistakes.add(little & mask, "Compressed integers are big-endian: the first byte has the highest bits.");
        }
        ReadAs::Compressed => {
            if step.bytes.len() > 1 {
                let text = "The highest bits of the first byte tell the length: they do not belong to the number.";
                mistakes.add(big, text);
                let reversed = number_of(step.bytes.iter().skip(1).rev().chain([&(first as u8 & 0x3f)]));
                mistakes.add(reversed, "Compressed integers are big-endian: the first byte has the highest bits.");
                let text = "That is the first byte alone: its highest bits say that more bytes belong to the number.";
                mistakes.add(first, text);
                let text = "Compressed integers are big-endian, and the bits that tell the length do not count.";
                mistakes.add(little, text);
            }
            let rotated = pdblens_formats::bytes::stored::rotated(raw.cast_unsigned(), bits);
            mistakes.add(rotated, "That is the number read as signed: this field is unsigned.");
        }
        _ if step.bytes.len() > 1 => {
            let text =
                "The bytes were read from left to right: the number is little-endian, its lowest byte is the first.";
            mistakes.add(big, text);
            mistakes.add(raw, "That is the number read as unsigned: it is in two's complement.");
            mistakes.add(first, "That is the first byte alone: the number has more.");
        }
        _ => {}
    }
    // Bare digits are an IL offset in hexadecimal already.
    let hexadecimal = matches!(step.field.show, Some(Show::IlOffset));
    if let Some(decimal) = format!("{raw:x}").parse::<i64>().ok().filter(|decimal| *decimal != raw && !hexadecimal) {
        mistakes.add(decimal, format!("The bytes are in hexadecimal: 0x{raw:x} is {raw} in decimal."));
    }
    mistakes.found
}

fn of_guid(step: &Step) -> Vec<Mistake> {
    let mut mistakes = Mistakes::new(vec![Given::Text(step.field.value.clone())]);
    if step.field.read == ReadAs::Guid {
        let text = "That is the order of the bytes: the first three groups of a GUID are little-endian, so each of them is reversed.";
        mistakes.add(pdblens_session::text::safe::hex(&step.bytes), text);
        let reversed: Vec<u8> = step.bytes.iter().rev().copied().collect();
        let text = "All bytes were reversed: only the first three groups are little-endian, each by itself; the last 8 bytes stand as they are.";
        mistakes.add(pdblens_session::text::safe::hex(&reversed), text);
        for (groups, ends) in [("the first group was", [4, 4, 4]), ("the first two groups were", [4, 6, 6])] {
            let mut bytes = step.bytes.clone();
            let mut from = 0;
            for end in ends {
                if let Some(group) = bytes.get_mut(from..end) {
                    group.reverse();
                }
                from = end;
            }
            let text = format!("Only {groups} reversed: the first three groups are little-endian, each by itself.");
            mistakes.add(pdblens_session::text::safe::hex(&bytes), text);
        }
    }
    mistakes.found
}

fn signed(mistakes: &mut Mistakes, raw: i64, value: i64, bits: u32) {
    let range = 1_i64 << bits;
    let turned = raw >> 1 | (raw & 1) << (bits - 1);
    let text = "is the number read as unsigned: its lowest bit is the sign, and has to be rotated to the top first.";
    mistakes.add(raw, format!("{raw} {text}"));
    if raw & 1 == 1 {
        let top = format!("the top one of {bits} bits in two's complement, where it counts −{}", range >> 1);
        let text = format!("The sign bit was taken for a minus sign. After the rotation it is {top}.");
        mistakes.add(-(raw >> 1), text);
        let text =
            format!("{turned} is the rotated number read as unsigned: its top bit is set, so {range} is subtracted.");
        mistakes.add(turned, text);
        mistakes.add(raw >> 1, format!("The sign bit was dropped: rotated, it is {top}."));
        let text = "The lowest bit is the sign and no part of the amount: rotate it to the top first.";
        mistakes.add(-raw, text);
        let text =
            "That is the zigzag encoding of Protocol Buffers: here the lowest bit is rotated to the top instead.";
        mistakes.add(!(raw >> 1), text);
    }
    if raw >= range >> 1 {
        let text = "Two's complement was applied before the rotation: rotate the lowest bit to the top first.";
        mistakes.add(raw - range, text);
    }
    mistakes.add(-value, "The amount is right, the sign is the wrong way round.");
}

pub(super) fn of_bytes(step: &Step) -> Vec<Mistake> {
    let mut mistakes = Mistakes::new(vec![Given::Bytes(step.bytes.clone())]);
    let reversed: Vec<u8> = step.bytes.iter().rev().copied().collect();
    let Some(value) = step.field.number else { return mistakes.found };
    let encoded = |number: i64| Codec::named("uint")?.encode(&number.to_string()).ok();
    match step.field.read {
        ReadAs::CompressedSigned => {
            let bits = step.bytes.first().and_then(|first| payload_bits(*first)).unwrap_or(7);
            for (number, text) in of_signed_bytes(value, bits) {
                if let Some(bytes) = encoded(number) {
                    mistakes.add(bytes, text);
                }
            }
            if let Ok(byte) = i8::try_from(value) {
                let text =
                    "That is the number as a signed byte: the compressed form rotates the sign to the lowest bit.";
                mistakes.add(vec![byte.cast_unsigned()], text);
            }
            mistakes.add(reversed, BIG_ENDIAN);
            let mut plain = step.bytes.clone();
            if bits > 7
                && let Some(first) = plain.first_mut()
            {
                *first &= if bits == 14 { 0x3f } else { 0x1f };
                mistakes.add(plain, LENGTH_BITS);
            }
        }
        ReadAs::Compressed => {
            mistakes.add(reversed, BIG_ENDIAN);
            let plain: Vec<u8> = value.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
            mistakes.add(plain, LENGTH_BITS);
        }
        _ => mistakes.add(reversed, "The number is little-endian: its lowest byte comes first."),
    }
    mistakes.found
}

/// Unsigned numbers that are written in place of `value`, which has `bits` bits, and the mistakes.
fn of_signed_bytes(value: i64, bits: u32) -> Vec<(i64, &'static str)> {
    let amount = value.abs();
    if value >= 0 {
        return vec![
            (amount, "That is the number as an unsigned integer: the lowest bit has to be free for the sign."),
            (amount << 1 | 1, "The lowest bit is the sign: 1 makes the number negative."),
        ];
    }
    vec![
        (amount, "That is the amount as an unsigned integer: the sign is missing."),
        (
            amount << 1 | 1,
            "The sign was put after the amount: it is the top bit of a number in two's complement, rotated to the bottom.",
        ),
        (amount << 1, "That is the number without its minus sign: the lowest bit is clear."),
        (
            value & !(i64::MAX << bits),
            "The number is in two's complement, but its top bit was not rotated to the bottom.",
        ),
    ]
}

pub(super) fn of_state(steps: &Steps, at: usize) -> Vec<Mistake> {
    let found = steps.list.get(at).and_then(|step| Some((step, step.field.changes.first()?)));
    let Some((step, change)) = found else { return Vec::new() };
    let mut mistakes = Mistakes::new(vec![Given::Number(change.after)]);
    let (Some(before), Some(value)) = (change.before, step.field.number) else { return mistakes.found };
    let show = |number| notation(change.state.show, number);
    if change.after == before.wrapping_add(value) {
        mistakes.add(value, format!("{value} is the difference: it is added to {}.", show(before)));
        mistakes.add(before, format!("{} is the state before the step.", show(before)));
        mistakes.add(before.wrapping_sub(value), "The difference was subtracted: it is added.");
        match change.state.name {
            "start column" => {
                if let Some(columns) = spanned(steps, at, "columns spanned") {
                    let text = "The difference counts from the start of the visible point before it, not from its end.";
                    mistakes.add(before.wrapping_add(columns).wrapping_add(value), text);
                }
            }
            "start line" => {
                if let Some(lines) = spanned(steps, at, "lines spanned") {
                    let text = "The difference counts from the line where the visible point before it begins, not from the one where it ends.";
                    mistakes.add(before.wrapping_add(lines).wrapping_add(value), text);
                }
                let text = "0xfeefee is not stored: hidden points are passed over, and the difference counts from the last visible point.";
                mistakes.add(value.saturating_add(HIDDEN_LINE), text);
            }
            "IL offset" => {
                if let Some(offset) = of_visible(steps.list.get(..at).unwrap_or_default(), "IL offset") {
                    let text = "The difference counts from the point before it, hidden or not: only lines and columns pass over hidden points.";
                    mistakes.add(offset.wrapping_add(value), text);
                }
            }
            _ => {}
        }
    }
    for mistake in of_value(step) {
        if let Given::Number(wrong) = mistake.answer {
            mistakes.add(before.wrapping_add(wrong), mistake.because);
        }
    }
    if change.after == before.wrapping_add(value) {
        for mistake in of_value(step) {
            if let Given::Number(wrong) = mistake.answer {
                let text = format!("{} And it is a difference: it is added to {}.", mistake.because, show(before));
                mistakes.add(wrong, text);
            }
        }
    }
    mistakes.found
}

/// Lines or columns that the last visible point before a step spans: the last change of its state `name`.
fn spanned(steps: &Steps, at: usize, name: &str) -> Option<i64> {
    let own = steps.list.get(..=at)?.iter().rposition(|step| step.field.group)?;
    of_visible(steps.list.get(..own)?, name)
}

/// Mistakes about the question: the state after a step in place of the difference that it reads.
pub(super) fn of_difference(step: &Step) -> Vec<Mistake> {
    let (Some(change), Some(value)) = (step.field.changes.first(), step.field.number) else { return Vec::new() };
    let Some(before) = change.before.filter(|before| before.wrapping_add(value) == change.after) else {
        return Vec::new();
    };
    let mut mistakes = Mistakes::new(vec![Given::Number(value)]);
    let (name, show) = (change.state.name, |number| notation(change.state.show, number));
    for (state, when) in [(change.after, "after"), (before, "before")] {
        let text =
            format!("{} is the {name} {when} the step. The difference that the bytes hold is asked for.", show(state));
        mistakes.add(state, text);
    }
    mistakes.found
}

/// The last state `name` of a visible point in the steps.
fn of_visible(before: &[Step], name: &str) -> Option<i64> {
    let of_point = before.iter().rev().filter(|step| step.record == "point");
    of_point.flat_map(|step| &step.field.changes).find(|change| change.state.name == name).map(|change| change.after)
}

/// Number of bytes, the highest first; 0 if there are more than seven.
fn number_of<'b>(bytes: impl Iterator<Item = &'b u8>) -> i64 {
    bytes.fold(0_i64, |number, byte| number.wrapping_shl(8) | i64::from(*byte))
}
