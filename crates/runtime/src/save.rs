//! A core with the pages that were read: small, and it opens later and on another machine.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Result;
use crate::memory::{Memory, PAGE, after};
use crate::registers::Stopped;
use crate::target::{MappedFile, Target};

/// Pages that were read of a memory.
#[derive(Clone, Default)]
pub struct Pages(Arc<Mutex<BTreeSet<u64>>>);

struct Recording {
    memory: Box<dyn Memory>,
    pages: Pages,
}

impl Memory for Recording {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        self.memory.read(address, bytes)?;
        if let Some(last) = (bytes.len() as u64).checked_sub(1) {
            let mut pages = self.pages.0.lock().unwrap_or_else(PoisonError::into_inner);
            pages.extend((address / PAGE..=after(address, last) / PAGE).map(|page| page * PAGE));
        }
        Ok(())
    }
}

impl Target {
    /// The same process; the pages that are read of it are kept in mind.
    #[must_use]
    pub fn recording(mut self) -> (Self, Pages) {
        let pages = Pages::default();
        self.memory = Box::new(Recording { memory: self.memory, pages: pages.clone() });
        (self, pages)
    }

    /// A core with the pages that were read, the registers of the threads and the names of the files of those pages.
    pub fn save(&self, pages: &Pages) -> Vec<u8> {
        let pages: Vec<u64> = pages.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let mut notes = Vec::new();
        for thread in &self.threads {
            let Stopped::At(registers) = &thread.stopped else { continue };
            let mut status = vec![0; 336];
            status[32..36].copy_from_slice(&thread.id.to_le_bytes());
            registers.write(&mut status[112..328]);
            note(&mut notes, 1, &status);
        }
        let is_read = |start: u64, end: u64| {
            pages.get(pages.partition_point(|page| *page < start)).is_some_and(|page| *page < end)
        };
        // A frame is in a range of a library whose other ranges were read.
        let read: HashSet<&str> =
            self.files.iter().filter(|file| is_read(file.start, file.end)).map(|file| file.path.as_str()).collect();
        let is_kept = |file: &&MappedFile| read.contains(file.path.as_str()) || file.offset == 0;
        let files: Vec<_> = self.files.iter().filter(is_kept).collect();
        let mut mapped = Vec::new();
        mapped.extend((files.len() as u64).to_le_bytes());
        mapped.extend(PAGE.to_le_bytes());
        for file in &files {
            for word in [file.start, file.end, file.offset / PAGE] {
                mapped.extend(word.to_le_bytes());
            }
        }
        for file in &files {
            mapped.extend(file.path.as_bytes());
            mapped.push(0);
        }
        note(&mut notes, 0x4649_4c45, &mapped);
        // Runs of pages that follow each other are a segment.
        let runs: Vec<(u64, u64)> = pages
            .chunk_by(|a, b| *b == *a + PAGE)
            .filter_map(|run| Some((*run.first()?, run.len() as u64 * PAGE)))
            .collect();
        let headers = 64 + 56 * (runs.len() as u64 + 1);
        let mut core = Vec::new();
        core.extend(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
        core.extend(4_u16.to_le_bytes());
        core.extend(62_u16.to_le_bytes());
        core.extend(1_u32.to_le_bytes());
        for word in [0_u64, 64, 0] {
            core.extend(word.to_le_bytes());
        }
        core.extend(0_u32.to_le_bytes());
        for word in [64_u16, 56, u16::try_from(runs.len() + 1).unwrap_or(u16::MAX), 64, 0, 0] {
            core.extend(word.to_le_bytes());
        }
        segment(&mut core, 4, headers, 0, notes.len() as u64);
        let mut offset = headers + notes.len() as u64;
        for (start, len) in &runs {
            segment(&mut core, 1, offset, *start, *len);
            offset += len;
        }
        core.extend(notes);
        for page in &pages {
            // A page that was unmapped since is saved as zeros.
            let mut bytes = [0; PAGE as usize];
            let _ = self.memory.read(*page, &mut bytes);
            core.extend(bytes);
        }
        core
    }
}

/// Program header of bytes at an offset of the core.
fn segment(core: &mut Vec<u8>, kind: u32, offset: u64, address: u64, len: u64) {
    core.extend(kind.to_le_bytes());
    core.extend(4_u32.to_le_bytes());
    for word in [offset, address, 0, len, len, 1] {
        core.extend(word.to_le_bytes());
    }
}

fn note(notes: &mut Vec<u8>, kind: u32, bytes: &[u8]) {
    for word in [5, bytes.len() as u32, kind] {
        notes.extend(word.to_le_bytes());
    }
    notes.extend(b"CORE\0\0\0\0");
    notes.extend(bytes);
    notes.resize(notes.len().next_multiple_of(4), 0);
}
