//! Unwind codes of managed code on x64: those of Windows, and one more for frame pointers on Unix.
//!
//! # References
//!
//! Microsoft, *x64 exception handling*, "struct UNWIND_INFO"; dotnet/runtime, `src/coreclr/inc/win64unwind.h`

use crate::code::{CodeAt, CodeOrigin, Runtime};
use crate::memory::{after, before};
use crate::registers::Registers;
use crate::{MemoryError, Result};

/// Most chained records of a function: the compiler makes one for a part of a prolog.
const MOST_CHAINED: usize = 32;
/// Size of an entry of a table of functions: begin, end, unwind data.
const ENTRY: u64 = 12;
/// Flag of a record that continues another.
const CHAINED: u8 = 4;

/// Registers of the caller of managed code; `None` if no record covers the address.
pub fn caller(runtime: &Runtime, registers: &Registers, at: u64, found: &CodeAt) -> Result<Option<Registers>> {
    let memory = runtime.memory();
    let relative = before(at, found.section_start);
    let entry = match found.kind {
        CodeOrigin::Jitted { header } => {
            let contracts = runtime.contracts();
            let count = memory.u32(after(header, contracts.offset("RealCodeHeader", "NumUnwindInfos")?))?;
            let entries = after(header, contracts.offset("RealCodeHeader", "UnwindInfos")?);
            // A method has one entry for itself and one for each of its handlers.
            let covers = |index: u64| -> Result<Option<u64>> {
                let entry = after(entries, ENTRY * index);
                let (begin, end) = (memory.u32(entry)?, memory.u32(after(entry, 4))?);
                Ok((u64::from(begin) <= relative && relative < u64::from(end)).then_some(entry))
            };
            if count > 1 << 16 {
                return Err(MemoryError::Endless("unwind records of a method"));
            }
            (0..u64::from(count)).find_map(|index| covers(index).transpose()).transpose()?
        }
        CodeOrigin::Precompiled { .. } => runtime.function_entry(found.module, relative)?,
    };
    let Some(entry) = entry else { return Ok(None) };
    undo(runtime, registers, found.section_start, entry)
}

/// Undoes the prolog that the record of an entry of a table of functions describes; its offsets count from `section`.
pub fn undo(runtime: &Runtime, registers: &Registers, section: u64, entry: u64) -> Result<Option<Registers>> {
    let memory = runtime.memory();
    let mut caller = registers.clone();
    let mut record = memory.u32(after(entry, 8))?;
    let mut into = before(registers.ip, after(section, memory.u32(entry)?.into()));
    for _ in 0..MOST_CHAINED {
        let at = after(section, record.into());
        let (version_and_flags, count, frame) = (memory.u8(at)?, memory.u8(after(at, 2))?, memory.u8(after(at, 3))?);
        let codes = memory.bytes(after(at, 4), 2 * u64::from(count), 512)?;
        let mut codes = codes.chunks_exact(2).map(|code| u16::from_le_bytes([code[0], code[1]]));
        while let Some(code) = codes.next() {
            let (operation, operand) = ((code >> 8) & 15, code >> 12);
            let mut short = || codes.next().map_or(0, u64::from);
            // The number behind the code, of one or two slots.
            let number = match operation {
                1 if operand == 0 => short(),
                4 | 6 | 8 => short(),
                1 | 5 | 9 | 11 => short() | short() << 16,
                _ => 0,
            };
            // The prolog has not come to this instruction: a stack overflow is found in a prolog.
            if u64::from(code & 0xff) > into {
                continue;
            }
            let sp = caller.stack_pointer();
            match operation {
                // Push of a register.
                0 => {
                    caller.set_windows(operand, memory.u64(sp)?);
                    caller.set_stack_pointer(after(sp, 8));
                }
                // Allocation: its size, by 8 if it is in one slot.
                1 => caller.set_stack_pointer(after(sp, if operand == 0 { 8 * number } else { number })),
                2 => caller.set_stack_pointer(after(sp, 8 * u64::from(operand) + 8)),
                // The frame register: its offset by 16, in the record, or on Unix behind the code.
                3 | 11 => {
                    let offset = if operation == 3 { u64::from(frame >> 4) } else { number };
                    let Some(base) = caller.windows(u16::from(frame & 15)) else { return Ok(None) };
                    caller.set_stack_pointer(before(base, 16 * offset));
                }
                // A register that was stored at an offset.
                4 | 5 => {
                    let offset = if operation == 4 { 8 * number } else { number };
                    caller.set_windows(operand, memory.u64(after(sp, offset))?);
                }
                // Epilogs are named by version 2 of the record; XMM registers hold no address.
                6 | 8 | 9 => {}
                // The frame of an interrupt: program counter, segment, flags, stack pointer.
                10 => {
                    let at = after(sp, if operand == 0 { 0 } else { 8 });
                    caller.ip = memory.u64(at)?;
                    caller.set_stack_pointer(memory.u64(after(at, 24))?);
                    return Ok(Some(caller));
                }
                _ => return Ok(None),
            }
        }
        if version_and_flags >> 3 & CHAINED == 0 {
            return Ok(Some(caller.returned(memory)?));
        }
        // The record that is continued follows the codes, whose number is even.
        let next = after(at, 4 + 2 * ((u64::from(count) + 1) & !1) + 8);
        record = memory.u32(next)?;
        into = u64::MAX;
    }
    Err(MemoryError::Endless("chained unwind records"))
}
