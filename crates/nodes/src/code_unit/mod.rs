//! Methods of IL, by token, and functions of native code, by address: both have code and lines.
//!
//! Panes and answers ask for the points, the code and the name of a [`CodeUnit`], and need not know which of the two it is.

pub use crate::place::{CodeUnit, il_label};
pub use il::document_name;
pub use view::{FunctionSymbol, Location, MethodView};

pub(crate) mod function;
pub(crate) mod il;
mod named;
mod questions;
pub(crate) mod variables;
pub(crate) mod view;

pub use named::{CodeOffset, NamedCode, NamedFunction, NamedMethod};
pub use questions::each;
pub use questions::{count, each_point, find_point, first_visible, full_name, name, points};
