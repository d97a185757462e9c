//! Members of objects: properties, calls, new objects and their initializers.

use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::Type;

use super::super::evaluate::plain_name;
use super::super::library::{Member, Role};
use super::super::literal;
use super::super::node::{Id, Kind, Node};
use super::super::spelling::{ARRAY, HEX, NEW, NULL, THIS};
use super::super::types::Ty;
use super::{LOWEST, PRIMARY, RELATION, Writer};

impl Writer<'_, '_, '_> {
    /// Writes the object of a member: nothing for `this`, the type for a static one.
    pub fn owner(&mut self, object: Option<Id>, owner: &Type) -> &mut Self {
        match object.map(|object| (object, self.from.kind(object))) {
            Some((_, Kind::This)) if self.choice(THIS) > 0 => self.push("this."),
            Some((_, Kind::This | Kind::Closure)) => self,
            Some((object, _)) => self.object(object, "."),
            None if self.is_around(owner) => self,
            None => self.ty(owner).push("."),
        }
    }

    pub fn property(&mut self, member: &Member, node: &Node) -> &mut Self {
        let object = if member.has_this { node.kids.first().copied() } else { None };
        let Some(object) = object else {
            return self.owner(None, &member.owner).name(&member.shown);
        };
        if let indices @ [_, ..] = &node.kids[1..] {
            if let Kind::This = self.from.kind(object) {
                self.push("this");
            } else {
                self.object(object, "");
            }
            return self.indices(indices, &member.parameters);
        }
        let form = if &*member.name == "get_HasValue" { self.choice(NULL) } else { 2 };
        match form {
            0 => self.write(object, None, RELATION).push(" != null"),
            1 => self.write(object, None, RELATION).push(" is not null"),
            _ => self.owner(Some(object), &member.owner).name(&member.shown),
        }
    }

    /// Writes indices in brackets. Constants among them are decimal.
    pub fn indices(&mut self, kids: &[Id], parameters: &[Ty]) -> &mut Self {
        let spelling = self.spelling;
        self.spelling = spelling.with(HEX, 0);
        self.list(kids, parameters, "[", "]").spelling = spelling;
        self
    }

    pub fn call(&mut self, member: &Member, node: &Node) -> &mut Self {
        let mut kids = &node.kids[..];
        let mut parameters = &member.parameters[..];
        let is_local = member.name.contains(">g__");
        let object = if member.has_this { kids.split_off_first().copied() } else { None };
        if let Some(object) = object {
            let is_delegate = &*member.name == "Invoke"
                && self.from.library.is_delegate(&member.owner)
                && !self.chained.contains(&self.from.bare(object));
            if is_delegate || member.role == Role::Constructor {
                return self.write(object, None, PRIMARY).call_list(member, kids, parameters);
            }
        }
        if member.is_extension && kids.first().is_some_and(|kid| !matches!(self.from.kind(*kid), Kind::Null)) {
            self.object(kids[0], ".");
            (kids, parameters) = (&kids[1..], &parameters[1..]);
        } else if !is_local {
            self.owner(object, &member.owner);
        }
        self.name(&member.shown);
        if !member.instantiation.is_empty() && !is_local && !member.is_inferred {
            self.type_arguments(&member.instantiation);
        }
        self.call_list(member, kids, parameters)
    }

    /// Arguments of a call: without defaults that are declared, with the elements of `params`.
    fn call_list(&mut self, member: &Member, kids: &[Id], parameters: &[Ty]) -> &mut Self {
        let library = self.from.library;
        let mut kids = kids.to_vec();
        let skipped = member.parameters.len().saturating_sub(parameters.len());
        while let Some((last, others)) = kids.split_last()
            && self.is_default(member, skipped.saturating_add(others.len()), *last, others)
        {
            kids.pop();
        }
        if let Some(last) = kids.last().copied()
            && kids.len() == parameters.len()
            && let Some(row) = library.parameter(member.row, skipped.saturating_add(kids.len()).saturating_sub(1))
            && library.is_marked(Token::new(TableId::PARAM, row))
        {
            let array = self.node(last);
            let length = array.kids.first().and_then(|length| self.from.number(*length));
            let elements = match &array.kind {
                Kind::NewArray(_) if length == Some(array.tail.len() as i64) => Some(&array.tail[..]),
                Kind::Call(called) if &*called.name == "Empty" && library.is_named(&called.owner, "Array") => {
                    Some(&[][..])
                }
                _ => None,
            };
            if let Some(elements) = elements
                && self.choice(ARRAY) == 0
            {
                kids.pop();
                kids.extend(elements);
            }
        }
        self.list(&kids, parameters, "(", ")")
    }

    /// Returns true for a last argument that the compiler adds: the default that is declared, or the text of another argument.
    fn is_default(&self, member: &Member, number: usize, value: Id, others: &[Id]) -> bool {
        let library = self.from.library;
        let Some(row) = library.parameter(member.row, number) else { return false };
        if library.cell(TableId::PARAM, row, 0) & 0x10 == 0 {
            return false;
        }
        match (library.constant(row << 2 | 1), self.from.bare_kind(value)) {
            (Some((number, _)), Kind::Int(found)) => number as i32 == *found as i32,
            (Some((_, bytes)), Kind::Str(text)) if literal::utf16_bytes(text) == bytes => true,
            (Some((number, _)), Kind::Null) => number == 0,
            (_, Kind::Str(text)) => {
                others.iter().any(|kid| matches!(self.from.bare_kind(*kid), Kind::Name(name) if name == text))
            }
            (_, kind) => matches!(kind, Kind::Default(_)),
        }
    }

    pub fn creation(&mut self, member: &Member, node: &Node, expected: Option<&Type>) -> &mut Self {
        let form = self.choice(NEW);
        if let Type::ShapedArray(of, _) = &*member.owner {
            return self.push("new ").ty(of).list(&node.kids, &[], "[", "]");
        }
        self.push("new");
        if form != 1 || expected.is_none() {
            self.push(" ").ty(&member.owner);
        }
        if !node.kids.is_empty() || node.tail.is_empty() {
            self.call_list(member, &node.kids, &member.parameters);
        }
        if node.tail.is_empty() { self } else { self.push(" ").initializer(node) }
    }

    pub fn initializer(&mut self, node: &Node) -> &mut Self {
        self.push("{ ");
        self.separated(&node.tail, ", ", |this, item| {
            let found = this.node(item);
            match (&found.kind, &found.kids[..]) {
                (Kind::Assign(_), [target, value]) => {
                    let target = this.node(*target);
                    match &target.kind {
                        Kind::Property(member) if target.kids.len() > 1 => {
                            this.list(&target.kids[1..], &member.parameters, "[", "]")
                        }
                        Kind::Property(member) => this.name(&member.shown),
                        Kind::Field(field) => this.name(&plain_name(&field.name)),
                        _ => this.opaque("⟨…⟩"),
                    };
                    this.push(" = ").write(*value, Some(&target.ty), LOWEST)
                }
                (Kind::Call(of), [_, value]) => this.write(*value, of.parameters.last().map(|ty| &**ty), LOWEST),
                (Kind::Call(member), [_, values @ ..]) => this.list(values, &member.parameters, "{ ", " }"),
                _ => this.write(item, None, LOWEST),
            };
        })
        .push(" }")
    }

    pub fn new_array(&mut self, of: &Ty, node: &Node) -> &mut Self {
        if node.tail.is_empty() {
            // `new int[3][]`: the first brackets have the length.
            let (mut inner, mut brackets) = (&**of, String::new());
            while let Type::Array(of) = inner {
                inner = of;
                brackets.push_str("[]");
            }
            return self.push("new ").ty(inner).list(&node.kids, &[], "[", "]").push(&brackets);
        }
        let form = self.choice(ARRAY);
        match form {
            0 => self.push("new[] { "),
            1 => self.push("new ").ty(of).push("[] { "),
            2 => self.push("["),
            _ => self.push("{ "),
        };
        self.separated(&node.tail, ", ", |this, kid| _ = this.write(kid, Some(of), LOWEST));
        self.push(if form == 2 { "]" } else { " }" })
    }

    pub fn group(&mut self, member: &Member, node: &Node) -> &mut Self {
        let object = node.kids.first().copied().filter(|object| !matches!(self.from.kind(*object), Kind::Null));
        if !member.name.contains(">g__") && (object.is_some() || !member.has_this) {
            self.owner(object, &member.owner);
        }
        self.name(&member.shown)
    }
}
