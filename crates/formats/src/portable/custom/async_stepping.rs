//! Suspension and resumption points of an async method, with which a debugger steps over an `await`.
//!
//! The IL offset of the handler that catches exceptions of the method, plus 1, followed for each `await` by the IL
//! offset at which the method suspends, and by offset and method at which it resumes.

use super::{CustomKind, entries, kind};
use crate::bytes::{Cursor, DECODED_IL_OFFSET, Guid, Recorder, Result, fields};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0x54fd_2ac5, 0xe925, 0x401a, 0x9c2a_f94f_1710_72f8);
pub(super) const KIND: CustomKind = kind!("AsyncMethodSteppingInformation", &[TableId::METHOD_DEF]);

fields! {
    /// The offsets at which an async method suspends and resumes, so that a debugger can step over an await.
    ASYNC_METHOD_STEPPING_INFORMATION: "async method stepping information";
    /// The IL offset of the compiler-generated catch-all handler plus one, or 0 for none; an async void method has it,
    /// and an async Main, because no caller awaits their exceptions.
    CATCH_HANDLER_OFFSET: "catch handler offset" as OneOf(&[(0, "none: the method can be awaited")]);
    /// An await: where the method suspends, and where it resumes.
    AWAIT: "await";
    /// The IL offset at which the method suspends; a debugger that steps over the await begins here.
    YIELD_OFFSET: "yield offset" as IlOffset;
    /// The IL offset at which the method resumes; a debugger sets a hidden breakpoint here.
    RESUME_OFFSET: "resume offset" as IlOffset;
    /// The method in which it resumes, by row of MethodDef.
    MOVE_NEXT_METHOD: "MoveNext method" as Row("MethodDef");
}

/// Async method stepping information.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsyncStepping {
    /// IL offset of the catch-all handler; present if no caller awaits the method: `async void`, and an async Main.
    pub catch_handler: Option<u32>,
    pub awaits: Vec<Await>,
}

/// Suspension and resumption of one `await`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Await {
    /// IL offset at which the method suspends.
    pub yield_offset: u32,
    /// IL offset at which it resumes.
    pub resume_offset: u32,
    /// Row of the MethodDef in which it resumes.
    pub move_next: u32,
}

/// Decodes the blob.
pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<AsyncStepping> {
    c.group(&ASYNC_METHOD_STEPPING_INFORMATION, |c| {
        let catch_handler = c.u32(&CATCH_HANDLER_OFFSET)?.checked_sub(1);
        if let Some(offset) = catch_handler {
            c.changed(&DECODED_IL_OFFSET, None, offset);
        }
        let awaits = entries(c, |c| c.group(&AWAIT, pause))?;
        Ok(AsyncStepping { catch_handler, awaits })
    })
}

fn pause<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Await> {
    Ok(Await {
        yield_offset: c.u32(&YIELD_OFFSET)?,
        resume_offset: c.u32(&RESUME_OFFSET)?,
        move_next: c.compressed(&MOVE_NEXT_METHOD)?,
    })
}

fn tree(stepping: &AsyncStepping) -> Tree {
    let one = |found: &Await| {
        Tree::Object(vec![
            ("yield", found.yield_offset.into()),
            ("resume", found.resume_offset.into()),
            ("move_next", found.move_next.into()),
        ])
    };
    Tree::Object(vec![
        ("catch_handler", stepping.catch_handler.map_or(Tree::Null, Tree::from)),
        ("awaits", stepping.awaits.iter().map(one).collect()),
    ])
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = &[
    0x6b, 3, 0, 0, // a handler at IL_036a
    0x57, 0, 0, 0, 0x75, 0, 0, 0, 0x2c, // IL_0057 to IL_0075 of method 0x2c
];
