use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, Recorder, Result};

/// The bits that found no room in the optional header's DLL characteristics.
pub(super) struct ExDllCharacteristics;

impl Decode for ExDllCharacteristics {
    const RECORD: &'static str = "ex dll characteristics";

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        c.u32("characteristics")?;
        Ok(Payload::Other)
    }
}
