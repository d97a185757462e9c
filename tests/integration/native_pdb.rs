//! Native PDBs of any size compared with the `pdb` crate, and malformed ones.

use crate::support::synth::{malformed_msf, native};
use pdb::FallibleIterator;
use pdblens::bytes::{Origin, Spaces};
use pdblens::formats::managed::WindowsPdb;
use pdblens::formats::msf::Msf;
use pdblens::formats::pdb::{ModuleStream, PdbTables};

fn open(bytes: Vec<u8>) -> Option<(Spaces, WindowsPdb)> {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("f", Origin::File("f".into()), bytes).span().space;
    let msf = Msf::open(&mut spaces, file).ok()?;
    let pdb = WindowsPdb::parse(&spaces, msf);
    Some((spaces, pdb))
}

#[test]
fn addresses_resolve_to_their_lines() {
    let bytes = native::Native { modules: 12, functions: 9, lines: 20, seed: 7 }.pdb(512);
    let (spaces, pdb) = open(bytes.clone()).unwrap();
    let native = PdbTables::default();
    let index = native.index(&pdb, &spaces);
    assert_eq!((index.functions().len(), index.problems.len()), (12 * 9, 0));

    let mut peer = pdb::PDB::open(std::io::Cursor::new(&bytes)).unwrap();
    let debug = peer.debug_information().unwrap();
    let mut modules = debug.modules().unwrap();
    let mut number = 0;
    while let Some(module) = modules.next().unwrap() {
        let info = peer.module_info(&module).unwrap().unwrap();
        let theirs: Vec<_> = info
            .line_program()
            .unwrap()
            .lines()
            .map(|line| Ok((line.offset.offset, line.line_start, line.file_index.0)))
            .collect()
            .unwrap();
        let ours = ModuleStream::read(&pdb, &spaces, number).unwrap();
        let (lines, problems) = ours.lines();
        assert_eq!(problems, []);
        assert_eq!(lines.iter().map(|line| (line.offset, line.start_line, line.file)).collect::<Vec<_>>(), theirs);
        for line in &lines {
            // An address without an image's sections is a section and an offset.
            let range = index.lines_at((line.section, line.offset)).unwrap();
            let mut found = Vec::new();
            ours.blocks_of(range.at).unwrap().for_each(|block| block.unwrap().each(|line| found.push(line)));
            assert!(range.module == number && found.contains(line));
            let function = index.function_at((line.section, line.offset)).unwrap();
            assert!(function.module == number && line.offset - function.offset < function.len);
        }
        number += 1;
    }
}

#[test]
fn malformed_files_are_read_up_to_the_fault() {
    for (what, make) in malformed_msf::MALFORMED {
        let Some((spaces, pdb)) = open(make()) else { continue };
        let native = PdbTables::default();
        for number in 0..pdb.modules().len() as u32 {
            if let Ok(module) = ModuleStream::read(&pdb, &spaces, number) {
                let (lines, _) = module.lines();
                assert!(lines.len() as u64 * 8 <= module.region.len(), "{what}");
                let _ = (module.source_files(&pdb.names).count(), module.inlinees());
            }
        }
        let index = native.index(&pdb, &spaces);
        assert!(index.functions().len() < 10_000, "{what}");
        for function in index.functions() {
            let _ = ModuleStream::read(&pdb, &spaces, function.module)
                .map(|module| module.inline_sites_of(function.symbol, &module.inlinee_map()));
        }
        let _ = (native.types(&pdb, &spaces).len(), native.ids(&pdb, &spaces).len());
        let _ = (native.globals(&pdb, &spaces).counts(), native.addresses(&pdb, &spaces));
    }
}
