//! Operators and casts, in the types that C# calculates in.

use std::rc::Rc;

use pdblens_formats::il::{Condition, Operation};
use pdblens_formats::metadata::TableId;
use pdblens_formats::signature::{Primitive, Type};

use super::super::library::{self, Class, Ty, boolean, class, plain, primitive};
use super::super::operators::OPERATORS;
use super::machine::{Effect, is_reference};
use super::proof::{Proven, Stop, undecided};
use super::type_names::TypeName;
use super::values::{Datum, Id, conversion, integer, same_type};
use super::walk::{Done, Path, Readback, Term};

impl Readback<'_, '_> {
    pub fn unary(&mut self, operator: &'static str, path: &mut Path, event: &Effect) -> Proven<Done> {
        let value = path.pop()?;
        if let Effect::Call { member, arguments, .. } = event
            && member.role == "op_"
            && arguments.len() == 1
            && self.is_same(value.value, arguments[0])
        {
            let names = [("!", "LogicalNot"), ("-", "UnaryNegation"), ("+", "UnaryPlus"), ("~", "OnesComplement")];
            if names.contains(&(operator, &*member.shown)) {
                let returns = member.returns.clone();
                self.result(path, &returns);
                return Ok(Done::Consumed);
            }
        }
        match operator {
            "!" if class(&value.ty) == Class::Bool => {
                let not = self.values.not(value.value);
                path.terms.push(Term { value: not, ..value });
            }
            "+" => path.terms.push(value),
            "-" | "~"
                if integer(&value.ty).is_some()
                    || class(&value.ty) == Class::Float
                    || operator == "~" && class(&value.ty) == Class::Value =>
            {
                let number = if let Datum::Int(number) = self.values.get(value.value) { Some(*number) } else { None };
                let is_small = integer(&value.ty).is_some_and(|(size, _)| size < 4);
                let ty = if is_small { primitive(Primitive::I4) } else { value.ty.clone() };
                let (found, ty) = match (number, operator) {
                    (Some(number), "-") => (self.values.int(number.wrapping_neg()), ty),
                    (Some(number), _) => (self.values.int(!number), ty),
                    // The opposite of a `uint` is a `long`.
                    _ if operator == "-" && integer(&ty) == Some((4, false)) => {
                        return Err(undecided("a negated uint"));
                    }
                    _ => (self.values.add(Datum::Unary(operator, value.value)), ty),
                };
                path.terms.push(Term { value: found, ty, is_literal: value.is_literal });
            }
            _ => return Err(undecided("an operator of its own type")),
        }
        Ok(Done::Pure)
    }

    /// The next number, or what the operator of a type makes of its value.
    pub fn increment(&mut self, is_more: bool, path: &mut Path, event: &Effect) -> Proven<Done> {
        let of = path.pop()?;
        if let Effect::Call { member, arguments, .. } = event
            && member.role == "op_"
            && class(&of.ty) == Class::Value
            && arguments.first().is_some_and(|first| self.is_same(of.value, *first))
        {
            if &*member.shown != if is_more { "Increment" } else { "Decrement" } {
                return Err(Stop::refused("an operator ++ that the IL does not call"));
            }
            self.result(path, &member.returns);
            return Ok(Done::Consumed);
        }
        let one = self.values.int(1);
        path.terms.extend([of, Term { value: one, ty: primitive(Primitive::I4), is_literal: true }]);
        self.binary(if is_more { "+" } else { "-" }, path, event)
    }

    pub fn binary(&mut self, operator: &'static str, path: &mut Path, event: &Effect) -> Proven<Done> {
        let (right, left) = (path.pop()?, path.pop()?);
        let (pattern, operator) = match operator {
            "is null" => (true, "=="),
            "is not null" => (true, "!="),
            operator => (false, operator),
        };
        let string = primitive(Primitive::String);
        let is_string = |term: &Term| *plain(&term.ty) == *string;
        if operator == "+" && (is_string(&left) || is_string(&right)) {
            return self.concat(left, right, path, event);
        }
        if let Effect::Call { member, arguments, .. } = event
            && !pattern
            && arguments.len() == 2
            && member.parameters.len() == 2
        {
            let text = OPERATORS.iter().find(|row| row.0 == &*member.shown).map(|row| row.1);
            let is_delegate = &*self.library.name_of(&member.owner).0 == "Delegate";
            let is_combined = is_delegate && matches!((&*member.name, operator), ("Combine", "+") | ("Remove", "-"));
            if member.role == "op_" && text == Some(operator) || is_combined {
                let is_plain =
                    |term: &Term| matches!(class(&term.ty), Class::Int(..) | Class::Bool | Class::Char | Class::Float);
                if is_plain(&left) && is_plain(&right) {
                    return Err(Stop::refused("an operator of a type that no operand has"));
                }
                self.fits(&left, arguments[0], &member.parameters[0], path)?;
                self.fits(&right, arguments[1], &member.parameters[1], path)?;
                let returns = if is_combined { left.ty.clone() } else { member.returns.clone() };
                self.result(path, &returns);
                return Ok(Done::Consumed);
            }
        }
        let is_null = |this: &Self, term: &Term| matches!(this.values.get(term.value), Datum::Null);
        if matches!(operator, "==" | "!=") && (is_null(self, &left) || is_null(self, &right)) {
            let of = if is_null(self, &right) { left } else { right };
            return self.compare_null(operator, pattern, of, path, event);
        }
        let condition = match operator {
            "==" => Some(Condition::Equal),
            "!=" => Some(Condition::NotEqual),
            "<" => Some(Condition::Less),
            ">" => Some(Condition::Greater),
            "<=" => Some(Condition::LessOrEqual),
            ">=" => Some(Condition::GreaterOrEqual),
            _ => None,
        };
        let is_reference =
            |ty: &Type| is_reference(ty) || matches!(ty, Type::TypeParameter(_) | Type::MethodParameter(_));
        if is_reference(plain(&left.ty)) || is_reference(plain(&right.ty)) {
            if !matches!(operator, "==" | "!=") || !(is_reference(plain(&left.ty)) && is_reference(plain(&right.ty))) {
                return Err(undecided("an operator of its own type"));
            }
            if self.types.has_equality(&left.ty) || self.types.has_equality(&right.ty) {
                return Err(Stop::refused("an operator == that the IL does not call"));
            }
            let value =
                self.values.compare(condition.unwrap_or(Condition::Equal), left.value, right.value, (false, false));
            path.terms.push(Term { value, ty: boolean(), is_literal: false });
            return Ok(Done::Pure);
        }
        let is_shift = matches!(operator, "<<" | ">>" | ">>>");
        let is_literal = left.is_literal && right.is_literal;
        let (left, right, ty) = if is_shift { self.shifted(left, right)? } else { self.promoted(left, right)? };
        let is_float = class(&ty) == Class::Float;
        let is_unsigned = match integer(&ty) {
            Some((_, is_signed)) => !is_signed,
            None => class(&ty) == Class::Value && self.types.underlying(&ty).is_some_and(|(_, is_signed)| !is_signed),
        };
        if let Some(condition) = condition {
            // IL compares floats in its own way for each operator: `<=` is the opposite of `>` that holds for NaN.
            let value = self.values.compare(condition, left, right, (is_unsigned && !is_float, is_float));
            path.terms.push(Term { value, ty: boolean(), is_literal: false });
            return Ok(Done::Pure);
        }
        let has_sign = matches!(operator, "/" | "%" | ">>" | ">>>");
        let is_logical = operator == ">>>";
        let operator = if is_logical { ">>" } else { operator };
        let value = match (self.values.get(left).clone(), self.values.get(right).clone()) {
            (Datum::Int(a), Datum::Int(b)) => {
                let found = folded(operator, a, b).ok_or_else(|| undecided("a constant"))?;
                self.values.int(found)
            }
            _ => self.values.arithmetic(operator, left, right, has_sign && (is_unsigned || is_logical), false),
        };
        self.values.note_float(value, &ty);
        path.terms.push(Term { value, ty, is_literal });
        Ok(Done::Pure)
    }

    pub fn compare_null(
        &mut self,
        operator: &'static str,
        pattern: bool,
        of: Term,
        path: &mut Path,
        event: &Effect,
    ) -> Proven<Done> {
        if self.library.is_named(&of.ty, "Nullable`1") {
            let Effect::Call { member, arguments, .. } = event else { return self.more(event) };
            if &*member.name != "get_HasValue" || !self.is_same(of.value, arguments[0]) {
                return self.more(event);
            }
            self.result(path, &boolean());
            if operator == "==" {
                let top = path.pop()?;
                let value = self.values.not(top.value);
                path.terms.push(Term { value, ..top });
            }
            return Ok(Done::Consumed);
        }
        let is_value =
            matches!(class(&of.ty), Class::Int(..) | Class::Bool | Class::Char | Class::Float | Class::Value);
        if is_value {
            return Err(Stop::refused("null beside a value"));
        }
        if !pattern && self.types.has_equality(&of.ty) && *plain(&of.ty) != Type::Primitive(Primitive::String) {
            return Err(Stop::refused("an operator == that the IL does not call"));
        }
        let is_parameter = matches!(plain(&of.ty), Type::TypeParameter(_) | Type::MethodParameter(_));
        let value = if is_parameter {
            let id = self.values.type_id(&of.ty);
            self.values.add(Datum::Box(of.value, id))
        } else {
            of.value
        };
        let not = self.values.not(value);
        let value = if operator == "==" { not } else { self.values.not(not) };
        path.terms.push(Term { value, ty: boolean(), is_literal: false });
        Ok(Done::Pure)
    }

    /// Both operands as the type that C# calculates in.
    pub fn promoted(&mut self, left: Term, right: Term) -> Proven<(Id, Id, Ty)> {
        let (a, b) = (Rc::new(plain(&left.ty).clone()), Rc::new(plain(&right.ty).clone()));
        if class(&a) == Class::Bool && class(&b) == Class::Bool {
            return Ok((left.value, right.value, a));
        }
        let is_nullable = |ty: &Type| self.library.is_named(ty, "Nullable`1");
        if is_nullable(&a) || is_nullable(&b) {
            return Err(undecided("a lifted operator"));
        }
        // An enum with itself, or with a constant.
        for (own, other) in [(&a, &right), (&b, &left)] {
            if class(own) == Class::Value {
                let is_same = same_type(own, plain(&other.ty)) || other.is_literal;
                if self.types.underlying(own).is_none() || !is_same {
                    return Err(undecided("an operator of its own type"));
                }
                return Ok((left.value, right.value, own.clone()));
            }
        }
        let unknown_type = || undecided("an operand whose type is not known");
        let to = match (class(&a), class(&b)) {
            (Class::Float, _) | (_, Class::Float) => {
                let is_double = |ty: &Type| *ty == Type::Primitive(Primitive::R8);
                primitive(if is_double(&a) || is_double(&b) { Primitive::R8 } else { Primitive::R4 })
            }
            _ => {
                let (x, y) = (integer(&a).ok_or_else(unknown_type)?, integer(&b).ok_or_else(unknown_type)?);
                let literal = |term: &Term, this: &Self| {
                    if let Datum::Int(number) = this.values.get(term.value) {
                        (term.is_literal || term.ty == primitive(Primitive::I4)).then_some(*number)
                    } else {
                        None
                    }
                };
                let (m, n) = (literal(&left, self), literal(&right, self));
                let adapts = |of: (u8, bool), number: Option<i64>| {
                    number.is_some_and(|number| number >= 0) && !of.1 && of.0 >= 4
                };
                match () {
                    () if adapts(x, n) => a.clone(),
                    () if adapts(y, m) => b.clone(),
                    () if x.0 == 8 || y.0 == 8 => {
                        if [&a, &b].iter().any(|ty| matches!(&***ty, Type::Primitive(Primitive::I | Primitive::U))) {
                            return Err(undecided("a native integer"));
                        }
                        let is_unsigned = x == (8, false) || y == (8, false);
                        if is_unsigned && (x.1 || y.1) {
                            return Err(Stop::refused("ulong beside a signed number"));
                        }
                        primitive(if is_unsigned { Primitive::U8 } else { Primitive::I8 })
                    }
                    () if x == (4, false) || y == (4, false) => {
                        let is_mixed = |of: (u8, bool)| of.1;
                        primitive(if is_mixed(x) || is_mixed(y) { Primitive::I8 } else { Primitive::U4 })
                    }
                    () => primitive(Primitive::I4),
                }
            }
        };
        Ok((self.converted(&left, &to), self.converted(&right, &to), to))
    }

    pub fn shifted(&mut self, left: Term, right: Term) -> Proven<(Id, Id, Ty)> {
        let (size, _) = integer(&left.ty).ok_or_else(|| undecided("an operand whose type is not known"))?;
        let ty = if size < 4 { primitive(Primitive::I4) } else { Rc::new(plain(&left.ty).clone()) };
        let most = if size == 8 { 63 } else { 31 };
        let by = match *self.values.get(right.value) {
            Datum::Int(number) => self.values.int(number & most),
            _ => {
                let mask = self.values.int(most);
                self.values.arithmetic("&", right.value, mask, false, false)
            }
        };
        Ok((left.value, by, ty))
    }

    /// The value after the conversion that C# makes of it.
    pub fn converted(&mut self, term: &Term, to: &Type) -> Id {
        match conversion(&term.ty, to) {
            Some(of) => {
                let is_unsigned = integer(&term.ty).is_some_and(|(size, is_signed)| size >= 4 && !is_signed);
                let is_float = matches!(of, Primitive::R4 | Primitive::R8);
                let mut value = term.value;
                if is_float && is_unsigned && !matches!(self.values.get(value), Datum::Int(_)) {
                    value = self.values.add(Datum::Convert(Primitive::R8 as u8, value));
                }
                if let (Datum::Int(number), false) = (self.values.get(value), is_float) {
                    let number = match of {
                        Primitive::U1 => i64::from(*number as u8),
                        Primitive::I1 => i64::from(*number as i8),
                        Primitive::U2 => i64::from(*number as u16),
                        Primitive::I2 => i64::from(*number as i16),
                        Primitive::I4 => i64::from(*number as i32),
                        Primitive::U8 if is_unsigned => i64::from(*number as u32),
                        Primitive::U4 => i64::from(*number as i32),
                        _ => *number,
                    };
                    return self.values.int(number);
                }
                let value = self.values.convert(of, false, value);
                self.values.note_float(value, to);
                value
            }
            None => term.value,
        }
    }

    pub fn cast(&mut self, name: &TypeName, path: &mut Path, event: &Effect) -> Proven<Done> {
        let term = path.pop()?;
        let ty = self.types.resolve(name)?;
        if let Effect::Call { member, arguments, .. } = event
            && &*member.name == "op_Explicit"
            && same_type(&member.returns, &ty)
            && self.is_same(term.value, arguments[0])
        {
            self.result(path, &ty);
            return Ok(Done::Consumed);
        }
        if let Some(value) = self.values.implicit(term.value, &term.ty, &ty) {
            path.terms.push(Term { value, ty, is_literal: false });
            return Ok(Done::Pure);
        }
        let number = |this: &Self, ty: &Type| -> Option<Ty> {
            match class(ty) {
                Class::Int(..) | Class::Char | Class::Float => Some(Rc::new(plain(ty).clone())),
                Class::Value if !this.library.is_named(ty, "Nullable`1") => match this.types.underlying(ty) {
                    Some((4, true)) => Some(primitive(Primitive::I4)),
                    Some((4, false)) => Some(primitive(Primitive::U4)),
                    Some((1, false)) => Some(primitive(Primitive::U1)),
                    Some((1, true)) => Some(primitive(Primitive::I1)),
                    Some((2, false)) => Some(primitive(Primitive::U2)),
                    Some((2, true)) => Some(primitive(Primitive::I2)),
                    Some((_, is_signed)) => Some(primitive(if is_signed { Primitive::I8 } else { Primitive::U8 })),
                    None => None,
                },
                _ => None,
            }
        };
        let from = number(self, &term.ty);
        let to = number(self, &ty).or_else(|| {
            // A number cast to a type of another file: an enum.
            (from.is_some() && matches!(&*ty, Type::Named { token, .. } if token.table() == TableId::TYPE_REF))
                .then(|| primitive(Primitive::I4))
        });
        if let (Some(from), Some(to)) = (from, to) {
            let inner = Term { ty: from, ..term.clone() };
            let value = self.converted(&inner, &to);
            path.terms.push(Term { value, ty, is_literal: false });
            return Ok(Done::Pure);
        }
        if matches!(self.values.get(term.value), Datum::Null) {
            path.terms.push(Term { ty, is_literal: false, ..term });
            return Ok(Done::Pure);
        }
        if matches!(self.values.get(term.value), Datum::Lambda(_) | Datum::Group(..)) {
            path.terms.push(Term { ty, ..term });
            return Ok(Done::Pure);
        }
        if self.library.is_named(&ty, "Nullable`1")
            && library::arguments(&ty).first().is_some_and(|of| same_type(of, plain(&term.ty)))
        {
            self.push(path, Datum::Nullable(term.value), ty);
            return Ok(Done::Pure);
        }
        let id = self.values.type_id(&ty);
        let is_object = *ty == Type::Primitive(Primitive::Object);
        if is_object && (class(&term.ty) != Class::Reference) {
            let of = self.values.type_id(&term.ty);
            self.push(path, Datum::Box(term.value, of), ty);
            return Ok(Done::Pure);
        }
        // A class that has the interface needs no code for it.
        let is_checked = self.machine.instructions().iter().any(|found| found.opcode.operation() == Operation::Cast);
        let is_up = self.library.needs_cast(&term.ty, &ty) && !is_checked;
        if is_object || is_up || self.types.is_base(&term.ty, &ty) {
            path.terms.push(Term { ty, ..term });
            return Ok(Done::Pure);
        }
        self.push(path, Datum::Cast(term.value, id), ty);
        Ok(Done::Pure)
    }

    /// A part of a sum of strings: the compiler calls `ToString` of it. Returns true if it was the event.
    pub fn part(&mut self, path: &mut Path, event: &Effect) -> Proven<bool> {
        let Some(term) = path.terms.last().cloned() else { return Ok(false) };
        let is_string = *plain(&term.ty) == Type::Primitive(Primitive::String);
        match event {
            Effect::Call { member, arguments, .. }
                if !is_string && &*member.name == "ToString" && arguments[..] == [term.value] =>
            {
                let is_number =
                    matches!(class(&member.owner), Class::Int(..) | Class::Char | Class::Bool | Class::Float);
                if is_number && !same_type(plain(&member.owner), plain(&term.ty)) {
                    return Err(Stop::refused("the text of a value of another type"));
                }
                path.terms.pop();
                path.code.events += 1;
                let value = self.values.add(Datum::Text(term.value));
                path.code.stack.push(value);
                path.terms.push(Term { value, ty: term.ty, is_literal: false });
                Ok(true)
            }
            Effect::Branch(test, to, next)
                if !is_string && is_reference(&term.ty) && self.values.tested(*test).0 == term.value =>
            {
                // `x?.ToString()`: the way on which there is a text.
                let holds = if self.values.tested(*test).1 { *next } else { *to };
                let mut other = path.code.clone();
                other.at = holds;
                let found = self.machine.next(&mut other, &mut self.values)?;
                let is_it = matches!(&found, Effect::Call { member, arguments, .. } if &*member.name == "ToString" && arguments[..] == [term.value]);
                if !is_it {
                    return Ok(false);
                }
                path.code = other;
                path.code.events += 1;
                path.terms.pop();
                let value = self.values.add(Datum::Text(term.value));
                path.code.stack.push(value);
                path.terms.push(Term { value, ty: term.ty, is_literal: false });
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    pub fn concat(&mut self, left: Term, right: Term, path: &mut Path, event: &Effect) -> Proven<Done> {
        let mut parts = Vec::new();
        for term in [&left, &right] {
            match self.values.get(term.value).clone() {
                Datum::Parts(inner) => parts.extend(inner),
                _ => parts.push(term.value),
            }
        }
        if let Effect::Call { member, arguments, .. } = event
            && &*member.name == "Concat"
            && !member.has_this
            && *member.returns == Type::Primitive(Primitive::String)
        {
            let found: Vec<Id> = arguments.clone();
            let is_it = found.len() == parts.len()
                && found.iter().zip(&parts).all(|(found, part)| match *self.values.get(*found) {
                    Datum::Box(inner, _) | Datum::Text(inner) if inner == *part => true,
                    _ => found == part,
                });
            if is_it {
                let returns = member.returns.clone();
                self.result(path, &returns);
                return Ok(Done::Consumed);
            }
        }
        self.push(path, Datum::Parts(parts), primitive(Primitive::String));
        Ok(Done::Pure)
    }
}

fn folded(operator: &str, a: i64, b: i64) -> Option<i64> {
    Some(match operator {
        "+" => a.checked_add(b)?,
        "-" => a.checked_sub(b)?,
        "*" => a.checked_mul(b)?,
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        _ => return None,
    })
}
