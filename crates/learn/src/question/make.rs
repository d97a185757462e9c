//! Questions from their definitions.

use super::{Expected, Given, Question, compute, drills, exercise, fault, hidden, readers};
use crate::codec::Codec;
use crate::lesson::Example;
use crate::lesson::file::{QuestionDef, QuestionKind};
use pdblens_formats::bytes::ReadAs;
use pdblens_session::session::{Image, Session};
use pdblens_session::text::safe::spaced_hex;

/// Questions of a definition: several for drills. Where the files have nothing to ask about, the question says so, and the numbers of
/// the others stay the same.
pub fn make(def: &QuestionDef, example: Option<&Example>, session: &Session) -> Vec<Question> {
    let mut made: Vec<Question> = match (&def.kind, example) {
        (QuestionKind::Drills { count, seed }, _) => drills::drills(*count, *seed),
        (QuestionKind::Exercise { codec, bytes }, _) => exercise::question(codec, bytes).into_iter().collect(),
        (QuestionKind::Fault(name), _) => fault::question(name).into_iter().collect(),
        (QuestionKind::Readers(pair), _) => readers::question(pair).into_iter().collect(),
        (QuestionKind::Write { codec, value }, _) => write(codec, value).into_iter().collect(),
        (QuestionKind::Text { accept, .. }, None) if needs_example(def, accept) => Vec::new(),
        (QuestionKind::Text { accept, contains }, _) => vec![text(def, accept, *contains, example)],
        (QuestionKind::Hide(_) | QuestionKind::Compute(_), None) => Vec::new(),
        (QuestionKind::Hide(hide), Some(example)) => {
            let mut made = hidden::question(&example.steps, example.at, *hide);
            if let Some(question) = &mut made {
                add_other_ids(question, example, example.session(session));
            }
            made.into_iter().collect()
        }
        (QuestionKind::Compute(what), Some(example)) => compute::questions(*what, example, example.session(session)),
    };
    if made.is_empty() {
        return vec![missing(def, example)];
    }
    for question in &mut made {
        dress(question, def, example);
    }
    made
}

/// Adds the other ids of the files to the mistakes of a question about a GUID: pages show them too.
fn add_other_ids(question: &mut Question, example: &Example, session: &Session) {
    let Some(step) = example.step().filter(|step| step.field.read == ReadAs::Guid) else { return };
    let module = session.image().and_then(Image::mvid);
    let symbols = session.symbol_file().and_then(|file| file.reader().id()).map(|id| id.guid);
    let ids =
        [(module, "the MVID, the id of the image's module"), (symbols, "the id that image and PDB have in common")];
    for (id, what) in ids {
        let Some(text) = id.map(|id| id.to_string()).filter(|text| *text != step.field.value) else { continue };
        question.wrong(text, format!("That is {what}: another GUID than these bytes. Take them group by group."));
    }
}

/// Returns true if the wording or an answer has a part of the example in it.
fn needs_example(def: &QuestionDef, accept: &[String]) -> bool {
    let mut texts = accept.iter().chain(def.ask.as_ref().map(|ask| &ask.0));
    (def.of > 0 || def.find.is_some()) && texts.any(|text| text.contains('{'))
}

fn missing(def: &QuestionDef, example: Option<&Example>) -> Question {
    let reason = match (&def.kind, example) {
        (_, None) if def.of > 0 && def.find.is_none() => {
            format!("step {} has no example in these files, nor in the built-in samples", def.of)
        }
        (_, None) => "no record of these files, or of the built-in samples, matches its query".to_owned(),
        (QuestionKind::Hide(hide), Some(example)) => {
            let field = example.step().map_or("", |step| step.field.name.as_str());
            format!("the field `{field}` of {} {}", example.place, hide.lack())
        }
        (QuestionKind::Compute(what), Some(example)) => format!("{} {}", example.place, what.lack()),
        _ => "nothing can be asked".to_owned(),
    };
    let asked = def.ask.as_ref().map(|ask| def.filled(ask, example)).unwrap_or_default();
    let prompt = format!("{asked} Not in these files: {reason}.").trim_start().to_owned();
    Question::new(prompt, Expected::Missing(reason))
}

fn dress(question: &mut Question, def: &QuestionDef, example: Option<&Example>) {
    let fill = |text| def.filled(text, example);
    if let Some(ask) = &def.ask {
        question.prompt = fill(ask);
    }
    if !def.hints.is_empty() {
        question.hints = def.hints.iter().map(fill).collect();
    }
    if let Some(because) = &def.because {
        question.solution.push(fill(because));
    }
    let made = std::mem::take(&mut question.mistakes.found);
    for (answer, because) in &def.wrong {
        let answer = fill(answer);
        let given = match &question.expected {
            Expected::Number { show, .. } | Expected::Reference { show, .. } => {
                super::answer::parse_number(&answer, *show).map(|(number, _)| Given::Number(number))
            }
            Expected::Bytes { .. } => super::parse_hex(&answer).ok().map(Given::Bytes),
            _ => None,
        };
        question.wrong(given.unwrap_or(Given::Text(answer)), fill(because));
    }
    question.mistakes.extend(made);
    if let Some(sample) = example.and_then(Example::sample) {
        question.given.insert(0, ("in".to_owned(), format!("the built-in sample {sample}")));
    }
}

/// The question for the bytes of a value, which `pdblens encode` makes.
fn write(codec: &str, value: &str) -> Option<Question> {
    let codec = Codec::named(codec)?;
    let bytes = codec.encode(value).ok()?;
    let steps = codec.decode(&bytes).steps;
    let read = steps
        .reads()
        .next()
        .filter(|step| step.bytes.len() == bytes.len())
        .map_or(ReadAs::Bytes, |step| step.field.read);
    let said =
        |step: &crate::Step| format!("{}: {} = {}", spaced_hex(&step.bytes, 8), step.field.name, step.field.value);
    let solution = steps.reads().map(said).collect();
    let question = Question::new(format!("Write the bytes of {value}."), Expected::Bytes { bytes, read })
        .hint(format!("`pdblens encode {} \"{value}\"` writes them.", codec.name));
    Some(Question { solution, ..question })
}

fn text(def: &QuestionDef, accept: &[String], contains: bool, example: Option<&Example>) -> Question {
    let fill = |text: &String| example.map_or_else(|| text.clone(), |example| example.fill(text));
    let prompt = def.ask.as_ref().map_or_else(String::new, |ask| def.filled(ask, example));
    Question::new(prompt, Expected::Text { any: accept.iter().map(fill).collect(), contains })
}
