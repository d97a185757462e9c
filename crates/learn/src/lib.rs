//! The decode of a record, one step a value.
//!
//! [`Steps`] lists the reads of a record with their stored and decoded values and what each changed in the decoder's state;
//! [`reading`](mod@reading) has the arithmetic from the bytes to the value, in rows and bit by bit, [`reason()`] why the field is at that place, and [`paragraph()`]
//! names the specification; [`covered`] has what of them does not tell a value. [`lesson`] has prose about examples that it finds in any file, [`question`] asks about them and explains
//! wrong answers. [`failure`] names the read that a decode failed at. [`chain`] has the steps of answers, such as line → document → method → point. [`codec`] decodes and encodes
//! records that are typed or pasted, [`glossary`] has the terms.

pub mod about;
#[cfg(test)]
mod about_tests;
mod candidates;
pub mod chain;
pub mod codec;
pub mod covered;
pub mod failure;
pub mod glossary;
pub mod handout;
pub mod lesson;
pub mod paragraph;
pub mod question;
pub mod reading;
pub mod reason;
pub mod referring;
pub mod steps;
pub mod what_if;

pub use paragraph::paragraph;
pub use question::{Question, Verdict};
pub use reading::{Reading, reading};
pub use reason::reason;
pub use steps::{Step, Steps, steps};
