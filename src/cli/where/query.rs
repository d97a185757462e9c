//! Queries of `where`, with their labels.

use std::ops::Range;

use crate::cli::Error;
use crate::cli::batch::{in_line, labelled};
use crate::query::address::{self, AddressError, AddressErrorKind, OffsetQuery, parse_offset};
use crate::query::ask::code_address;
use crate::session::Session;
use crate::text::safe::visible;

#[derive(Debug)]
pub(super) struct QueryError {
    pub(super) reason: &'static str,
    pub(super) text: String,
    /// Bytes of the query that are wrong.
    at: Range<usize>,
}

impl QueryError {
    fn of(error: AddressError, text: String) -> Self {
        Self { reason: error.code(), text, at: error.at }
    }

    /// The error of the command, with the line of standard input that the query stands in.
    pub(super) fn of_query(self, query: &str, line: Option<usize>) -> Error {
        Error::Address { sentence: in_line(&self.text, line), text: query.to_owned(), at: self.at }
    }
}

/// Offset that a query asks for, and its label: `crash 1: Clock.Since+15`. A query that is one with its colons has none.
///
/// # Errors
///
/// The reason about the query, with its label.
pub(super) fn parse<'q>(session: &Session, query: &'q str) -> Result<(Option<&'q str>, OffsetQuery), QueryError> {
    if let Ok(offset) = parse_offset(session, query) {
        return Ok((None, offset));
    }
    let Some((label, rest)) = labelled(query) else { return other(session, query) };
    // A column of methods and a column of decimal offsets look like labels and rows.
    let is_number = !rest.trim().is_empty() && rest.trim().bytes().all(|byte| byte.is_ascii_digit());
    if is_number && query.contains('\t') && parse_offset(session, label).is_ok_and(|method| method.offset == 0) {
        let kind = AddressErrorKind::NotAnOffset { of: label.to_owned(), rest: rest.trim().to_owned() };
        let error = AddressError::from(kind).about(query, rest.trim());
        let sentence = error.to_string();
        return Err(QueryError::of(error, sentence));
    }
    match parse_offset(session, rest) {
        Ok(offset) => Ok((Some(label), offset)),
        Err(of_rest) if of_rest.is_unknown() => other(session, query),
        Err(of_rest) => {
            let sentence = format!("{label}: {of_rest}");
            let before = query.len() - rest.len();
            Err(QueryError::of(of_rest.after(before), sentence))
        }
    }
}

/// Offset that a query without a label refers to in a notation of the prompt.
fn other<'q>(session: &Session, query: &'q str) -> Result<(Option<&'q str>, OffsetQuery), QueryError> {
    code_address(session, query).map(|offset| (None, offset)).map_err(|error| {
        let sentence = if error.is_unknown() && is_no_name(session, query) {
            format!("{:?} is not METHOD+OFFSET", visible(query))
        } else {
            error.with_nearest(session)
        };
        QueryError::of(error, sentence)
    })
}

/// Returns true for words that no method can be called by; names of native functions have spaces (`operator new`).
fn is_no_name(session: &Session, query: &str) -> bool {
    query.contains(' ') && !query.contains(['(', '<', '+', ':', '/']) && session.metadata().is_some()
}

/// Queries of the command line, in which an offset may be a word of its own: `Columns.Mixed 0x1f`.
pub(super) fn joined(session: &Session, words: Vec<String>) -> Vec<String> {
    let mut queries: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let whole = queries.last().and_then(|before| address::joined(session, before, &word));
        match (whole, queries.last_mut()) {
            (Some(whole), Some(before)) => *before = whole,
            _ => queries.push(word),
        }
    }
    queries
}

/// Note on a number alone after a name, which is the row of a method and no offset.
pub(super) fn row_note(queries: &[String]) -> Option<String> {
    let is_name = |query: &str| query.starts_with(char::is_alphabetic) && !query.contains('+');
    let is_row = |query: &str| !query.is_empty() && query.bytes().all(|byte| byte.is_ascii_digit());
    let found = queries.windows(2).find(|pair| is_name(&pair[0]) && is_row(&pair[1]))?;
    let (name, row) = (&found[0], &found[1]);
    Some(format!("{row} is the method in row {row} · tip: write {name}+{row} for the offset in {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_may_be_a_word_of_its_own() {
        let session = Session::sample();
        let of = |words: &[&str]| joined(&session, words.iter().map(|word| (*word).to_owned()).collect());
        assert_eq!(of(&["Clock.Since", "0xf"]), ["Clock.Since+0xf"]);
        assert_eq!(of(&["0x06000003", "IL_000f", "2"]), ["0x06000003+0xf", "2"]);
        assert_eq!(of(&["Clock.Since", "0x06000002"]), ["Clock.Since", "0x06000002"], "a token is a query");
        assert_eq!(of(&["Clock.Since+2", "0xf"]), ["Clock.Since+2", "0xf"]);
        assert_eq!(of(&["0xf"]), ["0xf"]);
        let note = row_note(&of(&["Clock.Since", "2"])).unwrap();
        assert!(note.contains("Clock.Since+2"), "{note}");
        assert_eq!(row_note(&of(&["3", "2"])), None);
    }

    #[test]
    fn an_offset_after_an_ambiguous_name_is_no_query_of_its_own() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/workshop/Workshop.dll");
        let session = Session::open(&[path.into()]).unwrap();
        let of = |words: &[&str]| joined(&session, words.iter().map(|word| (*word).to_owned()).collect());
        assert!(parse(&session, "Reading.Equals").unwrap_err().text.contains("could be any of"));
        assert_eq!(of(&["Reading.Equals", "0x1f"]), ["Reading.Equals+0x1f"]);
        assert_eq!(of(&["Reading.Equals", "0x06000002"]), ["Reading.Equals", "0x06000002"]);
        assert_eq!(of(&["Nowhere", "0x1f"]), ["Nowhere", "0x1f"]);
    }

    #[test]
    fn labels_stand_before_a_colon_or_a_tab() {
        let session = Session::sample();
        let label = |query| parse(&session, query).map(|(label, query)| (label, query.offset));
        assert_eq!(label("crash 1: Clock.Since+15").ok(), Some((Some("crash 1"), 15)));
        assert_eq!(label("main\t0x06000003+0xf").ok(), Some((Some("main"), 15)));
        assert_eq!(label("0x06000003:0f").ok(), Some((None, 15)));
        assert!(label("crash 1: Nowhere+15").is_err_and(|error| error.text.contains("crash 1")));
        for (text, said) in [
            ("Clock.cs:13", "is a source line, not an IL offset · tip: `pdblens break --sample Clock.cs:13` finds"),
            ("Clock.cs", "is a document without a line · tip: the first line with code is"),
            ("Clock.cs:x", "\"x\" is not a line of Clock.cs · tip"),
            ("Nope.cs:3", "no document is called \"Nope.cs\" · tip: `pdblens list --sample documents`"),
            ("Clock.cs:0", "there is no line 0: lines are counted from 1 · tip"),
        ] {
            let error = label(text).unwrap_err().text;
            assert!(error.contains(said), "{text}: {error}");
        }
        assert_eq!(label("Clock.Since\t0xf").ok(), Some((None, 15)));
        let error = label("Clock.Since\t15").unwrap_err().text;
        assert!(error.contains("tip: write Clock.Since+15, or Clock.Since+0x15"), "{error}");
        assert_eq!(label("main\t2").map(|(label, _)| label).ok(), Some(Some("main")), "the method in row 2");
        let error = label("crash 1: Clock.Since(bool)+1").unwrap_err().text;
        assert!(error.starts_with("crash 1: no overload of Clock.Since"), "{error}");
    }
}
