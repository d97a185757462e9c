//! Questions about a session, asked by the commands and the screens alike.
//!
//! A question is a function that takes a [`Session`](pdblens_session::session::Session) and returns an answer as data. The caller prints
//! it, draws it or serialises it.
//!
//! * [`address`] reads what a user typed or pasted; [`ask`] ranks what it could mean.
//! * [`where_is`] goes from code to lines, [`breakpoint`] from lines to code, [`owner`] from a byte to its record.
//! * [`search`] finds names, [`definition`] the place of a name, [`scope_names`] the variables in scope.
//! * [`check`] looks for faults, [`diff`] compares two builds, [`coverage`] counts bytes that have a field.
//! * [`trace`] adds lines to stack traces; [`evidence`] says how a line is known.
//! * [`process`] reads a process that runs or a core, [`samples`] counts those of a profiler at statements.
//! * [`extract`] yields what is embedded in the files.
//!
//! # Errors
//!
//! [`address::AddressError`] says why a text is no address. A question about damaged data answers with what can be read.

#![allow(missing_docs, reason = "a name that says what it is needs no sentence")]

pub mod address;
pub mod ask;
pub mod breakpoint;
pub mod certainty;
pub mod check;
pub mod coverage;
pub mod definition;
pub mod diff;
pub mod document_counts;
pub mod document_lines;
pub mod evidence;
pub mod extract;
pub(crate) mod method_facts;
pub mod missing_lines;
pub(crate) mod native_data;
pub mod native_where;
pub mod owner;
pub mod process;
pub mod quality;
pub mod samples;
pub mod scope_names;
pub mod search;
pub mod shell_command;
pub mod statement;
pub mod trace;
pub mod where_is;
