//! Columns and texts fitted to the width of a terminal.

use unicode_width::UnicodeWidthStr;

/// The fewest cells that a column is narrowed to.
const NARROWEST: usize = 14;

/// Cells between two columns.
pub(super) const GAP: usize = 2;

/// A column: its width, and that of its longest word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Column {
    pub width: usize,
    pub word: usize,
}

impl Column {
    /// Makes the column as wide as a text and an indent.
    pub fn add(&mut self, text: &str, indent: usize) {
        self.width = self.width.max(text.width() + indent);
        self.word = self.word.max(text.split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0) + indent);
    }

    /// The width with a limit that breaks no word: paths, hashes and names are copied whole.
    fn limited(self, limit: usize) -> usize {
        self.width.min(limit.max(self.word).max(NARROWEST))
    }
}

/// Widths of columns that together take at most `room` cells, the widest narrowed first; `None` where they fit as they are, and where
/// their words do not fit.
pub(super) fn narrowed(columns: &[Column], room: usize) -> Option<Vec<usize>> {
    let room = room.checked_sub(columns.len().saturating_sub(1) * GAP)?;
    let total = |limit: usize| columns.iter().map(|column| column.limited(limit)).sum::<usize>();
    if total(usize::MAX) <= room || total(0) > room {
        return None;
    }
    // The greatest limit that makes them fit.
    let (mut fits, mut over) = (0, room + 1);
    while over - fits > 1 {
        let limit = fits.midpoint(over);
        if total(limit) <= room { fits = limit } else { over = limit }
    }
    let mut widths: Vec<usize> = columns.iter().map(|column| column.limited(fits)).collect();
    // The rest goes to the last column that is narrower than its texts.
    let rest = room.saturating_sub(widths.iter().sum());
    let last = columns.iter().zip(&widths).rposition(|(column, width)| *width < column.width);
    if let Some((width, column)) = last.and_then(|last| Some((widths.get_mut(last)?, columns.get(last)?))) {
        *width = (*width + rest).min(column.width);
    }
    Some(widths)
}

/// Lines of at most `room` cells, broken between words; a longer word has a line of its own.
pub(super) fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut().filter(|line| line.width() + 1 + word.width() <= room) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_columns_are_narrowed_to_the_room() {
        let columns = |widths: &[(usize, usize)]| -> Vec<Column> {
            widths.iter().map(|(width, word)| Column { width: *width, word: *word }).collect()
        };
        assert_eq!(narrowed(&columns(&[(10, 5), (20, 5), (30, 5)]), 64), None);
        assert_eq!(narrowed(&columns(&[(10, 5), (20, 5), (30, 5)]), 63), Some(vec![10, 20, 29]));
        assert_eq!(narrowed(&columns(&[(4, 4), (60, 5), (200, 5)]), 80), Some(vec![4, 36, 36]));
        assert_eq!(narrowed(&columns(&[(4, 4), (16, 5), (200, 5)]), 80), Some(vec![4, 16, 56]));
        // A hash is not broken, and what does not fit beside it stays as it is.
        assert_eq!(narrowed(&columns(&[(30, 5), (64, 64)]), 96), None);
        assert_eq!(narrowed(&columns(&[(30, 5), (64, 64)]), 90), Some(vec![24, 64]));
        assert_eq!(narrowed(&columns(&[(30, 5), (64, 64)]), 70), None);
    }

    #[test]
    fn texts_are_broken_between_words() {
        assert_eq!(wrap("the code from this IL offset on", 12), ["the code", "from this IL", "offset on"]);
        assert_eq!(wrap("a 0123456789abcdef b", 8), ["a", "0123456789abcdef", "b"]);
        assert_eq!(wrap("", 8), [""; 0]);
    }
}
