//! Queries of `where` and `break`: those of the command line, and those on standard input with their labels and comments.

use std::io::{self, BufRead};

use super::{Error, Files};

/// Limit on the bytes of one question on standard input.
const MAX_QUESTION: u64 = 1 << 16;
const COMMENTS: &[&str] = &["#", "//", ";"];
type QuestionResult = Result<(), Error>;

/// Calls `each` with every query of the command line; `-` reads queries from standard input, each with the number of its line.
pub(super) fn each_question(
    questions: &[String],
    each: &mut dyn FnMut(&str, Option<usize>) -> QuestionResult,
) -> QuestionResult {
    for question in questions {
        if question != "-" {
            each(question, None)?;
            continue;
        }
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            if io::Read::take(&mut input, MAX_QUESTION).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let text = String::from_utf8_lossy(&line);
            let question = without_comment(&text);
            if !question.is_empty() {
                each(question, Some(number))?;
            }
        }
    }
    Ok(())
}

/// The sentence about a query, with the line of standard input that it stands in.
pub(super) fn in_line(text: &str, line: Option<usize>) -> String {
    line.map_or_else(|| text.to_owned(), |line| format!("line {line}: {text}"))
}

/// Refuses `-` without a file: it is where queries come from, and one input cannot be a file too.
pub(super) fn refuse_file_on_input(files: &Files, questions: &[String], usage: &str) -> Result<(), Error> {
    if files.files.is_empty() && !files.sample && questions.iter().any(|question| question == "-") {
        return Err(Error::Usage(format!(
            "`-` reads what to look up from standard input, and no file is named · tip: save the file, then `pdblens {usage}`"
        )));
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

pub(super) fn labelled(query: &str) -> Option<(&str, &str)> {
    let (label, rest) = query.split_once(": ").or_else(|| query.split_once('\t'))?;
    Some((label.trim(), rest))
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
}
