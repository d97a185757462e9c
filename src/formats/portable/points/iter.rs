use super::walk::Walk;
use super::{Header, Record, SequencePoint};
use crate::bytes::{Cursor, Recorder, Result, Slice};

/// The points of one blob, one after the other, without the document records between them.
///
/// A point that breaks a rule comes with its [`Violations`](crate::formats::sequence_point::Violations). A record that cannot be decoded is an error, and the last item.
#[derive(Debug)]
pub struct Points<'a> {
    records: Records<'a>,
}

/// The records of one blob, one after the other: together with the header they tile it.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    header: Header,
    cursor: Cursor<'a>,
    walk: Walk,
}

impl<'a> Points<'a> {
    /// The points of the blob of a method whose row names `document`; 0 if it names none.
    #[inline]
    pub fn new(blob: Slice<'a>, document: u32) -> Result<Self> {
        Ok(Self { records: Records::new(blob, document)? })
    }

    /// What the header of the blob says.
    pub const fn header(&self) -> Header {
        self.records.header
    }
}

impl<'a> Records<'a> {
    /// The records of the blob of a method whose row names `document`; 0 if it names none.
    #[inline]
    pub fn new(blob: Slice<'a>, document: u32) -> Result<Self> {
        let mut cursor = Cursor::new(blob);
        let header = Header::decode(&mut cursor, document)?;
        Ok(Self { header, cursor, walk: Walk::new(header) })
    }

    /// What the header of the blob says.
    pub const fn header(&self) -> Header {
        self.header
    }
}

impl Records<'_> {
    /// The next point, whatever its record is like and whatever comes before it.
    ///
    /// It takes and returns itself so that nothing but this call keeps a loop over points from holding them in registers.
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

/// Reads a whole blob, for what `cursor` notes of it.
pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, document: u32) -> Result<Header> {
    let header = Header::decode(cursor, document)?;
    let mut walk = Walk::new(header);
    while !cursor.is_done() {
        walk.record(cursor)?;
    }
    Ok(header)
}
