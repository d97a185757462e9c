//! Memory of a core: the ranges that it has, and the pages of mapped files that it leaves out.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use object::LittleEndian;
use object::pe::{IMAGE_REL_BASED_DIR64, ImageNtHeaders32, ImageNtHeaders64};
use object::read::pe::{ImageNtHeaders, ImageOptionalHeader, PeFile};

use crate::elf_file::ElfFile;
use crate::memory::{Memory, after, before};
use crate::target::{MappedFile, Target, TargetThread, below};
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
/// Most bytes of an image of Windows as it is mapped.
const MOST_IMAGE: u32 = 1 << 28;

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

/// Files that have pages that a core leaves out.
#[derive(Default)]
pub struct FilesOfPages {
    /// Mappings, ascending by address.
    pub files: Vec<MappedFile>,
    /// Time stamps of images of Windows by their first addresses: their sections are mapped at other distances than those in the file.
    pub stamps: HashMap<u64, u32>,
    /// Folder with the files whose paths are not on this machine.
    pub beside: Option<PathBuf>,
}

struct CoreMemory<B> {
    core: B,
    segments: Vec<Segment>,
    pages: FilesOfPages,
    root: PathBuf,
    images: Mutex<HashMap<String, Option<Arc<OnDisk>>>>,
}

/// A mapped file on this machine, for the pages that the core leaves out.
struct OnDisk {
    file: FileBytes,
    base: u64,
    elf: Option<(ElfFile, BTreeMap<u64, Option<u64>>)>,
    /// An image of Windows as it is mapped.
    mapped: Option<Vec<u8>>,
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
        let next = self.pages.files.partition_point(|file| file.start <= address);
        let file = self.pages.files.get(next.checked_sub(1)?).filter(|file| address < file.end)?;
        let len = bytes.len().min(usize::try_from(file.end - address).ok()?);
        let bytes = &mut bytes[..len];
        let image = self.image(&file.path)?;
        if let Some(mapped) = &image.mapped {
            let from = usize::try_from(address.checked_sub(image.base)?).ok()?;
            bytes.copy_from_slice(mapped.get(from..from.checked_add(len)?)?);
            return Some(len);
        }
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
            let name = path.rsplit(['/', '\\']).next()?;
            let beside = self.pages.beside.iter().map(|folder| folder.join(name));
            let here = [below(&self.root, path)].into_iter().chain(beside);
            // A device or a pipe would wait or act.
            let here = here.into_iter().find(|here| std::fs::metadata(here).is_ok_and(|data| data.is_file()))?;
            let file = FileBytes::new(File::open(&here).ok()?);
            let base = self.pages.files.iter().find(|file| file.path == path)?.start;
            if let Some(stamp) = self.pages.stamps.get(&base).filter(|_| file.len() <= MOST_IMAGE.into()) {
                let bytes = std::fs::read(&here).ok()?;
                let mapped = map_image::<ImageNtHeaders64>(&bytes, base, *stamp)
                    .or_else(|| map_image::<ImageNtHeaders32>(&bytes, base, *stamp));
                return mapped.map(|mapped| Arc::new(OnDisk { file, base, elf: None, mapped: Some(mapped) }));
            }
            let elf = ElfFile::read(&here).map(|elf| {
                let relocations = elf.relocations();
                (elf, relocations)
            });
            // A core names any path: files that are no code are not read.
            let mut magic = [0; 2];
            file.read_at(0, &mut magic)?;
            (elf.is_some() || magic == *b"MZ").then(|| Arc::new(OnDisk { file, base, elf, mapped: None }))
        };
        images.entry(path.to_owned()).or_insert_with(open).clone()
    }
}

/// The target of a core, whose pages that are not in it are in some of its files.
pub fn target<B: Bytes + 'static>(
    core: B,
    mut segments: Vec<Segment>,
    pages: FilesOfPages,
    mut files: Vec<MappedFile>,
    mut threads: Vec<TargetThread>,
) -> Target {
    segments.sort_by_key(|segment| segment.start);
    files.sort_by_key(|file| file.start);
    threads.sort_by_key(|thread| thread.id);
    let root = PathBuf::from("/");
    let memory = CoreMemory { core, segments, pages, root: root.clone(), images: Mutex::default() };
    Target { memory: Box::new(memory), files, threads, root, pid: None }
}

/// An image of Windows as the loader maps it at an address; `None` unless it is of the build with a time stamp.
fn map_image<H: ImageNtHeaders>(file: &[u8], base: u64, stamp: u32) -> Option<Vec<u8>> {
    let image = PeFile::<H>::parse(file).ok()?;
    let (headers, optional) = (image.nt_headers().file_header(), image.nt_headers().optional_header());
    let size = optional.size_of_image();
    if headers.time_date_stamp.get(LittleEndian) != stamp || size > MOST_IMAGE {
        return None;
    }
    let mut mapped = vec![0; size as usize];
    let mut put = |rva: u32, bytes: &[u8]| {
        let to = mapped.get_mut(rva as usize..)?;
        let len = bytes.len().min(to.len());
        to.get_mut(..len)?.copy_from_slice(bytes.get(..len)?);
        Some(())
    };
    put(0, file.get(..(optional.size_of_headers() as usize).min(file.len()))?)?;
    for section in image.section_table().iter() {
        let (offset, len) = section.pe_file_range();
        let end = (u64::from(offset) + u64::from(len)).min(file.len() as u64) as usize;
        put(section.virtual_address.get(LittleEndian), file.get(offset as usize..end).unwrap_or_default());
    }
    let moved = before(base, optional.image_base());
    let mut blocks = image.data_directories().relocation_blocks(file, &image.section_table()).ok().flatten();
    while let Some(block) = blocks.as_mut().and_then(|blocks| blocks.next().ok().flatten()) {
        for place in block.filter(|place| place.typ == IMAGE_REL_BASED_DIR64) {
            let word = mapped.get_mut(place.virtual_address as usize..).and_then(|rest| rest.first_chunk_mut());
            if let Some(word) = word {
                *word = after(u64::from_le_bytes(*word), moved).to_le_bytes();
            }
        }
    }
    Some(mapped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::read::pe::PeFile64;

    /// An image at its preferred address and at another one: they differ in the addresses that llvm-readobj lists as base relocations.
    #[test]
    fn an_image_is_mapped_by_sections_and_relocated() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples/parcel/parcel.exe");
        let file = std::fs::read(path).unwrap();
        let headers = *PeFile64::parse(&*file).unwrap().nt_headers();
        let stamp = headers.file_header.time_date_stamp.get(LittleEndian);
        let preferred = headers.optional_header.image_base.get(LittleEndian);
        let map = |base| map_image::<ImageNtHeaders64>(&file, base, stamp).unwrap();
        let (one, other) = (map(preferred), map(preferred + 0x1_0000));
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
        let moved: Vec<usize> = (0..one.len()).step_by(8).filter(|at| one[*at..at + 8] != other[*at..at + 8]).collect();
        for at in &moved {
            assert_eq!(word(&other[*at..at + 8]) - word(&one[*at..at + 8]), 0x1_0000);
        }
        assert_eq!(moved.len(), RELOCATIONS);
        // Code begins at another distance in the file.
        let section = PeFile64::parse(&*file).unwrap();
        let section = section.section_table().iter().next().unwrap();
        let (offset, start) = (section.pe_file_range().0 as usize, section.virtual_address.get(LittleEndian) as usize);
        assert!(offset != start && one[start..start + 64] == file[offset..offset + 64]);
        assert!(map_image::<ImageNtHeaders64>(&file, preferred, stamp ^ 1).is_none());
        assert!(map_image::<ImageNtHeaders32>(&file, preferred, stamp).is_none());
        for end in (0..file.len()).step_by(997) {
            map_image::<ImageNtHeaders64>(&file[..end], preferred, stamp);
        }
    }

    /// Entries of type DIR64 of parcel.exe.
    const RELOCATIONS: usize = 8;
}
