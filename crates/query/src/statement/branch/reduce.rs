//! Folds decisions into conditions: `a && b`, `a || b`, `o is T t`.

use pdblens_formats::signature::Primitive;

use super::super::evaluate::{Evaluator, State};
use super::super::node::{Id, Kind};
use super::super::types::primitive;
use super::{Exit, Graph, Step};

impl Evaluator<'_, '_> {
    /// Folds decisions into conditions: `a && b`, `a || b`.
    pub fn reduce(&mut self, graph: &mut Graph, root: usize) -> usize {
        loop {
            self.share_leaves(graph);
            let mut uses = vec![0_u32; graph.steps.len()];
            count_uses(graph, root, &mut uses, 0);
            if !self.reduce_once(graph, root, &uses, 0) {
                return root;
            }
        }
    }

    /// Lets equal leaves be one.
    fn share_leaves(&self, graph: &mut Graph) {
        let mut same: Vec<usize> = (0..graph.steps.len()).collect();
        let mut leaves: Vec<usize> = Vec::new();
        for (number, step) in graph.steps.iter().enumerate() {
            let Step::Leave(exit, state) = step else { continue };
            let found = leaves.iter().find(|known| match &graph.steps[**known] {
                Step::Leave(other, of) => self.is_same_leaf((exit, state), (other, of)),
                Step::Decide { .. } => false,
            });
            match found {
                Some(known) => {
                    if let Some(slot) = same.get_mut(number) {
                        *slot = *known;
                    }
                }
                None if leaves.len() < 32 => leaves.push(number),
                None => {}
            }
        }
        for step in &mut graph.steps {
            if let Step::Decide { yes, no, .. } = step {
                (*yes, *no) = (same[*yes], same[*no]);
            }
        }
    }

    fn is_same_leaf(&self, a: (&Exit, &State), b: (&Exit, &State)) -> bool {
        let is_equal =
            |a: Id, b: Id| a == b || matches!((self.arena.int(a), self.arena.int(b)), (Some(a), Some(b)) if a == b);
        let exits = match (a.0, b.0) {
            (Exit::Return(Some(a)), Exit::Return(Some(b))) => is_equal(*a, *b),
            (a, b) => a == b,
        };
        exits
            && a.1.effects.is_empty()
            && b.1.effects.is_empty()
            && a.1.stack.len() == b.1.stack.len()
            && a.1.stack.iter().zip(&b.1.stack).all(|(a, b)| is_equal(*a, *b))
            && a.1.temporaries == b.1.temporaries
    }

    fn reduce_once(&mut self, graph: &mut Graph, step: usize, uses: &[u32], depth: usize) -> bool {
        let Some(Step::Decide { test, yes, no, .. }) = graph.steps.get(step).cloned() else { return false };
        if depth > 100 {
            return false;
        }
        if yes == no && matches!(graph.steps.get(yes), Some(Step::Leave(..))) && self.arena.int(test).is_some() {
            return false;
        }
        self.designate(graph, test, yes);
        if uses.get(yes) == Some(&1)
            && let Some(Step::Decide { before, test: inner, yes: a, no: b }) = graph.steps.get(yes).cloned()
            && (a == no || b == no)
            && let Some(inner) = self.with_effects(&before, inner)
        {
            let (inner, target) = if b == no { (inner, a) } else { (self.not(inner), b) };
            let test = self.node(Kind::Binary("&&"), vec![test, inner], primitive(Primitive::Boolean));
            graph.set(step, test, target, no);
            return true;
        }
        if uses.get(no) == Some(&1)
            && let Some(Step::Decide { before, test: inner, yes: a, no: b }) = graph.steps.get(no).cloned()
            && (a == yes || b == yes)
            && let Some(inner) = self.with_effects(&before, inner)
        {
            let (inner, target) = if a == yes { (inner, b) } else { (self.not(inner), a) };
            let test = self.node(Kind::Binary("||"), vec![test, inner], primitive(Primitive::Boolean));
            graph.set(step, test, yes, target);
            return true;
        }
        self.reduce_once(graph, yes, uses, depth + 1) || self.reduce_once(graph, no, uses, depth + 1)
    }

    /// `o is int n`: the variable that is assigned the tested value where the test holds.
    fn designate(&mut self, graph: &mut Graph, test: Id, yes: usize) {
        let Kind::Is(ty, None) = self.arena.kind(test).clone() else { return };
        let effects = match graph.steps.get_mut(yes) {
            Some(Step::Decide { before, .. }) => before,
            Some(Step::Leave(_, state)) => &mut state.effects,
            None => return,
        };
        let Some(first) = effects.first().copied() else { return };
        let node = self.arena.get(first);
        let (Kind::Assign("="), [variable, value]) = (&node.kind, &node.kids[..]) else { return };
        let (Kind::Name(name), Some(source)) = (self.arena.kind(*variable), self.arena.kid(self.arena.bare(*value), 0))
        else {
            return;
        };
        let tested = self.arena.get(test).kids[0];
        if matches!(self.arena.kind(*value), Kind::Cast(_)) && self.arena.same(source, tested) {
            let name = name.clone();
            effects.remove(0);
            self.arena.get_mut(test).kind = Kind::Is(ty, Some(name));
        }
    }

    /// The condition with what is assigned before it: `(x = …) != null`, `o is T t`. None if the effects are others.
    pub fn with_effects(&mut self, before: &[Id], test: Id) -> Option<Id> {
        for effect in before.iter().rev() {
            let node = self.arena.get(*effect).clone();
            if !matches!(node.kind, Kind::Assign("=")) || !self.put_in(test, *effect, 0) {
                return None;
            }
        }
        Some(test)
    }

    /// Puts an assignment into the place of its variable or of its value in a condition.
    fn put_in(&mut self, tree: Id, effect: Id, depth: usize) -> bool {
        let (variable, value) = (self.arena.get(effect).kids[0], self.arena.get(effect).kids[1]);
        for number in 0..self.arena.get(tree).kids.len() {
            let kid = self.arena.get(tree).kids[number];
            if kid == effect {
                return true;
            }
            let is_it = kid == value || matches!(self.arena.kind(kid), Kind::Name(_)) && self.arena.same(kid, variable);
            if is_it {
                if let (Kind::As(ty), Kind::Name(name), Kind::Binary("!=" | "==")) = (
                    self.arena.kind(self.arena.bare(value)).clone(),
                    self.arena.kind(variable).clone(),
                    self.arena.kind(tree).clone(),
                ) {
                    let source = self.arena.get(self.arena.bare(value)).kids[0];
                    let is_not = matches!(self.arena.kind(tree), Kind::Binary("=="));
                    let found = self.node(Kind::Is(ty, Some(name)), vec![source], primitive(Primitive::Boolean));
                    let node = self.arena.get_mut(tree);
                    if is_not {
                        (node.kind, node.kids) = (Kind::Unary("!"), vec![found]);
                    } else {
                        let found = self.arena.get(found).clone();
                        *self.arena.get_mut(tree) = found;
                    }
                    return true;
                }
                self.arena.get_mut(tree).kids[number] = effect;
                return true;
            }
            if depth < 8 && self.put_in(kid, effect, depth + 1) {
                return true;
            }
        }
        false
    }
}

/// Counts how many decisions lead to each step.
fn count_uses(graph: &Graph, step: usize, uses: &mut [u32], depth: usize) {
    let Some(count) = uses.get_mut(step) else { return };
    *count += 1;
    if *count > 1 || depth > 200 {
        return;
    }
    if let Some(Step::Decide { yes, no, .. }) = graph.steps.get(step) {
        count_uses(graph, *yes, uses, depth + 1);
        count_uses(graph, *no, uses, depth + 1);
    }
}
