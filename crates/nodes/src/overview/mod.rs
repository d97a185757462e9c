//! The overview: the kind of each file, whether the files match and why, their contents, and findings.

mod fields;

use crate::facts::Facts;
use crate::fields::Fields;
use crate::finding;
use crate::kind::Kind;
use crate::native::NativeView;
use crate::pe::{self, debug_entry};
use crate::place::{MetadataPart, PePart, Place, R2rPart, Side};
use crate::r2r;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::stream::PdbView;
use crate::table::{attributes, blobs};
use crate::{heap, msf};
use fields::add_field;
use pdblens_formats::bytes::Span;
use pdblens_formats::metadata::Heap;
use pdblens_formats::metadata::TableId;
use pdblens_formats::pe::DebugEntry;
use pdblens_formats::r2r::section;
use pdblens_session::precompiled;
use pdblens_session::session::{Image, PdbMatch, Session, SymbolFile, mismatched_ids, summary_of};
use pdblens_session::symbols::{Format, IdSuffix, SymbolId, SymbolReader};
use pdblens_session::text::guids;
use pdblens_session::text::paths::without_passwords;
use pdblens_session::text::safe::{count, utf8};
use std::collections::BTreeMap;

pub(crate) const OVERVIEW: Kind = Kind {
    listed: |_| vec![Place::Overview],
    heading: |_, ()| Some(("summary".to_owned(), Cell::default())),
    rows: |session, ()| Some(overview_rows(session)),
    summary: |session, ()| identity_facts(session),
    ..Kind::NEW
};

/// The id that the image wants its symbols to have, and the one that they have.
pub(crate) fn identity_facts(session: &Session) -> Option<Fields> {
    let mut facts = Facts::new(summary_of(session));
    let have = session.symbol_file().and_then(|file| file.reader().id());
    if let Some(image) = session.image() {
        let by_mvid = session.symbol_file().is_some_and(|file| file.reader().format() == Format::Mdb);
        let entries = if by_mvid { &[] } else { &image.pe.debug[..] };
        for (index, entry) in entries.iter().enumerate() {
            if let Some(wanted) = pdblens_session::session::codeview_id(entry) {
                let place = Place::PePart(PePart::Debug(index as u16));
                wanted_facts(&mut facts, entry, wanted, have, place);
            }
        }
        if by_mvid && let Some(mvid) = image.mvid() {
            let place = Place::HeapEntry(Side::Image, Heap::Guids, 1);
            let row = facts
                .fact("image MVID", mvid)
                .at((heap::ENTRY.bytes)(session, (Side::Image, Heap::Guids, 1)).unwrap_or_default())
                .to(place);
            row.mean(same(have.map(|have| have.guid == mvid)));
            row.about = TableId::MODULE.def().and_then(|def| def.columns.get(2)).map_or("", |column| column.doc.about);
        }
        if facts.fields.rows.is_empty() {
            facts.fact("image", "names no PDB").to(Place::PePart(PePart::DebugDirectory));
        }
    }
    if let (Some(file), Some(have)) = (session.symbol_file(), have) {
        let spans = file.content.id_spans();
        // The GUID and what follows it, in one piece or in two.
        let guid = spans.first().map_or(Span::default(), |span| span.part(0, 16));
        let rest = match spans.as_slice() {
            [all] => all.part(16, all.len.saturating_sub(16)),
            [_, rest, ..] => *rest,
            [] => Span::default(),
        };
        let place = match file.reader().format() {
            Format::Portable => Place::Metadata(Side::Pdb, MetadataPart::PdbStream),
            Format::Windows | Format::Native | Format::Mixed => Place::Record(pdblens_formats::pdb::streams::INFO, 0),
            _ => Place::Header,
        };
        let guid = if file.reader().format() == Format::Mdb { mdb_guid(session) } else { guid };
        facts.fact("symbols GUID", have.guid).at(guid).to(place);
        match have.suffix {
            IdSuffix::Stamp(stamp) => {
                _ = facts.fact("symbols stamp", format!("{stamp:#010x}")).at(rest).to(place);
            }
            IdSuffix::Age(age) => _ = facts.fact("symbols age", age).to(place),
            IdSuffix::None => {}
        }
    }
    let span = facts.fields.leaves().map(|row| row.span).find(|span| !span.is_empty());
    facts.fields.span = span.unwrap_or_default();
    facts.done()
}

pub(crate) fn mdb_guid(session: &Session) -> Span {
    let header = (msf::HEADER.fields)(session, ());
    let found = header.iter().flat_map(Fields::leaves).find(|row| row.name == "guid");
    found.map_or_else(Span::default, |row| row.span)
}

pub(crate) fn wanted_facts(
    facts: &mut Facts,
    entry: &DebugEntry,
    wanted: SymbolId,
    have: Option<SymbolId>,
    place: Place,
) {
    let payload = entry.data.unwrap_or_default();
    let row = facts.fact("image GUID", wanted.guid).at(payload.part(4, 16)).to(place);
    row.mean(same(have.map(|have| have.guid == wanted.guid)));
    match wanted.suffix {
        IdSuffix::Stamp(stamp) => {
            let row = facts.fact("image stamp", format!("{stamp:#010x}")).at(entry.header.span.part(4, 4)).to(place);
            row.mean(same(have.map(|have| have.suffix == wanted.suffix)));
        }
        IdSuffix::Age(age) => {
            let enough = |have: SymbolId| matches!(have.suffix, IdSuffix::Age(have) if have >= age);
            facts.fact("image age", age).at(payload.part(20, 4)).to(place).mean(same(have.map(enough)));
        }
        IdSuffix::None => {}
    }
}

/// Mark for a comparison with the symbols.
const fn same(same: Option<bool>) -> &'static str {
    match same {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "",
    }
}

const MAX_FINDINGS: usize = 20;
/// Documents that are looked at for a summary, at most.
pub const MAX_DOCUMENTS: usize = 1000;

/// Rows in the making: a heading, and lines under it.
#[derive(Default)]
struct OverviewLines {
    rows: Vec<Row>,
}

impl OverviewLines {
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

/// Imports, exports, version and tools of a native image, as far as it has them.
fn native_lines(image: &Image, lines: &mut OverviewLines) {
    let tables = image.linker_tables();
    let mut line = |name: &str, text: String, part| lines.line(name, Cell::new(text).to(Place::PePart(part)));
    for (name, part, delayed) in [("imports", PePart::Imports, false), ("delay imports", PePart::DelayImports, true)] {
        let libraries = || tables.imports.libraries.iter().filter(|library| library.delayed == delayed);
        let functions = count(libraries().map(|library| library.functions.len() as u64).sum::<u64>(), "function");
        if libraries().next().is_some() {
            line(name, format!("{functions} of {}", count(libraries().count() as u64, "DLL")), part);
        }
    }
    if let Some(Ok(exports)) = &tables.exports {
        line("exports", exports.exports.len().to_string(), PePart::Exports);
    }
    if let Some(Ok(version)) = &tables.version
        && let Some(fixed) = version.fixed
    {
        let product = version.string("ProductName").map_or(String::new(), |name| format!(", {name}"));
        line("version", format!("{}{product}", pe::dotted(fixed.file())), PePart::Version);
    }
    if let Some(rich) = &tables.rich {
        let text = format!("{}, {}", count(rich.entries.len() as u64, "tool"), pe::rich_verdict(rich));
        line("Rich header", text, PePart::Rich);
    }
}

/// The overview, a line a fact; each leads to where the fact is.
pub(crate) fn overview_rows(session: &Session) -> Rows<'_> {
    let mut lines = OverviewLines::default();
    verdict_lines(session, &mut lines);
    image_lines(session, &mut lines);
    let symbols = lines.rows.len();
    symbol_lines(session, &mut lines);
    for (index, row) in lines.rows.iter_mut().enumerate().filter(|(_, row)| row.depth > 0) {
        add_field(session, if index < symbols { Side::Image } else { Side::Pdb }, row);
    }
    let known = finding::known(session);
    let tone = if known.findings.is_empty() { Tone::Strong } else { Tone::Bad };
    lines.toned(known.heading, tone, Place::Findings);
    for finding in known.findings.iter().take(MAX_FINDINGS) {
        lines.line("✗", Cell::toned(finding.sentence.clone(), Tone::Bad).to(finding.place));
    }
    let more = known.findings.len().saturating_sub(MAX_FINDINGS);
    if more > 0 {
        lines.line("", Cell::toned(format!("and {more} more: `pdblens check FILE`"), Tone::Dim).to(Place::Findings));
    }
    let title = match (session.image(), session.symbol_file()) {
        (Some(image), Some(symbols)) => format!("{} + {}", image.name, symbols.name),
        (Some(image), None) => image.name.clone(),
        (None, Some(symbols)) => symbols.name.clone(),
        (None, None) => String::new(),
    };
    Rows::of(title, Head::list(["what", "value"]), lines.rows)
}

fn verdict_lines(session: &Session, lines: &mut OverviewLines) {
    let tone = match session.pdb_match() {
        PdbMatch::Matched => Tone::Ok,
        PdbMatch::Mismatched(_) => Tone::Bad,
        PdbMatch::Unknown | PdbMatch::NeedsBase | PdbMatch::NoPdb | PdbMatch::NoImage => Tone::Warn,
    };
    let verdict = session.pdb_match();
    lines.toned(format!("{} {}", verdict.sign(), summary_of(session)), tone, Place::Overview);
    for remark in session.remarks() {
        lines.line("input", Cell::toned(remark.clone(), Tone::Warn).to(Place::Pe));
    }
    let at_fault = Place::PePart(PePart::DebugDirectory);
    let mut said = 0;
    if let Some((expected, have)) = mismatched_ids(session) {
        // One below the other, so that the eye finds the difference.
        for id in &expected {
            lines.line("image expects", Cell::toned(id.to_string(), tone).to(at_fault));
        }
        lines.line("PDB has", Cell::toned(have.to_string(), tone).to(at_fault));
        said = expected.len();
    }
    for reason in session.match_reasons().iter().skip(said) {
        lines.line("reason", Cell::toned(reason.text.clone(), tone).to(at_fault));
    }
}

fn image_lines(session: &Session, lines: &mut OverviewLines) {
    let Some(image) = session.image() else { return };
    lines.heading(image.name.clone(), Place::Pe);
    if let Some(metadata) = &image.metadata {
        built_line(session, lines);
        if let Some((name, version)) = assembly(session) {
            lines.line("assembly", Cell::new(format!("{name} {version}")).to(Place::row(TableId::ASSEMBLY, 1)));
        }
        let rows = |table| u64::from(metadata.rows(table));
        let types = count(rows(TableId::TYPE_DEF), "type");
        let methods = count(rows(TableId::METHOD_DEF), "method");
        lines.line("contains", Cell::new(format!("{types}, {methods}")).to(Place::Methods));
    }
    if let Some(text) = r2r::line(session) {
        lines.line("ReadyToRun", Cell::new(text).to(Place::ReadyToRun));
    }
    if let Some(reason) = precompiled::by_description(session) {
        lines.line("not compared", Cell::toned(reason.text, Tone::Dim));
    }
    let components = r2r::components(session);
    if !components.is_empty() {
        lines
            .line("assemblies", Cell::new(components.join(", ")).to(Place::R2r(R2rPart::Section(section::COMPONENTS))));
    }
    if image.metadata.is_none() {
        if pdblens_formats::r2r::is_native_aot(image.linker_tables()) {
            lines.line("compiler", Cell::new("NativeAOT: a .NET program as native code, without IL").to(Place::Pe));
        }
        native_lines(image, lines);
    }
    let size = session.spaces().get(image.space).map_or(0, pdblens_formats::bytes::Space::len);
    let kind = match (&image.metadata, &image.pe.cli) {
        (Some(_), Some(cli)) if cli.is_mixed() => "mixed-mode image (managed and native code)",
        (Some(_), _) => "managed image",
        (None, Some(_)) => "managed image without readable metadata",
        (None, None) => "native image",
    };
    let form = if image.pe.optional.as_ref().is_some_and(|optional| optional.is_wide) { "PE32+" } else { "PE32" };
    lines.line("file", Cell::new(format!("{kind}, {form}, {size} bytes")).to(Place::PePart(PePart::Optional)));
    if let Some(metadata) = &image.metadata {
        let root = Place::Metadata(Side::Image, MetadataPart::Root);
        if let Some(mvid) = image.mvid() {
            lines.line("module id", Cell::new(mvid.to_string()).to(Place::HeapEntry(Side::Image, Heap::Guids, 1)));
        }
        lines.line("runtime", Cell::new(metadata.root.version.clone()).to(root));
    }
    for (index, entry) in image.pe.debug.iter().enumerate() {
        let place = Place::PePart(PePart::Debug(index as u16));
        let Cell { text, beside, tone, .. } = debug_entry::summary(session.spaces(), entry);
        let value = [entry.name(), &text, &beside].into_iter().filter(|part| !part.is_empty());
        lines.line("debug entry", Cell::toned(value.collect::<Vec<_>>().join("  "), tone).to(place));
    }
}

/// Target framework of the image, and what its optimisation means for a debugger.
fn built_line(session: &Session, lines: &mut OverviewLines) {
    let framework = attributes::target_framework(session).map_or_else(String::new, |name| format!("{name}, "));
    let text = match attributes::is_optimized(session) {
        Some(true) => "optimised: Just My Code skips it",
        Some(false) => "debug: not optimised",
        None => return,
    };
    let place = Place::Table(Side::Image, TableId::CUSTOM_ATTRIBUTE);
    lines.line("built", Cell::new(format!("{framework}{text}")).to(place));
}

/// Kinds of custom debug information with their numbers of rows; each leads to its first row.
fn custom_lines(session: &Session, lines: &mut OverviewLines) {
    let table = TableId::CUSTOM_DEBUG_INFORMATION;
    let Some(metadata) = session.portable_pdb().and(Side::Pdb.metadata(session)) else { return };
    let kinds = metadata.table(table).column(1);
    let mut rows: BTreeMap<u32, (u64, u32)> = BTreeMap::new();
    for row in 1..=metadata.rows(table) {
        if let Some(kind) = kinds.get(row) {
            let (number, _) = rows.entry(kind).or_insert((0, row));
            *number += 1;
        }
    }
    for (number, first) in rows.into_values().take(MAX_FINDINGS) {
        let text = format!("{number} × {}", blobs::custom_kind(session, Side::Pdb, first));
        lines.line("custom", Cell::new(text).to(Place::Row(Side::Pdb, table, first)));
    }
}

/// The container of a Windows PDB, and what is in it.
fn stream_lines(session: &Session, lines: &mut OverviewLines) {
    let Some(view) = PdbView::of(session) else { return };
    let msf = &view.pdb.msf;
    let (streams, pages) = (count(msf.stream_count(), "stream"), count(msf.file_pages(), "page"));
    let text = format!("{streams} in {pages} of {} bytes", msf.page_size());
    lines.line("container", Cell::new(format!("MSF 7.00, {text}")).to(Place::Streams));
    if view.pdb.is_compile_time() {
        let text = "none: a compiler wrote this PDB for its object files (cl /Zi), and it has types only";
        lines.line("modules", Cell::new(text).to(Place::Streams));
        return;
    }
    let modules = count(view.pdb.modules().len() as u64, "module");
    let what = if view.native.is_some() { "object files and linker output" } else { "one per type" };
    lines.line("modules", Cell::new(format!("{modules} ({what})")).to(Place::Modules));
    if NativeView::of(session).is_some_and(|native| native.addresses().is_reordered()) {
        lines.line("code", Cell::new("reordered after linking (OMAP)").to(Place::Streams));
    }
}

fn symbol_lines(session: &Session, lines: &mut OverviewLines) {
    let Some(file) = session.symbol_file() else { return };
    let symbols = file.reader();
    let home = match symbols.format() {
        Format::Portable => Place::Metadata(Side::Pdb, MetadataPart::Root),
        Format::Windows | Format::Native | Format::Mixed => Place::Streams,
        Format::Mdb => Place::Documents,
        Format::SmallMsf | Format::Msfz => Place::Header,
    };
    lines.heading(file.name.clone(), home);
    if symbols.format().is_header_only() {
        file_lines(session, file, home, lines);
        return stream_lines(session, lines);
    }
    document_lines(session, symbols, lines);
    let servers = symbols.source_servers();
    if let Some(link) = servers.source_link {
        let text = without_passwords(&utf8(&link)).split_whitespace().collect::<Vec<_>>().join(" ");
        let stream = PdbView::of(session).and_then(|view| view.pdb.info.stream("sourcelink")).map(Place::Stream);
        let to = stream.unwrap_or(Place::Table(Side::Pdb, TableId::CUSTOM_DEBUG_INFORMATION));
        lines.line("source link", Cell::new(text).to(to));
    }
    if let (Some(srcsrv), Some(view)) = (servers.srcsrv, PdbView::of(session)) {
        let files = count(srcsrv.files.len() as u64, "source file");
        let to = view.pdb.info.stream("srcsrv").map_or(Place::Streams, Place::Stream);
        lines.line("srcsrv", Cell::new(format!("says where to get {files}")).to(to));
    }
    option_lines(session, symbols.compilation().options, lines);
    file_lines(session, file, home, lines);
    stream_lines(session, lines);
    custom_lines(session, lines);
}

/// Format, size, id and entry point of the symbol file.
fn file_lines(session: &Session, file: &SymbolFile, home: Place, lines: &mut OverviewLines) {
    let symbols = file.reader();
    let size = session.spaces().get(file.space).map_or(0, pdblens_formats::bytes::Space::len);
    lines.line("file", Cell::new(format!("{}, {size} bytes", symbols.format())).to(home));
    if let Some(id) = symbols.id() {
        let to =
            if session.portable_pdb().is_some() { Place::Metadata(Side::Pdb, MetadataPart::PdbStream) } else { home };
        lines.line("id", Cell::new(id.to_string()).to(to));
    }
    if let Some(entry) = symbols.compilation().entry_point {
        let to = Place::of_method(entry);
        lines.line("entry point", Cell { to, ..Cell::new(session.method_name(entry)) });
    }
}

/// Number of documents, their languages, and how many have embedded sources.
fn document_lines(session: &Session, symbols: &dyn SymbolReader, lines: &mut OverviewLines) {
    let (documents, languages) = (count(symbols.documents(), "document"), languages(session));
    let languages = if languages.is_empty() { documents } else { format!("{documents} in {}", languages.join(", ")) };
    lines.line("sources", Cell::new(languages).to(Place::Documents));
    let embedded = embedded_sources(session);
    if embedded > 0 {
        lines.line("embedded", Cell::new(count(embedded as u64, "source")).to(Place::Documents));
    }
}

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

pub fn embedded_sources(session: &Session) -> usize {
    session
        .symbols()
        .map_or(0, |symbols| (1..=symbols.documents()).filter(|row| symbols.embedded_source(*row).is_some()).count())
}

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

fn option_lines(session: &Session, options: Vec<(String, String)>, lines: &mut OverviewLines) {
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
