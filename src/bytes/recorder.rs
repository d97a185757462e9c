use super::{Field, FieldDoc, Span, Value};

/// Receives each read of a cursor. `()` receives nothing and costs nothing.
pub trait Recorder {
    /// Whether reads are kept: work that only serves the recording can be left out where not.
    const ENABLED: bool;
    /// A value has been read.
    fn field(&mut self, doc: &'static FieldDoc, span: Span, value: Value);
    /// A group begins at `at`.
    fn open(&mut self, doc: &'static FieldDoc, at: Span);
    /// The innermost open group ends at offset `end`.
    fn close(&mut self, end: u64);
}

impl Recorder for () {
    const ENABLED: bool = false;
    fn field(&mut self, _: &'static FieldDoc, _: Span, _: Value) {}
    fn open(&mut self, _: &'static FieldDoc, _: Span) {}
    fn close(&mut self, _: u64) {}
}

/// The most fields that are recorded of one record; later ones are read but not recorded.
pub const MAX_FIELDS: usize = 1 << 18;

/// Fields in the order of the reads, up to [`MAX_FIELDS`], and the indices of the groups that are still open.
#[derive(Debug, Default)]
pub struct Recording {
    pub(super) fields: Vec<Field>,
    open: Vec<usize>,
}

impl Recorder for Recording {
    const ENABLED: bool = true;

    fn field(&mut self, doc: &'static FieldDoc, span: Span, value: Value) {
        if self.fields.len() < MAX_FIELDS {
            self.fields.push(Field { doc, span, value, depth: self.open.len() as u8 });
        }
    }

    fn open(&mut self, doc: &'static FieldDoc, at: Span) {
        // A group past the limit has no field to close.
        let index = self.fields.len();
        self.field(doc, at, Value::Group);
        self.open.push(index);
    }

    fn close(&mut self, end: u64) {
        if let Some(group) = self.open.pop().and_then(|index| self.fields.get_mut(index)) {
            group.span.len = end.saturating_sub(group.span.start);
        }
    }
}
