//! Registers of x64, by the numbers that DWARF, Windows and the kernel of Linux give them.

use gimli::Register;

use crate::Result;
use crate::memory::{Memory, after};

/// Number of the stack pointer, as DWARF numbers the registers of x64.
const STACK_POINTER: usize = 7;
/// DWARF's numbers of the registers in the order of Windows, which the unwind codes have.
const WINDOWS: [usize; 16] = [0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15];
/// DWARF's numbers of the registers in the order of the kernel (`user_regs_struct`); those after `rdi` are none.
pub(crate) const KERNEL: [usize; 15] = [15, 14, 13, 12, 6, 3, 11, 10, 9, 8, 0, 2, 1, 4, 5];
/// Places of `rip` and `rsp` in the registers.
pub(crate) const RIP: usize = 16;
pub(crate) const RSP: usize = 19;

/// Registers of a thread; those that nothing says are not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// Program counter.
    pub ip: u64,
    /// General registers, by DWARF's numbers.
    general: [Option<u64>; 16],
}

impl Registers {
    /// The two registers that a thread in a system call shows.
    pub fn of_call(ip: u64, sp: u64) -> Self {
        let mut registers = Self { ip, ..Self::default() };
        registers.set_stack_pointer(sp);
        registers
    }

    /// All registers, general ones by DWARF's numbers.
    pub fn whole(ip: u64, general: [u64; 16]) -> Self {
        Self { ip, general: general.map(Some) }
    }

    /// All registers, general ones in the order of Windows.
    pub(crate) fn of_windows(ip: u64, general: [u64; 16]) -> Self {
        let mut registers = Self { ip, ..Self::default() };
        for (number, value) in (0..).zip(general) {
            registers.set_windows(number, value);
        }
        registers
    }

    /// Writes the registers in the order of the kernel (`user_regs_struct`); 0 for those that are not known.
    pub(crate) fn write(&self, bytes: &mut [u8]) {
        let words = bytes.chunks_exact_mut(8).enumerate();
        for (index, word) in words {
            let value = match index {
                RIP => self.ip,
                RSP => self.stack_pointer(),
                index => KERNEL.get(index).and_then(|number| self.general[*number]).unwrap_or_default(),
            };
            word.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// Stack pointer.
    pub fn stack_pointer(&self) -> u64 {
        self.general[STACK_POINTER].unwrap_or_default()
    }

    pub(crate) fn set_stack_pointer(&mut self, value: u64) {
        self.general[STACK_POINTER] = Some(value);
    }

    pub(crate) fn dwarf(&self, register: Register) -> Option<u64> {
        self.general.get(usize::from(register.0)).copied().flatten()
    }

    pub(crate) fn set_dwarf(&mut self, register: Register, value: Option<u64>) {
        if let Some(slot) = self.general.get_mut(usize::from(register.0)) {
            *slot = value;
        }
    }

    /// The registers after the return of a function whose return address is on top of the stack.
    pub(crate) fn returned(&self, memory: &dyn Memory) -> Result<Self> {
        let sp = self.stack_pointer();
        let mut caller = Self { ip: memory.u64(sp)?, ..self.clone() };
        caller.set_stack_pointer(after(sp, 8));
        Ok(caller)
    }

    /// General register by its number in unwind codes.
    pub(crate) fn windows(&self, number: u16) -> Option<u64> {
        self.general[WINDOWS[usize::from(number & 15)]]
    }

    pub(crate) fn set_windows(&mut self, number: u16, value: u64) {
        self.general[WINDOWS[usize::from(number & 15)]] = Some(value);
    }
}

/// Position of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// At these registers: it is in a system call, or a core has them.
    At(Box<Registers>),
    /// It runs: its registers are in a processor.
    Running,
    /// Neither is known.
    Unknown,
}
