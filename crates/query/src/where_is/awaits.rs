//! The awaits of an async method: the offsets at which its body suspends and resumes.

use super::locals::customs_of;
use pdblens_formats::bytes::Slice;
use pdblens_formats::metadata::Token;
use pdblens_formats::portable::custom::async_stepping::{self, Await};
use pdblens_session::session::Session;

/// The awaits of a method, in the order of the symbols; none where it is not the body of an async method.
pub fn of(session: &Session, move_next: Token) -> Vec<Await> {
    if move_next.is_nil() {
        return Vec::new();
    }
    let found = customs_of(session, move_next, async_stepping::GUID);
    let decoded = found.iter().filter_map(|custom| {
        let value = Slice::new(&custom.value, custom.span.space, custom.span.start);
        async_stepping::decode(&mut value.cursor()).ok()
    });
    decoded.flat_map(|stepping| stepping.awaits).collect()
}
