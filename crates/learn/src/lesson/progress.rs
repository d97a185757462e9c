//! Progress in `learn.toml`: the step that a learner reached in each lesson, and the questions that were answered.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use etcetera::{BaseStrategy, choose_base_strategy};
use serde::{Deserialize, Serialize};

use pdblens_session::session::read_file::read_file;
use pdblens_session::store::new_file::{self, Existing};

/// The largest file that is read.
const MAX_SIZE: u64 = 1 << 20;

/// Progress in all lessons, by the key of the lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    /// The lesson that was open last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// Lessons that were begun.
    pub lesson: BTreeMap<String, LessonProgress>,
}

/// Progress in one lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LessonProgress {
    /// Index of the step or question that was shown last.
    pub at: usize,
    /// Questions that were answered rightly, from 1.
    pub answered: BTreeSet<usize>,
    /// True once all steps were read and all questions answered.
    pub done: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    New,
    Started,
    /// Read to the end, with all questions answered.
    Done,
}

impl Status {
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "",
            Self::Started => "started",
            Self::Done => "done",
        }
    }
}

/// Path of the file: `pdblens/learn.toml` in the state folder, where the layout is kept too.
pub fn path() -> Option<PathBuf> {
    let base = choose_base_strategy().ok()?;
    let folder = base.state_dir().unwrap_or_else(|| base.cache_dir());
    Some(folder.join("pdblens").join("learn.toml"))
}

impl Progress {
    /// Reads the file of the user; nothing is done yet where it is missing or cannot be understood.
    pub fn load() -> Self {
        let text =
            path().and_then(|path| read_file(&path, MAX_SIZE).ok()).and_then(|bytes| String::from_utf8(bytes).ok());
        text.map_or_else(Self::default, |text| Self::parse(&text))
    }

    /// Reads a text that [`Self::text`] wrote; nothing is done yet where it cannot be understood.
    pub fn parse(text: &str) -> Self {
        toml::from_str(text).unwrap_or_default()
    }

    pub fn text(&self) -> String {
        format!(
            "# Written by pdblens: lessons, and how far they were taken.\n{}",
            toml::to_string(self).unwrap_or_default()
        )
    }

    pub fn save(&self) -> io::Result<()> {
        let Some(path) = path() else { return Ok(()) };
        if let Some(folder) = path.parent() {
            new_file::create_folder(folder)?;
        }
        // The user's own link to the file is followed.
        let path = std::fs::canonicalize(&path).unwrap_or(path);
        new_file::write(&path, Existing::Replace, self.text().as_bytes())
    }

    pub fn status(&self, key: &str) -> Status {
        match self.lesson.get(key) {
            None => Status::New,
            Some(lesson) if lesson.done => Status::Done,
            Some(_) => Status::Started,
        }
    }

    pub fn restart(&mut self, key: &str) {
        self.lesson.remove(key);
        self.last = self.last.take().filter(|last| last != key);
    }

    pub fn visit(&mut self, key: &str, at: usize) {
        self.last = Some(key.to_owned());
        self.lesson.entry(key.to_owned()).or_default().at = at;
    }

    /// Notes that a lesson without questions was read to its end.
    pub fn finish(&mut self, key: &str) {
        self.lesson.entry(key.to_owned()).or_default().done = true;
    }

    /// Notes a right answer to the question with a number; the lesson is done with the last of `questions`.
    pub fn answer(&mut self, key: &str, question: usize, questions: usize) {
        let lesson = self.lesson.entry(key.to_owned()).or_default();
        lesson.answered.insert(question);
        lesson.done |= lesson.answered.len() >= questions;
    }
}
