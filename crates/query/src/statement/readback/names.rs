//! Names of the source at a point: variables, and the members that its code uses.

use std::rc::Rc;

use pdblens_formats::il::Operation;

use super::super::evaluate::{operand_token, plain_name};
use super::super::library::{Member, Ty, unknown};

use super::machine::Machine;

impl Machine<'_, '_> {
    /// Type of a variable by its name in the source, as C# looks it up.
    pub fn type_of(&self, name: &str) -> Option<Ty> {
        let offsets = [self.start, self.end.saturating_sub(1)];
        for offset in offsets {
            let scopes = self.body.view.scopes.iter().rev().filter(|scope| scope.contains(offset));
            let mut found =
                scopes.flat_map(|scope| &scope.variables).filter(|variable| variable.name == name && !variable.hidden);
            if let Some(variable) = found.find(|variable| !variable.is_field()) {
                return Some(self.body.local_type(variable.slot));
            }
        }
        // Scopes that begin inside of the range: a pattern, an `out` variable.
        let inside = |scope: &&pdblens_session::symbols::Scope| scope.start >= self.start && scope.start <= self.end;
        let scopes = self.body.view.scopes.iter().filter(inside);
        let mut found =
            scopes.flat_map(|scope| &scope.variables).filter(|variable| variable.name == name && !variable.hidden);
        if let Some(variable) = found.find(|variable| !variable.is_field()) {
            return Some(self.body.local_type(variable.slot));
        }
        let argument =
            self.body.view.arguments.iter().position(|argument| &*plain_name(argument) == name && argument != "this");
        if let Some(number) = argument {
            return Some(self.body.argument_type(number as u16));
        }
        self.captured.get(name).cloned()
    }

    pub fn this(&self) -> Ty {
        self.body.kickoff.as_ref().map_or_else(|| self.body.member.owner.clone(), |kickoff| kickoff.owner.clone())
    }

    pub fn is_variable(&self, name: &str) -> bool {
        self.type_of(name).is_some()
    }

    pub fn has_accessor(&self, name: &str, roles: &[&str]) -> bool {
        let calls = self.instructions().iter().filter(|found| found.opcode.operation() == Operation::Call);
        let mut members = calls.filter_map(|instruction| self.library.method(operand_token(instruction)));
        members.any(|member| *member.shown == *name && roles.contains(&member.role))
    }

    /// Returns true for the name of a value, and not of a type or a namespace.
    pub fn is_value(&self, name: &str) -> bool {
        self.is_variable(name) || self.fields.contains_key(name) || self.has_accessor(name, &["get_"])
    }

    pub fn is_event(&self, name: &str) -> bool {
        self.has_accessor(name, &["add_", "remove_"])
    }

    /// The constructors of a type that the range calls; of any type without a name.
    pub fn constructed(&self, name: Option<&str>) -> Vec<Rc<Member>> {
        let members = self.instructions().iter().filter_map(|instruction| match instruction.opcode.operation() {
            Operation::NewObject | Operation::Call => self.library.method(operand_token(instruction)),
            _ => None,
        });
        let is_it = |member: &Rc<Member>| {
            let owner = self.library.name_of(&member.owner).0;
            member.role == ".ctor" && name.is_none_or(|name| owner.split('`').next() == Some(name))
        };
        members.filter(is_it).collect()
    }

    /// The methods that the range calls, by their names.
    pub fn called(&self, name: &str) -> Vec<Rc<Member>> {
        let calls = self
            .instructions()
            .iter()
            .filter(|instruction| matches!(instruction.opcode.operation(), Operation::Call | Operation::LoadFunction));
        let members = calls.filter_map(|instruction| self.library.method(operand_token(instruction)));
        members.filter(|member| *member.shown == *name && member.role.is_empty()).collect()
    }

    /// The type that the `GetResult` before an offset returns.
    pub fn awaited(&self, at: u32) -> Ty {
        let position = self.body.position(at).checked_sub(1);
        let call = position.and_then(|position| self.body.code.get(position));
        let member = call.and_then(|call| self.library.method(operand_token(call)));
        member.map_or_else(unknown, |member| member.returns.clone())
    }
}
