//! Symbols and box-drawing characters, in Unicode and in ASCII.

use std::ops::{BitOr, BitOrAssign};

use pdblens_nodes::rows::Tone;
use pdblens_query::breakpoint::Sign;

/// Makes [`Glyphs`], [`UNICODE`] and [`ASCII`] of one table.
macro_rules! glyphs {
    ($($(#[$doc:meta])* $name:ident: $kind:ty = $unicode:expr, $ascii:expr;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Glyphs {
            pub ascii: bool,
            $($(#[$doc])* pub $name: $kind,)+
        }

        pub const UNICODE: Glyphs = Glyphs { ascii: false, $($name: $unicode,)+ };
        pub const ASCII: Glyphs = Glyphs { ascii: true, $($name: $ascii,)+ };
    };
}

glyphs! {
    bar: &'static str = "▌", "|";
    bar_begins: &'static str = "▛", "/";
    bar_ends: &'static str = "▙", "\\";
    open: &'static str = "▾", "v";
    closed: &'static str = "▸", ">";
    more: &'static str = "…", "~";
    nul: &'static str = "⋄", "0";
    other: &'static str = "•", ".";
    step: &'static str = "›", ">";
    ok: &'static str = "✓", "ok";
    warn: &'static str = "!", "!";
    bad: &'static str = "✗", "x";
    leads: &'static str = "→", "->";
    /// Code of an earlier offset.
    back: &'static str = "↑", "^";
    dash: &'static str = "–", "-";
    dot: &'static str = "·", "-";
    full_text: &'static str = "┊", ":";
    /// Signs of a breakpoint, from best to worst.
    signs: [&'static str; 4] = [Sign::Stops.text(), Sign::Moves.text(), Sign::Setting.text(), Sign::Never.text()],
        ["*", "~", "%", "o"];
    /// A cell of a bar.
    span: &'static str = "▇", "=";
    /// A cell of a broken line.
    begins: &'static str = "┄", "-";
    /// Mark of a statement that is not as wide as its span.
    about: &'static str = "≈", "~";
    /// A bracket along rows: begin, middle, end, and one row.
    brackets: [&'static str; 4] = ["╭", "│", "╰", "["], ["/", "|", "\\", "["];
    /// Cells of a map: of two neighbours, of the chosen region, and of the cursor.
    fills: [&'static str; 4] = ["▒", "░", "█", "◆"], ["=", "-", "#", "@"];
    /// A horizontal line, from a jump or to its target, and its crossing with a vertical one.
    lines: [&'static str; 2] = ["─", "┼"], ["-", "+"];
    spinner: &'static [&'static str] = &["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"], &["|", "/", "-", "\\"];
}

impl Glyphs {
    /// The sign before a text of that tone.
    pub const fn sign(&self, tone: Tone) -> &'static str {
        match tone {
            Tone::Ok => self.ok,
            Tone::Bad => self.bad,
            Tone::Dim => self.dot,
            _ => self.warn,
        }
    }

    /// The sign of a breakpoint.
    pub const fn breakpoint(&self, sign: Sign) -> &'static str {
        self.signs[sign as usize]
    }
}

/// The sides of a cell to which a box-drawing line extends, and whether the horizontal ones are heavy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoxSides(u8);

impl BoxSides {
    pub const NONE: Self = Self(0);
    pub const UP: Self = Self(1);
    pub const DOWN: Self = Self(2);
    pub const LEFT: Self = Self(4);
    pub const RIGHT: Self = Self(8);
    pub const HEAVY_LEFT: Self = Self(16 | 4);
    pub const HEAVY_RIGHT: Self = Self(32 | 8);
    pub const VERTICAL: Self = Self(1 | 2);
    pub const HEAVY: Self = Self(16 | 32);

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for BoxSides {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for BoxSides {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// Box-drawing characters by vertical sides (none, up, down, both) and the weights of left and right (none, light, heavy).
const BOX_CHARS: [[[char; 3]; 3]; 4] = [
    // neither
    [[' ', '╶', '╺'], ['╴', '─', '╼'], ['╸', '╾', '━']],
    // above
    [['╵', '└', '┕'], ['┘', '┴', '┶'], ['┙', '┵', '┷']],
    // below
    [['╷', '┌', '┍'], ['┐', '┬', '┮'], ['┑', '┭', '┯']],
    // both
    [['│', '├', '┝'], ['┤', '┼', '┾'], ['┥', '┽', '┿']],
];

impl Glyphs {
    pub fn box_char(&self, sides: BoxSides) -> char {
        let weight = |light, heavy| usize::from(sides.contains(light)) + usize::from(sides.contains(heavy));
        let left = weight(BoxSides::LEFT, BoxSides::HEAVY_LEFT);
        let right = weight(BoxSides::RIGHT, BoxSides::HEAVY_RIGHT);
        let vertical = usize::from(sides.0 & BoxSides::VERTICAL.0);
        if self.ascii {
            return match (vertical, left.max(right)) {
                (0, 2) => '=',
                (0, _) => '-',
                (_, 0) => '|',
                _ => '+',
            };
        }
        BOX_CHARS[vertical][left][right]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_meet_in_the_character_that_has_their_arms() {
        const UP: BoxSides = BoxSides::UP;
        const DOWN: BoxSides = BoxSides::DOWN;
        const LEFT: BoxSides = BoxSides::LEFT;
        const RIGHT: BoxSides = BoxSides::RIGHT;
        const HEAVY_LEFT: BoxSides = BoxSides::HEAVY_LEFT;
        const HEAVY_RIGHT: BoxSides = BoxSides::HEAVY_RIGHT;
        assert_eq!(UNICODE.box_char(UP | DOWN), '│');
        assert_eq!(UNICODE.box_char(LEFT | RIGHT | HEAVY_LEFT | HEAVY_RIGHT), '━');
        assert_eq!(UNICODE.box_char(DOWN | LEFT | RIGHT | HEAVY_RIGHT), '┮');
        assert_eq!(UNICODE.box_char(UP | DOWN | LEFT | HEAVY_LEFT), '┥');
        assert_eq!(ASCII.box_char(UP | LEFT | RIGHT), '+');
    }
}
