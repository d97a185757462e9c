//! Syntax offsets of a method's local slots, with which Edit and Continue keeps a variable in its slot.
//!
//! One byte for each slot: 0 for a temporary, which does not survive an edit; else a kind, with a flag in the highest
//! bit, followed by a syntax offset and, if the flag is set, by an ordinal that distinguishes slots of the same syntax.
//! The byte 0xFF is no slot: it is followed by the baseline of the syntax offsets, which is -1 by default.
//!
//! In the specification the kind has seven bits. Roslyn and F# read six: bit 6 is unused.

use super::{CustomKind, baseline, entries, kind, syntax_offset};
use crate::bytes::{Cursor, DECODED, Guid, Recorder, Result, fields};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0x755f_52a8, 0x91c5, 0x45be, 0xb4b8_2095_71e5_52bd);
pub(super) const KIND: CustomKind = kind!("EncLocalSlotMap", &[TableId::METHOD_DEF]);

/// Kinds of long-lived local slots, by number (Roslyn's `SynthesizedLocalKind`).
const SLOTS: [&str; 34] = [
    "user-defined",
    "result of a condition",
    "lock taken",
    "locked object",
    "resource of a using",
    "enumerator of a foreach",
    "array of a foreach",
    "upper bound of a foreach",
    "index of a foreach",
    "pinned string",
    "object of a With",
    "limit of a For",
    "step of a For",
    "first value of a For",
    "direction of a For",
    "value of a Select Case",
    "On Error: active handler",
    "On Error: resume target",
    "On Error: current statement",
    "On Error: current line",
    "result of an async method",
    "result of a function",
    "exception pending over an await",
    "branch pending over an await",
    "catch pending over an await",
    "exception caught over an await",
    "exception of a filter with an await",
    "state of a state machine",
    "value kept over an await",
    "reference kept over an await",
    "closure",
    "cached delegate",
    "XML in an expression lambda",
    "awaiter",
];

/// Kinds as stored: number plus 1, with the highest bit set if an ordinal follows.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, where an index past the end is a compile error"
)]
const SLOT_KINDS: [(u64, &str); 69] = {
    let mut kinds = [(0, "temporary"); 69];
    let mut kind = 0;
    while kind < SLOTS.len() {
        kinds[1 + kind] = (kind as u64 + 1, SLOTS[kind]);
        kinds[35 + kind] = (kind as u64 + 0x81, SLOTS[kind]);
        kind += 1;
    }
    kinds
};

fields! {
    /// The syntax that one local slot belongs to, so that Edit and Continue can keep each variable in its slot.
    LOCAL_SLOT: "local slot";
    /// The purpose of the slot plus one, or 0 for a temporary; the highest bit marks that an ordinal follows.
    SLOT_KIND: "slot kind" as OneOf(&SLOT_KINDS);
    /// The position of the declaring syntax, in characters from the start of the method body, minus the baseline.
    SYNTAX_OFFSET: "syntax offset";
    /// The number of the slot among those that belong to the same syntax.
    ORDINAL: "ordinal";
    /// A change of the baseline: syntax offsets can be negative, because field initializers come before the body.
    LOCAL_SLOT_BASELINE: "local slot baseline";
    /// 0xFF: a baseline follows instead of a slot.
    MARKER: "marker" as Hex;
    /// The baseline that the following syntax offsets count from, negated; it is -1 before the first such record.
    SYNTAX_OFFSET_BASELINE: "syntax offset baseline";
}

const BASELINE: u8 = 0xff;
const HAS_ORDINAL: u8 = 0x80;
const KIND_BITS: u8 = 0x3f;

/// A local slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalSlot {
    /// Temporary that does not survive a statement.
    Temporary,
    /// Long-lived variable.
    Variable {
        /// 0 for a user variable, else a kind of compiler-generated variable.
        kind: u8,
        /// Position of the declaring syntax in the method body.
        syntax_offset: i32,
        /// Index among the slots with the same syntax offset.
        ordinal: u32,
    },
}

/// Decodes the blob.
pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Vec<LocalSlot>> {
    let mut from = -1;
    let slots = entries(c, |c| {
        if c.peek() != Some(BASELINE) {
            return c.group(&LOCAL_SLOT, |c| slot(c, from)).map(Some);
        }
        from = c.group(&LOCAL_SLOT_BASELINE, |c| {
            c.u8(&MARKER)?;
            baseline(c, &SYNTAX_OFFSET_BASELINE)
        })?;
        Ok(None)
    })?;
    Ok(slots.into_iter().flatten().collect())
}

fn slot<N: Recorder>(c: &mut Cursor<'_, N>, baseline: i32) -> Result<LocalSlot> {
    let first = c.u8(&SLOT_KIND)?;
    if first == 0 {
        return Ok(LocalSlot::Temporary);
    }
    let kind = (first & KIND_BITS).saturating_sub(1);
    c.changed(&DECODED, None, kind);
    Ok(LocalSlot::Variable {
        kind,
        syntax_offset: syntax_offset(c, &SYNTAX_OFFSET, baseline)?,
        ordinal: if first & HAS_ORDINAL == 0 { 0 } else { c.compressed(&ORDINAL)? },
    })
}

fn tree(slots: &[LocalSlot]) -> Tree {
    let one = |slot: &LocalSlot| match *slot {
        LocalSlot::Temporary => Tree::Null,
        LocalSlot::Variable { kind, syntax_offset, ordinal } => Tree::Object(vec![
            ("kind", kind.into()),
            ("syntax_offset", syntax_offset.into()),
            ("ordinal", ordinal.into()),
        ]),
    };
    slots.iter().map(one).collect()
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = &[
    0x01, 0x0b, // the user's, syntax offset 10
    0x00, // temporary
    0xa2, 0x80, 0xd4, 0x02, // an awaiter at 211, the third of its kind
    0xff, 0x05, // from here on the baseline is -5
    0x16, 0x01, // a return value at -4
];
