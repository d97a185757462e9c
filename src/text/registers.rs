//! Names of CodeView's register numbers, which differ by processor.
//!
//! # References
//!
//! microsoft/microsoft-pdb `include/cvconst.h` (`CV_HREG_e`), `include/cvinfo.h` (`CV_S_FRAMEPROC`).

/// Numbers that count up, and the registers that they stand for.
type Run = (u16, &'static [&'static str]);

const X86: &[Run] = &[
    (1, &["al", "cl", "dl", "bl", "ah", "ch", "dh", "bh", "ax", "cx", "dx", "bx", "sp", "bp", "si", "di"]),
    (17, &["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"]),
    (128, &["st0", "st1", "st2", "st3", "st4", "st5", "st6", "st7"]),
    (154, &["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"]),
    (30006, &["vframe"]),
];

/// Registers that x64 has besides those of x86.
const X64: &[Run] = &[
    (252, &["xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"]),
    (324, &["sil", "dil", "bpl", "spl", "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp"]),
    (336, &["r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"]),
    (344, &["r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"]),
    (352, &["r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"]),
    (360, &["r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"]),
];

const ARM: &[Run] =
    &[(10, &["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"])];

const ARM64: &[Run] = &[
    (10, &["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9", "w10", "w11", "w12", "w13", "w14", "w15"]),
    (
        26,
        &[
            "w16", "w17", "w18", "w19", "w20", "w21", "w22", "w23", "w24", "w25", "w26", "w27", "w28", "w29", "w30",
            "wzr",
        ],
    ),
    (50, &["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15"]),
    (
        66,
        &[
            "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "fp", "lr",
            "sp", "xzr",
        ],
    ),
];

/// The numbers of processors, as COFF has them.
const MACHINE_X86: u16 = 0x014c;
const MACHINE_X64: u16 = 0x8664;
const MACHINE_ARM: u16 = 0x01c4;
const MACHINE_ARM64: u16 = 0xaa64;

/// The name of a register of a processor.
pub fn name(machine: u16, register: u16) -> Option<&'static str> {
    let runs: &[&[Run]] = match machine {
        MACHINE_X86 => &[X86],
        MACHINE_X64 => &[X86, X64],
        MACHINE_ARM => &[ARM],
        MACHINE_ARM64 => &[ARM64],
        _ => &[],
    };
    let mut runs = runs.iter().flat_map(|runs| runs.iter());
    runs.find_map(|(first, names)| names.get(register.checked_sub(*first)? as usize)).copied()
}

/// The register that a function's parameters, or its other variables, are addressed by: its frame record says which.
pub fn frame_base(machine: u16, frame_flags: u32, parameter: bool) -> Option<&'static str> {
    let code = frame_flags >> if parameter { 16 } else { 14 } & 3;
    let names = match machine {
        MACHINE_X86 => ["vframe", "ebp", "ebx"],
        MACHINE_X64 => ["rsp", "rbp", "r13"],
        MACHINE_ARM => ["sp", "r11", "r7"],
        MACHINE_ARM64 => ["sp", "fp", "x19"],
        _ => return None,
    };
    names.get((code as usize).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_processor() {
        for (machine, register, wanted) in [
            (MACHINE_X86, 21, Some("esp")),
            (MACHINE_X64, 17, Some("eax")),
            (MACHINE_X64, 335, Some("rsp")),
            (MACHINE_X64, 367, Some("r15d")),
            (MACHINE_X86, 335, None),
            (MACHINE_ARM64, 81, Some("sp")),
            (0, 17, None),
            (MACHINE_X64, 0, None),
        ] {
            assert_eq!(name(machine, register), wanted, "{machine:x} {register}");
        }
        assert_eq!(frame_base(MACHINE_X64, 1 << 14 | 2 << 16, true), Some("rbp"));
        assert_eq!(frame_base(MACHINE_X64, 1 << 14 | 2 << 16, false), Some("rsp"));
        assert_eq!(frame_base(MACHINE_X64, 0, false), None);
    }
}
