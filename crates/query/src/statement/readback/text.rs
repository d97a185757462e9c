//! Statements: the word that a text begins with, and its expressions.

use std::rc::Rc;

use super::parse::{Expr, Parser};
use super::proof::{Proven, undecided};
use super::type_names::TypeName;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// An expression, or a statement without a word of its own.
    Value,
    Return,
    Throw,
    If,
    While,
    When,
    /// `lock (…)`, `using (…)`: a value that is kept.
    Kept,
    Yield,
    /// `break;`, `continue;`, `goto`: a jump.
    Jump,
    Switch,
    /// A brace: true if it opens.
    Brace(bool),
    /// `get;` or `set;`
    Accessor(bool),
    /// `in`, `try`, `do`, `foreach`
    Keyword,
    /// The head of a constructor without `base(…)`.
    Constructor,
    /// A variable of `foreach` or `catch`.
    Variable,
}

#[derive(Debug)]
pub(super) struct Phrase {
    pub head: Head,
    /// The type of a variable that is declared; none for `var`.
    pub declared: Option<(Option<TypeName>, Rc<str>)>,
    /// True for a field or property with modifiers.
    pub is_member: bool,
    pub value: Option<Expr>,
    pub word: String,
}

const MODIFIERS: &[&str] = &["public", "private", "protected", "internal", "static", "readonly", "volatile", "const"];

pub(super) fn read(text: &str) -> Proven<Phrase> {
    let mut found = Phrase { head: Head::Value, declared: None, is_member: false, value: None, word: text.to_owned() };
    found.head = match text {
        "{" | "}" => Head::Brace(text == "{"),
        "break;" | "continue;" => Head::Jump,
        "in" | "try" | "do" | "foreach" | "catch" | "while (true)" | "base()" | "base();" | "yield break;" => {
            Head::Keyword
        }
        "return;" => Head::Return,
        "throw" | "throw;" => Head::Throw,
        _ => Head::Value,
    };
    if found.head != Head::Value || text.is_empty() {
        return Ok(found);
    }
    let accessor = text.rsplit(' ').next().unwrap_or(text);
    if matches!(accessor, "get;" | "set;" | "init;")
        && text.split(' ').rev().skip(1).all(|word| MODIFIERS.contains(&word))
    {
        found.head = Head::Accessor(accessor == "get;");
        return Ok(found);
    }
    let mut parser = Parser::new(text)?;
    let words = [
        ("return", Head::Return),
        ("throw", Head::Throw),
        ("if", Head::If),
        ("while", Head::While),
        ("when", Head::When),
        ("lock", Head::Kept),
        ("using", Head::Kept),
        ("yield", Head::Yield),
        ("switch", Head::Switch),
    ];
    if let Some((word, head)) = words.iter().find(|(word, _)| parser.eat(word)) {
        found.head = *head;
        match *word {
            "yield" => parser.need("return")?,
            "return" | "throw" => {}
            "using" if !parser.eat("(") => found.head = Head::Value,
            "using" => {}
            "when" if !parser.eat("(") => return Err(undecided("a pattern")),
            "when" => {}
            _ => parser.need("(")?,
        }
        if matches!(head, Head::Throw | Head::Return | Head::Yield) || found.head != Head::Value {
            let has_parenthesis = matches!(head, Head::If | Head::While | Head::When | Head::Kept | Head::Switch);
            found.value = Some(parser.expression(0)?);
            if has_parenthesis {
                parser.need(")")?;
            }
            parser.eat(";");
            return if parser.is_end() { Ok(found) } else { Err(undecided("a statement after its head")) };
        }
    }
    if parser.eat("catch") {
        parser.need("(")?;
        found.head = Head::Variable;
        let ty = parser.ty().ok_or_else(|| undecided("a type"))?;
        let name = parser.name();
        parser.need(")")?;
        found.declared = Some((Some(ty), name.unwrap_or_default()));
        return Ok(found);
    }
    while MODIFIERS.iter().any(|modifier| parser.eat(modifier)) {
        found.is_member = true;
    }
    if found.is_member && is_constructor(&mut parser) {
        found.head = Head::Constructor;
        return Ok(found);
    }
    let declaration = declaration(text, &mut parser, found.is_member);
    if let Some((ty, name, has_value)) = declaration {
        found.declared = Some((ty, name));
        if !has_value {
            found.head = Head::Variable;
            return Ok(found);
        }
    }
    found.value = Some(parser.expression(0)?);
    parser.eat(";");
    if !parser.is_end() {
        return Err(undecided("two statements in one"));
    }
    Ok(found)
}

/// Skips the head of a constructor; without one, the cursor does not move.
fn is_constructor(parser: &mut Parser<'_>) -> bool {
    let start = parser.mark();
    let mut read = || {
        parser.name()?;
        parser.eat("(").then_some(())?;
        while !parser.eat(")") {
            ["ref", "out", "in", "params"].iter().any(|word| parser.eat(word));
            parser.ty()?;
            parser.name()?;
            parser.eat(",");
        }
        parser.is_end().then_some(())
    };
    let is_it = read().is_some();
    if !is_it {
        parser.reset(start);
    }
    is_it
}

/// Reads `T x =` or `var x =`, with or without a value; without a declaration, the cursor does not move.
fn declaration(text: &str, parser: &mut Parser<'_>, is_member: bool) -> Option<(Option<TypeName>, Rc<str>, bool)> {
    if text.starts_with("await ") {
        return None;
    }
    let start = parser.mark();
    let found = (|| {
        let ty = parser.ty()?;
        let name = parser.name()?;
        if matches!(&*name, "is" | "as" | "switch" | "with") {
            return None;
        }
        let has_value = parser.eat("=");
        if !has_value && !parser.is_end() && !(is_member && parser.eat(";")) {
            return None;
        }
        Some((if ty.name == "var" { None } else { Some(ty) }, name, has_value))
    })();
    if found.is_none() {
        parser.reset(start);
    }
    found
}
