//! A PDB as a linker writes it: modules, functions, and very many lines.

use super::codeview::{self, Line, Procedure, S_GPROC32};
use super::dbi::{Module, Program};
use super::method::Lines;
use super::msf::NameTable;
use super::rng::Rng;

/// Counts of modules, functions and lines.
pub struct Native {
    pub modules: u32,
    /// Functions of each module.
    pub functions: u32,
    /// Lines of each function.
    pub lines: u32,
    pub seed: u64,
}

const MD5: u8 = 1;
const X64: u16 = 0x8664;

impl Native {
    /// The PDB with pages of that size.
    pub fn pdb(&self, page_size: usize) -> Vec<u8> {
        let mut program = Program {
            guid: Rng::of(self.seed, "native guid", 0).bytes(),
            machine: X64,
            names: NameTable::new(),
            files: (0..self.modules).map(|index| format!("/src/native/unit{index}.c")).collect(),
            ..Program::default()
        };
        let offsets: Vec<_> = program.files.iter().map(|file| program.names.add(file)).collect();
        let mut address = 0;
        for index in 0..self.modules {
            program.modules.push(self.module(index, offsets[index as usize], &mut address));
        }
        program.write(page_size)
    }

    fn module(&self, index: u32, name: u32, address: &mut u32) -> Module {
        let (mut rng, start) = (Rng::of(self.seed, "native", index), *address);
        let (mut symbols, mut lines, mut line) = (Vec::new(), Vec::new(), 1);
        for function in 0..self.functions {
            let (mut block, mut size) = (Vec::new(), 0);
            for _ in 0..self.lines {
                line += rng.between(1, 4);
                let at = Lines { start_line: line, start_column: 0, end_line: line, end_column: 0 };
                block.push(Line { offset: size, lines: Some(at) });
                size += rng.between(1, 24);
            }
            let procedure =
                Procedure { name: &format!("unit{index}_function{function}"), start: *address, size, type_or_token: 0 };
            codeview::procedure(S_GPROC32, &procedure, |_| {}, &mut symbols);
            codeview::lines(*address, size, false, &[(0, block)], &mut lines);
            *address += size.next_multiple_of(16);
        }
        codeview::checksums(&[(name, MD5, rng.bytes::<16>().to_vec())], &mut lines);
        Module {
            name: format!("/obj/unit{index}.obj"),
            object: format!("/obj/unit{index}.obj"),
            symbols,
            lines,
            files: vec![index as usize],
            code: (start, *address - start),
        }
    }
}
