//! The machine and the system of the code.

use object::pe;

use crate::pe::names::{self, MACHINES};

pub(super) const X86: u16 = pe::IMAGE_FILE_MACHINE_I386.0;

/// Machine and system that code is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// COFF machine, without the mark of the system.
    pub machine: u16,
    /// System; `None` where the machine has no mark: Windows, or any.
    pub system: Option<&'static str>,
}

/// Machine and system of the machine field of a COFF header, which is XORed with a mark of the system.
pub fn target(coff: u16) -> Target {
    let is_plain = |machine: u16| names::PLAIN_MACHINES.contains(&machine);
    if !is_plain(coff) {
        for (mask, system) in names::SYSTEMS {
            if is_plain(coff ^ mask) {
                return Target { machine: coff ^ mask, system: Some(system) };
            }
        }
    }
    Target { machine: coff, system: None }
}

impl Target {
    /// Size of a pointer in bytes.
    pub const fn pointer_size(self) -> u8 {
        if matches!(pe::Machine(self.machine), pe::IMAGE_FILE_MACHINE_AMD64 | pe::IMAGE_FILE_MACHINE_ARM64) {
            8
        } else {
            4
        }
    }

    /// Name of the machine.
    pub fn machine_name(self) -> &'static str {
        MACHINES.iter().find(|(value, _)| *value == u64::from(self.machine)).map_or("unknown machine", |(_, name)| name)
    }

    /// Name of the system.
    pub fn system_name(self) -> &'static str {
        self.system.unwrap_or("Windows")
    }
}
