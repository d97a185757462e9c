//! Helpers of integration tests and benches. Each of them is a crate of its own that includes this module whole.

#![allow(dead_code, unused_imports, unreachable_pub, reason = "every test and bench uses another part of it")]

pub mod containers;
pub mod folder;
pub mod msfz;
pub mod samples;
pub mod server;
pub mod synth;

pub use synth::is_thorough;
