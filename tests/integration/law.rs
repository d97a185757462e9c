//! The law of the program and its crates: who may import whom, how long files and functions may be, how many lines a crate may have.
//!
//! Which crate may name which is in their `Cargo.toml`. Each rule here is a test. What does not keep its rule yet is in `law_allow.txt`, which can
//! only shrink.

mod allow;
mod budget;
mod cycles;
mod fields;
mod files;
mod imports;
mod modules;
mod names;
mod native;
mod numbers;
mod reasons;
mod sizes;
mod source;
mod wording;

use std::sync::LazyLock;

use modules::Modules;

/// The code, read once.
static SRC: LazyLock<Modules> = LazyLock::new(Modules::read);
