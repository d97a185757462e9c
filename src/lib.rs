//! Reads .NET symbol files and the images they belong to: lines, sources, breakpoints, stack traces, and what is wrong with them.
//!
//! [`Symbols`] is an open image with its PDB (portable, embedded, Windows, native, or Mono's `.mdb`). Questions are methods of it, and answers
//! are plain data. A sentence comes with a code ([`Reason`]), and an answer that may be wrong says why.
//!
//! The line of a stack frame, from files in memory:
//!
//! ```
//! use pdblens::{Input, Symbols, Verdict};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (dll, pdb) = (concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker/Ticker.dll"), concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker/Ticker.pdb"));
//! # let (dll, pdb) = (std::fs::read(dll)?, std::fs::read(pdb)?);
//! let symbols = Symbols::from_memory([Input::new("Ticker.dll", dll), Input::new("Ticker.pdb", pdb)])?;
//! assert_eq!(symbols.verdict(), Verdict::Matched);
//!
//! // The frame has a method token and an IL offset.
//! let found = symbols.line_of(0x0600_0003, 0x2).expect("the method has sequence points");
//! assert_eq!((found.function.as_str(), found.line), ("Ticker.Clock.Since(long)", 11));
//! assert!(found.document.ends_with("Clock.cs") && found.doubt.is_none());
//! # Ok(())
//! # }
//! ```
//!
//! Why a PDB does not match:
//!
//! ```
//! use pdblens::{Symbols, Verdict};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (dll, pdb) = (concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker/Ticker.dll"), concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker-release/Ticker.pdb"));
//! let symbols = Symbols::open_pair(dll, pdb)?;
//! assert_eq!(symbols.verdict(), Verdict::Mismatched);
//! assert_eq!(symbols.reasons()[0].reason, "other-id");
//! assert!(symbols.reasons()[0].text.contains("the image expects 3222a828"));
//! # Ok(())
//! # }
//! ```
//!
//! Lines of a native address, relative to the base of the module, the innermost inlined call first:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let program = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/native/tally.exe");
//! let symbols = pdblens::Symbols::open(program)?;
//! let found = symbols.lines_of_address(0x1071);
//! assert_eq!((found[0].function.as_str(), found[0].line), ("clamp", 12));
//! # Ok(())
//! # }
//! ```
//!
//! A stack trace, with symbols from a folder:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/faults");
//! # let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/faults/il-offsets.txt"))?;
//! let resolved = pdblens::resolve_trace(&text, &[], &[folder.into()]);
//! assert!(resolved.text.contains("Program.cs:line 67"));
//! assert_eq!(resolved.frames.iter().filter(|frame| frame.location.is_some()).count(), 13);
//! # Ok(())
//! # }
//! ```
//!
//! Questions by task:
//!
//! | task | questions |
//! |--|--|
//! | debugger | [`breakpoint`](Symbols::breakpoint), [`diagnose`](Symbols::diagnose), [`variables`](Symbols::variables), [`source`](Symbols::source) |
//! | profiler, coverage | [`methods`](Symbols::methods), [`method`](Symbols::method), [`kickoff_of`](Symbols::kickoff_of), [`lines`](Symbols::lines), [`documents`](Symbols::documents) |
//! | symbolicator | [`lines_of_address`](Symbols::lines_of_address), [`functions`](Symbols::functions), [`resolve_trace`] |
//! | symbol server | [`format`](Symbols::format), [`pdb_keys`](Symbols::pdb_keys), [`image_key`](Symbols::image_key), [`pdb_id`](Symbols::pdb_id) |
//! | build pipeline | [`verdict`](Symbols::verdict), [`check`](Symbols::check), [`Policy`], [`rules`], [`verify`](Symbols::verify) |
//!
//! `docs/library.md` has three whole programs: a service that symbolicates, the points of every method, a gate for a pipeline.
//!
//! # Features
//!
//! | feature | adds |
//! |--|--|
//! | `serde` | `Serialize` of the answers |
//! | `packages` | files in packages and archives, as the command opens them: zip, tar, lzxd, ruzstd, lz4_flex, roxmltree |
//! | `cross-check` | the rule `cross-check`, which reads a Windows PDB a second time: pdb |
//! | `fetch` | symbol servers and sources by URL, for the command: ureq |
//! | `cli` | the command: clap |
//! | `tui` | its screens: ratatui, crossterm, syntect |
//!
//! The program has them all, which is the default; a library needs none. Without them, 40 crates of others are built.
//!
//! # Versions
//!
//! The items on this page follow [semantic versioning](https://semver.org). The crates below it (`pdblens-formats`, `pdblens-query` and others)
//! are parts of the program: they are published with it, and any version may change them. `docs/architecture.md` describes them.

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod front;

pub use front::{
    Address, Binding, Breakpoint, Code, Diagnosis, Document, DocumentText, Error, Finding, Frame, Function, Grade, Hit,
    Input, Level, Line, LocalVariable, Location, Memory, Method, PdbFormat, Policy, Reason, Rule, SourceVerdict,
    Storage, StoreKey, Symbols, Trace, Verdict, resolve_trace, rules,
};

// The parts of the program, for its binary and its tests.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use pdblens_formats::{bytes, fields, record};
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use pdblens_learn as learn;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use pdblens_nodes as nodes;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use pdblens_query::{self as query, trace};
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use pdblens_session::{session, source, store, symbols, text};
#[cfg(feature = "tui")]
#[doc(hidden)]
pub use pdblens_tui as tui;

/// Bytes become values, one format a folder.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod formats {
    pub use pdblens_formats::*;
    pub use pdblens_machine as machine;
}
