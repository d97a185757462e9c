//! One row as text: tab-separated values, or a JSON object.

use crate::cli::json::write_compact;
use crate::cli::output::{tsv_escaped, tsv_exact};
use crate::nodes::Token;

/// Columns that every row begins with: file name of the image, its module version id, and the GUID of the symbols.
pub(super) const MODULE: &[&str] = &["module", "mvid", "pdb_id"];

/// A row in the making: the values up to the next column.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Row {
    text: Vec<u8>,
    next: usize,
    /// Text before the value of each column: `\t`, or `,"token":`.
    before: Vec<Box<[u8]>>,
    jsonl: bool,
    /// True if control characters are written as they are.
    raw: bool,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct RowMark {
    len: usize,
    next: usize,
}

impl Row {
    pub(super) fn new<'c>(columns: impl Iterator<Item = &'c str>, jsonl: bool, raw: bool) -> Self {
        let before = |(index, name): (usize, &str)| match (jsonl, index) {
            (true, 0) => format!("{{\"{name}\":"),
            (true, _) => format!(",\"{name}\":"),
            (false, 0) => String::new(),
            (false, _) => "\t".to_owned(),
        };
        let before = columns.enumerate().map(|column| before(column).into_bytes().into()).collect();
        Self { text: Vec::new(), next: 0, before, jsonl, raw }
    }

    /// State of the row: what is written before it is kept for the rows that follow.
    pub(in crate::cli) const fn mark(&self) -> RowMark {
        RowMark { len: self.text.len(), next: self.next }
    }

    /// Takes back what was written since `mark`.
    pub(in crate::cli) fn back(&mut self, mark: RowMark) {
        self.text.truncate(mark.len);
        self.next = mark.next;
    }

    /// Appends the row to `out` and goes back to `mark`.
    #[inline]
    pub(super) fn end(&mut self, mark: RowMark, out: &mut Vec<u8>) {
        debug_assert_eq!(self.next, self.before.len(), "a row has a value for each column");
        out.extend_from_slice(&self.text);
        out.extend_from_slice(if self.jsonl { b"}\n" } else { b"\n" });
        self.back(mark);
    }

    #[inline]
    fn begin(&mut self) {
        if let Some(before) = self.before.get(self.next) {
            self.text.extend_from_slice(before);
        }
        self.next += 1;
    }

    /// Writes an unknown value: nothing, or `null`.
    pub(in crate::cli) fn unknown(&mut self) {
        self.begin();
        if self.jsonl {
            self.text.extend_from_slice(b"null");
        }
    }

    pub(in crate::cli) fn text(&mut self, value: Option<&str>) {
        let Some(value) = value else { return self.unknown() };
        self.begin();
        if self.jsonl {
            // Memory takes whatever is written.
            let _ = write_compact(&mut self.text, value);
        } else {
            let value = if self.raw { tsv_exact(value) } else { tsv_escaped(value) };
            self.text.extend_from_slice(value.as_bytes());
        }
    }

    /// Writes a value that was encoded by [`Row::encoded`].
    #[inline]
    pub(in crate::cli) fn again(&mut self, encoded: &[u8]) {
        self.begin();
        self.text.extend_from_slice(encoded);
    }

    /// Encodes a text as a value of a row, for rows that repeat it.
    pub(in crate::cli) fn encoded(&self, value: Option<&str>) -> Vec<u8> {
        let mut row = Self { text: Vec::new(), before: Vec::new(), ..*self };
        row.text(value);
        row.text
    }

    #[inline]
    pub(in crate::cli) fn number(&mut self, value: Option<u32>) {
        let Some(value) = value else { return self.unknown() };
        self.begin();
        self.text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }

    #[inline]
    pub(in crate::cli) fn flag(&mut self, value: bool) {
        self.begin();
        let word: &[u8] = match (self.jsonl, value) {
            (true, true) => b"true",
            (true, false) => b"false",
            (false, true) => b"1",
            (false, false) => b"0",
        };
        self.text.extend_from_slice(word);
    }

    pub(in crate::cli) fn token(&mut self, token: Token) {
        self.text(Some(&token.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_complete_in_both_forms() {
        for (jsonl, expected) in [
            (false, "A\\tB\t0\t1\n A\\tB\t4294967295\t0\n"),
            (
                true,
                "{\"name\":\"A\\tB\",\"line\":0,\"hidden\":true}\n {\"name\":\"A\\tB\",\"line\":4294967295,\"hidden\":false}\n",
            ),
        ] {
            let mut row = Row::new(["name", "line", "hidden"].into_iter(), jsonl, false);
            row.text(Some("A\tB"));
            let (mark, mut out) = (row.mark(), Vec::new());
            for (line, hidden) in [(0, true), (u32::MAX, false)] {
                row.number(Some(line));
                row.flag(hidden);
                row.end(mark, &mut out);
                out.push(b' ');
            }
            assert_eq!(String::from_utf8(out).unwrap().trim_end_matches(' '), expected);
        }
    }

    #[test]
    fn what_a_terminal_would_act_on_is_spelled_out_unless_raw() {
        let name = "C:\\a\x1b[31m\u{202e}b\tc";
        for (jsonl, raw, expected) in [
            (false, false, "C:\\\\a\\x1b[31m\\u{202e}b\\tc"),
            (false, true, "C:\\\\a\x1b[31m\u{202e}b\\tc"),
            (true, false, "\"C:\\\\a\\u001b[31m\\u202eb\\tc\""),
        ] {
            let row = Row::new(["name"].into_iter(), jsonl, raw);
            assert_eq!(String::from_utf8(row.encoded(Some(name))).unwrap(), expected);
        }
        let row = Row::new(["name"].into_iter(), false, false);
        assert_eq!(row.encoded(Some("C:\\src\\größe.cs")), "C:\\src\\größe.cs".as_bytes());
    }

    #[test]
    fn an_unknown_value_is_empty_or_null() {
        for (jsonl, expected) in [(false, "\t7\n"), (true, "{\"a\":null,\"b\":7}\n")] {
            let mut row = Row::new(["a", "b"].into_iter(), jsonl, false);
            let (mark, mut out) = (row.mark(), Vec::new());
            row.text(None);
            row.number(Some(7));
            row.end(mark, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
