//! Marks of the rows of a tree pane, found by jobs a few at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::engine::jobs::Queue;
use crate::panes::tree_def::TreeDef;
use crate::state::message::{Job, Msg};
use crate::state::paths::Paths;
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Row};
use pdblens_session::session::Session;

const TIME_SLICE: Duration = Duration::from_millis(30);
/// Marks by row, and the next row.
type FoundMarks = (Vec<(usize, Cell)>, usize);

#[derive(Default)]
pub(super) struct Marks {
    known: HashMap<usize, Cell>,
    /// The first row without a mark.
    next: usize,
    busy: bool,
    inbox: Arc<Mutex<Option<FoundMarks>>>,
}

impl Marks {
    pub(super) fn get(&self, row: usize) -> Option<&Cell> {
        self.known.get(&row)
    }

    /// Finds all marks again; the old ones are shown until then.
    pub(super) fn restart(&mut self) {
        (self.next, self.busy, self.inbox) = (0, false, Arc::default());
    }

    pub(super) fn take(&mut self) {
        let Some((found, next)) = self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        self.known.extend(found);
        (self.next, self.busy) = (next, false);
    }

    pub(super) fn job(
        &mut self,
        def: &TreeDef,
        session: &Arc<Session>,
        rows: &[Row],
        paths: &Arc<Paths>,
    ) -> Option<Job> {
        if self.busy || self.next >= rows.len() {
            return None;
        }
        let mark = def.mark?;
        self.busy = true;
        let (session, inbox, first) = (Arc::clone(session), Arc::clone(&self.inbox), self.next);
        let paths = Arc::clone(paths);
        let places: Vec<Option<Place>> = rows.iter().skip(first).take(1024).map(|row| row.place).collect();
        let job = Job::new(format!("looking at {}", def.name.to_lowercase()), "marks", move |token| {
            let (began, mut found, mut next) = (Instant::now(), Vec::new(), first);
            for place in places {
                if token.is_cancelled() || began.elapsed() > TIME_SLICE && next > first {
                    break;
                }
                found.extend(place.and_then(|place| mark(&session, &paths, place)).map(|cell| (next, cell)));
                next += 1;
            }
            *inbox.lock().unwrap_or_else(PoisonError::into_inner) = Some((found, next));
            Msg::PaneReady
        });
        Some(job.on(Queue::Background))
    }
}
