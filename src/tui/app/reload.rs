//! Reading the open files again after they have changed on disk. Files are looked at after events, never while nothing happens.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::App;
use crate::nodes::rows::Tone;
use crate::session::{OpenError, Session};
use crate::tui::state::effect::Effect;
use crate::tui::state::message::{Job, Msg};

/// The least time between two looks at the files.
const INTERVAL: Duration = Duration::from_secs(2);

/// Time of the last change, and size.
pub(super) type Stamp = Option<(SystemTime, u64)>;

/// A session, and the stamps of its files when it was read.
type Stamps = (Arc<Session>, Vec<(PathBuf, Stamp)>);

/// The state of the files on disk, as it was seen last.
#[derive(Debug)]
pub(super) struct Watch {
    /// When they were looked at last.
    pub(super) looked: Instant,
    /// Their stamps, with the session that was read from them.
    stamps: Option<Stamps>,
}

impl Watch {
    pub(super) const fn new(now: Instant) -> Self {
        Self { looked: now, stamps: None }
    }
}

fn stamps(session: &Session) -> Vec<(PathBuf, Stamp)> {
    let stamp = |path: &PathBuf| {
        let data = std::fs::metadata(path).ok()?;
        Some((data.modified().ok()?, data.len()))
    };
    let image = session.image().map(|file| &file.path);
    let symbols = session.symbol_file().filter(|file| !file.embedded).map(|file| &file.path);
    image.into_iter().chain(symbols).map(|path| (path.clone(), stamp(path))).collect()
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
            let found = stamps(&session);
            Msg::FilesSeen(session, found)
        })))
    }

    /// Compares the files with what they were; reads them again where they have changed.
    #[allow(clippy::needless_pass_by_value, reason = "a message owns its values")]
    pub(super) fn take_stamps(&mut self, session: Arc<Session>, found: Vec<(PathBuf, Stamp)>) -> Vec<Effect> {
        let before = self.watch.stamps.replace((Arc::clone(&session), found.clone()));
        let before = before.filter(|(of, _)| Arc::ptr_eq(of, &session)).map(|(_, before)| before);
        let changed = before.is_some_and(|before| before != found) && found.iter().all(|(_, stamp)| stamp.is_some());
        if !changed || !self.is_open(&session) {
            return Vec::new();
        }
        let paths: Vec<PathBuf> = found.into_iter().map(|(path, _)| path).collect();
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
        for entries in [&mut self.back, &mut self.forward] {
            entries.retain(|entry| old.as_ref().is_none_or(|old| !Arc::ptr_eq(&entry.session, old)));
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
