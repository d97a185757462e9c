//! Lessons on records of portable custom debug information as a whole.

use super::{Lesson, Show, lesson};

const fn group(name: &'static str, about: &'static str) -> Lesson {
    lesson("", name, Show::Plain, about)
}

#[rustfmt::skip] // One line a record.
pub(super) const LESSONS: &[Lesson] = &[
    group("closure", "A closure: where its syntax is in the method."),
    group("lambda", "A lambda: where its syntax is in the method, and the closure that it uses."),
    group("state", "A state of the state machine: where the syntax that suspends is in the method."),
];
