//! Background work: the jobs that are requested after every event for the files and what is shown of them, unless they run already.

use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::Files;
use crate::engine::jobs::{Jobs, Queue};
use crate::state::document_info::DocumentInfo;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg, index_job};
use crate::state::selection::SelectionContext;
use crate::state::texts;
use pdblens_nodes::code_unit;
use pdblens_nodes::document;
use pdblens_nodes::function::NativeView;
use pdblens_query::check;
use pdblens_session::session::hold;

const HIGHLIGHT: &str = "highlight";
const FUNCTIONS: &str = "functions";

/// Set once the check of a session was requested.
#[derive(Default)]
struct CheckAsked(OnceLock<()>);

impl Files {
    pub(in crate::app) fn requests(
        &mut self,
        selected: Option<&SelectionContext>,
        jobs: &Jobs,
        now: Instant,
    ) -> Vec<Effect> {
        let document = selected.and_then(|selected| selected.document);
        let index = self.request_index(selected);
        let shown = [index, self.request_text(document), self.request_document_info(document)];
        let effects = shown
            .into_iter()
            .chain([self.request_functions(jobs), self.watch.request_stamps(self.opened.shown.as_ref(), jobs, now)]);
        effects.flatten().collect()
    }

    fn request_index(&mut self, selected: Option<&SelectionContext>) -> Option<Effect> {
        let index = selected?.required_index?;
        let shown = self.opened.shown.as_ref()?;
        index_job(&mut self.index_job, shown, index, "record", Msg::LazyIndexBuilt).map(Effect::Start)
    }

    pub(in crate::app) fn request_check(&self) -> Option<Effect> {
        let session = self.opened.shown.clone()?;
        session.cache().get::<CheckAsked>().0.set(()).ok()?;
        let paths = Arc::clone(&self.paths);
        let job = Job::new("checking the files", "check findings", move |token| {
            check::check_while(&session, &paths.sources, &|done, total| {
                token.report(done, total);
                !token.is_cancelled()
            });
            Msg::PaneReady
        });
        Some(Effect::Start(job.on(Queue::Background)))
    }

    /// Requests the functions of native code: reading those of a large PDB takes a while.
    fn request_functions(&self, jobs: &Jobs) -> Option<Effect> {
        let session = self.opened.shown.clone()?;
        if code_unit::is_ready(&session) || jobs.is_running(FUNCTIONS) {
            return None;
        }
        Some(Effect::Start(Job::new("reading functions", FUNCTIONS, move |_| {
            if let Some(native) = NativeView::of(&session) {
                native.read_all();
            }
            Msg::FunctionsRead
        })))
    }

    fn request_text(&mut self, document: Option<u32>) -> Option<Effect> {
        let document = document?;
        let session = Arc::clone(self.opened.shown.as_ref()?);
        if !self.texts.request(document) {
            return None;
        }
        let paths = Arc::clone(&self.paths);
        Some(Effect::Start(Job::new("reading the source", "source", move |_| {
            Msg::SourceRead(document, texts::read(&session, &paths, document))
        })))
    }

    fn request_document_info(&mut self, document: Option<u32>) -> Option<Effect> {
        let document = document?;
        let session = Arc::clone(self.opened.shown.as_ref()?);
        if !self.texts.info.request(document) {
            return None;
        }
        let paths = Arc::clone(&self.paths);
        Some(Effect::Start(Job::new("finding the lines that have code", "document info", move |token| {
            hold(&session);
            let info = DocumentInfo::judged(&session, document, &paths.sources, &|| token.is_cancelled());
            Msg::DocumentInfoRead(document, Arc::new(info))
        })))
    }

    pub(in crate::app) fn request_highlighting(
        &mut self,
        (document, window): (u32, Range<usize>),
        jobs: &Jobs,
    ) -> Option<Effect> {
        let session = self.opened.shown.as_ref()?;
        let (text, highlighter) = self.texts.unfinished(document, window.end, || document::name(session, document))?;
        if jobs.is_running(HIGHLIGHT) {
            return None;
        }
        Some(Effect::Start(Job::new("colouring the source", HIGHLIGHT, move |token| {
            let highlighter = highlighter.work(&*text, window, &|| token.is_cancelled());
            Msg::Highlighted(document, text, highlighter)
        })))
    }
}
