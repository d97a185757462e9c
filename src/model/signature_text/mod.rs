//! Signatures as a .NET developer reads them.
//!
//! The form is C#'s where C# has one, and otherwise as close to it as can be:
//!
//! | signature | text |
//! |--|--|
//! | primitive types | `long`, `nint`, `string`, `object`; `TypedReference` |
//! | arrays | `int[]`, `int[,]`; of arrays as in C#, outermost first: `int[][,]`; with bounds: `int[0...4,-1...]`; one dimension with a shape: `int[*]` |
//! | pointers, references, pinned locals | `int*`, `ref int`, `pinned ref int` |
//! | generic types | ``Dictionary`2`` of two arguments: `Dictionary<int, string>`; nested: `Dictionary<int, string>.Enumerator`; open: `Dictionary<,>` |
//! | type parameters | what [`TypeNames`] calls them, else `!0` (of the type) and `!!0` (of the method) |
//! | custom modifiers | before what they modify, as in the bytes: `modreq(InAttribute) ref int` |
//! | function pointers | `delegate*<int, void>`, `delegate* unmanaged[Stdcall]<int, void>` |
//! | variable arguments | `(string, ...)`; those of a call behind the dots: `(string, ..., int)` |
//!
//! Where a prefix form is part of a suffix form it stands in parentheses: `(modopt(X) int)[]`.

use std::fmt::{self, Display, Write};

use crate::bytes::At;
use crate::formats::metadata::Token;
use crate::formats::signature::{ArrayShape, CallKind, MethodSignature, Primitive, Signature, Type};

/// Whoever knows what tokens and type parameters are called.
pub trait TypeNames {
    /// Writes the name of the type as metadata has it, arity and all: ``Ns.Outer`1+Inner``. A TypeSpec may lead to itself:
    /// it is for the implementation to put an end to that.
    fn type_name(&self, token: Token, out: &mut dyn Write) -> fmt::Result;

    /// Writes the name of a type parameter of the surrounding type.
    fn type_parameter(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
        write!(out, "!{number}")
    }

    /// Writes the name of a type parameter of the method.
    fn method_parameter(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
        write!(out, "!!{number}")
    }
}

/// Writes signatures with these names.
#[derive(Clone, Copy)]
pub struct SignatureText<'n> {
    names: &'n dyn TypeNames,
}

impl<'n> SignatureText<'n> {
    /// A writer that asks `names`.
    pub const fn new(names: &'n dyn TypeNames) -> Self {
        Self { names }
    }

    /// Writes any signature, without the name of what it is of: `long (int, string)`.
    pub fn signature(&self, out: &mut dyn Write, signature: &Signature) -> fmt::Result {
        match signature {
            Signature::Method(method) => self.method(out, method, &"", &[]),
            Signature::Field(at) => self.ty(out, &at.value),
            Signature::Property(property) => {
                self.ty(out, &property.returns.value)?;
                self.list(out, " [", property.parameters.iter().map(|at| &at.value), "]")
            }
            Signature::Locals(locals) => self.list(out, "", locals.iter().map(|at| &at.value), ""),
            Signature::Instantiation(arguments) => self.list(out, "<", arguments.iter().map(|at| &at.value), ">"),
        }
    }

    /// Writes what a method returns, its name and what it takes: `long Ticker.Clock.Now(string)`. Type arguments, where
    /// there are any, come from the signature of a MethodSpec.
    pub fn method(
        &self,
        out: &mut dyn Write,
        method: &MethodSignature,
        name: &dyn Display,
        arguments: &[At<Type>],
    ) -> fmt::Result {
        self.ty(out, &method.returns.value)?;
        write!(out, " {name}")?;
        if arguments.is_empty() {
            self.generic_parameters(out, method.generic_parameters)?;
        } else {
            self.list(out, "<", arguments.iter().map(|at| &at.value), ">")?;
        }
        self.parameters(out, method)
    }

    /// Writes a method as the operand of an instruction: as [`Self::method`], with `instance` and an unmanaged calling
    /// convention before it, which is what a caller has to know.
    pub fn operand(
        &self,
        out: &mut dyn Write,
        method: &MethodSignature,
        name: &dyn Display,
        arguments: &[At<Type>],
    ) -> fmt::Result {
        out.write_str(if method.has_this { "instance " } else { "" })?;
        match convention(method.call) {
            "" => {}
            word => write!(out, "{word} ")?,
        }
        self.method(out, method, name, arguments)
    }

    /// Writes the types of the parameters: `(int, string)`.
    pub fn parameters(&self, out: &mut dyn Write, method: &MethodSignature) -> fmt::Result {
        let dots = match method.sentinel {
            None if method.call == CallKind::VarArg => Some(method.parameters.len()),
            before => before.map(|before| before as usize),
        };
        out.write_char('(')?;
        for (number, parameter) in method.parameters.iter().enumerate() {
            out.write_str(if number > 0 { ", " } else { "" })?;
            out.write_str(if dots == Some(number) { "..., " } else { "" })?;
            self.ty(out, &parameter.value)?;
        }
        if dots == Some(method.parameters.len()) {
            out.write_str(if method.parameters.is_empty() { "..." } else { ", ..." })?;
        }
        out.write_char(')')
    }

    /// Writes a type.
    pub fn ty(&self, out: &mut dyn Write, ty: &Type) -> fmt::Result {
        match ty {
            Type::Primitive(primitive) => out.write_str(keyword(*primitive)),
            Type::Named { token, .. } => self.named(out, *token, &[]),
            Type::Generic { token, arguments, .. } => self.named(out, *token, arguments),
            Type::Array(_) | Type::ShapedArray(..) => self.array(out, ty),
            Type::Pointer(target) => {
                self.in_suffix(out, target)?;
                out.write_char('*')
            }
            Type::Reference(target) => {
                out.write_str("ref ")?;
                self.ty(out, target)
            }
            Type::Pinned(of) => {
                out.write_str("pinned ")?;
                self.ty(out, of)
            }
            Type::Modified { required, modifier, of } => {
                out.write_str(if *required { "modreq(" } else { "modopt(" })?;
                self.named(out, *modifier, &[])?;
                out.write_str(") ")?;
                self.ty(out, of)
            }
            Type::TypeParameter(number) => self.names.type_parameter(*number, out),
            Type::MethodParameter(number) => self.names.method_parameter(*number, out),
            Type::Function(method) => self.function(out, method),
        }
    }

    fn list<'t>(
        &self,
        out: &mut dyn Write,
        open: &str,
        types: impl ExactSizeIterator<Item = &'t Type>,
        close: &str,
    ) -> fmt::Result {
        if types.len() == 0 {
            return Ok(());
        }
        out.write_str(open)?;
        for (number, ty) in types.enumerate() {
            out.write_str(if number > 0 { ", " } else { "" })?;
            self.ty(out, ty)?;
        }
        out.write_str(close)
    }

    fn generic_parameters(&self, out: &mut dyn Write, count: u32) -> fmt::Result {
        for number in 0..count {
            out.write_str(if number > 0 { ", " } else { "<" })?;
            self.names.method_parameter(number, out)?;
        }
        out.write_str(if count > 0 { ">" } else { "" })
    }

    fn named(&self, out: &mut dyn Write, token: Token, arguments: &[Type]) -> fmt::Result {
        let mut name = GenericName { text: *self, out, arguments, arity: None };
        self.names.type_name(token, &mut name)?;
        name.end()
    }

    /// The innermost element type, then the brackets from the outermost array inwards.
    fn array(&self, out: &mut dyn Write, outermost: &Type) -> fmt::Result {
        let mut element = outermost;
        while let Type::Array(inner) | Type::ShapedArray(inner, _) = element {
            element = inner;
        }
        self.in_suffix(out, element)?;
        let mut array = outermost;
        loop {
            array = match array {
                Type::Array(inner) => {
                    out.write_str("[]")?;
                    inner
                }
                Type::ShapedArray(inner, shape) => {
                    brackets(out, shape)?;
                    inner
                }
                _ => return Ok(()),
            };
        }
    }

    /// A type that something is to be written behind.
    fn in_suffix(&self, out: &mut dyn Write, ty: &Type) -> fmt::Result {
        if !matches!(ty, Type::Reference(_) | Type::Pinned(_) | Type::Modified { .. }) {
            return self.ty(out, ty);
        }
        out.write_char('(')?;
        self.ty(out, ty)?;
        out.write_char(')')
    }

    fn function(&self, out: &mut dyn Write, method: &MethodSignature) -> fmt::Result {
        out.write_str("delegate*")?;
        out.write_str(if method.has_this { " instance" } else { "" })?;
        match convention(method.call) {
            "" => {}
            word => write!(out, " {word}")?,
        }
        out.write_char('<')?;
        for (number, parameter) in method.parameters.iter().enumerate() {
            out.write_str(if method.sentinel == Some(number as u32) { "..., " } else { "" })?;
            self.ty(out, &parameter.value)?;
            out.write_str(", ")?;
        }
        self.ty(out, &method.returns.value)?;
        out.write_char('>')
    }
}

/// Takes the name of a type and passes it on with its type arguments where the arity stands: ``List`1`` as `List<int>`.
struct GenericName<'o, 't> {
    text: SignatureText<'t>,
    out: &'o mut dyn Write,
    /// Those that are not written yet.
    arguments: &'t [Type],
    /// The number behind a backtick, as far as it has come.
    arity: Option<u32>,
}

impl GenericName<'_, '_> {
    /// The number behind a backtick is complete.
    fn end_arity(&mut self) -> fmt::Result {
        let Some(arity) = self.arity.take() else { return Ok(()) };
        let (now, later) = self.arguments.split_at((arity as usize).min(self.arguments.len()));
        self.arguments = later;
        if arity == 0 {
            // There was no number: an odd name, nothing generic.
            self.out.write_char('`')
        } else if now.is_empty() {
            // An open type. Nobody wants to see more commas than that.
            write!(self.out, "<{:,<1$}>", "", (arity as usize).saturating_sub(1).min(16))
        } else {
            self.text.list(self.out, "<", now.iter(), ">")
        }
    }

    /// The name is complete: arguments that its arities did not ask for come behind it.
    fn end(mut self) -> fmt::Result {
        self.end_arity()?;
        self.text.list(self.out, "<", self.arguments.iter(), ">")
    }
}

impl Write for GenericName<'_, '_> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        for c in s.chars() {
            match (c, self.arity) {
                ('`', None) => self.arity = Some(0),
                (digit @ '0'..='9', Some(arity)) => {
                    self.arity = Some(arity.saturating_mul(10).saturating_add(digit as u32 - '0' as u32));
                }
                _ => {
                    self.end_arity()?;
                    self.out.write_char(if matches!(c, '+' | '/') { '.' } else { c })?;
                }
            }
        }
        Ok(())
    }
}

fn brackets(out: &mut dyn Write, shape: &ArrayShape) -> fmt::Result {
    let plain = shape.sizes.is_empty() && shape.lower_bounds.iter().all(|bound| *bound == 0);
    if plain && shape.rank <= 1 {
        return out.write_str("[*]");
    }
    out.write_char('[')?;
    for dimension in 0..shape.rank as usize {
        out.write_str(if dimension > 0 { "," } else { "" })?;
        if plain {
            continue;
        }
        let low = shape.lower_bounds.get(dimension).copied().unwrap_or_default() as i64;
        match shape.sizes.get(dimension) {
            Some(size) => write!(out, "{low}...{}", low + *size as i64 - 1)?,
            None => write!(out, "{low}...")?,
        }
    }
    out.write_char(']')
}

const fn convention(call: CallKind) -> &'static str {
    match call {
        CallKind::Default | CallKind::VarArg => "",
        CallKind::C => "unmanaged[Cdecl]",
        CallKind::StdCall => "unmanaged[Stdcall]",
        CallKind::ThisCall => "unmanaged[Thiscall]",
        CallKind::FastCall => "unmanaged[Fastcall]",
        CallKind::Unmanaged => "unmanaged",
    }
}

const fn keyword(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Void => "void",
        Primitive::Boolean => "bool",
        Primitive::Char => "char",
        Primitive::I1 => "sbyte",
        Primitive::U1 => "byte",
        Primitive::I2 => "short",
        Primitive::U2 => "ushort",
        Primitive::I4 => "int",
        Primitive::U4 => "uint",
        Primitive::I8 => "long",
        Primitive::U8 => "ulong",
        Primitive::R4 => "float",
        Primitive::R8 => "double",
        Primitive::String => "string",
        Primitive::TypedByRef => "TypedReference",
        Primitive::I => "nint",
        Primitive::U => "nuint",
        Primitive::Object => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Cursor, Slice, SpaceId};
    use crate::formats::signature::{decode, decode_type};

    /// By row of TypeRef.
    const NAMES: [&str; 6] =
        ["Clock", "System.Collections.Generic.List`1", "Map`2+Enumerator", "Outer`1+Inner`1", "Odd", "a`b`"];

    struct Names;

    impl TypeNames for Names {
        fn type_name(&self, token: Token, out: &mut dyn Write) -> fmt::Result {
            // In two pieces, as callers do.
            let (head, tail) = NAMES[token.row() as usize - 1].split_at(3);
            out.write_str(head)?;
            out.write_str(tail)
        }

        fn type_parameter(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
            write!(out, "T{number}")
        }
    }

    fn type_text(bytes: &[u8]) -> String {
        let mut text = String::new();
        let ty = decode_type(&mut Cursor::new(Slice::new(bytes, SpaceId(0), 0))).unwrap().value;
        SignatureText::new(&Names).ty(&mut text, &ty).unwrap();
        text
    }

    fn signature(bytes: &[u8]) -> Signature {
        decode(&mut Cursor::new(Slice::new(bytes, SpaceId(0), 0))).unwrap()
    }

    fn signature_text(bytes: &[u8]) -> String {
        let mut text = String::new();
        SignatureText::new(&Names).signature(&mut text, &signature(bytes)).unwrap();
        text
    }

    /// The coded index of a TypeRef.
    const fn row(row: u8) -> u8 {
        row << 2 | 1
    }

    #[test]
    fn types() {
        for (bytes, text) in [
            (&[0x0a][..], "long"),
            (&[0x1d, 0x0e], "string[]"),
            (&[0x14, 0x08, 2, 0, 2, 0, 0], "int[,]"),
            (&[0x1d, 0x14, 0x08, 2, 0, 0], "int[][,]"),
            (&[0x14, 0x1d, 0x08, 3, 0, 0], "int[,,][]"),
            (&[0x14, 0x08, 2, 1, 5, 2, 0, 0x7f], "int[0...4,-1...]"),
            (&[0x14, 0x08, 1, 0, 0], "int[*]"),
            (&[0x0f, 0x0f, 0x01], "void**"),
            (&[0x45, 0x10, 0x08], "pinned ref int"),
            (&[0x13, 1], "T1"),
            (&[0x1e, 1], "!!1"),
            (&[0x12, row(1)], "Clock"),
            (&[0x15, 0x12, row(2), 1, 0x08], "System.Collections.Generic.List<int>"),
            (&[0x12, row(2)], "System.Collections.Generic.List<>"),
            (&[0x15, 0x11, row(3), 2, 0x08, 0x0e], "Map<int, string>.Enumerator"),
            (&[0x12, row(3)], "Map<,>.Enumerator"),
            (
                &[0x15, 0x12, row(4), 2, 0x08, 0x15, 0x12, row(2), 1, 0x13, 0],
                "Outer<int>.Inner<System.Collections.Generic.List<T0>>",
            ),
            (&[0x15, 0x12, row(5), 1, 0x08], "Odd<int>"),
            (&[0x15, 0x12, row(3), 1, 0x08], "Map<int>.Enumerator"),
            (&[0x12, row(6)], "a`b`"),
            (&[0x1f, row(1), 0x10, 0x08], "modreq(Clock) ref int"),
            (&[0x1d, 0x20, row(1), 0x08], "(modopt(Clock) int)[]"),
            (&[0x1b, 0x00, 1, 0x01, 0x08], "delegate*<int, void>"),
            (&[0x1b, 0x02, 0, 0x0a], "delegate* unmanaged[Stdcall]<long>"),
            (&[0x1d, 0x1b, 0x09, 1, 0x01, 0x0f, 0x01], "delegate* unmanaged<void*, void>[]"),
        ] {
            assert_eq!(type_text(bytes), text);
        }
    }

    #[test]
    fn signatures() {
        for (bytes, text) in [
            (&[0x20, 2, 0x0a, 0x08, 0x0e][..], "long (int, string)"),
            (&[0x05, 1, 0x01, 0x0e], "void (string, ...)"),
            (&[0x05, 0, 0x01], "void (...)"),
            (&[0x05, 2, 0x01, 0x0e, 0x41, 0x08], "void (string, ..., int)"),
            (&[0x05, 1, 0x01, 0x41, 0x08], "void (..., int)"),
            (&[0x06, 0x08], "int"),
            (&[0x28, 0, 0x08], "int"),
            (&[0x28, 1, 0x0e, 0x08], "string [int]"),
            (&[0x07, 2, 0x08, 0x0e], "int, string"),
            (&[0x0a, 2, 0x08, 0x0e], "<int, string>"),
        ] {
            assert_eq!(signature_text(bytes), text);
        }
    }

    #[test]
    fn methods_as_operands() {
        let text = |bytes: &[u8], arguments: &[u8]| {
            let (Signature::Method(method), Signature::Instantiation(arguments)) =
                (signature(bytes), signature(arguments))
            else {
                panic!("not a method");
            };
            let mut text = String::new();
            let name = format_args!("{}.{}", "Ticker.Clock", "Now").to_string();
            SignatureText::new(&Names).operand(&mut text, &method, &name, &arguments).unwrap();
            text
        };
        assert_eq!(text(&[0x00, 0, 0x0a], &[0x0a, 0]), "long Ticker.Clock.Now()");
        assert_eq!(text(&[0x20, 1, 0x01, 0x08], &[0x0a, 0]), "instance void Ticker.Clock.Now(int)");
        assert_eq!(text(&[0x10, 2, 0, 0x1e, 1], &[0x0a, 0]), "!!1 Ticker.Clock.Now<!!0, !!1>()");
        assert_eq!(text(&[0x10, 2, 0, 0x1e, 1], &[0x0a, 2, 8, 0x0e]), "!!1 Ticker.Clock.Now<int, string>()");
        assert_eq!(text(&[0x02, 0, 0x01], &[0x0a, 0]), "unmanaged[Stdcall] void Ticker.Clock.Now()");
    }
}
