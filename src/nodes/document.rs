//! Documents: the source files that the symbols name.

use crate::session::Session;

/// Path of a document, counted from 1.
pub fn name(session: &Session, row: u32) -> Option<String> {
    session.symbols().and_then(|symbols| symbols.document(row).ok()).map(|document| document.name)
}
