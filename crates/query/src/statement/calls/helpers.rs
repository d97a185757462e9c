//! Helpers that C# has syntax for: `await`, sums of strings, initial data, operators.

use std::rc::Rc;

use pdblens_formats::signature::{Primitive, Type};

use super::super::evaluate::{Evaluator, State, Temporary};
use super::super::library::{Member, Role};
use super::super::node::{Id, Kind, Part};
use super::super::types::{self, Class, Ty, class, primitive, unknown};

impl Evaluator<'_, '_> {
    /// A decimal constant from the arguments of its constructor.
    pub(super) fn decimal(&self, arguments: &[Id]) -> Option<String> {
        let numbers: Option<Vec<i64>> = arguments.iter().map(|id| self.arena.int(*id)).collect();
        match numbers?[..] {
            [number] => Some(number.to_string()),
            [low, middle, high, negative, scale] => {
                let bits = (high as u32 as u128) << 64 | (middle as u32 as u128) << 32 | low as u32 as u128;
                let mut digits = bits.to_string();
                let scale = usize::try_from(scale).ok().filter(|scale| *scale <= 28)?;
                if scale > 0 {
                    digits = format!("{digits:0>width$}", width = scale + 1);
                    digits.insert(digits.len() - scale, '.');
                }
                Some(if negative == 1 { format!("-{digits}") } else { digits })
            }
            _ => None,
        }
    }

    /// A span over initial data.
    pub(super) fn data_span(&mut self, data: Id, length: Id, ty: &Ty) -> Option<Id> {
        let data = self.arena.bare(data);
        let data = if let Kind::Ref(_) = self.arena.kind(data) { self.arena.kid(data, 0)? } else { data };
        let Kind::Data(field) = self.arena.kind(data).clone() else {
            let Kind::StackAlloc(_) = self.arena.kind(data) else { return None };
            let of = types::arguments(ty).first().cloned().map_or_else(unknown, Rc::new);
            return Some(self.node(Kind::StackAlloc(of), vec![length], ty.clone()));
        };
        let count = usize::try_from(self.arena.int(length)?).ok()?;
        let of = Rc::new(types::arguments(ty).first()?.clone());
        if matches!(&*of, Type::Primitive(Primitive::U1))
            && let Ok(text) = std::str::from_utf8(self.library.initial_data(field.row, count)?)
            && text.chars().all(|c| !c.is_control())
        {
            return Some(self.node(Kind::Utf8(text.into()), Vec::new(), ty.clone()));
        }
        let kids = self.data_elements(field.row, count, &of)?;
        let array = self.int(count as i64);
        let value = self.node(Kind::NewArray(of), vec![array], ty.clone());
        self.arena.get_mut(value).tail = kids;
        Some(value)
    }

    /// Constants from initial data.
    fn data_elements(&mut self, field: u32, count: usize, of: &Ty) -> Option<Vec<Id>> {
        let (size, is_float, signed) = match class(of) {
            Class::Int(size, signed) => (usize::from(size), false, signed),
            Class::Bool => (1, false, false),
            Class::Char => (2, false, false),
            Class::Float => (if matches!(&**of, Type::Primitive(Primitive::R4)) { 4 } else { 8 }, true, true),
            // An enum of this file or another: of an int unless its size says more.
            Class::Value => (4, false, true),
            _ => return None,
        };
        let bytes = self.library.initial_data(field, count.min(4096) * size)?;
        let mut found = Vec::new();
        for chunk in bytes.chunks(size) {
            let mut wide = [0; 8];
            wide.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            let bits = u64::from_le_bytes(wide);
            let kind = match (is_float, size, signed) {
                (true, 4, _) => Kind::Single(f32::from_bits(bits as u32)),
                (true, ..) => Kind::Double(f64::from_bits(bits)),
                (_, 1, true) => Kind::Int(i64::from(bits as i8)),
                (_, 2, true) => Kind::Int(i64::from(bits as i16)),
                (_, 4, true) => Kind::Int(i64::from(bits as i32)),
                _ => Kind::Int(bits as i64),
            };
            found.push(self.node(kind, Vec::new(), of.clone()));
        }
        Some(found)
    }

    /// Calls of helpers that C# writes otherwise. Returns true if it was one.
    pub(super) fn helper(&mut self, member: &Rc<Member>, arguments: &[Id], state: &mut State) -> bool {
        let (owner, _) = self.library.name_of(&member.owner);
        let owner = owner.split('`').next().unwrap_or_default();
        let value = match (owner, member.name.as_ref(), arguments) {
            ("RuntimeHelpers", "InitializeArray", [array, data]) => {
                self.fill(*array, *data);
                None
            }
            ("RuntimeHelpers", "CreateSpan", [data]) => self.created_span(*data, member),
            ("Type", "GetTypeFromHandle", [handle]) => {
                let node = self.arena.get(*handle).clone();
                Some(self.node(node.kind, node.kids, member.returns.clone()))
            }
            (_, "Concat", _) if owner == "String" && !member.has_this => self.concat(arguments),
            ("Delegate", "Combine" | "Remove", [left, right]) => {
                let ty = self.arena.ty(*left);
                let operator = if member.name.as_ref() == "Combine" { "+" } else { "-" };
                Some(self.node(Kind::Binary(operator), vec![*left, *right], ty))
            }
            ("Nullable", "GetValueOrDefault", [object]) => self.nullable_value(*object, member, state),
            (_, "<Clone>$", [object]) => Some(self.node(Kind::With, vec![*object], member.owner.clone())),
            ("Activator", "CreateInstance", []) if !member.instantiation.is_empty() => {
                Some(self.node(Kind::NewParameter, Vec::new(), member.returns.clone()))
            }
            ("AsyncHelpers", "Await", [task]) => Some(self.node(Kind::Await, vec![*task], member.returns.clone())),
            (_, "GetAwaiter", [task, ..]) if self.body.kickoff.is_some() => {
                let task = self.object(*task, state);
                Some(self.node(Kind::Await, vec![task], member.returns.clone()))
            }
            (_, "GetResult", [awaiter]) => match self.awaited(*awaiter, member, state) {
                Some(found) => Some(found),
                None => return false,
            },
            (_, "get_IsCompleted", [awaiter]) if self.body.kickoff.is_some() => {
                let object = self.object(*awaiter, state);
                if !matches!(self.arena.kind(object), Kind::Await) {
                    return false;
                }
                Some(self.node(Kind::Opaque("completed"), Vec::new(), primitive(Primitive::Boolean)))
            }
            _ if owner.ends_with("InterpolatedStringHandler") => return self.interpolate(member, arguments, state),
            _ if owner.starts_with("Async") && owner.ends_with("MethodBuilder") => {
                if !matches!(&*member.returns, Type::Primitive(Primitive::Void)) {
                    let value = self.node(Kind::Closure, Vec::new(), member.returns.clone());
                    state.stack.push(value);
                }
                return true;
            }
            _ if member.role == Role::Operator => return self.operator(member, arguments, state),
            _ if owner.starts_with("<PrivateImplementationDetails>") => self.private_helper(member, arguments, state),
            _ => return false,
        };
        match value {
            Some(value) if matches!(&*member.returns, Type::Primitive(Primitive::Void)) => state.effects.push(value),
            Some(value) => state.stack.push(value),
            None if matches!(&*member.returns, Type::Primitive(Primitive::Void)) => {}
            None => return false,
        }
        true
    }

    fn nullable_value(&mut self, object: Id, member: &Rc<Member>, state: &mut State) -> Option<Id> {
        let object = self.object(object, state);
        let is_tested = self.tested.iter().any(|tested| self.arena.same(*tested, object));
        if is_tested {
            return Some(self.node(Kind::Implicit, vec![object], member.returns.clone()));
        }
        None
    }

    fn awaited(&mut self, awaiter: Id, member: &Rc<Member>, state: &mut State) -> Option<Id> {
        let found = self.object(awaiter, state);
        if !matches!(self.arena.kind(found), Kind::Await) {
            return None;
        }
        let node = self.arena.get_mut(found);
        node.ty = member.returns.clone();
        state.effects.retain(|effect| *effect != found);
        Some(found)
    }

    /// Fills a new array with initial data.
    fn fill(&mut self, array: Id, data: Id) {
        let (Kind::NewArray(of), Kind::Data(field)) = (self.arena.kind(array).clone(), self.arena.kind(data).clone())
        else {
            return;
        };
        let length = self.arena.kid(array, 0).and_then(|length| self.arena.int(length));
        let Some(count) = length.and_then(|length| usize::try_from(length).ok()) else { return };
        if let Some(found) = self.data_elements(field.row, count, &of) {
            self.arena.get_mut(array).tail = found;
        }
    }

    fn created_span(&mut self, data: Id, member: &Rc<Member>) -> Option<Id> {
        let Kind::Data(field) = self.arena.kind(data).clone() else { return None };
        let of = Rc::new(member.instantiation.first()?.clone());
        let size = match class(&of) {
            Class::Int(size, _) => usize::from(size),
            Class::Char => 2,
            _ => 4,
        };
        // The size of the data is that of the type of the field.
        let token = types::token(&field.ty)?;
        let name = self.library.type_name(token).0;
        let bytes: usize = name.split('=').nth(1)?.split('_').next()?.parse().ok()?;
        let kids = self.data_elements(field.row, bytes / size, &of)?;
        let count = self.int((bytes / size) as i64);
        let value = self.node(Kind::NewArray(of), vec![count], member.returns.clone());
        self.arena.get_mut(value).tail = kids;
        Some(value)
    }

    fn private_helper(&mut self, member: &Rc<Member>, arguments: &[Id], state: &mut State) -> Option<Id> {
        let name = member.name.as_ref();
        match (name, arguments) {
            ("InlineArrayAsReadOnlySpan" | "InlineArrayAsSpan", [buffer, ..]) => Some(self.object(*buffer, state)),
            (_, [buffer, index]) if name.starts_with("InlineArrayElementRef") => {
                let buffer = self.object(*buffer, state);
                let element = self.element(buffer, *index);
                Some(self.node(Kind::Ref("ref"), vec![element], member.returns.clone()))
            }
            (_, [buffer, ..]) if name.starts_with("InlineArrayFirstElementRef") => {
                let (buffer, zero) = (self.object(*buffer, state), self.int(0));
                let element = self.element(buffer, zero);
                Some(self.node(Kind::Ref("ref"), vec![element], member.returns.clone()))
            }
            ("ComputeStringHash", [text]) => Some(self.node(Kind::Implicit, vec![*text], primitive(Primitive::U4))),
            _ => None,
        }
    }

    fn concat(&mut self, arguments: &[Id]) -> Option<Id> {
        let string = primitive(Primitive::String);
        let mut parts = arguments.to_vec();
        if let [array] = parts[..] {
            if !matches!(self.arena.kind(array), Kind::NewArray(_)) || self.arena.get(array).tail.is_empty() {
                return None;
            }
            parts.clone_from(&self.arena.get(array).tail);
        }
        let mut parts = parts.into_iter().map(|part| self.text_part(part)).collect::<Vec<_>>().into_iter();
        let first = parts.next()?;
        Some(parts.fold(first, |sum, part| self.arena.add(Kind::Binary("+"), vec![sum, part], string.clone())))
    }

    /// A part of a sum of strings without the `ToString` that the compiler adds.
    fn text_part(&self, part: Id) -> Id {
        let bare = self.arena.bare(part);
        match self.arena.kind(bare) {
            Kind::Call(member) if member.name.as_ref() == "ToString" && member.parameters.is_empty() => {
                match self.arena.kid(bare, 0) {
                    Some(kid) if !matches!(class(&self.arena.ty(kid)), Class::Reference) => kid,
                    _ => bare,
                }
            }
            _ => bare,
        }
    }

    fn interpolate(&mut self, member: &Rc<Member>, arguments: &[Id], state: &mut State) -> bool {
        let Some(first) = arguments.first() else { return false };
        if member.role == Role::Constructor {
            let value = self.node(Kind::Interpolated(Vec::new()), Vec::new(), primitive(Primitive::String));
            if let Kind::Temporary(slot) = *self.arena.kind(*first) {
                state.set(Temporary::Slot(slot), value);
                return true;
            }
            return false;
        }
        let handler = self.object(*first, state);
        let part = match (member.name.as_ref(), &arguments[1..]) {
            ("AppendLiteral", [text]) => match self.arena.kind(*text) {
                Kind::Str(text) => Part::Text(text.clone()),
                _ => return false,
            },
            ("AppendFormatted", [value]) => Part::Value(*value, None, None),
            ("AppendFormatted", [value, other]) => {
                if class(&self.arena.ty(*other)) == Class::Reference {
                    Part::Value(*value, None, Some(*other))
                } else {
                    Part::Value(*value, Some(*other), None)
                }
            }
            ("AppendFormatted", [value, alignment, format]) => Part::Value(*value, Some(*alignment), Some(*format)),
            (_, []) => {
                let ty = primitive(Primitive::String);
                self.arena.get_mut(handler).ty = ty;
                state.stack.push(handler);
                return true;
            }
            _ => return false,
        };
        let node = self.arena.get_mut(handler);
        let Kind::Interpolated(parts) = &mut node.kind else { return false };
        if let Part::Value(value, ..) = part {
            node.kids.push(value);
        }
        parts.push(part);
        if !matches!(&*member.returns, Type::Primitive(Primitive::Void)) {
            let value = self.opaque();
            state.stack.push(value);
        }
        true
    }

    pub(super) fn operator(&mut self, member: &Rc<Member>, arguments: &[Id], state: &mut State) -> bool {
        let arguments: Vec<Id> = arguments.iter().map(|argument| self.object(*argument, state)).collect();
        let ty = member.returns.clone();
        let one = |this: &mut Self, operator, left| {
            let one = this.int(1);
            this.node(Kind::Binary(operator), vec![left, one], ty.clone())
        };
        let value = match (member.shown.as_ref(), &arguments[..]) {
            ("Implicit" | "True", [value]) => self.node(Kind::Implicit, vec![*value], ty),
            ("False", [value]) => self.not(*value),
            ("Explicit" | "CheckedExplicit", [value]) => self.node(Kind::Cast(ty.clone()), vec![*value], ty),
            ("Increment" | "CheckedIncrement", [value]) => one(self, "+", *value),
            ("Decrement" | "CheckedDecrement", [value]) => one(self, "-", *value),
            (name, [value]) => match unary(name) {
                Some(operator) => self.node(Kind::Unary(operator), vec![*value], ty),
                None => return false,
            },
            (name, [left, right]) => match binary(name) {
                Some(operator) => self.node(Kind::Binary(operator), vec![*left, *right], ty),
                None => return false,
            },
            _ => return false,
        };
        state.stack.push(value);
        true
    }
}

fn unary(name: &str) -> Option<&'static str> {
    Some(match name {
        "UnaryNegation" | "CheckedUnaryNegation" => "-",
        "UnaryPlus" => "+",
        "LogicalNot" => "!",
        "OnesComplement" => "~",
        _ => return None,
    })
}

/// The operator of a method such as `op_Addition`.
pub(super) fn binary(name: &str) -> Option<&'static str> {
    Some(match name.strip_prefix("Checked").unwrap_or(name) {
        "Addition" => "+",
        "Subtraction" => "-",
        "Multiply" => "*",
        "Division" => "/",
        "Modulus" => "%",
        "BitwiseAnd" => "&",
        "BitwiseOr" => "|",
        "ExclusiveOr" => "^",
        "LeftShift" => "<<",
        "RightShift" => ">>",
        "UnsignedRightShift" => ">>>",
        "Equality" => "==",
        "Inequality" => "!=",
        "LessThan" => "<",
        "GreaterThan" => ">",
        "LessThanOrEqual" => "<=",
        "GreaterThanOrEqual" => ">=",
        _ => return None,
    })
}
