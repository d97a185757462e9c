//! One loaded pair, and the questions that can be asked of it.
//!
//! Which should I start with? Everything that can be pointed at is a [`Place`]. What can be listed is [`Rows`], what can be
//! explained is [`Fields`].

pub mod fields;
pub mod guids;
pub mod lessons;
pub mod place;
pub mod rows;
pub mod signature_text;
pub mod text;
pub mod time;

pub use fields::{FieldRow, Fields};
pub use place::Place;
pub use rows::{Cell, Head, Row, Rows, Tone};
