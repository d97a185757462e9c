//! C# expressions, as far as statements are written with them.

use std::rc::Rc;

use pdblens_formats::signature::Primitive;

use super::literals::{interpolated, number};
use super::proof::{Proven, Stop, undecided};
use super::tokens::{Lexeme, Token, tokens, unescaped};
use super::type_names::{Suffix, TypeName, primitive};

#[derive(Debug)]
pub(super) enum Expr {
    This,
    Base,
    Null,
    /// The object that `?.` has tested.
    Tested,
    Name(Rc<str>, Vec<TypeName>),
    Int(i64, Primitive),
    Real(f64, Primitive),
    Str(Rc<str>),
    Default(Option<TypeName>),
    TypeOf(TypeName),
    Member(Box<Self>, Rc<str>, Vec<TypeName>),
    Call(Box<Self>, Vec<Self>),
    Index(Box<Self>, Vec<Self>),
    New(Option<TypeName>, Vec<Self>, Vec<Initial>),
    /// A new array: its element type, its length or its elements.
    NewArray(Option<TypeName>, Option<Box<Self>>, Vec<Self>),
    Cast(TypeName, Box<Self>),
    As(Box<Self>, TypeName),
    Is(Box<Self>, TypeName, Option<Rc<str>>),
    Unary(&'static str, Box<Self>),
    /// `++` or `--`; after the variable if true.
    Step(&'static str, bool, Box<Self>),
    Binary(&'static str, Box<Self>, Box<Self>),
    Conditional(Box<[Self; 3]>),
    Coalesce(Box<Self>, Box<Self>),
    Chain(Box<Self>, Box<Self>),
    Assign(&'static str, Box<Self>, Box<Self>),
    Throw(Box<Self>),
    Await(Box<Self>),
    /// `ref` or `out` of a variable; of one that is declared, true if its type is written.
    Ref(Box<Self>, Option<bool>),
    /// Names of the parameters, and the body: true if it is an expression.
    Lambda(Vec<Rc<str>>, Box<Self>, bool),
    Return(Option<Box<Self>>),
    Interpolated(Vec<Fragment>),
}

/// A member or an element that an initializer sets.
#[derive(Debug)]
pub(super) enum Initial {
    Set(Rc<str>, Expr),
    Add(Vec<Expr>),
}

/// A part of an interpolated string: text, or a value with its alignment and format.
#[derive(Debug)]
pub(super) enum Fragment {
    Text(Rc<str>),
    Hole(Expr, Option<i64>, Option<Rc<str>>),
}

/// Binary operators, those that bind more strongly first.
const BINARY: &[(u8, &[&str])] = &[
    (12, &["*", "/", "%"]),
    (11, &["+", "-"]),
    (10, &[">>>", "<<", ">>"]),
    (9, &["<", ">", "<=", ">=", "is", "as"]),
    (8, &["==", "!="]),
    (7, &["&"]),
    (6, &["^"]),
    (5, &["|"]),
    (4, &["&&"]),
    (3, &["||"]),
    (2, &["??"]),
];
const ASSIGN: &[&str] = &["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "??="];
const PREFIX: &[&str] = &["!", "-", "+", "~"];

fn sign_of(text: &str, of: &[&'static str]) -> Option<&'static str> {
    of.iter().copied().find(|sign| *sign == text)
}

pub(super) struct Parser<'t> {
    pub tokens: Vec<Token<'t>>,
    pub at: usize,
    pub depth: usize,
}

impl<'t> Parser<'t> {
    pub fn new(text: &'t str) -> Proven<Self> {
        Ok(Self { tokens: tokens(text)?, at: 0, depth: 0 })
    }

    pub fn token(&self, ahead: usize) -> Token<'t> {
        self.tokens.get(self.at + ahead).copied().unwrap_or((Lexeme::End, ""))
    }

    pub fn text(&self) -> &'t str {
        match self.token(0) {
            (Lexeme::Sign | Lexeme::Name, text) => text,
            _ => "",
        }
    }

    pub fn is_end(&self) -> bool {
        self.token(0).0 == Lexeme::End
    }

    pub fn next(&mut self) -> Token<'t> {
        let token = self.token(0);
        self.at += 1;
        token
    }

    pub fn eat(&mut self, text: &str) -> bool {
        let is_it = self.text() == text;
        self.at += usize::from(is_it);
        is_it
    }

    pub fn need(&mut self, text: &str) -> Proven<()> {
        if self.eat(text) { Ok(()) } else { Err(undecided("a form that is not read")) }
    }

    pub fn name(&mut self) -> Option<Rc<str>> {
        match self.token(0) {
            (Lexeme::Name, text) => {
                self.at += 1;
                Some(text.trim_start_matches('@').into())
            }
            _ => None,
        }
    }

    pub fn expression(&mut self, least: u8) -> Proven<Expr> {
        self.depth += 1;
        if self.depth > 80 {
            return Err(undecided("a text that is nested too deeply"));
        }
        let found = self.expression_within(least);
        self.depth -= 1;
        found
    }

    /// The operator at the cursor: `>>` is two tokens, because type arguments end with it.
    fn operator(&self) -> &'static str {
        let text = self.text();
        if matches!(text, "" | ")" | "," | ";" | "]" | "}" | ":") {
            return "";
        }
        let signs: String = (0..4)
            .map_while(|ahead| {
                let (kind, text) = self.token(ahead);
                (kind == Lexeme::Sign && (ahead == 0 || matches!(text, "<" | ">" | ">=" | "<="))).then_some(text)
            })
            .collect();
        let all = BINARY
            .iter()
            .flat_map(|row| row.1)
            .copied()
            .chain(ASSIGN.iter().copied())
            .chain(["?", "=>", "switch", "with"]);
        let found = all.filter(|sign| {
            *sign == text || matches!(*sign, "<<" | ">>" | ">>>" | "<<=" | ">>=") && signs.starts_with(*sign)
        });
        found.max_by_key(|sign| sign.len()).unwrap_or("")
    }

    fn expression_within(&mut self, least: u8) -> Proven<Expr> {
        if self.eat("throw") {
            return Ok(Expr::Throw(self.boxed(0)?));
        }
        if let Some(lambda) = self.lambda()? {
            return Ok(lambda);
        }
        let mut left = self.unary()?;
        loop {
            let operator = self.operator();
            let length = if matches!(operator, "<<" | ">>") {
                2
            } else if operator == ">>>" {
                3
            } else {
                1
            };
            if ASSIGN.contains(&operator) {
                if least > 1 {
                    return Ok(left);
                }
                self.at += if matches!(operator, "<<=" | ">>=") && self.text().len() < 3 { 2 } else { 1 };
                left = Expr::Assign(operator, Box::new(left), self.boxed(0)?);
                continue;
            }
            if operator == "?" {
                if least > 1 {
                    return Ok(left);
                }
                self.at += 1;
                let yes = self.expression(0)?;
                self.need(":")?;
                left = Expr::Conditional(Box::new([left, yes, self.expression(0)?]));
                continue;
            }
            let Some((strength, _)) = BINARY.iter().find(|row| row.1.contains(&operator)).filter(|row| row.0 >= least)
            else {
                return if matches!(operator, "switch" | "with" | "=>") { Err(undecided(operator)) } else { Ok(left) };
            };
            self.at += length;
            left = match operator {
                "is" => self.pattern(left)?,
                "as" => Expr::As(Box::new(left), self.ty().ok_or_else(|| undecided("a type"))?),
                "??" => Expr::Coalesce(Box::new(left), self.boxed(2)?),
                _ => Expr::Binary(operator, Box::new(left), self.boxed(strength + 1)?),
            };
        }
    }

    fn boxed(&mut self, least: u8) -> Proven<Box<Expr>> {
        self.expression(least).map(Box::new)
    }

    fn pattern(&mut self, value: Expr) -> Proven<Expr> {
        let is_not = self.eat("not");
        if self.eat("null") {
            // A pattern calls no operator: the name of the comparison says so.
            return Ok(Expr::Binary(
                if is_not { "is not null" } else { "is null" },
                Box::new(value),
                Box::new(Expr::Null),
            ));
        }
        let ty = self.ty().ok_or_else(|| undecided("a pattern"))?;
        let is_word = matches!(self.text(), "and" | "or" | "when" | "is" | "as" | "switch");
        if is_word || self.text() == "{" || self.text() == "(" {
            return Err(undecided("a pattern"));
        }
        let test = Expr::Is(Box::new(value), ty, self.name());
        Ok(if is_not { Expr::Unary("!", Box::new(test)) } else { test })
    }

    fn lambda(&mut self) -> Proven<Option<Expr>> {
        let start = self.at;
        let is_async = self.eat("async");
        let mut names = Vec::new();
        if self.eat("(") {
            while let Some(name) = self.name() {
                names.push(name);
                if !self.eat(",") {
                    break;
                }
            }
            self.at += usize::from(self.text() == ")");
        } else {
            names.extend(self.name());
        }
        let (before, is_it) = (
            self.token(0).1,
            self.at
                .checked_sub(1)
                .and_then(|at| self.tokens.get(at))
                .is_some_and(|token| token.1 == ")" || token.0 == Lexeme::Name),
        );
        if before != "=>" || !is_it {
            self.at = start;
            return Ok(None);
        }
        self.at += 1;
        if is_async {
            return Err(undecided("a lambda with await"));
        }
        if !self.eat("{") {
            return Ok(Some(Expr::Lambda(names, self.boxed(0)?, true)));
        }
        let body = if self.eat("return") {
            Expr::Return(if self.text() == ";" { None } else { Some(self.boxed(0)?) })
        } else if self.text() == "}" {
            Expr::Return(None)
        } else {
            self.expression(0)?
        };
        self.eat(";");
        self.need("}")?;
        Ok(Some(Expr::Lambda(names, Box::new(body), false)))
    }

    fn unary(&mut self) -> Proven<Expr> {
        let text = self.text();
        if let Some(operator) = sign_of(text, PREFIX) {
            self.at += 1;
            return Ok(match (operator, self.unary()?) {
                ("-", Expr::Int(number, of)) if number != 0 => Expr::Int(number.wrapping_neg(), of),
                ("-", Expr::Real(number, of)) => Expr::Real(-number, of),
                (_, value) => Expr::Unary(operator, Box::new(value)),
            });
        }
        if let Some(operator) = sign_of(text, &["++", "--"]) {
            self.at += 1;
            return Ok(Expr::Step(operator, false, Box::new(self.unary()?)));
        }
        if self.token(0).0 == Lexeme::Name && text == "await" {
            self.at += 1;
            return Ok(Expr::Await(Box::new(self.unary()?)));
        }
        if text == "(" {
            let start = self.at;
            self.at += 1;
            if let Some(ty) = self.ty().filter(|_| self.eat(")")) {
                let (kind, next) = self.token(0);
                let is_word = matches!(next, "is" | "as" | "and" | "or" | "switch");
                let is_value =
                    matches!(kind, Lexeme::Number | Lexeme::Str | Lexeme::Char) || kind == Lexeme::Name && !is_word;
                let is_number = primitive(&ty.name).is_some() && matches!(next, "-" | "+");
                if is_value || is_number || matches!(next, "(" | "!" | "~") {
                    return Ok(Expr::Cast(ty, Box::new(self.unary()?)));
                }
            }
            self.at = start;
        }
        let first = self.primary()?;
        self.postfix(first)
    }

    fn arguments(&mut self, close: &str) -> Proven<Vec<Expr>> {
        let mut found = Vec::new();
        while !self.eat(close) {
            if self.token(0).0 == Lexeme::Name && self.token(1).1 == ":" {
                return Err(undecided("a named argument"));
            }
            let is_ref = matches!(self.text(), "ref" | "out" | "in") && self.token(1).0 == Lexeme::Name;
            if is_ref {
                let is_out = self.text() == "out";
                self.at += 1;
                let start = self.at;
                // `out T x` declares the variable.
                let ty = if is_out { self.ty() } else { None };
                let is_declared = self.token(0).0 == Lexeme::Name && matches!(self.token(1).1, "," | ")");
                let declared = ty.filter(|_| is_declared).map(|ty| ty.name != "var");
                if declared.is_none() {
                    self.at = start;
                }
                found.push(Expr::Ref(self.boxed(0)?, declared));
            } else {
                found.push(self.expression(0)?);
            }
            if !self.eat(",") {
                self.need(close)?;
                break;
            }
        }
        Ok(found)
    }

    fn initializer(&mut self) -> Proven<Vec<Initial>> {
        let mut found = Vec::new();
        while !self.eat("}") {
            if self.token(0).0 == Lexeme::Name && self.token(1).1 == "=" {
                let name = self.name().unwrap_or_default();
                self.at += 1;
                if self.text() == "{" {
                    return Err(undecided("an initializer inside an initializer"));
                }
                found.push(Initial::Set(name, self.expression(0)?));
            } else if self.eat("{") {
                found.push(Initial::Add(self.arguments("}")?));
            } else if self.text() == "[" {
                return Err(undecided("an initializer of indices"));
            } else {
                found.push(Initial::Add(vec![self.expression(0)?]));
            }
            if !self.eat(",") {
                self.need("}")?;
                break;
            }
        }
        Ok(found)
    }

    fn primary(&mut self) -> Proven<Expr> {
        let (kind, text) = self.next();
        Ok(match (kind, text) {
            (Lexeme::Number, _) => number(text).ok_or_else(|| undecided("a number"))?,
            (Lexeme::Str, _) if text.starts_with('$') => return interpolated(&text[2..text.len() - 1]),
            (Lexeme::Str, _) if self.token(0) == (Lexeme::Name, "u8") => return Err(undecided("a string of bytes")),
            (Lexeme::Str, _) => {
                Expr::Str(unescaped(&text[1..text.len() - 1]).ok_or_else(|| undecided("a string"))?.into())
            }
            (Lexeme::Char, _) => {
                let found = unescaped(&text[1..text.len() - 1]).unwrap_or_default();
                let units: Vec<u16> = found.encode_utf16().collect();
                match units[..] {
                    [unit] if unit != 0xfffd => Expr::Int(unit.into(), Primitive::Char),
                    _ => return Err(undecided("a character")),
                }
            }
            (Lexeme::Sign, "(") if self.text() == "throw" => return Err(Stop::refused("throw in parentheses")),
            (Lexeme::Sign, "(") => {
                let found = self.expression(0)?;
                if self.eat(",") {
                    let ty = TypeName { name: "ValueTuple".to_owned(), ..TypeName::default() };
                    let others = self.arguments(")")?;
                    return Ok(Expr::New(Some(ty), std::iter::once(found).chain(others).collect(), Vec::new()));
                }
                self.need(")")?;
                found
            }
            (Lexeme::Name, "true") => Expr::Int(1, Primitive::Boolean),
            (Lexeme::Name, "false") => Expr::Int(0, Primitive::Boolean),
            (Lexeme::Name, "null") => Expr::Null,
            (Lexeme::Name, "this") => Expr::This,
            (Lexeme::Name, "base") => Expr::Base,
            (Lexeme::Name, "typeof") => {
                self.need("(")?;
                let ty = self.ty().ok_or_else(|| undecided("a type"))?;
                self.need(")")?;
                Expr::TypeOf(ty)
            }
            (Lexeme::Name, "nameof") => {
                self.need("(")?;
                let mut last = "";
                while !self.eat(")") && !self.is_end() {
                    last = self.next().1;
                }
                Expr::Str(last.trim_start_matches('@').into())
            }
            (Lexeme::Name, "default") if self.eat("(") => {
                let ty = self.ty();
                self.need(")")?;
                Expr::Default(ty)
            }
            (Lexeme::Name, "default") => Expr::Default(None),
            (Lexeme::Name, "new") => return self.creation(),
            (
                Lexeme::Name,
                "from" | "checked" | "unchecked" | "stackalloc" | "delegate" | "static" | "ref" | "sizeof" | "if",
            ) => {
                return Err(undecided(text.to_owned()));
            }
            (Lexeme::Name, _) => Expr::Name(text.trim_start_matches('@').into(), self.explicit_arguments()),
            _ => return Err(undecided("a form that is not read")),
        })
    }

    fn creation(&mut self) -> Proven<Expr> {
        if self.eat("[") {
            self.need("]")?;
            self.need("{")?;
            return Ok(Expr::NewArray(None, None, self.arguments("}")?));
        }
        if self.text() == "{" {
            return Err(undecided("an anonymous type"));
        }
        let mut ty = None;
        if self.text() != "(" {
            let mut found = self.ty().ok_or_else(|| undecided("a type"))?;
            if self.eat("[") {
                let length = self.boxed(0)?;
                self.need("]")?;
                if matches!(self.text(), "{" | "[") {
                    return Err(undecided("an array of arrays"));
                }
                return Ok(Expr::NewArray(Some(found), Some(length), Vec::new()));
            }
            if let Some(Suffix::Array(1)) = found.suffixes.last() {
                found.suffixes.pop();
                self.need("{")?;
                return Ok(Expr::NewArray(Some(found), None, self.arguments("}")?));
            }
            ty = Some(found);
        }
        let arguments = if self.eat("(") { self.arguments(")")? } else { Vec::new() };
        let items = if self.eat("{") { self.initializer()? } else { Vec::new() };
        Ok(Expr::New(ty, arguments, items))
    }

    fn postfix(&mut self, mut found: Expr) -> Proven<Expr> {
        loop {
            let text = self.text();
            found = match text {
                "." | "?." => {
                    self.at += 1;
                    let name = self.name().ok_or_else(|| undecided("a member"))?;
                    let arguments = self.explicit_arguments();
                    if text == "?." {
                        let tail = Expr::Member(Box::new(Expr::Tested), name, arguments);
                        return Ok(Expr::Chain(Box::new(found), Box::new(self.postfix(tail)?)));
                    }
                    Expr::Member(Box::new(found), name, arguments)
                }
                "?[" => {
                    self.at += 1;
                    let tail = Expr::Index(Box::new(Expr::Tested), self.arguments("]")?);
                    return Ok(Expr::Chain(Box::new(found), Box::new(self.postfix(tail)?)));
                }
                "(" => {
                    self.at += 1;
                    Expr::Call(Box::new(found), self.arguments(")")?)
                }
                "[" => {
                    self.at += 1;
                    Expr::Index(Box::new(found), self.arguments("]")?)
                }
                "++" | "--" => {
                    self.at += 1;
                    Expr::Step(if text == "++" { "++" } else { "--" }, true, Box::new(found))
                }
                _ => return Ok(found),
            };
        }
    }
}

impl Parser<'_> {
    pub const fn mark(&self) -> usize {
        self.at
    }

    pub const fn reset(&mut self, mark: usize) {
        self.at = mark;
    }
}
