//! Which syntax each slot of a method's locals belongs to, so that Edit and Continue can keep a variable in its slot.
//!
//! A byte for each slot: 0 for a temporary, which no edit keeps; else a kind and a flag in the highest bit, and a syntax
//! offset behind it, and where the flag is set a number that tells slots of the same syntax apart. A byte 0xFF is no slot:
//! behind it is the baseline of the syntax offsets, which is -1 if nothing says otherwise.
//!
//! The specification gives the kind seven bits. Roslyn's reader takes six, and so does F#: bit 6 is not used.

use super::{Decoded, baseline, entries, syntax_offset};
use crate::bytes::{Cursor, Guid, Recorder, Result};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0x755f_52a8, 0x91c5, 0x45be, 0xb4b8_2095_71e5_52bd);

const BASELINE: u8 = 0xff;
const HAS_ORDINAL: u8 = 0x80;
const KIND: u8 = 0x3f;

/// One slot of a method's locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalSlot {
    /// A temporary, which does not live from one statement to the next.
    Temporary,
    /// A variable.
    Variable {
        /// What it is for: 0 for a variable of the user's, else one that the compiler made.
        kind: u8,
        /// Where the syntax stands that declares it.
        syntax_offset: i32,
        /// Which of the slots with the same syntax offset.
        ordinal: u32,
    },
}

pub(in crate::formats) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    let mut from = -1;
    let slots = entries(c, |c| {
        if c.peek() != Some(BASELINE) {
            return c.group("local slot", |c| slot(c, from)).map(Some);
        }
        from = c.group("local slot baseline", |c| {
            c.u8("marker")?;
            baseline(c)
        })?;
        Ok(None)
    })?;
    Ok(Decoded::LocalSlotMap(slots.into_iter().flatten().collect()))
}

fn slot<N: Recorder>(c: &mut Cursor<'_, N>, baseline: i32) -> Result<LocalSlot> {
    let first = c.u8("slot kind")?;
    if first == 0 {
        return Ok(LocalSlot::Temporary);
    }
    Ok(LocalSlot::Variable {
        kind: (first & KIND).saturating_sub(1),
        syntax_offset: syntax_offset(c, baseline)?,
        ordinal: if first & HAS_ORDINAL == 0 { 0 } else { c.compressed("ordinal")? },
    })
}
