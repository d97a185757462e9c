//! Bytes as findings and headings name them: `App.pdb 0x607+5`, `stream 6 0x0+4`, `stream 6 0x10`, `App.pdb #Blob 0x0387+5 of 1008`.

use super::{Answer, Here, plain};
use crate::bytes::Span;
use crate::nodes::Place;
use crate::query::owner;
use crate::session::Session;

/// Bytes of a file, of a stream or of a section that is named before them.
pub(super) fn span(session: &Session, typed: &str, _: Here) -> Option<Answer> {
    // A heading goes on with the size of all, and the offset in the file.
    let own = typed.split_once(" of ").map_or(typed, |(own, _)| own);
    let own = own.split_once(" \u{b7} ").map_or(own, |(own, _)| own);
    let (name, range) = own.rsplit_once(' ')?;
    let (start, len) = range.split_once('+').unwrap_or((range, "1"));
    let start = u64::from_str_radix(start.strip_prefix("0x")?, 16).ok()?;
    let len: u64 = len.parse().ok()?;
    let name = name.trim();
    let whole = session.spaces().iter().find(|(_, space)| space.name == name);
    let whole = whole.map(|(id, space)| Span::new(id, 0, space.len())).or_else(|| owner::named(session, name))?;
    if start.checked_add(len).is_none_or(|end| end > whole.len) || whole.len == 0 {
        return Some(Err(format!("{name} has {} bytes", whole.len)));
    }
    // The position of something that is missing is that of the byte before the end.
    let start = start.min(whole.len - 1);
    Some(Ok(plain(Place::Bytes(Span::new(whole.space, whole.start + start, len.max(1))))))
}
