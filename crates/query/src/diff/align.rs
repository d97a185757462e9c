//! Alignment of two files: bytes that both have, wherever they are, so that bytes which only one of them has are reported as such. Files
//! of the same length are aligned too if that leaves fewer differences, because padding may hide an insertion.
//!
//! Windows of bytes that both files have exactly once are anchors. Of these, the longest chain in the same order in both files is kept,
//! and each is extended as far as the bytes agree.

use std::collections::HashMap;
use std::ops::Range;

/// Size of an anchor in bytes.
const WINDOW: usize = 16;
/// Size of an anchor inside a gap.
const SHORT_WINDOW: usize = 8;
/// Size of the largest gap that is aligned once more.
const MAX_REFINED: usize = 1 << 16;
/// Limit on the windows of the first file that are looked for, which bounds memory.
const MAX_ANCHORS: usize = 1 << 18;
/// Distance of such windows in a small file.
const MIN_STEP: usize = 4;

/// Stretch between aligned bytes: what the first file has there, and the second in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub first: Range<usize>,
    pub second: Range<usize>,
}

impl Gap {
    pub fn moved(self, first: usize, second: usize) -> Self {
        let moved = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        Self { first: moved(self.first, first), second: moved(self.second, second) }
    }

    /// Number of bytes that differ at the same position of the gap, and of those that only one file has.
    pub fn differing(&self, one: &[u8], two: &[u8]) -> u64 {
        let sides = (one.get(self.first.clone()).unwrap_or_default(), two.get(self.second.clone()).unwrap_or_default());
        let common = sides.0.iter().zip(sides.1).filter(|(a, b)| a != b).count();
        (common + sides.0.len().abs_diff(sides.1.len())) as u64
    }
}

/// Gaps in the order of both files; everything else is the same in both. Files of one length are compared by offset, unless less
/// differs when they are aligned.
pub(super) fn gaps(one: &[u8], two: &[u8]) -> Vec<Gap> {
    if one.len() != two.len() {
        return aligned(one, two);
    }
    let whole = Gap { first: 0..one.len(), second: 0..two.len() };
    let by_offset = whole.differing(one, two);
    // A difference of fewer bytes than an anchor is not moved.
    if by_offset <= WINDOW as u64 {
        return vec![whole];
    }
    let gaps = aligned(one, two);
    let moved = gaps.iter().map(|gap| gap.differing(one, two)).sum::<u64>();
    if moved < by_offset { gaps } else { vec![whole] }
}

/// Gaps of two files by anchors; where a gap is longer on one side, shorter anchors inside it tell what that side has more.
fn aligned(one: &[u8], two: &[u8]) -> Vec<Gap> {
    let step = (one.len() / MAX_ANCHORS).max(MIN_STEP);
    let mut found = Vec::new();
    for gap in gaps_by(one, two, WINDOW, step) {
        let (Some(a), Some(b)) = (one.get(gap.first.clone()), two.get(gap.second.clone())) else { continue };
        if a.len() == b.len() || a.len().max(b.len()) > MAX_REFINED {
            found.push(gap);
            continue;
        }
        let inner = gaps_by(a, b, SHORT_WINDOW, 1);
        if inner.iter().map(|gap| gap.differing(a, b)).sum::<u64>() < gap.differing(one, two) {
            found.extend(inner.into_iter().map(|inner| inner.moved(gap.first.start, gap.second.start)));
        } else {
            found.push(gap);
        }
    }
    found
}

/// Gaps between anchors of `size` bytes, which are looked for every `step` bytes of the first file.
fn gaps_by(one: &[u8], two: &[u8], size: usize, step: usize) -> Vec<Gap> {
    let (mut found, mut ends) = (Vec::new(), agreeing(one, two, (0, 0)));
    for (a, b) in chain(&anchors(one, two, size, step)) {
        if a < ends.0 || b < ends.1 {
            continue;
        }
        let same = before(one, two, ends, (a, b));
        push(&mut found, ends, (a - same, b - same));
        ends = agreeing(one, two, (a + size, b + size));
    }
    let same = before(one, two, ends, (one.len(), two.len()));
    push(&mut found, ends, (one.len() - same, two.len() - same));
    found
}

fn push(gaps: &mut Vec<Gap>, from: (usize, usize), to: (usize, usize)) {
    if from != to {
        gaps.push(Gap { first: from.0..to.0, second: from.1..to.1 });
    }
}

/// End of the bytes from `at` on that agree.
fn agreeing(one: &[u8], two: &[u8], (a, b): (usize, usize)) -> (usize, usize) {
    let rest = one.get(a..).unwrap_or_default().iter().zip(two.get(b..).unwrap_or_default());
    let len = rest.take_while(|(a, b)| a == b).count();
    (a + len, b + len)
}

/// Number of bytes before `to`, and after `from`, that agree.
fn before(one: &[u8], two: &[u8], from: (usize, usize), to: (usize, usize)) -> usize {
    let one = one.get(from.0..to.0).unwrap_or_default().iter().rev();
    one.zip(two.get(from.1..to.1).unwrap_or_default().iter().rev()).take_while(|(a, b)| a == b).count()
}

fn window(bytes: &[u8], at: usize, size: usize) -> Option<&[u8]> {
    bytes.get(at..at.checked_add(size)?)
}

/// Positions of the windows that each file has once, in the order of the first.
fn anchors(one: &[u8], two: &[u8], size: usize, step: usize) -> Vec<(usize, usize)> {
    // Position in the first file, position in the second, and whether one of them has it twice.
    let mut known: HashMap<&[u8], (usize, Option<usize>, bool)> = HashMap::new();
    for at in (0..one.len()).step_by(step) {
        let Some(window) = window(one, at, size) else { break };
        known.entry(window).and_modify(|(.., is_twice)| *is_twice = true).or_insert((at, None, false));
    }
    for at in 0..two.len() {
        let Some(window) = window(two, at, size) else { break };
        if let Some((_, other, is_twice)) = known.get_mut(&window) {
            *is_twice |= other.is_some();
            *other = Some(at);
        }
    }
    let mut found: Vec<_> =
        known.into_values().filter(|(.., is_twice)| !is_twice).filter_map(|(a, b, _)| Some((a, b?))).collect();
    found.sort_unstable();
    found
}

/// Longest chain of anchors that rise in both files.
pub(super) fn chain(anchors: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last anchor of the best chain of each length, and the one before each anchor.
    let (mut tails, mut previous): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    let second = |index: &usize| anchors.get(*index).map_or(0, |anchor| anchor.1);
    for (index, (_, b)) in anchors.iter().enumerate() {
        let len = tails.partition_point(|tail| second(tail) < *b);
        previous.push(len.checked_sub(1).and_then(|before| tails.get(before).copied()));
        match tails.get_mut(len) {
            Some(tail) => *tail = index,
            None => tails.push(index),
        }
    }
    let mut found = Vec::new();
    let mut at = tails.last().copied();
    while let Some(index) = at {
        found.extend(anchors.get(index));
        at = previous.get(index).copied().flatten();
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = include_bytes!("../../../../assets/samples/workshop/Workshop.dll");

    /// Asserts that what is outside of the gaps is the same, and returns the sizes of the gaps.
    fn checked(one: &[u8], two: &[u8]) -> Vec<(usize, usize)> {
        let gaps = gaps(one, two);
        let (mut a, mut b) = (0, 0);
        for gap in &gaps {
            assert_eq!(one[a..gap.first.start], two[b..gap.second.start]);
            (a, b) = (gap.first.end, gap.second.end);
        }
        assert_eq!(one[a..], two[b..]);
        gaps.into_iter().map(|gap| (gap.first.len(), gap.second.len())).collect()
    }

    #[test]
    fn what_one_file_has_more_is_a_gap_of_its_own() {
        for at in [0, 1, 999, 6000, FILE.len()] {
            let longer = [&FILE[..at], &[0xa5; 37], &FILE[at..]].concat();
            assert_eq!(checked(FILE, &longer), [(0, 37)], "{at}");
            assert_eq!(checked(&longer, FILE), [(37, 0)], "{at}");
        }
        let mut other = [&FILE[..2000], b"inserted here", &FILE[2000..8000], &FILE[8100..]].concat();
        other[5000] ^= 0xff;
        assert_eq!(checked(FILE, &other), [(0, 13), (1, 1), (100, 0)]);
    }

    #[test]
    fn files_of_one_length_are_aligned_where_that_leaves_less() {
        let moved = [&FILE[..2000], b"inserted", &FILE[2000..8000], &FILE[8008..]].concat();
        assert_eq!(moved.len(), FILE.len());
        assert_eq!(checked(FILE, &moved), [(0, 8), (8, 0)]);
        // Bytes that only changed stay where they are.
        let mut changed = FILE.to_vec();
        changed[3000..3020].iter_mut().for_each(|byte| *byte ^= 0xff);
        assert_eq!(checked(FILE, &changed), [(FILE.len(), FILE.len())]);
    }

    #[test]
    fn a_short_name_between_what_differs_is_found() {
        let [before, after] = [&FILE[2000..2040], &FILE[4000..4040]];
        let one = [&FILE[..2000], before, b"1/a.pdb\0SHA256\0", after, &FILE[6000..]].concat();
        let [before, after] = [&FILE[3000..3040], &FILE[5000..5040]];
        let two = [&FILE[..2000], before, b"333/a.pdb\0SHA256\0", after, &FILE[6000..]].concat();
        let gaps = checked(&one, &two);
        assert!(gaps.iter().all(|(a, b)| a == b || b - a == 2 && *a < 50), "{gaps:?}");
    }

    #[test]
    fn files_that_have_little_in_common_end() {
        let zeros = vec![0; 100_000];
        assert_eq!(checked(&zeros, &zeros[..60_000]), [(40_000, 0)]);
        assert_eq!(checked(&zeros, FILE).len(), 1);
        assert_eq!(checked(&[], b"abc"), [(0, 3)]);
        checked(FILE, include_bytes!("../../../../assets/samples/workshop-release/Workshop.dll"));
    }
}
