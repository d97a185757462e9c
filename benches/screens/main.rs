//! Cost of the screens: a frame, a key, a search, a jump in a long source, the start; with 1 000
//! methods open and with 100 000.
//!
//! What is a limit and not an average (the slowest of many keys, the first frame) is printed, and criterion measures the rest.
//! `cargo bench -p pdblens-benches --bench screens -- keys` does one of them: `start`, `keys`, `sources`, or a name of criterion's.

#[path = "../common/mod.rs"]
mod common;
mod keys;
mod native;
mod sources;
#[cfg(unix)]
mod start;

use pdblens::query::search::Index;
use pdblens_testing::synth;
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use crossterm::event::{Event as TerminalEvent, KeyEvent, KeyModifiers};
use pdblens::session::Session;
use pdblens::tui::Options;
use pdblens::tui::app::config::Config;
use pdblens::tui::app::{App, Command, Event};
use pdblens::tui::engine::Program;
use pdblens::tui::engine::key::Key;
use pdblens::tui::overlays::ranking::rank_names;
use pdblens::tui::ui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};

/// Numbers of methods; a million is added when `PDBLENS_BENCH_LARGE` is set.
fn methods() -> impl Iterator<Item = u32> {
    let large = std::env::var_os("PDBLENS_BENCH_LARGE").map(|_| 1_000_000);
    [1_000, 100_000].into_iter().chain(large)
}

/// A pair of files, made when it is first asked for, and gone at the end.
struct Files(Vec<(u32, PathBuf)>);

impl Files {
    fn of(&mut self, methods: u32) -> Vec<PathBuf> {
        let folder = std::env::temp_dir().join(format!("pdblens-bench-{}-{methods}", std::process::id()));
        let files = vec![folder.join("m.dll"), folder.join("m.pdb")];
        if !self.0.iter().any(|(known, _)| *known == methods) {
            std::fs::create_dir_all(&folder).expect("a folder");
            let pair = synth::Recipe::of(methods).pair();
            std::fs::write(&files[0], pair.image).expect("the image");
            std::fs::write(&files[1], pair.pdb).expect("the PDB");
            self.0.push((methods, folder));
        }
        files
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        for (_, folder) in &self.0 {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Does the work that is asked for, and what comes of it.
fn carry_out(app: &mut App, effects: Vec<Command>) {
    for effect in effects {
        if let Command::Start(job) = effect {
            let effects = app.update(Event::Done(job.run()));
            carry_out(app, effects);
        }
    }
}

/// Commands of the app for a key.
fn press_one(app: &mut App, key: Key) -> Vec<Command> {
    let mut modifiers = KeyModifiers::NONE;
    modifiers.set(KeyModifiers::CONTROL, key.ctrl);
    modifiers.set(KeyModifiers::SHIFT, key.shift);
    app.update(Event::Terminal(TerminalEvent::Key(KeyEvent::new(key.code, modifiers))))
}

fn press(app: &mut App, keys: &str) {
    for key in keys.split_whitespace().map(|key| Key::parse(key).expect("keys")) {
        let effects = press_one(app, key);
        carry_out(app, effects);
    }
}

/// Files in a terminal of that size, after some keys.
fn app(files: Vec<PathBuf>, width: u16, height: u16, keys: &str) -> App {
    let options = Options { files, ..Options::default() };
    let (mut app, effects) = App::new(options, Config::default(), Theme::default(), Instant::now());
    app.resize(Size { width, height });
    carry_out(&mut app, effects);
    press(&mut app, keys);
    app
}

/// Returns whether the command line names this, or nothing: `cargo bench -p pdblens-benches --bench screens -- start`.
fn wanted(name: &str) -> bool {
    let mut named = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).peekable();
    named.peek().is_none() || named.any(|argument| argument == name)
}

/// CPU time of this thread, which the load of the machine does not change.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The time on the wall.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Duration of a call.
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = processor_time();
    let done = work();
    (processor_time().saturating_sub(start), done)
}

/// Prints the fastest, the middle, the 99th of a hundred, and the slowest.
fn print_times(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let (count, slowest) = (times.len(), times[times.len() - 1]);
    let at = |percent: usize| times[(count * percent / 100).min(count - 1)];
    println!("{what}: fastest {:.2?}, p50 {:.2?}, p99 {:.2?}, slowest {slowest:.2?} of {count}", at(0), at(50), at(99));
}

fn frames(criterion: &mut Criterion) {
    let mut files = Files(Vec::new());
    let mut group = criterion.benchmark_group("frame");
    for methods in methods() {
        for (width, height) in [(200, 60), (300, 100)] {
            let app = app(files.of(methods), width, height, "3");
            let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
            group.bench_function(BenchmarkId::new(format!("{width}x{height}"), methods), |bencher| {
                bencher.iter(|| black_box(app.draw(&mut buffer)));
            });
        }
    }
}

fn finding(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("find");
    group.sample_size(10);
    for methods in [1_000, 175_000] {
        let files = synth::Recipe::of(methods).pair();
        let session =
            Session::from_bytes(vec![("m.dll".into(), files.image), ("m.pdb".into(), files.pdb)]).expect("a pair");
        let index = Arc::new(Index::build(&session, &|_, _| true));
        let names = index.len();
        group.bench_function(BenchmarkId::new("collect", names), |bencher| {
            bencher.iter(|| Index::build(&session, &|_, _| true));
        });
        for (what, typed) in [("rare", "zzget"), ("common", "get"), ("one letter", "e")] {
            group.bench_function(BenchmarkId::new(format!("containing/{what}"), names), |bencher| {
                bencher.iter(|| index.containing(typed, 1000));
            });
        }
        for (what, typed) in [("rare", "sgetxz"), ("common", "get"), ("one letter", "e")] {
            group.bench_function(BenchmarkId::new(format!("alike/{what}"), names), |bencher| {
                bencher.iter(|| rank_names(&index, typed, 1000, &|| false));
            });
        }
    }
}

#[cfg(unix)]
criterion_group!(
    benches,
    start::first_frame,
    keys::slowest,
    sources::jumps,
    frames,
    keys::pairs,
    native::native,
    finding
);
#[cfg(not(unix))]
criterion_group!(benches, keys::slowest, sources::jumps, frames, keys::pairs, native::native, finding);
criterion_main!(benches);
