//! The PE image (PE32, one section): headers, then `.text` with the CLI header, the method bodies, the metadata and the debug
//! directory.

use std::ops::Range;

use super::bytes::{Put, patch};
use super::custom::deflate;
use super::metadata::{self, Layout};
use super::module::Module;
use super::portable::Portable;
use super::recipe::Recipe;

/// An image and its PDB, and where everything is in them.
pub struct Pair {
    pub image: Vec<u8>,
    /// The PDB; when it is embedded, what inflating gives.
    pub pdb: Vec<u8>,
    pub image_at: ImageLayout,
    pub pdb_at: Layout,
}

/// File offsets of the parts of an image.
#[derive(Clone, Debug)]
pub struct ImageLayout {
    /// The PE signature.
    pub pe_header: usize,
    /// The header of the one section.
    pub section_header: usize,
    pub cli_header: usize,
    /// The metadata root: `tables` counts from here.
    pub metadata: Range<usize>,
    pub tables: Layout,
    /// The debug directory: entries of 28 bytes.
    pub debug_directory: Range<usize>,
    /// Payload of each entry, by its type.
    pub debug_data: Vec<(u32, Range<usize>)>,
}

impl ImageLayout {
    /// Payload of the debug directory entry of that type.
    pub fn debug_data(&self, kind: u32) -> Range<usize> {
        let found = self.debug_data.iter().find(|(found, _)| *found == kind);
        found.unwrap_or_else(|| panic!("no debug directory entry of type {kind}")).1.clone()
    }
}

pub const TEXT_RVA: u32 = 0x2000;
pub const CLI_HEADER_SIZE: u32 = 72;
const TEXT_AT: usize = 0x200;
const PE_AT: usize = 0x80;
const OPTIONAL_AT: usize = PE_AT + 24;
const OPTIONAL_SIZE: usize = 0xe0;
const SECTION_AT: usize = OPTIONAL_AT + OPTIONAL_SIZE;
/// Offset of the data directories: the seventh is the debug directory, the fifteenth the CLI header.
const DIRECTORIES_AT: usize = OPTIONAL_AT + 96;

pub const CODE_VIEW: u32 = 2;
pub const REPRODUCIBLE: u32 = 16;
pub const EMBEDDED_PORTABLE_PDB: u32 = 17;
pub const PDB_CHECKSUM: u32 = 19;

impl Recipe {
    /// An image and the PDB beside it.
    pub fn pair(&self) -> Pair {
        Pair::of(self, false)
    }

    /// An image with the PDB inside it.
    pub fn embedded(&self) -> Pair {
        Pair::of(self, true)
    }
}

impl Pair {
    fn of(recipe: &Recipe, embed: bool) -> Self {
        let module = Module::of(recipe);
        let pdb = Portable::of(recipe, &module);
        let mut image = headers(pdb.id());
        // The CLI header is filled in at the end.
        image.resize(TEXT_AT + CLI_HEADER_SIZE as usize, 0);
        image.put(&module.bodies);
        image.align(4);
        let metadata_at = image.len();
        let Module { tables, heaps, bodies, .. } = module;
        drop(bodies);
        let layout = metadata::write("v4.0.30319", None, &tables, &heaps, &mut image);
        let metadata = metadata_at..image.len();
        let (debug_directory, debug_data) = debug(&pdb, embed, &mut image);
        let text_size = image.len() - TEXT_AT;
        image.align(0x200);
        cli_header(&mut image, &metadata);
        sizes(&mut image, text_size, &debug_directory);
        let image_at = ImageLayout {
            pe_header: PE_AT,
            section_header: SECTION_AT,
            cli_header: TEXT_AT,
            metadata,
            tables: layout,
            debug_directory,
            debug_data,
        };
        Self { image, pdb: pdb.bytes, image_at, pdb_at: pdb.layout }
    }
}

fn rva(at: usize) -> u32 {
    (at - TEXT_AT) as u32 + TEXT_RVA
}

/// Everything before the section; sizes are filled in by `sizes`.
fn headers(id: &[u8]) -> Vec<u8> {
    let mut out = b"MZ".to_vec();
    out.resize(PE_AT, 0);
    patch(&mut out, 0x3c, PE_AT as u32);
    out.put(b"PE\0\0");
    out.put_u16(0x14c);
    out.put_u16(1);
    // A reproducible build has no time: the stamp follows from the content.
    out.put(&id[16..20]);
    out.put_u64(0);
    out.put_u16(OPTIONAL_SIZE as u16);
    // Executable, large address aware, a library.
    out.put_u16(0x2022);
    out.put(&[0x0b, 0x01, 48, 0]);
    let text = TEXT_RVA;
    // Sizes of code and data; entry point; bases; image base and alignments; versions; sizes; subsystem; stack and heap.
    out.put_u32s(&[0, 0, 0, 0, text, 0, 0x1000_0000, 0x2000, 0x200, 4, 0, 4, 0, 0, TEXT_AT as u32, 0]);
    out.put_u16(3);
    out.put_u16(0x8540);
    out.put_u32s(&[0x10_0000, 0x1000, 0x10_0000, 0x1000, 0, 16]);
    out.resize(SECTION_AT, 0);
    out.put(b".text\0\0\0");
    out.put_u32s(&[0, TEXT_RVA, 0, TEXT_AT as u32, 0, 0, 0, 0x6000_0020]);
    out.resize(TEXT_AT, 0);
    out
}

fn sizes(image: &mut [u8], text_size: usize, debug_directory: &Range<usize>) {
    let raw_size = (image.len() - TEXT_AT) as u32;
    patch(image, OPTIONAL_AT + 4, raw_size);
    patch(image, OPTIONAL_AT + 56, (TEXT_RVA + text_size as u32).next_multiple_of(0x2000));
    patch(image, SECTION_AT + 8, text_size as u32);
    patch(image, SECTION_AT + 16, raw_size);
    patch(image, DIRECTORIES_AT + 6 * 8, rva(debug_directory.start));
    patch(image, DIRECTORIES_AT + 6 * 8 + 4, debug_directory.len() as u32);
    patch(image, DIRECTORIES_AT + 14 * 8, TEXT_RVA);
    patch(image, DIRECTORIES_AT + 14 * 8 + 4, CLI_HEADER_SIZE);
}

fn cli_header(image: &mut [u8], metadata: &Range<usize>) {
    // Its size, the version of the runtime, the metadata, IL only; the rest, with the entry point, stays zero.
    let numbers = [CLI_HEADER_SIZE, 5 << 16 | 2, rva(metadata.start), metadata.len() as u32, 1];
    for (index, number) in numbers.into_iter().enumerate() {
        patch(image, TEXT_AT + index * 4, number);
    }
}

/// Appends the debug directory and what it points to.
fn debug(pdb: &Portable, embed: bool, image: &mut Vec<u8>) -> (Range<usize>, Vec<(u32, Range<usize>)>) {
    let id = pdb.id();
    let stamp = u32::from_le_bytes([id[16], id[17], id[18], id[19]]);
    let mut code_view = b"RSDS".to_vec();
    code_view.put(&id[..16]);
    code_view.put_u32(1);
    code_view.put_z("/src/obj/Synth.pdb");
    let mut checksum = b"SHA256\0".to_vec();
    checksum.put(&pdb.checksum());
    // Stamp, major and minor version, type, content.
    let mut entries = vec![
        (stamp, 0x0100, 0x504d, CODE_VIEW, code_view),
        (0, 1, 0, PDB_CHECKSUM, checksum),
        (0, 0, 0, REPRODUCIBLE, Vec::new()),
    ];
    if embed {
        let mut content = b"MPDB".to_vec();
        content.put_u32(pdb.bytes.len() as u32);
        entries.push((0, 0x0100, 0x0100, EMBEDDED_PORTABLE_PDB, deflate(&pdb.bytes, content)));
    }
    image.align(4);
    let directory = image.len()..image.len() + entries.len() * 28;
    let mut at = directory.end;
    let mut placed = Vec::new();
    for (stamp, major, minor, kind, content) in &entries {
        let (rva, pointer) = if content.is_empty() { (0, 0) } else { (rva(at), at as u32) };
        image.put_u32s(&[0, *stamp, minor << 16 | major, *kind, content.len() as u32, rva, pointer]);
        placed.push((*kind, at..at + content.len()));
        at = (at + content.len()).next_multiple_of(4);
    }
    for (.., content) in &entries {
        image.put(content);
        image.align(4);
    }
    (directory, placed)
}
