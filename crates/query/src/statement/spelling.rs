//! Spellings of one statement: the width of its span says which of several equal ones the author wrote.

/// Something that C# can write in several ways: its number, and how many ways.
pub(super) type Axis = (usize, u8);

/// `var`, the type, or no declaration.
pub(super) const DECLARE: Axis = (0, 3);
/// `== null`, `is null`, `!HasValue`.
pub(super) const NULL: Axis = (1, 3);
/// `new T()` or `new()`.
pub(super) const NEW: Axis = (2, 2);
/// `"value"` or `nameof(value)`.
pub(super) const NAME_OF: Axis = (3, 2);
/// `default(T)`, `default` or `new T()`.
pub(super) const DEFAULT: Axis = (4, 3);
/// `this.` before members.
pub(super) const THIS: Axis = (5, 2);
/// `out x`, `out var x`, `out T x`.
pub(super) const OUT: Axis = (6, 3);
/// `new[] { … }`, `new T[] { … }`, `[ … ]`.
pub(super) const ARRAY: Axis = (7, 3);
/// A space before each `(` and `[`.
pub(super) const SPACE: Axis = (8, 2);
/// `12`, `0xc`, `0x0c`.
pub(super) const HEX: Axis = (9, 3);
/// The words before and after an expression.
pub(super) const HEAD: Axis = (10, 0);

const AXES: [Axis; 11] = [DECLARE, NULL, NEW, NAME_OF, DEFAULT, THIS, OUT, ARRAY, SPACE, HEX, HEAD];

/// A choice on every axis.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spelling([u8; AXES.len()]);

impl Spelling {
    pub const fn get(self, axis: Axis) -> u8 {
        self.0[axis.0]
    }

    #[must_use]
    pub const fn with(mut self, axis: Axis, choice: u8) -> Self {
        self.0[axis.0] = choice;
        self
    }
}

/// A text, the axes on which it could be otherwise, and false where something in it is no C#.
#[derive(Clone, Debug)]
pub(super) struct Rendered {
    pub text: String,
    pub used: u32,
    pub whole: bool,
}

/// Habits of the author that a method has shown.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Style {
    pub usual: Spelling,
    /// Axes that do not change along with others.
    settled: u32,
}

impl Style {
    /// Learns from a text that fits: a space before `(`, and `this.`.
    pub fn learn(&mut self, spelling: Spelling, used: u32) {
        for axis in [SPACE, THIS] {
            if used & 1 << axis.0 != 0 {
                self.usual = self.usual.with(axis, spelling.get(axis));
                self.settled |= 1 << axis.0;
            }
        }
    }
}

/// UTF-16 units of a text: what columns count.
pub(super) fn width(text: &str) -> i64 {
    text.encode_utf16().count() as i64
}

/// The text of this width with the fewest changes from the usual spelling, at most three; none if no spelling fits.
pub(super) fn fitting(
    usual: Spelling,
    first: &Rendered,
    (wanted, heads): (i64, usize),
    style: Style,
    render: &dyn Fn(Spelling) -> Rendered,
) -> Option<(Spelling, Rendered)> {
    let missing = wanted.saturating_sub(width(&first.text));
    if !first.whole || first.text.contains('⟨') {
        return None;
    }
    if missing == 0 {
        return Some((usual, first.clone()));
    }
    // Spellings other than the usual one on one axis, and how much wider they are.
    let mut changes: Vec<(Axis, u8, i64)> = Vec::new();
    for axis in AXES.into_iter().filter(|axis| first.used & 1 << axis.0 != 0) {
        let count = if axis == HEAD { heads as u8 } else { axis.1 };
        for choice in (0..count).filter(|choice| *choice != usual.get(axis)) {
            let found = render(usual.with(axis, choice));
            let wider = width(&found.text).saturating_sub(width(&first.text));
            if wider == missing && found.whole {
                return Some((usual.with(axis, choice), found));
            }
            let is_new = !changes.iter().any(|known| known.0 == axis && known.2 == wider);
            if wider != 0 && is_new && style.settled & 1 << axis.0 == 0 {
                changes.push((axis, choice, wider));
            }
        }
    }
    let fits = |spelling| {
        let found = render(spelling);
        (width(&found.text) == wanted && found.whole).then_some((spelling, found))
    };
    combined(usual, &changes, missing, 2, &fits).or_else(|| combined(usual, &changes, missing, 3, &fits))
}

/// So many changes that together are as wide as is missing.
fn combined(
    usual: Spelling,
    changes: &[(Axis, u8, i64)],
    missing: i64,
    count: usize,
    fits: &dyn Fn(Spelling) -> Option<(Spelling, Rendered)>,
) -> Option<(Spelling, Rendered)> {
    changes.iter().enumerate().find_map(|(number, (axis, choice, wider))| {
        let (spelling, missing) = (usual.with(*axis, *choice), missing.saturating_sub(*wider));
        match count {
            1 if missing == 0 => fits(spelling),
            1 => None,
            _ => combined(spelling, &changes[number.saturating_add(1)..], missing, count.saturating_sub(1), fits),
        }
    })
}
