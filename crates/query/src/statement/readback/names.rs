//! Names of the source at a point: variables, and the members that its code uses.

use std::rc::Rc;

use pdblens_formats::il::{Instruction, Operand, Operation};
use pdblens_session::symbols::Variable;

use super::super::evaluate::operand_token;
use super::super::library::{Member, Ty, unknown};

use super::machine::Machine;

impl Machine<'_, '_> {
    /// Type of a variable by its name in the source, as C# looks it up.
    pub fn type_of(&self, name: &str) -> Option<Ty> {
        let is_it = |variable: &Variable| variable.name == name && !variable.hidden && !variable.is_field();
        let offsets = [self.start, self.end.saturating_sub(1)];
        for offset in offsets {
            if let Some(variable) = self.body.innermost(offset, is_it) {
                return Some(self.body.local_type(variable.slot));
            }
        }
        // Scopes that begin inside of the range: a pattern, an `out` variable.
        let scopes = self.body.view.scopes.iter().filter(|scope| (self.start..=self.end).contains(&scope.start));
        if let Some(variable) = scopes.flat_map(|scope| &scope.variables).find(|variable| is_it(variable)) {
            return Some(self.body.local_type(variable.slot));
        }
        let argument = self.body.argument_names.iter().position(|argument| **argument == *name && name != "this");
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
        let is_it = |member: &Member| *member.shown == *name && roles.contains(&member.role);
        self.calls.iter().any(|(operation, member)| *operation == Operation::Call && is_it(member))
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
        let is_named = |member: &Member, name| self.library.name_of(&member.owner).0.split('`').next() == Some(name);
        self.calling(&[Operation::NewObject, Operation::Call], |member| {
            member.role == ".ctor" && name.is_none_or(|name| is_named(member, name))
        })
    }

    /// The methods that the range calls, by their names.
    pub fn called(&self, name: &str) -> Vec<Rc<Member>> {
        let is_it = |member: &Member| *member.shown == *name && member.role.is_empty();
        self.calling(&[Operation::Call, Operation::LoadFunction], is_it)
    }

    fn calling(&self, operations: &[Operation], is_it: impl Fn(&Member) -> bool) -> Vec<Rc<Member>> {
        let found = self.calls.iter().filter(|(operation, member)| operations.contains(operation) && is_it(member));
        found.map(|(_, member)| Rc::clone(member)).collect()
    }

    /// Returns true if the state of an iterator says that a `try` with a `finally` has begun.
    pub fn begins_try(&self) -> bool {
        let is_state = |field: &Instruction<'_>| {
            let stored = self.library.field(operand_token(field));
            field.opcode.operation() == Operation::StoreField
                && stored.is_some_and(|stored| &*stored.name == "<>1__state")
        };
        let code = self.instructions();
        code.windows(2).any(|pair| matches!(pair[0].operand, Operand::Integer(..=-3)) && is_state(&pair[1]))
    }

    /// The type that the `GetResult` before an offset returns.
    pub fn awaited(&self, at: u32) -> Ty {
        let position = self.body.position(at).checked_sub(1);
        let call = position.and_then(|position| self.body.code.get(position));
        let member = call.and_then(|call| self.library.method(operand_token(call)));
        member.map_or_else(unknown, |member| member.returns.clone())
    }
}
