//! Search results: the matching rows of a list, as far as a job has scanned it.
//!
//! The scan goes from the row of the cursor to the end, then from the start. Its results are taken while it goes on, so that they show
//! early. A query that narrows the previous one only rechecks its results.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::engine::jobs::{CancelToken, Job, Queue};
use crate::ui::query::Query;
use pdblens_nodes::rows::Rows;
use pdblens_session::session::Session;
use pdblens_session::text::safe::visible;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchMode {
    /// The cursor moves from match to match.
    Find,
    /// Only matches are shown.
    Filter,
}

impl SearchMode {
    pub const fn slot(self) -> &'static str {
        match self {
            Self::Find => "find",
            Self::Filter => "filter",
        }
    }
}

/// Makes the rows of a list, for a worker.
pub type RowSource = Arc<dyn for<'s> Fn(&'s Session) -> Option<Rows<'s>> + Send + Sync>;
/// Rows between two checks for cancellation.
const BATCH_SIZE: usize = 256;

#[derive(Clone, Debug)]
pub struct SearchResults {
    pub query: Query,
    /// The matching rows, ascending.
    pub rows: Arc<Vec<usize>>,
    /// The first match from the start of the search on.
    pub first: Option<usize>,
    total: usize,
    /// True if a job was started, and how many results it has reported.
    pub requested: bool,
    reported: usize,
    scan: Arc<Mutex<Scan>>,
}

#[derive(Debug, Default)]
struct Scan {
    start: usize,
    scanned: usize,
    total: usize,
    /// Matches of the previous query that are still to be checked.
    recheck: VecDeque<usize>,
    /// Matches from the start row on, and before it; none once the scan has ended and they were taken.
    after: Vec<usize>,
    before: Vec<usize>,
    /// True if a job has started and not ended.
    running: bool,
    done: bool,
    dirty: bool,
}

impl SearchResults {
    /// Starts a search from a row on; `earlier` is the previous search in the same list.
    pub fn new(query: Query, start: usize, earlier: Option<&Self>) -> Self {
        let scan = match earlier.filter(|earlier| query.narrows(&earlier.query)) {
            Some(earlier) => {
                let known = earlier.scan();
                let (before, after) = known.found(&earlier.rows);
                let recheck = after.iter().chain(before).chain(&known.recheck).copied().collect();
                Scan { start: known.start, scanned: known.scanned, total: known.total, recheck, ..Scan::default() }
            }
            None => Scan { start, ..Scan::default() },
        };
        Self::of(query, scan)
    }

    /// Starts a search among some rows.
    pub(super) fn within(query: Query, start: usize, rows: &[usize]) -> Self {
        let (before, after) = rows.split_at(rows.partition_point(|row| *row < start));
        let recheck = after.iter().chain(before).copied().collect();
        Self::of(query, Scan { start, scanned: usize::MAX, recheck, ..Scan::default() })
    }

    fn of(query: Query, scan: Scan) -> Self {
        let total = scan.total;
        Self {
            query,
            rows: Arc::default(),
            first: None,
            total,
            requested: false,
            reported: 0,
            scan: Arc::new(Mutex::new(scan)),
        }
    }

    fn scan(&self) -> MutexGuard<'_, Scan> {
        lock(&self.scan)
    }

    /// Returns whether these are the first results of the search.
    pub const fn is_first(&self) -> bool {
        self.reported < 2
    }

    pub fn contains(&self, row: usize) -> bool {
        self.rows.binary_search(&row).is_ok()
    }

    /// The first match at or after a row; else the last one.
    pub fn nearest(&self, row: usize) -> Option<usize> {
        self.rows.get(self.rows.partition_point(|other| *other < row)).or_else(|| self.rows.last()).copied()
    }

    /// The match after a row, or before it, wrapping around; `None` until it is known.
    #[allow(clippy::option_option, reason = "an unfinished search differs from one without a match")]
    pub fn next(&self, row: usize, forward: bool) -> Option<Option<usize>> {
        let to = if forward {
            self.rows.get(self.rows.partition_point(|other| *other <= row))
        } else {
            self.rows.partition_point(|other| *other < row).checked_sub(1).and_then(|at| self.rows.get(at))
        };
        if self.is_complete() {
            return Some(to.or_else(|| if forward { self.rows.first() } else { self.rows.last() }).copied());
        }
        // The scan has no gaps after its start row.
        if forward && row >= self.scan().start { to.map(|row| Some(*row)) } else { None }
    }

    /// Returns whether all rows were scanned.
    pub fn is_complete(&self) -> bool {
        let scan = self.scan();
        scan.done && scan.scanned >= scan.total
    }

    /// Returns whether all rows were scanned and all matches taken.
    pub fn is_final(&self) -> bool {
        self.is_complete() && !self.scan().dirty
    }

    pub fn stop(&self) {
        self.scan().done = true;
    }

    /// Number of matches: `12 of 3410`.
    pub fn count_text(&self, more: &str) -> String {
        let more = if self.is_complete() { String::new() } else { format!(" {more}") };
        // Empty until the list has been opened.
        if self.total == 0 { more } else { format!("{} of {}{more}", self.rows.len(), self.total) }
    }

    /// Position among the matches: `3 of 17`; only their number where the row is none.
    pub fn position_text(&self, row: Option<usize>, more: &str) -> String {
        let more = if self.is_complete() { String::new() } else { format!(" {more}") };
        match row.and_then(|row| self.rows.binary_search(&row).ok()) {
            Some(at) => format!("{} of {}{more}", at + 1, self.rows.len()),
            None if self.rows.is_empty() && more.is_empty() => "none".to_owned(),
            None => format!("{}{more}", self.rows.len()),
        }
    }

    /// Takes new matches; false where there are too few to be worth redrawing a long list.
    pub(super) fn take_found(&mut self) -> bool {
        let mut scan = lock(&self.scan);
        let found = scan.before.len() + scan.after.len();
        let few = self.reported > 0 && !scan.done && found < self.rows.len() + self.rows.len() / 8;
        if !scan.dirty || few {
            return false;
        }
        scan.dirty = false;
        self.rows = Arc::new([scan.before.as_slice(), &scan.after].concat());
        self.first = scan.after.first().or_else(|| scan.before.first()).copied();
        self.total = scan.total;
        self.reported += 1;
        if scan.done && scan.scanned >= scan.total && scan.recheck.is_empty() {
            // The scan has ended, and `rows` has all that it found.
            (scan.before, scan.after, scan.recheck) = Default::default();
        }
        true
    }

    /// Returns whether rows remain to be scanned and no job is running.
    pub fn is_idle(&self) -> bool {
        let mut scan = self.scan();
        let nobody = Arc::weak_count(&self.scan) == 0;
        // A job that did not end has failed: it is not repeated.
        scan.done |= scan.running && nobody;
        !scan.done && nobody
    }

    pub fn job<M: Send + 'static>(
        &self,
        mode: SearchMode,
        session: &Arc<Session>,
        source: RowSource,
        message: M,
    ) -> Job<M> {
        let (session, query, scan) = (Arc::clone(session), self.query.clone(), Arc::downgrade(&self.scan));
        let what = match mode {
            SearchMode::Find => "searching for",
            SearchMode::Filter => "filtering by",
        };
        let job = Job::new(format!("{what} {}", visible(&query.text)), mode.slot(), move |token| {
            scan_rows(&scan, &query, &session, &source, token);
            message
        });
        job.on(Queue::Own)
    }
}

fn lock(scan: &Mutex<Scan>) -> MutexGuard<'_, Scan> {
    scan.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Scans until all rows are scanned, or the search is stopped or dropped.
fn scan_rows(scan: &Weak<Mutex<Scan>>, query: &Query, session: &Session, source: &RowSource, token: &CancelToken) {
    let Some(scan) = scan.upgrade() else { return };
    lock(&scan).running = true;
    let rows = source(session);
    let len = rows.as_ref().map_or(0, |rows| rows.len);
    let has = |row: usize| rows.as_ref().and_then(|rows| rows.get(row)).is_some_and(|row| query.matches(&row));
    loop {
        let (batch, recheck) = lock(&scan).batch(len);
        let found: Vec<usize> = batch.iter().copied().filter(|row| has(*row)).collect();
        let mut now = lock(&scan);
        if recheck {
            now.recheck.drain(..batch.len());
        } else {
            now.scanned += batch.len();
        }
        let start = now.start;
        let (after, before): (Vec<usize>, Vec<usize>) = found.into_iter().partition(|row| *row >= start);
        now.after.extend(after);
        now.before.extend(before);
        now.done = now.recheck.is_empty() && now.scanned >= len;
        now.dirty = true;
        token.report(now.scanned.min(len) as u64, len as u64);
        // The other owner is the list that wants the results.
        if now.done || token.is_cancelled() || Arc::strong_count(&scan) < 2 {
            now.running = false;
            return;
        }
    }
}

impl Scan {
    /// The matches before the start row, and from it on; those that were taken where the scan has none.
    fn found<'s>(&'s self, taken: &'s [usize]) -> (&'s [usize], &'s [usize]) {
        if self.before.is_empty() && self.after.is_empty() {
            return taken.split_at(taken.partition_point(|row| *row < self.start));
        }
        (&self.before, &self.after)
    }

    /// The next rows to scan in a list of `len`, and whether they are rechecked.
    fn batch(&mut self, len: usize) -> (Vec<usize>, bool) {
        (self.total, self.start) = (len, self.start.min(len.saturating_sub(1)));
        if !self.recheck.is_empty() {
            return (self.recheck.iter().take(BATCH_SIZE).copied().collect(), true);
        }
        // No batch wraps around the end.
        let from = self.start.saturating_add(self.scanned);
        if self.scanned >= len {
            return (Vec::new(), false);
        }
        let (from, end) = if from < len { (from, len) } else { (from - len, self.start) };
        ((from..end.min(from + BATCH_SIZE)).collect(), false)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use pdblens_nodes::rows::{Cell, Head, Row};

    fn source(len: usize) -> RowSource {
        Arc::new(move |_| {
            Some(Rows::new("", Head::list(["n"]), len, |row| Row::plain(vec![Cell::new(format!("<{row}>"))])))
        })
    }

    fn query(text: &str) -> Query {
        Query::new(text, &[Head::text("n")])
    }

    /// Runs jobs until the search is complete.
    pub(in crate::ui) fn finish(hits: &mut SearchResults, len: usize) {
        let session = Session::sample();
        while hits.is_idle() {
            scan_rows(
                &Arc::downgrade(&hits.scan),
                &hits.query.clone(),
                &session,
                &source(len),
                &CancelToken::default(),
            );
            hits.take_found();
        }
    }

    /// The number of rows to be rechecked.
    pub(in crate::ui) fn requested(hits: &SearchResults) -> usize {
        lock(&hits.scan).recheck.len()
    }

    #[test]
    fn rows_are_found_from_the_start_to_the_end_and_around() {
        let mut hits = SearchResults::new(query("99>"), 500, None);
        finish(&mut hits, 1000);
        assert_eq!(*hits.rows, [99, 199, 299, 399, 499, 599, 699, 799, 899, 999]);
        assert_eq!((hits.first, hits.count_text("…").as_str()), (Some(599), "10 of 1000"));
        assert_eq!((hits.next(599, true), hits.next(599, false)), (Some(Some(699)), Some(Some(499))));
        assert_eq!((hits.next(999, true), hits.next(99, false)), (Some(Some(99)), Some(Some(999))));
        assert_eq!(
            (hits.position_text(Some(299), "…"), hits.position_text(Some(300), "…")),
            ("3 of 10".into(), "10".into())
        );
    }

    #[test]
    fn a_longer_text_is_looked_for_only_where_the_shorter_one_was_found() {
        let mut short = SearchResults::new(query("7"), 40, None);
        finish(&mut short, 5000);
        assert!(lock(&short.scan).after.capacity() == 0, "the matches are there once");
        let mut long = SearchResults::new(query("77"), 0, Some(&short));
        assert_eq!(requested(&long), short.rows.len());
        finish(&mut long, 5000);
        let mut plain = SearchResults::new(query("77"), 40, None);
        finish(&mut plain, 5000);
        assert_eq!((&long.rows, long.first), (&plain.rows, plain.first));
        assert_eq!(requested(&SearchResults::new(query("8"), 0, Some(&long))), 0);
    }

    #[test]
    fn what_was_not_finished_is_gone_on_with() {
        let mut part = SearchResults::new(query("7"), 100, None);
        {
            let mut scan = lock(&part.scan);
            (scan.scanned, scan.after, scan.dirty) = (300, vec![107, 117, 377], true);
        }
        part.take_found();
        assert!(!part.is_complete() && part.is_idle() && part.first == Some(107));
        assert_eq!((part.next(107, true), part.next(377, true), part.next(107, false)), (Some(Some(117)), None, None));
        let mut long = SearchResults::new(query("77"), 0, Some(&part));
        finish(&mut long, 1000);
        let mut plain = SearchResults::new(query("77"), 400, None);
        finish(&mut plain, 1000);
        // Of the 300 rows that were scanned, only matches are checked again.
        let known: Vec<usize> = plain.rows.iter().copied().filter(|row| ![177, 277].contains(row)).collect();
        assert_eq!((&*long.rows, long.count_text("…").as_str()), (&known, "17 of 1000"));
    }

    #[test]
    fn work_that_fails_or_that_nobody_waits_for_is_not_done_again() {
        let hits = SearchResults::new(query("7"), 0, None);
        lock(&hits.scan).running = true;
        assert!(!hits.is_idle());
        let (hits, session) = (SearchResults::new(query("7"), 0, None), Session::sample());
        let scan = Arc::downgrade(&hits.scan);
        drop(hits);
        scan_rows(&scan, &query("7"), &session, &source(usize::MAX), &CancelToken::default());
        assert_eq!(scan.strong_count(), 0);
    }
}
