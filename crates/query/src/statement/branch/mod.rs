//! Branches inside a range: a graph of decisions, reduced to conditions and merged to values.

mod merge;
mod reduce;

use std::collections::HashMap;

use pdblens_formats::il::{FlowControl, Instruction};

use super::body::Body;
use super::evaluate::{Evaluator, State};
use super::node::{Id, Kind};

/// The way in which control leaves a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Goes on at an offset.
    To(u32),
    Return(Option<Id>),
    Throw(Id),
    /// Jumps by a table, on a value.
    Switch(Id),
    /// Ends a filter with a condition.
    Filter(Id),
    /// Ends a `finally` block.
    End,
}

/// A node of the graph of decisions of a range.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Decide {
        /// Effects before the decision.
        before: Vec<Id>,
        test: Id,
        yes: usize,
        no: usize,
    },
    Leave(Exit, State),
}

/// The graph of a range.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub steps: Vec<Step>,
    /// Steps by offset and stack.
    known: HashMap<(u32, Vec<Id>), usize>,
}

/// The part of the code that is evaluated, with where its paths join.
pub(super) struct Range {
    pub start: u32,
    pub end: u32,
    /// Position of the first instruction.
    first: usize,
    /// Offset at which all forward paths from an instruction meet; [`NOWHERE`] if they do not.
    joins: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;
/// The join of paths that all throw.
const THROWN: u32 = u32::MAX - 1;
/// Steps of one range.
const MAX_STEPS: usize = 400;
/// Steps that wait for others; a thread's stack is small.
const MAX_NESTED: usize = 200;
/// Values on the stack; C# needs few.
const MAX_STACK: usize = 300;
/// Depth of ranges inside ranges.
const MAX_DEPTH: usize = 24;

impl Range {
    pub fn new(body: &Body<'_>, start: u32, end: u32) -> Self {
        let (first, last) = (body.position(start), body.position(end));
        let mut range = Self { start, end, first, joins: vec![NOWHERE; last.saturating_sub(first)] };
        for position in (first..last).rev() {
            let Some(instruction) = body.code.get(position) else { continue };
            let join = match instruction.opcode.flow {
                FlowControl::Throw => THROWN,
                FlowControl::Return => NOWHERE,
                FlowControl::Branch => Body::target(instruction).unwrap_or(NOWHERE),
                FlowControl::CondBranch => match followed(body, position) {
                    Some(target) => target,
                    None => match Body::target(instruction) {
                        Some(target) if target > instruction.offset => range.meet(body, target, instruction.next()),
                        _ => NOWHERE,
                    },
                },
                _ => instruction.next(),
            };
            let is_inside = join > instruction.offset && join <= end || join == THROWN;
            if let Some(slot) = range.joins.get_mut(position - first) {
                *slot = if is_inside { join } else { NOWHERE };
            }
        }
        range
    }

    /// The first offset that both paths lead to.
    fn meet(&self, body: &Body<'_>, a: u32, b: u32) -> u32 {
        let (mut a, mut b) = (a, b);
        while a != b {
            if a == THROWN {
                return b;
            }
            if b == THROWN {
                return a;
            }
            if a == NOWHERE || b == NOWHERE || a > self.end || b > self.end {
                // A path that throws does not count.
                return NOWHERE;
            }
            if a < b {
                a = self.join(body, a);
            } else {
                b = self.join(body, b);
            }
        }
        a
    }

    fn join(&self, body: &Body<'_>, offset: u32) -> u32 {
        let position = body.position(offset);
        position.checked_sub(self.first).and_then(|position| self.joins.get(position)).copied().unwrap_or(NOWHERE)
    }
}

/// The target of a branch that is always taken as far as the source says: past the suspension of an `await`.
fn followed(body: &Body<'_>, position: usize) -> Option<u32> {
    let instruction = body.code.get(position)?;
    body.kickoff.as_ref()?;
    let before = body.code.get(position.checked_sub(1)?)?;
    let is_call = before.opcode.name.starts_with("call");
    let takes_one = instruction.opcode.name.starts_with("brtrue");
    if !is_call || !takes_one {
        return None;
    }
    // `get_IsCompleted` is followed by the store of the state.
    let after = body.code.get(position + 1)?;
    let state = body.code.get(position + 2)?;
    let is_suspension = after.opcode.name == "ldarg.0" && state.opcode.name.starts_with("ldc.i4");
    if is_suspension { Body::target(instruction) } else { None }
}

impl Graph {
    fn add(&mut self, step: Step) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }
}

impl<'s> Evaluator<'_, 's> {
    /// Evaluates a range from an offset until `stop` or its exits. Returns the first step.
    pub fn flow(
        &mut self,
        range: &Range,
        graph: &mut Graph,
        from: u32,
        stop: u32,
        state: State,
        depth: usize,
    ) -> usize {
        let key = (from, state.stack.clone());
        if let Some(known) = graph.known.get(&key)
            && state.effects.is_empty()
        {
            return *known;
        }
        if self.nested > MAX_NESTED {
            return graph.leave(Exit::To(from), state);
        }
        self.nested += 1;
        let step = self.walk(range, graph, from, stop, state, depth);
        self.nested -= 1;
        if from != stop {
            graph.known.insert(key, step);
        }
        step
    }

    /// Evaluates instructions up to a decision or an exit.
    fn walk(
        &mut self,
        range: &Range,
        graph: &mut Graph,
        from: u32,
        stop: u32,
        mut state: State,
        depth: usize,
    ) -> usize {
        let mut position = self.body.position(from);
        let mut offset = from;
        loop {
            let is_outside = offset == stop || offset >= range.end || offset < range.start;
            let is_too_much = graph.steps.len() > MAX_STEPS || self.arena.is_full() || state.stack.len() > MAX_STACK;
            let Some(instruction) = self.body.code.get(position).copied().filter(|_| !is_outside && !is_too_much)
            else {
                break graph.leave(Exit::To(offset), state);
            };
            let next = match instruction.opcode.flow {
                FlowControl::Branch => {
                    let target = Body::target(&instruction).unwrap_or(range.end);
                    if target <= offset {
                        break graph.leave(Exit::To(target), state);
                    }
                    target
                }
                FlowControl::CondBranch => match self.decide(range, graph, &instruction, stop, &mut state, depth) {
                    Ok(next) => next,
                    Err(step) => break step,
                },
                FlowControl::Return => break self.returns(graph, &instruction, state),
                FlowControl::Throw if instruction.opcode.name == "throw" => {
                    let value = self.pop(&mut state);
                    break graph.leave(Exit::Throw(value), state);
                }
                FlowControl::Throw => {
                    self.step(&instruction, &mut state);
                    break graph.leave(Exit::End, state);
                }
                _ => {
                    self.step(&instruction, &mut state);
                    position += 1;
                    offset = instruction.next();
                    continue;
                }
            };
            offset = next;
            position = self.body.position(offset);
        }
    }

    fn returns(&mut self, graph: &mut Graph, instruction: &Instruction<'s>, mut state: State) -> usize {
        let exit = match instruction.opcode.name {
            "ret" => Exit::Return(state.stack.pop()),
            "endfilter" => {
                let value = self.pop(&mut state);
                Exit::Filter(value)
            }
            _ => Exit::End,
        };
        graph.leave(exit, state)
    }

    /// A conditional branch: the offset at which to go on, or the step that it is.
    fn decide(
        &mut self,
        range: &Range,
        graph: &mut Graph,
        instruction: &Instruction<'s>,
        stop: u32,
        state: &mut State,
        depth: usize,
    ) -> Result<u32, usize> {
        let name = instruction.opcode.name;
        if name == "switch" {
            let value = self.pop(state);
            return Err(graph.leave(Exit::Switch(value), std::mem::take(state)));
        }
        let position = self.body.position(instruction.offset);
        let target = Body::target(instruction).unwrap_or(range.end);
        let (test, value) = self.test(name, state);
        if let Some(target) = followed(self.body, position) {
            return Ok(target);
        }
        if let Some(value) = value {
            match self.arena.kind(value) {
                // The cache of a lambda: the way on which it is made.
                Kind::Opaque("cache") => {
                    return Ok(if name.starts_with("brtrue") { instruction.next() } else { target });
                }
                Kind::Opaque("completed") => {
                    return Ok(if name.starts_with("brtrue") { target } else { instruction.next() });
                }
                _ => self.tested.push(value),
            }
        }
        if let Some(number) = self.arena.int(test)
            && target > instruction.offset
        {
            return Ok(if number != 0 { target } else { instruction.next() });
        }
        let join = range.join(self.body, instruction.offset);
        let before = std::mem::take(&mut state.effects);
        if join <= range.end && join != stop && depth < MAX_DEPTH {
            let mut inner = Graph::default();
            let yes = self.flow(range, &mut inner, target, join, state.clone(), depth + 1);
            let no = self.flow(range, &mut inner, instruction.next(), join, state.clone(), depth + 1);
            let root = self.decision_step(&mut inner, Vec::new(), test, yes, no);
            state.effects = before;
            self.join(&mut inner, root, state);
            return Ok(join);
        }
        let yes = if target <= instruction.offset {
            graph.leave(Exit::To(target), state.clone())
        } else {
            self.flow(range, graph, target, stop, state.clone(), depth)
        };
        let no = self.flow(range, graph, instruction.next(), stop, state.clone(), depth);
        Err(self.decision_step(graph, before, test, yes, no))
    }

    /// A decision whose test has no `!` before it.
    fn decision_step(&self, graph: &mut Graph, before: Vec<Id>, test: Id, yes: usize, no: usize) -> usize {
        match self.arena.kind(test) {
            Kind::Unary("!") => {
                graph.add(Step::Decide { before, test: self.arena.get(test).kids[0], yes: no, no: yes })
            }
            _ => graph.add(Step::Decide { before, test, yes, no }),
        }
    }

    /// The condition of a branch, and the value that it tests alone.
    fn test(&mut self, name: &str, state: &mut State) -> (Id, Option<Id>) {
        if name.starts_with("brtrue") || name.starts_with("brfalse") {
            let value = self.pop(state);
            let mut test = self.condition(value);
            if name.starts_with("brfalse") {
                test = self.not(test);
            }
            return (test, Some(value));
        }
        let (right, left) = (self.pop(state), self.pop(state));
        (self.comparison(name, left, right), None)
    }
}

impl Graph {
    pub fn leave(&mut self, exit: Exit, state: State) -> usize {
        self.add(Step::Leave(exit, state))
    }
}

impl Graph {
    fn set(&mut self, step: usize, to: Id, to_yes: usize, to_no: usize) {
        if let Some(Step::Decide { test, yes, no, .. }) = self.steps.get_mut(step) {
            (*test, *yes, *no) = (to, to_yes, to_no);
        }
    }
}
