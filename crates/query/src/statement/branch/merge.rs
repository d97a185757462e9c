//! Merges what the ways through a decision leave behind: `?:`, `??`, `?.` and conditional effects.

use pdblens_formats::signature::Primitive;

use super::super::evaluate::{Evaluator, State};
use super::super::node::{Id, Kind};
use super::super::types::{Class, class, primitive, unknown};
use super::{Exit, Graph, MAX_DEPTH, Step};

impl Evaluator<'_, '_> {
    /// Reduces the decisions of a graph, and merges what the paths to one join leave into the state.
    pub(super) fn join(&mut self, graph: &mut Graph, root: usize, state: &mut State) {
        let root = self.reduce(graph, root);
        let outer = std::mem::take(&mut state.effects);
        let merged = match self.merge(graph, root, 0) {
            Some((exit, merged)) => {
                *state = merged;
                exit
            }
            None => Exit::End,
        };
        if let Exit::Throw(value) = merged {
            let value = self.node(Kind::Throw, vec![value], unknown());
            state.effects.push(value);
        }
        let inner = std::mem::replace(&mut state.effects, outer);
        state.effects.extend(inner);
    }

    /// The state at the join of all paths from a step; [`Exit::Throw`] if they all throw.
    pub(super) fn merge(&mut self, graph: &Graph, step: usize, depth: usize) -> Option<(Exit, State)> {
        if depth > MAX_DEPTH * 2 {
            return None;
        }
        let (before, test, yes, no) = match graph.steps.get(step)? {
            Step::Leave(exit, state) => return Some((*exit, state.clone())),
            Step::Decide { before, test, yes, no } => (before.clone(), *test, *yes, *no),
        };
        let yes = self.merge(graph, yes, depth + 1)?;
        let no = self.merge(graph, no, depth + 1)?;
        let mut test = test;
        let (exit, mut state) = match (yes, no) {
            ((Exit::Throw(value), _), (exit, state)) if !matches!(exit, Exit::Throw(_)) => {
                self.thrown(test, value, exit, state)
            }
            ((exit, state), (Exit::Throw(value), _)) if !matches!(exit, Exit::Throw(_)) => {
                test = self.not(test);
                self.thrown(test, value, exit, state)
            }
            ((exit, yes), (_, no)) => (exit, self.merge_states(test, yes, no)),
        };
        if !before.is_empty() {
            state.effects.splice(0..0, before);
        }
        Some((exit, state))
    }

    /// `test ? throw value : …`, or `if (test) throw value` where nothing is left on the stack.
    fn thrown(&mut self, test: Id, value: Id, exit: Exit, mut state: State) -> (Exit, State) {
        let thrown = self.node(Kind::Throw, vec![value], unknown());
        match state.stack.last().copied() {
            Some(top) if state.effects.is_empty() && self.arena.get(top).point == self.arena.point => {
                let chosen = self.choose(test, thrown, top);
                state.stack.pop();
                state.stack.push(chosen);
            }
            _ => {
                let effect = self.node(Kind::If, vec![test, thrown], unknown());
                state.effects.insert(0, effect);
            }
        }
        (exit, state)
    }

    /// The state after a decision of which both ways go on at the same place.
    pub fn merged(&mut self, test: Id, yes: State, no: State) -> State {
        self.merge_states(test, yes, no)
    }

    fn merge_states(&mut self, test: Id, yes: State, no: State) -> State {
        let mut merged = State::default();
        for (a, b) in yes.stack.iter().zip(&no.stack) {
            let value = self.merge_values(test, *a, *b);
            merged.stack.push(value);
        }
        for (of, a) in &yes.temporaries {
            let value = match no.temporary(of) {
                Some(b) => self.merge_values(test, *a, b),
                None => *a,
            };
            merged.temporaries.push((of.clone(), value));
        }
        for (of, b) in &no.temporaries {
            if yes.temporary(of).is_none() {
                merged.temporaries.push((of.clone(), *b));
            }
        }
        merged.effects = self.merge_effects(test, yes.effects, no.effects);
        merged
    }

    fn merge_values(&mut self, test: Id, yes: Id, no: Id) -> Id {
        if yes == no {
            return yes;
        }
        let boolean = |this: &mut Self, value: Id, other: Id| match this.arena.int(value) {
            Some(number @ (0 | 1)) if class(&this.arena.ty(other)) == Class::Bool => {
                this.node(Kind::Int(number), Vec::new(), primitive(Primitive::Boolean))
            }
            _ => value,
        };
        // An arm whose value is the tested condition is a constant.
        let constant =
            |this: &mut Self, number| this.node(Kind::Int(number), Vec::new(), primitive(Primitive::Boolean));
        let mut pair = (yes, no);
        if class(&self.arena.ty(test)) == Class::Bool {
            if pair.0 == test {
                pair.0 = constant(self, 1);
            }
            if pair.1 == test {
                pair.1 = constant(self, 0);
            }
            if matches!(self.arena.kind(test), Kind::Unary("!")) {
                let inner = self.arena.kid(test, 0);
                if inner == Some(pair.0) {
                    pair.0 = constant(self, 0);
                }
                if inner == Some(pair.1) {
                    pair.1 = constant(self, 1);
                }
            }
        }
        let (yes, no) = pair;
        let (yes, no) = (boolean(self, yes, no), boolean(self, no, yes));
        self.choose(test, yes, no)
    }

    fn merge_effects(&mut self, test: Id, yes: Vec<Id>, no: Vec<Id>) -> Vec<Id> {
        match (&yes[..], &no[..]) {
            ([], []) => Vec::new(),
            // `a?.M()`
            ([one], []) | ([], [one]) if self.chained(test, *one, no.is_empty()).is_some() => {
                let root = self.chained(test, *one, no.is_empty()).unwrap_or(*one);
                vec![self.node(Kind::Chain, vec![root, *one], unknown())]
            }
            ([a], [b]) if self.same_target(*a, *b) => {
                let (target, a, b) =
                    (self.arena.get(*a).kids[0], self.arena.get(*a).kids[1], self.arena.get(*b).kids[1]);
                let value = self.merge_values(test, a, b);
                vec![self.node(Kind::Assign("="), vec![target, value], unknown())]
            }
            ([one], []) | ([], [one]) if self.is_filled(test, *one, no.is_empty()) => {
                // `a ??= b`
                let kids = self.arena.get(*one).kids.clone();
                vec![self.node(Kind::Assign("??="), kids, unknown())]
            }
            _ => {
                let mut effects = Vec::new();
                if !yes.is_empty() {
                    let kids = std::iter::once(test).chain(yes).collect();
                    effects.push(self.node(Kind::If, kids, unknown()));
                }
                if !no.is_empty() {
                    let test = self.not(test);
                    let kids = std::iter::once(test).chain(no).collect();
                    effects.push(self.node(Kind::If, kids, unknown()));
                }
                effects
            }
        }
    }

    fn same_target(&self, a: Id, b: Id) -> bool {
        let (a, b) = (self.arena.get(a), self.arena.get(b));
        matches!((&a.kind, &b.kind), (Kind::Assign("="), Kind::Assign("="))) && self.arena.same(a.kids[0], b.kids[0])
    }

    /// The value that a test compares with null, if it is not null where the test is `holds`.
    fn tested_value(&self, test: Id, holds: bool) -> Option<Id> {
        let node = self.arena.get(test);
        let is_it = match &node.kind {
            Kind::Binary("!=") => holds && matches!(self.arena.kind(node.kids[1]), Kind::Null),
            Kind::Binary("==") => !holds && matches!(self.arena.kind(node.kids[1]), Kind::Null),
            Kind::Property(member) => holds && member.name.as_ref() == "get_HasValue",
            Kind::Is(_, None) if holds && node.kids.len() > 1 => return node.kids.get(1).copied(),
            _ => false,
        };
        if is_it { node.kids.first().map(|kid| self.arena.bare(*kid)) } else { None }
    }

    /// The object of a call that is only made if the object is not null.
    fn chained(&self, test: Id, effect: Id, holds: bool) -> Option<Id> {
        let tested = self.tested_value(test, holds)?;
        let root = self.arena.tested_in(effect, tested)?;
        (root == tested).then_some(root)
    }

    fn is_filled(&self, test: Id, effect: Id, is_some: bool) -> bool {
        matches!(self.arena.kind(effect), Kind::Assign("="))
            && self
                .tested_value(test, !is_some)
                .is_some_and(|tested| self.arena.same(tested, self.arena.get(effect).kids[0]))
    }
}
