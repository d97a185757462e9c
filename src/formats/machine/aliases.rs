//! Names that the Arm manual prefers for special cases of general instructions: `mov` for `orr` with the zero register, `cmp`
//! for `subs` whose result is dropped (Arm ARM C6.2, "Alias conditions").

/// An instruction whose result or operand is the zero register: bits, and the operand that its other name leaves out.
struct Dropped {
    mask: u32,
    value: u32,
    name: &'static str,
    operand: usize,
}

const fn dropped(mask: u32, value: u32, name: &'static str, operand: usize) -> Dropped {
    Dropped { mask, value, name, operand }
}

const DROPPED: &[Dropped] = &[
    dropped(0x7fe0_ffe0, 0x2a00_03e0, "mov", 1),   // ORR (register)
    dropped(0x7f80_03e0, 0x3200_03e0, "mov", 1),   // ORR (immediate)
    dropped(0x7fff_fc1f, 0x1100_001f, "mov", 2),   // ADD (immediate) of 0, to SP
    dropped(0x7fff_ffe0, 0x1100_03e0, "mov", 2),   // ADD (immediate) of 0, from SP
    dropped(0x7f80_001f, 0x7100_001f, "cmp", 0),   // SUBS (immediate)
    dropped(0x7f20_001f, 0x6b00_001f, "cmp", 0),   // SUBS (shifted register)
    dropped(0x7fe0_001f, 0x6b20_001f, "cmp", 0),   // SUBS (extended register)
    dropped(0x7f80_001f, 0x3100_001f, "cmn", 0),   // ADDS (immediate)
    dropped(0x7f20_001f, 0x2b00_001f, "cmn", 0),   // ADDS (shifted register)
    dropped(0x7fe0_001f, 0x2b20_001f, "cmn", 0),   // ADDS (extended register)
    dropped(0x7f80_001f, 0x7200_001f, "tst", 0),   // ANDS (immediate)
    dropped(0x7f20_001f, 0x6a00_001f, "tst", 0),   // ANDS (shifted register)
    dropped(0x7f20_03e0, 0x4b00_03e0, "neg", 1),   // SUB (shifted register)
    dropped(0x7f20_03e0, 0x6b00_03e0, "negs", 1),  // SUBS (shifted register)
    dropped(0x7f20_03e0, 0x2a20_03e0, "mvn", 1),   // ORN (shifted register)
    dropped(0x7fe0_fc00, 0x1b00_7c00, "mul", 3),   // MADD
    dropped(0x7fe0_fc00, 0x1b00_fc00, "mneg", 3),  // MSUB
    dropped(0xffe0_fc00, 0x9b20_7c00, "smull", 3), // SMADDL
    dropped(0xffe0_fc00, 0x9ba0_7c00, "umull", 3), // UMADDL
    dropped(0xffff_ffff, 0xd65f_03c0, "ret", 0),   // RET to the link register
];

const CONDITIONS: [&str; 16] =
    ["eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"];

/// Preferred name and operands of an instruction; `None` if that is the general name.
pub(super) fn preferred(word: u32, mnemonic: &str, operands: &str) -> Option<(String, String)> {
    if let Some(rule) = DROPPED.iter().find(|rule| word & rule.mask == rule.value) {
        let kept = operands.split(", ").enumerate().filter(|(index, _)| *index != rule.operand);
        return Some((rule.name.to_owned(), kept.map(|(_, operand)| operand).collect::<Vec<_>>().join(", ")));
    }
    if word & 0x7fe0_f000 == 0x1ac0_2000 {
        // LSLV, LSRV, ASRV, RORV.
        return Some((mnemonic.trim_end_matches('v').to_owned(), operands.to_owned()));
    }
    if let Some(name) = structures(word) {
        return Some((name, operands.to_owned()));
    }
    wide_immediate(word).or_else(|| conditional(word)).or_else(|| bit_field(word))
}

/// Loads and stores of SIMD structures (LD1 to LD4), named by the elements of a structure: the decoder names all of them after four.
fn structures(word: u32) -> Option<String> {
    if word & 0xbfbf_0000 != 0x0c00_0000 && word & 0xbfa0_0000 != 0x0c80_0000 {
        return None;
    }
    let elements = match word >> 12 & 15 {
        0 => 4,
        4 => 3,
        8 => 2,
        2 | 6 | 7 | 10 => 1,
        _ => return None,
    };
    Some(format!("{}{elements}", if word >> 22 & 1 == 1 { "ld" } else { "st" }))
}

/// Name of a general register, of which number 31 is the zero register.
fn register(is_wide: bool, number: u32) -> String {
    let letter = if is_wide { 'x' } else { 'w' };
    if number & 31 == 31 { format!("{letter}zr") } else { format!("{letter}{}", number & 31) }
}

/// MOVZ and MOVN with the number that they load.
fn wide_immediate(word: u32) -> Option<(String, String)> {
    let is_wide = word >> 31 == 1;
    let (shift, number) = (word >> 21 & 3, u64::from(word >> 5 & 0xffff));
    let value = number << (16 * shift);
    // A zero in an upper half has the general name, and so has what is beyond a short register.
    if number == 0 && shift > 0 || !is_wide && shift > 1 {
        return None;
    }
    let value = match word & 0x7f80_0000 {
        0x5280_0000 => format!("#{value:#x}"),
        0x1280_0000 if is_wide || number != 0xffff => format!("#-{:#x}", u128::from(value) + 1),
        _ => return None,
    };
    Some(("mov".to_owned(), format!("{}, {value}", register(is_wide, word))))
}

/// CSINC, CSINV and CSNEG of one register with itself.
fn conditional(word: u32) -> Option<(String, String)> {
    let (is_wide, rn, rm, condition) = (word >> 31 == 1, word >> 5 & 31, word >> 16 & 31, word >> 12 & 15);
    if rn != rm || condition > 13 {
        return None;
    }
    let name = match (word & 0x7fe0_0c00, rn) {
        (0x1a80_0400, 31) => "cset",
        (0x1a80_0400, _) => "cinc",
        (0x5a80_0000, 31) => "csetm",
        (0x5a80_0000, _) => "cinv",
        (0x5a80_0400, _) => "cneg",
        _ => return None,
    };
    let condition = CONDITIONS.get((condition ^ 1) as usize)?;
    let from = if name.starts_with("cset") { String::new() } else { format!("{}, ", register(is_wide, rn)) };
    Some((name.to_owned(), format!("{}, {from}{condition}", register(is_wide, word))))
}

/// UBFM, SBFM, BFM and EXTR as the shift, the extension or the bit field that they are.
fn bit_field(word: u32) -> Option<(String, String)> {
    let is_wide = word >> 31 == 1;
    let top = if is_wide { 63 } else { 31 };
    let (immr, imms, rn) = (word >> 16 & 63, word >> 10 & 63, word >> 5 & 31);
    // Fields beyond a register are no instruction.
    if imms > top || immr > top && word & 0x7fa0_0000 != 0x1380_0000 {
        return None;
    }
    let to = register(is_wide, word);
    let from = register(is_wide, rn);
    let text = |name: &str, operands: String| Some((name.to_owned(), format!("{to}, {operands}")));
    if word & 0x7fa0_0000 == 0x1380_0000 {
        return if rn == word >> 16 & 31 { text("ror", format!("{from}, #{imms}")) } else { None };
    }
    let signs = match word & 0x7f80_0000 {
        0x5300_0000 => "u",
        0x1300_0000 => "s",
        0x3300_0000 if imms < immr && rn == 31 => return text("bfc", format!("#{}, #{}", top + 1 - immr, imms + 1)),
        0x3300_0000 if imms < immr => return text("bfi", format!("{from}, #{}, #{}", top + 1 - immr, imms + 1)),
        0x3300_0000 => return text("bfxil", format!("{from}, #{immr}, #{}", imms - immr + 1)),
        _ => return None,
    };
    let short = register(false, rn);
    match (signs, immr, imms) {
        ("u", ..) if imms == top => text("lsr", format!("{from}, #{immr}")),
        ("s", ..) if imms == top => text("asr", format!("{from}, #{immr}")),
        ("u", ..) if imms + 1 == immr => text("lsl", format!("{from}, #{}", top - imms)),
        (_, 0, 7) if signs == "s" || !is_wide => text(&format!("{signs}xtb"), short),
        (_, 0, 15) if signs == "s" || !is_wide => text(&format!("{signs}xth"), short),
        ("s", 0, 31) => text("sxtw", short),
        _ if imms < immr => text(&format!("{signs}bfiz"), format!("{from}, #{}, #{}", top + 1 - immr, imms + 1)),
        _ => text(&format!("{signs}bfx"), format!("{from}, #{immr}, #{}", imms - immr + 1)),
    }
}
