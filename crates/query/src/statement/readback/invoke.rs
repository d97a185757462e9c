//! Calls in IL: events, and the helpers of the compiler that C# has no call for.

use std::rc::Rc;

use pdblens_formats::il::{Instruction, Operation};
use pdblens_formats::signature::{Primitive, Type};

use super::super::evaluate::operand_token;
use super::super::library::Member;
use super::proof::{Proven, undecided};
use super::values::{Datum, Id, Storage, Values};

use super::machine::{Effect, Machine, Track};

impl<'s> Machine<'_, 's> {
    pub fn call(&self, instruction: &Instruction<'s>, code: &mut Track, values: &mut Values) -> Proven<Option<Effect>> {
        let operation = instruction.opcode.operation();
        let member = self.library.method(operand_token(instruction)).ok_or_else(|| undecided("damaged code"))?;
        let constrained = code.constrained.take();
        if operation == Operation::LoadFunction {
            if instruction.opcode.pops == Some(1) {
                Self::pop(code)?;
            }
            let method = values.method(&member);
            let value = values.add(Datum::Function(method));
            code.stack.push(value);
            return Ok(None);
        }
        let is_new = operation == Operation::NewObject;
        let mut arguments = Self::pop_many(code, member.parameters.len() + usize::from(member.has_this && !is_new))?;
        if let Some(Datum::Address(Storage::Temporary(key), _)) =
            arguments.first().map(|first| values.get(*first).clone())
            && self.library.name_of(&member.owner).0.ends_with("InterpolatedStringHandler")
        {
            return Self::interpolate(&member, key, &arguments[1..], code, values);
        }
        if member.has_this && !is_new {
            if member.role == ".ctor"
                && let Datum::Address(place, _) = values.get(arguments[0]).clone()
            {
                arguments.remove(0);
                return Ok(Some(Effect::New(member, arguments, Some(place))));
            }
            arguments[0] = Self::object(arguments[0], code, values);
        }
        let owner = self.library.name_of(&member.owner).0;
        let owner = owner.split('`').next().unwrap_or_default();
        let value = match (owner, &*member.name, &arguments[..]) {
            _ if is_new && self.is_closure(&member.owner) => Datum::Closure,
            ("Nullable", ".ctor", [value]) if is_new => Datum::Nullable(*value),
            (handler, ".ctor", [_, _]) if is_new && handler.ends_with("InterpolatedStringHandler") => {
                Datum::Parts(Vec::new())
            }
            (_, ".ctor", [object, function]) if is_new && matches!(values.get(*function), Datum::Function(_)) => {
                let Datum::Function(method) = *values.get(*function) else { return Err(undecided("a delegate")) };
                Datum::Delegate(method, *object, values.type_id(&member.owner))
            }
            ("Type", "GetTypeFromHandle", [token]) => match values.get(*token) {
                Datum::Token(ty) => Datum::TypeOf(*ty),
                _ => return Err(undecided("a token")),
            },
            (_, "op_Implicit", [value]) => {
                let takes = member.parameters.first().ok_or_else(|| undecided("damaged code"))?;
                Datum::Implicit(*value, values.type_id(takes), values.type_id(&member.returns))
            }
            ("Array", "Empty", []) if !member.instantiation.is_empty() => {
                Datum::EmptyArray(values.type_id(&member.instantiation[0]))
            }
            (_, "GetAwaiter", [task, ..]) if self.body.kickoff.is_some() => Datum::Awaiter(*task),
            (_, "get_IsCompleted", [awaiter]) if matches!(values.get(*awaiter), Datum::Awaiter(_)) => Datum::Completed,
            (_, "GetResult", [awaiter]) if matches!(values.get(*awaiter), Datum::Awaiter(_)) => {
                let Datum::Awaiter(task) = *values.get(*awaiter) else { return Err(undecided("await")) };
                return Ok(Some(Effect::Await(task)));
            }
            _ if owner.ends_with("MethodBuilder")
                || owner == "RuntimeHelpers"
                || owner.starts_with('<') && member.row > 0 && !member.name.contains(">g__") =>
            {
                return Err(undecided("a helper of the compiler"));
            }
            _ if is_new => return Ok(Some(Effect::New(member, arguments, None))),
            _ => {
                let is_virtual = instruction.opcode.name == "callvirt";
                let member = match constrained {
                    Some(owner) if !member.has_this => Rc::new(Member { owner, ..Member::clone(&member) }),
                    _ => member,
                };
                return Ok(Some(Effect::Call { member, arguments, is_virtual }));
            }
        };
        let value = values.add(value);
        code.stack.push(value);
        Ok(None)
    }

    /// A call of the handler of an interpolated string, which is in a temporary: its parts so far.
    pub fn interpolate(
        member: &Member,
        key: u32,
        arguments: &[Id],
        code: &mut Track,
        values: &mut Values,
    ) -> Proven<Option<Effect>> {
        let mut parts = match code.temporaries.get(&key).map(|known| values.get(*known)) {
            _ if member.role == ".ctor" && arguments.len() == 2 => Vec::new(),
            Some(Datum::Parts(parts)) => parts.clone(),
            _ => return Err(undecided("a handler of an interpolated string")),
        };
        let (mut alignment, mut format) = (None, None);
        for argument in arguments.iter().skip(1) {
            match values.get(*argument) {
                Datum::Int(number) => alignment = Some(*number),
                Datum::Str(text) => format = Some(text.clone()),
                _ => {}
            }
        }
        match (&*member.name, arguments) {
            (".ctor", _) => {}
            ("AppendLiteral", [text]) => parts.push(*text),
            ("AppendFormatted", [value, ..]) => parts.push(values.add(Datum::Hole(*value, alignment, format))),
            ("ToStringAndClear", []) => {
                let value = values.add(Datum::Parts(parts));
                code.stack.push(value);
                return Ok(None);
            }
            _ => return Err(undecided("a handler of an interpolated string")),
        }
        if *member.returns != Type::Primitive(Primitive::Void) {
            return Err(undecided("a handler of an interpolated string"));
        }
        let value = values.add(Datum::Parts(parts));
        code.temporaries.insert(key, value);
        Ok(None)
    }
}
