//! C13 debug subsections: the lines of a module, and the checksums of its source files.
//!
//! Subsections follow the symbols of a module's stream: a kind, a length, and content, aligned to 4 bytes. A managed
//! module has one with lines for each method, and one with checksums for all of them.
//!
//! ```text
//! lines       header: offset, section, flags, length of the code
//!   block     offset of the file among the checksums, line count, size
//!     line    offset from the header's; first line (24 bits), lines to the last one (7), is a statement (1)
//!     columns of the first character and after the last; after all lines of the block, if the flags have them
//! checksums   for each file: offset of its name in the string table, size, kind, bytes
//! ```
//!
//! In a managed PDB the offset of the header is the start of the method in the numbering of all IL, so that the offset
//! of a line is an IL offset. Line 0xFEEFEE marks a hidden point. A method that spans documents has a block for each
//! run of points in one document, in the order of IL offsets.
//!
//! # References
//!
//! microsoft/pdb-rs `docs/codeview/line_data.md`; microsoft/microsoft-pdb `include/cvinfo.h`.

mod blocks;
mod checksums;
pub mod cross_scope;
mod lines;

use super::inline::{INLINEE_LINES, inlinees};
use crate::bytes::{Cursor, Recorder, Result, Slice, Span, fields};
pub use blocks::{Line, LineBlock, NEVER_STEP_INTO, blocks};
use checksums::FILE_CHECKSUMS;
pub use checksums::{Checksum, Checksums};
pub use lines::{BlockHeader, HIDDEN_LINE, LinePoints, LinesHeader, Point, column_record, line_record};

/// Kinds of subsections (`DEBUG_S_SUBSECTION_TYPE`).
pub const KINDS: &[(u64, &str)] = &[
    (0xf1, "symbols"),
    (LINES as u64, "lines"),
    (0xf3, "string table"),
    (CHECKSUMS as u64, "file checksums"),
    (0xf5, "frame data"),
    (0xf6, "inlinee lines"),
    (cross_scope::IMPORTS as u64, "cross scope imports"),
    (cross_scope::EXPORTS as u64, "cross scope exports"),
    (0xf9, "il lines"),
    (0xfa, "function token map"),
    (0xfb, "type token map"),
    (0xfc, "merged assembly input"),
    (0xfd, "coff symbol rva"),
    (0xfe, "inlinee token map"),
    (0xff, "xfg hash type"),
    (0x100, "xfg hash virtual"),
];

fields! {
    /// A debug subsection: a part of a module's line information.
    SUBSECTION: "subsection";
    /// The kind of subsection; a subsection with the highest bit set is to be ignored.
    KIND: "kind" as OneOf(KINDS);
    /// The size of the subsection's content in bytes, without padding.
    pub(crate) LENGTH: "length";
    /// The content of a subsection whose kind is not decoded.
    DATA: "data";
    /// Unused bytes that align the next subsection to a multiple of 4.
    PADDING: "padding";
}

/// Kind of a subsection of lines.
pub const LINES: u32 = 0xf2;
/// Kind of a subsection of file checksums.
pub const CHECKSUMS: u32 = 0xf4;
/// Bit of the kind that marks a subsection to be ignored.
pub const IGNORED: u32 = 0x8000_0000;
/// Size of a subsection header in bytes.
pub const SUBSECTION_HEADER: u64 = 8;

/// A C13 debug subsection.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct Subsection<'a> {
    /// Kind: one of [`KINDS`], perhaps with [`IGNORED`].
    pub kind: u32,
    /// Content without the padding after it.
    pub content: Slice<'a>,
    pub span: Span,
}

/// Iterator over subsections; an error is the last item.
#[derive(Clone, Debug)]
pub struct Subsections<'a> {
    slice: Slice<'a>,
    at: u64,
}

impl<'a> Subsections<'a> {
    /// Iterates over the subsections of `c13`, a part of a module's stream.
    pub const fn new(c13: Slice<'a>) -> Self {
        Self { slice: c13, at: 0 }
    }

    #[inline]
    fn read(&self) -> Result<Subsection<'a>> {
        let mut cursor = self.slice.rest(self.at).cursor();
        let (kind, len) = (cursor.u32(&KIND)?, cursor.u32(&LENGTH)? as u64);
        let content = self.slice.part(self.at + SUBSECTION_HEADER, len)?;
        let all = (len + SUBSECTION_HEADER).next_multiple_of(4).min(self.slice.rest(self.at).len());
        Ok(Subsection { kind, content, span: self.slice.span().part(self.at, all) })
    }
}

impl<'a> Iterator for Subsections<'a> {
    type Item = Result<Subsection<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.slice.len() {
            return None;
        }
        let subsection = self.read();
        // End the iteration after an error.
        self.at = subsection.as_ref().map_or(u64::MAX, |subsection| self.at + subsection.span.len);
        Some(subsection)
    }
}

/// Reads the subsection that all of the cursor's bytes are, for its fields.
pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    cursor.group(&SUBSECTION, |c| {
        let start = c.position();
        let kind = c.u32(&KIND)?;
        let len = c.u32(&LENGTH)? as u64;
        c.require(len, start)?;
        let end = c.consumed() + len;
        match kind {
            LINES => lines::decode(c, len)?,
            CHECKSUMS => {
                c.group(&FILE_CHECKSUMS, |c| {
                    while c.consumed() < end {
                        Checksum::decode(c)?;
                    }
                    Ok(())
                })?;
            }
            INLINEE_LINES => c.within(len, |c| inlinees(c, |_| ()))?,
            cross_scope::IMPORTS => c.within(len, |c| cross_scope::imports(c, |_, _, _, _| ()))?,
            cross_scope::EXPORTS if len.is_multiple_of(8) => c.within(len, |c| cross_scope::exports(c, |_, _| ()))?,
            _ => drop(c.bytes(&DATA, len)?),
        }
        c.left_over(&PADDING)?;
        Ok(())
    })
}

#[cfg(test)]
mod tests;
