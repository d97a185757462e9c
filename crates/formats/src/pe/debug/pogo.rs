use super::super::names;
use super::Payload;
use super::kind::{Decode, repeat};
use crate::bytes::{Cursor, FieldDoc, Recorder, Result, fields, record};

fields! {
    /// The groups that the linker put the sections of the image together from.
    RECORD: "pogo";
    /// The kind of build: LTCG is link-time code generation, PGI is instrumented for profiling, PGO and PGU are optimized
    /// with a profile.
    SIGNATURE: "signature" as OneOf(names::POGO_SIGNATURES);
    /// The part of the image that came from object file sections of one name.
    COFF_GROUP: "coff group";
    /// The name of the group: the section, and after the $ the key that orders groups within it.
    NAME: "name";
}

record! {
    /// The range of a group.
    struct GroupRange: "group range" {
        /// The RVA of the group.
        rva: u32 as Rva,
        /// The size of the group in bytes.
        size: u32 as Hex,
    }
}

/// The groups that a native linker put sections together from, once for profile-guided optimisation (`dumpbin` calls the
/// entry `coffgrp`): four bytes that say which kind of build it was, then an RVA, a size and a name for each group.
pub(super) struct Pogo;

impl Decode for Pogo {
    const RECORD: &'static FieldDoc = &RECORD;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        c.u32(&SIGNATURE)?;
        repeat(c, 9, |c| {
            c.group(&COFF_GROUP, |c| {
                GroupRange::decode_fields(c)?;
                c.text_z(&NAME)?;
                c.align(4)
            })
        })?;
        Ok(Payload::Other)
    }
}
