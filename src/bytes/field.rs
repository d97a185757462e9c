use super::{Guid, Span};

/// Encoding of a text field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8, all of the span.
    Utf8,
    /// UTF-8 up to the NUL that ends it; the span has the NUL.
    Utf8Z,
    /// UTF-16, little-endian, all of the span.
    Utf16,
    /// UTF-16 up to the two zero bytes that end it; the span has them.
    Utf16Z,
}

/// The raw value of a [`Field`]: what was read, not what it means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A record or a part of one, made of the deeper fields that follow it.
    Group,
    /// An unsigned number.
    Unsigned(u64),
    /// A signed number.
    Signed(i64),
    /// A 32-bit floating-point number, by its bits.
    Single(u32),
    /// A 64-bit floating-point number, by its bits.
    Double(u64),
    /// A GUID.
    Guid(Guid),
    /// Characters; the span has them.
    Text(Encoding),
    /// Bytes with no finer meaning; the span has them.
    Bytes,
}

impl Value {
    /// The number it is, where it is one.
    pub const fn number(self) -> Option<i64> {
        match self {
            Self::Unsigned(n) => Some(n.cast_signed()),
            Self::Signed(n) => Some(n),
            _ => None,
        }
    }
}

/// The notation in which the value of a field reads best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// As it is: numbers in decimal, bytes in hexadecimal, text as text.
    Plain,
    /// A number in hexadecimal.
    Hex,
    /// One of these.
    OneOf(&'static [(u64, &'static str)]),
    /// Any of these bits together.
    Flags(&'static [(u64, &'static str)]),
    /// Bits of which some make a number together: a mask, a value under it, and its meaning.
    Parts(&'static [(u64, u64, &'static str)]),
    /// Seconds since 1970 — or, in a deterministic build, part of a hash.
    Time,
    /// A metadata token; it leads to its row.
    Token,
    /// An address in the loaded image; it leads to its bytes.
    Rva,
    /// An offset in the same file; it leads to its bytes.
    Offset,
    /// An IL offset of the method that the record belongs to.
    IlOffset,
    /// A row of this table.
    Row(&'static str),
    /// A GUID that may have a name (a language, a hash algorithm, a kind).
    Guid,
}

/// The description of one field, or of one group of fields: written once, beside the decoder that reads it.
///
/// [`record!`](crate::record) and [`fields!`](crate::fields) make constants of this type; the reads of a
/// [`Cursor`](super::Cursor) take them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDoc {
    /// Its name in the specification, in lower case: `"size of raw data"`.
    pub name: &'static str,
    /// The notation of its value.
    pub show: Show,
    /// Its purpose, in one sentence that stands alone.
    pub about: &'static str,
}

impl FieldDoc {
    /// A field whose value is shown as it is.
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, show: Show::Plain, about }
    }

    /// The same field, shown as `show`.
    #[must_use]
    pub const fn shown(self, show: Show) -> Self {
        Self { show, ..self }
    }
}

/// Zero bytes that only align what follows; read by [`Cursor::align`](super::Cursor::align).
pub const PADDING: FieldDoc = FieldDoc::new("padding", "Unused bytes that align the next field.");

/// One value of a record as a recording [`Cursor`](super::Cursor) saw it: its description, its bytes, and its value.
///
/// The fields of a record come in the order of its bytes. A [`Value::Group`] spans those of greater `depth` behind it; all
/// others are leaves, and the leaves of a record tile its bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Its name, notation and sentence.
    pub doc: &'static FieldDoc,
    /// The bytes it was read from.
    pub span: Span,
    /// The value of those bytes.
    pub value: Value,
    /// The number of groups around it.
    pub depth: u8,
}

impl Field {
    /// Its name in the specification.
    pub const fn name(&self) -> &'static str {
        self.doc.name
    }
}
