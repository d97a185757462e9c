//! Answers as people type them.

use pdblens_formats::bytes::Show;

/// Nouns that people write before a number, or after it.
const NOUNS: &[&str] =
    &["row", "line", "column", "slot", "page", "stream", "offset", "number", "byte", "bytes", "pages"];

const GUID_DIGITS: usize = 32;

/// `text` in lower case without a full stop, an article and a noun around it: `9` for `Row 9.`
fn bare(text: &str) -> String {
    let text = text.trim().trim_end_matches('.').to_lowercase();
    let text = text.strip_prefix("the ").unwrap_or(&text).trim();
    let noun = |word: &&&str| NOUNS.contains(*word);
    let words: Vec<&str> = text.split_whitespace().collect();
    let rest = match words.as_slice() {
        [first, rest @ ..] if noun(&first) && !rest.is_empty() => rest,
        [rest @ .., last] if noun(&last) && !rest.is_empty() => rest,
        rest => rest,
    };
    rest.join(" ")
}

/// The number that `text` is as one word, with a noun or without: the same for `3`, `03`, `0x3`, `row 3` and `000003`.
pub(super) fn single_number(text: &str) -> Option<i64> {
    let text = bare(text);
    let is_prefixed = text.starts_with("0x") || text.starts_with("il_");
    let is_number = is_prefixed || text.trim_start_matches(['-', '−']).chars().all(|c| c.is_ascii_digit());
    if text.contains(char::is_whitespace) || !is_number {
        return None;
    }
    parse_number(&text, Show::Plain).map(|(number, _)| number)
}

/// Parses a number: `-5`, `−5`, `0x13`, `13h`, `0b101`, `IL_0013`, `1 024`, `line 12`. The flag is true if it was hexadecimal.
///
/// Where numbers are shown as IL offsets, four bare digits or a letter in them mean hexadecimal too.
pub(super) fn parse_number(text: &str, show: Show) -> Option<(i64, bool)> {
    let text: String = bare(text).chars().filter(|c| !matches!(c, ' ' | '_' | ',' | '\'' | '`')).collect();
    let (sign, digits) = match text.strip_prefix(['-', '−', '–']) {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(&text)),
    };
    let hexadecimal = |digits: &str| i64::from_str_radix(digits, 16).ok().map(|number| (number, true));
    let prefixed = ["0x", "il", "$"].iter().find_map(|prefix| digits.strip_prefix(prefix));
    let marked = prefixed.or_else(|| digits.strip_suffix('h'));
    let is_offset = matches!(show, Show::IlOffset) && digits.len() == 4;
    let (number, hexadecimal) = match (marked, digits.strip_prefix("0b")) {
        (Some(digits), _) => hexadecimal(digits)?,
        (_, Some(digits)) if !digits.is_empty() && digits.chars().all(|c| matches!(c, '0' | '1')) => {
            (i64::from_str_radix(digits, 2).ok()?, false)
        }
        _ if is_offset => hexadecimal(digits)?,
        _ => match digits.parse() {
            Ok(number) => (number, false),
            Err(_) => hexadecimal(digits)?,
        },
    };
    (number >= 0).then_some((sign * number, hexadecimal))
}

/// Returns true if two texts are the same but for case, an article, blanks and punctuation, or are the same number; with `contains`,
/// if the second has the first in it.
pub(super) fn is_same_text(wanted: &str, given: &str, contains: bool) -> bool {
    if single_number(wanted).is_some_and(|wanted| single_number(given) == Some(wanted)) {
        return true;
    }
    // A yes or a no may be explained.
    let first = |text: &str| text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    if matches!(wanted.trim(), "yes" | "no") && first(given.trim()) == wanted.trim() {
        return true;
    }
    // A path with more folders is another path.
    let slashes = |text: &str| text.trim().matches(['/', '\\']).count();
    if slashes(given) > 0 && slashes(wanted) > 0 && slashes(wanted) != slashes(given) && !contains {
        return false;
    }
    let (wanted, given) = (plain(wanted), plain(given));
    !wanted.is_empty() && (wanted == given || contains && given.contains(&wanted))
}

/// Returns true if a path, a URL or a GUID is written with other separators than the right one: `C:/a` for `C:\a`, dashes in the id of
/// a key.
pub(super) fn differs_in_signs(wanted: &str, given: &str) -> bool {
    let signs = |text: &str, of: &[char]| text.chars().filter(|c| of.contains(c)).collect::<String>();
    let slashes = |text: &str| signs(text.trim().trim_end_matches('.'), &['/', '\\']);
    let is_id = wanted.chars().filter(char::is_ascii_hexdigit).count() >= GUID_DIGITS;
    slashes(wanted) != slashes(given) || is_id && signs(wanted, &['-']) != signs(given, &['-'])
}

/// Letters and digits alone, without an article; δ and Δ are written in words.
fn plain(text: &str) -> String {
    let text = text.trim().to_lowercase().replace(['δ', '∆'], "delta");
    let text = text.strip_prefix("the ").unwrap_or(&text);
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Numbers and words of a list, without the punctuation between them: `IL_0006 48:13-48:31` is 6, 48, 13, 48, 31.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in text.chars().chain([' ']) {
        // A dash after a digit separates; before one, it is a sign.
        let sign = matches!(c, '-' | '−') && !before.is_alphanumeric() && word.is_empty();
        if c.is_alphanumeric() || c == '_' || sign {
            word.push(if sign { '-' } else { c.to_ascii_lowercase() });
        } else if !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        before = c;
    }
    found.into_iter().filter(|word| word != "-").map(normal).collect()
}

/// A number in decimal, or the word.
fn normal(word: String) -> String {
    let hexadecimal =
        word.strip_prefix("il_").or_else(|| word.strip_prefix("0x")).map(|digits| i64::from_str_radix(digits, 16));
    match hexadecimal {
        Some(Ok(number)) => number.to_string(),
        _ => word.parse::<i64>().map(|number| number.to_string()).unwrap_or(word),
    }
}
