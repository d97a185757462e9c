//! A lesson as text: prose, examples, questions, and with the key their answers.

use unicode_width::UnicodeWidthStr;

use super::Error;
use super::output::Out;
use crate::learn::Question;
use crate::learn::lesson::prepared::PreparedStep;
use crate::learn::lesson::{Lesson, Prepared};
use crate::nodes;
use crate::nodes::rows::Tone;
use crate::session::Session;
use crate::text::safe::spaced_hex;

/// Width of prose at most.
const WIDTH: usize = 96;
/// Bytes of an example that are shown.
const MAX_BYTES: usize = 16;

/// Prints a lesson; `key` adds the right answers and the mistakes that are explained.
pub(super) fn print(
    out: &mut Out,
    lesson: &Lesson,
    prepared: &Prepared,
    session: &Session,
    key: bool,
) -> Result<(), Error> {
    let number = if lesson.number == 0 { String::new() } else { format!("Lesson {}  ", lesson.number) };
    out.parts(&[
        (&number, Tone::Dim),
        (&lesson.title, Tone::Strong),
        (&format!("  {} minutes", lesson.minutes), Tone::Dim),
    ])?;
    out.prose(&[], &[(&lesson.about, Tone::Text)])?;
    let mut last = None;
    for (index, step) in prepared.steps.iter().enumerate() {
        out.line("")?;
        out.parts(&[(&format!("{}. ", index + 1), Tone::Dim), (&step.title, Tone::Strong)])?;
        print_step(out, step, last, session)?;
        last = step.sample_name().or(last);
    }
    if !prepared.questions.is_empty() {
        out.line("")?;
        out.parts(&[("Questions", Tone::Strong)])?;
    }
    for (index, question) in prepared.questions.iter().enumerate() {
        out.line("")?;
        paragraph(out, &format!("{}. ", index + 1), &question.prompt)?;
        let wide = question.given.iter().map(|(name, _)| name.width() + 2).max().unwrap_or(0).max(14);
        for (name, text) in &question.given {
            out.prose(&[(&format!("   {name:wide$}"), Tone::Dim)], &[(text, Tone::Text)])?;
        }
        if key && !question.is_missing() {
            print_key(out, question)?;
        }
    }
    Ok(())
}

/// Prints a step; that its example is of the sample of the `last` one is said in few words.
fn print_step(out: &mut Out, step: &PreparedStep, last: Option<&str>, session: &Session) -> Result<(), Error> {
    // The remark that the example is from a sample precedes its numbers.
    match step.sample_name() {
        Some(name) if last == Some(name) => {
            paragraph(out, "   ! ", &format!("The example is from the built-in sample {name} again."))?;
        }
        _ => step.remark().into_iter().try_for_each(|remark| paragraph(out, "   ! ", &remark))?,
    }
    for text in &step.text {
        paragraph(out, "   ", text)?;
    }
    let Some(example) = &step.example else { return Ok(()) };
    let Some(read) = example.step() else { return Ok(()) };
    let value = format!("{} = {}  {}", read.field.name, read.field.value, read.field.meaning);
    let bytes = spaced_hex(&read.bytes, MAX_BYTES);
    let at = nodes::span_text(example.session(session), read.field.span);
    out.prose(
        &[("   → ", Tone::Dim)],
        &[
            (&example.place.to_string(), Tone::Text),
            ("  ", Tone::Text),
            (value.trim_end(), Tone::Strong),
            ("  ", Tone::Text),
            (&bytes, Tone::Text),
            (&format!("  {at}"), Tone::Dim),
        ],
    )
}

fn print_key(out: &mut Out, question: &Question) -> Result<(), Error> {
    out.prose(&[("   answer        ", Tone::Dim)], &[(&question.answer(), Tone::Ok)])?;
    for line in &question.solution {
        paragraph(out, "   = ", line)?;
    }
    for (wrong, because) in question.known_mistakes() {
        paragraph(out, "   ✗ ", &format!("{wrong}: {because}"))?;
    }
    Ok(())
}

/// Prints a paragraph with `head` before its first line.
fn paragraph(out: &mut Out, head: &str, text: &str) -> Result<(), Error> {
    let (mut line, gap) = (head.to_owned(), " ".repeat(head.width()));
    let width = out.cells().map_or(WIDTH, |cells| cells.min(WIDTH));
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.width() + 1 + word.width() > width {
            out.line(&line)?;
            line.clone_from(&gap);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    out.line(&line)
}
