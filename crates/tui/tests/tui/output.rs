//! Terminal output: a terminal that receives it shows what was drawn.

use std::cell::RefCell;
use std::io::{Result, Write};
use std::num::NonZeroU16;
use std::rc::Rc;

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::engine::terminal::Output;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::{Color, Modifier, Style};
use unicode_width::UnicodeWidthStr;

use crate::harness::{Screen, sample};
use crate::support::synth::rng::Rng;

/// Keys that change something, mostly.
const KEYS: &[&str] = &[
    "j",
    "k",
    "j",
    "k",
    "shift-down",
    "shift-up",
    "l",
    "h",
    "]",
    "[",
    "pagedown",
    "pageup",
    "ctrl-d",
    "G",
    "g",
    "tab",
    "shift-tab",
    "enter",
    "backspace",
    "L",
    "space",
    "shift-right",
    "z",
    "y",
    "w",
    "1",
    "2",
    "tables",
    "methods",
    "sources",
    "4",
    "5",
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

/// The bytes that a terminal is sent.
#[derive(Clone, Default)]
struct Sent(Rc<RefCell<Vec<u8>>>);

impl Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A terminal that is sent what is drawn.
struct Emulator {
    parser: vt100::Parser,
    sent: Sent,
    output: Output<Sent>,
}

impl Emulator {
    fn new(size: Size, plain: bool) -> Self {
        let cells = |number| NonZeroU16::new(number).unwrap();
        let mut parser = vt100::Parser::new(cells(size.height), cells(size.width), 0);
        // What is on it before is not ours, and neither is its pen.
        parser.process("\x1b[1;33;44mwhat was there\x1b[5;5Hbefore".as_bytes());
        let sent = Sent::default();
        Self { parser, output: Output::new(sent.clone(), plain), sent }
    }

    fn show(&mut self, mut buffer: Buffer, cursor: Option<Position>) {
        let drawn = buffer.clone();
        self.output.frame(&mut buffer, cursor).unwrap();
        self.parser.process(&self.sent.0.take());
        self.shows(&drawn, cursor);
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
            let sent = frames.map(|mut frame| {
                let sent = Sent::default();
                Output::new(sent.clone(), false).frame(&mut frame, None).unwrap();
                sent.0.take()
            });
            assert_eq!(sent[0], sent[1], "{symbol:?}");
        }
    }
}

#[test]
fn a_held_down_key_sends_what_changes() {
    let mut screen = Screen::open("workshop-embedded/Workshop.dll", 120, 40);
    let (sent, mut frames) = (Sent::default(), Vec::new());
    let mut output = Output::new(sent.clone(), false);
    for keys in ["sources", "j", "j", "tab", "j", "j", "j", "pagedown", "j", "j"] {
        let (mut buffer, cursor) = screen.keys(keys).draw();
        output.frame(&mut buffer, cursor).unwrap();
        frames.push(sent.0.take().len());
    }
    assert!(frames[1..].iter().all(|bytes| *bytes < 9000), "{frames:?}");
}
