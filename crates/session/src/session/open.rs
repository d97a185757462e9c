//! Opening: reads the named files, finds the partner of one that comes alone, and collects what is wrong.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::{LoadedFile, RawFile};
use super::inputs::{Chosen, Location, choose};
use super::pdb_match::ReasonedMatch;
use super::{Cache, Image, OpenError, PdbMatch, Session, SymbolFile, codeview_ids, deltas, id_matches, partner};
use crate::symbols::{Format, SymbolFormat};
use pdblens_formats::bytes::{Error, Memory, Origin, Space, Spaces, Span};
use pdblens_formats::metadata::{Metadata, TableId};
use pdblens_formats::pe::{LinkerTable, Payload, Pe};
use pdblens_formats::portable::{Generation, PortablePdb, RowGap};
use pdblens_formats::reason::Reason;

/// Limit on the files of a session: an image, a PDB and its hot-reload deltas.
const MAX_FILES: usize = 256;
/// The largest PDB that is inflated out of an image.
const MAX_EMBEDDED: u64 = 1 << 30;

/// A session in the making: its spaces still grow.
#[derive(Default)]
struct Opening {
    spaces: Spaces,
    image: Option<Image>,
    symbols: Option<SymbolFile>,
    deltas: Vec<SymbolFile>,
    problems: Vec<Problem>,
    /// One sentence for each file that could have been the partner and is not.
    refused: Vec<Reason>,
    /// One sentence for each file that is shown in another form than it has on disk.
    remarks: Vec<String>,
}

impl Session {
    /// Opens one file or two; none opens the built-in sample, and the path `-` standard input.
    pub fn open(paths: &[PathBuf]) -> Result<Self, OpenError> {
        if paths.is_empty() {
            return Ok(Self::sample());
        }
        let (mut raw, mut remarks, mut opened, mut others) = (Vec::new(), Vec::new(), Vec::new(), 0_usize);
        for path in paths {
            let Chosen { path, remark, others: beside } = choose(path)?;
            others += beside;
            // A launcher and its DLL are one image.
            if remark.is_none() || !opened.contains(&path) && !paths.contains(&path) {
                raw.push(RawFile::read(&path)?);
                opened.push(path);
                if is_too_many(&raw) {
                    return Err(OpenError::TooMany(paths.len()));
                }
            }
            remarks.extend(remark);
        }
        let session = Self::from_raw(raw, true)?;
        remarks.extend_from_slice(&session.remarks);
        let stamps = super::stamps::now(&session);
        Ok(deltas::with_remarks(Self { remarks, others, stamps, ..session }, &[]))
    }

    /// The pair that is built in: the smallest useful one.
    pub fn sample() -> Self {
        let image = include_bytes!("../../assets/samples/ticker/Ticker.dll").to_vec();
        let symbols = include_bytes!("../../assets/samples/ticker/Ticker.pdb").to_vec();
        let opened = Self::from_bytes(vec![("Ticker.dll".into(), image), ("Ticker.pdb".into(), symbols)]);
        let session = opened.unwrap_or_else(|_| Opening::default().finish());
        Self { is_sample: true, ..session }
    }

    /// Opens files that are in memory already. No partner is looked for.
    pub fn from_bytes(files: Vec<(PathBuf, impl Into<Memory>)>) -> Result<Self, OpenError> {
        let raw = files.into_iter().map(|(path, bytes)| RawFile::new(path, bytes)).collect::<Result<Vec<_>, _>>()?;
        Self::from_raw(raw, false)
    }

    fn from_raw(raw: Vec<RawFile>, look_for_partner: bool) -> Result<Self, OpenError> {
        if is_too_many(&raw) {
            return Err(OpenError::TooMany(raw.len()));
        }
        let mut opening = Opening::default();
        for file in raw {
            opening.add(file)?;
        }
        if opening.symbols.is_none() {
            opening.open_embedded();
        }
        if look_for_partner && opening.symbols.is_none() {
            opening.find_symbols();
        }
        opening.add_generations();
        if look_for_partner && opening.image.is_none() {
            opening.find_image();
        }
        Ok(opening.finish())
    }
}

/// Returns whether files are more than a pair: only hot-reload deltas, which are portable PDBs, may be more.
fn is_too_many(raw: &[RawFile]) -> bool {
    let portable = raw.iter().filter(|file| file.is_portable()).count();
    raw.len() > MAX_FILES || raw.len() > 2 && portable + 1 < raw.len()
}

impl Opening {
    fn add(&mut self, mut file: RawFile) -> Result<(), OpenError> {
        self.remarks.extend(file.remark.take());
        let two =
            |first: &Path, second: PathBuf, what| Err(OpenError::TwoOfAKind { first: first.to_owned(), second, what });
        match (file.load(&mut self.spaces)?, &self.image, &self.symbols) {
            (LoadedFile::Symbols(delta), ..) if delta.content.portable().is_some_and(PortablePdb::is_delta) => {
                self.deltas.push(delta);
                Ok(())
            }
            (LoadedFile::Image(image), Some(first), _) => two(&first.path, image.path, "images"),
            (LoadedFile::Symbols(symbols), _, Some(first)) => two(&first.path, symbols.path, "symbol files"),
            (LoadedFile::Image(image), None, _) => {
                self.image = Some(*image);
                Ok(())
            }
            (LoadedFile::Symbols(symbols), _, None) => {
                self.symbols = Some(symbols);
                Ok(())
            }
        }
    }

    /// Gives the deltas to the PDB that they change; without one the first delta takes its place.
    fn add_generations(&mut self) {
        for delta in std::mem::take(&mut self.deltas) {
            match &mut self.symbols {
                Some(SymbolFile { content: SymbolFormat::Portable(base), .. }) => {
                    if let SymbolFormat::Portable(pdb) = delta.content {
                        base.add_generation(delta.name, delta.path, *pdb);
                        let gap = base.generations().last().and_then(missing_delta);
                        self.problems.extend(gap.map(|message| Problem {
                            source: ProblemSource::Symbols,
                            span: None,
                            message,
                        }));
                    }
                }
                None => self.symbols = Some(delta),
                Some(_) => {
                    let message = format!("{} is a delta of a portable PDB: left out", delta.name);
                    self.problems.push(Problem { source: ProblemSource::Pair, span: None, message });
                }
            }
        }
    }

    fn name_parts(&mut self) {
        let image = self.image.as_ref();
        for section in image.iter().flat_map(|image| &image.pe.sections) {
            self.spaces.name_part(section.data, &section.name);
        }
        let symbols = self.symbols.as_ref().and_then(|file| file.content.portable()).map(|pdb| &pdb.metadata);
        let metadata = image.and_then(|image| image.metadata.as_ref());
        for stream in metadata.into_iter().chain(symbols).flat_map(|metadata| &metadata.root.streams) {
            self.spaces.name_part(stream.region.span(), &stream.name);
        }
    }

    fn finish(mut self) -> Session {
        self.name_parts();
        let verdict = self.judge();
        self.collect_problems(&verdict);
        let Self { spaces, image, mut symbols, problems, remarks, .. } = self;
        let spaces = Arc::new(spaces);
        if let Some(file) = &mut symbols {
            file.content.attach(&spaces);
            if let (Some(image), SymbolFormat::Windows(pdb), PdbMatch::Matched) =
                (&image, &mut file.content, verdict.pdb_match)
            {
                pdb.use_sections(image.pe.sections.iter().map(|section| section.header).collect());
            }
        }
        Session {
            spaces,
            image,
            symbols,
            verdict,
            problems,
            remarks,
            closed_deltas: Vec::new(),
            is_sample: false,
            others: 0,
            stamps: Vec::new(),
            cache: Cache::default(),
        }
    }

    /// Takes the PDB out of the image, where there is one in it.
    fn open_embedded(&mut self) {
        let Some(image) = &self.image else { return };
        for (index, entry) in image.pe.debug.iter().enumerate() {
            let Ok(Payload::EmbeddedPortablePdb(embedded)) = &entry.payload else { continue };
            let taken = self.spaces.budget().take_bytes("the embedded PDB", embedded.size.into(), embedded.deflated, 0);
            let inflated = taken.and_then(|()| embedded.inflate(image.pe.region(), MAX_EMBEDDED));
            let opened = inflated.and_then(|bytes| {
                let origin = Origin::Inflated(embedded.deflated);
                let region = self.spaces.add_bytes(format!("{}/embedded.pdb", image.name), origin, bytes);
                let mut pdb = PortablePdb::parse(region)?;
                pdb.budget = self.spaces.budget().clone();
                Ok(pdb)
            });
            match opened {
                Ok(pdb) => {
                    self.symbols = Some(SymbolFile {
                        path: image.path.clone(),
                        name: "embedded PDB".to_owned(),
                        space: pdb.space(),
                        embedded: true,
                        refused_image: None,
                        content: SymbolFormat::Portable(Box::new(pdb)),
                    });
                    return;
                }
                Err(error) => {
                    self.problems.push(Problem::new(&self.spaces, ProblemSource::DebugEntry(index as u16), &error));
                }
            }
        }
    }

    /// Looks beside the image; takes the first file that belongs to it. Why others were not taken goes to `refused`.
    fn find_symbols(&mut self) {
        let Some(image) = &self.image else { return };
        let (mvid, mut refused_pdb) = (image.mvid(), None);
        for path in partner::symbol_candidates(image) {
            let (path, mut remark) = (path.path(), None);
            let loaded = RawFile::read(&path).and_then(|mut raw| {
                remark = raw.remark.take();
                raw.load(&mut self.spaces)
            });
            match loaded {
                Ok(LoadedFile::Symbols(file)) => {
                    let verdict = ReasonedMatch::new(&image.pe, mvid, &file.content, false);
                    if !verdict.pdb_match.is_mismatch() && verdict.pdb_match != PdbMatch::NeedsBase {
                        self.symbols = Some(file);
                        self.remarks.extend(remark);
                        return;
                    }
                    let reason = Reason::joined(&verdict.reasons);
                    let sentence = format!("{}, beside it, does not match: {reason}", file.name);
                    self.refused.push(Reason::new("refused", format!("{sentence}; name both to open them anyway")));
                    refused_pdb.get_or_insert(sentence);
                }
                Ok(LoadedFile::Image(_)) => {}
                Err(error) => self.refused.push(Reason::new(error.code(), error.to_string())),
            }
        }
        if let Some(image) = &mut self.image {
            image.refused_pdb = refused_pdb;
        }
    }

    /// Looks beside the symbols; takes the image that names them. Why one of the same name was not taken goes to `refused`.
    fn find_image(&mut self) {
        let Some(symbols) = &self.symbols else { return };
        let Some(have) = symbols.reader().id() else { return };
        let by_mvid = symbols.reader().format() == Format::Mdb;
        let own = Location::of(&symbols.path);
        let mut refused_image = None;
        for path in partner::image_candidates(&symbols.path) {
            let path = path.path();
            let named = partner::named_by(&path, by_mvid);
            if named.iter().any(|named| id_matches(named.id, have)) {
                let Ok(mut raw) = RawFile::read(&path) else { return };
                let remark = raw.remark.take();
                if let Ok(LoadedFile::Image(image)) = raw.load(&mut self.spaces) {
                    self.image = Some(*image);
                    self.remarks.extend(remark);
                }
                return;
            }
            let location = Location::of(&path);
            if location.stem() != own.stem() {
                continue;
            }
            let name = location.file_name();
            // A launcher names the PDB of the launcher, whatever it is called itself.
            let of_this_name = |named: &&partner::Named| by_mvid || named.name.eq_ignore_ascii_case(&own.file_name());
            let expected: Vec<String> = named.iter().filter(of_this_name).map(|named| named.id.to_string()).collect();
            let mut sentence = format!("{name}, beside it, does not match");
            if !expected.is_empty() {
                sentence = format!("{sentence}: it expects {}, this PDB has {have}", expected.join(" or "));
                refused_image.get_or_insert_with(|| sentence.clone());
            }
            self.refused.push(Reason::new("refused", format!("{sentence}; name both to open them anyway")));
        }
        if let Some(symbols) = &mut self.symbols {
            symbols.refused_image = refused_image;
        }
    }

    fn judge(&mut self) -> ReasonedMatch {
        let no_pdb = |code, text: &str| ReasonedMatch::alone(PdbMatch::NoPdb, code, text);
        let mut verdict = match (&self.image, &self.symbols) {
            (Some(image), Some(file)) => ReasonedMatch::new(&image.pe, image.mvid(), &file.content, file.embedded),
            (Some(image), None) if let Some(host) = image.hosts() => no_pdb("host", &format!("this is {host}")),
            (Some(image), None) if codeview_ids(&image.pe).next().is_none() => {
                no_pdb("no-codeview", "the image names no PDB, and there is none beside it")
            }
            (Some(image), None) if has_embedded(&image.pe) => {
                no_pdb("unreadable", "the PDB inside the image cannot be read, and none was found beside it")
            }
            (Some(_), None) => no_pdb("no-pdb", "no PDB for this image was found inside it or beside it"),
            (None, Some(file)) if file.content.windows().is_some_and(|pdb| pdb.is_compile_time()) => {
                let reason =
                    "a compiler wrote this PDB for its object files (cl /Zi): it has types only, and no image names it";
                ReasonedMatch::alone(PdbMatch::NoImage, "compile-time", reason)
            }
            (None, _) => {
                ReasonedMatch::alone(PdbMatch::NoImage, "no-image", "no image that names this PDB was found beside it")
            }
        };
        if matches!(verdict.pdb_match, PdbMatch::NoPdb | PdbMatch::NoImage) {
            verdict.reasons.append(&mut self.refused);
        }
        verdict
    }

    fn collect_problems(&mut self, verdict: &ReasonedMatch) {
        let (problems, spaces) = (&mut self.problems, &self.spaces);
        if let Some(image) = &self.image {
            let len = self.spaces.get(image.space).map_or(0, Space::len);
            let end = image.pe.sections.iter().map(|section| {
                u64::from(section.header.pointer_to_raw_data) + u64::from(section.header.size_of_raw_data)
            });
            if let Some(end) = end.max().filter(|end| *end > len) {
                let message = format!("the file is cut off: it has {len} of at least {end} bytes");
                problems.push(Problem { source: ProblemSource::ImageSections, span: None, message });
            }
            problems
                .extend(image.pe.problems.iter().map(|error| Problem::new(spaces, ProblemSource::ImageHeaders, error)));
            for (index, entry) in image.pe.debug.iter().enumerate() {
                if let Err(error) = &entry.payload {
                    problems.push(Problem::new(spaces, ProblemSource::DebugEntry(index as u16), error));
                }
            }
            let tables = image.linker_tables().problems(&image.pe);
            problems.extend(tables.map(|(table, error)| Problem::new(spaces, ProblemSource::Linker(table), error)));
            if let Some(error) = &image.metadata_error {
                problems.push(Problem::new(spaces, ProblemSource::ImageHeaders, error));
            }
            let metadata = image.metadata.iter().flat_map(Metadata::problems);
            problems.extend(metadata.map(|error| Problem::new(spaces, ProblemSource::ImageMetadata, error)));
        }
        if let Some(file) = &self.symbols {
            problems.extend(
                file.content.problems().iter().map(|error| Problem::new(spaces, ProblemSource::Symbols, error)),
            );
        }
        if verdict.pdb_match.is_mismatch() {
            let message = format!("PDB does not match: {}", Reason::joined(&verdict.reasons));
            problems.push(Problem { source: ProblemSource::Pair, span: None, message });
        }
    }
}

/// Returns true if an image says that symbols are inside it.
fn has_embedded(image: &Pe) -> bool {
    image.debug.iter().any(|entry| matches!(entry.payload, Ok(Payload::EmbeddedPortablePdb(_))))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub source: ProblemSource,
    /// Bytes at fault, if it is about bytes.
    pub span: Option<Span>,
    /// One sentence, without a full stop.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemSource {
    Pair,
    ImageHeaders,
    ImageSections,
    /// Entry of the image's debug directory, counted from 0.
    DebugEntry(u16),
    /// Table of the linker: imports, exports, resources.
    Linker(LinkerTable),
    ImageMetadata,
    Symbols,
}

impl Problem {
    pub(super) fn new(spaces: &Spaces, source: ProblemSource, error: &Error) -> Self {
        Self { source, span: Some(error.span), message: spaces.error_text(error) }
    }
}

/// Sentence about a hot-reload delta before this one that was not named; `None` where no row shows it.
pub fn missing_delta(delta: &Generation) -> Option<String> {
    let RowGap { table, first, next } = delta.gap?;
    let name = &delta.name;
    Some(if table == TableId::METHOD_DEF {
        format!(
            "a delta before {name} is missing: its EncMap adds method row {first}, and the next row after those named is {next}"
        )
    } else {
        // A method without lines has a local signature that no PDB names.
        format!(
            "a delta before {name} seems to be missing: its local signatures begin with row {first}, and the next row after those \
             named is {next}"
        )
    })
}
