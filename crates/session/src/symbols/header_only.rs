//! Symbol files that are recognised, but of which only the header is read.
//!
//! MSF 2.00 is from before .NET; an MSFZ file comes here when it cannot be unpacked. Each is named, and its header explained field by field.

use super::reader::CONTENT;
use crate::symbols::{Document, Format, SymbolId, SymbolReader, SymbolRecord};
use pdblens_formats::bytes::{Cursor, Error, Recording, Region, Result, Span};
use pdblens_formats::container::MAX_ENTRY;
use pdblens_formats::msf::{msf2::Msf2Header, msfz::rebuild};

/// A symbol file of which only the header is read.
#[derive(Debug)]
pub struct HeaderOnly {
    format: Format,
    file: Span,
    /// Error in the header itself.
    pub(super) error: Option<Error>,
}

impl HeaderOnly {
    pub fn parse(format: Format, region: &Region) -> Self {
        let mut cursor = region.cursor();
        let read = match format {
            Format::SmallMsf => Msf2Header::read(&mut cursor).map(drop),
            _ => rebuild(region.slice(), MAX_ENTRY).map(drop),
        };
        Self { format, file: region.span(), error: read.err() }
    }
}

impl SymbolReader for HeaderOnly {
    fn format(&self) -> Format {
        self.format
    }

    fn id(&self) -> Option<SymbolId> {
        None
    }

    fn documents(&self) -> u32 {
        0
    }

    fn document(&self, _row: u32) -> Result<Document> {
        Err(Error::invalid("only the header of this format is decoded", self.file))
    }

    fn decode(&self, _record: SymbolRecord, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
        cursor.bytes(&CONTENT, cursor.left()).map(drop)
    }
}
