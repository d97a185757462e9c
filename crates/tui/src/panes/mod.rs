//! The panes, one a file, and what several of them share.
//!
//! All lists have one machine, [`list_pane`]; a pane says what it shows. Some are data alone: [`tree_def`] describes a list with its rows at
//! hand, [`table_pane`] one whose rows are made as they show.

pub(crate) mod bytes;
pub(crate) mod compare;
pub(crate) mod document_details;
pub(crate) mod documents;
mod field_list;
pub(crate) mod file_map;
mod ghost;
pub(crate) mod il;
mod lanes;
pub(crate) mod list_pane;
pub(crate) mod lists;
pub(crate) mod machine;
pub(crate) mod methods;
pub(crate) mod overview;
pub(crate) mod pane;
pub(crate) mod parts;
pub(crate) mod player;
pub(crate) mod preview;
pub(crate) mod record_pane;
pub(crate) mod scopes;
mod signature;
pub(crate) mod source;
pub(crate) mod table_pane;
pub(crate) mod tables;
pub(crate) mod trace;
pub(crate) mod tree_def;
pub(crate) mod tree_pane;
mod tree_rows;
mod treemap;
pub(crate) mod used_by;
pub(crate) mod verdict;
