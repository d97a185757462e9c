//! Escapes of JSON strings (RFC 8259, section 7).
//!
//! .NET's own writers escape `+`, `<`, `>`, `&`, `'` and the backtick, in capital letters; others escape only what they must.

use std::borrow::Cow;

use super::{Layer, LayerKind, replaced};

/// The escapes that a writer uses.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Style {
    /// It escapes what HTML could misread.
    html: bool,
    /// It escapes everything that is not ASCII.
    ascii: bool,
    slash: bool,
    /// Its hexadecimal digits are capital letters.
    capital: bool,
    /// Only `\u` begins an escape: the text has backslashes of its own.
    only_unicode: bool,
}

/// Takes the escapes away, where the text is of a JSON document (`certain`) or looks like a string of one. A quotation mark
/// ends a string, and with it a line.
pub(super) fn layer(text: &[u8], certain: bool) -> Option<Layer> {
    if !certain && !looks_escaped(text) {
        return None;
    }
    let mut style = Style { only_unicode: !certain && !is_well_formed(text), ..Style::default() };
    let layer = Layer::of(text, LayerKind::Json(style), *br#"\""#, |at| match text.get(at..)? {
        [b'"', ..] if !style.only_unicode => Some((1, Some('\n'))),
        [b'\\', second, ..] => escape(text, at, *second, &mut style).map(|(c, len)| (len, Some(c))),
        _ => None,
    });
    let layer = Layer { kind: LayerKind::Json(style), ..layer };
    if certain { Some(layer) } else { layer.if_any() }
}

/// The character of the escape at `at`, and its length.
fn escape(text: &[u8], at: usize, second: u8, style: &mut Style) -> Option<(char, usize)> {
    if second == b'u' {
        let (c, len) = unicode(text, at)?;
        style.html |= matches!(c, '+' | '<' | '>' | '&' | '\'' | '`' | '"');
        style.ascii |= !c.is_ascii();
        let digits = text.get(at..).unwrap_or_default().iter().take(6).skip(2);
        style.capital |= digits.into_iter().any(u8::is_ascii_uppercase);
        return Some((c, len));
    }
    if style.only_unicode {
        return None;
    }
    style.slash |= second == b'/';
    let c = match second {
        b'"' | b'\\' | b'/' => char::from(second),
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        _ => return None,
    };
    Some((c, 2))
}

/// The character of `\uXXXX`, or of two of them that are a pair of surrogates.
fn unicode(text: &[u8], at: usize) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let escape = text.get(at..at + 6).filter(|escape| escape.starts_with(b"\\u"))?;
        let digits = std::str::from_utf8(escape.get(2..)?).ok()?;
        if digits.starts_with('+') { None } else { u32::from_str_radix(digits, 16).ok() }
    };
    let first = unit(at)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 6));
    }
    let second = unit(at + 6)?;
    let mut pair = char::decode_utf16([u16::try_from(first).ok()?, u16::try_from(second).ok()?]);
    pair.next()?.ok().map(|c| (c, 12))
}

/// Returns whether a text has escapes that nothing but JSON would write: `\u00XX`, or a line end before an indented line.
fn looks_escaped(text: &[u8]) -> bool {
    memchr::memchr_iter(b'\\', text).any(|at| match text.get(at..).unwrap_or_default() {
        [_, b'u', b'0', b'0', high, low, ..] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        [_, b'n', rest @ ..] => rest.starts_with(b"  ") || rest.starts_with(b"\\tat "),
        _ => false,
    })
}

fn is_well_formed(text: &[u8]) -> bool {
    let mut at = 0_usize;
    while let Some(next) = text.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        at += next;
        if !text.get(at + 1).is_some_and(|second| br#""\/bfnrtu"#.contains(second)) {
            return false;
        }
        at += 2;
    }
    true
}

impl Style {
    /// Escapes a text as the writer would.
    pub(super) fn escape(self, text: &str) -> String {
        let coded = |c: char| -> Cow<'static, str> {
            let mut units = [0; 2];
            let units = c.encode_utf16(&mut units).iter();
            let digits = |unit: &u16| if self.capital { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
            units.map(digits).collect::<String>().into()
        };
        replaced(text, |c| match c {
            '\\' | '"' if self.only_unicode => None,
            '\\' => Some("\\\\".into()),
            '"' if !self.html => Some("\\\"".into()),
            '\n' => Some("\\n".into()),
            '\r' => Some("\\r".into()),
            '\t' => Some("\\t".into()),
            '/' if self.slash => Some("\\/".into()),
            '"' | '+' | '<' | '>' | '&' | '\'' | '`' if self.html => Some(coded(c)),
            c if c.is_control() || (self.ascii && !c.is_ascii()) => Some(coded(c)),
            _ => None,
        })
    }
}
