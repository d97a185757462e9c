//! The exception table: the code of each native function, and where its unwind information is, so that exceptions and debuggers find
//! the caller of a frame.
//!
//! # References
//!
//! Microsoft, *PE Format*, "The .pdata Section"; *ARM64 exception handling*, ".pdata records".

use object::pe;

use super::{Directory, Pe};
use crate::bytes::{Cursor, Recorder, Result, Slice, Span, fields, record};

record! {
    /// The code of a function on x64, and its unwind information (RUNTIME_FUNCTION).
    pub struct RuntimeFunction: "runtime function" {
        /// The RVA of the first instruction.
        begin_rva: u32 as Rva,
        /// The RVA after the last instruction.
        end_rva: u32 as Rva,
        /// The RVA of the unwind information.
        unwind_info_rva: u32 as Rva,
    }
}

record! {
    /// The code of a function on ARM64, and its unwind information.
    pub struct Arm64RuntimeFunction: "runtime function" {
        /// The RVA of the first instruction.
        begin_rva: u32 as Rva,
        /// The RVA of the unwind information if the low two bits are 0; otherwise the information itself, in which bits 2 to 12
        /// have the number of instructions.
        unwind_data: u32 as Hex,
    }
}

fields! {
    /// The exception table: the functions of native code, in the order of their addresses.
    TABLE: "exception table";
}

/// The exception table of an image for x64 or ARM64.
#[derive(Clone, Copy, Debug)]
pub struct Exceptions<'i> {
    bytes: Slice<'i>,
    is_arm: bool,
}

/// An entry of the exception table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionEntry {
    /// RVA of the first instruction.
    pub begin: u32,
    /// Size of the code in bytes; `None` where only the unwind information has it.
    pub size: Option<u32>,
    /// RVA of the unwind information; `None` where the entry has it packed.
    pub unwind_rva: Option<u32>,
    /// Bytes of the entry.
    pub span: Span,
}

impl<'i> Exceptions<'i> {
    /// The table of an image; `None` where it has none, or one for another machine.
    pub fn of(image: &'i Pe) -> Option<Self> {
        let directory = image.directory(Directory::EXCEPTIONS)?;
        let machine = image.machine();
        if !matches!(pe::Machine(machine), pe::IMAGE_FILE_MACHINE_AMD64 | pe::IMAGE_FILE_MACHINE_ARM64) {
            return None;
        }
        let rest = image.rest_at_rva(directory.rva).ok()?;
        let bytes = rest.part(0, rest.len().min(directory.size.into())).ok()?;
        Some(Self::new(bytes, machine))
    }

    /// A table of a machine, which decides the size of an entry.
    pub(crate) const fn new(bytes: Slice<'i>, machine: u16) -> Self {
        Self { bytes, is_arm: machine != pe::IMAGE_FILE_MACHINE_AMD64.0 }
    }

    /// Bytes of the table.
    pub const fn span(&self) -> Span {
        self.bytes.span()
    }

    const fn entry_size(&self) -> u64 {
        if self.is_arm { Arm64RuntimeFunction::SIZE } else { RuntimeFunction::SIZE }
    }

    /// Number of entries.
    pub const fn len(&self) -> u64 {
        let size = self.bytes.len();
        if self.is_arm { size / Arm64RuntimeFunction::SIZE } else { size / RuntimeFunction::SIZE }
    }

    /// Returns true if the table has no entry.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry at `index`, counted from 0.
    pub fn get(&self, index: u64) -> Result<FunctionEntry> {
        let mut cursor = self.bytes.part(index * self.entry_size(), self.entry_size())?.cursor();
        if self.is_arm {
            let Arm64RuntimeFunction { begin_rva, unwind_data, span } = Arm64RuntimeFunction::decode(&mut cursor)?;
            let packed = unwind_data & 3 != 0;
            let size = packed.then_some((unwind_data >> 2 & 0x7ff).saturating_mul(4));
            return Ok(FunctionEntry { begin: begin_rva, size, unwind_rva: (!packed).then_some(unwind_data), span });
        }
        let RuntimeFunction { begin_rva, end_rva, unwind_info_rva, span } = RuntimeFunction::decode(&mut cursor)?;
        let size = Some(end_rva.saturating_sub(begin_rva));
        Ok(FunctionEntry { begin: begin_rva, size, unwind_rva: Some(unwind_info_rva), span })
    }

    /// Reads all entries with notes.
    pub fn decode<N: Recorder>(&self, c: &mut Cursor<'_, N>) -> Result<()> {
        c.group(&TABLE, |c| {
            while c.left() >= self.entry_size() {
                if self.is_arm {
                    Arm64RuntimeFunction::decode(c)?;
                } else {
                    RuntimeFunction::decode(c)?;
                }
            }
            Ok(())
        })
    }
}
