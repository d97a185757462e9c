//! Cache of names: code repeats the same tokens many times, names repeat the same types, and members share the blobs of their
//! signatures.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Limited, Names};
use pdblens_formats::metadata::{TABLE_COUNT, TableId, Token};
use pdblens_formats::signature::{self, Signature};

/// Limits on the size of a cached text, on the rows of a table whose texts are cached, and on the bytes of all texts: memory stays
/// bounded for files of any size.
const MAX_TEXT: usize = 512;
const MAX_ROWS: u32 = 1 << 17;
const MAX_BYTES: usize = 24 << 20;

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

/// Cache of the names of tokens, types and signatures in one file, shared by threads.
#[derive(Debug)]
pub struct NameCache {
    /// Cells by form, table and row; those of a table are allocated with its first type.
    forms: [[OnceLock<Box<[Cell]>>; TABLE_COUNT]; Form::COUNT],
    signatures: SignatureCache,
    bytes: AtomicUsize,
}

impl NameCache {
    pub fn new() -> Self {
        let forms = [const { [const { OnceLock::new() }; TABLE_COUNT] }; Form::COUNT];
        Self { forms, signatures: SignatureCache::default(), bytes: AtomicUsize::new(0) }
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
        let cell = self.cache().and_then(|cache| Some((cache, self.name_cell(cache, Form::Token, token)?)));
        let Some((cache, cell)) = cell else { return self.token(token).into() };
        if let Some(name) = cell.get() {
            return Cow::Borrowed(name);
        }
        let name = self.token(token);
        if cache.bytes.fetch_add(name.len(), Ordering::Relaxed) >= MAX_BYTES {
            return name.into();
        }
        Cow::Borrowed(cell.get_or_init(|| name.into()))
    }

    /// Cell for the name of a token; `None` if the token is not that of a row, or if the row is beyond the limit.
    fn name_cell(&self, cache: &'m NameCache, form: Form, token: Token) -> Option<&'m Cell> {
        let table = cache.forms.get(form as usize)?.get(usize::from(token.table().0))?;
        let rows = || self.metadata.rows(token.table()).min(MAX_ROWS);
        let cells = table.get_or_init(|| (0..rows()).map(|_| OnceLock::new()).collect());
        cells.get((token.row() as usize).checked_sub(1)?)
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
        let Some(cell) = self.name_cell(cache, form, token) else { return write(out) };
        if let Some(text) = cell.get() {
            return out.write_str(text);
        }
        let mut text = String::new();
        if write(&mut Limited { text: &mut text, max: MAX_TEXT }).is_err() {
            return write(out);
        }
        let result = out.write_str(&text);
        if cache.bytes.fetch_add(text.len(), Ordering::Relaxed) < MAX_BYTES {
            // Another thread may have stored it first.
            let _ = cell.set(text.into());
        }
        result
    }
}

/// Number of slots, a power of two. On a collision the first signature stays.
const SLOTS: u32 = 1 << 14;

/// Direct-mapped cache of signatures by blob offset, shared by threads.
#[derive(Debug, Default)]
struct SignatureCache(OnceLock<Box<[OnceLock<CachedSignature>]>>);

/// Texts of one signature.
#[derive(Debug)]
pub(super) struct CachedSignature {
    /// Twice the offset of the blob, and 1 if type parameters are numbers in the texts.
    key: u32,
    is_method: bool,
    /// Type that a method returns or type of a field, and a space; then the parameters of the method.
    text: Box<str>,
    parameters: usize,
}

impl SignatureCache {
    fn slot(&self, key: u32) -> Option<&OnceLock<CachedSignature>> {
        let slots = self.0.get_or_init(|| (0..SLOTS).map(|_| OnceLock::new()).collect());
        // Fibonacci hashing: offsets of blobs are near each other.
        slots.get((key.wrapping_mul(0x9e37_79b1) >> u32::BITS.saturating_sub(SLOTS.trailing_zeros())) as usize)
    }
}

impl CachedSignature {
    /// Type that a method returns or type of a field, and a space after it.
    pub(super) fn result(&self) -> &str {
        self.text.get(..self.parameters).unwrap_or_default()
    }

    /// The types of the parameters: `(int, string)`.
    pub(super) fn parameters(&self) -> &str {
        self.text.get(self.parameters..).unwrap_or_default()
    }
}

impl<'m> Names<'m> {
    /// Cached texts of the signature of a method.
    pub(super) fn cached_method(&self, table: TableId, row: u32, column: usize) -> Option<&'m CachedSignature> {
        self.cached_signature(table, row, column).filter(|texts| texts.is_method)
    }

    /// Cached texts of the signature of a field.
    pub(super) fn cached_field(&self, row: u32) -> Option<&'m CachedSignature> {
        self.cached_signature(TableId::FIELD, row, 2).filter(|texts| !texts.is_method)
    }

    /// Texts of a signature that are the same for each member that has it.
    pub(super) fn cached_signature(&self, table: TableId, row: u32, column: usize) -> Option<&'m CachedSignature> {
        let cache = self.cache()?;
        let offset = self.metadata.table(table).cell(row, column).ok()?;
        // The type parameters of a member defined elsewhere have no names.
        let has_numbers = table == TableId::MEMBER_REF;
        let key = offset.checked_mul(2)? | u32::from(has_numbers);
        let slot = cache.signatures.slot(key)?;
        if slot.get().is_none() && cache.bytes.load(Ordering::Relaxed) < MAX_BYTES {
            let blob = self.metadata.heaps.blob(offset).ok()?;
            if !has_numbers && signature::may_have_type_parameters(blob.data) {
                return None;
            }
            let texts = self.texts_of(key, &signature::decode(&mut blob.cursor()).ok()?)?;
            cache.bytes.fetch_add(texts.text.len(), Ordering::Relaxed);
            // Another thread may have stored it first.
            let _ = slot.set(texts);
        }
        slot.get().filter(|texts| texts.key == key)
    }

    fn texts_of(&self, key: u32, found: &Signature) -> Option<CachedSignature> {
        let (nil, mut text) = (Token(0), String::new());
        let mut out = Limited { text: &mut text, max: MAX_TEXT };
        let parameters;
        match found {
            Signature::Method(method) => {
                self.write_result(&method.returns.value, nil, nil, &mut out, 0).ok()?;
                parameters = out.text.len();
                self.write_parameters(method, nil, nil, &mut out, 0).ok()?;
            }
            Signature::Field(field) => {
                self.write_result(&field.value, nil, nil, &mut out, 0).ok()?;
                parameters = out.text.len();
            }
            _ => return None,
        }
        Some(CachedSignature { key, is_method: matches!(found, Signature::Method(_)), text: text.into(), parameters })
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
