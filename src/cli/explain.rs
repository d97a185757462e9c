use std::ffi::OsString;

use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::json;
use super::symbols::SymbolArgs;
use crate::learn::about::Explanation;
use crate::learn::explain::explain;
use crate::learn::glossary::{self, Term};
use crate::learn::lesson::samples;
use crate::nodes::rows::Tone;
use crate::nodes::{self, Place};
use crate::session::Session;

/// `pdblens explain TERM FILE…`
#[derive(Debug, clap::Args)]
pub struct Explain {
    /// Terms, such as token, RVA or sequence point, and files to take examples from; without a term, all terms are listed.
    ///
    /// Also explained are an address in the files (`#b5`, `Main+0x13`), a paragraph (`II.23.2`), a line (`line 21`), the bytes of a number
    /// (`why -5`), and `errata`: the errors of the specifications, with the evidence.
    #[arg(value_name = "TERM|FILE")]
    words: Vec<OsString>,
    #[command(flatten)]
    symbols: SymbolArgs,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for Explain {
    const EXAMPLES: &'static [Example] = &[
        example("Explain a term", "pdblens explain sequence point"),
        example("List the terms of a paragraph of a specification", "pdblens explain II.23.2"),
        example("List the errors of the specifications", "pdblens explain errata"),
    ];

    fn access(&self) -> Access {
        self.symbols.access()
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let (mut files, words) = Files::split(self.words, false, self.symbols);
        // A term has a meaning without a file too.
        files.sample = files.files.is_empty();
        let session = files.open()?;
        // Several words may be several terms; a word that is no term is an address, a paragraph or a number.
        let (terms, answers) = match chosen(&words) {
            Ok(terms) => (terms, Vec::new()),
            Err(error) => (Vec::new(), vec![explain(&session, &words.join(" ")).ok_or(error)?]),
        };
        let document = ExplainDocument {
            terms: terms.into_iter().map(|term| TermJson::of(&session, term)).collect(),
            answers: &answers,
        };
        if self.json {
            json::write(out, &document)?;
            return Ok(Exit::Done);
        }
        if words.is_empty() {
            for term in &document.terms {
                out.prose(&[(&format!("{:26}", term.term.term), Tone::Strong)], &[(&term.term.meaning, Tone::Text)])?;
            }
            return Ok(Exit::Done);
        }
        document.terms.iter().try_for_each(|term| print(out, term, &files))?;
        answers.iter().try_for_each(|answer| print_answer(out, answer))?;
        Ok(Exit::Done)
    }
}

/// The terms that `words` name: each a term of its own, or all together one of several words.
fn chosen(words: &[String]) -> Result<Vec<&'static Term>, Error> {
    if words.is_empty() {
        return Ok(glossary::terms().iter().collect());
    }
    if let Ok(term) = glossary::find(&words.join(" ")) {
        return Ok(vec![term]);
    }
    let one = |word: &String| {
        glossary::find(word).map_err(|near| {
            let near = near.join(", ");
            // If one of the words is a term, the error names the unknown word alone.
            let known = words.iter().any(|word| glossary::find(word).is_ok());
            let text = if known { word.clone() } else { words.join(" ") };
            Error::NoAnswer(if near.is_empty() {
                format!("no term `{text}` · tip: `pdblens explain` lists them all")
            } else {
                format!("no term `{text}` · tip: did you mean {near}?")
            })
        })
    };
    words.iter().map(one).collect()
}

fn print(out: &mut Out, found: &TermJson<'_>, files: &Files) -> Result<(), Error> {
    let term = found.term;
    let also = if term.also.is_empty() { String::new() } else { format!("  also {}", term.also.join(", ")) };
    out.parts(&[(&term.term, Tone::Strong), (&also, Tone::Dim)])?;
    out.prose(&[("  ", Tone::Text)], &[(&term.meaning, Tone::Text)])?;
    if !term.specified_in.is_empty() {
        out.parts(&[("  specified in  ", Tone::Dim), (&term.specified_in, Tone::Text)])?;
    }
    if let Some(reason) = &found.no_example {
        out.prose(&[("  example       ", Tone::Dim)], &[(reason, Tone::Dim)])?;
    }
    if let Some(command) = found.example.as_ref().map(|example| command(example, files)) {
        out.parts(&[("  example       ", Tone::Dim), (&command, Tone::Text)])?;
    }
    Ok(())
}

fn print_answer(out: &mut Out, answer: &Explanation) -> Result<(), Error> {
    out.parts(&[(&answer.title, Tone::Strong)])?;
    for section in &answer.sections {
        out.parts(&[("  ", Tone::Text), (section.heading, Tone::Dim)])?;
        let names = section.lines.iter().filter_map(|line| line.split_once('\t'));
        let wide = names.map(|(name, _)| name.width()).max().unwrap_or(0);
        for line in &section.lines {
            let (name, text) = line.split_once('\t').unwrap_or(("", line));
            let gap = " ".repeat(if name.is_empty() { 0 } else { wide - name.width() + 2 });
            out.prose(&[("    ", Tone::Text), (name, Tone::Text), (&gap, Tone::Text)], &[(text, Tone::Text)])?;
        }
    }
    Ok(())
}

fn command(example: &ExampleJson, files: &Files) -> String {
    if let Some(sample) = example.sample {
        return format!("{} of the built-in sample {sample}", example.place);
    }
    let sample = if files.sample { " --sample" } else { "" };
    let names: Vec<String> = files.files.iter().map(|file| format!(" {}", file.display())).collect();
    let names = sample.to_owned() + &names.concat();
    format!("pdblens {}{names} {}", example.command, example.place)
}

/// Terms and their meaning.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "explain"))]
pub(super) struct ExplainDocument<'f> {
    terms: Vec<TermJson<'f>>,
    /// Explanations of input other than terms: an address, a paragraph of a specification, `errata`, `why -5`, `line 21`.
    answers: &'f [Explanation],
}

/// A term of the formats.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "term"))]
struct TermJson<'f> {
    #[serde(flatten)]
    term: &'f Term,
    /// A place that shows the term, in the open files or else in a built-in sample.
    example: Option<ExampleJson>,
    /// Reason why the open files have no example.
    no_example: Option<String>,
}

/// An example, and the command that prints it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "example"))]
struct ExampleJson {
    place: Place,
    /// Built-in sample that has the place; absent for the open files.
    #[serde(skip_serializing_if = "Option::is_none")]
    sample: Option<&'static str>,
    /// `show` for a record, `list` for a list.
    command: &'static str,
}

impl<'f> TermJson<'f> {
    fn of(session: &Session, term: &'f Term) -> Self {
        let of = |session: &Session, place, sample| {
            let command = if nodes::fields(session, place).is_some() { "show" } else { "list" };
            ExampleJson { place, sample, command }
        };
        match glossary::example(session, term) {
            Ok(place) => Self { term, example: Some(of(session, place, None)), no_example: None },
            Err(reason) => {
                let in_samples = samples::each().find_map(|(sample, session)| {
                    Some(of(session, glossary::example(session, term).ok()?, Some(sample.name)))
                });
                Self { term, example: in_samples, no_example: Some(reason.text) }
            }
        }
    }
}
