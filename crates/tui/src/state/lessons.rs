//! Lessons of the screens: their list, the learner's progress, and the lesson to open first.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pdblens_learn::lesson::progress::Status;
use pdblens_learn::lesson::{Lesson, Progress, Start, built_in};
use pdblens_session::session::Session;

#[derive(Debug, Default)]
pub struct Lessons {
    pub list: Vec<Lesson>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    progress: Progress,
    /// Index of the lesson that is taken: a pane that is made anew shows it again.
    open: Option<usize>,
    /// Files that the lesson is taken on, after its example led to a built-in sample.
    left: Option<Arc<Session>>,
}

impl Lessons {
    /// The lessons of `start`, or those that are built in.
    pub fn new(start: Option<Start>, progress: Progress) -> Self {
        let start = start.unwrap_or_else(|| Start { lessons: built_in().to_vec(), ..Start::default() });
        Self { list: start.lessons, state: Mutex::new(State { progress, open: start.open, left: None }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Index of the lesson that is taken.
    pub fn open(&self) -> Option<usize> {
        self.state().open
    }

    /// Keeps the lesson that is taken; `None` for the list.
    pub(crate) fn set_open(&self, index: Option<usize>) {
        self.state().open = index;
    }

    pub fn current(&self) -> Option<&Lesson> {
        self.list.get(self.open()?)
    }

    /// Name of the lesson that is taken in hints and messages.
    pub(crate) fn name(&self) -> String {
        let number = self.current().map(|lesson| lesson.number).filter(|number| *number > 0);
        number.map_or_else(|| "lesson".to_owned(), |number| format!("lesson {number}"))
    }

    pub fn leave(&self, session: Arc<Session>) {
        let mut state = self.state();
        if state.open.is_some() {
            state.left = Some(session);
        }
    }

    /// Files that the lesson is taken on, where they were left; `None` where there is none.
    pub(crate) fn take_left(&self) -> Option<Arc<Session>> {
        let mut state = self.state();
        let left = state.left.take();
        if state.open.is_some() { left } else { None }
    }

    /// Returns true if something of the lesson is kept: its page or answers.
    pub(crate) fn is_begun(&self, key: &str) -> bool {
        self.state().progress.status(key) != Status::New
    }

    pub fn progress(&self) -> Progress {
        self.state().progress.clone()
    }

    /// Changes the progress; returns the text of its file if it is another one now.
    pub fn update(&self, change: impl FnOnce(&mut Progress)) -> Option<String> {
        let mut state = self.state();
        let before = state.progress.clone();
        change(&mut state.progress);
        (before != state.progress).then(|| state.progress.text())
    }
}
