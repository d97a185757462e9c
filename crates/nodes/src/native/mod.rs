//! Functions, names and lines of a PDB of native code, by address. The kinds that show them import this module.

mod all_lines;
mod at;
mod facts;
mod line_records;
mod nearest;
mod view;

pub use all_lines::{EachLine, ModuleLine};
pub use at::Address;
pub(crate) use facts::native_facts;
pub use line_records::*;
pub use nearest::{FoldedFunction, NearestSymbol};
pub use view::*;
