//! Minidumps: what Windows writes of the memory, modules and threads of a process.
//!
//! # References
//!
//! Microsoft, `minidumpapiset.h`: `MINIDUMP_HEADER`, `MINIDUMP_DIRECTORY`, and the lists of its streams; `winnt.h`: `CONTEXT` of x64

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::core_memory::{Bytes, FilesOfPages, Segment, target};
use crate::registers::{Registers, Stopped};
use crate::target::{MappedFile, Target, TargetThread};
use crate::{MemoryError, Result};

/// First bytes of the file.
pub const MAGIC: &[u8; 4] = b"MDMP";
/// Kinds of streams.
const THREADS: u32 = 3;
const MODULES: u32 = 4;
const MEMORY: u32 = 5;
const SYSTEM: u32 = 7;
const MEMORY_64: u32 = 9;
const THREAD_NAMES: u32 = 24;
/// Processor of x64 in the stream about the system.
const X64: u16 = 9;
/// Places of the general registers in the context of a thread, and of its program counter; its size up to there.
const GENERAL: usize = 0x78;
const PROGRAM_COUNTER: usize = 0xf8;
const CONTEXT: usize = 0x100;
/// Most streams, bytes of one that are read, threads and modules, and bytes of a name.
const MOST_STREAMS: u32 = 1 << 12;
const MOST_BYTES: u64 = 64 << 20;
const MOST_ROWS: usize = 1 << 14;
const MOST_TEXT: u64 = 1 << 12;

/// Opens a minidump. The pages of images that it leaves out are read from the images themselves, at their paths or in a folder.
pub fn open<B: Bytes + 'static>(dump: B, folder: Option<&Path>) -> Result<Target> {
    let damaged = || MemoryError::NotCore("its streams are damaged");
    let header = bytes(&dump, 0, 32).ok_or_else(damaged)?;
    let streams = u32_at(&header, 8).filter(|streams| *streams <= MOST_STREAMS).ok_or_else(damaged)?;
    let directory =
        u32_at(&header, 12).and_then(|at| bytes(&dump, at.into(), 12 * u64::from(streams))).ok_or_else(damaged)?;
    let (mut files, mut threads, mut segments) = (Vec::new(), Vec::<TargetThread>::new(), Vec::new());
    let mut names: HashMap<u32, String> = HashMap::new();
    let mut seen = HashSet::new();
    let mut pages = FilesOfPages { beside: folder.map(Path::to_owned), ..FilesOfPages::default() };
    for entry in directory.chunks_exact(12) {
        let kind = u32_at(entry, 0).unwrap_or_default();
        if !matches!(kind, THREADS | MODULES | MEMORY | SYSTEM | MEMORY_64 | THREAD_NAMES) || !seen.insert(kind) {
            continue;
        }
        let (Some(size), Some(at)) = (u32_at(entry, 4), u32_at(entry, 8)) else { continue };
        let stream = bytes(&dump, at.into(), size.into()).ok_or_else(damaged)?;
        match kind {
            THREADS => threads.extend(rows(&stream, 4, 48).take(MOST_ROWS).filter_map(|row| thread(&dump, row))),
            MODULES => {
                for row in rows(&stream, 4, 108).take(MOST_ROWS) {
                    pages.stamps.extend(u64_at(row, 0).zip(u32_at(row, 16)));
                    files.extend(module(&dump, row));
                }
            }
            MEMORY => segments.extend(rows(&stream, 4, 16).filter_map(|row| {
                let in_file = u64::from(u32_at(row, 8)?);
                Some(Segment { start: u64_at(row, 0)?, in_file, offset: u32_at(row, 12)?.into() })
            })),
            MEMORY_64 => {
                // The ranges follow each other in the file.
                let mut offset = u64_at(&stream, 8).ok_or_else(damaged)?;
                for row in rows(&stream, 16, 16) {
                    let (Some(start), Some(in_file)) = (u64_at(row, 0), u64_at(row, 8)) else { break };
                    segments.push(Segment { start, in_file, offset });
                    offset = offset.checked_add(in_file).ok_or_else(damaged)?;
                }
            }
            THREAD_NAMES => names.extend(
                rows(&stream, 4, 12)
                    .take(MOST_ROWS)
                    .filter_map(|row| Some((u32_at(row, 0)?, text(&dump, u64_at(row, 4)?)?))),
            ),
            _ => match u16_at(&stream, 0) {
                Some(X64) => {}
                other => return Err(MemoryError::Architecture(format!("processor {}", other.unwrap_or_default()))),
            },
        }
    }
    for thread in &mut threads {
        thread.name = names.remove(&thread.id).unwrap_or_default();
    }
    files.sort_by_key(|file: &MappedFile| file.start);
    pages.files.clone_from(&files);
    Ok(target(dump, segments, pages, files, threads))
}

/// Bytes of a range of the file, if it is there and not too long.
fn bytes(dump: &impl Bytes, at: u64, len: u64) -> Option<Vec<u8>> {
    if len > MOST_BYTES || at.checked_add(len)? > dump.len() {
        return None;
    }
    let mut bytes = vec![0; len as usize];
    dump.read_at(at, &mut bytes)?;
    Some(bytes)
}

/// Rows of a list, whose number is its first word, and whose first row is at a place; some writers put it on a multiple of 8.
fn rows(stream: &[u8], start: usize, size: usize) -> impl Iterator<Item = &[u8]> {
    let count = u32_at(stream, 0).unwrap_or_default() as usize;
    let is_padded = start == 4 && count.checked_mul(size).is_some_and(|rows| rows.checked_add(8) == Some(stream.len()));
    let start = if is_padded { 8 } else { start };
    stream.get(start..).unwrap_or_default().chunks_exact(size).take(count)
}

fn thread(dump: &impl Bytes, row: &[u8]) -> Option<TargetThread> {
    let id = u32_at(row, 0)?;
    let context = || {
        let place = u32_at(row, 44)?;
        let context = bytes(dump, place.into(), u64::from(u32_at(row, 40)?).min(CONTEXT as u64))?;
        let mut general = [0; 16];
        for (number, register) in general.iter_mut().enumerate() {
            *register = u64_at(&context, GENERAL + 8 * number)?;
        }
        Some(Registers::of_windows(u64_at(&context, PROGRAM_COUNTER)?, general))
    };
    // A thread whose registers could not be read has none.
    let stopped = context().map_or(Stopped::Unknown, |registers| Stopped::At(Box::new(registers)));
    Some(TargetThread { id, name: String::new(), stopped })
}

fn module(dump: &impl Bytes, row: &[u8]) -> Option<MappedFile> {
    let start = u64_at(row, 0)?;
    let end = start.checked_add(u32_at(row, 8)?.into())?;
    Some(MappedFile { start, end, offset: 0, path: text(dump, u32_at(row, 20)?.into())? })
}

/// UTF-16 text behind the number of its bytes.
fn text(dump: &impl Bytes, at: u64) -> Option<String> {
    let len = u32_at(&bytes(dump, at, 4)?, 0)?;
    let text = bytes(dump, at.checked_add(4)?, u64::from(len).min(MOST_TEXT))?;
    let units: Vec<u16> = text.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
    Some(String::from_utf16_lossy(&units))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
