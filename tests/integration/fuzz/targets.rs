//! Decoders and screens that are fed arbitrary bytes, where a second reader or a rule looks at the answer. `fuzz/` includes this file: libFuzzer
//! and the stable mutation driver run the same functions. A target fails by a panic, or by its time and memory. Everything else is
//! reached by whole questions ([`super::question`]).

use object::LittleEndian;
use object::pe::ImageSectionHeader;
use object::read::pe::{PeFile32, PeFile64, SectionTable};
use pdblens::bytes::{Origin, Region, SpaceId, Spaces};
use pdblens::formats::machine::Machine;
use pdblens::formats::metadata::{Heap, Metadata, Root, TableId, heaps};
use pdblens::formats::msf::Msf;
use pdblens::formats::pdb::write::put_stream;
use pdblens::formats::pe::{LinkerTables, Payload, Pe};
use pdblens::formats::portable::PortablePdb;
use pdblens::formats::{il as msil, signature as signatures};
use pdblens::query::process::{Process, deadlock};
use pdblens::session::Session;
use std::io;
use std::sync::{Arc, LazyLock};

use super::keys::keys;
use super::structure::Shape;
use super::walk::ask;
use crate::support::samples::{core_of, golden_core};

/// A function that is fed arbitrary bytes.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    /// Most bytes of an input: whole files are slow.
    pub max_len: usize,
    /// The structure that mutations keep.
    pub shape: Shape,
}

const fn target(name: &'static str, run: fn(&[u8]), max_len: usize) -> Target {
    Target { name, run, max_len, shape: Shape::Bytes }
}

impl Target {
    const fn of(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }
}

/// The targets, each with a file of its name in `fuzz/fuzz_targets`.
pub const TARGETS: &[Target] = &[
    target("machine", machine, 1 << 10),
    target("pe", pe, 1 << 16).of(Shape::Image),
    target("msf", msf, 1 << 17).of(Shape::Msf),
    target("portable", portable, 1 << 16).of(Shape::Metadata),
    target("keys", keys, 1 << 8),
    target("core", core, 1 << 9),
];

fn region(data: &[u8]) -> Region {
    Region::whole(SpaceId(0), Arc::new(data.to_vec()))
}

pub fn machine(data: &[u8]) {
    let Some((first, code)) = data.split_first() else { return };
    let machine = [Machine::X86, Machine::X64, Machine::Arm64][usize::from(*first) % 3];
    let address = if *first < 128 { 0x1_4000_1000 } else { u64::MAX - u64::from(*first) };
    let mut end = 0;
    for instruction in machine.disassemble(code, address) {
        assert_eq!(instruction.offset, end, "instructions tile the code");
        end = instruction.end();
        let bytes = &code[instruction.offset as usize..end as usize];
        assert_eq!(machine.parts(bytes).iter().map(|part| part.1).sum::<u64>(), bytes.len() as u64, "parts tile it");
        assert!(!machine.text(bytes, address.wrapping_add(instruction.offset.into())).mnemonic.is_empty());
    }
    assert_eq!(end as usize, code.len());
}

fn read_metadata(metadata: &Metadata) {
    metadata.problems().for_each(drop);
    for table in TableId::all().map(|id| metadata.table(id)) {
        let rows = table.rows();
        for row in (1..=rows.min(16)).chain(rows.saturating_sub(4)..=rows) {
            for column in 0..table.columns().len() {
                let _ = table.cell(row, column);
                let _ = (metadata.string_cell(table.id, row, column), metadata.blob_cell(table.id, row, column));
            }
        }
    }
    for heap in [Heap::Strings, Heap::UserStrings, Heap::Guids, Heap::Blobs] {
        for (offset, span) in metadata.heaps.entries(heap).take(128) {
            assert!(metadata.heaps.get(heap).span().covers(span), "{heap:?} {offset:#x}");
            if heap == Heap::Blobs
                && let Ok(blob) = metadata.heaps.blob(offset)
            {
                let _ = signatures::decode(&mut blob.cursor());
            }
        }
    }
    let _ = heaps::explain(&mut metadata.heaps.get(Heap::Blobs).cursor(), Heap::Blobs);
}

pub fn pe(data: &[u8]) {
    let Ok(pe) = Pe::parse(region(data)) else { return };
    agrees_with_object(data, &pe);
    LinkerTables::read(&pe).problems(&pe).for_each(drop);
    for entry in &pe.debug {
        if let Ok(Payload::EmbeddedPortablePdb(embedded)) = &entry.payload {
            let _ = embedded.inflate(pe.region(), 1 << 20);
        }
    }
    if let Some(root) = pe.metadata().and_then(|region| Root::parse(region).ok()) {
        let metadata = Metadata::parse(root, &[0; 64]);
        for row in 1..=metadata.rows(TableId::METHOD_DEF).min(64) {
            let rva = metadata.table(TableId::METHOD_DEF).cell(row, 0).unwrap_or_default();
            if let Ok(slice) = pe.rest_at_rva(rva) {
                let _ = msil::Body::parse(slice)
                    .map(|body| msil::Instructions::new(slice.at(body.code).unwrap_or_default()).count());
            }
        }
    }
}

fn agrees_with_object(data: &[u8], pe: &Pe) {
    let read = |table: &SectionTable<'_>| -> Vec<[u32; 4]> {
        let sections = table.iter();
        let numbers =
            |s: &ImageSectionHeader| [s.virtual_address, s.virtual_size, s.pointer_to_raw_data, s.size_of_raw_data];
        sections.map(|section| numbers(section).map(|number| number.get(LittleEndian))).collect()
    };
    let wide = PeFile64::parse(data).map(|file| read(&file.section_table()));
    let Ok(theirs) = wide.or_else(|_| PeFile32::parse(data).map(|file| read(&file.section_table()))) else { return };
    let ours = pe.sections.iter().map(|section| &section.header);
    let ours = ours.map(|s| [s.virtual_address, s.virtual_size, s.pointer_to_raw_data, s.size_of_raw_data]);
    // Only so many sections are read.
    assert!(theirs.starts_with(&ours.collect::<Vec<_>>()), "sections: {:?} {theirs:?}", pe.sections);
}

fn opened(data: &[u8]) -> Option<(Spaces, Msf)> {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("fuzz", Origin::File("fuzz.pdb".into()), data.to_vec()).span().space;
    let msf = Msf::open(&mut spaces, file).ok()?;
    Some((spaces, msf))
}

pub fn msf(data: &[u8]) {
    let Some((spaces, msf)) = opened(data) else { return };
    let map = msf.page_map(&spaces);
    for page in 0..msf.file_pages().min(512) {
        map.owner(&msf, page);
        msf.place_of(&spaces, page as u64 * msf.page_size() as u64);
    }
    for stream in msf.streams().take(64) {
        let _ = spaces.region(stream.space);
    }
    agrees_with_pdb(data, &spaces, &msf);
    if let Ok(edit) = put_stream(&msf, &spaces, "srcsrv", b"SRCSRV: end") {
        // The copy can be opened, and has the stream.
        if edit.len < 1 << 22 {
            let mut copy = data.to_vec();
            copy.resize(edit.len as usize, 0);
            for patch in &edit.patches {
                copy[patch.offset as usize..][..patch.bytes.len()].copy_from_slice(&patch.bytes);
            }
            opened(&copy);
        }
    }
}

fn agrees_with_pdb(data: &[u8], spaces: &Spaces, msf: &Msf) {
    let Ok(mut peer) = pdb::PDB::open(io::Cursor::new(data)) else { return };
    for stream in msf.streams().take(64) {
        let Ok(theirs) = peer.raw_stream(pdb::StreamIndex(stream.index as u16)) else { continue };
        if let (Some(theirs), Ok(ours)) = (theirs, spaces.region(stream.space)) {
            assert_eq!(ours.bytes(), theirs.as_slice(), "stream {}", stream.index);
        }
    }
}

pub fn portable(data: &[u8]) {
    let Ok(pdb) = PortablePdb::parse(region(data)) else { return };
    for row in 1..=pdb.metadata.rows(TableId::METHOD_DEBUG_INFORMATION).min(256) {
        if let Ok(Some(points)) = pdb.points(row) {
            points.for_each(drop);
        }
        pdb.kickoff(row);
        pdb.move_next(row);
    }
    read_metadata(&pdb.metadata);
    ask(vec![("Fuzz.pdb", data.to_vec())], 24);
}

/// All questions about a core or, for an odd number of bytes, a minidump. The input is what is changed in that of `assets/cores`: three bytes of an offset and
/// the new byte.
pub fn core(edits: &[u8]) {
    static CORES: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| [golden_core(), core_of("windows/windows.dmp.gz")]);
    let mut core = CORES[edits.len() % 2].clone();
    for edit in edits.chunks_exact(4) {
        let at = u32::from_le_bytes([edit[0], edit[1], edit[2], 0]) as usize % core.len();
        core[at] = edit[3];
    }
    if let Ok(process) = Process::of_core(core) {
        ask_core(&process);
    }
}

pub fn ask_core(process: &Process) {
    if let Ok(threads) = process.threads() {
        deadlock(&threads);
        process.report(&threads, true);
    }
    let _ = (process.modules(), process.methods());
    let _ = process.native_map(&Session::sample());
}
