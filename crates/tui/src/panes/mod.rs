//! The panes, one a file, and what several of them share.
//!
//! Lists are data: [`tree_def`] describes a list with its rows at hand, [`table_pane`] one whose rows are made as they show.

pub mod bytes;
pub mod document_details;
pub mod documents;
mod field_columns;
pub mod fields;
pub mod file_map;
mod ghost;
pub mod il;
pub mod lists;
pub mod methods;
pub mod overview;
pub mod pane;
pub mod parts;
pub mod player;
pub mod points;
pub mod record_pane;
mod row_list;
pub mod scopes;
mod signature;
pub mod source;
pub mod streams;
pub mod table_pane;
pub mod tables;
pub mod trace;
pub mod tree_def;
mod tree_marks;
pub mod tree_pane;
mod tree_rows;
pub mod verdict;
