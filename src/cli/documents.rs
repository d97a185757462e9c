use std::ops::ControlFlow;

use super::command::{Example, example};
use super::export::{ListRows, Rows, Table};
use crate::nodes::document::generator;
use crate::session::Session;
use crate::source::{SourceOptions, Sources};
use crate::text::guids;
use crate::text::paths::without_passwords;
use crate::text::safe::hex;

pub(super) type Documents = ListRows<DocumentRows>;

#[derive(Debug)]
pub(super) struct DocumentRows;

impl Table for DocumentRows {
    const EXAMPLES: &'static [Example] =
        &[example("List every source file with its hash", "pdblens documents App.dll")];
    const COLUMNS: &'static [&'static str] =
        &["document", "language", "language_id", "hash_algorithm", "hash", "embedded", "url", "generator"];

    fn write(session: &Session, rows: &mut Rows<'_>) -> ControlFlow<()> {
        let Some(symbols) = session.symbols() else { return ControlFlow::Continue(()) };
        let (options, start) = (SourceOptions::default(), rows.row.mark());
        let sources = Sources::of(session, &options);
        (1..=symbols.documents()).try_for_each(|number| {
            let found = match symbols.document(number) {
                Ok(found) => found,
                Err(error) => {
                    rows.failed(&format_args!("document {number}: {}", session.spaces().error_text(&error)));
                    return ControlFlow::Continue(());
                }
            };
            let row = &mut rows.row;
            row.text(Some(&found.name));
            row.text(found.language.and_then(guids::name));
            row.text(found.language.map(|guid| guid.to_string()).as_deref());
            row.text(found.hash_algorithm.map(|guid| guid.to_string()).as_deref());
            row.text(Some(hex(&found.hash)).filter(|hash| !hash.is_empty()).as_deref());
            let is_embedded = symbols.embedded_source(number).is_some();
            row.flag(is_embedded);
            row.text(sources.url(&found.name).map(|url| without_passwords(&url)).as_deref());
            row.text(generator(&found.name, is_embedded));
            rows.end(start)
        })
    }
}
