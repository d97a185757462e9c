//! Constants by the type that receives them, strings and types, as C# writes them.

use std::rc::Rc;

use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::Type;
use pdblens_session::text::constant::quoted;
use pdblens_session::text::signature::keyword;

use super::library::{self, Class, class, plain, plain_name};
use super::literal::{combination, int, is_identifier, platform_enumerators};
use super::node::{Id, Kind};
use super::spelling::{DEFAULT, NAME_OF};
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
        let quoted = quoted('"', text.encode_utf16());
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
                    let text = quoted('"', text.encode_utf16()).replace('{', "{{").replace('}', "}}");
                    self.push(text.get(1..text.len().saturating_sub(1)).unwrap_or_default())
                }
                (_, [value, details @ ..]) => {
                    self.push("{").write(*value, None, 2);
                    for detail in details {
                        match self.from.nodes.kind(*detail) {
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
            brackets.extend(["[", &",".repeat(rank as usize - 1), "]"]);
            inner = of;
        }
        self.ty(inner).push(&brackets)
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
