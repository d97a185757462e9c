//! How each format answers what [`Symbols`](crate::symbols::Symbols) asks. One file a format.

mod headers;
mod mdb;
mod native;
mod portable;
mod windows;

pub use headers::Headed;
pub use native::NativePdb;
pub use portable::document_name;
pub use windows::ManagedPdb;
