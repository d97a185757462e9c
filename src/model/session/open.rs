//! Opening: what the named files are, the partner of one that comes alone, and what is wrong.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::detect::{self, Kind};
use super::verdict::{expected, matches};
use super::{Belong, Finding, Image, Session, SymbolFile, Verdict, partner};
use crate::bytes::{Origin, Region, Source, SpaceId, Spaces};
use crate::formats::mdb::Mdb;
use crate::formats::metadata::{Metadata, Root, TableId};
use crate::formats::msf::Msf;
use crate::formats::pe::{Payload, Pe};
use crate::formats::portable::PortablePdb;
use crate::formats::windows::WindowsPdb;
use crate::model::Place;
use crate::model::place::{MetadataPart, PePart, Side};
use crate::model::readers::{Headed, ManagedPdb, NativePdb};
use crate::model::survey::Surveys;
use crate::model::symbols::{Format, Symbols};

/// The largest PDB that is inflated out of an image.
const LARGEST_EMBEDDED: u64 = 1 << 30;

/// The largest program of another system that is read to tell whether it hosts a .NET program.
const LARGEST_HOST: u64 = 512 << 20;

/// MSF files larger than this are read by position instead of whole.
const LARGEST_WHOLE: u64 = 64 << 20;

/// Why nothing was opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be read.
    #[error("{path}: {why}", path = path.display(), why = why_not_read(error))]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file is none of the formats.
    #[error("{path}: this is {what}{instead}", path = path.display(), instead = instead(what))]
    NotOurs {
        /// Which file.
        path: PathBuf,
        /// What it looks like instead, and where that is known, what to do about it.
        what: Cow<'static, str>,
    },
    /// It is a directory.
    #[error("{path}: this is a directory{hint}", path = path.display(), hint = hint(path, first.as_deref()))]
    Directory {
        /// Which one.
        path: PathBuf,
        /// The first file in it that could be opened.
        first: Option<PathBuf>,
    },
    /// The file begins like one of the formats, and is not.
    #[error("{path}: {what}, but {error}", path = path.display())]
    Broken {
        /// Which file.
        path: PathBuf,
        /// What it begins like.
        what: &'static str,
        /// What is wrong.
        error: crate::bytes::Error,
    },
    /// Two files of the same kind were named.
    #[error("{first} and {second} are both {what}: name one image and one symbol file", first = first.display(), second = second.display())]
    TwoOfAKind {
        /// One of them.
        first: PathBuf,
        /// The other.
        second: PathBuf,
        /// What both are.
        what: &'static str,
    },
    /// More than two files were named.
    #[error("{0} files were named: name one image, one symbol file, or both")]
    TooMany(usize),
}

/// Why a file cannot be read.
fn why_not_read(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "this file may not be read".to_owned(),
        _ => format!("this file cannot be read: {error}"),
    }
}

/// What could be opened instead of what looks like `what`, unless that says so itself.
fn instead(what: &str) -> &'static str {
    if what.contains([':', ';']) { "" } else { ", not a .NET image or symbol file (.dll, .exe, .pdb, .mdb)" }
}

/// What to name instead of a directory.
fn hint(path: &Path, first: Option<&Path>) -> String {
    match first {
        Some(first) => format!(": name a file in it, {} for instance", path.join(first).display()),
        None => ", and no .dll, .exe, .pdb or .mdb is in it".to_owned(),
    }
}

/// The first file in a directory, by name, that looks like one to open: an image if there is one.
fn first_in(directory: &Path) -> Option<PathBuf> {
    /// As many files are looked at.
    const SEEN: usize = 10_000;
    let entries = std::fs::read_dir(directory).ok()?.take(SEEN).flatten();
    let rank = |path: &Path| {
        let extension = path.extension()?.to_ascii_lowercase();
        ["dll", "exe", "pdb", "mdb"].iter().position(|known| extension == *known).map(|at| at / 2)
    };
    let names = entries.map(|entry| PathBuf::from(entry.file_name()));
    names.filter_map(|name| Some((rank(&name)?, name))).min().map(|(_, name)| name)
}

/// A session in the making: its spaces still grow.
#[derive(Default)]
struct Opening {
    spaces: Spaces,
    image: Option<Image>,
    symbols: Option<SymbolFile>,
    findings: Vec<Finding>,
    /// Why files that could have been the partner were not taken.
    refused: Vec<String>,
}

/// A file that has been looked at.
enum Loaded {
    Image(Box<Image>),
    Symbols(SymbolFile),
}

/// The bytes of a file before anything is made of them.
struct Raw {
    path: PathBuf,
    kind: Kind,
    content: Content,
}

enum Content {
    Whole(Vec<u8>),
    Disk(File, u64),
}

impl Session {
    /// Opens one file or two; none opens the built-in sample.
    pub fn open(paths: &[PathBuf]) -> Result<Self, OpenError> {
        if paths.is_empty() {
            return Ok(Self::sample());
        }
        let raw = paths.iter().map(|path| Raw::read(path)).collect::<Result<Vec<_>, _>>()?;
        Self::from_raw(raw, true)
    }

    /// The pair that is built in: the smallest useful one.
    pub fn sample() -> Self {
        let image = include_bytes!("../../../assets/samples/ticker/Ticker.dll").to_vec();
        let symbols = include_bytes!("../../../assets/samples/ticker/Ticker.pdb").to_vec();
        Self::from_bytes(vec![("Ticker.dll".into(), image), ("Ticker.pdb".into(), symbols)])
            .unwrap_or_else(|_| Opening::default().finish())
    }

    /// Opens files that are in memory already. No partner is looked for.
    pub fn from_bytes(files: Vec<(PathBuf, Vec<u8>)>) -> Result<Self, OpenError> {
        let raw = files.into_iter().map(|(path, bytes)| Raw::new(path, bytes)).collect::<Result<Vec<_>, _>>()?;
        Self::from_raw(raw, false)
    }

    fn from_raw(raw: Vec<Raw>, look_for_partner: bool) -> Result<Self, OpenError> {
        if raw.len() > 2 {
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
        if look_for_partner && opening.image.is_none() {
            opening.find_image();
        }
        Ok(opening.finish())
    }
}

impl Opening {
    fn add(&mut self, file: Raw) -> Result<(), OpenError> {
        let two =
            |first: &Path, second: PathBuf, what| Err(OpenError::TwoOfAKind { first: first.to_owned(), second, what });
        match (file.load(&mut self.spaces)?, &self.image, &self.symbols) {
            (Loaded::Image(image), Some(first), _) => two(&first.path, image.path, "images"),
            (Loaded::Symbols(symbols), _, Some(first)) => two(&first.path, symbols.path, "symbol files"),
            (Loaded::Image(image), None, _) => {
                self.image = Some(*image);
                Ok(())
            }
            (Loaded::Symbols(symbols), _, None) => {
                self.symbols = Some(symbols);
                Ok(())
            }
        }
    }

    fn finish(mut self) -> Session {
        let verdict = self.judge();
        self.collect_findings(&verdict);
        let Self { spaces, image, mut symbols, findings, .. } = self;
        let spaces = Arc::new(spaces);
        if let Some(file) = &mut symbols {
            file.reader.attach(&spaces);
        }
        Session { spaces, image, symbols, verdict, findings, surveys: Surveys::default() }
    }

    /// Takes the PDB out of the image, where there is one in it.
    fn open_embedded(&mut self) {
        let Some(image) = &self.image else { return };
        for (index, entry) in image.pe.debug.iter().enumerate() {
            let Ok(Payload::EmbeddedPortablePdb(embedded)) = &entry.payload else { continue };
            let place = Place::PePart(PePart::Debug(index as u16));
            let opened = embedded.inflate(image.pe.region(), LARGEST_EMBEDDED).and_then(|bytes| {
                let origin = Origin::Inflated(embedded.deflated);
                let region = self.spaces.add_bytes(format!("{}/embedded.pdb", image.name), origin, bytes);
                PortablePdb::parse(region)
            });
            match opened {
                Ok(reader) => {
                    self.symbols = Some(SymbolFile {
                        path: image.path.clone(),
                        name: "embedded PDB".to_owned(),
                        space: reader.space(),
                        embedded: true,
                        reader: Box::new(reader),
                    });
                    return;
                }
                Err(error) => self.findings.push(Finding::new(place, &error)),
            }
        }
    }

    /// Looks beside the image; takes the first file that belongs to it. Why others were not taken goes to `refused`.
    fn find_symbols(&mut self) {
        let Some(image) = &self.image else { return };
        let mvid = image.mvid();
        for path in partner::symbol_candidates(image) {
            let loaded = Raw::read(&path).and_then(|raw| raw.load(&mut self.spaces));
            match loaded {
                Ok(Loaded::Symbols(file)) => {
                    let verdict = Verdict::of(&image.pe, mvid, file.reader.as_ref(), false);
                    if verdict.belong != Belong::No {
                        self.symbols = Some(file);
                        return;
                    }
                    let reason = verdict.reasons.join("; ");
                    self.refused.push(format!(
                        "{} lies beside it and is of another build: {reason}; name both to look anyway",
                        file.name
                    ));
                }
                Ok(Loaded::Image(_)) => {}
                Err(error) => self.refused.push(error.to_string()),
            }
        }
    }

    /// Looks beside the symbols; takes the image that names them.
    fn find_image(&mut self) {
        let Some(symbols) = &self.symbols else { return };
        let Some(have) = symbols.reader.id() else { return };
        for path in partner::image_candidates(&symbols.path) {
            let Ok(raw) = Raw::read(&path) else { continue };
            // Most files of a folder are others' images: leave no trace of those.
            let mut spaces = Spaces::default();
            let Ok(Loaded::Image(probe)) = raw.load(&mut spaces) else { continue };
            let belongs = match symbols.reader.format() {
                Format::Mdb => probe.mvid() == Some(have.guid),
                _ => expected(&probe.pe).any(|id| matches(id, have)),
            };
            if belongs {
                if let Ok(Loaded::Image(image)) = Raw::read(&path).and_then(|raw| raw.load(&mut self.spaces)) {
                    self.image = Some(*image);
                }
                return;
            }
            if path.file_stem() == symbols.path.file_stem() {
                self.refused
                    .push(format!("{} lies beside it and is of another build; name both to look anyway", probe.name));
            }
        }
    }

    fn judge(&mut self) -> Verdict {
        let mut verdict = match (&self.image, &self.symbols) {
            (Some(image), Some(file)) => Verdict::of(&image.pe, image.mvid(), file.reader.as_ref(), file.embedded),
            (Some(image), None) if let Some(host) = image.hosts() => Verdict::alone(format!("this is {host}")),
            (Some(image), None) if expected(&image.pe).next().is_none() => {
                Verdict::alone("the image names no PDB, and none lies beside it")
            }
            (Some(_), None) => Verdict::alone("no PDB of this image was found inside it or beside it"),
            (None, _) => Verdict::alone("no image that names this PDB lies beside it"),
        };
        if verdict.belong == Belong::Alone {
            verdict.reasons.append(&mut self.refused);
        }
        verdict
    }

    fn collect_findings(&mut self, verdict: &Verdict) {
        let findings = &mut self.findings;
        if let Some(image) = &self.image {
            let len = self.spaces.get(image.space).map_or(0, crate::bytes::Space::len);
            let end =
                image.pe.sections.iter().map(|section| u64::from(section.raw_pointer) + u64::from(section.raw_size));
            if let Some(end) = end.max().filter(|end| *end > len) {
                let sentence = format!("the file is cut off: it has {len} of at least {end} bytes");
                findings.push(Finding { place: Place::PePart(PePart::Sections), span: None, sentence });
            }
            findings.extend(image.pe.problems.iter().map(|error| Finding::new(Place::Pe, error)));
            for (index, entry) in image.pe.debug.iter().enumerate() {
                if let Err(error) = &entry.payload {
                    findings.push(Finding::new(Place::PePart(PePart::Debug(index as u16)), error));
                }
            }
            let root = Place::Metadata(Side::Image, MetadataPart::Root);
            findings.extend(image.metadata.iter().flat_map(Metadata::problems).map(|error| Finding::new(root, error)));
        }
        if let Some(file) = &self.symbols {
            let place = match file.reader.format() {
                Format::Portable => Place::Metadata(Side::Pdb, MetadataPart::Root),
                Format::Windows | Format::Native => Place::Streams,
                Format::Mdb | Format::SmallMsf | Format::Msfz | Format::Ildb => Place::Header,
            };
            findings.extend(file.reader.problems().iter().map(|error| Finding::new(place, error)));
        }
        if verdict.belong == Belong::No {
            let sentence = format!("the symbols are of another build: {}", verdict.reasons.join("; "));
            findings.push(Finding { place: Place::Overview, span: None, sentence });
        }
    }
}

impl Image {
    /// The module version id: new for every build that is not deterministic.
    pub fn mvid(&self) -> Option<crate::bytes::Guid> {
        let metadata = self.metadata.as_ref()?;
        let index = metadata.table(TableId::MODULE).cell(1, 2).ok()?;
        metadata.heaps.guid(index).ok().flatten()
    }
}

impl Image {
    /// Description of the .NET program that it only starts or contains, and what to open instead.
    fn hosts(&self) -> Option<String> {
        if self.pe.cli.is_some() { None } else { detect::hosts(self.pe.region().bytes()) }
    }
}

impl Raw {
    fn read(path: &Path) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Io { path: path.to_owned(), error };
        let found = std::fs::metadata(path).map_err(failed)?;
        if found.is_dir() {
            return Err(OpenError::Directory { path: path.to_owned(), first: first_in(path) });
        }
        let mut file = File::open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.by_ref().take(detect::ENOUGH as u64).read_to_end(&mut bytes).map_err(failed)?;
        if detect::is_foreign_program(&bytes) && found.len() <= LARGEST_HOST {
            file.by_ref().take(LARGEST_HOST).read_to_end(&mut bytes).map_err(failed)?;
        }
        let kind = Self::kind(path, &bytes)?;
        let content = if kind == Kind::Msf && found.len() > LARGEST_WHOLE {
            Content::Disk(file, found.len())
        } else {
            bytes.reserve_exact((found.len() as usize).saturating_sub(bytes.len()));
            file.read_to_end(&mut bytes).map_err(failed)?;
            Content::Whole(bytes)
        };
        Ok(Self { path: path.to_owned(), kind, content })
    }

    fn new(path: PathBuf, bytes: Vec<u8>) -> Result<Self, OpenError> {
        let kind = Self::kind(&path, &bytes)?;
        Ok(Self { path, kind, content: Content::Whole(bytes) })
    }

    /// The format of a file that begins with `bytes`; a program of another system has to be there as a whole.
    fn kind(path: &Path, bytes: &[u8]) -> Result<Kind, OpenError> {
        let first = bytes.get(..detect::ENOUGH).unwrap_or(bytes);
        detect::kind(first).ok_or_else(|| {
            let host = if detect::is_foreign_program(first) { detect::hosts(bytes) } else { None };
            OpenError::NotOurs {
                path: path.to_owned(),
                what: host.map_or_else(|| detect::looks_like(first).into(), Cow::Owned),
            }
        })
    }

    fn load(self, spaces: &mut Spaces) -> Result<Loaded, OpenError> {
        let Self { path, kind, content } = self;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let origin = Origin::File(path.clone());
        let space = match content {
            Content::Whole(bytes) => spaces.add_bytes(name.clone(), origin, bytes).span().space,
            Content::Disk(file, len) => spaces.add(name.clone(), origin, len, Source::Disk(Mutex::new(file))),
        };
        let loaded = if kind == Kind::Pe {
            spaces
                .region(space)
                .and_then(|region| image(path.clone(), name, region))
                .map(|image| Loaded::Image(Box::new(image)))
        } else {
            let reader = symbols(kind, spaces, space);
            reader
                .map(|reader| Loaded::Symbols(SymbolFile { path: path.clone(), name, space, embedded: false, reader }))
        };
        loaded.map_err(|error| OpenError::Broken { path, what: begins_like(kind), error })
    }
}

fn image(path: PathBuf, name: String, region: Region) -> crate::bytes::Result<Image> {
    let space = region.span().space;
    let pe = Pe::parse(region)?;
    let metadata =
        pe.metadata().and_then(|region| Root::parse(region).ok()).map(|root| Metadata::parse(root, &[0; 64]));
    Ok(Image { path, name, space, pe, metadata, index: super::NameIndex::default() })
}

/// The reader of each format.
fn symbols(kind: Kind, spaces: &mut Spaces, space: SpaceId) -> crate::bytes::Result<Box<dyn Symbols>> {
    match kind {
        Kind::Portable => PortablePdb::parse(spaces.region(space)?).map(|reader| Box::new(reader) as Box<dyn Symbols>),
        Kind::Mdb => Mdb::parse(spaces.region(space)?).map(|reader| Box::new(reader) as Box<dyn Symbols>),
        Kind::Msf => {
            let msf = Msf::open(spaces, space)?;
            let pdb = WindowsPdb::parse(spaces, msf);
            Ok(if pdb.is_managed() { Box::new(ManagedPdb::new(pdb)) } else { Box::new(NativePdb::new(pdb)) })
        }
        Kind::OldMsf => headed(Format::SmallMsf, spaces, space),
        Kind::Msfz => headed(Format::Msfz, spaces, space),
        Kind::Ildb => headed(Format::Ildb, spaces, space),
        Kind::Pe => {
            Err(crate::bytes::Error::invalid("an image is no symbol file", crate::bytes::Span::new(space, 0, 0)))
        }
    }
}

/// A format of which only the header is read.
fn headed(format: Format, spaces: &Spaces, space: SpaceId) -> crate::bytes::Result<Box<dyn Symbols>> {
    Ok(Box::new(Headed::parse(format, &spaces.region(space)?)))
}

const fn begins_like(kind: Kind) -> &'static str {
    match kind {
        Kind::Pe => "it begins like an image",
        Kind::Portable => "it begins like a portable PDB",
        Kind::Msf => "it begins like a Windows PDB",
        Kind::OldMsf => "it is a PDB from before Visual C++ 7 (MSF 2.00)",
        Kind::Msfz => "it is a compressed PDB (MSFZ)",
        Kind::Mdb => "it begins like Mono's .mdb",
        Kind::Ildb => "it is an ILDB file",
    }
}
