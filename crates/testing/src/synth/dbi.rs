//! The DBI stream of a Windows PDB: its modules, what they contribute to the sections, their files.

use std::collections::HashMap;

use super::bytes::Put;
use super::msf::{self, Msf, NameTable};

/// Type or id records without their lengths: kind and content; numbered from 0x1000 on.
pub type TypeRecords = Vec<Vec<u8>>;

/// An image that was rearranged after it was linked: its sections, and pairs of addresses both ways.
pub struct Omap {
    /// RVA and size of the only section of the final image; `None` without a stream of original section headers.
    pub section: Option<(u32, u32)>,
    /// From the final to the linked image.
    pub to_linked: Vec<(u32, u32)>,
    /// From the linked to the final image; 0 for removed code.
    pub from_linked: Vec<(u32, u32)>,
}

/// A module: what the linker calls an object file, and a managed PDB a type.
pub struct Module {
    pub name: String,
    pub object: String,
    /// Its symbol records.
    pub symbols: Vec<u8>,
    /// Its C13 subsections: lines, and checksums of files.
    pub lines: Vec<u8>,
    /// Its files, as `files` numbers them.
    pub files: Vec<usize>,
    /// Offset and size of its code in section 1.
    pub code: (u32, u32),
}

/// Parts of a Windows PDB.
#[derive(Default)]
pub struct Program {
    pub guid: [u8; 16],
    pub machine: u16,
    pub names: NameTable,
    pub files: Vec<String>,
    pub modules: Vec<Module>,
    /// Named streams that nothing else needs, with their content.
    pub more: Vec<(&'static str, Vec<u8>)>,
    /// For each row of a method in the symbols, from 0, its row in the image; empty for a PDB without a token map.
    pub token_map: Vec<u32>,
    /// Public and global symbols.
    pub symbols: Vec<u8>,
    pub types: TypeRecords,
    pub ids: TypeRecords,
    pub omap: Option<Omap>,
    /// Written by a compiler for its object files: the DBI stream is empty.
    pub is_compile_time: bool,
}

const NONE: u16 = u16::MAX;

/// Purposes of the streams of the debug header.
const OMAP_TO_LINKED: usize = 3;
const OMAP_FROM_LINKED: usize = 4;
const SECTIONS: usize = 5;
const TOKEN_MAP: usize = 6;
const LINKED_SECTIONS: usize = 10;

fn pairs(pairs: &[(u32, u32)]) -> Vec<u8> {
    pairs.iter().flat_map(|(from, to)| [from.to_le_bytes(), to.to_le_bytes()].concat()).collect()
}

impl Program {
    /// Puts it into a container.
    pub fn write(self, page_size: usize) -> Vec<u8> {
        let Self {
            guid,
            machine,
            names,
            files,
            mut modules,
            more,
            token_map,
            symbols,
            types,
            ids,
            omap,
            is_compile_time,
        } = self;
        let mut msf = Msf::new(page_size);
        let names = msf.add(names.write());
        let code_size = modules.iter().map(|module| module.code.0 + module.code.1).max().unwrap_or_default();
        let mut debug = [NONE; 11];
        debug[SECTIONS] = msf.add(section_header(0x1000, code_size));
        if let Some(Omap { section, to_linked, from_linked }) = omap {
            if let Some((rva, size)) = section {
                debug[LINKED_SECTIONS] = debug[SECTIONS];
                debug[SECTIONS] = msf.add(section_header(rva, size));
            }
            debug[OMAP_TO_LINKED] = msf.add(pairs(&to_linked));
            debug[OMAP_FROM_LINKED] = msf.add(pairs(&from_linked));
        }
        let records = if symbols.is_empty() { NONE } else { msf.add(symbols) };
        if !token_map.is_empty() {
            debug[TOKEN_MAP] = msf.add(token_map.iter().flat_map(|row| row.to_le_bytes()).collect());
        }
        let mut list = Vec::new();
        for module in &mut modules {
            let (symbols, lines) = (std::mem::take(&mut module.symbols), std::mem::take(&mut module.lines));
            // A signature (C13) before the symbols, and no references to global symbols after the lines.
            let sizes = (symbols.len() as u32 + 4, lines.len() as u32);
            let stream = msf.add([&4u32.to_le_bytes()[..], &symbols, &lines, &[0; 4]].concat());
            module.write(stream, sizes, &mut list);
        }
        let more = more.into_iter().map(|(name, content)| (name, msf.add(content)));
        let named: Vec<_> = std::iter::once(("/names", names)).chain(more).collect();
        msf.streams[1] = msf::information(guid, 1, &named);
        msf.streams[2] = msf::types(&types);
        if !is_compile_time {
            msf.streams[3] = stream(machine, &list, &modules, &files, code_size, records, &debug);
        }
        msf.streams[4] = msf::types(&ids);
        msf.write()
    }
}

impl Module {
    fn write(&self, stream: u16, (symbols, lines): (u32, u32), out: &mut Vec<u8>) {
        out.put_u32(0);
        // The first contribution: none is named here.
        out.put_u32s(&[0xffff, 0, u32::MAX, 0, 0xffff, 0, 0]);
        out.put_u16(0);
        out.put_u16(stream);
        out.put_u32s(&[symbols, 0, lines]);
        out.put_u16(self.files.len() as u16);
        out.put(&[0; 14]);
        out.put_z(&self.name);
        out.put_z(&self.object);
        out.align(4);
    }
}

fn stream(
    machine: u16,
    list: &[u8],
    modules: &[Module],
    files: &[String],
    code_size: u32,
    records: u16,
    purposes: &[u16; 11],
) -> Vec<u8> {
    let (contributions, map, files) = (contributions(modules), section_map(code_size), file_info(modules, files));
    // The names of an Edit and Continue build: none but the empty one.
    let mut edit = Vec::new();
    edit.put_u32s(&[0xeffe_effe, 1, 1]);
    edit.push(0);
    edit.put_u32s(&[1, 0, 0]);
    let mut debug = Vec::new();
    for stream in purposes {
        debug.put_u16(*stream);
    }
    let mut out = Vec::new();
    out.put_u32s(&[u32::MAX, 19_990_903, 1]);
    // Globals, build number, publics, version of the writer, symbol records, its rebuild.
    for number in [NONE, 0x8e00, NONE, 0, records, 0] {
        out.put_u16(number);
    }
    let parts = [list, &contributions, &map, &files, &edit, &debug];
    let [list_size, contributions_size, map_size, files_size, edit_size, debug_size] =
        parts.map(|part| part.len() as u32);
    out.put_u32s(&[list_size, contributions_size, map_size, files_size, 0, 0, debug_size, edit_size]);
    out.put_u16(0);
    out.put_u16(machine);
    out.put_u32(0);
    out.put(&parts.concat());
    out
}

fn contributions(modules: &[Module]) -> Vec<u8> {
    let mut out = Vec::new();
    out.put_u32(0xf12e_ba2d);
    for (index, module) in modules.iter().enumerate() {
        // Section, offset, size, characteristics (code), module, checksums.
        out.put_u32s(&[1, module.code.0, module.code.1, 0x6000_0020, index as u32, 0, 0]);
    }
    out
}

/// Section 1, and one for absolute addresses.
fn section_map(code_size: u32) -> Vec<u8> {
    let mut out = Vec::new();
    out.put_u32(2 << 16 | 2);
    out.put_u32s(&[0x010d, 1 << 16, u32::MAX, 0, code_size]);
    out.put_u32s(&[0x0208, 0, u32::MAX, 0, u32::MAX]);
    out
}

/// The files of each module.
fn file_info(modules: &[Module], files: &[String]) -> Vec<u8> {
    let mut buffer = Vec::new();
    let mut offsets = HashMap::new();
    for (index, file) in files.iter().enumerate() {
        offsets.insert(index, buffer.len() as u32);
        buffer.put_z(file);
    }
    let mut out = Vec::new();
    let count: usize = modules.iter().map(|module| module.files.len()).sum();
    out.put_u16(modules.len() as u16);
    // The field has 16 bits, too few for the count; readers ignore it.
    out.put_u16(count as u16);
    let mut first = 0;
    for module in modules {
        out.put_u16(first as u16);
        first += module.files.len();
    }
    for module in modules {
        out.put_u16(module.files.len() as u16);
    }
    for file in modules.iter().flat_map(|module| &module.files) {
        out.put_u32(offsets[file]);
    }
    out.put(&buffer);
    out.align(4);
    out
}

fn section_header(rva: u32, code_size: u32) -> Vec<u8> {
    let mut out = b".text\0\0\0".to_vec();
    out.put_u32s(&[code_size, rva, code_size.next_multiple_of(0x200), 0x400, 0, 0, 0, 0x6000_0020]);
    out
}
