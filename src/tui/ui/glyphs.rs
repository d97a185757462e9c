//! The few characters that are drawings, and what stands for them where a terminal has only ASCII.

/// Characters that are drawings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The values show what they are.
pub struct Glyphs {
    pub ascii: bool,
    pub bar: &'static str,
    pub bar_begins: &'static str,
    pub bar_ends: &'static str,
    pub open: &'static str,
    pub closed: &'static str,
    pub more: &'static str,
    pub nul: &'static str,
    pub other: &'static str,
    pub step: &'static str,
    pub ok: &'static str,
    pub warn: &'static str,
    pub bad: &'static str,
    pub leads: &'static str,
    pub dash: &'static str,
    pub dot: &'static str,
    pub spinner: &'static [&'static str],
}

/// What a terminal of this century shows.
pub const UNICODE: Glyphs = Glyphs {
    ascii: false,
    bar: "▌",
    bar_begins: "▛",
    bar_ends: "▙",
    open: "▾",
    closed: "▸",
    more: "…",
    nul: "⋄",
    other: "•",
    step: "›",
    ok: "✓",
    warn: "!",
    bad: "✗",
    leads: "→",
    dash: "–",
    dot: "·",
    spinner: &["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"],
};

/// The same for any other.
pub const ASCII: Glyphs = Glyphs {
    ascii: true,
    bar: "|",
    bar_begins: "/",
    bar_ends: "\\",
    open: "v",
    closed: ">",
    more: "~",
    nul: "0",
    other: ".",
    step: ">",
    ok: "ok",
    warn: "!",
    bad: "x",
    leads: "->",
    dash: "-",
    dot: "-",
    spinner: &["|", "/", "-", "\\"],
};

/// What meets in a cell of a line.
pub mod meets {
    /// A line from above.
    pub const UP: u8 = 1;
    /// A line from below.
    pub const DOWN: u8 = 2;
    /// A line from the left.
    pub const LEFT: u8 = 4;
    /// A line from the right.
    pub const RIGHT: u8 = 8;
    /// The one from the left is heavy.
    pub const HEAVY_LEFT: u8 = 16;
    /// The one from the right is heavy.
    pub const HEAVY_RIGHT: u8 = 32;
}

/// By what comes from above and below (2 bits), and for left and right: nothing, light or heavy.
const JOINTS: [[[char; 3]; 3]; 4] = [
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
    /// The character of a cell in which lines meet.
    pub fn joint(&self, bits: u8) -> char {
        let side = |light, heavy| usize::from(bits & light != 0) + usize::from(bits & light != 0 && bits & heavy != 0);
        let left = side(meets::LEFT, meets::HEAVY_LEFT);
        let right = side(meets::RIGHT, meets::HEAVY_RIGHT);
        let upright = (bits & (meets::UP | meets::DOWN)) as usize;
        if self.ascii {
            return match (upright, left.max(right)) {
                (0, 2) => '=',
                (0, _) => '-',
                (_, 0) => '|',
                _ => '+',
            };
        }
        JOINTS[upright][left][right]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_meet_in_the_character_that_has_their_arms() {
        use meets::*;
        assert_eq!(UNICODE.joint(UP | DOWN), '│');
        assert_eq!(UNICODE.joint(LEFT | RIGHT | HEAVY_LEFT | HEAVY_RIGHT), '━');
        assert_eq!(UNICODE.joint(DOWN | LEFT | RIGHT | HEAVY_RIGHT), '┮');
        assert_eq!(UNICODE.joint(UP | DOWN | LEFT | HEAVY_LEFT), '┥');
        assert_eq!(ASCII.joint(UP | LEFT | RIGHT), '+');
    }
}
