//! pdblens: reads .NET symbol files and the images they belong to, down to the byte.
//!
//! # The map
//!
//! ```text
//! bytes ← formats ← text ← symbols ← session ← store ← source ← nodes ← { query, trace } ← { cli | tui } ← main
//! ```
//!
//! * [`bytes`] is the only code that indexes raw bytes: spans, cursors, spaces.
//! * [`formats`] turns bytes into values, one format a folder. It does no I/O and does not know that files belong together.
//! * [`text`] turns values into words: names, signatures, constants, C++ types, text that is safe to show.
//! * [`symbols`] asks every symbol file the same questions, whatever its format.
//! * [`session`] is what is open: the files and whether they match.
//! * [`store`] finds symbol files: symbol paths, symbol servers, the cache.
//! * [`source`] finds the text of documents and verifies it.
//! * [`nodes`] is everything that has an address: a [`nodes::Place`], with its rows, fields and bytes.
//! * [`query`] and [`trace`] answer questions about nodes.
//! * [`cli`] prints answers; [`tui`] shows them. They never reach past the questions.

pub mod bytes;
pub mod cli;
pub mod formats;
pub mod model;
pub mod nodes;
pub mod query;
pub mod session;
pub mod source;
pub mod store;
pub mod symbols;
pub mod text;
pub mod trace;
pub mod tui;
