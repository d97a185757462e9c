//! Examples: reads of records that lessons speak of, and their parts as words.

use std::sync::Arc;

use super::query::{Found, Query};
use super::samples;
use crate::candidates::Bound;
use crate::covered::{COVER, without_value};
use crate::steps::notation;
use crate::{Step, Steps};
use pdblens_formats::bytes::Span;
use pdblens_nodes::Place;
use pdblens_session::session::Session;
use pdblens_session::text::safe::spaced_hex;

/// Bytes of an example that prose shows.
const MAX_BYTES: usize = 16;

#[derive(Clone, Debug)]
pub enum Origin {
    OpenFiles,
    /// A built-in sample, because the open files have no example: index into [`samples::BUILT_IN`].
    BuiltIn(usize),
}

/// A read of a record, in the open files or in a sample.
#[derive(Clone, Debug)]
pub struct Example {
    pub origin: Origin,
    pub place: Place,
    pub steps: Arc<Steps>,
    /// Index of the read in the list of steps.
    pub at: usize,
    /// Number that the `*` of its path took.
    number: u32,
    /// Name of the file or stream that has its bytes.
    space: String,
}

/// Names that stand for parts of an example.
const NAMES: &[&str] = &[
    "place", "title", "field", "record", "bytes", "value", "raw", "meaning", "offset", "form", "state", "before",
    "after", "length", "number", "where", "hex", "name",
];

/// Names of parts that tell the value of the read.
const TELLING: &[&str] = &["value", "raw", "meaning", "hex", "after"];

/// The first placeholder (`{name}`) of `text` that is unknown.
pub(crate) fn unknown_placeholder(text: &str) -> Option<&str> {
    names_in(text).find(|name| !NAMES.contains(name))
}

fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let after = text.split('{').skip(1);
    after.filter_map(|part| part.split_once('}')).map(|(name, _)| name)
}

/// `text` with a dash for each part of an example that there is none of.
pub(crate) fn without_example(text: &str) -> String {
    names_in(text)
        .filter(|name| NAMES.contains(name))
        .fold(text.to_owned(), |out, name| out.replace(&format!("{{{name}}}"), "–"))
}

impl Example {
    /// Finds an example in the open files, else in the first sample that has one.
    pub fn find(query: &Query, session: &Session) -> Option<Self> {
        Self::within(query, session, &Bound::default()).or_else(|| Self::in_each_sample(query).next())
    }

    pub fn within(query: &Query, session: &Session, bound: &Bound) -> Option<Self> {
        query.find_within(session, None, bound).map(|found| Self::of(Origin::OpenFiles, found, session))
    }

    /// Finds the example of the method, function or row that this one is of, in the open files.
    pub fn same(&self, query: &Query, session: &Session, bound: &Bound) -> Option<Self> {
        if !matches!(self.origin, Origin::OpenFiles) {
            return None;
        }
        query.find_numbered(session, self.number, bound).map(|found| Self::of(Origin::OpenFiles, found, session))
    }

    pub(crate) fn in_each_sample(query: &Query) -> impl Iterator<Item = Self> {
        let samples = (0..samples::BUILT_IN.len()).filter_map(|index| Some((index, samples::session(index)?)));
        samples.filter_map(|(index, sample)| Some(Self::of(Origin::BuiltIn(index), query.find(sample)?, sample)))
    }

    /// Another read that the query finds in the same files, with other bytes: the value of this one tells nothing of it.
    pub fn other(&self, query: &Query, session: &Session) -> Option<Self> {
        let session = self.session(session);
        let found = query.find_within(session, Some(&self.step()?.bytes), &Bound::default())?;
        Some(Self::of(self.origin.clone(), found, session))
    }

    fn of(origin: Origin, found: Found, session: &Session) -> Self {
        let space = found.steps.list.get(found.at).and_then(|step| session.spaces().get(step.field.span.space));
        let space = space.map(|space| space.name().into_owned()).unwrap_or_default();
        Self { origin, place: found.place, steps: Arc::new(found.steps), at: found.at, number: found.number, space }
    }

    /// Offset of the read and the file that has it; for an embedded PDB, which is compressed, the offset after unpacking.
    fn whereabouts(&self, offset: u64) -> String {
        match self.space.strip_suffix("/embedded.pdb") {
            Some(image) => format!("offset {offset:#x} of the PDB that {image} contains, once it is unpacked"),
            None => format!("offset {offset:#x} of {}", self.space),
        }
    }

    /// Value of the field called `name` before the read in the same record.
    fn name(&self) -> Option<&str> {
        let before = self.steps.list.get(..self.at)?.iter().rev().take_while(|step| !step.field.group);
        before.filter(|step| step.field.name == "name").map(|step| step.field.value.as_str()).next()
    }

    pub fn step(&self) -> Option<&Step> {
        self.steps.list.get(self.at)
    }

    pub fn span(&self) -> Option<Span> {
        self.step().map(|step| step.field.span)
    }

    pub fn session<'s>(&self, session: &'s Session) -> &'s Session {
        match self.origin {
            Origin::OpenFiles => session,
            Origin::BuiltIn(index) => samples::session(index).map_or(session, |sample| sample),
        }
    }

    /// Name of the sample that it is taken from; `None` for the open files.
    pub fn sample(&self) -> Option<&'static str> {
        match self.origin {
            Origin::OpenFiles => None,
            Origin::BuiltIn(index) => samples::BUILT_IN.get(index).map(|sample| sample.name),
        }
    }

    fn part(&self, name: &str) -> Option<String> {
        let step = self.step()?;
        let field = &step.field;
        let change = field.changes.first();
        let state = |value| change.map(|change| notation(change.state.show, value)).unwrap_or_default();
        Some(match name {
            "place" => self.place.to_string(),
            "title" => self.steps.title.clone(),
            "field" => field.name.clone(),
            "record" => step.record.clone(),
            "bytes" => spaced_hex(&step.bytes, MAX_BYTES),
            "value" => field.value.clone(),
            "raw" => step.raw.map(|raw| raw.to_string()).unwrap_or_default(),
            "meaning" => field.meaning.clone(),
            "offset" => format!("{:#x}", field.span.start),
            "form" => step.form().to_owned(),
            "length" => step.bytes.len().to_string(),
            "number" => step.number.to_string(),
            "where" => self.whereabouts(field.span.start),
            "hex" => {
                let width = step.bytes.len() * 2 + 2;
                step.raw.map(|raw| format!("{raw:#0width$x}")).unwrap_or_default()
            }
            "name" => self.name().unwrap_or_default().to_owned(),
            "state" => change.map(|change| change.state.name.to_owned()).unwrap_or_default(),
            "before" => change.and_then(|change| change.before).map(state).unwrap_or_default(),
            "after" => change.map(|change| state(change.after)).unwrap_or_default(),
            _ => return None,
        })
    }

    /// `text` with the parts that the names in braces stand for.
    pub fn fill(&self, text: &str) -> String {
        Self::filled(text, |name| self.part(name))
    }

    /// The same without what tells the value of the read.
    pub(crate) fn fill_covered(&self, text: &str) -> String {
        let text = self.step().map_or_else(|| text.to_owned(), |step| without_value(text, step));
        Self::filled(&text, |name| match name {
            name if TELLING.contains(&name) => Some(COVER.to_owned()),
            "record" => Some(self.steps.covered_record(self.at).to_owned()),
            "title" => Some(self.steps.covered_title().to_owned()),
            _ => self.part(name),
        })
    }

    fn filled(text: &str, part: impl Fn(&str) -> Option<String>) -> String {
        let mut out = text.to_owned();
        for name in names_in(text) {
            if let Some(part) = part(name) {
                // A sentence with a gap in it would not say that the read has no such part.
                let part = if part.is_empty() && name != "meaning" { format!("(no {name})") } else { part };
                out = out.replace(&format!("{{{name}}}"), &part);
            }
        }
        out
    }
}
