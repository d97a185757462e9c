//! Offsets of IL where a breakpoint binds, derived from the IL alone.
//!
//! The just-in-time compiler of .NET reads IL block by block. It keeps a *boundary*, the offset to which the next machine code belongs, and
//! records it when something is made of the IL. A debugger binds a breakpoint where an offset was recorded, and at offset 0. A boundary is
//! lost if the next one comes before anything is made.
//!
//! The rule was written from the answers of ICorDebug of .NET 10 (x64 Linux). `docs/breakpoints.md` explains it, `docs/truth.md` has its rates.

mod member;
mod returns;
mod units;
mod walk;

#[cfg(test)]
mod tests;

use crate::code_unit::il;
use pdblens_formats::il::Body;
use pdblens_formats::metadata::Token;
use pdblens_session::session::Session;
use std::ops::Range;

/// Kind of machine code that the compiler makes of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeKind {
    /// Code of a debug build, or of any build where the debugger suppresses optimisation.
    Debuggable,
    /// Code of tier 0 of a release build.
    Minimal,
    /// Code of tier 1, and precompiled code.
    Optimised,
}

/// Answer about one offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FromIl {
    Accepted,
    Refused(RefusalCause),
    Unknown(Unknown),
}

/// Cause of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusalCause {
    /// Values are on the evaluation stack after a call with a result. Debuggable code has a boundary there.
    StackAfterResult,
    /// Values are on the evaluation stack, and no call comes before.
    StackNotEmpty,
    /// Nothing is made of the code up to the next boundary.
    MakesNothing,
    /// The return is merged with others of the method.
    MergedReturn,
    /// No path from the start of the method leads there.
    Unreachable,
    /// No instruction begins there.
    NoInstruction,
}

impl RefusalCause {
    /// Name in JSON, and the cause in words.
    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::StackAfterResult => ("stack-after-result", "values are on the stack after a call with a result"),
            Self::StackNotEmpty => ("stack-not-empty", "values are on the stack"),
            Self::MakesNothing => ("makes-nothing", "the compiler makes nothing of the code there"),
            Self::MergedReturn => ("merged-return", "the return is merged with others"),
            Self::Unreachable => ("unreachable", "no path leads there"),
            Self::NoInstruction => ("no-instruction", "no instruction begins there"),
        }
    }

    pub const fn name(self) -> &'static str {
        self.texts().0
    }

    pub const fn words(self) -> &'static str {
        self.texts().1
    }
}

/// Reason why IL alone does not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unknown {
    /// The method calls a method of another assembly that may be a P/Invoke, after which returns are merged.
    PInvokeElsewhere,
    /// The compiler may replace a call by something of its own.
    Intrinsic,
    /// Values stay on the stack from block to block, and may have to be copied.
    SharedTemporary,
    /// The optimiser decides.
    Optimiser,
    /// The IL cannot be followed: unknown opcode, missing member, empty stack.
    InvalidCode,
}

/// Answers for the offsets of a body where an instruction begins, with its prefixes; in order. None for code that cannot be followed.
#[derive(Clone, Debug, Default)]
pub struct IlBinding(Vec<(u32, FromIl)>);

/// The binding of a method in code of a kind; `None` where it has no IL.
pub fn binding_of(session: &Session, method: Token, kind: CodeKind) -> Option<IlBinding> {
    Some(binding_of_body(session, method, &il::body(session, method).ok()??, kind))
}

/// Returns true if the instruction before an offset is a call with a result: only there can [`RefusalCause::StackAfterResult`] be.
pub fn follows_result(session: &Session, method: Token, offset: u32) -> bool {
    let Ok(Some(body)) = il::body(session, method) else { return false };
    let call = il::instructions(session, &body).skip_to(offset).next().and_then(Result::ok);
    let call = call.filter(|found| found.next() == offset);
    call.and_then(|call| member::Callees::of_session(session).of(&call, false))
        .is_some_and(|callee| callee.arity.has_result)
}

pub fn binding_of_body(session: &Session, method: Token, body: &Body, kind: CodeKind) -> IlBinding {
    let answers = || {
        let merges_returns = kind != CodeKind::Debuggable;
        let (own, units) = (member::Own::of(session, method)?, units::of(session, body, merges_returns)?);
        let marks = walk::walk(&units, &units::Entries::of(body, &units), own, kind)?;
        Some(units.iter().map(|unit| unit.offset).zip(marks).collect())
    };
    IlBinding(answers().unwrap_or_default())
}

impl IlBinding {
    /// In optimised code never accepted, except at offset 0: what the optimiser keeps is not in the IL.
    pub fn answer(&self, offset: u32) -> FromIl {
        if self.0.is_empty() {
            return FromIl::Unknown(Unknown::InvalidCode);
        }
        let found = self.0.binary_search_by_key(&offset, |(at, _)| *at).ok().and_then(|index| self.0.get(index));
        found.map_or(FromIl::Refused(RefusalCause::NoInstruction), |(_, answer)| *answer)
    }

    /// The offset in a range, usually of a statement, where a breakpoint binds that is nearest to `offset`; of two the first.
    pub fn nearest(&self, offset: u32, range: Range<u32>) -> Option<u32> {
        let accepted = self.0.iter().filter(|(at, answer)| range.contains(at) && *answer == FromIl::Accepted);
        accepted.map(|(at, _)| *at).min_by_key(|at| at.abs_diff(offset))
    }

    pub fn answers(&self) -> &[(u32, FromIl)] {
        &self.0
    }
}
