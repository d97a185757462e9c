//! The law of `src/`: who may import whom, how long a file and a function may be, and the words of the comments.
//!
//! ```text
//! bytes ← formats ← text ← symbols ← session ← store ← source ← nodes ← { query, trace, learn } ← { cli | tui } ← main
//! ```
//!
//! Each rule is a test. What does not keep its rule yet is in `law_allow.txt`, which can only shrink.

mod allow;
mod cycles;
mod fields;
mod files;
mod imports;
mod modules;
mod sizes;
mod source;
mod wording;

use std::sync::LazyLock;

use modules::Modules;

/// `src/`, read once.
static SRC: LazyLock<Modules> = LazyLock::new(Modules::read);
