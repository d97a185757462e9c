//! Distance of texts in edits, of which two neighbours that change places are one; and the nearest of many names.

/// Greatest number of characters of a name that may be misspelt.
const MAX_CHARS: usize = 200;

/// Number of edits between two texts; of texts that are too long for names, the most that there can be, because comparing them takes their
/// product.
pub fn distance(a: &str, b: &str) -> usize {
    let [a_len, b_len] = [a, b].map(|text| text.chars().count());
    if a_len.max(b_len) > MAX_CHARS { a_len.max(b_len) } else { strsim::osa_distance(a, b) }
}

/// Number of edits between a name and `wanted` up to which it may be what was meant: none of two characters, one of three to seven,
/// then one in four.
pub fn tolerance(wanted: &str) -> usize {
    match wanted.chars().take(MAX_CHARS).count() {
        0..=2 => 0,
        len => (len / 4).max(1),
    }
}

/// The nearest name to a text among those that were offered.
pub struct Nearest {
    wanted: String,
    /// Number of its characters.
    len: usize,
    /// Number of each of its characters that are ASCII, by code.
    counts: [u16; 128],
    /// Greatest distance that is still near: that of the best name so far, once there is one.
    limit: usize,
    best: Option<(usize, String)>,
}

impl Nearest {
    /// Begins a search for the name with the smallest distance to `wanted`, of at most `limit`.
    pub fn new(wanted: &str, limit: usize) -> Self {
        let mut counts = [0_u16; 128];
        for byte in wanted.bytes() {
            if let Some(count) = counts.get_mut(usize::from(byte)) {
                *count = count.saturating_add(1);
            }
        }
        Self { wanted: wanted.to_owned(), len: wanted.chars().count(), counts, limit, best: None }
    }

    /// Returns whether a text of ASCII has more characters that the wanted one lacks than there may be edits.
    fn is_far(&self, spelling: &str) -> bool {
        let (mut left, mut surplus) = (self.counts, 0_usize);
        spelling.is_ascii()
            && spelling.bytes().any(|byte| {
                match left.get_mut(usize::from(byte)).filter(|count| **count > 0) {
                    Some(count) => *count = count.saturating_sub(1),
                    None => surplus += 1,
                }
                surplus > self.limit
            })
    }

    /// Offers `name`, which is compared as `spelling`.
    pub fn offer(&mut self, spelling: &str, name: &str) {
        // The length alone tells most names apart; each edit changes it by one at most.
        if spelling.chars().count().abs_diff(self.len) > self.limit || self.is_far(spelling) {
            return;
        }
        let far = distance(&self.wanted, spelling);
        if far > self.limit {
            return;
        }
        if self.best.as_ref().is_none_or(|(best, own)| (far, name) < (*best, own)) {
            (self.limit, self.best) = (far, Some((far, name.to_owned())));
        }
    }

    /// Returns the nearest name; of several at the same distance the first in order.
    pub fn best(self) -> Option<String> {
        self.best.map(|(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_that_change_places_are_one_edit() {
        for (a, b, n) in [("kitten", "sitting", 3), ("Größe", "Grösse", 2), ("sicne", "since", 1), ("abcd", "badc", 2)]
        {
            assert_eq!((distance(a, b), distance(b, a)), (n, n), "{a} {b}");
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
