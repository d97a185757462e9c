//! Orders of lists: the rows sorted by one column.

use std::cmp::Ordering;

use crate::ui::glyphs::Glyphs;
use pdblens_nodes::rows::{Row, Rows};

/// Rows between two checks for cancellation.
const CHECK_INTERVAL: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    pub column: usize,
    /// True for the largest first.
    pub descending: bool,
}

/// Rows in another order: the original index of each line, and the line of each original index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    rows: Vec<u32>,
    lines: Vec<u32>,
}

/// Sort keys of cells, one after another: bytes that compare as the cells do. Numbers precede links, links precede other texts; the key of an
/// empty cell is empty.
#[derive(Default)]
struct Keys {
    bytes: Vec<u8>,
    /// End of each key.
    ends: Vec<usize>,
}

const NUMBER: u8 = 0;
const LINK: u8 = 1;
const TEXT: u8 = 2;

impl Keys {
    fn add(&mut self, text: &str) {
        let (text, bytes) = (text.trim(), &mut self.bytes);
        if let Some((number, rest)) = number(text) {
            bytes.push(NUMBER);
            // With the sign turned over, the bytes of a negative number are less.
            bytes.extend((number ^ i128::MIN).to_be_bytes());
            bytes.extend(rest.as_bytes());
        } else if let Some((table, row, rest)) = link(text) {
            bytes.push(LINK);
            bytes.extend(table.bytes().map(|letter| letter.to_ascii_lowercase()).chain([0]));
            bytes.extend(row.to_be_bytes());
            bytes.extend(rest.as_bytes());
        } else if !text.is_empty() {
            bytes.push(TEXT);
            bytes.extend(text.to_lowercase().as_bytes());
            bytes.push(0);
            bytes.extend(text.as_bytes());
        }
        self.ends.push(self.bytes.len());
    }

    fn get(&self, index: u32) -> &[u8] {
        let index = index as usize;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[index]]
    }

    fn len(&self) -> u32 {
        self.ends.len() as u32
    }
}

impl Sort {
    /// The order after `now`: a column of numbers begins with the largest, and the third press restores the order of the file.
    pub fn next(now: Option<Self>, column: usize, is_number: bool) -> Option<Self> {
        match now.filter(|now| now.column == column) {
            None => Some(Self { column, descending: is_number }),
            Some(now) if now.descending == is_number => Some(Self { descending: !is_number, ..now }),
            Some(_) => None,
        }
    }

    pub fn label(self, name: &str, glyphs: &Glyphs) -> String {
        let arrow = match (glyphs.ascii, self.descending) {
            (true, true) => "descending",
            (true, false) => "ascending",
            (false, true) => "↓",
            (false, false) => "↑",
        };
        let name = if name.is_empty() { "size" } else { name };
        format!("by {name} {arrow}")
    }

    fn add_key(self, row: &Row, keys: &mut Keys) {
        keys.add(row.cells.get(self.column).map_or("", |cell| cell.text.as_str()));
    }

    fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        match (a.is_empty(), b.is_empty()) {
            (false, false) if self.descending => b.cmp(a),
            (false, false) => a.cmp(b),
            // Nothing is last in both directions.
            (is_empty, other_is_empty) => is_empty.cmp(&other_is_empty),
        }
    }

    /// The order of the keys; equal ones stay as they are.
    fn sorted_keys(self, keys: &Keys) -> Vec<u32> {
        let mut order: Vec<u32> = (0..keys.len()).collect();
        order.sort_by(|a, b| self.compare(keys.get(*a), keys.get(*b)));
        order
    }

    /// The order of some rows; equal ones stay as they are.
    pub fn sorted(self, rows: impl Iterator<Item = Row>) -> Vec<u32> {
        let mut keys = Keys::default();
        rows.for_each(|row| self.add_key(&row, &mut keys));
        self.sorted_keys(&keys)
    }

    /// The order of a list; `None` if `stop` returned true.
    pub fn order(self, rows: &Rows<'_>, stop: &dyn Fn() -> bool) -> Option<Order> {
        let _ = u32::try_from(rows.len).ok()?;
        let mut keys = Keys::default();
        for (index, row) in rows.iter().enumerate() {
            if index % CHECK_INTERVAL == 0 && stop() {
                return None;
            }
            self.add_key(&row, &mut keys);
        }
        let rows = self.sorted_keys(&keys);
        let mut lines = vec![0; rows.len()];
        for (line, row) in (0..).zip(&rows) {
            lines[*row as usize] = line;
        }
        Some(Order { rows, lines })
    }
}

impl Order {
    pub fn line(&self, row: usize) -> Option<usize> {
        self.lines.get(row).map(|line| *line as usize)
    }

    pub fn row(&self, line: usize) -> Option<usize> {
        self.rows.get(line).map(|row| *row as usize)
    }

    pub const fn len(&self) -> usize {
        self.rows.len()
    }
}

/// A number in decimal or hexadecimal, and what follows it: `0x1f`, `-3`, `1234 B`, `355–395`, `7:9–7:82`.
fn number(text: &str) -> Option<(i128, &str)> {
    let (first, rest) = text.split_at(text.find([' ', '–', ':']).unwrap_or(text.len()));
    let number = match first.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => first.parse().ok(),
    };
    Some((number?, rest))
}

/// A row of a table, and what follows it: `Document/10`, `Param/3 value`.
fn link(text: &str) -> Option<(&str, u32, &str)> {
    let (first, rest) = text.split_at(text.find(' ').unwrap_or(text.len()));
    let (table, row) = first.split_once('/')?;
    let is_name = !table.is_empty() && table.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_name.then(|| row.parse().ok()).flatten().map(|row| (table, row, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_nodes::rows::Head;

    fn list(texts: &[&str]) -> Rows<'static> {
        let rows = texts.iter().map(|text| Row::plain(vec![(*text).into()])).collect();
        Rows::of("", Head::list(["n"]), rows)
    }

    fn order(texts: &[&str], descending: bool) -> Vec<String> {
        let rows = list(texts);
        let order = Sort { column: 0, descending }.order(&rows, &|| false).unwrap();
        let texts = (0..order.len()).map(|line| rows.get(order.row(line).unwrap()).unwrap().cells[0].text.clone());
        texts.collect()
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_nothing_is_last() {
        assert_eq!(order(&["10", "9", "", "0xb", "-1"], false), ["-1", "9", "10", "0xb", ""]);
        assert_eq!(order(&["10", "9", "", "0xb", "-1"], true), ["0xb", "10", "9", "-1", ""]);
        assert_eq!(order(&["120 B", "b", "7 B", "A"], false), ["7 B", "120 B", "A", "b"]);
        assert_eq!(order(&["355–395", "1317", "40:9–41:2", "7"], false), ["7", "40:9–41:2", "355–395", "1317"]);
        assert_eq!(
            order(&["Document/10", "Param/1", "Document/9 a.cs", "a/b"], false),
            ["Document/9 a.cs", "Document/10", "Param/1", "a/b"]
        );
        assert_eq!(order(&["b", "B", "a", "A1"], false), ["a", "A1", "B", "b"], "cases differ last");
        assert_eq!(order(&["0002:00000010", "0001:00000020", "0001:00000010"], false)[0], "0001:00000010");
    }

    #[test]
    fn a_row_keeps_its_number_and_has_another_line() {
        let rows = list(&["3", "1", "2"]);
        let order = Sort { column: 0, descending: false }.order(&rows, &|| false).unwrap();
        assert_eq!((order.line(0), order.line(1), order.line(2), order.line(3)), (Some(2), Some(0), Some(1), None));
        assert_eq!(Sort { column: 0, descending: false }.order(&rows, &|| true), None);
    }

    #[test]
    fn the_third_press_restores_the_order_of_the_file() {
        let first = Sort::next(None, 1, true);
        assert_eq!(first, Some(Sort { column: 1, descending: true }));
        let second = Sort::next(first, 1, true);
        assert_eq!(second, Some(Sort { column: 1, descending: false }));
        assert_eq!(Sort::next(second, 1, true), None);
        assert_eq!(Sort::next(second, 2, false), Some(Sort { column: 2, descending: false }));
    }
}
