use super::Symbol;
use crate::bytes::{Cursor, Error, ErrorKind, Recorder, Region, Result, Slice, Span, fields};

fields! {
    /// A symbol record: its length, its kind, and the data of that kind.
    pub(crate) SYMBOL: "symbol";
    /// The size of the record in bytes, without this number.
    pub(crate) LENGTH: "length";
    /// The kind of symbol, which determines the layout of the rest of the record.
    pub(crate) KIND: "kind" as OneOf(super::KINDS);
    /// Unused bytes that align the next record to a multiple of 4.
    pub(crate) PADDING: "padding";
    /// The start of a module's symbols.
    MODULE_SYMBOLS: "module symbols";
    /// 4 (CV_SIGNATURE_C13), which marks symbols of Visual C++ 7 and later, with names that end in a NUL.
    MODULE_SIGNATURE: "signature";
}

/// Signature of a module's symbols since Visual C++ 7 (`CV_SIGNATURE_C13`).
pub const SIGNATURE: u32 = 4;

/// Kinds of symbol records that decoders refer to.
pub mod kind {
    /// Closes a procedure or a block.
    pub const END: u16 = 0x0006;
    /// Record that a compiler defines.
    pub const OEM: u16 = 0x0404;
    /// A thunk: a piece of code that only leads to a function.
    pub const THUNK: u16 = 0x1102;
    /// A jump of incremental linking, or to a function that is too far away.
    pub const TRAMPOLINE: u16 = 0x112c;
    /// A scope.
    pub const BLOCK: u16 = 0x1103;
    /// A public symbol.
    pub const PUBLIC: u16 = 0x110e;
    /// S_LDATA32: static data.
    pub(crate) const LOCAL_DATA: u16 = 0x110c;
    /// S_GDATA32: global data.
    pub(crate) const GLOBAL_DATA: u16 = 0x110d;
    /// A local variable of a method.
    pub const SLOT: u16 = 0x1120;
    /// An import.
    pub const NAMESPACE: u16 = 0x1124;
    /// Reference to the record of a procedure.
    pub const PROCEDURE_REFERENCE: u16 = 0x1125;
    /// Reference to the record of a file-local procedure.
    pub const LOCAL_PROCEDURE_REFERENCE: u16 = 0x1127;
    /// Reference to the record of a method, by token.
    pub const TOKEN_REFERENCE: u16 = 0x1129;
    /// A method.
    pub const METHOD: u16 = 0x112a;
    /// Method that is private to its type.
    pub const LOCAL_METHOD: u16 = 0x112b;
    /// A constant of a method.
    pub const CONSTANT: u16 = 0x112d;
}

/// An undecoded record.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    pub kind: u16,
    /// Bytes of the record, including its length.
    pub slice: Slice<'a>,
}

/// Iterator over records; an error is the last item.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    slice: Slice<'a>,
    at: u64,
}

impl<'a> Records<'a> {
    /// Iterates over the records of `symbols` from offset `at` on.
    pub const fn new(symbols: Slice<'a>, at: u64) -> Self {
        Self { slice: symbols, at }
    }

    /// Iterates over the records of a module's symbols, after their signature.
    pub fn of_module(symbols: &'a Region) -> Self {
        Self::new(symbols.slice(), 4)
    }

    fn read(&self) -> Result<Record<'a>> {
        let mut cursor = self.slice.rest(self.at).cursor();
        let start = cursor.position();
        let len = cursor.u16(&LENGTH)? as u64;
        if len < 2 {
            return Err(cursor.error_since(
                start,
                ErrorKind::Unexpected { what: "length of the symbol record", value: len, expected: "at least 2" },
            ));
        }
        let kind = cursor.u16(&KIND)?;
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
        // End the iteration after an error.
        self.at = record.as_ref().map_or(u64::MAX, |record| self.at + record.slice.len());
        Some(record)
    }
}

impl<'a> Record<'a> {
    /// Span of the record.
    pub const fn span(self) -> Span {
        self.slice.span()
    }

    /// Decodes the record with the columns of its kind.
    pub fn read(self) -> Result<Symbol<'a>> {
        Symbol::decode(&mut self.slice.cursor())
    }
}

/// Reads the signature before a module's records.
pub fn signature<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<u32> {
    cursor.group(&MODULE_SYMBOLS, |c| {
        let start = c.position();
        let signature = c.u32(&MODULE_SIGNATURE)?;
        if signature == SIGNATURE {
            return Ok(signature);
        }
        let expected = "4: symbols from before Visual C++ 7 are not decoded";
        Err(Error::unexpected("signature of the symbols", signature, expected, c.since(start)))
    })
}
