//! One screen: what each file is, whether they belong together and why, what is in them, what is wrong.

use super::Place;
use super::place::{MetadataPart, PePart, Side};
use super::rows::{Cell, Head, Row, Rows, Tone};
use crate::formats::metadata::{Heap, TableId};
use crate::nodes::debug_payload;
use crate::nodes::finding::findings;
use crate::nodes::pdb::PdbView;
use crate::session::{PdbMatch, Session};
use crate::symbols::Format;
use crate::text::guids;
use crate::text::safe::{count, utf8};

/// Documents that are looked at for a summary, at most.
pub const MAX_DOCUMENTS: usize = 1000;

/// Rows in the making: a heading, and lines under it.
#[derive(Default)]
struct Lines {
    rows: Vec<Row>,
}

impl Lines {
    fn heading(&mut self, text: impl Into<String>, place: Place) {
        self.toned(text, Tone::Strong, place);
    }

    fn toned(&mut self, text: impl Into<String>, tone: Tone, place: Place) {
        let cells = vec![Cell::toned(text, tone).to(place), Cell::default()];
        self.rows.push(Row { depth: 0, ..Row::at(place, cells) });
    }

    fn line(&mut self, name: &str, value: Cell) {
        let place = value.to;
        self.rows.push(Row { place, depth: 1, cells: vec![Cell::toned(name, Tone::Dim), value], ..Row::default() });
    }
}

/// The overview, a line a fact; each leads to where the fact is.
pub(crate) fn overview_rows(session: &Session) -> Rows<'_> {
    let mut lines = Lines::default();
    verdict_lines(session, &mut lines);
    image_lines(session, &mut lines);
    symbol_lines(session, &mut lines);
    let tone = if session.problems().is_empty() { Tone::Strong } else { Tone::Bad };
    lines.toned(count(session.problems().len() as u64, "finding"), tone, Place::Findings);
    for finding in findings(session).take(20) {
        lines.line("✗", Cell::toned(finding.sentence, Tone::Bad).to(finding.place));
    }
    let title = match (session.image(), session.symbol_file()) {
        (Some(image), Some(symbols)) => format!("{} + {}", image.name, symbols.name),
        (Some(image), None) => image.name.clone(),
        (None, Some(symbols)) => symbols.name.clone(),
        (None, None) => String::new(),
    };
    Rows::of(title, vec![Head::text("what"), Head::text("value")], lines.rows)
}

fn verdict_lines(session: &Session, lines: &mut Lines) {
    let tone = match session.pdb_match() {
        PdbMatch::Matched => Tone::Ok,
        PdbMatch::Mismatched => Tone::Bad,
        PdbMatch::Unknown | PdbMatch::NoPdb | PdbMatch::NoImage => Tone::Warn,
    };
    lines.toned(session.pdb_match().summary(), tone, Place::Overview);
    for reason in session.match_reasons() {
        lines.line("because", Cell::toned(reason.clone(), tone).to(Place::PePart(PePart::DebugDirectory)));
    }
}

fn image_lines(session: &Session, lines: &mut Lines) {
    let Some(image) = session.image() else { return };
    lines.heading(image.name.clone(), Place::Pe);
    let size = session.spaces().get(image.space).map_or(0, crate::bytes::Space::len);
    let kind = match (&image.metadata, image.pe.optional.as_ref().is_some_and(|optional| optional.is_wide)) {
        (Some(_), false) => "managed image, PE32",
        (Some(_), true) => "managed image, PE32+",
        (None, false) => "native image, PE32",
        (None, true) => "native image, PE32+",
    };
    lines.line("file", Cell::new(format!("{kind}, {size} bytes")).to(Place::PePart(PePart::Optional)));
    if let Some(metadata) = &image.metadata {
        let root = Place::Metadata(Side::Image, MetadataPart::Root);
        let name = |table, column| metadata.string_cell(table, 1, column).map(|name| utf8(name.data).into_owned());
        if let Ok(name) = name(TableId::ASSEMBLY, 7) {
            let part = |column| metadata.table(TableId::ASSEMBLY).cell(1, column).unwrap_or(0);
            let version = format!("{}.{}.{}.{}", part(1), part(2), part(3), part(4));
            lines.line("assembly", Cell::new(format!("{name} {version}")).to(Place::row(TableId::ASSEMBLY, 1)));
        }
        if let Some(mvid) = image.mvid() {
            lines.line("module id", Cell::new(mvid.to_string()).to(Place::HeapEntry(Side::Image, Heap::Guids, 1)));
        }
        lines.line("runtime", Cell::new(metadata.root.version.clone()).to(root));
        let rows = |table| u64::from(metadata.rows(table));
        let types = count(rows(TableId::TYPE_DEF), "type");
        let methods = count(rows(TableId::METHOD_DEF), "method");
        lines.line("holds", Cell::new(format!("{types}, {methods}")).to(Place::Methods));
    }
    for (index, entry) in image.pe.debug.iter().enumerate() {
        let place = Place::PePart(PePart::Debug(index as u16));
        let Cell { text, beside, tone, .. } = debug_payload::summary(entry);
        let value = [entry.name(), text.as_str(), beside.as_str()]
            .map(str::to_owned)
            .into_iter()
            .filter(|part| !part.is_empty());
        lines.line("debug entry", Cell::toned(value.collect::<Vec<_>>().join("  "), tone).to(place));
    }
}

/// The container of a Windows PDB, and what is in it.
fn stream_lines(session: &Session, lines: &mut Lines) {
    let Some(view) = PdbView::of(session) else { return };
    let msf = &view.pdb.msf;
    let (streams, pages) = (count(msf.stream_count(), "stream"), count(msf.file_pages(), "page"));
    let text = format!("{streams} in {pages} of {} bytes", msf.page_size());
    lines.line("container", Cell::new(format!("MSF 7.00, {text}")).to(Place::Streams));
    let modules = count(view.pdb.modules().len() as u64, "module");
    let what = if view.native.is_some() { "object files and what the linker made" } else { "one a type" };
    lines.line("modules", Cell::new(format!("{modules}, {what}")).to(Place::Modules));
}

fn symbol_lines(session: &Session, lines: &mut Lines) {
    let Some(file) = session.symbol_file() else { return };
    let symbols = file.reader();
    let home = match symbols.format() {
        Format::Portable => Place::Metadata(Side::Pdb, MetadataPart::Root),
        Format::Windows | Format::Native => Place::Streams,
        Format::Mdb => Place::Documents,
        Format::SmallMsf | Format::Msfz | Format::Ildb => Place::Header,
    };
    lines.heading(file.name.clone(), home);
    let size = session.spaces().get(file.space).map_or(0, crate::bytes::Space::len);
    lines.line("file", Cell::new(format!("{}, {size} bytes", symbols.format())).to(home));
    if let Some(id) = symbols.id() {
        let to =
            if session.portable_pdb().is_some() { Place::Metadata(Side::Pdb, MetadataPart::PdbStream) } else { home };
        lines.line("id", Cell::new(id.to_string()).to(to));
    }
    let compilation = symbols.compilation();
    if let Some(entry) = compilation.entry_point {
        lines.line("entry point", Cell::new(session.method_name(entry)).to(Place::Method(entry)));
    }
    stream_lines(session, lines);
    if symbols.format().is_header_only() {
        return;
    }
    // Native code does not say which language a source is in.
    let known = if symbols.format() == Format::Native { 0 } else { symbols.documents() };
    let mut languages: Vec<String> = (1..=known)
        .take(1000)
        .filter_map(|row| symbols.document(row).ok()?.language)
        .map(|guid| guids::name(guid).map_or_else(|| guid.to_string(), str::to_owned))
        .collect();
    languages.sort();
    languages.dedup();
    let documents = count(symbols.documents(), "document");
    let languages = if languages.is_empty() { documents } else { format!("{documents} in {}", languages.join(", ")) };
    lines.line("sources", Cell::new(languages).to(Place::Documents));
    let embedded = (1..=symbols.documents()).take(1000).filter(|row| symbols.embedded_source(*row).is_some()).count();
    if embedded > 0 {
        lines.line("embedded", Cell::new(count(embedded as u64, "source")).to(Place::Documents));
    }
    let servers = symbols.source_servers();
    if let Some(link) = servers.source_link {
        let text = utf8(&link).split_whitespace().collect::<Vec<_>>().join(" ");
        let stream = PdbView::of(session).and_then(|view| view.pdb.info.stream("sourcelink")).map(Place::Stream);
        let to = stream.unwrap_or(Place::Table(Side::Pdb, TableId::CUSTOM_DEBUG_INFORMATION));
        lines.line("source link", Cell::new(text).to(to));
    }
    if let (Some(srcsrv), Some(view)) = (servers.srcsrv, PdbView::of(session)) {
        let files = count(srcsrv.files.len() as u64, "source file");
        let to = view.pdb.info.stream("srcsrv").map_or(Place::Streams, Place::Stream);
        lines.line("srcsrv", Cell::new(format!("says where to get {files}")).to(to));
    }
    for (name, value) in compilation.options {
        if matches!(
            name.as_str(),
            "compiler-version" | "language" | "optimization" | "runtime-version" | "language-version"
        ) {
            let table = Place::Table(Side::Pdb, TableId::CUSTOM_DEBUG_INFORMATION);
            let to = if session.portable_pdb().is_some() { table } else { Place::Module(0) };
            lines.line(&name, Cell::new(value).to(to));
        }
    }
}

/// Name and version of the assembly that the image is.
pub fn assembly(session: &Session) -> Option<(String, String)> {
    let metadata = session.metadata()?;
    let name = metadata.string_cell(TableId::ASSEMBLY, 1, 7).ok()?;
    let part = |column| metadata.table(TableId::ASSEMBLY).cell(1, column).unwrap_or(0);
    Some((utf8(name.data).into_owned(), format!("{}.{}.{}.{}", part(1), part(2), part(3), part(4))))
}

/// Languages of the first [`MAX_DOCUMENTS`] documents, in alphabetical order; empty for native code.
pub fn languages(session: &Session) -> Vec<String> {
    let Some(symbols) = session.symbols().filter(|symbols| symbols.format() != Format::Native) else {
        return Vec::new();
    };
    let mut languages: Vec<String> = (1..=symbols.documents())
        .take(MAX_DOCUMENTS)
        .filter_map(|row| symbols.document(row).ok()?.language)
        .map(|guid| guids::name(guid).map_or_else(|| guid.to_string(), str::to_owned))
        .collect();
    languages.sort();
    languages.dedup();
    languages
}

/// Number of documents, of the first [`MAX_DOCUMENTS`], whose text is inside the symbol file.
pub fn embedded_sources(session: &Session) -> usize {
    session.symbols().map_or(0, |symbols| {
        (1..=symbols.documents()).take(MAX_DOCUMENTS).filter(|row| symbols.embedded_source(*row).is_some()).count()
    })
}
