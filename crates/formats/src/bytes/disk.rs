//! A file on disk, read block by block on demand; blocks are cached.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Distance between the starts of two blocks, in bytes.
const BLOCK: u64 = 4 << 10;
/// Number of bytes of the next block that a block includes, so that a short record is contiguous.
const OVERLAP: u64 = 4 << 10;
/// Size of the long blocks, for records that are longer than the overlap, in bytes.
const LONG: u64 = 1 << 20;
/// Limit on the number of long blocks: in a hostile file each record may need its own.
const MAX_LONG: usize = 16;

/// An open file, and the blocks that were read.
#[derive(Debug)]
pub struct DiskFile {
    file: Mutex<File>,
    len: u64,
    /// In the order of the file; a part is made when one of its blocks is read.
    parts: OnceLock<Box<[OnceLock<CachedPart>]>>,
    long: [OnceLock<LongBlock>; MAX_LONG],
    whole: OnceLock<Vec<u8>>,
}

/// Size of a part of the file, in blocks and in bytes.
const BLOCKS: u64 = 64;
const PART: u64 = BLOCKS * BLOCK;
/// A part is read whole after so many of its blocks, or after so many in a row. A search in a sorted table reads fewer, since its
/// steps double and then halve; a pass over a table reads all.
const MANY: usize = 16;
const ROW: usize = 4;

/// Consecutive blocks.
#[derive(Debug)]
struct CachedPart {
    /// Bytes of each, with its overlap, once it was read.
    blocks: Box<[OnceLock<Box<[u8]>>]>,
    /// Number of blocks that were read.
    read: AtomicUsize,
    /// Bytes of all, with the overlap of the last.
    whole: OnceLock<Box<[u8]>>,
}

impl CachedPart {
    fn new() -> Self {
        let blocks = (0..BLOCKS).map(|_| OnceLock::new()).collect();
        Self { blocks, read: AtomicUsize::new(0), whole: OnceLock::new() }
    }

    /// Counts a block that is about to be read; returns true if the part should be read instead.
    fn is_next_of_many(&self, number: usize) -> bool {
        let before = number.checked_sub(ROW).and_then(|first| self.blocks.get(first..number));
        self.read.fetch_add(1, Ordering::Relaxed) >= MANY
            || before.is_some_and(|blocks| blocks.iter().all(|block| block.get().is_some()))
    }
}

#[derive(Debug)]
struct LongBlock {
    start: u64,
    bytes: Vec<u8>,
}

impl DiskFile {
    /// Wraps an open file of `len` bytes.
    pub fn new(file: File, len: u64) -> Self {
        let (parts, whole) = (OnceLock::new(), OnceLock::new());
        Self { file: Mutex::new(file), len, parts, long: Default::default(), whole }
    }

    /// Number of bytes.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// All bytes, if they were read.
    pub(super) fn held(&self) -> Option<&[u8]> {
        self.whole.get().map(Vec::as_slice)
    }

    /// All bytes; none if they cannot be read.
    pub(super) fn whole(&self) -> &[u8] {
        self.whole.get_or_init(|| self.read(0, self.len).unwrap_or_default())
    }

    /// Bytes from `at` on: at least `least`, which must be in the file; `None` if that is too much to keep or cannot be read.
    pub(super) fn near(&self, at: u64, least: u64) -> Option<&[u8]> {
        if let Some(whole) = self.held() {
            return whole.get(usize::try_from(at).ok()?..);
        }
        let count = self.len.div_ceil(PART);
        let parts = self.parts.get_or_init(|| (0..count).map(|_| OnceLock::new()).collect());
        let part = parts.get(usize::try_from(at / PART).ok()?)?;
        let whole = part.get().and_then(|part| part.whole.get());
        let ends_within = |size: u64| (at % size).checked_add(least).is_some_and(|end| end <= size + OVERLAP);
        if let Some(whole) = whole.filter(|_| ends_within(PART)) {
            return whole.get((at % PART) as usize..);
        }
        if !ends_within(BLOCK) {
            return self.long_block(at, least);
        }
        let part = part.get_or_init(CachedPart::new);
        let number = (at % PART / BLOCK) as usize;
        let block = part.blocks.get(number)?;
        if block.get().is_none() && (!part.is_next_of_many(number) || !self.set(&part.whole, at - at % PART, PART)) {
            self.set(block, at - at % BLOCK, BLOCK);
        }
        match part.whole.get() {
            Some(whole) => whole.get((at % PART) as usize..),
            None => block.get()?.get((at % BLOCK) as usize..),
        }
    }

    /// Reads the `len` bytes at `start` and the overlap after them; returns whether they are there.
    fn set(&self, bytes: &OnceLock<Box<[u8]>>, start: u64, len: u64) -> bool {
        let read = self.read(start, (len + OVERLAP).min(self.len.saturating_sub(start)));
        // Another thread may have read the same meanwhile.
        read.is_ok_and(|read| bytes.set(read.into_boxed_slice()).is_ok()) || bytes.get().is_some()
    }

    /// Bytes from `at` on, at least `least`, from a long block that was read or a new one.
    fn long_block(&self, at: u64, least: u64) -> Option<&[u8]> {
        if least > LONG {
            return None;
        }
        self.long.iter().find_map(|cell| {
            if cell.get().is_none() {
                let bytes = self.read(at, LONG.min(self.len.checked_sub(at)?)).ok()?;
                let _ = cell.set(LongBlock { start: at, bytes });
            }
            let block = cell.get()?;
            let bytes = block.bytes.get(usize::try_from(at.checked_sub(block.start)?).ok()?..)?;
            (bytes.len() as u64 >= least).then_some(bytes)
        })
    }

    /// Reads `len` bytes at `at`.
    pub(super) fn read(&self, at: u64, len: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let size = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        bytes.try_reserve_exact(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
        if len <= PART + OVERLAP {
            // In one read: `read_to_end` does not know how much there is.
            bytes.resize(size, 0);
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            read_exact_at(&mut file, &mut bytes, at)?;
            return Ok(bytes);
        }
        self.append(at, len, &mut bytes)?;
        if bytes.len() == size { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Appends up to `len` bytes at `at` to `bytes`: fewer where the file ends.
    pub(super) fn append(&self, at: u64, len: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        (&mut *file).take(len).read_to_end(bytes).map(drop)
    }
}

/// Reads without a seek: one system call.
#[cfg(unix)]
fn read_exact_at(file: &mut File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(not(unix))]
fn read_exact_at(file: &mut File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A file that has no name any more.
    fn file(name: &str, bytes: &[u8]) -> File {
        let path = std::env::temp_dir().join(format!("pdblens-{}-{name}", std::process::id()));
        let mut file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
        file.write_all(bytes).unwrap();
        // On Windows it stays until the folder is emptied.
        let _ = std::fs::remove_file(path);
        file
    }

    fn bytes(len: usize) -> Vec<u8> {
        (0..len).map(|i| (i * 7 % 251) as u8).collect()
    }

    #[test]
    fn pieces_are_the_bytes_of_the_file() {
        let bytes = bytes(3_000_001);
        let file = DiskFile::new(file("pieces", &bytes), bytes.len() as u64);
        for (at, least) in
            [(0, 1), (BLOCK - 1, 2), (BLOCK - 1, OVERLAP + 1), (BLOCK * 2 - 1, OVERLAP + 2), (3_000_000, 1)]
        {
            let piece = file.near(at, least).unwrap();
            assert!(piece.len() as u64 >= least, "{at} {least}: {}", piece.len());
            assert_eq!(piece, &bytes[at as usize..at as usize + piece.len()], "{at} {least}");
        }
        assert_eq!((file.near(0, LONG + 1), file.near(3_000_002, 0)), (None, None));
        assert_eq!(file.held(), None);
        assert_eq!(file.whole(), bytes);
        assert_eq!(file.near(5, LONG + 1), bytes.get(5..));
    }

    #[test]
    fn a_part_is_read_whole_after_many_of_its_blocks() {
        let bytes = bytes(2 * PART as usize + 5000);
        let file = DiskFile::new(file("part", &bytes), bytes.len() as u64);
        let end = |at: u64| {
            let piece = file.near(at, 1).unwrap();
            assert_eq!(piece, &bytes[at as usize..at as usize + piece.len()], "{at}");
            at + piece.len() as u64
        };
        let block_end = |block: u64| (block + 1) * BLOCK + OVERLAP;
        // In a row.
        for block in 0..ROW as u64 {
            assert_eq!(end(block * BLOCK + 7), block_end(block));
        }
        assert_eq!((end(ROW as u64 * BLOCK), end(0)), (PART + OVERLAP, PART + OVERLAP));
        // Every second one of the next part.
        for block in (BLOCKS..2 * BLOCKS).step_by(2).take(MANY) {
            assert_eq!(end(block * BLOCK + 7), block_end(block));
        }
        assert_eq!((end(2 * PART - 1), end(PART)), (2 * PART + OVERLAP, 2 * PART + OVERLAP));
        // Neither rule applies in the last part.
        assert_eq!((end(2 * PART), end(2 * PART + BLOCK)), (bytes.len() as u64, bytes.len() as u64));
    }

    /// A file of zeros.
    fn sparse(len: u64) -> DiskFile {
        let file = file("sparse", &[]);
        file.set_len(len).unwrap();
        DiskFile::new(file, len)
    }

    #[test]
    fn long_pieces_are_few() {
        let file = sparse(200 * LONG);
        let got = (0..100).filter(|at| file.near(at * 2 * LONG, OVERLAP + BLOCK + 1).is_some()).count();
        assert_eq!(got, MAX_LONG);
        // One that is kept stays.
        assert!(file.near(0, OVERLAP + BLOCK + 1).is_some());
    }

    #[test]
    fn a_file_that_became_shorter_has_no_such_bytes() {
        let file = DiskFile::new(file("shorter", &[1; 100]), 200);
        assert_eq!((file.near(0, 1), file.whole()), (None, &[][..]));
    }
}
