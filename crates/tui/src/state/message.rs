//! Messages: the results of jobs and the answers to confirmations.
//!
//! A pane or an overlay that runs a job of its own takes the result from an inbox that it shares with the job; the message
//! only tells the app to let it look there, so that a new pane needs no new message.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::action::Action;
use crate::engine::jobs::{self, CancelToken, JobHandle};
use crate::state::document_info::DocumentInfo;
use crate::state::paths::{Completed, SourcePath};
use crate::state::texts::{Text, TextState};
use crate::ui::highlight::Highlighter;
use pdblens_formats::reason::Reason;
use pdblens_learn::Steps;
use pdblens_learn::chain::{self, Asked};
use pdblens_nodes::lazy_index::LazyIndex;
use pdblens_nodes::rows::Tone;
use pdblens_nodes::{self as nodes, Place};
use pdblens_query::check::Remark;
use pdblens_query::coverage::Coverage;
use pdblens_query::quality::RefusedPoint;
use pdblens_session::session::inputs::Unit;
use pdblens_session::session::stamps::Stamp;
use pdblens_session::session::{OpenError, Session};
use pdblens_session::source::Fetched;
use pdblens_session::store::SymbolPath;

pub type Job = jobs::Job<Msg>;

/// A refused point, and how it is listed.
pub struct RefusedStatement {
    pub point: RefusedPoint,
    /// Name of the method without namespaces.
    pub method: String,
    /// The line of the source, or the statement from IL where that is not at hand.
    pub statement: String,
}

pub enum Msg {
    /// The files of the command line were opened.
    Opened(Completed),
    FileOpened(Result<Session, OpenError>),
    /// A file that the user named was opened with the shown one, whose other half it is and does not match.
    MismatchOpened(Box<Session>, PathBuf),
    /// The operand of an instruction was followed: to its definition in another of the open files, or to its row.
    OperandFollowed(Place),
    OpenFileChosen(Arc<Session>),
    /// A file was chosen in a list, or a place in it, or the view that shows it.
    UnitChosen(Unit, Option<Place>, Option<Action>),
    /// The files of a container that was chosen in the list were listed, or of several that were named together.
    ContainerListed(Vec<PathBuf>, Result<Vec<Unit>, OpenError>),
    SymbolsSearched(Completed),
    /// A lazy index of the session was built: more is known of what is selected.
    LazyIndexBuilt,
    /// The bytes with a field were counted; `None` where that was cancelled.
    CoverageCounted(Option<Vec<Coverage>>),
    /// Refused points, and a text that those of the method or the file have.
    RefusedListed(Vec<RefusedStatement>, String),
    /// Results of the check of the open files, but those that are as they should be.
    FindingsListed(Vec<(Arc<Session>, Remark)>),
    FunctionsRead,
    SourceRead(u32, TextState),
    Highlighted(u32, Arc<Text>, Highlighter),
    DocumentInfoRead(u32, Arc<DocumentInfo>),
    SourcePathChecked(Result<SourcePath, String>),
    SymbolPathChecked(Result<SymbolPath, String>),
    /// The image was opened with a PDB that was named as its symbols.
    SymbolsNamed(Result<Session, OpenError>),
    SymbolPathConfirmed(SymbolPath),
    SourcesWanted(Vec<u32>),
    ExtractWanted,
    /// The user allows to contact hosts; the URLs are fetched.
    HostsConfirmed(Vec<String>, Vec<String>),
    SourcesFetched(Vec<(String, Fetched)>),
    /// A job has nothing but a sentence to show.
    Reported(Tone, String),
    /// The frames were resolved again, with a sentence about what was gained.
    TraceResolved(String),
    TraceFileRead(String, io::Result<Vec<u8>>),
    /// The threads of the process were read again.
    ThreadsRead(Result<String, Reason>),
    /// A text is looked for in all sources.
    TextSought(String),
    /// A path was typed, which is opened.
    PathTyped(String),
    /// The verdict on what is selected, its reason and remedy, and a text that its refused points have.
    VerdictKnown(String, Vec<String>, String),
    /// The list of refused points is wanted, of which only those with a text show first.
    RefusedWanted(String),
    /// An answer about the selection was followed look-up by look-up; `None` where the files have none.
    ChainFollowed(Arc<Session>, Option<Box<Steps>>),
    /// The files of a session were looked at on disk: paths, times of the last change and sizes.
    FilesSeen(Arc<Session>, Vec<(PathBuf, Stamp)>),
    /// An older build was opened to compare the open files with, or those of a newer build.
    CompareWith(Result<Arc<Session>, OpenError>, Option<Arc<Session>>),
    FilesReread(Result<Session, OpenError>),
    ThemeChosen(Arc<str>),
    /// A theme was chosen for this and later starts.
    ThemeKept(Arc<str>),
    /// A letter was typed to mark the selection (true), or to go to what it marks.
    Marked(bool, char),
    /// The lesson with a key is wanted from its beginning.
    RestartWanted(String),
    /// The user agrees to forget the progress of the lesson with a key.
    QuitConfirmed,
    RestartConfirmed(String),
    /// A pane has a result in its inbox.
    PaneReady,
    /// A pane has the order of its list in its inbox.
    ListSorted,
    /// The overlay on top has a result in its inbox.
    OverlayReady,
    /// Something that is drawn has changed; the search takes its results after every event.
    Redraw,
}

/// Inbox of a pane: the result of its job, until the pane takes it.
#[derive(Debug)]
pub struct Inbox<T> {
    result: Arc<Mutex<Option<T>>>,
    job: JobHandle,
}

impl<T> Default for Inbox<T> {
    fn default() -> Self {
        Self { result: Arc::default(), job: JobHandle::default() }
    }
}

impl<T: Send + 'static> Inbox<T> {
    pub fn take(&self) -> Option<T> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns whether a job still works on the result.
    pub fn is_pending(&self) -> bool {
        self.job.is_pending()
    }

    /// A job that finds the result, unless it is cancelled.
    pub fn job(
        &mut self,
        label: impl Into<String>,
        slot: &'static str,
        find: impl FnOnce(&CancelToken) -> Option<T> + Send + 'static,
    ) -> Job {
        self.job_with(label, slot, |token| (find(token), Msg::PaneReady))
    }

    /// A job that finds the result, and the message that tells the app.
    pub fn job_with(
        &mut self,
        label: impl Into<String>,
        slot: &'static str,
        find: impl FnOnce(&CancelToken) -> (Option<T>, Msg) + Send + 'static,
    ) -> Job {
        // A new result: a cancelled job may still write to the old one.
        self.result = Arc::default();
        let result = Arc::clone(&self.result);
        let job = Job::new(label, slot, move |token| {
            let (found, message) = find(token);
            *result.lock().unwrap_or_else(PoisonError::into_inner) = found;
            message
        });
        self.job = job.handle();
        job
    }
}

/// A job that builds an index, unless the one that was `asked` for last is still doing so.
pub(crate) fn index_job(
    asked: &mut JobHandle,
    session: &Arc<Session>,
    index: LazyIndex,
    slot: &'static str,
    done: Msg,
) -> Option<Job> {
    if asked.is_pending() {
        return None;
    }
    let session = Arc::clone(session);
    let job = Job::new(format!("reading {index}"), slot, move |_| {
        nodes::build_index(&session, index);
        done
    });
    *asked = job.handle();
    Some(job)
}

/// A job that makes the steps of an answer, which the player shows.
pub fn chain_job(session: &Arc<Session>, asked: Asked) -> Job {
    let session = Arc::clone(session);
    Job::new("following the answer", "chain", move |_| {
        let steps = chain::answer(&session, asked);
        Msg::ChainFollowed(session, steps.map(Box::new))
    })
}
