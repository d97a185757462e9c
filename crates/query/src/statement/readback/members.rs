//! Variables, members and constants by their names, and what C# converts without a cast.

use std::rc::Rc;

use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::{Primitive, Type};

use super::super::library::{self, Class, Ty, class, plain, primitive, unknown};
use super::super::literal::platform_enumerators;
use super::machine::{Effect, Machine};
use super::parse::{self, Expr};
use super::proof::{Proven, Stop, undecided};
use super::type_names::primitive as primitive_named;
use super::values::{Datum, Id, Storage, integer, is_wider, same_type};
use super::walk::{Done, Path, Readback, Term};

impl Readback<'_, '_> {
    pub fn is_constructor(&self) -> bool {
        matches!(&*self.body.member.name, ".ctor" | ".cctor")
    }

    pub fn element(&mut self, object: &Term, indices: &[Term]) -> Proven<Storage> {
        if !matches!(plain(&object.ty), Type::Array(_)) {
            return Err(undecided("an index of something else than an array"));
        }
        Ok(Storage::Element(object.value, indices.iter().map(|index| index.value).collect()))
    }

    /// The end of an assignment: the value of the text is what the IL stores.
    pub fn store(
        &mut self,
        path: &mut Path,
        (value, stored): (&Term, Id),
        ty: &Type,
        name: Option<&Rc<str>>,
    ) -> Proven<Done> {
        self.fits(value, stored, ty, path)?;
        path.code.events += 1;
        if let Some(name) = name {
            path.code.stored.retain(|known| known.0 != *name);
            path.code.stored.push((name.clone(), stored));
            self.values.note_float(stored, ty);
        }
        path.terms.push(Term { value: stored, ty: Rc::new(plain(ty).clone()), is_literal: false });
        Ok(Done::Consumed)
    }

    pub fn store_member(
        &mut self,
        name: &Rc<str>,
        object: &Term,
        value: &Term,
        path: &mut Path,
        event: &Effect,
    ) -> Proven<Done> {
        match event {
            Effect::Call { member, arguments, .. } if member.role == "set_" && member.shown == *name => {
                self.receiver(object, member, arguments)?;
                let found = arguments.last().copied().ok_or_else(|| undecided("damaged code"))?;
                let ty = member.parameters.last().cloned().unwrap_or_else(unknown);
                self.store(path, (value, found), &ty, None)
            }
            Effect::Store(Storage::Field(of, found), stored) if found == name => {
                let is_it = self.is_same(object.value, *of);
                let ty = self.machine.fields.get(name).map_or_else(unknown, |field| field.0.clone());
                if is_it {
                    self.store(path, (value, *stored), &ty, None)
                } else {
                    Err(Stop::refused("a store to another object"))
                }
            }
            Effect::Store(Storage::Static(found), stored) if found == name && !self.is_object(object) => {
                let ty = self.machine.fields.get(name).map_or_else(unknown, |field| field.0.clone());
                self.store(path, (value, *stored), &ty, None)
            }
            _ => self.more(event),
        }
    }

    pub fn name(&mut self, name: &Rc<str>, path: &mut Path, event: &Effect) -> Proven<Done> {
        if let Some(ty) = self.machine.type_of(name) {
            let place = Storage::Variable(name.clone());
            let value = Machine::load(place, path.code.events, &path.code, &mut self.values);
            let ty = Rc::new(plain(&ty).clone());
            self.values.note_float(value, &ty);
            path.terms.push(Term { value, ty, is_literal: false });
            return Ok(Done::Pure);
        }
        let bare = Term { value: self.values.add(Datum::Bare), ty: self.machine.this(), is_literal: false };
        path.terms.push(bare);
        self.member(name, path, event)
    }

    pub fn member(&mut self, name: &Rc<str>, path: &mut Path, event: &Effect) -> Proven<Done> {
        let object = path.pop()?;
        if let Effect::Call { member, arguments, .. } = event
            && member.role == "get_"
            && member.shown == *name
            && member.parameters.is_empty()
        {
            let is_it = self.receiver(&object, member, arguments);
            if is_it.is_ok() {
                let returns = member.returns.clone();
                self.result(path, &returns);
                return Ok(Done::Consumed);
            }
            // A field of the same name comes before it.
            if !self.machine.fields.contains_key(name) {
                return is_it.map(|()| Done::Pure);
            }
        }
        let of = self.values.get(object.value).clone();
        if &**name == "Length" && matches!(plain(&object.ty), Type::Array(_)) {
            self.push(path, Datum::Length(object.value), primitive(Primitive::I4));
            return Ok(Done::Pure);
        }
        if let Some((ty, is_static)) = self.machine.fields.get(name).cloned() {
            let place = match of {
                _ if is_static && !self.is_object(&object) => Storage::Static(name.clone()),
                Datum::Bare => Storage::Field(self.values.add(Datum::This), name.clone()),
                Datum::Owner(_) => return Err(Stop::refused(format!("{name} is a field of an object"))),
                _ if is_static => return Err(Stop::refused(format!("{name} is static"))),
                _ => Storage::Field(object.value, name.clone()),
            };
            let value = Machine::load(place, path.code.events, &path.code, &mut self.values);
            self.values.note_float(value, &ty);
            path.terms.push(Term { value, ty, is_literal: false });
            return Ok(Done::Pure);
        }
        if !self.machine.called(name).is_empty() {
            self.push(path, Datum::Group(name.clone(), object.value), unknown());
            return Ok(Done::Pure);
        }
        let (value, ty, is_literal) = self.constant(&of, name)?;
        path.terms.push(Term { value, ty, is_literal });
        Ok(Done::Pure)
    }

    /// The value of a constant by its name: of the method, of a type around it, of an enum.
    pub fn constant(&mut self, of: &Datum, name: &Rc<str>) -> Proven<(Id, Ty, bool)> {
        let parsed = |this: &mut Self, text: &str| {
            let mut parser = parse::Parser::new(text).ok()?;
            match parser.expression(2).ok()? {
                Expr::Int(number, of) => Some((this.values.int(number), primitive(of), of == Primitive::I4)),
                Expr::Str(text) => Some((this.values.add(Datum::Str(text)), primitive(Primitive::String), false)),
                _ => None,
            }
        };
        let Datum::Owner(owner) = of else {
            if let Datum::Bare = of {
                let scopes = self.body.view.scopes.iter().flat_map(|scope| &scope.constants);
                let local =
                    scopes.into_iter().find(|constant| constant.name == **name).map(|found| found.value.clone());
                if let Some(found) = local.and_then(|text| parsed(self, &text)) {
                    return Ok(found);
                }
                let mut row = self.body.type_row;
                for _ in 0..16 {
                    let found = self
                        .library
                        .literals(row)
                        .iter()
                        .find(|found| found.name == *name)
                        .map(|found| found.text.clone());
                    if let Some(found) = found.and_then(|text| parsed(self, &text)) {
                        return Ok(found);
                    }
                    row = self.library.names.enclosing(row);
                    if row == 0 {
                        break;
                    }
                }
            }
            return Err(undecided("a name that is not found"));
        };
        if let Some(of) = primitive_named(owner) {
            let number = match (of, &**name) {
                (Primitive::I4, "MaxValue") => i64::from(i32::MAX),
                (Primitive::I4, "MinValue") => i64::from(i32::MIN),
                (Primitive::I8, "MaxValue") => i64::MAX,
                (Primitive::I8, "MinValue") => i64::MIN,
                (Primitive::U4, "MaxValue") => -1,
                (Primitive::U8, "MaxValue") => -1,
                (Primitive::U2 | Primitive::Char, "MaxValue") => 0xffff,
                (Primitive::U1, "MaxValue") => 0xff,
                (Primitive::R8, "NaN") => {
                    return Ok((self.values.add(Datum::Real(f64::NAN.to_bits())), primitive(of), false));
                }
                (Primitive::R8, "MaxValue") => {
                    return Ok((self.values.add(Datum::Real(f64::MAX.to_bits())), primitive(of), false));
                }
                (Primitive::R8, "PositiveInfinity") => {
                    return Ok((self.values.add(Datum::Real(f64::INFINITY.to_bits())), primitive(of), false));
                }
                (Primitive::R8, "NegativeInfinity") => {
                    return Ok((self.values.add(Datum::Real(f64::NEG_INFINITY.to_bits())), primitive(of), false));
                }
                _ => return Err(undecided("a constant that is not found")),
            };
            return Ok((self.values.int(number), primitive(of), false));
        }
        let mut tokens = self.library.named(owner);
        // Types of the own type come first.
        let own = Some(Token::new(TableId::TYPE_DEF, self.body.type_row));
        tokens.sort_by_key(|token| self.library.enclosing(*token) != own);
        for token in tokens {
            if token.table() == TableId::TYPE_DEF {
                let found = self
                    .library
                    .literals(token.row())
                    .iter()
                    .find(|found| found.name == *name)
                    .map(|found| (found.number, found.text.clone()));
                let Some((number, text)) = found else { continue };
                let ty = Type::Named { token, is_value: true };
                if self.library.enumerators(&ty).is_some() {
                    return Ok((self.values.int(number), Rc::new(ty), false));
                }
                if let Some(found) = parsed(self, &text) {
                    return Ok(found);
                }
            }
            if let Some((number, _)) = platform_enumerators(owner).0.iter().find(|member| *member.1 == **name) {
                return Ok((self.values.int(*number), Rc::new(Type::Named { token, is_value: true }), false));
            }
        }
        Err(undecided("a constant that is not found"))
    }

    pub fn default_of(&mut self, ty: &Type) -> Id {
        match class(ty) {
            Class::Reference => self.values.add(Datum::Null),
            Class::Bool | Class::Char | Class::Int(..) => self.values.int(0),
            Class::Float => self.values.add(Datum::Real(0)),
            _ => {
                let id = self.values.type_id(ty);
                self.values.add(Datum::Default(id))
            }
        }
    }

    /// Returns if a value of the text is what the IL has, as C# converts it to a type without a cast.
    pub fn fits(&mut self, term: &Term, found: Id, ty: &Type, path: &Path) -> Proven<()> {
        let ty = match ty {
            Type::Modified { of, .. } | Type::Pinned(of) => &**of,
            ty => ty,
        };
        let (from, to) = (plain(&term.ty).clone(), plain(ty).clone());
        let is_known = to != Type::Primitive(Primitive::Void) && from != Type::Primitive(Primitive::Void);
        let wrong = |reason: &'static str| Err(Stop::refused(reason));
        let il = self.values.get(found).clone();
        match (self.values.get(term.value).clone(), &il) {
            (Datum::Lambda(number), Datum::Delegate(method, object, of)) => {
                return self.lambda(number, *method, *object, *of);
            }
            (Datum::Group(name, object), Datum::Delegate(method, of, _)) => {
                let member = self.values.methods[*method as usize].clone();
                let is_it = member.shown == name
                    && match self.values.get(object) {
                        Datum::Bare => matches!(self.values.get(*of), Datum::This | Datum::Null | Datum::Closure),
                        Datum::Owner(_) => matches!(self.values.get(*of), Datum::Null),
                        _ => object == *of,
                    };
                return if is_it { Ok(()) } else { wrong("another method") };
            }
            (Datum::Discard, Datum::Address(Storage::Temporary(_), _)) => return Ok(()),
            (Datum::Untyped, _) => {
                let default = self.default_of(&to);
                return if default == found { Ok(()) } else { wrong("another default") };
            }
            (Datum::Null, Datum::Default(_)) if self.library.is_named(&to, "Nullable`1") => return Ok(()),
            (_, Datum::Nullable(inner)) if !self.library.is_named(&from, "Nullable`1") => {
                let of = library::arguments(&to).first().cloned().unwrap_or_else(|| from.clone());
                return self.fits(term, *inner, &of, path);
            }
            (_, Datum::Implicit(inner, takes, _)) if term.value == *inner => {
                // Of several operators, the one that takes the very type.
                let takes = self.values.ty(*takes);
                let is_other = is_known && !same_type(&from, plain(&takes));
                let is_plain = [&from, plain(&takes)].iter().any(|ty| matches!(ty, Type::Primitive(_)));
                return if is_other && is_plain { wrong("a conversion from another type") } else { Ok(()) };
            }
            (Datum::Load(place, at), Datum::Address(other, then)) if place == *other && at == *then => {
                // An argument of `in` is written as its value.
                return if matches!(ty, Type::Reference(_)) { Ok(()) } else { wrong("an address") };
            }
            (_, Datum::Address(Storage::Temporary(key), _)) if matches!(ty, Type::Reference(_)) => {
                return match path.code.temporaries.get(key) {
                    Some(value) if *value == term.value => Ok(()),
                    _ => Err(undecided("a variable without a name")),
                };
            }
            (_, Datum::Box(inner, of)) => {
                let of = self.values.ty(*of);
                let is_same = same_type(&from, &of);
                return match (self.is_same(term.value, *inner), is_same) {
                    (true, true) => Ok(()),
                    (true, false) => wrong("a value that is boxed as another type"),
                    _ => wrong("another value"),
                };
            }
            (Datum::Int(number), Datum::Int(other)) => {
                let is_truth = class(&from) == Class::Bool;
                if is_known && (is_truth != (class(&to) == Class::Bool)) && !matches!(class(&to), Class::Unknown) {
                    return wrong("a constant of another type");
                }
                let is_char = class(&to) == Class::Char && class(&from) != Class::Char;
                if is_char {
                    return wrong("a constant of another type");
                }
                let is_enum = class(&to) == Class::Value;
                if is_enum && !same_type(&from, &to) && number != 0 {
                    return wrong("a number for an enum");
                }
                if is_known
                    && !is_enum
                    && !term.is_literal
                    && !same_type(&from, &to)
                    && !is_wider(&from, &to)
                    && from != Type::Primitive(Primitive::I4)
                {
                    return wrong("a constant without its cast");
                }
                let size = integer(&to).map_or(8, |(size, _)| size);
                let is_it =
                    if size == 8 { number == *other } else { number as u32 == *other as u32 || number == *other };
                return if is_it { Ok(()) } else { wrong("another constant") };
            }
            (Datum::Int(_), Datum::Real(_)) => {
                let value = self.converted(term, &to);
                return if value == found { Ok(()) } else { wrong("another constant") };
            }
            (Datum::Null, Datum::Null) => return Ok(()),
            (Datum::Parts(_), _) if term.value != found => return wrong("a sum of strings"),
            _ => {}
        }
        let is_number = |ty: &Type| integer(ty).is_some() || class(ty) == Class::Float;
        if is_number(&from) && is_number(&to) && from != to {
            let value = self.converted(term, &to);
            if !is_wider(&from, &to) && !term.is_literal {
                return wrong("a number without its cast");
            }
            return if self.is_same(value, found) { Ok(()) } else { wrong("another value") };
        }
        if class(&from) == Class::Bool && is_number(&to) || is_number(&from) && class(&to) == Class::Bool {
            return wrong("bool for a number");
        }
        if (class(&from) == Class::Value) != (class(&to) == Class::Value)
            && is_known
            && (is_number(&from) || is_number(&to))
        {
            return wrong("an enum without its cast");
        }
        if let (Type::Reference(_), false) = (ty, matches!(&*term.ty, Type::Reference(_))) {
            return if self.is_same(term.value, found) {
                Err(undecided("a reference"))
            } else {
                wrong("another value")
            };
        }
        if self.is_same(term.value, found) {
            // A class that is converted to one that is no base of it needs a cast.
            return Ok(());
        }
        wrong("another value")
    }
}
