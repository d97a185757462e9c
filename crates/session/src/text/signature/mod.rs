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
//! | variable arguments | `(string, ...)`; those of a call after the dots: `(string, ..., int)` |
//!
//! A prefix form that is part of a suffix form is put in parentheses: `(modopt(X) int)[]`.

use std::fmt::{self, Write};

use pdblens_formats::metadata::Token;
use pdblens_formats::signature::{ArrayShape, CallKind, MethodSignature, Primitive, Signature, Type};

/// Source of the names of tokens and type parameters.
pub trait TypeNames {
    /// Writes the name of the type as metadata has it, arity and all: ``Ns.Outer`1+Inner``. A TypeSpec may lead to itself:
    /// it is for the implementation to put an end to that.
    fn type_name(&self, token: Token, out: &mut dyn Write) -> fmt::Result;

    /// Writes the name without type arguments as [`SignatureText`] would, if that is known; `None` if it is not.
    fn open_type(&self, _: Token, _: &mut dyn Write) -> Option<fmt::Result> {
        None
    }

    /// The short form that C# has for a generic type; `None` to write the name.
    fn short_form(&self, _: Token) -> Option<ShortForm> {
        None
    }

    /// Writes the name of a type parameter of the surrounding type.
    fn type_parameter(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
        write!(out, "!{number}")
    }

    fn method_parameter(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
        write!(out, "!!{number}")
    }
}

/// Generic types that C# writes without a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShortForm {
    /// `int?`
    Nullable,
    /// `(int, string)`
    Tuple,
}

/// Arguments of a tuple that are its elements; more are in a tuple of their own.
const MAX_ELEMENTS: usize = 7;

#[derive(Clone, Copy)]
pub struct SignatureText<'n> {
    names: &'n dyn TypeNames,
}

impl<'n> SignatureText<'n> {
    pub const fn new(names: &'n dyn TypeNames) -> Self {
        Self { names }
    }

    /// Writes any signature, without the name of what it is of: `long (int, string)`.
    pub fn signature(&self, out: &mut dyn Write, signature: &Signature) -> fmt::Result {
        match signature {
            Signature::Method(method) => {
                self.ty(out, &method.returns.value)?;
                out.write_char(' ')?;
                self.generic_parameters(out, method.generic_parameters)?;
                self.parameters(out, method)
            }
            Signature::Field(at) => self.ty(out, &at.value),
            Signature::Property(property) => {
                self.ty(out, &property.returns.value)?;
                self.list(out, " [", property.parameters.iter().map(|at| &at.value), "]")
            }
            Signature::Locals(locals) => self.list(out, "", locals.iter().map(|at| &at.value), ""),
            Signature::Instantiation(arguments) => self.list(out, "<", arguments.iter().map(|at| &at.value), ">"),
        }
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

    pub fn ty(&self, out: &mut dyn Write, ty: &Type) -> fmt::Result {
        match ty {
            Type::Primitive(primitive) => out.write_str(keyword(*primitive)),
            Type::Named { token, .. } => match self.names.open_type(*token, out) {
                Some(result) => result,
                None => self.named(out, *token, &[]),
            },
            Type::Generic { token, arguments, .. } => match (self.names.short_form(*token), arguments.as_slice()) {
                (Some(ShortForm::Nullable), [of]) => {
                    self.in_suffix(out, of)?;
                    out.write_char('?')
                }
                (Some(ShortForm::Tuple), [_, _, ..]) if arguments.len() <= MAX_ELEMENTS => {
                    self.list(out, "(", arguments.iter(), ")")
                }
                _ => self.named(out, *token, arguments),
            },
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
            Type::InModule { module, of } => self.foreign(out, *module, of),
            Type::Canonical => out.write_str("__Canon"),
        }
    }

    /// Writes a type of another module, whose names are not open: `[module 3]0x0200002a<int>`.
    fn foreign(&self, out: &mut dyn Write, module: u32, ty: &Type) -> fmt::Result {
        let (token, arguments) = match ty {
            Type::Named { token, .. } => (token, &[][..]),
            Type::Generic { token, arguments, .. } => (token, &arguments[..]),
            other => return self.ty(out, other),
        };
        if module == 0 {
            return self.named(out, *token, arguments);
        }
        write!(out, "[module {module}]{token}")?;
        self.list(out, "<", arguments.iter(), ">")
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

    pub(super) fn named(&self, out: &mut dyn Write, token: Token, arguments: &[Type]) -> fmt::Result {
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

    /// A type that something is to be written after.
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

/// The keyword of C# for a primitive type.
pub const fn keyword(primitive: Primitive) -> &'static str {
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

/// Writes the name of a generic type with its type arguments in place of the arity: ``List`1`` as `List<int>`.
struct GenericName<'o, 't> {
    text: SignatureText<'t>,
    out: &'o mut dyn Write,
    /// Those that are not written yet.
    arguments: &'t [Type],
    /// The number after a backtick, as far as it has come.
    arity: Option<u32>,
}

impl GenericName<'_, '_> {
    /// The number after a backtick is complete.
    fn end_arity(&mut self) -> fmt::Result {
        let Some(arity) = self.arity.take() else { return Ok(()) };
        let (now, later) = self.arguments.split_at((arity as usize).min(self.arguments.len()));
        self.arguments = later;
        if arity == 0 {
            // There was no number: an odd name, nothing generic.
            self.out.write_char('`')
        } else if now.is_empty() {
            // An open type has a comma between its parameters, at most 16 of them.
            write!(self.out, "<{:,<1$}>", "", (arity as usize).saturating_sub(1).min(16))
        } else {
            self.text.list(self.out, "<", now.iter(), ">")
        }
    }

    /// The name is complete: arguments that its arities did not ask for follow it.
    fn end(mut self) -> fmt::Result {
        self.end_arity()?;
        self.text.list(self.out, "<", self.arguments.iter(), ">")
    }
}

impl Write for GenericName<'_, '_> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let mut rest = s;
        while let Some(first) = rest.chars().next() {
            rest = match (first, self.arity) {
                ('`', None) => {
                    self.arity = Some(0);
                    rest.split_at(1).1
                }
                (digit @ '0'..='9', Some(arity)) => {
                    self.arity = Some(arity.saturating_mul(10).saturating_add(digit.to_digit(10).unwrap_or_default()));
                    rest.split_at(1).1
                }
                ('+' | '/', _) => {
                    self.end_arity()?;
                    self.out.write_char('.')?;
                    rest.split_at(1).1
                }
                _ => {
                    self.end_arity()?;
                    // Nearly all of a name at once.
                    let special = rest.bytes().skip(1).position(|byte| matches!(byte, b'`' | b'+' | b'/'));
                    let (plain, after) = rest.split_at(special.map_or(rest.len(), |at| at + 1));
                    self.out.write_str(plain)?;
                    after
                }
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
