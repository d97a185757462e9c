//! Tokens that refer to one method, field or type: its own, and those of the references to it in the same image.

use pdblens_formats::metadata::schema::{MEMBER_REF_PARENT, METHOD_DEF_OR_REF, RESOLUTION_SCOPE};
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_formats::signature::{self, Type};
use pdblens_session::session::Session;
use std::collections::HashMap;

/// Columns of MethodDef, Field and MemberRef.
const METHOD_NAME: usize = 3;
const METHOD_SIGNATURE: usize = 4;
const FIELD_NAME: usize = 1;
const FIELD_SIGNATURE: usize = 2;
pub(super) const PARENT: usize = 0;
const MEMBER_NAME: usize = 1;
const MEMBER_SIGNATURE: usize = 2;
/// Columns of TypeDef.
pub(super) const FIELD_LIST: usize = 4;
pub(super) const METHOD_LIST: usize = 5;

/// Types in types that are followed.
const MAX_NESTING: usize = 16;

/// Tokens that code uses for a row: its own; for a member also those of MemberRef rows, which code needs for members of generic types
/// even in their own module; for a method also those of MethodSpec rows.
pub(super) fn tokens(session: &Session, metadata: &Metadata, of: Token) -> Vec<Token> {
    let mut tokens = vec![of];
    if matches!(of.table(), TableId::METHOD_DEF | TableId::FIELD) {
        tokens.extend(references(session, metadata, of).into_iter().flatten());
    }
    if matches!(of.table(), TableId::METHOD_DEF | TableId::MEMBER_REF) {
        let instantiations = method_specs(metadata, &tokens);
        tokens.extend(instantiations.into_iter().map(|(instantiation, _)| instantiation));
    }
    tokens
}

/// The rows of MethodSpec that instantiate some methods, each with its method.
pub(super) fn method_specs(metadata: &Metadata, of: &[Token]) -> Vec<(Token, Token)> {
    let encoded = of.iter().filter_map(|token| Some((METHOD_DEF_OR_REF.encode(token.table(), token.row())?, *token)));
    let wanted: HashMap<u32, Token> = encoded.collect();
    let methods = metadata.table(TableId::METHOD_SPEC).column(0);
    let rows = 1..=metadata.rows(TableId::METHOD_SPEC);
    let instantiation = |row| Some((Token::new(TableId::METHOD_SPEC, row), *wanted.get(&methods.get(row)?)?));
    rows.filter_map(instantiation).collect()
}

/// The MemberRef rows with the type, the name and the signature of a definition. Within an image, equal signatures are equal bytes, unless
/// it refers to its own types as if they were others.
fn references(session: &Session, metadata: &Metadata, of: Token) -> Option<Vec<Token>> {
    let (table, row) = (of.table(), of.row());
    let (name, signature, list) = match table {
        TableId::FIELD => (FIELD_NAME, FIELD_SIGNATURE, FIELD_LIST),
        _ => (METHOD_NAME, METHOD_SIGNATURE, METHOD_LIST),
    };
    let mut types = 1..=metadata.rows(TableId::TYPE_DEF);
    let owner = types.find(|owner| metadata.list(TableId::TYPE_DEF, *owner, list, table).contains(&row))?;
    let owner = Token::new(TableId::TYPE_DEF, owner);
    let own_references = own_references(metadata, owner.row());
    let name = metadata.string_cell(table, row, name).ok()?.data;
    let signature = metadata.blob_cell(table, row, signature).ok()?.data;
    let parents = metadata.table(TableId::MEMBER_REF).column(PARENT);
    // A call with variable arguments refers to the method by a row that has the types of these arguments.
    let own = MEMBER_REF_PARENT.encode(table, row);
    let is_same = |member: &u32| {
        if own.is_some() && parents.get(*member) == own {
            return true;
        }
        let found_name = metadata.string_cell(TableId::MEMBER_REF, *member, MEMBER_NAME);
        if !found_name.is_ok_and(|found| found.data == name) {
            return false;
        }
        let Some(parent) = member_parent(metadata, *member) else { return false };
        if parent == owner {
            let found = metadata.blob_cell(TableId::MEMBER_REF, *member, MEMBER_SIGNATURE);
            return found.is_ok_and(|found| found.data == signature);
        }
        // The text of the reference has the type of the result, too.
        let text = |token| session.names().map(|names| names.row(token)).unwrap_or_default();
        parent.table() == TableId::TYPE_REF
            && own_references.contains(&parent.row())
            && text(Token::new(TableId::MEMBER_REF, *member)).ends_with(&text(of))
    };
    let members = (1..=metadata.rows(TableId::MEMBER_REF)).filter(is_same);
    Some(members.map(|row| Token::new(TableId::MEMBER_REF, row)).collect())
}

/// Rows of TypeRef that refer to a type of the image itself, as some obfuscators write them: their scope is the module, or such a row.
pub(super) fn own_references(metadata: &Metadata, of: u32) -> Vec<u32> {
    let rows = metadata.rows(TableId::TYPE_REF);
    let scopes = metadata.table(TableId::TYPE_REF).column(0);
    let scope = |row| scopes.get(row).and_then(|scope| RESOLUTION_SCOPE.decode(scope));
    // Nearly no image has any.
    if !(1..=rows).any(|row| scope(row).is_some_and(|(table, _)| table == TableId::MODULE)) {
        return Vec::new();
    }
    let nested = metadata.table(TableId::NESTED_CLASS);
    let outer_of = |inner| {
        let row = (1..=nested.rows()).find(|row| nested.cell(*row, 0) == Ok(inner))?;
        nested.cell(row, 1).ok()
    };
    // The type and those around it, the innermost first.
    let around: Vec<u32> = std::iter::successors(Some(of), |inner| outer_of(*inner)).take(MAX_NESTING).collect();
    let cell = |table, row, column| metadata.string_cell(table, row, column).map(|name| name.data).ok();
    let mut references = Vec::new();
    for (depth, of) in around.iter().rev().enumerate() {
        let is_in_scope = |row| match scope(row) {
            Some((TableId::MODULE, _)) => depth == 0,
            Some((TableId::TYPE_REF, outer)) => references.contains(&outer),
            _ => false,
        };
        let is_named = |column| cell(TableId::TYPE_DEF, *of, column);
        let is_same = |row: &u32| {
            is_in_scope(*row) && [1, 2].iter().all(|at| cell(TableId::TYPE_REF, *row, *at) == is_named(*at))
        };
        references = (1..=rows).filter(is_same).collect();
    }
    references
}

/// The TypeDef or TypeRef that a row of MemberRef belongs to; of an instantiated type the generic one.
pub fn member_parent(metadata: &Metadata, member: u32) -> Option<Token> {
    let parent = metadata.table(TableId::MEMBER_REF).cell(member, PARENT).ok()?;
    let token = match MEMBER_REF_PARENT.decode(parent)? {
        (TableId::TYPE_SPEC, row) => {
            let blob = metadata.blob_cell(TableId::TYPE_SPEC, row, 0).ok()?;
            match signature::decode_type(&mut blob.cursor()).ok()?.value {
                Type::Generic { token, .. } | Type::Named { token, .. } => token,
                _ => return None,
            }
        }
        (table, row) => Token::new(table, row),
    };
    matches!(token.table(), TableId::TYPE_DEF | TableId::TYPE_REF).then_some(token)
}
