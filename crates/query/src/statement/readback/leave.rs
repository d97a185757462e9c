//! Ends of a point's code: how it leaves, and what it leaves behind.

use super::super::library::{Class, class, plain, unknown};
use super::lower::Ending;
use super::machine::{Effect, Exit, is_reference};
use super::proof::{Proven, Stop, undecided};
use super::text::Head;
use super::values::{Datum, Storage, same_type};
use super::walk::{Done, Path, Readback};
use pdblens_formats::il::Operation;

impl Readback<'_, '_> {
    pub fn leave(&mut self, outcome: Ending, path: &mut Path, event: &Effect) -> Proven<Done> {
        let exit = match event {
            Effect::Leave(exit) => *exit,
            // A value whose object is enumerated, locked or disposed of.
            Effect::Call { member, arguments, .. }
                if outcome == Ending::End
                    && matches!(&*member.name, "GetEnumerator" | "GetAsyncEnumerator" | "Enter" | "EnterScope")
                    && path.terms.last().is_some_and(|term| arguments.first() == Some(&term.value)) =>
            {
                let term = path.pop()?;
                self.result(path, &member.returns.clone());
                path.terms.clear();
                path.terms.push(term);
                path.code.stack.clear();
                path.is_taken = true;
                path.at -= 1;
                return Ok(Done::Consumed);
            }
            // The call of the base that no source has.
            Effect::Call { member, arguments, .. }
                if outcome == Ending::End
                    && self.is_constructor()
                    && member.role == ".ctor"
                    && arguments.len() == 1
                    && (path.is_taken || path.terms.is_empty()) =>
            {
                path.code.events += 1;
                path.at -= 1;
                return Ok(Done::Consumed);
            }
            // The value of a property, which the constructor stores.
            Effect::Store(Storage::Field(..) | Storage::Static(_), stored)
                if outcome == Ending::End
                    && self.is_constructor()
                    && path.terms.len() == 1
                    && !path.is_taken
                    && !self.machine.backing.is_empty()
                    && self.body.initializes(self.library, self.machine.start) == Some(true) =>
            {
                let term = path.pop()?;
                let name = if let Effect::Store(Storage::Field(_, name) | Storage::Static(name), _) = event {
                    name.clone()
                } else {
                    "".into()
                };
                let ty = self.machine.fields.get(&name).map_or_else(unknown, |field| field.0.clone());
                self.fits(&term, *stored, &ty, path)?;
                path.code.events += 1;
                path.is_taken = true;
                path.at -= 1;
                return Ok(Done::Consumed);
            }
            Effect::Switch(found) if self.head == Head::Switch => {
                let term = path.pop()?;
                let is_it = match *self.values.get(*found) {
                    Datum::Binary("-", value, by, ..) => {
                        value == term.value && matches!(self.values.get(by), Datum::Int(_))
                    }
                    _ => self.is_same(term.value, *found),
                };
                return if is_it { Ok(Done::Ended) } else { Err(Stop::refused("a switch on another value")) };
            }
            // A condition without a word.
            Effect::Branch(found, to, next)
                if outcome == Ending::End && path.terms.len() == 1 && self.head == Head::Value =>
            {
                let term = path.pop()?;
                if class(&term.ty) != Class::Bool {
                    return Err(Stop::refused("a branch that the text does not have"));
                }
                let ((tested, is_opposite), (known, is_turned)) =
                    (self.values.tested(term.value), self.values.tested(*found));
                if !self.is_same(tested, known) {
                    return Err(Stop::refused("a condition on another value"));
                }
                let (holds, fails) = if is_opposite == is_turned { (*to, *next) } else { (*next, *to) };
                self.yes.push(Exit::To(holds));
                self.no.push(Exit::To(fails));
                return Ok(Done::Ended);
            }
            _ => return self.more(event),
        };
        match (outcome, exit) {
            (Ending::True, exit) => self.yes.push(exit),
            (Ending::False, exit) => self.no.push(exit),
            (Ending::Throw(true), Exit::Throw(Some(found))) => {
                let term = path.pop()?;
                self.fits(&term, found, &term.ty.clone(), path)?;
            }
            (Ending::Throw(false), Exit::Throw(None)) => {}
            (Ending::Return(true), Exit::Return(Some(found))) => {
                let term = path.pop()?;
                let returns = self.body.returns();
                self.fits(&term, found, &returns, path)?;
                self.is_exact &= same_type(plain(&term.ty), plain(&returns));
                if !self.is_exact && self.body.member.name.contains(">b__") && is_reference(&term.ty) {
                    return Err(undecided("a value of another type than its lambda"));
                }
            }
            (Ending::Return(false), Exit::Return(None)) => {}
            (Ending::Return(false), Exit::To(to)) if self.leads_out(to) => {}
            (Ending::End, exit) => return self.end(path, exit),
            _ => return Err(Stop::refused("control leaves in another way")),
        }
        Ok(Done::Ended)
    }

    /// Returns true for the end of a method.
    pub fn leads_out(&self, to: u32) -> bool {
        let mut position = self.body.position(to);
        while self.body.code.get(position).is_some_and(|found| found.opcode.operation() == Operation::Nothing) {
            position += 1;
        }
        let is_return = self.body.code.get(position).is_some_and(|found| found.opcode.operation() == Operation::Return);
        is_return || self.body.kickoff.is_some()
    }

    pub fn end(&mut self, path: &mut Path, exit: Exit) -> Proven<Done> {
        let term = path.terms.pop();
        match (exit, &term) {
            (Exit::Return(Some(_)), Some(_)) if self.is_block => return Err(Stop::refused("return is left out")),
            (Exit::Return(Some(found)), Some(term)) if self.body.kickoff.is_none() => {
                let returns = self.body.returns();
                self.fits(term, found, &returns, path)?;
                return Ok(Done::Ended);
            }
            (Exit::Return(Some(found)), _) if self.head == Head::Yield && *self.values.get(found) == Datum::Int(1) => {
                return Ok(Done::Ended);
            }
            (Exit::Return(Some(_)), _) if self.head == Head::Yield => return Ok(Done::Ended),
            (Exit::Return(None) | Exit::To(_), _) => {}
            _ => return Err(Stop::refused("control leaves in another way")),
        }
        if !path.code.stack.is_empty() {
            return Err(undecided("a value without its variable"));
        }
        if let Some(term) = term
            && !path.is_taken
        {
            let is_kept = path.code.temporaries.values().any(|kept| *kept == term.value);
            let is_result = matches!(self.values.get(term.value), Datum::Result(_) | Datum::Null);
            if !is_kept && !is_result {
                return Err(Stop::refused("a value that nothing uses"));
            }
            if is_kept && self.head == Head::Value {
                path.is_taken = true;
            }
        }
        let exit = if let Exit::Return(_) = exit { Exit::Return(None) } else { exit };
        self.ends.push(exit);
        Ok(Done::Ended)
    }
}
