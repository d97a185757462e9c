//! Evidence in a trace: the method that a frame called is that of the frame above it.
//!
//! It is no proof. A virtual call names the method that is overridden, a call through a delegate names `Invoke`, and callees
//! that were inlined have no frame.

use super::context::Above;
use super::library::Pair;
use super::names::{is_written, spellings};
use super::outcome::{Call, Candidate};
use crate::breakpoint::is_optimized;
use crate::where_is::{self, CallSite, Relation, state_machine};
use pdblens_formats::il::{Body, ExceptionRegion, Operation, RegionKind};
use pdblens_formats::points_around::PointsAround;
use pdblens_formats::reason::Reason;
use pdblens_nodes::binding::{CodeKind, FromIl, RefusalCause, binding_of, follows_result};
use pdblens_nodes::{SequencePoint, Token, document, method};
use pdblens_session::session::Session;

const MAX_LINES: usize = 8;

/// The name by which the method of a frame is called: of the body of a state machine that of its kickoff method.
pub(crate) fn called_as(name: &str) -> &str {
    let own = where_is::own_name(name);
    let kickoff = || {
        let (_, rest) = name.strip_suffix(".MoveNext")?.rsplit_once(['+', '.', '/'])?;
        let (kickoff, number) = rest.strip_prefix('<')?.rsplit_once(">d")?;
        (number.starts_with("__") && !kickoff.is_empty()).then_some(kickoff)
    };
    if own == "MoveNext" { kickoff().unwrap_or(own) } else { own }
}

/// Returns whether a call of a method `own` may be that of a method which a frame calls `above`.
fn is_of(own: &str, above: &str) -> bool {
    let wanted = called_as(above);
    let same = |name: &str| where_is::own_name(name) == own;
    // Lambdas are called through their delegate; a name with a dot in it implements a method of an interface.
    same(wanted) || (own == "Invoke" && wanted.contains(">b__"))
}

/// Code of a method that a frame may be of, asked for the call of the frame above.
pub(super) struct CallerCode<'s> {
    session: &'s Session,
    method: Token,
    body: Option<Body>,
}

impl CallerCode<'_> {
    /// The call that a frame is at: that of the frame above, else the one that its offset stands right after. No other one can be meant
    /// where the offset `returns`.
    pub(super) fn call_at(&self, il: u32, above: &str, returns: bool) -> Option<Call> {
        let is_wanted = |relation: Relation, own: &str| {
            relation == Relation::After || !returns && !above.is_empty() && is_of(own, above)
        };
        let body = self.body.as_ref()?;
        let with_later = !returns && !above.is_empty();
        let around = where_is::calls_around(self.session, (self.method, body), il, with_later, &is_wanted);
        let order = |relation: Relation| match relation {
            Relation::At => 0,
            Relation::Before => 1,
            Relation::After => 2,
        };
        let above = around.iter().filter(|(_, site)| !above.is_empty() && is_of(site.method_name(), above));
        if let Some((relation, site)) = above.min_by_key(|(relation, site)| (order(*relation), site.offset())) {
            return Some(Call { relation: *relation, site: site.clone(), is_above: true });
        }
        let (relation, site) = around.into_iter().find(|(relation, _)| *relation == Relation::After)?;
        Some(Call { relation, site, is_above: false })
    }

    /// Offset of the instruction that a return address is of: that which ends there and calls or throws, or the call of the frame above whose
    /// result the `pop` before the address drops, of which no code is made.
    pub(super) fn returned_from(&self, il: u32, above: &str) -> Option<u32> {
        let body = self.body.as_ref()?;
        if let Some(start) = where_is::instruction_before(self.session, body, il) {
            return Some(start);
        }
        let mut instructions = method::instructions(self.session, body).skip_to(il).map_while(Result::ok);
        let pop = instructions.find(|found| found.next() == il && found.opcode.operation() == Operation::Pop)?;
        let is_dropped = |relation, own: &str| relation == Relation::After && is_of(own, above);
        let calls = where_is::calls_around(self.session, (self.method, body), pop.offset, false, &is_dropped);
        calls.first().map(|(_, site)| site.offset())
    }

    /// Returns whether the call at an offset may be that of the frame above.
    pub(super) fn calls_at(&self, il: u32, above: &str) -> bool {
        self.call_at(il, above, false).is_some_and(|call| call.is_above)
    }

    /// The calls that may be of the frame above.
    pub(super) fn calls_of(&self, above: &str) -> Vec<CallSite> {
        let Some(body) = &self.body else { return Vec::new() };
        where_is::calls_named(self.session, (self.method, body), &|own| is_of(own, above))
    }

    /// The call of the frame above where only a handler of the try block at an offset has it: on x64, the runtime gives a frame in a handler
    /// the offset of the exception in place of that of the call.
    fn call_in_handler(&self, il: u32, above: &str) -> Option<CallSite> {
        let body = self.body.as_ref()?;
        let is_tried = |region: &&ExceptionRegion| region.tried.contains(il) && !region.handler.contains(il);
        let handlers: Vec<_> = body.regions.iter().filter(is_tried).map(|region| region.handler).collect();
        if above.is_empty() || handlers.is_empty() || self.calls_at(il, above) {
            return None;
        }
        let mut calls = self.calls_of(above).into_iter();
        calls.find(|site| handlers.iter().any(|handler| handler.contains(site.offset())))
    }

    /// The note that a frame's line is that of the exception, and the line of the call, which is in a handler.
    pub(super) fn handler_note(&self, il: u32, above: &str) -> Option<Reason> {
        let site = self.call_in_handler(il, above)?;
        let line = where_is::points_around(self.session, self.method, site.offset()).shown()?.start_line;
        let text = format!(
            "line {line} of a handler calls the frame above: on x64 the runtime gives the line of the try block (dotnet/runtime#44986)"
        );
        Some(Reason::new("call-in-handler", text))
    }

    /// The note that a frame may be at a later line: of a release build, the runtime's map has no entry for a statement that begins with the
    /// result of a call on the stack, so that what fails there has the line of the call.
    pub(super) fn unmapped_note(&self, around: &PointsAround, call: Option<&Call>) -> Option<Reason> {
        let (point, next) = (around.covering.filter(|point| !point.is_hidden())?, around.next?);
        let is_elsewhere = around.end == Some(next.offset) && next.document == point.document;
        if !is_elsewhere || next.start_line == point.start_line || is_optimized(self.session) != Some(true) {
            return None;
        }
        let is_here = |call: &Call| call.is_above && call.site.offset() < next.offset;
        if call.is_some_and(is_here) || !follows_result(self.session, self.method, next.offset) {
            return None;
        }
        let answer = binding_of(self.session, self.method, CodeKind::Minimal)?.answer(next.offset);
        if answer != FromIl::Refused(RefusalCause::StackAfterResult) {
            return None;
        }
        let text = format!(
            "or line {}, which begins with the result of a call on the stack: the runtime has no place for it (dotnet/runtime#128282)",
            next.start_line
        );
        Some(Reason::new("or-unmapped-line", text))
    }

    /// Returns true if an instruction begins at an offset, or its code is not known.
    pub(super) fn begins_instruction(&self, il: u32) -> bool {
        let Some(body) = &self.body else { return true };
        let instructions = method::instructions(self.session, body).skip_to(il).map_while(Result::ok);
        instructions.take_while(|found| found.offset <= il).any(|found| found.offset == il)
    }

    pub(super) fn size(&self) -> Option<u32> {
        self.body.as_ref().map(|body| body.code_size)
    }

    /// Returns true if a frame's name is that of the method, or of the method that starts it as a state machine.
    fn is_named_as(&self, above: &str) -> bool {
        let Some(names) = self.session.names() else { return false };
        let spellings = spellings(above);
        let kickoff = state_machine::kickoff(self.session, self.method);
        [Some(self.method), kickoff]
            .into_iter()
            .flatten()
            .any(|token| spellings.iter().any(|written| is_written(&names, token, written)))
    }

    /// Returns true if the statement at the offset of a caller has no call. Type initialisers, and helpers of the runtime for other
    /// instructions, have frames that nothing in the IL calls.
    pub(super) fn lacks_call(&self, il: u32, above: &Above) -> bool {
        let is_of_runtime = above.name.starts_with("System.") || matches!(called_as(&above.name), ".cctor" | "cctor");
        if !above.is_caller || above.name.is_empty() || is_of_runtime {
            return false;
        }
        let Some(body) = &self.body else { return false };
        // The runtime gives a handler a frame of its own, which nothing calls.
        let has_handler = body
            .regions
            .iter()
            .any(|region| !matches!(region.kind, RegionKind::Catch { .. } | RegionKind::Unknown { .. }));
        if has_handler && self.is_named_as(&above.name) || self.call_in_handler(il, &above.name).is_some() {
            return false;
        }
        let around = where_is::points_around(self.session, self.method, il);
        if around.covering.is_none() || around.error.is_some() {
            return false;
        }
        let is_in_statement = |start: u32| around.end.is_none_or(|end| start < end);
        // Calls before the offset matter only if they return to it.
        let is_there = |start: u32, end: u32| end == il || (start >= il && is_in_statement(start));
        let instructions = method::instructions(self.session, body).skip_to(il).map_while(Result::ok);
        let mut instructions = instructions.take_while(|found| found.offset < il || is_in_statement(found.offset));
        !instructions.any(|found| is_there(found.offset, found.next()) && where_is::is_call(&found))
    }
}

impl Pair {
    pub(super) fn code_of(&self, method: Token) -> CallerCode<'_> {
        CallerCode { session: &self.session, method, body: method::body(&self.session, method).ok().flatten() }
    }

    /// The point to show: where an offset is the address that the call of the frame above returns to, that of the call.
    pub(super) fn point_of_call(
        &self,
        method: Token,
        call: Option<&Call>,
        point: SequencePoint,
        notes: &mut Vec<Reason>,
    ) -> SequencePoint {
        let Some(call) = call.filter(|call| call.relation == Relation::After && call.site.end == point.offset) else {
            return point;
        };
        let around = where_is::points_around(&self.session, method, call.site.offset());
        let Some(before) = around.shown().filter(|before| before.start_line != point.start_line) else { return point };
        if call.is_above {
            let text = format!("as a return address it belongs to the call: line {} begins there", point.start_line);
            notes.push(Reason::new("line-of-call", text));
            return before;
        }
        let text = format!("as a return address it could also be line {}", before.start_line);
        notes.push(Reason::new("or-line-of-call", text));
        point
    }

    /// A method that a frame without an offset could mean, with the lines on which it calls the frame above.
    pub(super) fn candidate_calling(&self, method: Token, above: &str) -> Candidate {
        let mut candidate = self.candidate(method);
        let calls = if above.is_empty() { Vec::new() } else { self.code_of(method).calls_of(above) };
        let line = |site: &CallSite| where_is::points_around(&self.session, method, site.offset()).shown();
        for point in calls.iter().filter_map(line) {
            let Some(path) = document::name(&self.session, point.document) else { continue };
            let Some(lines) = candidate.lines.iter_mut().find(|lines| lines.path == path) else { continue };
            if lines.calls.len() < MAX_LINES && lines.calls.last() != Some(&point.start_line) {
                lines.calls.push(point.start_line);
            }
        }
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_called_by_its_own_name() {
        for (name, called) in [
            ("System.Int32.Parse", "Parse"),
            ("Ns.Crate..ctor", ".ctor"),
            (".ctor", ".ctor"),
            ("Ns.W`1+<RestockAsync>d__2.MoveNext", "RestockAsync"),
            ("Ns.List.Enumerator.MoveNext", "MoveNext"),
            ("Ns.P.<>c.<Main>b__0_1", "<Main>b__0_1"),
            ("Ns.E.ToList[TSource]", "ToList"),
        ] {
            assert_eq!(called_as(name), called, "{name}");
        }
    }
}
