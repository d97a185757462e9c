//! Helpers of the tests and benches of several crates: the samples, writers of symbol files, folders and servers of a test's own.
//!
//! It is a dependency of tests and benches alone, and not published.

#![allow(
    missing_docs,
    clippy::missing_panics_doc,
    clippy::new_without_default,
    clippy::should_implement_trait,
    reason = "helpers of tests; a failure panics"
)]

pub mod browser;
pub mod containers;
pub mod folder;
pub mod msfz;
pub mod precompiled;
pub mod samples;
pub mod server;
pub mod synth;

pub use synth::is_thorough;
