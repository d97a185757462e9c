//! Widgets, theme and layout of panes and overlays.

pub(crate) mod card;
pub(crate) mod code_line;
mod columns;
pub(crate) mod empty_state;
pub(crate) mod frame;
pub(crate) mod full_text;
pub mod fuzzy;
pub mod glyphs;
pub mod grid;
pub(crate) mod hex;
pub mod highlight;
pub(crate) mod input;
pub(crate) mod layout;
pub(crate) mod list_filter;
pub(crate) mod page_cells;
pub(crate) mod query;
pub(crate) mod scroll;
pub(crate) mod search_results;
pub(crate) mod shares;
pub(crate) mod sort;
pub(crate) mod text;
pub mod theme;
pub(crate) mod tree;
mod unfolded;
