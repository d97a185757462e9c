//! Literals as C# writes them.

use pdblens_formats::signature::{Primitive, Type};
use pdblens_session::text::constant::quoted;
use pdblens_session::text::signature::keyword;

use super::library::plain;

pub(super) fn int(number: i64, ty: &Type) -> String {
    let Type::Primitive(of) = plain(ty) else { return number.to_string() };
    let (number, least, most) = match of {
        Primitive::I4 => (i128::from(number), i128::from(i32::MIN), i128::from(i32::MAX)),
        Primitive::I8 => (i128::from(number), i128::from(i64::MIN), i128::from(i64::MAX)),
        Primitive::U4 => (i128::from(number as u32), -1, i128::from(u32::MAX)),
        Primitive::U8 => (i128::from(number as u64), -1, i128::from(u64::MAX)),
        Primitive::Boolean => return (number != 0).to_string(),
        Primitive::Char => return quoted('\'', [number as u16]),
        _ => return number.to_string(),
    };
    match number {
        _ if number == most => format!("{}.MaxValue", keyword(*of)),
        _ if number == least => format!("{}.MinValue", keyword(*of)),
        _ => number.to_string(),
    }
}

pub(super) fn float(number: f64, digits: String, name: &str) -> String {
    match number {
        _ if number.is_nan() => format!("{name}.NaN"),
        f64::INFINITY => format!("{name}.PositiveInfinity"),
        f64::NEG_INFINITY => format!("{name}.NegativeInfinity"),
        f64::MAX => "double.MaxValue".to_owned(),
        _ => digits,
    }
}

/// Returns true for a name that could be written in `nameof`.
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[rustfmt::skip]
pub(super) fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "abstract" | "as" | "bool" | "break" | "byte" | "case" | "catch" | "char" | "checked" | "class" | "const"
        | "continue" | "decimal" | "default" | "delegate" | "do" | "double" | "else" | "enum" | "event" | "explicit"
        | "extern" | "false" | "finally" | "fixed" | "float" | "for" | "foreach" | "goto" | "if" | "implicit" | "in"
        | "int" | "interface" | "internal" | "is" | "lock" | "long" | "namespace" | "new" | "null" | "object"
        | "operator" | "out" | "override" | "params" | "private" | "protected" | "public" | "readonly" | "ref"
        | "return" | "sbyte" | "sealed" | "short" | "sizeof" | "stackalloc" | "static" | "string" | "struct"
        | "switch" | "throw" | "true" | "try" | "typeof" | "uint" | "ulong" | "unchecked" | "unsafe" | "ushort"
        | "using" | "virtual" | "void" | "volatile" | "while"
    )
}

/// Enums of the platform that calls name most, with the values of their members; `+` where members combine. Other files declare them,
/// so that their names are nowhere in this one.
const PLATFORM: &str = include_str!("enums.txt");

/// Values and names of the members of an enum of the platform, and true if they combine.
pub(super) fn platform_enumerators(name: &str) -> (Vec<(i64, &'static str)>, bool) {
    let head = |line: &&str| line.split(' ').next().is_some_and(|head| head.trim_end_matches('+') == name);
    let Some(line) = PLATFORM.lines().find(head) else { return (Vec::new(), false) };
    let words: Vec<&str> = line.split(' ').skip(1).collect();
    let members = words.chunks_exact(2).filter_map(|pair| Some((pair[0].parse().ok()?, pair[1])));
    (members.collect(), line.starts_with(&format!("{name}+")))
}

/// The member of a value, or the members that combine to it; none where there are none.
pub(super) fn combination<'n>(number: i64, members: &[(i64, &'n str)], is_combined: bool) -> Vec<&'n str> {
    if let Some((_, name)) = members.iter().find(|(value, _)| *value == number) {
        return vec![name];
    }
    let (mut left, mut names) = (number, Vec::new());
    for (value, name) in members.iter().rev() {
        if is_combined && *value != 0 && left & value == *value {
            names.insert(0, *name);
            left &= !value;
        }
    }
    if left == 0 { names } else { Vec::new() }
}
