//! Ranked matching of names: exact, prefix, start of a word, substring, then fuzzy; the only module that uses the fuzzy matcher.

use std::borrow::Cow;
use std::cmp::Reverse;

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

use pdblens_session::text::name_parts::{SEPARATORS, last_part};
use pdblens_session::text::names::without_arities;

/// The score of the fuzzy matcher that one step of priority outweighs.
const PRIORITY_WEIGHT: i64 = 16;
/// Bytes of the longest text that names are looked for with.
pub const MAX_TYPED: usize = 1024;
/// More than any score.
const PATH_PENALTY: i64 = 1 << 32;

/// Quality of a match, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// A whole name, or its last parts, in the same case.
    Exact,
    /// The same in another case.
    ExactFold,
    /// The start of the last part of the name.
    Prefix,
    /// The start of a word in the last part: `Buffer` in `ReadBuffer`.
    Word,
    /// Elsewhere in the last part.
    Inside,
    /// In a part before the last one: a namespace, a type, a folder.
    Before,
    /// The characters in their order, with others between them.
    Fuzzy,
}

/// Items that match every word of `typed`, best first: by quality of the match, then by `priority`, then by length. Fuzzy matches are
/// looked for only where there are fewer than `enough` others. All items where nothing is typed.
pub fn rank<T, S: AsRef<str>>(
    typed: &str,
    enough: usize,
    items: impl Iterator<Item = T>,
    text: impl Fn(&T) -> S,
    priority: impl Fn(&T) -> u8,
) -> Vec<T> {
    if typed.len() > MAX_TYPED {
        return Vec::new();
    }
    let words = words(typed);
    if words.is_empty() {
        return items.collect();
    }
    let (mut found, mut others) = (Vec::new(), Vec::new());
    for item in items {
        let name = text(&item);
        let name = name.as_ref();
        match worst_tier(name, &words) {
            Some(tier) => found.push(((tier, i64::from(priority(&item)), name.len()), item)),
            None if found.len() < enough && may_match(name, &words) => others.push(item),
            None => {}
        }
    }
    if found.len() < enough {
        let matcher = Matcher::default();
        found.extend(others.into_iter().filter_map(|item| {
            let name = text(&item);
            let name = name.as_ref();
            let order = order(priority(&item), matcher.score(name, typed)?) + path_penalty(name, typed);
            Some(((Tier::Fuzzy, order, name.len()), item))
        }));
    }
    found.sort_by_key(|(order, _)| *order);
    found.into_iter().map(|(_, item)| item).collect()
}

#[derive(Default)]
pub struct Matcher(SkimMatcherV2);

impl Matcher {
    /// The score of a name that has the characters of every word of `typed` in their order: higher is better. A longer text, as a
    /// command line, has those of anything, and has no score.
    pub fn score(&self, name: &str, typed: &str) -> Option<i64> {
        const MAX_NAME: usize = 300;
        if name.len() > MAX_NAME {
            return None;
        }
        let score = |word: &str| if is_close(name, word) { self.0.fuzzy_match(name, word) } else { None };
        typed.split_whitespace().map(score).sum()
    }
}

/// The order of fuzzy matches: those of the first priority precede others whose score is a little higher.
pub fn order(priority: u8, score: i64) -> i64 {
    i64::from(priority) * PRIORITY_WEIGHT - score
}

/// Addition to the order of a path, so that it follows names where no part of a path is typed: the many words of a path match anything.
pub fn path_penalty(name: &str, typed: &str) -> i64 {
    let is_path = memchr::memchr2(b'/', b'\\', name.as_bytes()).is_some();
    if is_path && !typed.contains(['/', '\\', '.']) { PATH_PENALTY } else { 0 }
}

/// Quality of the match of the word that matches worst; `None` if `name` does not contain each of them, with the arities of its types
/// or without.
pub fn worst_tier(name: &str, words: &[&str]) -> Option<Tier> {
    let worst = |name: &str| {
        let last = last_part(name);
        words.iter().try_fold(Tier::Exact, |worst, word| Some(worst.max(substring_tier(name, last, word)?)))
    };
    let is_plain = !has_parts(words) || !name.contains('`');
    worst(name).or_else(|| if is_plain { None } else { worst(&without_arities(name)) })
}

/// Returns whether a word names a part and what is in it: only such a word can have an arity inside.
pub fn has_parts(words: &[&str]) -> bool {
    words.iter().any(|word| word.bytes().any(|byte| SEPARATORS.contains(&byte)))
}

/// Quality of the best place where `name` contains `word` in any ASCII case; `None` where it does not.
fn substring_tier(name: &str, last: usize, word: &str) -> Option<Tier> {
    // A word without a separator is all in the last part, or all before it, which is no better in any place.
    let from = if word.bytes().any(|byte| SEPARATORS.contains(&byte)) { 0 } else { last };
    let mut best = None;
    for at in fold_matches(name.as_bytes().get(from..).unwrap_or_default(), word.as_bytes()) {
        let tier = tier_at(name, word, from + at, last);
        best = Some(best.map_or(tier, |best: Tier| best.min(tier)));
        if tier == Tier::Exact {
            break;
        }
    }
    best.or_else(|| fold_matches(name.as_bytes(), word.as_bytes()).next().map(|_| Tier::Before))
}

/// Returns whether a name ends with the arguments of a template at an offset, or has only parameters after them. Types that are
/// derived from it have more.
fn ends_with_arguments(bytes: &[u8], at: usize) -> bool {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().copied().enumerate().skip(at) {
        match byte {
            b'<' => depth += 1,
            b'>' if depth <= 1 => return bytes.get(at + 1).is_none_or(|next| *next == b'('),
            b'>' => depth -= 1,
            _ => {}
        }
    }
    false
}

/// The words of what is typed; the arguments of a template are one with its name.
pub fn words(typed: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let is_end = |c: char| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c.is_whitespace()
    };
    typed.split(is_end).map(str::trim_end).filter(|word| !word.is_empty()).collect()
}

fn tier_at(name: &str, word: &str, at: usize, last: usize) -> Tier {
    let bytes = name.as_bytes();
    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
    let (first, end) = (bytes.get(at).copied().unwrap_or_default(), at + word.len());
    let after = bytes.get(end).copied();
    let begins = before.is_none_or(|before| SEPARATORS.contains(&before));
    // An extension follows the name of a file.
    let is_file = after == Some(b'.')
        && memchr::memchr2(b'/', b'\\', bytes).is_some()
        && bytes.get(end + 1..).is_none_or(|rest| memchr::memchr2(b'.', b'/', rest).is_none());
    let ends = match after {
        None | Some(b'(' | b'`') => true,
        Some(b'<') => ends_with_arguments(bytes, end),
        _ => is_file,
    };
    // A separator after the last one is one of arguments or parameters.
    let begins = begins && at <= last;
    if begins && ends && end > last {
        return if name.get(at..end) == Some(word) { Tier::Exact } else { Tier::ExactFold };
    }
    if end <= last {
        return Tier::Before;
    }
    let hump = first.is_ascii_uppercase() && before.is_some_and(|before| !before.is_ascii_uppercase());
    match () {
        () if begins => Tier::Prefix,
        () if hump || before.is_some_and(|before| !before.is_ascii_alphanumeric()) => Tier::Word,
        () => Tier::Inside,
    }
}

/// Offsets at which `name` contains `word`, whatever the ASCII case.
fn fold_matches<'t>(name: &'t [u8], word: &'t [u8]) -> impl Iterator<Item = usize> + 't {
    let first = word.first().copied().unwrap_or_default();
    let starts = memchr::memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), name);
    starts.filter(move |at| name.get(*at..*at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word)))
}

/// Returns whether the characters of each word are in `name` in their order; a quick test before the fuzzy matcher.
pub fn may_match(name: &str, words: &[&str]) -> bool {
    words.iter().all(|word| is_subsequence(name, word))
}

fn is_subsequence(name: &str, word: &str) -> bool {
    if !word.is_ascii() {
        return true;
    }
    let mut rest = name.as_bytes();
    word.bytes().all(|wanted| {
        let at = memchr::memchr2(wanted.to_ascii_lowercase(), wanted.to_ascii_uppercase(), rest);
        let tail = at.and_then(|at| rest.get(at + 1..));
        rest = tail.unwrap_or_default();
        tail.is_some()
    })
}

/// Returns whether each character of a word can be near the one before it, or begin a word of the name: a long name has any six letters
/// in their order.
fn is_close(name: &str, word: &str) -> bool {
    const NEAR: usize = 4;
    if !word.is_ascii() {
        return true;
    }
    let bytes = name.as_bytes();
    let begins = |at: usize| {
        let Some(before) = at.checked_sub(1).and_then(|before| bytes.get(before)) else { return true };
        !before.is_ascii_alphanumeric() || bytes[at].is_ascii_uppercase() && !before.is_ascii_uppercase()
    };
    let mut ends: Option<Vec<usize>> = None;
    for wanted in word.bytes() {
        let follows = |at: usize| {
            let Some(ends) = &ends else { return true };
            let is_after = |end: &usize| *end < at && (begins(at) || at - end <= NEAR);
            ends.iter().any(is_after)
        };
        let found = (0..bytes.len()).filter(|at| bytes[*at].eq_ignore_ascii_case(&wanted) && follows(*at)).collect();
        ends = Some(found);
    }
    ends.is_none_or(|ends| !ends.is_empty())
}

/// Positions of the characters of `text` that match `typed`; empty where it does not match.
pub fn match_positions(typed: &str, text: &str) -> Vec<usize> {
    if typed.len() > MAX_TYPED {
        return Vec::new();
    }
    let matcher = SkimMatcherV2::default();
    let words = words(typed).into_iter().map(|word| {
        let last = last_part(text);
        // The best substring, before characters that are spread over the text.
        let best = fold_matches(text.as_bytes(), word.as_bytes())
            .min_by_key(|at| (tier_at(text, word, *at, last), Reverse(*at)));
        match best {
            Some(at) => {
                let start = text.get(..at)?.chars().count();
                Some(Cow::Owned((start..start + word.chars().count()).collect::<Vec<usize>>()))
            }
            None => matcher.fuzzy_indices(text, word).map(|(_, marks)| Cow::Owned(marks)),
        }
    });
    let marks: Option<Vec<Cow<'_, [usize]>>> = words.collect();
    marks.unwrap_or_default().concat()
}

#[cfg(test)]
mod tests {
    use super::{match_positions, rank};

    #[test]
    fn letters_with_large_gaps_between_them_are_no_match() {
        let found = |name: &str, typed: &str| super::Matcher::default().score(name, typed).is_some();
        assert!(!found("ThreadNames+ThreadDetails+ClusterObserver.GetShortName()", "custom"));
        for (name, typed) in [("Ticker.Clock.Since(long)", "clksince"), ("CustomDebugInformation", "cdi")] {
            assert!(found(name, typed), "{name} {typed}");
        }
    }

    #[test]
    fn the_best_comes_first_and_what_does_not_match_is_left_out() {
        let best = |typed, priority: fn(&&str) -> u8| {
            rank(typed, 10, ["a zebra's mane", "zoom", "quit", "zooms"].into_iter(), |item| *item, priority)
        };
        assert_eq!(best("zm", |_| 0), ["zoom", "zooms", "a zebra's mane"]);
        assert_eq!(
            best("zoom", |item| u8::from(*item == "zoom")),
            ["zoom", "zooms"],
            "an exact name precedes all others"
        );
        assert_eq!(best("mane zebra", |_| 0), ["a zebra's mane"]);
        assert_eq!((match_positions("zm", "zoom"), match_positions("x", "zoom")), (vec![0, 3], vec![]));
        assert_eq!(match_positions("om zo", "zoom"), [2, 3, 0, 1]);
    }

    #[test]
    fn exact_names_precede_prefixes_words_substrings_and_fuzzy_matches() {
        let sorted = [
            "Json.Serializer.Serialize",
            "Json.Serializer.Serialize(object)",
            "Json.Deep.serialize",
            "Json.SerializeOptions",
            "Json.Deep.TrySerialize",
            "Json.Deep.Deserialize",
            "Serializers.Json.Run",
            "/src/Serializers/Json.cs",
            "Some.erratic.atlas.listing.zone",
        ];
        let mut items = sorted;
        items.reverse();
        let found = rank("Serialize", 100, items.into_iter(), |item| *item, |item| u8::from(item.starts_with('/')));
        assert_eq!(found, sorted);
        assert_eq!(rank("Serialize", 3, items.into_iter(), |item| *item, |_| 0).len(), 8, "no fuzzy match is needed");
        let found = rank("Serializer.Serialize", 100, items.into_iter(), |item| *item, |_| 0);
        assert_eq!(found, ["Json.Serializer.Serialize", "Json.Serializer.Serialize(object)"]);
        let documents = ["/src/Writers/Program.cs", "/src/Program.cs", "/src/ProgramTests.cs"];
        assert_eq!(
            rank("Program", 100, documents.into_iter(), |item| *item, |_| 0),
            ["/src/Program.cs", "/src/Writers/Program.cs", "/src/ProgramTests.cs"]
        );
        let command = format!("/out:{} wide main", "w".repeat(300));
        assert!(rank("wwinmain", 100, [command].iter(), |item| *item, |_| 0).is_empty());
        assert_eq!(rank("wwinmain", 100, ["wide winter main"].into_iter(), |item| *item, |_| 0).len(), 1);
        assert_eq!(
            rank(".ctor", 100, ["A.B..ctor", "A.Vector"].into_iter(), |item| *item, |_| 0),
            ["A.B..ctor", "A.Vector"]
        );
    }

    #[test]
    fn a_template_precedes_what_is_derived_from_it() {
        let sorted = [
            "std::vector<int,std::allocator<int> >",
            "std::vector<int,std::allocator<int> > *",
            "void (std::vector<int,std::allocator<int> > &)",
            "(const std::vector<int,std::allocator<int> > &, std::vector<int,std::allocator<int> > &)",
            "std::vector<int,std::allocator<int> >::push_back",
        ];
        let mut items = sorted;
        items.reverse();
        for typed in ["std::vector", "std::vector<int,std::allocator<int> >"] {
            assert_eq!(rank(typed, 9, items.into_iter(), |item| *item, |_| 0)[..2], sorted[..2], "{typed}");
            let last = rank(typed, 9, items.into_iter(), |item| *item, |_| 0)[4];
            assert_eq!(last, sorted[4], "{typed}");
        }
        assert_eq!(rank("vector", 9, items.into_iter(), |item| *item, |_| 0)[0], sorted[0]);
        let items = ["A.<>c__D1.<Run>b__0", "Tree<T>.Node<K>.Run(List<T>)", "f<void (a::b)>::Run", "operator<<::Runs"];
        assert_eq!(rank("Run", 9, items.into_iter(), |item| *item, |_| 0)[..2], [items[2], items[1]]);
        assert_eq!(super::words("a<b, c > d  e"), ["a<b, c >", "d", "e"]);
    }

    #[test]
    fn the_marked_characters_are_those_of_the_best_match() {
        assert_eq!(match_positions("write", "Writers.Text.Write"), [13, 14, 15, 16, 17]);
        assert_eq!(match_positions("é", "café"), [3]);
    }
}
