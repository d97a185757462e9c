//! Memory of a core: the ranges that it has, and the pages of mapped files that it leaves out.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::elf_file::ElfFile;
use crate::memory::{Memory, after, before};
use crate::target::{MappedFile, Target, TargetThread};
use crate::{MemoryError, Result};

/// Bytes of a core, read where they are asked for.
pub trait Bytes: Send + Sync {
    /// Fills `bytes` with those from `offset` on.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Option<()>;
    /// Length.
    fn len(&self) -> u64;
}

/// Bytes of a file that are read at once, and most such blocks that are kept: a walk of a stack goes between few.
const BLOCK: u64 = 0x4000;
const MOST_BLOCKS: usize = 32;

/// A file that one reader at a time has: not every system reads at a place.
pub struct FileBytes(Mutex<Blocks>);

struct Blocks {
    file: File,
    /// Offset and bytes of each, the last that was read first.
    kept: VecDeque<(u64, Vec<u8>)>,
}

impl FileBytes {
    /// Wraps an open file.
    pub fn new(file: File) -> Self {
        Self(Mutex::new(Blocks { file, kept: VecDeque::new() }))
    }
}

impl Bytes for FileBytes {
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Option<()> {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Blocks { file, kept } = &mut *guard;
        let mut done = 0;
        while done < bytes.len() {
            let at = offset.checked_add(done as u64)?;
            let start = at - at % BLOCK;
            if !kept.iter().any(|(known, _)| *known == start) {
                let mut block = Vec::new();
                file.seek(SeekFrom::Start(start)).ok()?;
                file.by_ref().take(BLOCK).read_to_end(&mut block).ok()?;
                kept.truncate(MOST_BLOCKS - 1);
                kept.push_front((start, block));
            }
            let (_, block) = kept.iter().find(|(known, _)| *known == start)?;
            let found = block.get((at - start) as usize..).filter(|found| !found.is_empty())?;
            let len = found.len().min(bytes.len() - done);
            bytes[done..done + len].copy_from_slice(&found[..len]);
            done += len;
        }
        Some(())
    }

    fn len(&self) -> u64 {
        let guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        guard.file.metadata().map_or(0, |data| data.len())
    }
}

impl Bytes for Vec<u8> {
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Option<()> {
        let start = usize::try_from(offset).ok()?;
        bytes.copy_from_slice(self.get(start..start.checked_add(bytes.len())?)?);
        Some(())
    }

    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }
}

/// A range of memory whose first `in_file` bytes are in the core.
pub struct Segment {
    /// First address.
    pub start: u64,
    /// Size.
    pub in_file: u64,
    /// Offset in the core.
    pub offset: u64,
}

struct CoreMemory<B> {
    core: B,
    segments: Vec<Segment>,
    /// Files that have pages that the core leaves out.
    files: Vec<MappedFile>,
    root: PathBuf,
    images: Mutex<HashMap<String, Option<Arc<OnDisk>>>>,
}

/// A mapped file on this machine, for the pages that the core leaves out.
struct OnDisk {
    file: FileBytes,
    base: u64,
    elf: Option<(ElfFile, BTreeMap<u64, Option<u64>>)>,
}

impl<B: Bytes> Memory for CoreMemory<B> {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        let mut done = 0;
        while done < bytes.len() {
            let at = after(address, done as u64);
            let rest = &mut bytes[done..];
            let read = self.in_core(at, rest).or_else(|| self.on_disk(at, rest)).ok_or(MemoryError::NotMapped(at))?;
            done += read;
        }
        Ok(())
    }
}

impl<B: Bytes> CoreMemory<B> {
    /// Reads as many bytes as one segment has; `None` if none has the address.
    fn in_core(&self, address: u64, bytes: &mut [u8]) -> Option<usize> {
        let next = self.segments.partition_point(|segment| segment.start <= address);
        let segment = self.segments.get(next.checked_sub(1)?)?;
        let skip = address - segment.start;
        let there = segment.in_file.checked_sub(skip).filter(|there| *there > 0)?;
        let len = bytes.len().min(usize::try_from(there).unwrap_or(usize::MAX));
        self.core.read_at(segment.offset.checked_add(skip)?, &mut bytes[..len])?;
        Some(len)
    }

    /// Reads bytes of a file that is mapped here, relocated as the loader did.
    fn on_disk(&self, address: u64, bytes: &mut [u8]) -> Option<usize> {
        let next = self.files.partition_point(|file| file.start <= address);
        let file = self.files.get(next.checked_sub(1)?).filter(|file| address < file.end)?;
        let len = bytes.len().min(usize::try_from(file.end - address).ok()?);
        let bytes = &mut bytes[..len];
        let image = self.image(&file.path)?;
        image.file.read_at(file.offset.checked_add(address - file.start)?, bytes)?;
        if let Some((elf, relocations)) = &image.elf {
            let first = after(address.checked_sub(image.base)?, elf.start());
            for (place, addend) in relocations.range(first - first.min(7)..first.checked_add(len as u64)?) {
                let value = match addend {
                    Some(addend) => *addend,
                    None => elf.word(*place)?,
                };
                let word = after(image.base, before(value, elf.start())).to_le_bytes();
                for (index, byte) in word.into_iter().enumerate() {
                    let target =
                        place.checked_add(index as u64)?.checked_sub(first).and_then(|at| bytes.get_mut(at as usize));
                    if let Some(target) = target {
                        *target = byte;
                    }
                }
            }
        }
        Some(len)
    }

    fn image(&self, path: &str) -> Option<Arc<OnDisk>> {
        let mut images = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        let open = || {
            let here = self.root.join(path.trim_start_matches('/'));
            // A device or a pipe would wait or act.
            let file = std::fs::metadata(&here).ok()?.is_file().then(|| File::open(&here).ok())??;
            let file = FileBytes::new(file);
            let base = self.files.iter().find(|file| file.path == path)?.start;
            let elf = ElfFile::read(&here).map(|elf| {
                let relocations = elf.relocations();
                (elf, relocations)
            });
            // A core names any path: files that are no code are not read.
            let mut magic = [0; 2];
            file.read_at(0, &mut magic)?;
            (elf.is_some() || magic == *b"MZ").then(|| Arc::new(OnDisk { file, base, elf }))
        };
        images.entry(path.to_owned()).or_insert_with(open).clone()
    }
}

/// The target of a core, whose pages that are not in it are in some of its files.
pub fn target<B: Bytes + 'static>(
    core: B,
    mut segments: Vec<Segment>,
    files_of_pages: &[MappedFile],
    mut files: Vec<MappedFile>,
    mut threads: Vec<TargetThread>,
) -> Target {
    segments.sort_by_key(|segment| segment.start);
    files.sort_by_key(|file| file.start);
    threads.sort_by_key(|thread| thread.id);
    let root = PathBuf::from("/");
    let memory =
        CoreMemory { core, segments, files: files_of_pages.to_vec(), root: root.clone(), images: Mutex::default() };
    Target { memory: Box::new(memory), files, threads, root, pid: None }
}
