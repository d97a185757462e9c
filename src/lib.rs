//! pdblens: reads .NET symbol files and the images they belong to, down to the byte.
//!
//! # The map
//!
//! ```text
//! bytes ← formats ← model ← { cli | tui } ← main
//! ```
//!
//! * [`bytes`] is the only code that indexes raw bytes: spans, cursors, spaces.
//! * [`formats`] turns bytes into values, one format a folder. It does no I/O and does not know that files belong together.
//! * [`model`] is one loaded pair and the questions that can be asked of it. `Place` is the address of everything in it.
//! * [`cli`] prints answers; [`tui`] shows them. They never reach past the model.
//!
//! A test (`tests/law.rs`) reads `src/` and keeps the arrows pointing this way.

pub mod bytes;
#[cfg(feature = "cli")]
pub mod cli;
pub mod formats;
pub mod model;
#[cfg(feature = "tui")]
pub mod tui;
