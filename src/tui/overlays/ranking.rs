//! Ranking of all names of a session for the prompt: on all processors, and no more than the best are kept.

use std::ops::{ControlFlow, Range};
use std::thread;

use memchr::memmem::Finder;

use crate::query::search::{CUT, Characters, Index, Words};
use crate::tui::ui::fuzzy::{self, Matcher, Tier};

/// Number of items below which another thread costs more than it gains.
const FEW: usize = 8192;
/// Names that the fuzzy matcher scores, for each that is shown: it takes microseconds for one.
const SCORED: usize = 2;
/// The same as [`FEW`] for the fuzzy matcher.
const FEW_SCORED: usize = 128;

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
    let input = Input::new(typed, words);
    let mut found = best((index.len(), FEW), most, stop, &|range, keys| {
        index.each_containing(&input.all, range.clone(), &mut |name| {
            input.rank(index, name, keys);
            ControlFlow::Continue(())
        });
        if input.has_parts {
            // `Sorter.Sort` does not occur in a name with an arity: `Sorter`1.Sort`.
            index.each_containing(&Words::new("`"), range, &mut |name| {
                if !input.all.are_in(index.lower(name)) {
                    input.rank(index, name, keys);
                }
                ControlFlow::Continue(())
            });
        }
    });
    if found.len() < most {
        // These are all that there are.
        let mut hits: Vec<u32> = found.iter().map(|key| key.name).collect();
        hits.sort_unstable();
        found.extend(alike(index, typed, &hits, most - found.len(), stop));
    }
    found.into_iter().map(|key| key.name).collect()
}

/// A text that is typed, prepared for many names.
struct Input<'t> {
    words: Vec<&'t str>,
    all: Words,
    has_parts: bool,
    /// The words in lower case, where each of them is in one part of a name.
    plain: Vec<(String, Finder<'static>)>,
}

impl<'t> Input<'t> {
    fn new(typed: &str, words: Vec<&'t str>) -> Self {
        let has_parts = fuzzy::has_parts(&words);
        let is_plain = !has_parts && words.len() == typed.split_whitespace().count();
        let lower = words.iter().filter(|_| is_plain).map(|word| word.to_ascii_lowercase());
        let plain = lower.map(|word| (word.clone(), Finder::new(&word).into_owned())).collect();
        Self { words, all: Words::new(typed), has_parts, plain }
    }

    /// Adds a name that contains all words, unless enough better names were found.
    fn rank(&self, index: &Index, name: usize, keys: &mut Keys) {
        let order = |tier: Tier| (tier as i64) << u8::BITS | i64::from(index.rank(name));
        let last_part = index.last_part(name);
        let last = index.lower(name).get(last_part..).unwrap_or_default();
        let begins = self.plain.iter().all(|(word, _)| last.starts_with(word));
        if !begins && !keys.takes(order(Tier::Word)) {
            return;
        }
        let least = if begins { Tier::Exact } else { self.least_tier(last) };
        if !keys.takes(order(least)) {
            return;
        }
        let tier = match least {
            Tier::Before => Some(least),
            _ => fuzzy::worst_tier_by_part(index.name(name), last_part, &self.words),
        };
        if let Some(order) = tier.map(order).filter(|order| keys.takes(*order)) {
            keys.push(Key::of(order, index, name as u32));
        }
    }

    /// The best quality that a name with all words can have, by its last part: a word that it does not have is before it.
    fn least_tier(&self, last: &str) -> Tier {
        let tier = |(word, finder): &(String, Finder<'_>)| match finder.find(last.as_bytes()) {
            None => Tier::Before,
            Some(_) if last.starts_with(word) => Tier::Exact,
            Some(_) => Tier::Word,
        };
        self.plain.iter().map(tier).max().unwrap_or(Tier::Exact)
    }
}

/// The names that have the characters of each word in their order with others between them, without those in `hits`, which is sorted.
fn alike(index: &Index, typed: &str, hits: &[u32], most: usize, stop: &(dyn Fn() -> bool + Sync)) -> Vec<Key> {
    let lower = typed.to_ascii_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    // Other characters may have several forms.
    let ascii = words.iter().filter(|word| word.is_ascii());
    let needed = ascii.fold(Characters::default(), |all, word| all.and(Characters::of(word)));
    let candidates = best((index.len(), FEW), most.saturating_mul(SCORED), stop, &|range, keys| {
        for at in range.filter(|at| index.characters(*at).may_have(needed)) {
            let (name, lower) = (index.name(at).as_bytes(), index.lower(at).as_bytes());
            let Some(score) = words.iter().map(|word| likeness(name, lower, word)).sum::<Option<i64>>() else {
                continue;
            };
            let order = fuzzy::order(index.rank(at), score) + fuzzy::path_penalty(index.name(at), typed);
            if keys.takes(order) && hits.binary_search(&(at as u32)).is_err() {
                keys.push(Key::of(order, index, at as u32));
            }
        }
    });
    best((candidates.len(), FEW_SCORED), most, stop, &|range, keys| {
        let matcher = Matcher::default();
        for key in candidates.get(range).unwrap_or_default() {
            let name = index.name(key.name as usize);
            if let Some(score) = matcher.score(name, typed) {
                let order = fuzzy::order(index.rank(key.name as usize), score) + fuzzy::path_penalty(name, typed);
                keys.push(Key::of(order, index, key.name));
            }
        }
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

/// The best keys of those that were pushed.
struct Keys {
    list: Vec<Key>,
    most: usize,
    /// Keys of a higher order are not among the best.
    limit: i64,
}

impl Keys {
    const fn new(most: usize) -> Self {
        Self { list: Vec::new(), most, limit: i64::MAX }
    }

    /// Returns whether a key of an order may be among the best.
    const fn takes(&self, order: i64) -> bool {
        order <= self.limit
    }

    fn push(&mut self, key: Key) {
        self.list.push(key);
        if self.list.len() > 2 * self.most + FEW / 8 {
            self.cut();
        }
    }

    /// Drops all keys but the best.
    fn cut(&mut self) {
        if self.list.len() > self.most {
            self.list.select_nth_unstable(self.most);
            self.list.truncate(self.most);
            self.limit = self.list.iter().map(|key| key.order).max().unwrap_or(i64::MIN);
        }
    }
}

/// The first `most` of the keys that `list` pushes for 0..`count`, in their order. Each processor has a part of the range, `few` at
/// once, and keeps the best.
fn best(
    (count, few): (usize, usize),
    most: usize,
    stop: &(dyn Fn() -> bool + Sync),
    list: &(dyn Fn(Range<usize>, &mut Keys) + Sync),
) -> Vec<Key> {
    let part = |range: Range<usize>| {
        let mut keys = Keys::new(most);
        for from in range.clone().step_by(few).take_while(|_| !stop()) {
            list(from..range.end.min(from + few), &mut keys);
        }
        keys.cut();
        keys.list
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(count.div_ceil(few)).max(1);
    let share = count.div_ceil(threads);
    let mut all = Keys::new(most);
    thread::scope(|scope| {
        let ranges = (1..threads).map(|thread| share * thread..count.min(share * (thread + 1)));
        let others: Vec<_> = ranges.map(|range| scope.spawn(|| part(range))).collect();
        all.list = part(0..count.min(share));
        all.list.extend(others.into_iter().filter_map(|thread| thread.join().ok()).flatten());
    });
    all.cut();
    all.list.sort_unstable();
    all.list
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
        let keys = |range: Range<usize>, keys: &mut Keys| {
            range.for_each(|at| keys.push(Key { order: (at as i64 * 7919) % 10_007, len: 0, name: at as u32 }));
        };
        let found: Vec<i64> = best((10_007 * 4, FEW), 100, &|| false, &keys).iter().map(|key| key.order).collect();
        assert_eq!(found, (0..100).map(|at| at / 4).collect::<Vec<i64>>());
        assert!(best((10_007, FEW), 100, &|| true, &keys).is_empty());
    }
}
