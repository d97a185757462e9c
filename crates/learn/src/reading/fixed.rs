//! Values of a fixed number of bytes: little-endian numbers and GUIDs.

use super::{ReadAs, Reading, Step, bit_fields, form_name, hex_bytes};
use pdblens_formats::bytes::Guid;

pub(super) fn little_endian(step: &Step) -> Option<Reading> {
    let (raw, size) = (step.raw?, step.bytes.len());
    let name = form_name(step.field.read);
    let title = if size == 1 { format!("{name}: one byte") } else { format!("{name}: {size} bytes, little-endian") };
    let mut reading = Reading::of(title, &step.bytes);
    if size > 1 {
        let width = size * 2 + 2;
        let text = format!("little-endian, lowest first: {raw:#0width$x}");
        reading.words(reading.caption.clone(), text);
    }
    match step.field.number {
        Some(value) if step.is_transformed() && value < 0 && size < 8 => {
            let text = format!("{raw} − {} = {value}", 1_u64 << (size * 8));
            reading.words(format!("two's complement, {} bits", size * 8), text);
        }
        Some(_) => reading.words("value", raw.to_string()),
        None => reading.words("IEEE 754", step.field.value.clone()),
    }
    let is_float = matches!(step.field.read, ReadAs::F32 | ReadAs::F64);
    if !is_float && !bit_fields::add_steps(step, &mut reading) {
        add_byte_steps(step, &mut reading);
    }
    Some(reading)
}

/// Steps of a little-endian number: each byte counts 256 times as much as the one before it.
fn add_byte_steps(step: &Step, reading: &mut Reading) {
    let Some(value) = step.field.number else { return };
    let mut sum = 0_u128;
    for (index, byte) in step.bytes.iter().enumerate() {
        let worth = u128::from(*byte) << (index * 8);
        sum += worth;
        let text = match index {
            0 => format!("the first byte, {byte:02x}, counts ones: {byte}"),
            _ => {
                let unit = 1_u128 << (index * 8);
                format!("byte {}, {byte:02x}, counts 256^{index}: {byte} × {unit} = {worth}", index + 1)
            }
        };
        let at = index * 8;
        reading.step(at..at + 8, text, vec![("sum so far", format!("{sum} = {sum:#x}"))]);
    }
    if value < 0 && matches!(step.field.read, ReadAs::I8 | ReadAs::I16 | ReadAs::I32 | ReadAs::I64) {
        let (top, width) = (step.bytes.len() * 8 - 8, step.bytes.len() * 8);
        let text = format!("the highest bit is 1: negative, {sum} − 2^{width} = {value}");
        reading.step(top..top + 1, text, vec![("value", value.to_string())]);
    }
}

pub(super) fn guid(step: &Step) -> Option<Reading> {
    let bytes: [u8; 16] = step.bytes.as_slice().try_into().ok()?;
    let text = Guid(bytes).to_string();
    let digits = text.replace('-', "");
    let mut reading = Reading::of("GUID", &bytes);
    for (from, to, name, order) in [
        (0, 4, "32 bits", "little-endian: reversed"),
        (4, 6, "16 bits", "little-endian: reversed"),
        (6, 8, "16 bits", "little-endian: reversed"),
        (8, 16, "clock and node", "as they are"),
    ] {
        let stored = hex_bytes(bytes.get(from..to)?);
        reading.words(name, format!("{stored} → {}, {order}", digits.get(from << 1..to << 1)?));
    }
    reading.words("GUID", text);
    Some(reading)
}
