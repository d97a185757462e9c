//! Where an async method suspends and where it resumes, so that a debugger can step over an `await`.
//!
//! The IL offset of the handler that catches what the method throws, plus one, and then for each `await` the IL offset at
//! which the method gives up its thread, and the one at which it goes on, in which method.

use super::{Decoded, entries};
use crate::bytes::{Cursor, Guid, Recorder, Result};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0x54fd_2ac5, 0xe925, 0x401a, 0x9c2a_f94f_1710_72f8);

/// What a debugger must know of an async method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsyncStepping {
    /// The IL offset of the handler that catches everything; there is one if nobody can await the method (`async void`).
    pub catch_handler: Option<u32>,
    /// Every `await`.
    pub awaits: Vec<Await>,
}

/// One `await`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Await {
    /// The IL offset where the method suspends.
    pub yield_offset: u32,
    /// The IL offset where it resumes.
    pub resume_offset: u32,
    /// The row of the MethodDef in which it resumes.
    pub move_next: u32,
}

pub(super) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    c.group("async method stepping information", |c| {
        let catch_handler = c.u32("catch handler offset")?.checked_sub(1);
        let awaits = entries(c, |c| c.group("await", pause))?;
        Ok(Decoded::AsyncStepping(AsyncStepping { catch_handler, awaits }))
    })
}

fn pause<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Await> {
    Ok(Await {
        yield_offset: c.u32("yield offset")?,
        resume_offset: c.u32("resume offset")?,
        move_next: c.compressed("MoveNext method")?,
    })
}
