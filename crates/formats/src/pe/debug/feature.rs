use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, FieldDoc, Recorder, Result, fields, record};

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
    }
}

fields! {
    /// The number of objects with control flow guard (/guard).
    GUARD_N: "guard n";
}

impl Decode for VcFeature {
    const RECORD: &'static FieldDoc = &Self::DOC;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        Self::decode_fields(c)?;
        // Linkers before control flow guard (Visual C++ 2012) end the payload here.
        if c.left() > 0 {
            c.u32(&GUARD_N)?;
        }
        Ok(Payload::Other)
    }
}
