//! Strings that parts of a Windows PDB refer to (`/names`).

use crate::kind::Kind;
use crate::place::Place;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::stream::{PdbView, record};
use pdblens_session::session::Session;
use pdblens_session::text::safe::{count, utf8};

pub(crate) const NAMES: Kind = Kind {
    listed: |_| vec![Place::Names],
    rows: |session, ()| names_list(session),
    fields: |session, ()| record::explain_stream(session, PdbView::of(session)?.pdb.info.stream("/names")?),
    ..Kind::NEW
};

pub(crate) fn names_list(session: &Session) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    view.pdb.info.stream("/names")?;
    let offsets = view.pdb.names.offsets();
    let columns = Head::list(["offset:", "bytes:", "string", "document"]);
    Some(Rows::new(count(offsets.len() as u64, "string"), columns, offsets.len(), move |index| {
        let found = offsets.get(index).and_then(|offset| Some((*offset, view.pdb.names.get(*offset)?)));
        let Some((offset, text)) = found else { return Row::default() };
        let row = view.pdb.document_row(offset);
        let cells = vec![
            Cell::toned(format!("{offset:#x}"), Tone::Dim),
            Cell::toned(text.len().to_string(), Tone::Dim),
            Cell::new(utf8(text.data).into_owned()),
            Cell::toned(row.map_or(String::new(), |row| row.to_string()), Tone::Dim).to(row.map(Place::Document)),
        ];
        // With the NUL that ends it.
        Row::plain(cells).from(pdblens_formats::bytes::Span { len: text.len() + 1, ..text.span() })
    }))
}
