//! Lines of the overview about the options of the compilation.

use super::OverviewLines;
use crate::rows::Cell;
use crate::{Place, Side};
use pdblens_formats::metadata::TableId;
use pdblens_session::session::Session;

/// Limit on the characters of an option's value.
const MAX_VALUE: usize = 1000;

/// Options of the compilation that have a line.
const SHOWN_OPTIONS: &[&str] = &[
    "compiler-version",
    "compilers",
    "compiler-flags",
    "linker-flags",
    "language",
    "optimization",
    "runtime-version",
    "language-version",
];

/// Adds the lines of options that have one.
pub(super) fn add(session: &Session, options: Vec<(String, String)>, lines: &mut OverviewLines) {
    for (name, value) in options {
        if SHOWN_OPTIONS.contains(&name.as_str()) {
            let table = Place::Table(Side::Pdb, TableId::CUSTOM_DEBUG_INFORMATION);
            let to = if session.portable_pdb().is_some() { table } else { Place::Module(0) };
            lines.line(&name, Cell::new(shortened(value)).to(to));
        }
    }
}

/// Beginning of a value that is too long to be read: flags of a compiler name every folder of headers.
fn shortened(value: String) -> String {
    match value.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}… ({} bytes)", value.get(..end).unwrap_or_default(), value.len()),
        None => value,
    }
}
