//! The container of a Windows PDB: superblock, directory, pages (blocks); and the headers of other symbol files.

mod page;
pub(crate) mod streams;

use crate::facts::Facts;
use crate::fields::{Fields, Meaning};
use crate::kind::Kind;
use crate::lazy_index::{IndexKind, LazyIndex, is_cached};
use crate::owner::{OwnerSearch, Turn};
use crate::place::Place;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::stream::PdbView;
use crate::stream::record::{MAX_EXPLAINED, directory_fields};
use pdblens_formats::bytes::{Cursor, FieldDoc, Recording, Slice, Space, Span};
use pdblens_formats::mdb;
use pdblens_formats::msf::msf2::Msf2Header;
use pdblens_formats::msf::msfz::MsfzHeader;
use pdblens_formats::msf::{Directory, Owner, PageUse, Superblock};
use pdblens_session::session::Session;
use pdblens_session::symbols::Format;
use pdblens_session::text::safe::count;
use std::sync::OnceLock;

/// The first structure of the symbol file: a superblock, a header.
pub(crate) const HEADER: Kind = Kind {
    owners: &[(Turn::Gaps, header_or_rest)],
    listed: |_| vec![Place::Header],
    fields: |session, ()| explain_header(session),
    ..Kind::NEW
};

pub(crate) const DIRECTORY: Kind = Kind {
    owners: &[(Turn::Records, |search| {
        let Some(msf) = PdbView::of(search.session).map(|view| &view.pdb.msf) else { return };
        if search.byte.space == msf.directory && msf.directory != msf.file {
            let len = search.session.spaces().get(msf.directory).map_or(0, Space::len);
            search.add(Place::Directory, Span::new(msf.directory, 0, len));
        }
    })],
    listed: |_| vec![Place::Directory],
    fields: |session, ()| explain_directory(session),
    ..Kind::NEW
};

pub(crate) const PAGES: Kind = Kind {
    listed: |_| vec![Place::Pages],
    rows: |session, ()| pages_rows(session),
    row_of: |session, place, ()| match place {
        Place::Page(page) => page_runs(session).partition_point(|first| *first <= page).checked_sub(1),
        _ => None,
    },
    summary: |session, ()| container_facts(session),
    bytes: |session, ()| {
        let msf = &PdbView::of(session)?.pdb.msf;
        Some(Span::new(msf.file, 0, session.spaces().get(msf.file)?.len()))
    },
    indexes: |_, ()| vec![pages_index()],
    ..Kind::NEW
};

pub(crate) const PAGE: Kind<u32> = Kind {
    owners: &[(Turn::Pages, page_with)],
    exists: |session, number| {
        let Some(msf) = PdbView::of(session).map(|view| &view.pdb.msf) else { return false };
        let len = session.spaces().get(msf.file).map_or(0, Space::len);
        u64::from(number) * u64::from(msf.page_size()) < len
    },
    fields: page::explain_page,
    indexes: |_, _| vec![pages_index()],
    ..Kind::NEW
};

pub(crate) fn container_facts(session: &Session) -> Option<Fields> {
    let view = PdbView::of(session)?;
    if !is_cached(session, pages_index()) {
        return None;
    }
    let msf = &view.pdb.msf;
    let map = msf.page_map(view.spaces);
    let len = session.spaces().get(msf.file).map_or(0, Space::len);
    let mut facts = Facts::new("MSF 7.00");
    let header = explain_header(session).unwrap_or_default();
    let stored =
        |doc: &FieldDoc| header.leaves().find(|row| row.name == doc.name).map_or(Span::default(), |row| row.span);
    let size = facts.fact("page size", msf.page_size()).to(Place::Header).describe(&Superblock::PAGE_SIZE);
    size.at(stored(&Superblock::PAGE_SIZE));
    facts.fact("pages", map.len()).mean(count(len, "byte")).to(Place::Pages);
    let active = format!("by FPM{}", msf.superblock.active_map);
    facts.fact("free", map.free()).mean(active).to(Place::Page(msf.superblock.active_map));
    facts.fact("streams", msf.stream_count()).to(Place::Streams);
    let directory = session.spaces().get(msf.directory).map_or(0, Space::len);
    facts.fact("directory", directory).mean("bytes").to(Place::Directory);
    facts.fields.span = Span::new(msf.file, 0, len);
    facts.done()
}

/// Owners of the pages of the file, one row for each run of pages.
pub(crate) fn pages_rows(session: &Session) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    let map = view.pdb.msf.page_map(view.spaces);
    let page_size = u64::from(view.pdb.msf.page_size());
    let runs = page_runs(session);
    let columns = Head::list(["page:", "pages:", "offset:", "owner", "stream offset:"]);
    let title = format!("{} of {page_size} bytes", count(map.len() as u64, "page"));
    Some(Rows::new(title, columns, runs.len(), move |index| {
        let Some(first) = runs.get(index).copied() else { return Row::default() };
        let behind = runs.get(index + 1).copied().unwrap_or(map.len() as u32);
        let owner = map.owner(&view.pdb.msf, first);
        let (text, from, to) = owner_text(&view, owner);
        let tone = match owner {
            Owner::Unique(_) => Tone::Text,
            Owner::Free => Tone::Dim,
            Owner::Unclaimed => Tone::Warn,
            Owner::Conflict(..) | Owner::Missing => Tone::Bad,
        };
        let offset = u64::from(first) * page_size;
        let pages = u64::from(behind.saturating_sub(first));
        let cells = vec![
            Cell::new(first.to_string()).to(Place::Page(first)),
            Cell::toned(pages.to_string(), Tone::Dim),
            Cell::toned(format!("{offset:#x}"), Tone::Dim),
            Cell::toned(text, tone).to(to),
            Cell::toned(from.map_or(String::new(), |from| format!("{from:#x}")), Tone::Dim),
        ];
        Row::at(Place::Page(first), cells).from(Span::new(view.pdb.msf.file, offset, pages * page_size))
    }))
}

/// The first page of each stretch of pages that is one piece of one thing.
#[derive(Debug, Default)]
struct PageRuns(OnceLock<Vec<u32>>);

static PAGE_OWNERS: IndexKind = IndexKind {
    name: |_| "page owners".to_owned(),
    // A page takes as long as some of its bytes would.
    size: |session, _| PdbView::of(session).map_or(0, |view| u64::from(view.pdb.msf.file_pages()) * 32),
    is_built: |session, _| session.cache().get::<PageRuns>().0.get().is_some(),
    build: |session, _| _ = page_runs(session),
    is_optional: false,
};

pub(crate) const fn pages_index() -> LazyIndex {
    PAGE_OWNERS.of(Place::Pages)
}

/// The first page of each stretch that is one piece of one thing; found once and kept.
fn page_runs(session: &Session) -> &[u32] {
    let runs = &session.cache().get::<PageRuns>().0;
    runs.get_or_init(|| PdbView::of(session).map_or_else(Vec::new, |view| runs_of(&view)))
}

fn runs_of(view: &PdbView<'_>) -> Vec<u32> {
    let map = view.pdb.msf.page_map(view.spaces);
    let page_size = u64::from(view.pdb.msf.page_size());
    let mut runs: Vec<u32> = Vec::new();
    let mut before: Option<(u32, Owner)> = None;
    for page in 0..map.len() as u32 {
        let owner = map.owner(&view.pdb.msf, page);
        let further = |first: u32| page_size * u64::from(page.abs_diff(first));
        match before {
            Some((first, before)) if goes_on(before, owner, further(first)) => {}
            _ => {
                runs.push(page);
                before = Some((page, owner));
            }
        }
    }
    runs
}

/// Returns whether a page `further` bytes after the first of a run continues its owner.
pub(crate) fn goes_on(first: Owner, owner: Owner, further: u64) -> bool {
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
pub(crate) fn owner_text(view: &PdbView<'_>, owner: Owner) -> (String, Option<u64>, Option<Place>) {
    let one = |claim: PageUse| match claim {
        PageUse::Superblock => ("superblock".to_owned(), None, Some(Place::Header)),
        PageUse::FreePageMap { number, from } => {
            let active = view.pdb.msf.superblock.active_map == u32::from(number);
            let word = if active { "active" } else { "inactive" };
            (format!("FPM{number} ({word})"), Some(from), None)
        }
        PageUse::PageList { from } => ("directory's block map".to_owned(), Some(from), None),
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
        Owner::Unclaimed => ("unclaimed, though not marked free".to_owned(), None, None),
        Owner::Missing => ("not in the file".to_owned(), None, None),
    }
}

const MAX_HEADER: u64 = 64 << 10;

/// Fields of the first structure of the symbol file.
pub(crate) fn explain_header(session: &Session) -> Option<Fields> {
    let file = session.symbol_file()?;
    let len = session.spaces().get(file.space)?.len();
    let bytes = session.spaces().read(Span::new(file.space, 0, len.min(MAX_HEADER))).ok()?;
    let slice = Slice::new(&bytes, file.space, 0);
    let mut cursor = Cursor::recording(slice);
    let (read, what) = match file.reader().format() {
        Format::Windows | Format::Native | Format::Mixed => (Superblock::decode(&mut cursor).map(drop), "superblock"),
        Format::SmallMsf => (Msf2Header::read(&mut cursor).map(drop), "header"),
        Format::Msfz => (MsfzHeader::read(&mut cursor).map(drop), "header"),
        Format::Mdb => (mdb::Header::decode(&mut cursor).map(drop), "header"),
        Format::Portable => return None,
    };
    let error = read.err();
    // It ends where its decoder does: what is after is something else.
    let read = slice.part(0, cursor.consumed()).ok()?;
    let title = format!("{} · {what}", file.name);
    Some(Fields::present(title, read, &cursor.steps(), error, |_, field| {
        let number = field.value.number()? as u32;
        match field.name() {
            "page of the directory's block map" => Some(Meaning::to("directory's block map", Place::Page(number))),
            "directory size" if PdbView::of(session).is_some() => Some(Meaning::to("directory", Place::Directory)),
            _ => None,
        }
    }))
}

/// The directory: sizes and pages of all streams.
pub(crate) fn explain_directory(session: &Session) -> Option<Fields> {
    let view = PdbView::of(session)?;
    let space = view.pdb.msf.directory;
    let span = Span::new(space, 0, session.spaces().get(space)?.len().min(MAX_EXPLAINED));
    let bytes = session.spaces().read(span).ok()?;
    let page_size = view.pdb.msf.page_size();
    let decode = |c: &mut Cursor<'_, Recording>| Directory::decode(c, page_size).map(drop);
    Some(directory_fields(&view, "directory".to_owned(), Slice::new(&bytes, space, 0), decode))
}

/// Turns a byte of a page into that of the stream that the page belongs to; adds the page, where it belongs to none.
pub(super) fn page_with(search: &mut OwnerSearch<'_>) {
    if search.is_in_image() {
        return;
    }
    let Some(view) = PdbView::of(search.session) else { return };
    let msf = &view.pdb.msf;
    if search.byte.space != msf.file {
        if search.byte.space == msf.directory || msf.stream_of(search.byte.space).is_some() {
            return;
        }
        // A page list or a free page map: its page.
        search.byte = search.session.spaces().resolve(search.byte).first().map_or(search.byte, |piece| piece.span);
    }
    let page_size = u64::from(msf.page_size());
    let Some(page) = search.byte.start.checked_div(page_size).and_then(|page| u32::try_from(page).ok()) else {
        return;
    };
    if page == 0 {
        search.add(Place::Header, explain_header(search.session).unwrap_or_default().span);
    }
    let known = search.has_index(pages_index());
    let byte = known.then(|| msf.place_of(view.spaces, search.byte.start)).flatten();
    let of_stream = byte.filter(|byte| byte.space == msf.directory || msf.stream_of(byte.space).is_some());
    if let Some(byte) = of_stream {
        search.byte = byte;
    } else {
        let len = search.session.spaces().get(msf.file).map_or(0, Space::len);
        let start = u64::from(page) * page_size;
        search.add(Place::Page(page), Span::new(msf.file, start, page_size.min(len.saturating_sub(start))));
    }
}

/// Adds the header, or the rest of a file of which only the header is decoded.
pub(super) fn header_or_rest(search: &mut OwnerSearch<'_>) {
    let file = search.session.symbol_file().filter(|file| file.space == search.byte.space);
    let Some(file) = file else { return };
    if PdbView::of(search.session).is_some() {
        return;
    }
    let len = search.session.spaces().get(file.space).map_or(0, Space::len);
    let header = explain_header(search.session).unwrap_or_default().span;
    search.add(Place::Header, header);
    let rest = Span::new(file.space, header.end(), len.saturating_sub(header.end()));
    search.add(Place::Bytes(rest), rest);
}
