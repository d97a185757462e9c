use super::*;
use proptest::prelude::*;

const MACHINES: [Machine; 3] = [Machine::X86, Machine::X64, Machine::Arm64];

fn listing(machine: Machine, code: &[u8], address: u64) -> Vec<String> {
    let line = |one: &Instruction| {
        let bytes = &code[one.offset as usize..one.end() as usize];
        let text = machine.text(bytes, address + u64::from(one.offset));
        let target = one.target.map_or(String::new(), |target| format!(" -> {target:#x}"));
        let operands = if text.operands.is_empty() { String::new() } else { format!(" {}", text.operands) };
        format!("{}+{} {}{operands}{target}", one.offset, one.len, text.mnemonic)
    };
    machine.disassemble(code, address).iter().map(line).collect()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn x64_instructions_have_targets() {
    let code = [
        0x48, 0x83, 0xec, 0x28, 0xe8, 0x10, 0, 0, 0, 0x74, 0xfb, 0x8b, 0x05, 4, 0, 0, 0, 0x89, 0x4c, 0x24, 0x08, 0xff,
        0x15, 0xe3, 0x0f, 0, 0, 0x65, 0x48, 0x8b, 0x04, 0x25, 0x58, 0, 0, 0, 0xc3, 0x06,
    ];
    assert_eq!(
        listing(Machine::X64, &code, 0x1000),
        [
            "0+4 sub rsp, 0x28",
            "4+5 call 0x1019 -> 0x1019",
            "9+2 je 0x1006 -> 0x1006",
            "11+6 mov eax, [0x1015] -> 0x1015",
            "17+4 mov [rsp+0x8], ecx",
            "21+6 call qword ptr [0x1ffe] -> 0x1ffe",
            "27+9 mov rax, gs:[0x58]",
            "36+1 ret",
            "37+1 ?",
        ]
    );
}

#[test]
fn a_breakpoint_instruction_has_its_own_mnemonic() {
    let text = |code: &[u8]| Machine::X64.text(code, 0);
    assert_eq!((text(&[0xcc]).mnemonic.as_str(), text(&[0xcc]).operands.as_str()), ("int3", ""));
    assert_eq!((text(&[0xcd, 3]).mnemonic.as_str(), text(&[0xcd, 3]).operands.as_str()), ("int", "0x3"));
}

#[test]
fn x86_instructions_have_absolute_targets() {
    let code = [
        0x55, 0x8b, 0xec, 0xa1, 0x10, 0x30, 0x40, 0, 0x64, 0xa1, 0, 0, 0, 0, 0xff, 0x24, 0x85, 0x20, 0x10, 0x40, 0,
        0xff,
    ];
    assert_eq!(
        listing(Machine::X86, &code, 0x0040_1000),
        [
            "0+1 push ebp",
            "1+2 mov ebp, esp",
            "3+5 mov eax, [0x403010] -> 0x403010",
            "8+6 mov eax, fs:[0x0]",
            "14+7 jmp dword ptr [eax*4+0x401020] -> 0x401020",
            "21+1 ?",
        ]
    );
}

#[test]
fn arm64_instructions_have_targets() {
    let mut code =
        words(&[0xa9bf_7bfd, 0x9400_0002, 0x34ff_ffe0, 0x3627_ffe0, 0x5400_0041, 0xd63f_0100, 0xd65f_03c0, 0]);
    code.push(1);
    assert_eq!(
        listing(Machine::Arm64, &code, 0x1000),
        [
            "0+4 stp x29, x30, [sp, #-16]!",
            "4+4 bl 0x100c -> 0x100c",
            "8+4 cbz w0, 0x1004 -> 0x1004",
            "12+4 tbz w0, #4, 0x1008 -> 0x1008",
            "16+4 b.ne 0x1018 -> 0x1018",
            "20+4 blr x8",
            "24+4 ret",
            "28+4 udf #0x0",
            "32+1 ?",
        ]
    );
}

#[test]
fn an_address_in_two_arm64_instructions_is_put_together() {
    // adrp x8, +0x1000; add x8, x8, #0x10; ldr x9, [x8, #8]; adrp x10; mov x10, x0; ldr w0, [x10, #4]; adrp x0; bl; ldr x0, [x0].
    let code = words(&[
        0xb000_0008,
        0x9100_4108,
        0xf940_0509,
        0xb000_000a,
        0xaa00_03ea,
        0xb940_0540,
        0xb000_0000,
        0xf940_0401,
        0x9400_0002,
        0xf940_0400,
    ]);
    let found = Machine::Arm64.disassemble(&code, 0x1000);
    let targets: Vec<Option<u64>> = found.iter().map(|one| one.target).collect();
    let expected =
        [Some(0x2000), Some(0x2010), None, Some(0x2000), None, None, Some(0x2000), Some(0x2008), Some(0x1028), None];
    assert_eq!(targets, expected);
}

#[test]
fn arm64_instructions_have_their_preferred_names() {
    for (word, wanted) in [
        (0xaa01_03e0, "mov x0, x1"),
        (0x5280_00a0, "mov w0, #0x5"),
        (0x9280_0000, "mov x0, #-0x1"),
        (0x9100_03fd, "mov x29, sp"),
        (0x7100_141f, "cmp w0, #0x5"),
        (0xeb01_001f, "cmp x0, x1"),
        (0x1b01_7c00, "mul w0, w0, w1"),
        (0x1a9f_17e0, "cset w0, eq"),
        (0x5ac1_2000, "?"),
        (0x1ac1_2000, "lsl w0, w0, w1"),
        (0x531f_7800, "lsl w0, w0, #1"),
        (0x5301_7c00, "lsr w0, w0, #1"),
        (0x1301_7c00, "asr w0, w0, #1"),
        (0x9340_7c00, "sxtw x0, w0"),
        (0x5300_1c00, "uxtb w0, w0"),
        (0x4b00_03e0, "neg w0, w0"),
        (0x4cdf_a041, "ld1 { v1.16b, v2.16b }, [x2], #32"),
        (0x3300_1c20, "bfxil w0, w1, #0, #8"),
    ] {
        let text = Machine::Arm64.text(&u32::to_le_bytes(word), 0);
        let text = format!("{} {}", text.mnemonic, text.operands);
        assert_eq!(text.trim(), wanted, "{word:#010x}");
    }
}

#[test]
fn parts_of_an_instruction_have_its_numbers() {
    use InstructionPart::{Displacement, Immediate, Opcode};
    // mov dword ptr [rsp+0x20], 7
    let code = [0xc7, 0x44, 0x24, 0x20, 7, 0, 0, 0];
    assert_eq!(Machine::X64.parts(&code), [(Opcode, 3), (Displacement, 1), (Immediate, 4)]);
    assert_eq!(Machine::X64.parts(&[0xe8, 0, 0, 0, 0]), [(Opcode, 1), (Immediate, 4)]);
    assert_eq!(Machine::Arm64.parts(&[0; 4]), [(Opcode, 4)]);
    assert_eq!(Machine::X64.parts(&[0x06]), [(Opcode, 1)]);
}

/// Words with every upper half, and lower halves that differ from one to the next.
#[test]
fn any_arm64_word_is_named() {
    let step = std::env::var("PDBLENS_WORD_STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(60_013);
    let (mut known, mut all) = (0, 0);
    for word in (0..=u32::MAX).step_by(step) {
        let bytes = word.to_le_bytes();
        let found = Machine::Arm64.disassemble(&bytes, 0xffff_ffff_ffff_f000);
        let text = Machine::Arm64.text(&bytes, u64::MAX - 3);
        assert_eq!(text.mnemonic == "?", found[0].flow == Flow::Unknown, "{word:#010x}");
        (known, all) = (known + u32::from(found[0].flow != Flow::Unknown), all + 1);
    }
    assert!(known > all / 4, "{known} of {all}");
}

proptest! {
    #[test]
    fn instructions_tile_any_bytes(code in proptest::collection::vec(any::<u8>(), 0..600), address: u64) {
        for machine in MACHINES {
            let mut end = 0;
            for one in machine.disassemble(&code, address) {
                prop_assert!(one.offset == end && one.len > 0, "{machine:?} {one:?}");
                end = one.end();
                let bytes = &code[one.offset as usize..end as usize];
                let text = machine.text(bytes, address.wrapping_add(one.offset.into()));
                prop_assert_eq!(text.mnemonic == "?", one.flow == Flow::Unknown);
                let parts: u64 = machine.parts(bytes).iter().map(|(_, size)| size).sum();
                prop_assert_eq!(parts, u64::from(one.len));
            }
            prop_assert_eq!(end as usize, code.len());
        }
    }
}

#[test]
fn code_without_distances_is_the_same_wherever_it_is() {
    // call 0x140002000; mov eax, [rip+…]; je to itself; jmp 0x140002000.
    let x64 = |at: u64| {
        let rel = |next: u64, to: u64| (to.wrapping_sub(at + next) as u32).to_le_bytes();
        let (call, load, jump) = (rel(5, 0x1_4000_2000), rel(11, 0x1_4000_3000), rel(18, 0x1_4000_2000));
        [&[0xe8][..], &call, &[0x8b, 0x05], &load, &[0x74, 0xf3, 0xe9], &jump].concat()
    };
    // bl; adrp x0; ldr x0, [x0, #…]; cbz x0 to itself.
    let arm = |at: u32, to: u32| {
        let page = (to >> 12).wrapping_sub((at + 4) >> 12);
        let adrp = 0x9000_0000 | (page & 3) << 29 | (page >> 2 & 0x7_ffff) << 5;
        let words = [
            0x9400_0000 | ((to.wrapping_sub(at) / 4) & 0x3ff_ffff),
            adrp,
            0xf940_0000 | (to >> 3 & 0x1ff) << 10,
            0xb4ff_ffa0,
        ];
        words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
    };
    let of = |machine: Machine, code: &[u8], at: u64| {
        let mut targets = Vec::new();
        let code = machine.without_distances(code, at, &mut |to| targets.push(to));
        (code, targets)
    };
    let one = of(Machine::X64, &x64(0x1_4000_1000), 0x1_4000_1000);
    assert_eq!(one, of(Machine::X64, &x64(0x1_4000_1230), 0x1_4000_1230));
    assert_eq!(one.1, [0x1_4000_2000, 0x1_4000_3000, 0x1_4000_2000]);
    assert_eq!(one.0[12], 0xf3, "a jump inside keeps its distance");
    let one = of(Machine::Arm64, &arm(0x1000, 0x8008), 0x1000);
    assert_eq!(one, of(Machine::Arm64, &arm(0x5120, 0x8008), 0x5120));
    assert_eq!(one.1, [0x8008, 0x8008]);
    assert_ne!(one, of(Machine::Arm64, &arm(0x1000, 0x9010), 0x1000), "another target");
}
