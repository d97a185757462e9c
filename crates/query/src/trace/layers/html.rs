//! Character references of HTML (HTML Standard, 13.1.4), and its line breaks.

use std::borrow::Cow;

use super::{Layer, LayerKind, replaced};

const MAX_LEN: usize = 10;

/// References that a page uses for characters that need none.
#[derive(Clone, Debug, Default)]
pub(super) struct Style {
    used: Vec<(char, String)>,
}

/// Characters that have a name in traces.
const NAMES: &[(&str, char)] = &[
    ("lt", '<'),
    ("gt", '>'),
    ("amp", '&'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("plus", '+'),
    ("grave", '`'),
];

/// Position of the first reference or line break.
fn first(text: &[u8]) -> Option<usize> {
    let mut marks = memchr::memchr2_iter(b'&', b'<', text);
    marks.find(|at| reference(text, *at).is_some() || line_break(text, *at).is_some())
}

pub(super) fn layer(text: &[u8]) -> Option<Layer> {
    first(text)?;
    let mut style = Style::default();
    let layer = Layer::of(text, LayerKind::Html(Style::default()), *b"&<", |at| {
        let Some((c, len)) = reference(text, at) else { return Some((line_break(text, at)?, Some('\n'))) };
        if !style.used.iter().any(|(known, _)| *known == c) && style.used.len() < NAMES.len() {
            style.used.push((c, String::from_utf8_lossy(text.get(at..at + len)?).into_owned()));
        }
        Some((len, Some(c)))
    });
    Layer { kind: LayerKind::Html(style), ..layer }.if_any()
}

/// The character of the reference at `at`, and its length: `&lt;`, `&#43;`, `&#x2B;`.
fn reference(text: &[u8], at: usize) -> Option<(char, usize)> {
    let rest = text.get(at..)?.strip_prefix(b"&")?;
    let end = rest.iter().take(MAX_LEN).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(rest.get(..end)?).ok()?;
    let c = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|c| !c.is_control())?
        }
        None => NAMES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((c, end + 2))
}

/// The length of the `<br>` at `at`.
fn line_break(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    ["<br>", "<br/>", "<br />", "<BR>"].iter().find(|tag| rest.starts_with(tag.as_bytes())).map(|tag| tag.len())
}

impl Style {
    /// Escapes a text as the page does.
    pub(super) fn escape(&self, text: &str) -> String {
        replaced(text, |c| {
            let used = self.used.iter().find(|(known, _)| *known == c && c != ' ');
            match (used, c) {
                (Some((_, used)), _) => Some(Cow::Owned(used.clone())),
                (None, '<') => Some("&lt;".into()),
                (None, '>') => Some("&gt;".into()),
                (None, '&') => Some("&amp;".into()),
                _ => None,
            }
        })
    }
}
