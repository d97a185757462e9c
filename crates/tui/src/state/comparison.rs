//! Two builds that are compared: the open files, and other files or their own content before it changed on disk.

use std::sync::{Arc, OnceLock};

use pdblens_nodes::{Place, Token, method};
use pdblens_query::diff::{Change, Diff, Subject, aligned_points, bytes, diff};
use pdblens_query::shell_command::diff_command;
use pdblens_session::session::Session;

/// Two builds, and their differences once a worker has found them.
#[derive(Debug)]
pub struct Comparison {
    pub before: Arc<Session>,
    /// The new build, which is on the screen.
    pub after: Arc<Session>,
    found: OnceLock<Differences>,
}

/// Differences between two builds: those of `pdblens diff`.
#[derive(Debug)]
pub struct Differences {
    pub diff: Diff,
    /// Numbers of each change, in the order of the changes.
    pub numbers: Vec<Numbers>,
    /// Number of bytes that differ, where nothing else does.
    pub differing: u64,
}

#[derive(Debug, Default)]
pub struct Numbers {
    /// Bytes of IL, old and new.
    pub il: String,
    /// Sequence points, old and new.
    pub points: String,
    pub breakpoint: String,
    /// IL offsets of the breakpoint, old and new; empty where all points have moved by the same number of lines.
    pub offsets: String,
}

impl Comparison {
    pub fn new(before: Arc<Session>, after: Arc<Session>) -> Self {
        Self { before, after, found: OnceLock::new() }
    }

    pub fn found(&self) -> Option<&Differences> {
        self.found.get()
    }

    /// Finds the differences; takes time.
    pub fn find(&self) {
        self.found.get_or_init(|| {
            let diff = diff(&self.before, &self.after);
            let numbers = diff.changes.iter().map(|change| self.numbers(change)).collect();
            let is_equal = diff.changes.is_empty() && !diff.is_identical;
            let differing = if is_equal { bytes(&self.before, &self.after, false).differing() } else { 0 };
            Differences { diff, numbers, differing }
        });
    }

    pub fn methods(change: &Change) -> [Option<Token>; 2] {
        [change.before, change.after].map(|place| place.and_then(Place::method))
    }

    /// The command that prints the differences; `None` where the old files are not on disk any more, or never were.
    pub fn command(&self) -> Option<String> {
        let has_both = self.before.paths() != self.after.paths();
        let is_sample = self.before.is_sample() || self.after.is_sample();
        (has_both && !is_sample).then(|| diff_command(&self.before, &self.after))
    }

    fn numbers(&self, change: &Change) -> Numbers {
        // A method that has only moved has the same numbers.
        if change.subject != Subject::Method || change.moved.is_some() {
            return Numbers::default();
        }
        let (methods, sessions) = (Self::methods(change), [&*self.before, &*self.after]);
        let aligned = aligned_points(sessions, methods);
        let size = |build: usize, token| {
            method::body(sessions[build], token).ok().flatten().map_or(0, |body| u64::from(body.code_size))
        };
        let offsets = aligned
            .first_apart()
            .map(|(one, other)| both([one, other].map(|point| Some(method::il_label(point.offset.into())))));
        Numbers {
            offsets: offsets.unwrap_or_default(),
            il: both([0, 1].map(|build| methods[build].map(|token| size(build, token)))),
            points: both([0, 1].map(|build| methods[build].map(|_| aligned.points[build].len() as u64))),
            breakpoint: if methods[1].is_some() { aligned.breakpoint() } else { "gone".to_owned() },
        }
    }
}

/// Two numbers, one of which may be missing; one where they are equal.
fn both(numbers: [Option<impl ToString>; 2]) -> String {
    let [before, after] = numbers.map(|number| number.map_or_else(|| "–".to_owned(), |number| number.to_string()));
    if before == after { after } else { format!("{before} → {after}") }
}
