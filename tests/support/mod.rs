//! Helpers of integration tests and benches. Each of them is a crate of its own that includes this module whole.

#![allow(dead_code, unused_imports, unreachable_pub, reason = "every test and bench uses another part of it")]

pub mod containers;
pub mod folder;
pub mod msfz;
pub mod samples;
pub mod server;
pub mod synth;

/// Returns whether the tests look at three times as many damaged files, perform each action with a count in every file, and read the widest rows of a larger sample, as the gate does.
pub fn is_thorough() -> bool {
    std::env::var_os("PDBLENS_THOROUGH").is_some()
}
