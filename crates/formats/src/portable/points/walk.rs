use super::{DocumentRecord, Header, Record, fast_path};
use crate::bytes::{Cursor, ErrorKind, FieldDoc, Recorder, Result, Slice, SpaceId, fields};
use crate::sequence_point::{HIDDEN_LINE, SequencePoint, Violations};

fields! {
    /// A sequence point: the code from this IL offset on belongs to these lines and columns.
    POINT: "point";
    /// A hidden sequence point: the code from this IL offset on has no source, and a debugger steps over it.
    HIDDEN_POINT: "hidden point";
    /// A change of the document for the points that follow; only a method in several documents has one.
    DOCUMENT_RECORD: "document";
    /// The IL offset itself in the first point, after it the difference to the previous point.
    DELTA_IL_OFFSET: "δ IL offset";
    /// 0 marks a document record: a point after the first always advances the IL offset.
    DOCUMENT_MARK: "δ IL offset";
    /// End line minus start line.
    DELTA_LINES: "Δ lines";
    /// End column minus start column; signed only if the lines differ.
    DELTA_COLUMNS: "Δ columns";
    /// 0 lines and 0 columns mark a hidden point: every other point has an extent.
    HIDDEN_LINES: "Δ lines";
    /// 0 lines and 0 columns mark a hidden point, whose line counts as 0xFEEFEE; the record ends here.
    HIDDEN_COLUMNS: "Δ columns";
    /// Absolute line number, because this is the first visible point.
    START_LINE: "start line";
    /// Absolute column number, because this is the first visible point.
    START_COLUMN: "start column";
    /// Start line minus the start line of the previous visible point (signed).
    DELTA_START_LINE: "δ start line";
    /// Start column minus the start column of the previous visible point (signed).
    DELTA_START_COLUMN: "δ start column";
    /// The document of the points that follow.
    DOCUMENT: "document" as Row("Document");
}

fields! {
    /// IL offset of the current point.
    STATE_IL_OFFSET: "IL offset" as IlOffset;
    /// Start line of the last visible point.
    STATE_LINE: "start line";
    /// Start column of the last visible point.
    STATE_COLUMN: "start column";
    /// End line minus start line of the current point.
    STATE_LINES: "lines spanned";
    /// End column minus start column of the current point.
    STATE_COLUMNS: "columns spanned";
    /// Document of the current point.
    pub(super) STATE_DOCUMENT: "document" as Row("Document");
    /// Points that are complete.
    STATE_POINTS: "points";
    /// Encoding of the next start line: absolute before the first visible point, a signed difference after it.
    STATE_STAGE: "stage" as OneOf(&[(0, "no point yet"), (1, "hidden points only"), (2, "a visible point was seen")]);
}

/// Descriptions of the first numbers of each kind of record.
struct Docs {
    group: &'static FieldDoc,
    offset: &'static FieldDoc,
    lines: &'static FieldDoc,
    columns: &'static FieldDoc,
}

static VISIBLE: Docs = Docs { group: &POINT, offset: &DELTA_IL_OFFSET, lines: &DELTA_LINES, columns: &DELTA_COLUMNS };
static HIDDEN: Docs =
    Docs { group: &HIDDEN_POINT, offset: &DELTA_IL_OFFSET, lines: &HIDDEN_LINES, columns: &HIDDEN_COLUMNS };
static CHANGE: Docs =
    Docs { group: &DOCUMENT_RECORD, offset: &DOCUMENT_MARK, lines: &DELTA_LINES, columns: &DELTA_COLUMNS };

/// Decoder state: absolute values that the next record is relative to.
///
/// Lines and columns wrap at 2^32. No step is long enough to wrap twice, so an out-of-bounds point is reported before a
/// later one can wrap back into bounds. An IL offset of more than 32 bits is an error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    /// Encoding of the next record.
    pub stage: Stage,
    /// Document and offset of the last point.
    pub document: u32,
    pub offset: u32,
    line: u32,
    column: u32,
    /// Points so far; counted only while steps are recorded.
    points: u32,
}

/// Encoding of the next record, which depends on the points so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// No point yet: a leading 0 is an IL offset.
    Start,
    /// Hidden points only: line and column are absolute.
    Hidden,
    /// At least one visible point: line and column are relative to the last one.
    Visible,
}

/// Numbers of a point; 0 for those that a hidden point does not have.
pub(super) struct Numbers {
    /// As encoded in what [`fast_path`] reads; its sum with those before it in what a [`Walk`] applies.
    pub(super) offset: u32,
    pub(super) lines: u32,
    pub(super) columns: i32,
    pub(super) line: i32,
    pub(super) column: i32,
}

impl Numbers {
    #[inline]
    pub(super) const fn is_hidden(&self) -> bool {
        self.lines == 0 && self.columns == 0
    }
}

impl Walk {
    pub(super) const fn new(header: Header) -> Self {
        Self { stage: Stage::Start, document: header.document, offset: 0, line: 0, column: 0, points: 0 }
    }

    /// The state with the offset and the document of an earlier point.
    pub(super) const fn back(self, offset: u32, document: u32) -> Self {
        Self { document, offset, ..self }
    }

    #[inline]
    pub(super) fn record<N: Recorder>(&mut self, cursor: &mut Cursor<'_, N>) -> Result<Record> {
        let at = cursor.consumed() as u32;
        if !N::ENABLED {
            return self.parts(cursor, at, &VISIBLE);
        }
        let kind = self.kind(cursor.remaining());
        cursor.group(kind.group, |c| self.parts(c, at, kind))
    }

    /// The numbers of the next record and the bytes after it, if it is a point of small numbers, as most are.
    #[expect(clippy::inline_always, reason = "the numbers of a call pass through memory")]
    #[inline(always)]
    pub(super) fn small<'b>(&self, rest: &'b [u8]) -> Option<(Numbers, &'b [u8])> {
        let (numbers, after) = fast_path::numbers(rest, self.stage)?;
        Some((Numbers { offset: self.offset.checked_add(numbers.offset)?, ..numbers }, after))
    }

    /// Decodes the next record if it is a point of small numbers.
    #[inline]
    pub(super) fn fast(&mut self, cursor: &mut Cursor<'_>) -> Option<SequencePoint> {
        let (rest, at) = (cursor.remaining(), cursor.consumed() as u32);
        let (numbers, after) = self.small(rest)?;
        let len = rest.len() - after.len();
        cursor.skip(len as u64).ok()?;
        Some(self.point(&numbers, at, len as u8))
    }

    #[inline]
    fn parts<N: Recorder>(&mut self, c: &mut Cursor<'_, N>, at: u32, docs: &'static Docs) -> Result<Record> {
        let start = c.position();
        let offset = c.compressed(docs.offset)?;
        if offset == 0 && self.stage != Stage::Start {
            let document = c.compressed(&DOCUMENT)?;
            c.changed(&STATE_DOCUMENT, self.document as i64, document);
            self.document = document;
            return Ok(Record::Document(DocumentRecord { document, at, len: len(c, at) }));
        }
        let too_large =
            || c.error_since(start, ErrorKind::Invalid("the IL offset of a sequence point exceeds 32 bits"));
        let offset = self.offset.checked_add(offset).ok_or_else(too_large)?;
        c.changed(&STATE_IL_OFFSET, self.known(self.offset), offset);
        let lines = c.compressed(docs.lines)?;
        c.changed(&STATE_LINES, None, lines);
        let columns = match lines {
            0 => c.compressed(docs.columns)?.cast_signed(),
            _ => c.compressed_signed(docs.columns)?,
        };
        c.changed(&STATE_COLUMNS, None, columns);
        let (line, column) = if lines == 0 && columns == 0 { (0, 0) } else { self.start(c)? };
        let stage = self.stage;
        let point = self.point(&Numbers { offset, lines, columns, line, column }, at, len(c, at));
        if N::ENABLED {
            if self.stage != stage {
                c.changed(&STATE_STAGE, stage as i64, self.stage as i64);
            }
            self.points = self.points.saturating_add(1);
            c.changed(&STATE_POINTS, self.points as i64 - 1, self.points);
        }
        Ok(Record::Point(point))
    }

    /// Reads start line and start column: differences to the last visible point, if there is one.
    #[inline]
    fn start<N: Recorder>(&self, c: &mut Cursor<'_, N>) -> Result<(i32, i32)> {
        if self.stage == Stage::Visible {
            let line = c.compressed_signed(&DELTA_START_LINE)?;
            // A delta that leads below 0 shows as what it is.
            c.changed(&STATE_LINE, self.line.cast_signed() as i64, self.line.wrapping_add_signed(line).cast_signed());
            let column = c.compressed_signed(&DELTA_START_COLUMN)?;
            c.changed(
                &STATE_COLUMN,
                self.column.cast_signed() as i64,
                self.column.wrapping_add_signed(column).cast_signed(),
            );
            return Ok((line, column));
        }
        let line = c.compressed(&START_LINE)?;
        c.changed(&STATE_LINE, None, line);
        let column = c.compressed(&START_COLUMN)?;
        c.changed(&STATE_COLUMN, None, column);
        Ok((line.cast_signed(), column.cast_signed()))
    }

    /// `value`, once a point has set it.
    fn known(&self, value: u32) -> Option<i64> {
        (self.stage != Stage::Start).then_some(value as i64)
    }

    #[inline]
    pub(super) fn apply(&mut self, numbers: &Numbers) {
        self.offset = numbers.offset;
        if numbers.is_hidden() {
            self.stage = self.stage.max(Stage::Hidden);
        } else {
            self.stage = Stage::Visible;
            self.line = self.line.wrapping_add_signed(numbers.line);
            self.column = self.column.wrapping_add_signed(numbers.column);
        }
    }

    /// Applies `numbers` to the state and returns the resulting point.
    #[inline]
    pub(super) fn point(&mut self, numbers: &Numbers, at: u32, len: u8) -> SequencePoint {
        self.apply(numbers);
        self.applied((numbers.lines, numbers.columns), at, len)
    }

    /// The point whose numbers were applied last, by its lines and columns as encoded.
    #[inline]
    pub(super) const fn applied(&self, (lines, columns): (u32, i32), at: u32, len: u8) -> SequencePoint {
        let (offset, document) = (self.offset, self.document);
        let hidden = lines == 0 && columns == 0;
        let (lines, columns) = if hidden {
            ([HIDDEN_LINE; 2], [0; 2])
        } else {
            ([self.line, self.line.wrapping_add(lines)], [self.column, self.column.wrapping_add_signed(columns)])
        };
        let checked = if hidden { [0; 2] } else { lines };
        let violations = Violations::of(offset, document, checked, columns);
        let ([start_line, end_line], [start_column, end_column]) = (lines, columns);
        SequencePoint { offset, document, start_line, start_column, end_line, end_column, at, len, violations }
    }

    /// Kind of the record at the start of `rest`, for which up to three numbers are peeked at.
    fn kind(&self, rest: &[u8]) -> &'static Docs {
        let mut ahead = Cursor::new(Slice::new(rest, SpaceId(0), 0));
        let mut zero = || ahead.compressed(&DELTA_IL_OFFSET).is_ok_and(|number| number == 0);
        if zero() && self.stage != Stage::Start {
            &CHANGE
        } else if zero() && zero() {
            &HIDDEN
        } else {
            &VISIBLE
        }
    }
}

/// Size of the record that began at `at`: at most five numbers of 4 bytes.
const fn len<N: Recorder>(c: &Cursor<'_, N>, at: u32) -> u8 {
    (c.consumed() as u32).saturating_sub(at) as u8
}
