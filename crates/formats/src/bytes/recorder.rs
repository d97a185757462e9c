use super::{Change, Field, FieldDoc, ReadAs, Span, Value};

/// Sink for the reads of a cursor. `()` ignores them at no cost.
pub trait Recorder {
    /// False if reads are ignored, so that a decoder can skip work that only serves the recording.
    const ENABLED: bool;
    /// Records a value and the form that it was read in.
    fn field(&mut self, doc: &'static FieldDoc, span: Span, value: Value, read: ReadAs);
    /// Notes the field that is read next, which is known if the read fails.
    fn reading(&mut self, doc: &'static FieldDoc);
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
    fn reading(&mut self, _: &'static FieldDoc) {}
    fn change(&mut self, _: Change) {}
    fn open(&mut self, _: &'static FieldDoc, _: Span) {}
    fn close(&mut self, _: u64) {}
}

/// Limit of recorded fields; later reads succeed but are not recorded.
pub const MAX_FIELDS: usize = 1 << 18;

/// Reads of a decoder.
#[derive(Debug, Default)]
pub struct Reads {
    /// Fields in their order, at most [`MAX_FIELDS`].
    pub fields: Vec<Field>,
    /// Changes of the decoder's state, each with the index of the field that caused it.
    pub changes: Vec<(usize, Change)>,
    /// Field whose read failed: nothing of it is among the fields.
    pub failed: Option<&'static FieldDoc>,
}

/// Fields in the order of the reads, at most [`MAX_FIELDS`], and the changes of state that they cause.
#[derive(Debug, Default)]
pub struct Recording {
    pub(super) reads: Reads,
    open: Vec<usize>,
    /// Reads past the limit have no field that a change could belong to.
    full: bool,
}

impl Recorder for Recording {
    const ENABLED: bool = true;

    fn field(&mut self, doc: &'static FieldDoc, span: Span, value: Value, read: ReadAs) {
        self.reads.failed = None;
        self.full = self.reads.fields.len() >= MAX_FIELDS;
        if !self.full {
            self.reads.fields.push(Field { doc, span, value, read, depth: self.open.len() as u8 });
        }
    }

    fn reading(&mut self, doc: &'static FieldDoc) {
        self.reads.failed = Some(doc);
    }

    fn change(&mut self, change: Change) {
        if !self.full
            && let Some(last) = self.reads.fields.len().checked_sub(1)
        {
            self.reads.changes.push((last, change));
        }
    }

    fn open(&mut self, doc: &'static FieldDoc, at: Span) {
        // The index may be past the limit; `close` then finds no field.
        let index = self.reads.fields.len();
        self.field(doc, at, Value::Group, ReadAs::Unread);
        self.open.push(index);
    }

    fn close(&mut self, end: u64) {
        if let Some(group) = self.open.pop().and_then(|index| self.reads.fields.get_mut(index)) {
            group.span.len = end.saturating_sub(group.span.start);
        }
    }
}
