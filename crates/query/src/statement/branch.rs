//! Branches inside a range: a graph of decisions, reduced to conditions and merged to values.

use std::collections::HashMap;

use pdblens_formats::il::{FlowControl, Instruction, Operation};
use pdblens_formats::signature::Primitive;

use super::body::{Body, target};
use super::evaluate::State;
use super::library::{Class, boolean, unknown};
use super::node::{Id, Kind, THROW};
use super::sentences::Sentences;

/// The way in which control leaves a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    To(u32),
    Return(Option<Id>),
    Throw(Id),
    Switch(Id),
    Filter(Id),
    End,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The test, and the steps that follow where it holds and where not.
    Decide(Id, usize, usize),
    Leave(Exit, State),
}

#[derive(Debug, Default)]
pub(super) struct Graph {
    pub steps: Vec<Step>,
    known: HashMap<(u32, Vec<Id>, Vec<Id>), usize>,
}

/// The part of the code that is evaluated, with where its paths join.
pub(super) struct Range {
    pub start: u32,
    pub end: u32,
    first: usize,
    /// Offset at which all forward paths from an instruction meet; [`NOWHERE`] if they do not.
    joins: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;
/// The join of paths that all throw.
const THROWN: u32 = u32::MAX - 1;
const MAX_STEPS: usize = 400;
/// Steps that wait for others; a thread's stack is small.
const MAX_NESTED: usize = 200;
const MAX_STACK: usize = 300;
const MAX_DEPTH: usize = 48;

impl Range {
    pub fn new(body: &Body<'_>, start: u32, end: u32) -> Self {
        let (first, last) = (body.position(start), body.position(end));
        let mut range = Self { start, end, first, joins: vec![NOWHERE; last.saturating_sub(first)] };
        for position in (first..last).rev() {
            let Some(instruction) = body.code.get(position) else { continue };
            let forward = target(instruction).filter(|target| *target > instruction.offset);
            let join = match (instruction.opcode.flow, followed(body, position), forward) {
                (FlowControl::Throw, ..) => THROWN,
                (FlowControl::CondBranch, None, Some(target)) => range.meet(body, target, instruction.next()),
                (FlowControl::CondBranch, Some(target), _) | (FlowControl::Branch, _, Some(target)) => target,
                (FlowControl::Return | FlowControl::CondBranch | FlowControl::Branch, ..) => NOWHERE,
                _ => instruction.next(),
            };
            if let Some(slot) = range.joins.get_mut(position - first)
                && (join > instruction.offset && join <= end || join == THROWN)
            {
                *slot = join;
            }
        }
        range
    }

    /// The first offset that both paths lead to. A path that throws does not count.
    fn meet(&self, body: &Body<'_>, a: u32, b: u32) -> u32 {
        let (mut a, mut b) = (a, b);
        while a != b {
            if a == THROWN || b == THROWN {
                return a.min(b);
            }
            if a.max(b) > self.end {
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
        let position = body.position(offset).checked_sub(self.first);
        position.and_then(|position| self.joins.get(position)).copied().unwrap_or(NOWHERE)
    }
}

/// The target of a branch that is always taken as far as the source says: past the suspension of an `await`.
pub(super) fn followed(body: &Body<'_>, position: usize) -> Option<u32> {
    body.kickoff.as_ref()?;
    let [call, branch, after, state, ..] = body.code.get(position.checked_sub(1)?..)? else { return None };
    // `get_IsCompleted` is followed by the store of the state.
    let is_suspension = call.opcode.operation() == Operation::Call
        && branch.opcode.operation() == Operation::BranchIfTrue
        && after.loads_this()
        && state.opcode.operation() == Operation::LoadNumber;
    if is_suspension { target(branch) } else { None }
}

impl Graph {
    fn add(&mut self, step: Step) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }

    fn uses(&self, step: usize) -> usize {
        let uses = |found: &Step| match found {
            Step::Decide(_, yes, no) => usize::from(*yes == step) + usize::from(*no == step),
            Step::Leave(..) => 0,
        };
        self.steps.iter().map(uses).sum()
    }
}

/// Number of effects that two arms have in common: those before the decision between them.
fn common(a: &[Id], b: &[Id]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

impl<'s> Sentences<'_, 's> {
    /// The graph of the code from an offset to the end of the range or to `stop`: its first step.
    pub fn flow(&mut self, range: &Range, graph: &mut Graph, from: u32, stop: u32) -> usize {
        let key = (from, self.values.state.stack.clone(), self.values.state.effects.clone());
        if let Some(known) = graph.known.get(&key) {
            return *known;
        }
        if self.nested > MAX_NESTED {
            return self.leave(graph, Exit::To(from));
        }
        self.nested += 1;
        let step = self.walk(range, graph, from, stop);
        self.nested -= 1;
        if from != stop {
            graph.known.insert(key, step);
        }
        step
    }

    fn leave(&mut self, graph: &mut Graph, exit: Exit) -> usize {
        graph.add(Step::Leave(exit, std::mem::take(&mut self.values.state)))
    }

    fn walk(&mut self, range: &Range, graph: &mut Graph, from: u32, stop: u32) -> usize {
        let mut offset = from;
        loop {
            let is_outside = offset == stop || offset >= range.end || offset < range.start;
            let is_too_much = graph.steps.len() > MAX_STEPS
                || self.values.nodes.is_full()
                || self.values.state.stack.len() > MAX_STACK;
            if is_outside || is_too_much {
                return self.leave(graph, Exit::To(offset));
            }
            let Some(instruction) = self.values.body.code.get(self.values.body.position(offset)) else {
                return self.leave(graph, Exit::To(offset));
            };
            let exit = match (instruction.opcode.operation(), instruction.opcode.flow) {
                (Operation::Switch, _) => Exit::Switch(self.values.pop()),
                (Operation::Return, _) => Exit::Return(self.values.state.stack.pop()),
                (Operation::EndFilter, _) => Exit::Filter(self.values.pop()),
                (Operation::Throw, _) => Exit::Throw(self.values.pop()),
                (_, FlowControl::Branch) => {
                    let target = target(instruction).unwrap_or(range.end);
                    if target > offset {
                        offset = target;
                        continue;
                    }
                    Exit::To(target)
                }
                (_, FlowControl::CondBranch) => match self.decide(range, graph, instruction, stop) {
                    Ok(next) => {
                        offset = next;
                        continue;
                    }
                    Err(step) => return step,
                },
                (_, flow) => {
                    self.values.step(instruction);
                    if !matches!(flow, FlowControl::Throw | FlowControl::Return) {
                        offset = instruction.next();
                        continue;
                    }
                    Exit::End
                }
            };
            return self.leave(graph, exit);
        }
    }

    /// A conditional branch: the offset at which to go on, or the step that it is.
    fn decide(
        &mut self,
        range: &Range,
        graph: &mut Graph,
        instruction: &Instruction<'s>,
        stop: u32,
    ) -> Result<u32, usize> {
        let opcode = instruction.opcode;
        let (to, next) = (target(instruction).unwrap_or(range.end), instruction.next());
        let is_true = opcode.operation() == Operation::BranchIfTrue;
        let test = if let Operation::BranchIf(condition) = opcode.operation() {
            let (right, left) = (self.values.pop(), self.values.pop());
            self.values.nodes.comparison(condition, opcode.is_unsigned(), left, right)
        } else {
            let value = self.values.pop();
            let kind = self.values.nodes.kind(value).clone();
            let test = self.values.nodes.condition(value);
            if let Some(target) = followed(self.values.body, self.values.body.position(instruction.offset)) {
                return Ok(target);
            }
            match kind {
                // The cache of a lambda: the way on which it is made.
                Kind::Opaque("cache") => return Ok(if is_true { next } else { to }),
                Kind::Opaque("completed") => return Ok(if is_true { to } else { next }),
                _ => self.values.tested.push(value),
            }
            if is_true { test } else { self.values.nodes.not(test) }
        };
        if let Some(number) = self.values.nodes.number(test)
            && to > instruction.offset
        {
            return Ok(if number != 0 { to } else { next });
        }
        let join = range.join(self.values.body, instruction.offset);
        if join <= range.end && join != stop {
            let before = std::mem::take(&mut self.values.state.effects);
            let state = self.values.state.clone();
            let mut inner = Graph::default();
            let yes = self.flow(range, &mut inner, to, join);
            self.values.state = state.clone();
            let no = self.flow(range, &mut inner, next, join);
            let root = self.decided(&mut inner, test, yes, no);
            self.values.state = State { effects: before, ..state };
            self.join(&mut inner, root);
            return Ok(join);
        }
        let state = self.values.state.clone();
        let yes = match to {
            _ if to > instruction.offset => self.flow(range, graph, to, stop),
            _ => self.leave(graph, Exit::To(to)),
        };
        self.values.state = state;
        let no = self.flow(range, graph, next, stop);
        Err(self.decided(graph, test, yes, no))
    }

    /// A decision whose test has no `!` before it.
    fn decided(&self, graph: &mut Graph, test: Id, yes: usize, no: usize) -> usize {
        match self.values.nodes.kind(test) {
            Kind::Unary("!") => graph.add(Step::Decide(self.values.nodes.get(test).kids[0], no, yes)),
            _ => graph.add(Step::Decide(test, yes, no)),
        }
    }

    /// Reduces the decisions of a graph, and merges what the paths to one join leave into the state.
    fn join(&mut self, graph: &mut Graph, root: usize) {
        self.reduce(graph, root);
        let mut effects = std::mem::take(&mut self.values.state.effects);
        if let Some((exit, merged)) = self.merge(graph, root, 0) {
            self.values.state = merged;
            if let Exit::Throw(value) = exit {
                self.values.effect(Kind::Form(THROW, unknown()), vec![value]);
            }
        }
        effects.append(&mut self.values.state.effects);
        self.values.state.effects = effects;
    }

    /// The state at the join of all paths from a step, and the exit that they take; [`Exit::Throw`] if they all throw.
    pub fn merge(&mut self, graph: &Graph, step: usize, depth: usize) -> Option<(Exit, State)> {
        let (test, yes, no) = match graph.steps.get(step)? {
            _ if depth > MAX_DEPTH => return None,
            Step::Leave(exit, state) => return Some((*exit, state.clone())),
            Step::Decide(test, yes, no) => (*test, *yes, *no),
        };
        let deeper = depth + 1;
        let (yes, no) = (self.merge(graph, yes, deeper)?, self.merge(graph, no, deeper)?);
        Some(match (yes, no) {
            ((Exit::Throw(_), _), (Exit::Throw(value), state)) => (Exit::Throw(value), state),
            ((Exit::Throw(value), thrown), (exit, state)) => self.thrown(test, (value, thrown), exit, state),
            ((exit, state), (Exit::Throw(value), thrown)) => {
                let test = self.values.nodes.not(test);
                self.thrown(test, (value, thrown), exit, state)
            }
            ((Exit::Return(Some(a)), yes), (Exit::Return(Some(b)), no)) => {
                let value = self.merge_values(test, a, b);
                (Exit::Return(Some(value)), self.merge_states(test, yes, no))
            }
            ((exit, yes), (_, no)) => (exit, self.merge_states(test, yes, no)),
        })
    }

    /// `test ? throw value : …`, or `if (test) throw value` where no value is left.
    fn thrown(&mut self, test: Id, (value, arm): (Id, State), exit: Exit, mut state: State) -> (Exit, State) {
        let before = common(&arm.effects, &state.effects);
        let thrown = self.values.nodes.node(Kind::Form(THROW, unknown()), vec![value], unknown());
        let top =
            state.stack.last().copied().filter(|top| state.effects.len() == before && self.values.nodes.is_own(*top));
        match (exit, top) {
            (Exit::Return(Some(value)), _) => {
                return (Exit::Return(Some(self.values.nodes.choose(test, thrown, value))), state);
            }
            (_, Some(top)) => {
                state.stack.pop();
                state.stack.push(self.values.nodes.choose(test, thrown, top));
            }
            _ => state.effects.insert(before, self.values.nodes.node(Kind::If, vec![test, thrown], unknown())),
        }
        (exit, state)
    }

    fn merge_states(&mut self, test: Id, yes: State, no: State) -> State {
        let stack = yes.stack.iter().zip(&no.stack).map(|(a, b)| self.merge_values(test, *a, *b)).collect();
        let mut temporaries = no.temporaries;
        for (key, a) in yes.temporaries {
            let value = temporaries.get(&key).map_or(a, |b| self.merge_values(test, a, *b));
            temporaries.insert(key, value);
        }
        let common = common(&yes.effects, &no.effects);
        let (before, yes) = yes.effects.split_at(common);
        let arms = self.merge_effects(test, yes, &no.effects[common..]);
        State { stack, temporaries, effects: [before, &arms].concat() }
    }

    fn merge_values(&mut self, test: Id, yes: Id, no: Id) -> Id {
        if yes == no {
            return yes;
        }
        // An arm whose value is the tested condition is a constant, and a number beside a condition is one.
        let opposite =
            if self.values.nodes.class(test) == Class::Bool { Some(self.values.nodes.not(test)) } else { None };
        let arm = |this: &mut Self, value: Id, other: Id, holds: i64| {
            let is_test = this.values.nodes.class(test) == Class::Bool;
            let number = match this.values.nodes.number(value) {
                Some(number @ (0 | 1)) if this.values.nodes.class(other) == Class::Bool => number,
                _ if is_test && value == test => holds,
                _ if opposite.is_some_and(|opposite| this.values.nodes.same(opposite, value)) => holds ^ 1,
                _ => return value,
            };
            this.values.nodes.int(number, Primitive::Boolean)
        };
        let (a, b) = (arm(self, yes, no, 1), arm(self, no, yes, 0));
        self.values.nodes.choose(test, a, b)
    }

    fn merge_effects(&mut self, test: Id, yes: &[Id], no: &[Id]) -> Vec<Id> {
        let only = match (yes, no) {
            ([one], []) => Some((*one, true)),
            ([], [one]) => Some((*one, false)),
            _ => None,
        };
        if let (Some((one, holds)), Some((tested, is_some))) = (only, self.values.nodes.tested_value(test)) {
            // `a?.M()`
            if is_some == holds && self.values.nodes.tested_in(one, tested) == Some(tested) {
                return vec![self.values.nodes.node(Kind::Chain, vec![tested, one], unknown())];
            }
            // `a ??= b`
            if is_some != holds
                && let Some((target, value)) = self.values.nodes.assigned(one)
                && self.values.nodes.same(tested, target)
            {
                return vec![self.values.nodes.node(Kind::Assign("??="), vec![target, value], unknown())];
            }
        }
        if let ([a], [b]) = (yes, no)
            && let (Some((target, a)), Some((other, b))) =
                (self.values.nodes.assigned(*a), self.values.nodes.assigned(*b))
            && self.values.nodes.same(target, other)
        {
            let value = self.merge_values(test, a, b);
            return vec![self.values.nodes.node(Kind::Assign("="), vec![target, value], unknown())];
        }
        let mut effects = Vec::new();
        for (test, arm) in [(test, yes), (self.values.nodes.not(test), no)] {
            if !arm.is_empty() {
                let kids = std::iter::once(&test).chain(arm).copied().collect();
                effects.push(self.values.nodes.node(Kind::If, kids, unknown()));
            }
        }
        effects
    }

    /// Folds decisions into conditions: `a && b`, `a || b`.
    pub fn reduce(&mut self, graph: &mut Graph, root: usize) {
        while self.reduce_once(graph, root, 0) {}
    }

    fn reduce_once(&mut self, graph: &mut Graph, step: usize, depth: usize) -> bool {
        let Some(Step::Decide(test, yes, no)) = graph.steps.get(step) else { return false };
        let (test, yes, no) = (*test, *yes, *no);
        if depth > 100 {
            return false;
        }
        for (operator, arm, other) in [("&&", yes, no), ("||", no, yes)] {
            if graph.uses(arm) == 1
                && let Some(Step::Decide(inner, a, b)) = graph.steps.get(arm).cloned()
                && (a == other || b == other)
            {
                // The inner decision has one target in common with the outer one, which `&&` takes where it does not hold.
                let is_opposite = (operator == "&&") == (a == other) && a != b;
                let inner = if is_opposite { self.values.nodes.not(inner) } else { inner };
                let target = if a == other { b } else { a };
                let folded = self.values.nodes.node(Kind::Binary(operator), vec![test, inner], boolean());
                let (yes, no) = if operator == "&&" { (target, no) } else { (yes, target) };
                if let Some(Step::Decide(test, a, b)) = graph.steps.get_mut(step) {
                    (*test, *a, *b) = (folded, yes, no);
                }
                graph.steps[arm] = Step::Leave(Exit::End, State::default());
                return true;
            }
        }
        let deeper = depth + 1;
        self.reduce_once(graph, yes, deeper) || self.reduce_once(graph, no, deeper)
    }
}
