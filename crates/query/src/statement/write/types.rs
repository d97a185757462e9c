//! Types as C# names them.

use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::Type;
use pdblens_session::text::signature::keyword;

use super::super::evaluate::plain_name;
use super::super::types;
use super::Writer;

impl Writer<'_, '_, '_> {
    fn type_list(&mut self, types: &[Type], open: &str, close: &str) -> &mut Self {
        let types: Vec<&Type> = types.iter().collect();
        self.push(open).separated(&types, ", ", |this, ty| _ = this.ty(ty)).push(close)
    }

    /// Writes the type arguments of a call.
    pub fn type_arguments(&mut self, types: &[Type]) -> &mut Self {
        self.type_list(types, "<", ">")
    }

    /// Writes a type.
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
        let Some(token) = types::token(ty).filter(|token| token.table() == TableId::TYPE_DEF) else { return false };
        let outer = |row: &u32| Some(self.from.library.names.enclosing(*row)).filter(|row| *row > 0);
        let mut rows = std::iter::successors(Some(self.from.body.type_row), outer).take(16);
        rows.any(|row| row == token.row() || self.from.library.base(row) == Some(token))
    }
}
