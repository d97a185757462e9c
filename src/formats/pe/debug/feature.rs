use super::Payload;
use super::kind::Decode;
use crate::bytes::{Cursor, Recorder, Result};

/// How many object files an image was linked from, by what their compiler could and was told to do.
pub(super) struct VcFeature;

impl Decode for VcFeature {
    const RECORD: &'static str = "vc feature";

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        c.u32("pre vc 11")?;
        c.u32("c and c++")?;
        c.u32("gs")?;
        c.u32("sdl")?;
        c.u32("guard n")?;
        Ok(Payload::Other)
    }
}
