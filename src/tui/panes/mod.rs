//! The panes, one a file.

pub mod bytes;
pub mod documents;
pub mod fields;
pub mod file_map;
pub mod il;
mod machine_code;
pub mod methods;
pub mod overview;
mod page_cells;
mod page_map;
pub mod pane;
pub mod parts;
pub mod points;
pub mod record_pane;
pub mod source;
pub mod streams;
pub mod table_pane;
pub mod tables;
pub mod trace;
pub mod tree_pane;
