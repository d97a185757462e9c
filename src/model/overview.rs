//! One screen: what each file is, whether they belong together and why, what is in them, what is wrong.

use super::place::{MetadataPart, PePart, Side};
use super::rows::{Cell, Head, Row, Rows, Tone};
use super::symbols::Format;
use super::text::{count, utf8};
use super::{Belong, Place, Session, guids, payload};
use crate::formats::metadata::{Heap, TableId};

/// The most documents that are looked at.
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

impl Session {
    /// The overview, a line a fact; each leads to where the fact is.
    pub(super) fn overview(&self) -> Rows<'_> {
        let mut lines = Lines::default();
        self.verdict_lines(&mut lines);
        self.image_lines(&mut lines);
        self.symbol_lines(&mut lines);
        let tone = if self.findings.is_empty() { Tone::Strong } else { Tone::Bad };
        lines.toned(count(self.findings.len() as u64, "finding"), tone, Place::Findings);
        for finding in self.findings.iter().take(20) {
            lines.line("✗", Cell::toned(finding.sentence.clone(), Tone::Bad).to(finding.place));
        }
        let title = match (&self.image, &self.symbols) {
            (Some(image), Some(symbols)) => format!("{} + {}", image.name, symbols.name),
            (Some(image), None) => image.name.clone(),
            (None, Some(symbols)) => symbols.name.clone(),
            (None, None) => String::new(),
        };
        Rows::of(title, vec![Head::text("what"), Head::text("value")], lines.rows)
    }

    /// Name and version of the assembly that the image is.
    pub fn assembly(&self) -> Option<(String, String)> {
        let metadata = self.metadata()?;
        let name = metadata.string_cell(TableId::ASSEMBLY, 1, 7).ok()?;
        let part = |column| metadata.table(TableId::ASSEMBLY).cell(1, column).unwrap_or(0);
        Some((utf8(name.data).into_owned(), format!("{}.{}.{}.{}", part(1), part(2), part(3), part(4))))
    }

    /// Languages of the first [`MAX_DOCUMENTS`] documents, in alphabetical order. Native code does not say which.
    pub fn languages(&self) -> Vec<String> {
        let Some(symbols) = self.symbols().filter(|symbols| symbols.format() != Format::Native) else {
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

    /// Number of documents, of the first [`MAX_DOCUMENTS`], whose text the symbols hold.
    pub fn embedded_sources(&self) -> usize {
        self.symbols().map_or(0, |symbols| {
            (1..=symbols.documents()).take(MAX_DOCUMENTS).filter(|row| symbols.has_embedded_source(*row)).count()
        })
    }

    fn verdict_lines(&self, lines: &mut Lines) {
        let tone = match self.verdict.belong {
            Belong::Yes => Tone::Ok,
            Belong::No => Tone::Bad,
            Belong::Unknown | Belong::Alone => Tone::Warn,
        };
        lines.toned(self.verdict.short(), tone, Place::Overview);
        for reason in &self.verdict.reasons {
            lines.line("because", Cell::toned(reason.clone(), tone).to(Place::PePart(PePart::DebugDirectory)));
        }
    }

    fn image_lines(&self, lines: &mut Lines) {
        let Some(image) = &self.image else { return };
        lines.heading(image.name.clone(), Place::Pe);
        let size = self.spaces.get(image.space).map_or(0, crate::bytes::Space::len);
        let kind = match (&image.metadata, image.pe.optional.as_ref().is_some_and(|optional| optional.is_wide)) {
            (Some(_), false) => "managed image, PE32",
            (Some(_), true) => "managed image, PE32+",
            (None, false) => "native image, PE32",
            (None, true) => "native image, PE32+",
        };
        lines.line("file", Cell::new(format!("{kind}, {size} bytes")).to(Place::PePart(PePart::Optional)));
        if let Some(metadata) = &image.metadata {
            let root = Place::Metadata(Side::Image, MetadataPart::Root);
            if let Some((name, version)) = self.assembly() {
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
            let Cell { text, beside, tone, .. } = payload::summary(entry);
            let value = [entry.name(), text.as_str(), beside.as_str()]
                .map(str::to_owned)
                .into_iter()
                .filter(|part| !part.is_empty());
            lines.line("debug entry", Cell::toned(value.collect::<Vec<_>>().join("  "), tone).to(place));
        }
    }

    /// The container of a Windows PDB, and what is in it.
    fn stream_lines(&self, lines: &mut Lines) {
        let Some(view) = self.pdb() else { return };
        let msf = &view.pdb.msf;
        let (streams, pages) = (count(msf.stream_count(), "stream"), count(msf.file_pages(), "page"));
        let text = format!("{streams} in {pages} of {} bytes", msf.page_size());
        lines.line("container", Cell::new(format!("MSF 7.00, {text}")).to(Place::Streams));
        let modules = count(view.pdb.modules().len() as u64, "module");
        let what = if view.native.is_some() { "object files and what the linker made" } else { "one a type" };
        lines.line("modules", Cell::new(format!("{modules}, {what}")).to(Place::Modules));
    }

    fn symbol_lines(&self, lines: &mut Lines) {
        let Some(file) = &self.symbols else { return };
        let symbols = file.reader.as_ref();
        let home = match symbols.format() {
            Format::Portable => Place::Metadata(Side::Pdb, MetadataPart::Root),
            Format::Windows | Format::Native => Place::Streams,
            Format::Mdb => Place::Documents,
            Format::SmallMsf | Format::Msfz | Format::Ildb => Place::Header,
        };
        lines.heading(file.name.clone(), home);
        let size = self.spaces.get(file.space).map_or(0, crate::bytes::Space::len);
        lines.line("file", Cell::new(format!("{}, {size} bytes", symbols.format())).to(home));
        if let Some(id) = symbols.id() {
            let to =
                if symbols.metadata().is_some() { Place::Metadata(Side::Pdb, MetadataPart::PdbStream) } else { home };
            lines.line("id", Cell::new(id.to_string()).to(to));
        }
        if let Some(entry) = symbols.entry_point() {
            lines.line("entry point", Cell::new(self.method_name(entry)).to(Place::Method(entry)));
        }
        self.stream_lines(lines);
        if symbols.is_header_only() {
            return;
        }
        let languages = self.languages();
        let documents = count(symbols.documents(), "document");
        let languages =
            if languages.is_empty() { documents } else { format!("{documents} in {}", languages.join(", ")) };
        lines.line("sources", Cell::new(languages).to(Place::Documents));
        let embedded = self.embedded_sources();
        if embedded > 0 {
            lines.line("embedded", Cell::new(count(embedded as u64, "source")).to(Place::Documents));
        }
        if let Some(link) = symbols.source_link() {
            let text = utf8(&link).split_whitespace().collect::<Vec<_>>().join(" ");
            let stream = self.pdb().and_then(|view| view.pdb.info.stream("sourcelink")).map(Place::Stream);
            let to = stream.unwrap_or(Place::Table(Side::Pdb, TableId::CUSTOM_DEBUG_INFORMATION));
            lines.line("source link", Cell::new(text).to(to));
        }
        if let (Some(srcsrv), Some(view)) = (symbols.srcsrv(), self.pdb()) {
            let files = count(srcsrv.files.len() as u64, "source file");
            let to = view.pdb.info.stream("srcsrv").map_or(Place::Streams, Place::Stream);
            lines.line("srcsrv", Cell::new(format!("says where to get {files}")).to(to));
        }
        for (name, value) in symbols.compilation_options() {
            if matches!(
                name.as_str(),
                "compiler-version" | "language" | "optimization" | "runtime-version" | "language-version"
            ) {
                let table = Place::Table(Side::Pdb, TableId::CUSTOM_DEBUG_INFORMATION);
                let to = if symbols.metadata().is_some() { table } else { Place::Module(0) };
                lines.line(&name, Cell::new(value).to(to));
            }
        }
    }
}
