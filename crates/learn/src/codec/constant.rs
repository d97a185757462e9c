//! Local constants.

use super::imports::coded;
use super::{Codec, EncodeError, Encoded, number, put_unsigned};
use pdblens_formats::bytes::{Slice, fields};
use pdblens_formats::metadata::Token;
use pdblens_formats::portable::constant::{Constant, Decimal, Primitive, Value};
use pdblens_formats::signature::{element, type_token};

pub(super) const CONSTANT: Codec = Codec {
    name: "constant",
    about: "a local constant: int -1, string \"text\", enum 0x01000003 int 5, class 0x02000002 null, decimal 0x01000004 12.34",
    paragraph: "Portable PDB › LocalConstantSig Blob",
    example: ("08 2a 00 00 00", "int 42"),
    decode: |c| {
        let blob = c.rest();
        let constant = Constant::decode(c)?;
        let modifiers = constant
            .modifiers
            .iter()
            .map(|modifier| format!("{} {} ", if modifier.required { "modreq" } else { "modopt" }, modifier.modifier));
        Ok(modifiers.collect::<String>() + &text(&constant.value, || value_type(blob, constant.modifiers.len())))
    },
    encode,
};

fields! {
    /// The type of a decimal or a date.
    TYPE: "type";
}

/// Type before the value of a struct, which comes after the modifiers and the element type.
fn value_type(blob: Slice<'_>, modifiers: usize) -> Token {
    let mut c = blob.cursor();
    let mut token = || {
        for _ in 0..modifiers {
            c.skip(1)?;
            c.compressed(&TYPE)?;
        }
        c.skip(1)?;
        type_token(&mut c, &TYPE)
    };
    token().unwrap_or(Token(0))
}

/// Text of a value; `of` is the type of a struct.
fn text(value: &Value<'_>, of: impl Fn() -> Token) -> String {
    match value {
        Value::Primitive(value) => primitive(*value),
        Value::Enum { value, of } => format!("enum {of} {}", primitive(*value)),
        Value::NullObject => "object null".to_owned(),
        Value::Default { of, is_value: false } => format!("class {of} null"),
        Value::Default { of, is_value: true } => format!("struct {of} default"),
        Value::Decimal(decimal) => format!("decimal {} {}", of(), decimal_text(*decimal)),
        Value::DateTime(ticks) => format!("datetime {} {ticks}", of()),
        Value::Unknown { of, bytes } => format!("struct {of} bytes {}", pdblens_formats::bytes::hex(bytes.data)),
    }
}

fn decimal_text(Decimal { negative, scale, digits }: Decimal) -> String {
    let width = scale as usize + 1;
    let digits = format!("{digits:0width$}");
    let (whole, fraction) = digits.split_at(digits.len() - scale as usize);
    format!("{}{whole}{}{fraction}", if negative { "-" } else { "" }, if scale > 0 { "." } else { "" })
}

fn primitive(value: Primitive<'_>) -> String {
    match value {
        Primitive::Boolean(value) => format!("bool {value}"),
        Primitive::Char(unit) => format!("char {unit:#06x}"),
        Primitive::I1(number) => format!("sbyte {number}"),
        Primitive::U1(number) => format!("byte {number}"),
        Primitive::I2(number) => format!("short {number}"),
        Primitive::U2(number) => format!("ushort {number}"),
        Primitive::I4(number) => format!("int {number}"),
        Primitive::U4(number) => format!("uint {number}"),
        Primitive::I8(number) => format!("long {number}"),
        Primitive::U8(number) => format!("ulong {number}"),
        Primitive::R4(number) => format!("float {number:?}"),
        Primitive::R8(number) => format!("double {number:?}"),
        Primitive::NullString => "string null".to_owned(),
        Primitive::String(text) => {
            let units: Vec<u16> = text.data.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
            match String::from_utf16(&units) {
                Ok(text) => format!("string {}", serde_json::Value::String(text)),
                Err(_) => format!("string utf-16 {}", pdblens_formats::bytes::hex(text.data)),
            }
        }
    }
}

fn encode(text: &str) -> Encoded {
    let mut out = Vec::new();
    let mut rest = text.trim();
    loop {
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let element = match word {
            "modreq" => element::CMOD_REQD,
            "modopt" => element::CMOD_OPT,
            _ => break,
        };
        let (token, after) = after.trim().split_once(char::is_whitespace).unwrap_or((after, ""));
        out.push(element);
        put_unsigned(&mut out, coded(token)?)?;
        rest = after.trim();
    }
    put_value(&mut out, rest)?;
    Ok(out)
}

fn put_value(out: &mut Vec<u8>, text: &str) -> Encoded<()> {
    let form = || EncodeError::new(text, "a type and a value are expected, such as `int 42`");
    let (word, rest) = text.split_once(char::is_whitespace).ok_or_else(form)?;
    let rest = rest.trim();
    match word {
        "enum" => {
            let (token, value) = rest.split_once(char::is_whitespace).ok_or_else(form)?;
            put_primitive(out, value.trim())?;
            put_unsigned(out, coded(token)?)
        }
        "object" => {
            out.push(element::OBJECT);
            Ok(())
        }
        "class" | "struct" => {
            let (token, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            out.push(if word == "class" { element::CLASS } else { element::VALUETYPE });
            put_unsigned(out, coded(token)?)?;
            if let Some(bytes) = value.trim().strip_prefix("bytes ") {
                out.extend(super::parse_hex(bytes).map_err(|error| EncodeError::new(bytes, error.to_string()))?);
            }
            Ok(())
        }
        "decimal" | "datetime" => {
            let (token, value) = rest.split_once(char::is_whitespace).ok_or_else(|| {
                EncodeError::new(text, format!("the type and the value are expected, such as `{word} 0x01000004 1`"))
            })?;
            out.push(element::VALUETYPE);
            put_unsigned(out, coded(token)?)?;
            if word == "decimal" {
                put_decimal(out, value.trim())
            } else {
                out.extend(number::<i64>(value.trim())?.to_le_bytes());
                Ok(())
            }
        }
        _ => put_primitive(out, text),
    }
}

/// Appends sign and scale, and an integer of 96 bits.
fn put_decimal(out: &mut Vec<u8>, text: &str) -> Encoded<()> {
    let (negative, digits) = text.strip_prefix(['-', '−']).map_or((false, text), |digits| (true, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let number: u128 =
        format!("{whole}{fraction}").parse().map_err(|_| EncodeError::new(text, "a decimal number is expected"))?;
    if number >> 96 != 0 {
        return Err(EncodeError::new(text, "the digits do not fit into 96 bits"));
    }
    let scale = u8::try_from(fraction.len()).ok().filter(|scale| *scale < 0x80);
    let scale = scale.ok_or_else(|| EncodeError::new(text, "there are too many digits after the point"))?;
    out.push(scale | if negative { 0x80 } else { 0 });
    out.extend(number.to_le_bytes().iter().take(12));
    Ok(())
}

fn put_primitive(out: &mut Vec<u8>, text: &str) -> Encoded<()> {
    let form = || EncodeError::new(text, "a type and a value are expected, such as `int 42`");
    let (kind, value) = text.split_once(char::is_whitespace).ok_or_else(form)?;
    let value = value.trim();
    let truth = || value.parse::<bool>().map_err(|_| EncodeError::new(value, "true or false is expected"));
    let real = || value.parse::<f64>().map_err(|_| EncodeError::new(value, "a number is expected"));
    let (element, bytes) = match kind {
        "bool" => (element::BOOLEAN, vec![truth()?.into()]),
        "char" => (element::CHAR, number::<u16>(value)?.to_le_bytes().to_vec()),
        "sbyte" => (element::I1, number::<i8>(value)?.to_le_bytes().to_vec()),
        "byte" => (element::U1, vec![number::<u8>(value)?]),
        "short" => (element::I2, number::<i16>(value)?.to_le_bytes().to_vec()),
        "ushort" => (element::U2, number::<u16>(value)?.to_le_bytes().to_vec()),
        "int" => (element::I4, number::<i32>(value)?.to_le_bytes().to_vec()),
        "uint" => (element::U4, number::<u32>(value)?.to_le_bytes().to_vec()),
        "long" => (element::I8, number::<i64>(value)?.to_le_bytes().to_vec()),
        "ulong" => (element::U8, number::<u64>(value)?.to_le_bytes().to_vec()),
        "float" => (element::R4, value.parse::<f32>().map_err(|_| form())?.to_le_bytes().to_vec()),
        "double" => (element::R8, real()?.to_le_bytes().to_vec()),
        "string" => (element::STRING, string(value)?),
        _ => return Err(EncodeError::new(kind, "a type is expected: int, string, bool, char, double, enum, class …")),
    };
    out.push(element);
    out.extend(bytes);
    Ok(())
}

fn string(value: &str) -> Encoded {
    if value == "null" {
        return Ok(vec![0xff]);
    }
    if let Some(bytes) = value.strip_prefix("utf-16 ") {
        return super::parse_hex(bytes).map_err(|error| EncodeError::new(bytes, error.to_string()));
    }
    let text: String =
        serde_json::from_str(value).map_err(|_| EncodeError::new(value, "text in double quotes is expected"))?;
    Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
}
