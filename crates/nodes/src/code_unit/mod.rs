//! Methods of IL, by token, and functions of native code, by address: both have code and lines.
//!
//! Panes and answers ask for the points, the code and the name of a [`CodeUnit`], and need not know which of the two it is.

pub use crate::place::{CodeUnit, Words, il_label};
pub use il::document_name;
pub use view::{FunctionSymbol, Location, MethodView};

mod code;
pub(crate) mod function;
pub(crate) mod il;
mod named;
pub(crate) mod point_rows;
mod questions;
pub(crate) mod variables;
pub(crate) mod view;

pub use code::{CodeFormat, codes};
pub use named::{CodeOffset, NamedCode, NamedFunction, NamedMethod};
pub use questions::{count, each, each_point, find_point, first_visible, full_name, is_ready, name, points, words};
