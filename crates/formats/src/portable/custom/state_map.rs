//! Syntax offsets of a state machine's suspension points, with which Edit and Continue keeps the state numbers.
//!
//! A count; if it is not 0, the baseline of the syntax offsets, followed by a signed state number and a syntax offset
//! for each suspension point, ordered by the latter. Points with the same syntax offset are distinguished by their
//! order.

use super::{CustomKind, baseline, counted, kind, syntax_offset};
use crate::bytes::{Cursor, Error, Guid, Recorder, Result, fields};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0x8b78_cd68, 0x2ede, 0x420b, 0x980b_e158_84b8_aaa3);
pub(super) const KIND: CustomKind = kind!("EncStateMachineStateMap", &[TableId::METHOD_DEF]);

fields! {
    /// The await or yield that each state number belongs to, so that Edit and Continue can keep the numbers.
    STATE_MACHINE_STATE_MAP: "state machine state map";
    /// The number of states that follow.
    COUNT: "count";
    /// The baseline that syntax offsets count from, negated.
    SYNTAX_OFFSET_BASELINE: "syntax offset baseline";
    /// A place where the state machine suspends: an await or a yield return.
    STATE: "state";
    /// The state number while suspended there; below -2, an iterator is to run its finally blocks from there.
    STATE_NUMBER: "state number";
    /// The position of the await or yield, in characters from the start of the method body, minus the baseline.
    SYNTAX_OFFSET: "syntax offset";
}

/// A suspension point: an `await` or a `yield return`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuspendedState {
    /// State number while suspended there.
    pub number: i32,
    /// Position of its syntax in the method body.
    pub syntax_offset: i32,
    /// Index among the points with the same syntax offset.
    pub ordinal: u32,
}

/// Decodes the blob.
pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Vec<SuspendedState>> {
    c.group(&STATE_MACHINE_STATE_MAP, |c| {
        let count = c.compressed(&COUNT)?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let from = baseline(c, &SYNTAX_OFFSET_BASELINE)?;
        let mut last: Option<SuspendedState> = None;
        counted(c, count, |c| {
            let state = c.group(&STATE, |c| state(c, from, last))?;
            last = Some(state);
            Ok(state)
        })
    })
}

fn state<N: Recorder>(c: &mut Cursor<'_, N>, baseline: i32, last: Option<SuspendedState>) -> Result<SuspendedState> {
    let number = c.compressed_signed(&STATE_NUMBER)?;
    let start = c.position();
    let syntax_offset = syntax_offset(c, &SYNTAX_OFFSET, baseline)?;
    let ordinal = match last {
        Some(last) if last.syntax_offset > syntax_offset => {
            return Err(Error::invalid("the states are not sorted by syntax offset", c.since(start)));
        }
        Some(last) if last.syntax_offset == syntax_offset => last.ordinal.saturating_add(1),
        _ => 0,
    };
    Ok(SuspendedState { number, syntax_offset, ordinal })
}

fn tree(states: &[SuspendedState]) -> Tree {
    let one = |state: &SuspendedState| {
        Tree::Object(vec![
            ("state", state.number.into()),
            ("syntax_offset", state.syntax_offset.into()),
            ("ordinal", state.ordinal.into()),
        ])
    };
    states.iter().map(one).collect()
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = &[
    0x03, 0x01, // three states, baseline -1
    0x00, 0x05, // state 0 at 4
    0x02, 0x05, // state 1 at the same
    0x79, 0x80, 0xb2, // state -4 at 177
];
