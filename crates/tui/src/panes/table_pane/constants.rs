//! Columns of a list that have one value in all rows: it is said once, in the title, and the other columns get the room.

use crate::ui::grid::is_link;
use crate::ui::text::width;
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Row, Rows};

/// Rows of the longest list whose columns are compared: a longer one would be slow to open.
const MAX_COMPARED: usize = 2000;
/// Limit on the width of a value in a title, in cells.
const MAX_VALUE: usize = 40;
/// Owner of the columns: the list, the session by its address, and the number of rows.
type ColumnsOwner = (Place, usize, usize);
#[derive(Default)]
pub(super) struct ConstantColumns {
    key: Option<ColumnsOwner>,
    /// Index and value of each column.
    known: Vec<(usize, String)>,
}

impl ConstantColumns {
    /// Looks at a list, unless it is the last one.
    pub(super) fn look_at(&mut self, key: ColumnsOwner, rows: &Rows<'_>) {
        if self.key != Some(key) {
            *self = Self { key: Some(key), known: values(rows, &constant_columns(rows)) };
        }
    }

    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The columns whose values a title has `room` for, or that are empty.
    pub(super) fn fitting(&self, mut room: usize) -> impl Iterator<Item = &(usize, String)> {
        self.known.iter().filter(move |(_, value)| {
            let wide = if value.is_empty() { 0 } else { width(value) + 3 };
            let fits = wide <= room;
            room -= if fits { wide } else { 0 };
            fits
        })
    }
}

/// The columns whose cells are the same in all rows; none of a list that is too long.
fn constant_columns(rows: &Rows<'_>) -> Vec<usize> {
    let first = if (2..=MAX_COMPARED).contains(&rows.len) { rows.get(0) } else { None };
    let Some(first) = first else { return Vec::new() };
    let mut columns: Vec<usize> = (1..rows.columns.len().min(first.cells.len())).collect();
    for row in rows.window(1..rows.len) {
        columns.retain(|column| text_of(&row, *column) == text_of(&first, *column));
        if columns.is_empty() {
            break;
        }
    }
    columns
}

fn text_of(row: &Row, column: usize) -> Option<&str> {
    row.cells.get(column).map(|cell| cell.text.as_str())
}

fn is_name(text: &str) -> bool {
    text.starts_with(char::is_alphabetic) && !["nil", "none"].contains(&text)
}

/// Columns with their values as a title says them; without those whose value is too long for one.
fn values(rows: &Rows<'_>, columns: &[usize]) -> Vec<(usize, String)> {
    let Some(first) = rows.get(0) else { return Vec::new() };
    let value = |column: &usize| {
        let (head, cell) = (rows.columns.get(*column)?.name, first.cells.get(*column)?);
        // The text beside a link is the name of its target; beside other texts it is a detail.
        let name = if is_link(cell) { cell.beside.trim() } else { "" };
        let text = format!("{} {name}", cell.text.trim());
        let value = match text.trim() {
            // A name says what it is; a number needs that of its column.
            text if is_name(text) => text.to_owned(),
            "" => String::new(),
            text => format!("{head} {text}"),
        };
        (width(&value) <= MAX_VALUE).then_some((*column, value))
    };
    columns.iter().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_nodes::rows::{Cell, Head};

    #[test]
    fn a_column_with_one_value_in_all_rows_is_found_and_one_that_differs_at_the_end_is_not() {
        let make = |len: usize| {
            let columns = Head::list(["row", "algorithm", "hash", "language", "path", "data"]);
            Rows::new("", columns, len, move |row| {
                let algorithm = if row + 1 == len { "SHA-1" } else { "SHA-256" };
                let path = format!("{row}.cs");
                Row::plain([&*row.to_string(), algorithm, "32 bytes", "C#", &path, ""].map(Cell::new).to_vec())
            })
        };
        let all = [(2, "hash 32 bytes".to_owned()), (3, "C#".to_owned()), (5, String::new())];
        let mut constant = ConstantColumns::default();
        constant.look_at((Place::Tables, 0, 9), &make(9));
        let seen = |constant: &ConstantColumns, room| constant.fitting(room).cloned().collect::<Vec<_>>();
        assert_eq!(seen(&constant, 80), all);
        assert_eq!(seen(&constant, 9), all[1..], "what the title cannot say stays a column");
        for (len, all) in [(MAX_COMPARED, &all[..]), (MAX_COMPARED + 1, &[])] {
            constant.look_at((Place::Tables, 0, len), &make(len));
            assert_eq!(seen(&constant, 80), all, "{len} rows");
        }
        constant.look_at((Place::Tables, 0, 1), &make(1));
        assert_eq!(seen(&constant, 80), [], "one row has no constant columns");
    }
}
