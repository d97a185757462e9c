//! Notations of a source line: `Clock.cs:13`, `src/Clock.cs:13:9`, `Clock.cs(13,9)`, `Clock.cs:line 13`, and `1:13` with the row of
//! the document.

use super::mistaken::no_line;
use super::{AddressError, AddressErrorKind};
use crate::shell_command::command;
use pdblens_formats::reason::Reason;
use pdblens_nodes::document;
use pdblens_nodes::resolve::{self, nearest_document};
use pdblens_session::session::Session;
use pdblens_session::symbols::SymbolReader;
use pdblens_session::text::paths::{after_drive, is_separator};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineQuery {
    /// The rows of the document: several where the symbols have it more than once.
    pub documents: Vec<u32>,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1 in UTF-16 units.
    pub column: Option<u32>,
    /// The path that was asked for, where its folder is not that of the document.
    pub other_path: Option<String>,
}

impl LineQuery {
    pub fn of(document: u32, line: u32, column: Option<u32>) -> Self {
        Self { documents: vec![document], line, column, other_path: None }
    }

    /// Sentence for a path of another folder, by whose end the document was found.
    pub fn folder_note(&self, session: &Session) -> Option<Reason> {
        self.other_path.as_ref()?;
        let path = document::name(session, *self.documents.first()?)?;
        Some(Reason::new("other-folder", format!("folder differs: the PDB has {path}")))
    }
}

/// Parses a document by path, end of path, file name or row, then `:` and a line, and perhaps a column. A path of another machine is
/// that of the document with the longest common end.
pub fn parse_line(session: &Session, text: &str) -> Result<LineQuery, AddressError> {
    let Some((name, line, column)) = split_line(text) else { return Err(no_line(session, text)) };
    let found = match line_query(session, name, line, column) {
        Err(error) if matches!(error.kind, AddressErrorKind::NoDocument { .. }) => {
            let (documents, is_other) = documents_with_end_of(session, name);
            let found = if documents.is_empty() { Err(error) } else { one_document(session, name, documents) };
            let other_path = is_other.then(|| name.to_owned());
            found.map(|documents| LineQuery { documents, line, column, other_path })
        }
        found => found,
    };
    found.map_err(|error| error.about(text, name))
}

/// Documents that share the longest end with the path of another machine, and whether the path has more folders before that end. Case
/// counts only between documents that differ in nothing else.
pub(super) fn documents_with_end_of(session: &Session, path: &str) -> (Vec<u32>, bool) {
    let parts = |path: &str| -> Vec<String> {
        let parts = path.rsplit(is_separator).filter(|part| !matches!(*part, "" | "." | ".."));
        parts.map(str::to_owned).collect()
    };
    let without_drive = after_drive(path).unwrap_or(path);
    // A label before a path has a colon.
    if without_drive.contains(':') {
        return (Vec::new(), false);
    }
    let wanted = parts(without_drive);
    let (mut best, mut found) = ((1, 0), Vec::new());
    for row in 1..=session.symbols().map_or(0, SymbolReader::documents) {
        let own = parts(&document::name(session, row).unwrap_or_default());
        let pairs = || wanted.iter().zip(&own);
        let folded = pairs().take_while(|(a, b)| a.to_lowercase() == b.to_lowercase()).count();
        let length = (folded, pairs().take_while(|(a, b)| a == b).count());
        if length > best {
            (best, found) = (length, Vec::new());
        }
        if length == best {
            found.push(row);
        }
    }
    let is_other = best.0 < wanted.len() || path.len() > without_drive.len();
    (found, is_other)
}

fn one_document(session: &Session, name: &str, documents: Vec<u32>) -> Result<Vec<u32>, AddressError> {
    let mut paths: Vec<String> = documents.iter().filter_map(|row| document::name(session, *row)).collect();
    paths.sort_unstable();
    paths.dedup();
    // The same choices as for a path: the error lists them.
    if paths.len() > 1 { Err(resolve::several_documents(session, name, &documents).into()) } else { Ok(documents) }
}

/// A line of a document by path, end of path, file name or row.
pub fn line_query(session: &Session, name: &str, line: u32, column: Option<u32>) -> Result<LineQuery, AddressError> {
    let documents = resolve::documents_named(session, name);
    if documents.is_empty() {
        let (nearest, list) = (nearest_document(session, name), command(session, "list", "documents"));
        return Err(AddressErrorKind::NoDocument { name: name.to_owned(), nearest, list }.into());
    }
    let documents = one_document(session, name, documents)?;
    Ok(LineQuery { documents, line, column, other_path: None })
}

/// Splits a text into the name of a document, a line and a column, without looking up the document: `Clock.cs:13:9`, `Clock.cs(13,9)` as
/// compilers write it, `Clock.cs:line 13` as .NET does, `Clock.cs 13`. `None` for a text without a line.
pub fn split_line(text: &str) -> Option<(&str, u32, Option<u32>)> {
    let text = text.trim();
    if let Some(found) = line_in_parentheses(text).or_else(|| line_after_word(text)).or_else(|| line_after_space(text))
    {
        return Some(found);
    }
    let (head, last) = split_number(text);
    let (name, line, column) = match split_number(head) {
        (name, Some(line)) if last.is_some() => (name, line, last),
        _ => (head, last?, None),
    };
    if line == 0 || column == Some(0) { None } else { Some((name, line, column)) }
}

/// Parses `Clock.cs(13)` and `Clock.cs(13,9)`.
fn line_in_parentheses(text: &str) -> Option<(&str, u32, Option<u32>)> {
    let (name, numbers) = text.strip_suffix(')')?.rsplit_once('(')?;
    let (line, column) = match numbers.split_once(',') {
        Some((line, column)) => (line, Some(column.trim().parse().ok()?)),
        None => (numbers, None),
    };
    let line = line.trim().parse().ok()?;
    if name.is_empty() || line == 0 || column == Some(0) { None } else { Some((name, line, column)) }
}

/// Parses `Clock.cs:line 13`.
fn line_after_word(text: &str) -> Option<(&str, u32, Option<u32>)> {
    let (name, line) = text.rsplit_once(":line ")?;
    let line = line.trim().parse().ok()?;
    if line == 0 { None } else { Some((name, line, None)) }
}

/// Parses `Clock.cs 13`. After another name such a number may be an offset.
fn line_after_space(text: &str) -> Option<(&str, u32, Option<u32>)> {
    let (name, line) = text.rsplit_once(' ')?;
    let (_, extension) = name.rsplit_once('.')?;
    let is_source = SOURCES.iter().any(|known| extension.eq_ignore_ascii_case(known));
    let line = line.parse().ok().filter(|line| *line > 0 && is_source)?;
    Some((name.trim_end(), line, None))
}

/// Extensions of sources.
const SOURCES: [&str; 10] = ["cs", "vb", "fs", "razor", "cshtml", "c", "cpp", "cc", "h", "hpp"];

/// A text and the number after its last colon.
fn split_number(text: &str) -> (&str, Option<u32>) {
    match text.rsplit_once(':') {
        Some((before, digits)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            digits.parse().map_or((text, None), |number| (before, Some(number)))
        }
        _ => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_with_its_column_and_without() {
        assert_eq!(split_number("Program.cs:21"), ("Program.cs", Some(21)));
        assert_eq!(split_number("C:\\src\\Program.cs"), ("C:\\src\\Program.cs", None));
        let session = Session::sample();
        let query = |column| Ok(LineQuery::of(1, 13, column));
        assert_eq!(parse_line(&session, "Program.cs:13"), query(None));
        assert_eq!(parse_line(&session, "ticker\\program.cs:13:9"), query(Some(9)));
        assert_eq!(parse_line(&session, "1:13"), query(None));
        assert_eq!(parse_line(&session, "Program.cs 13"), query(None));
        assert_eq!(split_line("Clock.Since 13"), None);
        let error = parse_line(&session, "Program.cs").unwrap_err();
        assert!(matches!(error.kind, AddressErrorKind::OtherKind(_)), "{error}");
        let (name, nearest) = ("Progam.cs".to_owned(), Some("Program.cs".to_owned()));
        let list = "pdblens list --sample documents".to_owned();
        let error = parse_line(&session, " Progam.cs:3").unwrap_err();
        assert_eq!((error.kind, error.at), (AddressErrorKind::NoDocument { name, nearest, list }, 1..10));
    }

    #[test]
    fn a_line_is_a_number_from_1_on_after_a_name() {
        for text in
            ["Clock.cs", "Clock.cs:0", "Clock.cs(0)", "Clock.cs:line 0", "Clock.cs:x", "(13)", "C:\\src\\Clock.cs"]
        {
            assert_eq!(split_line(text), None, "{text}");
        }
    }
}
