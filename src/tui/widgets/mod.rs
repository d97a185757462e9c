//! What panes are drawn with.

pub mod frame;
pub mod grid;
pub mod hex;
pub mod hits;
pub mod input;
pub mod nothing;
pub mod query;
pub mod scroll;
pub mod sieve;
pub mod strip;
pub mod text;
pub mod tree;
