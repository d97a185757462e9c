//! Bytes as findings and headings name them: `App.pdb 0x607+5`, `stream 6 0x0+4`, `stream 6 0x10`.

use super::{Answer, Here, plain};
use crate::bytes::Span;
use crate::nodes::Place;
use crate::session::Session;

/// Bytes of a file or stream that is named before them.
pub(super) fn span(session: &Session, typed: &str, _: Here) -> Option<Answer> {
    let (name, range) = typed.rsplit_once(' ')?;
    let (start, len) = range.split_once('+').unwrap_or((range, "1"));
    let start = u64::from_str_radix(start.strip_prefix("0x")?, 16).ok()?;
    let len: u64 = len.parse().ok()?;
    let (id, space) = session.spaces().iter().find(|(_, space)| space.name == name.trim())?;
    if start.checked_add(len).is_none_or(|end| end > space.len()) || space.is_empty() {
        return Some(Err(format!("{name} has {} bytes", space.len())));
    }
    // The position of something that is missing is that of the byte before the end.
    let start = start.min(space.len() - 1);
    Some(Ok(plain(Place::Bytes(Span::new(id, start, len.max(1))))))
}
