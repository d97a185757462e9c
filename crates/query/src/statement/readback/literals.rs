//! Numbers and interpolated strings of a text.

use pdblens_formats::signature::Primitive;

use super::parse::{Expr, Fragment, Parser};
use super::proof::{Proven, undecided};
use super::tokens::{literal_len, unescaped};

pub(super) fn number(text: &str) -> Option<Expr> {
    let plain = text.replace('_', "").to_ascii_lowercase();
    if let Some(digits) = plain.strip_prefix("0x") {
        let number = u64::from_str_radix(digits.trim_end_matches(['u', 'l']), 16).ok()?;
        return Some(integer(number, &digits[digits.trim_end_matches(['u', 'l']).len()..]));
    }
    let digits = plain.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = &plain[digits.len()..];
    match suffix {
        "f" => Some(Expr::Real(digits.parse::<f32>().ok()?.into(), Primitive::R4)),
        "m" => None,
        _ if suffix == "d" || digits.contains(['.', 'e']) => Some(Expr::Real(digits.parse().ok()?, Primitive::R8)),
        _ => Some(integer(digits.parse().ok()?, suffix)),
    }
}

fn integer(number: u64, suffix: &str) -> Expr {
    let of = match suffix {
        "ul" | "lu" => Primitive::U8,
        "l" => Primitive::I8,
        "u" => Primitive::U4,
        _ if i32::try_from(number).is_ok() => Primitive::I4,
        _ if u32::try_from(number).is_ok() => Primitive::U4,
        _ if i64::try_from(number).is_ok() => Primitive::I8,
        _ => Primitive::U8,
    };
    Expr::Int(number as i64, of)
}

pub(super) fn interpolated(text: &str) -> Proven<Expr> {
    let (mut parts, mut literal, mut at) = (Vec::new(), String::new(), 0);
    let end = |literal: &mut String, parts: &mut Vec<Fragment>| -> Option<()> {
        if !literal.is_empty() {
            parts.push(Fragment::Text(unescaped(literal)?.into()));
            literal.clear();
        }
        Some(())
    };
    while let Some(c) = text[at..].chars().next() {
        at += c.len_utf8();
        match c {
            '{' | '}' if text[at..].starts_with(c) => {
                literal.push(c);
                at += 1;
            }
            '{' => {
                end(&mut literal, &mut parts).ok_or_else(|| undecided("a string"))?;
                let (mut depth, mut close, mut quoted) = (0_i32, None, 0);
                for (position, c) in text[at..].char_indices() {
                    match c {
                        _ if position < quoted => {}
                        '(' | '[' | '{' => depth += 1,
                        '}' if depth == 0 => {
                            close = Some(position);
                            break;
                        }
                        ')' | ']' | '}' => depth -= 1,
                        '"' | '\'' => quoted = position + literal_len(&text[at + position..], c).max(1),
                        _ => {}
                    }
                }
                let inner = &text[at..at + close.ok_or_else(|| undecided("a string"))?];
                at += inner.len() + 1;
                let mut parser = Parser::new(inner.split(':').next().unwrap_or(inner))?;
                if inner.contains('?') && inner.contains(':') {
                    return Err(undecided("a condition inside a string"));
                }
                let value = parser.expression(2)?;
                let alignment = if parser.eat(",") {
                    match parser.expression(2)? {
                        Expr::Int(number, _) => Some(number),
                        _ => return Err(undecided("an alignment")),
                    }
                } else {
                    None
                };
                let format = inner.split_once(':').map(|(_, format)| format.into());
                if !parser.is_end() {
                    return Err(undecided("a value inside a string"));
                }
                parts.push(Fragment::Hole(value, alignment, format));
            }
            '\\' => {
                literal.push(c);
                let next = text[at..].chars().next().unwrap_or_default();
                literal.push(next);
                at += next.len_utf8();
            }
            _ => literal.push(c),
        }
    }
    end(&mut literal, &mut parts).ok_or_else(|| undecided("a string"))?;
    Ok(Expr::Interpolated(parts))
}
