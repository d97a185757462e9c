//! Key scripts → screens, on the real app: no terminal, no worker, no clock.

#[allow(dead_code, unreachable_pub, reason = "shared with tests that use all of it")]
#[path = "../support/folder.rs"]
mod folder;

mod bytes;
mod every;
mod filter;
mod finder;
mod harness;
mod laws;
#[cfg(unix)]
mod output;
mod pictures;
mod screens;
mod sizes;
#[path = "../support/mod.rs"]
mod support;
mod views;
