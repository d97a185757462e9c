use crate::bytes::{At, Cursor, Encoding, ErrorKind, FieldDoc, Recorder, Result, Slice};

/// Reads a string: length in bytes, then UTF-8.
pub(super) fn string<'a, N: Recorder>(
    cursor: &mut Cursor<'a, N>,
    length: &'static FieldDoc,
    text: &'static FieldDoc,
) -> Result<Slice<'a>> {
    let len = number(cursor, length)?;
    cursor.text(text, len as u64, Encoding::Utf8)
}

/// Reads a string and copies its characters.
pub(super) fn owned<N: Recorder>(
    cursor: &mut Cursor<'_, N>,
    length: &'static FieldDoc,
    text: &'static FieldDoc,
) -> Result<At<String>> {
    string(cursor, length, text).map(Slice::text)
}

/// Reads a number that must not be negative.
pub(super) fn number<N: Recorder>(cursor: &mut Cursor<'_, N>, name: &'static FieldDoc) -> Result<u32> {
    let start = cursor.position();
    let number = cursor.seven_bit(name)?;
    u32::try_from(number)
        .map_err(|_| cursor.error_since(start, ErrorKind::Invalid("a negative number where there cannot be one")))
}

/// Reads a count and as many entries, each of which takes at least one byte.
pub(super) fn list<T, N: Recorder>(
    cursor: &mut Cursor<'_, N>,
    count: &'static FieldDoc,
    mut entry: impl FnMut(&mut Cursor<'_, N>) -> Result<T>,
) -> Result<Vec<T>> {
    let start = cursor.position();
    let count = number(cursor, count)? as u64;
    cursor.require(count, start)?;
    (0..count).map(|_| entry(cursor)).collect()
}
