use super::walk::Walk;
use super::{Header, Record, SequencePoint};
use crate::bytes::{Cursor, Recorder, Result, Slice};

/// Iterator over the points of a blob; document records are applied and skipped.
///
/// A point that violates a rule carries its [`Violations`](crate::sequence_point::Violations). A record that
/// cannot be decoded yields an error, as the last item.
#[derive(Debug)]
pub struct Points<'a> {
    records: Records<'a>,
}

/// Iterator over the records of a blob, which together with the header tile it.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    header: Header,
    cursor: Cursor<'a>,
    walk: Walk,
}

impl<'a> Points<'a> {
    /// Reads the header. `document` is the row in the method's Document column, 0 if nil.
    #[inline]
    pub fn new(blob: Slice<'a>, document: u32) -> Result<Self> {
        Ok(Self { records: Records::new(blob, document)? })
    }
}

impl<'a> Records<'a> {
    /// Reads the header. `document` is the row in the method's Document column, 0 if nil.
    #[inline]
    pub fn new(blob: Slice<'a>, document: u32) -> Result<Self> {
        let mut cursor = Cursor::new(blob);
        let header = Header::decode(&mut cursor, document)?;
        Ok(Self { header, cursor, walk: Walk::new(header) })
    }

    /// Records without a header before them, which count from `header`.
    pub const fn after(header: Header, records: Slice<'a>) -> Self {
        Self { header, cursor: Cursor::new(records), walk: Walk::new(header) }
    }

    /// Header of the blob.
    pub const fn header(&self) -> Header {
        self.header
    }
}

impl Records<'_> {
    /// Returns the next point of any encoding, after any document records.
    ///
    /// Taking and returning the iterator by value lets a loop over points keep it in registers except for this call.
    #[inline(never)]
    fn point(mut self) -> (Self, Option<Result<SequencePoint>>) {
        loop {
            match self.next() {
                Some(Ok(Record::Document(_))) => {}
                Some(Ok(Record::Point(point))) => return (self, Some(Ok(point))),
                Some(Err(error)) => return (self, Some(Err(error))),
                None => return (self, None),
            }
        }
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.cursor.is_done() {
            return None;
        }
        let record = self.walk.record(&mut self.cursor);
        if record.is_err() {
            self.cursor = Cursor::new(Slice::default());
        }
        Some(record)
    }
}

impl Iterator for Points<'_> {
    type Item = Result<SequencePoint>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(point) = self.records.walk.fast(&mut self.records.cursor) {
            return Some(Ok(point));
        }
        if self.records.cursor.is_done() {
            return None;
        }
        let (records, point) = self.records.clone().point();
        self.records = records;
        point
    }
}

/// Decodes a whole blob through a cursor that may be recording.
pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, document: u32) -> Result<Header> {
    let header = Header::decode(cursor, document)?;
    decode_records(cursor, header)?;
    Ok(header)
}

/// Decodes records without a header before them, which count from `header`.
pub fn decode_records<N: Recorder>(cursor: &mut Cursor<'_, N>, header: Header) -> Result<()> {
    let mut walk = Walk::new(header);
    while !cursor.is_done() {
        walk.record(cursor)?;
    }
    Ok(())
}
