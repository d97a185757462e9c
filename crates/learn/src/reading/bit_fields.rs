//! Flags and bit fields of a number, and bits with a meaning of their own.

use super::{Bit, BitRole, Reading, Show, Step, bits, coded_index, masked};

const MAX_FLAG_BYTES: usize = 32;

pub(super) fn add_rows(step: &Step, reading: &mut Reading) {
    let Some(number) = step.field.number else { return };
    let number = number.cast_unsigned();
    let width = step.bytes.len() as u32 * 8;
    let marked = |mask: u64, value: u64| -> Vec<Bit> { bits(value, width, masked(mask, BitRole::Prefix)) };
    match step.field.show {
        Some(Show::Flags(names)) => {
            for (bit, name) in names.iter().filter(|(bit, _)| *bit != 0 && number & bit == *bit) {
                reading.drawn(format!("{bit:#x}"), marked(*bit, *bit), 0, *name);
            }
        }
        Some(Show::Parts(parts)) => {
            for (mask, value, name) in parts.iter().filter(|(mask, value, _)| number & mask == *value) {
                reading.drawn(format!("{mask:#x}"), marked(*mask, *value), 0, *name);
            }
        }
        Some(Show::OneOf(names)) => {
            if let Some((value, name)) = names.iter().find(|(value, _)| *value == number) {
                reading.words(format!("{value:#x} means"), *name);
            }
        }
        Some(Show::Token) => {
            let (table, row) = (number >> 24, number & 0xff_ffff);
            let text = format!("table 0x{table:02x} in the high byte, row {row} in the others");
            reading.words(format!("0x{number:08x}"), text);
        }
        _ => {}
    }
    // The rows of a coded index have its tag and its row.
    if coded_index(step).is_some() {
        return;
    }
    let runs = step.field.bit_runs(width);
    if runs.is_empty() {
        for meaning in &step.field.bits {
            reading.drawn(meaning.label(), marked(meaning.mask, number), 0, meaning.text.clone());
        }
    }
    for run in runs {
        let low = run.bits.start;
        let drawn = bits(number >> low, run.bits.end.saturating_sub(low), masked(run.marked >> low, BitRole::Unused));
        reading.drawn(run.label(), drawn, 0, run.text);
    }
}

/// Steps of flags and bit fields, from the lowest bit, on the bits of the value in the order in which numbers are written.
///
/// Returns false if the number has none, and is no coded index, which gets its steps with its rows.
pub(super) fn add_steps(step: &Step, reading: &mut Reading) -> bool {
    let Some(value) = step.field.number else { return false };
    let value = value.cast_unsigned();
    let is_coded = coded_index(step).is_some();
    if !is_coded {
        match step.field.show {
            _ if !step.field.bits.is_empty() => {
                for bit in &step.field.bits {
                    let text = format!("{} = {}: {}", bit.label(), bit.of(value), bit.text);
                    add_field_step(reading, bit.mask, value, text);
                }
            }
            Some(Show::Flags(names)) => add_flag_steps(names, value, reading),
            Some(Show::Parts(parts)) => add_part_steps(parts, value, reading),
            _ => {}
        }
    }
    if !is_coded && reading.bit_steps.is_empty() {
        return false;
    }
    let digits = step.bytes.len() * 2;
    reading.caption = format!("0x{value:0digits$x}, little-endian in {}", reading.caption);
    reading.bits = (0..reading.bits.len()).rev().map(|bit| value >> bit & 1 == 1).collect();
    true
}

/// One step for the bits of `mask`; none where the number does not have them.
fn add_field_step(reading: &mut Reading, mask: u64, value: u64, text: String) {
    let width = reading.bits.len();
    let (low, high) = (mask.trailing_zeros() as usize, 64_usize - mask.leading_zeros() as usize);
    if mask != 0 && high <= width {
        let state = vec![("bits", format!("{:#x} of {value:#x}", value & mask))];
        reading.step(width - high..width - low, text, state);
    }
}

fn add_flag_steps(names: &[(u64, &'static str)], value: u64, reading: &mut Reading) {
    let mut named: Vec<_> = names.iter().filter(|(mask, _)| *mask != 0).collect();
    named.sort_by_key(|(mask, _)| mask.trailing_zeros());
    let mut set: Vec<&str> = Vec::new();
    for (mask, name) in named {
        let text = if value & mask == *mask {
            set.push(name);
            format!("{mask:#x} is set: {name}")
        } else {
            format!("{mask:#x} is not set: not {name}")
        };
        let before = reading.bit_steps.len();
        add_field_step(reading, *mask, value, text);
        if let Some(step) = reading.bit_steps.get_mut(before) {
            step.state = vec![("set so far", if set.is_empty() { "none".to_owned() } else { set.join(" | ") })];
        }
    }
}

/// Steps of bit fields with several values each: one for each mask.
fn add_part_steps(parts: &[(u64, u64, &'static str)], value: u64, reading: &mut Reading) {
    let mut masks: Vec<u64> = parts.iter().map(|(mask, ..)| *mask).collect();
    masks.sort_by_key(|mask| (mask.trailing_zeros(), *mask));
    masks.dedup();
    for mask in masks {
        let found = parts.iter().find(|(of, is, _)| *of == mask && value & mask == *is);
        let name = found.map_or("no name", |(.., name)| name);
        add_field_step(reading, mask, value, format!("mask {mask:#x}: {:#x} is {name}", value & mask));
    }
}

/// Rows for the bits of dynamic parts of a type, the lowest first.
pub(super) fn dynamic_flags(step: &Step) -> Option<Reading> {
    if step.record != "dynamic local variable" || step.field.name != "flags" {
        return None;
    }
    let mut reading = Reading::of("bits, the lowest first", &step.bytes);
    for (index, byte) in step.bytes.iter().take(MAX_FLAG_BYTES).enumerate() {
        let set = (0..8).filter(|bit| byte >> bit & 1 == 1).map(|bit| (index << 3 | bit).to_string());
        let set: Vec<String> = set.collect();
        let text = if set.is_empty() { "no element".to_owned() } else { format!("set for element {}", set.join(", ")) };
        let text = format!("{text} of the type, counted from 0 at the lowest bit");
        reading.drawn(format!("byte {byte:02x}"), bits(u64::from(*byte), 8, |_| BitRole::Payload), 0, text);
    }
    Some(reading)
}

pub(super) fn add_decimal(step: &Step, reading: &mut Reading) {
    if step.field.name != "sign and scale" {
        return;
    }
    let Some(byte) = step.bytes.first() else { return };
    let scale = byte & 0x7f;
    let sign = if byte >> 7 == 1 { "negative" } else { "not negative" };
    let scale = format!("the scale: {scale}, so the integer is divided by 10 to the power of {scale}");
    for (mask, text) in [(0x80, format!("the sign: {sign}")), (0x7f, scale)] {
        let drawn = bits(u64::from(*byte & mask), 8, masked(mask.into(), BitRole::Unused));
        reading.drawn(format!("{mask:#04x}"), drawn, 0, text);
    }
}
