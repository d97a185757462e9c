//! Writes expressions as C#, by precedence and by the type that is expected.

use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::Type;
use pdblens_session::text::constant::quoted;

use super::evaluate::Evaluator;
use super::lambda::lambda;
use super::library::{Class, Member, Ty, class};
use super::literal::is_keyword;

use super::node::{
    AS, AWAIT, CAST, COALESCE, CONDITIONAL, DEREF, Id, Kind, Node, Nodes, RETHROW, THROW, TYPE_OF, YIELD,
};
use super::operators::OPERATORS;
use super::spelling::{ARRAY, Axis, NEW, NULL, OUT, Spelling};

pub(super) const LOWEST: u8 = 0;
const RELATION: u8 = 9;
const UNARY: u8 = 13;
const PRIMARY: u8 = 14;

const MAX_LAMBDAS: usize = 3;

pub(super) struct Writer<'w, 'b, 's> {
    pub from: &'w Evaluator<'b, 's>,
    pub out: String,
    pub spelling: Spelling,
    /// Axes on which the text could have been written otherwise.
    pub used: u32,
    /// False after something that C# has no word for.
    pub whole: bool,
    /// Values that `?.` follows.
    chained: Vec<Id>,
    depth: usize,
}

impl<'w, 'b, 's> Writer<'w, 'b, 's> {
    pub fn new(from: &'w Evaluator<'b, 's>, spelling: Spelling) -> Self {
        Self { from, out: String::new(), spelling, used: 0, whole: true, chained: Vec::new(), depth: 0 }
    }

    pub fn choice(&mut self, axis: Axis) -> u8 {
        self.used |= 1 << axis;
        self.spelling[axis]
    }

    pub fn push(&mut self, text: &str) -> &mut Self {
        self.out.push_str(text);
        self
    }

    pub fn node(&self, id: Id) -> &'w Node {
        self.from.nodes.get(id)
    }

    /// Writes an expression; in parentheses if it binds less than `least`.
    pub fn write(&mut self, id: Id, expected: Option<&Type>, least: u8) -> &mut Self {
        let node = self.node(id);
        if self.depth > 60 || self.out.len() > 4000 {
            return self.opaque("…");
        }
        if !self.from.nodes.is_own(id) && !is_simple(&self.from.nodes, id) {
            // A hidden point has no line that a reader could look at: its value is written here.
            let point = self.from.body.view.points.get(node.point).filter(|point| !point.is_hidden());
            if let Some(point) = point {
                return self.push(&format!("⟨:{}⟩", point.start_line));
            }
        }
        self.depth += 1;
        if strength(&self.from.nodes, id) < least {
            self.push("(").kind(id, node, expected).push(")");
        } else {
            self.kind(id, node, expected);
        }
        self.depth = self.depth.saturating_sub(1);
        self
    }

    fn kind(&mut self, id: Id, node: &'w Node, expected: Option<&Type>) -> &mut Self {
        let kid = |number: usize| node.kids.get(number).copied().unwrap_or(id);
        match &node.kind {
            Kind::This | Kind::Closure => self.push("this"),
            Kind::Name(name) => self.name(name),
            Kind::Int(number) => self.int(*number, expected.unwrap_or(&node.ty), &node.ty),
            Kind::Literal(text) => self.push(text),
            Kind::Str(text) => self.string(text),
            Kind::Null => self.push("null"),
            Kind::Default(ty) => self.default(ty),
            Kind::Form(template, ty) => self.form(template, ty, node, expected),
            Kind::Field(field) => self.owner(node.kids.first().copied(), &field.owner, &field.shown).name(&field.shown),
            Kind::Property(member) => self.property(member, node),
            Kind::Call(member) => self.call(member, node),
            Kind::Indirect => self.write(kid(0), None, PRIMARY).list(&node.kids[1..], &[], "(", ")"),
            Kind::New(member) => self.creation(member, node, expected),
            Kind::Inner => self.initializer(node),
            Kind::NewArray(of) => self.new_array(of, node),
            Kind::Element => self.object(kid(0), "").list(&node.kids[1..], &[], "[", "]"),
            Kind::Unary(operator) => self.unary(operator, kid(0), expected),
            // The value of `++` whose variable is not known.
            Kind::Binary(operator @ ("++" | "--")) => self.binary(&operator[1..], node, expected),
            Kind::Binary(operator) => self.binary(operator, node, expected),
            // A conversion to an object boxes what the constant is, one to a nullable type has the constant of that type.
            Kind::Implicit if self.from.nodes.number(kid(0)).is_some() => {
                let is_known =
                    matches!(*node.ty, Type::Primitive(_)) || self.from.library.is_named(&node.ty, "Nullable`1");
                self.write(kid(0), is_known.then_some(&*node.ty), LOWEST)
            }
            Kind::Implicit => self.write(kid(0), expected, LOWEST),
            Kind::Is(ty, name) => self.is(ty, name.as_deref(), kid(0), false),
            Kind::Assign(operator) => {
                let ty = &self.node(kid(0)).ty;
                self.write(kid(0), None, UNARY).push(" ").push(operator).push(" ").write(kid(1), Some(ty), LOWEST)
            }
            Kind::Step(operator, true) => self.write(kid(0), None, UNARY).push(operator),
            Kind::Step(operator, false) => self.push(operator).write(kid(0), None, UNARY),
            Kind::Chain => {
                self.chained.push(kid(0));
                self.write(kid(1), expected, LOWEST);
                self.chained.pop();
                self
            }
            Kind::Ref(word) => self.reference(word, kid(0)),
            Kind::Lambda(member) => self.lambda(member),
            Kind::Group(member) => self.group(member, node),
            Kind::Function(member) => self.push("&").push(&member.shown),
            Kind::Interpolated => self.interpolated(&node.tail),
            Kind::With => self.write(kid(0), None, UNARY).push(" with ").initializer(node),
            // The names of anonymous members are missing.
            Kind::Values(open @ "new { ", close) => self.opaque("").list(&node.kids, &[], open, close),
            Kind::Values(open, close) => self.list(&node.kids, &[], open, close),
            Kind::If => {
                self.push("if (").write(kid(0), None, LOWEST).push(") ");
                self.separated(&node.kids[1..], "; ", |this, kid| _ = this.write(kid, None, LOWEST))
            }
            Kind::Opaque(text) => self.opaque(text),
            Kind::Temporary(_) | Kind::Hole => self.opaque("⟨…⟩"),
        }
    }

    fn form(&mut self, template: &'static str, ty: &Ty, node: &'w Node, expected: Option<&Type>) -> &mut Self {
        let (own, first) = strengths(template);
        let returns = self.from.body.returns();
        let mut pieces = template.split('$');
        self.push(pieces.next().unwrap_or_default());
        for piece in pieces {
            let (slot, rest) = piece.split_at(1);
            match slot {
                "t" => self.ty(ty),
                "0" if template == YIELD => self.write(node.kids[0], Some(&returns), first),
                "0" => self.write(node.kids[0], None, first),
                number => {
                    let kid = number.parse().map_or(0, |number: usize| node.kids[number]);
                    let is_thrown = matches!(self.from.nodes.kind(kid), Kind::Form(THROW, _));
                    self.write(kid, Some(expected.unwrap_or(&node.ty)), if is_thrown { LOWEST } else { own })
                }
            };
            self.push(rest);
        }
        self
    }

    fn opaque(&mut self, text: &str) -> &mut Self {
        self.whole = false;
        self.push(text)
    }

    pub fn name(&mut self, name: &str) -> &mut Self {
        if is_keyword(name) {
            self.push("@");
        }
        self.whole &= !name.is_empty() && !name.contains(['<', '$']);
        self.push(name)
    }

    /// Writes the object or type before a member, with the dot.
    fn object(&mut self, id: Id, dot: &str) -> &mut Self {
        let bare = self.from.nodes.bare(id);
        // The value before `?` may contain `?.` too: its own entry is removed while it is written.
        if let Some(position) = self.chained.iter().position(|found| *found == bare) {
            let removed = self.chained.remove(position);
            self.write(id, None, PRIMARY).push("?").chained.insert(position, removed);
        } else {
            self.write(id, None, PRIMARY);
        }
        self.push(dot)
    }

    pub fn separated<T: Copy>(&mut self, items: &[T], between: &str, mut write: impl FnMut(&mut Self, T)) -> &mut Self {
        for (number, item) in items.iter().enumerate() {
            self.push(if number > 0 { between } else { "" });
            write(self, *item);
        }
        self
    }

    pub fn list(&mut self, kids: &[Id], parameters: &[Ty], open: &str, close: &str) -> &mut Self {
        let mut parameters = parameters.iter();
        self.push(open);
        self.separated(kids, ", ", |this, kid| _ = this.write(kid, parameters.next().map(|ty| &**ty), LOWEST))
            .push(close)
    }

    fn unary(&mut self, operator: &str, kid: Id, expected: Option<&Type>) -> &mut Self {
        let node = self.node(kid);
        match &node.kind {
            Kind::Is(ty, name) if operator == "!" => return self.is(ty, name.as_deref(), node.kids[0], true),
            _ => {}
        }
        self.push(operator).write(kid, expected, UNARY)
    }

    fn is(&mut self, ty: &Type, name: Option<&str>, value: Id, is_not: bool) -> &mut Self {
        let (before, after) = if is_not { ("!(", ")") } else { ("", "") };
        self.push(before).write(value, None, RELATION).push(" is ").ty(ty);
        if let Some(name) = name {
            self.push(" ").name(name);
        }
        self.push(after)
    }

    fn binary(&mut self, operator: &str, node: &Node, expected: Option<&Type>) -> &mut Self {
        let (left, right) = (node.kids[0], node.kids[1]);
        let own = binary_strength(operator);
        if matches!(operator, "==" | "!=") && matches!(self.from.nodes.kind(right), Kind::Null) {
            let form = self.choice(NULL);
            if form == 2 && self.from.library.is_named(&self.node(left).ty, "Nullable`1") {
                return self.push(if operator == "==" { "!" } else { "" }).object(left, ".").push("HasValue");
            }
            return self.write(left, None, own).push(match (operator, form) {
                ("==", 1) => " is null",
                ("==", _) => " == null",
                (_, 1) => " is not null",
                _ => " != null",
            });
        }
        let (a, b) = (&self.node(left).ty, &self.node(right).ty);
        let is_shift = matches!(operator, "<<" | ">>" | ">>>");
        let is_constant = |id: Id| self.from.nodes.number(id).is_some();
        let is_comparison = own == 8 || own == RELATION;
        let (for_left, for_right) = match () {
            () if is_shift => (expected, None),
            () if is_constant(left) && !is_constant(right) => (Some(&**b), None),
            () if is_constant(right) && (is_comparison || class(a) != Class::Unknown) => (None, Some(&**a)),
            () => (None, None),
        };
        self.write(left, for_left, own).push(" ").push(operator).push(" ");
        self.write(right, for_right, own + 1)
    }

    fn reference(&mut self, word: &str, kid: Id) -> &mut Self {
        self.push(word).push(" ");
        let node = self.node(kid);
        if let (Kind::Name(name), "out") = (&node.kind, word)
            && &**name != "_"
        {
            let (start, end) = self.from.body.ranges[self.from.nodes.point];
            let is_new = self.from.body.is_new(name, start, end);
            match is_new.then(|| self.choice(OUT)) {
                Some(2) => self.ty(&node.ty).push(" "),
                Some(_) => self.push("var "),
                None => self,
            };
        }
        self.write(kid, None, UNARY)
    }

    fn lambda(&mut self, member: &Member) -> &mut Self {
        let depth = self.from.lambdas + 1;
        if depth > MAX_LAMBDAS {
            return self.opaque("… => …");
        }
        let (text, whole) = lambda(self.from.library, member, depth);
        self.whole &= whole;
        self.push(&text)
    }
}

/// Returns true for values that are written again where they are used.
fn is_simple(nodes: &Nodes, id: Id) -> bool {
    let node = nodes.get(id);
    match node.kind {
        Kind::This
        | Kind::Closure
        | Kind::Name(_)
        | Kind::Int(_)
        | Kind::Literal(_)
        | Kind::Str(_)
        | Kind::Null
        | Kind::Default(_)
        | Kind::Form(TYPE_OF, _)
        | Kind::Opaque(_) => true,
        Kind::Implicit | Kind::Ref(_) => node.kids.iter().all(|kid| is_simple(nodes, *kid)),
        _ => false,
    }
}

fn strength(nodes: &Nodes, id: Id) -> u8 {
    let node = nodes.get(id);
    let inner = match &node.kind {
        Kind::Assign(_) | Kind::Lambda(_) | Kind::If => return LOWEST,
        Kind::Form(template, _) => return strengths(template).0,
        Kind::Binary(operator) => return binary_strength(operator),
        Kind::Is(..) => return RELATION,
        Kind::Unary(_) | Kind::Step(..) => return UNARY,
        Kind::Int(number) if *number < 0 => return UNARY,
        Kind::Implicit => node.kids.first(),
        Kind::Chain => node.kids.get(1),
        _ => None,
    };
    inner.filter(|kid| nodes.is_own(**kid)).map_or(PRIMARY, |kid| strength(nodes, *kid))
}

/// Returns true for an object whose class has its own method beside that of an interface.
fn needs_cast(of: &Writer<'_, '_, '_>, object: Id, owner: &Type) -> bool {
    let nodes = &of.from.nodes;
    let bare = nodes.bare(object);
    let is_own = !of.chained.contains(&bare) && !matches!(nodes.kind(bare), Kind::Null | Kind::Form(CAST, _));
    is_own && of.from.library.needs_cast(&nodes.get(bare).ty, owner)
}

/// The precedence of an operation of one shape, and the least one of its first child.
fn strengths(template: &'static str) -> (u8, u8) {
    match template {
        THROW | RETHROW | YIELD => (LOWEST, LOWEST),
        CONDITIONAL => (1, 2),
        COALESCE => (2, 3),
        AS => (RELATION, RELATION),
        AWAIT | CAST | DEREF => (UNARY, UNARY),
        _ => (PRIMARY, LOWEST),
    }
}

fn binary_strength(operator: &str) -> u8 {
    match operator {
        "||" => 3,
        "&&" => 4,
        _ => OPERATORS.iter().find(|row| row.1 == operator).map_or(12, |row| row.3),
    }
}

impl Writer<'_, '_, '_> {
    /// Writes the object of a member: nothing for `this`, the type for a static one.
    pub fn owner(&mut self, object: Option<Id>, owner: &Type, name: &str) -> &mut Self {
        let is_hidden = || self.from.body.hides(name, self.from.nodes.point);
        match object.map(|object| (object, self.from.nodes.kind(object))) {
            Some((_, Kind::This)) if is_hidden() => self.push("this."),
            Some((_, Kind::This | Kind::Closure)) => self,
            Some((object, _)) if needs_cast(self, object, owner) => {
                self.push("((").ty(owner).push(")").write(object, None, UNARY).push(").")
            }
            Some((object, _)) => self.object(object, "."),
            None if self.is_around(owner) && !is_hidden() => self,
            None => self.ty(owner).push("."),
        }
    }

    pub fn property(&mut self, member: &Member, node: &Node) -> &mut Self {
        let object = if member.has_this { node.kids.first().copied() } else { None };
        let Some(object) = object else {
            return self.owner(None, &member.owner, &member.shown).name(&member.shown);
        };
        if let indices @ [_, ..] = &node.kids[1..] {
            if let Kind::This = self.from.nodes.kind(object) {
                self.push("this");
            } else if needs_cast(self, object, &member.owner) {
                self.push("((").ty(&member.owner).push(")").write(object, None, UNARY).push(")");
            } else {
                self.object(object, "");
            }
            return self.list(indices, &member.parameters, "[", "]");
        }
        self.owner(Some(object), &member.owner, &member.shown).name(&member.shown)
    }

    pub fn call(&mut self, member: &Member, node: &Node) -> &mut Self {
        let mut kids = &node.kids[..];
        let mut parameters = &member.parameters[..];
        let is_local = member.name.contains(">g__");
        let object = if member.has_this { kids.split_off_first().copied() } else { None };
        if let Some(object) = object {
            let is_delegate = &*member.name == "Invoke"
                && self.from.library.is_delegate(&member.owner)
                && !self.chained.contains(&self.from.nodes.bare(object));
            if is_delegate || member.role == ".ctor" {
                return self.write(object, None, PRIMARY).call_list(member, kids, parameters);
            }
        }
        if member.is_extension && kids.first().is_some_and(|kid| !matches!(self.from.nodes.kind(*kid), Kind::Null)) {
            self.object(kids[0], ".");
            (kids, parameters) = (&kids[1..], &parameters[1..]);
        } else if !is_local {
            self.owner(object, &member.owner, "");
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
            && self.is_default(member, skipped + others.len(), *last, others)
        {
            kids.pop();
        }
        if let Some(last) = kids.last().copied()
            && kids.len() == parameters.len()
            && let Some(row) = library.parameter(member.row, skipped + kids.len() - 1)
            && library.is_marked(Token::new(TableId::PARAM, row))
        {
            let array = self.node(last);
            let length = array.kids.first().and_then(|length| self.from.nodes.number(*length));
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
        match (library.constant(row << 2 | 1), self.from.nodes.bare_kind(value)) {
            (Some((number, _)), Kind::Int(found)) => number as i32 == *found as i32,
            (Some((_, default)), Kind::Str(text)) if quoted('"', text.encode_utf16()) == default => true,
            (Some((number, _)), Kind::Null) => number == 0,
            (_, Kind::Str(text)) => {
                others.iter().any(|kid| matches!(self.from.nodes.bare_kind(*kid), Kind::Name(name) if name == text))
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
                        Kind::Field(field) => this.name(&field.shown),
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
        let is_told = node.tail.iter().any(|kid| self.node(self.from.nodes.bare(*kid)).ty == *of);
        let form = match self.choice(ARRAY) {
            0 if !is_told => 1,
            form => form,
        };
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
        let object = node.kids.first().copied().filter(|object| !matches!(self.from.nodes.kind(*object), Kind::Null));
        if !member.name.contains(">g__") && (object.is_some() || !member.has_this) {
            self.owner(object, &member.owner, &member.shown);
        }
        self.name(&member.shown)
    }
}
