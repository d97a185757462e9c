//! Which syntax each suspension of a state machine belongs to, so that Edit and Continue can keep the numbers of its states.
//!
//! A count; if it is not 0, the baseline of the syntax offsets, and then a signed state number and a syntax offset for each
//! suspension, ordered by the latter. Suspensions at the same syntax offset are told apart by their order.

use super::{Decoded, baseline, counted, syntax_offset};
use crate::bytes::{Cursor, Error, Guid, Recorder, Result};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0x8b78_cd68, 0x2ede, 0x420b, 0x980b_e158_84b8_aaa3);

/// A suspension: an `await` or a `yield return`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The number that the state machine has while it is suspended there.
    pub number: i32,
    /// Where its syntax stands.
    pub syntax_offset: i32,
    /// Which of the suspensions with the same syntax offset.
    pub ordinal: u32,
}

pub(in crate::formats) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    c.group("state machine state map", |c| {
        let count = c.compressed("count")?;
        if count == 0 {
            return Ok(Decoded::StateMap(Vec::new()));
        }
        let from = baseline(c)?;
        let mut last: Option<State> = None;
        let states = counted(c, count, |c| {
            let state = c.group("state", |c| state(c, from, last))?;
            last = Some(state);
            Ok(state)
        })?;
        Ok(Decoded::StateMap(states))
    })
}

fn state<N: Recorder>(c: &mut Cursor<'_, N>, baseline: i32, last: Option<State>) -> Result<State> {
    let number = c.compressed_signed("state number")?;
    let start = c.position();
    let syntax_offset = syntax_offset(c, baseline)?;
    let ordinal = match last {
        Some(last) if last.syntax_offset > syntax_offset => {
            return Err(Error::invalid("states must be ordered by their syntax offsets", c.since(start)));
        }
        Some(last) if last.syntax_offset == syntax_offset => last.ordinal + 1,
        _ => 0,
    };
    Ok(State { number, syntax_offset, ordinal })
}
