//! Rows on several lines: where a list leaves lines empty, texts that its columns cut are wrapped into them.

use crate::ui::columns::Columns;
use crate::ui::text::{width, wrap};
use pdblens_nodes::rows::Row;

/// Lines that a row takes at most; the text of a longer one shows where it has the cursor.
pub(super) const MAX_LINES: usize = 8;

/// The lines of a text with the detail beside it in `wide` cells; each is indented as the text is.
pub(super) fn cell_lines(row: &Row, column: usize, wide: usize) -> Vec<String> {
    let Some(cell) = row.cells.get(column) else { return Vec::new() };
    let text = format!("{} {}", cell.text, cell.beside);
    // More than the lines that a row takes are not needed.
    let most = (wide + 1) * (MAX_LINES + 1);
    let text = text.char_indices().nth(most).map_or(&*text, |(end, _)| &text[..end]).trim_end();
    if width(text) <= wide {
        return vec![text.to_owned()];
    }
    let rest = text.trim_start();
    let lead = &text[..text.len() - rest.len()];
    wrap(rest, wide.saturating_sub(lead.len()).max(1)).into_iter().map(|line| format!("{lead}{line}")).collect()
}

/// The lines that each row takes; `spare` lines are empty otherwise.
pub(super) fn heights(shown: &[Row], columns: &Columns, mut spare: usize) -> Vec<u16> {
    let lines =
        |row: &Row| columns.rooms(row).into_iter().map(|(wide, column)| cell_lines(row, column, wide).len()).max();
    let height = |row: &Row| {
        let wanted = if spare == 0 { 1 } else { lines(row).unwrap_or(1).max(1) };
        if wanted > MAX_LINES || wanted - 1 > spare {
            return 1;
        }
        spare -= wanted - 1;
        wanted as u16
    };
    shown.iter().map(height).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_nodes::rows::{Cell, Head, Rows};

    #[test]
    fn texts_are_wrapped_into_lines_that_are_left() {
        let row = |text: &str| Row::plain(vec![Cell::new("id"), Cell::new(text)]);
        let rows = [row("short"), row("a text of several words"), row("another text that is long")];
        let lines_of = |rows: &[Row], width: u16, spare: usize| {
            let columns = Columns::new(&Rows::of("", vec![Head::text(""); 2], rows.to_vec()), rows, width, None, false);
            heights(rows, &columns, spare)
        };
        assert_eq!(lines_of(&rows, 16, 0), [1, 1, 1]);
        assert_eq!(lines_of(&rows, 16, 3), [1, 3, 1], "of the last row there is not room for all");
        assert_eq!(lines_of(&rows, 16, 9), [1, 3, 3]);
        assert_eq!(cell_lines(&rows[1], 1, 10), ["a text of", "several", "words"]);
        let long = row(&"word ".repeat(90));
        assert_eq!(lines_of(std::slice::from_ref(&long), 66, 9), [8], "all 90 words are shown");
        assert_eq!(lines_of(&[long], 56, 9), [1], "no text is cut without a sign");
        assert_eq!(cell_lines(&Row::plain(vec![Cell::new("  abcdef")]), 0, 5), ["  abc", "  def"]);
    }
}
