//! Background work: the jobs that the app requests after every event for what is shown, unless they run already.

use pdblens_nodes::document;
use pdblens_nodes::function::NativeView;
use std::sync::{Arc, OnceLock};

use super::App;
use crate::app::registry::PANES;
use crate::engine::jobs::Queue;
use crate::state::document_info::DocumentInfo;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg, index_job};
use crate::state::texts;
use crate::state::view::View;
use pdblens_query::check;

const HIGHLIGHT: &str = "highlight";
const FUNCTIONS: &str = "functions";

/// The pane that lists the findings.
const LIST_OF_FINDINGS: &str = "guide";

/// Set once the check of a session was requested.
#[derive(Default)]
struct CheckAsked(OnceLock<()>);

impl App {
    /// Requests the lazy index that the fields of the selection need.
    pub(super) fn request_index(&mut self) -> Option<Effect> {
        let index = self.navigation.selected()?.required_index.filter(|_| !self.index_job.is_pending())?;
        let job = index_job(self.session.as_ref()?, index, "record", Msg::LazyIndexBuilt);
        self.index_job = job.handle();
        Some(Effect::Start(job))
    }

    pub(super) fn request_pane_jobs(&mut self) -> Vec<Effect> {
        let Some(session) = self.session.clone() else { return Vec::new() };
        let shown: Vec<usize> =
            self.layout.areas().panes.iter().filter_map(|placed| self.navigation.pane_in(placed.slot)).collect();
        let jobs = shown.into_iter().filter_map(|pane| self.panes.get_mut(pane)?.background_job(&session));
        jobs.map(Effect::Start).collect()
    }

    /// Requests the check of the files, where the list of its findings has no room: header and card have their mark.
    pub(super) fn request_check(&mut self) -> Option<Effect> {
        let session = self.session.clone().filter(|_| self.navigation.view() == View::Overview)?;
        let mut shown = self.layout.areas().panes.iter().filter_map(|placed| self.navigation.pane_in(placed.slot));
        let is_listed = shown.any(|pane| PANES.get(pane).is_some_and(|pane| pane.id == LIST_OF_FINDINGS));
        if is_listed || session.cache().get::<CheckAsked>().0.set(()).is_err() {
            return None;
        }
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
    pub(super) fn request_functions(&mut self) -> Option<Effect> {
        let session = self.session.clone()?;
        if NativeView::of(&session)?.is_read() || self.jobs.is_running(FUNCTIONS) {
            return None;
        }
        Some(Effect::Start(Job::new("reading functions", FUNCTIONS, move |_| {
            if let Some(native) = NativeView::of(&session) {
                native.read_all();
            }
            Msg::FunctionsRead
        })))
    }

    /// Requests the text of the document that shows the selection.
    pub(super) fn request_text(&mut self) -> Option<Effect> {
        let document = self.navigation.document()?;
        let session = Arc::clone(self.session.as_ref()?);
        if !self.texts.request(document) {
            return None;
        }
        let paths = Arc::clone(&self.paths);
        Some(Effect::Start(Job::new("reading the source", "source", move |_| {
            Msg::SourceRead(document, texts::read(&session, &paths, document))
        })))
    }

    /// Requests the facts about the document that shows the selection.
    pub(super) fn request_document_info(&mut self) -> Option<Effect> {
        let document = self.navigation.document()?;
        let session = Arc::clone(self.session.as_ref()?);
        if !self.texts.info.request(document) {
            return None;
        }
        Some(Effect::Start(Job::new("finding the lines that have code", "document info", move |token| {
            let info = DocumentInfo::read(&session, document, &|| token.is_cancelled());
            Msg::DocumentInfoRead(document, Arc::new(info))
        })))
    }

    /// Requests the highlighting of the lines that show.
    pub(super) fn request_highlighting(&mut self) -> Option<Effect> {
        let (document, window) = self.source_window()?;
        let session = self.session.as_ref()?;
        let (text, highlighter) = self.texts.unfinished(document, window.end, || document::name(session, document))?;
        if self.jobs.is_running(HIGHLIGHT) {
            return None;
        }
        Some(Effect::Start(Job::new("colouring the source", HIGHLIGHT, move |token| {
            let highlighter = highlighter.work(&*text, window, &|| token.is_cancelled());
            Msg::Highlighted(document, text, highlighter)
        })))
    }

    /// The document that shows, and its visible lines.
    fn source_window(&self) -> Option<(u32, std::ops::Range<usize>)> {
        self.layout.areas().panes.iter().find_map(|placed| self.facts(placed.slot)?.source_window)
    }
}
