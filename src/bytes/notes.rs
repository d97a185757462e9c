use super::{Guid, Span};

/// How the bytes of a text field stand for characters.
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

/// One value of a record as a noting [`Cursor`](super::Cursor) saw it: its name, its bytes, and what they say.
///
/// The fields of a record come in the order of its bytes. A [`Value::Group`] spans those of greater `depth` behind it; all
/// others are leaves, and the leaves of a record tile its bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// What the specification calls it.
    pub name: &'static str,
    /// The bytes it was read from.
    pub span: Span,
    /// What they say.
    pub value: Value,
    /// How many groups it is in.
    pub depth: u8,
}

/// Takes note of what a cursor reads. `()` takes none and costs nothing.
pub trait Notes {
    /// Whether anything is written down: what only serves notes can be left out where not.
    const TAKEN: bool;
    /// A value has been read.
    fn field(&mut self, name: &'static str, span: Span, value: Value);
    /// A group begins at `at`.
    fn open(&mut self, name: &'static str, at: Span);
    /// The innermost open group ends at offset `end`.
    fn close(&mut self, end: u64);
}

impl Notes for () {
    const TAKEN: bool = false;
    fn field(&mut self, _: &'static str, _: Span, _: Value) {}
    fn open(&mut self, _: &'static str, _: Span) {}
    fn close(&mut self, _: u64) {}
}

/// The most fields that are noted of one record: what comes behind them is read and not written down.
pub const MOST_FIELDS: usize = 1 << 18;

/// Fields as they come, up to [`MOST_FIELDS`]; the indices of the groups that are still open.
#[derive(Debug, Default)]
pub struct Noted {
    pub(super) fields: Vec<Field>,
    open: Vec<usize>,
}

impl Notes for Noted {
    const TAKEN: bool = true;

    fn field(&mut self, name: &'static str, span: Span, value: Value) {
        if self.fields.len() < MOST_FIELDS {
            self.fields.push(Field { name, span, value, depth: self.open.len() as u8 });
        }
    }

    fn open(&mut self, name: &'static str, at: Span) {
        // Of a group that is not noted any more there is no field to close.
        let index = self.fields.len();
        self.field(name, at, Value::Group);
        self.open.push(index);
    }

    fn close(&mut self, end: u64) {
        if let Some(group) = self.open.pop().and_then(|index| self.fields.get_mut(index)) {
            group.span.len = end.saturating_sub(group.span.start);
        }
    }
}
