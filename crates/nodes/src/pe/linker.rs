//! Tables of the linker: the decoded tables of the image, and those of their records that are stored elsewhere.

use crate::fields::{Fields, Meaning};
use crate::pe::pe_meaning;
use pdblens_formats::bytes::{Cursor, Field, Recording, Result, Span};
use pdblens_formats::pe::{LinkerTables, Pe};
use pdblens_session::session::Session;

/// A record that stands apart from others: its bytes, and its decoder.
pub(super) type Record = (Span, fn(&mut Cursor<'_, Recording>) -> Result<()>);

/// The image, and its decoded tables.
pub(super) fn tables(session: &Session) -> Option<(&Pe, &LinkerTables)> {
    session.image().map(|image| (&image.pe, image.linker_tables()))
}

/// Fields of records, one after the other; `meaning` goes before what an address means anyway.
pub(super) fn explain(
    session: &Session,
    title: &str,
    records: impl IntoIterator<Item = Record>,
    mut meaning: impl FnMut(&str, &Field) -> Option<Meaning>,
) -> Option<Fields> {
    let (pe, _) = tables(session)?;
    let mut all: Option<Fields> = None;
    for (span, decode) in records {
        let Some(bytes) = pe.bytes(span).ok().filter(|bytes| !bytes.is_empty()) else { continue };
        let one = Fields::explain(title, bytes, decode, |record, field| {
            meaning(record, field).or_else(|| pe_meaning(session, record, field))
        });
        match &mut all {
            None => all = Some(one),
            Some(all) => {
                all.rows.extend(one.rows);
                all.error = all.error.take().or(one.error);
            }
        }
    }
    all
}
