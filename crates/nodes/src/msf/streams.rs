//! The list of the streams.

use super::PAGES;
use crate::kind::Kind;
use crate::named;
use crate::place::Place;
use crate::rows::{Cell, Data, Head, Row, Rows, Tone};
use crate::stream::PdbView;
use crate::stream::view::{page_runs, ranges_text};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

pub(crate) const STREAMS: Kind = Kind {
    named: &[(named::Turn::Streams, |session, list| named::add_column(list, streams_rows(session), "what"))],
    listed: |_| vec![Place::Streams],
    rows: |session, ()| streams_rows(session),
    row_of: |_, place, ()| match place {
        Place::Stream(number) => Some(number as usize),
        _ => None,
    },
    summary: |session, ()| (PAGES.summary)(session, ()),
    indexes: |session, ()| (PAGES.indexes)(session, ()),
    ..Kind::NEW
};

pub(crate) fn streams_rows(session: &Session) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    let columns = Head::list(["stream:", "what", "bytes:", "pages:", "at pages"]);
    let streams = view.pdb.msf.stream_count();
    Some(Rows::new(count(streams, "stream"), columns, streams as usize, move |index| {
        let (number, place) = (index as u32, Place::Stream(index as u32));
        let Some(stream) = view.pdb.msf.stream(number) else { return Row::default() };
        let size = if stream.is_nil() { "nil".to_owned() } else { stream.size.to_string() };
        let runs = page_runs(stream.pages);
        let cells = vec![
            Cell::toned(number.to_string(), Tone::Dim),
            Cell::new(view.stream_name(number)).to(place),
            Cell::new(size),
            Cell::new(stream.pages.len().to_string()),
            Cell::toned(ranges_text(&runs), Tone::Dim).data(Data::Ranges(runs)),
        ];
        Row { span: view.span(number), ..Row::at(place, cells) }
    }))
}
