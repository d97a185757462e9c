//! Cache of names: code repeats the same tokens many times, and names repeat the same types.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Limited, Names};
use pdblens_formats::metadata::{Metadata, TABLE_COUNT, Token};

/// Limits on the size of a cached text, on the rows of a table whose texts are cached, and on the bytes of all texts with what an
/// allocation takes: memory stays bounded for files of any size.
const MAX_TEXT: usize = 512;
const MAX_ROWS: u32 = 1 << 17;
const MAX_BYTES: usize = 6 << 20;
const PER_TEXT: usize = 24;

/// Ways in which a name is written: that of a token, and those of a type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// As IL assembly has it, of any table: `long Ticker.Clock.Now()`.
    Token,
    /// As metadata has it: ``Ns.Outer+List`1``.
    Metadata,
    /// Without type arguments: `Ns.Outer.List<>`.
    Open,
    /// With its type parameters: `Ns.Outer.List<T>`.
    Declared,
    /// With the type arguments of a TypeSpec: `Ns.Outer.List<int>`.
    Instance,
}

impl Form {
    const COUNT: usize = Self::Instance as usize + 1;
}

/// A text, set by the first thread that needs it.
type Cell = OnceLock<Box<str>>;

/// Cache of the names of tokens and types in one file, shared by threads.
#[derive(Debug)]
pub struct NameCache {
    /// Cells by form, table and row; those of a table are allocated with its first type.
    forms: [[OnceLock<Box<[Cell]>>; TABLE_COUNT]; Form::COUNT],
    bytes: AtomicUsize,
}

impl NameCache {
    pub fn new() -> Self {
        let forms = [const { [const { OnceLock::new() }; TABLE_COUNT] }; Form::COUNT];
        Self { forms, bytes: AtomicUsize::new(0) }
    }

    /// Cell for the name of a token; `None` if the token is not that of a row, or if the row is beyond the limit.
    fn cell(&self, metadata: &Metadata, form: Form, token: Token) -> Option<&Cell> {
        let table = self.forms.get(form as usize)?.get(usize::from(token.table().0))?;
        let rows = || metadata.rows(token.table()).min(MAX_ROWS);
        let cells = table.get_or_init(|| (0..rows()).map(|_| OnceLock::new()).collect());
        cells.get((token.row() as usize).checked_sub(1)?)
    }
}

impl Default for NameCache {
    fn default() -> Self {
        Self::new()
    }
}

impl<'m> Names<'m> {
    /// The same names, with a cache that was made for the same file.
    #[must_use]
    pub const fn with_cache(self, cache: &'m NameCache) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// The cache, once the index of enclosing types is built: until then, a NestedClass table that is out of order may give other names.
    pub(super) fn cache(&self) -> Option<&'m NameCache> {
        self.index.enclosing.get()?;
        self.cache
    }

    /// Name of a token, as [`Names::token`] has it: made once, if these names have a cache.
    pub fn cached_token(&self, token: Token) -> Cow<'m, str> {
        let cell = self.cache().and_then(|cache| Some((cache, cache.cell(self.metadata, Form::Token, token)?)));
        let Some((cache, cell)) = cell else { return self.token(token).into() };
        if let Some(name) = cell.get() {
            return Cow::Borrowed(name);
        }
        let name = self.token(token);
        if cache.bytes.fetch_add(name.len() + PER_TEXT, Ordering::Relaxed) >= MAX_BYTES {
            return name.into();
        }
        Cow::Borrowed(cell.get_or_init(|| name.into()))
    }

    /// Writes the name of a type in a form: the cached text, or that of `write`.
    pub(super) fn write_cached(
        &self,
        form: Form,
        token: Token,
        out: &mut dyn Write,
        write: impl Fn(&mut dyn Write) -> fmt::Result,
    ) -> fmt::Result {
        let Some(cache) = self.cache() else { return write(out) };
        let Some(cell) = cache.cell(self.metadata, form, token) else { return write(out) };
        if let Some(text) = cell.get() {
            return out.write_str(text);
        }
        let mut text = String::new();
        if write(&mut Limited { text: &mut text, max: MAX_TEXT }).is_err() {
            return write(out);
        }
        let result = out.write_str(&text);
        if cache.bytes.fetch_add(text.len() + PER_TEXT, Ordering::Relaxed) < MAX_BYTES {
            // Another thread may have stored it first.
            let _ = cell.set(text.into());
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use pdblens_formats::metadata::TableId;

    #[test]
    fn names_are_the_same_with_a_cache() {
        for sample in ["ledger/Ledger.dll", "shapes/Shapes.dll", "workshop/Workshop.dll"] {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples").join(sample);
            let session = Session::open(&[path]).unwrap();
            let (names, cache) = (session.names().unwrap(), NameCache::new());
            let cached = names.with_cache(&cache);
            // Twice: the cache is filled, and used.
            for _ in 0..2 {
                for table in TableId::all() {
                    for row in 0..=names.metadata.rows(table) + 1 {
                        let token = Token::new(table, row);
                        assert_eq!(cached.token(token), names.token(token), "{sample} {token}");
                        assert_eq!(cached.cached_token(token), names.token(token), "{sample} {token}");
                        assert_eq!(cached.method(token), names.method(token), "{sample} {token}");
                        assert_eq!(cached.reflection_name(token), names.reflection_name(token), "{sample} {token}");
                    }
                }
            }
            // The name of a row is made once. A string has no row.
            let is_made_once = |token| matches!(cached.cached_token(token), Cow::Borrowed(_));
            assert!(is_made_once(Token(0x0600_0001)), "{sample}");
            for token in [0x0600_0000, 0x0600_ffff, 0x7000_0001] {
                assert!(!is_made_once(Token(token)), "{sample} {token:#x}");
            }
            assert!(cache.bytes.load(Ordering::Relaxed) > 1000, "{sample}: nothing is cached");
        }
    }
}
