use crate::bytes::{Cursor, ErrorKind, Notes, Result, Slice, Span};

/// The line number that says: no source belongs to this code, step over it.
pub const HIDDEN_LINE: u32 = 0x00fe_efee;

/// The bit of the header's flags that says that there are columns.
const HAS_COLUMNS: u16 = 1;

/// The bytes of a line, and of its columns.
const LINE_SIZE: u64 = 8;
const COLUMNS_SIZE: u64 = 4;

/// The bytes of a block before its lines.
const BLOCK_HEADER: u64 = 12;

/// What a subsection of lines begins with: the code that they are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinesHeader {
    /// Where the code begins in its section: for a method, in the numbering of all IL.
    pub offset: u32,
    /// The section.
    pub section: u16,
    /// Whether there are columns.
    pub flags: u16,
    /// How many bytes of code.
    pub size: u32,
}

/// What a stretch of lines of one source file begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockHeader {
    /// The source file, by the offset of its entry among the checksums.
    pub file: u32,
    /// How many lines there are.
    pub count: u32,
    /// How many bytes the block takes.
    pub size: u32,
}

/// One sequence point: the code from here to the next point belongs to these lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// The IL offset of its first instruction.
    pub il: u32,
    /// The row of its document, from 1; 0 if it is none that the file lists.
    pub document: u32,
    /// The first line; [`HIDDEN_LINE`] if it is hidden.
    pub start_line: u32,
    /// The column of the first character, from 1; 0 if it is hidden or there are no columns.
    pub start_column: u32,
    /// The last line: no more than 127 behind the first, which is all that the format has bits for.
    pub end_line: u32,
    /// The column behind the last character; 0 if it is hidden or there are no columns.
    pub end_column: u32,
    /// Where its line record begins in the stream of the module.
    pub at: u32,
    /// Where its columns begin in the stream of the module; 0 if there are none.
    pub columns_at: u32,
}

impl Point {
    /// Whether no source belongs to it.
    pub const fn is_hidden(self) -> bool {
        self.start_line == HIDDEN_LINE
    }

    /// Its line record, in the stream of the module that is all of `stream`.
    pub const fn span(self, stream: Span) -> Span {
        stream.part(self.at as u64, LINE_SIZE)
    }

    /// Its columns, in the stream of the module that is all of `stream`.
    pub const fn columns_span(self, stream: Span) -> Span {
        stream.part(self.columns_at as u64, if self.columns_at == 0 { 0 } else { COLUMNS_SIZE })
    }
}

impl LinesHeader {
    /// Reads the header.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group("lines header", |c| {
            let (offset, section) = (c.u32("offset")?, c.u16("section")?);
            Ok(Self { offset, section, flags: c.u16("flags")?, size: c.u32("code size")? })
        })
    }

    /// How many bytes the columns of a line take.
    const fn columns_size(self) -> u64 {
        if self.flags & HAS_COLUMNS == 0 { 0 } else { COLUMNS_SIZE }
    }
}

impl BlockHeader {
    /// Reads the header of a block.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        Ok(Self { file: cursor.u32("file")?, count: cursor.u32("line count")?, size: cursor.u32("block size")? })
    }
}

/// What the two numbers of a line record say: offset, first and last line.
#[inline]
fn line<N: Notes>(c: &mut Cursor<'_, N>) -> Result<(u32, u32, u32)> {
    let (offset, packed) = (c.u32("offset")?, c.u32("lines")?);
    let start = packed & 0x00ff_ffff;
    Ok((offset, start, start + (packed >> 24 & 0x7f)))
}

#[inline]
fn columns<N: Notes>(c: &mut Cursor<'_, N>) -> Result<(u16, u16)> {
    Ok((c.u16("start column")?, c.u16("end column")?))
}

/// Reads a line record for its fields.
pub fn line_record<N: Notes>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group("line record", |c| line(c).map(drop))
}

/// Reads the columns of a line for their fields.
pub fn column_record<N: Notes>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group("column record", |c| columns(c).map(drop))
}

/// Reads the `len` bytes of a subsection of lines for its fields.
pub(super) fn decode<N: Notes>(c: &mut Cursor<'_, N>, len: u64) -> Result<()> {
    let end = c.consumed() + len;
    let header = LinesHeader::decode(c)?;
    while c.consumed() < end {
        c.group("line block", |c| {
            let start = c.position();
            let block = BlockHeader::decode(c)?;
            let wanted = block.count as u64 * (LINE_SIZE + header.columns_size());
            let left = end.saturating_sub(c.consumed());
            if wanted > left {
                return Err(c.error_since(start, ErrorKind::UnexpectedEnd { wanted, left }));
            }
            (0..block.count).try_for_each(|_| line_record(c))?;
            if header.columns_size() > 0 {
                (0..block.count).try_for_each(|_| column_record(c))?;
            }
            let behind =
                (block.size as u64).saturating_sub(BLOCK_HEADER + wanted).min(end.saturating_sub(c.consumed()));
            if behind > 0 {
                c.bytes("left over", behind)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The points of one subsection of lines, in its order; an error is the last.
///
/// `document` says which row the file of a block is, given the offset of the file among the checksums.
#[derive(Debug)]
pub struct Points<'a, D> {
    /// What is left of the subsection, from the next block on.
    rest: Slice<'a>,
    lines: Cursor<'a>,
    columns: Cursor<'a>,
    /// What is added to the offset of a line to make it an IL offset.
    base: u32,
    columns_size: u64,
    row: u32,
    /// How many points of the block are left.
    left: u32,
    document: D,
}

impl<'a, D: FnMut(u32) -> u32> Points<'a, D> {
    /// The points of `content`, a subsection of lines, of the method that begins at `start` in the numbering of all IL.
    pub fn new(content: Slice<'a>, start: u32, document: D) -> Result<Self> {
        let mut cursor = content.cursor();
        let header = LinesHeader::decode(&mut cursor)?;
        let rest = content.rest(cursor.consumed());
        Ok(Self {
            rest,
            lines: Slice::default().cursor(),
            columns: Slice::default().cursor(),
            base: header.offset.wrapping_sub(start),
            columns_size: header.columns_size(),
            row: 0,
            left: 0,
            document,
        })
    }

    /// Goes on to the next block, if there is one.
    fn next_block(&mut self) -> Result<bool> {
        if self.rest.is_empty() {
            return Ok(false);
        }
        let block = BlockHeader::decode(&mut self.rest.cursor())?;
        let lines_size = block.count as u64 * LINE_SIZE;
        let columns_size = block.count as u64 * self.columns_size;
        self.lines = self.rest.part(BLOCK_HEADER, lines_size)?.cursor();
        self.columns = self.rest.part(BLOCK_HEADER + lines_size, columns_size)?.cursor();
        self.left = block.count;
        self.row = (self.document)(block.file);
        // A size that is too small for the lines is not believed, so that each block is behind the one before.
        self.rest = self.rest.rest((block.size as u64).max(BLOCK_HEADER + lines_size + columns_size));
        Ok(true)
    }

    #[inline]
    fn point(&mut self) -> Result<Point> {
        let at = self.lines.position() as u32;
        let (offset, start_line, end_line) = line(&mut self.lines)?;
        let mut point = Point {
            il: offset.wrapping_add(self.base),
            document: self.row,
            start_line,
            end_line,
            at,
            ..Point::default()
        };
        if self.columns_size > 0 {
            point.columns_at = self.columns.position() as u32;
            let (start, end) = columns(&mut self.columns)?;
            (point.start_column, point.end_column) = (start as u32, end as u32);
        }
        Ok(point)
    }

    fn fail(&mut self, error: crate::bytes::Error) -> Result<Point> {
        (self.left, self.rest) = (0, Slice::default());
        Err(error)
    }
}

impl<D: FnMut(u32) -> u32> Iterator for Points<'_, D> {
    type Item = Result<Point>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while self.left == 0 {
            match self.next_block() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(self.fail(error)),
            }
        }
        self.left -= 1;
        let point = self.point();
        Some(point)
    }
}
