//! Distance of texts in edits, of which two neighbours that change places are one; and the nearest of many names.

/// Greatest number of characters that are compared.
const MAX_CHARS: usize = 200;

/// Number of edits between a name and `wanted` up to which it may be what was meant: none of two characters, one of three to seven,
/// then one in four.
pub fn tolerance(wanted: &str) -> usize {
    match wanted.chars().take(MAX_CHARS).count() {
        0..=2 => 0,
        len => (len / 4).max(1),
    }
}

/// Distance of two texts (Levenshtein's with transpositions), in characters.
pub fn distance(a: &str, b: &str) -> usize {
    Wanted::new(a).distance(b, usize::MAX).unwrap_or(usize::MAX)
}

/// The nearest name to a text among those that were offered.
///
/// Most names are told apart by their length and their letters alone, so a keystroke can ask for it among tens of thousands.
pub struct Nearest {
    wanted: Wanted,
    /// Greatest distance that is still near: that of the best name so far, once there is one.
    limit: usize,
    best: Option<(usize, String)>,
}

impl Nearest {
    /// Begins a search for the name with the smallest distance to `wanted`, of at most `limit`.
    pub fn new(wanted: &str, limit: usize) -> Self {
        Self { wanted: Wanted::new(wanted), limit, best: None }
    }

    /// Offers `name`, which is compared as `spelling`.
    pub fn offer(&mut self, spelling: &str, name: &str) {
        let Some(far) = self.wanted.distance(spelling, self.limit) else { return };
        if self.best.as_ref().is_none_or(|(best, own)| (far, name) < (*best, own)) {
            (self.limit, self.best) = (far, Some((far, name.to_owned())));
        }
    }

    /// Returns the nearest name; of several at the same distance the first in order.
    pub fn best(self) -> Option<String> {
        self.best.map(|(_, name)| name)
    }
}

/// A text that others are compared with.
struct Wanted {
    chars: Vec<char>,
    letters: Letters,
    /// The text that it is compared with.
    other: Vec<char>,
    /// Row of the matrix of distances, one cell more than there are characters.
    row: Vec<usize>,
    /// The row before it, and the row after it in the making.
    earlier: Vec<usize>,
    next: Vec<usize>,
}

impl Wanted {
    fn new(text: &str) -> Self {
        let chars: Vec<char> = text.chars().take(MAX_CHARS).collect();
        let (other, row, earlier, next) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { letters: Letters::of(&chars), other, row, earlier, next, chars }
    }

    /// Returns the distance to `text` if it is at most `limit`.
    fn distance(&mut self, text: &str, limit: usize) -> Option<usize> {
        // A character has at most 4 bytes, and one of ASCII has one.
        let (bytes, most) = (text.len().min(MAX_CHARS), if text.is_ascii() { 1 } else { 4 });
        let longest = self.chars.len().saturating_add(limit);
        if bytes > longest.saturating_mul(most) || self.chars.len() > bytes.saturating_add(limit) {
            return None;
        }
        self.other.clear();
        self.other.extend(text.chars().take(MAX_CHARS));
        if self.letters.least_distance(&Letters::of(&self.other)) > limit {
            return None;
        }
        let Self { chars, other, row, earlier, next, .. } = self;
        row.clear();
        row.extend(0..=chars.len());
        earlier.clone_from(row);
        let mut before = None;
        for (i, x) in other.iter().enumerate() {
            let (mut left, mut last) = (i + 1, None);
            let mut least = left;
            next.clear();
            next.push(left);
            // Each cell with those above it, and with the one two rows up and two columns to the left.
            let corners = std::iter::once(&usize::MAX).chain(&*earlier);
            for ((y, above), corner) in chars.iter().zip(row.windows(2)).zip(corners) {
                let [diagonal, above] = above else { break };
                let changed = (diagonal + usize::from(x != y)).min(above + 1).min(left + 1);
                let is_swap = before == Some(y) && last == Some(x);
                left = if is_swap { changed.min(corner.saturating_add(1)) } else { changed };
                next.push(left);
                (last, least) = (Some(y), least.min(left));
            }
            std::mem::swap(earlier, row);
            std::mem::swap(row, next);
            before = Some(x);
            if least > limit {
                return None;
            }
        }
        self.row.last().copied().filter(|far| *far <= limit)
    }
}

/// Number of characters in each of 64 classes, by the low 6 bits of the code point.
struct Letters([u8; 64]);

impl Letters {
    fn of(chars: &[char]) -> Self {
        let mut kinds = [0u8; 64];
        for c in chars {
            if let Some(kind) = kinds.get_mut(*c as usize % 64) {
                *kind = kind.saturating_add(1);
            }
        }
        Self(kinds)
    }

    /// Returns a lower bound of the distance: an edit takes one character away, adds one, or both.
    fn least_distance(&self, other: &Self) -> usize {
        let (mut more, mut fewer) = (0usize, 0usize);
        for (own, others) in self.0.iter().zip(&other.0) {
            more += usize::from(own.saturating_sub(*others));
            fewer += usize::from(others.saturating_sub(*own));
        }
        more.max(fewer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        for (a, b, n) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("abc", "abd", 1),
            ("points", "point", 1),
            ("", "ab", 2),
            ("kitten", "sitting", 3),
            ("Größe", "Grösse", 2),
            ("日本語", "日本", 1),
            ("sicne", "since", 1),
            ("tabels", "tables", 1),
            ("abcd", "badc", 2),
            ("ca", "abc", 3),
        ] {
            assert_eq!((distance(a, b), distance(b, a)), (n, n), "{a} {b}");
            let within = |limit| Wanted::new(a).distance(b, limit);
            assert_eq!((within(n), n.checked_sub(1).and_then(within)), (Some(n), None), "{a} {b}");
        }
    }

    #[test]
    fn short_names_are_near_only_when_nearly_equal() {
        for (wanted, limit) in [("ab", 0), ("pty", 1), ("Nope", 1), ("Program", 1), ("Inventory", 2), ("", 0)] {
            assert_eq!(tolerance(wanted), limit, "{wanted}");
        }
    }

    #[test]
    fn the_nearest_of_many_names_is_the_one_with_the_fewest_edits() {
        let names = ["Order.Total", "Order.Totals", "Orders.Total", "Parcel.Weight"];
        for (wanted, limit, nearest) in [
            ("Order.Totl", 3, Some("Order.Total")),
            ("Orders.Totals", 3, Some("Order.Totals")),
            ("Parcel.Waight", 3, Some("Parcel.Weight")),
            ("Parcel.Waight", 0, None),
            ("Customer", 2, None),
        ] {
            let mut near = Nearest::new(wanted, limit);
            for name in names {
                near.offer(name, name);
            }
            let least = names.iter().map(|name| (distance(wanted, name), *name)).min().filter(|(far, _)| *far <= limit);
            assert_eq!(near.best().as_deref(), nearest, "{wanted}");
            assert_eq!(least.map(|(_, name)| name), nearest, "{wanted}");
        }
    }
}
