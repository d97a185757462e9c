use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use pdblens_session::precompiled::{self, Precompiled};
use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::coverage::CoveredPair;
use super::dump::{DebugEntryJson, ImageJson, PdbJson, SpaceJson};
use super::evidence::EvidenceJson;
use super::json::{self, Pairs};
use super::list::add_list;
use super::values::{self, Match};
use crate::bytes::{Origin, Space, SpaceId};
use crate::formats::reason::Reason;
use crate::nodes::rows::Tone;
use crate::nodes::stream::PdbView;
use crate::nodes::{self, Place, TableId, fill, overview};
use crate::query::check::{Remark, check_headers};
use crate::query::coverage::coverage;
use crate::query::evidence::evidence;
use crate::session::inputs::{PlainFile, itself};
use crate::session::{Image, OpenError, PdbMatch, Session, SymbolFile};
use crate::text::paths::without_passwords;
use crate::text::safe::{count, utf8};

/// `pdblens info FILE…`
#[derive(Debug, clap::Args)]
pub struct Info {
    #[command(flatten)]
    files: Files,
    /// Count the bytes of each file that have a field, and list those that have none.
    #[arg(long)]
    coverage: bool,
    /// List what fills the files, by the type or the source document of methods: tables, heaps, IL, points, streams.
    #[arg(
        long,
        value_name = "BY",
        require_equals = true,
        num_args = 0..=1,
        default_missing_value = "type",
        conflicts_with = "coverage",
        value_parser = PossibleValuesParser::new(["type", "document"]).map(size_owner)
    )]
    sizes: Option<fill::By>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[allow(clippy::needless_pass_by_value)] // The parser of arguments passes a value.
fn size_owner(name: String) -> fill::By {
    if name == "document" { fill::By::Document } else { fill::By::Type }
}

impl Info {
    pub const fn of(files: Files) -> Self {
        Self { files, coverage: false, sizes: None, json: false }
    }
}

impl Run for Info {
    const EXAMPLES: &'static [Example] = &[
        example("Show whether the files match, and if not, why", "pdblens info App.dll old/App.pdb"),
        example("Print the ids of all files of a folder", "pdblens info bin --json"),
        example("List what makes a file large", "pdblens info App.dll --sizes"),
        example("Show what a package or launcher itself is", "pdblens info Acme.1.2.0.nupkg!"),
    ];

    fn access(&self) -> Access {
        self.files.symbols.access()
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        if let Some(plain) = self.plain_files()? {
            return self.print_plain(&plain, out);
        }
        if self.json {
            return self.files.each_json(out, &mut |out, pairs, session| self.add(session, pairs, out));
        }
        self.files.each(out, true, &mut |out, session| self.print(session, out))
    }
}

impl Info {
    /// Files that are named themselves (`App!`) and have no reader, if all files are.
    fn plain_files(&self) -> Result<Option<Vec<PlainFile>>, Error> {
        if self.coverage || self.sizes.is_some() || self.files.sample || self.files.files.is_empty() {
            return Ok(None);
        }
        let identity = |path: &PathBuf| itself(path).map_err(|error| OpenError::Io { path: path.clone(), error });
        Ok(self.files.files.iter().map(identity).collect::<Result<Option<Vec<_>>, _>>()?)
    }

    fn print_plain(&self, files: &[PlainFile], out: &mut Out) -> Result<Exit, Error> {
        let mut pairs = Pairs::default();
        for file in files {
            if self.json {
                let path = file.path.display().to_string();
                pairs.add(&mut *out, &InfoElement::File(FilePair { path, file }))?;
                continue;
            }
            out.parts(&[(&file.path.display().to_string(), Tone::Strong)])?;
            let contains = file.contains.as_ref().map(ToString::to_string);
            let rows = [
                ("format     ", Some(file.format.as_str())),
                ("processor  ", file.processor),
                ("size       ", Some(&*count(file.size, "byte"))),
                ("contains   ", contains.as_deref()),
                ("begins     ", Some(&file.first_bytes)),
            ];
            for (name, text) in rows {
                if let Some(text) = text {
                    out.prose(&[(name, Tone::Dim)], &[(text, Tone::Text)])?;
                }
            }
        }
        pairs.end(out)?;
        Ok(Exit::Done)
    }

    fn add(&self, session: &Session, pairs: &mut Pairs, out: &mut Out) -> Result<Exit, Error> {
        if let Some(by) = self.sizes {
            add_list(out, pairs, session, Place::Overview, &fill::rows(session, by))?;
            return Ok(Exit::Done);
        }
        if self.coverage {
            pairs.add(out, &CoveredPair::of(session, &coverage(session)))?;
            return Ok(Exit::Done);
        }
        let (exit, findings) = checked(session);
        pairs.add(out, &InfoElement::Pair(Box::new(InfoPair::of(session, findings))))?;
        Ok(exit)
    }

    fn print(&self, session: &Session, out: &mut Out) -> Result<Exit, Error> {
        if let Some(by) = self.sizes {
            out.table(&fill::rows(session, by))?;
            return Ok(Exit::Done);
        }
        if self.coverage {
            return super::coverage::print(session, out);
        }
        let (exit, findings) = checked(session);
        let rows = nodes::rows(session, Place::Overview).ok_or_else(|| Error::Other("nothing is open".to_owned()))?;
        out.headless(&rows)?;
        // Verdicts are those of `check`: what decides is said here only as long as the ids do not.
        if !findings.is_empty() {
            out.line(&format!(
                "{} in the headers: `pdblens check` has it all",
                count(findings.len() as u64, "finding")
            ))?;
        }
        let is_decided = session.pdb_match() == PdbMatch::Matched;
        if let Some(sentence) = evidence(session).sentence(session.pdb_match()).filter(|_| !is_decided) {
            let tone = if evidence(session).agrees() == Some(true) { Tone::Dim } else { Tone::Bad };
            out.prose(&[("evidence  ", Tone::Dim)], &[(&sentence, tone)])?;
        }
        Ok(exit)
    }
}

/// An image without symbols has no answer to whether they match.
fn checked(session: &Session) -> (Exit, Vec<Remark>) {
    let findings = values::findings(check_headers(session));
    let is_answered = session.pdb_match() != PdbMatch::NoPdb && findings.is_empty();
    (if is_answered { Exit::Done } else { Exit::Findings }, findings)
}

/// The files of a pair, and whether they match.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "info_pair"))]
pub(super) struct InfoPair {
    /// Path or address of the image, or of symbols that are alone.
    path: String,
    r#match: Match,
    /// Files, and what is inflated from them; not the streams of a Windows PDB.
    spaces: Vec<SpaceJson>,
    image: Option<ImageInfo>,
    symbols: Option<SymbolInfo>,
    /// Agreement of symbols and code, in at most 1 000 methods; absent if none has both.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<EvidenceJson>,
    findings: Vec<Remark>,
}

/// A file that is no image and no symbol file, named as `FILE!`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "file_pair"))]
pub(super) struct FilePair<'f> {
    /// Path of the file.
    path: String,
    /// Identity of the file.
    file: &'f PlainFile,
}

/// An element of `pairs`.
#[derive(Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "info_element"))]
pub(super) enum InfoElement<'f> {
    Pair(Box<InfoPair>),
    File(FilePair<'f>),
}

/// The image in numbers.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "image_info"))]
struct ImageInfo {
    #[serde(flatten)]
    image: ImageJson,
    path: String,
    /// Bytes of the file.
    size: u64,
    format: ImageFormat,
    assembly: Option<Assembly>,
    /// Runtime version of the metadata root.
    runtime: Option<String>,
    /// Rows of TypeDef.
    types: Option<u32>,
    /// Rows of MethodDef.
    methods: Option<u32>,
    /// Precompiled code; absent in an image without.
    #[serde(skip_serializing_if = "Option::is_none")]
    ready_to_run: Option<ReadyToRunJson>,
    debug_directory: Vec<DebugEntryJson>,
}

/// The ReadyToRun code of an image in numbers.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ready_to_run"))]
struct ReadyToRunJson {
    /// Version of the format: `16.0`.
    version: String,
    /// Machine that the code is for.
    machine: &'static str,
    /// System that the code is for.
    system: &'static str,
    /// Flags of the header.
    flags: u32,
    /// True for an image with the code of several assemblies.
    composite: bool,
    /// True for an image whose code is in a composite image.
    component: bool,
    /// Assemblies of a composite image.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    components: Vec<String>,
    /// File name of the composite image with the code of a component.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    /// Methods with IL.
    methods: u32,
    /// Methods with an entry point of their own.
    precompiled: u32,
    /// Instantiations of generic methods with code.
    instantiations: u32,
    /// Runtime functions: bodies of methods, and funclets.
    runtime_functions: u32,
    /// Reason why the code is read by the description of its format alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<Reason>,
}

impl ReadyToRunJson {
    fn of(session: &Session) -> Option<Self> {
        let code = Precompiled::tables(session)?;
        Some(Self {
            version: code.r2r.version(),
            machine: code.r2r.target.machine_name(),
            system: code.r2r.target.system_name(),
            flags: code.r2r.core.flags,
            composite: code.r2r.is_composite(),
            component: code.r2r.is_component(),
            components: nodes::r2r::components(session),
            owner: if code.r2r.is_component() { code.r2r.owner(&code.image.pe) } else { None },
            methods: nodes::r2r::with_il(session),
            precompiled: code.methods(),
            instantiations: code.instances(),
            runtime_functions: code.functions(),
            note: precompiled::by_description(session),
        })
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "image_format"))]
enum ImageFormat {
    #[serde(rename = "PE32")]
    Pe32,
    #[serde(rename = "PE32+")]
    Pe32Plus,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "assembly"))]
struct Assembly {
    name: String,
    version: String,
}

/// The symbols in numbers.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "symbol_info"))]
struct SymbolInfo {
    #[serde(flatten)]
    pdb: PdbJson,
    name: String,
    /// Path of the file; of the image, where the symbols are embedded in it.
    path: String,
    /// Number of their space.
    space: u32,
    /// Bytes of the symbols, inflated.
    size: u64,
    /// True if they are embedded in the image.
    embedded: bool,
    /// MSF container of a Windows PDB.
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<Container>,
    documents: u32,
    /// Documents whose text the symbols hold.
    embedded_sources: usize,
    /// Languages of the documents.
    languages: Vec<String>,
    /// Text of the Source Link map.
    source_link: Option<String>,
    /// Source files that the srcsrv stream indexes.
    srcsrv_files: Option<usize>,
    #[serde(serialize_with = "pdblens_formats::serialize::named_texts")]
    #[cfg_attr(test, schemars(with = "Vec<pdblens_formats::json_schema::NamedText>"))]
    compilation_options: Vec<(String, String)>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "container"))]
struct Container {
    streams: u32,
    pages: u32,
    page_size: u32,
    modules: usize,
}

impl InfoPair {
    fn of(session: &Session, findings: Vec<Remark>) -> Self {
        let spaces = session.spaces().iter().filter(|(_, space)| !matches!(space.origin, Origin::Pages { .. }));
        Self {
            path: json::path(session),
            r#match: Match::of(session),
            spaces: spaces.map(SpaceJson::of).collect(),
            image: session.image().map(|image| ImageInfo::of(session, image)),
            symbols: session.symbol_file().map(|file| SymbolInfo::of(session, file)),
            evidence: EvidenceJson::of(session),
            findings,
        }
    }
}

impl ImageInfo {
    fn of(session: &Session, image: &Image) -> Self {
        let metadata = image.metadata.as_ref();
        let is_wide = image.pe.optional.as_ref().is_some_and(|optional| optional.is_wide);
        Self {
            image: ImageJson::of(image),
            path: image.path.display().to_string(),
            size: size(session, image.space),
            format: if is_wide { ImageFormat::Pe32Plus } else { ImageFormat::Pe32 },
            assembly: overview::assembly(session).map(|(name, version)| Assembly { name, version }),
            runtime: metadata.map(|metadata| metadata.root.version.clone()),
            types: metadata.map(|metadata| metadata.rows(TableId::TYPE_DEF)),
            methods: metadata.map(|metadata| metadata.rows(TableId::METHOD_DEF)),
            ready_to_run: ReadyToRunJson::of(session),
            debug_directory: DebugEntryJson::all(session.spaces(), image),
        }
    }
}

impl SymbolInfo {
    fn of(session: &Session, file: &SymbolFile) -> Self {
        let symbols = file.reader();
        Self {
            pdb: PdbJson::of(symbols),
            name: file.name.clone(),
            path: file.path.display().to_string(),
            space: file.space.0,
            size: size(session, file.space),
            embedded: file.embedded,
            container: PdbView::of(session).map(|view| Container {
                streams: view.pdb.msf.stream_count(),
                pages: view.pdb.msf.file_pages(),
                page_size: view.pdb.msf.page_size(),
                modules: view.pdb.modules().len(),
            }),
            documents: symbols.documents(),
            embedded_sources: overview::embedded_sources(session),
            languages: overview::languages(session),
            source_link: symbols.source_servers().source_link.map(|text| without_passwords(&utf8(&text))),
            srcsrv_files: symbols.source_servers().srcsrv.map(|srcsrv| srcsrv.files.len()),
            compilation_options: symbols.compilation().options,
        }
    }
}

fn size(session: &Session, space: SpaceId) -> u64 {
    session.spaces().get(space).map_or(0, Space::len)
}
