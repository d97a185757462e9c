//! The budget of a session: limits on the memory that its files may take, and on the work that a question about them may be, in
//! proportion to their size.
//!
//! Small records can refer any number of times to the same large bytes, and deflated bytes can inflate to a thousand times their size. So
//! everything that is inflated or copied, every list whose length is not bounded by bytes of its own, and every collection of names is
//! held within one [`Budget`], which the [`Spaces`](super::Spaces) of a session own. What did not fit is [remembered](Budget::left_out)
//! and reported.
//!
//! Work is counted in bytes that are decoded. Any number of rows can lead to the same large bytes, each of them cheap to decode once. So
//! decoders [count](count_work) the bytes that they read on their thread, and the loops over rows end when their [`Work`] is done.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Error, ErrorKind, Result, Span};

const MAX_LEFT_OUT: usize = 64;
/// Amount that a share takes at once, so that many small ones do not all ask for the lock.
const STEP: u64 = 4096;
/// Bytes of names that the answer about one method or one table of an image may hold.
pub const RECORD_NAMES: u64 = 16 << 20;
/// Bytes of names that one import scope may hold: each of a file's methods can have one.
const IMPORT_NAMES: u64 = 1 << 20;

/// Number of the limit that is 0, counted from the next one that is asked for; none where it is 0.
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Makes one limit of the budgets of this process 0, for tests of faults: the `number`th that is asked for from now on. Returns what is
/// left of the number before, which is 0 if that limit was asked for.
pub fn refuse_limit(number: u64) -> u64 {
    REFUSED.swap(number, Ordering::Relaxed)
}

/// A limit that is asked for, unless a test wants it to be 0.
fn limit(limit: u64) -> u64 {
    let is_refused = REFUSED.load(Ordering::Relaxed) > 0 && REFUSED.fetch_sub(1, Ordering::Relaxed) == 1;
    if is_refused { 0 } else { limit }
}

/// A kind of memory that grows with the content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Bytes that are inflated, or copied from pages.
    Bytes,
    /// Rows of a list.
    Rows,
    /// Bytes of names.
    Names,
}

impl Resource {
    /// The most that is held of files with `files` bytes together. Files that compilers wrote need less than a tenth of it.
    pub const fn ceiling(self, files: u64) -> u64 {
        match self {
            Self::Bytes => capped(files, 64) + files * 2 + (48 << 20),
            Self::Rows => files + (1 << 20),
            Self::Names => capped(files, 8) + (32 << 20),
        }
    }

    const fn unit(self) -> &'static str {
        match self {
            Self::Bytes => "bytes that are inflated or copied",
            Self::Rows => "rows",
            Self::Names => "bytes of names",
        }
    }
}

/// `factor` times the bytes of the files, up to 1 GB.
const fn capped(files: u64, factor: u64) -> u64 {
    let (proportional, cap) = (files * factor, 1 << 30);
    if proportional < cap { proportional } else { cap }
}

/// A budget; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Budget(Arc<Mutex<Usage>>);

#[derive(Debug, Default)]
struct Usage {
    /// Bytes of the files.
    files: u64,
    bytes: u64,
    rows: u64,
    names: u64,
    /// Bytes that are counted already, and cost nothing again.
    counted: HashSet<(Span, u32)>,
    left_out: Vec<LeftOut>,
    /// The first that was refused, whether or not somebody says what is left out therefore.
    refused: Option<LeftOut>,
}

impl Usage {
    const fn held(&mut self, resource: Resource) -> &mut u64 {
        match resource {
            Resource::Bytes => &mut self.bytes,
            Resource::Rows => &mut self.rows,
            Resource::Names => &mut self.names,
        }
    }

    fn refuse(&mut self, resource: Resource, ceiling: u64) {
        let refused =
            || LeftOut { what: "the answer", first: String::new(), count: None, ceiling, unit: resource.unit() };
        self.refused.get_or_insert_with(refused);
    }
}

/// Part of a file that did not fit into the budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Name of the list: "names to search for".
    pub what: &'static str,
    /// The first thing that was left out: `method 0x06000123`, `document 17`; empty where it is not known.
    pub first: String,
    /// Number of things left out, the first included, where it is known.
    pub count: Option<u64>,
    /// The limit that was reached.
    pub ceiling: u64,
    /// Unit of the limit: "rows".
    pub unit: &'static str,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, first, count, ceiling, unit } = self;
        match first.as_str() {
            "" => write!(f, "{what}: something is left out")?,
            first => write!(f, "{what}: left out from {first} on")?,
        }
        if let Some(count) = count {
            write!(f, " ({count} of them)")?;
        }
        write!(f, ", because files of this size may have {ceiling} {unit}")
    }
}

impl Budget {
    /// Returns a budget for `bytes` bytes of files.
    pub fn of(bytes: u64) -> Self {
        let budget = Self::default();
        budget.add_file(bytes);
        budget
    }

    fn state(&self) -> MutexGuard<'_, Usage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the bytes of a file, which make room.
    pub(crate) fn add_file(&self, len: u64) {
        let mut state = self.state();
        state.files += len;
    }

    /// The most of a resource that may be held.
    pub fn ceiling(&self, resource: Resource) -> u64 {
        resource.ceiling(self.state().files)
    }

    /// Takes `len` bytes that are inflated or copied from `from` for the user with this number (a document, or 0), for as long as
    /// the session lasts; the same user pays once.
    pub fn take_bytes(&self, what: &'static str, len: u64, from: Span, user: u32) -> Result<()> {
        let mut state = self.state();
        if state.counted.contains(&(from, user)) {
            return Ok(());
        }
        let (size, ceiling) = (state.bytes.saturating_add(len), limit(Resource::Bytes.ceiling(state.files)));
        if size > ceiling {
            state.refuse(Resource::Bytes, ceiling);
            return Err(Error::new(ErrorKind::TooLarge { what, size, ceiling }, from));
        }
        state.bytes = size;
        state.counted.insert((from, user));
        Ok(())
    }

    /// Fails if `len` bytes alone are more than may be inflated or copied.
    pub fn allows(&self, what: &'static str, len: u64, from: Span) -> Result<()> {
        let ceiling = limit(self.ceiling(Resource::Bytes));
        if len <= ceiling {
            return Ok(());
        }
        self.state().refuse(Resource::Bytes, ceiling);
        Err(Error::new(ErrorKind::TooLarge { what, size: len, ceiling }, from))
    }

    /// Returns an empty share, which grows with the list that it is kept beside.
    pub fn share(&self, resource: Resource) -> Share {
        self.share_of(resource, u64::MAX)
    }

    fn share_of(&self, resource: Resource, max: u64) -> Share {
        Share { budget: self.clone(), resource, taken: 0, unused: 0, max }
    }

    /// Returns a share for the names in the answer about one record.
    pub fn record_names(&self) -> Share {
        self.share_of(Resource::Names, RECORD_NAMES)
    }

    /// Returns a share for the names in one import scope.
    pub fn import_names(&self) -> Share {
        self.share_of(Resource::Names, IMPORT_NAMES)
    }

    /// Returns the limit on the work of a question, which begins here.
    pub fn work(&self) -> Work {
        let (start, ceiling) = (DONE.get(), self.most_work());
        Work { budget: self.clone(), start, ceiling, is_said: Cell::new(false), of_thread: PhantomData }
    }

    /// The most bytes that are decoded for one question. Files that compilers wrote need less than half of it.
    pub fn most_work(&self) -> u64 {
        limit(self.state().files * 64 + (8 << 20))
    }

    /// Remembers that a list ends before `first`, because finding the rest would be too much work.
    pub fn end_work(&self, what: &'static str, first: String) {
        let unit = "bytes to decode for one question";
        self.leave_out(LeftOut { what, first, count: None, ceiling: self.most_work(), unit });
    }

    /// The most bytes of text that are printed of the files. What is printed of files that compilers wrote needs less than a quarter of it.
    pub fn most_text(&self) -> u64 {
        limit(self.state().files * 64 + (16 << 20))
    }

    /// Remembers that what is printed ends before `first`, because the rest would be too much text.
    pub fn end_text(&self, what: &'static str, first: String) {
        self.leave_out(LeftOut { what, first, count: None, ceiling: self.most_text(), unit: "bytes of text" });
    }

    fn leave_out(&self, left_out: LeftOut) {
        let mut state = self.state();
        if !state.left_out.contains(&left_out) && state.left_out.len() < MAX_LEFT_OUT {
            state.left_out.push(left_out);
        }
    }

    /// Everything that did not fit so far, each once.
    pub fn left_out(&self) -> Vec<LeftOut> {
        let state = self.state();
        if state.left_out.is_empty() { state.refused.iter().cloned().collect() } else { state.left_out.clone() }
    }
}

/// Part of a budget that one list holds. It is given back when it is dropped.
#[derive(Debug)]
pub struct Share {
    budget: Budget,
    resource: Resource,
    /// Amount that was taken out of the budget.
    taken: u64,
    /// Part of it that nothing was taken out of the share for.
    unused: u64,
    max: u64,
}

impl Share {
    /// Takes `amount` more; returns false, and takes nothing, if there is no room for it.
    #[must_use]
    pub fn take(&mut self, amount: u64) -> bool {
        if self.taken.saturating_sub(self.unused).saturating_add(amount) > self.max {
            self.budget.state().refuse(self.resource, self.max);
            return false;
        }
        let Some(missing) = amount.checked_sub(self.unused).filter(|missing| *missing > 0) else {
            self.unused = self.unused.saturating_sub(amount);
            return true;
        };
        let mut state = self.budget.state();
        let ceiling = limit(self.resource.ceiling(state.files));
        let held = state.held(self.resource);
        let room = ceiling.saturating_sub(*held);
        if missing > room {
            state.refuse(self.resource, ceiling);
            return false;
        }
        let more = missing.max(STEP.min(room));
        *held += more;
        drop(state);
        self.taken += more;
        self.unused = more - missing;
        true
    }

    /// Amount that may still be taken.
    pub fn left(&self) -> u64 {
        let mut state = self.budget.state();
        let ceiling = self.resource.ceiling(state.files);
        let room = ceiling.saturating_sub(*state.held(self.resource)).saturating_add(self.unused);
        room.min(self.max.saturating_sub(self.taken.saturating_sub(self.unused)))
    }

    /// Remembers that the list ends before `first`, and the number of things left out where it is known.
    pub fn leave_out(&self, what: &'static str, first: String, count: Option<u64>) {
        let ceiling = self.budget.ceiling(self.resource).min(self.max);
        self.budget.leave_out(LeftOut { what, first, count, ceiling, unit: self.resource.unit() });
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut state = self.budget.state();
        let held = state.held(self.resource);
        *held = held.saturating_sub(self.taken);
    }
}

thread_local! {
    /// Bytes that this thread has decoded.
    static DONE: Cell<u64> = const { Cell::new(0) };
}

/// Counts bytes that are decoded.
#[inline]
pub fn count_work(bytes: u64) {
    DONE.set(DONE.get().wrapping_add(bytes));
}

/// Limit on the work of one question on one thread, which other questions and other threads do not take from.
#[derive(Debug)]
pub struct Work {
    budget: Budget,
    start: u64,
    ceiling: u64,
    /// True after the first that is left out is remembered.
    is_said: Cell<bool>,
    /// Each thread has a count of its own.
    of_thread: PhantomData<*const ()>,
}

impl Work {
    /// Returns whether the question may go on; if not, remembers that `what` ends before `first`.
    #[must_use]
    pub fn goes_on(&self, what: &'static str, first: impl FnOnce() -> String) -> bool {
        let goes_on = DONE.get().wrapping_sub(self.start) <= self.ceiling;
        if !goes_on && !self.is_said.replace(true) {
            self.budget.end_work(what, first());
        }
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::super::SpaceId;
    use super::*;

    #[test]
    fn bytes_are_counted_once_and_all_of_them_have_a_limit() {
        let budget = Budget::of(10);
        let all = budget.ceiling(Resource::Bytes);
        let take = |at, len| budget.take_bytes("all sources", len, Span::new(SpaceId(0), 0, 1), at);
        assert_eq!(take(1, all - 1), Ok(()));
        assert_eq!(take(1, all - 1), Ok(()));
        assert_eq!(take(2, 1), Ok(()));
        let error = take(3, 1).unwrap_err().to_string();
        assert!(
            error.contains(&format!("all sources exceeds the limit: {} bytes of at most {all}", all + 1)),
            "{error}"
        );
    }

    #[test]
    fn lists_share_the_rows_and_give_them_back() {
        let budget = Budget::of(1000);
        let (mut first, mut second) = (budget.share(Resource::Rows), budget.share(Resource::Rows));
        let all = budget.ceiling(Resource::Rows);
        assert!(first.take(all - STEP) && (0..STEP).all(|_| second.take(1)) && !second.take(1));
        second.leave_out("lines", "method 0x06000002".to_owned(), Some(7));
        second.leave_out("lines", "method 0x06000002".to_owned(), Some(7));
        let said: Vec<String> = budget.left_out().iter().map(ToString::to_string).collect();
        let sentence =
            "lines: left out from method 0x06000002 on (7 of them), because files of this size may have 1049576 rows";
        assert_eq!(said, [sentence]);
        drop(first);
        assert_eq!(second.left(), all - STEP);
        assert!(second.take(all - STEP) && !second.take(1));
        assert_eq!(budget.record_names().left(), RECORD_NAMES);
    }

    #[test]
    fn each_question_has_the_work_of_its_files() {
        let budget = Budget::of(1000);
        let all = budget.most_work();
        let (first, name) = (budget.work(), || "method 0x06000002".to_owned());
        count_work(all);
        assert!(first.goes_on("points", name));
        let second = budget.work();
        count_work(1);
        assert!(!first.goes_on("points", name) && second.goes_on("points", name));
        assert!(!first.goes_on("points", String::new), "remembered once");
        let other = std::thread::spawn(move || budget.work().goes_on("points", String::new));
        assert!(other.join().unwrap());
        let sentence = format!(
            "points: left out from method 0x06000002 on, because files of this size may have {all} bytes to decode for one question"
        );
        assert_eq!(first.budget.left_out().iter().map(ToString::to_string).collect::<Vec<_>>(), [sentence]);
    }

    #[test]
    fn a_megabyte_allows_far_less_than_a_gigabyte() {
        let of = |resource: Resource| resource.ceiling(1 << 20);
        // The largest row of a list takes 64 bytes.
        let sum = of(Resource::Bytes) + of(Resource::Rows) * 64 + of(Resource::Names);
        assert!(sum < 512 << 20, "{sum}");
    }
}
