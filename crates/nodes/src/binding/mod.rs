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

/// RefusalCause of a refusal.
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
    pub const fn words(self) -> &'static str {
        match self {
            Self::StackAfterResult => "values are on the stack after a call with a result",
            Self::StackNotEmpty => "values are on the stack",
            Self::MakesNothing => "the compiler makes nothing of the code there",
            Self::MergedReturn => "the return is merged with others",
            Self::Unreachable => "no path leads there",
            Self::NoInstruction => "no instruction begins there",
        }
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

/// Offsets of one body where a breakpoint binds.
#[derive(Clone, Debug, Default)]
pub struct IlBinding {
    /// Start of each instruction with its prefixes.
    offsets: Vec<u32>,
    /// An answer for each offset, by kind of code; none for code that cannot be followed.
    answers: [Vec<FromIl>; 3],
}

/// The binding of a method; `None` where it has no IL.
pub fn binding_of(session: &Session, method: Token) -> Option<IlBinding> {
    let body = il::body(session, method).ok()??;
    let Some((own, units)) = member::Own::of(session, method).zip(units::of(session, &body)) else {
        return Some(IlBinding::default());
    };
    let entries = units::Entries::of(&body, &units);
    let debuggable = walk::walk(&units, &entries, own, true).map(walk::BodyWalk::debuggable);
    let minimal = walk::walk(&units, &entries, own, false);
    let [minimal, optimised] = [false, true].map(|is_optimised| minimal.as_ref().map(|walk| walk.merged(is_optimised)));
    let offsets = units.iter().map(|unit| unit.offset).collect();
    Some(IlBinding { offsets, answers: [debuggable, minimal, optimised].map(Option::unwrap_or_default) })
}

/// Offsets where no breakpoint binds, not even in debuggable code, with the cause; in order.
pub fn unbound(session: &Session, method: Token) -> Vec<(u32, RefusalCause)> {
    let found = || {
        let body = il::body(session, method).ok()??;
        let (own, units) = (member::Own::of(session, method)?, units::of(session, &body)?);
        let answers = walk::walk(&units, &units::Entries::of(&body, &units), own, true)?.debuggable();
        let refused = units.iter().zip(answers).filter_map(|(unit, answer)| match answer {
            FromIl::Refused(cause) => Some((unit.offset, cause)),
            _ => None,
        });
        Some(refused.collect())
    };
    found().unwrap_or_default()
}

impl IlBinding {
    pub fn debuggable(&self, offset: u32) -> FromIl {
        self.answer(CodeKind::Debuggable, offset)
    }

    pub fn minimal(&self, offset: u32) -> FromIl {
        self.answer(CodeKind::Minimal, offset)
    }

    /// Refused, or not known: what the optimiser keeps is not in the IL.
    pub fn optimised(&self, offset: u32) -> FromIl {
        self.answer(CodeKind::Optimised, offset)
    }

    pub fn answer(&self, kind: CodeKind, offset: u32) -> FromIl {
        let answers = &self.answers[kind as usize];
        if answers.is_empty() {
            return FromIl::Unknown(Unknown::InvalidCode);
        }
        let unit = self.offsets.binary_search(&offset).ok();
        unit.and_then(|unit| answers.get(unit)).copied().unwrap_or(FromIl::Refused(RefusalCause::NoInstruction))
    }

    /// The offset in a range, usually of a statement, where a breakpoint binds that is nearest to `offset`; of two the first.
    pub fn nearest(&self, kind: CodeKind, offset: u32, range: Range<u32>) -> Option<u32> {
        let accepted = self.offsets.iter().copied().filter(|at| range.contains(at));
        accepted.filter(|at| self.answer(kind, *at) == FromIl::Accepted).min_by_key(|at| at.abs_diff(offset))
    }

    /// Starts of the instructions, with their prefixes.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }
}
