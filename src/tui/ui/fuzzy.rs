//! Fuzzy matching of names; the only module that uses the matcher.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

/// The score that one step of priority outweighs.
const PRIORITY_WEIGHT: i64 = 16;

/// Items that match every word of `typed`, best first; equal scores by `priority`, then by length. All items where
/// nothing is typed.
pub fn rank<T, S: AsRef<str>>(
    typed: &str,
    items: impl Iterator<Item = T>,
    text: impl Fn(&T) -> S,
    priority: impl Fn(&T) -> u8,
) -> Vec<T> {
    if typed.trim().is_empty() {
        return items.collect();
    }
    let (matcher, words) = (SkimMatcherV2::default(), typed.split_whitespace().collect::<Vec<&str>>());
    let scored = items.filter_map(|item| {
        let text = text(&item);
        let score = words.iter().map(|word| matcher.fuzzy_match(text.as_ref(), word)).sum::<Option<i64>>()?;
        Some(((i64::from(priority(&item)) * PRIORITY_WEIGHT - score, text.as_ref().len()), item))
    });
    let mut found: Vec<((i64, usize), T)> = scored.collect();
    found.sort_by_key(|(order, _)| *order);
    found.into_iter().map(|(_, item)| item).collect()
}

/// Positions of the characters of `text` that match `typed`; empty where it does not match.
pub fn match_positions(typed: &str, text: &str) -> Vec<usize> {
    let matcher = SkimMatcherV2::default();
    let words = typed.split_whitespace().map(|word| Some(matcher.fuzzy_indices(text, word)?.1));
    let marks: Option<Vec<Vec<usize>>> = words.collect();
    marks.unwrap_or_default().concat()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_best_comes_first_and_what_does_not_match_is_left_out() {
        let best = |typed, rank: fn(&&str) -> u8| {
            super::rank(typed, ["a zebra's mane", "zoom", "quit", "zooms"].into_iter(), |item| *item, rank)
        };
        assert_eq!(best("zm", |_| 0), ["zoom", "zooms", "a zebra's mane"]);
        assert_eq!(best("zoom", |item| u8::from(*item == "zoom")), ["zooms", "zoom"]);
        assert_eq!(best("mane zebra", |_| 0), ["a zebra's mane"]);
        assert_eq!((super::match_positions("zm", "zoom"), super::match_positions("x", "zoom")), (vec![0, 3], vec![]));
        assert_eq!(super::match_positions("om zo", "zoom"), [2, 3, 0, 1]);
    }
}
