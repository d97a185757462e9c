//! Widgets, theme and layout of panes and overlays.

mod columns;
pub mod cut;
pub mod empty_state;
pub mod frame;
pub mod full_text;
pub mod fuzzy;
pub mod glyphs;
pub mod grid;
pub mod hex;
pub mod highlight;
pub mod input;
pub mod layout;
pub mod list_filter;
pub mod query;
pub mod scroll;
pub mod search_results;
pub mod segment_bar;
pub mod sort;
pub mod text;
pub mod theme;
pub mod tree;
mod unfolded;
