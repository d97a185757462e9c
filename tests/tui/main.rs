//! Key scripts → screens, on the real app: no terminal, no worker, no clock.

#![allow(dead_code, unreachable_pub, reason = "support is shared, and every test uses another part of it")]

mod actions;
mod ask;
mod bytes;
mod chains;
mod definitions;
mod every;
mod files;
mod filter;
mod finder;
mod harness;
mod large;
mod laws;
mod learn;
mod lessons;
mod lists;
mod monkey;
mod native;
mod newcomer;
#[cfg(unix)]
mod output;
mod pictures;
mod properties;
mod ranking;
mod readable;
mod roles;
mod screens;
mod sizes;
mod snapshot;
mod sources;
#[path = "../support/mod.rs"]
mod support;
mod svg;
mod syntaxes;
mod teach;
mod traces;
mod views;
mod wheel;
