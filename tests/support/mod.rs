//! Helpers of integration tests and benches. Each of them is a crate of its own that includes this module whole.

#![allow(dead_code, unused_imports, unreachable_pub, reason = "every test and bench uses another part of it")]

pub mod containers;
pub mod folder;
pub mod msfz;
pub mod samples;
pub mod server;
pub mod synth;

/// Returns whether tests look at all that they can within minutes, as the gate does: three times as many damaged files and
/// methods, hostile files of twice the size, each action with a count in every view of every file.
pub fn is_thorough() -> bool {
    std::env::var_os("PDBLENS_THOROUGH").is_some()
}
