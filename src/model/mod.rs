//! One loaded pair, and the questions that can be asked of it.

pub mod lessons;
