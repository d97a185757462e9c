//! The definition of a method that another module refers to, in one of the open files.

use std::sync::Arc;

use crate::formats::metadata::schema::{MEMBER_REF_PARENT, METHOD_DEF_OR_REF, RESOLUTION_SCOPE};
use crate::formats::metadata::{Metadata, TableId, Token};
use crate::nodes::{Place, Side};
use crate::session::Session;
use crate::text::safe::utf8;

/// Columns of TypeRef, TypeDef and MemberRef.
const TYPE_NAME: usize = 1;
const TYPE_NAMESPACE: usize = 2;
const METHOD_LIST: usize = 5;
const MEMBER_NAME: usize = 1;
const METHOD_NAME: usize = 3;

/// The nesting of types that is followed.
const MAX_NESTING: usize = 16;

/// The method that a row of MemberRef or MethodSpec refers to, in one of `others`; an assembly of the name that the reference
/// has precedes the others. `None` for what is no method, or is in none of the files.
pub fn definition(session: &Session, place: Place, others: &[Arc<Session>]) -> Option<(Arc<Session>, Token)> {
    let Place::Row(Side::Image, table, row) = place else { return None };
    let metadata = session.metadata()?;
    let member = match table {
        TableId::MEMBER_REF => row,
        TableId::METHOD_SPEC => {
            let (table, row) = METHOD_DEF_OR_REF.decode(metadata.table(table).cell(row, 0).ok()?)?;
            Some(row).filter(|_| table == TableId::MEMBER_REF)?
        }
        _ => return None,
    };
    let parent = metadata.table(TableId::MEMBER_REF).cell(member, 0).ok()?;
    let (TableId::TYPE_REF, type_ref) = MEMBER_REF_PARENT.decode(parent)? else { return None };
    let name = text(metadata, TableId::MEMBER_REF, member, MEMBER_NAME)?;
    let wanted = session.names()?.token(Token::new(TableId::MEMBER_REF, member));
    let assembly = assembly_of(metadata, type_ref);
    let is_named = |other: &&Arc<Session>| {
        let own = other.metadata().and_then(|metadata| text(metadata, TableId::ASSEMBLY, 1, 7));
        own.is_some() && own == assembly
    };
    let (named, rest): (Vec<_>, Vec<_>) = others.iter().partition(is_named);
    let key = type_key(metadata, TableId::TYPE_REF, type_ref)?;
    named.into_iter().chain(rest).find_map(|other| {
        let found = method(other, &key, &name, &wanted)?;
        Some((Arc::clone(other), found))
    })
}

/// The method of a type by its name; among overloads the one that is written like `wanted`.
fn method(session: &Session, key: &(String, String), name: &str, wanted: &str) -> Option<Token> {
    let (metadata, names) = (session.metadata()?, session.names()?);
    let types = 1..=metadata.rows(TableId::TYPE_DEF);
    let of_type = types.filter(|row| type_key(metadata, TableId::TYPE_DEF, *row).as_ref() == Some(key));
    let methods = of_type.flat_map(|row| metadata.list(TableId::TYPE_DEF, row, METHOD_LIST, TableId::METHOD_DEF));
    let is_named = |row: &u32| text(metadata, TableId::METHOD_DEF, *row, METHOD_NAME).as_deref() == Some(name);
    let found: Vec<Token> = methods.filter(is_named).map(|row| Token::new(TableId::METHOD_DEF, row)).collect();
    match found.as_slice() {
        [one] => Some(*one),
        several => several.iter().copied().find(|method| names.token(*method) == wanted),
    }
}

fn type_key(metadata: &Metadata, table: TableId, row: u32) -> Option<(String, String)> {
    Some((text(metadata, table, row, TYPE_NAMESPACE)?, text(metadata, table, row, TYPE_NAME)?))
}

fn text(metadata: &Metadata, table: TableId, row: u32, column: usize) -> Option<String> {
    Some(utf8(metadata.string_cell(table, row, column).ok()?.data).into_owned())
}

/// Name of the assembly that a type is referred to in.
fn assembly_of(metadata: &Metadata, mut type_ref: u32) -> Option<String> {
    for _ in 0..MAX_NESTING {
        let scope = metadata.table(TableId::TYPE_REF).cell(type_ref, 0).ok()?;
        match RESOLUTION_SCOPE.decode(scope)? {
            (TableId::TYPE_REF, outer) => type_ref = outer,
            (TableId::ASSEMBLY_REF, row) => return text(metadata, TableId::ASSEMBLY_REF, row, 6),
            _ => return None,
        }
    }
    None
}
