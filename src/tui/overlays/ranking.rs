//! Ranking of all names of a session for the prompt: on all processors, and no more than the best are kept.

use std::ops::Range;
use std::thread;

use crate::query::search::{CUT, Index};
use crate::tui::ui::fuzzy::{self, Matcher};

/// Number of items below which another thread costs more than it gains.
const FEW: usize = 8192;
/// Names that the fuzzy matcher scores, for each that is shown: it takes microseconds for one.
const SCORED: usize = 2;

/// The names that match every word of `typed`, best first and at most `most`: the same order as [`fuzzy::rank`] gives. Fuzzy matches
/// are looked for only where there are fewer others, and of very many only those that score best by `likeness`. `stop` is polled for
/// cancellation.
pub fn rank_names(index: &Index, typed: &str, most: usize, stop: &(dyn Fn() -> bool + Sync)) -> Vec<u32> {
    let words = fuzzy::words(typed);
    if words.is_empty() {
        return index.containing(typed, most);
    }
    if typed.contains(CUT) {
        return index.uncut(typed.trim(), most);
    }
    let mut hits = index.containing(typed, usize::MAX);
    if fuzzy::has_parts(&words) {
        // `Sorter.Sort` is in no name that has the arity of its type in it.
        let is_hit = |name: &u32| fuzzy::worst_tier(index.name(*name as usize), &words).is_some();
        hits.extend(index.containing("`", usize::MAX).into_iter().filter(is_hit));
        hits.sort_unstable();
        hits.dedup();
    }
    let key = |at: usize| {
        let name = *hits.get(at)?;
        let tier = fuzzy::worst_tier(index.name(name as usize), &words)?;
        let order = (tier as i64) << u8::BITS | i64::from(index.rank(name as usize));
        Some(Key::of(order, index, name))
    };
    let mut found = best(hits.len(), most, stop, &|range, keys| keys.extend(range.filter_map(key)));
    if found.len() < most {
        found.extend(alike(index, typed, &hits, most - found.len(), stop));
    }
    found.into_iter().map(|key| key.name).collect()
}

/// The names that have the characters of each word in their order with others between them, without those in `hits`, which is sorted.
fn alike(index: &Index, typed: &str, hits: &[u32], most: usize, stop: &(dyn Fn() -> bool + Sync)) -> Vec<Key> {
    let lower = typed.to_ascii_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let candidates = best(index.len(), most.saturating_mul(SCORED), stop, &|range, keys| {
        let mut next_hit = hits.partition_point(|hit| (*hit as usize) < range.start);
        for at in range {
            if hits.get(next_hit).is_some_and(|hit| *hit as usize == at) {
                next_hit += 1;
                continue;
            }
            let (name, lower) = (index.name(at).as_bytes(), index.lower(at).as_bytes());
            if let Some(score) = words.iter().map(|word| likeness(name, lower, word)).sum::<Option<i64>>() {
                let order = fuzzy::order(index.rank(at), score) + fuzzy::path_penalty(index.name(at), typed);
                keys.push(Key::of(order, index, at as u32));
            }
        }
    });
    best(candidates.len(), most, stop, &|range, keys| {
        let matcher = Matcher::default();
        keys.extend(candidates.get(range).unwrap_or_default().iter().filter_map(|key| {
            let name = index.name(key.name as usize);
            let order = fuzzy::order(index.rank(key.name as usize), matcher.score(name, typed)?);
            Some(Key::of(order + fuzzy::path_penalty(name, typed), index, key.name))
        }));
    })
}

/// The order of a name: by quality and kind, by length, and then as they are listed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    order: i64,
    len: u16,
    name: u32,
}

impl Key {
    fn of(order: i64, index: &Index, name: u32) -> Self {
        let len = index.name(name as usize).len();
        Self { order, len: len.try_into().unwrap_or(u16::MAX), name }
    }
}

/// The first `most` of the keys that `list` pushes for 0..`count`, in their order. Each processor has a part of the range, and cuts
/// what it has to the best again and again.
fn best(
    count: usize,
    most: usize,
    stop: &(dyn Fn() -> bool + Sync),
    list: &(dyn Fn(Range<usize>, &mut Vec<Key>) + Sync),
) -> Vec<Key> {
    let part = |range: Range<usize>| {
        let mut keys = Vec::new();
        for from in range.clone().step_by(FEW).take_while(|_| !stop()) {
            list(from..range.end.min(from + FEW), &mut keys);
            cut(&mut keys, most);
        }
        keys
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(count.div_ceil(FEW)).max(1);
    let share = count.div_ceil(threads);
    let mut keys = thread::scope(|scope| {
        let ranges = (1..threads).map(|thread| share * thread..count.min(share * (thread + 1)));
        let others: Vec<_> = ranges.map(|range| scope.spawn(|| part(range))).collect();
        let mut keys = part(0..count.min(share));
        keys.extend(others.into_iter().filter_map(|thread| thread.join().ok()).flatten());
        keys
    });
    cut(&mut keys, most);
    keys.sort_unstable();
    keys
}

/// Drops all keys but the best.
fn cut(keys: &mut Vec<Key>, most: usize) {
    if keys.len() > most {
        keys.select_nth_unstable(most);
        keys.truncate(most);
    }
}

/// A quick score of a fuzzy match, on the scale of the matcher: the shortest part that ends where the first match ends, with a bonus for
/// starts of words and for neighbours. `None` where the characters of `word` are not in the name in their order.
fn likeness(name: &[u8], lower: &[u8], word: &str) -> Option<i64> {
    const MATCH: i64 = 16;
    const BONUS: i64 = 8;
    if !word.is_ascii() {
        return Some(0);
    }
    let mut end = 0;
    for wanted in word.bytes() {
        end += memchr::memchr(wanted, lower.get(end..)?)? + 1;
    }
    let (mut score, mut at, mut after) = (0, end, None);
    for wanted in word.bytes().rev() {
        at = memchr::memrchr(wanted, lower.get(..at)?)?;
        let before = at.checked_sub(1).and_then(|before| name.get(before)).copied();
        let is_upper = name.get(at).is_some_and(u8::is_ascii_uppercase);
        let is_start =
            before.is_none_or(|before| !before.is_ascii_alphanumeric() || is_upper && !before.is_ascii_uppercase());
        let gap = after.map_or(0, |after: usize| (after - at - 1) as i64);
        score += MATCH + if is_start || gap == 0 { BONUS } else { 0 } - gap.min(BONUS);
        after = Some(at);
    }
    Some(score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    #[test]
    fn names_are_ranked_as_any_list_is() {
        let index = Index::build(&Session::sample(), &|_, _| true);
        for typed in
            ["s", "Since", "clock", "clksince", "since clock", "k.s", ".ctor", "tck", "System.Console", "é", "zzz"]
        {
            let all = 0..index.len() as u32;
            let slow = fuzzy::rank(typed, 1000, all, |i| index.name(*i as usize), |i| index.rank(*i as usize));
            assert_eq!(rank_names(&index, typed, 1000, &|| false), slow, "{typed}");
        }
        let all = rank_names(&index, "s", 1000, &|| false);
        assert_eq!(rank_names(&index, "s", 3, &|| false), all[..3]);
    }

    #[test]
    fn parts_of_a_range_are_put_together_in_order() {
        let keys = |range: Range<usize>, keys: &mut Vec<Key>| {
            keys.extend(range.map(|at| Key { order: (at as i64 * 7919) % 10_007, len: 0, name: at as u32 }));
        };
        let found: Vec<i64> = best(10_007 * 4, 100, &|| false, &keys).iter().map(|key| key.order).collect();
        assert_eq!(found, (0..100).map(|at| at / 4).collect::<Vec<i64>>());
        assert!(best(10_007, 100, &|| true, &keys).is_empty());
    }
}
