//! Ranking of all names of a session for the prompt, in parts on all processors.

use std::collections::HashSet;
use std::ops::Range;

use crate::ui::fuzzy::{self, Matcher};
use pdblens_query::search::Index;
use pdblens_session::parallel::{parallel_map, processors};

/// Names that are ranked before `stop` is polled again.
const PART: usize = 8192;
/// The order of a name, and the name: by quality and kind, by length, and then as they are listed.
type RankKey = (i64, usize, u32);

/// The names that match every word of `typed`, best first and at most `most`: the same order as [`fuzzy::rank`] gives. Fuzzy matches
/// are looked for only where there are fewer others. The names are not all found once `stop` returns true.
pub fn rank_names(index: &Index, typed: &str, most: usize, stop: &(dyn Fn() -> bool + Sync)) -> Vec<u32> {
    let words = fuzzy::words(typed);
    if words.is_empty() {
        return index.containing(typed, most);
    }
    // `Sorter.Sort` does not occur in a name with an arity: `Sorter`1.Sort`.
    let has_parts = fuzzy::has_parts(&words);
    let mut found = best(index.len(), most, stop, &|part| {
        let names = if has_parts { part.collect() } else { index.containing_in(typed, part, usize::MAX) };
        let mut reader = index.reader();
        let ranked = names.into_iter().filter_map(|at| {
            let name = reader.get(at as usize);
            let tier = fuzzy::worst_tier(name, &words)?;
            Some(((tier as i64) << u8::BITS | i64::from(index.rank(at as usize)), name.len(), at))
        });
        ranked.collect()
    });
    if found.len() < most {
        let known: HashSet<u32> = found.iter().map(|(.., name)| *name).collect();
        found.extend(best(index.len(), most - found.len(), stop, &|part| {
            let (matcher, mut reader) = (Matcher::default(), index.reader());
            let ranked = part.filter(|name| !known.contains(name)).filter_map(|at| {
                let name = reader.get(at as usize);
                let score = if fuzzy::may_match(name, &words) { matcher.score(name, typed)? } else { return None };
                let order = fuzzy::order(index.rank(at as usize), score) + fuzzy::path_penalty(name, typed);
                Some((order, name.len(), at))
            });
            ranked.collect()
        }));
    }
    found.into_iter().map(|(.., name)| name).collect()
}

/// The first `most` of the keys that `rank` gives for the parts of 0..`count`, in their order.
fn best(
    count: usize,
    most: usize,
    stop: &(dyn Fn() -> bool + Sync),
    rank: &(dyn Fn(Range<u32>) -> Vec<RankKey> + Sync),
) -> Vec<RankKey> {
    let first = |mut keys: Vec<RankKey>| {
        keys.sort_unstable();
        keys.truncate(most);
        keys
    };
    let parts = (0..count).step_by(PART).map(|from| from as u32..count.min(from + PART) as u32);
    first(parallel_map(parts, processors(), |part| if stop() { Vec::new() } else { first(rank(part)) }).concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_session::session::Session;

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
        assert!(rank_names(&index, "s", 3, &|| true).is_empty(), "it was stopped");
    }

    #[test]
    fn parts_are_put_together_in_order() {
        let rank = |part: Range<u32>| part.map(|at| (i64::from(at) * 7919 % 10_007, 0, at)).collect();
        let found: Vec<i64> = best(10_007 * 4, 100, &|| false, &rank).iter().map(|(order, ..)| *order).collect();
        assert_eq!(found, (0..100).map(|at| at / 4).collect::<Vec<i64>>());
    }
}
