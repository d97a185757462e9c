//! Spellings of one statement: the width of its span says which of several equal ones the author wrote.

/// Something that C# can write in several ways.
pub(super) type Axis = usize;

pub(super) const DECLARE: Axis = 0; // The type, `var`, or no declaration.
pub(super) const NULL: Axis = 1; // `== null`, `is null`, `!HasValue`.
pub(super) const NEW: Axis = 2; // `new T()` or `new()`.
pub(super) const NAME_OF: Axis = 3; // `"value"` or `nameof(value)`.
pub(super) const DEFAULT: Axis = 4; // `default(T)`, `default` or `new T()`.
pub(super) const THIS: Axis = 5; // `this.` before members.
pub(super) const OUT: Axis = 6; // `out x`, `out var x`, `out T x`.
pub(super) const ARRAY: Axis = 7; // `new[] { … }`, `new T[] { … }`, `[ … ]`.
pub(super) const SPACE: Axis = 8; // A space before each `(` and `[`.
pub(super) const HEX: Axis = 9; // `12`, `0xc`, `0x0c`.
pub(super) const HEAD: Axis = 10; // The words before and after an expression.

/// Choices on each axis.
pub(super) type Spelling = [u8; 11];

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

/// The text of a width with the fewest changes from the usual spelling, at most three.
pub(super) fn fitting(
    usual: Spelling,
    first: &Rendered,
    (wanted, heads): (i64, usize),
    settled: u32,
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
    let counts = [3, 3, 2, 2, 3, 2, 3, 3, 2, 3, heads as u8];
    for (axis, count) in counts.into_iter().enumerate().filter(|(axis, _)| first.used & 1 << axis != 0) {
        for choice in (0..count).filter(|choice| *choice != usual[axis]) {
            let found = render(with(usual, axis, choice));
            let wider = width(&found.text) - width(&first.text);
            if found.whole && wider != 0 && !changes.iter().any(|known| (known.0, known.2) == (axis, wider)) {
                changes.push((axis, choice, wider));
            }
        }
    }
    let alone = combined(usual, &changes, missing, 1);
    changes.retain(|change| settled & 1 << change.0 == 0);
    let found = alone.or_else(|| (2..=3).find_map(|count| combined(usual, &changes, missing, count)))?;
    Some((found, render(found))).filter(|(_, found)| width(&found.text) == wanted)
}

/// So many changes that together are as wide as is missing.
fn combined(usual: Spelling, changes: &[(Axis, u8, i64)], missing: i64, count: usize) -> Option<Spelling> {
    if count == 0 {
        return if missing == 0 { Some(usual) } else { None };
    }
    changes.iter().enumerate().find_map(|(number, (axis, choice, wider))| {
        let others = &changes[number + 1..];
        let others = &others[others.partition_point(|change| change.0 == *axis)..];
        combined(with(usual, *axis, *choice), others, missing - *wider, count - 1)
    })
}
