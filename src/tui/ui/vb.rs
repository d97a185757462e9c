//! Visual Basic, as far as colours go: it is a language of lines, so a line is all there is to look at.

use crate::tui::ui::highlight::Pieces;
use crate::tui::ui::theme::Role;

/// The words of the language, in lower case and sorted.
const KEYWORDS: &[&str] = &[
    "addhandler",
    "addressof",
    "alias",
    "and",
    "andalso",
    "as",
    "async",
    "await",
    "boolean",
    "byref",
    "byte",
    "byval",
    "call",
    "case",
    "catch",
    "cbool",
    "cbyte",
    "cchar",
    "cdate",
    "cdbl",
    "cdec",
    "char",
    "cint",
    "class",
    "clng",
    "cobj",
    "const",
    "continue",
    "csbyte",
    "cshort",
    "csng",
    "cstr",
    "ctype",
    "cuint",
    "culng",
    "cushort",
    "custom",
    "date",
    "decimal",
    "declare",
    "default",
    "delegate",
    "dim",
    "directcast",
    "do",
    "double",
    "each",
    "else",
    "elseif",
    "end",
    "enum",
    "erase",
    "error",
    "event",
    "exit",
    "false",
    "finally",
    "for",
    "friend",
    "from",
    "function",
    "get",
    "gettype",
    "getxmlnamespace",
    "global",
    "goto",
    "handles",
    "if",
    "implements",
    "imports",
    "in",
    "inherits",
    "integer",
    "interface",
    "is",
    "isnot",
    "iterator",
    "let",
    "lib",
    "like",
    "long",
    "loop",
    "me",
    "mod",
    "module",
    "mustinherit",
    "mustoverride",
    "mybase",
    "myclass",
    "nameof",
    "namespace",
    "narrowing",
    "new",
    "next",
    "not",
    "nothing",
    "notinheritable",
    "notoverridable",
    "object",
    "of",
    "on",
    "operator",
    "option",
    "optional",
    "or",
    "orelse",
    "overloads",
    "overridable",
    "overrides",
    "paramarray",
    "partial",
    "private",
    "property",
    "protected",
    "public",
    "raiseevent",
    "readonly",
    "redim",
    "removehandler",
    "resume",
    "return",
    "sbyte",
    "select",
    "set",
    "shadows",
    "shared",
    "short",
    "single",
    "static",
    "step",
    "stop",
    "string",
    "structure",
    "sub",
    "synclock",
    "then",
    "throw",
    "to",
    "true",
    "try",
    "trycast",
    "typeof",
    "uinteger",
    "ulong",
    "ushort",
    "using",
    "when",
    "where",
    "while",
    "widening",
    "with",
    "withevents",
    "writeonly",
    "xor",
    "yield",
];

/// The pieces of a line.
pub fn pieces(line: &str) -> Pieces {
    let mut pieces = Pieces::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let (len, role) = token(first, rest);
        rest = rest.get(len..).unwrap_or_default();
        let end = (line.len() - rest.len()) as u32;
        match pieces.last_mut() {
            Some((last, same)) if *same == role => *last = end,
            _ => pieces.push((end, role)),
        }
    }
    pieces
}

/// How long the token at the beginning of `rest` is, and what it is.
fn token(first: char, rest: &str) -> (usize, Role) {
    let run = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
    match first {
        '\'' | '\u{2018}' | '\u{2019}' => (rest.len(), Role::Comment),
        '#' if rest.len() == rest.trim_start().len() && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) => {
            (rest.len(), Role::Keyword)
        }
        '"' => (string(rest), Role::String),
        c if c.is_ascii_digit() => (run(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_'), Role::Number),
        c if c.is_alphabetic() || c == '_' => {
            let len = run(|c| c.is_alphanumeric() || c == '_');
            let word = rest[..len].to_lowercase();
            match word.as_str() {
                "rem" => (rest.len(), Role::Comment),
                word if KEYWORDS.binary_search(&word).is_ok() => (len, Role::Keyword),
                _ if rest[len..].starts_with('(') => (len, Role::Function),
                _ => (len, Role::Text),
            }
        }
        c => (c.len_utf8(), Role::Text),
    }
}

/// How long the string at the beginning of `rest` is; two quotes in it are one.
fn string(rest: &str) -> usize {
    let mut at = 1;
    while let Some(end) = rest.get(at..).and_then(|rest| rest.find('"')) {
        at += end + 1;
        if !rest[at..].starts_with('"') {
            return at;
        }
        at += 1;
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_so_that_they_are_found() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn a_line_is_taken_apart() {
        let line = "Dim x As Integer = F(\"a\"\"b\", 12) ' it's said";
        let mut begin = 0;
        let mut seen = Vec::new();
        for (end, role) in pieces(line) {
            seen.push((line[begin..end as usize].trim(), role));
            begin = end as usize;
        }
        seen.retain(|(text, role)| !text.is_empty() && *role != Role::Text);
        let expected = [
            ("Dim", Role::Keyword),
            ("As", Role::Keyword),
            ("Integer", Role::Keyword),
            ("F", Role::Function),
            ("\"a\"\"b\"", Role::String),
            ("12", Role::Number),
            ("' it's said", Role::Comment),
        ];
        assert_eq!(seen, expected);
        assert_eq!(pieces("größe \"offen").last(), Some(&(14, Role::String)));
    }
}
