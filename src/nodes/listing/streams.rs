//! The streams of a Windows PDB, what each is made of, and whose the pages of the file are.

use crate::bytes::Span;
use crate::formats::msf::{Owner, PageUse};
use crate::nodes::Place;
use crate::nodes::lazy_index;
use crate::nodes::pdb::{PdbView, page_ranges};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::Session;
use crate::text::safe::{count, spaced_hex};

/// How many bytes of a stream without a known layout a row shows.
const LINE: u64 = 16;

/// All streams: what each is, and where.
pub(crate) fn streams_rows(session: &Session) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    let columns = vec![
        Head::number("stream"),
        Head::text("what"),
        Head::number("bytes"),
        Head::number("pages"),
        Head::text("at pages"),
    ];
    let streams = view.pdb.msf.stream_count();
    Some(Rows::new(count(streams, "stream"), columns, streams as usize, move |index| {
        let (number, place) = (index as u32, Place::Stream(index as u32));
        let Some(stream) = view.pdb.msf.stream(number) else { return Row::default() };
        let size = if stream.is_nil() { "nil".to_owned() } else { stream.size.to_string() };
        let cells = vec![
            Cell::toned(number.to_string(), Tone::Dim),
            Cell::new(view.stream_name(number)).to(place),
            Cell::new(size),
            Cell::new(stream.pages.len().to_string()),
            Cell::toned(page_ranges(stream.pages), Tone::Dim),
        ];
        Row { span: view.span(number), ..Row::at(place, cells) }
    }))
}

/// What a stream is made of: its records, or where those are not known its bytes.
pub(crate) fn stream_rows(session: &Session, number: u32) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    let span = view.span(number)?;
    let parts = view.parts(number);
    let title = format!("stream {number} · {}", view.stream_name(number));
    if parts.is_empty() {
        return Some(hex_lines(session, title, span));
    }
    let region = view.region(number)?;
    let columns = vec![Head::number("offset"), Head::number("bytes"), Head::text("record"), Head::text("what")];
    let title = format!("{title} · {}", count(parts.len() as u64, "record"));
    Some(Rows::new(title, columns, parts.len(), move |index| {
        let Some(part) = parts.get(index).copied() else { return Row::default() };
        let place = Place::Record(number, part.at);
        let slice = region.slice().at(part.span(span)).unwrap_or_default();
        let cells = vec![
            Cell::toned(format!("{:#x}", part.at), Tone::Dim),
            Cell::toned(part.len.to_string(), Tone::Dim),
            Cell::new(view.part_name(part)).to(place),
            Cell::new(view.part_text(number, part, slice)),
        ];
        Row { depth: part.depth, ..Row::at(place, cells).from(part.span(span)) }
    }))
}

/// Bytes, sixteen a row.
fn hex_lines(session: &Session, title: String, span: Span) -> Rows<'_> {
    let columns = vec![Head::number("offset"), Head::text("bytes"), Head::text("text")];
    Rows::new(title, columns, span.len.div_ceil(LINE) as usize, move |index| {
        let from = index as u64 * LINE;
        let line = span.part(from, LINE.min(span.len.saturating_sub(from)));
        let bytes = session.spaces().read(line).unwrap_or_default();
        let visible = |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '·' };
        let cells = vec![
            Cell::toned(format!("{from:#x}"), Tone::Dim),
            Cell::new(spaced_hex(&bytes, LINE as usize)),
            Cell::toned(bytes.iter().map(visible).collect::<String>(), Tone::Dim),
        ];
        Row::at(Place::Bytes(line), cells).from(line)
    })
}

/// Owners of the pages of the file, one row for each run of pages.
pub(crate) fn pages_rows(session: &Session) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    let map = view.pdb.msf.page_map(view.spaces);
    let page_size = u64::from(view.pdb.msf.page_size());
    let runs = lazy_index::page_runs(session);
    let columns = vec![
        Head::number("page"),
        Head::number("pages"),
        Head::number("offset"),
        Head::text("whose"),
        Head::number("from byte"),
    ];
    let title = format!("{} of {page_size} bytes", count(map.len() as u64, "page"));
    Some(Rows::new(title, columns, runs.len(), move |index| {
        let Some(first) = runs.get(index).copied() else { return Row::default() };
        let behind = runs.get(index + 1).copied().unwrap_or(map.len() as u32);
        let owner = map.owner(&view.pdb.msf, first);
        let (text, from, to) = whose(&view, owner);
        let tone = match owner {
            Owner::Unique(_) => Tone::Text,
            Owner::Free => Tone::Dim,
            Owner::Unclaimed => Tone::Warn,
            Owner::Conflict(..) | Owner::Missing => Tone::Bad,
        };
        let mut what = Cell::toned(text, tone);
        what.to = to;
        let offset = u64::from(first) * page_size;
        let pages = u64::from(behind - first);
        let cells = vec![
            Cell::new(first.to_string()).to(Place::Page(first)),
            Cell::toned(pages.to_string(), Tone::Dim),
            Cell::toned(format!("{offset:#x}"), Tone::Dim),
            what,
            Cell::toned(from.map_or(String::new(), |from| format!("{from:#x}")), Tone::Dim),
        ];
        Row::at(Place::Page(first), cells).from(Span::new(view.pdb.msf.file, offset, pages * page_size))
    }))
}

/// The first page of each stretch that is one piece of one thing.
pub(crate) fn page_runs(view: &PdbView<'_>) -> Vec<u32> {
    let map = view.pdb.msf.page_map(view.spaces);
    let page_size = u64::from(view.pdb.msf.page_size());
    let mut runs: Vec<u32> = Vec::new();
    let mut before: Option<(u32, Owner)> = None;
    for page in 0..map.len() as u32 {
        let owner = map.owner(&view.pdb.msf, page);
        match before {
            Some((first, whose)) if goes_on(whose, owner, u64::from(page - first) * page_size) => {}
            _ => {
                runs.push(page);
                before = Some((page, owner));
            }
        }
    }
    runs
}

/// Whether a page `further` bytes behind the first of a run goes on with what that is part of.
fn goes_on(first: Owner, owner: Owner, further: u64) -> bool {
    let further_in = |claim: PageUse| match claim {
        PageUse::Superblock => claim,
        PageUse::FreePageMap { number, from } => PageUse::FreePageMap { number, from: from + further },
        PageUse::PageList { from } => PageUse::PageList { from: from + further },
        PageUse::Directory { from } => PageUse::Directory { from: from + further },
        PageUse::Stream { stream, from } => PageUse::Stream { stream, from: from + further },
    };
    match (first, owner) {
        (Owner::Unique(first), Owner::Unique(claim)) => further_in(first) == claim && first != PageUse::Superblock,
        (Owner::Conflict(first, other), Owner::Conflict(one, two)) => {
            further_in(first) == one && further_in(other) == two
        }
        (first, owner) => first == owner,
    }
}

/// Owner of a page in words, the offset of the page in it, and its place.
pub(crate) fn whose(view: &PdbView<'_>, owner: Owner) -> (String, Option<u64>, Option<Place>) {
    let one = |claim: PageUse| match claim {
        PageUse::Superblock => ("superblock".to_owned(), None, Some(Place::Header)),
        PageUse::FreePageMap { number, from } => {
            let active = view.pdb.msf.superblock.active_map == u32::from(number);
            let word = if active { "active" } else { "other" };
            (format!("free page map {number}, the {word} one"), Some(from), None)
        }
        PageUse::PageList { from } => ("page list of the directory".to_owned(), Some(from), None),
        PageUse::Directory { from } => ("directory".to_owned(), Some(from), Some(Place::Directory)),
        PageUse::Stream { stream, from } => {
            (format!("stream {stream} · {}", view.stream_name(stream)), Some(from), Some(Place::Stream(stream)))
        }
    };
    match owner {
        Owner::Unique(claim) => one(claim),
        Owner::Conflict(first, second) => {
            let (text, from, to) = one(first);
            (format!("{text}, and also {}", one(second).0), from, to)
        }
        Owner::Free => ("free".to_owned(), None, None),
        Owner::Unclaimed => ("nobody's, though not marked free".to_owned(), None, None),
        Owner::Missing => ("not in the file".to_owned(), None, None),
    }
}
