//! Windows PDBs: every line record of a managed and of a native one, beside the crates `ms-pdb`, `pdb2` and `pdb` over the same bytes in
//! the same run, and after all were seen to say the same; and opening a file of a gigabyte.
//!
//! `cargo bench -p pdblens-benches --bench windows`; `PDBLENS_BENCH_FILES=App.pdb` adds any file. `pdb` and `pdb2` walk the directory for each
//! stream, so that they take the square of the number of types: at 100 000 methods there are 12 500.

mod common;

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use common::{beside, group, in_turns, named_files};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ms_pdb::lines::{LinesSubsection, SubsectionKind};
use pdblens::bytes::{DiskFile, Origin, Spaces, Storage};
use pdblens::formats::codeview::c13::{LINES, LinePoints, LinesHeader, Subsections};
use pdblens::formats::managed::WindowsPdb;
use pdblens::formats::msf::Msf;
use pdblens::formats::sequence_point::HIDDEN_LINE;
use pdblens_testing::synth::native::Native;
use pdblens_testing::synth::{Recipe, sparse};

/// Summary of all lines: their number, and sums that any difference would change. `pdb` leaves out hidden ones.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sums {
    lines: u64,
    offsets: u64,
    numbers: u64,
    hidden: u64,
}

/// From the bytes of a file to its last line.
fn ours(file: &Arc<Vec<u8>>) -> Sums {
    let mut spaces = Spaces::default();
    let source = Storage::Memory(Arc::clone(file).into());
    let space = spaces.add("Synth.pdb", Origin::File(PathBuf::new()), file.len() as u64, source);
    let msf = Msf::open(&mut spaces, space).unwrap();
    let (pdb, mut sums) = (WindowsPdb::parse(&spaces, msf), Sums::default());
    for module in 0..pdb.modules().len() as u32 {
        let (module, region) = pdb.module(&spaces, module).unwrap();
        for subsection in Subsections::new(module.c13(&region).slice()).map(Result::unwrap) {
            if subsection.kind != LINES {
                continue;
            }
            let start = LinesHeader::decode(&mut subsection.content.cursor()).unwrap().offset;
            for point in LinePoints::new(subsection.content, start, |_| 0).unwrap().map(Result::unwrap) {
                if point.is_hidden() {
                    sums.hidden += 1;
                } else {
                    sums.lines += 1;
                    sums.offsets += (start + point.offset) as u64;
                    sums.numbers += point.start_line as u64;
                }
            }
        }
    }
    sums
}

/// Every line by a crate with the interface of `pdb`.
macro_rules! by_program {
    ($name:ident, $peer:ident) => {
        fn $name(file: &[u8]) -> Sums {
            use $peer::{FallibleIterator, PDB};
            let (mut pdb, mut sums) = (PDB::open(Cursor::new(file)).unwrap(), Sums::default());
            let debug = pdb.debug_information().unwrap();
            let mut modules = debug.modules().unwrap();
            while let Some(module) = modules.next().unwrap() {
                let Some(info) = pdb.module_info(&module).unwrap() else { continue };
                let program = info.line_program().unwrap();
                let mut lines = program.lines();
                while let Some(line) = lines.next().unwrap() {
                    sums.lines += 1;
                    sums.offsets += line.offset.offset as u64;
                    sums.numbers += line.line_start as u64;
                }
            }
            sums
        }
    };
}

by_program!(by_pdb, pdb);
by_program!(by_pdb2, pdb2);

/// Every line by `ms-pdb`.
fn by_ms_pdb(file: &Arc<Vec<u8>>) -> Sums {
    let (pdb, mut sums) = (ms_pdb::Pdb::open_from_random_file(Arc::clone(file)).unwrap(), Sums::default());
    for module in pdb.read_modules().unwrap().iter() {
        let Some(module) = pdb.read_module_stream(&module).unwrap() else { continue };
        for subsection in module.c13_line_data().subsections().filter(|part| part.kind == SubsectionKind::LINES) {
            let lines = LinesSubsection::parse(subsection.data).unwrap();
            let start = lines.contribution.offset_segment().offset();
            for line in lines.blocks().flat_map(|block| block.lines()) {
                match line.line_num_start() {
                    HIDDEN_LINE => sums.hidden += 1,
                    number => {
                        sums.lines += 1;
                        sums.offsets += (start + line.offset.get()) as u64;
                        sums.numbers += number as u64;
                    }
                }
            }
        }
    }
    sums
}

fn all_lines(criterion: &mut Criterion, name: &str, files: impl Iterator<Item = (String, Vec<u8>)>) {
    let mut group = group(criterion, name);
    for (name, file) in files {
        let file = Arc::new(file);
        let sums = ours(&file);
        assert_eq!(Sums { hidden: sums.hidden, ..by_pdb(&file) }, sums, "{name}");
        assert_eq!(Sums { hidden: sums.hidden, ..by_pdb2(&file) }, sums, "{name}");
        assert_eq!(by_ms_pdb(&file), sums, "{name}");
        let records = sums.lines + sums.hidden;
        in_turns(&name, records, ("ms-pdb", || by_ms_pdb(&file)), || ours(&file));
        in_turns(&name, records, ("pdb2", || by_pdb2(&file)), || ours(&file));
        beside(&mut group, &name, records, ("pdb", || by_pdb(&file)), || ours(&file));
    }
}

fn native(criterion: &mut Criterion) {
    let file = |functions: u32| Native { modules: functions / 50, functions: 50, lines: 16, seed: 1 }.pdb(4096);
    all_lines(
        criterion,
        "windows/all lines, native",
        [5_000, 100_000].map(|functions| (functions.to_string(), file(functions))).into_iter(),
    );
}

fn managed(criterion: &mut Criterion) {
    let file = |methods: u32| Recipe { points: 5, ..Recipe::of(methods) }.windows(512);
    all_lines(
        criterion,
        "windows/all lines, managed",
        [10_000, 100_000].map(|methods| (methods.to_string(), file(methods))).into_iter(),
    );
}

fn named(criterion: &mut Criterion) {
    all_lines(criterion, "windows/all lines, named", named_files(b"Microsoft C/C++ MSF 7.00").into_iter());
}

/// Superblock and directory say what streams there are; the rest of the file is not touched.
fn open(criterion: &mut Criterion) {
    let mut group = group(criterion, "windows/open");
    for megabytes in [64, 1024] {
        let path = std::env::temp_dir().join(format!("pdblens-bench-{megabytes}.pdb"));
        sparse::write(&path, megabytes << 20, 4096, 100).unwrap();
        let open = || {
            let mut spaces = Spaces::default();
            let file = std::fs::File::open(&path).unwrap();
            let len = file.metadata().unwrap().len();
            let space = spaces.add(
                "Synth.pdb",
                Origin::File(path.clone()),
                len,
                Storage::Disk(DiskFile::new(file, len).into()),
            );
            Msf::open(&mut spaces, space).unwrap().streams().map(|stream| stream.size as u64).sum::<u64>()
        };
        assert!(open() > (megabytes << 20) * 9 / 10);
        group.bench_function(BenchmarkId::new("pdblens", format!("{megabytes} MB")), |bencher| bencher.iter(open));
        std::fs::remove_file(&path).unwrap();
    }
}

criterion_group!(benches, native, managed, named, open);
criterion_main!(benches);
