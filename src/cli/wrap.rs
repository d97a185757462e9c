//! Columns and texts fitted to the width of a terminal.

use unicode_width::UnicodeWidthStr;

const NARROWEST: usize = 14;
/// Cells between two columns.
pub(super) const GAP: usize = 2;

/// A column: its width, and that of its longest word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ColumnWidth {
    pub width: usize,
    pub word: usize,
}

impl ColumnWidth {
    pub fn add(&mut self, text: &str, indent: usize) {
        self.width = self.width.max(text.width() + indent);
        let word = text.split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0);
        self.word = self.word.max(word + indent);
    }

    /// The width with a limit that breaks no word: paths, hashes and names are copied whole.
    fn limited(self, limit: usize) -> usize {
        self.width.min(limit.max(self.word).max(NARROWEST))
    }
}

/// Width that the last column has at least where one of its words does not fit.
const READABLE: usize = 20;

/// Widths of columns that together take at most `room` cells, the widest narrowed first; `None` where they fit as they are, and where
/// their words do not fit. A word of the last column that is too long may be wider than its column.
pub(super) fn narrowed(columns: &[ColumnWidth], room: usize) -> Option<Vec<usize>> {
    let room = room.checked_sub(columns.len().saturating_sub(1) * GAP)?;
    let sum = |columns: &[ColumnWidth], limit: usize| columns.iter().map(|column| column.limited(limit)).sum::<usize>();
    let total = |limit: usize| sum(columns, limit);
    if total(usize::MAX) <= room {
        return None;
    }
    if total(0) > room {
        let (_, others) = columns.split_last()?;
        let limit = [usize::MAX, 0].into_iter().find(|limit| sum(others, *limit) + READABLE <= room)?;
        let widths = others.iter().map(|column| column.limited(limit));
        return Some(widths.chain([room.saturating_sub(sum(others, limit))]).collect());
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

/// Lines of at most `room` cells of text in parts, broken between words; the lines after the first begin with `indent` spaces. The
/// spaces between words stay as they are.
pub(super) fn flow<T: Copy>(parts: &[(&str, T)], indent: usize, room: usize) -> Vec<Vec<(String, T)>> {
    let mut lines = vec![Vec::new()];
    let (mut used, mut is_empty, mut gap) = (0_usize, true, None);
    for (text, tone) in parts {
        for (index, word) in text.split(' ').enumerate() {
            if index > 0 {
                gap = Some((gap.map_or(0_usize, |(cells, _)| cells) + 1, *tone));
            }
            if word.is_empty() {
                continue;
            }
            let cells = gap.map_or(0_usize, |(cells, _)| cells);
            let Some(line) = lines.last_mut() else { continue };
            if !is_empty && cells > 0 && used + cells + word.width() > room {
                lines.push(vec![(" ".repeat(indent) + word, *tone)]);
                used = indent + word.width();
            } else {
                line.extend(gap.map(|(cells, tone)| (" ".repeat(cells), tone)));
                line.push((word.to_owned(), *tone));
                used += cells + word.width();
            }
            (is_empty, gap) = (false, None);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_columns_are_narrowed_to_the_room() {
        let columns = |widths: &[(usize, usize)]| -> Vec<ColumnWidth> {
            widths.iter().map(|(width, word)| ColumnWidth { width: *width, word: *word }).collect()
        };
        assert_eq!(narrowed(&columns(&[(10, 5), (20, 5), (30, 5)]), 64), None);
        assert_eq!(narrowed(&columns(&[(10, 5), (20, 5), (30, 5)]), 63), Some(vec![10, 20, 29]));
        assert_eq!(narrowed(&columns(&[(4, 4), (60, 5), (200, 5)]), 80), Some(vec![4, 36, 36]));
        assert_eq!(narrowed(&columns(&[(4, 4), (16, 5), (200, 5)]), 80), Some(vec![4, 16, 56]));
        // A hash is not broken, and what does not fit beside it stays as it is.
        assert_eq!(narrowed(&columns(&[(30, 5), (64, 64)]), 96), None);
        assert_eq!(narrowed(&columns(&[(30, 5), (64, 64)]), 90), Some(vec![24, 64]));
        // A hash that does not fit has a line of its own, after the words before it.
        assert_eq!(narrowed(&columns(&[(30, 5), (164, 64)]), 70), Some(vec![30, 38]));
        assert_eq!(narrowed(&columns(&[(30, 5), (164, 64)]), 50), Some(vec![14, 34]));
        assert_eq!(narrowed(&columns(&[(30, 5), (164, 64)]), 35), None);
    }

    #[test]
    fn parts_are_broken_between_words_and_continued_below_the_first_one() {
        let text = |parts: &[(&str, char)], indent, room| -> Vec<String> {
            let lines = flow(parts, indent, room).into_iter();
            lines.map(|line| line.into_iter().map(|(text, _)| text).collect()).collect()
        };
        let parts = [("      why  ", 'd'), ("the lowest bit is the sign of the number", 't')];
        assert_eq!(
            text(&parts, 11, 30),
            ["      why  the lowest bit is", "           the sign of the", "           number"]
        );
        // Words that fit stay as they were; a word that does not fit stays whole.
        assert_eq!(text(&parts, 11, 80), ["      why  the lowest bit is the sign of the number"]);
        assert_eq!(text(&[("a ", 'a'), ("0123456789", 'b'), ("c d", 'a')], 1, 6), ["a", " 0123456789c", " d"]);
        let toned = flow(&[("ab cd ", 'x'), ("ef", 'y')], 0, 5);
        assert_eq!(toned[1], [("ef".to_owned(), 'y')]);
        assert_eq!(text(&[], 0, 5), [""]);
        assert_eq!(text(&[("the code from this IL offset on", 't')], 0, 12), ["the code", "from this IL", "offset on"]);
        assert_eq!(text(&[("a 0123456789abcdef b", 't')], 0, 8), ["a", "0123456789abcdef", "b"]);
    }
}
