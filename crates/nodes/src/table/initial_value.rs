//! Initial values of fields, which rows of FieldRVA lead to (ECMA-335 II.22.18).

use pdblens_formats::bytes::{Cursor, Slice, fields};
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_formats::signature::{self, Primitive, Signature, Type};
use pdblens_session::session::Session;

use crate::fields::Fields;

fields! {
    /// The initial value of the field; its type tells the size.
    VALUE: "initial value";
}

/// Adds the initial value to the fields of a row, where the size of its type is known.
pub(super) fn unfold(session: &Session, row: u32, fields: &mut Fields) {
    let Some(slice) = value(session, row) else { return };
    let mut cursor = Cursor::recording(slice);
    let error = cursor.bytes(&VALUE, slice.len()).err();
    fields.rows.extend(Fields::present("", slice, &cursor.steps(), error, |_, _| None).rows);
}

fn value(session: &Session, row: u32) -> Option<Slice<'_>> {
    let (image, metadata) = (session.image()?, session.metadata()?);
    let [rva, field] = metadata.table(TableId::FIELD_RVA).cells(row).ok()?;
    let blob = metadata.blob_cell(TableId::FIELD, field, 2).ok()?;
    let Ok(Signature::Field(of)) = signature::decode(&mut blob.cursor()) else { return None };
    let size = match of.value {
        Type::Primitive(primitive) => size_of(primitive)?,
        Type::Named { token, .. } if token.table() == TableId::TYPE_DEF => class_size(metadata, token)?,
        _ => return None,
    };
    image.pe.at_rva(rva, size).ok()
}

const fn size_of(primitive: Primitive) -> Option<u32> {
    use Primitive::{Boolean, Char, I1, I2, I4, I8, R4, R8, U1, U2, U4, U8};
    match primitive {
        Boolean | I1 | U1 => Some(1),
        Char | I2 | U2 => Some(2),
        I4 | U4 | R4 => Some(4),
        I8 | U8 | R8 => Some(8),
        _ => None,
    }
}

/// Size that ClassLayout gives a type. Its rows are sorted by type.
fn class_size(metadata: &Metadata, token: Token) -> Option<u32> {
    let table = metadata.table(TableId::CLASS_LAYOUT);
    let (mut first, mut end) = (1, table.rows() + 1);
    while first < end {
        let middle = u32::midpoint(first, end);
        let [_, size, parent] = table.cells(middle).ok()?;
        match parent.cmp(&token.row()) {
            std::cmp::Ordering::Less => first = middle + 1,
            std::cmp::Ordering::Greater => end = middle,
            std::cmp::Ordering::Equal => return Some(size),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_initial_value_has_the_size_of_its_type() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/statements/Language.debug.dll");
        let session = Session::open(&[path.into()]).unwrap();
        let sizes: Vec<u64> = (1..=5).map(|row| value(&session, row).unwrap().len()).collect();
        assert_eq!(sizes, [8, 12, 12, 16, 4]);
        assert!(value(&session, 6).is_none());
    }
}
