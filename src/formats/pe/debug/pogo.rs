use super::Payload;
use super::kind::{Decode, repeat};
use crate::bytes::{Cursor, Recorder, Result};

/// The groups that a native linker put sections together from, once for profile-guided optimisation (`dumpbin` calls the
/// entry `coffgrp`): four bytes that say which kind of build it was, then an RVA, a size and a name for each group.
pub(super) struct Pogo;

impl Decode for Pogo {
    const RECORD: &'static str = "pogo";

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        c.u32("signature")?;
        repeat(c, 9, |c| {
            c.group("coff group", |c| {
                c.u32("rva")?;
                c.u32("size")?;
                c.text_z("name")?;
                c.align(4)
            })
        })?;
        Ok(Payload::Other)
    }
}
