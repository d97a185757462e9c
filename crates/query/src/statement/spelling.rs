//! Spellings of one statement: the width of its span says which of several equal ones the author wrote.

/// Something that C# can write in several ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    /// The word before an expression, and the `;` after it.
    Head,
    /// `var`, the type, or no declaration.
    Declare,
    /// `== null`, `is null`, `!HasValue`.
    Null,
    /// `new T()` or `new()`.
    New,
    /// `"value"` or `nameof(value)`.
    NameOf,
    /// `default(T)` or `default`.
    Default,
    /// `this.` before members.
    This,
    /// `out x`, `out var x`, `out T x`.
    Out,
    /// `a + "b"` or `$"{a}b"`.
    Concat,
    /// `!(x is T)` or `x is not T`.
    Not,
    /// `new[] { … }`, `new T[] { … }`, `[ … ]`, `{ … }`.
    Array,
    /// Type arguments that C# infers.
    Generic,
    /// `new T { … }` or `new T() { … }`.
    Braces,
    /// A space before each `(` and `[`.
    Space,
    /// `12`, `0xc`, `0x0c`.
    Hex,
    /// `(a == b) || (c == d)`.
    Parentheses,
    /// `a+b`.
    Tight,
    /// `M(true)` or `M(flag: true)`.
    Named,
    /// `q.GetValueOrDefault()`, `q ?? 0`, `q.Value`.
    Nullable,
    /// `(string?)x`, `string? s`, or both.
    Annotated,
    /// `x!` at the end.
    Bang,
    /// `x.Slice(1, 2)` or `x[1..3]`, `x[x.Length - 1]` or `x[^1]`.
    Range,
    /// A constant by its name, its value, or the name of one of another type.
    Constant,
}

/// Axes, with the number of their spellings.
const AXES: [(Axis, u8); 23] = [
    (Axis::Declare, 3),
    (Axis::Bang, 2),
    (Axis::Annotated, 4),
    (Axis::Null, 3),
    (Axis::New, 3),
    (Axis::NameOf, 2),
    (Axis::Default, 3),
    (Axis::This, 2),
    (Axis::Out, 3),
    (Axis::Concat, 2),
    (Axis::Not, 2),
    (Axis::Array, 4),
    (Axis::Generic, 2),
    (Axis::Braces, 2),
    (Axis::Space, 2),
    (Axis::Hex, 3),
    (Axis::Parentheses, 2),
    (Axis::Tight, 2),
    (Axis::Named, 2),
    (Axis::Range, 2),
    (Axis::Nullable, 3),
    (Axis::Constant, 3),
    (Axis::Head, 7),
];

/// A choice on every axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spelling([u8; AXES.len()]);

impl Spelling {
    pub fn get(self, axis: Axis) -> u8 {
        self.0.get(axis as usize).copied().unwrap_or(0)
    }

    #[must_use]
    pub fn with(mut self, axis: Axis, choice: u8) -> Self {
        if let Some(slot) = self.0.get_mut(axis as usize) {
            *slot = choice;
        }
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

/// A spelling other than the usual one on one axis, and how much wider it is.
struct Change {
    axis: Axis,
    choice: u8,
    wider: i64,
}

/// Habits of the author that a method has shown: a space before `(`, and `this.`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Style {
    pub space: Option<u8>,
    pub this: Option<u8>,
}

impl Style {
    /// Returns true for an axis that the method has settled: it does not change along with others.
    const fn forbids(self, axis: Axis) -> bool {
        match axis {
            Axis::Space => self.space.is_some(),
            Axis::This => self.this.is_some(),
            Axis::Bang => true,
            _ => false,
        }
    }

    /// Learns from a text that fits.
    pub fn learn(&mut self, spelling: Spelling, used: u32) {
        if used & 1 << Axis::Space as u32 != 0 {
            self.space = Some(spelling.get(Axis::Space));
        }
        if used & 1 << Axis::This as u32 != 0 {
            self.this = Some(spelling.get(Axis::This));
        }
    }
}

/// UTF-16 units of a text: what columns count.
pub(super) fn width(text: &str) -> i64 {
    text.chars().map(char::len_utf16).sum::<usize>() as i64
}

/// The text of this width with the fewest changes from the usual spelling, at most three; none if no spelling fits.
pub(super) fn fitting(
    usual: Spelling,
    first: &Rendered,
    wanted: i64,
    style: Style,
    render: &dyn Fn(Spelling) -> Rendered,
) -> Option<(Spelling, Rendered)> {
    let missing = wanted - width(&first.text);
    if missing == 0 {
        return Some((usual, first.clone()));
    }
    if first.text.contains('⟨') {
        return None;
    }
    let mut changes = Vec::new();
    for (axis, count) in AXES {
        if first.used & 1 << axis as u32 == 0 {
            continue;
        }
        for choice in (0..count).filter(|choice| *choice != usual.get(axis)) {
            let found = render(usual.with(axis, choice));
            let wider = width(&found.text) - width(&first.text);
            if wider == missing {
                return Some((usual.with(axis, choice), found));
            }
            if wider != 0
                && !style.forbids(axis)
                && !changes.iter().any(|known: &Change| known.axis == axis && known.wider == wider)
            {
                changes.push(Change { axis, choice, wider });
            }
        }
    }
    combined(usual, &changes, missing, &|spelling| {
        let found = render(spelling);
        (width(&found.text) == wanted).then_some((spelling, found))
    })
}

/// Two or three changes that together are as wide as is missing.
fn combined(
    usual: Spelling,
    changes: &[Change],
    missing: i64,
    fits: &dyn Fn(Spelling) -> Option<(Spelling, Rendered)>,
) -> Option<(Spelling, Rendered)> {
    for (number, a) in changes.iter().enumerate() {
        for b in changes.iter().skip(number + 1).filter(|b| b.axis != a.axis) {
            if a.wider + b.wider == missing
                && let Some(found) = fits(usual.with(a.axis, a.choice).with(b.axis, b.choice))
            {
                return Some(found);
            }
        }
    }
    for (number, a) in changes.iter().enumerate() {
        for (second, b) in changes.iter().enumerate().skip(number + 1).filter(|(_, b)| b.axis != a.axis) {
            for c in changes.iter().skip(second + 1).filter(|c| c.axis != a.axis && c.axis != b.axis) {
                if a.wider + b.wider + c.wider == missing
                    && let Some(found) =
                        fits(usual.with(a.axis, a.choice).with(b.axis, b.choice).with(c.axis, c.choice))
                {
                    return Some(found);
                }
            }
        }
    }
    None
}
