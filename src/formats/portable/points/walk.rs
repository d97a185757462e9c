use super::{DocumentRecord, Header, Record, fast_path};
use crate::bytes::{Cursor, Recorder, Result, Slice, SpaceId};
use crate::formats::sequence_point::{HIDDEN_LINE, SequencePoint, Violations};

/// What the records so far come to; the next one says how it differs.
///
/// Lines and columns wrap at 2^32. No step is as long as the way around, so that a point is seen to be out of bounds before
/// a later one can wrap into them again. IL offsets stop at the end, so that they never decrease.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    stage: Stage,
    document: u32,
    il: u32,
    line: u32,
    column: u32,
}

/// What the next record may be, and what its numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// No point yet: a leading 0 is an IL offset.
    Start,
    /// Only hidden points yet: line and column are no differences.
    Hidden,
    /// There was a point that is not hidden.
    Visible,
}

/// The numbers of a point, as they stand in its record; 0 for those that the record of a hidden one has not.
pub(super) struct Numbers {
    pub(super) il: u32,
    pub(super) lines: u32,
    pub(super) columns: i32,
    pub(super) line: i32,
    pub(super) column: i32,
}

impl Walk {
    pub(super) const fn new(header: Header) -> Self {
        Self { stage: Stage::Start, document: header.document, il: 0, line: 0, column: 0 }
    }

    /// Reads one record.
    #[inline]
    pub(super) fn record<N: Recorder>(&mut self, cursor: &mut Cursor<'_, N>) -> Result<Record> {
        let at = cursor.consumed() as u32;
        if !N::ENABLED {
            return self.parts(cursor, at);
        }
        let name = self.name(cursor.remaining());
        cursor.group(name, |c| self.parts(c, at))
    }

    /// Reads the next record if it is a point with small numbers, as most are.
    #[inline]
    pub(super) fn fast(&mut self, cursor: &mut Cursor<'_>) -> Option<SequencePoint> {
        let (numbers, len) = fast_path::numbers(cursor.remaining(), self.stage)?;
        let at = cursor.consumed() as u32;
        cursor.skip(len as u64).ok()?;
        Some(self.point(&numbers, at, len))
    }

    /// Reads what a record is made of.
    #[inline]
    fn parts<N: Recorder>(&mut self, c: &mut Cursor<'_, N>, at: u32) -> Result<Record> {
        let il = c.compressed("δ IL offset")?;
        if il == 0 && self.stage != Stage::Start {
            let document = c.compressed("document")?;
            self.document = document;
            return Ok(Record::Document(DocumentRecord { document, at, len: len(c, at) }));
        }
        let lines = c.compressed("Δ lines")?;
        let columns = match lines {
            0 => c.compressed("Δ columns")?.cast_signed(),
            _ => c.compressed_signed("Δ columns")?,
        };
        let (line, column) = if lines == 0 && columns == 0 {
            (0, 0)
        } else if self.stage == Stage::Visible {
            (c.compressed_signed("δ start line")?, c.compressed_signed("δ start column")?)
        } else {
            (c.compressed("start line")?.cast_signed(), c.compressed("start column")?.cast_signed())
        };
        Ok(Record::Point(self.point(&Numbers { il, lines, columns, line, column }, at, len(c, at))))
    }

    /// The point that these numbers stand for, behind the points so far.
    #[inline]
    fn point(&mut self, numbers: &Numbers, at: u32, len: u8) -> SequencePoint {
        self.il = self.il.saturating_add(numbers.il);
        let (il, document) = (self.il, self.document);
        if numbers.lines == 0 && numbers.columns == 0 {
            self.stage = self.stage.max(Stage::Hidden);
            let (start_line, end_line, violations) =
                (HIDDEN_LINE, HIDDEN_LINE, Violations::of(il, document, [0; 2], [0; 2]));
            return SequencePoint {
                offset: il,
                document,
                start_line,
                start_column: 0,
                end_line,
                end_column: 0,
                at,
                len,
                violations,
            };
        }
        self.stage = Stage::Visible;
        self.line = self.line.wrapping_add_signed(numbers.line);
        self.column = self.column.wrapping_add_signed(numbers.column);
        let (start_line, start_column) = (self.line, self.column);
        let end_line = start_line.wrapping_add(numbers.lines);
        let end_column = start_column.wrapping_add_signed(numbers.columns);
        let violations = Violations::of(il, document, [start_line, end_line], [start_column, end_column]);
        SequencePoint { offset: il, document, start_line, start_column, end_line, end_column, at, len, violations }
    }

    /// What the record at the start of `rest` is called: it takes up to three of its numbers to know.
    fn name(&self, rest: &[u8]) -> &'static str {
        let mut ahead = Cursor::new(Slice::new(rest, SpaceId(0), 0));
        let mut zero = || ahead.compressed("").is_ok_and(|number| number == 0);
        if zero() && self.stage != Stage::Start {
            "document"
        } else if zero() && zero() {
            "hidden point"
        } else {
            "point"
        }
    }
}

/// How long the record is that began `at`: no more than five numbers of four bytes.
const fn len<N: Recorder>(c: &Cursor<'_, N>, at: u32) -> u8 {
    (c.consumed() as u32 - at) as u8
}
