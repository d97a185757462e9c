//! Constants by the type that receives them, strings and types, as C# writes them.

use std::rc::Rc;

use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::{Primitive, Type};
use pdblens_session::text::signature::keyword;

use super::evaluate::plain_name;
use super::library::{self, Class, ConstantMember, class, plain};
use super::node::{Id, Kind};
use super::spelling::{DEFAULT, HEX, NAME_OF};
use super::write::{LOWEST, Writer};

impl Writer<'_, '_, '_> {
    pub fn int(&mut self, number: i64, expected: &Type, own: &Type) -> &mut Self {
        let expected = match library::arguments(expected) {
            [of] if self.from.library.is_named(expected, "Nullable`1") => of,
            _ => plain(expected),
        };
        let by = if matches!(class(expected), Class::Unknown | Class::Reference) { own } else { expected };
        if matches!(class(by), Class::Int(..))
            && !(-1..=8).contains(&number)
            && let Some(name) = self.constant_name(&number.to_string(), |own| !own.is_text && own.number == number)
        {
            return self.name(&name);
        }
        match class(by) {
            Class::Value => self.enumerator(number, by),
            Class::Pointer | Class::Unknown | Class::Reference => self.push(&number.to_string()),
            Class::Int(..) if number >= 0 && self.choice(HEX) > 0 => {
                let digits = format!("{number:x}").len();
                let padded = if self.spelling[HEX] == 2 { digits.next_power_of_two().max(2) } else { digits };
                self.push(&format!("0x{number:0padded$x}"))
            }
            _ => self.push(&int(number, by)),
        }
    }

    fn enumerator(&mut self, number: i64, ty: &Type) -> &mut Self {
        let known = self.from.library.enumerators(ty);
        let own = known.iter().flat_map(|known| known.iter());
        let own: Vec<(i64, &str)> = own.map(|found| (found.number, &*found.name)).collect();
        let complement = own.iter().find(|(value, _)| *value == !number && *value != 0).copied();
        let names = match &known {
            Some(_) => combination(number, own, true),
            None => platform_enumerators(&self.from.library.name_of(ty).0, number),
        };
        match (&names[..], complement) {
            ([], None) if number == 0 => self.push("0"),
            ([], None) => self.push("(").ty(ty).push(")").push(&number.to_string()),
            ([] | [_, _, ..], Some((_, name))) => self.push("~").ty(ty).push(".").name(name),
            (names, _) => self.separated(names, " | ", |this, name| _ = this.ty(ty).push(".").name(name)),
        }
    }

    /// The name of a constant with a value: of the method, of its type or of a type around it.
    fn constant_name(&self, value: &str, is_it: impl Fn(&ConstantMember) -> bool) -> Option<Rc<str>> {
        let body = self.from.body;
        let offset = self.from.span().offset;
        if let Some(name) = body.constant_name(value, offset) {
            return Some(name.into());
        }
        let outer = |row: &u32| Some(self.from.library.names.enclosing(*row)).filter(|row| *row > 0);
        std::iter::successors(Some(body.type_row), outer).take(8).find_map(|row| {
            let constants = self.from.library.constants(row);
            let mut found = constants.iter().filter(|constant| is_it(constant));
            let first = found.next()?.name.clone();
            if found.next().is_none() { Some(first) } else { None }
        })
    }

    pub fn string(&mut self, text: &str) -> &mut Self {
        let (bytes, quoted) = (utf16_bytes(text), string(text));
        let is_it = |found: &ConstantMember| found.is_text && found.bytes == bytes && !bytes.is_empty();
        if let Some(name) = self.constant_name(&quoted, is_it) {
            return self.name(&name);
        }
        // The name of an argument or a member is often written `nameof`.
        if is_identifier(text) && self.choice(NAME_OF) > 0 {
            return self.push("nameof(").push(text).push(")");
        }
        self.push(&quoted)
    }

    pub fn default(&mut self, ty: &Type) -> &mut Self {
        match self.choice(DEFAULT) {
            1 => self.push("default"),
            2 => self.push("new ").ty(ty).list(&[], &[], "(", ")"),
            _ if self.from.library.is_named(ty, "Nullable`1") => self.push("null"),
            _ => self.push("default(").ty(ty).push(")"),
        }
    }

    /// Writes an interpolated string, or a value in one with its alignment and its format.
    pub fn interpolated(&mut self, parts: &[Id]) -> &mut Self {
        self.push("$\"");
        for part in parts {
            let part = self.node(*part);
            match (&part.kind, &part.kids[..]) {
                (Kind::Str(text), _) => self.push(&escaped(text).replace('{', "{{").replace('}', "}}")),
                (_, [value, details @ ..]) => {
                    self.push("{").write(*value, None, 2);
                    for detail in details {
                        match self.from.kind(*detail) {
                            Kind::Str(text) => self.push(":").push(text),
                            Kind::Null => self,
                            _ => self.push(",").write(*detail, None, LOWEST),
                        };
                    }
                    self.push("}")
                }
                _ => self,
            };
        }
        self.push("\"")
    }
}

impl Writer<'_, '_, '_> {
    fn type_list(&mut self, types: &[Type], open: &str, close: &str) -> &mut Self {
        let types: Vec<&Type> = types.iter().collect();
        self.push(open).separated(&types, ", ", |this, ty| _ = this.ty(ty)).push(close)
    }

    pub fn type_arguments(&mut self, types: &[Type]) -> &mut Self {
        self.type_list(types, "<", ">")
    }

    pub fn ty(&mut self, ty: &Type) -> &mut Self {
        let library = self.from.library;
        match ty {
            Type::Primitive(primitive) => self.push(keyword(*primitive)),
            Type::Named { token, .. } => self.named(*token, &[]),
            Type::Generic { token, arguments, .. } => {
                let (name, namespace) = library.type_name(*token);
                match arguments.as_slice() {
                    [of] if &*name == "Nullable`1" => self.ty(of).push("?"),
                    [_, _, ..] if name.starts_with("ValueTuple`") && &*namespace == "System" => {
                        self.type_list(arguments, "(", ")")
                    }
                    _ => self.named(*token, arguments),
                }
            }
            Type::Array(_) | Type::ShapedArray(..) => self.array_type(ty),
            Type::Pointer(of) => self.ty(of).push("*"),
            // Signatures of precompiled code alone name a type of another module.
            Type::Reference(of) | Type::Pinned(of) | Type::Modified { of, .. } | Type::InModule { of, .. } => {
                self.ty(of)
            }
            Type::TypeParameter(number) => {
                let owner = Token::new(TableId::TYPE_DEF, self.from.body.type_row);
                self.name(&library.type_parameter(owner, *number))
            }
            Type::MethodParameter(number) => {
                let owner = Token::new(TableId::METHOD_DEF, self.from.body.member.row);
                self.name(&library.type_parameter(owner, *number))
            }
            Type::Function(_) => self.push("delegate*"),
            Type::Canonical => self.push("__Canon"),
        }
    }

    fn array_type(&mut self, ty: &Type) -> &mut Self {
        let (mut inner, mut brackets) = (ty, String::new());
        while let Type::Array(of) | Type::ShapedArray(of, _) = inner {
            let rank = if let Type::ShapedArray(_, shape) = inner { shape.rank.clamp(1, 32) } else { 1 };
            brackets.extend(["[", &",".repeat((rank as usize).saturating_sub(1)), "]"]);
            inner = of;
        }
        self.ty(inner).open_space().push(&brackets)
    }

    fn named(&mut self, token: Token, arguments: &[Type]) -> &mut Self {
        let (name, namespace) = self.from.library.type_name(token);
        let (plain, arity) = name.split_once('`').unwrap_or((&name, "0"));
        let arity = arity.parse().unwrap_or(0);
        let mut own = arguments;
        if let Some(outer) = self.from.library.enclosing(token) {
            let (before, rest) = arguments.split_at(arguments.len().saturating_sub(arity));
            own = rest;
            if !self.is_around(&Type::Named { token: outer, is_value: false }) {
                self.named(outer, before).push(".");
            }
        }
        match plain {
            "Decimal" if &*namespace == "System" => self.push("decimal"),
            "Void" if &*namespace == "System" => self.push("void"),
            _ => self.name(&plain_name(plain)),
        };
        self.whole &= !plain.starts_with('<');
        match own {
            [] if (1..16).contains(&arity) => self.push("<").push(&",".repeat(arity.saturating_sub(1))).push(">"),
            [] => self,
            _ => self.type_list(own, "<", ">"),
        }
    }

    /// Returns true for the type of the method, and those around it and their bases.
    pub fn is_around(&self, ty: &Type) -> bool {
        let Some(token) = library::token(ty).filter(|token| token.table() == TableId::TYPE_DEF) else { return false };
        let outer = |row: &u32| Some(self.from.library.names.enclosing(*row)).filter(|row| *row > 0);
        let mut rows = std::iter::successors(Some(self.from.body.type_row), outer).take(16);
        rows.any(|row| row == token.row() || self.from.library.base(row) == Some(token))
    }
}

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

pub(super) fn string(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

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

pub(super) fn utf16_bytes(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Returns true for a name that could be written in `nameof`.
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

const KEYWORDS: &str = " abstract as bool break byte case catch char checked class const continue decimal default delegate do \
    double else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is \
    lock long namespace new null object operator out override params private protected public readonly ref return sbyte sealed \
    short sizeof stackalloc static string struct switch throw true try typeof uint ulong unchecked unsafe ushort using virtual \
    void volatile while ";

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
