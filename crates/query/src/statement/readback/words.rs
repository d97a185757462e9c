//! Points whose text is a word: a brace, an accessor, a keyword, a variable without a value.

use pdblens_formats::il::Operation;
use pdblens_formats::signature::{Primitive, Type};

use super::super::body::Body;
use super::super::braces::brace;
use super::super::library::unknown;
use super::machine::{Effect, Exit};
use super::proof::{Proven, Stop, undecided};
use super::text::{Head, Phrase};
use super::values::{Datum, Storage, Values};
use super::walk::Readback;

impl Readback<'_, '_> {
    /// A point whose text is a word: a brace, an accessor, a keyword.
    pub fn word(&mut self, point: usize, text: &Phrase) -> Proven<()> {
        let mut code = self.code();
        let mut events = Vec::new();
        let exit = loop {
            match self.machine.next(&mut code, &mut self.values)? {
                Effect::Leave(exit) => break exit,
                event @ (Effect::Branch(..) | Effect::Switch(_)) => {
                    events.push(event);
                    break Exit::To(0);
                }
                event => {
                    code.events += 1;
                    let returns = match &event {
                        Effect::Call { member, .. } => Some(member.returns.clone()),
                        Effect::New(member, ..) => Some(member.owner.clone()),
                        Effect::NewArray(..) => Some(unknown()),
                        _ => None,
                    };
                    if returns.is_some_and(|ty| *ty != Type::Primitive(Primitive::Void)) {
                        let value = self.values.add(Datum::Result(code.events));
                        code.stack.push(value);
                    }
                    events.push(event);
                }
            }
        };
        let start = self.machine.start;
        let more = |this: &Self| match events.first() {
            Some(event) => this.more(event),
            None => Err(Stop::refused("a word that the IL does not have")),
        };
        let is_base_call = |event: &Effect| matches!(event, Effect::Call { member, arguments, .. } if member.role == ".ctor" && arguments.len() == 1);
        match (text.head, &events[..], exit) {
            (Head::Brace(is_open), events, exit)
                if events.iter().all(|event| is_cleared(&self.values, event) || is_finalized(self.body, event)) =>
            {
                let wanted = brace(self.body, point).ok_or_else(|| undecided("a brace"))?;
                let is_end = matches!(exit, Exit::Return(_)) || matches!(exit, Exit::To(to) if to != self.machine.end);
                if wanted != is_open || is_open && is_end { Err(Stop::refused("the other brace")) } else { Ok(()) }
            }
            (Head::Keyword, [], _) if text.word == "catch" => {
                if self.body.handler(start).is_some() {
                    Ok(())
                } else {
                    more(self)
                }
            }
            (Head::Constructor, [event], _) => {
                if is_base_call(event) {
                    Ok(())
                } else {
                    more(self)
                }
            }
            (Head::Variable, [], _) if text.word.starts_with("catch") => {
                let region = self.body.handler(start).and_then(pdblens_formats::il::ExceptionRegion::class);
                let of = region.map(|token| self.library.ty(token, false));
                let ty = text.declared.as_ref().filter(|declared| declared.1.is_empty());
                let ty = ty.and_then(|declared| declared.0.as_ref());
                let is_it = ty.is_some_and(|ty| of.is_some_and(|of| self.types.is_named(ty, &of)));
                if is_it { Ok(()) } else { more(self) }
            }
            (Head::Keyword, [event], _) if text.word.starts_with("base()") => {
                if is_base_call(event) {
                    Ok(())
                } else {
                    more(self)
                }
            }
            (Head::Keyword, events, _) if text.word == "in" => {
                let is_next = |event: &Effect| matches!(event, Effect::Call { member, .. } if matches!(&*member.name, "MoveNext" | "MoveNextAsync" | "get_Length" | "get_Count"));
                let is_test = events.iter().any(is_next)
                    || matches!(events, [Effect::Branch(..)]) && is_counted(&self.values, events);
                if is_test { Ok(()) } else { Err(undecided("in")) }
            }
            (Head::Keyword, [], _) if matches!(&*text.word, "try" | "do" | "foreach") => {
                let is_nop = self.body.at(start).is_some_and(|first| first.opcode.operation() == Operation::Nothing);
                if is_nop { Ok(()) } else { more(self) }
            }
            (Head::Keyword, [], Exit::To(to)) if text.word == "while (true)" => {
                if to <= start {
                    Ok(())
                } else {
                    more(self)
                }
            }
            (Head::Keyword, _, Exit::Return(Some(value))) if text.word == "yield break;" => {
                if *self.values.get(value) == Datum::Int(0) { Ok(()) } else { more(self) }
            }
            (Head::Jump, [], Exit::To(to)) => {
                // `break` leaves the loop around it; `continue` leads to its next round.
                let is_continue = text.word == "continue;";
                let first = self.body.at(start).map(|first| first.opcode.operation());
                let is_jump = matches!(first, Some(Operation::Jump | Operation::Leave));
                let leads = if is_continue { self.body.is_in_loop(start, to) } else { to > start };
                let is_it = (to != self.machine.end || is_jump) && leads;
                if is_it { Ok(()) } else { more(self) }
            }
            (Head::Jump, [], Exit::Return(None)) if text.word == "break;" => Ok(()),
            (Head::Accessor(_), ..) if self.machine.backing.is_empty() => more(self),
            (Head::Accessor(true), [], Exit::Return(Some(found))) => {
                let is_it = matches!(self.values.get(found), Datum::Load(Storage::Field(..) | Storage::Static(_), _));
                if is_it { Ok(()) } else { more(self) }
            }
            (Head::Accessor(false), [Effect::Store(Storage::Field(..) | Storage::Static(_), _)], _) => Ok(()),
            (Head::Variable, events, _) => {
                let Some((ty, name)) = &text.declared else { return more(self) };
                let Some(Effect::Store(Storage::Variable(found), _)) = events.last() else { return more(self) };
                let of = self.machine.type_of(found);
                let is_typed = ty.as_ref().is_none_or(|ty| of.is_some_and(|of| self.types.is_named(ty, &of)));
                let others = &events[..events.len() - 1];
                let is_current = |event: &Effect| matches!(event, Effect::Call { member, .. } if matches!(&*member.name, "get_Current" | "get_Chars" | "get_Item"));
                if found == name && is_typed && others.iter().all(is_current) { Ok(()) } else { more(self) }
            }
            _ => more(self),
        }
    }
}

/// Returns true for the call of the base that a finaliser ends with.
fn is_finalized(body: &Body<'_>, event: &Effect) -> bool {
    const NAME: &str = "Finalize";
    let is_base = matches!(event, Effect::Call { member, is_virtual: false, .. } if &*member.name == NAME);
    is_base && &*body.member.name == NAME
}

/// Returns true for a variable of a state machine that is cleared at the end of its block.
fn is_cleared(values: &Values, event: &Effect) -> bool {
    matches!(event, Effect::Store(Storage::Variable(_), value)
        if matches!(values.get(*value), Datum::Null | Datum::Default(_)))
}

/// Returns true for the test of a loop over an array: a hidden index against its length.
fn is_counted(values: &Values, events: &[Effect]) -> bool {
    let Some(Effect::Branch(test, ..)) = events.first() else { return false };
    let (tested, _) = values.tested(*test);
    matches!(values.get(tested), Datum::Binary("<", left, right, ..)
        if matches!(values.get(*left), Datum::Unknown(_)) && matches!(values.get(*right), Datum::Length(_)))
}
