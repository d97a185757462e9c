//! Tokens that refer to one method, field or type: its own, and those of the references to it in the same image.

use pdblens_formats::metadata::schema::{MEMBER_REF_PARENT, METHOD_DEF_OR_REF};
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_formats::signature::{self, Type};

/// Columns of MethodDef, Field and MemberRef.
const METHOD_NAME: usize = 3;
const METHOD_SIGNATURE: usize = 4;
const FIELD_NAME: usize = 1;
const FIELD_SIGNATURE: usize = 2;
const MEMBER_NAME: usize = 1;
const MEMBER_SIGNATURE: usize = 2;
/// Columns of TypeDef.
pub(super) const FIELD_LIST: usize = 4;
pub(super) const METHOD_LIST: usize = 5;

/// Tokens that code uses for a row: its own; for a member also those of MemberRef rows, which code needs for members of generic types
/// even in their own module; for a method also those of MethodSpec rows.
pub(super) fn tokens(metadata: &Metadata, of: Token) -> Vec<Token> {
    let mut tokens = vec![of];
    if matches!(of.table(), TableId::METHOD_DEF | TableId::FIELD) {
        tokens.extend(references(metadata, of).into_iter().flatten());
    }
    if matches!(of.table(), TableId::METHOD_DEF | TableId::MEMBER_REF) {
        let wanted: Vec<u32> =
            tokens.iter().filter_map(|token| METHOD_DEF_OR_REF.encode(token.table(), token.row())).collect();
        let methods = metadata.table(TableId::METHOD_SPEC).column(0);
        let rows = 1..=metadata.rows(TableId::METHOD_SPEC);
        let is_of = |row: &u32| methods.get(*row).is_some_and(|method| wanted.contains(&method));
        tokens.extend(rows.filter(is_of).map(|row| Token::new(TableId::METHOD_SPEC, row)));
    }
    tokens
}

/// The MemberRef rows with the type, the name and the signature of a definition. Within an image, equal signatures are equal bytes.
fn references(metadata: &Metadata, of: Token) -> Option<Vec<Token>> {
    let (table, row) = (of.table(), of.row());
    let (name, signature, list) = match table {
        TableId::FIELD => (FIELD_NAME, FIELD_SIGNATURE, FIELD_LIST),
        _ => (METHOD_NAME, METHOD_SIGNATURE, METHOD_LIST),
    };
    let mut types = 1..=metadata.rows(TableId::TYPE_DEF);
    let owner = types.find(|owner| metadata.list(TableId::TYPE_DEF, *owner, list, table).contains(&row))?;
    let owner = Token::new(TableId::TYPE_DEF, owner);
    let name = metadata.string_cell(table, row, name).ok()?.data;
    let signature = metadata.blob_cell(table, row, signature).ok()?.data;
    let is_same = |member: &u32| {
        metadata.string_cell(TableId::MEMBER_REF, *member, MEMBER_NAME).is_ok_and(|found| found.data == name)
            && metadata
                .blob_cell(TableId::MEMBER_REF, *member, MEMBER_SIGNATURE)
                .is_ok_and(|found| found.data == signature)
            && member_parent(metadata, *member) == Some(owner)
    };
    let members = (1..=metadata.rows(TableId::MEMBER_REF)).filter(is_same);
    Some(members.map(|row| Token::new(TableId::MEMBER_REF, row)).collect())
}

/// The TypeDef or TypeRef that a row of MemberRef belongs to; of an instantiated type the generic one.
pub fn member_parent(metadata: &Metadata, member: u32) -> Option<Token> {
    let parent = metadata.table(TableId::MEMBER_REF).cell(member, 0).ok()?;
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
