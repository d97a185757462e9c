use crate::bytes::{Cursor, ErrorKind, Recorder, Result, Slice, Span, fields, record};
pub use crate::sequence_point::HIDDEN_LINE;

const HAS_COLUMNS: u16 = 1;
/// Sizes in bytes of a line and of its columns.
pub(super) const LINE_SIZE: u64 = 8;
pub(super) const COLUMNS_SIZE: u64 = 4;

record! {
    /// The header of a lines subsection: the range of code that the lines belong to.
    pub struct LinesHeader: "lines header" {
        /// The offset of the code in its section; for a method, its offset in the numbering of all IL.
        offset: u32 as Hex,
        /// The section of the code, from 1; always 1 for IL.
        section: u16,
        /// Bit 0: each line has columns, which managed compilers always write.
        flags: u16 as Flags(&[(1, "has columns")]),
        /// The size of the code in bytes.
        size "code size": u32,
    }
}

record! {
    /// The header of a line block.
    pub struct BlockHeader: "line block header" {
        /// The source file of the lines: the offset of its entry in the module's file checksums.
        file: u32 as FileChecksum,
        /// The number of line records that follow, and of column records after them.
        count "line count": u32,
        /// The size of the block in bytes, this header included.
        size "block size": u32,
    }
}

fields! {
    /// A line block: lines of one source file, first all lines, then all columns.
    LINE_BLOCK: "line block";
    /// Bytes of the block after its last line.
    LEFT_OVER: "left over";
    /// A line record: the code from its offset to that of the next record belongs to these lines.
    LINE_RECORD: "line record";
    /// The offset of the first instruction from the start of the code; in a managed PDB an IL offset.
    LINE_OFFSET: "offset" as IlOffset;
    /// Bits 0–23: the first line (0xFEEFEE: hidden; 0xF00F00: never step into); bits 24–30: the number of lines from the
    /// first to the last, at most 127; bit 31: the line is a statement.
    LINES: "lines" as PackedLines;
    /// A column record: the columns of the line record with the same index.
    COLUMN_RECORD: "column record";
    /// The column of the first character, from 1.
    START_COLUMN: "start column";
    /// The column after the last character.
    END_COLUMN: "end column";
}

/// A sequence point, which covers the code up to the next point's offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// IL offset of the first instruction.
    pub offset: u32,
    /// Document row, from 1; 0 for a file that is not listed.
    pub document: u32,
    /// First line; [`HIDDEN_LINE`] for a hidden point.
    pub start_line: u32,
    /// Column of the first character, from 1; 0 for a hidden point or without columns.
    pub start_column: u32,
    /// Last line, at most 127 after the first: the format stores the difference in 7 bits.
    pub end_line: u32,
    /// Column after the last character; 0 for a hidden point or without columns.
    pub end_column: u32,
    /// Offset of the line record in the module's stream.
    pub at: u32,
    /// Offset of the columns in the module's stream; 0 if there are none.
    pub columns_at: u32,
}

impl Point {
    /// Returns true for a hidden point.
    pub const fn is_hidden(self) -> bool {
        self.start_line == HIDDEN_LINE
    }

    /// Span of the line record in the module's stream, which is `stream`.
    pub const fn span(self, stream: Span) -> Span {
        stream.part(self.at as u64, LINE_SIZE)
    }

    /// Span of the columns in the module's stream, which is `stream`.
    pub const fn columns_span(self, stream: Span) -> Span {
        stream.part(self.columns_at as u64, if self.columns_at == 0 { 0 } else { COLUMNS_SIZE })
    }
}

impl LinesHeader {
    pub(super) const fn columns_size(self) -> u64 {
        if self.flags & HAS_COLUMNS == 0 { 0 } else { COLUMNS_SIZE }
    }
}

/// Decodes the two numbers of a line record: offset, first and last line.
#[inline]
fn line<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<(u32, u32, u32)> {
    let (offset, packed) = (c.u32(&LINE_OFFSET)?, c.u32(&LINES)?);
    let start = packed & 0x00ff_ffff;
    Ok((offset, start, start.saturating_add(packed >> 24 & 0x7f)))
}

#[inline]
fn columns<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<(u16, u16)> {
    Ok((c.u16(&START_COLUMN)?, c.u16(&END_COLUMN)?))
}

/// Reads a line record for its fields.
pub fn line_record<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&LINE_RECORD, |c| line(c).map(drop))
}

/// Reads the columns of a line for their fields.
pub fn column_record<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&COLUMN_RECORD, |c| columns(c).map(drop))
}

/// State of a decoder of line records, for a recording cursor.
#[derive(Debug, Default)]
struct LineState {
    records: i64,
    offset: Option<i64>,
    line: Option<i64>,
}

impl LineState {
    fn line<N: Recorder>(&mut self, c: &mut Cursor<'_, N>) -> Result<()> {
        let offset = c.u32(&LINE_OFFSET)?;
        c.changed(&STATE_RECORD, Some(self.records).filter(|records| *records > 0), self.records + 1);
        c.changed(&STATE_OFFSET, self.offset, offset);
        let packed = c.u32(&LINES)?;
        let line = packed & 0x00ff_ffff;
        c.changed(&STATE_LINE, self.line, line);
        c.changed(&STATE_LINES, None, packed >> 24 & 0x7f);
        self.records += 1;
        (self.offset, self.line) = (Some(offset.into()), Some(line.into()));
        Ok(())
    }
}

fn columns_of<N: Recorder>(c: &mut Cursor<'_, N>, record: u32) -> Result<()> {
    let start = c.u16(&START_COLUMN)?;
    c.changed(&STATE_COLUMNS_OF, Some(i64::from(record)).filter(|record| *record > 0), record.saturating_add(1));
    c.changed(&STATE_COLUMN, None, start);
    let end = c.u16(&END_COLUMN)?;
    c.changed(&STATE_COLUMNS, None, i64::from(end) - i64::from(start));
    Ok(())
}

fields! {
    /// Number of the line record in its block, from 1.
    STATE_RECORD: "line record";
    /// Offset of the code that the line begins at, from the start of the code.
    STATE_OFFSET: "code offset" as Hex;
    /// First line; 0xFEEFEE for a hidden one.
    STATE_LINE: "start line";
    /// Lines from the first to the last.
    STATE_LINES: "lines spanned";
    /// Number of the line record that the columns belong to, from 1.
    STATE_COLUMNS_OF: "columns of line record";
    /// Column of the first character.
    STATE_COLUMN: "start column";
    /// Columns from the first to the one after the last.
    STATE_COLUMNS: "columns spanned";
}

/// Reads the `len` bytes of a subsection of lines for its fields.
pub(super) fn decode<N: Recorder>(c: &mut Cursor<'_, N>, len: u64) -> Result<()> {
    let end = c.consumed() + len;
    let header = LinesHeader::decode(c)?;
    while c.consumed() < end {
        c.group(&LINE_BLOCK, |c| {
            let start = c.position();
            let block = BlockHeader::decode_fields(c)?;
            let wanted = block.count as u64 * (header.columns_size() + LINE_SIZE);
            let left = end.saturating_sub(c.consumed());
            if wanted > left {
                return Err(c.error_since(start, ErrorKind::UnexpectedEnd { wanted, left }));
            }
            let mut state = LineState::default();
            (0..block.count).try_for_each(|_| c.group(&LINE_RECORD, |c| state.line(c)))?;
            if header.columns_size() > 0 {
                (0..block.count).try_for_each(|record| c.group(&COLUMN_RECORD, |c| columns_of(c, record)))?;
            }
            let behind = (block.size as u64).saturating_sub(wanted + BlockHeader::SIZE);
            let behind = behind.min(end.saturating_sub(c.consumed()));
            if behind > 0 {
                c.bytes(&LEFT_OVER, behind)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Iterator over the points of a subsection of lines, in file order; an error is the last item.
///
/// `document` maps the offset of a file in the checksums to its document row.
#[derive(Debug)]
pub struct LinePoints<'a, D> {
    /// Subsection from the next block on.
    rest: Slice<'a>,
    /// Line records of the block, and its columns; empty if it has none.
    lines: std::slice::Iter<'a, [u8; LINE_SIZE as usize]>,
    columns: std::slice::Iter<'a, [u8; COLUMNS_SIZE as usize]>,
    /// Offsets of the next line and of its columns in the module's stream.
    at: u32,
    columns_at: u32,
    /// Difference between IL offsets and line offsets.
    base: u32,
    columns_size: u64,
    row: u32,
    document: D,
}

impl<'a, D: FnMut(u32) -> u32> LinePoints<'a, D> {
    /// Iterates over a subsection of lines of the method that begins at `start` in the numbering of all IL.
    #[inline]
    pub fn new(content: Slice<'a>, start: u32, document: D) -> Result<Self> {
        let mut cursor = content.cursor();
        let header = LinesHeader::decode(&mut cursor)?;
        let rest = content.rest(cursor.consumed());
        Ok(Self {
            rest,
            lines: [].iter(),
            columns: [].iter(),
            at: 0,
            columns_at: 0,
            base: header.offset.wrapping_sub(start),
            columns_size: header.columns_size(),
            row: 0,
            document,
        })
    }

    /// Advances to the next block, which is not the end.
    fn next_block(&mut self) -> Result<()> {
        let block = BlockHeader::decode(&mut self.rest.cursor())?;
        let lines_size = u64::from(block.count) * LINE_SIZE;
        let columns_size = block.count as u64 * self.columns_size;
        let lines = self.rest.part(BlockHeader::SIZE, lines_size)?;
        let columns_from = lines_size + BlockHeader::SIZE;
        let columns = self.rest.part(columns_from, columns_size)?;
        (self.lines, self.at) = (lines.data.as_chunks().0.iter(), lines.start as u32);
        (self.columns, self.columns_at) = (columns.data.as_chunks().0.iter(), columns.start as u32);
        self.row = (self.document)(block.file);
        // A size too small for the lines is not trusted: each block must lie after the one before.
        self.rest = self.rest.rest((columns_from + columns_size).max(block.size.into()));
        Ok(())
    }

    #[inline]
    fn point(&mut self, line: [u8; LINE_SIZE as usize]) -> Point {
        let [a, b, c, d, low, middle, high, flags] = line;
        let start_line = u32::from_le_bytes([low, middle, high, 0]);
        let mut point = Point {
            offset: u32::from_le_bytes([a, b, c, d]).wrapping_add(self.base),
            document: self.row,
            start_line,
            end_line: start_line.saturating_add(flags as u32 & 0x7f),
            at: self.at,
            ..Point::default()
        };
        self.at = self.at.wrapping_add(LINE_SIZE as u32);
        if let Some([start_low, start_high, end_low, end_high]) = self.columns.next() {
            point.columns_at = self.columns_at;
            point.start_column = u16::from_le_bytes([*start_low, *start_high]) as u32;
            point.end_column = u16::from_le_bytes([*end_low, *end_high]) as u32;
            self.columns_at = self.columns_at.wrapping_add(COLUMNS_SIZE as u32);
        }
        point
    }
}

impl<D: FnMut(u32) -> u32> Iterator for LinePoints<'_, D> {
    type Item = Result<Point>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(line) = self.lines.next() {
                return Some(Ok(self.point(*line)));
            }
            if self.rest.is_empty() {
                return None;
            }
            if let Err(error) = self.next_block() {
                self.rest = Slice::default();
                return Some(Err(error));
            }
        }
    }
}
