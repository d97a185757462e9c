use super::Payload;
use super::kind::{Decode, repeat};
use crate::bytes::{Cursor, Recorder, Result};

/// How the frames of 32-bit functions without a frame pointer look (`FPO_DATA`), one record a function.
pub(super) struct Fpo;

impl Decode for Fpo {
    const RECORD: &'static str = "fpo";

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        repeat(c, 16, |c| {
            c.group("fpo data", |c| {
                c.u32("start of function")?;
                c.u32("size of function")?;
                c.u32("locals")?;
                c.u16("parameters")?;
                c.u8("prolog")?;
                c.u8("attributes").map(drop)
            })
        })?;
        Ok(Payload::Other)
    }
}
