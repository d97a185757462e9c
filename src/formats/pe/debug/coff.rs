use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, Recorder, Result};

/// The header of COFF symbols (`IMAGE_COFF_SYMBOLS_HEADER`); the symbols and line numbers follow.
pub(super) struct CoffSymbols;

impl Decode for CoffSymbols {
    const RECORD: &'static str = "coff symbols header";

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        c.u32("number of symbols")?;
        c.u32("offset of first symbol")?;
        c.u32("number of line numbers")?;
        c.u32("offset of first line number")?;
        c.u32("rva of first byte of code")?;
        c.u32("rva of last byte of code")?;
        c.u32("rva of first byte of data")?;
        c.u32("rva of last byte of data")?;
        Ok(Payload::Other)
    }
}
