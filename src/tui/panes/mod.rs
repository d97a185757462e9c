//! The panes, one a file.

pub mod bytes;
pub mod fields;
pub mod il;
pub mod methods;
pub mod points;
pub mod rows;
pub mod source;
