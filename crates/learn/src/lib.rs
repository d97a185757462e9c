//! The decode of a record, one step a value, for people who learn or teach the formats.
//!
//! * [`Steps`] lists the reads of a record, with the stored and the decoded value of each and what it changed in the decoder's state.
//! * [`reading`](mod@reading) has the arithmetic from bytes to a value, [`reason()`] why a field is at its place, [`paragraph()`] the specification.
//! * [`covered`] hides the parts of a step that would tell its value; [`what_if`] says what an edited byte changes.
//! * [`failure`] names the read at which a decode failed.
//! * [`chain`] has the steps of an answer, such as line → document → method → point.
//! * [`lesson`] has prose with examples that it finds in any file; [`question`] asks about them, and explains wrong answers.
//! * [`programs`] steps one statement through four formats side by side.
//! * [`handout`] prints lessons and steps as HTML or Markdown.
//! * [`Link`] is the address of a place, a read, a blob or a page of a lesson.
//! * [`codec`] decodes and encodes records that are typed or pasted; [`glossary`] has the terms.

#![allow(missing_docs, reason = "a name that says what it is needs no sentence")]

pub mod about;
#[cfg(test)]
mod about_tests;
mod candidates;
pub mod chain;
pub mod code_places;
pub mod codec;
pub mod course;
pub mod covered;
pub mod errata;
pub mod explain;
pub mod failure;
pub mod glossary;
pub mod handout;
pub mod headings;
pub mod inspect;
pub mod lesson;
pub mod link;
mod names;
pub mod paragraph;
pub mod programs;
pub mod question;
pub mod reading;
pub mod reason;
pub mod referring;
pub mod steps;
pub mod what_if;

pub use link::Link;
pub use paragraph::paragraph;
pub use question::{Question, Verdict};
pub use reading::{Reading, reading};
pub use reason::reason;
pub use steps::{Step, Steps, steps};
