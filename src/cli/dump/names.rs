//! Names of tokens, kept for all threads: most tokens of a module occur many times.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::nodes::{TABLE_COUNT, Token};
use crate::session::Session;
use crate::text::names::Names;

/// Rows of a table whose names are kept: memory stays bounded for images of any size.
const MAX_ROWS: u32 = 1 << 17;

/// Names of the tokens of the image, each in quotes.
pub(super) struct TokenNames<'s> {
    /// The names of the image, with a cache.
    pub(super) all: Option<Names<'s>>,
    /// Position of each name, by table and row, as [`Texts::keep`] returns it; 0 if it is not kept. The rows of a table are allocated
    /// with its first token.
    tables: [OnceLock<Box<[AtomicU64]>>; TABLE_COUNT],
    texts: Texts,
}

impl<'s> TokenNames<'s> {
    pub(super) const fn new(all: Option<Names<'s>>) -> Self {
        Self { all, tables: [const { OnceLock::new() }; TABLE_COUNT], texts: Texts::new() }
    }

    /// Appends the name of a token, made by `make` where it is not kept.
    pub(super) fn push(&self, session: &Session, token: Token, list: &mut Vec<u8>, make: impl FnOnce(&mut Vec<u8>)) {
        let kept = self.kept(session, token);
        // What is behind the position was written before it was set.
        let position = kept.map_or(0, |kept| kept.load(Ordering::Acquire));
        if position != 0 {
            return self.texts.push(position, list);
        }
        let start = list.len();
        make(list);
        if let Some(kept) = kept
            && let Some(position) = self.texts.keep(list.get(start..).unwrap_or_default())
        {
            kept.store(position, Ordering::Release);
        }
    }

    /// Position of the name of a token; `None` if the token is not that of a row, or if the row is beyond the limit.
    fn kept(&self, session: &Session, token: Token) -> Option<&AtomicU64> {
        let table = self.tables.get(usize::from(token.table().0))?;
        let rows = || session.metadata().map_or(0, |metadata| metadata.rows(token.table())).min(MAX_ROWS);
        let names = table.get_or_init(|| zeros(rows() as usize));
        names.get((token.row() as usize).checked_sub(1)?)
    }
}

/// Words of a block of [`Texts`], and number of blocks: 24 MB.
const BLOCK: usize = 1 << 16;
const BLOCKS: usize = 48;
/// Bits of a position that are the length in bytes; a longer text is not kept.
const LENGTH_BITS: u32 = 16;

/// Texts that any thread appends and reads, without a lock and without an allocation for each.
struct Texts {
    /// Eight bytes a word, in the order of memory.
    blocks: [OnceLock<Box<[AtomicU64]>>; BLOCKS],
    /// Words that are taken, of all blocks.
    taken: AtomicUsize,
}

impl Texts {
    const fn new() -> Self {
        Self { blocks: [const { OnceLock::new() }; BLOCKS], taken: AtomicUsize::new(0) }
    }

    /// Stores a text and returns its position, never 0; `None` if there is no room. To be read by a thread that got the position from
    /// this one.
    fn keep(&self, text: &[u8]) -> Option<u64> {
        let count = text.len().div_ceil(8);
        if text.is_empty() || text.len() >> LENGTH_BITS != 0 {
            return None;
        }
        // A text does not cross the end of a block: the words before it stay unused.
        let mut start = self.take(count)?;
        if start % BLOCK + count > BLOCK {
            start = self.take(count)?;
        }
        let words = self.blocks.get(start / BLOCK)?.get_or_init(|| zeros(BLOCK));
        for (word, bytes) in words.get(start % BLOCK..start % BLOCK + count)?.iter().zip(text.chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_le_bytes(padded), Ordering::Relaxed);
        }
        Some((start as u64) << LENGTH_BITS | text.len() as u64)
    }

    /// Takes words; `None` if too few are left.
    fn take(&self, count: usize) -> Option<usize> {
        // Without the first test the number would grow with each text that there is no room for.
        let is_full = self.taken.load(Ordering::Relaxed) >= BLOCKS * BLOCK;
        (!is_full).then(|| self.taken.fetch_add(count, Ordering::Relaxed))
    }

    /// Appends the text at a position.
    #[inline]
    fn push(&self, position: u64, list: &mut Vec<u8>) {
        let (start, len) = ((position >> LENGTH_BITS) as usize, (position & ((1 << LENGTH_BITS) - 1)) as usize);
        let words = self.blocks.get(start / BLOCK).and_then(OnceLock::get).map_or(&[][..], |words| words);
        let words = words.get(start % BLOCK..start % BLOCK + len.div_ceil(8)).unwrap_or_default();
        let begin = list.len();
        list.resize(begin + words.len() * 8, 0);
        let (copies, _) = list[begin..].as_chunks_mut();
        for (copy, word) in copies.iter_mut().zip(words) {
            *copy = word.load(Ordering::Relaxed).to_le_bytes();
        }
        list.truncate(begin + len);
    }
}

fn zeros(count: usize) -> Box<[AtomicU64]> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn the_name_of_a_row_is_made_once() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker-windows/Ticker.dll");
        let (session, names) = (Session::open(&[path.into()]).unwrap(), TokenNames::new(None));
        // Two methods, and tokens of no row: 0, one past the last, a string.
        for (token, times) in [(0x0600_0001, 1), (0x0600_0002, 1), (0x0600_0000, 2), (0x0600_ffff, 2), (0x7000_0001, 2)]
        {
            let (mut list, mut made) = (Vec::new(), 0);
            for _ in 0..2 {
                names.push(&session, Token(token), &mut list, |list| {
                    made += 1;
                    list.extend_from_slice(&token.to_be_bytes());
                });
            }
            assert_eq!((list, made), (token.to_be_bytes().repeat(2), times), "{token:#x}");
        }
    }

    #[test]
    fn texts_of_all_threads_are_kept_until_there_is_no_room() {
        let texts = Texts::new();
        let text = |thread: usize, number: usize| format!("{thread}:{number} ").repeat(1 + number % 300);
        let kept: Vec<Vec<Option<u64>>> = thread::scope(|scope| {
            let all = [0, 1, 2].map(|thread| {
                let texts = &texts;
                scope.spawn(move || (0..15_000).map(|number| texts.keep(text(thread, number).as_bytes())).collect())
            });
            all.map(|thread| thread.join().unwrap()).into()
        });
        let (mut found, mut left_out) = (0, 0);
        for (thread, positions) in kept.iter().enumerate() {
            for (number, position) in positions.iter().enumerate() {
                let Some(position) = position else {
                    left_out += 1;
                    continue;
                };
                let mut list = b"before".to_vec();
                texts.push(*position, &mut list);
                assert!(list.strip_prefix(b"before").unwrap() == text(thread, number).as_bytes(), "{thread} {number}");
                found += 1;
            }
        }
        assert!(found > 10_000 && left_out > 0, "{found} kept, {left_out} left out");
    }

    #[test]
    fn a_text_that_is_too_long_is_not_kept() {
        let texts = Texts::new();
        let long = vec![b'x'; 1 << LENGTH_BITS];
        assert!(texts.keep(&long).is_none());
        assert!(texts.keep(&long[1..]).is_some());
        assert!(texts.keep(b"").is_none());
    }
}
