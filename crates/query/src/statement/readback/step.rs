//! The operations of a text, each against the next event of the IL.

use std::rc::Rc;

use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::{Primitive, Type};

use super::super::library::{self, Class, boolean, class, element, plain, primitive, unknown};
use super::lower::Op;
use super::machine::{Effect, Machine};
use super::parse::Fragment;
use super::proof::{Proven, Stop, undecided};
use super::values::{Datum, Storage, integer, same_type, unmodified};

use super::walk::{Done, Path, Readback, Term};

impl<'w> Readback<'w, '_> {
    pub fn step(&mut self, op: &Op<'w>, path: &mut Path, event: &Effect) -> Proven<Done> {
        match op {
            Op::Push(value, ty, is_literal) => {
                let value = match value {
                    // Numbers of four bytes are signed in IL.
                    Datum::Int(number) if integer(ty) == Some((4, false)) => self.values.int(i64::from(*number as i32)),
                    value => self.values.add(value.clone()),
                };
                path.terms.push(Term { value, ty: ty.clone(), is_literal: *is_literal });
            }
            Op::Default(None) => {
                let value = self.values.add(Datum::Untyped);
                path.terms.push(Term { value, ty: unknown(), is_literal: true });
            }
            Op::Default(Some(ty)) => {
                let ty = self.types.resolve(ty)?;
                let value = self.default_of(&ty);
                path.terms.push(Term { value, ty, is_literal: false });
            }
            Op::TypeOf(name) => {
                let ty = self.types.resolve(name)?;
                let ty = self.values.type_id(&ty);
                self.push(path, Datum::TypeOf(ty), unknown());
            }
            Op::Lambda(of) => {
                self.lambdas.push(of);
                let number = self.lambdas.len() - 1;
                self.push(path, Datum::Lambda(number), unknown());
            }
            Op::Name(name) => return self.name(name, path, event),
            Op::Member(name) => return self.member(name, path, event),
            Op::Owner(name) => {
                // A constant has members, too.
                let constant = if self.library.named(name).is_empty() {
                    self.constant(&Datum::Bare, &(*name).into()).ok()
                } else {
                    None
                };
                match constant {
                    Some((value, ty, is_literal)) => path.terms.push(Term { value, ty, is_literal }),
                    None => self.push(path, Datum::Owner((*name).into()), unknown()),
                }
            }
            Op::Call(name, types, count) => return self.call(name, types, *count, path, event),
            Op::Construct(count, is_own) => {
                let arguments = path.pop_many(*count)?;
                let Effect::Call { member, arguments: found, .. } = event else { return self.more(event) };
                let owner = library::token(&member.owner);
                let is_it = *is_own == (owner == Some(Token::new(TableId::TYPE_DEF, self.body.type_row)));
                if member.role != ".ctor" || !is_it || !matches!(self.values.get(found[0]), Datum::This) {
                    return self.more(event);
                }
                self.arguments(member, &arguments, &found[1..], &[], path)?;
                path.code.events += 1;
                return Ok(Done::Consumed);
            }
            Op::New(ty, count) => return self.create(*ty, *count, path, event),
            Op::NewArray(ty) => {
                let length = path.pop()?;
                let Effect::NewArray(of, found) = event else { return self.more(event) };
                if let Some(ty) = ty
                    && !self.types.is_named(ty, of)
                {
                    return Err(Stop::refused("an array of another type"));
                }
                self.fits(&length, *found, &primitive(Primitive::I4), path)?;
                let array = Rc::new(Type::Array(Box::new(Type::clone(of))));
                self.result(path, &array);
                // No element has told the type yet.
                path.terms.iter_mut().next_back().into_iter().for_each(|term| term.is_literal = ty.is_none());
                return Ok(Done::Consumed);
            }
            Op::EndElements => {
                if path.terms.last().is_some_and(|array| array.is_literal) {
                    return Err(Stop::refused("an array of a type that no element has"));
                }
            }
            Op::Params(of, count) => {
                let is_begun = matches!(event, Effect::NewArray(found, length)
                    if same_type(found, of) && *self.values.get(*length) == Datum::Int(*count as i64));
                path.params.push(is_begun);
                if is_begun {
                    let array = Rc::new(Type::Array(Box::new(Type::clone(of))));
                    self.result(path, &array);
                    return Ok(Done::Consumed);
                }
            }
            Op::EndParams(count) => {
                if path.params.pop() == Some(true) {
                    path.collapsed = Some(*count);
                }
            }
            Op::StoreElement(number, is_params) => {
                if *is_params && path.params.last() != Some(&true) {
                    return Ok(Done::Pure);
                }
                let value = path.pop()?;
                let array = path.terms.last().cloned().ok_or_else(|| undecided("an array"))?;
                let of = element(&array.ty);
                if same_type(plain(&value.ty), plain(&of)) || *value.ty == *unknown() && !value.is_literal {
                    path.terms.iter_mut().next_back().into_iter().for_each(|term| term.is_literal = false);
                }
                // A zero is not stored.
                let is_zero = match self.values.get(value.value) {
                    Datum::Int(0) | Datum::Null => {
                        class(&of) != Class::Reference || matches!(self.values.get(value.value), Datum::Null)
                    }
                    _ => false,
                };
                let index = self.values.int(*number as i64);
                match event {
                    Effect::Store(Storage::Element(found, indices), stored)
                        if *found == array.value && indices[..] == [index] =>
                    {
                        self.fits(&value, *stored, &of, path)?;
                        path.code.events += 1;
                        return Ok(Done::Consumed);
                    }
                    _ if is_zero => {}
                    _ => return self.more(event),
                }
            }
            Op::StoreItem(name) => {
                let value = path.pop()?;
                let object = path.terms.last().cloned().ok_or_else(|| undecided("an object"))?;
                let done = self.store_member(name, &object, &value, path, event)?;
                path.terms.pop();
                return Ok(done);
            }
            Op::AddItem(count) => {
                let values = path.pop_many(*count)?;
                let object = path.terms.last().cloned().ok_or_else(|| undecided("an object"))?;
                let Effect::Call { member, arguments, .. } = event else { return self.more(event) };
                if &*member.name != "Add" || arguments.first() != Some(&object.value) {
                    return self.more(event);
                }
                self.receiver(&object, member, arguments)?;
                self.arguments(member, &values, &arguments[1..], &[], path)?;
                if self.result(path, &member.returns).is_some() {
                    path.terms.pop();
                }
                return Ok(Done::Consumed);
            }
            Op::IndexAddress(count) => {
                // An element by reference is found before the value that it gets.
                if let Effect::Call { member, arguments, .. } = event
                    && &*member.name == "get_Item"
                    && matches!(unmodified(&member.returns), Type::Reference(_))
                    && path.terms.len() > *count
                    && arguments.first() == path.terms.get(path.terms.len() - 1 - count).map(|term| &term.value)
                {
                    let indices = path.pop_many(*count)?;
                    path.pop()?;
                    self.arguments(member, &indices, &arguments[1..], &[], path)?;
                    self.result(path, &member.returns.clone());
                    // The index is spent.
                    path.terms.iter_mut().next_back().into_iter().for_each(|term| term.is_literal = true);
                    path.terms.extend(indices);
                    return Ok(Done::Consumed);
                }
            }
            Op::Index(count) => {
                let indices = path.pop_many(*count)?;
                let object = path.pop()?;
                if let Effect::Call { member, arguments, .. } = event
                    && matches!(&*member.name, "get_Item" | "get_Chars")
                    && arguments.first() == Some(&object.value)
                {
                    self.receiver(&object, member, arguments)?;
                    self.arguments(member, &indices, &arguments[1..], &[], path)?;
                    self.result(path, &member.returns.clone());
                    return Ok(Done::Consumed);
                }
                if let Datum::Load(Storage::Target(_), _) = self.values.get(object.value)
                    && object.is_literal
                {
                    path.terms.push(Term { is_literal: false, ..object });
                    return Ok(Done::Pure);
                }
                let place = self.element(&object, &indices)?;
                let ty = element(plain(&object.ty));
                let value = Machine::load(place, path.code.events, &path.code, &mut self.values);
                self.values.note_float(value, &ty);
                path.terms.push(Term { value, ty, is_literal: false });
            }
            Op::StoreName(name) => {
                let value = path.pop()?;
                if let Some(ty) = self.machine.type_of(name) {
                    let Effect::Store(Storage::Variable(found), stored) = event else {
                        return Err(Stop::refused(format!("{name} is a variable: {}", event.reason(self.library))));
                    };
                    if **found != ***name {
                        return self.more(event);
                    }
                    // `var` has the type of its value.
                    let is_typed =
                        same_type(plain(&value.ty), plain(&ty)) || *value.ty == *unknown() && !value.is_literal;
                    if self.is_var && !is_typed {
                        return Err(Stop::refused("var of a value of another type"));
                    }
                    return self.store(path, (&value, *stored), plain(&ty), Some(*name));
                }
                let this = Term { value: self.values.add(Datum::This), ty: self.machine.this(), is_literal: false };
                return self.store_member(name, &this, &value, path, event);
            }
            Op::StoreField(name) => {
                let value = path.pop()?;
                let (Effect::Store(Storage::Field(_, found) | Storage::Static(found), stored), true) =
                    (event, self.is_constructor())
                else {
                    return self.more(event);
                };
                let ty = self.machine.fields.get(*name).map(|field| field.0.clone());
                let is_own = match event {
                    Effect::Store(Storage::Field(object, _), _) => *self.values.get(*object) == Datum::This,
                    _ => true,
                };
                if **found != **name || !is_own {
                    return self.more(event);
                }
                if self.body.initializes(self.library, self.machine.start) == Some(false) {
                    return Err(Stop::refused("a declaration in the body of a constructor"));
                }
                return self.store(path, (&value, *stored), &ty.unwrap_or_else(unknown), None);
            }
            Op::StoreMember(name) => {
                let value = path.pop()?;
                let object = path.pop()?;
                return self.store_member(name, &object, &value, path, event);
            }
            Op::StoreIndex(count) => {
                let value = path.pop()?;
                let indices = path.pop_many(*count)?;
                let object = path.pop()?;
                if let Effect::Call { member, arguments, .. } = event
                    && &*member.name == "set_Item"
                    && arguments.first() == Some(&object.value)
                {
                    self.receiver(&object, member, arguments)?;
                    let all: Vec<Term> = indices.into_iter().chain([value.clone()]).collect();
                    self.arguments(member, &all, &arguments[1..], &[], path)?;
                    path.code.events += 1;
                    path.terms.push(value);
                    return Ok(Done::Consumed);
                }
                if let (Datum::Load(place @ Storage::Target(_), _), Effect::Store(found, stored)) =
                    (self.values.get(object.value).clone(), event)
                    && place == *found
                    && object.is_literal
                {
                    return self.store(path, (&value, *stored), &object.ty, None);
                }
                let place = self.element(&object, &indices)?;
                let Effect::Store(found, stored) = event else { return self.more(event) };
                if *found != place {
                    return Err(Stop::refused("a store to another element"));
                }
                return self.store(path, (&value, *stored), &element(plain(&object.ty)), None);
            }
            Op::Event(name, is_added) => {
                let value = path.pop()?;
                let object = path.pop()?;
                let Effect::Call { member, arguments, .. } = event else { return self.more(event) };
                let role = if *is_added { "add_" } else { "remove_" };
                if member.role != role || *member.shown != ***name {
                    return self.more(event);
                }
                self.receiver(&object, member, arguments)?;
                self.arguments(member, &[value], &arguments[usize::from(member.has_this)..], &[], path)?;
                path.code.events += 1;
                return Ok(Done::Consumed);
            }
            Op::Copy(count) => {
                let at = path.terms.len().checked_sub(*count).ok_or_else(|| undecided("a value of the text"))?;
                path.terms.extend_from_within(at..);
            }
            Op::Drop(count) => {
                let top = path.pop()?;
                path.pop_many(*count)?;
                path.terms.push(top);
            }
            Op::Pop => {
                path.pop()?;
            }
            Op::Keep(count) => {
                let old = path.terms.last().cloned().ok_or_else(|| undecided("a value of the text"))?;
                let at = path.terms.len() - 1 - count;
                path.terms.insert(at, old);
            }
            Op::Unary(operator) => return self.unary(operator, path, event),
            Op::Binary(operator) => return self.binary(operator, path, event),
            Op::Increment(is_more) => return self.increment(*is_more, path, event),
            Op::Narrow => {
                let value = path.pop()?;
                path.terms.push(Term { is_literal: true, ..value });
            }
            Op::Part => {}
            Op::Cast(ty) => return self.cast(ty, path, event),
            Op::As(ty) | Op::Is(ty) => {
                let value = path.pop()?;
                let ty = self.types.resolve(ty)?;
                let id = self.values.type_id(&ty);
                let is_test = matches!(op, Op::Is(_));
                self.push(path, Datum::IsInstance(value.value, id), if is_test { boolean() } else { ty });
                if is_test {
                    // A test is a bool: not null.
                    let top = path.pop()?;
                    let not = self.values.not(top.value);
                    let value = self.values.not(not);
                    path.terms.push(Term { value, ..top });
                }
            }
            Op::Pattern(ty, name) => {
                let value = path.pop()?;
                let ty = self.types.resolve(ty)?;
                let id = self.values.type_id(&ty);
                let test = self.values.add(Datum::IsInstance(value.value, id));
                let term = Term { value: test, ty: boolean(), is_literal: false };
                if let Effect::Store(Storage::Variable(found), stored) = event
                    && **found == ***name
                    && self.is_same(test, *stored)
                {
                    path.code.stored.push(((*name).clone(), *stored));
                    let term = Term { value: *stored, ..term };
                    path.terms.extend([term.clone(), term]);
                    path.code.events += 1;
                    return Ok(Done::Consumed);
                }
                path.terms.extend([term.clone(), term]);
            }
            Op::PatternStore(ty, name) => {
                let test = path.pop()?;
                if path.code.stored.iter().any(|stored| stored.0 == **name && stored.1 == test.value) {
                    return Ok(Done::Pure);
                }
                let ty = self.types.resolve(ty)?;
                let id = self.values.type_id(&ty);
                let Datum::IsInstance(of, _) = *self.values.get(test.value) else { return Err(undecided("a pattern")) };
                let cast = self.values.add(Datum::Cast(of, id));
                let Effect::Store(Storage::Variable(found), stored) = event else { return self.more(event) };
                if **found != ***name || !(self.is_same(cast, *stored) || self.is_same(test.value, *stored)) {
                    return self.more(event);
                }
                path.code.stored.push(((*name).clone(), *stored));
                path.code.events += 1;
                return Ok(Done::Consumed);
            }
            Op::Ref(declared) => {
                let value = path.pop()?;
                let Datum::Load(place, at) = self.values.get(value.value).clone() else {
                    return Err(undecided("a reference"));
                };
                if let Storage::Variable(name) = &place
                    && self.body.is_new(name, self.machine.start, self.machine.end) != declared.is_some()
                {
                    return Err(Stop::refused("a variable that is not declared, or twice"));
                }
                let ty = library::by_ref(plain(&value.ty));
                let value = self.values.add(Datum::Address(place, at));
                // `out var` tells no type argument.
                path.terms.push(Term { value, ty, is_literal: *declared == Some(false) });
            }
            Op::Interpolate(parts) => {
                let holes = parts.iter().filter(|part| matches!(part, Fragment::Hole(..))).count();
                let mut terms = path.pop_many(holes)?.into_iter();
                let (mut all, mut plain) = (Vec::new(), Vec::new());
                for part in *parts {
                    let (value, bare) = match (part, terms.len()) {
                        (Fragment::Text(text), _) => {
                            let text = self.values.add(Datum::Str(text.clone()));
                            (text, text)
                        }
                        (Fragment::Hole(_, alignment, format), _) => {
                            let term = terms.next().ok_or_else(|| undecided("a value of the text"))?;
                            (self.values.add(Datum::Hole(term.value, *alignment, format.clone())), term.value)
                        }
                    };
                    all.push(value);
                    plain.push(bare);
                }
                // Strings alone are put together like a sum.
                if let Effect::Call { member, arguments, .. } = event
                    && &*member.name == "Concat"
                    && *arguments == plain
                {
                    self.result(path, &member.returns.clone());
                    return Ok(Done::Consumed);
                }
                self.push(path, Datum::Parts(all), primitive(Primitive::String));
            }
            Op::Await => {
                let task = path.pop()?;
                let Effect::Await(found) = event else { return self.more(event) };
                if !self.is_same(task.value, *found) {
                    return Err(Stop::refused("another task is awaited"));
                }
                path.code.events += 1;
                let returns = self.machine.awaited(path.code.at);
                path.code.events -= 1;
                self.result(path, &returns);
                return Ok(Done::Consumed);
            }
            Op::Yield => {
                let value = path.pop()?;
                let Effect::Yield(found) = event else { return self.more(event) };
                self.fits(&value, *found, &self.body.returns(), path)?;
                path.code.events += 1;
                return Ok(Done::Consumed);
            }
            Op::Leave(outcome) => return self.leave(*outcome, path, event),
            Op::Branch(..) | Op::Test(..) | Op::Jump(_) => {}
        }
        Ok(Done::Pure)
    }
}
