//! The `asyncMethodInfo` record: the points at which an async method yields and resumes.

use super::custom::list;
use crate::bytes::{At, Cursor, Recorder, Result, fields, record};

/// Name of the `S_OEM` record.
pub(crate) const ASYNC_METHOD_INFO: &str = "asyncMethodInfo";

fields! {
    /// The async method information: the points at which an async method yields and resumes.
    ASYNC_INFO: "async method info";
    /// The kickoff method, which is the one in the source; it only starts the state machine.
    KICKOFF_METHOD: "kickoff method" as Token;
    /// The IL offset of the handler for exceptions of an `async void` method; 0xFFFFFFFF for none.
    CATCH_HANDLER: "catch handler" as IlOffset;
    /// The number of await expressions.
    AWAIT_COUNT: "await count";
    /// Bytes after the last await.
    ASYNC_LEFT_OVER: "left over";
}

/// Content of an `asyncMethodInfo` record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsyncInfo {
    /// Token of the method that starts the state machine.
    pub kickoff: At<u32>,
    /// IL offset of the compiler-generated handler of an `async void` method, whose exceptions no caller awaits.
    pub catch_handler: Option<At<u32>>,
    /// Suspension points in source order.
    pub awaits: Vec<Await>,
}

record! {
    /// An await expression: the points at which the method yields and resumes.
    pub struct Await: "async await" {
        /// The IL offset at which the method returns to its caller to wait.
        yield_offset: u32 as IlOffset,
        /// The method that resumes, usually this one.
        resume_method: u32 as Token,
        /// The IL offset at which the method resumes; a debugger that steps over the await stops there.
        resume_offset: u32 as IlOffset,
    }
}

impl AsyncInfo {
    /// Decodes the data of the record.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group(&ASYNC_INFO, |c| {
            let kickoff = c.spanned(|c| c.u32(&KICKOFF_METHOD))?;
            let catch_handler = c.spanned(|c| c.u32(&CATCH_HANDLER))?;
            let count = c.u32(&AWAIT_COUNT)?;
            let awaits = list(c, count, Await::SIZE, Await::decode)?;
            c.left_over(&ASYNC_LEFT_OVER)?;
            let catch_handler = (catch_handler.value != u32::MAX).then_some(catch_handler);
            Ok(Self { kickoff, catch_handler, awaits })
        })
    }
}
