//! What the screens cost: a frame, a key, a cursor move's bytes; with 1 000 methods open and with 100 000.

#[allow(dead_code, unused_imports, unreachable_pub, reason = "shared with the tests, which use all of it")]
#[path = "../tests/support/synth/mod.rs"]
mod synth;

use std::cell::Cell;
use std::hint::black_box;
use std::io::Write;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use crossterm::event::{Event as TerminalEvent, KeyEvent, KeyModifiers};
use pdblens::model::Session;
use pdblens::tui::Options;
use pdblens::tui::app::{App, Effect, Event};
use pdblens::tui::config::Config;
use pdblens::tui::key::Key;
use pdblens::tui::overlays::finder::alike;
use pdblens::tui::theme::Theme;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::{Terminal, TerminalOptions, Viewport};

const METHODS: [u32; 2] = [1_000, 100_000];

fn carry_out(app: &mut App, effects: Vec<Effect>) {
    for effect in effects {
        if let Effect::Work(job) = effect {
            let effects = app.update(Event::Done(job.run()));
            carry_out(app, effects);
        }
    }
}

fn press(app: &mut App, keys: &str) {
    for key in Key::sequence(keys).expect("keys") {
        let mut modifiers = KeyModifiers::NONE;
        modifiers.set(KeyModifiers::CONTROL, key.ctrl);
        let effects = app.update(Event::Terminal(TerminalEvent::Key(KeyEvent::new(key.code, modifiers))));
        carry_out(app, effects);
    }
}

/// The Methods view of a generated pair, in a terminal of that size.
fn app(methods: u32, width: u16, height: u16) -> App {
    let folder = std::env::temp_dir().join(format!("pdblens-bench-{}-{methods}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let pair = synth::Recipe::of(methods).pair();
    std::fs::write(folder.join("m.dll"), pair.image).expect("the image");
    std::fs::write(folder.join("m.pdb"), pair.pdb).expect("the PDB");
    let options = Options { files: vec![folder.join("m.dll"), folder.join("m.pdb")], ..Options::default() };
    let (mut app, effects) = App::new(options, Config::default(), Theme::default(), Instant::now());
    app.resize(Size { width, height });
    carry_out(&mut app, effects);
    press(&mut app, "5");
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    app
}

fn frames(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("frame");
    for methods in METHODS {
        for (width, height) in [(200, 60), (300, 100)] {
            let app = app(methods, width, height);
            let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
            group.bench_function(BenchmarkId::new(format!("{width}x{height}"), methods), |bencher| {
                bencher.iter(|| black_box(app.draw(&mut buffer)));
            });
        }
    }
}

fn keys(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("key to frame");
    for methods in METHODS {
        let mut app = app(methods, 200, 60);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 200, 60));
        for (name, keys) in [("point", "] ["), ("method", "j k"), ("page", "pagedown pageup"), ("ends", "G g g")] {
            if name == "method" {
                press(&mut app, "shift-tab");
            }
            group.bench_function(BenchmarkId::new(name, methods), |bencher| {
                bencher.iter(|| {
                    press(&mut app, keys);
                    black_box(app.draw(&mut buffer))
                });
            });
        }
    }
}

fn finding(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("find");
    group.sample_size(10);
    for methods in METHODS {
        let files = synth::Recipe::of(methods).pair();
        let session =
            Session::from_bytes(vec![("m.dll".into(), files.image), ("m.pdb".into(), files.pdb)]).expect("a pair");
        group.bench_function(BenchmarkId::new("collect", methods), |bencher| {
            bencher.iter(|| session.index(&|_, _| true));
        });
        let index = Arc::new(session.index(&|_, _| true));
        group.bench_function(BenchmarkId::new("containing", methods), |b| b.iter(|| index.containing("zzget", 1000)));
        group.bench_function(BenchmarkId::new("alike", methods), |b| b.iter(|| alike(&index, "sgetx", &|| false)));
    }
}

/// Counts what is written.
#[derive(Clone, Default)]
struct Counter(Rc<Cell<usize>>);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.set(self.0.get() + bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// How many bytes the terminal gets for a move of the cursor and for a scroll: said, not timed.
fn bytes(_: &mut Criterion) {
    let mut app = app(1_000, 200, 60);
    let counter = Counter::default();
    let viewport = Viewport::Fixed(Rect::new(0, 0, 200, 60));
    let backend = CrosstermBackend::new(counter.clone());
    let mut terminal = Terminal::with_options(backend, TerminalOptions { viewport }).expect("a terminal");
    for (name, keys) in
        [("first frame", "esc"), ("next point", "]"), ("down in the tree", "shift-tab j"), ("page", "pagedown")]
    {
        press(&mut app, keys);
        let before = counter.0.get();
        terminal
            .draw(|frame| {
                app.draw(frame.buffer_mut());
            })
            .expect("a frame");
        println!("{name}: {} bytes", counter.0.get() - before);
    }
}

criterion_group!(benches, bytes, frames, keys, finding);
criterion_main!(benches);
