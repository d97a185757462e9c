//! C13 debug subsections: the lines of a module, and the checksums of its source files.
//!
//! Behind the symbols of a module's stream stand subsections: a kind, a length, and content, at multiples of 4. There is one
//! with lines for each method, and one with checksums for all of them.
//!
//! ```text
//! lines       header: offset, section, flags, length of the code that the lines are of
//!   block     offset of the file among the checksums, line count, size
//!     line    offset from the header's; first line (24 bits), lines to the last one (7), is a statement (1)
//!     columns first, and one behind the last: after all lines of the block, if the header's flags say so
//! checksums   for each file: offset of its name in the string table, size, kind, bytes
//! ```
//!
//! In a managed PDB the offset of the header is the place of the method in the numbering of all IL, so that the offset of a
//! line is an IL offset. Line 0xFEEFEE stands for a hidden point. A method that spans documents has a block for each stretch of
//! points of one document, in the order of IL offsets.
//!
//! # References
//!
//! microsoft/pdb-rs `docs/codeview/line_data.md`; microsoft/microsoft-pdb `include/cvinfo.h`.

mod blocks;
mod checksums;
mod lines;

pub use blocks::{Line, LineBlock, NEVER_STEP_INTO, blocks};
pub use checksums::{Checksum, Checksums};
pub use lines::{BlockHeader, HIDDEN_LINE, LinesHeader, Point, Points, column_record, line_record};

use crate::bytes::{Cursor, ErrorKind, Notes, Result, Slice, Span};

/// The kinds of subsections.
pub const KINDS: &[(u64, &str)] = &[
    (0xf1, "symbols"),
    (LINES as u64, "lines"),
    (0xf3, "string table"),
    (CHECKSUMS as u64, "file checksums"),
    (0xf5, "frame data"),
    (0xf6, "inlinee lines"),
    (0xf7, "cross scope imports"),
    (0xf8, "cross scope exports"),
    (0xf9, "il lines"),
    (0xfa, "function token map"),
    (0xfb, "type token map"),
    (0xfc, "merged assembly input"),
    (0xfd, "coff symbol rva"),
    (0xfe, "inlinee token map"),
    (0xff, "xfg hash type"),
    (0x100, "xfg hash virtual"),
];

/// The kind of lines.
pub const LINES: u32 = 0xf2;

/// The kind of checksums.
pub const CHECKSUMS: u32 = 0xf4;

/// The bit of the kind that says that the subsection does not count.
pub const IGNORED: u32 = 0x8000_0000;

/// The bytes of a subsection before its content.
pub const SUBSECTION_HEADER: u64 = 8;

/// A subsection: its kind, and its content.
#[derive(Clone, Copy, Debug)]
pub struct Subsection<'a> {
    /// What it is: one of [`KINDS`], and maybe [`IGNORED`].
    pub kind: u32,
    /// Its content, without the padding behind it.
    pub content: Slice<'a>,
    /// All of it.
    pub span: Span,
}

/// Subsections one after the other; an error is the last.
#[derive(Clone, Debug)]
pub struct Subsections<'a> {
    slice: Slice<'a>,
    at: u64,
}

impl<'a> Subsections<'a> {
    /// The subsections that `c13`, some of a module's stream, is made of.
    pub const fn new(c13: Slice<'a>) -> Self {
        Self { slice: c13, at: 0 }
    }

    fn read(&self) -> Result<Subsection<'a>> {
        let mut cursor = self.slice.rest(self.at).cursor();
        let (kind, len) = (cursor.u32("kind")?, cursor.u32("length")? as u64);
        let content = self.slice.part(self.at + SUBSECTION_HEADER, len)?;
        let all = (SUBSECTION_HEADER + len).next_multiple_of(4).min(self.slice.len() - self.at);
        Ok(Subsection { kind, content, span: self.slice.span().part(self.at, all) })
    }
}

impl<'a> Iterator for Subsections<'a> {
    type Item = Result<Subsection<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.slice.len() {
            return None;
        }
        let subsection = self.read();
        // Past the last one behind an error.
        self.at = subsection.as_ref().map_or(u64::MAX, |subsection| self.at + subsection.span.len);
        Some(subsection)
    }
}

/// Reads the subsection that all of the cursor's bytes are, for its fields.
pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    cursor.group("subsection", |c| {
        let start = c.position();
        let kind = c.u32("kind")?;
        let len = c.u32("length")? as u64;
        if len > c.left() {
            return Err(c.error_since(start, ErrorKind::UnexpectedEnd { wanted: len, left: c.left() }));
        }
        let end = c.consumed() + len;
        match kind {
            LINES => lines::decode(c, len)?,
            CHECKSUMS => {
                c.group("file checksums", |c| {
                    while c.consumed() < end {
                        Checksum::decode(c)?;
                    }
                    Ok(())
                })?;
            }
            _ => drop(c.bytes("data", len)?),
        }
        if !c.is_done() {
            c.bytes("padding", c.left())?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests;
