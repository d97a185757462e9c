//! Control sequences of terminals (ECMA-48, 5.4): colours, links, and whatever else consoles add.

use super::{Layer, LayerKind, if_any};

const MAX_LEN: usize = 4096;

pub(super) fn layer(text: &[u8]) -> Option<Layer> {
    let mut at = memchr::memchr(0x1b, text)?;
    let mut layer = Layer::new(LayerKind::Ansi, text.len());
    layer.text.extend_from_slice(text.get(..at)?);
    while let Some(byte) = text.get(at) {
        match sequence(text, at) {
            Some(len) => {
                layer.put(at, len, b"");
                at = at.saturating_add(len);
            }
            None => {
                layer.text.push(*byte);
                at = at.saturating_add(1);
            }
        }
    }
    if_any(layer)
}

/// The length of the sequence at `at`.
fn sequence(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix(b"\x1b")?;
    let (introducer, rest) = rest.split_first()?;
    let rest = rest.get(..MAX_LEN.min(rest.len()))?;
    match introducer {
        b'[' => {
            let parameters = rest.iter().take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
            matches!(rest.get(parameters)?, 0x40..=0x7e).then_some(parameters.saturating_add(3))
        }
        // A command ends with BEL, or with ESC and a backslash.
        b']' => {
            let end = rest.iter().position(|byte| matches!(byte, 0x07 | 0x1b))?;
            let is_long = rest.get(end..)?.starts_with(b"\x1b\\");
            let len = end.saturating_add(if is_long { 4 } else { 3 });
            (is_long || rest.get(end) == Some(&0x07)).then_some(len)
        }
        0x30..=0x7e => Some(2),
        _ => None,
    }
}

/// The sequences of a text, without what stands between them.
pub(super) fn sequences(text: &[u8]) -> String {
    let mut out = String::new();
    let mut at = 0_usize;
    while let Some(next) = text.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == 0x1b)) {
        at = at.saturating_add(next);
        let len = sequence(text, at).unwrap_or(0);
        out.push_str(&String::from_utf8_lossy(text.get(at..at.saturating_add(len)).unwrap_or_default()));
        at = at.saturating_add(len.max(1));
    }
    out
}
