//! Search queries: a text in any column, or in named ones.
//!
//! `Main` is searched in all columns. `Kind:Enc` is searched in the column of that name, or the only one whose name
//! begins so; `Kind=EncLambdaMap` must be the whole cell. A column name applies up to the next one: `clock
//! Kind:embedded source row:1`.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use pdblens_nodes::number;
use pdblens_nodes::rows::{Cell, Head, Row};

/// A query: all terms must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub text: String,
    terms: Vec<Term>,
    /// A word before a colon that is no column, though it is written as one.
    pub unknown_column: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    column: Option<usize>,
    /// True if the whole cell must match.
    exact: bool,
    /// In lower case.
    text: String,
}

impl Query {
    pub fn new(text: &str, columns: &[Head]) -> Self {
        let (mut terms, mut from, mut column, mut exact) = (Vec::new(), 0, None, false);
        let is_name = |name: &&str| name.len() > 1 && name.chars().all(char::is_alphabetic);
        let before_sign = |word: &str| Some(word.get(..word.find([':', '='])?)?.to_owned());
        let unknown_column = words(text)
            .filter_map(|(_, word)| before_sign(word))
            .find(|name| is_name(&name.as_str()) && column_named(name, columns).is_none());
        let mut add = |column, exact, text: &str| {
            let text = text.trim().to_lowercase();
            if !text.is_empty() {
                terms.push(Term { column, exact, text });
            }
        };
        for (at, word) in words(text) {
            let named = word.find([':', '=']).and_then(|sign| Some((sign, column_named(&word[..sign], columns)?)));
            let Some((sign, found)) = named else { continue };
            add(column, exact, &text[from..at]);
            (from, column, exact) = (at + sign + 1, Some(found), word[sign..].starts_with('='));
        }
        add(column, exact, &text[from..]);
        Self { text: text.trim().to_owned(), terms, unknown_column }
    }

    /// Returns whether there are no terms, so that every row matches.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn matches(&self, row: &Row) -> bool {
        self.terms.iter().all(|term| match term.column {
            Some(column) => row.cells.get(column).is_some_and(|cell| term.matches(cell)),
            None => row.cells.iter().any(|cell| term.matches(cell)),
        })
    }

    /// Returns whether every row that matches this query also matches `other`.
    pub fn narrows(&self, other: &Self) -> bool {
        let within = |old: &Term, new: &Term| {
            let column = old.column.is_none() || old.column == new.column;
            old == new || (!old.exact && !new.exact && column && new.text.contains(&old.text))
        };
        other.terms.iter().all(|old| self.terms.iter().any(|new| within(old, new)))
    }

    /// Byte offset and length of the first match in a text of a column.
    pub fn position(&self, text: &str, column: usize) -> Option<(usize, usize)> {
        let here = self.terms.iter().filter(|term| term.column.is_none_or(|it| it == column));
        here.filter_map(|term| position(text, &term.text)).min()
    }

    /// Sets the style of all matches in a line that is drawn; `column` is the column drawn there.
    pub fn highlight(&self, buf: &mut Buffer, line: Rect, column: Option<usize>, style: Style) {
        let line = line.intersection(buf.area);
        if line.is_empty() || self.is_empty() {
            return;
        }
        // The drawn text, and the cell of each of its bytes.
        let (mut text, mut cells, mut x) = (String::new(), Vec::new(), line.x);
        while x < line.right() {
            let symbol = buf[(x, line.y)].symbol();
            text.push_str(symbol);
            cells.resize(text.len(), x);
            x += (symbol.width() as u16).max(1);
        }
        for term in self.terms.iter().filter(|term| term.column.is_none() || term.column == column) {
            let mut from = 0;
            while let Some((at, len)) = position(&text[from..], &term.text) {
                for x in cells.iter().skip(from + at).take(len) {
                    let wide = buf[(*x, line.y)].symbol().width().max(1) as u16;
                    buf.set_style(Rect { x: *x, width: wide, height: 1, ..line }, style);
                }
                from += at + len;
            }
        }
    }
}

impl Term {
    fn matches(&self, cell: &Cell) -> bool {
        if self.exact {
            let says = |text: &str| {
                position(text, &self.text) == Some((0, text.len()))
                    || number(text).is_some_and(|value| Some(value) == number(&self.text))
            };
            return says(cell.text.trim()) || says(cell.beside.trim());
        }
        let has = |text: &str| position(text, &self.text).is_some();
        // The detail follows the text, and a query may span both.
        has(&cell.text)
            || !cell.beside.is_empty()
                && (has(&cell.beside) || self.text.contains(' ') && has(&format!("{} {}", cell.text, cell.beside)))
    }
}

/// The words of a text with their byte offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let begins = move |at: &usize| !text[..*at].ends_with(|c: char| !c.is_whitespace());
    let starts = text.char_indices().filter(|(_, c)| !c.is_whitespace()).map(|(at, _)| at).filter(begins);
    starts.map(|at| (at, text[at..].split(char::is_whitespace).next().unwrap_or_default()))
}

/// The column of that name, or the only one whose name begins so.
fn column_named(name: &str, columns: &[Head]) -> Option<usize> {
    if name.is_empty() {
        return None;
    }
    let same = |head: &Head| head.name.eq_ignore_ascii_case(name);
    let begins = |head: &Head| head.name.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    columns.iter().position(same).or_else(|| {
        let mut found = columns.iter().enumerate().filter(|(_, head)| begins(head));
        let (column, _) = found.next()?;
        found.next().is_none().then_some(column)
    })
}

/// Byte offset and length of the first occurrence of `wanted`, which is in lower case, ignoring case.
pub fn position(text: &str, wanted: &str) -> Option<(usize, usize)> {
    let first = wanted.bytes().next()?;
    if wanted.is_ascii() {
        let bytes = text.as_bytes();
        let same = |at: &usize| {
            bytes.get(*at..*at + wanted.len()).is_some_and(|part| part.eq_ignore_ascii_case(wanted.as_bytes()))
        };
        let at = memchr::memchr2_iter(first, first.to_ascii_uppercase(), bytes).find(same)?;
        return Some((at, wanted.len()));
    }
    text.char_indices().find_map(|(at, _)| {
        let mut left = wanted.chars();
        for (end, c) in text[at..].char_indices() {
            if left.as_str().is_empty() {
                return Some((at, end));
            }
            if !c.to_lowercase().all(|c| left.next() == Some(c)) {
                return None;
            }
        }
        left.as_str().is_empty().then_some((at, text.len() - at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Head] = &[Head::number("row"), Head::text("Kind"), Head::text("KindOf"), Head::text("Name")];

    fn holds(text: &str, cells: &[&str]) -> bool {
        Query::new(text, COLUMNS).matches(&Row::plain(cells.iter().map(|text| Cell::new(*text)).collect()))
    }

    #[test]
    fn a_name_that_is_no_column_is_known() {
        for (text, wanted) in [("title:x", Some("title")), ("kind:x", None), ("a.cs:12", None), ("x", None), ("", None)]
        {
            assert_eq!(Query::new(text, COLUMNS).unknown_column.as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn a_text_is_in_any_column_or_in_the_one_that_is_named() {
        let row = ["15", "Embedded source", "x", "Enc1"];
        for (text, wanted) in [
            ("", true),
            ("ENC1", true),
            ("embedded SOURCE", true),
            ("source embedded", false),
            ("Kind:enc", false),
            ("kind:embedded source", true),
            ("Kind:embedded source na:enc row:5", true),
            ("enc1 kind:source", true),
            ("enc2 kind:source", false),
            ("Kind:", true),
            ("row:5", true),
            ("row=5", false),
            ("row=15", true),
            ("row=0xf", true),
            ("kind=embedded", false),
            ("kind=EMBEDDED source name=enc1", true),
        ] {
            assert_eq!(holds(text, &row), wanted, "{text}");
        }
        // An ambiguous or unknown column name is ordinary text.
        assert!(holds("Ki:x", &["1", "a Ki:x", "", ""]) && !holds("Ki:a", &["1", "a", "a", ""]));
        assert!(holds("nothing=1", &["nothing=1"]));
    }

    #[test]
    fn a_detail_is_read_together_with_what_it_stands_behind() {
        let row = Row::plain(vec![Cell::new("MethodDef/2").beside("Clock.Now")]);
        for (text, wanted) in [("clock.now", true), ("def/2 clock", true), ("row=MethodDef/2", true), ("2clock", false)]
        {
            let query = Query::new(text, &[Head::text("row")]);
            assert_eq!(query.matches(&row), wanted, "{text}");
        }
    }

    #[test]
    fn more_of_a_text_asks_for_less() {
        let query = |text| Query::new(text, COLUMNS);
        for (new, old, wanted) in [
            ("clock", "clo", true),
            ("clo", "clock", false),
            ("clo name:x", "clo", true),
            ("name:clo", "clo", true),
            ("clo", "name:clo", false),
            ("name=clo", "clo", false),
            ("name=clo", "name=clo", true),
            ("name=clock", "name=clo", false),
            ("x", "", true),
        ] {
            assert_eq!(query(new).narrows(&query(old)), wanted, "{new} {old}");
        }
    }

    #[test]
    fn case_is_of_no_matter_in_any_script() {
        assert_eq!(position("Ticker.CLOCK", "clock"), Some((7, 5)));
        assert_eq!(position("ÜBERGRÖSSE", "größ"), None);
        assert_eq!(position("über GRÖẞE", "größ"), Some((6, "GRÖẞ".len())));
        assert_eq!(position("日本語", "本"), Some((3, 3)));
        assert_eq!(position("İx", "x"), Some((2, 1)));
        assert_eq!(position("", "x"), None);
        assert_eq!(position("x", ""), None);
    }

    #[test]
    fn what_is_drawn_is_marked_where_it_stands() {
        let area = Rect::new(0, 0, 12, 1);
        let mut buf = Buffer::empty(area);
        buf.set_string(0, 0, "日本 Main ma", Style::new());
        let style = Style::new().bold();
        Query::new("本", &[]).highlight(&mut buf, area, None, style);
        Query::new("ma", &[]).highlight(&mut buf, area, None, style);
        let marked: Vec<u16> =
            (0..12).filter(|x| buf[(*x, 0)].modifier.contains(ratatui::style::Modifier::BOLD)).collect();
        assert_eq!(marked, [2, 3, 5, 6, 10, 11]);
    }
}
