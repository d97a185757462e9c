//! Portable PDBs: every sequence point, lookups by token and IL offset, the names of all methods, opening an embedded PDB;
//! beside `symbolic-ppdb` over the same bytes in the same run, and after both were seen to say the same; beside System.Reflection.Metadata
//! where [`common::srm`] has a command for it.
//!
//! `cargo bench -p pdblens-benches --bench portable`. Sizes are 10 000 and 100 000 methods of two to seven points each, as in real packages;
//! `PDBLENS_BENCH_LARGE=1` adds a million, and `PDBLENS_BENCH_FILES=App.pdb:App.dll` any file. Throughput is points, lookups or names a second: the same at every size if nothing grows faster than the file.

mod common;

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::PathBuf;

use common::srm::Srm;
use common::{beside, group, in_turns, named_files, sizes};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use flate2::read::DeflateDecoder;
use pdblens::bytes::{Cursor, Origin, Region, Slice, Spaces};
use pdblens::formats::metadata::{TableId, Token};
use pdblens::formats::portable::PortablePdb;
use pdblens::formats::portable::points;
use pdblens::formats::sequence_point::{HIDDEN_LINE, SequencePoint};
use pdblens::session::Session;
use pdblens_testing::synth::rng::Rng;
use pdblens_testing::synth::{Pair, Recipe, image, names};
use symbolic_ppdb::{PortablePdb as Symbolic, PortablePdbCache, PortablePdbCacheConverter};

fn recipes() -> impl Iterator<Item = Recipe> {
    sizes().iter().map(|methods| Recipe { points: 5, ..Recipe::of(*methods) })
}

/// Portable PDBs by their names: generated ones, and those that are named.
fn pdbs() -> impl Iterator<Item = (String, Vec<u8>)> {
    let generated = recipes().map(|recipe| (recipe.methods.to_string(), recipe.pair().pdb));
    generated.chain(named_files(b"BSJB"))
}

fn region(bytes: Vec<u8>) -> Region {
    Spaces::default().add_bytes("Synth.pdb", Origin::File(PathBuf::new()), bytes)
}

/// Summary of all points: their number, the hidden ones, and sums that any difference would change.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sums {
    points: u64,
    hidden: u64,
    /// Points that violate a rule.
    bad: u64,
    il: u64,
    lines: u64,
    columns: u64,
}

impl Sums {
    fn add(&mut self, point: &SequencePoint) {
        self.points += 1;
        self.bad += u64::from(!point.violations.is_none());
        self.il += point.offset as u64;
        if point.is_hidden() {
            self.hidden += 1;
        } else {
            self.lines += point.start_line as u64 + point.end_line as u64;
            self.columns += point.start_column as u64 + point.end_column as u64;
        }
    }

    fn of_recipe(recipe: &Recipe) -> Self {
        let mut sums = Self::default();
        for point in recipe.all().flat_map(|method| method.points) {
            sums.points += 1;
            sums.il += point.il as u64;
            match point.lines {
                None => sums.hidden += 1,
                Some(lines) => {
                    sums.lines += lines.start_line as u64 + lines.end_line as u64;
                    sums.columns += lines.start_column as u64 + lines.end_column as u64;
                }
            }
        }
        sums
    }
}

/// From the bytes of a file to the last point.
fn all_points(region: &Region) -> Sums {
    let (pdb, mut sums) = (PortablePdb::parse(region.clone()).unwrap(), Sums::default());
    let _ = pdb.all_points(|_, point| {
        sums.add(&point.unwrap());
        ControlFlow::Continue(())
    });
    sums
}

/// The same through what `symbolic` lets others use: its conversion into a cache.
fn symbolic_cache(bytes: &[u8]) -> Vec<u8> {
    let mut converter = PortablePdbCacheConverter::new();
    converter.process_portable_pdb(&Symbolic::parse(bytes).unwrap()).unwrap();
    let mut cache = Vec::new();
    converter.serialize(&mut cache).unwrap();
    cache
}

fn points(criterion: &mut Criterion) {
    let mut group = group(criterion, "portable/all points");
    for recipe in recipes() {
        assert_eq!(all_points(&region(recipe.pair().pdb)), Sums::of_recipe(&recipe));
    }
    for (name, bytes) in pdbs() {
        let region = region(bytes.clone());
        let points = all_points(&region).points;
        beside(&mut group, &name, points, ("symbolic", || symbolic_cache(&bytes)), || all_points(&region));
        if let Some(mut srm) = Srm::start(&bytes, &[]) {
            let sums = all_points(&region);
            // A hidden point has the same two lines everywhere.
            let expected = sums.il + sums.lines + sums.columns + sums.hidden * 2 * HIDDEN_LINE as u64;
            assert_eq!(srm.warm_up("points"), expected, "{name}");
            in_turns(&name, points, ("SRM", || srm.sum("points")), || all_points(&region));
        }
    }
}

/// The next compressed integer and the bits of its payload, read without a cursor.
fn plain_number(bytes: &mut &[u8]) -> (u32, u32) {
    let first = u32::from(bytes[0]);
    let (len, bits) = if first < 0x80 {
        (1, 7)
    } else if first < 0xc0 {
        (2, 14)
    } else {
        (4, 29)
    };
    let whole = bytes[..len].iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
    *bytes = &bytes[len..];
    (whole & ((1 << bits) - 1), bits)
}

fn plain_signed(bytes: &mut &[u8]) -> i64 {
    let (raw, bits) = plain_number(bytes);
    i64::from(raw >> 1) - i64::from(raw & 1) * (1 << (bits - 1))
}

/// Number of points and the sum of their offsets, by a decoder that has no recorder and makes no check.
fn plain_points(mut bytes: &[u8], document: u32) -> (u64, u64) {
    let bytes = &mut bytes;
    plain_number(bytes);
    if document == 0 {
        plain_number(bytes);
    }
    let (mut points, mut sum, mut il, mut seen) = (0, 0, 0_u64, false);
    while !bytes.is_empty() {
        let delta = plain_number(bytes).0;
        if delta == 0 && points > 0 {
            black_box(plain_number(bytes));
            continue;
        }
        (points, il) = (points + 1, il + u64::from(delta));
        sum += il;
        let lines = plain_number(bytes).0;
        let columns = if lines == 0 { i64::from(plain_number(bytes).0) } else { plain_signed(bytes) };
        if lines == 0 && columns == 0 {
            continue;
        }
        if seen {
            black_box((plain_signed(bytes), plain_signed(bytes)));
        } else {
            black_box((plain_number(bytes), plain_number(bytes)));
        }
        seen = true;
    }
    (points, sum)
}

/// Cost of a recorder where nobody asks for steps: the decoder of the steps with the recorder that ignores everything, beside a
/// decoder that was written without one, and beside itself with a recorder that keeps all.
fn idle_recorder(criterion: &mut Criterion) {
    let mut group = group(criterion, "portable/idle recorder");
    for (name, bytes) in pdbs() {
        let sums = all_points(&region(bytes.clone()));
        let pdb = PortablePdb::parse(region(bytes)).unwrap();
        let rows = 1..=pdb.metadata.rows(TableId::METHOD_DEBUG_INFORMATION);
        let blobs: Vec<_> = rows.filter_map(|row| pdb.points_blob(row).unwrap()).collect();
        let plain = || {
            let of = |(document, blob): &(u32, Slice<'_>)| plain_points(blob.data, *document);
            blobs.iter().map(of).fold((0, 0), |(points, sum), (more, il)| (points + more, sum + il))
        };
        assert_eq!(plain(), (sums.points, sums.il), "{name}");
        let idle = || {
            for (document, blob) in &blobs {
                black_box(points::decode(&mut Cursor::new(*blob), *document).unwrap());
            }
        };
        let kept = || {
            for (document, blob) in &blobs {
                let mut cursor = Cursor::recording(*blob);
                points::decode(&mut cursor, *document).unwrap();
                black_box(cursor.fields());
            }
        };
        in_turns(&name, sums.points, ("a decoder without a recorder", plain), idle);
        in_turns(&name, sums.points, ("the same decoder, recording", kept), idle);
        group.throughput(Throughput::Elements(sums.points));
        group.bench_function(BenchmarkId::new("idle recorder", &name), |bencher| bencher.iter(idle));
    }
}

fn lookups(criterion: &mut Criterion) {
    const LOOKUPS: u32 = 100_000;
    let mut group = group(criterion, "portable/lookup");
    for (name, bytes) in pdbs() {
        let pdb = PortablePdb::parse(region(bytes.clone())).unwrap();
        let cache = symbolic_cache(&bytes);
        let symbolic = PortablePdbCache::parse(&cache).unwrap();
        let mut rng = Rng::of(1, "lookup", 0);
        let mut methods: Vec<(u32, u32)> = Vec::new();
        let _ = pdb.all_points(|row, point| {
            let end = point.unwrap().offset + 2;
            match methods.last_mut().filter(|last| last.0 == row) {
                Some(last) => last.1 = end,
                None => methods.push((row, end)),
            }
            ControlFlow::Continue(())
        });
        let wanted: Vec<_> = (0..LOOKUPS)
            .map(|_| {
                let (row, end) = rng.one(&methods);
                (row, rng.between(0, end))
            })
            .collect();
        let ours = |row, il| {
            let (document, blob) = pdb.points_blob(row).unwrap()?;
            points::find(blob, document, il).visible
        };
        for (row, il) in &wanted {
            let theirs = symbolic.lookup(*row, *il).map(|found| found.line);
            assert_eq!(ours(*row, *il).map(|point| point.start_line), theirs, "method {row}, IL {il}");
        }
        let theirs =
            || wanted.iter().filter_map(|(row, il)| Some(symbolic.lookup(*row, *il)?.line as u64)).sum::<u64>();
        let ours = || wanted.iter().filter_map(|(row, il)| Some(ours(*row, *il)?.start_line as u64)).sum::<u64>();
        beside(&mut group, &name, LOOKUPS as u64, ("symbolic", theirs), ours);
        if let Some(mut srm) = Srm::start(&bytes, &wanted) {
            assert_eq!(srm.warm_up("lookups"), ours(), "{name}");
            in_turns(&name, LOOKUPS as u64, ("SRM", || srm.sum("lookups")), ours);
        }
    }
}

/// The full names of all methods, in one text.
fn all_names(session: &Session) -> (String, usize) {
    let (mut text, mut count) = (String::new(), 0);
    let _ = session.names().unwrap().each_method(|_, name| {
        text.push_str(name);
        text.push('\n');
        count += 1;
        ControlFlow::Continue(())
    });
    (text, count)
}

fn method_names(criterion: &mut Criterion) {
    let mut group = group(criterion, "image/all names");
    for recipe in recipes() {
        let image = recipe.pair().image;
        let session = Session::from_bytes(vec![(PathBuf::from("Synth.dll"), image)]).unwrap();
        let expected = recipe.all().map(|method| {
            format!("{}.{}\n", names::full_type_name(&recipe, recipe.type_of(method.row), "+"), method.name)
        });
        assert!(all_names(&session).0 == expected.collect::<String>());
    }
    let generated = recipes().map(|recipe| (recipe.methods.to_string(), recipe.pair().image));
    for (name, image) in generated.chain(named_files(b"MZ")) {
        let session = Session::from_bytes(vec![(PathBuf::from("Synth.dll"), image)]).unwrap();
        group.throughput(Throughput::Elements(session.methods().into()));
        group.bench_function(BenchmarkId::new("pdblens", name), |bencher| {
            bencher.iter(|| black_box(all_names(&session)));
        });
    }
}

/// Opening an image whose PDB is inside it should cost little more than inflating.
fn embedded(criterion: &mut Criterion) {
    let mut group = group(criterion, "image/embedded PDB");
    for recipe in recipes() {
        let Pair { image, pdb, image_at, .. } = recipe.embedded();
        let deflated = image[image_at.debug_data(image::EMBEDDED_PORTABLE_PDB)][8..].to_vec();
        let inflate = || {
            let mut inflated = Vec::with_capacity(pdb.len());
            std::io::Read::read_to_end(&mut DeflateDecoder::new(&*deflated), &mut inflated).unwrap();
            inflated
        };
        assert!(inflate() == pdb);
        let open = |image| Session::from_bytes(vec![(PathBuf::from("Synth.dll"), image)]).unwrap();
        let first = Token::new(TableId::METHOD_DEF, 1);
        let each = &mut |_| ControlFlow::Continue(());
        open(image.clone()).symbols().unwrap().points(first, each).unwrap();
        group.throughput(Throughput::Bytes(pdb.len() as u64));
        group.bench_function(BenchmarkId::new("pdblens, open", recipe.methods), |bencher| {
            bencher.iter_batched(|| image.clone(), open, criterion::BatchSize::LargeInput);
        });
        group.bench_function(BenchmarkId::new("flate2, inflate alone", recipe.methods), |bencher| {
            bencher.iter_with_large_drop(inflate);
        });
    }
}

criterion_group!(benches, points, idle_recorder, lookups, method_names, embedded);
criterion_main!(benches);
