//! Sums that end at the limit of their type, or begin again at 0.

use super::SRC;

/// Calls of `saturating_*` and `wrapping_*` outside the screens. Each is there for its meaning: what is left of a budget, room on a line, a hash,
/// arithmetic of IL and of machine code, a number of a file that is not checked where it comes in. The number only falls.
const MAX_CALLS: usize = 600;
/// Calls below the limit before the limit has to follow.
const MAX_SLACK: usize = 20;

#[test]
fn sums_are_plain() {
    let files = SRC.files.iter().filter(|file| file.root() != ["tui"]);
    let names = files.flat_map(|file| file.identifiers().map(|(_, name)| name));
    let calls = names.filter(|name| name.starts_with("saturating_") || name.starts_with("wrapping_")).count();
    assert!(
        calls <= MAX_CALLS,
        "{calls} saturating and wrapping calls, at most {MAX_CALLS}: check numbers where they come in"
    );
    assert!(calls + MAX_SLACK >= MAX_CALLS, "{calls} saturating and wrapping calls: lower MAX_CALLS");
}
