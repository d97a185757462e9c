use super::super::names;
use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, FieldDoc, Recorder, Result, record};

record! {
    /// The extended DLL characteristics, for which the optional header has no bits left.
    pub(super) struct ExDllCharacteristics: "ex dll characteristics" {
        /// Properties that the image supports, such as a shadow stack (CET) and hot patching.
        characteristics: u32 as Flags(names::EX_DLL_CHARACTERISTICS),
    }
}

impl Decode for ExDllCharacteristics {
    const RECORD: &'static FieldDoc = &Self::DOC;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        Self::decode_fields(c)?;
        Ok(Payload::Other)
    }
}
