//! Verdict of a debugger on a breakpoint: one judgement for `break`, `break --why` and the marks of the screens.

use super::why::{Why, kept_out, module_cause, refusal, refused, why_of_line};
use super::{Breakpoint, Hit, LineQuery, MethodsOnLines, attribute_of};
use crate::address::AddressError;
use pdblens_session::session::Session;
use pdblens_session::source::{HashVerdict, Source, SourceOptions, Sources};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Binds,
    /// It moves to a later line, where it binds.
    Moves(u32),
    Hollow,
}

#[derive(Debug)]
pub struct Judge<'s> {
    session: &'s Session,
    options: &'s SourceOptions,
    /// Cause that keeps every breakpoint of the module hollow.
    pub module: Option<Why>,
}

impl<'s> Judge<'s> {
    pub fn of(session: &'s Session, options: &'s SourceOptions) -> Self {
        Self { session, options, module: module_cause(session, options) }
    }

    pub const fn with(session: &'s Session, options: &'s SourceOptions, module: Option<Why>) -> Self {
        Self { session, options, module }
    }

    /// Verdict on a line, with its cause. The line may be one of a document that the symbols do not have.
    pub fn why(&self, line: Result<&LineQuery, &AddressError>) -> Why {
        match &self.module {
            Some(why) => why.clone(),
            None => why_of_line(self, line),
        }
    }

    /// Test for the hits of a line at which a debugger stops.
    pub fn stops(&self, query: &LineQuery) -> impl Fn(&Hit) -> bool + use<'s> {
        let (session, is_hollow) = (self.session, self.module.is_some() || self.other_text(query).is_some());
        move |hit| {
            let binds = !is_hollow && hit.binds && attribute_of(session, hit.of.token()).is_none();
            binds && refusal(session, hit).is_none()
        }
    }

    /// Verdicts on the lines of a document, from line 1 to its last line with code; it is hollow after them. `is_cancelled` ends the list.
    pub fn lines(&self, document: u32, is_cancelled: &dyn Fn() -> bool) -> Vec<Verdict> {
        let query = LineQuery::of(document, 1, None);
        let methods = MethodsOnLines::of(self.session, &query.documents);
        let last = methods.last_line(document).min(MAX_LINES);
        self.among(&methods, query, last, is_cancelled)
    }

    pub fn from_to(&self, document: u32, first: u32, last: u32) -> Vec<Verdict> {
        let query = LineQuery::of(document, first, None);
        let methods = MethodsOnLines::of(self.session, &query.documents);
        self.among(&methods, query, last.min(first.saturating_add(MAX_LINES)), &|| false)
    }

    fn among(
        &self,
        methods: &MethodsOnLines,
        mut query: LineQuery,
        last: u32,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Vec<Verdict> {
        let lines = query.line..=last;
        if self.module.is_some() || self.other_text(&query).is_some() {
            return vec![Verdict::Hollow; lines.count()];
        }
        let mut verdicts = Vec::new();
        for line in lines {
            if is_cancelled() {
                break;
            }
            query.line = line;
            verdicts.push(self.verdict(&query, &methods.bind(self.session, &query)));
        }
        verdicts
    }

    /// Verdict on a line in a module and a document without a cause of their own.
    pub(super) fn verdict(&self, query: &LineQuery, found: &Breakpoint) -> Verdict {
        let (session, is_empty) = (self.session, found.hits.is_empty());
        if is_empty || kept_out(session, found).is_some() || refused(session, found).is_some() {
            Verdict::Hollow
        } else if found.line == query.line {
            Verdict::Binds
        } else {
            Verdict::Moves(found.line)
        }
    }

    /// A text of the document that is at hand and is not the one that was compiled: debuggers ask for the exact one.
    pub(super) fn other_text(&self, query: &LineQuery) -> Option<Source> {
        self.text_with(query, |verdict| *verdict == HashVerdict::Differs)
    }

    /// The first text at hand of the documents of a line whose hash has such a verdict.
    pub(super) fn text_with(&self, query: &LineQuery, is_wanted: fn(&HashVerdict) -> bool) -> Option<Source> {
        let sources = Sources::of(self.session, self.options);
        let mut found = query.documents.iter().filter_map(|row| sources.get(*row).ok());
        found.find(|source| is_wanted(&source.verdict))
    }

    pub const fn session(&self) -> &'s Session {
        self.session
    }
}

const MAX_LINES: u32 = 1 << 16;
