//! The Windows PDB that a recipe would have: a module for each type, and in it the methods and points of the Portable PDB.
//!
//! Addresses are not code: section 1, and an offset that numbers the IL of all methods one after the other.

use sha2::{Digest, Sha256};

use super::bytes::Put;
use super::codeview::{self, Checksum, Line, Procedure, S_GMANPROC, S_MANSLOT};
use super::dbi::{Module, Program};
use super::msf::NameTable;
use super::recipe::Recipe;
use super::rng::Rng;
use super::{Method, names, portable};

const SHA256: u8 = 3;

impl Recipe {
    /// A Windows PDB with pages of that size. A stream number has 16 bits: no more than 65 000 types.
    pub fn windows(&self, page_size: usize) -> Vec<u8> {
        self.program().write(page_size)
    }

    /// Parts of the Windows PDB.
    pub fn program(&self) -> Program {
        let mut address = 0;
        let mut program = Program {
            guid: Rng::of(self.seed, "windows guid", 0).bytes(),
            machine: 0,
            names: NameTable::new(),
            files: (1..=self.documents).map(|row| names::document(self, row)).collect(),
            ..Program::default()
        };
        let offsets: Vec<_> = program.files.iter().map(|file| program.names.add(file)).collect();
        for row in 2..=self.types {
            let module = module(self, row, &offsets, &mut address);
            program.modules.extend(module);
        }
        program
    }
}

/// The module of a type, if it has a method with code.
fn module(recipe: &Recipe, row: u32, names: &[u32], address: &mut u32) -> Option<Module> {
    let start = *address;
    let methods: Vec<_> =
        recipe.methods_of(row).map(|row| recipe.method(row)).filter(|method| !method.is_abstract()).collect();
    let mut documents: Vec<_> = methods.iter().flat_map(|method| &method.points).map(|point| point.document).collect();
    documents.sort_unstable();
    documents.dedup();
    let (mut symbols, mut lines, mut at, mut checksums) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for document in &documents {
        at.push(checksums.iter().map(codeview::checksum_size).sum());
        let hash = Sha256::digest(portable::text(recipe, *document)).to_vec();
        checksums.push(Checksum::from((names[*document as usize - 1], SHA256, hash)));
    }
    for method in &methods {
        let procedure =
            Procedure { name: &method.name, start: *address, size: method.code_size, type_or_token: method.token() };
        codeview::procedure(S_GMANPROC, &procedure, |out| slots(recipe, method, out), &mut symbols);
        codeview::lines(*address, method.code_size, true, &blocks(method, &documents, &at), &mut lines);
        *address += method.code_size;
    }
    codeview::checksums(&checksums, &mut lines);
    let files = documents.iter().map(|document| *document as usize - 1).collect();
    let (name, object) = (names::full_type_name(recipe, row, "."), format!("{row:08X}"));
    let module = Module { name, object, symbols, lines, files, code: (start, *address - start) };
    (!methods.is_empty()).then_some(module)
}

/// The points of a method, cut where the document changes. `at` is where the checksum of each document begins.
fn blocks(method: &Method, documents: &[u32], at: &[u32]) -> Vec<(u32, Vec<Line>)> {
    let runs = method.points.chunk_by(|a, b| a.document == b.document);
    let block = |run: &[super::method::Point]| {
        let file = documents.iter().position(|document| *document == run[0].document).unwrap_or_default();
        (at[file], run.iter().map(|point| Line { offset: point.il, lines: point.lines }).collect())
    };
    runs.map(block).collect()
}

/// The local variables of a method.
fn slots(recipe: &Recipe, method: &Method, out: &mut Vec<u8>) {
    for (slot, row) in (0..).zip(method.variables.clone()) {
        let (mut name, is_hidden) = names::local(recipe, "variable", row);
        let mut slot: u32 = slot;
        if let Some(first) = recipe.hoisted {
            slot += first;
            name = format!("$VB$ResumableLocal_{name}${slot}");
        }
        codeview::symbol(
            S_MANSLOT,
            |out| {
                // Slot, signature, address (none), flags: one says "compiler-generated".
                out.put_u32s(&[slot, 0x1100_0001, 0, if is_hidden { 4 << 16 } else { 0 }]);
                out.put_z(&name);
            },
            out,
        );
    }
}
