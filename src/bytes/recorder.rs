use super::{Field, FieldDoc, Span, Value};

/// Sink for the reads of a cursor. `()` ignores them at no cost.
pub trait Recorder {
    /// False if reads are ignored, so that a decoder can skip work that only serves the recording.
    const ENABLED: bool;
    /// Records a value.
    fn field(&mut self, doc: &'static FieldDoc, span: Span, value: Value);
    /// Opens a group at the empty span `at`.
    fn open(&mut self, doc: &'static FieldDoc, at: Span);
    /// Closes the innermost open group at offset `end`.
    fn close(&mut self, end: u64);
}

impl Recorder for () {
    const ENABLED: bool = false;
    fn field(&mut self, _: &'static FieldDoc, _: Span, _: Value) {}
    fn open(&mut self, _: &'static FieldDoc, _: Span) {}
    fn close(&mut self, _: u64) {}
}

/// Limit of recorded fields; later reads succeed but are not recorded.
pub const MAX_FIELDS: usize = 1 << 18;

/// Fields in the order of the reads, at most [`MAX_FIELDS`].
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
        // The index may be past the limit; `close` then finds no field.
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
