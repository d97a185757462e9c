//! Rules about what a debugger shows when it steps from point to point in debuggable code.
//!
//! A step ends where the code of the point ends, at the start of a point or in the middle of one. Only steps that the IL decides are judged:
//! those to the next instruction, and jumps. A hidden point ends the search, because a debugger does not stop there.

use std::ops::RangeInclusive;

use crate::method_facts::MethodFacts;
use pdblens_formats::il::{FlowControl, Operand};
use pdblens_formats::metadata::TableId;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_nodes::binding::{FromIl, IlBinding, RefusalCause};
use pdblens_nodes::method::{self, il_label, range_text};
use pdblens_session::session::Session;

/// Jumps of a body, and the points that the instruction before them runs into.
struct Flow {
    /// Target and source of each jump; sorted.
    jumps: Vec<(u32, u32)>,
    /// Instructions that the one before does not run into, ascending.
    ends: Vec<u32>,
    /// Targets of jumps back, with the last source of these and of all before them; sorted.
    loops: Vec<(u32, u32)>,
}

impl Flow {
    /// `None` for code that cannot be read.
    fn of(session: &Session, facts: &MethodFacts, binding: &IlBinding) -> Option<Self> {
        let mut flow = Self { jumps: Vec::new(), ends: Vec::new(), loops: Vec::new() };
        let mut answers = binding.answers().iter().peekable();
        for instruction in method::instructions(session, facts.body.as_ref()?) {
            let instruction = instruction.ok()?;
            while answers.next_if(|(offset, _)| *offset < instruction.offset).is_some() {}
            let is_dead = answers.peek() == Some(&&(instruction.offset, FromIl::Refused(RefusalCause::Unreachable)));
            let mut jump = |target: i64| {
                if let Ok(target) = u32::try_from(target)
                    && !is_dead
                {
                    flow.jumps.push((target, instruction.offset));
                }
            };
            match instruction.operand {
                Operand::Branch(target) => jump(target),
                Operand::Switch(targets) => targets.iter().for_each(jump),
                _ => {}
            }
            if is_dead
                || matches!(instruction.opcode.flow, FlowControl::Branch | FlowControl::Return | FlowControl::Throw)
            {
                flow.ends.push(instruction.next());
            }
        }
        flow.jumps.sort_unstable();
        flow.jumps.dedup();
        let mut last = 0;
        for &(target, source) in flow.jumps.iter().filter(|(target, source)| target <= source) {
            last = source.max(last);
            flow.loops.push((target, last));
        }
        Some(flow)
    }

    /// Returns true if the instruction before runs into the one at an offset.
    fn runs_into(&self, offset: u32) -> bool {
        self.ends.binary_search(&offset).is_err()
    }

    /// Returns true if a jump back leads from behind the range to its start or to code before it.
    fn is_in_loop(&self, range: &RangeInclusive<u32>) -> bool {
        let before = self.loops.partition_point(|(target, _)| target <= range.start());
        before.checked_sub(1).and_then(|last| self.loops.get(last)).is_some_and(|(_, source)| source >= range.end())
    }
}

/// Takes a rule, the index of the point, and a maker of the sentence.
type Notes<'n> = dyn FnMut(&'static str, usize, &dyn Fn() -> String) + 'n;

pub(super) fn steps(session: &Session, facts: &MethodFacts, binding: &IlBinding, notes: &mut Notes<'_>) {
    // A point out of order, or two at an offset, are findings already.
    if !facts.points.is_sorted_by(|one, next| one.offset < next.offset) {
        return;
    }
    let Some(flow) = Flow::of(session, facts, binding) else { return };
    // Initialisers of fields run before the text of their constructor, wherever they stand.
    let is_constructor = || {
        let name = session.metadata().map(|image| image.string_cell(TableId::METHOD_DEF, facts.token.row(), 3));
        name.and_then(Result::ok).is_some_and(|name| name.data.starts_with(b"."))
    };
    // Text before that of the first point is not the method's own: F# repeats the points of inlined functions.
    let first = facts.points.iter().find(|point| !point.is_hidden()).map(start);
    for (index, [point, next]) in facts.points.array_windows().enumerate() {
        let is_step =
            [point, next].iter().all(|point| !point.is_hidden() && binding.answer(point.offset) == FromIl::Accepted);
        if !is_step || point.document != next.document || !flow.runs_into(next.offset) {
            continue;
        }
        let labels = || [point, next].map(|point| il_label(point.offset.into()));
        if range(point) == range(next) {
            let sentence = || {
                let [from, to] = labels();
                format!("a step from {from} ends at {to}, at the same text: {}", range_text(next))
            };
            notes("stepping-twice", index + 1, &sentence);
        } else if start(next) < start(point)
            && first < Some(start(next))
            && !encloses(next, point)
            && !flow.is_in_loop(&(point.offset..=next.offset))
            && !is_constructor()
        {
            let sentence = || {
                let ([from, to], [point, next]) = (labels(), [point, next].map(range_text));
                format!("a step from {from}, {point}, goes back to {to}, {next}, without a loop")
            };
            notes("stepping-back", index + 1, &sentence);
        }
    }
    joins(facts, &flow, binding, notes);
}

/// Finds code in the middle of a point that another point jumps to: a debugger shows the text of the first as if it ran.
fn joins(facts: &MethodFacts, flow: &Flow, binding: &IlBinding, notes: &mut Notes<'_>) {
    let owner = |offset: u32| facts.points.partition_point(|point| point.offset <= offset).checked_sub(1);
    for jumps in flow.jumps.chunk_by(|one, next| one.0 == next.0) {
        let Some(&(target, _)) = jumps.first() else { continue };
        let Some((index, point)) = owner(target).and_then(|index| Some((index, facts.points.get(index)?))) else {
            continue;
        };
        let makes_code = match binding.answer(target) {
            FromIl::Accepted => true,
            FromIl::Refused(cause) => matches!(cause, RefusalCause::StackAfterResult | RefusalCause::StackNotEmpty),
            FromIl::Unknown(_) => false,
        };
        let is_own = flow.runs_into(target) || jumps.iter().any(|(_, source)| owner(*source) == Some(index));
        // A step to a brace says nothing wrong.
        let is_brace = point.end_line == point.start_line && point.end_column == point.start_column + 1;
        if point.offset == target || point.is_hidden() || is_brace || !makes_code || !is_own {
            continue;
        }
        let other = jumps.iter().find_map(|&(_, source)| {
            let from = facts.points.get(owner(source)?)?;
            let differs = !from.is_hidden()
                && !(from.document == point.document && (encloses(point, from) || encloses(from, point)));
            differs.then_some((source, from))
        });
        if let Some((source, from)) = other {
            let sentence = || {
                let [source, target] = [source, target].map(|offset| il_label(offset.into()));
                let [from, point] = [from, point].map(range_text);
                format!(
                    "a step from {source}, {from}, ends at {target}, in the middle of {point}, whose text a debugger shows"
                )
            };
            notes("stepping-join", index, &sentence);
        }
    }
}

const fn start(point: &SequencePoint) -> (u32, u32) {
    (point.start_line, point.start_column)
}

const fn range(point: &SequencePoint) -> [(u32, u32); 2] {
    [start(point), (point.end_line, point.end_column)]
}

/// Returns true if the text of the outer point contains that of the inner one, or is the same.
fn encloses(outer: &SequencePoint, inner: &SequencePoint) -> bool {
    let ([start, end], [inner_start, inner_end]) = (range(outer), range(inner));
    start <= inner_start && inner_end <= end
}
