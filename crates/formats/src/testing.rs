//! Checks shared by the tests of all formats.

use crate::bytes::{Cursor, Field, Recording, Result, Slice, SpaceId, Value};

/// Decodes all of `slice` and returns its fields, which tile it and all of which have a sentence.
pub(crate) fn described_slice<'a>(
    slice: Slice<'a>,
    decode: impl FnOnce(&mut Cursor<'a, Recording>) -> Result<()>,
) -> Vec<Field> {
    let mut cursor = Cursor::recording(slice);
    decode(&mut cursor).unwrap();
    let fields = cursor.fields();
    let leaves = fields.iter().filter(|field| field.value != Value::Group);
    let end = leaves.fold(slice.start, |at, field| {
        assert_eq!(field.span.start, at, "{} in {:?}", field.name(), slice.span());
        field.span.end()
    });
    assert_eq!(end, slice.span().end(), "{:?}", fields.first());
    for field in &fields {
        assert!(!field.doc.about.is_empty(), "{} in {:?}", field.name(), fields.first().map(Field::name));
    }
    fields
}

/// The same for bytes without a file.
pub(crate) fn described(bytes: &[u8], decode: impl FnOnce(&mut Cursor<'_, Recording>) -> Result<()>) {
    assert!(!described_slice(Slice::new(bytes, SpaceId(0), 0), decode).is_empty());
}
