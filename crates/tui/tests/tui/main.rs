//! Key scripts → screens, on the real app: no terminal, no worker, no clock.

mod actions;
mod ask;
mod asked;
mod bytes;
mod chains;
mod compare;
mod definitions;
mod every;
mod files;
mod filter;
mod finder;
mod harness;
mod jobs;
mod large;
mod laws;
mod learn;
mod lessons;
mod lists;
mod machine;
mod monkey;
mod native;
mod newcomer;
mod offers;
#[cfg(unix)]
mod output;
#[cfg(unix)]
mod pasted;
mod pictures;
mod prompt;
mod properties;
mod ranking;
mod readable;
mod reread;
mod roles;
mod samples;
mod screens;
mod sizes;
mod snapshot;
mod sources;
mod svg;
mod syntaxes;
mod teach;
mod traces;
mod verdicts;
mod views;
mod wheel;
#[cfg(unix)]
mod work;

use pdblens_testing as support;
