//! Jobs that people and pipelines wait for: `diff`, `trace`, look-ups of native addresses, lines of a file on disk, `info`.
//!
//! `cargo bench -p pdblens-benches --bench jobs`; `PDBLENS_BENCH_FILES=App.dll:App.pdb` adds any file to those that it fits. `info` needs
//! `cargo build --release` before.

mod common;

use std::fmt::Write as _;
use std::hint::black_box;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use common::{beside, group, named_files, program, sizes};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pdblens::formats::metadata::{TableId, Token};
use pdblens::nodes::code_unit::CodeUnit;
use pdblens::nodes::function::NativeView;
use pdblens::query::diff::diff;
use pdblens::query::where_is::where_is;
use pdblens::session::Session;
use pdblens::trace::{Outcome, Sink, Told, Tracer};
use pdblens::{Input, Symbols};
use pdblens_testing::synth::Recipe;
use pdblens_testing::synth::native::Native;
use pdblens_testing::synth::rng::Rng;

/// Bytes of a log.
const LOG: usize = 10 << 20;
/// Lines of a log from one frame to the next.
const BETWEEN: usize = 7;
/// Native addresses that are looked up.
const LOOK_UPS: usize = 10_000;

fn session(files: Vec<(&str, Vec<u8>)>) -> Session {
    Session::from_bytes(files.into_iter().map(|(name, bytes)| (name.into(), bytes)).collect()).expect("it opens")
}

fn pair(methods: u32, seed: u64) -> Session {
    let pair = Recipe { seed, ..Recipe::of(methods) }.pair();
    session(vec![("m.dll", pair.image), ("m.pdb", pair.pdb)])
}

/// A build beside itself, and beside one with other methods.
fn differences(criterion: &mut Criterion) {
    let mut group = group(criterion, "diff");
    for methods in sizes() {
        let (one, same, other) = (pair(*methods, 1), pair(*methods, 1), pair(*methods, 2));
        assert!(diff(&one, &same).is_identical);
        group.bench_function(BenchmarkId::new("equal", methods), |bencher| bencher.iter(|| diff(&one, &same)));
        group.bench_function(BenchmarkId::new("other", methods), |bencher| bencher.iter(|| diff(&one, &other)));
    }
}

/// Counts the frames that were resolved.
#[derive(Default)]
struct Resolved(usize);

impl Sink for Resolved {
    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        black_box(text);
        Ok(())
    }

    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
        self.0 += usize::from(matches!(told.outcome, Outcome::Resolved(_)));
        Ok(())
    }
}

/// A log whose lines have no frames, but for one in `between`.
fn log(session: &Session, between: usize) -> String {
    let (mut rng, mut text, mut line) = (Rng::of(1, "log", 0), String::new(), 0);
    while text.len() < LOG {
        line += 1;
        let number = rng.between(0, 1_000_000);
        if line % between == 0 {
            let token = Token::new(TableId::METHOD_DEF, number % session.methods() + 1);
            let name = session.method_name(token);
            let _ = writeln!(text, "   at {name} in m.dll:token {:#x}+0x0", token.0);
        } else {
            let _ = writeln!(
                text,
                "2026-11-27 12:16:34.094 INFO  [worker-7] GET /items/{number}?user=80709 in 9 ms (status 200, cache hit)"
            );
        }
    }
    text
}

fn traces(criterion: &mut Criterion) {
    let session = Arc::new(pair(50_000, 1));
    let mut group = group(criterion, "trace");
    for (name, between) in [("no frames", usize::MAX), ("IL offsets", BETWEEN)] {
        let text = log(&session, between);
        let resolved = || {
            let mut sink = Resolved::default();
            Tracer::new(Vec::new()).with(Arc::clone(&session)).run(text.as_bytes(), &mut sink).expect("it is memory");
            sink.0
        };
        assert_eq!(resolved() > 0, between == BETWEEN);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(resolved));
    }
}

/// Native PDBs by their names: a generated one, and those that are named.
fn natives() -> impl Iterator<Item = (String, Vec<u8>)> {
    let generated = Native { modules: 400, functions: 250, lines: 12, seed: 1 }.pdb(4096);
    [("100000".to_owned(), generated)].into_iter().chain(named_files(b"Microsoft C/C++ MSF 7.00"))
}

/// From an address to function, line and inlined calls, and to all that `where` says.
fn native_look_ups(criterion: &mut Criterion) {
    let mut group = group(criterion, "native address");
    group.throughput(Throughput::Elements(LOOK_UPS as u64));
    for (name, file) in natives() {
        let session = session(vec![("n.pdb", file.clone())]);
        let Some(native) = NativeView::of(&session) else { continue };
        native.read_all();
        let functions = native.functions();
        let mut rng = Rng::of(1, "addresses", 0);
        let mut addresses: Vec<(u32, u32)> = (0..LOOK_UPS)
            .filter_map(|_| {
                let function = functions.get(rng.between(0, functions.len() as u32) as usize)?;
                Some((native.rva_of(function)?, rng.between(0, function.len.max(1))))
            })
            .collect();
        let lines = |addresses: &[(u32, u32)]| {
            addresses.iter().filter(|(start, offset)| native.at(start + offset).line.is_some()).count()
        };
        group.bench_function(BenchmarkId::new("line", &name), |bencher| bencher.iter(|| lines(&addresses)));
        let symbols = Symbols::from_memory([Input::new("n.pdb", file.clone())]).expect("it opens");
        let locations =
            || addresses.iter().map(|(start, offset)| symbols.lines_of_address(start + offset).len()).sum::<usize>();
        // The first look-up reads the index.
        black_box(locations());
        group.bench_function(BenchmarkId::new("lines_of_address", &name), |bencher| bencher.iter(locations));
        group.bench_function(BenchmarkId::new("where", &name), |bencher| {
            let shown = |(start, offset): &&(u32, u32)| {
                where_is(&session, CodeUnit::Function(*start), *offset).shown().is_some()
            };
            bencher.iter(|| addresses.iter().filter(shown).count());
        });
        addresses.sort_unstable();
        group.bench_function(BenchmarkId::new("line, in order", &name), |bencher| bencher.iter(|| lines(&addresses)));
    }
}

/// All lines of a native PDB, from opening the file: read by blocks, beside one read into memory.
fn disk_source(criterion: &mut Criterion) {
    let mut group = group(criterion, "lines from disk");
    for (name, file) in natives() {
        let path = std::env::temp_dir().join(format!("pdblens-bench-{}.pdb", std::process::id()));
        std::fs::write(&path, &file).expect("a file");
        let lines = |session: Session| {
            let mut count = 0;
            if let Some(native) = NativeView::of(&session) {
                native.each_lines(&mut |_, lines| {
                    count += lines.points.len();
                    ControlFlow::Continue(())
                });
            }
            count as u64
        };
        let from_disk = || lines(Session::open(std::slice::from_ref(&path)).expect("it opens"));
        let from_memory = || lines(session(vec![("n.pdb", std::fs::read(&path).expect("it is there"))]));
        let count = from_disk();
        assert_eq!(from_memory(), count);
        beside(&mut group, &name, count.max(1), ("memory", from_memory), from_disk);
        std::fs::remove_file(&path).expect("it is there");
    }
}

/// Files of the largest size, for a process of its own.
fn files(folder: &Path) -> Vec<PathBuf> {
    let pair = Recipe::of(sizes().last().copied().unwrap_or(1)).pair();
    let files = [folder.join("m.dll"), folder.join("m.pdb")];
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(&files[0], pair.image).expect("the image");
    std::fs::write(&files[1], pair.pdb).expect("the PDB");
    files.to_vec()
}

/// `info` as a process, beside one that prints the version.
fn info(criterion: &mut Criterion) {
    let folder = std::env::temp_dir().join(format!("pdblens-bench-info-{}", std::process::id()));
    let files = files(&folder);
    let run = |arguments: &[&Path]| {
        let mut command = Command::new(program());
        assert!(command.args(arguments).stdout(Stdio::null()).status().expect("it starts").success());
    };
    let mut group = group(criterion, "info");
    beside(&mut group, "the largest pair", 1, ("--version", || run(&[Path::new("--version")])), || {
        run(&[Path::new("info"), &files[0]]);
    });
    std::fs::remove_dir_all(folder).expect("it is there");
}

criterion_group!(benches, differences, traces, native_look_ups, disk_source, info);
criterion_main!(benches);
