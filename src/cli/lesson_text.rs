//! A lesson as text: prose, examples, questions, and with the key their answers.

use unicode_width::UnicodeWidthStr;

use super::Error;
use super::output::Out;
use super::wrap::flow;
use crate::learn::code_places::CodePlaces;
use crate::learn::lesson::prepared::{DRAWING, PreparedStep};
use crate::learn::lesson::{Example, Lesson, Page, Prepared, built_in};
use crate::learn::{Question, programs};
use crate::nodes;
use crate::nodes::rows::Tone;
use crate::session::Session;
use crate::text::safe::spaced_hex;

/// Width of prose at most.
const WIDTH: usize = 96;
/// Bytes of an example that are shown.
const MAX_BYTES: usize = 16;

/// Prints a lesson, page by page; `key` adds the right answers and the mistakes that are explained.
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
    for need in &lesson.needs {
        if let Some(teacher) = built_in().iter().find(|other| other.teaches.contains(need)) {
            out.parts(&[
                ("needs ", Tone::Dim),
                (need, Tone::Text),
                (&format!("  lesson {}", teacher.key()), Tone::Dim),
            ])?;
        }
    }
    let (mut last, mut is_question) = (None, false);
    for page in &prepared.pages {
        out.line("")?;
        match *page {
            Page::Step(index) => {
                let Some(step) = prepared.steps.get(index) else { continue };
                out.parts(&[(&format!("{}. ", index + 1), Tone::Dim), (&step.title, Tone::Strong)])?;
                print_step(out, step, last, session)?;
                last = step.sample_name().or(last);
                is_question = false;
            }
            Page::Question(index) => {
                let Some(question) = prepared.questions.get(index) else { continue };
                if !std::mem::replace(&mut is_question, true) {
                    out.parts(&[("Questions", Tone::Strong)])?;
                    out.line("")?;
                }
                print_question(out, index, question, key)?;
            }
        }
    }
    Ok(())
}

fn print_question(out: &mut Out, index: usize, question: &Question, key: bool) -> Result<(), Error> {
    paragraph(out, &format!("{}. ", index + 1), &question.prompt)?;
    let wide = question.given.iter().map(|(name, _)| name.width() + 2).max().unwrap_or(0).max(14);
    for (name, text) in &question.given {
        out.prose(&[(&format!("   {name:wide$}"), Tone::Dim)], &[(text, Tone::Text)])?;
    }
    if key && !question.is_missing() {
        print_key(out, question)?;
    }
    Ok(())
}

fn print_places(out: &mut Out, places: &CodePlaces, example: &Example, session: &Session) -> Result<(), Error> {
    let Some(point) = example.span().and_then(|part| places.point_with(part)) else { return Ok(()) };
    let Some(shown) = places.points.get(point) else { return Ok(()) };
    let lines = shown.lines.map_or(0..=0, |(first, last)| first.saturating_sub(1)..=last.saturating_add(1));
    let mut head = format!("   {}  ", places.document);
    let mut line = |out: &mut Out, is_it: bool, text: &str| {
        let mark = if is_it { "▌" } else { " " };
        let gap = " ".repeat(head.width());
        let head = std::mem::replace(&mut head, gap);
        out.parts(&[(&head, Tone::Dim), (&format!("{mark}{text}"), if is_it { Tone::Strong } else { Tone::Dim })])
    };
    for (number, text) in places.source.iter().filter(|(number, _)| lines.contains(number)) {
        let is_it = shown.lines.is_some_and(|(first, last)| (first..=last).contains(number));
        line(out, is_it, &format!("{number:>4}  {text}"))?;
    }
    let near = |other: Option<usize>| other.is_some_and(|other| other.abs_diff(point) < 2);
    for instruction in places.code.iter().filter(|line| near(line.point)) {
        line(out, instruction.point == Some(point), &format!("{}  {}", instruction.offset, instruction.text))?;
    }
    let bytes = shown.span.and_then(|span| example.session(session).spaces().read(span).ok());
    let bytes = bytes.map_or_else(String::new, |bytes| spaced_hex(&bytes, MAX_BYTES));
    let number = point + 1;
    line(out, true, &format!("{bytes}  point {number} of {}: {} is {}", places.points.len(), shown.offset, shown.range))
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
    if step.shows_programs {
        paragraph(out, "   ", &programs::table())?;
    }
    let Some(example) = &step.example else { return Ok(()) };
    let Some(read) = example.step() else { return Ok(()) };
    if let Some(places) = &step.places {
        print_places(out, places, example, session)?;
    }
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
        match line.split_once('\t') {
            // Bits stay below each other.
            Some((bits, words)) => {
                out.prose(&[("   = ", Tone::Dim), (bits, Tone::Text)], &[("  ", Tone::Text), (words, Tone::Text)])?;
            }
            None => paragraph(out, "   = ", line)?,
        }
    }
    for (wrong, because) in question.known_mistakes() {
        paragraph(out, "   ✗ ", &format!("{wrong}: {because}"))?;
    }
    Ok(())
}

/// Prints a paragraph with `head` before its first line, or a drawing.
fn paragraph(out: &mut Out, head: &str, text: &str) -> Result<(), Error> {
    if text.starts_with(DRAWING) {
        return text.lines().try_for_each(|line| out.line(line));
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let width = out.cells().map_or(WIDTH, |cells| cells.min(WIDTH));
    let lines = flow(&[(head, ()), (&text, ())], head.width(), width).into_iter();
    lines.map(|line| line.into_iter().map(|(text, ())| text).collect::<String>()).try_for_each(|line| out.line(&line))
}
