//! Constants by the type that receives them, strings and types, as C# writes them.

use std::rc::Rc;

use pdblens_formats::bytes::Slice;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::portable::constant::{Primitive as Constant, Value};
use pdblens_formats::signature::{Primitive, Type};
use pdblens_session::text::constant::constant_text;
use pdblens_session::text::signature::keyword;

use super::evaluate::plain_name;
use super::library::{self, Class, class, plain};
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
            && let Some(name) = self.constant_name(&number.to_string())
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
        let (members, is_combined) = match &known {
            Some(own) => (own.iter().map(|found| (found.number, &*found.name)).collect(), true),
            None => platform_enumerators(&self.from.library.name_of(ty).0),
        };
        let complement = members.iter().find(|(value, _)| *value == !number && *value != 0).copied();
        let names = combination(number, &members, is_combined);
        match (&names[..], complement) {
            ([], None) if number == 0 => self.push("0"),
            ([], None) => self.push("(").ty(ty).push(")").push(&number.to_string()),
            ([] | [_, _, ..], Some((_, name))) => self.push("~").ty(ty).push(".").name(name),
            (names, _) => self.separated(names, " | ", |this, name| _ = this.ty(ty).push(".").name(name)),
        }
    }

    /// The name of a constant with a value: of the method, of its type or of a type around it.
    fn constant_name(&self, value: &str) -> Option<Rc<str>> {
        let body = self.from.body;
        if let Some(name) = body.constant_name(value, self.from.span().offset) {
            return Some(name.into());
        }
        self.around().find_map(|row| {
            let constants = self.from.library.literals(row);
            let mut found = constants.iter().filter(|constant| constant.text == value);
            let first = found.next()?.name.clone();
            if found.next().is_none() { Some(first) } else { None }
        })
    }

    pub fn string(&mut self, text: &str) -> &mut Self {
        let quoted = quoted(text);
        if !text.is_empty()
            && let Some(name) = self.constant_name(&quoted)
        {
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
                (Kind::Str(text), _) => {
                    let text = quoted(text).replace('{', "{{").replace('}', "}}");
                    self.push(text.get(1..text.len().saturating_sub(1)).unwrap_or_default())
                }
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

    /// Rows of the type of the method, and of those around it.
    fn around(&self) -> impl Iterator<Item = u32> {
        let outer = |row: &u32| Some(self.from.library.names.enclosing(*row)).filter(|row| *row > 0);
        std::iter::successors(Some(self.from.body.type_row), outer).take(16)
    }

    /// Returns true for the type of the method, and those around it and their bases.
    pub fn is_around(&self, ty: &Type) -> bool {
        let Some(token) = library::token(ty).filter(|token| token.table() == TableId::TYPE_DEF) else { return false };
        self.around().any(|row| row == token.row() || self.from.library.base(row) == Some(token))
    }
}

pub(super) fn int(number: i64, ty: &Type) -> String {
    let Type::Primitive(of) = plain(ty) else { return number.to_string() };
    let (number, least, most) = match of {
        Primitive::I4 => (i128::from(number), i128::from(i32::MIN), i128::from(i32::MAX)),
        Primitive::I8 => (i128::from(number), i128::from(i64::MIN), i128::from(i64::MAX)),
        Primitive::U4 => (i128::from(number as u32), -1, i128::from(u32::MAX)),
        Primitive::U8 => (i128::from(number as u64), -1, i128::from(u64::MAX)),
        Primitive::Boolean => return (number != 0).to_string(),
        Primitive::Char => return constant_text(&Value::Primitive(Constant::Char(number as u16)), |_| String::new()),
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

/// A string literal as C# writes it.
pub(super) fn quoted(text: &str) -> String {
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let text = Constant::String(Slice { data: &bytes, ..Slice::default() });
    constant_text(&Value::Primitive(text), |_| String::new())
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
const PLATFORM: &str = include_str!("enums.txt");

/// Values and names of the members of an enum of the platform, and true if they combine.
fn platform_enumerators(name: &str) -> (Vec<(i64, &'static str)>, bool) {
    let head = |line: &&str| line.split(' ').next().is_some_and(|head| head.trim_end_matches('+') == name);
    let Some(line) = PLATFORM.lines().find(head) else { return (Vec::new(), false) };
    let words: Vec<&str> = line.split(' ').skip(1).collect();
    let members = words.chunks_exact(2).filter_map(|pair| Some((pair[0].parse().ok()?, pair[1])));
    (members.collect(), line.starts_with(&format!("{name}+")))
}

/// The member of a value, or the members that combine to it; none where there are none.
fn combination<'n>(number: i64, members: &[(i64, &'n str)], is_combined: bool) -> Vec<&'n str> {
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
