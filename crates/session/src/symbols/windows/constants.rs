//! Constant values. The stored value is less specific than the type: `null` and 0 are both stored as 0, and a `char` as a number.

use crate::text::constant::constant_text;
use pdblens_formats::bytes::{Slice, SpaceId, Spaces, Span};
use pdblens_formats::managed::method::ConstantValue;
use pdblens_formats::portable::constant::{Decimal, Primitive, Value};

/// Days from 0001-01-01 to 1899-12-30, from which dates are counted here.
const DAYS_TO_1899: i64 = 693_593;
const MILLISECONDS_PER_DAY: i64 = 86_400_000;
const TICKS_PER_MILLISECOND: i64 = 10_000;

/// The value as a .NET developer writes it, given its type as one writes it.
pub(crate) fn text(value: &ConstantValue, type_name: &str) -> String {
    let plain = |value: Value<'_>| constant_text(&value, |token| token.to_string());
    let primitive = |value: Primitive<'_>| plain(Value::Primitive(value));
    match (type_name, value) {
        ("bool", ConstantValue::Signed(_) | ConstantValue::Unsigned(_)) => {
            primitive(Primitive::Boolean(!matches!(value, ConstantValue::Signed(0) | ConstantValue::Unsigned(0))))
        }
        ("char", ConstantValue::Unsigned(unit)) => primitive(Primitive::Char(*unit as u16)),
        ("char", ConstantValue::Signed(unit)) => primitive(Primitive::Char(*unit as u16)),
        ("string" | "object", ConstantValue::Signed(0) | ConstantValue::Unsigned(0)) => plain(Value::NullObject),
        ("System.DateTime", ConstantValue::Double(bits)) => plain(Value::DateTime(date(*bits))),
        (_, ConstantValue::Single(bits)) => primitive(Primitive::R4(f32::from_bits(*bits))),
        (_, ConstantValue::Double(bits)) => primitive(Primitive::R8(f64::from_bits(*bits))),
        (_, ConstantValue::Text(text)) => {
            let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            primitive(Primitive::String(Slice::new(&units, SpaceId(0), 0)))
        }
        (_, ConstantValue::Decimal(found)) => {
            plain(Value::Decimal(Decimal { scale: found.scale, negative: found.negative, digits: found.bits }))
        }
        (_, ConstantValue::Signed(0) | ConstantValue::Unsigned(0)) if !is_number(type_name) => {
            format!("default({type_name})")
        }
        (_, ConstantValue::Signed(number)) => of_type(&number.to_string(), type_name),
        (_, ConstantValue::Unsigned(number)) => of_type(&number.to_string(), type_name),
        (_, ConstantValue::Other(leaf)) => format!("(a number of kind {leaf:#06x})"),
    }
}

/// Returns whether values of this type are written as plain numbers. True for types that have no name.
fn is_number(type_name: &str) -> bool {
    matches!(
        type_name,
        "sbyte" | "byte" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "nint" | "nuint" | "bool" | "char"
    ) || type_name.starts_with("0x")
}

/// A number of an enum has its type before it.
fn of_type(number: &str, type_name: &str) -> String {
    if is_number(type_name) { number.to_owned() } else { format!("({type_name}){number}") }
}

/// Ticks of 9999-12-31T23:59:59.9999999, the last date.
const MAX_TICKS: u64 = 3_155_378_975_999_999_999;

/// Ticks of a date: Visual Basic has them in the bits of the number, where an OLE date of 2 or more would be larger.
fn date(bits: u64) -> i64 {
    if bits <= MAX_TICKS { bits as i64 } else { ticks(f64::from_bits(bits)) }
}

/// An OLE date in ticks, rounded to milliseconds as .NET does. Before 1899 the hours count from the day on, not back.
fn ticks(days: f64) -> i64 {
    let milliseconds = (days * MILLISECONDS_PER_DAY as f64).round() as i64;
    let behind = if milliseconds < 0 { (milliseconds % MILLISECONDS_PER_DAY).saturating_mul(2) } else { 0 };
    let since = milliseconds.saturating_sub(behind).saturating_add(DAYS_TO_1899 * MILLISECONDS_PER_DAY);
    since.saturating_mul(TICKS_PER_MILLISECOND)
}

/// Bytes of a space; empty if they cannot be read.
pub(crate) fn bytes_of(spaces: &Spaces, span: Span) -> Vec<u8> {
    spaces.read(span).map(std::borrow::Cow::into_owned).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_says_what_a_number_is() {
        for (value, type_name, wanted) in [
            (ConstantValue::Signed(42), "int", "42"),
            (ConstantValue::Signed(1), "bool", "true"),
            (ConstantValue::Unsigned('x' as u64), "char", "'x'"),
            (ConstantValue::Signed(5), "System.DayOfWeek", "(System.DayOfWeek)5"),
            (ConstantValue::Signed(0), "System.DayOfWeek", "default(System.DayOfWeek)"),
            (ConstantValue::Unsigned(0), "object", "null"),
            (ConstantValue::Text("a\"b".into()), "string", r#""a\"b""#),
            (ConstantValue::Signed(0), "0x11000001", "0"),
            (ConstantValue::Double(0.5_f64.to_bits()), "double", "0.5"),
            (ConstantValue::Double(36526.5_f64.to_bits()), "System.DateTime", "2000-01-01T12:00:00"),
            (ConstantValue::Double(630_822_816_000_000_000), "System.DateTime", "2000-01-01T00:00:00"),
            (ConstantValue::Double((-1.25_f64).to_bits()), "System.DateTime", "1899-12-29T06:00:00"),
        ] {
            assert_eq!(text(&value, type_name), wanted);
        }
    }
}
