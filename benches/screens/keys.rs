//! From a key to the bytes of the frame that answers it.

use std::hint::black_box;
use std::io::{Sink, sink};
use std::time::Duration;

use criterion::{BenchmarkId, Criterion};
use pdblens::tui::app::{App, Command, Event};
use pdblens::tui::engine::Program;
use pdblens::tui::engine::key::Key;
use pdblens::tui::engine::terminal::Output;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::{Files, app, methods, press, press_one, print_times, timed, wanted};

/// Keys as somebody presses them who looks around.
const SCRIPT: &str = "3 ] ] ] [ down down up tab down down pagedown pageup tab down tab right right down shift-tab shift-tab \
    shift-tab shift-tab pagedown pagedown down G g down ] ] shift-right shift-left G pageup space esc enter 3 t down down \
    tab G pageup up up g pagedown enter backspace backspace r down right u 6 down down tab down 1 down down down 2 down \
    down pagedown G up enter 2 t down right b tab down 4 5 z z o esc : esc ? esc i esc u backspace L";

/// Number of times that all of them are pressed.
const TURNS: usize = 5;

fn draw(app: &App, area: Rect, buffer: &mut Buffer, output: &mut Output<Sink>) {
    buffer.resize(area);
    buffer.reset();
    let cursor = app.draw(buffer);
    output.frame(buffer, cursor).expect("a frame");
}

/// The slowest keys, in time of the processor. Work for the worker is not waited for, as on the real screens; what comes of it is drawn like a key.
pub(crate) fn slowest(_: &mut Criterion) {
    if !wanted("keys") {
        return;
    }
    let mut files = Files(Vec::new());
    let keys: Vec<Key> = SCRIPT.split(' ').map(|key| Key::parse(key).expect("keys")).collect();
    for methods in methods() {
        for (width, height) in [(200, 60), (300, 100)] {
            let mut app = app(files.of(methods), width, height, "3");
            let area = Rect::new(0, 0, width, height);
            let (mut buffer, mut output) = (Buffer::default(), Output::new(sink(), false));
            let (mut answers, mut later, mut works) = (Vec::new(), Vec::new(), Vec::new());
            let mut fastest = vec![Duration::MAX; keys.len()];
            let mut worst = (Duration::ZERO, 0, 0);
            for turn in 0..TURNS {
                for (number, (key, fastest)) in keys.iter().zip(&mut fastest).enumerate() {
                    let (time, mut effects) = timed(|| {
                        let effects = press_one(&mut app, *key);
                        draw(&app, area, &mut buffer, &mut output);
                        effects
                    });
                    answers.push(time);
                    *fastest = time.min(*fastest);
                    worst = worst.max((time, number, turn));
                    while let Some(effect) = effects.pop() {
                        let Command::Start(job) = effect else { continue };
                        let (time, done) = timed(|| job.run());
                        works.push(time);
                        let (time, more) = timed(|| {
                            let more = app.update(Event::Done(done));
                            draw(&app, area, &mut buffer, &mut output);
                            more
                        });
                        effects.extend(more);
                        later.push(time);
                    }
                }
            }
            println!("{methods} methods, {width}x{height}:");
            print_times("  from a key to its frame", answers);
            print_times("  the same, each key at its fastest", fastest.clone());
            print_times("  from work done to its frame", later);
            print_times("  work for the worker", works);
            println!(
                "  the slowest once: {} (key {}, turn {}) {:.2?}",
                keys[worst.1].display(true),
                worst.1,
                worst.2,
                worst.0
            );
            let mut slowest: Vec<usize> = (0..keys.len()).collect();
            slowest.sort_by_key(|key| std::cmp::Reverse(fastest[*key]));
            let shown = slowest
                .iter()
                .take(4)
                .map(|key| format!("{} (key {key}) {:.2?}", keys[*key].display(true), fastest[*key]));
            println!("  the slowest keys: {}", shown.collect::<Vec<_>>().join(", "));
        }
    }
}

/// There and back again.
pub(crate) fn pairs(criterion: &mut Criterion) {
    let mut files = Files(Vec::new());
    let mut group = criterion.benchmark_group("key to frame");
    for methods in methods() {
        let mut app = app(files.of(methods), 200, 60, "3");
        let area = Rect::new(0, 0, 200, 60);
        let (mut buffer, mut output) = (Buffer::default(), Output::new(sink(), false));
        for (name, keys) in [("point", "] ["), ("method", "j k"), ("page", "pagedown pageup"), ("ends", "G g")] {
            if name == "method" {
                press(&mut app, "shift-tab");
            }
            group.bench_function(BenchmarkId::new(name, methods), |bencher| {
                bencher.iter(|| {
                    press(&mut app, keys);
                    draw(&app, area, &mut buffer, &mut output);
                    black_box(&buffer);
                });
            });
        }
    }
}
