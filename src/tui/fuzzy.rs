//! The one place that ranks by likeness.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

/// The items that `typed` may mean, the best first and the shorter before the longer; all of them where nothing is typed.
pub fn best<T, S: AsRef<str>>(typed: &str, items: impl Iterator<Item = T>, text: impl Fn(&T) -> S) -> Vec<T> {
    if typed.trim().is_empty() {
        return items.collect();
    }
    let matcher = SkimMatcherV2::default();
    let scored = items.filter_map(|item| {
        let text = text(&item);
        let score = matcher.fuzzy_match(text.as_ref(), typed.trim())?;
        Some((-score, text.as_ref().len(), item))
    });
    let mut found: Vec<(i64, usize, T)> = scored.collect();
    found.sort_by_key(|(score, len, _)| (*score, *len));
    found.into_iter().map(|(.., item)| item).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_best_comes_first_and_what_does_not_match_is_left_out() {
        let found = super::best("zm", ["a zebra's mane", "zoom", "quit"].into_iter(), |item| *item);
        assert_eq!(found, ["zoom", "a zebra's mane"]);
    }
}
