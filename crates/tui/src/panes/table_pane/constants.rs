//! Columns of a list that have one value in all rows: it is said once, in the title, and the other columns get the room.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::jobs::{CancelToken, JobHandle, Queue};
use crate::state::message::{Job, Msg};
use crate::ui::grid::is_link;
use crate::ui::text::width;
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Row, Rows};

/// Rows that are compared at once; the rest of a longer list is compared by a job.
const SYNC_LIMIT: usize = 500;
/// Rows between two checks for cancellation.
const CHECK_INTERVAL: usize = 1024;
/// Jobs that are started for one list: another list may take the slot of a job, and the user may cancel it.
const MAX_JOBS: usize = 4;
/// Limit on the width of a value in a title, in cells.
const MAX_VALUE: usize = 40;
/// Owner of the columns: the list, the session by its address, and the number of rows.
type ColumnsOwner = (Place, usize, usize);
type Inbox = Arc<Mutex<Option<Vec<usize>>>>;

#[derive(Default)]
pub(super) struct ConstantColumns {
    key: Option<ColumnsOwner>,
    /// Index and value of each column; what a job still has to confirm is in `candidates`.
    known: Vec<(usize, String)>,
    candidates: Vec<usize>,
    /// The last job, and the number of those that were started.
    job: JobHandle,
    jobs: usize,
    inbox: Inbox,
}

impl ConstantColumns {
    /// Looks at a list, unless it is the last one.
    pub(super) fn look_at(&mut self, key: ColumnsOwner, rows: &Rows<'_>) {
        if self.key == Some(key) {
            let found = self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(columns) = found {
                self.known = values(rows, &columns);
                self.candidates.clear();
            }
            return;
        }
        *self = Self { key: Some(key), ..Self::default() };
        let columns = (0..rows.columns.len()).skip(1).collect();
        let found = compare(rows, columns, 1..rows.len.min(SYNC_LIMIT), &CancelToken::default()).unwrap_or_default();
        if rows.len <= SYNC_LIMIT {
            self.known = values(rows, &found);
        } else {
            self.candidates = found;
        }
    }

    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// A job that compares all rows in the columns that are still to be confirmed; `compare_rows` lists the rows for [`compare`]. One that
    /// another list has replaced is started again.
    pub(super) fn job(
        &mut self,
        compare_rows: impl FnOnce(Vec<usize>, &CancelToken) -> Option<Vec<usize>> + Send + 'static,
    ) -> Option<Job> {
        if self.candidates.is_empty() || self.job.is_pending() || self.jobs == MAX_JOBS {
            return None;
        }
        let (columns, inbox) = (self.candidates.clone(), Arc::clone(&self.inbox));
        let job = Job::new("comparing the rows", "constant columns", move |token| {
            let found = compare_rows(columns, token);
            *inbox.lock().unwrap_or_else(PoisonError::into_inner) = found;
            Msg::PaneReady
        });
        let job = job.on(Queue::Background);
        (self.job, self.jobs) = (job.handle(), self.jobs + 1);
        Some(job)
    }

    /// The columns whose values a title has `room` for, or that are empty.
    pub(super) fn fitting(&self, mut room: usize) -> impl Iterator<Item = &(usize, String)> {
        self.known.iter().filter(move |(_, value)| {
            let wide = if value.is_empty() { 0 } else { width(value) + 3 };
            let fits = wide <= room;
            room -= if fits { wide } else { 0 };
            fits
        })
    }
}

/// Those of `columns` whose cells are the same in the first row and in all rows of a range; `None` where it was cancelled.
pub(super) fn compare(
    rows: &Rows<'_>,
    mut columns: Vec<usize>,
    range: Range<usize>,
    token: &CancelToken,
) -> Option<Vec<usize>> {
    if rows.len <= 1 {
        return Some(Vec::new());
    }
    let Some(first) = rows.get(0) else { return Some(Vec::new()) };
    columns.retain(|column| first.cells.get(*column).is_some());
    for from in range.clone().step_by(CHECK_INTERVAL) {
        if token.is_cancelled() {
            return None;
        }
        token.report(from as u64, rows.len as u64);
        for row in rows.window(from..range.end.min(from + CHECK_INTERVAL)) {
            columns.retain(|column| text_of(&row, *column) == text_of(&first, *column));
        }
        if columns.is_empty() {
            break;
        }
    }
    Some(columns)
}

fn text_of(row: &Row, column: usize) -> Option<&str> {
    row.cells.get(column).map(|cell| cell.text.as_str())
}

fn is_name(text: &str) -> bool {
    text.starts_with(char::is_alphabetic) && !["nil", "none"].contains(&text)
}

/// Columns with their values as a title says them; without those whose value is too long for one.
fn values(rows: &Rows<'_>, columns: &[usize]) -> Vec<(usize, String)> {
    let Some(first) = rows.get(0) else { return Vec::new() };
    let value = |column: &usize| {
        let (head, cell) = (rows.columns.get(*column)?.name, first.cells.get(*column)?);
        // The text beside a link is the name of its target; beside other texts it is a detail.
        let name = if is_link(cell) { cell.beside.trim() } else { "" };
        let text = format!("{} {name}", cell.text.trim());
        let value = match text.trim() {
            // A name says what it is; a number needs that of its column.
            text if is_name(text) => text.to_owned(),
            "" => String::new(),
            text => format!("{head} {text}"),
        };
        (width(&value) <= MAX_VALUE).then_some((*column, value))
    };
    columns.iter().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::jobs::Jobs;
    use pdblens_nodes::rows::{Cell, Head};
    use std::time::Instant;

    #[test]
    fn a_column_with_one_value_in_all_rows_is_found_and_one_that_differs_at_the_end_is_not() {
        let make = |len: usize| {
            let columns = Head::list(["row", "algorithm", "hash", "language", "path", "data"]);
            Rows::new("", columns, len, move |row| {
                let algorithm = if row + 1 == len { "SHA-1" } else { "SHA-256" };
                let path = format!("{row}.cs");
                Row::plain([&*row.to_string(), algorithm, "32 bytes", "C#", &path, ""].map(Cell::new).to_vec())
            })
        };
        let all = [(2, "hash 32 bytes".to_owned()), (3, "C#".to_owned()), (5, String::new())];
        let mut constant = ConstantColumns::default();
        constant.look_at((Place::Tables, 0, 9), &make(9));
        let seen = |constant: &ConstantColumns, room| constant.fitting(room).cloned().collect::<Vec<_>>();
        assert_eq!(seen(&constant, 80), all);
        assert_eq!(seen(&constant, 9), all[1..], "what the title cannot say stays a column");
        let rows = make(SYNC_LIMIT + 9);
        constant.look_at((Place::Tables, 0, rows.len), &rows);
        assert_eq!(seen(&constant, 80), [], "the rest of the rows is not known yet");
        assert_eq!(constant.candidates, [1, 2, 3, 5]);
        let now = Instant::now();
        let mut jobs = Jobs::default();
        let mut start = |constant: &mut ConstantColumns| {
            let job = constant.job(move |columns, token| {
                let rows = make(SYNC_LIMIT + 9);
                compare(&rows, columns, 1..rows.len, token)
            });
            jobs.start(job.unwrap(), now)
        };
        drop(start(&mut constant));
        let running = start(&mut constant);
        assert!(constant.job(|_, _| None).is_none(), "it is running");
        running.run();
        constant.look_at((Place::Tables, 0, rows.len), &rows);
        assert_eq!(seen(&constant, 80), all);
        constant.look_at((Place::Tables, 0, 1), &make(1));
        assert_eq!(seen(&constant, 80), [], "one row has no constant columns");
    }
}
