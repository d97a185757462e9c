use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, FieldDoc, Recorder, Result, record};

record! {
    /// The number of object files compiled with each safety feature.
    pub(super) struct VcFeature: "vc feature" {
        /// The number of objects compiled before Visual C++ 2012 (11.0).
        pre_vc_11: u32,
        /// The number of objects compiled from C or C++.
        c_and_cpp "c and c++": u32,
        /// The number of objects with stack cookies (/GS).
        gs: u32,
        /// The number of objects with additional security checks (/sdl).
        sdl: u32,
        /// The number of objects with control flow guard (/guard).
        guard_n: u32,
    }
}

impl Decode for VcFeature {
    const RECORD: &'static FieldDoc = &Self::DOC;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        Self::decode_fields(c)?;
        Ok(Payload::Other)
    }
}
