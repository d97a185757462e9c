//! The `asyncMethodInfo` record: the points at which an async method yields and resumes.

use super::custom::{at, list};
use crate::bytes::{At, Cursor, Recorder, Result, fields};

/// Name of the `S_OEM` record of an `async` method.
pub const ASYNC_METHOD_INFO: &str = "asyncMethodInfo";

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
    /// An await expression: the points at which the method yields and resumes.
    ASYNC_AWAIT: "async await";
    /// The IL offset at which the method returns to its caller to wait.
    YIELD_OFFSET: "yield offset" as IlOffset;
    /// The method that resumes, usually this one.
    RESUME_METHOD: "resume method" as Token;
    /// The IL offset at which the method resumes; a debugger that steps over the await stops there.
    RESUME_OFFSET: "resume offset" as IlOffset;
}

/// Content of `asyncMethodInfo`: the points at which an `async` method yields and resumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsyncInfo {
    /// The token of the method that starts the state machine.
    pub kickoff: At<u32>,
    /// The IL offset of the handler that the compiler made for exceptions that nobody awaits.
    pub catch_handler: Option<At<u32>>,
    /// Points at which it yields and resumes.
    pub awaits: Vec<At<Await>>,
}

/// One `await`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Await {
    /// The IL offset where it yields.
    pub yields: u32,
    /// The method that goes on: the same one, as a rule.
    pub method: u32,
    /// The IL offset where it goes on.
    pub resumes: u32,
}

impl AsyncInfo {
    /// Reads what the record holds.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group(&ASYNC_INFO, |c| {
            let kickoff = at(c, |c| c.u32(&KICKOFF_METHOD))?;
            let catch_handler = at(c, |c| c.u32(&CATCH_HANDLER))?;
            let count = c.u32(&AWAIT_COUNT)?;
            let awaits = list(c, count, 12, |c| {
                c.group(&ASYNC_AWAIT, |c| {
                    at(c, |c| {
                        let (yields, method) = (c.u32(&YIELD_OFFSET)?, c.u32(&RESUME_METHOD)?);
                        Ok(Await { yields, method, resumes: c.u32(&RESUME_OFFSET)? })
                    })
                })
            })?;
            if !c.is_done() {
                c.bytes(&ASYNC_LEFT_OVER, c.left())?;
            }
            let catch_handler = (catch_handler.value != u32::MAX).then_some(catch_handler);
            Ok(Self { kickoff, catch_handler, awaits })
        })
    }
}
