//! Sizes and comparisons that all benches share.

#![allow(dead_code, unreachable_pub, reason = "every bench uses another part of it")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};

/// The sizes to measure at; a file that takes long to make is added when `PDBLENS_BENCH_LARGE` is set.
pub fn sizes() -> &'static [u32] {
    if std::env::var_os("PDBLENS_BENCH_LARGE").is_some() { &[10_000, 100_000, 1_000_000] } else { &[10_000, 100_000] }
}

/// A group that takes no longer than it must: what is measured takes milliseconds.
pub fn group<'c>(criterion: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    group
}

/// Measures `ours` and `theirs` at one size, for what they do with so many `things`.
///
/// Both are reported by criterion, one after the other. Before that they take turns, and how much faster the best turn of ours
/// was than the best of theirs is printed: on a machine that has other things to do, only that means something.
pub fn beside<O, T>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    size: u32,
    things: u64,
    (peer, mut theirs): (&str, impl FnMut() -> T),
    mut ours: impl FnMut() -> O,
) {
    let (mut best, mut peers_best) = (Duration::MAX, Duration::MAX);
    let (start, mut turns) = (Instant::now(), 0);
    while turns < 5 || turns < 100 && start.elapsed() < Duration::from_secs(3) {
        turns += 1;
        best = best.min(timed(&mut ours));
        peers_best = peers_best.min(timed(&mut theirs));
    }
    let each = |time: Duration| time.as_nanos() as f64 / things as f64;
    let (ratio, ours_each, theirs_each) = (each(peers_best) / each(best), each(best), each(peers_best));
    println!("{size}: ours {ours_each:.2} ns each, {peer} {theirs_each:.2} ns each: {ratio:.1} times faster");
    group.throughput(Throughput::Elements(things));
    group.bench_function(BenchmarkId::new("pdblens", size), |bencher| bencher.iter(|| black_box(ours())));
    group.bench_function(BenchmarkId::new(peer, size), |bencher| bencher.iter(|| black_box(theirs())));
}

fn timed<T>(work: &mut impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}
