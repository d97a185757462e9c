//! Local constants.

use super::encode::{EncodeError, Encoded, number, put_unsigned};
use super::imports::coded;
use super::{Codec, no_advice};
use crate::formats::portable::constant::{Constant, Decimal, Primitive, Value};
use crate::formats::signature::element;

pub(super) const CONSTANT: Codec = Codec {
    name: "constant",
    about: "a local constant: int -1, string \"text\", enum 0x01000003 int 5, class 0x02000002 null",
    paragraph: "Portable PDB › LocalConstantSig Blob",
    example: ("08 2a 00 00 00", "int 42"),
    decode: |c| {
        let constant = Constant::decode(c)?;
        let modifiers = constant
            .modifiers
            .iter()
            .map(|modifier| format!("{} {} ", if modifier.required { "modreq" } else { "modopt" }, modifier.modifier));
        Ok(modifiers.collect::<String>() + &text(&constant.value))
    },
    encode: Some(encode),
    advice: no_advice,
};

fn text(value: &Value<'_>) -> String {
    match value {
        Value::Primitive(value) => primitive(*value),
        Value::Enum { value, of } => format!("enum {of} {}", primitive(*value)),
        Value::NullObject => "object null".to_owned(),
        Value::Default { of, is_value: false } => format!("class {of} null"),
        Value::Default { of, is_value: true } => format!("struct {of} default"),
        Value::Decimal(decimal) => decimal_text(*decimal),
        Value::DateTime(ticks) => format!("datetime {ticks}"),
        Value::Unknown { of, bytes } => format!("struct {of} bytes {}", crate::bytes::hex(bytes.data)),
    }
}

fn decimal_text(Decimal { negative, scale, digits }: Decimal) -> String {
    let width = scale as usize + 1;
    let digits = format!("{digits:0width$}");
    let (whole, fraction) = digits.split_at(digits.len() - scale as usize);
    format!("decimal {}{whole}{}{fraction}", if negative { "-" } else { "" }, if scale > 0 { "." } else { "" })
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
                Err(_) => format!("string utf-16 {}", crate::bytes::hex(text.data)),
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
        _ => put_primitive(out, text),
    }
}

fn put_primitive(out: &mut Vec<u8>, text: &str) -> Encoded<()> {
    let form = || EncodeError::new(text, "a type and a value are expected, such as `int 42`");
    let (kind, value) = text.split_once(char::is_whitespace).ok_or_else(form)?;
    let value = value.trim();
    let truth = || match value {
        "true" => Ok(1),
        "false" => Ok(0),
        _ => Err(EncodeError::new(value, "true or false is expected")),
    };
    let real = || value.parse::<f64>().map_err(|_| EncodeError::new(value, "a number is expected"));
    let (element, bytes) = match kind {
        "bool" => (element::BOOLEAN, vec![truth()?]),
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
        "decimal" | "datetime" => {
            let reason =
                "the blob has the token of the type before the value, which the text has not: this can only be decoded";
            return Err(EncodeError::new(kind, reason));
        }
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
