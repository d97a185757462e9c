//! Instructions of ARM64 against GNU objdump: mnemonics and operands.
//!
//! `assets/build/a64.sh` writes its answers: words and instructions, the first word at address 0, each 4 bytes after the one before.

use std::collections::BTreeMap;

use crate::support::samples::repository;
use pdblens::formats::machine::Machine;

/// A number after `#` in decimal; `mask` has the bits that count of those that are less than 0.
fn plain_number(number: &str, mask: Option<i128>) -> String {
    let digits = number.trim_start_matches('-');
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => digits.parse::<i128>().ok(),
    };
    let sign = if number.starts_with('-') { -1 } else { 1 };
    match value {
        Some(value) => ((sign * value) & mask.unwrap_or(-1)).to_string(),
        None => format!("{:?}", number.parse::<f64>().unwrap()),
    }
}

/// The registers of `{v0.b-v3.b}`, each of its own.
fn plain_list(text: &str) -> String {
    let list = |text: &str| {
        let (first, last) = text.split_once('-')?;
        let (first, kind) = first.trim_start_matches('v').split_once('.')?;
        let (last, _) = last.trim_start_matches('v').split_once('.')?;
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        let count = (last + 32 - first) % 32 + 1;
        let names: Vec<String> = (0..count).map(|next| format!("v{}.{kind}", (first + next) % 32)).collect();
        Some(names.join(", "))
    };
    let Some((before, inner)) = text.split_once('{') else { return text.to_owned() };
    let (inner, after) = inner.split_once('}').unwrap();
    format!("{before}{{{}}}{after}", list(inner).unwrap_or_else(|| inner.trim().to_owned()))
}

/// One spelling for what the two write differently: lists, conditions and numbers.
fn plain(text: &str) -> String {
    let text = plain_list(&text.to_lowercase());
    let mut parts = text.split('#');
    let mut out = parts.next().unwrap_or_default().to_owned();
    let mask = match out.split_once(' ') {
        Some(("mov", operands)) if operands.starts_with('w') => Some(0xffff_ffff),
        Some(("mov", _)) => Some(0xffff_ffff_ffff_ffff),
        _ => None,
    };
    for part in parts {
        let (number, rest) = part.split_at(part.find([',', ']', ' ']).unwrap_or(part.len()));
        out.extend(["#", &plain_number(number, mask), rest]);
    }
    for (theirs, ours) in [("b.cs ", "b.hs "), ("b.cc ", "b.lo "), ("bc.cs ", "bc.hs "), ("bc.cc ", "bc.lo ")] {
        out = out.replace(theirs, ours);
    }
    for (theirs, ours) in [(", cs", ", hs"), (", cc", ", lo")] {
        out = out.strip_suffix(theirs).map_or(out.clone(), |start| format!("{start}{ours}"));
    }
    out
}

/// Returns true for the words of SVE and SME, which are not decoded (C4.1).
const fn is_scalable(word: u32) -> bool {
    word >> 25 & 15 == 2 || word & 0x9e00_0000 == 0x8000_0000
}

/// Mnemonics in which this decoder and objdump differ, with the number of words and the first of them.
fn differences(objdump: &str) -> BTreeMap<String, (usize, u32)> {
    let mut found = BTreeMap::new();
    for (index, line) in objdump.lines().enumerate() {
        let (word, theirs) = line.split_once('\t').unwrap();
        let word = u32::from_str_radix(word, 16).unwrap();
        let ours = Machine::Arm64.text(&word.to_le_bytes(), 4 * index as u64);
        let ours = format!("{} {}", ours.mnemonic, ours.operands);
        let (ours, theirs) = (plain(ours.trim()), plain(theirs));
        if ours != theirs && !(ours == "?" && is_scalable(word)) {
            let name = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
            let entry = found.entry(format!("{} {}", name(&ours), name(&theirs))).or_insert((0, word));
            entry.0 += 1;
        }
    }
    found
}

#[test]
fn arm64_instructions_match_objdump() {
    let text = std::fs::read_to_string(repository("tests/golden/a64/objdump.tsv")).unwrap();
    assert_eq!(differences(&text), BTreeMap::new());
    assert!(text.lines().count() > 500);
}

/// Compares the words of a file with the answer of `assets/build/a64.sh FILE` in `OBJDUMP`.
#[test]
#[ignore = "needs a file: OBJDUMP"]
fn arm64_instructions_of_a_file_match_objdump() {
    let text = std::fs::read_to_string(std::env::var("OBJDUMP").unwrap()).unwrap();
    println!("{} words, differences: {:#x?}", text.lines().count(), differences(&text));
}
