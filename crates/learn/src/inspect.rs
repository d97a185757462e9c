//! The bytes at a position as numbers, an id, a date and text, whatever they are.

use super::about::Section;
use pdblens_formats::bytes::Guid;
use pdblens_session::text::safe::visible;
use pdblens_session::text::time;

pub const LEN: u64 = 16;

/// The bytes read little-endian, each row a name and a value; rows for which there are too few bytes are left out.
pub fn inspect(bytes: &[u8]) -> Section {
    let mut lines = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        lines.extend(value.map(|value| format!("{name:<8}\t{value}")));
    };
    let number = |unsigned: u64, signed: i64| {
        if signed < 0 {
            format!("{unsigned} ({unsigned:#x}), signed {signed}")
        } else {
            format!("{unsigned} ({unsigned:#x})")
        }
    };
    add("8 bits", bytes.first().map(|byte| number((*byte).into(), byte.cast_signed().into())));
    add(
        "16 bits",
        bytes.first_chunk().map(|bytes| number(u16::from_le_bytes(*bytes).into(), i16::from_le_bytes(*bytes).into())),
    );
    let word = bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    add("32 bits", word.map(|word| number(word.into(), word.cast_signed().into())));
    let long = bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    add("64 bits", long.map(|long| number(long, long.cast_signed())));
    add("float", word.map(|word| f32::from_bits(word).to_string()));
    add("double", long.map(|long| f64::from_bits(long).to_string()));
    add("date", word.map(|word| time::stamp(word.into())));
    add("GUID", bytes.first_chunk().map(|bytes| Guid(*bytes).to_string()));
    add("UTF-8", Some(visible(&String::from_utf8_lossy(bytes)).into_owned()));
    let units: Vec<u16> = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
    add("UTF-16", Some(visible(&String::from_utf16_lossy(&units)).into_owned()));
    Section { heading: "these bytes as", lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_everything_that_they_have_room_for() {
        let bytes = [0xff, 0xff, 0, 0, 0x48, 0, 0x69, 0];
        let lines = inspect(&bytes).lines;
        let value =
            |name: &str| lines.iter().find_map(|line| line.strip_prefix(name)?.split_once('\t')).map(|row| row.1);
        assert_eq!(value("8 bits"), Some("255 (0xff), signed -1"));
        assert_eq!(value("32 bits"), Some("65535 (0xffff)"));
        assert!(value("UTF-16").is_some_and(|text| text.ends_with("Hi")), "{lines:?}");
        assert_eq!((value("GUID"), inspect(&[]).lines.len()), (None, 2));
    }
}
