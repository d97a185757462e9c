//! Members of objects: fields, properties, calls, new objects and their initializers.

use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::Type;

use super::super::evaluate::plain_name;
use super::super::library::{FieldMember, Member, Role};
use super::super::literal;
use super::super::node::{Id, Kind, Node};
use super::super::spelling::Axis;
use super::super::types::{self, Class, Ty, class};
use super::{COALESCE, LOWEST, PRIMARY, RELATION, UNARY, Writer};

impl Writer<'_, '_, '_> {
    /// Writes the object of a member: nothing for `this`, the type for a static one.
    pub fn owner(&mut self, object: Option<Id>, owner: &Type) {
        match object {
            Some(object) if matches!(self.from.arena.kind(object), Kind::This | Kind::Closure) => {
                let is_this = matches!(self.from.arena.kind(object), Kind::This);
                if is_this && self.choice(Axis::This) > 0 {
                    self.push("this.");
                }
            }
            Some(object) => self.object(object, true),
            None if self.is_around(owner) => {}
            None if types::token(owner).is_some_and(|token| self.from.body.statics.contains(&token)) => {}
            None => {
                self.ty(owner);
                self.push(".");
            }
        }
    }

    /// Returns true for the type of the method and those around it.
    pub fn is_around(&self, ty: &Type) -> bool {
        let Some(token) = types::token(ty).filter(|token| token.table() == TableId::TYPE_DEF) else { return false };
        let mut row = self.from.body.type_row;
        for _ in 0..16 {
            if row == token.row() {
                return true;
            }
            if row == 0 {
                return false;
            }
            if let Some(base) = self.from.library.base(row)
                && base == token
            {
                return true;
            }
            row = self.from.library.names.enclosing(row);
        }
        false
    }

    pub fn field(&mut self, field: &FieldMember, node: &Node) {
        let name = plain_name(&field.name);
        self.owner(node.kids.first().copied(), &field.owner);
        self.name(&name);
    }

    pub fn property(&mut self, member: &Member, node: &Node) {
        let object = if member.has_this { node.kids.first().copied() } else { None };
        let indices = if member.has_this { node.kids.get(1..).unwrap_or_default() } else { &[] };
        if indices.is_empty() {
            if member.name.as_ref() == "get_HasValue"
                && let Some(object) = object
                && self.choice(Axis::Null) < 2
            {
                self.write(object, None, RELATION);
                let text = if self.spelling.get(Axis::Null) == 0 { " != null" } else { " is not null" };
                self.push(text);
                return;
            }
            self.owner(object, &member.owner);
            self.name(&member.shown);
            return;
        }
        match object {
            Some(object) if matches!(self.from.arena.kind(object), Kind::This) => self.push("this"),
            Some(object) => self.object(object, false),
            None => {}
        }
        self.indices(node.kids[0], indices, &member.parameters);
    }

    /// Writes indices in brackets. Constants among them are decimal.
    pub fn indices(&mut self, object: Id, kids: &[Id], parameters: &[Ty]) {
        let spelling = self.spelling;
        self.spelling = spelling.with(Axis::Hex, 0);
        match kids {
            [one] if self.distance_from_end(object, *one).is_some() && self.choice(Axis::Range) > 0 => {
                self.open("[");
                self.bound(object, *one);
                self.push("]");
            }
            _ => self.list(kids, parameters, "[", "]"),
        }
        self.spelling = spelling;
    }

    /// The distance of an index from the end of an object: `n` of `x.Length - n`.
    pub fn distance_from_end(&self, object: Id, index: Id) -> Option<Id> {
        let node = self.node(self.from.arena.bare(index));
        let Kind::Binary("-") = node.kind else { return None };
        let length = self.node(self.from.arena.bare(node.kids[0]));
        let is_length = match &length.kind {
            Kind::Field(field) => field.name.as_ref() == "Length",
            Kind::Property(member) => matches!(&*member.shown, "Length" | "Count"),
            _ => false,
        };
        (is_length && self.from.arena.same(*length.kids.first()?, object)).then(|| node.kids[1])
    }

    pub fn bound(&mut self, object: Id, index: Id) {
        match self.distance_from_end(object, index) {
            Some(distance) => {
                self.push("^");
                self.write(distance, None, UNARY);
            }
            None => self.write(index, None, UNARY),
        }
    }

    /// `x[1..3]` for `x.Slice(1, 2)`. Returns false where it could not be that.
    pub fn range(&mut self, member: &Member, object: Id, kids: &[Id]) -> bool {
        let is_slice = matches!(member.name.as_ref(), "Slice" | "Substring" | "AsSpan" | "AsMemory");
        if !is_slice || !matches!(kids.len(), 1 | 2) || self.choice(Axis::Range) == 0 {
            return false;
        }
        self.object(object, false);
        self.open("[");
        if self.from.arena.int(kids[0]) != Some(0) {
            self.bound(object, kids[0]);
        }
        self.push("..");
        if let Some(count) = kids.get(1) {
            let node = self.node(self.from.arena.bare(*count));
            match node.kind {
                _ if self.from.arena.int(kids[0]) == Some(0) => self.bound(object, *count),
                Kind::Binary("-") if self.from.arena.same(node.kids[1], kids[0]) => self.bound(object, node.kids[0]),
                _ => match (self.from.arena.int(kids[0]), self.from.arena.int(*count)) {
                    (Some(from), Some(count)) => self.push(&(from + count).to_string()),
                    _ => {
                        self.write(kids[0], None, UNARY);
                        self.push(" + ");
                        self.write(*count, None, UNARY);
                    }
                },
            }
        }
        self.push("]");
        true
    }

    pub fn call(&mut self, member: &Member, node: &Node) {
        let mut kids = &node.kids[..];
        let mut parameters = &member.parameters[..];
        let object = if member.has_this { kids.first().copied() } else { None };
        if member.has_this {
            kids = &kids[1..];
        }
        if member.role == Role::Constructor {
            if let Some(object) = object {
                self.write(object, None, PRIMARY);
            }
            return self.call_list(member, kids, parameters);
        }
        if member.name.as_ref() == "Invoke"
            && let Some(object) = object
            && self.from.library.is_delegate(&member.owner)
            && !self.chained.contains(&self.from.arena.bare(object))
        {
            self.write(object, None, PRIMARY);
            return self.call_list(member, kids, parameters);
        }
        if let Some(object) = object
            && self.range(member, object, kids)
        {
            return;
        }
        if let Some(object) = object
            && self.value_or_default(member, object, kids)
        {
            return;
        }
        if member.is_extension && !kids.is_empty() && !matches!(self.from.arena.kind(kids[0]), Kind::Null) {
            self.object(kids[0], true);
            (kids, parameters) = (&kids[1..], &parameters[1..]);
        } else if !member.name.contains(">g__") {
            self.owner(object, &member.owner);
        }
        self.name(&member.shown);
        if !member.instantiation.is_empty() && !member.name.contains(">g__") {
            let is_shown = self.choice(Axis::Generic) > 0;
            // Hidden where C# infers them, unless spelled the other way.
            if is_shown == member.is_inferred {
                self.type_list(&member.instantiation);
            }
        }
        self.call_list(member, kids, parameters);
    }

    /// `q ?? 0` or `q.Value` for `q.GetValueOrDefault()`. Returns false where it is written as it is.
    fn value_or_default(&mut self, member: &Member, object: Id, kids: &[Id]) -> bool {
        let is_it = member.name.as_ref() == "GetValueOrDefault" && kids.is_empty();
        if !is_it || !self.from.library.is_named(&member.owner, "Nullable`1") {
            return false;
        }
        match self.choice(Axis::Nullable) {
            1 => {
                self.push("(");
                self.write(object, None, COALESCE + 1);
                self.push(" ?? ");
                self.int(0, &member.returns, &member.returns);
                self.push(")");
            }
            2 => {
                self.object(object, true);
                self.push("Value");
            }
            _ => return false,
        }
        true
    }

    /// Arguments of a call: without defaults that are declared, with the elements of `params`.
    pub fn call_list(&mut self, member: &Member, kids: &[Id], parameters: &[Ty]) {
        let mut kids = kids.to_vec();
        let skipped = member.parameters.len() - parameters.len().min(member.parameters.len());
        if member.row > 0 {
            while let Some(last) = kids.last()
                && (self.is_default(member, skipped + kids.len() - 1, *last)
                    || self.is_caller_text(member, skipped, &kids))
            {
                kids.pop();
            }
            let is_last = kids.len() == parameters.len();
            if let Some(last) = kids.last().copied()
                && is_last
                && self.choice(Axis::Array) == 0
                && let Kind::NewArray(_) = self.from.arena.kind(last)
                && let Some(row) = self.from.library.parameter(member.row, skipped + kids.len() - 1)
                && self.from.library.is_marked(Token::new(TableId::PARAM, row))
            {
                let array = self.node(last);
                let length = array.kids.first().and_then(|length| self.from.arena.int(*length));
                if length == Some(array.tail.len() as i64) {
                    kids.pop();
                    kids.extend(&array.tail);
                }
            }
        }
        if member.row > 0
            && let Some(last) = kids.last().copied()
            && matches!(self.from.arena.kind(last), Kind::Call(called) if called.name.as_ref() == "Empty" && self.from.library.is_named(&called.owner, "Array"))
            && kids.len() == parameters.len()
        {
            kids.pop();
        }
        self.open("(");
        for (number, kid) in kids.iter().enumerate() {
            self.push(if number > 0 { ", " } else { "" });
            let is_literal = matches!(self.from.arena.kind(*kid), Kind::Int(_) | Kind::Null);
            if is_literal
                && member.row > 0
                && self.choice(Axis::Named) > 0
                && let Some(row) = self.from.library.parameter(member.row, skipped + number)
            {
                let name = self.from.library.string(TableId::PARAM, row, 2);
                self.push(&name);
                self.push(": ");
            }
            self.write(*kid, parameters.get(number).map(|ty| &**ty), LOWEST);
        }
        self.push(")");
    }

    /// Returns true for a last argument that is the text of another: the compiler adds it.
    pub fn is_caller_text(&self, member: &Member, skipped: usize, kids: &[Id]) -> bool {
        let Some((last, others)) = kids.split_last() else { return false };
        let Kind::Str(text) = self.from.arena.kind(*last) else { return false };
        let Some(row) = self.from.library.parameter(member.row, skipped + others.len()) else { return false };
        let is_optional = self.from.library.cell(TableId::PARAM, row, 0) & 0x10 != 0;
        let is_it =
            |kid: &Id| matches!(self.from.arena.kind(self.from.arena.bare(*kid)), Kind::Name(name) if name == text);
        is_optional && others.iter().any(is_it)
    }

    pub fn is_default(&self, member: &Member, number: usize, value: Id) -> bool {
        let Some(row) = self.from.library.parameter(member.row, number) else { return false };
        let is_optional = self.from.library.cell(TableId::PARAM, row, 0) & 0x10 != 0;
        if !is_optional {
            return false;
        }
        let value = self.from.arena.bare(value);
        match (self.from.library.constant(row << 2 | 1), self.from.arena.kind(value)) {
            (Some((number, _)), Kind::Int(found)) => number == *found || number as i32 == *found as i32,
            (Some((_, bytes)), Kind::Str(text)) => literal::utf16_bytes(text) == bytes,
            (Some((number, _)), Kind::Null) => number == 0,
            (_, Kind::Default(_)) => true,
            _ => false,
        }
    }

    pub fn creation(&mut self, member: &Member, node: &Node, expected: Option<&Type>) {
        let form = self.choice(Axis::New);
        if form == 2 && node.kids.is_empty() && node.tail.is_empty() && class(&member.owner) == Class::Reference {
            return self.push("[]");
        }
        self.push("new");
        let is_short = form == 1 && expected.is_some();
        if let Type::ShapedArray(of, _) = &*member.owner {
            self.push(" ");
            self.ty(of);
            return self.list(&node.kids, &[], "[", "]");
        }
        if !is_short {
            self.push(" ");
            self.ty(&member.owner);
        }
        if !node.kids.is_empty() || node.tail.is_empty() || self.choice(Axis::Braces) > 0 {
            self.call_list(member, &node.kids, &member.parameters);
        }
        if !node.tail.is_empty() {
            self.push(" ");
            self.initializer(node);
        }
    }

    pub fn initializer(&mut self, node: &Node) {
        self.push("{ ");
        for (number, item) in node.tail.iter().enumerate() {
            self.push(if number > 0 { ", " } else { "" });
            let found = self.node(*item);
            match &found.kind {
                Kind::Assign(_) => {
                    let (target, value) = (self.node(found.kids[0]), found.kids[1]);
                    match &target.kind {
                        Kind::Property(member) if target.kids.len() > 1 => {
                            self.list(&target.kids[1..], &member.parameters, "[", "]");
                        }
                        Kind::Property(member) => self.name(&member.shown),
                        Kind::Field(field) => self.name(&plain_name(&field.name)),
                        _ => self.expression(found.kids[0]),
                    }
                    self.push(" = ");
                    self.write(value, Some(&target.ty.clone()), LOWEST);
                }
                Kind::Call(member) => {
                    let kids = found.kids.get(1..).unwrap_or_default();
                    if kids.len() == 1 {
                        self.write(kids[0], member.parameters.last().map(|ty| &**ty), LOWEST);
                    } else {
                        self.list(kids, &member.parameters, "{ ", " }");
                    }
                }
                _ => self.expression(*item),
            }
        }
        self.push(" }");
    }

    pub fn new_array(&mut self, of: &Ty, node: &Node) {
        if node.tail.is_empty() {
            self.push("new ");
            // `new int[3][]`: the first brackets have the length.
            let mut inner: &Type = of;
            let mut brackets = String::new();
            while let Type::Array(of) = inner {
                inner = of;
                brackets.push_str("[]");
            }
            self.ty(inner);
            self.list(&node.kids, &[], "[", "]");
            return self.push(&brackets);
        }
        match self.choice(Axis::Array) {
            0 => self.push("new[] { "),
            1 => {
                self.push("new ");
                self.ty(of);
                self.push("[] { ");
            }
            2 => self.push("["),
            _ => self.push("{ "),
        }
        for (number, kid) in node.tail.iter().enumerate() {
            self.push(if number > 0 { ", " } else { "" });
            self.write(*kid, Some(&**of), LOWEST);
        }
        self.push(if self.spelling.get(Axis::Array) == 2 { "]" } else { " }" });
    }

    pub fn group(&mut self, member: &Member, node: &Node) {
        let object = node.kids.first().copied();
        if !member.name.contains(">g__") {
            match object {
                Some(object) if !matches!(self.from.arena.kind(object), Kind::Null) => {
                    self.owner(Some(object), &member.owner);
                }
                _ if !member.has_this => self.owner(None, &member.owner),
                _ => {}
            }
        }
        self.name(&member.shown);
    }

    pub fn anonymous(&mut self, member: &Member, node: &Node) {
        self.push("new { ");
        let token = types::token(&member.owner);
        let first = token.map_or(0..0, |token| {
            let table = self.from.library.metadata;
            table.list(TableId::TYPE_DEF, token.row(), 4, TableId::FIELD)
        });
        for (number, (kid, row)) in node.kids.iter().zip(first).enumerate() {
            self.push(if number > 0 { ", " } else { "" });
            let name = self.from.library.string(TableId::FIELD, row, 1);
            let name = plain_name(&name);
            let start = self.out.len();
            self.write(*kid, None, LOWEST);
            let written = &self.out[start..];
            if written != &*name && !written.ends_with(&format!(".{name}")) {
                self.out.insert_str(start, &format!("{name} = "));
            }
        }
        self.push(" }");
    }
}
