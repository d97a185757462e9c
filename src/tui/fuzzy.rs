//! The one place that ranks by likeness.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

/// The items that `typed` may mean, the best first; all of them where nothing is typed.
pub fn best<T>(typed: &str, items: impl Iterator<Item = T>, text: impl Fn(&T) -> String) -> Vec<T> {
    if typed.trim().is_empty() {
        return items.collect();
    }
    let matcher = SkimMatcherV2::default();
    let scored = items.filter_map(|item| Some((matcher.fuzzy_match(&text(&item), typed)?, item)));
    let mut found: Vec<(i64, T)> = scored.collect();
    found.sort_by_key(|(score, _)| -score);
    found.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_best_comes_first_and_what_does_not_match_is_left_out() {
        let found = super::best("zm", ["zoom", "a zebra's mane", "quit"].into_iter(), |item| (*item).to_owned());
        assert_eq!(found, ["zoom", "a zebra's mane"]);
    }
}
