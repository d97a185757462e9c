//! The lines of a native module.
//!
//! The format is that of managed PDBs, with code addresses in place of the numbering of IL. The `pdb` crate omits
//! hidden lines and ends of lines; both are kept here.

use super::lines::{COLUMNS_SIZE, LINE_SIZE};
use super::{BlockHeader, HIDDEN_LINE, LinesHeader};
use crate::bytes::{Result, Slice, Span};

/// A line, which covers the code up to the next line's offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Section of the code, from 1.
    pub section: u16,
    /// Offset in the section.
    pub offset: u32,
    /// Source file, as an offset into the module's checksums subsection.
    pub file: u32,
    /// First line; [`HIDDEN_LINE`] if it is hidden.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Column of the first character, from 1; 0 if there are no columns.
    pub start_column: u16,
    /// Column after the last character; 0 if there are no columns, or no end was written.
    pub end_column: u16,
    /// Offset of the line record in the module's stream.
    pub at: u32,
    /// Offset of the columns there; 0 if there are none.
    pub columns_at: u32,
}

/// Line number of code that a debugger never steps into.
pub const NEVER_STEP_INTO: u32 = 0x00f0_0f00;

/// Consecutive lines of one file.
#[derive(Clone, Copy, Debug)]
pub struct LineBlock<'a> {
    section: u16,
    /// Address that line offsets are relative to.
    base: u32,
    /// Source file, as an offset into the module's checksums subsection.
    pub file: u32,
    /// Size in bytes that the header gives.
    pub size: u32,
    /// Span of the header.
    pub header: Span,
    lines: Slice<'a>,
    /// Empty if there are none.
    columns: Slice<'a>,
}

impl Line {
    /// Size of a record in bytes.
    pub const SIZE: u8 = LINE_SIZE as u8;

    /// Returns true for a hidden line.
    pub const fn is_hidden(&self) -> bool {
        matches!(self.start_line, HIDDEN_LINE | NEVER_STEP_INTO)
    }

    /// Span of the line record in the module's stream, which is `stream`.
    pub const fn span(&self, stream: Span) -> Span {
        stream.part(self.at as u64, LINE_SIZE)
    }

    /// Span of the columns in the module's stream, which is `stream`; empty if there are none.
    pub const fn columns_span(&self, stream: Span) -> Span {
        stream.part(self.columns_at as u64, if self.columns_at == 0 { 0 } else { COLUMNS_SIZE })
    }
}

impl LineBlock<'_> {
    /// Size of header, lines and columns in bytes.
    pub const fn bytes_needed(&self) -> u64 {
        self.lines.len() + BlockHeader::SIZE + self.columns.len()
    }

    /// Calls `line` for each line, in file order.
    #[inline]
    pub fn each(&self, mut line: impl FnMut(Line)) {
        let mut at = self.lines.start as u32;
        let mut columns = self.columns.data.as_chunks::<4>().0.iter();
        let (mut columns_at, step) =
            if self.columns.is_empty() { (0, 0) } else { (self.columns.start as u32, COLUMNS_SIZE as u32) };
        for [a, b, c, d, low, middle, high, flags] in self.lines.data.as_chunks::<8>().0 {
            let start_line = u32::from_le_bytes([*low, *middle, *high, 0]);
            let [start_low, start_high, end_low, end_high] = columns.next().copied().unwrap_or_default();
            line(Line {
                section: self.section,
                offset: self.base.wrapping_add(u32::from_le_bytes([*a, *b, *c, *d])),
                file: self.file,
                start_line,
                end_line: start_line.saturating_add(*flags as u32 & 0x7f),
                start_column: u16::from_le_bytes([start_low, start_high]),
                end_column: u16::from_le_bytes([end_low, end_high]),
                at,
                columns_at,
            });
            at = at.wrapping_add(LINE_SIZE as u32);
            columns_at = columns_at.wrapping_add(step);
        }
    }
}

/// Iterates over the blocks of a subsection of lines; an error is the last item.
pub fn blocks(content: Slice<'_>) -> Result<impl Iterator<Item = Result<LineBlock<'_>>>> {
    let mut cursor = content.cursor();
    let header = LinesHeader::decode(&mut cursor)?;
    let columns_size = header.columns_size();
    let mut rest = content.rest(cursor.consumed());
    Ok(std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let block = block(rest, header, columns_size);
        // End the iteration after an error.
        rest = block.as_ref().map_or(Slice::default(), |(_, size)| rest.rest(*size));
        Some(block.map(|(block, _)| block))
    }))
}

/// Returns the block at the start of `rest`, and its size in bytes.
fn block(rest: Slice<'_>, header: LinesHeader, columns_size: u64) -> Result<(LineBlock<'_>, u64)> {
    let block = BlockHeader::decode(&mut rest.cursor())?;
    let lines = rest.part(BlockHeader::SIZE, u64::from(block.count) * LINE_SIZE)?;
    let columns_from = lines.len() + BlockHeader::SIZE;
    let columns = rest.part(columns_from, columns_size * u64::from(block.count))?;
    // A size too small for the lines is not trusted: each block must lie after the one before.
    let (section, base) = (header.section, header.offset);
    let found = LineBlock { section, base, file: block.file, size: block.size, header: block.span, lines, columns };
    Ok((found, found.bytes_needed().max(block.size.into())))
}
