//! The statement of one point: its effects, and the way in which control leaves it.

use pdblens_formats::il::{Operation, Variable};
use pdblens_formats::sequence_point::SequencePoint;

use super::braces::brace;
use super::branch::{Exit, Graph, Range, Step};
use super::evaluate::State;
use super::library::{Class, class, unknown};
use super::line::Statement;
use super::node::{CAST, CONDITIONAL, Id, Kind};
use super::sentences::Sentences;

/// Words around a value, `$v`, the usual ones first.
pub(super) type Heads = &'static [&'static str];

pub(super) const RETURN: Heads = &["return $v;", "$v", "return $v", "return ref $v;", "$v;"];
pub(super) const VALUE: Heads = &["$v"];
pub(super) const IF: Heads = &["if ($v)"];
pub(super) const LOOP: Heads = &["while ($v)", "if ($v)", "$v", "while ($v);"];
const SWITCH: Heads = &["switch ($v)", "$v switch { … }", "if ($v)", "return $v switch { … };"];
const THROWS: Heads = &["throw $v;", "throw $v"];
const FILTER: Heads = &["when ($v)", "$v"];
const ELEMENT: Heads = &["$t $v", "var $v"];

#[derive(Clone, Debug)]
pub(super) struct Sentence {
    pub effects: Vec<Id>,
    /// The value at its end, or the variable of a `foreach` or a `catch`.
    pub value: Option<Id>,
    pub heads: Heads,
    /// The opposite of a condition, where the layout may say that it is the other way round.
    pub opposite: Option<Id>,
}

impl Sentences<'_, '_> {
    /// The statement of a point; the state after it stays.
    pub fn statement(&mut self, index: usize, (start, end): (u32, u32)) -> Option<Statement> {
        self.values.nodes.point = index;
        self.values.calls.clear();
        self.values.tested.clear();
        self.values.constrained = None;
        self.values.state.effects.clear();
        if let Some(region) = self.values.body.handler(start) {
            let ty = region.class().map_or_else(unknown, |token| self.values.library.ty(token, false));
            self.values.state.stack = vec![self.values.nodes.node(Kind::Opaque("exception"), Vec::new(), ty)];
        }
        let range = Range::new(self.values.body, start, end);
        let mut graph = Graph::default();
        let before = self.values.state.clone();
        let root = self.flow(&range, &mut graph, start, u32::MAX - 2);
        self.reduce(&mut graph, root);
        let exits = leaves(&graph, root);
        self.values.state = self.after(&exits, before, end);
        // Temporaries that count have another value in the next round.
        let is_count = |kind: &Kind| matches!(kind, Kind::Int(_) | Kind::Binary("+" | "-") | Kind::Step(..));
        let nodes = &self.values.nodes;
        self.values.state.temporaries.retain(|_, value| !is_count(nodes.kind(*value)));
        if self.values.span().is_hidden() {
            return None;
        }
        let sentence = self.sentence(&graph, root, &exits, &range);
        Some(self.spelled(sentence))
    }

    /// The state in which the next range begins.
    fn after(&mut self, exits: &[(Exit, &State)], before: State, end: u32) -> State {
        for (exit, state) in exits {
            if let Exit::To(target) = exit
                && !state.stack.is_empty()
            {
                self.values.jumped.insert(*target, state.stack.clone());
            }
        }
        let next = exits.iter().find(|(exit, _)| *exit == Exit::To(end));
        let mut state = next.or(exits.first()).map_or(before, |(_, state)| State::clone(state));
        if next.is_none() {
            // The next range is reached by a jump.
            state.stack = self.values.jumped.remove(&end).unwrap_or_default();
        }
        state.effects.clear();
        state
    }

    fn sentence(&mut self, graph: &Graph, root: usize, exits: &[(Exit, &State)], range: &Range) -> Sentence {
        let decision = match &graph.steps[root] {
            Step::Leave(exit, state) => {
                let mut found = self.simple(*exit, state, range);
                self.name_exception(&mut found, range);
                return found;
            }
            Step::Decide(test, yes, no) => (*test, *yes, *no),
        };
        let all_return = exits.iter().all(|(exit, _)| matches!(exit, Exit::Return(_) | Exit::Throw(_)));
        let is_return = exits.iter().any(|(exit, _)| matches!(exit, Exit::Return(_)));
        if all_return && is_return && self.values.body.kickoff.is_none() {
            // `return` of the value that the decisions choose.
            let (exit, state) = self.merge(graph, root, 0).unwrap_or((Exit::End, State::default()));
            let value = if let Exit::Return(Some(value)) = exit { Some(self.return_of(value)) } else { None };
            return Sentence { effects: state.effects, value, heads: value.map_or(&[], |_| RETURN), opposite: None };
        }
        self.decision(graph, decision, exits, range)
    }

    /// A `catch`: its variable is assigned first.
    fn name_exception(&self, sentence: &mut Sentence, range: &Range) {
        let Some(region) = self.values.body.handler(range.start) else { return };
        let first = sentence.effects.first().copied();
        let assigned = first.and_then(|first| self.values.nodes.assigned(first));
        let exception = assigned.map_or(first, |(_, value)| Some(value));
        if exception.is_some_and(|value| matches!(self.values.nodes.bare_kind(value), Kind::Opaque("exception"))) {
            sentence.effects.remove(0);
            if sentence.effects.is_empty() && region.class().is_some() {
                let variable = assigned.map(|(variable, _)| variable);
                let variable = variable.filter(|variable| matches!(self.values.nodes.kind(*variable), Kind::Name(_)));
                sentence.value = variable.or(exception);
                sentence.heads =
                    if variable.is_some() { &["catch ($t $v)", "catch"] } else { &["catch ($t)", "catch"] };
            }
        } else if sentence.effects.is_empty() && matches!(sentence.heads, VALUE | [] | [""]) && region.class().is_some()
        {
            (sentence.value, sentence.heads) = (None, &["catch"]);
        }
    }

    fn simple(&mut self, exit: Exit, state: &State, range: &Range) -> Sentence {
        let mut effects = state.effects.clone();
        let is_brace = is_width(self.values.span(), 1);
        let mut exit = exit;
        if let Exit::To(target) = exit
            && let Some(value) = self.returned_at(target, state)
        {
            effects.retain(|effect| *effect != value);
            exit = Exit::Return(Some(value));
        }
        let (mut value, mut heads): (Option<Id>, Heads) = match exit {
            Exit::Throw(value) => (Some(value), THROWS),
            Exit::Filter(value) => (Some(self.values.nodes.condition(value)), FILTER),
            Exit::Switch(value) => (Some(value), SWITCH),
            // An iterator returns true for a value, false at its end.
            Exit::Return(Some(value)) if self.values.body.is_iterator() => {
                let is_end = effects.is_empty() && self.values.nodes.number(value) == Some(0) && !is_brace;
                (None, if is_end { &["yield break;"] } else { &[] })
            }
            // The value was returned by an earlier point: this one is the closing brace.
            Exit::Return(Some(value))
                if is_brace
                    && (!self.values.nodes.is_own(value)
                        || matches!(self.values.nodes.kind(value), Kind::Opaque(_))) =>
            {
                (None, &[])
            }
            Exit::Return(Some(value)) => (Some(self.return_of(value)), RETURN),
            Exit::To(_) if effects.is_empty() => self.leftover(state),
            Exit::To(_) | Exit::Return(None) | Exit::End => (None, &[]),
        };
        if let [only] = effects[..] {
            // `foreach`: a variable gets the current element of something made by another point.
            if let Some((target, value)) = self.values.nodes.assigned(only)
                && let Kind::Name(_) = self.values.nodes.kind(target)
                && self.is_current(value)
            {
                let heads = if *self.values.nodes.ty(target) == *unknown() { &ELEMENT[1..] } else { ELEMENT };
                return Sentence { effects: Vec::new(), value: Some(target), heads, opposite: None };
            }
            if let ([], Kind::Call(member)) = (heads, self.values.nodes.kind(only))
                && &*member.name == "Enter"
                && self.values.library.is_named(&member.owner, "Monitor")
            {
                (value, heads) = (self.values.nodes.kid(only, 0), VALUE);
                effects.clear();
            }
        }
        if effects.is_empty() && heads.is_empty() {
            heads = self.word(exit, range);
        }
        Sentence { effects, value, heads, opposite: None }
    }

    fn return_of(&mut self, value: Id) -> Id {
        // A condition that was merged as a number is the condition.
        let is_merged = matches!(self.values.nodes.bare_kind(value), Kind::Form(CONDITIONAL, _) | Kind::Int(_));
        let is_bool = class(&self.values.body.returns()) == Class::Bool;
        if is_merged && is_bool { self.values.nodes.condition(value) } else { value }
    }

    /// The value that is returned at a target: the code there loads the temporary that was set, and returns.
    fn returned_at(&self, at: u32, state: &State) -> Option<Id> {
        let position = self.values.body.position(at);
        let load = self.values.body.code.get(position)?;
        let is_returned =
            self.values.body.code.get(position + 1).is_some_and(|next| next.opcode.operation() == Operation::Return);
        let slot = match load.variable()? {
            Variable::Local(slot) if load.opcode.operation() == Operation::LoadVariable && is_returned => slot,
            // The result of an async method: the temporary that `SetResult` gets.
            _ => self.values.body.kickoff.as_ref().and(self.values.body.result_slot)?,
        };
        let value = *state.temporaries.get(&slot.into())?;
        let is_later =
            is_returned && matches!(self.values.nodes.kind(value), Kind::Name(_)) || state.effects.is_empty();
        if self.values.nodes.is_own(value) || is_later { Some(value) } else { None }
    }

    /// A value that the range computes for later code.
    fn leftover(&mut self, state: &State) -> (Option<Id>, Heads) {
        let is_own = |id: &&Id| {
            self.values.nodes.is_own(**id)
                && !matches!(self.values.nodes.kind(**id), Kind::Closure | Kind::Opaque("cache"))
        };
        if state.stack.last().is_some_and(|top| self.values.nodes.is_own(*top) && self.is_current(*top)) {
            return (Some(self.values.nodes.name("…", unknown())), &ELEMENT[1..]);
        }
        let is_kept = |id: &&Id| is_own(id) && !matches!(self.values.nodes.kind(**id), Kind::Int(_));
        let found = state.stack.iter().rev().find(is_own).or_else(|| state.temporaries.values().filter(is_kept).max());
        let Some(value) = found else { return (None, &[]) };
        // A collection behind its enumerator, an object behind its lock.
        let value = match self.values.nodes.kind(*value) {
            Kind::Call(member) if matches!(&*member.name, "GetEnumerator" | "GetAsyncEnumerator" | "EnterScope") => {
                self.values.nodes.kid(*value, 0).unwrap_or(*value)
            }
            _ => *value,
        };
        (Some(value), VALUE)
    }

    /// Returns true for the element that a hidden enumerator or index has come to.
    fn is_current(&self, value: Id) -> bool {
        let mut node = self.values.nodes.get(self.values.nodes.bare(value));
        if let Kind::Form(CAST, _) = node.kind {
            node = self.values.nodes.get(self.values.nodes.bare(node.kids[0]));
        }
        let is_index =
            node.kids.get(1).is_some_and(|index| matches!(self.values.nodes.bare_kind(*index), Kind::Opaque(_)));
        let is_element = match &node.kind {
            Kind::Property(member) => match &*member.name {
                "get_Current" => true,
                name => matches!(name, "get_Chars" | "get_Item") && is_index,
            },
            Kind::Element => is_index,
            _ => false,
        };
        let Some(source) = node.kids.first().map(|source| self.values.nodes.bare(*source)) else { return false };
        let is_hidden = !self.values.nodes.is_own(source)
            || matches!(self.values.nodes.kind(source), Kind::Opaque(_) | Kind::Temporary(_));
        is_element && (is_hidden || is_index)
    }

    fn decision(
        &mut self,
        graph: &Graph,
        (test, yes, no): (Id, usize, usize),
        exits: &[(Exit, &State)],
        range: &Range,
    ) -> Sentence {
        let (Step::Leave(yes, yes_state), Step::Leave(no, no_state)) = (&graph.steps[yes], &graph.steps[no]) else {
            // More than two exits: a `switch` on what is tested first.
            let is_to = |exit: &Exit| matches!(exit, Exit::To(_));
            let others = exits.iter().filter(|(exit, _)| !matches!(exit, Exit::Throw(_)));
            let is_if = others.clone().count() <= 1 && others.clone().all(|(exit, _)| is_to(exit));
            let (value, heads) = if is_if { (test, IF) } else { (self.subject(test), SWITCH) };
            let is_common = |effect: &&Id| exits.iter().all(|(_, state)| state.effects.contains(effect));
            let effects = exits.iter().take(1).flat_map(|exit| &exit.1.effects).filter(is_common).copied().collect();
            return Sentence { effects, value: Some(value), heads, opposite: None };
        };
        let effects = if yes_state.effects.is_empty() { no_state } else { yes_state }.effects.clone();
        let (falls_yes, target) = match (*yes, *no) {
            (Exit::To(offset), Exit::To(target)) if offset == range.end => (true, target),
            (Exit::To(target), _) => (false, target),
            (_, Exit::To(target)) => (true, target),
            _ => (true, range.end),
        };
        let is_loop = target <= range.start;
        // The body falls through; a loop's condition is the one that jumps back.
        let holds_yes = falls_yes != is_loop;
        let opposite = self.values.nodes.not(test);
        let (test, opposite) = if holds_yes { (test, opposite) } else { (opposite, test) };
        // The body of a loop follows its condition in the source; that of a `do` precedes it.
        let body = self.values.body.view.points.iter().filter(|point| point.offset >= target && !point.is_hidden());
        let span = (self.values.span().end_line, self.values.span().end_column);
        let is_below =
            body.min_by_key(|point| point.offset).is_some_and(|first| (first.start_line, first.start_column) > span);
        let heads = match (is_loop, is_below) {
            (true, true) => &["while ($v)", "$v"],
            (true, false) => LOOP,
            _ => IF,
        };
        Sentence { effects, value: Some(test), heads, opposite: Some(opposite) }
    }

    /// The value that a test is about.
    fn subject(&self, test: Id) -> Id {
        let is_about = match self.values.nodes.kind(test) {
            Kind::Unary("!") | Kind::Implicit | Kind::Is(..) => true,
            Kind::Binary(operator) => *operator != "&",
            Kind::Call(member) => &*member.name == "Equals",
            _ => false,
        };
        match self.values.nodes.kid(test, 0) {
            Some(first) if is_about => self.subject(first),
            _ => test,
        }
    }

    /// A point that computes nothing: a brace, or a keyword of its width.
    fn word(&self, exit: Exit, range: &Range) -> Heads {
        let point = self.values.span();
        if point.start_line != point.end_line {
            return &[""];
        }
        let is_nop =
            self.values.body.at(range.start).is_some_and(|first| first.opcode.operation() == Operation::Nothing);
        let target = if let Exit::To(target) = exit { target } else { range.end };
        let is_jump = target != range.end;
        match point.end_column.saturating_sub(point.start_column) {
            1 if brace(self.values.body, self.values.nodes.point) == Some(true) => &["{"],
            1 => &["}"],
            // The copy constructor of a record ends at the name of the record, whatever its width.
            _ if is_nop && matches!(exit, Exit::Return(_)) => &[""],
            2 if is_nop => &["do"],
            2 => &["in"],
            3 => &["try"],
            // `End If` of Visual Basic; a `break` of C# is a jump.
            6 if is_nop && !is_jump => &["}"],
            6 => &["break;"],
            7 if is_nop => &["foreach"],
            7 => &["return;"],
            9 if is_jump && self.values.body.is_in_loop(range.start, target) => &["continue;"],
            12 if target <= range.start => &["while (true)"],
            12 if is_jump && self.values.body.is_iterator() => &["yield break;"],
            _ if exit == Exit::Return(None) && !self.values.body.has_result() => &["return;"],
            _ if exit == Exit::Return(None) => &["return …;"],
            _ if is_jump => &["goto …;"],
            _ => &[""],
        }
    }
}

fn is_width(point: &SequencePoint, width: u32) -> bool {
    point.start_line == point.end_line && point.end_column == point.start_column.saturating_add(width)
}

fn leaves(graph: &Graph, root: usize) -> Vec<(Exit, &State)> {
    let (mut found, mut waiting, mut seen): (Vec<(Exit, &State)>, _, _) = (Vec::new(), vec![root], Vec::new());
    while let Some(step) = waiting.pop() {
        if seen.contains(&step) {
            continue;
        }
        seen.push(step);
        match &graph.steps[step] {
            Step::Leave(exit, state) if !found.iter().any(|(known, _)| known == exit) => found.push((*exit, state)),
            Step::Leave(..) => {}
            Step::Decide(_, yes, no) => waiting.extend([*no, *yes]),
        }
    }
    found
}
