//! A file on disk, read block by block on demand; blocks are cached.

use std::fs::File;
use std::io;
use std::sync::OnceLock;

/// Distance between the starts of two blocks, in bytes.
const BLOCK: u64 = 32 << 10;
/// Number of bytes of the next block that a block includes, so that a short record is contiguous.
const OVERLAP: u64 = 4 << 10;
/// Size of the longest record that is kept apart from the blocks, in bytes.
const LONG: u64 = 1 << 20;
/// Limit on these records: in a hostile file each may be long.
const MAX_LONG: usize = 32;

/// An open file, and the blocks that were read.
#[derive(Debug)]
pub struct DiskFile {
    file: File,
    pub(super) len: u64,
    /// Bytes of each block, with its overlap, once it was read.
    blocks: OnceLock<Box<[OnceLock<Vec<u8>>]>>,
    /// Records that no block has as a whole.
    long: [OnceLock<LongRecord>; MAX_LONG],
    whole: OnceLock<Vec<u8>>,
}

#[derive(Debug)]
struct LongRecord {
    start: u64,
    bytes: Vec<u8>,
}

impl DiskFile {
    /// Wraps an open file of `len` bytes.
    pub fn new(file: File, len: u64) -> Self {
        Self { file, len, blocks: OnceLock::new(), long: Default::default(), whole: OnceLock::new() }
    }

    pub(super) fn held(&self) -> Option<&[u8]> {
        self.whole.get().map(Vec::as_slice)
    }

    /// All bytes; none if they cannot be read.
    pub(super) fn whole(&self) -> &[u8] {
        self.whole.get_or_init(|| self.read(0, self.len).unwrap_or_default())
    }

    /// The `len` bytes at `at`, where a block that was read has them.
    #[inline]
    pub(super) fn in_block(&self, at: u64, len: u64) -> Option<&[u8]> {
        let block = self.blocks.get()?.get(usize::try_from(at / BLOCK).ok()?)?.get()?;
        let from = (at % BLOCK) as usize;
        block.get(from..from.checked_add(usize::try_from(len).ok()?)?)
    }

    /// Bytes from `at` on: at least `least`, which must be in the file; `None` if that is too much to keep or cannot be read.
    pub(super) fn near(&self, at: u64, least: u64) -> Option<&[u8]> {
        if let Some(whole) = self.held() {
            return whole.get(usize::try_from(at).ok()?..);
        }
        let from = at % BLOCK;
        if from.checked_add(least)? > BLOCK + OVERLAP {
            return self.long_record(at, least);
        }
        let count = self.len.div_ceil(BLOCK);
        let blocks = self.blocks.get_or_init(|| (0..count).map(|_| OnceLock::new()).collect());
        let block = blocks.get(usize::try_from(at / BLOCK).ok()?)?;
        if block.get().is_none() {
            let start = at - from;
            let bytes = self.read(start, (BLOCK + OVERLAP).min(self.len - start)).ok()?;
            // Another thread may have read the same meanwhile.
            let _ = block.set(bytes);
        }
        block.get()?.get(from as usize..)
    }

    /// Bytes from `at` on, at least `least`, from a long record that was read or a new one.
    fn long_record(&self, at: u64, least: u64) -> Option<&[u8]> {
        if least > LONG {
            return None;
        }
        self.long.iter().find_map(|cell| {
            if cell.get().is_none() {
                let bytes = self.read(at, least).ok()?;
                let _ = cell.set(LongRecord { start: at, bytes });
            }
            let record = cell.get()?;
            let bytes = record.bytes.get(usize::try_from(at.checked_sub(record.start)?).ok()?..)?;
            (bytes.len() as u64 >= least).then_some(bytes)
        })
    }

    pub(super) fn read(&self, at: u64, len: u64) -> io::Result<Vec<u8>> {
        let size = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        // To reserve first says whether there is as much; memory of zeros comes from the system as it is, and is not written here.
        Vec::<u8>::new().try_reserve_exact(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut bytes = vec![0; size];
        read_exact_at(&self.file, &mut bytes, at)?;
        Ok(bytes)
    }

    pub(super) fn fill(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        read_exact_at(&self.file, bytes, at)
    }
}

/// Reads in one call, which leaves the position of the file alone: threads need no lock.
#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    let mut done = 0;
    while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match file.seek_read(rest, at + done as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => done += read,
        }
    }
    Ok(())
}

/// One thread reads, as in WebAssembly.
#[cfg(not(any(unix, windows)))]
fn read_exact_at(mut file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
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
            assert!(file.in_block(at, least).is_none_or(|found| found == &piece[..least as usize]), "{at} {least}");
        }
        assert_eq!(file.in_block(BLOCK - 1, 2), bytes.get(BLOCK as usize - 1..BLOCK as usize + 1));
        assert_eq!((file.in_block(BLOCK - 1, OVERLAP + 2), file.in_block(BLOCK * 5, 1)), (None, None));
        assert_eq!((file.near(0, LONG + 1), file.near(3_000_002, 0)), (None, None));
        assert_eq!(file.held(), None);
        assert_eq!(file.whole(), bytes);
        assert_eq!(file.near(5, LONG + 1), bytes.get(5..));
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
