//! Ranking of all names of a session for the prompt: on all processors, and no more than the best are kept.

use std::ops::{ControlFlow, Range};

use memchr::memmem::Finder;

use super::best_names::{Keys, NameKey, best};
use crate::ui::fuzzy::{self, Matcher, Tier};
use pdblens_query::search::{Characters, Index, Words};

/// Number of items below which another thread costs more than it gains.
const FEW: usize = 8192;
/// Names that the fuzzy matcher scores, for each that is shown: it takes microseconds for one.
const SCORED: usize = 2;
/// The same as [`FEW`] for the fuzzy matcher.
const FEW_SCORED: usize = 128;

/// The names that match an input.
#[derive(Default)]
pub struct Ranked {
    /// Best first.
    pub names: Vec<u32>,
    /// All that match, if they had to be looked for one by one.
    pub narrowed: Option<Narrowed>,
}

/// All names with the characters of a text in their order: those that a longer text can match.
pub struct Narrowed {
    typed: String,
    /// In ascending order.
    names: Vec<u32>,
}

impl Narrowed {
    /// Returns whether every match of `typed` is one of the names. Only ASCII characters have to be in a name as they are typed.
    pub fn has_all(&self, typed: &str) -> bool {
        typed.is_ascii() && typed.starts_with(&self.typed)
    }
}

/// The names among which matches are looked for.
#[derive(Clone, Copy)]
enum Among<'n> {
    All(usize),
    These(&'n [u32]),
}

impl Among<'_> {
    const fn len(self) -> usize {
        match self {
            Self::All(count) => count,
            Self::These(names) => names.len(),
        }
    }

    /// The names of a part.
    fn each(self, part: Range<usize>) -> impl Iterator<Item = usize> {
        part.map(move |at| match self {
            Self::All(_) => at,
            Self::These(names) => names.get(at).map_or(usize::MAX, |name| *name as usize),
        })
    }
}

/// The names that match every word of `typed`, best first and at most `most`: the same order as [`fuzzy::rank`] gives. Fuzzy matches
/// are looked for only where there are fewer others, and of very many only those that score best by `likeness`. `before` is what an
/// input was narrowed to that `typed` may go on from. `stop` is polled for cancellation.
pub fn rank_names(
    index: &Index,
    typed: &str,
    most: usize,
    before: Option<&Narrowed>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Ranked {
    let words = fuzzy::words(typed);
    if words.is_empty() {
        return Ranked { names: index.containing(typed, most), narrowed: None };
    }
    let input = TypedText::new(typed, words);
    let before = before.filter(|before| before.has_all(typed));
    let among = before.map_or(Among::All(index.len()), |before| Among::These(&before.names));
    let mut found = best((among.len(), FEW), most, stop, &|part, keys| input.rank_part(index, among, part, keys)).list;
    let mut narrowed = None;
    if found.len() < most {
        // These are all that there are.
        let mut hits: Vec<u32> = found.iter().map(|key| key.name).collect();
        hits.sort_unstable();
        let (others, seen) = alike(index, among, typed, &hits, most - found.len(), stop);
        found.extend(others);
        let seen = seen.filter(|_| typed.is_ascii() && !stop());
        narrowed = seen.map(|names| Narrowed { typed: typed.to_owned(), names });
    }
    Ranked { names: found.into_iter().map(|key| key.name).collect(), narrowed }
}

/// A text that is typed, prepared for many names.
struct TypedText<'t> {
    words: Vec<&'t str>,
    all: Words,
    has_parts: bool,
    /// The words in lower case, where each of them is in one part of a name.
    plain: Vec<(String, Finder<'static>)>,
}

impl<'t> TypedText<'t> {
    fn new(typed: &str, words: Vec<&'t str>) -> Self {
        let has_parts = fuzzy::has_parts(&words);
        let is_plain = !has_parts && words.len() == typed.split_whitespace().count();
        let lower = words.iter().filter(|_| is_plain).map(|word| word.to_ascii_lowercase());
        let plain = lower.map(|word| (word.clone(), Finder::new(&word).into_owned())).collect();
        Self { words, all: Words::new(typed), has_parts, plain }
    }

    /// Adds the names of a part that contain all words.
    fn rank_part(&self, index: &Index, among: Among<'_>, part: Range<usize>, keys: &mut Keys) {
        // `Sorter.Sort` does not occur in a name with an arity: `Sorter`1.Sort`.
        let has_arity = |lower: &str| self.has_parts && memchr::memchr(b'`', lower.as_bytes()).is_some();
        if let Among::These(_) = among {
            for name in among.each(part) {
                let lower = index.lower(name);
                if self.all.are_in(lower) || has_arity(lower) {
                    self.rank(index, name, keys);
                }
            }
            return;
        }
        index.each_containing(&self.all, part.clone(), &mut |name| {
            self.rank(index, name, keys);
            ControlFlow::Continue(())
        });
        if self.has_parts {
            index.each_containing(&Words::new("`"), part, &mut |name| {
                if !self.all.are_in(index.lower(name)) {
                    self.rank(index, name, keys);
                }
                ControlFlow::Continue(())
            });
        }
    }

    /// Adds a name that contains all words, unless enough better names were found.
    fn rank(&self, index: &Index, name: usize, keys: &mut Keys) {
        let key = |tier: Tier| NameKey::of((tier as i64) << u8::BITS | i64::from(index.rank(name)), index, name);
        let last_part = index.last_part(name);
        let last = index.lower(name).get(last_part..).unwrap_or_default();
        let begins = self.plain.iter().all(|(word, _)| last.starts_with(word));
        if !begins && !keys.takes(&key(Tier::Word)) {
            return;
        }
        let written = index.name(name).get(last_part..).unwrap_or_default();
        let least = if begins { Tier::Exact } else { self.least_tier(written, last) };
        if !keys.takes(&key(least)) {
            return;
        }
        let tier = match least {
            Tier::Before => Some(least),
            _ => fuzzy::worst_tier_by_part(index.name(name), last_part, &self.words),
        };
        if let Some(key) = tier.map(key).filter(|key| keys.takes(key)) {
            keys.push(key);
        }
    }

    /// The best quality that a name with all words can have, by its last part, as it is written and in lower case: a word that it does not
    /// have is before it.
    fn least_tier(&self, written: &str, last: &str) -> Tier {
        let tier = |(word, finder): &(String, Finder<'_>)| match finder.find(last.as_bytes()) {
            None => Tier::Before,
            Some(_) if last.starts_with(word) => Tier::Exact,
            Some(from) if starts_a_word(written.as_bytes(), last.as_bytes(), word, from) => Tier::Word,
            Some(_) => Tier::Inside,
        };
        self.plain.iter().map(tier).max().unwrap_or(Tier::Exact)
    }
}

/// Returns whether the first character of a text is that of a word of a name somewhere from an offset on.
fn starts_a_word(written: &[u8], lower: &[u8], typed: &str, from: usize) -> bool {
    let first = typed.bytes().next().unwrap_or_default();
    memchr::memchr_iter(first, lower.get(from..).unwrap_or_default()).any(|at| is_start(written, from + at))
}

/// Returns whether a word begins at an offset: an upper-case letter after another character, or anything after what is no letter or digit.
fn is_start(name: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| name.get(before)).copied();
    let is_upper = name.get(at).is_some_and(u8::is_ascii_uppercase);
    before.is_none_or(|before| !before.is_ascii_alphanumeric() || is_upper && !before.is_ascii_uppercase())
}

/// The names that have the characters of each word in their order with others between them, without those in `hits`, which is sorted;
/// and all names with those characters, unless they are too many to keep.
fn alike(
    index: &Index,
    among: Among<'_>,
    typed: &str,
    hits: &[u32],
    most: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> (Vec<NameKey>, Option<Vec<u32>>) {
    let lower = typed.to_ascii_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    // Other characters may have several forms.
    let ascii = words.iter().filter(|word| word.is_ascii());
    let needed = ascii.fold(Characters::default(), |all, word| all.and(Characters::of(word)));
    let candidates = best((among.len(), FEW), most.saturating_mul(SCORED), stop, &|part, keys| {
        for at in among.each(part).filter(|at| index.characters(*at).may_have(needed)) {
            let (name, lower) = (index.name(at).as_bytes(), index.lower(at).as_bytes());
            let Some(score) = words.iter().map(|word| likeness(name, lower, word)).sum::<Option<i64>>() else {
                continue;
            };
            keys.keep(at as u32);
            let order = fuzzy::order(index.rank(at), score) + fuzzy::path_penalty(index.name(at), typed);
            let key = NameKey::of(order, index, at);
            if keys.takes(&key) && hits.binary_search(&(at as u32)).is_err() {
                keys.push(key);
            }
        }
    });
    let seen = candidates.seen;
    let candidates = candidates.list;
    let scored = best((candidates.len(), FEW_SCORED), most, stop, &|part, keys| {
        let matcher = Matcher::default();
        for key in candidates.get(part).unwrap_or_default() {
            let name = index.name(key.name as usize);
            if let Some(score) = matcher.score(name, typed) {
                let order = fuzzy::order(index.rank(key.name as usize), score) + fuzzy::path_penalty(name, typed);
                keys.push(NameKey::of(order, index, key.name as usize));
            }
        }
    });
    (scored.list, seen)
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
        let gap = after.map_or(0, |after: usize| (after - at - 1) as i64);
        score += MATCH + if is_start(name, at) || gap == 0 { BONUS } else { 0 } - gap.min(BONUS);
        after = Some(at);
    }
    Some(score)
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
            assert_eq!(rank_names(&index, typed, 1000, None, &|| false).names, slow, "{typed}");
        }
        let all = rank_names(&index, "s", 1000, None, &|| false).names;
        assert_eq!(rank_names(&index, "s", 3, None, &|| false).names, all[..3]);
    }

    #[test]
    fn an_input_that_grows_is_ranked_among_what_its_beginning_matched() {
        let index = Index::build(&Session::sample(), &|_, _| true);
        for typed in ["clksince", "since clock", "TICKER.CLOCK", "list.add", "s é"] {
            let mut before: Option<Narrowed> = None;
            for end in 1..=typed.chars().count() {
                let typed: String = typed.chars().take(end).collect();
                let all = rank_names(&index, &typed, 1000, None, &|| false);
                let ranked = rank_names(&index, &typed, 1000, before.as_ref(), &|| false);
                assert_eq!(ranked.names, all.names, "{typed}");
                let narrowed = |ranked: &Ranked| ranked.narrowed.as_ref().map(|narrowed| narrowed.names.clone());
                assert_eq!(narrowed(&ranked), narrowed(&all), "{typed}");
                assert_eq!(all.narrowed.is_some(), typed.is_ascii(), "{typed}");
                if let (Some(before), Some(now)) = (&before, &ranked.narrowed) {
                    assert!(now.names.len() <= before.names.len() && before.has_all(&typed), "{typed}");
                }
                before = ranked.narrowed;
            }
        }
        let of = |typed: &str| rank_names(&index, typed, 1000, None, &|| false).narrowed.unwrap();
        assert!(!of("since").has_all("sinc") && !of("since").has_all("clock") && !of("s").has_all("sé"));
        assert!(rank_names(&index, "since", 1000, None, &|| true).narrowed.is_none(), "it was stopped");
    }
}
