//! The panes, one a file.

pub mod bytes;
pub mod documents;
pub mod fields;
pub mod il;
mod machine;
pub mod map;
pub mod methods;
pub mod outline;
pub mod overview;
mod page_cells;
mod pages;
pub mod parts;
pub mod points;
pub mod records;
pub mod sheet;
pub mod source;
pub mod streams;
pub mod tables;
pub mod trace;
