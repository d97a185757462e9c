//! Terminal output: a terminal that receives it shows what was drawn, and a small change takes few bytes.

use std::cell::Cell as Shared;
use std::io::Write;
use std::num::NonZeroU16;
use std::rc::Rc;

use pdblens::tui::Options;
use pdblens::tui::app::config::Config;
use pdblens::tui::engine::terminal::Output;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::{Color, Modifier, Style};
use ratatui::{Terminal, TerminalOptions, Viewport};
use unicode_width::UnicodeWidthStr;

use crate::harness::{Screen, sample};
use crate::support::folder::Folder;
use crate::support::is_thorough;
use crate::support::synth::Recipe;
use crate::support::synth::rng::Rng;

/// Keys that change something, mostly.
const KEYS: &[&str] = &[
    "j",
    "k",
    "j",
    "k",
    "J",
    "K",
    "l",
    "h",
    "]",
    "[",
    "pagedown",
    "pageup",
    "ctrl-d",
    "G",
    "g g",
    "tab",
    "shift-tab",
    "enter",
    "H",
    "L",
    "space",
    "E",
    "z",
    ">",
    "<",
    "+",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "?",
    ":",
    "o",
    "/",
    "esc",
    "esc",
    "esc",
    "i",
    "y",
    "M",
    "T",
    "down",
    "ctrl-l",
    "u",
    "c",
    "0 9 j",
];

/// A terminal that is sent what is drawn.
struct Emulator {
    parser: vt100::Parser,
    output: Output,
}

impl Emulator {
    fn new(size: Size, plain: bool) -> Self {
        let cells = |number| NonZeroU16::new(number).unwrap();
        let mut parser = vt100::Parser::new(cells(size.height), cells(size.width), 0);
        // What is on it before is not ours, and neither is its pen.
        parser.process("\x1b[1;33;44mwhat was there\x1b[5;5Hbefore".as_bytes());
        Self { parser, output: Output::new(plain) }
    }

    fn show(&mut self, mut buffer: Buffer, cursor: Option<Position>) -> usize {
        let drawn = buffer.clone();
        let sent = self.output.frame(&mut buffer, cursor);
        self.parser.process(&sent);
        self.shows(&drawn, cursor);
        sent.len()
    }

    #[track_caller]
    fn shows(&self, drawn: &Buffer, cursor: Option<Position>) {
        let screen = self.parser.screen();
        for y in 0..drawn.area.height {
            let mut x = 0;
            while x < drawn.area.width {
                let (cell, there) = (&drawn[(x, y)], screen.cell(y, x).unwrap());
                let (symbol, wide) = (cell.symbol(), cell.symbol().width().max(1) as u16);
                let covered = (x + 1..x + wide).all(|x| x < drawn.area.width && drawn[(x, y)].symbol() == " ");
                let covered_up = if covered { symbol } else { " " };
                if let Some(wrong) = difference(cell, covered_up, there) {
                    panic!("{wrong} of {symbol:?} at {x}, {y}: {there:?}\n{}", screen.contents());
                }
                x += if covered { wide } else { 1 };
            }
        }
        assert_eq!(screen.hide_cursor(), cursor.is_none());
        if let Some(at) = cursor {
            assert_eq!(screen.cursor_position(), (at.y, at.x));
        }
    }
}

/// Attributes of a cell that the terminal does not show as they were drawn.
fn difference(cell: &Cell, symbol: &str, there: &vt100::Cell) -> Option<&'static str> {
    // What terminals make of several characters in one cell is their affair.
    if symbol.chars().nth(1).is_some() {
        return None;
    }
    let has = |modifier| cell.modifier.contains(modifier);
    // For this terminal bold and dim are one thing.
    let (bold, dim) = (has(Modifier::BOLD), has(Modifier::DIM));
    let strength = if bold && dim { there.bold() || there.dim() } else { (there.bold(), there.dim()) == (bold, dim) };
    let blank = symbol == " ";
    [
        ("text", if there.has_contents() { there.contents() } else { " " } == symbol),
        ("ground", there.bgcolor() == colour(cell.bg)),
        ("underline", there.underline() == has(Modifier::UNDERLINED)),
        ("inverse", there.inverse() == has(Modifier::REVERSED)),
        ("colour", blank || there.fgcolor() == colour(cell.fg)),
        ("italic", blank || there.italic() == has(Modifier::ITALIC)),
        ("strength", blank || strength),
    ]
    .into_iter()
    .find_map(|(what, right)| (!right).then_some(what))
}

fn colour(colour: Color) -> vt100::Color {
    match colour {
        Color::Reset => vt100::Color::Default,
        Color::Rgb(r, g, b) => vt100::Color::Rgb(r, g, b),
        Color::Indexed(index) => vt100::Color::Idx(index),
        named => {
            let names = [
                "Black",
                "Red",
                "Green",
                "Yellow",
                "Blue",
                "Magenta",
                "Cyan",
                "Gray",
                "DarkGray",
                "LightRed",
                "LightGreen",
                "LightYellow",
                "LightBlue",
                "LightMagenta",
                "LightCyan",
                "White",
            ];
            vt100::Color::Idx(names.iter().position(|name| *name == named.to_string()).unwrap() as u8)
        }
    }
}

#[test]
fn terminal_contents_equal_the_drawn_buffer_after_any_key() {
    let files =
        ["workshop/Workshop.dll", "ticker-windows/Ticker.dll", "native/tally.exe", "ticker-embedded/Ticker.dll"];
    let themes = ["dark", "light", "ansi", "mono"];
    let sizes = [(120, 40), (80, 24), (200, 60), (47, 13)];
    for (index, theme) in themes.into_iter().enumerate() {
        let mut rng = Rng::of(7, theme, 0);
        for turn in 0..2 {
            let options = Options { files: vec![sample(files[(index + turn) % 4])], ..Options::default() };
            let (width, height) = sizes[(index + 3 * turn) % 4];
            let mut screen = Screen::with(options, Config::default(), theme, width, height);
            let mut terminal = Emulator::new(screen.size, false);
            for step in 0..120 {
                let key = rng.one(KEYS);
                screen.keys(key);
                if step % 90 == 89 {
                    let (width, height) = rng.one(&sizes);
                    let cells = |number| NonZeroU16::new(number).unwrap();
                    terminal.parser.screen_mut().set_size(cells(height), cells(width));
                    screen.resize(width, height);
                }
                let (buffer, cursor) = screen.draw();
                terminal.show(buffer, cursor);
                if key == "ctrl-l" {
                    terminal.output.forget();
                }
            }
        }
    }
}

#[test]
fn wide_and_combining_characters_are_erased() {
    let symbols = [" ", " ", " ", "a", "b", "▌", "─", "日", "本", "ﾊ", "é", "e\u{301}", "👩‍👩‍👧", "✌\u{fe0f}", "→", "한"];
    let styles = [
        Style::new(),
        Style::new().fg(Color::Red),
        Style::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Rgb(4, 5, 6)).bold(),
        Style::new().bg(Color::Indexed(17)).italic(),
        Style::new().underlined(),
        Style::new().reversed().dim(),
    ];
    for seed in 0..40 {
        let mut rng = Rng::of(seed, "frames", 0);
        let area = Rect::new(0, 0, rng.between(1, 40) as u16, rng.between(1, 12) as u16);
        let mut terminal = Emulator::new(area.as_size(), false);
        let mut frame = Buffer::empty(area);
        for _ in 0..40 {
            let change = rng.between(1, 60);
            for _ in 0..rng.between(0, 30) {
                let (x, y) = (rng.between(0, area.width.into()) as u16, rng.between(0, area.height.into()) as u16);
                let style = rng.one(&styles);
                if rng.chance(20) {
                    let row = Rect::new(x, y, area.width - x, 1);
                    frame.set_style(row, style);
                    continue;
                }
                let text: String = (0..change).map(|_| rng.one(&symbols)).collect();
                // No odd one at the edge: this terminal wraps there, whatever it is told.
                let room = (area.width - x).saturating_sub(6);
                frame.set_stringn(x, y, text, room.into(), style);
            }
            let cursor = rng.chance(70).then(|| Position::new(area.width / 2, area.height / 2));
            terminal.show(frame.clone(), cursor);
        }
    }
}

#[test]
fn control_characters_in_cells_are_blank() {
    let area = Rect::new(0, 0, 9, 2);
    for c in ('\0'..'\u{a0}').filter(|c| c.is_control()) {
        for symbol in [c.to_string(), format!("a{c}"), format!("{c}\u{301}")] {
            let frames = [&*symbol, " "].map(|symbol| {
                let mut frame = Buffer::with_lines(["a  b  c  ", " d  e  f "]);
                assert_eq!(frame.area, area);
                frame[(4, 0)].set_symbol(symbol);
                frame[(4, 1)].set_symbol(symbol).set_bg(Color::Blue);
                frame
            });
            let sent = frames.map(|mut frame| Output::new(false).frame(&mut frame, None));
            assert_eq!(sent[0], sent[1], "{symbol:?}");
        }
    }
}

/// Action, the keys before it, and the limit of bytes that the terminal may get for it: a little more than it gets.
const MOVES: &[(&str, &str, &str, usize)] = &[
    ("all of it", "5", "ctrl-l", 14_000),
    // One list, and nothing else that shows the same.
    ("a line of the help", "? j j j", "j", 60),
    ("a row of the palette", ": down", "down", 550),
    // The fields, the bytes and the breadcrumb follow; of a byte, everything that shows whose it is.
    ("a byte to the right", "5 shift-tab shift-tab shift-tab 0 9 9 l l", "l", 1600),
    ("a row of a table", "4 g g j j tab 0 3 0 j k", "k", 1000),
    ("a field", "5 shift-tab shift-tab", "j", 700),
    // All panes follow.
    ("a point", "5 ]", "]", 2300),
    ("a method", "5 shift-tab 0 1 0 j", "j", 3200),
    ("a table scrolled by one", "4 g g j j tab 0 1 0 0 j", "J", 5500),
    ("a page of a table", "4 g g j j tab", "pagedown", 10_000),
    ("a page of methods", "5 shift-tab", "pagedown", 8500),
    ("a page of bytes", "5 shift-tab shift-tab shift-tab l", "pagedown", 10_000),
];

#[test]
fn a_move_takes_few_bytes() {
    let folder = Folder::new();
    let pair = Recipe::of(1000).pair();
    let synth = vec![folder.write("m.dll", pair.image), folder.write("m.pdb", pair.pdb)];
    let workshop = vec![sample("workshop/Workshop.dll")];
    let mut wrong = Vec::new();
    for (name, before, keys, most) in MOVES {
        let mut worst = 0;
        for (files, sizes) in [(&synth, &[(200, 60), (120, 40)]), (&workshop, &[(120, 40), (200, 60)])] {
            for (width, height) in sizes.iter().copied().take(if is_thorough() { 2 } else { 1 }) {
                let options = Options { files: files.clone(), ..Options::default() };
                let mut screen = Screen::with(options, Config::default(), "dark", width, height);
                let mut output = Output::new(false);
                screen.keys(before);
                for turn in 0..5 {
                    let (mut buffer, cursor) = screen.draw();
                    if *keys == "ctrl-l" {
                        output.forget();
                    }
                    let sent = output.frame(&mut buffer, cursor).len();
                    if turn > 0 {
                        worst = worst.max(sent);
                    }
                    screen.keys(keys);
                }
            }
        }
        println!("{name}: {worst} bytes");
        if worst > *most || worst <= most / 2 {
            wrong.push(format!("{name}: {worst} bytes, and the limit is {most}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Counts the bytes that are written.
#[derive(Clone, Default)]
struct ByteCounter(Rc<Shared<usize>>);

impl Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.set(self.0.get() + bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Size, the limit of the median of bytes that a move of the cursor takes in all panes of all views, and that of its share of what
/// ratatui's own backend sends for the same frames, in percent: a little more than they are.
const MEDIANS: &[(u16, u16, usize, usize)] = &[(120, 40, 760, 45), (80, 24, 670, 45), (200, 60, 760, 45)];

/// Bytes of frames, in all views: for each move of the cursor in each pane, ours and those of ratatui's backend.
fn moves(width: u16, height: u16) -> Vec<(usize, usize)> {
    let mut sent = Vec::new();
    for view in 1..=8 {
        let mut screen = Screen::open("workshop/Workshop.dll", width, height);
        screen.keys(&view.to_string());
        for _ in 0..7 {
            let (mut output, counter) = (Output::new(false), ByteCounter::default());
            let viewport = Viewport::Fixed(Rect::new(0, 0, width, height));
            let backend = CrosstermBackend::new(counter.clone());
            let mut theirs = Terminal::with_options(backend, TerminalOptions { viewport }).unwrap();
            for (index, key) in "j j j j j k k k l l l h h h".split(' ').enumerate() {
                let (mut buffer, cursor) = screen.draw();
                theirs.draw(|frame| frame.buffer_mut().clone_from(&buffer)).unwrap();
                let their_bytes = counter.0.take();
                let bytes = output.frame(&mut buffer, cursor).len();
                // The first is the whole screen; a key that moves nothing sends nothing.
                if index > 0 && bytes > 0 {
                    sent.push((bytes, their_bytes));
                }
                screen.keys(key);
            }
            screen.keys("tab");
        }
    }
    sent
}

#[test]
fn a_move_of_the_cursor_takes_few_bytes_in_the_median() {
    let mut wrong = Vec::new();
    for (width, height, most, share) in MEDIANS.iter().take(if is_thorough() { 3 } else { 1 }) {
        let sent = moves(*width, *height);
        let median = |of: &dyn Fn(&(usize, usize)) -> usize| {
            let mut all: Vec<usize> = sent.iter().map(of).collect();
            all.sort_unstable();
            all[all.len() / 2]
        };
        let (ours, theirs) = (median(&|sent| sent.0), median(&|sent| sent.1));
        let of_theirs = median(&|(ours, theirs)| ours * 100 / theirs.max(&1));
        println!("{width}x{height}: {ours} bytes, by ratatui {theirs}; {of_theirs} % of them, of {} moves", sent.len());
        if ours > *most || of_theirs > *share || ours * 10 < most * 8 {
            wrong.push(format!("{width}x{height}: {ours} bytes, {of_theirs} %; the limits are {most}, {share} %"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
