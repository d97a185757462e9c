//! The generator of Windows PDBs is itself tested: crate `pdb` reads what it makes, and says what the recipe says.

use std::collections::HashMap;
use std::io::Cursor;

use crate::support::synth::method::Lines;
use crate::support::synth::native::Native;
use crate::support::synth::{Recipe, malformed_msf, names, sparse};
use pdb::{FallibleIterator, PDB, SymbolData};

/// The lines of every procedure by its name or token: offset, file, start line, columns.
type Seen = HashMap<String, Vec<(u32, String, u32, Option<(u32, u32)>)>>;

fn read(file: &[u8]) -> Seen {
    let mut pdb = PDB::open(Cursor::new(file)).unwrap();
    let strings = pdb.string_table().unwrap();
    let debug = pdb.debug_information().unwrap();
    let mut modules = debug.modules().unwrap();
    let mut seen = Seen::new();
    while let Some(module) = modules.next().unwrap() {
        let info = pdb.module_info(&module).unwrap().unwrap();
        let program = info.line_program().unwrap();
        let mut symbols = info.symbols().unwrap();
        while let Some(symbol) = symbols.next().unwrap() {
            // `pdb` has no managed procedures: kind, then seven numbers; the seventh is the token, then the address.
            let bytes = symbol.raw_bytes();
            let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
            let (name, offset) = match symbol.parse() {
                Ok(SymbolData::Procedure(procedure)) => {
                    (procedure.name.to_string().into_owned(), procedure.offset.offset)
                }
                _ if symbol.raw_kind() == 0x112a => (format!("{:#x}", number(26)), number(30)),
                _ => continue,
            };
            let mut lines = program.lines_for_symbol(pdb::PdbInternalSectionOffset { section: 1, offset });
            let of_this = seen.entry(name).or_default();
            while let Some(line) = lines.next().unwrap() {
                let file = program.get_file_info(line.file_index).unwrap().name;
                let file = strings.get(file).unwrap().to_string().into_owned();
                let columns = line.column_start.zip(line.column_end);
                of_this.push((line.offset.offset - offset, file, line.line_start, columns));
            }
        }
    }
    seen
}

#[test]
fn a_managed_pdb_has_the_points_of_the_portable_one() {
    let recipe = Recipe::of(500);
    for page_size in [512, 4096] {
        let seen = read(&recipe.windows(page_size));
        for method in recipe.all().filter(|method| !method.is_abstract()) {
            // `pdb` leaves out points that are hidden.
            let shown = method.points.iter().filter_map(|point| {
                let Lines { start_line, start_column, end_column, .. } = point.lines?;
                Some((point.il, names::document(&recipe, point.document), start_line, Some((start_column, end_column))))
            });
            assert_eq!(seen[&format!("{:#x}", method.token())], shown.collect::<Vec<_>>());
        }
    }
}

#[test]
fn the_list_of_the_directory_takes_several_pages() {
    let recipe = Recipe { types: 9000, points: 4, ..Recipe::of(18_000) };
    let file = recipe.windows(512);
    let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let directory_pages = number(0x2c).div_ceil(512);
    assert!(directory_pages * 4 > 512, "{directory_pages}");
    assert_eq!(file.len() as u32, number(0x20) * number(0x28));
    let mut pdb = PDB::open(Cursor::new(&*file)).unwrap();
    let debug = pdb.debug_information().unwrap();
    let (mut modules, mut count) = (debug.modules().unwrap(), 0);
    while let Some(module) = modules.next().unwrap() {
        // Reading a stream costs `pdb` a walk over the directory: look at some.
        if count % 1000 == 0 {
            assert!(pdb.module_info(&module).unwrap().unwrap().symbols().unwrap().next().unwrap().is_some());
        }
        count += 1;
    }
    assert!(count > 8000, "{count}");
}

#[test]
fn a_native_pdb_has_its_lines() {
    let native = Native { modules: 20, functions: 30, lines: 40, seed: 1 };
    let seen = read(&native.pdb(4096));
    assert_eq!(seen.len(), 600);
    assert!(
        seen.values().all(|lines| lines.len() == 40 && lines[0].0 == 0 && lines.iter().all(|line| line.3.is_none()))
    );
    assert_eq!(seen["unit3_function7"][39].1, "/src/native/unit3.c");
}

/// Each malformed file differs from the valid one: else it would test nothing.
#[test]
fn every_malformed_file_has_a_fault() {
    let honest = Recipe::of(60).windows(512);
    for (name, make) in malformed_msf::MALFORMED {
        assert!(make() != honest, "{name}");
    }
}

#[test]
fn a_sparse_container_opens() {
    let path = std::env::temp_dir().join(format!("pdblens-sparse-{}.pdb", std::process::id()));
    sparse::write(&path, 64 << 20, 4096, 10).unwrap();
    let mut pdb = PDB::open(std::fs::File::open(&path).unwrap()).unwrap();
    let last = pdb.raw_stream(pdb::StreamIndex(15)).unwrap().unwrap();
    let size = std::fs::metadata(&path).unwrap().len();
    std::fs::remove_file(&path).unwrap();
    assert!(last.len() > 6 << 20 && last.iter().all(|byte| *byte == 0));
    assert!((60 << 20..68 << 20).contains(&size), "{size}");
}

/// For a look by eye, or by another reader: `PDBLENS_SYNTH=DIR cargo test --test integration -- --ignored windows::write`.
#[test]
#[ignore = "writes files into the directory that PDBLENS_SYNTH names"]
fn write_the_files() {
    let folder = std::path::PathBuf::from(std::env::var_os("PDBLENS_SYNTH").expect("PDBLENS_SYNTH names a directory"));
    for page_size in [512, 4096] {
        let save =
            |name: &str, bytes: &[u8]| std::fs::write(folder.join(format!("{name}-{page_size}.pdb")), bytes).unwrap();
        save("managed", &Recipe::of(1000).windows(page_size));
        save("managed-large", &Recipe::of(100_000).windows(page_size));
        save("native", &Native { modules: 20, functions: 30, lines: 40, seed: 1 }.pdb(page_size));
    }
    sparse::write(&folder.join("sparse.pdb"), 1 << 30, 4096, 100).unwrap();
}
