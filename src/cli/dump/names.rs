//! Cache of the names of tokens: most tokens of a module occur many times.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::nodes::{TABLE_COUNT, Token};
use crate::session::Session;
use crate::text::names::Names;

/// Limits on the rows of a table whose names are cached, and on the bytes of all names: memory stays bounded for images of any size.
const MAX_ROWS: u32 = 1 << 17;
const MAX_BYTES: usize = 24 << 20;

/// A name, set by the first thread that needs it.
type CachedName = OnceLock<Box<str>>;

/// Names of the tokens of the image, shared by threads.
pub(super) struct TokenNames<'s> {
    /// The names of the image, with a cache.
    pub(super) all: Option<Names<'s>>,
    /// Cells by table and row; those of a table are allocated with its first token.
    tables: [OnceLock<Box<[CachedName]>>; TABLE_COUNT],
    bytes: AtomicUsize,
}

impl<'s> TokenNames<'s> {
    pub(super) const fn new(all: Option<Names<'s>>) -> Self {
        Self { all, tables: [const { OnceLock::new() }; TABLE_COUNT], bytes: AtomicUsize::new(0) }
    }

    /// Returns the name of a token, made by `make` if it is not cached.
    pub(super) fn get(&self, session: &Session, token: Token, make: impl FnOnce() -> String) -> Cow<'_, str> {
        let cell = self.cell(session, token);
        if let Some(name) = cell.and_then(OnceLock::get) {
            return Cow::Borrowed(name);
        }
        let name = make();
        if let Some(cell) = cell
            && self.bytes.fetch_add(name.len(), Ordering::Relaxed) < MAX_BYTES
        {
            return Cow::Borrowed(cell.get_or_init(|| name.into()));
        }
        Cow::Owned(name)
    }

    /// Cell for the name of a token; `None` if the token is not that of a row, or if the row is beyond the limit.
    fn cell(&self, session: &Session, token: Token) -> Option<&CachedName> {
        let table = self.tables.get(usize::from(token.table().0))?;
        let rows = || session.metadata().map_or(0, |metadata| metadata.rows(token.table())).min(MAX_ROWS);
        let names = table.get_or_init(|| (0..rows()).map(|_| OnceLock::new()).collect());
        names.get((token.row() as usize).checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_row_is_made_once() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker-windows/Ticker.dll");
        let (session, names) = (Session::open(&[path.into()]).unwrap(), TokenNames::new(None));
        // Two methods, and tokens of no row: 0, one past the last, a string.
        for (token, times) in [(0x0600_0001, 1), (0x0600_0002, 1), (0x0600_0000, 2), (0x0600_ffff, 2), (0x7000_0001, 2)]
        {
            let mut made = 0;
            for _ in 0..2 {
                let name = names.get(&session, Token(token), || {
                    made += 1;
                    token.to_string()
                });
                assert_eq!(name, token.to_string());
            }
            assert_eq!(made, times, "{token:#x}");
        }
    }
}
