//! Native code: keys in the tree, the lines and the tables; and what the worker reads before any of it shows.

use pdblens::nodes::code_tree::CodeTree;
use pdblens::nodes::function::NativeView;
use pdblens::query::document_lines;
use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion};
use pdblens::session::Session;
use pdblens::tui::engine::Program;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::{app, methods, press, synth};

/// A native PDB with so many functions, in modules of 250.
fn pdb(functions: u32) -> Vec<u8> {
    synth::native::Native { modules: functions / 250, functions: 250, lines: 12, seed: 1 }.pdb(4096)
}

pub(crate) fn native(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("native key to frame");
    for functions in methods() {
        let file = std::env::temp_dir().join(format!("pdblens-bench-{}-{functions}.pdb", std::process::id()));
        std::fs::write(&file, pdb(functions)).expect("a file");
        let mut app = app(vec![file.clone()], 200, 60, "3");
        // It is open now.
        let _ = std::fs::remove_file(file);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 200, 60));
        let keys = [
            ("line", "] [", ""),
            ("function", "j k", "shift-tab"),
            ("ends", "G g", ""),
            ("fold", "left left right", "j j"),
            ("rows", "j k", "2 j"),
            ("view", "3 2", ""),
        ];
        for (name, keys, before) in keys {
            if !before.is_empty() {
                press(&mut app, before);
            }
            group.bench_function(BenchmarkId::new(name, functions), |bencher| {
                bencher.iter(|| {
                    press(&mut app, keys);
                    black_box(app.draw(&mut buffer))
                });
            });
        }
    }
    group.finish();
    let mut group = criterion.benchmark_group("native");
    group.sample_size(10);
    for functions in methods() {
        let bytes = pdb(functions);
        let open = || Session::from_bytes(vec![("n.pdb".into(), bytes.clone())]).expect("a PDB");
        group.bench_function(BenchmarkId::new("read", functions), |bencher| {
            let read = |session: Session| NativeView::of(&session).expect("native code").read_all();
            bencher.iter_batched(open, read, BatchSize::PerIteration);
        });
        let session = open();
        NativeView::of(&session).expect("native code").read_all();
        group.bench_function(BenchmarkId::new("tree", functions), |bencher| bencher.iter(|| CodeTree::of(&session)));
        group.bench_function(BenchmarkId::new("coverage", functions), |bencher| {
            bencher.iter(|| document_lines::document_lines(&session, 1, &|| false));
        });
    }
}
