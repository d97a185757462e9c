//! Names of system registers, and of the operations of SYS: IC, DC, AT and TLBI.

use std::fmt::Write;
use std::sync::OnceLock;

pub(super) const TEXT: &str = include_str!("registers.txt");
/// Bit of an instruction that is set if it reads.
const READS: u32 = 1 << 21;

/// Name of a register or an operation.
#[derive(Clone, Copy)]
pub(super) struct Name {
    /// op0, op1, CRn, CRm and op2, as in an instruction.
    pub key: u16,
    text: &'static str,
}

pub(super) fn names() -> &'static [Name] {
    static NAMES: OnceLock<Vec<Name>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut names: Vec<Name> = TEXT.lines().filter_map(parse).collect();
        names.sort_by_key(|name| name.key);
        names
    })
}

/// `op0 op1 CRn CRm op2 NAME`.
fn parse(line: &'static str) -> Option<Name> {
    let mut key: u16 = 0;
    let mut rest = line;
    for bits in [2, 3, 4, 4, 3] {
        let (number, after) = rest.split_once(' ')?;
        key = key << bits | number.parse::<u16>().ok().filter(|number| number >> bits == 0)?;
        rest = after;
    }
    Some(Name { key, text: rest })
}

/// Name of the register or operation of an instruction.
fn find(word: u32) -> Option<&'static str> {
    let key = (word >> 5 & 0xffff) as u16;
    let names = names();
    let index = names.binary_search_by_key(&key, |name| name.key).ok()?;
    names.get(index).map(|name| name.text)
}

/// Register of MSR or MRS: its name, or its numbers.
pub(super) fn register(out: &mut String, word: u32) -> Option<()> {
    if let Some(text) = find(word) {
        let (read, written) = text.split_once('/').unwrap_or((text, text));
        out.push_str(if word & READS == 0 { written } else { read });
        return Some(());
    }
    let [op0, op1, crn, crm, op2] =
        [(19, 3), (16, 7), (12, 15), (8, 15), (5, 7)].map(|(shift, mask)| word >> shift & mask);
    write!(out, "s{op0}_{op1}_c{crn}_c{crm}_{op2}").ok()
}

/// Operation of SYS; `None` if it has no name, or if it has a register and `of_register` is false, or the reverse.
pub(super) fn operation(out: &mut String, word: u32, of_register: bool) -> Option<()> {
    let text = find(word)?;
    let (text, has_register) = text.strip_suffix(" xt").map_or((text, false), |text| (text, true));
    out.push_str(text);
    (has_register == of_register).then_some(())
}
