//! What panes are drawn with.

pub mod frame;
pub mod grid;
pub mod hex;
pub mod input;
pub mod scroll;
pub mod strip;
pub mod text;
