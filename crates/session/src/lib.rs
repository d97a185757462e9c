//! Open files: what they are, whether an image and its symbols match, and where symbols and sources are found.
//!
//! [`session::Session`] holds one pair. It opens files, folders, packages and streams of standard input, detects their format, and keeps the
//! indexes that several questions share. Its budget bounds the memory of what is inflated and listed.
//!
//! * [`symbols`] is one interface (`SymbolReader`) over portable, Windows and Mono PDBs.
//! * [`source`] finds the text of a document: embedded, on disk, by Source Link or srcsrv, and verifies its checksum.
//! * [`store`] finds symbols as a debugger does, and writes files. `store/new_file.rs` is the only writer of the program.
//! * [`text`] spells signatures, types and names as C#, Visual Basic and C++ do.
//!
//! With the feature `fetch`, servers that the user named are asked; without it, nothing opens a connection.
//!
//! # Errors
//!
//! [`session::OpenError`] says which file could not be opened and why. Damage inside a file is a finding of the session, not an error.

#![allow(missing_docs, reason = "a name that says what it is needs no sentence")]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

pub mod code_image;
pub mod parallel;
pub mod precompiled;
pub mod recorded;
pub mod session;
pub mod source;
pub mod store;
pub mod symbols;
pub mod text;
