use super::Symbol;
use crate::bytes::{Cursor, Error, ErrorKind, Notes, Region, Result, Slice, Span};

/// What the symbols of a module begin with, since Visual C++ 7.
pub const SIGNATURE: u32 = 4;

/// The kinds that are read here.
pub mod kind {
    /// Closes a procedure or a block.
    pub const END: u16 = 0x0006;
    /// What a compiler adds of its own.
    pub const OEM: u16 = 0x0404;
    /// A scope.
    pub const BLOCK: u16 = 0x1103;
    /// A public symbol.
    pub const PUBLIC: u16 = 0x110e;
    /// A local variable of a method.
    pub const SLOT: u16 = 0x1120;
    /// An import.
    pub const NAMESPACE: u16 = 0x1124;
    /// Where a procedure's record is.
    pub const PROCEDURE_REFERENCE: u16 = 0x1125;
    /// Where a file-local procedure's record is.
    pub const LOCAL_PROCEDURE_REFERENCE: u16 = 0x1127;
    /// Where a method's record is, by token.
    pub const TOKEN_REFERENCE: u16 = 0x1129;
    /// A method.
    pub const METHOD: u16 = 0x112a;
    /// A method that only its own type can see.
    pub const LOCAL_METHOD: u16 = 0x112b;
    /// A constant of a method.
    pub const CONSTANT: u16 = 0x112d;
}

/// A record: its kind, and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// What it is.
    pub kind: u16,
    /// All of it, from its length on.
    pub slice: Slice<'a>,
}

/// Records one after the other; an error is the last.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    slice: Slice<'a>,
    at: u64,
}

impl<'a> Records<'a> {
    /// The records of `symbols`, the first of which begins `at` bytes in.
    pub const fn new(symbols: Slice<'a>, at: u64) -> Self {
        Self { slice: symbols, at }
    }

    /// The records of a module's symbols, behind their signature.
    pub fn of_module(symbols: &'a Region) -> Self {
        Self::new(symbols.slice(), 4)
    }

    fn read(&self) -> Result<Record<'a>> {
        let mut cursor = self.slice.rest(self.at).cursor();
        let start = cursor.position();
        let len = cursor.u16("length")? as u64;
        if len < 2 {
            return Err(cursor.error_since(start, ErrorKind::Invalid("a symbol record is too short for its kind")));
        }
        let kind = cursor.u16("kind")?;
        Ok(Record { kind, slice: self.slice.part(self.at, len + 2)? })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.slice.len() {
            return None;
        }
        let record = self.read();
        // Past the last one behind an error.
        self.at = record.as_ref().map_or(u64::MAX, |record| self.at + record.slice.len());
        Some(record)
    }
}

impl<'a> Record<'a> {
    /// Where it stands.
    pub const fn span(self) -> Span {
        self.slice.span()
    }

    /// Decodes the record by the columns of its kind.
    pub fn read(self) -> Result<Symbol<'a>> {
        Symbol::decode(&mut self.slice.cursor())
    }
}

/// Reads the signature before a module's records.
pub fn signature<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<u32> {
    cursor.group("module symbols", |c| {
        let start = c.position();
        let signature = c.u32("signature")?;
        if signature == SIGNATURE {
            return Ok(signature);
        }
        let sentence = "symbols from before Visual C++ 7, which begin with another number than 4";
        Err(Error::invalid(sentence, c.since(start)))
    })
}
