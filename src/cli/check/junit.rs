//! JUnit's XML, as pipelines read it: a suite for each pair, a case for each rule that had something to say.

use std::collections::HashSet;
use std::io::{self, Write};

use super::Checked;
use super::report::{CheckOutcome, Located};
use crate::query::check::Grade;
use crate::text::safe::visible;

pub(super) fn write(out: &mut impl Write, all: &[Checked]) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pdblens\">")?;
    for checked in all {
        let name = escaped(&checked.path.display().to_string().replace('\\', "/"));
        match &checked.outcome {
            CheckOutcome::Skipped(why) => unchecked(out, &name, "check", "skipped", &why.text)?,
            CheckOutcome::Unreadable(why) => unchecked(out, &name, "read", "error", &why.text)?,
            CheckOutcome::Pair(pair) | CheckOutcome::Package(pair) => suite(out, &name, &pair.remarks)?,
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

/// A suite with one case, whose `result` is `skipped` or `error`.
fn unchecked(out: &mut impl Write, name: &str, case: &str, result: &str, why: &str) -> io::Result<()> {
    let (errors, skipped) = (u8::from(result == "error"), u8::from(result == "skipped"));
    writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"1\" failures=\"0\" errors=\"{errors}\" skipped=\"{skipped}\">"
    )?;
    let why = escaped(why);
    writeln!(out, "    <testcase classname=\"{name}\" name=\"{case}\"><{result} message=\"{why}\"/></testcase>")
}

fn suite(out: &mut impl Write, name: &str, remarks: &[Located]) -> io::Result<()> {
    let mut rules: Vec<&'static str> = remarks.iter().map(|located| located.remark.rule).collect();
    let mut seen = HashSet::new();
    rules.retain(|rule| seen.insert(*rule));
    let of = |rule: &str, grade| {
        let remarks = remarks.iter().map(|located| &located.remark);
        let found = remarks.filter(|remark| remark.rule == rule && remark.grade == grade);
        found.map(|remark| remark.sentence.as_str()).collect::<Vec<_>>()
    };
    let failures = rules.iter().filter(|rule| !of(rule, Grade::Finding).is_empty()).count();
    let tests = rules.len();
    writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">"
    )?;
    for rule in rules {
        let (found, notes) = (of(rule, Grade::Finding), of(rule, Grade::Note));
        write!(out, "    <testcase classname=\"{name}\" name=\"{rule}\">")?;
        if let Some(first) = found.first() {
            write!(out, "<failure message=\"{}\">{}</failure>", escaped(first), lines(&found))?;
        }
        if !notes.is_empty() {
            write!(out, "<system-out>{}</system-out>", lines(&notes))?;
        }
        writeln!(out, "</testcase>")?;
    }
    Ok(())
}

fn lines(sentences: &[&str]) -> String {
    sentences.iter().map(|sentence| escaped(sentence)).collect::<Vec<_>>().join("&#10;")
}

/// Escapes text for XML. What a terminal would act on is spelled out, as in text; characters that XML does not have become U+FFFD.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
