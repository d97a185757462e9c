//! Queries of `where`: those of the command line, and those on standard input with their labels and comments.

use std::io::{self, BufRead};

use crate::cli::Error;
use crate::nodes::resolve::ResolveError;
use crate::query::where_is::parse::{OffsetQuery, parse_offset};
use crate::session::Session;

/// Limit on the bytes of one question on standard input.
const MAX_QUESTION: u64 = 1 << 16;
/// Starts of a comment.
const COMMENTS: &[&str] = &["#", "//", ";"];

/// Calls `each` with every query of the command line; `-` reads queries from standard input.
pub(super) fn each_question(
    questions: &[String],
    each: &mut dyn FnMut(&str) -> Result<(), Error>,
) -> Result<(), Error> {
    for question in questions {
        if question != "-" {
            each(question)?;
            continue;
        }
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        loop {
            line.clear();
            if io::Read::take(&mut input, MAX_QUESTION).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let text = String::from_utf8_lossy(&line);
            let question = without_comment(&text);
            if !question.is_empty() {
                each(question)?;
            }
        }
    }
    Ok(())
}

/// A line without white space around it and without its comment, which begins the line or follows white space.
fn without_comment(line: &str) -> &str {
    let line = line.trim();
    let is_start = |at: &usize| *at == 0 || line.get(..*at).is_some_and(|before| before.ends_with([' ', '\t']));
    let starts = COMMENTS.iter().filter_map(|mark| line.match_indices(mark).map(|(at, _)| at).find(is_start));
    line.get(..starts.min().unwrap_or(line.len())).unwrap_or(line).trim_end()
}

/// Offset that a query asks for, and its label: `crash 1: Clock.Since+15`. A query that is one with its colons has none.
pub(super) fn parse<'q>(session: &Session, query: &'q str) -> Result<(Option<&'q str>, OffsetQuery), ResolveError> {
    let error = match parse_offset(session, query) {
        Ok(offset) => return Ok((None, offset)),
        Err(error) => error,
    };
    let labelled = query.split_once(": ").or_else(|| query.split_once('\t'));
    match labelled.map(|(label, rest)| (label.trim(), parse_offset(session, rest))) {
        Some((label, Ok(offset))) => Ok((Some(label), offset)),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_begin_a_line_or_follow_white_space() {
        for (line, query) in [
            ("# all", ""),
            (" // all\n", ""),
            ("; all", ""),
            ("Clock.Since+15 # slow\n", "Clock.Since+15"),
            ("Clock.Since+15\t// a # b", "Clock.Since+15"),
            ("std::map<a#b>;c//d+0x3", "std::map<a#b>;c//d+0x3"),
        ] {
            assert_eq!(without_comment(line), query, "{line:?}");
        }
    }

    #[test]
    fn labels_stand_before_a_colon_or_a_tab() {
        let session = Session::sample();
        let label = |query| parse(&session, query).map(|(label, query)| (label, query.offset));
        assert_eq!(label("crash 1: Clock.Since+15").ok(), Some((Some("crash 1"), 15)));
        assert_eq!(label("main\t0x06000003+0xf").ok(), Some((Some("main"), 15)));
        assert_eq!(label("0x06000003:f").ok(), Some((None, 15)));
        assert!(label("crash 1: Nowhere+15").is_err_and(|error| error.to_string().contains("crash 1")));
    }
}
