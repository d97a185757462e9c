//! Words of typed lists: plain or in quotes, with `=` between a name and its value, and `;` or a line end between items.

use super::{EncodeError, Encoded};

/// Characters that a word without quotes cannot have.
const SPECIAL: [char; 3] = [';', '=', '"'];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Equals,
    /// `;` or a line end.
    Next,
}

/// A word as it can be typed again: in quotes if it is empty or has a blank or a special character.
pub(super) fn quoted(text: &str) -> String {
    let is_plain =
        !text.is_empty() && text.chars().all(|c| !c.is_whitespace() && !c.is_control() && !SPECIAL.contains(&c));
    if is_plain { text.to_owned() } else { serde_json::Value::String(text.to_owned()).to_string() }
}

/// Length of a text in quotes that `text` begins with, quotes included; `None` if it does not end.
fn quoted_len(text: &str) -> Option<usize> {
    let mut escaped = true;
    for (at, c) in text.char_indices() {
        match c {
            '"' if !escaped => return Some(at + 1),
            '\\' if !escaped => escaped = true,
            _ => escaped = false,
        }
    }
    None
}

pub(super) fn tokens(text: &str) -> Encoded<Vec<Token>> {
    let (mut tokens, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let len = match first {
            ';' | '\n' => {
                tokens.push(Token::Next);
                1
            }
            '=' => {
                tokens.push(Token::Equals);
                1
            }
            '"' => {
                let len = quoted_len(rest).ok_or_else(|| EncodeError::new(rest, "the closing quote is missing"))?;
                let word = serde_json::from_str(rest.get(..len).unwrap_or_default());
                tokens.push(Token::Word(word.map_err(|error| EncodeError::new(rest, error.to_string()))?));
                len
            }
            first if first.is_whitespace() => first.len_utf8(),
            _ => {
                let len = rest.find(|c: char| c.is_whitespace() || SPECIAL.contains(&c)).unwrap_or(rest.len());
                tokens.push(Token::Word(rest.get(..len).unwrap_or_default().to_owned()));
                len
            }
        };
        rest = rest.get(len..).unwrap_or_default();
    }
    Ok(tokens)
}

pub(super) fn items(text: &str) -> Encoded<Vec<Vec<Token>>> {
    let tokens = tokens(text)?;
    let items = tokens.split(|token| *token == Token::Next).filter(|item| !item.is_empty());
    Ok(items.map(<[Token]>::to_vec).collect())
}

/// Words of an item that has no `=`.
pub(super) fn plain(item: Vec<Token>) -> Encoded<Vec<String>> {
    let word = |token| match token {
        Token::Word(word) => Ok(word),
        Token::Equals | Token::Next => Err(EncodeError::new("=", "a word is expected; write it in quotes")),
    };
    item.into_iter().map(word).collect()
}

/// Splits a decoded text into lines, at line ends or else at semicolons outside of quotes.
pub fn lines(text: &str) -> Vec<&str> {
    if text.contains('\n') {
        return text.split('\n').collect();
    }
    let (mut lines, mut from, mut at) = (Vec::new(), 0_usize, 0_usize);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("; ") {
            lines.push(text.get(from..at).unwrap_or_default());
            (from, at) = (at + 2, at + 2);
        } else if rest.starts_with('"') {
            at += quoted_len(rest).unwrap_or(rest.len());
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    lines.push(text.get(from..).unwrap_or_default());
    lines
}
