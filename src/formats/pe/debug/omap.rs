use super::Payload;
use super::kind::{Decode, repeat};
use crate::bytes::{Cursor, Recorder, Result};

/// Where the code went that a tool moved after linking: pairs of RVAs, each good up to the next pair.
pub(super) struct Omap;

impl Decode for Omap {
    const RECORD: &'static str = "omap";

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        repeat(c, 8, |c| {
            c.group("omap entry", |c| {
                c.u32("rva")?;
                c.u32("rva to").map(drop)
            })
        })?;
        Ok(Payload::Other)
    }
}
