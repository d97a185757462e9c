//! Reads the types of a text.

use super::parse::Parser;
use super::tokens::Lexeme;
use super::type_names::{Suffix, TypeName};

impl Parser<'_> {
    /// Reads a type; without one, the cursor does not move.
    pub fn ty(&mut self) -> Option<TypeName> {
        let start = self.at;
        let found = self.type_within(start);
        if found.is_none() {
            self.at = start;
        }
        found
    }

    pub fn type_within(&mut self, start: usize) -> Option<TypeName> {
        let mut found = TypeName::default();
        if self.eat("(") {
            loop {
                found.arguments.push(self.ty()?);
                self.name();
                if !self.eat(",") {
                    break;
                }
            }
            found.name = "ValueTuple".to_owned();
            if found.arguments.len() < 2 || !self.eat(")") {
                return None;
            }
        } else {
            let (kind, word) = self.token(0);
            if kind != Lexeme::Name || is_word(word) {
                return None;
            }
            loop {
                found.name = self.name()?.to_string();
                if self.text() == "<" {
                    let before = self.at;
                    match self.type_arguments() {
                        Some(arguments) => found.arguments = arguments,
                        None if before > start => {
                            self.at = before;
                            break;
                        }
                        None => return None,
                    }
                }
                if !(matches!(self.text(), "." | "::") && self.token(1).0 == Lexeme::Name) {
                    break;
                }
                self.at += 1;
            }
        }
        loop {
            let next = self.token(1).1;
            let suffix = match self.text() {
                "[" if matches!(next, "]" | ",") => {
                    self.at += 1;
                    let rank = 1 + std::iter::from_fn(|| self.eat(",").then_some(())).count();
                    self.at -= 1;
                    Suffix::Array(rank as u32)
                }
                "?" if matches!(next, ")" | ">" | "," | "]") || next == "[" => Suffix::Nullable,
                "?" if self.token(1).0 == Lexeme::Name && matches!(self.token(2).1, "=" | ";" | "") => Suffix::Nullable,
                "?[" if self.token(1).1 == "]" => {
                    found.suffixes.push(Suffix::Nullable);
                    Suffix::Array(1)
                }
                "*" if matches!(next, ")" | "*" | ">") => Suffix::Pointer,
                _ => return Some(found),
            };
            self.at += if let Suffix::Array(_) = suffix { 2 } else { 1 };
            found.suffixes.push(suffix);
        }
    }

    /// `<T, U>`, or the commas of an open type; none where it is a comparison.
    pub fn type_arguments(&mut self) -> Option<Vec<TypeName>> {
        let mut found = Vec::new();
        if !self.eat("<") {
            return None;
        }
        while self.eat(",") {
            found.push(TypeName::default());
        }
        if self.eat(">") {
            found.push(TypeName::default());
            return Some(found);
        }
        loop {
            found.push(self.ty()?);
            if !self.eat(",") {
                break;
            }
        }
        self.eat(">").then_some(found)
    }

    /// Type arguments that are written before the arguments of a call, or before a member.
    pub fn explicit_arguments(&mut self) -> Vec<TypeName> {
        let start = self.at;
        if self.text() == "<"
            && let Some(found) = self.type_arguments()
            && matches!(self.token(0).1, "(" | "." | ")" | ";" | "," | "?." | "")
        {
            return found;
        }
        self.at = start;
        Vec::new()
    }
}

/// Returns true for a word that no type begins with.
fn is_word(text: &str) -> bool {
    matches!(
        text,
        "new"
            | "is"
            | "as"
            | "typeof"
            | "default"
            | "throw"
            | "null"
            | "true"
            | "false"
            | "this"
            | "base"
            | "await"
            | "return"
            | "ref"
            | "out"
            | "in"
    )
}
