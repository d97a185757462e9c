//! The statement of one point: its effects, and the way in which control leaves it.

mod spelled;

use std::rc::Rc;

use pdblens_formats::sequence_point::SequencePoint;
use pdblens_formats::signature::Type;

use super::Statement;
use super::branch::{Exit, Graph, Range, Step};
use super::evaluate::{Evaluator, State, Temporary};
use super::node::{Id, Kind};
use super::types::{Class, class, unknown};

/// The end of a statement.
#[derive(Clone, Debug)]
enum Ending {
    Nothing,
    Return(Id),
    Value(Id),
    /// A condition; true for that of a loop.
    Condition(Id, bool),
    Switch(Id),
    Throw(Id),
    Filter(Id),
    YieldBreak,
    /// The variable of a `foreach`.
    Variable(Rc<str>, Rc<Type>),
    Word(&'static str),
}

/// A statement that is not spelled yet.
#[derive(Clone, Debug)]
struct Sentence {
    effects: Vec<Id>,
    ending: Ending,
}

impl Evaluator<'_, '_> {
    /// The statement of a point, and the state after it.
    pub fn statement(
        &mut self,
        index: usize,
        range: (u32, u32),
        mut state: State,
        lambdas: usize,
    ) -> (Option<Statement>, State) {
        let (start, end) = range;
        self.arena.point = index;
        self.calls.clear();
        self.tested.clear();
        self.constrained = None;
        state.effects.clear();
        if self.body.begins_with_exception(start) {
            let ty = self.body.caught(start).map_or_else(unknown, |token| self.library.ty(token, false));
            state.stack = vec![self.node(Kind::Exception, Vec::new(), ty)];
        }
        let Some(point) = self.body.view.points.get(index).copied() else { return (None, state) };
        let range = Range::new(self.body, start, end);
        let mut graph = Graph::default();
        let before = state.clone();
        let root = self.flow(&range, &mut graph, start, u32::MAX - 2, state, 0);
        let root = self.reduce(&mut graph, root);
        let after = after(&graph, root, &before, end);
        let after = self.without_stale(after);
        if point.is_hidden() {
            return (None, after);
        }
        let sentence = self.sentence(&graph, root, &point, &range);
        (Some(self.spelled(&sentence, &point, lambdas)), after)
    }

    /// Drops temporaries that count: their values are no longer those of the next round.
    fn without_stale(&self, mut state: State) -> State {
        state.temporaries.retain(|(_, value)| {
            !matches!(self.arena.kind(*value), Kind::Int(_) | Kind::Binary("+" | "-") | Kind::Step(..))
        });
        state
    }

    fn sentence(&mut self, graph: &Graph, root: usize, point: &SequencePoint, range: &Range) -> Sentence {
        match &graph.steps[root] {
            Step::Leave(exit, state) => {
                let state = state.clone();
                let mut found = self.simple(*exit, state.effects.clone(), &state, point, range);
                self.name_exception(&mut found, range);
                found
            }
            Step::Decide { before, test, yes, no } => {
                let (before, test, yes, no) = (before.clone(), *test, *yes, *no);
                self.decision(graph, root, (before, test, yes, no), point, range)
            }
        }
    }

    /// A `catch`: its variable is assigned first.
    fn name_exception(&mut self, sentence: &mut Sentence, range: &Range) {
        let Some(token) = self.body.caught(range.start) else { return };
        let is_exception = |this: &Self, id: Id| {
            matches!(this.arena.kind(id), Kind::Exception)
                || matches!(this.arena.kind(id), Kind::Assign("="))
                    && matches!(this.arena.kind(this.arena.bare(this.arena.get(id).kids[1])), Kind::Exception)
        };
        let Some(first) = sentence.effects.first().copied().filter(|first| is_exception(self, *first)) else {
            if sentence.effects.is_empty()
                && matches!(sentence.ending, Ending::Value(_) | Ending::Nothing | Ending::Word(""))
            {
                sentence.ending = Ending::Word("catch");
            }
            return;
        };
        let ty = self.library.ty(token, false);
        let name: Rc<str> = match self.arena.kind(first) {
            Kind::Assign(_) => match self.arena.kind(self.arena.get(first).kids[0]) {
                Kind::Name(name) => name.clone(),
                _ => "".into(),
            },
            _ => "".into(),
        };
        sentence.effects.remove(0);
        if sentence.effects.is_empty() {
            sentence.ending = Ending::Variable(name, ty);
        }
    }

    /// A range without decisions that are left.
    fn simple(
        &mut self,
        exit: Exit,
        effects: Vec<Id>,
        state: &State,
        point: &SequencePoint,
        range: &Range,
    ) -> Sentence {
        let mut effects = effects;
        let ending = match exit {
            Exit::Throw(value) => Ending::Throw(value),
            Exit::Filter(value) => {
                let value = self.condition(value);
                Ending::Filter(value)
            }
            Exit::Switch(value) => Ending::Switch(value),
            Exit::Return(Some(value)) if self.body.kickoff.is_some() => self.iterator_end(value, &effects, point),
            Exit::Return(Some(value)) if is_width(point, 1) && self.is_kept_return(value) => Ending::Nothing,
            Exit::Return(Some(value)) => self.return_of(value),
            Exit::Return(None) | Exit::End => Ending::Nothing,
            Exit::To(target) => match self.returned_at(target, state) {
                Some(value) => {
                    effects.retain(|effect| *effect != value);
                    self.return_of(value)
                }
                None => self.leftover(&effects, state),
            },
        };
        if let Some(variable) = self.foreach_variable(&effects) {
            return Sentence { effects: Vec::new(), ending: variable };
        }
        if let (Ending::Nothing, [only]) = (&ending, &effects[..])
            && let Some(lock) = self.lock_object(*only)
        {
            return Sentence { effects: Vec::new(), ending: Ending::Value(lock) };
        }
        let ending = match ending {
            Ending::Nothing if effects.is_empty() => Ending::Word(self.word(exit, point, range)),
            ending => ending,
        };
        Sentence { effects, ending }
    }

    /// Returns true for a value that was returned by an earlier point: this one is the closing brace.
    fn is_kept_return(&self, value: Id) -> bool {
        self.arena.get(value).point != self.arena.point || matches!(self.arena.kind(value), Kind::Opaque(_))
    }

    fn return_of(&mut self, value: Id) -> Ending {
        let value = if class(&self.body.returns()) == Class::Bool { self.truthful(value) } else { value };
        Ending::Return(value)
    }

    /// A condition that was merged as a number, as the condition.
    pub fn truthful(&mut self, value: Id) -> Id {
        match self.arena.kind(self.arena.bare(value)) {
            Kind::Conditional | Kind::Int(_) => self.condition(value),
            _ => value,
        }
    }

    /// An iterator returns whether there is a value.
    fn iterator_end(&self, value: Id, effects: &[Id], point: &SequencePoint) -> Ending {
        if effects.is_empty() && self.arena.int(value) == Some(0) && !is_width(point, 1) {
            Ending::YieldBreak
        } else {
            Ending::Nothing
        }
    }

    /// The value that is returned at a target: the code there loads the temporary that was set, and returns.
    fn returned_at(&self, target: u32, state: &State) -> Option<Id> {
        let position = self.body.position(target);
        let mut load = self.body.code.get(position)?;
        let mut position = position;
        // Debug code jumps to the next instruction.
        while matches!(load.opcode.name, "br.s" | "br" | "nop") && position + 1 < self.body.code.len() {
            position = match load.opcode.name {
                "nop" => position + 1,
                _ => self.body.position(super::body::Body::target(load)?),
            };
            load = self.body.code.get(position)?;
            if load.offset <= target {
                return None;
            }
        }
        let slot = match load.variable()? {
            pdblens_formats::il::Variable::Local(slot) if load.opcode.name.starts_with("ldloc") => slot,
            _ => return self.async_result(state),
        };
        let next = self.body.code.get(position + 1)?;
        if next.opcode.name != "ret" {
            return self.async_result(state);
        }
        let value = state.temporary(&Temporary::Slot(slot))?;
        (self.arena.get(value).point == self.arena.point || self.is_named_again(value)).then_some(value)
    }

    fn is_named_again(&self, value: Id) -> bool {
        matches!(self.arena.kind(value), Kind::Name(_))
    }

    /// The result of an async method: the temporary that `SetResult` gets.
    fn async_result(&self, state: &State) -> Option<Id> {
        self.body.kickoff.as_ref()?;
        let slot = self.body.result_slot?;
        let value = state.temporary(&Temporary::Slot(slot))?;
        (self.arena.get(value).point == self.arena.point).then_some(value)
    }

    /// A value that the range computes for later code.
    fn leftover(&self, effects: &[Id], state: &State) -> Ending {
        if !effects.is_empty() {
            return Ending::Nothing;
        }
        let current = state.stack.last().copied().filter(|top| self.arena.get(*top).point == self.arena.point);
        if let Some(top) = current
            && self.is_current(top)
        {
            return Ending::Variable("…".into(), unknown());
        }
        let is_own = |id: &&Id| {
            let node = self.arena.get(**id);
            node.point == self.arena.point && !matches!(node.kind, Kind::Closure | Kind::Opaque("cache"))
        };
        if let Some(value) = state.stack.iter().rev().find(is_own) {
            return Ending::Value(*value);
        }
        let kept = state.temporaries.iter().map(|(_, value)| value).filter(|value| is_own(value)).max();
        kept.filter(|value| !matches!(self.arena.kind(**value), Kind::Int(_))).map_or_else(
            || kept.map_or(Ending::Nothing, |_| self.first_kept(state)),
            |value| Ending::Value(self.best_kept(*value, state)),
        )
    }

    fn first_kept(&self, state: &State) -> Ending {
        let own = state.temporaries.iter().map(|(_, value)| *value).find(|value| {
            self.arena.get(*value).point == self.arena.point
                && !matches!(self.arena.kind(*value), Kind::Int(_) | Kind::Closure)
        });
        own.map_or(Ending::Nothing, Ending::Value)
    }

    /// Of several temporaries the one that is computed from the others.
    fn best_kept(&self, value: Id, _state: &State) -> Id {
        // A collection behind its enumerator, an object behind its lock.
        match self.arena.kind(value) {
            Kind::Call(member)
                if matches!(member.name.as_ref(), "GetEnumerator" | "GetAsyncEnumerator" | "EnterScope") =>
            {
                self.arena.kid(value, 0).unwrap_or(value)
            }
            _ => value,
        }
    }

    /// `foreach`: a variable gets the current element of something made by another point.
    fn foreach_variable(&self, effects: &[Id]) -> Option<Ending> {
        let [only] = effects else { return None };
        let node = self.arena.get(*only);
        let Kind::Assign("=") = node.kind else { return None };
        let Kind::Name(name) = self.arena.kind(node.kids[0]) else { return None };
        let value = node.kids[1];
        self.is_current(value).then(|| Ending::Variable(name.clone(), self.arena.ty(node.kids[0])))
    }

    /// Returns true for the element that a hidden enumerator or index has come to.
    fn is_current(&self, value: Id) -> bool {
        self.current_source(value).is_some()
    }

    fn current_source(&self, value: Id) -> Option<Id> {
        let mut value = self.arena.bare(value);
        if let Kind::Cast(_) = self.arena.kind(value) {
            value = self.arena.bare(self.arena.kid(value, 0)?);
        }
        let found = self.arena.get(value);
        let is_element = match &found.kind {
            Kind::Property(member) => {
                member.name.as_ref() == "get_Current"
                    || matches!(member.name.as_ref(), "get_Chars" | "get_Item")
                        && self.is_index(found.kids.get(1).copied())
            }
            Kind::Element => self.is_index(found.kids.get(1).copied()),
            _ => false,
        };
        let source = self.arena.bare(*found.kids.first()?);
        let is_hidden = self.arena.get(source).point != self.arena.point
            || matches!(self.arena.kind(source), Kind::Opaque(_) | Kind::Temporary(_));
        let is_hidden = is_hidden || self.is_index(found.kids.get(1).copied());
        (is_element && is_hidden).then_some(source)
    }

    /// A temporary that counts.
    fn is_index(&self, id: Option<Id>) -> bool {
        id.is_some_and(|id| matches!(self.arena.kind(self.arena.bare(id)), Kind::Opaque(_)))
    }

    fn lock_object(&self, effect: Id) -> Option<Id> {
        let node = self.arena.get(effect);
        match &node.kind {
            Kind::Call(member)
                if member.name.as_ref() == "Enter" && self.library.is_named(&member.owner, "Monitor") =>
            {
                node.kids.first().copied()
            }
            _ => None,
        }
    }

    fn decision(
        &mut self,
        graph: &Graph,
        root: usize,
        found: (Vec<Id>, Id, usize, usize),
        point: &SequencePoint,
        range: &Range,
    ) -> Sentence {
        let (mut before, mut test, yes, no) = found;
        let mut exits = Vec::new();
        leaves(graph, root, &mut exits, 0);
        let all_return = exits.iter().all(|(exit, _)| matches!(exit, Exit::Return(_) | Exit::Throw(_)));
        if all_return && self.body.kickoff.is_none() && exits.iter().any(|(exit, _)| matches!(exit, Exit::Return(_))) {
            return self.returned(graph, root);
        }
        if let Some(folded) = self.with_effects(&before, test) {
            (test, before) = (folded, Vec::new());
        }
        let to = |step: usize| match &graph.steps[step] {
            Step::Leave(exit, state) => Some((*exit, state.effects.clone())),
            Step::Decide { .. } => None,
        };
        let (Some((yes, yes_effects)), Some((no, no_effects))) = (to(yes), to(no)) else {
            return self.dispatch(graph, root, before, test);
        };
        let (mut before, test) = match (yes, no) {
            (Exit::Throw(value), _) | (_, Exit::Throw(value)) => {
                let test = if matches!(yes, Exit::Throw(_)) { test } else { self.not(test) };
                let thrown = self.node(Kind::Throw, vec![value], unknown());
                before.push(self.node(Kind::If, vec![test, thrown], unknown()));
                return Sentence { effects: before, ending: Ending::Nothing };
            }
            _ => (before, test),
        };
        let (falls_yes, target) = match (yes, no) {
            (Exit::To(offset), Exit::To(target)) if offset == range.end => (true, target),
            (Exit::To(target), _) => (false, target),
            (_, Exit::To(target)) => (true, target),
            _ => (true, range.end),
        };
        let is_loop = target <= range.start;
        let is_inverted = self.is_inverted(point, range.end, is_loop);
        // The body falls through; a loop's condition is the one that jumps back.
        let holds_yes = falls_yes != is_loop;
        let test = if holds_yes == is_inverted { self.not(test) } else { test };
        let effects = if yes_effects.is_empty() { no_effects } else { yes_effects };
        if !effects.is_empty() && before.is_empty() {
            before = effects;
        }
        Sentence { effects: before, ending: Ending::Condition(test, is_loop) }
    }

    /// `return` of the value that the decisions choose.
    fn returned(&mut self, graph: &Graph, root: usize) -> Sentence {
        let (effects, value) = self.returned_value(graph, root, 0);
        let ending = match value {
            Some(value) => self.return_of(value),
            None => Ending::Nothing,
        };
        Sentence { effects, ending }
    }

    fn returned_value(&mut self, graph: &Graph, step: usize, depth: usize) -> (Vec<Id>, Option<Id>) {
        if depth > 60 {
            return (Vec::new(), None);
        }
        match graph.steps[step].clone() {
            Step::Leave(Exit::Throw(value), state) => {
                let thrown = self.node(Kind::Throw, vec![value], unknown());
                (state.effects, Some(thrown))
            }
            Step::Leave(Exit::Return(value), state) => (state.effects, value),
            Step::Leave(_, state) => (state.effects, None),
            Step::Decide { before, test, yes, no } => {
                let (yes_effects, yes) = self.returned_value(graph, yes, depth + 1);
                let (no_effects, no) = self.returned_value(graph, no, depth + 1);
                let mut effects = before;
                if let Some(folded) = self.with_effects(&effects, test) {
                    effects.clear();
                    debug_assert_eq!(folded, test, "folded in place");
                }
                let mut yes_state = State { effects: yes_effects, ..State::default() };
                let mut no_state = State { effects: no_effects, ..State::default() };
                yes_state.stack.extend(yes);
                no_state.stack.extend(no);
                let merged = self.merged(test, yes_state, no_state);
                effects.extend(merged.effects);
                (effects, merged.stack.last().copied())
            }
        }
    }

    /// More than two exits: a `switch` on what is tested first.
    fn dispatch(&mut self, graph: &Graph, root: usize, before: Vec<Id>, test: Id) -> Sentence {
        let mut exits = Vec::new();
        leaves(graph, root, &mut exits, 0);
        exits.retain(|(exit, _)| !matches!(exit, Exit::Throw(_)));
        let mut offsets: Vec<u32> = exits
            .iter()
            .filter_map(|(exit, _)| if let Exit::To(offset) = exit { Some(*offset) } else { None })
            .collect();
        offsets.sort_unstable();
        offsets.dedup();
        if offsets.len() <= 1 && exits.iter().all(|(exit, _)| matches!(exit, Exit::To(_))) {
            return Sentence { effects: before, ending: Ending::Condition(test, false) };
        }
        let subject = self.subject(test);
        Sentence { effects: before, ending: Ending::Switch(subject) }
    }

    /// The value that a test is about.
    fn subject(&self, test: Id) -> Id {
        let node = self.arena.get(test);
        let first = match &node.kind {
            Kind::Unary("!") | Kind::Implicit | Kind::Is(..) | Kind::Binary(_) => node.kids.first(),
            Kind::Call(member) if member.name.as_ref() == "Equals" => node.kids.first(),
            _ => None,
        };
        first.map_or(test, |first| self.subject(*first))
    }

    /// Returns true where the body of an `if` was a bare jump that the optimiser removed: the next point is not inside it.
    fn is_inverted(&self, point: &SequencePoint, end: u32, is_loop: bool) -> bool {
        let next = self.next_visible(end);
        let Some(next) = next.filter(|next| next.document == point.document) else { return false };
        if is_loop {
            return next.start_line > point.end_line && next.start_column > point.start_column;
        }
        let is_brace =
            is_width(next, 1) && self.body.at(next.offset).is_some_and(|instruction| instruction.opcode.name == "nop");
        if is_brace {
            return false;
        }
        let is_left = next.start_column == point.start_column || next.start_column + 5 <= point.start_column;
        if next.start_line == point.end_line {
            return next.start_column > point.end_column + 7;
        }
        is_left && next.start_line != point.start_line
    }

    /// The first visible point at or after an offset.
    fn next_visible(&self, offset: u32) -> Option<&SequencePoint> {
        let later = self.body.view.points.get(self.arena.point + 1..)?;
        later.iter().find(|next| next.offset >= offset && !next.is_hidden())
    }

    /// A point that computes nothing: a brace, or a keyword of its width.
    fn word(&self, exit: Exit, point: &SequencePoint, range: &Range) -> &'static str {
        let span = point.end_column.saturating_sub(point.start_column);
        let first = self.body.at(range.start).map_or("", |instruction| instruction.opcode.name);
        let is_jump = matches!(exit, Exit::To(target) if target != range.end);
        if point.start_line != point.end_line {
            return "";
        }
        match span {
            1 if first != "nop" || is_jump || matches!(exit, Exit::Return(_) | Exit::End) => "}",
            1 => {
                let next = self.next_visible(range.end);
                match next {
                    Some(next) if next.start_column > point.start_column && next.start_line >= point.start_line => "{",
                    _ => "}",
                }
            }
            2 if first == "nop" => "do",
            2 => "in",
            3 => "try",
            6 => "break;",
            7 if first == "nop" => "foreach",
            7 => "return;",
            8 => "default:",
            9 if is_jump => "continue;",
            _ if matches!(exit, Exit::Return(None)) => "return;",
            _ if is_jump => "goto …;",
            _ => "",
        }
    }
}

fn is_width(point: &SequencePoint, width: u32) -> bool {
    point.start_line == point.end_line && point.end_column == point.start_column + width
}

/// Exits of all paths from a step.
fn leaves(graph: &Graph, step: usize, found: &mut Vec<(Exit, usize)>, depth: usize) {
    match &graph.steps[step] {
        Step::Leave(exit, _) => {
            if !found.iter().any(|(known, _)| known == exit) {
                found.push((*exit, step));
            }
        }
        Step::Decide { yes, no, .. } if depth < 60 => {
            leaves(graph, *yes, found, depth + 1);
            leaves(graph, *no, found, depth + 1);
        }
        Step::Decide { .. } => {}
    }
}

/// The state in which the next range begins.
fn after(graph: &Graph, root: usize, before: &State, end: u32) -> State {
    let mut exits = Vec::new();
    leaves(graph, root, &mut exits, 0);
    let next = exits.iter().find(|(exit, _)| *exit == Exit::To(end)).or(exits.first());
    let mut state = match next.map(|(_, step)| &graph.steps[*step]) {
        Some(Step::Leave(_, state)) => state.clone(),
        _ => before.clone(),
    };
    if !exits.iter().any(|(exit, _)| *exit == Exit::To(end)) {
        // The next range is reached from elsewhere, where the stack is empty as a rule.
        state.stack.clear();
    }
    state.effects.clear();
    state
}
