//! Reading the open files again after they have changed on disk. Files are looked at after events, never while nothing happens.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::App;
use crate::nodes::rows::Tone;
use crate::session::stamps::{self, Stamp};
use crate::session::{OpenError, Session};
use crate::tui::state::effect::Effect;
use crate::tui::state::message::{Job, Msg};

/// The least time between two looks at the files.
const INTERVAL: Duration = Duration::from_secs(2);

/// The looks at the files on disk.
#[derive(Debug)]
pub(super) struct Watch {
    /// When they were looked at last.
    pub(super) looked: Instant,
    /// The last stamps for which the files were read again.
    reread: Vec<(PathBuf, Stamp)>,
}

impl Watch {
    pub(super) const fn new(now: Instant) -> Self {
        Self { looked: now, reread: Vec::new() }
    }
}

impl App {
    /// Requests a look at the files on disk, once in a while.
    pub(super) fn request_stamps(&mut self) -> Option<Effect> {
        let session = Arc::clone(self.session.as_ref().filter(|session| !session.is_sample())?);
        if self.now.duration_since(self.watch.looked) < INTERVAL || self.jobs.is_running("watch") {
            return None;
        }
        self.watch.looked = self.now;
        Some(Effect::Start(Job::new("looking at the files", "watch", move |_| {
            let found = stamps::now(&session);
            Msg::FilesSeen(session, found)
        })))
    }

    /// Compares the files with what they were when they were read; reads them again where they have changed.
    #[allow(clippy::needless_pass_by_value, reason = "a message owns its values")]
    pub(super) fn take_stamps(&mut self, session: Arc<Session>, found: Vec<(PathBuf, Stamp)>) -> Vec<Effect> {
        // Files that are being written may not be readable: the next change is waited for then.
        let changed = found != stamps::when_read(&session)
            && found != self.watch.reread
            && found.iter().all(|(_, s)| s.is_some());
        if !changed || !self.is_open(&session) {
            return Vec::new();
        }
        let paths: Vec<PathBuf> = found.iter().map(|(path, _)| path.clone()).collect();
        self.watch.reread = found;
        let job = Job::new("reading the files again", "reload", move |_| Msg::FilesReread(Session::open(&paths)));
        vec![Effect::Start(job)]
    }

    /// Shows the files as they are now, at the same place.
    pub(super) fn take_reread(&mut self, opened: Result<Session, OpenError>) {
        let session = match opened {
            Ok(session) => Arc::new(session),
            Err(error) => return self.set_status(Tone::Warn, format!("the files have changed on disk: {error}")),
        };
        let here = self.selected.as_ref().map(|selected| selected.selection);
        let old = self.session.clone();
        self.opened.retain(|other| old.as_ref().is_none_or(|old| !Arc::ptr_eq(other, old)));
        let entries = self.back.iter_mut().chain(&mut self.forward).chain(self.marks.values_mut());
        for entry in entries.filter(|entry| old.as_ref().is_some_and(|old| Arc::ptr_eq(&entry.session, old))) {
            entry.session = Arc::clone(&session);
        }
        self.switch_session(session);
        match here {
            Some(selection) => {
                self.update_layout();
                self.show(selection);
            }
            None => self.show_home(),
        }
        self.set_status(Tone::Text, "the files have changed on disk and were read again");
    }
}
