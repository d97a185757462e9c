//! Which rows of a list show, and what is looked for in it.
//!
//! There are two ways to look for a text: to find it, which goes from one row that has it to the next, and to filter by it, which
//! leaves only those rows. For either the worker looks through the list, a turn at a time, from the row that the cursor is on to the
//! end and then from the beginning; what it has found so far shows. A longer text is only looked for in what the shorter one was
//! found in.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::query::Query;
use super::scroll::Scroll;
use crate::model::text::visible;
use crate::model::{Rows, Session};
use crate::tui::app::App;
use crate::tui::jobs::{Job, Ticket};
use crate::tui::pane::Look;
use crate::tui::theme::Role;

/// The rows of a list, made by whoever has the files.
pub type Source = Arc<dyn for<'s> Fn(&'s Session) -> Option<Rows<'s>> + Send + Sync>;

/// How long the worker looks before others have their turn, and what it found shows.
const TURN: Duration = Duration::from_millis(30);
/// How many rows it looks at before it asks whether that is still wanted.
const STEP: usize = 256;

/// What comes of what is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// One goes from row to row.
    Find,
    /// Only those rows show.
    Filter,
}

/// The rows that show, of all that there are, and what is looked for in them. Rows are numbered as all of them are; lines as those
/// that show.
#[derive(Clone, Debug, Default)]
pub struct Sieve {
    /// What is to be found.
    pub find: Option<Hits>,
    /// What the rows are filtered by.
    pub filter: Option<Hits>,
    shown: Option<Arc<Vec<usize>>>,
    /// The rows that have what the list is filtered by, as they show.
    left: Option<Arc<Vec<usize>>>,
    /// The row that the cursor was on before none showed.
    anchor: Option<usize>,
}

/// What is looked for, and the rows that have it, as far as they are known.
#[derive(Clone, Debug)]
pub struct Hits {
    /// What.
    pub query: Query,
    rows: Arc<Vec<usize>>,
    first: Option<usize>,
    of: usize,
    /// Whether the worker was asked, and how often it has told something.
    pub asked: bool,
    told: usize,
    scan: Arc<Mutex<Scan>>,
}

/// How far the worker is.
#[derive(Debug, Default)]
struct Scan {
    /// The row that it began with.
    start: usize,
    /// How many rows it has looked at, and how many there are.
    looked: usize,
    of: usize,
    /// Rows that were found before less was asked for: they are looked at again.
    again: std::collections::VecDeque<usize>,
    /// What it found from the start on, and what it found before.
    behind: Vec<usize>,
    before: Vec<usize>,
    /// Whether it has begun a turn that it did not come to the end of.
    at_it: bool,
    done: bool,
    /// Whether something changed since somebody asked.
    news: bool,
}

impl How {
    /// The slot of the job that looks.
    pub const fn slot(self) -> &'static str {
        match self {
            Self::Find => "find",
            Self::Filter => "filter",
        }
    }
}

impl Sieve {
    /// What is looked for in that way.
    pub const fn hits(&self, how: How) -> Option<&Hits> {
        match how {
            How::Find => self.find.as_ref(),
            How::Filter => self.filter.as_ref(),
        }
    }

    /// Has that looked for; nothing ends it.
    pub fn set(&mut self, how: How, hits: Option<Hits>) {
        match how {
            How::Find => self.find = hits,
            How::Filter => self.filter = hits,
        }
    }

    /// The worker was asked.
    pub fn asked(&mut self, how: How) {
        let hits = if how == How::Find { &mut self.find } else { &mut self.filter };
        if let Some(hits) = hits {
            hits.asked = true;
        }
    }

    /// Takes what the worker has found since; says of either way of looking whether there is more.
    pub fn take(&mut self) -> [bool; 2] {
        [&mut self.find, &mut self.filter].map(|hits| hits.as_mut().is_some_and(Hits::take))
    }

    /// The row in a line.
    pub fn row(&self, line: usize) -> Option<usize> {
        self.shown.as_ref().map_or(Some(line), |shown| shown.get(line).copied())
    }

    /// The line of a row; nothing where it does not show.
    pub fn line(&self, row: usize) -> Option<usize> {
        self.shown.as_ref().map_or(Some(row), |shown| shown.binary_search(&row).ok())
    }

    /// The line of a row, or of the next one that shows, or of the last.
    pub fn nearest(&self, row: usize) -> usize {
        let next =
            |shown: &Arc<Vec<usize>>| shown.partition_point(|other| *other < row).min(shown.len().saturating_sub(1));
        self.shown.as_ref().map_or(row, next)
    }

    /// How many lines there are, of so many rows.
    pub fn lines(&self, rows: usize) -> usize {
        self.shown.as_ref().map_or(rows, |shown| shown.len())
    }

    /// Shows other rows, of so many; all of them where nothing is said. The cursor stays on its row, or goes to the next one, and
    /// the row where it was on the screen.
    pub fn sift(&mut self, scroll: &mut Scroll, shown: Option<Arc<Vec<usize>>>, rows: usize) {
        let (below, row) = (scroll.selected.saturating_sub(scroll.top), self.row(scroll.selected));
        self.anchor = row.filter(|_| scroll.len > 0).or(self.anchor);
        self.shown = shown;
        scroll.len = self.lines(rows);
        let line = self.anchor.map_or(0, |row| self.nearest(row));
        scroll.top = line.saturating_sub(below);
        scroll.select(line);
    }

    /// Shows the rows that are left by the filter: the usual way of a list that is not a tree.
    pub fn narrow(&mut self, scroll: &mut Scroll, rows: usize) {
        self.sift(scroll, self.left.clone(), rows);
    }

    /// From here on those rows are left that have what the list is filtered by, as far as they are known.
    pub fn adopt(&mut self) {
        let filter = self.filter.as_ref().filter(|filter| !filter.query.is_empty());
        self.left = filter.map(|filter| Arc::clone(&filter.rows));
    }

    /// The rows that have what the list is filtered by; nothing where it is not.
    pub fn left(&self) -> Option<&[usize]> {
        self.left.as_ref().map(|left| left.as_slice())
    }

    /// Whether there is a filter that leaves nothing.
    pub fn is_bare(&self) -> bool {
        self.left.is_some() && self.shown.as_ref().is_some_and(|shown| shown.is_empty())
    }

    /// Looks for the same in another list.
    pub fn anew(&mut self) {
        self.left = None;
        for hits in [&mut self.find, &mut self.filter].into_iter().flatten() {
            *hits = Hits::new(hits.query.clone(), 0, None);
        }
    }

    /// Has something found from a row on, in the rows that the filter leaves.
    pub fn find(&mut self, query: Query, start: usize) {
        let among = self.shown.as_ref().filter(|_| self.left().is_some());
        self.find = Some(match among {
            Some(shown) if self.find.as_ref().is_none_or(|find| !query.narrows(&find.query)) => {
                Hits::among(query, start, shown)
            }
            _ => Hits::new(query, start, self.find.as_ref()),
        });
    }

    /// Finds the same again, where the rows that are left are others.
    pub fn find_anew(&mut self, start: usize) {
        if let Some(find) = self.find.take() {
            self.find(find.query, start);
        }
    }

    /// Where in the text of a cell what is looked for stands, and how many bytes it takes.
    pub fn position(&self, text: &str, column: usize) -> Option<(usize, usize)> {
        [&self.find, &self.filter].into_iter().flatten().find_map(|hits| hits.query.position(text, column))
    }

    /// Marks what is looked for in what is drawn of a row.
    pub fn mark(&self, buf: &mut Buffer, line: Rect, column: Option<usize>, look: &Look<'_>) {
        for hits in [&self.filter, &self.find].into_iter().flatten() {
            hits.query.mark(buf, line, column, look.theme.of(Role::Match));
        }
    }

    /// Whether a row shows only because of others: it does not have what the list is filtered by.
    pub fn is_aside(&self, row: usize) -> bool {
        self.left().is_some_and(|left| left.binary_search(&row).is_err())
    }
}

impl Hits {
    /// Looks for something from a row on; `earlier` is what was looked for before in the same list.
    pub fn new(query: Query, start: usize, earlier: Option<&Self>) -> Self {
        let scan = match earlier.filter(|earlier| query.narrows(&earlier.query)) {
            Some(earlier) => {
                let known = earlier.scan();
                let again = known.behind.iter().chain(&known.before).chain(&known.again).copied().collect();
                Scan { start: known.start, looked: known.looked, of: known.of, again, ..Scan::default() }
            }
            None => Scan { start, ..Scan::default() },
        };
        Self::of(query, scan)
    }

    /// Looks for something in some rows only, from a row on.
    fn among(query: Query, start: usize, rows: &[usize]) -> Self {
        let (before, behind) = rows.split_at(rows.partition_point(|row| *row < start));
        let again = behind.iter().chain(before).copied().collect();
        Self::of(query, Scan { start, looked: usize::MAX, again, ..Scan::default() })
    }

    fn of(query: Query, scan: Scan) -> Self {
        let of = scan.of;
        Self { query, rows: Arc::default(), first: None, of, asked: false, told: 0, scan: Arc::new(Mutex::new(scan)) }
    }

    fn scan(&self) -> MutexGuard<'_, Scan> {
        lock(&self.scan)
    }

    /// Whether these are the first rows that were found.
    pub const fn is_another(&self) -> bool {
        self.told < 2
    }

    /// The rows that have it, in their order.
    pub fn rows(&self) -> &Arc<Vec<usize>> {
        &self.rows
    }

    /// Whether a row has it.
    pub fn has(&self, row: usize) -> bool {
        self.rows.binary_search(&row).is_ok()
    }

    /// The first one at a row or behind it; the last one where there is none.
    pub fn nearest(&self, row: usize) -> Option<usize> {
        self.rows.get(self.rows.partition_point(|other| *other < row)).or_else(|| self.rows.last()).copied()
    }

    /// The first one, from where the search began.
    pub const fn first(&self) -> Option<usize> {
        self.first
    }

    /// The next one behind a row, or the one before it; around the end where there is none. Nothing while that is not known.
    pub fn next(&self, row: usize, forward: bool) -> Option<Option<usize>> {
        let to = if forward {
            self.rows.get(self.rows.partition_point(|other| *other <= row))
        } else {
            self.rows.partition_point(|other| *other < row).checked_sub(1).and_then(|at| self.rows.get(at))
        };
        if self.is_complete() {
            return Some(to.or_else(|| if forward { self.rows.first() } else { self.rows.last() }).copied());
        }
        // As far as the worker is, it left nothing out.
        to.filter(|_| forward && row >= self.scan().start).map(|row| Some(*row))
    }

    /// Whether all rows were looked at.
    pub fn is_complete(&self) -> bool {
        let scan = self.scan();
        scan.done && scan.looked >= scan.of
    }

    /// No more rows are looked at.
    pub fn stop(&self) {
        self.scan().done = true;
    }

    /// How many of how many: `12 of 3410`.
    pub fn count(&self, more: &str) -> String {
        let more = if self.is_complete() { String::new() } else { format!(" {more}") };
        // Before anything is known, nothing is said.
        if self.of == 0 { more } else { format!("{} of {}{more}", self.rows.len(), self.of) }
    }

    /// Which of them a row is: `3 of 17`; only how many there are where it is none of them.
    pub fn place(&self, row: Option<usize>, more: &str) -> String {
        let more = if self.is_complete() { String::new() } else { format!(" {more}") };
        match row.and_then(|row| self.rows.binary_search(&row).ok()) {
            Some(at) => format!("{} of {}{more}", at + 1, self.rows.len()),
            None if self.rows.is_empty() && more.is_empty() => "none".to_owned(),
            None => format!("{}{more}", self.rows.len()),
        }
    }

    /// Takes what the worker has found since; says whether there is anything.
    fn take(&mut self) -> bool {
        let mut scan = lock(&self.scan);
        if !std::mem::take(&mut scan.news) {
            return false;
        }
        self.rows = Arc::new([scan.before.as_slice(), &scan.behind].concat());
        self.first = scan.behind.first().or_else(|| scan.before.first()).copied();
        self.of = scan.of;
        self.told += 1;
        true
    }

    /// Whether something is left to do that nobody is at.
    pub fn is_idle(&self) -> bool {
        let mut scan = self.scan();
        let nobody = Arc::weak_count(&self.scan) == 0;
        // A turn that came to no end will not do so another time.
        scan.done |= scan.at_it && nobody;
        !scan.done && nobody
    }

    /// A turn of the work.
    pub fn job(&self, how: How, session: &Arc<Session>, source: Source) -> Job {
        let (session, query, scan) = (Arc::clone(session), self.query.clone(), Arc::downgrade(&self.scan));
        let what = match how {
            How::Find => "looking for",
            How::Filter => "filtering by",
        };
        Job {
            what: format!("{what} {}", visible(query.text())),
            slot: how.slot(),
            work: Box::new(move |ticket| {
                turn(&scan, &query, &session, &source, ticket);
                // What it found is taken after everything that happens.
                Box::new(|app: &mut App| {
                    app.dirty = true;
                    Vec::new()
                })
            }),
        }
    }
}

fn lock(scan: &Mutex<Scan>) -> MutexGuard<'_, Scan> {
    scan.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks at rows until the turn is over, all were looked at, or nobody wants to know any more.
fn turn(scan: &Weak<Mutex<Scan>>, query: &Query, session: &Session, source: &Source, ticket: &Ticket) {
    let Some(scan) = scan.upgrade() else { return };
    lock(&scan).at_it = true;
    let began = Instant::now();
    let rows = source(session);
    let len = rows.as_ref().map_or(0, |rows| rows.len);
    let has = |row: usize| rows.as_ref().and_then(|rows| rows.get(row)).is_some_and(|row| query.holds(&row));
    loop {
        let (batch, again) = lock(&scan).batch(len);
        let found: Vec<usize> = batch.iter().copied().filter(|row| has(*row)).collect();
        let mut now = lock(&scan);
        if again {
            now.again.drain(..batch.len());
        } else {
            now.looked += batch.len();
        }
        let start = now.start;
        let (behind, before): (Vec<usize>, Vec<usize>) = found.into_iter().partition(|row| *row >= start);
        now.behind.extend(behind);
        now.before.extend(before);
        now.done = now.again.is_empty() && now.looked >= len;
        now.news = true;
        ticket.progress(now.looked.min(len) as u64, len as u64);
        // One owner is this turn; another is whoever wants to know.
        if now.done || ticket.cancelled() || began.elapsed() > TURN || Arc::strong_count(&scan) < 2 {
            now.at_it = false;
            return;
        }
    }
}

impl Scan {
    /// The rows to look at next, in a list of so many, and whether they were looked at before.
    fn batch(&mut self, len: usize) -> (Vec<usize>, bool) {
        (self.of, self.start) = (len, self.start.min(len.saturating_sub(1)));
        if !self.again.is_empty() {
            return (self.again.iter().take(STEP).copied().collect(), true);
        }
        // To the end first: no batch goes around it.
        let from = self.start.saturating_add(self.looked);
        if self.looked >= len {
            return (Vec::new(), false);
        }
        let (from, end) = if from < len { (from, len) } else { (from - len, self.start) };
        ((from..end.min(from + STEP)).collect(), false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cell, Head, Row};

    fn source(len: usize) -> Source {
        Arc::new(move |_| {
            Some(Rows::new("", vec![Head::text("n")], len, |row| Row::plain(vec![Cell::new(format!("<{row}>"))])))
        })
    }

    fn query(text: &str) -> Query {
        Query::new(text, &[Head::text("n")])
    }

    /// Takes turns until all is known; returns how many it took.
    fn finish(hits: &mut Hits, len: usize) -> usize {
        let session = Session::sample();
        let mut turns = 0;
        while hits.is_idle() {
            turn(&Arc::downgrade(&hits.scan), &hits.query.clone(), &session, &source(len), &Ticket::default());
            hits.take();
            turns += 1;
        }
        turns
    }

    #[test]
    fn rows_are_found_from_the_start_to_the_end_and_around() {
        let mut hits = Hits::new(query("99>"), 500, None);
        finish(&mut hits, 1000);
        assert_eq!(**hits.rows(), [99, 199, 299, 399, 499, 599, 699, 799, 899, 999]);
        assert_eq!((hits.first(), hits.count("…").as_str()), (Some(599), "10 of 1000"));
        assert_eq!((hits.next(599, true), hits.next(599, false)), (Some(Some(699)), Some(Some(499))));
        assert_eq!((hits.next(999, true), hits.next(99, false)), (Some(Some(99)), Some(Some(999))));
        assert_eq!((hits.place(Some(299), "…"), hits.place(Some(300), "…")), ("3 of 10".into(), "10".into()));
    }

    #[test]
    fn a_longer_text_is_looked_for_only_where_the_shorter_one_was_found() {
        let mut short = Hits::new(query("7"), 40, None);
        finish(&mut short, 5000);
        let mut long = Hits::new(query("77"), 0, Some(&short));
        let asked = lock(&long.scan).again.len();
        assert_eq!(asked, short.rows().len());
        finish(&mut long, 5000);
        let mut plain = Hits::new(query("77"), 40, None);
        finish(&mut plain, 5000);
        assert_eq!((long.rows(), long.first()), (plain.rows(), plain.first()));
        assert!(lock(&Hits::new(query("8"), 0, Some(&long)).scan).again.is_empty());
    }

    #[test]
    fn what_was_not_finished_is_gone_on_with() {
        let mut part = Hits::new(query("7"), 100, None);
        {
            let mut scan = lock(&part.scan);
            (scan.looked, scan.behind, scan.news) = (300, vec![107, 117, 377], true);
        }
        part.take();
        assert!(!part.is_complete() && part.is_idle() && part.first() == Some(107));
        assert_eq!((part.next(107, true), part.next(377, true), part.next(107, false)), (Some(Some(117)), None, None));
        let mut long = Hits::new(query("77"), 0, Some(&part));
        finish(&mut long, 1000);
        let mut plain = Hits::new(query("77"), 400, None);
        finish(&mut plain, 1000);
        // Of the three hundred that were looked at, only those that were found are looked at again.
        let known: Vec<usize> = plain.rows().iter().copied().filter(|row| ![177, 277].contains(row)).collect();
        assert_eq!((&**long.rows(), long.count("…").as_str()), (&known, "17 of 1000"));
    }

    #[test]
    fn of_a_filtered_list_only_what_is_left_is_looked_at() {
        let (mut sieve, mut scroll) = (Sieve::default(), Scroll { selected: 300, len: 1000, ..Scroll::default() });
        sieve.filter = Some(Hits::new(query("7>"), 0, None));
        finish(sieve.filter.as_mut().unwrap(), 1000);
        sieve.adopt();
        sieve.narrow(&mut scroll, 1000);
        sieve.find(query("37>"), 300);
        let asked = lock(&sieve.find.as_ref().unwrap().scan).again.len();
        finish(sieve.find.as_mut().unwrap(), 1000);
        let find = sieve.find.as_ref().unwrap();
        assert_eq!(
            (asked, find.rows().len(), find.first(), find.place(Some(137), "…")),
            (100, 10, Some(337), "2 of 10".into())
        );
        // What is left of nothing is nothing.
        sieve.filter = Some(Hits::new(query("x"), 0, None));
        finish(sieve.filter.as_mut().unwrap(), 1000);
        sieve.adopt();
        sieve.narrow(&mut scroll, 1000);
        assert!(sieve.is_bare());
        sieve.find_anew(0);
        finish(sieve.find.as_mut().unwrap(), 1000);
        assert_eq!(sieve.find.as_ref().unwrap().place(None, "…"), "none");
    }

    #[test]
    fn work_that_fails_or_that_nobody_waits_for_is_not_done_again() {
        let hits = Hits::new(query("7"), 0, None);
        lock(&hits.scan).at_it = true;
        assert!(!hits.is_idle());
        let (hits, session) = (Hits::new(query("7"), 0, None), Session::sample());
        let scan = Arc::downgrade(&hits.scan);
        drop(hits);
        turn(&scan, &query("7"), &session, &source(usize::MAX), &Ticket::default());
        let hits = Hits::new(query("7"), 0, None);
        turn(&Arc::downgrade(&hits.scan), &query("x"), &session, &source(usize::MAX), &Ticket::default());
        assert!(!hits.is_complete() && hits.is_idle(), "the turn is over before the list is");
    }

    #[test]
    fn lines_and_rows_are_told_apart() {
        let mut sieve = Sieve::default();
        assert_eq!((sieve.row(5), sieve.line(5), sieve.nearest(5), sieve.lines(9)), (Some(5), Some(5), 5, 9));
        let mut scroll = Scroll { selected: 5, top: 3, len: 9, height: 3 };
        sieve.sift(&mut scroll, Some(Arc::new(vec![2, 4, 8])), 9);
        assert_eq!((scroll.selected, scroll.len), (2, 3), "on the next one that shows");
        assert_eq!((sieve.row(1), sieve.row(3), sieve.lines(9)), (Some(4), None, 3));
        assert_eq!((sieve.line(8), sieve.line(5)), (Some(2), None));
        assert_eq!((sieve.nearest(0), sieve.nearest(3), sieve.nearest(9)), (0, 1, 2));
        sieve.sift(&mut scroll, Some(Arc::default()), 9);
        sieve.sift(&mut scroll, None, 9);
        assert_eq!((scroll.selected, scroll.len), (8, 9), "where it was before none showed");
    }
}
