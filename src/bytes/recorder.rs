use super::{Change, Field, FieldDoc, ReadAs, Span, Value};

/// Sink for the reads of a cursor. `()` ignores them at no cost.
pub trait Recorder {
    /// False if reads are ignored, so that a decoder can skip work that only serves the recording.
    const ENABLED: bool;
    /// Records a value and the form that it was read in.
    fn field(&mut self, doc: &'static FieldDoc, span: Span, value: Value, read: ReadAs);
    /// Records what the last value changed in the state of the decoder.
    fn change(&mut self, change: Change);
    /// Opens a group at the empty span `at`.
    fn open(&mut self, doc: &'static FieldDoc, at: Span);
    /// Closes the innermost open group at offset `end`.
    fn close(&mut self, end: u64);
}

impl Recorder for () {
    const ENABLED: bool = false;
    fn field(&mut self, _: &'static FieldDoc, _: Span, _: Value, _: ReadAs) {}
    fn change(&mut self, _: Change) {}
    fn open(&mut self, _: &'static FieldDoc, _: Span) {}
    fn close(&mut self, _: u64) {}
}

/// Limit of recorded fields; later reads succeed but are not recorded.
pub const MAX_FIELDS: usize = 1 << 18;

/// Fields in the order of the reads, at most [`MAX_FIELDS`], and the changes of state that they cause.
#[derive(Debug, Default)]
pub struct Recording {
    pub(super) fields: Vec<Field>,
    pub(super) changes: Vec<(usize, Change)>,
    open: Vec<usize>,
    /// Reads past the limit have no field that a change could belong to.
    full: bool,
}

impl Recorder for Recording {
    const ENABLED: bool = true;

    fn field(&mut self, doc: &'static FieldDoc, span: Span, value: Value, read: ReadAs) {
        self.full = self.fields.len() >= MAX_FIELDS;
        if !self.full {
            self.fields.push(Field { doc, span, value, read, depth: self.open.len() as u8 });
        }
    }

    fn change(&mut self, change: Change) {
        if let Some(last) = self.fields.len().checked_sub(1).filter(|_| !self.full) {
            self.changes.push((last, change));
        }
    }

    fn open(&mut self, doc: &'static FieldDoc, at: Span) {
        // The index may be past the limit; `close` then finds no field.
        let index = self.fields.len();
        self.field(doc, at, Value::Group, ReadAs::Unread);
        self.open.push(index);
    }

    fn close(&mut self, end: u64) {
        if let Some(group) = self.open.pop().and_then(|index| self.fields.get_mut(index)) {
            group.span.len = end.saturating_sub(group.span.start);
        }
    }
}
