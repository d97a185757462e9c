//! Writer of terminal sequences: tracks cursor and style, and finds the shortest way to others.
//!
//! Uses only SGR, the cursor moves of ECMA-48 that a VT100 has, and the one to a column (CHA).

use ratatui::style::{Color, Modifier};

/// Attributes that are visible on a blank cell.
const VISIBLE_ON_BLANK: Modifier = Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);

/// Attributes with the SGR parameters that set and reset them.
const ATTRIBUTES: [(Modifier, u8, u8); 9] = [
    (Modifier::BOLD, 1, 22),
    (Modifier::DIM, 2, 22),
    (Modifier::ITALIC, 3, 23),
    (Modifier::UNDERLINED, 4, 24),
    (Modifier::SLOW_BLINK, 5, 25),
    (Modifier::RAPID_BLINK, 6, 25),
    (Modifier::REVERSED, 7, 27),
    (Modifier::HIDDEN, 8, 28),
    (Modifier::CROSSED_OUT, 9, 29),
];

/// Colours and attributes of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct CellStyle {
    pub(super) fg: Color,
    pub(super) bg: Color,
    pub(super) modifier: Modifier,
}

impl CellStyle {
    /// The style without what is invisible on a blank cell.
    pub(super) fn for_blank(self) -> Self {
        if self.modifier.intersects(VISIBLE_ON_BLANK) { self } else { Self { bg: self.bg, ..Self::default() } }
    }

    /// Returns whether a blank cell looks the same in both styles.
    pub(super) fn is_same_on_blank(self, other: Self) -> bool {
        self.for_blank() == other.for_blank()
    }
}

/// Writer of terminal sequences.
#[derive(Debug, Default)]
pub(super) struct SgrWriter {
    /// The bytes written so far.
    pub(super) out: Vec<u8>,
    style: CellStyle,
    /// Column and row of the cursor, where they are certain.
    at: Option<(u16, u16)>,
}

/// Line feeds and backspaces that are shorter than a move. In raw mode a line feed keeps the column, but on Windows, where the
/// console may go to the first one.
const MAX_LINE_FEEDS: u16 = if cfg!(windows) { 0 } else { 3 };
const MAX_BACKSPACES: u16 = 3;

impl SgrWriter {
    /// Returns whether the cursor is certainly there.
    pub(super) fn is_at(&self, x: u16, y: u16) -> bool {
        self.at == Some((x, y))
    }

    /// Writes a grapheme that takes `cells` cells.
    pub(super) fn put(&mut self, symbol: &str, cells: u16) {
        self.out.extend_from_slice(symbol.as_bytes());
        if let Some((x, _)) = &mut self.at {
            *x += cells;
        }
    }

    /// Writes a sequence that changes neither cursor nor style.
    pub(super) fn write(&mut self, sequence: &[u8]) {
        self.out.extend_from_slice(sequence);
    }

    /// Forgets the position of the cursor: after the last column, or after a character of uncertain width.
    pub(super) fn forget_position(&mut self) {
        self.at = None;
    }

    /// Moves the cursor by the shortest sequence.
    pub(super) fn move_to(&mut self, x: u16, y: u16) {
        if self.is_at(x, y) {
            return;
        }
        let mut best = Sequence::default();
        best.control(&[y + 1, x + 1][..if x == 0 { 1 } else { 2 }], b'H');
        if let Some((from, row)) = self.at {
            let mut rows = Sequence::default();
            match y.checked_sub(row) {
                Some(down) if (1..=MAX_LINE_FEEDS).contains(&down) => rows.repeat(b'\n', down),
                Some(down) => rows.steps(down, b'B'),
                None => rows.steps(row - y, b'A'),
            }
            for way in [Self::column_by_steps, Self::column_by_return, Self::column_by_number] {
                let mut moves = rows;
                way(&mut moves, from, x);
                best.shorten(&moves);
            }
        }
        self.out.extend_from_slice(best.bytes());
        self.at = Some((x, y));
    }

    fn column_by_steps(out: &mut Sequence, from: u16, x: u16) {
        match from.checked_sub(x) {
            Some(left @ 1..=MAX_BACKSPACES) => out.repeat(b'\x08', left),
            Some(left) => out.steps(left, b'D'),
            None => out.steps(x - from, b'C'),
        }
    }

    fn column_by_return(out: &mut Sequence, _: u16, x: u16) {
        out.push(b'\r');
        out.steps(x, b'C');
    }

    fn column_by_number(out: &mut Sequence, _: u16, x: u16) {
        out.control(&[x + 1], b'G');
    }

    /// Erases cells from the cursor on, which stays where it is.
    pub(super) fn erase(&mut self, cells: u16) {
        let mut erase = Sequence::default();
        erase.control(&[cells], b'X');
        self.out.extend_from_slice(erase.bytes());
    }

    /// Sets the style of the following cells.
    pub(super) fn set_style(&mut self, style: CellStyle) {
        if let Some(parameters) = sgr_parameters(self.style, style) {
            self.out.extend_from_slice(b"\x1b[");
            self.out.extend_from_slice(parameters.bytes());
            self.out.push(b'm');
            self.style = style;
        }
    }

    /// The current style.
    pub(super) const fn style(&self) -> CellStyle {
        self.style
    }

    /// Sets a style in which blank cells look as in `style`.
    pub(super) fn set_blank_style(&mut self, style: CellStyle) {
        if !self.style.is_same_on_blank(style) {
            self.set_style(style.for_blank());
        }
    }
}

/// Bytes of a change of style.
pub(super) fn change_cost(was: CellStyle, style: CellStyle) -> usize {
    sgr_parameters(was, style).map_or(0, |parameters| parameters.len + b"\x1b[m".len())
}

/// The SGR parameters of a change of style; `None` where it is none.
fn sgr_parameters(was: CellStyle, style: CellStyle) -> Option<Sequence> {
    if was == style {
        return None;
    }
    // Either the changes, or everything after a reset.
    let (mut changes, mut afresh) = (Parameters::default(), Parameters::default());
    let mut kept = was.modifier;
    for (attribute, _, end) in ATTRIBUTES {
        if kept.contains(attribute) && !style.modifier.contains(attribute) {
            changes.push(end);
            // Bold and dim share a reset parameter, and so do the two blink rates.
            kept -= ATTRIBUTES.iter().filter(|a| a.2 == end).fold(Modifier::empty(), |all, a| all | a.0);
        }
    }
    changes.attributes(style.modifier - kept);
    changes.colour(style.fg, was.fg, 30);
    changes.colour(style.bg, was.bg, 40);
    if style == CellStyle::default() {
        // No parameter means 0.
        return Some(Sequence::default());
    }
    afresh.push(0);
    afresh.attributes(style.modifier);
    afresh.colour(style.fg, Color::Reset, 30);
    afresh.colour(style.bg, Color::Reset, 40);
    changes.0.shorten(&afresh.0);
    Some(changes.0)
}

/// A short sequence of bytes: nothing is allocated for it.
#[derive(Clone, Copy)]
struct Sequence {
    bytes: [u8; 80],
    len: usize,
}

impl Default for Sequence {
    fn default() -> Self {
        Self { bytes: [0; 80], len: 0 }
    }
}

impl Sequence {
    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    fn push(&mut self, byte: u8) {
        if let Some(next) = self.bytes.get_mut(self.len) {
            *next = byte;
            self.len += 1;
        }
    }

    fn repeat(&mut self, byte: u8, times: u16) {
        (0..times).for_each(|_| self.push(byte));
    }

    fn number(&mut self, number: u16) {
        if number >= 10 {
            self.number(number / 10);
        }
        self.push(b'0' + (number % 10) as u8);
    }

    /// Adds a control sequence: `ESC [ 1 ; 2 H`.
    fn control(&mut self, numbers: &[u16], end: u8) {
        self.push(b'\x1b');
        self.push(b'[');
        for (index, number) in numbers.iter().enumerate() {
            if index > 0 {
                self.push(b';');
            }
            self.number(*number);
        }
        self.push(end);
    }

    /// Adds a relative move; a single step needs no number.
    fn steps(&mut self, distance: u16, end: u8) {
        match distance {
            0 => {}
            1 => self.control(&[], end),
            _ => self.control(&[distance], end),
        }
    }

    /// Takes another sequence where that is shorter.
    fn shorten(&mut self, other: &Self) {
        if other.len < self.len {
            *self = *other;
        }
    }
}

/// SGR parameters, separated by semicolons.
#[derive(Default)]
struct Parameters(Sequence);

impl Parameters {
    fn push(&mut self, number: u8) {
        if self.0.len > 0 {
            self.0.push(b';');
        }
        self.0.number(number.into());
    }

    fn attributes(&mut self, modifier: Modifier) {
        for (_, number, _) in ATTRIBUTES.into_iter().filter(|(attribute, ..)| modifier.contains(*attribute)) {
            self.push(number);
        }
    }

    /// Adds a colour that differs from `was`; `base` is 30 for the foreground, 40 for the background.
    fn colour(&mut self, colour: Color, was: Color, base: u8) {
        if colour == was {
            return;
        }
        let named = match colour {
            Color::Reset => 9,
            Color::Black => 0,
            Color::Red => 1,
            Color::Green => 2,
            Color::Yellow => 3,
            Color::Blue => 4,
            Color::Magenta => 5,
            Color::Cyan => 6,
            Color::Gray => 7,
            Color::DarkGray => 60,
            Color::LightRed => 61,
            Color::LightGreen => 62,
            Color::LightYellow => 63,
            Color::LightBlue => 64,
            Color::LightMagenta => 65,
            Color::LightCyan => 66,
            Color::White => 67,
            Color::Indexed(index) => return [base + 8, 5, index].into_iter().for_each(|number| self.push(number)),
            Color::Rgb(r, g, b) => return [base + 8, 2, r, g, b].into_iter().for_each(|number| self.push(number)),
        };
        self.push(base + named);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(tell: impl FnOnce(&mut SgrWriter)) -> String {
        let mut writer = SgrWriter { style: CellStyle::default(), at: Some((10, 10)), out: Vec::new() };
        tell(&mut writer);
        String::from_utf8(writer.out).unwrap().replace('\x1b', "^")
    }

    #[test]
    fn moves_are_as_short_as_can_be() {
        assert_eq!(told(|writer| writer.move_to(10, 10)), "");
        assert_eq!(told(|writer| writer.move_to(11, 10)), "^[C");
        assert_eq!(told(|writer| writer.move_to(40, 10)), "^[30C");
        assert_eq!(told(|writer| writer.move_to(3, 10)), "^[7D");
        assert_eq!(told(|writer| writer.move_to(8, 10)), "\x08\x08");
        assert_eq!(told(|writer| writer.move_to(0, 10)), "\r");
        let near = told(|writer| {
            writer.move_to(20, 10);
            writer.move_to(1, 10);
        });
        assert_eq!(near, "^[10C\r^[C");
        assert_eq!(told(|writer| writer.move_to(10, 9)), "^[A");
        assert_eq!(told(|writer| writer.move_to(10, 30)), "^[20B");
        let down = if cfg!(windows) { "^[B" } else { "\n" };
        assert_eq!(told(|writer| writer.move_to(0, 11)), format!("{down}\r"));
        assert_eq!(told(|writer| writer.move_to(9, 11)), format!("{down}\x08"));
        assert_eq!(told(|writer| writer.move_to(10, 11)), down);
        let far = told(|writer| {
            writer.move_to(150, 10);
            writer.move_to(49, 10);
        });
        assert_eq!(far, "^[140C^[50G");
        assert_eq!(told(|writer| writer.move_to(99, 50)), "^[51;100H");
        assert_eq!(told(|writer| writer.move_to(0, 50)), "^[51H");
        let lost = told(|writer| {
            writer.forget_position();
            writer.move_to(11, 10);
        });
        assert_eq!(lost, "^[11;12H");
    }

    #[test]
    fn only_what_is_different_is_said() {
        let text = CellStyle { fg: Color::Rgb(1, 2, 3), ..CellStyle::default() };
        let cursor = CellStyle { fg: Color::White, bg: Color::Rgb(4, 5, 6), modifier: Modifier::BOLD };
        assert_eq!(told(|writer| writer.set_style(text)), "^[38;2;1;2;3m");
        let then = |first: CellStyle, second: CellStyle| {
            let all = told(|writer| {
                writer.set_style(first);
                writer.set_style(second);
            });
            all[told(|writer| writer.set_style(first)).len()..].to_owned()
        };
        assert_eq!(then(text, text), "");
        assert_eq!(then(text, cursor), "^[1;97;48;2;4;5;6m");
        assert_eq!(then(cursor, CellStyle { fg: Color::Indexed(7), ..cursor }), "^[38;5;7m");
        assert_eq!(then(cursor, CellStyle { modifier: Modifier::ITALIC, ..cursor }), "^[22;3m");
        assert_eq!(then(cursor, CellStyle::default()), "^[m");
        assert_eq!(then(cursor, CellStyle { fg: Color::Red, ..CellStyle::default() }), "^[0;31m");
    }

    #[test]
    fn one_end_ends_both_bold_and_dim() {
        let both =
            CellStyle { modifier: Modifier::BOLD | Modifier::DIM, fg: Color::Rgb(9, 9, 9), bg: Color::Rgb(8, 8, 8) };
        let dim = CellStyle { modifier: Modifier::DIM, ..both };
        let said = told(|writer| {
            writer.set_style(both);
            writer.set_style(dim);
        });
        assert!(said.ends_with("^[22;2m"), "{said}");
    }

    #[test]
    fn a_blank_cell_needs_its_ground_and_nothing_else() {
        let ground = CellStyle { bg: Color::Blue, ..CellStyle::default() };
        let text = CellStyle { fg: Color::Red, modifier: Modifier::BOLD, ..ground };
        assert_eq!(told(|writer| writer.set_blank_style(text)), "^[44m");
        let said = told(|writer| {
            writer.set_style(text);
            writer.set_blank_style(ground);
        });
        assert_eq!(said, "^[1;31;44m");
        assert!(!text.is_same_on_blank(CellStyle { modifier: Modifier::UNDERLINED, ..text }));
    }
}
