//! A lesson joined with the open files.

use std::sync::Arc;

use super::example::{Example, without_example};
use super::file::QuestionKind::{Compute, Drills, Fault, Hide, Text};
use super::file::{
    Compute as Computed, Hide as HiddenPart, Lesson, LessonStep, Page, Panel, QuestionDef, Template, pages,
};
use super::query::Query;
use super::samples;
use crate::candidates::Bound;
use crate::code_places::CodePlaces;
use crate::question::marks::{MarkedByte, around};
use crate::question::{self, Question, spares as spares_of};
use pdblens_session::session::Session;
use pdblens_session::source::SourceOptions;
use pdblens_session::symbols::Format;

#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// Number of the lesson; 0 for one that is not built in.
    pub number: u32,
    pub title: String,
    pub steps: Vec<PreparedStep>,
    pub questions: Vec<Question>,
    /// Step whose example stays beside each question, by index.
    pub about: Vec<Option<usize>>,
    /// Bytes that the questions hide a part of; empty for other questions.
    pub bytes: Vec<Vec<MarkedByte>>,
    /// Easier questions in the place of others, by index: the screens ask them until three answers in a row are right.
    pub spares: Vec<(usize, Question)>,
    pub pages: Vec<Page>,
    pub(crate) sources: SourceOptions,
}

#[derive(Clone, Debug)]
pub struct PreparedStep {
    pub title: String,
    pub text: Vec<String>,
    /// The same without what tells the value of the example.
    pub covered: Vec<String>,
    /// Sentences about keys, which only the screens show.
    pub keys: String,
    /// Source, code and bytes of the example's method or function, where the step shows them in the place of its record.
    pub places: Option<Arc<CodePlaces>>,
    /// True if the step shows line programs side by side.
    pub shows_programs: bool,
    query: Option<Query>,
    /// The example; `None` where prose needs none, and where nothing matches its query.
    pub example: Option<Example>,
    /// True if neither the files nor the samples have what the query of the step asks for.
    pub is_missing: bool,
    /// Number of records after which the search of the open files ended early.
    bound: Option<usize>,
    format: Option<&'static str>,
}

impl Prepared {
    pub fn of(lesson: &Lesson, session: &Session) -> Self {
        Self::with_sources(lesson, session, SourceOptions::default())
    }

    pub fn with_sources(lesson: &Lesson, session: &Session, sources: SourceOptions) -> Self {
        let mut steps: Vec<PreparedStep> = Vec::with_capacity(lesson.steps.len());
        for step in &lesson.steps {
            let same = step.same.checked_sub(1).and_then(|index| steps.get(index)?.example.as_ref());
            steps.push(PreparedStep::of(step, same, session, &sources));
        }
        let (mut questions, mut about, mut after) = (Vec::new(), Vec::new(), Vec::new());
        let (mut bytes, mut spares) = (Vec::new(), Vec::new());
        for def in &lesson.questions {
            let step = def.of.checked_sub(1).and_then(|index| steps.get(index));
            let example = match &def.find {
                Some(query) => Example::find(query, session),
                None => step.and_then(|step| step.asked(matches!(def.kind, Hide(_)), session)),
            };
            let made = question::make(def, example.as_ref(), session);
            let query = def.find.as_ref().or_else(|| step?.query.as_ref());
            let made = match (query, &example) {
                (Some(query), Some(_)) if made.iter().all(Question::is_missing) => {
                    from_samples(def, query, &made, session).unwrap_or(made)
                }
                _ => made,
            };
            if let Drills { count, seed } = def.kind {
                let at = questions.len();
                spares.extend(spares_of(count, seed).into_iter().map(|(index, spare)| (index + at, spare)));
            }
            let shown = match (&def.kind, &example) {
                (Hide(hide), Some(example)) => around(&example.steps, example.at, *hide == HiddenPart::Bytes),
                _ => Vec::new(),
            };
            bytes.extend(made.iter().map(|_| shown.clone()));
            about.extend(made.iter().map(|_| beside(def, example.as_ref(), &steps)));
            after.extend(made.iter().map(|_| def.after));
            questions.extend(made);
        }
        let pages = pages(steps.len(), &after);
        let (number, title) = (lesson.number, lesson.title.clone());
        Self { number, title, steps, questions, about, bytes, spares, pages, sources }
    }
}

/// The step whose example stays beside a question: the one that it is about, else the last one before it. An example that has the answer
/// does not stay, and lists that are typed have all the room.
fn beside(def: &QuestionDef, asked: Option<&Example>, steps: &[PreparedStep]) -> Option<usize> {
    let about = def.of.checked_sub(1);
    if about.and_then(|about| steps.get(about)).is_some_and(|step| step.places.is_some()) {
        return about;
    }
    let before = if def.after == 0 { steps.len() } else { def.after.min(steps.len()) };
    let step = about.or_else(|| steps.get(..before)?.iter().rposition(|step| step.example.is_some()))?;
    let example = steps.get(step)?.example.as_ref();
    let stays = match def.kind {
        Text { .. } | Fault(_) => true,
        Compute(what) => what != Computed::PagesInUse,
        Hide(_) => asked.zip(example).is_some_and(|(asked, shown)| asked.steps.span != shown.steps.span),
        _ => false,
    };
    stays.then_some(step)
}

/// Questions about the first built-in sample that can pose them, where the open files cannot; they say why these cannot.
fn from_samples(def: &QuestionDef, query: &Query, missing: &[Question], session: &Session) -> Option<Vec<Question>> {
    let reason = missing.iter().find_map(Question::missing_reason)?;
    let mut made = Example::in_each_sample(query).map(|example| question::make(def, Some(&example), session));
    let mut made = made.find(|made| made.iter().any(|question| !question.is_missing()))?;
    for question in &mut made {
        question.given.insert(1.min(question.given.len()), ("not in yours".to_owned(), reason.to_owned()));
    }
    Some(made)
}

impl PreparedStep {
    /// The step with its example, which is of what `same` is of if that matches.
    fn of(step: &LessonStep, same: Option<&Example>, session: &Session, sources: &SourceOptions) -> Self {
        let bound = Bound::default();
        let in_open_files = |query: &Query, bound: &Bound| {
            let own = same.and_then(|same| same.same(query, session, bound));
            own.or_else(|| Example::within(query, session, bound))
        };
        let own = step.find.as_ref().and_then(|query| in_open_files(query, &bound));
        let format = session.symbols().map(|symbols| words(symbols.format()));
        let mut others = step.other.iter().filter(|_| own.is_none() && step.find.is_some());
        let other = others.find_map(|other| Some((other, in_open_files(&other.find, &Bound::default())?)));
        let (title, prose, query, bound) = match &other {
            Some((other, _)) => (other.title.as_ref().unwrap_or(&step.title), &other.text, Some(&other.find), None),
            None => (&step.title, &step.text, step.find.as_ref(), bound.reached()),
        };
        let (title, query) = (title.clone(), query.cloned());
        let in_sample = || Example::in_each_sample(step.find.as_ref()?).next();
        let example = own.or(other.map(|(_, found)| found)).or_else(in_sample);
        let text = paragraphs(&filled(prose, example.as_ref()));
        let cover = |example: &Example| paragraphs(&example.fill_covered(&prose.0));
        let covered = example.as_ref().map_or_else(|| text.clone(), cover);
        let is_missing = example.is_none() && step.find.is_some();
        let places = places(step, example.as_ref(), session, sources);
        let shows_programs = step.panel == Panel::Programs;
        let keys = step.keys.clone();
        Self { title, text, covered, keys, places, shows_programs, query, example, is_missing, bound, format }
    }

    /// Example of a question about the step: where its value is asked for, another one than that which the step tells, of the open
    /// files or of a sample.
    fn asked(&self, hides: bool, session: &Session) -> Option<Example> {
        let example = self.example.as_ref()?;
        if hides && let Some(query) = &self.query {
            let is_other =
                |other: &Example| other.step().map(|step| &step.bytes) != example.step().map(|step| &step.bytes);
            let own = example.other(query, session);
            if let Some(other) = own.or_else(|| Example::in_each_sample(query).find(is_other)) {
                return Some(other);
            }
        }
        Some(example.clone())
    }

    fn built_in(&self) -> Option<&'static samples::BuiltIn> {
        let super::Origin::BuiltIn(index) = self.example.as_ref()?.origin else { return None };
        samples::BUILT_IN.get(index)
    }

    /// Name of the sample that the example is taken from; `None` for the open files.
    pub fn sample_name(&self) -> Option<&'static str> {
        self.built_in().map(|sample| sample.name)
    }

    /// Sentence that says which sample the example is taken from, or that nothing matches the query; `None` for the open files.
    pub fn remark(&self) -> Option<String> {
        if self.is_missing {
            let text = "No read of these files, or of the built-in samples, matches the query of this step: compare its field and \
                        its record with `pdblens show FILE PLACE --steps`.";
            return Some(text.to_owned());
        }
        let sample = self.built_in()?;
        // Another format is the reason more often than not.
        let lacking = match (self.bound, self.format.filter(|format| !sample.about.starts_with(format))) {
            (Some(tried), _) => format!("None of the first {tried} records of your files matches"),
            (None, Some(format)) => format!("Your symbols are a {format}, which has no such record"),
            (None, None) => "Your files have no such record".to_owned(),
        };
        Some(format!("{lacking}: the example is from the built-in sample {}, a {}.", sample.name, sample.about))
    }
}

fn places(
    step: &LessonStep,
    example: Option<&Example>,
    session: &Session,
    sources: &SourceOptions,
) -> Option<Arc<CodePlaces>> {
    if step.panel != Panel::Places {
        return None;
    }
    let example = example?;
    CodePlaces::of(example.session(session), example.place.code_unit()?, sources).map(Arc::new)
}

const fn words(format: Format) -> &'static str {
    match format {
        Format::Portable => "portable PDB",
        Format::Windows => "Windows PDB",
        Format::Native | Format::Mixed => "Windows PDB of native code",
        Format::Mdb => ".mdb file",
        Format::SmallMsf | Format::Msfz => "file of which only the header is read",
    }
}

fn filled(text: &Template, example: Option<&Example>) -> String {
    example.map_or_else(|| without_example(&text.0), |example| example.fill(&text.0))
}

/// Beginning of a paragraph that is a drawing: its lines are kept as they are.
pub const DRAWING: &str = "    ";

/// Paragraphs of a text, each on one line, and drawings.
fn paragraphs(text: &str) -> Vec<String> {
    let one = |paragraph: &str| {
        if paragraph.starts_with(DRAWING) {
            return paragraph.trim_end().to_owned();
        }
        paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    text.split("\n\n").map(one).filter(|paragraph| !paragraph.is_empty()).collect()
}

impl QuestionDef {
    pub fn filled(&self, text: &Template, example: Option<&Example>) -> String {
        paragraphs(&filled(text, example)).join(" ")
    }
}
