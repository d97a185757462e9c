//! Cores: ELF files with the memory of a process, its registers, and the names of its mapped files.
//!
//! # References
//!
//! elf(5); Linux, `fs/binfmt_elf.c` (`NT_FILE`), `include/uapi/linux/elfcore.h` (`NT_PRSTATUS`)

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use object::Endianness;
use object::elf::{EM_X86_64, ET_CORE, FileHeader64, NT_FILE, NT_PRSTATUS, PT_LOAD, PT_NOTE, ProgramType};
use object::read::elf::{FileHeader, ProgramHeader};

use crate::elf_file::ElfFile;
use crate::memory::{Memory, after, before};
use crate::registers::{KERNEL, RIP, RSP, Registers, Stopped};
use crate::target::{MappedFile, Target, TargetThread};
use crate::{MemoryError, Result, minidump};

/// Most bytes of headers and notes, which are at the front of a core.
const MOST_HEADERS: u64 = 64 << 20;
/// Place of the registers in the note of a thread, and of its number.
const REGISTERS: usize = 112;
const THREAD_ID: usize = 32;

/// True for a file that begins as an ELF core of 64 bits or a minidump does. A pipe or a device is not read.
pub fn is_core(path: &Path) -> bool {
    let first = || {
        let mut bytes = [0; 18];
        File::open(path).ok()?.read_exact(&mut bytes).ok()?;
        Some(bytes)
    };
    path.is_file()
        && first().is_some_and(|bytes| {
            let is_elf = bytes.starts_with(b"\x7fELF\x02") && bytes[16..] == ET_CORE.0.to_le_bytes();
            is_elf || bytes.starts_with(minidump::MAGIC)
        })
}

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
pub struct FileBytes(Mutex<(File, VecDeque<(u64, Vec<u8>)>)>);

impl FileBytes {
    /// Wraps an open file.
    pub fn new(file: File) -> Self {
        Self(Mutex::new((file, VecDeque::new())))
    }
}

impl Bytes for FileBytes {
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Option<()> {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, blocks) = &mut *guard;
        let mut done = 0;
        while done < bytes.len() {
            let at = offset.checked_add(done as u64)?;
            let start = at - at % BLOCK;
            if !blocks.iter().any(|(known, _)| *known == start) {
                let mut block = Vec::new();
                file.seek(SeekFrom::Start(start)).ok()?;
                file.by_ref().take(BLOCK).read_to_end(&mut block).ok()?;
                blocks.truncate(MOST_BLOCKS - 1);
                blocks.push_front((start, block));
            }
            let (_, block) = blocks.iter().find(|(known, _)| *known == start)?;
            let found = block.get((at - start) as usize..).filter(|found| !found.is_empty())?;
            let len = found.len().min(bytes.len() - done);
            bytes[done..done + len].copy_from_slice(&found[..len]);
            done += len;
        }
        Some(())
    }

    fn len(&self) -> u64 {
        let guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        guard.0.metadata().map_or(0, |data| data.len())
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

impl Target {
    /// Opens the core in a file.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotCore`] for other files, and where it cannot be read.
    pub fn core(path: &Path) -> Result<Self> {
        open(FileBytes::new(File::open(path)?))
    }

    /// Opens the core in memory.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotCore`] for other bytes.
    pub fn core_bytes(bytes: Vec<u8>) -> Result<Self> {
        open(bytes)
    }
}

/// Opens a core.
fn open<B: Bytes + 'static>(core: B) -> Result<Target> {
    let cut = MemoryError::NotCore("its headers are cut off");
    let mut header = vec![0; 64.min(core.len() as usize)];
    core.read_at(0, &mut header).ok_or(cut)?;
    if header.starts_with(minidump::MAGIC) {
        return minidump::open(core);
    }
    let parsed = FileHeader64::<Endianness>::parse(header.as_slice())
        .map_err(|_| MemoryError::NotCore("it is no ELF file of 64 bits"))?;
    let endian = parsed.endian().map_err(|_| MemoryError::NotCore("its byte order is unknown"))?;
    if parsed.e_type(endian) != ET_CORE {
        return Err(MemoryError::NotCore("it is an ELF file of another type"));
    }
    if parsed.e_machine(endian) != EM_X86_64 {
        return Err(MemoryError::Architecture(format!("ELF machine {}", parsed.e_machine(endian))));
    }
    // A core with 65 535 segments and more has their number in a section, which no process of a runtime needs.
    let end_of_headers = parsed.e_phoff(endian).checked_add(56 * u64::from(parsed.e_phnum(endian)));
    let headers = front(&core, end_of_headers)?;
    let segments = parse_segments(&headers)?;
    let notes = segments
        .iter()
        .filter(|(kind, ..)| *kind == PT_NOTE)
        .map(|(_, _, offset, size)| offset.checked_add(*size))
        .max()
        .flatten();
    let notes = front(&core, notes)?;
    let mut files = Vec::new();
    let mut threads = Vec::new();
    let parsed = FileHeader64::<Endianness>::parse(notes.as_slice())
        .map_err(|_| MemoryError::NotCore("its headers are cut off"))?;
    for segment in parsed.program_headers(endian, notes.as_slice()).unwrap_or_default() {
        let Ok(Some(mut iterator)) = segment.notes(endian, notes.as_slice()) else { continue };
        while let Ok(Some(note)) = iterator.next() {
            match note.n_type(endian) {
                NT_PRSTATUS => threads.extend(thread(note.desc())),
                NT_FILE => files.extend(mapped_files(note.desc())),
                _ => {}
            }
        }
    }
    files.sort_by_key(|file: &MappedFile| file.start);
    let mut loads: Vec<Segment> = Vec::new();
    for (kind, start, offset, in_file) in segments {
        if kind == PT_LOAD && in_file > 0 {
            loads.push(Segment { start, in_file, offset });
        }
    }
    Ok(target(core, loads, &files, files.clone(), threads))
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

/// The bytes of a core up to an offset.
fn front(core: &impl Bytes, end: Option<u64>) -> Result<Vec<u8>> {
    let end = end.unwrap_or(64).max(64);
    if end > MOST_HEADERS {
        return Err(MemoryError::Endless("headers of the core"));
    }
    let mut bytes = vec![0; end as usize];
    core.read_at(0, &mut bytes).ok_or(MemoryError::NotCore("its headers are cut off"))?;
    Ok(bytes)
}

/// Type, address, offset and size in the file of each segment.
fn parse_segments(bytes: &[u8]) -> Result<Vec<(ProgramType, u64, u64, u64)>> {
    let damaged = |_| MemoryError::NotCore("its headers are damaged");
    let parsed = FileHeader64::<Endianness>::parse(bytes).map_err(damaged)?;
    let endian = parsed.endian().map_err(damaged)?;
    let headers = parsed.program_headers(endian, bytes).map_err(damaged)?;
    Ok(headers
        .iter()
        .map(|header| (header.p_type(endian), header.p_vaddr(endian), header.p_offset(endian), header.p_filesz(endian)))
        .collect())
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

/// Thread of a note `NT_PRSTATUS`.
fn thread(note: &[u8]) -> Option<TargetThread> {
    let register = |index: usize| word(note, REGISTERS + 8 * index);
    let mut general = [0; 16];
    for (index, number) in KERNEL.into_iter().enumerate() {
        general[number] = register(index)?;
    }
    general[7] = register(RSP)?;
    let id = u32::from_le_bytes(note.get(THREAD_ID..THREAD_ID + 4)?.try_into().ok()?);
    Some(TargetThread {
        id,
        name: String::new(),
        stopped: Stopped::At(Box::new(Registers::whole(register(RIP)?, general))),
    })
}

/// Files of a note `NT_FILE`: a count, the size of a page, three words for each file, then their names.
fn mapped_files(note: &[u8]) -> Vec<MappedFile> {
    let read = || {
        let count = usize::try_from(word(note, 0)?).ok()?;
        let page = word(note, 8)?;
        let names = note.get(16_usize.checked_add(count.checked_mul(24)?)?..)?;
        let file = |(index, name): (usize, &[u8])| {
            let at = 16 + 24 * index;
            let offset = word(note, at + 16)?.checked_mul(page)?;
            Some(MappedFile {
                start: word(note, at)?,
                end: word(note, at + 8)?,
                offset,
                path: String::from_utf8_lossy(name).into_owned(),
            })
        };
        Some(names.split(|byte| *byte == 0).take(count).enumerate().filter_map(file).collect())
    };
    read().unwrap_or_default()
}
