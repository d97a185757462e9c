//! Control sequences of terminals (ECMA-48, 5.4): colours, links, and whatever else consoles add.

use super::{Layer, LayerKind};

const MAX_LEN: usize = 4096;

pub(super) fn layer(text: &[u8]) -> Option<Layer> {
    memchr::memchr(0x1b, text)?;
    Layer::of(text, LayerKind::Ansi, [0x1b; 2], |at| Some((sequence(text, at)?, None))).if_any()
}

/// The length of the sequence at `at`.
fn sequence(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix(b"\x1b")?;
    let (introducer, rest) = rest.split_first()?;
    let rest = rest.get(..MAX_LEN.min(rest.len()))?;
    match introducer {
        b'[' => {
            let parameters = rest.iter().take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
            matches!(rest.get(parameters)?, 0x40..=0x7e).then_some(parameters + 3)
        }
        // A command ends with BEL, or with ESC and a backslash.
        b']' => {
            let end = rest.iter().position(|byte| matches!(byte, 0x07 | 0x1b))?;
            let is_long = rest.get(end..)?.starts_with(b"\x1b\\");
            let len = end + (if is_long { 4 } else { 3 });
            (is_long || rest.get(end) == Some(&0x07)).then_some(len)
        }
        0x30..=0x7e => Some(2),
        _ => None,
    }
}

/// The sequences of a text, without what stands between them.
pub(super) fn sequences(text: &[u8]) -> String {
    let escapes = layer(text).map(|layer| layer.escapes).unwrap_or_default();
    let bytes = escapes.iter().filter_map(|escape| text.get(escape.from as usize..escape.from_end as usize));
    bytes.map(String::from_utf8_lossy).collect()
}
