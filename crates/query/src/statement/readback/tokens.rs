//! Words, numbers, strings and signs of C#.

use super::proof::{Proven, undecided};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lexeme {
    Name,
    Number,
    Str,
    Char,
    Sign,
    End,
}

pub(super) type Token<'t> = (Lexeme, &'t str);

/// Signs of C#, longer ones first.
const SIGNS: &[&str] = &[
    "??=", ">>>=", "<<=", ">>=", "=>", "??", "?.", "?[", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=",
    "*=", "/=", "%=", "&=", "|=", "^=", "->", "::", "..", "-", "+", "*", "/", "%", "&", "|", "^", "!", "~", "<", ">",
    "=", "?", ":", ".", ",", ";", "(", ")", "[", "]", "{", "}", "#",
];

pub(super) fn tokens(text: &str) -> Proven<Vec<Token<'_>>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, len) = match c {
            ' ' | '\t' => {
                at += 1;
                continue;
            }
            '"' | '\'' => (if c == '"' { Lexeme::Str } else { Lexeme::Char }, literal_len(rest, c)),
            '$' if rest[1..].starts_with('"') => (Lexeme::Str, interpolated_len(rest)),
            '@' | '_' | 'a'..='z' | 'A'..='Z' | '\u{80}'.. => {
                let len = rest[c.len_utf8()..].find(|c: char| !c.is_alphanumeric() && c != '_');
                (Lexeme::Name, len.map_or(rest.len(), |len| len + c.len_utf8()))
            }
            '0'..='9' => (Lexeme::Number, number_len(rest)),
            _ => (Lexeme::Sign, sign_len(rest)),
        };
        if len == 0 {
            return Err(undecided("a sign that is not read"));
        }
        found.push((kind, &rest[..len]));
        at += len;
    }
    Ok(found)
}

/// Bytes of the sign that a text begins with; 0 without one.
fn sign_len(text: &str) -> usize {
    let first = text.as_bytes().first();
    let mut signs = SIGNS.iter().filter(|sign| sign.as_bytes().first() == first);
    signs.find(|sign| text.starts_with(**sign)).map_or(0, |sign| sign.len())
}

pub(super) fn literal_len(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    0
}

fn interpolated_len(text: &str) -> usize {
    let (mut depth, mut at) = (0_u32, 2);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '\\' if depth == 0 => at += text[at + 1..].chars().next().map_or(0, char::len_utf8),
            '"' if depth == 0 => return at + 1,
            '"' => at += literal_len(&text[at..], '"').saturating_sub(1),
            '{' if depth == 0 && text[at..].starts_with("{{") => at += 1,
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += c.len_utf8();
    }
    0
}

fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut len = 1;
    let is_hex = text.starts_with("0x");
    while let Some(byte) = bytes.get(len) {
        let is_exponent =
            !is_hex && matches!(bytes[len - 1], b'e' | b'E' | b'-' | b'+') && matches!(bytes[len - 1], b'e' | b'E');
        let is_part = byte.is_ascii_alphanumeric()
            || *byte == b'.' && bytes.get(len + 1).is_some_and(u8::is_ascii_digit)
            || is_exponent && matches!(byte, b'-' | b'+');
        if !is_part {
            break;
        }
        len += 1;
    }
    len
}

/// The characters of a literal without its quotes.
pub(super) fn unescaped(text: &str) -> Option<String> {
    let (mut units, mut chars): (Vec<u16>, _) = (Vec::new(), text.chars().peekable());
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            continue;
        }
        let digits = |count: usize, chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            let mut number = 0;
            for _ in 0..count {
                let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)) else { break };
                number = number * 16 + digit;
                chars.next();
            }
            number
        };
        let unit = match chars.next()? {
            'n' => 10,
            't' => 9,
            'r' => 13,
            '0' => 0,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' => 27,
            'u' | 'x' => digits(4, &mut chars),
            'U' => {
                units.extend_from_slice(char::from_u32(digits(8, &mut chars))?.encode_utf16(&mut [0; 2]));
                continue;
            }
            c => c as u32,
        };
        units.push(u16::try_from(unit).ok()?);
    }
    String::from_utf16(&units).ok().filter(|text| !text.contains('\u{fffd}'))
}
