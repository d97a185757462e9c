//! Reads .NET symbol files and the images they belong to, down to the byte.
//!
//! A [`Session`](model::Session) is an image, its symbols, or both. Everything in it that can be pointed at has an address, a
//! [`Place`](model::Place); every value knows its bytes, a [`Span`](bytes::Span). Questions are asked of a session:
//!
//! ```
//! use pdblens::model::Session;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker/Ticker.dll");
//! let session = Session::open(&[file.into()])?;
//! assert_eq!(session.verdict.short(), "✓ PDB matches DLL");
//!
//! // A stack trace says: method token 0x06000003, IL offset 0x2. Which line is that?
//! let query = session.offset_query("0x06000003+0x2")?;
//! let point = session.answer(query.of, query.il).shown().expect("the method has sequence points");
//! assert_eq!(session.method_name(query.of.token()), "Ticker.Clock.Since(long)");
//! assert!(session.document_name(point.document).unwrap_or_default().ends_with("Clock.cs"));
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
//! | `cli` | the command (`cli`) and its JSON: clap, serde, schemars |
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
//! * [`model`] holds the floors between the formats and the faces: text, symbols, session, store, source, nodes, query,
//!   trace, learn.
//! * `cli` prints answers and `tui` shows them. They never reach past the model.
//!
//! A test (`tests/law.rs`) reads `src/` and keeps the arrows pointing this way.

pub mod bytes;
#[cfg(feature = "cli")]
pub mod cli;
pub mod formats;
pub mod model;
#[cfg(feature = "tui")]
pub mod tui;
