//! Sizes, files and comparisons that all benches share.

#![allow(dead_code, unreachable_pub, reason = "every bench uses another part of it")]

pub mod srm;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};

/// The sizes to measure at; a file that takes long to make is added when `PDBLENS_BENCH_LARGE` is set.
pub fn sizes() -> &'static [u32] {
    if std::env::var_os("PDBLENS_BENCH_LARGE").is_some() { &[10_000, 100_000, 1_000_000] } else { &[10_000, 100_000] }
}

/// Files that `PDBLENS_BENCH_FILES` names, separated as in `PATH`: those that begin with `magic`, by their names.
pub fn named_files(magic: &[u8]) -> Vec<(String, Vec<u8>)> {
    let list = std::env::var_os("PDBLENS_BENCH_FILES").unwrap_or_default();
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    // An empty list has one empty path.
    let paths = std::env::split_paths(&list).filter(|path| !path.as_os_str().is_empty());
    paths.map(read).filter(|(_, bytes)| bytes.starts_with(magic)).collect()
}

/// The release build of the program, two folders above the bench's own file.
pub fn program() -> std::path::PathBuf {
    let bench = std::env::current_exe().expect("the bench's own path");
    let program = bench.ancestors().nth(2).expect("target/release").join("pdblens");
    assert!(program.exists(), "{}: not there; cargo build --release makes it", program.display());
    program
}

/// A group that takes no longer than it must: what is measured takes milliseconds.
pub fn group<'c>(criterion: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    group
}

/// Measures `ours` and `theirs` on one file, for what they do with so many `things`: in turns, and then by criterion, one after the
/// other.
pub fn beside<O, T>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    file: &str,
    things: u64,
    (peer, mut theirs): (&str, impl FnMut() -> T),
    mut ours: impl FnMut() -> O,
) {
    in_turns(file, things, (peer, &mut theirs), &mut ours);
    group.throughput(Throughput::Elements(things));
    group.bench_function(BenchmarkId::new("pdblens", file), |bencher| bencher.iter(|| black_box(ours())));
    group.bench_function(BenchmarkId::new(peer, file), |bencher| bencher.iter(|| black_box(theirs())));
}

/// Lets `ours` and `theirs` take turns, and prints how much faster ours was: the median of the turns, and half of the turns around it. On
/// a machine that has other things to do, only that means something.
pub fn in_turns<O, T>(
    file: &str,
    things: u64,
    (peer, mut theirs): (&str, impl FnMut() -> T),
    mut ours: impl FnMut() -> O,
) {
    let (start, mut turns) = (Instant::now(), Vec::new());
    while turns.len() < 5 || turns.len() < 100 && start.elapsed() < Duration::from_secs(3) {
        turns.push((timed(&mut ours), timed(&mut theirs)));
    }
    let each = |time: Option<Duration>| time.unwrap_or_default().as_nanos() as f64 / things as f64;
    let (ours_each, theirs_each) =
        (each(turns.iter().map(|turn| turn.0).min()), each(turns.iter().map(|turn| turn.1).min()));
    let mut ratios: Vec<f64> = turns.iter().map(|(ours, theirs)| theirs.as_secs_f64() / ours.as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    let [low, ratio, high] = [1, 2, 3].map(|quarter| ratios[ratios.len() * quarter / 4]);
    println!(
        "{file}: ours {ours_each:.2} ns each, {peer} {theirs_each:.2} ns each: {ratio:.1} times faster ({low:.1} to {high:.1})"
    );
}

fn timed<T>(work: &mut impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}
