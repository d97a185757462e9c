//! The value of a constant, as a .NET developer writes it.

use std::fmt::{self, Write};

use super::time;
use crate::text::safe::{hex, is_hidden};
use pdblens_formats::bytes::Slice;
use pdblens_formats::metadata::Token;
use pdblens_formats::portable::constant::{Decimal, Primitive, Value};

/// Ticks of 100 ns.
const TICKS_PER_SECOND: i64 = 10_000_000;
const SECONDS_PER_DAY: i64 = 86_400;
/// Days from 0001-01-01 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_162;

/// The value as text: `42`, `"inner"`, `'x'`, `12.34m`, `(System.DayOfWeek)5`, `null`. `name` names a type.
pub fn constant_text(value: &Value<'_>, name: impl Fn(Token) -> String) -> String {
    match *value {
        Value::Primitive(primitive) => primitive_text(primitive),
        Value::Enum { value, of } => format!("({}){}", name(of), primitive_text(value)),
        Value::NullObject | Value::Default { is_value: false, .. } => "null".to_owned(),
        Value::Default { of, is_value: true } => format!("default({})", name(of)),
        Value::Decimal(decimal) => format!("{}m", decimal_text(decimal)),
        Value::DateTime(ticks) => date_time_text(ticks),
        Value::Unknown { of, bytes } => format!("({})0x{}", name(of), hex(bytes.data)),
    }
}

/// The type as text: `int`, `string`, `System.DayOfWeek`. `name` names a type.
pub(crate) fn constant_type(value: &Value<'_>, name: impl Fn(Token) -> String) -> String {
    let primitive = |value| match value {
        Primitive::Boolean(_) => "bool",
        Primitive::Char(_) => "char",
        Primitive::I1(_) => "sbyte",
        Primitive::U1(_) => "byte",
        Primitive::I2(_) => "short",
        Primitive::U2(_) => "ushort",
        Primitive::I4(_) => "int",
        Primitive::U4(_) => "uint",
        Primitive::I8(_) => "long",
        Primitive::U8(_) => "ulong",
        Primitive::R4(_) => "float",
        Primitive::R8(_) => "double",
        Primitive::String(_) | Primitive::NullString => "string",
    };
    match *value {
        Value::Primitive(value) => primitive(value).to_owned(),
        Value::Enum { of, .. } | Value::Default { of, .. } | Value::Unknown { of, .. } => name(of),
        Value::NullObject => "object".to_owned(),
        Value::Decimal(_) => "decimal".to_owned(),
        Value::DateTime(_) => "System.DateTime".to_owned(),
    }
}

fn primitive_text(value: Primitive<'_>) -> String {
    match value {
        Primitive::Boolean(value) => value.to_string(),
        Primitive::Char(unit) => quoted('\'', [unit]),
        Primitive::I1(number) => number.to_string(),
        Primitive::U1(number) => number.to_string(),
        Primitive::I2(number) => number.to_string(),
        Primitive::U2(number) => number.to_string(),
        Primitive::I4(number) => number.to_string(),
        Primitive::U4(number) => number.to_string(),
        Primitive::I8(number) => number.to_string(),
        Primitive::U8(number) => number.to_string(),
        Primitive::R4(number) => real(number.into(), || format!("{number:?}f")),
        Primitive::R8(number) => real(number, || format!("{number:?}")),
        Primitive::String(text) => quoted('"', units(text)),
        Primitive::NullString => "null".to_owned(),
    }
}

/// The units of UTF-16, little-endian.
pub fn units(text: Slice<'_>) -> impl Iterator<Item = u16> {
    text.data.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit))
}

/// Text between quotes, as C# has it.
pub fn quoted(quote: char, units: impl IntoIterator<Item = u16>) -> String {
    let mut out = String::new();
    let _ = write_quoted(&mut out, quote, units);
    out
}

/// Writes text between quotes; whatever could not be seen in it, or would end it, is escaped.
pub(crate) fn write_quoted(out: &mut dyn Write, quote: char, units: impl IntoIterator<Item = u16>) -> fmt::Result {
    out.write_char(quote)?;
    for c in char::decode_utf16(units) {
        match c {
            Ok(c) if c == quote || c == '\\' => write!(out, "\\{c}"),
            Ok('\0') => out.write_str("\\0"),
            Ok('\n') => out.write_str("\\n"),
            Ok('\r') => out.write_str("\\r"),
            Ok('\t') => out.write_str("\\t"),
            Ok(c) if !is_hidden(c) => out.write_char(c),
            Ok(c) if (c as u32) < 0x1_0000 => write!(out, "\\u{:04x}", c as u32),
            Ok(c) => write!(out, "\\U{:08x}", c as u32),
            Err(lone) => write!(out, "\\u{:04x}", lone.unpaired_surrogate()),
        }?;
    }
    out.write_char(quote)
}

/// Name that .NET has for a number without digits (`double.NaN`), or its `digits`.
fn real(number: f64, digits: impl Fn() -> String) -> String {
    if number.is_finite() {
        return digits();
    }
    let name = if number.is_nan() { "NaN" } else { "Infinity" };
    let sign = if number == f64::NEG_INFINITY { "-" } else { "" };
    format!("{sign}{name}")
}

/// All digits of `decimal`, those after the point too where they are zeros.
fn decimal_text(decimal: Decimal) -> String {
    let scale = decimal.scale as usize;
    let digits = format!("{:0width$}", decimal.digits, width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if decimal.negative { "-" } else { "" };
    let point = if scale == 0 { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

/// A date and time in the form of ISO 8601, with as many digits of a second as it has.
fn date_time_text(ticks: i64) -> String {
    let (seconds, fraction) = (ticks.div_euclid(TICKS_PER_SECOND), ticks.rem_euclid(TICKS_PER_SECOND));
    let (day, second) = (seconds.div_euclid(SECONDS_PER_DAY), seconds.rem_euclid(SECONDS_PER_DAY));
    let (year, month, day) = time::civil(day.saturating_sub(DAYS_TO_1970));
    let mut out =
        format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    if fraction != 0 {
        let _ = write!(out, ".{}", format!("{fraction:07}").trim_end_matches('0'));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_formats::bytes::{Cursor, SpaceId};
    use pdblens_formats::portable::constant::Constant;

    fn text(blob: &[u8]) -> String {
        let constant = Constant::decode(&mut Cursor::new(Slice::new(blob, SpaceId(0), 0))).unwrap();
        constant_text(&constant.value, |token| token.to_string())
    }

    fn string(text_of: &str) -> String {
        let units = text_of.encode_utf16().flat_map(u16::to_le_bytes);
        text(&[0x0e].into_iter().chain(units).collect::<Vec<_>>())
    }

    fn decimal(first: u8, digits: u128) -> String {
        let value = digits.to_le_bytes();
        text(&[&[0x11, 0x05, first][..], &value[..12]].concat())
    }

    fn date_time(ticks: i64) -> String {
        text(&[&[0x11, 0x05][..], &ticks.to_le_bytes()].concat())
    }

    #[test]
    fn numbers_and_truth() {
        assert_eq!(text(&[0x02, 1]), "true");
        assert_eq!(text(&[0x08, 0xff, 0xff, 0xff, 0xff]), "-1");
        assert_eq!(text(&[0x0b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), "18446744073709551615");
        assert_eq!(text(&[&[0x0c][..], &0.1_f32.to_le_bytes()].concat()), "0.1f");
        assert_eq!(text(&[&[0x0d][..], &1e300_f64.to_le_bytes()].concat()), "1e300");
        assert_eq!(text(&[&[0x0d][..], &2_f64.to_le_bytes()].concat()), "2.0");
        assert_eq!(text(&[&[0x0d][..], &f64::NEG_INFINITY.to_le_bytes()].concat()), "-Infinity");
        assert_eq!(text(&[&[0x0c][..], &f32::NAN.to_le_bytes()].concat()), "NaN");
    }

    #[test]
    fn types_are_named_where_they_matter() {
        assert_eq!(text(&[0x08, 5, 0, 0, 0, 0x80, 0x9d]), "(0x01000027)5");
        assert_eq!(text(&[0x1c]), "null");
        assert_eq!(text(&[0x12, 0x05]), "null");
        assert_eq!(text(&[0x11, 0x05]), "default(0x01000001)");
        assert_eq!(text(&[0x11, 0x05, 0xab, 0xcd]), "(0x01000001)0xabcd");
        assert_eq!(text(&[0x0e, 0xff]), "null");
    }

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        assert_eq!(string(""), r#""""#);
        assert_eq!(string("a\"b\\c\n\0\u{1b}\u{202e}é🚀"), r#""a\"b\\c\n\0\u001b\u202eé🚀""#);
        assert_eq!(string("it's"), r#""it's""#);
        assert_eq!(text(&[0x03, b'\'', 0]), r"'\''");
        assert_eq!(text(&[0x03, b'"', 0]), "'\"'");
        assert_eq!(text(&[0x03, 0x3d, 0xd8]), r"'\ud83d'");
        assert_eq!(text(&[0x0e, 0x3d, 0xd8, b'x', 0]), r#""\ud83dx""#);
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal(2, 1234), "12.34m");
        assert_eq!(decimal(0x82, 1234), "-12.34m");
        assert_eq!(decimal(0, 0), "0m");
        assert_eq!(decimal(3, 0), "0.000m");
        assert_eq!(decimal(1, 10), "1.0m");
        assert_eq!(decimal(28, 1), "0.0000000000000000000000000001m");
        assert_eq!(decimal(0x80, (1 << 96) - 1), "-79228162514264337593543950335m");
        assert_eq!(decimal(28, (1 << 96) - 1), "7.9228162514264337593543950335m");
    }

    #[test]
    fn ticks_are_dates() {
        assert_eq!(date_time(0), "0001-01-01T00:00:00");
        assert_eq!(date_time(621_355_968_000_000_000), "1970-01-01T00:00:00");
        assert_eq!(date_time(630_873_792_000_000_000 + 36_000_000_000 + 1_230_000), "2000-02-29T01:00:00.123");
        assert_eq!(date_time(3_155_378_975_999_999_999), "9999-12-31T23:59:59.9999999");
        assert_eq!(date_time(-1), "0000-12-31T23:59:59.9999999");
        assert!(!date_time(i64::MIN).is_empty() && !date_time(i64::MAX).is_empty());
    }
}
