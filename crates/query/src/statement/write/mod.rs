//! Writes expressions as C#, by precedence and by the type that is expected.

mod members;
mod types;
mod values;

use pdblens_formats::signature::Type;

use super::evaluate::Evaluator;
use super::library::Member;
use super::literal;
use super::node::{AS, AWAIT, CAST, COALESCE, CONDITIONAL, DEREF, Id, Kind, Node, RETHROW, THROW, TYPE_OF, YIELD};
use super::spelling::{Axis, HEX, NULL, OUT, SPACE, Spelling};
use super::types::{Class, Ty, class};

/// Precedences of operators, weakest first.
const LOWEST: u8 = 0;
const RELATION: u8 = 9;
const UNARY: u8 = 13;
const PRIMARY: u8 = 14;

/// Lambdas inside lambdas that are written.
const MAX_LAMBDAS: usize = 3;

/// Writes the expressions of one point.
pub(super) struct Writer<'w, 'b, 's> {
    pub from: &'w Evaluator<'b, 's>,
    pub out: String,
    spelling: Spelling,
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

    /// The chosen spelling of something that can be spelled in several ways.
    pub fn choice(&mut self, axis: Axis) -> u8 {
        self.used |= 1 << axis.0;
        self.spelling.get(axis)
    }

    pub fn push(&mut self, text: &str) -> &mut Self {
        self.out.push_str(text);
        self
    }

    fn node(&self, id: Id) -> &'w Node {
        self.from.get(id)
    }

    /// Writes an expression where a value of a type is expected, if anything is.
    pub fn expression(&mut self, id: Id, expected: Option<&Type>) -> &mut Self {
        self.write(id, expected, LOWEST)
    }

    /// Writes an expression; in parentheses if it binds less than `least`.
    fn write(&mut self, id: Id, expected: Option<&Type>, least: u8) -> &mut Self {
        let node = self.node(id);
        if self.depth > 60 || self.out.len() > 4000 {
            return self.opaque("…");
        }
        if !self.from.is_own(id) && !self.is_simple(id) {
            let line = self.from.body.view.points.get(node.point).map_or(0, |point| point.start_line);
            return self.push(&format!("⟨:{line}⟩"));
        }
        self.depth = self.depth.saturating_add(1);
        if self.strength(id) < least {
            self.push("(").kind(id, node, expected).push(")");
        } else {
            self.kind(id, node, expected);
        }
        self.depth = self.depth.saturating_sub(1);
        self
    }

    /// Returns true for values that are written again where they are used.
    fn is_simple(&self, id: Id) -> bool {
        let node = self.node(id);
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
            Kind::Implicit | Kind::Ref(_) => node.kids.iter().all(|kid| self.is_simple(*kid)),
            _ => false,
        }
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
            Kind::Field(field) => {
                let name = super::evaluate::plain_name(&field.name);
                self.owner(node.kids.first().copied(), &field.owner).name(&name)
            }
            Kind::Property(member) => self.property(member, node),
            Kind::Call(member) => self.call(member, node),
            Kind::Indirect => self.write(kid(0), None, PRIMARY).list(&node.kids[1..], &[], "(", ")"),
            Kind::New(member) => self.creation(member, node, expected),
            Kind::Inner => self.initializer(node),
            Kind::NewArray(of) => self.new_array(of, node),
            Kind::Element => self.object(kid(0), "").indices(&node.kids[1..], &[]),
            Kind::Unary(operator) => self.unary(operator, kid(0), expected),
            Kind::Binary(operator) => self.binary(operator, node, expected),
            // A conversion to an object boxes what the constant is.
            Kind::Implicit if self.from.number(kid(0)).is_some() => self.write(kid(0), Some(&node.ty), LOWEST),
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
            Kind::Interpolated(parts) => self.interpolated(parts),
            Kind::With => self.write(kid(0), None, UNARY).push(" with ").initializer(node),
            Kind::Anonymous => self.opaque("new ").list(&node.kids, &[], "{ ", " }"),
            Kind::Tuple => self.list(&node.kids, &[], "(", ")"),
            Kind::List => self.list(&node.kids, &[], "[", "]"),
            Kind::If => {
                self.push("if (").write(kid(0), None, LOWEST).push(") ");
                self.separated(&node.kids[1..], "; ", |this, kid| _ = this.expression(kid, None))
            }
            Kind::Opaque(text) => self.opaque(text),
            Kind::Temporary(_) => self.opaque("⟨…⟩"),
        }
    }

    /// Writes an operation of one shape: `$0` is the first child, `$t` the type.
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
                    self.write(kid, Some(expected.unwrap_or(&node.ty)), own)
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
        if literal::is_keyword(name) {
            self.push("@");
        }
        self.whole &= !name.is_empty() && !name.contains(['<', '$']);
        self.push(name)
    }

    /// Writes the object or type before a member, with the dot.
    fn object(&mut self, id: Id, dot: &str) -> &mut Self {
        let bare = self.from.bare(id);
        // The value before `?` may contain `?.` too: its own entry is removed while it is written.
        if let Some(position) = self.chained.iter().position(|found| *found == bare) {
            let removed = self.chained.remove(position);
            self.write(id, None, PRIMARY).push("?").chained.insert(position, removed);
        } else {
            self.write(id, None, PRIMARY);
        }
        self.push(dot)
    }

    pub fn open(&mut self, open: &str) -> &mut Self {
        let follows_name = self.out.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>'));
        if matches!(open, "(" | "[") && follows_name { self.open_space().push(open) } else { self.push(open) }
    }

    /// Writes the space before a bracket that some authors write.
    fn open_space(&mut self) -> &mut Self {
        let space = if self.choice(SPACE) > 0 { " " } else { "" };
        self.push(space)
    }

    /// Writes items with a text between them.
    pub fn separated<T: Copy>(&mut self, items: &[T], between: &str, mut write: impl FnMut(&mut Self, T)) -> &mut Self {
        for (number, item) in items.iter().enumerate() {
            self.push(if number > 0 { between } else { "" });
            write(self, *item);
        }
        self
    }

    fn list(&mut self, kids: &[Id], parameters: &[Ty], open: &str, close: &str) -> &mut Self {
        let mut parameters = parameters.iter();
        self.open(open);
        self.separated(kids, ", ", |this, kid| _ = this.write(kid, parameters.next().map(|ty| &**ty), LOWEST))
            .push(close)
    }

    fn unary(&mut self, operator: &str, kid: Id, expected: Option<&Type>) -> &mut Self {
        let node = self.node(kid);
        match &node.kind {
            Kind::Is(ty, name) if operator == "!" => return self.is(ty, name.as_deref(), node.kids[0], true),
            _ if operator == "!" && self.from.is_has_value(kid) => match self.choice(NULL) {
                0 => return self.write(node.kids[0], None, RELATION).push(" == null"),
                1 => return self.write(node.kids[0], None, RELATION).push(" is null"),
                _ => {}
            },
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
        if matches!(operator, "==" | "!=") && matches!(self.from.kind(right), Kind::Null) {
            self.write(left, None, own);
            let is_word = self.choice(NULL) == 1;
            return self.push(match operator {
                "==" if is_word => " is null",
                "==" => " == null",
                _ if is_word => " is not null",
                _ => " != null",
            });
        }
        let (a, b) = (&self.node(left).ty, &self.node(right).ty);
        let is_shift = matches!(operator, "<<" | ">>" | ">>>");
        let is_constant = |id: Id| self.from.number(id).is_some();
        let is_comparison = own == 8 || own == RELATION;
        let (for_left, for_right) = match () {
            () if is_shift => (expected, None),
            () if is_constant(left) && !is_constant(right) => (Some(&**b), None),
            () if is_constant(right) && (is_comparison || class(a) != Class::Unknown) => (None, Some(&**a)),
            () => (None, None),
        };
        self.write(left, for_left, own).push(" ").push(operator).push(" ");
        let spelling = self.spelling;
        if is_shift {
            self.spelling = spelling.with(HEX, 0);
        }
        self.write(right, for_right, own.saturating_add(1)).spelling = spelling;
        self
    }

    fn reference(&mut self, word: &str, kid: Id) -> &mut Self {
        self.push(word).push(" ");
        let node = self.node(kid);
        if let (Kind::Name(name), "out") = (&node.kind, word)
            && &**name != "_"
        {
            match self.choice(OUT) {
                1 => self.push("var "),
                2 => self.ty(&node.ty).push(" "),
                _ => self,
            };
        }
        self.write(kid, None, UNARY)
    }

    fn lambda(&mut self, member: &Member) -> &mut Self {
        let depth = self.from.lambdas.saturating_add(1);
        if depth > MAX_LAMBDAS {
            return self.opaque("… => …");
        }
        let (text, whole) = super::lambda(self.from.library, member, depth);
        self.whole &= whole;
        self.push(&text)
    }

    /// The precedence of an expression.
    fn strength(&self, id: Id) -> u8 {
        let node = self.node(id);
        let inner = match &node.kind {
            Kind::Assign(_) | Kind::Lambda(_) | Kind::If => return LOWEST,
            Kind::Form(template, _) => return strengths(template).0,
            Kind::Binary(operator) => return binary_strength(operator),
            Kind::Is(..) => return RELATION,
            Kind::Property(_) if self.from.is_has_value(id) => return RELATION,
            Kind::Unary("!") if self.from.is_has_value(node.kids[0]) => return RELATION,
            Kind::Unary(_) | Kind::Step(..) => return UNARY,
            Kind::Int(number) if *number < 0 => return UNARY,
            Kind::Implicit => node.kids.first(),
            Kind::Chain => node.kids.get(1),
            _ => None,
        };
        inner.filter(|kid| self.from.is_own(**kid)).map_or(PRIMARY, |kid| self.strength(*kid))
    }
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
