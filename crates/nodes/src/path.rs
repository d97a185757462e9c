//! Paths of places: patterns, their arguments, and errors for paths that match no pattern.

use crate::{Place, Side};
use pdblens_formats::metadata::{TableId, Token};

/// A path with its arguments in capitals (`method/TOKEN/points/N`), and what reads it. `SIDE/` in front means `image/`,
/// `pdb/` or nothing.
pub(crate) type Pattern = (&'static str, fn(&Args<'_>) -> Result<Place, PlaceError>);

/// Reason why a text is no path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// No path has this word there.
    #[error("unknown word {word:?}: expected {}", listed(expected))]
    UnknownWord {
        word: String,
        /// Words, and arguments in capitals, that paths have there; empty where no path goes on.
        expected: Vec<&'static str>,
    },
    /// Longer paths begin like this one.
    #[error("incomplete path: expected {}", listed(expected))]
    Incomplete { expected: Vec<&'static str> },
    #[error("{text:?} is not {expected}")]
    BadArgument { text: String, expected: &'static str },
}

fn listed(expected: &[&str]) -> String {
    if expected.is_empty() { "the end of the path".to_owned() } else { expected.join(", ") }
}

/// Arguments of a path, in their order.
pub(crate) struct Args<'t> {
    side: Option<Side>,
    values: Vec<&'t str>,
    /// The first argument as a number, where the path has the name of its subject there.
    named: Option<u32>,
}

impl<'t> Args<'t> {
    pub(crate) fn text(&self, index: usize) -> &'t str {
        self.values.get(index).copied().unwrap_or_default()
    }

    pub(crate) fn read<T>(
        &self,
        index: usize,
        expected: &'static str,
        read: impl FnOnce(&'t str) -> Option<T>,
    ) -> Result<T, PlaceError> {
        let text = self.text(index);
        read(text).ok_or_else(|| PlaceError::BadArgument { text: text.to_owned(), expected })
    }

    /// A number, decimal or hexadecimal.
    pub(crate) fn number(&self, index: usize) -> Result<u32, PlaceError> {
        match self.named {
            Some(number) if index == 0 => Ok(number),
            _ => self.read(index, "a number", number),
        }
    }

    /// A number that counts from 1.
    pub(crate) fn ordinal(&self, index: usize) -> Result<u32, PlaceError> {
        self.read(index, "a number from 1 on", |text| number(text).filter(|number| *number > 0))
    }

    pub(crate) fn short(&self, index: usize) -> Result<u16, PlaceError> {
        self.read(index, "a number below 65536", |text| u16::try_from(number(text)?).ok())
    }

    /// A method by its token, or by its row alone.
    pub(crate) fn method(&self, index: usize) -> Result<Token, PlaceError> {
        match self.named {
            Some(token) if index == 0 => Ok(Token(token)),
            _ => self.read(index, "a token or row of MethodDef", method),
        }
    }

    pub(crate) fn table(&self, index: usize) -> Result<TableId, PlaceError> {
        self.read(index, "a metadata table", TableId::named)
    }

    /// One of `words`, whatever its case.
    pub(crate) fn word<T: Copy>(
        &self,
        index: usize,
        expected: &'static str,
        words: &[(&str, T)],
    ) -> Result<T, PlaceError> {
        let find = |text: &str| words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, value)| *value);
        self.read(index, expected, find)
    }

    /// The file that the path names; the PDB where it names none.
    pub(crate) fn side(&self) -> Side {
        self.side.unwrap_or(Side::Pdb)
    }

    /// The file that the path names; that of the table's number where it names none.
    pub(crate) fn side_of(&self, table: TableId) -> Side {
        self.side.unwrap_or(if table.is_debug() { Side::Pdb } else { Side::Image })
    }
}

pub(crate) fn word<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> &'static str {
    words.iter().find(|(_, other)| other == value).map_or("?", |(word, _)| word)
}

/// A number in decimal, or in hexadecimal after `0x`.
pub fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A method by its token, or by its row alone.
pub(crate) fn method(text: &str) -> Option<Token> {
    let number = bare_token(text).or_else(|| number(text))?;
    let token = if number >> 24 == 0 { Token::new(TableId::METHOD_DEF, number) } else { Token(number) };
    if token.table() == TableId::METHOD_DEF && !token.is_nil() { Some(token) } else { None }
}

/// A token of a method in 7 or 8 hexadecimal digits without `0x`, as profilers and disassemblers write it. Read as decimal rows, these
/// digits would exceed the rows of any image.
pub fn bare_token(text: &str) -> Option<u32> {
    if !matches!(text.len(), 7 | 8) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let token = u32::from_str_radix(text, 16).ok()?;
    if token >> 24 == u32::from(TableId::METHOD_DEF.0) { Some(token) } else { None }
}

fn is_argument(step: &str) -> bool {
    step.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn steps_of(pattern: &'static str) -> (impl Iterator<Item = &'static str> + Clone, bool) {
    match pattern.strip_prefix("SIDE/") {
        Some(rest) => (rest.split('/'), true),
        None => (pattern.split('/'), false),
    }
}

/// Number of leading `steps` that a pattern matches.
fn matching(pattern: &'static str, steps: &[&str]) -> usize {
    let fits = |(own, step): &(&str, &&str)| is_argument(own) || own.eq_ignore_ascii_case(step);
    steps_of(pattern).0.zip(steps).take_while(fits).count()
}

/// Reads a path by the first pattern that it matches.
pub(crate) fn parse(text: &str, patterns: &[&[Pattern]]) -> Result<Place, PlaceError> {
    let text = text.trim_matches('/');
    let (side, path) = match text.split_once('/') {
        Some(("image", rest)) => (Some(Side::Image), rest),
        Some(("pdb", rest)) => (Some(Side::Pdb), rest),
        _ => (None, text),
    };
    parse_steps(side, &path.split('/').collect::<Vec<_>>(), None, patterns)
}

/// Reads a path whose first argument is the name of something with a number: `function/clamp/lines`. The rest of the path, which may be
/// empty, follows the name.
pub(crate) fn parse_named(word: &str, number: u32, rest: &str, patterns: &[&[Pattern]]) -> Result<Place, PlaceError> {
    let rest = rest.trim_matches('/');
    let mut steps = vec![word, ""];
    if !rest.is_empty() {
        steps.extend(rest.split('/'));
    }
    parse_steps(None, &steps, Some(number), patterns)
}

fn parse_steps(
    side: Option<Side>,
    steps: &[&str],
    named: Option<u32>,
    patterns: &[&[Pattern]],
) -> Result<Place, PlaceError> {
    let all = || patterns.iter().copied().flatten().filter(|(pattern, _)| side.is_none() || steps_of(pattern).1);
    for (pattern, read) in all() {
        let (own, _) = steps_of(pattern);
        if own.clone().count() == steps.len() && matching(pattern, steps) == steps.len() {
            let values = own.zip(steps).filter(|(own, _)| is_argument(own)).map(|(_, step)| *step).collect();
            return read(&Args { side, values, named });
        }
    }
    Err(diagnose(steps, all().map(|(pattern, _)| *pattern)))
}

/// Error of a path that matches no pattern: its first step that none has there, or what is missing at its end.
fn diagnose(steps: &[&str], patterns: impl Iterator<Item = &'static str> + Clone) -> PlaceError {
    let longest = patterns.clone().map(|pattern| matching(pattern, steps)).max().unwrap_or(0);
    let near = patterns.filter(move |pattern| matching(pattern, steps) == longest);
    let mut expected: Vec<&str> = match steps.get(longest) {
        Some(_) => near.filter_map(|pattern| steps_of(pattern).0.nth(longest)).collect(),
        // The shortest of them: those that are longer begin like these.
        None => {
            let len = |pattern: &'static str| steps_of(pattern).0.count();
            let shortest = near.clone().map(len).min();
            near.filter(|pattern| Some(len(pattern)) == shortest).collect()
        }
    };
    expected.sort_unstable();
    expected.dedup();
    match steps.get(longest) {
        Some(word) => PlaceError::UnknownWord { word: (*word).to_owned(), expected },
        None => PlaceError::Incomplete { expected },
    }
}
