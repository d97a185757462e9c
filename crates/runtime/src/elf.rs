//! Libraries of native code as they are mapped in a process: dynamic symbols, and call frame information.
//!
//! Everything is read from the memory of the process: the file may have been replaced since, and a core may be on another machine.
//!
//! # References
//!
//! elf(5); *Linux Standard Base Core Specification*, "Exception Frames"; dl-lookup.c of glibc for the GNU hash table

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gimli::{BaseAddresses, CfaRule, EhFrame, EhFrameOffset, LittleEndian, RegisterRule, UnwindContext, UnwindSection};

use crate::image::MappedImage;
use crate::memory::{Memory, after, before};
use crate::registers::Registers;

/// Most program headers, dynamic entries, symbols and bytes of a name or of call frame information.
const MOST_HEADERS: u64 = 256;
const MOST_DYNAMIC: u64 = 512;
const MOST_SYMBOLS: u64 = 1 << 18;
const MOST_NAME: usize = 1 << 12;
const MOST_FRAME_INFO: u32 = 1 << 16;
/// Types of program headers.
const LOAD: u32 = 1;
const DYNAMIC: u32 = 2;
const EH_FRAME: u32 = 0x6474_e550;
/// Tags of dynamic entries.
const STRINGS: u64 = 5;
const SYMBOLS: u64 = 6;
const GNU_HASH: u64 = 0x6fff_fef5;
/// Size of a symbol.
const SYMBOL: u64 = 24;
/// Version and encodings of a table of call frame information that can be searched: offsets of four bytes from its start.
const SEARCHABLE: u32 = 0x3b03_1b01;
/// DWARF's number of the return address on x64.
const RETURN_ADDRESS: u16 = 16;

/// A library that is mapped in a process.
#[derive(Debug)]
pub struct MappedLibrary {
    /// Sum of an address as the file is linked and this is its address in memory.
    bias: u64,
    /// Table of call frame information; 0 without one.
    frames: u64,
    strings: u64,
    symbols: u64,
    hash: u64,
}

impl MappedLibrary {
    /// Reads the headers of the library that begins at an address; `None` unless it is an ELF file of 64 bits.
    pub fn read(memory: &dyn Memory, base: u64) -> Option<Self> {
        if memory.bytes(base, 5, 5).ok()? != b"\x7fELF\x02" {
            return None;
        }
        let headers = after(base, memory.u64(after(base, 32)).ok()?);
        let count = u64::from(memory.u16(after(base, 56)).ok()?).min(MOST_HEADERS);
        let (mut start, mut dynamic, mut frames) = (None, None, None);
        for index in 0..count {
            let header = after(headers, 56 * index);
            let address = memory.u64(after(header, 16)).ok()?;
            match memory.u32(header).ok()? {
                LOAD => start = start.or(Some(address)),
                DYNAMIC => dynamic = Some(address),
                EH_FRAME => frames = Some(address),
                _ => {}
            }
        }
        let bias = before(base, start?);
        let place = |address: Option<u64>| address.map_or(0, |address| after(address, bias));
        let mut library = Self { bias, frames: place(frames), strings: 0, symbols: 0, hash: 0 };
        for index in 0..if dynamic.is_some() { MOST_DYNAMIC } else { 0 } {
            let entry = after(place(dynamic), 16 * index);
            let (Ok(tag), Ok(value)) = (memory.u64(entry), memory.u64(after(entry, 8))) else { break };
            // Most loaders put addresses in memory here, some leave those of the file.
            let address = if value < base { after(value, bias) } else { value };
            match tag {
                0 => break,
                STRINGS => library.strings = address,
                SYMBOLS => library.symbols = address,
                GNU_HASH => library.hash = address,
                _ => {}
            }
        }
        Some(library)
    }

    /// Address in memory of a symbol, by the GNU hash table.
    pub fn symbol(&self, memory: &dyn Memory, name: &str) -> Option<u64> {
        if self.hash == 0 || self.symbols == 0 {
            return None;
        }
        let word = |index: u64| memory.u32(after(self.hash, 4 * index)).ok();
        let (buckets, first, bloom) = (word(0)?, word(1)?, word(2)?);
        let hash = name.bytes().fold(5381_u64, |hash, byte| (hash * 33 + u64::from(byte)) & 0xffff_ffff) as u32;
        let bucket = 4 + 2 * u64::from(bloom) + u64::from(hash.checked_rem(buckets)?);
        let mut index = word(bucket)?;
        let chains = 4 + 2 * u64::from(bloom) + u64::from(buckets);
        for _ in 0..MOST_SYMBOLS {
            let chain = word(chains + u64::from(index.checked_sub(first)?))?;
            if chain | 1 == hash | 1 {
                let symbol = after(self.symbols, SYMBOL * u64::from(index));
                if self.name(memory, symbol)? == name {
                    return Some(after(memory.u64(after(symbol, 8)).ok()?, self.bias));
                }
            }
            if chain & 1 != 0 {
                return None;
            }
            index = index.checked_add(1)?;
        }
        None
    }

    fn name(&self, memory: &dyn Memory, symbol: u64) -> Option<String> {
        let at = after(self.strings, memory.u32(symbol).ok()?.into());
        let bytes = memory.available(at, MOST_NAME);
        let end = bytes.iter().position(|byte| *byte == 0)?;
        String::from_utf8(bytes.get(..end)?.to_owned()).ok()
    }

    /// Functions of the dynamic symbols: address, size and name.
    pub fn functions(&self, memory: &dyn Memory) -> BTreeMap<u64, (u64, String)> {
        let mut found = BTreeMap::new();
        // Linkers write the names right after the symbols.
        let count = self.strings.checked_sub(self.symbols).map_or(0, |bytes| bytes / SYMBOL);
        if self.symbols == 0 || count > MOST_SYMBOLS {
            return found;
        }
        for index in 0..count {
            let symbol = after(self.symbols, SYMBOL * index);
            let (Ok(kind), Ok(value)) = (memory.u8(after(symbol, 4)), memory.u64(after(symbol, 8))) else { break };
            // Of type function, and defined.
            if kind & 15 == 2
                && value != 0
                && let (Ok(size), Some(name)) = (memory.u64(after(symbol, 16)), self.name(memory, symbol))
            {
                found.insert(after(value, self.bias), (size, name));
            }
        }
        found
    }

    /// Registers of the caller of the code at an address; `None` without call frame information, and where it needs a register that is not known.
    pub fn caller(&self, memory: &dyn Memory, registers: &Registers, at: u64) -> Option<Registers> {
        let entry = self.frame_entry(memory, at)?;
        let record = |address: u64| {
            let length = memory.u32(address).ok().filter(|length| *length <= MOST_FRAME_INFO)?;
            memory.bytes(address, u64::from(length) + 4, u64::from(MOST_FRAME_INFO) + 4).ok()
        };
        // The entry names its common part by the distance back; both are put together as a section of two.
        let distance = memory.u32(after(entry, 4)).ok()?;
        let mut section = record(before(after(entry, 4), distance.into()))?;
        let offset = section.len();
        section.extend(record(entry)?);
        let pointer = u32::try_from(offset + 4).ok()?.to_le_bytes();
        section.get_mut(offset + 4..offset + 8)?.copy_from_slice(&pointer);
        let bases = BaseAddresses::default().set_eh_frame(before(entry, offset as u64));
        let frames = EhFrame::new(&section, LittleEndian);
        let entry = frames.fde_from_offset(&bases, EhFrameOffset(offset), EhFrame::cie_from_offset).ok()?;
        let mut context = UnwindContext::new();
        let row = entry.unwind_info_for_address(&frames, &bases, &mut context, at).ok()?;
        let CfaRule::RegisterAndOffset { register, offset } = row.cfa() else { return None };
        let frame = after(registers.dwarf(*register)?, offset.cast_unsigned());
        let mut caller = registers.clone();
        caller.set_stack_pointer(frame);
        let mut returns = None;
        for (register, rule) in row.registers() {
            let value = match rule {
                RegisterRule::Offset(offset) => memory.u64(after(frame, offset.cast_unsigned())).ok(),
                RegisterRule::ValOffset(offset) => Some(after(frame, offset.cast_unsigned())),
                RegisterRule::Register(other) => registers.dwarf(*other),
                RegisterRule::SameValue => continue,
                _ => None,
            };
            if register.0 == RETURN_ADDRESS { returns = value } else { caller.set_dwarf(*register, value) }
        }
        caller.ip = returns?;
        Some(caller)
    }

    /// Address of the frame description entry of the function at an address, by the sorted table.
    fn frame_entry(&self, memory: &dyn Memory, at: u64) -> Option<u64> {
        if self.frames == 0 || memory.u32(self.frames).ok()? != SEARCHABLE {
            return None;
        }
        let offset = |place: u64| {
            Some(after(
                self.frames,
                i64::from(memory.u32(after(self.frames, place)).ok()?.cast_signed()).cast_unsigned(),
            ))
        };
        let (mut low, mut high) = (0, u64::from(memory.u32(after(self.frames, 8)).ok()?));
        while low < high {
            let middle = low + (high - low) / 2;
            if offset(12 + 8 * middle)? <= at { low = middle + 1 } else { high = middle }
        }
        offset(16 + 8 * low.checked_sub(1)?)
    }
}

/// Libraries that stacks have led through, by the address of their first byte.
#[derive(Default)]
pub struct Libraries(Mutex<HashMap<u64, Option<Arc<Named>>>>);

/// A library of Linux or Windows.
#[derive(Debug)]
pub enum NativeLibrary {
    /// ELF file.
    Elf(MappedLibrary),
    /// Image of Windows.
    Image(MappedImage),
}

impl NativeLibrary {
    /// Reads the headers of the library that begins at an address.
    pub fn read(memory: &dyn Memory, base: u64) -> Option<Self> {
        let elf = MappedLibrary::read(memory, base).map(Self::Elf);
        elf.or_else(|| MappedImage::read(memory, base).map(Self::Image))
    }

    /// Address in memory of a symbol that it exports.
    pub fn symbol(&self, memory: &dyn Memory, name: &str) -> Option<u64> {
        match self {
            Self::Elf(library) => library.symbol(memory, name),
            Self::Image(image) => image.exports(memory).find(|(export, _)| export == name).map(|(_, address)| address),
        }
    }

    /// Functions that it exports: address, size and name.
    pub fn functions(&self, memory: &dyn Memory) -> BTreeMap<u64, (u64, String)> {
        match self {
            Self::Elf(library) => library.functions(memory),
            Self::Image(image) => image
                .exports(memory)
                .filter_map(|(name, at)| Some((at, (before(image.function(memory, at)?.0, at), name))))
                .collect(),
        }
    }
}

/// A library, and the functions that it names once they were asked for.
pub struct Named {
    /// Headers and tables.
    pub library: NativeLibrary,
    /// Functions by address: size and name.
    pub functions: OnceLock<BTreeMap<u64, (u64, String)>>,
}

impl Libraries {
    pub fn get(&self, memory: &dyn Memory, base: u64) -> Option<Arc<Named>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || {
            let library = NativeLibrary::read(memory, base)?;
            Some(Arc::new(Named { library, functions: OnceLock::new() }))
        };
        known.entry(base).or_insert_with(read).clone()
    }
}
