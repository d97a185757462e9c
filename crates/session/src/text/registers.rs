//! Names of CodeView's register numbers, which differ by processor.
//!
//! # References
//!
//! microsoft/microsoft-pdb `include/cvconst.h` (`CV_HREG_e`), `include/cvinfo.h` (`CV_S_FRAMEPROC`); llvm/llvm-project
//! `llvm/include/llvm/DebugInfo/CodeView/CodeViewRegisters.def`.

/// Numbers that count up, and the registers that they stand for, with spaces between.
type Run = (u16, &'static str);

const X86: &[Run] = &[
    (1, "al cl dl bl ah ch dh bh ax cx dx bx sp bp si di"),
    (17, "eax ecx edx ebx esp ebp esi edi"),
    (128, "st0 st1 st2 st3 st4 st5 st6 st7"),
    (154, "xmm0 xmm1 xmm2 xmm3 xmm4 xmm5 xmm6 xmm7"),
    // A quarter or a half of a register.
    (162, "xmm0_0 xmm0_1 xmm0_2 xmm0_3 xmm1_0 xmm1_1 xmm1_2 xmm1_3"),
    (170, "xmm2_0 xmm2_1 xmm2_2 xmm2_3 xmm3_0 xmm3_1 xmm3_2 xmm3_3"),
    (178, "xmm4_0 xmm4_1 xmm4_2 xmm4_3 xmm5_0 xmm5_1 xmm5_2 xmm5_3"),
    (186, "xmm6_0 xmm6_1 xmm6_2 xmm6_3 xmm7_0 xmm7_1 xmm7_2 xmm7_3"),
    (194, "xmm0l xmm1l xmm2l xmm3l xmm4l xmm5l xmm6l xmm7l"),
    (202, "xmm0h xmm1h xmm2h xmm3h xmm4h xmm5h xmm6h xmm7h"),
    (30006, "vframe"),
];

/// Registers that x64 has besides those of x86.
const X64: &[Run] = &[
    (252, "xmm8 xmm9 xmm10 xmm11 xmm12 xmm13 xmm14 xmm15"),
    (324, "sil dil bpl spl rax rbx rcx rdx rsi rdi rbp rsp"),
    (336, "r8 r9 r10 r11 r12 r13 r14 r15"),
    (344, "r8b r9b r10b r11b r12b r13b r14b r15b"),
    (352, "r8w r9w r10w r11w r12w r13w r14w r15w"),
    (360, "r8d r9d r10d r11d r12d r13d r14d r15d"),
    (368, "ymm0 ymm1 ymm2 ymm3 ymm4 ymm5 ymm6 ymm7 ymm8 ymm9 ymm10 ymm11 ymm12 ymm13 ymm14 ymm15"),
    (694, "xmm16 xmm17 xmm18 xmm19 xmm20 xmm21 xmm22 xmm23 xmm24 xmm25 xmm26 xmm27 xmm28 xmm29 xmm30 xmm31"),
];

const ARM: &[Run] = &[(10, "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 sp lr pc")];

const ARM64: &[Run] = &[
    (10, "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15"),
    (26, "w16 w17 w18 w19 w20 w21 w22 w23 w24 w25 w26 w27 w28 w29 w30 wzr"),
    (50, "x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15"),
    (66, "x16 x17 x18 x19 x20 x21 x22 x23 x24 x25 x26 x27 x28 fp lr sp xzr"),
    (100, "s0 s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12 s13 s14 s15"),
    (116, "s16 s17 s18 s19 s20 s21 s22 s23 s24 s25 s26 s27 s28 s29 s30 s31"),
    (140, "d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 d10 d11 d12 d13 d14 d15"),
    (156, "d16 d17 d18 d19 d20 d21 d22 d23 d24 d25 d26 d27 d28 d29 d30 d31"),
    (180, "q0 q1 q2 q3 q4 q5 q6 q7 q8 q9 q10 q11 q12 q13 q14 q15"),
    (196, "q16 q17 q18 q19 q20 q21 q22 q23 q24 q25 q26 q27 q28 q29 q30 q31"),
];

/// The numbers of processors, as COFF has them.
const MACHINE_X86: u16 = 0x014c;
const MACHINE_X64: u16 = 0x8664;
const MACHINE_ARM: u16 = 0x01c4;
const MACHINE_ARM64: u16 = 0xaa64;

pub fn name(machine: u16, register: u16) -> Option<&'static str> {
    let runs: &[&[Run]] = match machine {
        MACHINE_X86 => &[X86],
        MACHINE_X64 => &[X86, X64],
        MACHINE_ARM => &[ARM],
        MACHINE_ARM64 => &[ARM64],
        _ => &[],
    };
    let mut runs = runs.iter().flat_map(|runs| runs.iter());
    runs.find_map(|(first, names)| names.split(' ').nth(register.checked_sub(*first)?.into()))
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
            (MACHINE_X86, 193, Some("xmm7_3")),
            (MACHINE_X64, 17, Some("eax")),
            (MACHINE_X64, 197, Some("xmm3l")),
            (MACHINE_X64, 209, Some("xmm7h")),
            (MACHINE_X64, 335, Some("rsp")),
            (MACHINE_X64, 367, Some("r15d")),
            (MACHINE_X86, 335, None),
            (MACHINE_X64, 383, Some("ymm15")),
            (MACHINE_X64, 709, Some("xmm31")),
            (MACHINE_ARM64, 81, Some("sp")),
            (MACHINE_ARM64, 131, Some("s31")),
            (MACHINE_ARM64, 132, None),
            (MACHINE_ARM64, 148, Some("d8")),
            (MACHINE_ARM64, 211, Some("q31")),
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
