//! A lesson as HTML: one page with its prose, a player for each record that it speaks of, and its questions.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::html::{escaped, page};
use super::{Answers, Handout};
use crate::lesson::prepared::{DRAWING, PreparedStep};
use crate::lesson::{Example, Lesson, Page, Prepared};
use crate::{Question, programs};
use pdblens_nodes::Place;
use pdblens_session::session::Session;
use pdblens_session::source::SourceOptions;
use pdblens_session::text::safe::spaced_hex;

/// Reads of a record up to which it has a player.
const MAX_READS: usize = 400;
/// Bytes of an example that are shown.
const MAX_BYTES: usize = 16;

/// The lesson as one page that needs nothing else; with `key` the questions have their answers.
pub fn lesson_page(lesson: &Lesson, prepared: &Prepared, session: &Session, command: &str, key: bool) -> String {
    let mut out = format!("<p>{}</p>\n", escaped(&lesson.about));
    let mut players: Vec<(String, Place)> = Vec::new();
    for page in &prepared.pages {
        match *page {
            Page::Step(index) => {
                let Some(step) = prepared.steps.get(index) else { continue };
                let _ = writeln!(out, "<h2>{}. {}</h2>", index + 1, escaped(&step.title));
                add_step(&mut out, step, (session, &prepared.sources), &mut players);
            }
            Page::Question(index) => {
                if let Some(question) = prepared.questions.get(index) {
                    add_question(&mut out, index, question, key);
                }
            }
        }
    }
    // On paper, a player lists the reads that the pages refer to.
    let links = out.split("<a class=\"to\" href=\"#").skip(1).filter_map(|link| link.split('"').next());
    let cited: BTreeSet<String> = links.map(ToOwned::to_owned).collect();
    for id in cited {
        let (_, read) = id.rsplit_once('f').unwrap_or_default();
        let row = format!("<tr id=\"{id}\" data-n=\"{read}\"");
        out = out.replace(&format!("{row} class=\""), &format!("{row} class=\"cited "));
        out = out.replace(&format!("{row} data-"), &format!("{row} class=\"cited\" data-"));
    }
    let number = if lesson.number == 0 { String::new() } else { format!("{} · ", lesson.number) };
    page(&format!("{number}{}", lesson.title), &out, command)
}

/// Prose of a step, its example, and the player of its record unless an earlier step has it.
fn add_step(
    out: &mut String,
    step: &PreparedStep,
    files: (&Session, &SourceOptions),
    players: &mut Vec<(String, Place)>,
) {
    for text in step.remark().iter().chain(&step.text) {
        let _ = match text.starts_with(DRAWING) {
            true => writeln!(out, "<pre>{}</pre>", escaped(text)),
            false => writeln!(out, "<p>{}</p>", prose(text)),
        };
    }
    if step.shows_programs {
        let _ = writeln!(out, "<pre>{}</pre>", escaped(&programs::table()));
    }
    let Some((example, read)) = step.example.as_ref().and_then(|example| Some((example, example.step()?))) else {
        return;
    };
    let key = (step.sample_name().unwrap_or_default().to_owned(), example.place);
    let known = players.iter().position(|player| *player == key);
    let number = known.unwrap_or(players.len()) + 1;
    let value = format!("{} = {}  {}", read.field.name, read.field.value, read.field.meaning);
    let bytes = spaced_hex(&read.bytes, MAX_BYTES);
    let place = escaped(&format!("{}  {bytes}  {}", example.place, value.trim_end()));
    let has_player = example.steps.list.len() <= MAX_READS;
    if has_player {
        let _ = writeln!(out, "<p>→ <a class=\"to\" href=\"#s{number}-f{}\"><code>{place}</code></a></p>", read.number);
    } else {
        let _ = writeln!(out, "<p>→ <code>{place}</code></p>");
    }
    if has_player && known.is_none() {
        players.push(key);
        add_player(out, example, number, files);
    }
}

/// A player, whose names begin with its number; it starts at the read of the example.
fn add_player(out: &mut String, example: &Example, number: usize, (session, sources): (&Session, &SourceOptions)) {
    let steps = (*example.steps).clone().with_places(example.session(session), example.place, sources);
    let mut record = String::new();
    Handout { steps: &steps, command: String::new(), answers: Answers::Shown }.html_record(&mut record);
    let prefix = format!("s{number}-");
    let record = record.replace(" id=\"", &format!(" id=\"{prefix}")).replace("href=\"#", &format!("href=\"#{prefix}"));
    let (title, start) = (escaped(&steps.title), example.step().map_or(1, |step| step.number));
    let _ =
        writeln!(out, "<section data-prefix=\"{prefix}\" data-start=\"{start}\"><h3>{title}</h3>\n{record}</section>");
}

fn add_question(out: &mut String, index: usize, question: &Question, key: bool) {
    let _ = writeln!(out, "<h3>Question {}</h3>\n<p>{}</p>", index + 1, prose(&question.prompt));
    if !question.given.is_empty() {
        out.push_str("<table>");
        for (name, text) in &question.given {
            let _ = write!(out, "<tr><th>{}<td>{}", escaped(name), escaped(text));
        }
        out.push_str("</table>\n");
    }
    if question.is_missing() {
        return;
    }
    if question.takes_list() {
        // A list is compared with the solution by eye.
        out.push_str("<p>answer <input size=\"60\"></p>\n");
    } else {
        let mistakes = question.known_mistakes();
        let one = |(wrong, because): &(String, &str)| format!("{}|{}", escaped(wrong), escaped(because));
        let mistakes: Vec<String> = mistakes.iter().map(one).collect();
        let (right, mistakes) = (escaped(&question.answer()), mistakes.join("&#10;"));
        let _ = writeln!(
            out,
            "<p class=\"ask\" data-v=\"{right}\" data-m=\"{mistakes}\"><label>answer <input size=\"24\"></label> <b></b></p>"
        );
    }
    let open = if key { " open" } else { "" };
    let mut solution = vec![question.answer()];
    solution.extend(question.solution.iter().filter(|line| **line != question.answer()).cloned());
    let hints: Vec<String> = question.hints.iter().map(|hint| format!("<li>{}", prose(hint))).collect();
    if !hints.is_empty() {
        let _ = writeln!(out, "<details><summary>hints</summary><ul>{}</ul></details>", hints.concat());
    }
    let solution: Vec<String> = solution.iter().map(|line| escaped(&line.replace('\t', "  "))).collect();
    let solution = solution.join("\n");
    let _ = writeln!(out, "<details{open}><summary>solution</summary><pre>{solution}</pre></details>");
}

/// Text of a lesson as HTML: text between backticks is code. The backtick of a generic name follows a letter.
fn prose(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('`') {
        let code = if before.ends_with(char::is_alphanumeric) { None } else { after.split_once('`') };
        out.push_str(&escaped(before));
        rest = after;
        if let Some((code, after)) = code {
            let _ = write!(out, "<code>{}</code>", escaped(code));
            rest = after;
        } else {
            out.push('`');
        }
    }
    out + &escaped(rest)
}

#[cfg(test)]
mod tests {
    use super::prose;

    #[test]
    fn commands_are_code_and_generic_names_are_not() {
        assert_eq!(prose("`a <b>`, then (`c`)."), "<code>a &lt;b&gt;</code>, then (<code>c</code>).");
        for name in ["List`1 and Set`2", "one ` alone", ""] {
            assert_eq!(prose(name), name);
        }
    }
}
