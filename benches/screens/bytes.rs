//! Bytes that the terminal is sent for a key, beside those of ratatui's own backend.

use std::cell::Cell;
use std::io::Write;
use std::rc::Rc;

use criterion::Criterion;
use pdblens::tui::engine::terminal::Output;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use crate::{Files, app, press, wanted};

/// Action, and the keys before it.
const MOVES: &[(&str, &str, &str)] = &[
    ("a byte to the right", "5 shift-tab shift-tab shift-tab 0 9 9 l l", "l"),
    ("a row of the palette", ": down", "down"),
    ("a row of a table", "4 g g j j tab 0 3 0 j k", "k"),
    ("the next point", "5 ]", "]"),
    ("the next method", "5 shift-tab 0 2 j", "j"),
    ("a table scrolled by one", "4 g g j j tab 0 1 0 0 j", "J"),
    ("a page of a table", "4 g g j j tab", "pagedown"),
    ("a page of methods", "5 shift-tab", "pagedown"),
];

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

/// Number of bytes, which is printed and not timed.
pub(crate) fn sent(_: &mut Criterion) {
    if !wanted("bytes") {
        return;
    }
    let mut files = Files(Vec::new());
    for (width, height) in [(120, 40), (200, 60)] {
        for (what, before, keys) in MOVES {
            let mut app = app(files.of(1_000), width, height, before);
            let (mut output, counter) = (Output::new(false), Counter::default());
            let viewport = Viewport::Fixed(Rect::new(0, 0, width, height));
            let backend = CrosstermBackend::new(counter.clone());
            let mut terminal = Terminal::with_options(backend, TerminalOptions { viewport }).expect("a terminal");
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for _ in 0..6 {
                let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
                let cursor = app.draw(&mut buffer);
                let sent = counter.0.get();
                terminal.draw(|frame| frame.buffer_mut().clone_from(&buffer)).expect("a frame");
                theirs.push(counter.0.get() - sent);
                ours.push(output.frame(&mut buffer, cursor).len());
                press(&mut app, keys);
            }
            // The first is the whole screen.
            let (first, ours, theirs) = (ours[0], &mut ours[1..], &mut theirs[1..]);
            ours.sort_unstable();
            theirs.sort_unstable();
            let (middle, most, theirs) = (ours[ours.len() / 2], ours[ours.len() - 1], theirs[theirs.len() / 2]);
            println!("{width}x{height} {what}: {middle} bytes, at most {most}; ratatui {theirs}; all of it {first}");
        }
    }
}
