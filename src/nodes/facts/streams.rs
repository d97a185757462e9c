//! A Windows PDB as a file of pages, its streams, and a Mono symbol file: each as a whole.

use super::Facts;
use crate::formats::pdb::StreamKind;
use crate::formats::pdb::streams;
use crate::nodes;
use crate::nodes::Place;
use crate::nodes::fields::Fields;
use crate::nodes::lazy_index::LazyIndex;
use crate::nodes::mdb;
use crate::nodes::native::NativeView;
use crate::nodes::pdb::PdbView;
use crate::nodes::pdb::page_ranges;
use crate::session::Session;
use crate::text::safe::count;

/// The pages of an MSF file.
pub(crate) fn container_facts(session: &Session) -> Option<Fields> {
    let view = PdbView::of(session).filter(|_| nodes::is_cached(session, LazyIndex::Pages))?;
    let msf = &view.pdb.msf;
    let map = msf.page_map(view.spaces);
    let len = session.spaces().get(msf.file).map_or(0, crate::bytes::Space::len);
    let mut facts = Facts::new("MSF 7.00");
    facts.fact("page size", msf.page_size()).to(Place::Header).lesson("superblock", "page size");
    facts.fact("pages", map.len()).mean(count(len, "byte")).to(Place::Pages);
    let active = format!("by free page map {}", msf.superblock.active_map);
    facts.fact("free", map.free()).mean(active).to(Place::Page(msf.superblock.active_map));
    facts.fact("streams", msf.stream_count()).to(Place::Streams);
    let directory = session.spaces().get(msf.directory).map_or(0, crate::bytes::Space::len);
    facts.fact("directory", directory).mean("bytes").to(Place::Directory);
    facts.fields.span = crate::bytes::Span::new(msf.file, 0, len);
    facts.done()
}

/// One stream: what it is, and where.
pub(crate) fn stream_facts(session: &Session, number: u32) -> Option<Fields> {
    let view = PdbView::of(session)?;
    let stream = view.pdb.msf.stream(number)?;
    let mut facts = Facts::new(format!("stream {number}"));
    let name = view.stream_name(number);
    let kind = view.pdb.kind_of(number);
    let to = match kind {
        StreamKind::Module(module) => Some(Place::Module(module)),
        StreamKind::Named(_) => Some(Place::Record(streams::INFO, 0)),
        _ => None,
    };
    facts.fact("what", if name.is_empty() { "nothing says" } else { name.as_str() }).to(to);
    if stream.is_nil() {
        facts.fact("bytes", "nil").mean("the directory says that there is no such stream");
        return facts.done();
    }
    facts.fact("bytes", stream.size).lesson("directory", "size of stream");
    let pages = count(stream.pages.len() as u64, "page");
    let first = stream.pages.first().copied().map(Place::Page);
    let row = facts.fact("pages", stream.pages.len()).to(first);
    row.mean(page_ranges(stream.pages)).lesson("directory", "page of stream");
    if nodes::is_cached(session, LazyIndex::Stream(number)) {
        let records = view.parts(number).len();
        let layout = if records == 0 { "its layout is not known: bytes are listed" } else { "" };
        facts.fact("records", records).mean(layout);
    }
    facts.fields.title = format!("stream {number} · {pages}");
    facts.fields.span = view.span(number).unwrap_or_default();
    facts.done()
}

/// What the debug information says of all modules.
pub(crate) fn debug_information_facts(session: &Session, place: Place) -> Option<Fields> {
    let dbi = PdbView::of(session)?.pdb.dbi.as_ref()?;
    let (name, number, span) = match place {
        Place::Modules => ("modules", dbi.modules.len(), dbi.module_infos.span()),
        Place::SectionMap => {
            let region = &dbi.section_map.region;
            ("sections", nodes::rows(session, place).map_or(0, |rows| rows.len), region.span())
        }
        _ => ("contributions", dbi.contributions.len() as usize, dbi.contributions.region.span()),
    };
    let mut facts = Facts::new(format!("{name} of the debug information"));
    facts.fact(name, number).to(Place::Stream(streams::DBI));
    facts.bytes(session, span);
    facts.done()
}

/// What a Mono symbol file is made of.
pub(crate) fn parts_facts(session: &Session) -> Option<Fields> {
    let file = session.symbol_file()?;
    let mut facts = Facts::new(file.name.clone());
    for extent in mdb::file_regions(session) {
        let row = facts.fact(extent.name.as_str(), extent.span.len).at(extent.span);
        row.mean(format!("bytes at {:#x}", extent.span.start)).to = extent.place;
    }
    let first = facts.fields.rows.first().map(|row| row.span)?;
    facts.fields.span = facts.fields.rows.last().map_or(first, |last| first.to(last.span));
    facts.done()
}

/// What there is of native code.
pub(crate) fn native_facts(session: &Session) -> Option<Fields> {
    let native = NativeView::of(session)?;
    let mut facts = Facts::new("native code");
    if nodes::is_cached(session, LazyIndex::Symbols) {
        facts.fact("functions", native.functions().len()).to(Place::Functions);
        facts.fact("types", native.types(false).len()).to(Place::Types).mean("in stream 2");
        facts.fact("ids", native.types(true).len()).to(Place::Ids).mean("in stream 4");
    }
    facts.fact("modules", native.view.pdb.modules().len()).to(Place::Modules);
    facts.done()
}
