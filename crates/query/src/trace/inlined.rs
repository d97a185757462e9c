//! Frames of inlined functions: they have no address of their own, and are in the function of the next frame below them.

use super::HeldLine;
use super::above::TraceContext;
use super::frame::{Frame, Offset};
use super::library::{Library, Pair};
use super::outcome::{Cause, Outcome, Resolved, is_called};
use crate::where_is;
use pdblens_formats::reason::Reason;
use pdblens_nodes::code_unit::{CodeOffset, CodeUnit, NamedCode};
use pdblens_nodes::resolve;

/// For each line the next frame below it that has an address; nothing for lines without frames of inlined functions.
pub(super) fn below(lines: &[HeldLine]) -> Vec<Option<Frame>> {
    let mut next: Option<&Frame> = None;
    let mut found: Vec<Option<Frame>> = lines
        .iter()
        .rev()
        .map(|line| {
            if line.frames.iter().any(|(_, frame)| frame.offset == Offset::Inlined) {
                return next.cloned();
            }
            // A line without frames ends the trace.
            next = line.frames.first().map(|(_, frame)| frame);
            None
        })
        .collect();
    found.reverse();
    found
}

impl Library {
    /// Resolves the frame of an inlined function by the frame below it.
    pub(super) fn inlined(&mut self, frame: &Frame, below: Option<&Frame>, trace: &TraceContext<'_>) -> Outcome {
        let Some(below) = below else {
            let reason = "it belongs to an inlined function, but no frame below it has an address";
            return Outcome::No(Cause::NoModule.because(reason));
        };
        let Offset::Native(offset) = below.offset else {
            let reason =
                format!("it is inlined in {}, the frame below it, whose offset is not in the trace", below.name);
            return Outcome::No(Cause::NoOffset.because(reason));
        };
        let mut notes = Vec::new();
        match self.native_pair(below, &mut notes) {
            Ok(pair) => pair.inlined_line(frame, below, offset, trace, notes),
            Err(refusal) => Outcome::No(refusal),
        }
    }
}

impl Pair {
    /// The line of an inlined call at the address of a frame.
    fn inlined_line(
        &self,
        frame: &Frame,
        below: &Frame,
        offset: u64,
        trace: &TraceContext<'_>,
        mut notes: Vec<Reason>,
    ) -> Outcome {
        let session = &self.session;
        let address =
            if below.name.is_empty() { format!("{offset:#x}") } else { format!("{}+{offset:#x}", below.name) };
        let function = match resolve::functions_named(session, &below.name).as_slice() {
            _ if below.name.is_empty() => self.code_at(offset),
            [rva] => u32::try_from(offset).ok().map(|offset| (*rva, offset)),
            _ => None,
        };
        let Some((function, offset)) = function else {
            return Outcome::No(Cause::NoMethod.because(format!("{} has no function with {address}", self.path())));
        };
        let of = CodeUnit::Function(function);
        // Below another frame the address is the one that its call returns to.
        let before = offset.saturating_sub(1);
        let order = if trace.is_caller { [before, offset] } else { [offset, before] };
        let found = order.into_iter().find_map(|at| {
            let answer = where_is::where_is(session, of, at);
            let call = answer.inlined.iter().rfind(|call| is_called(&call.name, &frame.name))?.clone();
            Some((answer, call))
        });
        let Some((answer, call)) = found else {
            let reason = format!("{} has no call of {} that is inlined at {address}", self.path(), frame.name);
            return Outcome::No(Cause::NoMethod.because(reason));
        };
        let text = format!("inlined in the function of the frame below it, at {address}");
        notes.push(Reason::new("inlined", text));
        let code = (NamedCode::new(of, call.name, None), CodeOffset::of(of, answer.offset));
        let (inlined, hops) = (answer.inlined, answer.hops);
        let found = self.found(code, call.file, [call.line, 0, call.line, 0], notes);
        Outcome::Resolved(Box::new(Resolved { inlined, hops, ..found }))
    }
}
