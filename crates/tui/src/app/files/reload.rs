//! Reading the open files again after they have changed on disk. Times and sizes of the files are read once in a while, also while
//! no key is pressed, as long as the terminal has the focus; nothing is drawn unless they differ.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::engine::jobs::Jobs;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::Paths;
use pdblens_nodes::rows::Tone;
use pdblens_session::session::Session;
use pdblens_session::session::stamps::{self, Stamp};
use pdblens_session::text::safe::visible;

const INTERVAL: Duration = Duration::from_secs(1);
pub(in crate::app) const WATCH: &str = "watch";

#[derive(Debug)]
pub(in crate::app) struct Watch {
    looked: Instant,
    /// False after the terminal reports that another window has the focus; some terminals report nothing.
    has_focus: bool,
    /// The last stamps for which the files were read again.
    reread: Vec<(PathBuf, Stamp)>,
    /// Names of the files that were there when they were read, and are not any more.
    deleted: Vec<String>,
}

impl Watch {
    pub(super) const fn new(now: Instant) -> Self {
        Self { looked: now, has_focus: true, reread: Vec::new(), deleted: Vec::new() }
    }

    /// The time of the next look at the files; `None` while there is nothing to look at.
    pub(in crate::app) fn next_look(&self, shown: Option<&Arc<Session>>, jobs: &Jobs) -> Option<Instant> {
        let session = shown.filter(|session| !session.is_sample());
        let has_files = session.is_some_and(|session| !stamps::when_read(session).is_empty());
        (has_files && self.has_focus && !jobs.is_running(WATCH)).then(|| self.looked + INTERVAL)
    }

    /// Stops the looks at the files while another window has the focus; with the focus comes a look at once.
    pub(in crate::app) fn take_focus(&mut self, has_focus: bool, now: Instant) {
        self.has_focus = has_focus;
        self.looked = now.checked_sub(INTERVAL).unwrap_or(now);
    }

    pub(super) fn request_stamps(&mut self, shown: Option<&Arc<Session>>, jobs: &Jobs, now: Instant) -> Option<Effect> {
        if self.next_look(shown, jobs).is_none_or(|next| now < next) {
            return None;
        }
        let session = Arc::clone(shown?);
        self.looked = now;
        Some(Effect::Start(Job::new("checking the files for changes", WATCH, move |_| {
            let found = stamps::now(&session);
            Msg::FilesSeen(session, found)
        })))
    }

    /// Compares the files of a session with what they were when they were read; reads them again where they have changed.
    pub(in crate::app) fn take_stamps(
        &mut self,
        session: &Session,
        found: Vec<(PathBuf, Stamp)>,
        paths: &Arc<Paths>,
    ) -> Vec<Effect> {
        let mut effects = Vec::from_iter(self.note_deleted(stamps::when_read(session), &found));
        // Files that are being written may not be readable: the next change is waited for then.
        let changed =
            found != stamps::when_read(session) && found != self.reread && found.iter().all(|(_, s)| s.is_some());
        if !changed {
            return effects;
        }
        let files: Vec<PathBuf> = found.iter().map(|(path, _)| path.clone()).collect();
        let paths = Arc::clone(paths);
        self.reread = found;
        let job = Job::new("reading the files again", "reload", move |_| {
            let opened = Session::open(&files);
            if let Ok(session) = &opened {
                paths.attach_known(session);
            }
            Msg::FilesReread(opened)
        });
        effects.push(Effect::Start(job));
        effects
    }

    /// Says of files that they were deleted, once; what was read of them still shows.
    fn note_deleted(&mut self, when_read: &[(PathBuf, Stamp)], found: &[(PathBuf, Stamp)]) -> Option<Effect> {
        let was_there = |path: &PathBuf| when_read.iter().any(|(other, stamp)| other == path && stamp.is_some());
        let gone = found.iter().filter(|(path, stamp)| stamp.is_none() && was_there(path));
        let name = |path: &PathBuf| visible(&path.file_name().unwrap_or_default().to_string_lossy()).into_owned();
        let deleted: Vec<String> = gone.map(|(path, _)| name(path)).collect();
        if deleted == self.deleted {
            return None;
        }
        self.deleted = deleted;
        if self.deleted.is_empty() {
            return Some(Effect::Update(Box::new(Msg::Redraw)));
        }
        let names = self.deleted.join(" and ");
        Some(Effect::status(Tone::Warn, format!("{names}: deleted on disk; the content read before is still shown")))
    }

    pub(in crate::app) fn deleted(&self) -> &[String] {
        &self.deleted
    }
}
