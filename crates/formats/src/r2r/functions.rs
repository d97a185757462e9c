//! Runtime functions: the ranges of code, and their unwind data.

use object::pe::{IMAGE_FILE_MACHINE_AMD64, IMAGE_FILE_MACHINE_ARM64, IMAGE_FILE_MACHINE_ARMNT, Machine};

use super::ReadyToRun;
use crate::bytes::{Cursor, Recorder, Result, fields};
use crate::pe::exceptions::FunctionEntry;
use crate::pe::unwind::unwind_info;
use crate::pe::{Exceptions, Pe};

/// Bits of the first word of ARM64 unwind data.
const ARM64_UNWIND: &[(u64, u64, &str)] =
    &[(0x0010_0000, 0x0010_0000, "personality routine"), (0x0020_0000, 0x0020_0000, "one epilog, in the header")];

fields! {
    /// The size of the code in bytes; after it, counts of epilogs and of code words.
    ARM64_HEADER: "unwind header" as Hex;
    /// The size of the function in units of 4 bytes in bits 0 to 17; then flags, the number of epilogs, and the number of code words.
    ARM64_WORD: "arm64 unwind word" as Parts(ARM64_UNWIND);
    /// The numbers of epilogs and of code words, if the first word has no room for them.
    ARM64_COUNTS: "extended counts" as Hex;
    /// The position of an epilog.
    EPILOG: "epilog scope" as Hex;
    /// Unwind codes, of one to four bytes each.
    CODES: "unwind codes";
    /// The RVA of the routine that handles exceptions of the function.
    PERSONALITY: "personality routine" as Rva;
    /// The references that registers and stack slots hold, by native offset. Its bit streams do not tell their size: the bytes up to the
    /// next record of the image are counted, with the padding before that.
    GC_INFO: "gc info and padding";
}

impl ReadyToRun {
    /// A runtime function; its size comes from the unwind data, or from the function after it, where the entry has none.
    pub fn function(&self, image: &Pe, functions: &Exceptions<'_>, index: u64) -> Result<FunctionEntry> {
        let mut entry = functions.get(index)?;
        if self.target.machine == IMAGE_FILE_MACHINE_ARMNT.0 {
            // The lowest bit says that the code is Thumb.
            entry.begin &= !1;
        }
        if entry.size.is_none() {
            entry.size = Some(self.size_of(image, functions, index, entry)?);
        }
        Ok(entry)
    }

    fn size_of(&self, image: &Pe, functions: &Exceptions<'_>, index: u64, entry: FunctionEntry) -> Result<u32> {
        let unit = match Machine(self.target.machine) {
            IMAGE_FILE_MACHINE_ARM64 => 4,
            IMAGE_FILE_MACHINE_ARMNT => 2,
            _ => {
                let next = index + 1;
                let next = if next < functions.len() { functions.get(next)?.begin } else { entry.begin };
                return Ok(next.saturating_sub(entry.begin));
            }
        };
        let word = image.at_rva(entry.unwind_rva.unwrap_or(0), 4)?.cursor().u32(&ARM64_WORD)?;
        Ok((word & 0x3_ffff).saturating_mul(unit))
    }

    /// Reads the unwind data of a function, and the GC information that follows it up to the offset `gc_end`.
    pub fn unwind<N: Recorder>(&self, c: &mut Cursor<'_, N>, gc_end: Option<u32>) -> Result<()> {
        self.unwind_data(c)?;
        if let Some(len) = gc_end.and_then(|end| u64::from(end).checked_sub(c.consumed())) {
            c.bytes(&GC_INFO, len)?;
        }
        Ok(())
    }

    fn unwind_data<N: Recorder>(&self, c: &mut Cursor<'_, N>) -> Result<()> {
        match Machine(self.target.machine) {
            IMAGE_FILE_MACHINE_AMD64 => {
                let flags = c.peek().unwrap_or_default();
                unwind_info(c)?;
                if flags & 0x18 != 0 {
                    c.u32(&PERSONALITY)?;
                }
                Ok(())
            }
            IMAGE_FILE_MACHINE_ARM64 => arm64(c),
            // On x86 the GC information tells how to unwind; the data of ARM is not decoded.
            _ => Ok(()),
        }
    }
}

/// Reads the unwind data of ARM64 (.xdata record).
fn arm64<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&ARM64_HEADER, |c| {
        let word = c.u32(&ARM64_WORD)?;
        let (mut epilogs, mut codes) = (word >> 22 & 0x1f, word >> 27);
        if epilogs == 0 && codes == 0 {
            let counts = c.u32(&ARM64_COUNTS)?;
            (epilogs, codes) = (counts & 0xffff, counts >> 16 & 0xff);
        }
        if word & 0x20_0000 == 0 {
            for _ in 0..epilogs {
                c.u32(&EPILOG)?;
            }
        }
        c.bytes(&CODES, u64::from(codes) * 4)?;
        if word & 0x10_0000 != 0 {
            c.u32(&PERSONALITY)?;
        }
        Ok(())
    })
}
