//! Lessons: prose in steps, each with a query that finds its example in any file, and questions made from what was found.
//!
//! A lesson is a data file ([`mod@file`]), which `docs/lessons.md` describes. [`prepared`] joins it with the open files.

pub mod answers;
pub mod example;
#[cfg(test)]
mod exercise_tests;
pub mod file;
#[cfg(test)]
mod graph_tests;
pub mod prepared;
pub mod progress;
pub mod query;
pub mod samples;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

pub use example::{Example, Origin};
pub use file::{Lesson, LessonError, Page};
pub use prepared::Prepared;
pub use progress::Progress;

const FILES: [(&str, &str); 15] = [
    ("01-one-line.toml", include_str!("../../assets/lessons/01-one-line.toml")),
    ("02-right-pdb.toml", include_str!("../../assets/lessons/02-right-pdb.toml")),
    ("03-pages.toml", include_str!("../../assets/lessons/03-pages.toml")),
    ("04-root-to-stream.toml", include_str!("../../assets/lessons/04-root-to-stream.toml")),
    ("05-named-streams.toml", include_str!("../../assets/lessons/05-named-streams.toml")),
    ("06-metadata.toml", include_str!("../../assets/lessons/06-metadata.toml")),
    ("07-compressed-integers.toml", include_str!("../../assets/lessons/07-compressed-integers.toml")),
    ("08-sequence-points.toml", include_str!("../../assets/lessons/08-sequence-points.toml")),
    ("09-documents-scopes.toml", include_str!("../../assets/lessons/09-documents-scopes.toml")),
    ("10-async.toml", include_str!("../../assets/lessons/10-async.toml")),
    ("11-source.toml", include_str!("../../assets/lessons/11-source.toml")),
    ("12-there-and-back.toml", include_str!("../../assets/lessons/12-there-and-back.toml")),
    ("13-machine-code.toml", include_str!("../../assets/lessons/13-machine-code.toml")),
    ("14-crash-to-byte.toml", include_str!("../../assets/lessons/14-crash-to-byte.toml")),
    ("15-four-programs.toml", include_str!("../../assets/lessons/15-four-programs.toml")),
];

/// Lessons to open the screens with, and the index of the first one to show; `None` shows their list.
#[derive(Clone, Debug, Default)]
pub struct Start {
    pub lessons: Vec<Lesson>,
    pub open: Option<usize>,
    /// True if that lesson begins again, from its first page and without its answers, once the user agrees.
    pub restart: bool,
}

/// The lessons that are built in; a test parses each of them.
pub fn built_in() -> &'static [Lesson] {
    static LESSONS: LazyLock<Vec<Lesson>> =
        LazyLock::new(|| FILES.iter().filter_map(|(name, text)| Lesson::parse(name, text).ok()).collect());
    &LESSONS
}
