//! The definition of a method that is called, in this file or in another of those that are open.

use std::fmt::{self, Write};
use std::sync::Arc;

use pdblens_formats::metadata::schema::{IMPLEMENTATION, METHOD_DEF_OR_REF, RESOLUTION_SCOPE};
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_formats::signature;
use pdblens_nodes::used_by::member_parent;
use pdblens_nodes::{Place, Side};
use pdblens_session::session::Session;
use pdblens_session::text::names::Names;
use pdblens_session::text::safe::utf8;
use pdblens_session::text::signature::{SignatureText, TypeNames};

/// Columns of TypeDef, TypeRef, MemberRef, MethodDef, ExportedType, Assembly and AssemblyRef.
const TYPE_NAME: usize = 1;
const METHOD_LIST: usize = 5;
const MEMBER_NAME: usize = 1;
const MEMBER_SIGNATURE: usize = 2;
const METHOD_NAME: usize = 3;
const METHOD_SIGNATURE: usize = 4;
const EXPORTED_NAME: usize = 2;
const EXPORTED_NAMESPACE: usize = 3;
const EXPORTED_FROM: usize = 4;
const ASSEMBLY_NAME: usize = 7;
const ASSEMBLY_REF_NAME: usize = 6;
/// The nesting of types, and the chain of forwards, that is followed.
const MAX_NESTING: usize = 16;

/// A method as a row of MemberRef names it.
struct MemberReference {
    /// Full name of the type, as reflection writes it.
    of: String,
    name: String,
    /// Signature with type parameters by number, so that it is the same text in every module.
    signature: String,
}

/// The method that a row of MemberRef or MethodSpec refers to, in `session` or in one of `others`: an assembly of the name that
/// the reference has precedes those that it forwards the type to, and these the rest. `None` for what is no method, or is in none
/// of the files.
pub fn definition(session: &Arc<Session>, place: Place, others: &[Arc<Session>]) -> Option<(Arc<Session>, Token)> {
    let Place::Row(Side::Image, table, row) = place else { return None };
    let metadata = session.metadata()?;
    let member = match table {
        TableId::MEMBER_REF => row,
        TableId::METHOD_SPEC => match METHOD_DEF_OR_REF.decode(metadata.table(table).cell(row, 0).ok()?)? {
            (TableId::METHOD_DEF, row) => return Some((Arc::clone(session), Token::new(TableId::METHOD_DEF, row))),
            (_, row) => row,
        },
        _ => return None,
    };
    let parent = member_parent(metadata, member)?;
    let wanted = MemberReference {
        of: type_name(session.names()?, parent)?,
        name: text(metadata, TableId::MEMBER_REF, member, MEMBER_NAME)?,
        signature: signature_text(session, TableId::MEMBER_REF, member, MEMBER_SIGNATURE)?,
    };
    if parent.table() == TableId::TYPE_DEF {
        return Some((Arc::clone(session), method(session, &wanted)?));
    }
    let mut chain = Vec::new();
    let mut next = assembly_of(metadata, parent.row());
    while chain.len() < MAX_NESTING
        && let Some(assembly) = next.take()
    {
        chain.extend(others.iter().filter(|other| own_name(other).as_ref() == Some(&assembly)));
        next = chain.last().and_then(|last| forwarded_to(last, &wanted.of)).filter(|to| *to != assembly);
    }
    let rest = others.iter().filter(|other| !chain.iter().any(|known| Arc::ptr_eq(known, other)));
    let found = chain.iter().copied().chain(rest).find_map(|other| Some((other, method(other, &wanted)?)));
    found.map(|(other, token)| (Arc::clone(other), token))
}

/// The method of a type by its name; among overloads the one with the signature.
fn method(session: &Session, wanted: &MemberReference) -> Option<Token> {
    let (metadata, names) = (session.metadata()?, session.names()?);
    let simple = wanted.of.rsplit(['.', '+']).next()?;
    let is_wanted = |row: &u32| {
        text(metadata, TableId::TYPE_DEF, *row, TYPE_NAME).is_some_and(|name| name.ends_with(simple))
            && type_name(names, Token::new(TableId::TYPE_DEF, *row)).as_ref() == Some(&wanted.of)
    };
    let types = (1..=metadata.rows(TableId::TYPE_DEF)).filter(is_wanted);
    let methods = types.flat_map(|row| metadata.list(TableId::TYPE_DEF, row, METHOD_LIST, TableId::METHOD_DEF));
    let is_named = |row: &u32| text(metadata, TableId::METHOD_DEF, *row, METHOD_NAME).as_ref() == Some(&wanted.name);
    let found: Vec<u32> = methods.filter(is_named).collect();
    let has_signature = |row: &&u32| {
        let own = signature_text(session, TableId::METHOD_DEF, **row, METHOD_SIGNATURE);
        own.as_ref() == Some(&wanted.signature)
    };
    let row = match found.as_slice() {
        [one] => one,
        several => several.iter().find(has_signature)?,
    };
    Some(Token::new(TableId::METHOD_DEF, *row))
}

/// Names of types as reflection writes them; type parameters stay numbers.
struct FullNames<'n>(Names<'n>);

impl TypeNames for FullNames<'_> {
    fn type_name(&self, token: Token, out: &mut dyn Write) -> fmt::Result {
        match token.table() {
            TableId::TYPE_DEF => self.0.write_reflection_type(token.row(), out),
            TableId::TYPE_REF => self.0.write_type_ref(token.row(), out),
            _ => out.write_str(&self.0.type_name(token)),
        }
    }
}

fn type_name(names: Names<'_>, token: Token) -> Option<String> {
    let mut out = String::new();
    FullNames(names).type_name(token, &mut out).ok().map(|()| out)
}

fn signature_text(session: &Session, table: TableId, row: u32, column: usize) -> Option<String> {
    let blob = session.metadata()?.blob_cell(table, row, column).ok()?;
    let signature = signature::decode(&mut blob.cursor()).ok()?;
    let mut out = String::new();
    let names = FullNames(session.names()?);
    SignatureText::new(&names).signature(&mut out, &signature).ok().map(|()| out)
}

fn text(metadata: &Metadata, table: TableId, row: u32, column: usize) -> Option<String> {
    Some(utf8(metadata.string_cell(table, row, column).ok()?.data).into_owned())
}

fn own_name(session: &Session) -> Option<String> {
    text(session.metadata()?, TableId::ASSEMBLY, 1, ASSEMBLY_NAME)
}

fn assembly_of(metadata: &Metadata, mut type_ref: u32) -> Option<String> {
    for _ in 0..MAX_NESTING {
        let scope = metadata.table(TableId::TYPE_REF).cell(type_ref, 0).ok()?;
        match RESOLUTION_SCOPE.decode(scope)? {
            (TableId::TYPE_REF, outer) => type_ref = outer,
            (TableId::ASSEMBLY_REF, row) => return text(metadata, TableId::ASSEMBLY_REF, row, ASSEMBLY_REF_NAME),
            _ => return None,
        }
    }
    None
}

/// Name of the assembly that a module forwards a type to, by the type that it is nested in at last.
fn forwarded_to(session: &Session, of: &str) -> Option<String> {
    let metadata = session.metadata()?;
    let outermost = of.split('+').next()?;
    (1..=metadata.rows(TableId::EXPORTED_TYPE)).find_map(|row| {
        let cell = |column| text(metadata, TableId::EXPORTED_TYPE, row, column);
        let (namespace, name) = (cell(EXPORTED_NAMESPACE)?, cell(EXPORTED_NAME)?);
        let own = if namespace.is_empty() { name } else { format!("{namespace}.{name}") };
        let from = metadata.table(TableId::EXPORTED_TYPE).cell(row, EXPORTED_FROM).ok()?;
        match IMPLEMENTATION.decode(from)? {
            (TableId::ASSEMBLY_REF, row) if own == outermost => {
                text(metadata, TableId::ASSEMBLY_REF, row, ASSEMBLY_REF_NAME)
            }
            _ => None,
        }
    })
}
