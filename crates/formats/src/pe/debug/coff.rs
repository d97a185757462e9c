use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, FieldDoc, Recorder, Result, record};

record! {
    /// The location of symbols and line numbers in the form of object files (IMAGE_COFF_SYMBOLS_HEADER).
    pub(super) struct CoffSymbols: "coff symbols header" {
        /// The number of COFF symbols.
        number_of_symbols: u32,
        /// The offset of the symbols from this header.
        offset_of_first_symbol: u32 as Hex,
        /// The number of COFF line numbers.
        number_of_line_numbers: u32,
        /// The offset of the line numbers from this header.
        offset_of_first_line_number: u32 as Hex,
        /// The RVA of the first byte of the code that has symbols.
        rva_of_first_byte_of_code: u32 as Rva,
        /// The RVA of the last byte of that code.
        rva_of_last_byte_of_code: u32 as Rva,
        /// The RVA of the first byte of the data that has symbols.
        rva_of_first_byte_of_data: u32 as Rva,
        /// The RVA of the last byte of that data.
        rva_of_last_byte_of_data: u32 as Rva,
    }
}

impl Decode for CoffSymbols {
    const RECORD: &'static FieldDoc = &Self::DOC;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        Self::decode_fields(c)?;
        Ok(Payload::Other)
    }
}
