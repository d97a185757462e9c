//! Types as C# names them.

use std::fmt::Write;

use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::Type;
use pdblens_session::text::signature::keyword;

use super::super::evaluate::plain_name;
use super::super::spelling::Axis;
use super::Writer;

impl Writer<'_, '_, '_> {
    pub fn type_list(&mut self, types: &[Type]) {
        self.push("<");
        for (number, ty) in types.iter().enumerate() {
            self.push(if number > 0 { ", " } else { "" });
            self.ty(ty);
        }
        self.push(">");
    }

    /// Writes a type.
    pub fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Primitive(primitive) => self.push(keyword(*primitive)),
            Type::Named { token, .. } => self.named(*token, &[]),
            Type::Generic { token, arguments, .. } => {
                let (name, namespace) = self.from.library.type_name(*token);
                match arguments.as_slice() {
                    [of] if name.as_ref() == "Nullable`1" => {
                        self.ty(of);
                        self.push("?");
                    }
                    [_, _, ..] if name.starts_with("ValueTuple`") && namespace.as_ref() == "System" => {
                        self.push("(");
                        for (number, of) in arguments.iter().enumerate() {
                            self.push(if number > 0 { ", " } else { "" });
                            self.ty(of);
                        }
                        self.push(")");
                    }
                    _ => self.named(*token, arguments),
                }
            }
            Type::Array(_) | Type::ShapedArray(..) => self.array_type(ty),
            Type::Pointer(of) => {
                self.ty(of);
                self.push("*");
            }
            // Signatures of precompiled code alone name a type of another module.
            Type::Reference(of) | Type::Pinned(of) | Type::Modified { of, .. } | Type::InModule { of, .. } => {
                self.ty(of);
            }
            Type::TypeParameter(number) => {
                let owner = Token::new(TableId::TYPE_DEF, self.from.body.type_row);
                let name = self.from.library.type_parameter(owner, *number);
                self.name(&name);
            }
            Type::MethodParameter(number) => {
                let owner = Token::new(TableId::METHOD_DEF, self.from.body.member.row);
                let name = self.from.library.type_parameter(owner, *number);
                self.name(&name);
            }
            Type::Function(_) => self.push("delegate*"),
            Type::Canonical => self.push("__Canon"),
        }
    }

    fn array_type(&mut self, ty: &Type) {
        let (mut inner, mut brackets) = (ty, String::new());
        loop {
            match inner {
                Type::Array(of) => {
                    brackets.push_str("[]");
                    inner = of;
                }
                Type::ShapedArray(of, shape) => {
                    let _ = write!(brackets, "[{}]", ",".repeat(shape.rank.saturating_sub(1) as usize));
                    inner = of;
                }
                _ => break,
            }
        }
        self.ty(inner);
        if self.choice(Axis::Space) > 0 {
            self.push(" ");
        }
        self.push(&brackets);
    }

    pub fn named(&mut self, token: Token, arguments: &[Type]) {
        let (name, namespace) = self.from.library.type_name(token);
        let (plain, arity) =
            name.split_once('`').map_or((name.as_ref(), 0), |(plain, arity)| (plain, arity.parse().unwrap_or(0)));
        let mut own = arguments;
        if let Some(outer) = self.from.library.enclosing(token) {
            let outer_type = Type::Named { token: outer, is_value: false };
            let count = arguments.len().saturating_sub(arity);
            let (before, rest) = arguments.split_at(count);
            own = rest;
            if !self.is_around(&outer_type) {
                self.named(outer, before);
                self.push(".");
            }
        }
        let plain = match plain {
            "Decimal" if namespace.as_ref() == "System" => "decimal",
            "Void" if namespace.as_ref() == "System" => "void",
            "IntPtr" if namespace.as_ref() == "System" => "IntPtr",
            _ => plain,
        };
        self.name_of_type(plain);
        if own.is_empty() && arity > 0 && arity < 16 {
            let _ = write!(self.out, "<{}>", ",".repeat(arity - 1));
        } else if !own.is_empty() {
            self.type_list(own);
        }
    }

    pub fn name_of_type(&mut self, name: &str) {
        if matches!(name, "decimal" | "void") {
            return self.push(name);
        }
        self.name(&plain_name(name));
        if name.starts_with('<') {
            self.whole = false;
        }
    }
}
