//! The places that an input means by itself: found by a job, as names may have to be looked for.

use std::sync::{Arc, PoisonError};

use super::Ask;
use super::parts::question;
use crate::overlays::OverlayContext;
use crate::overlays::goto::{InOther, answers, here};
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::selection::Selection;
use crate::ui::text::head;
use pdblens_learn::about::Explanation;
use pdblens_learn::chain::Asked;
use pdblens_learn::codec::parse_hex;
use pdblens_learn::explain::explain;
use pdblens_learn::headings;
use pdblens_nodes::Place;
use pdblens_query::address::{AddressError, LineQuery};
use pdblens_query::ask::{Answer, AtOffset, Here, at_offset, further, overloads, typed_offset};
use pdblens_query::breakpoint::{Judge, Why};
use pdblens_query::owner::record_at;
use pdblens_session::session::Session;
use pdblens_session::source::SourceOptions;

/// The last input, the place that it means by itself, and the places that it means in other files.
#[derive(Default)]
pub(super) struct Direct {
    typed: String,
    answer: Option<Answer>,
    /// The question whose steps lead to the answer, where it has steps.
    asked: Option<Asked>,
    /// Other places that the input means in the shown files.
    further: Vec<Place>,
    /// The records that have bytes among these places: page, stream, table row, method, point.
    records: Vec<(Place, Selection)>,
    others: Vec<InOther>,
    /// Code that has the typed name, where it is several methods.
    named: Arc<[NamedCode]>,
    /// Verdict on a breakpoint on the line that the input means.
    why: Option<Why>,
    /// Explanation of an input that names no place: `why -5`, `line 21`, a paragraph of a specification, pasted bytes.
    explained: String,
}

/// Beginnings of questions that [`explain`] answers.
const QUESTIONS: [&str; 2] = ["why ", "line "];
/// Methods of one name whose offset is described: a breakpoint on the line of each is judged.
const MAX_JUDGED: usize = 64;

/// Lines of a section, and cells of a line, that a screen can show.
const MAX_LINES: usize = 100;
const MAX_CELLS: usize = 400;

/// One of the methods or functions that have the typed name and parameters.
#[derive(Clone)]
pub(super) struct NamedCode {
    /// Index of another open file.
    pub(super) file: Option<usize>,
    pub(super) place: Place,
    /// Description of the typed offset.
    pub(super) at: Option<AtOffset>,
}

impl NamedCode {
    /// The code of one file that an input means, where it is several methods.
    fn all(session: &Session, file: Option<usize>, typed: &str, sources: &SourceOptions) -> Vec<Self> {
        let found = overloads(session, typed);
        let offset = if (1..=MAX_JUDGED).contains(&found.len()) { typed_offset(typed) } else { None };
        let judge = offset.map(|offset| (Judge::of(session, sources), offset));
        let describe = |place: Place| Some(at_offset(&judge.as_ref()?.0, place.code_unit()?, judge.as_ref()?.1));
        found.into_iter().map(|place| Self { file, place, at: describe(place) }).collect()
    }
}

impl Direct {
    pub(super) fn of(
        session: &Session,
        others: &[Arc<Session>],
        typed: &str,
        at: Here,
        sources: &SourceOptions,
    ) -> Self {
        let (answer, found) = answers(session, others, typed, at);
        let asked = question(session, typed, &answer);
        let mut named = Vec::new();
        if answer.is_err() {
            named.extend(NamedCode::all(session, None, typed, sources));
            for (index, other) in others.iter().enumerate() {
                named.extend(NamedCode::all(other, Some(index), typed, sources));
            }
        }
        let why = asked.and_then(|asked| match asked {
            Asked::Line(row, line) => Some(Judge::of(session, sources).why(Ok(&LineQuery::of(row, line, None)))),
            Asked::Code(of, offset) => at_offset(&Judge::of(session, sources), of, offset).why,
            _ => None,
        });
        let is_question = QUESTIONS.iter().any(|question| typed.starts_with(question))
            || headings::find(typed).is_some()
            || !typed.starts_with("0x") && parse_hex(typed).is_ok();
        let explained = if answer.is_err() && is_question { explain(session, typed) } else { None };
        let further = further(session, typed);
        let meant = answer.as_ref().ok().map(|(place, _)| *place).into_iter().chain(further.iter().copied());
        let records = meant.filter_map(|place| Some((place, record_of(session, place)?))).collect();
        Self {
            typed: typed.to_owned(),
            answer: Some(answer),
            asked,
            further,
            records,
            others: found,
            named: named.into(),
            why,
            explained: explained.map_or_else(String::new, |found| lines_of(&found)),
        }
    }
}

/// The lines of an explanation that a screen can show.
fn lines_of(found: &Explanation) -> String {
    let mut text = head(&found.title, MAX_CELLS).0.to_owned();
    for section in &found.sections {
        text.extend(["\n", section.heading]);
        for line in section.lines.iter().take(MAX_LINES) {
            text.extend(["\n  ", &head(line, MAX_CELLS).0.replace('\t', "  ")]);
        }
    }
    text
}

/// The record that has bytes of a file, and the bytes in it.
fn record_of(session: &Session, place: Place) -> Option<Selection> {
    let Place::Bytes(span) = place else { return None };
    let found = record_at(session, span)?;
    Some(Selection { place: found.place, part: Some(found.bytes) })
}

impl Ask {
    /// A part of the result; its default while the result is that of another input.
    fn known<T: Default>(&self, typed: &str, part: impl FnOnce(&Direct) -> T) -> T {
        let direct = self.direct.lock().unwrap_or_else(PoisonError::into_inner);
        if direct.typed == typed { part(&direct) } else { T::default() }
    }

    /// The answer to an input, once it is known.
    pub(super) fn direct(&self, typed: &str) -> Option<Answer> {
        self.known(typed, |direct| direct.answer.clone())
    }

    pub(super) fn overloads_of(&self, typed: &str) -> Arc<[NamedCode]> {
        self.known(typed, |direct| Arc::clone(&direct.named))
    }

    pub(super) fn why(&self, typed: &str) -> Option<Why> {
        self.known(typed, |direct| direct.why.clone())
    }

    pub(super) fn explained(&self, typed: &str) -> String {
        self.known(typed, |direct| direct.explained.clone())
    }

    /// Returns whether a place is code with other parameters than those that were typed.
    pub(super) fn is_other_overload(&self, place: Place, typed: &str) -> bool {
        let named = self.overloads_of(typed);
        let is_match = |named: &NamedCode| named.place.code_unit() == place.code_unit();
        typed.contains('(') && place.code_unit().is_some() && !named.is_empty() && !named.iter().any(is_match)
    }

    /// Returns whether `why` says that no overload has the typed parameters, and this place does not have them either.
    pub(super) fn is_no_overload(&self, place: Place, typed: &str, why: &AddressError) -> bool {
        why.is_no_overload() && (self.overloads_of(typed).is_empty() || self.is_other_overload(place, typed))
    }

    pub(super) fn asked(&self, typed: &str) -> Option<Asked> {
        self.known(typed, |direct| if matches!(direct.answer, Some(Ok(_))) { direct.asked } else { None })
    }

    /// The selection that a place of an input leads to: of bytes, the record that has them.
    pub(super) fn landing(&self, typed: &str, place: Place) -> Selection {
        let record =
            |direct: &Direct| direct.records.iter().find(|(bytes, _)| *bytes == place).map(|(_, selection)| *selection);
        self.known(typed, record).unwrap_or_else(|| place.into())
    }

    /// Name of a place, and what is said about it; of bytes, the record that has them.
    pub(super) fn named(
        &self,
        typed: &str,
        place: Place,
        said: &str,
        path: &dyn Fn(Place) -> String,
    ) -> (String, String) {
        match self.landing(typed.trim(), place).place {
            record if record == place => (path(place), said.to_owned()),
            record => (path(record), path(place)),
        }
    }

    pub(super) fn further(&self, typed: &str, first: Option<Place>) -> Vec<Place> {
        self.known(typed, |direct| direct.further.iter().copied().filter(|place| Some(*place) != first).collect())
    }

    /// The places that an input means in other files, each with the index of its file and what is said about it.
    pub(super) fn direct_in_others(&self, typed: &str) -> Vec<(usize, Place, String)> {
        self.known(typed, |direct| direct.others.clone())
    }

    pub(super) fn other_sessions(&self) -> Vec<Arc<Session>> {
        self.others.iter().map(|(session, _)| Arc::clone(session)).collect()
    }

    pub(super) fn direct_job(&self, typed: &str, cx: &OverlayContext<'_>) -> Option<Effect> {
        let session = Arc::clone(cx.session?);
        let (typed, shared, here) = (typed.to_owned(), Arc::clone(&self.direct), here(cx));
        let paths = Arc::clone(cx.paths);
        {
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            if shared.typed == typed {
                return None;
            }
            *shared = Direct { typed: typed.clone(), ..Direct::default() };
        }
        let others = self.other_sessions();
        Some(Effect::Start(Job::new("looking it up", "goto", move |_| {
            let found = Direct::of(&session, &others, &typed, here, &paths.sources);
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            if shared.typed == typed {
                *shared = found;
            }
            Msg::OverlayReady
        })))
    }
}
