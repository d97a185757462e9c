//! Cache of the texts of signatures: members share the blobs of their signatures.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use super::cache::{MAX_BYTES, MAX_TEXT};
use super::{Limited, Names};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::{self, Signature};

/// Number of slots, a power of two. On a collision the first signature stays.
const SLOTS: u32 = 1 << 14;

/// Direct-mapped cache of signatures by blob offset, shared by threads.
#[derive(Debug, Default)]
pub(super) struct SignatureCache(OnceLock<Box<[OnceLock<CachedSignature>]>>);

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
