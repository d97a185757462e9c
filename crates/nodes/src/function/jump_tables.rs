//! Jump tables in the code of a function: addresses that a jump with an index leads to, which are no instructions.

use crate::code_unit::view::MethodView;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::code_unit::function::JUMP_TABLE;
use pdblens_machine::{Flow, Instruction, Machine};

/// Bytes of an entry.
const ENTRY: usize = 4;
/// Bytes of a row where no entries are.
const ROW: usize = 8;

pub(super) struct Code<'c> {
    pub(super) machine: Machine,
    /// Preferred base address of the image, and address of the code.
    pub(super) base: u64,
    pub(super) address: u64,
    pub(super) bytes: &'c [u8],
}

/// Instructions of a function, and the entries of its jump tables; they tile the code. A hostile file may have a table at every byte.
pub(super) fn disassemble(code: &Code<'_>, view: &MethodView) -> Vec<Instruction> {
    let end = code.bytes.len();
    let tables = view.records.iter().filter(|symbol| symbol.word == JUMP_TABLE).map(|symbol| symbol.start as usize);
    let mut tables: Vec<usize> = tables.filter(|start| *start < end).collect();
    tables.sort_unstable();
    tables.dedup();
    let mut tables = tables.into_iter().peekable();
    // A line begins there, or a branch leads there.
    let mut code_starts: BTreeSet<usize> = view.points.iter().map(|point| point.offset as usize).collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < end {
        while tables.next_if(|start| *start < at).is_some() {}
        let table = tables.next().unwrap_or(end);
        let before = found.len();
        add_code(code, at..table, &mut found);
        code_starts.extend(found.iter().skip(before).filter_map(|one| branch_target(code, one)));
        let next = tables.peek().copied().unwrap_or(end);
        at = code_starts.range(table + 1..).next().map_or(next, |start| next.min(*start));
        add_entries(code, table..at, &mut found);
    }
    found
}

fn add_code(code: &Code<'_>, range: Range<usize>, found: &mut Vec<Instruction>) {
    let bytes = code.bytes.get(range.clone()).unwrap_or_default();
    let instructions = code.machine.disassemble(bytes, code.address.wrapping_add(range.start as u64));
    let first = range.start as u32;
    found.extend(instructions.into_iter().map(|one| Instruction { offset: first + one.offset, ..one }));
}

/// Offset of the code that a conditional branch leads to.
fn branch_target(code: &Code<'_>, instruction: &Instruction) -> Option<usize> {
    if instruction.flow != Flow::Branch {
        return None;
    }
    usize::try_from(instruction.target?.checked_sub(code.address)?).ok()
}

/// Adds the entries of a table, and as rows of bytes what is no entry: an address in the function, on x64 relative to the image.
fn add_entries(code: &Code<'_>, range: Range<usize>, found: &mut Vec<Instruction>) {
    let mut rest = code.bytes.get(range.clone()).unwrap_or_default();
    let mut offset = range.start as u32;
    while !rest.is_empty() {
        let entry = rest.first_chunk::<ENTRY>().map(|entry| u64::from(u32::from_le_bytes(*entry)));
        let target = match code.machine {
            Machine::X86 => entry,
            Machine::X64 => entry.map(|rva| code.base.wrapping_add(rva)),
            Machine::Arm64 => None,
        };
        let target = target.filter(|target| target.wrapping_sub(code.address) < code.bytes.len() as u64);
        let len = if target.is_some() { ENTRY } else { ROW.min(rest.len()) };
        found.push(Instruction { offset, len: len as u8, flow: Flow::Data, target, ..Instruction::default() });
        rest = rest.get(len..).unwrap_or_default();
        offset += len as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_unit::view::FunctionSymbol;

    #[test]
    fn entries_of_a_jump_table_are_no_instructions() {
        // jmp [eax*4+0x40100c]; nop; ret; int3; two addresses, an index, nop.
        let bytes = b"\xff\x24\x85\x0c\x10\x40\x00\x90\xc3\xcc\xcc\xcc\x07\x10\x40\x00\x08\x10\x40\x00\x00\x01\x01";
        let table = FunctionSymbol { word: JUMP_TABLE, start: 12, ..FunctionSymbol::default() };
        let view = MethodView { records: vec![table], ..MethodView::default() };
        let code = Code { machine: Machine::X86, base: 0x40_0000, address: 0x40_1000, bytes };
        let found = disassemble(&code, &view);
        let data = found.iter().filter(|one| one.flow == Flow::Data).map(|one| (one.offset, one.len, one.target));
        let expected = [(12, 4, Some(0x40_1007)), (16, 4, Some(0x40_1008)), (20, 3, None)];
        assert_eq!(data.collect::<Vec<_>>(), expected);
        let ends: Vec<u32> = found.iter().map(Instruction::end).collect();
        let starts: Vec<u32> = found.iter().map(|one| one.offset).collect();
        assert_eq!(
            (&starts[1..], ends.last()),
            (&ends[..ends.len() - 1], Some(&(bytes.len() as u32))),
            "they tile the code"
        );
    }

    #[test]
    fn a_table_at_every_byte_is_read_in_linear_time() {
        const LEN: u32 = 1 << 17;
        let table = |start| FunctionSymbol { word: JUMP_TABLE, start, ..FunctionSymbol::default() };
        let view = MethodView { records: (0..LEN).map(table).collect(), ..MethodView::default() };
        let bytes = vec![0xcc; LEN as usize];
        let code = Code { machine: Machine::X86, base: 0x40_0000, address: 0x40_1000, bytes: &bytes };
        let began = std::time::Instant::now();
        assert_eq!(disassemble(&code, &view).len(), LEN as usize);
        // With a pass over all tables for each of them, it takes minutes.
        assert!(began.elapsed().as_secs() < 20);
    }
}
