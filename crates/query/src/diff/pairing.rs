//! Pairs of parts of two files, and of the entries and rows in them: which bytes are compared with which.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::align::{Gap, chain, gaps};
use super::parts::{FileParts, NamedRange, Part, PartContent};

/// Limit on the pairs that are tried between two entries that both parts have.
pub(super) const MAX_TRIED: usize = 1 << 14;
/// Size of the smallest id.
const MIN_HASH: usize = 16;

/// Gaps of two files, part by part, in the order of the first file; everything else is the same in both. Parts of different names are
/// paired if their bytes are the same: the name of a body changes with one byte of a table.
pub(super) fn gaps_of_parts(one: &FileParts<'_>, two: &FileParts<'_>) -> Vec<Gap> {
    let others: HashMap<&str, &Part> = two.parts.iter().map(|part| (part.key.as_str(), part)).collect();
    let known: HashMap<&str, usize> = one.parts.iter().map(|part| (part.key.as_str(), part.range.end)).collect();
    let mut renamed: HashMap<&[u8], Vec<&Part>> = HashMap::new();
    for part in two.parts.iter().rev().filter(|part| !known.contains_key(part.key.as_str())) {
        renamed.entry(content(two.bytes, part)).or_default().push(part);
    }
    let mut found = Vec::new();
    // Offset in the second file at which a part of the first file alone is missing.
    let mut at = 0;
    for part in &one.parts {
        match others.get(part.key.as_str()) {
            Some(other) => {
                of_pair((one, part), (two, other), &mut found);
                at = other.range.end;
            }
            None => match renamed.get_mut(content(one.bytes, part)).and_then(Vec::pop) {
                Some(other) => at = other.range.end,
                None => found.push(Gap { first: part.range.clone(), second: at..at }),
            },
        }
    }
    let alone: HashSet<&str> = renamed.into_values().flatten().map(|part| part.key.as_str()).collect();
    let mut at = 0;
    for part in &two.parts {
        match known.get(part.key.as_str()) {
            Some(end) => at = *end,
            None if alone.contains(part.key.as_str()) => {
                found.push(Gap { first: at..at, second: part.range.clone() });
            }
            None => {}
        }
    }
    found
}

fn content<'b>(bytes: &'b [u8], part: &Part) -> &'b [u8] {
    bytes.get(part.range.clone()).unwrap_or_default()
}

fn of_pair((one, a): (&FileParts<'_>, &Part), (two, b): (&FileParts<'_>, &Part), found: &mut Vec<Gap>) {
    if content(one.bytes, a) == content(two.bytes, b) {
        return;
    }
    let whole = Gap { first: a.range.clone(), second: b.range.clone() };
    let is_in_place = match (a.content, b.content) {
        (PartContent::Fixed, _) => true,
        (PartContent::Rows(.., rows), PartContent::Rows(.., others)) => rows == others,
        _ => false,
    };
    if is_in_place && a.range.len() == b.range.len() {
        return found.push(whole);
    }
    let (mut ours, mut theirs) = (one.items(a).peekable(), two.items(b).peekable());
    if ours.peek().is_none() || theirs.peek().is_none() {
        return inside(one.bytes, two.bytes, &whole, found);
    }
    // A list of what both begin with would take more than the part.
    let mut rest = whole;
    while let (Some(left), Some(right)) = (ours.peek(), theirs.peek())
        && key(one.bytes, left) == key(two.bytes, right)
    {
        of_item((one.bytes, Some(left)), (two.bytes, Some(right)), &mut rest, found);
        ours.next();
        theirs.next();
    }
    of_items((one.bytes, &ours.collect::<Vec<_>>()), (two.bytes, &theirs.collect::<Vec<_>>()), rest, found);
}

fn inside(one: &[u8], two: &[u8], whole: &Gap, found: &mut Vec<Gap>) {
    let (Some(a), Some(b)) = (one.get(whole.first.clone()), two.get(whole.second.clone())) else { return };
    if a == b {
        return;
    }
    found.extend(gaps(a, b).into_iter().map(|gap| gap.moved(whole.first.start, whole.second.start)));
}

/// Gaps of two parts by their entries or rows, which begin with others, and of what is before, between and after those.
fn of_items((one, a): (&[u8], &[NamedRange]), (two, b): (&[u8], &[NamedRange]), mut rest: Gap, found: &mut Vec<Gap>) {
    for (left, right) in pairs((one, a), (two, b)) {
        let (left, right) = (left.and_then(|index| a.get(index)), right.and_then(|index| b.get(index)));
        of_item((one, left), (two, right), &mut rest, found);
    }
    inside(one, two, &rest, found);
}

/// Gaps of an entry or row, and of what is before it; `rest` begins after it then.
fn of_item(
    (one, left): (&[u8], Option<&NamedRange>),
    (two, right): (&[u8], Option<&NamedRange>),
    rest: &mut Gap,
    found: &mut Vec<Gap>,
) {
    let (first, second) = (rest.first.start, rest.second.start);
    let whole = Gap {
        first: left.map_or(first..first, |item| item.range.clone()),
        second: right.map_or(second..second, |item| item.range.clone()),
    };
    let between = Gap { first: first..whole.first.start.max(first), second: second..whole.second.start.max(second) };
    inside(one, two, &between, found);
    let after = |range: &Range<usize>, item: &Range<usize>| {
        let start = range.start.max(item.end);
        start..range.end.max(start)
    };
    *rest = Gap { first: after(&rest.first, &whole.first), second: after(&rest.second, &whole.second) };
    match (left, right) {
        (Some(_), Some(_)) => inside(one, two, &whole, found),
        _ => found.push(whole),
    }
}

/// Pair of entries by their index, or one that only one part has.
pub(super) type Pair = (Option<usize>, Option<usize>);

/// Key of an entry: its bytes, or the name of a row.
fn key<'k>(bytes: &'k [u8], item: &'k NamedRange) -> &'k [u8] {
    item.name.as_ref().map_or_else(|| bytes.get(item.range.clone()).unwrap_or_default(), |name| name.as_bytes())
}

/// Pairs of entries: those that both parts end with, and before them what [`pairs_of`] finds.
fn pairs((one, a): (&[u8], &[NamedRange]), (two, b): (&[u8], &[NamedRange])) -> impl Iterator<Item = Pair> {
    let is_same = |(left, right): &(&NamedRange, &NamedRange)| key(one, left) == key(two, right);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(is_same).count();
    let (left, right) = (a.len() - end, b.len() - end);
    let keys: Vec<_> = a[..left].iter().map(|item| key(one, item)).collect();
    let others: Vec<_> = b[..right].iter().map(|item| key(two, item)).collect();
    let both = |(left, right)| (Some(left), Some(right));
    pairs_of(&keys, &others).into_iter().chain((left..a.len()).zip(right..b.len()).map(both))
}

/// Pairs of entries by their keys, in the order of both parts: those of one key that each part has once, and between them those that are
/// most alike.
pub(super) fn pairs_of(keys: &[&[u8]], others: &[&[u8]]) -> Vec<Pair> {
    // Index in the second part, and the number of times that each part has the key.
    let mut known: HashMap<&[u8], (usize, usize, usize)> = HashMap::new();
    others.iter().enumerate().for_each(|(index, key)| {
        let entry = known.entry(key).or_insert((index, 0, 0));
        entry.2 += 1;
    });
    for key in keys {
        if let Some(entry) = known.get_mut(key) {
            entry.1 += 1;
        }
    }
    let single =
        |key: &&[u8]| known.get(*key).filter(|(_, first, second)| (*first, *second) == (1, 1)).map(|found| found.0);
    let unique: Vec<(usize, usize)> =
        keys.iter().enumerate().filter_map(|(index, key)| Some((index, single(key)?))).collect();
    let (mut found, mut from) = (Vec::new(), (0, 0));
    for (left, right) in chain(&unique).into_iter().chain([(keys.len(), others.len())]) {
        between((from.0..left, from.1..right), keys, others, &mut found);
        if left < keys.len() && right < others.len() {
            found.push((Some(left), Some(right)));
        }
        from = (left + 1, right + 1);
    }
    found
}

/// Pairs of the entries between two that both parts have.
fn between((first, second): (Range<usize>, Range<usize>), one: &[&[u8]], two: &[&[u8]], found: &mut Vec<Pair>) {
    if first.len() == second.len() && first.len() <= 1 || first.len() * second.len() > MAX_TRIED {
        return in_order(first, second, found);
    }
    let (mut left, mut right) = (first.start, second.start);
    for (a, b) in most_alike((&first, one), (&second, two)) {
        in_order(left..a, right..b, found);
        found.push((Some(a), Some(b)));
        (left, right) = (a + 1, b + 1);
    }
    in_order(left..first.end, right..second.end, found);
}

/// Entries without a counterpart by their content: pairs in their order if there are as many, and otherwise what only one part has.
fn in_order(first: Range<usize>, second: Range<usize>, found: &mut Vec<Pair>) {
    if first.len() == second.len() {
        found.extend(first.zip(second).map(|(a, b)| (Some(a), Some(b))));
    } else {
        found.extend(first.map(|a| (Some(a), None)));
        found.extend(second.map(|b| (None, Some(b))));
    }
}

/// Pairs in the order of both that have most in common altogether.
fn most_alike(
    (first, one): (&Range<usize>, &[&[u8]]),
    (second, two): (&Range<usize>, &[&[u8]]),
) -> Vec<(usize, usize)> {
    let key = |keys: &[&[u8]], index: usize| keys.get(index).map_or(0, |key| key.len());
    let alike = |a: usize, b: usize| match (one.get(a), two.get(b)) {
        (Some(left), Some(right)) => {
            let common = common(left, right);
            let (len, other) = (key(one, a), key(two, b));
            match () {
                // Less than a third in common is chance.
                () if common * 3 >= len.max(other) => common + 1,
                // Hashes and ids have nothing in common but their length.
                () if len == other && len >= MIN_HASH => 1,
                () => 0,
            }
        }
        _ => 0,
    };
    let width = second.len() + 1;
    let mut best = vec![0usize; (first.len() + 1) * width];
    let at = |row: usize, column: usize| row * width + column;
    let value = |best: &[usize], row: usize, column: usize| best.get(at(row, column)).copied().unwrap_or(0);
    for row in (0..first.len()).rev() {
        for column in (0..second.len()).rev() {
            let (below, right) = (row + 1, column + 1);
            let both = alike(first.start + row, second.start + column);
            let paired = if both > 0 { both + value(&best, below, right) } else { 0 };
            let most = paired.max(value(&best, below, column)).max(value(&best, row, right));
            if let Some(cell) = best.get_mut(at(row, column)) {
                *cell = most;
            }
        }
    }
    let (mut row, mut column, mut found) = (0_usize, 0_usize, Vec::new());
    while row < first.len() && column < second.len() {
        let (below, right) = (row + 1, column + 1);
        let pair = (first.start + row, second.start + column);
        let (now, both) = (value(&best, row, column), alike(pair.0, pair.1));
        if both > 0 && now == both + value(&best, below, right) {
            found.push(pair);
            (row, column) = (below, right);
        } else if now == value(&best, below, column) {
            row = below;
        } else {
            column = right;
        }
    }
    found
}

/// Number of bytes that two entries have in common at their beginning and their end.
fn common(one: &[u8], two: &[u8]) -> usize {
    let start = one.iter().zip(two).take_while(|(a, b)| a == b).count();
    let rest = one.len().min(two.len()) - start;
    start + one.iter().rev().zip(two.iter().rev()).take(rest).take_while(|(a, b)| a == b).count()
}
