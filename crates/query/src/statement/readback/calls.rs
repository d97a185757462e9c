//! Calls, new objects and lambdas: their arguments by the parameters of the method that is called.

use std::rc::Rc;

use pdblens_formats::il::{Operation, RegionKind};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::{Primitive, Type};

use super::super::body::Body;
use super::super::library::{self, Class, Member, class, plain, unknown};
use super::machine::{Effect, Machine, is_reference};
use super::parse::Expr;
use super::proof::{Proven, Stop, undecided};
use super::text::{Head, Phrase};
use super::type_names::{TypeName, primitive as primitive_named};
use super::values::{Datum, Id, Storage, same_type};
use super::walk::{Done, Mode, Path, Readback, Term};

/// Names of methods that are overloaded for each primitive type.
const OVERLOADED: &str = " Write WriteLine Append AppendLine Insert Max Min Abs Round GetBytes Emit Format WriteValue Add \
    Print Log Equals CompareTo ToString ";

impl Readback<'_, '_> {
    pub fn receiver(&mut self, object: &Term, member: &Member, arguments: &[Id]) -> Proven<()> {
        let wrong = || Err(Stop::refused(format!("{} of another object", member.name)));
        let is_own = matches!(self.values.get(object.value), Datum::Bare | Datum::This);
        let ty = if is_own { self.machine.this() } else { object.ty.clone() };
        if member.has_this && self.library.needs_cast(&ty, &member.owner) {
            return Err(Stop::refused("a method of an interface needs a cast"));
        }
        if member.has_this && matches!(self.values.get(object.value), Datum::Null) && object.is_literal {
            return Err(Stop::refused("a member of null"));
        }
        let is_base = matches!(self.values.get(object.value), Datum::Base);
        let is_named = matches!(member.role, "" | "get_" | "set_");
        if member.has_this && is_named && !is_base && self.library.is_hidden(&ty, member) {
            return Err(Stop::refused("a method of the same name is nearer to the object"));
        }
        match (self.values.get(object.value).clone(), member.has_this) {
            (Datum::Owner(name), false) => {
                let owner = self.library.name_of(&member.owner).0;
                let own = owner.split('`').next().unwrap_or_default();
                let is_primitive =
                    matches!(plain(&member.owner), Type::Primitive(of) if primitive_named(&name) == Some(*of));
                let is_parameter = matches!(plain(&member.owner), Type::TypeParameter(_) | Type::MethodParameter(_));
                let is_decimal = &*name == "decimal" && own == "Decimal";
                if is_decimal
                    || own == &*name
                    || is_primitive
                    || is_parameter
                    || primitive_named(&name)
                        .is_some_and(|of| library::of_system(own).is_some_and(|ty| *ty == Type::Primitive(of)))
                {
                    Ok(())
                } else {
                    wrong()
                }
            }
            (Datum::Bare | Datum::This, false) => {
                let own = library::token(&member.owner).is_some_and(|token| token.table() == TableId::TYPE_DEF);
                if own { Ok(()) } else { wrong() }
            }
            (Datum::Bare, true) => {
                if matches!(self.values.get(arguments[0]), Datum::This | Datum::Closure) {
                    Ok(())
                } else {
                    wrong()
                }
            }
            (Datum::Base, true) => {
                if matches!(self.values.get(arguments[0]), Datum::This) {
                    Ok(())
                } else {
                    wrong()
                }
            }
            (_, true) => {
                let mut found = arguments[0];
                // A value is boxed to call a method of its class.
                if let Datum::Box(inner, _) = *self.values.get(found) {
                    found = inner;
                }
                // A method of a number is that of its own type.
                let is_other = matches!(&*member.owner, Type::Primitive(_))
                    && is_value(&member.owner)
                    && (is_value(&object.ty) || class(&object.ty) == Class::Value)
                    && !same_type(&member.owner, plain(&object.ty));
                if self.is_same(object.value, found) && !is_other { Ok(()) } else { wrong() }
            }
            _ => wrong(),
        }
    }

    /// Returns true for a value, false for the type of a static member or `this` that is not written.
    pub fn is_object(&self, term: &Term) -> bool {
        !matches!(self.values.get(term.value), Datum::Owner(_) | Datum::Bare | Datum::This)
    }

    pub fn call(
        &mut self,
        name: &str,
        types: &[TypeName],
        count: usize,
        path: &mut Path,
        event: &Effect,
    ) -> Proven<Done> {
        let written = path.collapsed.map(|_| count);
        let count = path.collapsed.take().map_or(count, |elements| count + 1 - elements);
        if name == "Empty"
            && let ([of], 0, Some(term)) = (types, count, path.terms.last())
            && *self.values.get(term.value) == Datum::Owner("Array".into())
        {
            path.pop()?;
            let of = self.types.resolve(of)?;
            let id = self.values.type_id(&of);
            let array = Rc::new(Type::Array(Box::new(Type::clone(&of))));
            self.push(path, Datum::EmptyArray(id), array);
            return Ok(Done::Pure);
        }
        let Effect::Call { member, arguments: found, is_virtual } = event else { return self.more(event) };
        let is_it = *member.shown == *name && (member.role.is_empty() || name == "Invoke");
        if !is_it {
            return self.more(event);
        }
        let arguments = path.pop_many(count)?;
        let object = path.pop()?;
        let of = self.values.get(object.value).clone();
        if let (Some(written), Some(owner)) = (written, library::token(&member.owner)) {
            let written = written + usize::from(member.is_extension && self.is_object(&object));
            if self
                .library
                .methods_named(owner, &member.name)
                .iter()
                .any(|other| other.parameters.len() == written && other.row != member.row)
            {
                return Err(Stop::refused("another method of the same name takes the arguments without an array"));
            }
        }
        if member.has_this {
            self.receiver(&object, member, found)?;
            let is_base = matches!(of, Datum::Base);
            let is_own = library::token(&member.owner) == Some(Token::new(TableId::TYPE_DEF, self.body.type_row));
            let is_of_base = !is_virtual
                && !is_own
                && matches!(self.values.get(found[0]), Datum::This)
                && is_reference(&member.owner)
                && (library::token(&member.owner).is_none_or(|token| token.table() != TableId::TYPE_DEF)
                    || member.is_virtual);
            // A struct is boxed to call what it overrides.
            let is_boxed = !is_virtual
                && matches!(self.values.get(found[0]), Datum::Box(..))
                && matches!(&*member.name, "ToString" | "Equals" | "GetHashCode");
            let must_be_base = is_of_base || is_boxed;
            if is_base != must_be_base {
                return Err(Stop::refused("base"));
            }
            self.arguments(member, &arguments, &found[1..], types, path)?;
        } else if self.is_object(&object)
            || matches!(of, Datum::This) && member.is_extension && arguments.len() < member.parameters.len()
        {
            if !member.is_extension {
                return Err(Stop::refused("a static method with an object"));
            }
            if self.library.has_other_extension(member) {
                return Err(undecided("an extension that several classes have"));
            }
            if self.library.hides_extension(&object.ty, member, arguments.len()) {
                return Err(Stop::refused("a method of the object has the name of the extension"));
            }
            let all: Vec<Term> = std::iter::once(object).chain(arguments).collect();
            self.arguments(member, &all, found, types, path)?;
        } else {
            self.receiver(&object, member, found)?;
            self.arguments(member, &arguments, found, types, path)?;
        }
        let returns = member.returns.clone();
        if found.iter().any(|argument| matches!(self.values.get(*argument), Datum::Address(..))) {
            path.code.stored.clear();
        }
        self.result(path, &returns);
        Ok(Done::Consumed)
    }

    /// The arguments of a call by the parameters of the method that is called.
    pub fn arguments(
        &mut self,
        member: &Member,
        terms: &[Term],
        found: &[Id],
        types: &[TypeName],
        path: &Path,
    ) -> Proven<()> {
        let parameters = &member.parameters[..];
        let is_local = member.name.contains(">g__");
        let mut found = found.to_vec();
        if is_local {
            while found.len() > terms.len()
                && matches!(self.values.get(found[found.len() - 1]), Datum::Closure | Datum::Address(..))
            {
                found.pop();
            }
        }
        if terms.len() > found.len() {
            return Err(Stop::refused("more arguments than the method has"));
        }
        if let (Some(owner), true) = (library::token(&member.owner), terms.len() < found.len() && !is_local)
            && self.library.methods_named(owner, &member.name).iter().any(|other| other.parameters.len() == terms.len())
        {
            return Err(Stop::refused("another method of the same name takes fewer arguments"));
        }
        for number in terms.len()..found.len() {
            self.is_omitted(member, number, found[number])?;
        }
        for (number, term) in terms.iter().enumerate() {
            let ty = parameters.get(number).cloned().unwrap_or_else(unknown);
            self.fits(term, found[number], &ty, path)?;
            self.overload(member, number, term, &ty)?;
        }
        if !types.is_empty() {
            let is_same = types.len() == member.instantiation.len()
                && types.iter().zip(&member.instantiation).all(|(name, ty)| self.types.is_named(name, ty));
            return if is_same { Ok(()) } else { Err(Stop::refused("other type arguments")) };
        }
        if let (Some(owner), false) = (library::token(&member.owner), member.instantiation.is_empty()) {
            let takes = |other: &Rc<Member>| {
                let mut pairs = other.parameters.iter().zip(terms);
                let is_other = other.row != member.row && other.parameters.len() == terms.len();
                is_other && pairs.all(|(ty, term)| same_type(plain(ty), plain(&term.ty)))
            };
            if self.library.methods_named(owner, &member.name).iter().any(takes) {
                return Err(Stop::refused("a method without type parameters takes the arguments"));
            }
        }
        for (number, argument) in member.instantiation.iter().enumerate() {
            if is_local {
                break;
            }
            let number = number as u32;
            let mut is_told = false;
            for (term, open) in terms.iter().zip(&member.open) {
                // `out var` takes its type from the parameter.
                let is_discard = *self.values.get(term.value) == Datum::Discard;
                if is_discard || term.is_literal && matches!(&*term.ty, Type::Reference(_)) {
                    continue;
                }
                if let Type::MethodParameter(found) = plain(open)
                    && *found == number
                {
                    let is_exact = same_type(plain(&term.ty), argument);
                    if !is_exact && terms.len() == 1 || term.is_literal && !is_exact {
                        return Err(Stop::refused("a type argument that the arguments do not tell"));
                    }
                    is_told |= is_exact;
                    continue;
                }
                let is_mentioned = library::mentions(open, number);
                is_told |= is_mentioned
                    && match self.values.get(term.value) {
                        Datum::Null | Datum::Untyped | Datum::Group(..) => false,
                        Datum::Lambda(number) => self.exact.contains(number),
                        _ => true,
                    };
            }
            if !is_told {
                return Err(Stop::refused("a type argument that no argument tells"));
            }
        }
        Ok(())
    }

    /// An argument that the text leaves out is the default that the method declares.
    pub fn is_omitted(&mut self, member: &Member, number: usize, found: Id) -> Proven<()> {
        let row = self
            .library
            .parameter(member.row, number)
            .ok_or_else(|| Stop::refused("fewer arguments than the method has"))?;
        if let Datum::EmptyArray(_) = self.values.get(found)
            && self.library.is_marked(Token::new(TableId::PARAM, row))
        {
            return Ok(());
        }
        let is_it = match (self.library.constant(row << 2 | 1), self.values.get(found)) {
            (Some((number, _)), Datum::Int(found)) => number as i32 == *found as i32,
            (Some((number, _)), Datum::Null) => number == 0,
            (Some((_, text)), Datum::Str(found)) => {
                text == pdblens_session::text::constant::quoted('"', found.encode_utf16())
            }
            (_, Datum::Default(_)) => true,
            _ => false,
        };
        if is_it { Ok(()) } else { Err(Stop::refused("an argument that the text leaves out")) }
    }

    /// Refuses an argument whose type would choose another method of the same name.
    pub fn overload(&mut self, member: &Member, number: usize, term: &Term, ty: &Type) -> Proven<()> {
        let (from, to) = (plain(&term.ty), plain(ty));
        let is_unknown = *from == Type::Primitive(Primitive::Void);
        if same_type(from, to)
            || is_unknown && !term.is_literal
            || matches!(member.open.get(number).map(plain), Some(Type::MethodParameter(_)))
        {
            return Ok(());
        }
        let wrong = || Err(Stop::refused("another method of the same name takes the argument"));
        let owner = library::token(&member.owner).filter(|token| token.table() == TableId::TYPE_DEF);
        if let Some(owner) = owner {
            let others = self.library.methods_named(owner, &member.name);
            let mut others = others
                .iter()
                .filter(|other| other.row != member.row && other.parameters.len() == member.parameters.len());
            let takes_it = others.any(|other| same_type(plain(&other.parameters[number]), from));
            return if takes_it { wrong() } else { Ok(()) };
        }
        let is_number = |ty: &Type| matches!(class(ty), Class::Int(..) | Class::Char | Class::Float | Class::Bool);
        if OVERLOADED.contains(&format!(" {} ", member.name))
            && (is_number(from) || term.is_literal)
            && !is_unknown
            && (is_number(to) || is_reference(to))
        {
            // `Add(1)` of a list of longs has one form; a box is no number.
            let is_generic = !library::arguments(&member.owner).is_empty();
            let is_object = matches!(to, Type::Primitive(Primitive::Object));
            if !is_generic && !(is_object && matches!(&*member.name, "Format" | "Equals" | "Add" | "Log" | "CompareTo"))
            {
                return wrong();
            }
        }
        Ok(())
    }

    pub fn create(&mut self, name: Option<&TypeName>, count: usize, path: &mut Path, event: &Effect) -> Proven<Done> {
        let count = path.collapsed.take().map_or(count, |elements| count + 1 - elements);
        let arguments = path.pop_many(count)?;
        if let Effect::New(member, found, place) = event {
            if let Some(name) = name
                && !self.types.is_named(name, &member.owner)
            {
                return self.more(event);
            }
            self.arguments(member, &arguments, found, &[], path)?;
            let value = self.result(path, &member.owner.clone());
            if let (Some(place), Some(value)) = (place, value) {
                path.code.stack.pop();
                match place {
                    Storage::Temporary(key) => {
                        path.code.temporaries.insert(*key, value);
                    }
                    place => path.code.pending = Some(Effect::Store(place.clone(), value)),
                }
            }
            return Ok(Done::Consumed);
        }
        if let (Effect::Call { member, .. }, Some(name), []) = (event, name, &arguments[..])
            && &*member.name == "CreateInstance"
            && member.instantiation.first().is_some_and(|of| self.types.is_named(name, of))
        {
            self.result(path, &member.returns.clone());
            return Ok(Done::Consumed);
        }
        // A delegate of a method, or a struct without arguments.
        let Some(name) = name else { return self.more(event) };
        match &arguments[..] {
            [only] if matches!(self.values.get(only.value), Datum::Group(..) | Datum::Lambda(_)) => {
                let ty = self.types.resolve(name)?;
                path.terms.push(Term { ty, ..only.clone() });
            }
            [] => {
                let ty = self.types.resolve(name)?;
                if matches!(&*ty, Type::Named { is_value: false, token } if token.table() == TableId::TYPE_DEF) {
                    return self.more(event);
                }
                let id = self.values.type_id(&ty);
                self.push(path, Datum::Default(id), ty);
            }
            _ => return self.more(event),
        }
        Ok(Done::Pure)
    }

    /// A lambda: its body against the method that it became.
    pub fn lambda(&mut self, number: usize, method: u32, object: Id, _ty: u32) -> Proven<()> {
        let member = self.values.methods[method as usize].clone();
        if !member.name.contains(">b__") || member.row == 0 {
            return Err(Stop::refused("a lambda for a method"));
        }
        if !matches!(self.values.get(object), Datum::Closure | Datum::This | Datum::Null) {
            return Err(Stop::refused("a lambda of another object"));
        }
        let of = self.lambdas[number];
        let Expr::Lambda(names, value, is_expression) = of else { return Err(undecided("a lambda")) };
        if names.len() != member.parameters.len() {
            return Err(Stop::refused("a lambda with other parameters"));
        }
        let token = Token::new(TableId::METHOD_DEF, member.row);
        let body = Body::read(self.library, token).ok_or_else(|| undecided("a lambda"))?;
        let end = body.view.body.as_ref().map_or(0, |body| body.code_size);
        if body.kickoff.is_some() || body.regions.iter().any(|region| !matches!(region.kind, RegionKind::Fault)) {
            return Err(undecided("a lambda with regions"));
        }
        if body.code.iter().any(|found| found.opcode.operation() == Operation::Switch) {
            return Err(undecided("switch"));
        }
        let has_result = body.has_result();
        let is_return = has_result && *is_expression;
        let machine = Machine::new(self.library, &body, (0, end));
        let mut walk = Readback::new(&machine, if is_return { Head::Return } else { Head::Value });
        let (head, value) = match &**value {
            Expr::Return(None) => (Head::Return, None),
            Expr::Return(Some(value)) => (Head::Return, Some(&**value)),
            value if is_return => (Head::Return, Some(value)),
            value => (Head::Value, Some(value)),
        };
        walk.head = head;
        let text = Phrase { head, declared: None, is_member: false, value: None, word: String::new() };
        walk.run(value, &text, Mode::default())?;
        if walk.is_exact {
            self.exact.insert(number);
        }
        Ok(())
    }
}

fn is_value(ty: &Type) -> bool {
    matches!(class(ty), Class::Int(..) | Class::Char | Class::Bool | Class::Float)
}
