//! Writes expressions as C#, by precedence and by the type that is expected.

mod members;
mod type_name;
mod values;

use std::fmt::Write;
use std::rc::Rc;

use pdblens_formats::signature::Type;

use super::evaluate::Evaluator;
use super::library::Member;
use super::literal;
use super::node::{Id, Kind, Node};
use super::spelling::{Axis, Spelling};
use super::types::{self, Class, Ty, class};

/// Precedences of operators, weakest first.
const LOWEST: u8 = 0;
const CONDITIONAL: u8 = 1;
const COALESCE: u8 = 2;
const RELATION: u8 = 9;
const UNARY: u8 = 13;
const PRIMARY: u8 = 14;

/// Lambdas inside lambdas that are written.
const MAX_LAMBDAS: usize = 3;

/// Writes the expressions of one point.
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
    pub lambdas: usize,
    depth: usize,
}

impl<'w, 'b, 's> Writer<'w, 'b, 's> {
    pub fn new(from: &'w Evaluator<'b, 's>, spelling: Spelling, lambdas: usize) -> Self {
        Self { from, out: String::new(), spelling, used: 0, whole: true, chained: Vec::new(), lambdas, depth: 0 }
    }

    /// The chosen spelling of something that can be spelled in several ways.
    pub fn choice(&mut self, axis: Axis) -> u8 {
        self.used |= 1 << axis as u32;
        self.spelling.get(axis)
    }

    pub fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn node(&self, id: Id) -> &'w Node {
        self.from.arena.get(id)
    }

    /// Writes an expression where nothing is expected of it.
    pub fn expression(&mut self, id: Id) {
        self.write(id, None, LOWEST);
    }

    /// Writes an expression where a value of a type is expected.
    pub fn typed(&mut self, id: Id, expected: &Type) {
        self.write(id, Some(expected), LOWEST);
    }

    fn write(&mut self, id: Id, expected: Option<&Type>, least: u8) {
        let node = self.node(id);
        if self.depth > 60 || self.out.len() > 4000 {
            self.whole = false;
            self.push("…");
            return;
        }
        if node.point != self.from.arena.point && !self.is_simple(id) {
            let line = self.from.body.view.points.get(node.point).map_or(0, |point| point.start_line);
            let _ = write!(self.out, "⟨:{line}⟩");
            return;
        }
        self.depth += 1;
        let strength = strength(self.from, id);
        if strength < least {
            self.push("(");
            self.kind(id, node, expected);
            self.push(")");
        } else {
            self.kind(id, node, expected);
        }
        self.depth -= 1;
    }

    /// Values that are written again where they are used.
    fn is_simple(&self, id: Id) -> bool {
        let node = self.node(id);
        match node.kind {
            Kind::This
            | Kind::Name(_)
            | Kind::Int(_)
            | Kind::Str(_)
            | Kind::Null
            | Kind::Default(_)
            | Kind::Closure
            | Kind::Single(_)
            | Kind::Double(_)
            | Kind::TypeOf(_)
            | Kind::Opaque(_) => true,
            Kind::Implicit | Kind::Ref(_) => node.kids.iter().all(|kid| self.is_simple(*kid)),
            _ => false,
        }
    }

    /// Writes a value: names, literals and types; the rest follows.
    fn kind(&mut self, id: Id, node: &'w Node, expected: Option<&Type>) {
        match &node.kind {
            Kind::This | Kind::Closure => self.push("this"),
            Kind::Name(name) => self.name(name),
            Kind::Int(number) => self.int(*number, expected.unwrap_or(&node.ty), &node.ty),
            Kind::Single(number) => {
                let text = literal::float(f64::from(*number), &number.to_string(), true);
                self.push(&text);
            }
            Kind::Double(number) => {
                let text = literal::float(*number, &number.to_string(), false);
                self.push(&text);
            }
            Kind::Decimal(text) => {
                self.push(text);
                self.push("m");
            }
            Kind::Str(text) => self.string(text),
            Kind::Utf8(text) => {
                self.push(&literal::string(text));
                self.push("u8");
            }
            Kind::Null => self.push("null"),
            Kind::Default(ty) => self.default(ty),
            Kind::Temporary(_) => self.opaque("⟨…⟩"),
            Kind::Interpolated(parts) => self.interpolated(parts),
            Kind::TypeOf(ty) => {
                self.push("typeof(");
                self.ty(ty);
                self.push(")");
            }
            Kind::SizeOf(ty) => {
                self.push("sizeof(");
                self.ty(ty);
                self.push(")");
            }
            Kind::Data(field) => self.opaque(&field.name),
            Kind::Exception => self.opaque("exception"),
            Kind::Opaque(text) => self.opaque(text),
            _ => self.member(id, node, expected),
        }
    }

    /// Writes members of objects, and new objects.
    fn member(&mut self, id: Id, node: &'w Node, expected: Option<&Type>) {
        let kid = |number: usize| node.kids.get(number).copied().unwrap_or(id);
        match &node.kind {
            Kind::Field(field) => self.field(field, node),
            Kind::Property(member) => self.property(member, node),
            Kind::Call(member) => self.call(member, node),
            Kind::Indirect => {
                self.write(kid(0), None, PRIMARY);
                self.list(&node.kids[1..], &[], "(", ")");
            }
            Kind::New(member) => self.creation(member, node, expected),
            Kind::NewParameter => {
                self.push("new ");
                self.ty(&node.ty);
                self.list(&[], &[], "(", ")");
            }
            Kind::Inner | Kind::List => {
                let (open, close) = if matches!(node.kind, Kind::List) { ("[", "]") } else { ("{ ", " }") };
                if matches!(node.kind, Kind::List) {
                    self.list(&node.kids, &[], open, close);
                } else {
                    self.initializer(node);
                }
            }
            Kind::NewArray(of) => self.new_array(of, node),
            Kind::Element => {
                self.object(kid(0), false);
                self.indices(kid(0), &node.kids[1..], &[]);
            }
            Kind::Lambda(member) => self.lambda(member),
            Kind::Group(member) => self.group(member, node),
            Kind::Function(member) => {
                self.push("&");
                self.push(&member.shown);
            }
            Kind::StackAlloc(of) => {
                self.push("stackalloc ");
                self.ty(of);
                self.list(&node.kids, &[], "[", "]");
            }
            Kind::With => {
                self.write(kid(0), None, UNARY);
                self.push(" with ");
                self.initializer(node);
            }
            Kind::Anonymous(member) => self.anonymous(member, node),
            Kind::Tuple => self.list(&node.kids, &[], "(", ")"),
            _ => self.operation(id, node, expected),
        }
    }

    /// Writes operators.
    fn operation(&mut self, id: Id, node: &'w Node, expected: Option<&Type>) {
        let kid = |number: usize| node.kids.get(number).copied().unwrap_or(id);
        match &node.kind {
            Kind::Deref => {
                self.push("*");
                self.write(kid(0), None, UNARY);
            }
            Kind::Unary(operator) => self.unary(operator, kid(0), expected),
            Kind::Binary(operator) => self.binary(operator, node, expected),
            Kind::Cast(ty) => {
                self.push("(");
                self.ty(ty);
                if class(ty) == Class::Reference
                    && self.from.library.is_annotated()
                    && self.choice(Axis::Annotated) % 2 == 1
                {
                    self.push("?");
                }
                self.push(")");
                self.write(kid(0), None, UNARY);
            }
            Kind::Implicit => {
                // A conversion to an object boxes what the constant is.
                let boxed = self.from.arena.int(kid(0)).is_some();
                self.write(kid(0), if boxed { Some(&node.ty) } else { expected }, LOWEST);
            }
            Kind::As(ty) => {
                self.write(kid(0), None, RELATION);
                self.push(" as ");
                self.ty(ty);
            }
            Kind::Is(ty, name) => self.is(ty, name.as_deref(), kid(0), false),
            Kind::Conditional => self.conditional(node, expected),
            Kind::Coalesce => {
                self.write(kid(0), None, COALESCE + 1);
                self.push(" ?? ");
                let ty = self.node(kid(0)).ty.clone();
                self.write(kid(1), Some(expected.unwrap_or(&ty)), COALESCE);
            }
            Kind::Chain => {
                self.chained.push(kid(0));
                self.write(kid(1), expected, LOWEST);
                self.chained.pop();
            }
            Kind::Ref(word) => self.reference(word, kid(0)),
            _ => self.action(id, node),
        }
    }

    /// Writes assignments and jumps.
    fn action(&mut self, id: Id, node: &'w Node) {
        let kid = |number: usize| node.kids.get(number).copied().unwrap_or(id);
        match &node.kind {
            Kind::Assign(operator) => {
                let ty = self.node(kid(0)).ty.clone();
                self.write(kid(0), None, UNARY);
                let _ = write!(self.out, " {operator} ");
                self.write(kid(1), Some(&ty), LOWEST);
            }
            Kind::Step(operator, is_after) => {
                if !is_after {
                    self.push(operator);
                }
                self.write(kid(0), None, UNARY);
                if *is_after {
                    self.push(operator);
                }
            }
            Kind::Throw => {
                self.push("throw");
                if let Some(value) = node.kids.first() {
                    self.push(" ");
                    self.write(*value, None, LOWEST);
                }
            }
            Kind::Await => {
                self.push("await ");
                self.write(kid(0), None, UNARY);
            }
            Kind::Yield => {
                self.push("yield return ");
                let ty = self.from.body.returns();
                self.write(kid(0), Some(&ty), LOWEST);
            }
            Kind::If => self.effect_if(node),
            _ => self.opaque("⟨…⟩"),
        }
    }

    fn opaque(&mut self, text: &str) {
        self.whole = false;
        self.push(text);
    }

    pub fn name(&mut self, name: &str) {
        if literal::is_keyword(name) && !matches!(name, "base" | "this" | "_") {
            self.push("@");
        }
        if name.is_empty() || name.contains(['<', '$']) {
            self.whole = false;
        }
        self.push(name);
    }

    /// Writes what a member follows, with its dot.
    fn object(&mut self, id: Id, has_dot: bool) {
        let bare = self.from.arena.bare(id);
        let is_chained = self.chained.contains(&bare);
        if is_chained {
            // The value before `?` may contain `?.` too: its own entry is removed while it is written.
            let position = self.chained.iter().position(|found| *found == bare).unwrap_or(0);
            let removed = self.chained.remove(position);
            self.write(id, None, PRIMARY);
            self.chained.insert(position, removed);
            self.push("?");
        } else {
            self.write(id, None, PRIMARY);
        }
        self.push(if has_dot { "." } else { "" });
    }

    fn open(&mut self, open: &str) {
        let follows_name = self.out.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>'));
        if matches!(open, "(" | "[") && follows_name && self.choice(Axis::Space) > 0 {
            self.push(" ");
        }
        self.push(open);
    }

    fn list(&mut self, kids: &[Id], parameters: &[Ty], open: &str, close: &str) {
        self.open(open);
        for (number, kid) in kids.iter().enumerate() {
            self.push(if number > 0 { ", " } else { "" });
            self.write(*kid, parameters.get(number).map(|ty| &**ty), LOWEST);
        }
        self.push(close);
    }

    fn unary(&mut self, operator: &str, kid: Id, expected: Option<&Type>) {
        if operator == "!" {
            let node = self.node(kid);
            if let Kind::Is(ty, name) = &node.kind {
                return self.is(ty, name.as_deref(), node.kids[0], true);
            }
            if let Kind::Property(member) = &node.kind
                && member.name.as_ref() == "get_HasValue"
            {
                let text = match self.choice(Axis::Null) {
                    0 => " == null",
                    1 => " is null",
                    _ => "",
                };
                if !text.is_empty() {
                    self.write(node.kids[0], None, RELATION);
                    return self.push(text);
                }
            }
        }
        self.push(operator);
        self.write(kid, expected, UNARY);
    }

    fn is(&mut self, ty: &Type, name: Option<&str>, value: Id, is_not: bool) {
        let has_word = is_not && self.choice(Axis::Not) > 0;
        if is_not && !has_word {
            self.push("!(");
        }
        self.write(value, None, RELATION);
        self.push(if has_word { " is not " } else { " is " });
        self.ty(ty);
        if let Some(name) = name {
            self.push(" ");
            self.name(name);
        }
        self.push(if is_not && !has_word { ")" } else { "" });
    }

    fn binary(&mut self, operator: &str, node: &Node, expected: Option<&Type>) {
        let (left, right) = (node.kids[0], node.kids[1]);
        let own = binary_strength(operator);
        let is_null = |id: Id| matches!(self.from.arena.kind(id), Kind::Null);
        if matches!(operator, "==" | "!=") && is_null(right) {
            let text = match (operator, self.choice(Axis::Null)) {
                ("==", 1) => " is null",
                ("==", _) => " == null",
                (_, 1) => " is not null",
                _ => " != null",
            };
            self.write(left, None, own);
            return self.push(text);
        }
        if operator == "+" && values::is_text(node) && self.choice(Axis::Concat) > 0 {
            return self.sum_as_interpolation(node);
        }
        let (a, b) = (self.node(left).ty.clone(), self.node(right).ty.clone());
        let is_shift = matches!(operator, "<<" | ">>" | ">>>");
        let is_constant = |id: Id| self.from.arena.int(id).is_some();
        let is_comparison = own == 8 || own == RELATION;
        let (for_left, for_right) = match () {
            () if is_shift => (expected, None),
            () if is_constant(left) && !is_constant(right) => (Some(&*b), None),
            () if is_constant(right) && (is_comparison || class(&a) != Class::Unknown) => (None, Some(&*a)),
            () => (None, None),
        };
        let (mut least_left, mut least_right) = (own, own + 1);
        let is_compound = |id: Id| matches!(self.from.arena.kind(self.from.arena.bare(id)), Kind::Binary(_));
        if matches!(operator, "||" | "&&" | "|" | "&" | "+" | "^")
            && (is_compound(left) || is_compound(right))
            && self.choice(Axis::Parentheses) > 0
        {
            let is_same =
                matches!(self.from.arena.kind(self.from.arena.bare(left)), Kind::Binary(inner) if *inner == operator);
            least_left = if is_same { own } else { UNARY };
            least_right = UNARY;
        }
        self.write(left, for_left, least_left);
        if matches!(own, 11 | 12) && self.choice(Axis::Tight) > 0 {
            self.push(operator);
        } else {
            let _ = write!(self.out, " {operator} ");
        }
        let spelling = self.spelling;
        if is_shift {
            self.spelling = spelling.with(Axis::Hex, 0);
        }
        self.write(right, for_right, least_right);
        self.spelling = spelling;
    }

    fn conditional(&mut self, node: &Node, expected: Option<&Type>) {
        let (test, yes, no) = (node.kids[0], node.kids[1], node.kids[2]);
        self.write(test, None, COALESCE);
        self.push(" ? ");
        let ty = expected.unwrap_or(&node.ty);
        self.write(yes, Some(ty), CONDITIONAL);
        self.push(" : ");
        self.write(no, Some(ty), CONDITIONAL);
    }

    fn reference(&mut self, word: &str, kid: Id) {
        self.push(word);
        self.push(" ");
        let node = self.node(kid);
        if let (Kind::Name(name), "out") = (&node.kind, word)
            && name.as_ref() != "_"
        {
            match self.choice(Axis::Out) {
                1 => self.push("var "),
                2 => {
                    self.ty(&node.ty);
                    self.push(" ");
                }
                _ => {}
            }
        }
        self.write(kid, None, UNARY);
    }

    fn lambda(&mut self, member: &Member) {
        if self.lambdas >= MAX_LAMBDAS {
            return self.opaque("… => …");
        }
        let (text, whole) = super::lambda(self.from.library, member, self.lambdas + 1);
        self.push(&text);
        self.whole &= whole;
    }

    fn effect_if(&mut self, node: &Node) {
        self.push("if (");
        self.expression(node.kids[0]);
        self.push(") ");
        for (number, kid) in node.kids.iter().enumerate().skip(1) {
            self.push(if number > 1 { "; " } else { "" });
            self.expression(*kid);
        }
    }
}

/// The precedence of an expression.
fn strength(from: &Evaluator<'_, '_>, id: Id) -> u8 {
    let node = from.arena.get(id);
    match &node.kind {
        Kind::Assign(_) | Kind::Lambda(_) | Kind::Throw | Kind::If | Kind::Yield => LOWEST,
        Kind::Conditional => CONDITIONAL,
        Kind::Coalesce => COALESCE,
        Kind::Binary(operator) => binary_strength(operator),
        Kind::Is(..) | Kind::As(_) => RELATION,
        Kind::Property(member) if member.name.as_ref() == "get_HasValue" => RELATION,
        Kind::Unary("!") if matches!(from.arena.kind(node.kids[0]), Kind::Property(member) if member.name.as_ref() == "get_HasValue") => {
            RELATION
        }
        Kind::Unary(_) | Kind::Cast(_) | Kind::Await | Kind::Deref | Kind::Step(..) => UNARY,
        Kind::Int(number) if *number < 0 => UNARY,
        Kind::Implicit | Kind::Chain => {
            let kid = if matches!(node.kind, Kind::Chain) { node.kids.get(1) } else { node.kids.first() };
            kid.map_or(PRIMARY, |kid| {
                if from.arena.get(*kid).point == from.arena.point { strength(from, *kid) } else { PRIMARY }
            })
        }
        _ => PRIMARY,
    }
}

fn binary_strength(operator: &str) -> u8 {
    match operator {
        "||" => 3,
        "&&" => 4,
        "|" => 5,
        "^" => 6,
        "&" => 7,
        "==" | "!=" => 8,
        "<" | ">" | "<=" | ">=" => RELATION,
        "<<" | ">>" | ">>>" => 10,
        "+" | "-" => 11,
        _ => 12,
    }
}

/// A type, for the declaration of a variable.
pub(super) fn declared_type(writer: &mut Writer<'_, '_, '_>, ty: &Rc<Type>) {
    writer.ty(types::plain(ty));
}
