//! Calls, and the helpers that C# has syntax for: `await`, sums of strings, initial data, operators.

use std::rc::Rc;

use pdblens_formats::il::{Instruction, Operation};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::{Primitive, Signature, Type};

use super::evaluate::{Evaluator, operand_token};
use super::library::{self, Class, Member, Ty, boolean, class, primitive, unknown};
use super::node::{AWAIT, CAST, Id, Kind, NEW_PARAMETER};
use super::operators::OPERATORS;

impl<'s> Evaluator<'_, 's> {
    pub fn invoke(&mut self, instruction: &Instruction<'s>) {
        let (opcode, token) = (instruction.opcode, operand_token(instruction));
        let operation = opcode.operation();
        if operation == Operation::CallIndirect {
            let found = self.library.signature(TableId::STAND_ALONE_SIG, token.row(), 0);
            let Some(Signature::Method(found)) = found else { return };
            let pointer = self.pop();
            let mut kids = self.pop_many(found.parameters.len() + usize::from(found.has_this));
            kids.insert(0, pointer);
            let value = self.nodes.node(Kind::Indirect, kids, Rc::new(found.returns.value));
            return self.result(value);
        }
        let Some(member) = self.library.method(token) else {
            return self.push(Kind::Opaque("⟨…⟩"), Vec::new(), unknown());
        };
        if operation == Operation::LoadFunction {
            if opcode.pops == Some(1) {
                self.pop();
            }
            return self.push(Kind::Function(member), Vec::new(), unknown());
        }
        if operation == Operation::NewObject {
            let arguments = self.pop_many(member.parameters.len());
            let value = self.create(&member, arguments);
            return self.state.stack.push(value);
        }
        let arguments = self.pop_many(member.parameters.len() + usize::from(member.has_this));
        if !self.helper(&member, &arguments) {
            if member.role != ".ctor" {
                self.calls.push(member.shown.clone());
            }
            self.call(&member, &arguments, opcode.name == "call");
        }
        self.constrained = None;
    }

    fn result(&mut self, value: Id) {
        let is_void = *self.nodes.get(value).ty == Type::Primitive(Primitive::Void);
        if is_void { self.state.effects.push(value) } else { self.state.stack.push(value) }
    }

    /// Arguments with `ref` and `out`, and the values of temporaries. Objects of captured variables are dropped.
    fn arguments(&mut self, member: &Member, arguments: &[Id]) -> Vec<Id> {
        let mut found = Vec::with_capacity(arguments.len());
        for (number, (argument, ty)) in arguments.iter().zip(&member.parameters).enumerate() {
            if member.name.contains(">g__") && self.is_closure(ty) {
                continue;
            }
            let mut ty = &**ty;
            while let Type::Modified { of, .. } = ty {
                ty = of;
            }
            let is_ref = matches!(ty, Type::Reference(_));
            found.push(if is_ref { self.reference(member, number, *argument) } else { *argument });
        }
        found
    }

    fn reference(&mut self, member: &Member, number: usize, argument: Id) -> Id {
        let row = self.library.parameter(member.row, number);
        let direction = row.map_or(0, |row| self.library.cell(TableId::PARAM, row, 0)) & 3;
        let is_out =
            direction == 2 || member.row == 0 && member.name.starts_with("Try") || &*member.name == "Deconstruct";
        let is_in = direction == 1 || row.is_some_and(|row| self.library.is_marked(Token::new(TableId::PARAM, row)));
        let (word, ty) = (if is_out { "out" } else { "ref" }, self.nodes.ty(argument));
        let variable = match *self.nodes.kind(argument) {
            Kind::Temporary(slot) => match self.state.temporaries.get(&slot.into()) {
                Some(value) if !is_out => return *value,
                _ => {
                    let value = self.nodes.name("_", ty.clone());
                    self.state.temporaries.insert(slot.into(), value);
                    return self.nodes.node(Kind::Ref("out"), vec![value], ty);
                }
            },
            Kind::Ref(_) => self.nodes.get(argument).kids[0],
            Kind::Name(_) => argument,
            _ => return argument,
        };
        if is_in { variable } else { self.nodes.node(Kind::Ref(word), vec![variable], ty) }
    }

    fn call(&mut self, member: &Rc<Member>, arguments: &[Id], is_call: bool) {
        // `T.Zero`: a static member of the constrained type.
        let of_parameter = match self.constrained.take() {
            Some(owner) if !member.has_this => Some(Rc::new(Member { owner, ..Member::clone(member) })),
            _ => None,
        };
        let member = of_parameter.as_ref().unwrap_or(member);
        let owner = if member.has_this { arguments.first().copied() } else { None };
        let mut kids = self.arguments(member, &arguments[usize::from(member.has_this)..]);
        if let Some(owner) = owner {
            let mut found = self.object(owner);
            let is_base = is_call
                && !self.is_of_own_type(member)
                && (library::token(&member.owner).is_none_or(|token| token.table() != TableId::TYPE_DEF)
                    || member.is_virtual)
                && matches!(self.nodes.kind(found), Kind::This)
                && class(&member.owner) != Class::Value;
            if is_base {
                found = self.nodes.name("base", member.owner.clone());
            }
            kids.insert(0, found);
        }
        let property = Kind::Property(member.clone());
        match member.role {
            "get_" if &*member.name == "get_HasValue" && kids.len() == 1 => {
                kids.push(self.nodes.null());
                self.push(Kind::Binary("!="), kids, boolean());
            }
            "get_" => self.push(property, kids, member.returns.clone()),
            "set_" => {
                let Some(value) = kids.pop() else { return };
                let target = self.nodes.node(property, kids, member.parameters.last().cloned().unwrap_or_else(unknown));
                if !owner.is_some_and(|owner| self.initialize(owner, target, value)) {
                    self.assign(target, value);
                }
            }
            "add_" | "remove_" => {
                let Some(value) = kids.pop() else { return };
                let target = self.nodes.node(property, kids, unknown());
                let operator = if member.role == "add_" { "+=" } else { "-=" };
                self.effect(Kind::Assign(operator), vec![target, value]);
            }
            ".ctor" => self.construct(member, owner, kids),
            _ => {
                let value = self.nodes.node(Kind::Call(member.clone()), kids, member.returns.clone());
                let is_added =
                    &*member.name == "Add" && owner.is_some_and(|owner| self.add_to_initializer(owner, value));
                if !is_added {
                    self.result(value);
                } else if *member.returns != Type::Primitive(Primitive::Void) {
                    // A set's `Add` returns whether it added.
                    let ignored = self.nodes.int(0, Primitive::Boolean);
                    self.state.stack.push(ignored);
                }
            }
        }
    }

    fn is_of_own_type(&self, member: &Member) -> bool {
        library::token(&member.owner) == Some(Token::new(TableId::TYPE_DEF, self.body.type_row))
    }

    /// A constructor that is called on an object: of a base, of the own type, or of a struct in its variable.
    fn construct(&mut self, member: &Rc<Member>, owner: Option<Id>, mut kids: Vec<Id>) {
        let Some(owner) = owner else { return };
        let object = kids.remove(0);
        if matches!(self.nodes.kind(owner), Kind::This) {
            let word = if self.is_of_own_type(member) { "this" } else { "base" };
            let name = self.nodes.name(word, member.owner.clone());
            kids.insert(0, name);
            return self.effect(Kind::Call(member.clone()), kids);
        }
        let value = self.create(member, kids);
        if let Kind::Temporary(slot) = *self.nodes.kind(owner) {
            self.state.temporaries.insert(slot.into(), value);
        } else {
            self.assign(object, value);
        }
    }

    fn create(&mut self, member: &Rc<Member>, arguments: Vec<Id>) -> Id {
        let ty = member.owner.clone();
        let (name, namespace) = self.library.name_of(&ty);
        if let [object, function] = arguments[..]
            && let Kind::Function(method) = self.nodes.kind(function).clone()
        {
            return self.delegate(&method, object, ty);
        }
        let kind = match (name.split('`').next().unwrap_or_default(), &arguments[..]) {
            _ if name.starts_with("<>c") || name.starts_with('<') && name.contains(">d__") => Kind::Closure,
            ("Nullable", [_]) => Kind::Implicit,
            ("Decimal", [number]) if self.nodes.number(*number).is_some() => {
                Kind::Literal(format!("{}m", self.nodes.number(*number).unwrap_or(0)).into())
            }
            ("ValueTuple", [_, _, ..]) if &*namespace == "System" => Kind::Values("(", ")"),
            ("Index", [value, end]) if self.nodes.number(*end) == Some(1) => {
                return self.nodes.node(Kind::Unary("^"), vec![*value], ty);
            }
            _ if name.starts_with("<>f__Anonymous") => Kind::Values("new { ", " }"),
            (_, [array])
                if name.starts_with("<>z__ReadOnly") && matches!(self.nodes.kind(*array), Kind::NewArray(_)) =>
            {
                let kids = self.nodes.get(*array).tail.clone();
                return self.nodes.node(Kind::Values("[", "]"), kids, ty);
            }
            _ if name.starts_with("<>z__ReadOnly") => Kind::Values("[", "]"),
            (simple, _) if simple.ends_with("InterpolatedStringHandler") => Kind::Interpolated,
            _ => {
                let kids = self.arguments(member, &arguments);
                return self.nodes.node(Kind::New(member.clone()), kids, ty);
            }
        };
        self.nodes.node(kind, arguments, ty)
    }

    fn delegate(&mut self, method: &Rc<Member>, object: Id, ty: Ty) -> Id {
        if method.name.starts_with('<') && method.name.contains(">b__") {
            return self.nodes.node(Kind::Lambda(method.clone()), Vec::new(), ty);
        }
        let is_bare = matches!(self.nodes.kind(object), Kind::Null | Kind::Closure) && !method.is_extension;
        self.nodes.node(Kind::Group(method.clone()), if is_bare { Vec::new() } else { vec![object] }, ty)
    }

    /// Calls of helpers that C# writes otherwise. Returns true if it was one.
    fn helper(&mut self, member: &Rc<Member>, arguments: &[Id]) -> bool {
        let owner = self.library.name_of(&member.owner).0;
        let owner = owner.split('`').next().unwrap_or_default();
        let is_async = self.body.kickoff.is_some();
        let is_builder = owner.starts_with("Async") && owner.ends_with("MethodBuilder");
        let (kind, kids) = match (owner, &*member.name, arguments) {
            // The elements are in the data of the file.
            ("RuntimeHelpers", "InitializeArray", [array, data]) => {
                self.nodes.get_mut(*array).tail.push(*data);
                return true;
            }
            ("String", "Concat", _) if !member.has_this => return self.concat(arguments).is_some(),
            ("Delegate", "Combine", [_, _]) => (Kind::Binary("+"), arguments.to_vec()),
            ("Delegate", "Remove", [_, _]) => (Kind::Binary("-"), arguments.to_vec()),
            ("Nullable", "GetValueOrDefault", [object]) => {
                let object = self.object(*object);
                if !self.tested.iter().any(|tested| self.nodes.same(*tested, object)) {
                    return false;
                }
                (Kind::Implicit, vec![object])
            }
            (_, "<Clone>$", _) => (Kind::With, arguments.to_vec()),
            ("Activator", "CreateInstance", []) if !member.instantiation.is_empty() => {
                (Kind::Form(NEW_PARAMETER, member.returns.clone()), Vec::new())
            }
            ("AsyncHelpers", "Await", [task]) => (Kind::Form(AWAIT, unknown()), vec![*task]),
            (_, "GetAwaiter", [task, ..]) if is_async => (Kind::Form(AWAIT, unknown()), vec![self.object(*task)]),
            (_, "GetResult" | "get_IsCompleted", [awaiter]) => {
                let found = self.object(*awaiter);
                if !matches!(self.nodes.kind(found), Kind::Form(AWAIT, _)) {
                    return false;
                }
                if &*member.name == "GetResult" {
                    self.nodes.get_mut(found).ty = member.returns.clone();
                    self.state.effects.retain(|effect| *effect != found);
                    self.result(found);
                    return true;
                }
                (Kind::Opaque("completed"), Vec::new())
            }
            _ if owner.ends_with("InterpolatedStringHandler") => return self.interpolate(member, arguments),
            _ if is_builder && *member.returns == Type::Primitive(Primitive::Void) => return true,
            _ if is_builder => (Kind::Closure, Vec::new()),
            _ if member.role == "op_" => return self.operator(member, arguments),
            ("Type", "GetTypeFromHandle", _) | (_, "ComputeStringHash", _) => (Kind::Implicit, arguments.to_vec()),
            _ => return false,
        };
        let value = self.nodes.node(kind, kids, member.returns.clone());
        self.result(value);
        true
    }

    fn concat(&mut self, arguments: &[Id]) -> Option<()> {
        let mut parts = arguments.to_vec();
        if let [array] = parts[..] {
            parts.clone_from(&self.nodes.get(array).tail);
        }
        // Without the `ToString` that the compiler adds.
        let plain = |part: &Id| match self.nodes.bare_kind(*part) {
            Kind::Call(member) if &*member.name == "ToString" && member.parameters.is_empty() => {
                let bare = self.nodes.bare(*part);
                self.nodes.kid(bare, 0).filter(|kid| self.nodes.class(*kid) != Class::Reference).unwrap_or(bare)
            }
            _ => self.nodes.bare(*part),
        };
        let parts: Vec<Id> = parts.iter().map(plain).collect();
        let string = primitive(Primitive::String);
        let sum = |sum, part| self.nodes.node(Kind::Binary("+"), vec![sum, part], string.clone());
        let value = parts.into_iter().reduce(sum)?;
        self.state.stack.push(value);
        Some(())
    }

    fn interpolate(&mut self, member: &Member, arguments: &[Id]) -> bool {
        let Some((first, arguments)) = arguments.split_first() else { return false };
        let string = primitive(Primitive::String);
        if member.role == ".ctor" {
            let Kind::Temporary(slot) = *self.nodes.kind(*first) else { return false };
            let value = self.nodes.node(Kind::Interpolated, Vec::new(), string);
            self.state.temporaries.insert(slot.into(), value);
            return true;
        }
        let handler = self.object(*first);
        let part = match (&*member.name, arguments) {
            ("AppendLiteral", [text]) => *text,
            ("AppendFormatted", _) => self.nodes.node(Kind::Hole, arguments.to_vec(), unknown()),
            _ => {
                self.nodes.get_mut(handler).ty = string;
                self.state.stack.push(handler);
                return true;
            }
        };
        self.nodes.get_mut(handler).tail.push(part);
        if *member.returns != Type::Primitive(Primitive::Void) {
            self.push(Kind::Opaque("⟨…⟩"), Vec::new(), unknown());
        }
        true
    }

    fn operator(&mut self, member: &Member, arguments: &[Id]) -> bool {
        let mut kids: Vec<Id> = arguments.iter().map(|argument| self.object(*argument)).collect();
        let ty = member.returns.clone();
        let name = member.shown.strip_prefix("Checked").unwrap_or(&member.shown);
        let plain_kid = |kid: &Id| match self.nodes.kind(*kid) {
            Kind::Implicit => {
                self.nodes.kid(*kid, 0).filter(|inner| matches!(*self.nodes.get(*inner).ty, Type::Primitive(_)))
            }
            _ => None,
        };
        if let ([left, right], "op_") = (&kids[..], member.role)
            && let (Some(inner), Some(_)) = (plain_kid(left), plain_kid(right))
        {
            // Without a cast the operator would be that of plain numbers.
            let ty = self.nodes.ty(*left);
            kids[0] = self.nodes.node(Kind::Form(CAST, ty.clone()), vec![inner], ty);
        }
        if let (Some(number), "Implicit", Some(Type::Primitive(of))) =
            (kids.first().and_then(|kid| self.nodes.number(*kid)), name, member.parameters.first().map(|ty| &**ty))
        {
            kids[0] = self.nodes.int(number, *of);
        }
        let kind = match (name, kids.len()) {
            ("Implicit" | "True", 1) => Kind::Implicit,
            ("Explicit", 1) => Kind::Form(CAST, ty.clone()),
            ("UnaryNegation", 1) => Kind::Unary("-"),
            ("UnaryPlus", 1) => Kind::Unary("+"),
            ("LogicalNot" | "False", 1) => Kind::Unary("!"),
            ("OnesComplement", 1) => Kind::Unary("~"),
            ("Increment" | "Decrement", 1) => {
                kids.push(self.nodes.int(1, Primitive::I4));
                Kind::Binary(if name == "Increment" { "++" } else { "--" })
            }
            (_, 2) => match OPERATORS.iter().find(|row| row.0 == name) {
                Some(row) => {
                    // An argument: one is no step of a number.
                    if self.nodes.number(kids[1]) == Some(1) {
                        kids[1] = self.nodes.node(Kind::Implicit, vec![kids[1]], primitive(Primitive::I4));
                    }
                    Kind::Binary(row.1)
                }
                None => return false,
            },
            _ => return false,
        };
        self.push(kind, kids, if name == "False" { boolean() } else { ty });
        true
    }
}
