//! Reads .NET symbol files and the images they belong to, down to the byte.
//!
//! A [`Session`](session::Session) is an image, its symbols, or both. Everything in it that can be pointed at has an address, a
//! [`Place`](nodes::Place); every value knows its bytes, a [`Span`](bytes::Span). Questions are asked of a session:
//!
//! ```
//! use pdblens::nodes::document;
//! use pdblens::query::{address::parse_offset, where_is::where_is};
//! use pdblens::session::Session;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker/Ticker.dll");
//! let session = Session::open(&[file.into()])?;
//! assert_eq!(session.pdb_match().summary(), "PDB matches DLL");
//!
//! // A stack trace says: method token 0x06000003, IL offset 0x2. Which line is that?
//! let query = parse_offset(&session, "0x06000003+0x2")?;
//! let point = where_is(&session, query.of, query.offset).shown().expect("the method has sequence points");
//! assert_eq!(session.method_name(query.of.token()), "Ticker.Clock.Since(long)");
//! assert!(document::name(&session, point.document).unwrap_or_default().ends_with("Clock.cs"));
//! assert_eq!(point.start_line, 11);
//! # Ok(())
//! # }
//! ```
//!
//! `examples/` has more: all sequence points, the reason why a PDB does not match, lines for a stack trace.
//!
//! # Features
//!
//! | feature | adds |
//! |--|--|
//! | `tui` | the screens (`tui`): ratatui, crossterm, syntect |
//! | `cli` | the command (`cli`) and its JSON: clap, serde |
//! | `fetch` | symbol servers and sources by URL: ureq |
//!
//! All three are on by default; with none of them the readers alone are built.
//!
//! # Map
//!
//! ```text
//! bytes ← formats ← text ← symbols ← session ← store ← source ← nodes ← { query, trace, learn } ← { cli | tui } ← main
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
//! * [`learn`] lists the steps of a decode: stored and decoded values, state, derivation.
//! * `cli` prints answers; `tui` shows them. They never reach past the questions.

#[cfg(feature = "cli")]
pub mod cli;

pub use pdblens_formats::{bytes, fields, record};
pub use pdblens_learn as learn;
pub use pdblens_nodes as nodes;
pub use pdblens_query::{self as query, trace};
pub use pdblens_session::{session, source, store, symbols, text};
#[cfg(feature = "tui")]
pub use pdblens_tui as tui;

/// Bytes become values, one format a folder.
pub mod formats {
    pub use pdblens_formats::*;
    pub use pdblens_machine as machine;
}
