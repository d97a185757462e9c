//! The names of methods and fields, with their signatures; and of anything else that has a token.

use std::fmt::{self, Write};

use super::cache::Form;
use super::{MAX_DEPTH, Names, cell, text};
use crate::text::constant::{units, write_quoted};
use crate::text::safe::utf8;
use crate::text::signature::{ShortForm, SignatureText, TypeNames};
use pdblens_formats::bytes::At;
use pdblens_formats::metadata::schema::{MEMBER_REF_PARENT, METHOD_DEF_OR_REF};
use pdblens_formats::metadata::{ColumnKind, Metadata, TableId, Token};
use pdblens_formats::signature::{self, Signature, Type};

/// The tokens of user strings have this in their high byte; no table has that number.
const USER_STRING: u8 = 0x70;

/// Names inside a signature: types by token, type parameters by their owner.
#[derive(Clone, Copy)]
struct InSignature<'n, 'm> {
    names: &'n Names<'m>,
    /// The TypeDef whose type parameters `!0` means; nil where that is not known.
    of_type: Token,
    /// The MethodDef whose type parameters `!!0` means; nil where that is not known.
    of_method: Token,
    depth: usize,
}

impl TypeNames for InSignature<'_, '_> {
    fn type_name(&self, token: Token, out: &mut dyn Write) -> fmt::Result {
        match token.table() {
            TableId::TYPE_DEF | TableId::TYPE_REF => self.names.write_metadata_type(token, out),
            TableId::TYPE_SPEC => self.names.write_type_spec(token.row(), out, self.depth + 1),
            _ => write!(out, "{token}"),
        }
    }

    fn open_type(&self, token: Token, out: &mut dyn Write) -> Option<fmt::Result> {
        self.names.cache()?;
        matches!(token.table(), TableId::TYPE_DEF | TableId::TYPE_REF).then(|| {
            // The parts of this text are not cached: they are asked for once.
            let plain = Names { cache: None, ..*self.names };
            let names = InSignature { names: &plain, ..*self };
            let write = |out: &mut dyn Write| SignatureText::new(&names).named(out, token, &[]);
            self.names.write_cached(Form::Open, token, out, write)
        })
    }

    fn short_form(&self, token: Token) -> Option<ShortForm> {
        if !self.names.brief || !matches!(token.table(), TableId::TYPE_DEF | TableId::TYPE_REF) {
            return None;
        }
        // Both tables have name and namespace in the same columns.
        let text = |column| self.names.string(token.table(), token.row(), column);
        let form = match &*text(1) {
            "Nullable`1" => ShortForm::Nullable,
            name if name.starts_with("ValueTuple`") => ShortForm::Tuple,
            _ => return None,
        };
        (text(2) == "System").then_some(form)
    }

    fn type_parameter(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
        if self.of_type.is_nil() {
            write!(out, "!{number}")
        } else {
            self.names.write_type_parameter(self.of_type, number, out)
        }
    }

    fn method_parameter(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
        if self.of_method.is_nil() {
            write!(out, "!!{number}")
        } else {
            self.names.write_type_parameter(self.of_method, number, out)
        }
    }
}

impl InSignature<'_, '_> {
    fn write_type(&self, found: &Type, out: &mut dyn Write) -> fmt::Result {
        if self.depth > MAX_DEPTH {
            return Err(fmt::Error);
        }
        SignatureText::new(self).ty(out, found)
    }

    /// Writes what a method returns, or the type of a field, and a space after it.
    fn write_result(&self, found: &Signature, out: &mut dyn Write) -> fmt::Result {
        let found = match found {
            Signature::Method(method) => &method.returns.value,
            Signature::Field(field) => &field.value,
            _ => return Ok(()),
        };
        if self.names.brief {
            return Ok(());
        }
        self.write_type(found, out)?;
        out.write_char(' ')
    }

    /// Writes the parameters of a method; nothing for a field.
    fn write_parameters(&self, found: &Signature, out: &mut dyn Write) -> fmt::Result {
        match found {
            Signature::Method(method) => SignatureText::new(self).parameters(out, method),
            _ => Ok(()),
        }
    }
}

impl<'n, 'm> InSignature<'n, 'm> {
    /// The names in the signature of a method.
    fn of_method(names: &'n Names<'m>, method: Token) -> Self {
        let of_type = Token::new(TableId::TYPE_DEF, names.owner(method.row()));
        Self { of_type, of_method: method, ..names.in_signature(0) }
    }

    /// Type, name, type parameters and parameters of the method.
    fn write_method(&self, out: &mut dyn Write) -> fmt::Result {
        self.names.write_declaring(self.of_type, out)?;
        self.write_method_short(out)
    }

    /// Name, type parameters and parameters of the method.
    fn write_method_short(&self, out: &mut dyn Write) -> fmt::Result {
        let found = signature_of(self.names.metadata, TableId::METHOD_DEF, self.of_method.row(), 4);
        self.write_own_name(found.as_ref(), None, out)
    }

    /// Result, type, name, type parameters or `arguments` in their place, and parameters of the method.
    fn write_whole_method(&self, arguments: Option<&[At<Type>]>, out: &mut dyn Write) -> fmt::Result {
        let found = signature_of(self.names.metadata, TableId::METHOD_DEF, self.of_method.row(), 4);
        match &found {
            Some(found @ Signature::Method(_)) => self.write_result(found, out)?,
            _ if self.names.brief => {}
            _ => out.write_str("? ")?,
        }
        self.names.write_declaring(self.of_type, out)?;
        self.write_own_name(found.as_ref(), arguments, out)
    }

    fn write_own_name(
        &self,
        signature: Option<&Signature>,
        arguments: Option<&[At<Type>]>,
        out: &mut dyn Write,
    ) -> fmt::Result {
        let (names, method) = (self.names, self.of_method);
        out.write_str(&names.string(TableId::METHOD_DEF, method.row(), 3))?;
        match (arguments, names.type_parameters(method)) {
            (Some(arguments), _) => names.in_signature(0).write_arguments(arguments, out)?,
            (None, 0) => {}
            (None, count) => names.write_type_parameters(method, 0, count, out)?,
        }
        match signature {
            Some(found @ Signature::Method(_)) => self.write_parameters(found, out),
            _ => out.write_str("(?)"),
        }
    }

    fn write_member_ref(&self, row: u32, arguments: Option<&[At<Type>]>, out: &mut dyn Write) -> fmt::Result {
        let names = self.names;
        let parent = MEMBER_REF_PARENT.decode(cell(names.metadata, TableId::MEMBER_REF, row, 0));
        let parent = parent.map(|(table, row)| Token::new(table, row)).unwrap_or_default();
        let found = signature_of(names.metadata, TableId::MEMBER_REF, row, 2);
        if let Some(found) = &found {
            self.write_result(found, out)?;
        }
        if !parent.is_nil() {
            match parent.table() {
                TableId::METHOD_DEF => names.write_type_def(names.owner(parent.row()), out)?,
                TableId::MODULE_REF => out.write_str(&plain_name(names.metadata, parent))?,
                _ => names.write_type(parent, out, 1)?,
            }
            out.write_char('.')?;
        }
        out.write_str(&names.string(TableId::MEMBER_REF, row, 1))?;
        if let Some(arguments) = arguments {
            self.write_arguments(arguments, out)?;
        }
        found.map_or(Ok(()), |found| self.write_parameters(&found, out))
    }

    fn write_method_spec(&self, row: u32, out: &mut dyn Write) -> fmt::Result {
        let metadata = self.names.metadata;
        let Some((table, target)) = METHOD_DEF_OR_REF.decode(cell(metadata, TableId::METHOD_SPEC, row, 0)) else {
            return out.write_char('?');
        };
        let arguments = match signature_of(metadata, TableId::METHOD_SPEC, row, 1) {
            Some(Signature::Instantiation(arguments)) => arguments,
            _ => Vec::new(),
        };
        match table {
            TableId::MEMBER_REF => self.write_member_ref(target, Some(&arguments), out),
            _ => Self::of_method(self.names, Token::new(table, target)).write_whole_method(Some(&arguments), out),
        }
    }

    fn write_arguments(&self, arguments: &[At<Type>], out: &mut dyn Write) -> fmt::Result {
        out.write_char('<')?;
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                out.write_str(", ")?;
            }
            self.write_type(&argument.value, out)?;
        }
        out.write_char('>')
    }
}

fn signature_of(metadata: &Metadata, table: TableId, row: u32, column: usize) -> Option<Signature> {
    let blob = metadata.blob_cell(table, row, column).ok()?;
    signature::decode(&mut blob.cursor()).ok()
}

/// The `Name` of a row, where its table has one.
fn plain_name(metadata: &Metadata, token: Token) -> String {
    let Some(def) = token.table().def() else { return String::new() };
    let named = |column: &pdblens_formats::metadata::schema::ColumnDef| {
        matches!(column.kind, ColumnKind::String) && matches!(column.name, "Name" | "TypeName" | "ImportName")
    };
    let Some(column) = def.columns.iter().position(named) else { return String::new() };
    let name = metadata.string_cell(token.table(), token.row(), column);
    name.map(|name| utf8(name.data).into_owned()).unwrap_or_default()
}

impl<'m> Names<'m> {
    /// Name of a row by the columns of its own table; empty if it has no name.
    pub fn row(&self, token: Token) -> String {
        match token.table() {
            TableId::METHOD_DEF => self.method(token),
            TableId::FIELD | TableId::MEMBER_REF | TableId::METHOD_SPEC | TableId::STAND_ALONE_SIG => self.token(token),
            TableId::TYPE_DEF | TableId::TYPE_REF | TableId::TYPE_SPEC => self.type_name(token),
            _ => plain_name(self.metadata, token),
        }
    }

    /// A method's type, name and parameters: `Ticker.Clock.Since(long)`.
    pub fn method(&self, method: Token) -> String {
        self.text(|names, out| InSignature::of_method(names, method).write_method(out))
    }

    /// A method's name and parameters, without its type: `Since(long)`.
    pub fn method_short(&self, method: Token) -> String {
        text(|out| InSignature::of_method(self, method).write_method_short(out))
    }

    /// A local variable's type, by the local signature and its slot.
    pub fn locals(&self, signature: Token) -> Vec<String> {
        let Some(Signature::Locals(types)) = signature_of(self.metadata, TableId::STAND_ALONE_SIG, signature.row(), 0)
        else {
            return Vec::new();
        };
        types.iter().map(|local| self.type_text(&local.value)).collect()
    }

    pub fn signature_text(&self, signature: &Signature) -> String {
        text(|out| SignatureText::new(&self.in_signature(0)).signature(out, signature))
    }

    pub fn type_text(&self, found: &Type) -> String {
        text(|out| self.in_signature(0).write_type(found, out))
    }

    /// The names inside a signature whose type parameters are those of no known type or method.
    const fn in_signature(&self, depth: usize) -> InSignature<'_, 'm> {
        InSignature { names: self, of_type: Token(0), of_method: Token(0), depth }
    }

    pub(crate) fn write_token(&self, token: Token, out: &mut dyn Write) -> fmt::Result {
        match token.table() {
            TableId(USER_STRING) => match self.metadata.heaps.user_string(token.row()) {
                Ok(text) => write_quoted(out, '"', units(text)),
                Err(_) => write!(out, "{token}"),
            },
            _ if token.is_nil() => out.write_str("nil"),
            TableId::TYPE_DEF | TableId::TYPE_REF | TableId::TYPE_SPEC => self.write_type(token, out, 0),
            TableId::METHOD_DEF => InSignature::of_method(self, token).write_whole_method(None, out),
            TableId::FIELD => {
                let of_type = self.field_owner(token.row());
                if let Some(found) = signature_of(self.metadata, TableId::FIELD, token.row(), 2) {
                    InSignature { of_type, ..self.in_signature(0) }.write_result(&found, out)?;
                }
                self.write_declaring(of_type, out)?;
                out.write_str(&self.string(TableId::FIELD, token.row(), 1))
            }
            TableId::MEMBER_REF => self.in_signature(0).write_member_ref(token.row(), None, out),
            TableId::METHOD_SPEC => self.in_signature(0).write_method_spec(token.row(), out),
            TableId::STAND_ALONE_SIG => match signature_of(self.metadata, TableId::STAND_ALONE_SIG, token.row(), 0) {
                Some(found) => SignatureText::new(&self.in_signature(0)).signature(out, &found),
                None => write!(out, "{token}"),
            },
            _ => {
                let name = plain_name(self.metadata, token);
                if name.is_empty() { write!(out, "{token}") } else { out.write_str(&name) }
            }
        }
    }

    /// Writes the type of a member and a dot; nothing for a nil type.
    fn write_declaring(&self, owner: Token, out: &mut dyn Write) -> fmt::Result {
        if owner.is_nil() {
            return Ok(());
        }
        self.write_type_def(owner.row(), out)?;
        out.write_char('.')
    }

    /// Writes the name of a type alone; without type arguments a generic one is open: `List<>`.
    pub(crate) fn write_open_type(&self, token: Token, out: &mut dyn Write, depth: usize) -> fmt::Result {
        self.in_signature(depth).write_type(&Type::Named { token, is_value: false }, out)
    }

    /// Writes what a TypeSpec's signature says.
    pub(crate) fn write_type_spec(&self, row: u32, out: &mut dyn Write, depth: usize) -> fmt::Result {
        let blob = self.metadata.blob_cell(TableId::TYPE_SPEC, row, 0);
        match blob.and_then(|blob| signature::decode_type(&mut blob.cursor())) {
            Ok(found) => self.in_signature(depth + 1).write_type(&found.value, out),
            Err(_) => write!(out, "{}", Token::new(TableId::TYPE_SPEC, row)),
        }
    }

    /// The TypeDef that a field belongs to; nil where none claims it.
    pub fn field_owner(&self, field_row: u32) -> Token {
        let types = self.metadata.table(TableId::TYPE_DEF);
        let next = self.index.field_lists.lower_bound(types, 4, field_row.saturating_add(1));
        Token::new(TableId::TYPE_DEF, next.saturating_sub(1))
    }
}
