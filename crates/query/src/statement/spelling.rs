//! Spellings of one statement: the width of its span says which of several equal ones the author wrote.

use pdblens_formats::sequence_point::SequencePoint;

/// Something that C# can write in several ways.
pub(super) type Axis = usize;

pub(super) const DECLARE: Axis = 0; // The type, `var`, or no declaration.
pub(super) const NULL: Axis = 1; // `== null`, `is null`, `!HasValue`.
pub(super) const NEW: Axis = 2; // `new T()` or `new()`.
pub(super) const NAME_OF: Axis = 3; // `"value"` or `nameof(value)`.
pub(super) const DEFAULT: Axis = 4; // `default(T)`, `default` or `new T()`.
pub(super) const OUT: Axis = 5; // `out x`, `out var x`, `out T x`.
pub(super) const ARRAY: Axis = 6; // `new[] { … }`, `new T[] { … }`, `[ … ]`.
pub(super) const HEAD: Axis = 7; // The words before and after an expression.

/// Choices on each axis.
pub(super) type Spelling = [u8; 8];

pub(super) const fn with(mut spelling: Spelling, axis: Axis, choice: u8) -> Spelling {
    spelling[axis] = choice;
    spelling
}

/// A text, the axes on which it could be otherwise, and false where something in it is no C#.
#[derive(Clone, Debug)]
pub(super) struct Rendered {
    pub text: String,
    pub used: u32,
    pub whole: bool,
}

/// UTF-16 units of a text: what columns count.
pub(super) fn width(text: &str) -> i64 {
    text.encode_utf16().count() as i64
}

/// The width of a span; −1 for one of several lines.
pub(super) fn width_of(point: &SequencePoint) -> i64 {
    let is_line = point.start_line == point.end_line;
    if is_line { i64::from(point.end_column.saturating_sub(point.start_column)) } else { -1 }
}

/// The text of a width that differs from the usual spelling on one axis, else on two.
pub(super) fn fitting(
    usual: Spelling,
    first: &Rendered,
    (wanted, heads): (i64, usize),
    render: &dyn Fn(Spelling) -> Rendered,
) -> Option<(Spelling, Rendered)> {
    let missing = wanted - width(&first.text);
    if !first.whole || first.text.contains('⟨') {
        return None;
    }
    if missing == 0 {
        return Some((usual, first.clone()));
    }
    // Spellings other than the usual one on one axis, and how much wider they are.
    let mut changes: Vec<(Axis, u8, i64)> = Vec::new();
    let counts = [3, 3, 2, 2, 3, 3, 3, heads as u8];
    for (axis, count) in counts.into_iter().enumerate().filter(|(axis, _)| first.used & 1 << axis != 0) {
        for choice in (0..count).filter(|choice| *choice != usual[axis]) {
            let found = render(with(usual, axis, choice));
            let wider = width(&found.text) - width(&first.text);
            if wider == missing && found.whole {
                return Some((with(usual, axis, choice), found));
            }
            if found.whole && wider != 0 {
                changes.push((axis, choice, wider));
            }
        }
    }
    let mut pairs = changes.iter().flat_map(|one| changes.iter().map(move |other| (one, other)));
    let (one, other) = pairs.find(|(one, other)| one.0 < other.0 && one.2 + other.2 == missing)?;
    let found = with(with(usual, one.0, one.1), other.0, other.1);
    Some((found, render(found))).filter(|(_, found)| width(&found.text) == wanted)
}
