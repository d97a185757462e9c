//! Bytes as findings and headings name them: `App.pdb 0x607+5`, `stream 6 0x0+4`, `stream 6 0x10`, `App.pdb #Blob 0x0387+5 of 1008`.

use super::{Here, Parsed, plain};
use crate::owner;
use pdblens_formats::bytes::{Space, SpaceId, Span};
use pdblens_nodes::Place;
use pdblens_session::session::Session;

/// Bytes at an offset of a file, `0x5a4` or `1444`, with as many more as follow a `+`; a name before it is that of another file or
/// stream. Without a name `file` is meant.
pub fn bytes_at(session: &Session, file: SpaceId, typed: &str) -> Result<Place, String> {
    let (name, range) = typed.trim().rsplit_once(' ').unwrap_or(("", typed.trim()));
    let named = || session.spaces().named(name.trim()).map(|(id, _)| id);
    let id = if name.is_empty() { Some(file) } else { named() };
    let id = id.ok_or_else(|| format!("no open file or stream has the name `{name}`"))?;
    let (start, len) = range.split_once('+').unwrap_or((range, "1"));
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    let wrong = || format!("`{range}` is no offset: write it as 0x5a4 or 1444, or as 0x5a4+2 for two bytes");
    let (start, len) = number(start).zip(number(len)).ok_or_else(wrong)?;
    let (space, all) = session.spaces().get(id).map_or(("".into(), 0), |space: &Space| (space.name(), space.len()));
    if len == 0 || start.checked_add(len).is_none_or(|end| end > all) {
        return Err(format!("{space} has {all} bytes: {range} is past its end"));
    }
    Ok(Place::Bytes(Span::new(id, start, len)))
}

/// Bytes of a file, stream or section that is named before them.
pub(super) fn span(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    // A heading goes on with the size of all, and the offset in the file.
    let own = typed.split_once(" of ").map_or(typed, |(own, _)| own);
    let own = own.split_once(" \u{b7} ").map_or(own, |(own, _)| own);
    let (name, range) = own.rsplit_once(' ')?;
    let (start, len) = range.split_once('+').unwrap_or((range, "1"));
    let start = u64::from_str_radix(start.strip_prefix("0x")?, 16).ok()?;
    let len: u64 = len.parse().ok()?;
    let name = name.trim();
    let whole = session.spaces().named(name);
    let whole = whole.map(|(id, space)| Span::new(id, 0, space.len())).or_else(|| owner::named(session, name))?;
    if start.checked_add(len).is_none_or(|end| end > whole.len) || whole.len == 0 {
        return Some(Err(format!("{name} has {} bytes", whole.len).into()));
    }
    // The position of something that is missing is that of the byte before the end.
    let start = start.min(whole.len.saturating_sub(1));
    Some(Ok(plain(Place::Bytes(Span::new(whole.space, whole.start.saturating_add(start), len.max(1))))))
}
