//! Images of Windows as they are mapped in a process: exports, and the unwind data of native code.
//!
//! # References
//!
//! Microsoft, *PE Format*, "The .edata Section", "The .pdata Section"

use crate::memory::{Memory, after, before};

/// Most exports, functions with unwind data, and bytes of a name.
const MOST_EXPORTS: u32 = 1 << 16;
const MOST_FUNCTIONS: u32 = 1 << 22;
const MOST_NAME: usize = 1 << 9;
/// Size of an entry of the unwind data: begin, end, record.
const ENTRY: u64 = 12;

/// An image of Windows that is mapped in a process.
#[derive(Debug)]
pub struct MappedImage {
    /// Address of its first byte.
    pub base: u64,
    /// RVA of the export directory; 0 without one.
    exports: u32,
    /// RVA and number of the entries of unwind data.
    functions: (u32, u32),
}

impl MappedImage {
    /// Reads the headers of the image that begins at an address; `None` unless it is an image of 64 bits.
    pub fn read(memory: &dyn Memory, base: u64) -> Option<Self> {
        if memory.u16(base).ok()? != 0x5a4d {
            return None;
        }
        let optional = after(base, u64::from(memory.u32(after(base, 0x3c)).ok()?) + 24);
        if memory.u16(optional).ok()? != 0x20b {
            return None;
        }
        let directory = |index: u64, part: u64| memory.u32(after(optional, 112 + 8 * index + part)).ok();
        let count = directory(3, 4)? / ENTRY as u32;
        Some(Self { base, exports: directory(0, 0)?, functions: (directory(3, 0)?, count.min(MOST_FUNCTIONS)) })
    }

    fn at(&self, rva: u32) -> u64 {
        after(self.base, rva.into())
    }

    /// Names and addresses of the exports.
    pub fn exports(&self, memory: &dyn Memory) -> impl Iterator<Item = (String, u64)> {
        let field = |at: u64| memory.u32(after(self.at(self.exports), at)).ok().filter(|_| self.exports != 0);
        let count = field(24).unwrap_or_default().min(MOST_EXPORTS);
        let tables = (field(28), field(32), field(36));
        (0..count).map_while(move |index| {
            let (addresses, names, ordinals) = (tables.0?, tables.1?, tables.2?);
            let name = memory.u32(after(self.at(names), 4 * u64::from(index))).ok()?;
            let ordinal = memory.u16(after(self.at(ordinals), 2 * u64::from(index))).ok()?;
            let address = memory.u32(after(self.at(addresses), 4 * u64::from(ordinal))).ok()?;
            let name = memory.available(self.at(name), MOST_NAME);
            let name = name.split(|byte| *byte == 0).next()?;
            Some((String::from_utf8_lossy(name).into_owned(), self.at(address)))
        })
    }

    /// Address after the function at an address, and that of its entry of unwind data; `None` in the place of the entry for a function that has
    /// none, because it neither calls nor keeps anything on the stack.
    pub fn function(&self, memory: &dyn Memory, at: u64) -> Option<(u64, Option<u64>)> {
        let rva = before(at, self.base);
        let entry = |index: u32| after(self.at(self.functions.0), ENTRY * u64::from(index));
        let word = |index: u32, part: u64| memory.u32(after(entry(index), part)).ok();
        let (mut low, mut high) = (0, self.functions.1);
        while low < high {
            let middle = low + (high - low) / 2;
            if u64::from(word(middle, 0)?) <= rva { low = middle + 1 } else { high = middle }
        }
        if let Some(last) = low.checked_sub(1) {
            let end = word(last, 4)?;
            if rva < u64::from(end) {
                return Some((self.at(end), Some(entry(last))));
            }
        }
        let next = if low < self.functions.1 { word(low, 0)? } else { u32::try_from(rva).ok()?.checked_add(1)? };
        Some((self.at(next), None))
    }
}
