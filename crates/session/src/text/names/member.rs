//! The names of methods and fields, with their signatures; and of anything else that has a token.

use std::fmt::{self, Write};

use super::cache::Form;
use super::{MAX_DEPTH, Names, text};
use crate::text::safe::{utf8, utf16};
use crate::text::signature::{SignatureText, TypeNames};
use pdblens_formats::metadata::schema::{MEMBER_REF_PARENT, METHOD_DEF_OR_REF};
use pdblens_formats::metadata::{ColumnKind, TableId, Token};
use pdblens_formats::signature::{self, MethodSignature, Signature, Type};

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
            TableId::TYPE_SPEC => self.names.write_type_spec(token.row(), out, self.depth.saturating_add(1)),
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

impl Names<'_> {
    /// Name of a row by the columns of its own table; empty if it has no name.
    pub fn row(&self, token: Token) -> String {
        match token.table() {
            TableId::METHOD_DEF => self.method(token),
            TableId::FIELD | TableId::MEMBER_REF | TableId::METHOD_SPEC | TableId::STAND_ALONE_SIG => self.token(token),
            TableId::TYPE_DEF | TableId::TYPE_REF | TableId::TYPE_SPEC => self.type_name(token),
            _ => self.plain_name(token),
        }
    }

    /// A local variable's type, by the local signature and its slot.
    pub fn locals(&self, signature: Token) -> Vec<String> {
        let Some(Signature::Locals(types)) = self.signature(TableId::STAND_ALONE_SIG, signature.row(), 0) else {
            return Vec::new();
        };
        types
            .iter()
            .map(|local| text(|out| self.write_signature_type(&local.value, Token(0), Token(0), out, 0)))
            .collect()
    }

    pub fn signature_text(&self, signature: &Signature) -> String {
        text(|out| self.write_any_signature(signature, out, 0))
    }

    pub fn type_text(&self, found: &Type) -> String {
        text(|out| self.write_signature_type(found, Token(0), Token(0), out, 0))
    }

    pub(crate) fn write_token(&self, token: Token, out: &mut dyn Write, depth: usize) -> fmt::Result {
        if depth > MAX_DEPTH {
            return Err(fmt::Error);
        }
        match token.table() {
            TableId(USER_STRING) => match self.metadata.heaps.user_string(token.row()) {
                Ok(units) => write_quoted(&utf16(units.data), out),
                Err(_) => write!(out, "{token}"),
            },
            _ if token.is_nil() => out.write_str("nil"),
            TableId::TYPE_DEF | TableId::TYPE_REF | TableId::TYPE_SPEC => self.write_type(token, out, depth),
            TableId::METHOD_DEF => {
                let owner = Token::new(TableId::TYPE_DEF, self.owner(token.row()));
                let found = self.signature(TableId::METHOD_DEF, token.row(), 4);
                match &found {
                    Some(Signature::Method(found)) => {
                        self.write_result(&found.returns.value, owner, token, out, depth)?;
                    }
                    _ if self.brief => {}
                    _ => out.write_str("? ")?,
                }
                self.write_declaring(owner, out)?;
                self.write_own_name(token, found.as_ref(), out)
            }
            TableId::FIELD => {
                let owner = self.field_owner(token.row());
                if let Some(Signature::Field(found)) = self.signature(TableId::FIELD, token.row(), 2) {
                    self.write_result(&found.value, owner, Token(0), out, depth)?;
                }
                self.write_declaring(owner, out)?;
                out.write_str(&self.string(TableId::FIELD, token.row(), 1))
            }
            TableId::MEMBER_REF => self.write_member_ref(token.row(), None, out, depth),
            TableId::METHOD_SPEC => self.write_method_spec(token.row(), out, depth),
            TableId::STAND_ALONE_SIG => match self.signature(TableId::STAND_ALONE_SIG, token.row(), 0) {
                Some(found) => self.write_any_signature(&found, out, depth),
                None => write!(out, "{token}"),
            },
            _ => {
                let name = self.plain_name(token);
                if name.is_empty() { write!(out, "{token}") } else { out.write_str(&name) }
            }
        }
    }

    /// Type, name, type parameters and parameters.
    pub(crate) fn write_method(&self, method: Token, out: &mut dyn Write) -> fmt::Result {
        self.write_declaring(Token::new(TableId::TYPE_DEF, self.owner(method.row())), out)?;
        self.write_method_short(method, out)
    }

    /// Name, type parameters and parameters.
    pub(crate) fn write_method_short(&self, method: Token, out: &mut dyn Write) -> fmt::Result {
        self.write_own_name(method, self.signature(TableId::METHOD_DEF, method.row(), 4).as_ref(), out)
    }

    /// Writes the type of a member and a dot; nothing for a nil type.
    fn write_declaring(&self, owner: Token, out: &mut dyn Write) -> fmt::Result {
        if owner.is_nil() {
            return Ok(());
        }
        self.write_type_def(owner.row(), true, out)?;
        out.write_char('.')
    }

    fn write_own_name(&self, method: Token, signature: Option<&Signature>, out: &mut dyn Write) -> fmt::Result {
        out.write_str(&self.string(TableId::METHOD_DEF, method.row(), 3))?;
        let parameters = self.type_parameters(method);
        if parameters > 0 {
            self.write_type_parameters(method, 0, parameters, out)?;
        }
        let owner = Token::new(TableId::TYPE_DEF, self.owner(method.row()));
        match signature {
            Some(Signature::Method(found)) => self.write_parameters(found, owner, method, out, 0),
            _ => out.write_str("(?)"),
        }
    }

    fn write_member_ref(
        &self,
        row: u32,
        instantiation: Option<&[pdblens_formats::bytes::At<Type>]>,
        out: &mut dyn Write,
        depth: usize,
    ) -> fmt::Result {
        let parent = MEMBER_REF_PARENT.decode(self.cell(TableId::MEMBER_REF, row, 0));
        let parent = parent.map(|(table, row)| Token::new(table, row)).unwrap_or_default();
        let found = self.signature(TableId::MEMBER_REF, row, 2);
        match &found {
            Some(Signature::Method(method)) => {
                self.write_result(&method.returns.value, Token(0), Token(0), out, depth)?;
            }
            Some(Signature::Field(field)) => {
                self.write_result(&field.value, Token(0), Token(0), out, depth)?;
            }
            _ => {}
        }
        if !parent.is_nil() {
            match parent.table() {
                TableId::METHOD_DEF => {
                    self.write_type_def(self.owner(parent.row()), true, out)?;
                }
                TableId::MODULE_REF => out.write_str(&self.plain_name(parent))?,
                _ => self.write_type(parent, out, depth.saturating_add(1))?,
            }
            out.write_char('.')?;
        }
        out.write_str(&self.string(TableId::MEMBER_REF, row, 1))?;
        if let Some(arguments) = instantiation {
            self.write_arguments(arguments, out, depth)?;
        }
        match &found {
            Some(Signature::Method(method)) => self.write_parameters(method, Token(0), Token(0), out, depth),
            _ => Ok(()),
        }
    }

    fn write_method_spec(&self, row: u32, out: &mut dyn Write, depth: usize) -> fmt::Result {
        let Some((table, target)) = METHOD_DEF_OR_REF.decode(self.cell(TableId::METHOD_SPEC, row, 0)) else {
            return out.write_char('?');
        };
        let arguments = match self.signature(TableId::METHOD_SPEC, row, 1) {
            Some(Signature::Instantiation(arguments)) => arguments,
            _ => Vec::new(),
        };
        if table == TableId::MEMBER_REF {
            return self.write_member_ref(target, Some(&arguments), out, depth);
        }
        let method = Token::new(table, target);
        let owner = Token::new(TableId::TYPE_DEF, self.owner(target));
        let found = self.signature(TableId::METHOD_DEF, target, 4);
        if let Some(Signature::Method(found)) = &found {
            self.write_result(&found.returns.value, owner, method, out, depth)?;
        }
        self.write_declaring(owner, out)?;
        out.write_str(&self.string(TableId::METHOD_DEF, target, 3))?;
        self.write_arguments(&arguments, out, depth)?;
        match &found {
            Some(Signature::Method(found)) => self.write_parameters(found, owner, method, out, depth),
            _ => Ok(()),
        }
    }

    fn write_arguments(
        &self,
        arguments: &[pdblens_formats::bytes::At<Type>],
        out: &mut dyn Write,
        depth: usize,
    ) -> fmt::Result {
        out.write_char('<')?;
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                out.write_str(", ")?;
            }
            self.write_signature_type(&argument.value, Token(0), Token(0), out, depth)?;
        }
        out.write_char('>')
    }

    fn write_parameters(
        &self,
        method: &MethodSignature,
        of_type: Token,
        of_method: Token,
        out: &mut dyn Write,
        depth: usize,
    ) -> fmt::Result {
        let names = InSignature { names: self, of_type, of_method, depth };
        SignatureText::new(&names).parameters(out, method)
    }

    /// Writes what a method returns, or the type of a field, and a space after it.
    fn write_result(
        &self,
        found: &Type,
        of_type: Token,
        of_method: Token,
        out: &mut dyn Write,
        depth: usize,
    ) -> fmt::Result {
        if self.brief {
            return Ok(());
        }
        self.write_signature_type(found, of_type, of_method, out, depth)?;
        out.write_char(' ')
    }

    fn write_signature_type(
        &self,
        found: &Type,
        of_type: Token,
        of_method: Token,
        out: &mut dyn Write,
        depth: usize,
    ) -> fmt::Result {
        if depth > MAX_DEPTH {
            return Err(fmt::Error);
        }
        SignatureText::new(&InSignature { names: self, of_type, of_method, depth }).ty(out, found)
    }

    fn write_any_signature(&self, found: &Signature, out: &mut dyn Write, depth: usize) -> fmt::Result {
        let (of_type, of_method) = (Token(0), Token(0));
        SignatureText::new(&InSignature { names: self, of_type, of_method, depth }).signature(out, found)
    }

    /// Writes the name of a type alone; without type arguments a generic one is open: `List<>`.
    pub(crate) fn write_open_type(&self, token: Token, out: &mut dyn Write, depth: usize) -> fmt::Result {
        self.write_signature_type(&Type::Named { token, is_value: false }, Token(0), Token(0), out, depth)
    }

    /// Writes what a TypeSpec's signature says.
    pub(crate) fn write_type_spec(&self, row: u32, out: &mut dyn Write, depth: usize) -> fmt::Result {
        let blob = self.metadata.blob_cell(TableId::TYPE_SPEC, row, 0);
        match blob.and_then(|blob| signature::decode_type(&mut blob.cursor())) {
            Ok(found) => self.write_signature_type(&found.value, Token(0), Token(0), out, depth.saturating_add(1)),
            Err(_) => write!(out, "{}", Token::new(TableId::TYPE_SPEC, row)),
        }
    }

    /// The TypeDef that a field belongs to; nil where none claims it.
    pub fn field_owner(&self, field_row: u32) -> Token {
        let types = self.metadata.table(TableId::TYPE_DEF);
        let next = self.index.field_lists.lower_bound(types, 4, field_row.saturating_add(1));
        Token::new(TableId::TYPE_DEF, next.saturating_sub(1))
    }

    fn signature(&self, table: TableId, row: u32, column: usize) -> Option<Signature> {
        let blob = self.metadata.blob_cell(table, row, column).ok()?;
        signature::decode(&mut blob.cursor()).ok()
    }

    /// The `Name` of a row, where its table has one.
    fn plain_name(&self, token: Token) -> String {
        let Some(def) = token.table().def() else { return String::new() };
        let named = |column: &pdblens_formats::metadata::schema::ColumnDef| {
            matches!(column.kind, ColumnKind::String) && matches!(column.name, "Name" | "TypeName" | "ImportName")
        };
        let Some(column) = def.columns.iter().position(named) else { return String::new() };
        let name = self.metadata.string_cell(token.table(), token.row(), column);
        name.map(|name| utf8(name.data).into_owned()).unwrap_or_default()
    }
}

/// Writes a string literal as C# has it.
pub fn write_quoted(text: &str, out: &mut dyn Write) -> fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            '\0' => out.write_str("\\0")?,
            c => out.write_char(c)?,
        }
    }
    out.write_char('"')
}
