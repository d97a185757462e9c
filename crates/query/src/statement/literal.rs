//! Literals as C# writes them.

use pdblens_formats::signature::{Primitive, Type};

use super::types::{Class, class, plain};

/// An integer constant of a type: `true`, `'a'`, `int.MaxValue`, `12`.
pub(super) fn int(number: i64, ty: &Type) -> String {
    let (name, least, most) = match plain(ty) {
        Type::Primitive(Primitive::I4) => ("int", i64::from(i32::MIN), i64::from(i32::MAX)),
        Type::Primitive(Primitive::I8) => ("long", i64::MIN, i64::MAX),
        Type::Primitive(Primitive::U4) if number as u32 == u32::MAX => return "uint.MaxValue".to_owned(),
        Type::Primitive(Primitive::U4) => return (number as u32).to_string(),
        Type::Primitive(Primitive::U8) if number == -1 => return "ulong.MaxValue".to_owned(),
        Type::Primitive(Primitive::U8) => return (number as u64).to_string(),
        Type::Primitive(Primitive::Boolean) => return (number != 0).to_string(),
        _ if class(ty) == Class::Char => {
            let c = char::from_u32(number as u32 & 0xffff).unwrap_or(char::REPLACEMENT_CHARACTER);
            return format!("'{}'", escaped_char(c, '\''));
        }
        _ => return number.to_string(),
    };
    match number {
        _ if number == most => format!("{name}.MaxValue"),
        _ if number == least => format!("{name}.MinValue"),
        _ => number.to_string(),
    }
}

/// A floating-point constant, with the digits that its type writes.
pub(super) fn float(number: f64, digits: &str, is_single: bool) -> String {
    let name = if is_single { "float" } else { "double" };
    match number {
        _ if number.is_nan() => format!("{name}.NaN"),
        f64::INFINITY => format!("{name}.PositiveInfinity"),
        f64::NEG_INFINITY => format!("{name}.NegativeInfinity"),
        f64::MAX => "double.MaxValue".to_owned(),
        _ if is_single => format!("{digits}f"),
        _ if digits.contains(['.', 'e', 'E']) => digits.to_owned(),
        _ => format!("{digits}.0"),
    }
}

/// A string in quotes.
pub(super) fn string(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// The text of a string literal between its quotes.
pub(super) fn escaped(text: &str) -> String {
    text.chars().map(|c| escaped_char(c, '"')).collect()
}

fn escaped_char(c: char, quote: char) -> String {
    match c {
        '\n' | '\r' | '\t' | '\0' | '\\' => c.escape_debug().to_string(),
        _ if c == quote => format!("\\{c}"),
        _ if c.is_control() => format!("\\u{:04x}", c as u32),
        _ => c.to_string(),
    }
}

/// The bytes that the Constant table has of a string.
pub(super) fn utf16_bytes(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Returns true for a name that could be written in `nameof`.
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Reserved words of C# that a name can be.
const KEYWORDS: &str = " abstract as bool break byte case catch char checked class const continue decimal default delegate do \
    double else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is \
    lock long namespace new null object operator out override params private protected public readonly ref return sbyte sealed \
    short sizeof stackalloc static string struct switch throw true try typeof uint ulong unchecked unsafe ushort using virtual \
    void volatile while ";

/// Returns true for a name that has an `@` before it.
pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&format!(" {name} "))
}

/// Enums of the platform that calls name most, with the values of their members; `+` where members combine. Other files declare them,
/// so that their names are nowhere in this one.
const PLATFORM: &str = "\
BindingFlags+ 1 IgnoreCase 2 DeclaredOnly 4 Instance 8 Static 16 Public 32 NonPublic 64 FlattenHierarchy 256 InvokeMethod 512 CreateInstance 1024 GetField 4096 GetProperty
CspProviderFlags+ 0 NoFlags 1 UseMachineKeyStore
DateTimeKind 0 Unspecified 1 Utc 2 Local
DateTimeStyles+ 0 None 16 AdjustToUniversal 32 AssumeLocal 64 AssumeUniversal 128 RoundtripKind
FileAccess+ 1 Read 2 Write 3 ReadWrite
FileMode 1 CreateNew 2 Create 3 Open 4 OpenOrCreate 5 Truncate 6 Append
FileShare+ 0 None 1 Read 2 Write 3 ReadWrite 4 Delete
MemberTypes+ 1 Constructor 2 Event 4 Field 8 Method 16 Property
NumberStyles+ 0 None 1 AllowLeadingWhite 2 AllowTrailingWhite 4 AllowLeadingSign 7 Integer 32 AllowDecimalPoint 64 AllowThousands 111 Number 128 AllowExponent 167 Float 511 Any 515 HexNumber
RegexOptions+ 0 None 1 IgnoreCase 2 Multiline 8 Compiled 16 Singleline 512 CultureInvariant
SeekOrigin 0 Begin 1 Current 2 End
StringComparison 0 CurrentCulture 1 CurrentCultureIgnoreCase 2 InvariantCulture 3 InvariantCultureIgnoreCase 4 Ordinal 5 OrdinalIgnoreCase
StringSplitOptions+ 0 None 1 RemoveEmptyEntries 2 TrimEntries
TaskContinuationOptions+ 0 None 524288 ExecuteSynchronously
TaskCreationOptions+ 0 None 2 LongRunning 64 RunContinuationsAsynchronously
TaskStatus 5 RanToCompletion 6 Canceled 7 Faulted
TypeCode 0 Empty 1 Object 2 DBNull 3 Boolean 4 Char 5 SByte 6 Byte 7 Int16 8 UInt16 9 Int32 10 UInt32 11 Int64 12 UInt64 13 Single 14 Double 15 Decimal 16 DateTime 18 String";

/// Names of the members of an enum of the platform that make a value; none where they are not known.
pub(super) fn platform_enumerators(name: &str, number: i64) -> Vec<&'static str> {
    let found = PLATFORM.lines().find_map(|line| {
        let (head, members) = line.split_once(' ')?;
        (head.trim_end_matches('+') == name).then_some((head.ends_with('+'), members))
    });
    let Some((is_combined, members)) = found else { return Vec::new() };
    let words: Vec<&str> = members.split(' ').collect();
    let members = words.chunks_exact(2).filter_map(|pair| Some((pair[0].parse::<i64>().ok()?, pair[1])));
    combination(number, members.collect(), is_combined)
}

/// The member of a value, or the members that combine to it; none where there are none.
pub(super) fn combination<N: Clone>(number: i64, members: Vec<(i64, N)>, is_combined: bool) -> Vec<N> {
    if let Some((_, name)) = members.iter().find(|(value, _)| *value == number) {
        return vec![name.clone()];
    }
    let (mut left, mut names) = (number, Vec::new());
    for (value, name) in members.into_iter().rev() {
        if is_combined && value != 0 && left & value == value {
            names.insert(0, name);
            left &= !value;
        }
    }
    if left == 0 { names } else { Vec::new() }
}
