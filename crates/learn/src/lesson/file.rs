//! The file of a lesson.

use pdblens_formats::reason::Reason;
use serde::Deserialize;

use super::example::unknown_placeholder;
use super::query::Query;
use crate::codec::{Codec, parse_hex};
use crate::question::fault;
use crate::question::readers::{self, ReaderPair};
use pdblens_session::text::safe::count;

/// A lesson, as its file has it.
#[derive(Clone, Debug, Default, Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(deny_unknown_fields, expecting = "the table of a lesson")]
pub struct Lesson {
    /// Number in the list; 0 for a lesson that is not built in.
    #[serde(default)]
    pub number: u32,
    /// Name in the list.
    pub title: String,
    /// Contents in one sentence.
    pub about: String,
    /// Time that it takes.
    #[serde(default = "usual_minutes")]
    pub minutes: u32,
    /// Terms and skills that it teaches.
    #[serde(default)]
    pub teaches: Vec<String>,
    /// Terms and skills that earlier lessons teach and its questions use.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Prose, in the order in which it is read.
    #[serde(rename = "step", skip_serializing)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub steps: Vec<LessonStep>,
    /// Questions at the end.
    #[serde(default, rename = "question", skip_serializing)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub questions: Vec<QuestionDef>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table headed [[step]]")]
pub struct LessonStep {
    pub title: String,
    /// Prose; `{value}` and other names in braces stand for parts of the example.
    pub text: Template,
    /// Sentences about keys, which only the screens show.
    #[serde(default)]
    pub keys: String,
    pub find: Option<Query>,
    #[serde(default)]
    pub panel: Panel,
    /// Earlier step, from 1: the example is of the same method, function or row, if that matches the query. 0 for the first match.
    #[serde(default)]
    pub same: usize,
    /// The same for files of other formats, tried in the open files before the samples.
    #[serde(default)]
    pub other: Vec<OtherFormat>,
}

/// View of an example beside the prose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Panel {
    /// Its record, with the bits of the read.
    #[default]
    Record,
    /// Source, code and bytes of its method or function, without bits.
    Places,
    /// The line programs of one method in four formats, which need no example.
    Programs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// A step, by its index.
    Step(usize),
    /// A question, by its index.
    Question(usize),
}

/// Pages in the order in which they are read, for the steps that the questions come after: 0 for the last one.
pub(super) fn pages(steps: usize, after: &[usize]) -> Vec<Page> {
    let questions = |step: usize| {
        let is_here = move |(_, after): &(usize, &usize)| **after == step || step == steps && **after == 0;
        after.iter().enumerate().filter(is_here).map(|(index, _)| Page::Question(index))
    };
    (0..steps).flat_map(|step| std::iter::once(Page::Step(step)).chain(questions(step + 1))).collect()
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table headed [[step.other]]")]
pub struct OtherFormat {
    /// Heading; that of the step without.
    pub title: Option<String>,
    pub text: Template,
    pub find: Query,
}

/// A text with names in braces.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Template(pub String);

impl TryFrom<String> for Template {
    type Error = Reason;

    fn try_from(text: String) -> Result<Self, Reason> {
        match unknown_placeholder(&text) {
            Some(name) => Err(wrong(format!("`{{{name}}}` is an unknown placeholder"))),
            None => Ok(Self(text)),
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "RawQuestion")]
pub struct QuestionDef {
    /// Step whose example the question is about, from 1; 0 for an example of its own.
    pub of: usize,
    /// Step that it comes after, from 1; 0 for the last one.
    pub after: usize,
    pub find: Option<Query>,
    /// Wording; one is made where there is none.
    pub ask: Option<Template>,
    pub kind: QuestionKind,
    /// Hints, the weakest first.
    pub hints: Vec<Template>,
    /// Answers that are wrong for a known reason, and the reasons.
    pub wrong: Vec<(Template, Template)>,
    pub because: Option<Template>,
}

impl QuestionDef {
    /// Gives drills another seed; other questions stay the same.
    pub fn reseed(&mut self, number: u64) {
        if let QuestionKind::Drills { seed, .. } = &mut self.kind {
            *seed = number;
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionKind {
    Hide(Hide),
    /// Texts, any of which is right; `contains` if it is enough that the answer has one of them in it.
    Text {
        /// Texts, with names in braces.
        accept: Vec<String>,
        /// True if the answer may have other words too.
        contains: bool,
    },
    Compute(Compute),
    Exercise {
        /// Kind of the bytes, as `pdblens decode` has it.
        codec: &'static str,
        bytes: Vec<u8>,
    },
    /// A record of a built-in sample with one wrong field: a fault of `assets/broken`, by its name.
    Fault(String),
    /// Two readers, one of them with a mistake.
    Readers(ReaderPair),
    /// Bytes of a value that is written.
    Write {
        /// Kind of the bytes, as `pdblens encode` has it.
        codec: &'static str,
        value: String,
    },
    /// Compressed integers, made from a seed.
    Drills {
        count: usize,
        /// Seed: the same seed makes the same drills.
        seed: u64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hide {
    /// The decoded value.
    Value,
    Bytes,
    Meaning,
    Field,
    /// The decoder's state after the read.
    State,
}

impl Hide {
    /// Words for a read without that part.
    pub const fn lack(self) -> &'static str {
        match self {
            Self::Value => "has no value",
            Self::Bytes => "is no number that bytes could be asked for",
            Self::Meaning => "has no words beside its value",
            Self::Field => "is the first of its record",
            Self::State => "does not change the decoder's state",
        }
    }
}

impl Compute {
    /// Words for an example that does not suffice.
    pub const fn lack(self) -> &'static str {
        match self {
            Self::StoreKey => "is no CodeView entry with a GUID",
            Self::FileOffset => "is in a file without streams of pages",
            Self::Line => "has no two visible points with code between them",
            Self::Breakpoint => "has no two visible points",
            Self::SourceLink => "is in a file without a document that Source Link maps",
            Self::Srcsrv => "is in a file without a document that srcsrv maps",
            Self::PagesInUse => {
                "belongs to a file whose active free page map begins with eight pages that are all free, or all in use"
            }
            Self::NextMap => "is in a file without two free page maps",
            Self::KickoffLine | Self::StateMachineLine => "has no body with two visible points",
            Self::ThereAndBack => "is in a file without a method or function that has two visible points",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compute {
    /// Symbol-store key of the PDB that the example, a CodeView entry, names.
    StoreKey,
    /// Byte of the file that has a byte of a stream.
    FileOffset,
    /// Line of an IL offset in the method of the example.
    Line,
    /// IL offset where a breakpoint on a line binds, in the method of the example.
    Breakpoint,
    /// URL of a document of the file, by its Source Link map.
    SourceLink,
    /// Target of a document of the file, by its srcsrv stream.
    Srcsrv,
    /// Pages of eight that a byte of the active free page map has as in use.
    PagesInUse,
    /// Page of the free page map that the next commit writes.
    NextMap,
    /// Line of an offset of a trace in the kickoff method, which has none.
    KickoffLine,
    /// Line of the same offset in MoveNext.
    StateMachineLine,
    /// Several questions: document, method, point and range of code of a line, and the line of a frame of a trace.
    ThereAndBack,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table headed [[question]]")]
struct RawQuestion {
    #[serde(default)]
    of: usize,
    #[serde(default)]
    after: usize,
    find: Option<Query>,
    ask: Option<Template>,
    hide: Option<Hide>,
    answer: Option<Template>,
    #[serde(default)]
    accept: Vec<Template>,
    #[serde(default)]
    contains: bool,
    compute: Option<Compute>,
    decode: Option<String>,
    bytes: Option<String>,
    fault: Option<String>,
    readers: Option<ReaderPair>,
    write: Option<String>,
    value: Option<String>,
    drills: Option<usize>,
    seed: Option<u64>,
    #[serde(default)]
    hints: Vec<Template>,
    #[serde(default)]
    wrong: Vec<RawMistake>,
    because: Option<Template>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { answer = \"5\", because = \"…\" }")]
struct RawMistake {
    answer: Template,
    because: Template,
}

impl TryFrom<RawQuestion> for QuestionDef {
    type Error = Reason;

    fn try_from(raw: RawQuestion) -> Result<Self, Reason> {
        let texts: Vec<String> = raw.answer.into_iter().chain(raw.accept).map(|text| text.0).collect();
        let mut kinds = Vec::new();
        kinds.extend(raw.hide.map(QuestionKind::Hide));
        kinds.extend(raw.compute.map(QuestionKind::Compute));
        kinds.extend((!texts.is_empty()).then_some(QuestionKind::Text { accept: texts, contains: raw.contains }));
        kinds.extend(raw.drills.map(|count| QuestionKind::Drills { count, seed: raw.seed.unwrap_or(1) }));
        if let Some(name) = raw.decode {
            let codec = Codec::named(&name).ok_or_else(|| wrong(format!("`decode`: no kind `{name}`")))?;
            let bytes =
                parse_hex(&raw.bytes.unwrap_or_default()).map_err(|error| wrong(format!("`bytes`: {error}")))?;
            if let Err(error) = codec.decode(&bytes).text {
                return Err(wrong(format!("`bytes`: {error}")));
            }
            kinds.push(QuestionKind::Exercise { codec: codec.name, bytes });
        }
        if let Some(name) = raw.fault {
            if !fault::is_known(&name) {
                return Err(wrong(format!("`fault`: no fault `{name}` of one field of a built-in sample")));
            }
            kinds.push(QuestionKind::Fault(name));
        }
        if let Some(pair) = raw.readers {
            if readers::question(&pair).is_none() {
                return Err(wrong("`readers`: `kind` is one of `pdblens decode`, and `differ` the offset of a read"));
            }
            kinds.push(QuestionKind::Readers(pair));
        }
        if let Some(name) = raw.write {
            let value = raw.value.unwrap_or_default();
            let codec = Codec::named(&name).ok_or_else(|| wrong(format!("`write`: no kind `{name}`")))?;
            codec.encode(&value).map_err(|error| wrong(format!("`value`: {error}")))?;
            kinds.push(QuestionKind::Write { codec: codec.name, value });
        }
        let [kind] = <[QuestionKind; 1]>::try_from(kinds).map_err(|_| {
            wrong("one of `hide`, `answer`, `compute`, `decode`, `fault`, `readers`, `write` and `drills` is needed, and only one")
        })?;
        let needs_example = matches!(kind, QuestionKind::Hide(_) | QuestionKind::Compute(_));
        if needs_example && raw.of == 0 && raw.find.is_none() {
            return Err(wrong("the question needs `of`, the number of a step, or `find`"));
        }
        if raw.ask.is_none() && matches!(kind, QuestionKind::Text { .. }) {
            return Err(wrong("`ask` is missing"));
        }
        let wrong = raw.wrong.into_iter().map(|wrong| (wrong.answer, wrong.because)).collect();
        let (of, after, find, ask, hints, because) = (raw.of, raw.after, raw.find, raw.ask, raw.hints, raw.because);
        Ok(Self { of, after, find, ask, kind, hints, wrong, because })
    }
}

/// Reason why a value of a lesson cannot be taken.
pub(super) fn wrong(text: impl Into<String>) -> Reason {
    Reason::new("not-a-lesson", text)
}

/// Number of a file, in words.
const NUMBER: &str = "number from 0 on";

const fn usual_minutes() -> u32 {
    5
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {key}: {reason}")]
pub struct LessonError {
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Key or heading on that line.
    pub key: String,
    /// Reason, in a sentence without capital.
    pub reason: String,
}

impl Lesson {
    pub fn parse(file: &str, text: &str) -> Result<Self, LessonError> {
        let failed = |at: usize, reason: String| LessonError::at(file, text, at, reason);
        let lesson: Self = toml::from_str(text).map_err(|error| LessonError::of_toml(file, text, &error))?;
        if lesson.steps.is_empty() {
            return Err(failed(0, "a lesson has at least one `[[step]]`".to_owned()));
        }
        let late = lesson.steps.iter().enumerate().find(|(index, step)| step.same > *index);
        if let Some((index, step)) = late {
            let at = text.match_indices("[[step]]").nth(index).map_or(0, |(at, _)| at);
            return Err(failed(at, format!("`same` is {}, and only {index} steps are before this one", step.same)));
        }
        let steps = lesson.steps.len();
        if let Some((index, question)) = lesson.questions.iter().enumerate().find(|(_, question)| question.of > steps) {
            let at = text.match_indices("[[question]]").nth(index).map_or(0, |(at, _)| at);
            return Err(failed(
                at,
                format!("`of` is {}, and the lesson has {}", question.of, count(steps as u64, "step")),
            ));
        }
        let mut before = 0;
        for (index, question) in lesson.questions.iter().enumerate() {
            let after = if question.after == 0 { steps } else { question.after };
            if after > steps || after < before {
                let at = text.match_indices("[[question]]").nth(index).map_or(0, |(at, _)| at);
                let reason = "`after` names a step, and questions are in the order of their steps";
                return Err(failed(at, reason.to_owned()));
            }
            before = after;
        }
        Ok(lesson)
    }

    pub fn pages(&self) -> Vec<Page> {
        pages(self.steps.len(), &self.questions.iter().map(|question| question.after).collect::<Vec<_>>())
    }

    /// Position in words: `page 2 of 7`, `question 1`; `at` is an index of the pages, and drills have more than the lesson counts.
    pub fn position(&self, at: usize) -> String {
        match self.pages().get(at) {
            Some(Page::Step(step)) => format!("page {} of {}", step + 1, self.steps.len()),
            Some(Page::Question(question)) => format!("question {}", question + 1),
            None => format!("question {}", at + 1 - self.steps.len()),
        }
    }

    /// Name in files of answers: its number, or `lesson` for one without.
    pub fn key(&self) -> String {
        if self.number == 0 { "lesson".to_owned() } else { self.number.to_string() }
    }
}

impl LessonError {
    pub(super) fn of_toml(file: &str, text: &str, error: &toml::de::Error) -> Self {
        let mut reason = error.message().lines().collect::<Vec<_>>().join(" ");
        // Types of the program mean nothing to a teacher.
        for (of_program, word) in [("usize", NUMBER), ("u64", NUMBER), ("u32", NUMBER), ("a sequence", "a list")] {
            reason = reason
                .replace(&format!("expected {of_program}"), &format!("expected a {}", word.trim_start_matches("a ")));
        }
        Self::at(file, text, error.span().map_or(0, |span| span.start), reason)
    }

    fn at(file: &str, text: &str, at: usize, reason: String) -> Self {
        let before = text.get(..at.min(text.len())).unwrap_or_default();
        let line = before.matches('\n').count();
        let shown = text.lines().nth(line).unwrap_or_default();
        let key = shown.split('=').next().unwrap_or_default().trim();
        let key = if key.is_empty() { "the file" } else { key };
        Self { file: file.to_owned(), line: line + 1, key: key.chars().take(40).collect(), reason }
    }
}
