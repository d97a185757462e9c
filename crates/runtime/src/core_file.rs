//! Cores: ELF files with the memory of a process, its registers, and the names of its mapped files.
//!
//! # References
//!
//! elf(5); Linux, `fs/binfmt_elf.c` (`NT_FILE`), `include/uapi/linux/elfcore.h` (`NT_PRSTATUS`)

use std::fs::File;
use std::io::Read;
use std::path::Path;

use object::Endianness;
use object::elf::{EM_X86_64, ET_CORE, FileHeader64, NT_FILE, NT_PRSTATUS, PT_LOAD, PT_NOTE, ProgramType};
use object::read::elf::{FileHeader, ProgramHeader};

use crate::core_memory::{Bytes, FileBytes, FilesOfPages, Segment, target};
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

impl Target {
    /// Opens the core in a file.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotCore`] for other files, and where it cannot be read.
    pub fn core(path: &Path) -> Result<Self> {
        open(FileBytes::new(File::open(path)?), path.parent())
    }

    /// Opens the core in memory.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotCore`] for other bytes.
    pub fn core_bytes(bytes: Vec<u8>) -> Result<Self> {
        open(bytes, None)
    }
}

/// Opens a core; images that are not at their paths are searched in a folder.
fn open<B: Bytes + 'static>(core: B, folder: Option<&Path>) -> Result<Target> {
    let cut = MemoryError::NotCore("its headers are cut off");
    let mut header = vec![0; 64.min(core.len() as usize)];
    core.read_at(0, &mut header).ok_or(cut)?;
    if header.starts_with(minidump::MAGIC) {
        return minidump::open(core, folder);
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
    Ok(target(core, loads, FilesOfPages { files: files.clone(), ..FilesOfPages::default() }, files, threads))
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
