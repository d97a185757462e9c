//! Text of documents: found, and verified against the hash in the symbols.
//!
//! Symbols name a source file by the path it had where it was compiled, and mostly by its hash. The text itself may be in the
//! symbols, on this machine, or on a server. It is looked for in that order, and the first that the hash verifies is taken;
//! if none is verified, the first that was found is, and says so. A file of this machine that the hash does not verify is withheld
//! unless it lies in a folder that the user named or in that of the symbols: the path is written by whoever made the symbols.

mod extract;
mod hash;
mod local;
mod serialize;
pub mod source_link;
pub mod srcsrv;
pub mod srcsrv_embed;
pub mod srcsrv_write;
mod text;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use extract::Extraction;
pub use hash::{HashVerdict, LineEnds, Unknown, verify, verify_any};
pub use local::{Map, is_wide};
pub use text::{Column, Encoding, SourceText, locate, shown};

use super::session::Session;
use super::session::inputs::Location;
use super::symbols::{Document, ModuleHash};
use crate::source::source_link::SourceLinkMap;
use crate::source::srcsrv::{Evaluator, Retrieval, RetrievalMethod};
use crate::source::srcsrv_write::shared_suffix;
use crate::store::http::{Http, HttpError, Limits, Progress};
use crate::symbols::SymbolReader;
use crate::text::paths::{file_name, without_passwords};
use crate::text::safe::{hex, utf8};
pub(crate) use local::MAX_SOURCE_SIZE;
use local::NotRead;
use pdblens_formats::bytes::{Result, Spaces};
use pdblens_formats::reason::Reason;

/// The sources of the built-in sample.
const BUILT_IN: [(&str, &[u8]); 2] = [
    ("Program.cs", include_bytes!("../../assets/sources/ticker/Program.cs")),
    ("Clock.cs", include_bytes!("../../assets/sources/ticker/Clock.cs")),
];

/// Sources of one name in a package that are looked at.
const MAX_PACKAGED: usize = 8;

/// Places to search for sources, apart from the symbols themselves.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// Folders that have sources in them, as they lay where they were compiled.
    pub roots: Vec<PathBuf>,
    pub maps: Vec<Map>,
    /// Client for the URLs that symbols name; without it, nothing is fetched.
    pub http: Option<Http>,
    /// Client that asks whether a URL can be fetched; without it, no server is asked.
    pub head: Option<Http>,
    /// Client that fetches the text of every URL for a check of its hash; without it, no text is.
    pub body: Option<Http>,
    /// Earlier downloads by URL, which are not repeated.
    pub fetched: HashMap<String, Fetched>,
}

pub type Fetched = std::result::Result<Arc<[u8]>, Outcome>;

/// Limits of texts, which are stricter than those of symbols.
pub fn limits() -> Limits {
    Limits { total: Duration::from_mins(2), most: MAX_SOURCE_SIZE, ..Limits::default() }
}

pub fn fetch(http: &Http, url: &str, progress: Progress<'_>) -> Fetched {
    http.get(url, &[], progress).map(|answer| Arc::from(answer.bytes)).map_err(|error| match error {
        HttpError::NotFound => Outcome::Missing,
        HttpError::Refused(why) => Outcome::Refused(why),
        other => Outcome::Failed(other.to_string()),
    })
}

/// A document's text, as far as it was found.
#[derive(Clone, Debug)]
pub struct Source {
    pub document: Document,
    /// Its hashes by module, where they differ: a text with one of them is verified.
    pub hashes: Vec<ModuleHash>,
    pub text: Option<SourceText>,
    /// Origin of the text, or of one that is withheld.
    pub from: Origin,
    pub verdict: HashVerdict,
    /// Places searched, in order.
    pub tried: Vec<Tried>,
}

/// Origin of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "from", content = "location", rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum Origin {
    /// No text was found.
    #[default]
    Nowhere,
    /// The symbols hold it.
    Embedded,
    /// A file of this machine.
    #[serde(serialize_with = "pdblens_formats::serialize::path")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    File(PathBuf),
    /// A URL that Source Link maps the document to.
    #[serde(serialize_with = "serialize::url")]
    SourceLink(String),
    /// Target in a `srcsrv` stream.
    #[serde(serialize_with = "serialize::url")]
    SourceServer(String),
    /// pdblens itself: it is a source of the sample.
    BuiltIn,
}

/// One place where a text was looked for.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "tried"))]
pub struct Tried {
    /// Place searched.
    #[serde(flatten)]
    pub origin: Origin,
    /// Outcome at the place.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Outcome at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A text, which the hash says this of.
    Found(HashVerdict),
    /// Nothing.
    Missing,
    /// A file whose hash does not match, outside of all folders whose files are shown without one.
    Withheld(HashVerdict),
    /// It is a place that is not looked at, and why.
    Refused(String),
    /// It could not be read, and why.
    Failed(String),
    NotAsked,
}

impl Source {
    /// Beginning of the hash, and the number of others that modules have for the path.
    pub fn hash_text(&self) -> String {
        let hash: String = hex(&self.document.hash).chars().take(12).collect();
        match self.hashes.len() {
            0 | 1 => hash,
            many => format!("{hash} and {} more in other modules", many - 1),
        }
    }

    /// Sentence on a file of the name that is not shown, and how to allow it.
    pub fn withheld(&self) -> Option<String> {
        let is_withheld = |tried: &&Tried| matches!(tried.outcome, Outcome::Withheld(_));
        let tried = self.tried.iter().find(is_withheld).filter(|_| self.text.is_none())?;
        Some(format!("{}: {}", tried.origin, tried.outcome))
    }

    /// The URL that its text can be fetched from: one that was not asked, or failed.
    pub fn fetchable(&self) -> Option<&str> {
        self.tried.iter().find_map(|tried| match (&tried.origin, &tried.outcome) {
            (Origin::SourceLink(url) | Origin::SourceServer(url), Outcome::NotAsked | Outcome::Failed(_)) => {
                Some(url.as_str())
            }
            _ => None,
        })
    }
}

impl Origin {
    /// Name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Nowhere => "nowhere",
            Self::Embedded => "embedded",
            Self::File(_) => "file",
            Self::SourceLink(_) => "source link",
            Self::SourceServer(_) => "source server",
            Self::BuiltIn => "built in",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::SourceLink(what) | Self::SourceServer(what) => f.write_str(&without_passwords(what)),
            plain => f.write_str(plain.name()),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found(verdict) => write!(f, "{verdict}"),
            Self::Missing => f.write_str("not there"),
            Self::Withheld(verdict) => {
                write!(
                    f,
                    "a file of this name exists and is not shown ({verdict}) · tip: --source-root FOLDER allows it"
                )
            }
            Self::Refused(why) | Self::Failed(why) => f.write_str(why),
            Self::NotAsked => f.write_str("not fetched"),
        }
    }
}

#[derive(Debug)]
pub struct Sources<'s> {
    session: &'s Session,
    options: &'s SourceOptions,
    pub link: Option<SourceLinkMap>,
    /// Reason why a Source Link map that should exist is missing.
    pub link_error: Option<Reason>,
    server: Option<Evaluator<'s>>,
    home: PathBuf,
}

pub fn find(session: &Session, document: u32, options: &SourceOptions) -> Result<Source> {
    Sources::of(session, options).get(document)
}

impl<'s> Sources<'s> {
    pub fn of(session: &'s Session, options: &'s SourceOptions) -> Self {
        let servers = session.symbols().map(SymbolReader::source_servers).unwrap_or_default();
        let (link, link_error) = match servers.source_link {
            Some(json) => match SourceLinkMap::parse(&utf8(&json)) {
                Ok(map) => (Some(map), None),
                Err(error) => (None, Some(Reason::new("source-link", error.to_string()))),
            },
            None => (None, None),
        };
        let server = servers.srcsrv.map(Evaluator::new);
        let home = session.symbol_file().and_then(|file| file.path.parent()).unwrap_or(Path::new(""));
        Self { session, options, link, link_error, server, home: home.to_owned() }
    }

    pub fn spaces(&self) -> &Spaces {
        self.session.spaces()
    }

    pub fn url(&self, name: &str) -> Option<String> {
        self.link.as_ref()?.url(name)
    }

    pub fn retrieval(&self, name: &str) -> Option<Retrieval> {
        self.server.as_ref()?.find(name)
    }

    /// The URL that a document can be fetched from, by Source Link or by the `srcsrv` stream.
    pub fn remote(&self, row: u32) -> Option<String> {
        let name = self.session.symbols()?.document(row).ok()?.name;
        let server =
            || self.retrieval(&name).filter(|found| found.method == RetrievalMethod::Url).map(|found| found.target);
        self.url(&name).or_else(server)
    }

    pub fn get(&self, row: u32) -> Result<Source> {
        let no_symbols =
            || pdblens_formats::bytes::Error::invalid("there are no symbols", pdblens_formats::bytes::Span::default());
        let symbols = self.session.symbols().ok_or_else(no_symbols)?;
        let hashes = self.session.native_pdb().map_or(&[][..], |pdb| pdb.module_hashes(row));
        let mut search = Search::new(symbols.document(row)?, hashes);
        if let Some(embedded) = symbols.embedded_source(row) {
            search.offer(Origin::Embedded, embedded.text().map_err(|error| Outcome::Failed(error.to_string())));
        }
        self.look_here(&mut search);
        self.look_away(&mut search);
        Ok(search.done())
    }

    /// Looks on this machine.
    fn look_here(&self, search: &mut Search) {
        let name = search.document.name.clone();
        if name.is_empty() {
            return;
        }
        let linked = self.link.as_ref().and_then(|map| map.relative(&name));
        for path in local::candidates(&name, linked, &self.options.maps, &self.options.roots, &self.home) {
            if search.is_over() {
                return;
            }
            match local::read(&path) {
                Ok((bytes, real)) => search.offer_file(path, bytes, || self.is_trusted(&real)),
                Err(why) => {
                    let outcome = match why {
                        NotRead::Missing => Outcome::Missing,
                        NotRead::Refused(why) => Outcome::Refused(why.to_owned()),
                        NotRead::Failed(error) => Outcome::Failed(error.to_string()),
                        NotRead::Denied => Outcome::Withheld(HashVerdict::CannotTell(Unknown::Denied)),
                    };
                    search.offer(Origin::File(path), Err(outcome));
                }
            }
        }
        let symbols = self.session.symbol_file().map(|file| Location::of(&file.path));
        let mut packaged = symbols.map_or_else(Vec::new, |symbols| symbols.package_sources(file_name(&name)));
        packaged.sort_by_key(|source| Reverse(shared_suffix(&source.path().to_string_lossy(), &name)));
        for source in packaged.into_iter().take(MAX_PACKAGED) {
            if let Ok(bytes) = source.read(MAX_SOURCE_SIZE) {
                search.offer_if_verified(Origin::File(source.path()), &bytes);
            }
        }
        if let Some((_, bytes)) = BUILT_IN.iter().find(|(file, _)| *file == file_name(&name)) {
            search.offer_if_verified(Origin::BuiltIn, bytes);
        }
    }

    /// Returns whether a file lies in a folder that the user named, or in that of the symbols; `real` has no symbolic links.
    fn is_trusted(&self, real: &Path) -> bool {
        let named = self.options.roots.iter().chain(self.options.maps.iter().map(|map| &map.new));
        named.into_iter().any(|root| root.canonicalize().is_ok_and(|root| real.starts_with(root)))
            || local::is_in_tree(real, &self.home)
    }

    /// Looks on servers, where that was asked for.
    fn look_away(&self, search: &mut Search) {
        if search.is_over() {
            return;
        }
        let name = search.document.name.clone();
        if let Some(url) = self.url(&name) {
            let found = self.fetch(&url);
            search.offer(Origin::SourceLink(url), found);
        }
        if search.is_over() {
            return;
        }
        if let Some(Retrieval { method, target, command, .. }) = self.retrieval(&name) {
            if method == RetrievalMethod::Url {
                search.offer(Origin::SourceServer(target.clone()), self.fetch(&target));
            } else {
                let shown = if command.trim().is_empty() { target } else { command };
                let refused = Outcome::Refused("a command from a file is never run".to_owned());
                search.offer(Origin::SourceServer(shown), Err(refused));
            }
        }
    }

    fn fetch(&self, url: &str) -> std::result::Result<Vec<u8>, Outcome> {
        let known = self.options.fetched.get(url).cloned();
        let asked = || self.options.http.as_ref().map(|http| fetch(http, url, &mut |_, _| ControlFlow::Continue(())));
        known.or_else(asked).unwrap_or(Err(Outcome::NotAsked)).map(|bytes| bytes.to_vec())
    }
}

/// A search in the making: the best text so far, and where it was looked for.
struct Search {
    document: Document,
    hashes: Vec<ModuleHash>,
    best: Option<(Origin, HashVerdict, Vec<u8>)>,
    /// The first file that is withheld.
    withheld: Option<(Origin, HashVerdict)>,
    tried: Vec<Tried>,
}

impl Search {
    fn new(document: Document, hashes: &[ModuleHash]) -> Self {
        let hashes = if hashes.len() > 1 { hashes.to_vec() } else { Vec::new() };
        Self { document, hashes, best: None, withheld: None, tried: Vec::new() }
    }

    fn verify(&self, bytes: &[u8]) -> HashVerdict {
        verify_any(bytes, &self.document, &self.hashes)
    }

    /// Returns whether no better text can follow: it is verified, or there is no hash.
    fn is_over(&self) -> bool {
        self.best.as_ref().is_some_and(|(_, verdict, _)| *verdict != HashVerdict::Differs)
    }

    fn offer(&mut self, origin: Origin, found: std::result::Result<Vec<u8>, Outcome>) {
        let outcome = match found {
            Ok(bytes) => {
                let verdict = self.verify(&bytes);
                if self.best.is_none() || verdict != HashVerdict::Differs && !self.is_over() {
                    self.best = Some((origin.clone(), verdict, bytes));
                }
                Outcome::Found(verdict)
            }
            Err(outcome) => outcome,
        };
        self.tried.push(Tried { origin, outcome });
    }

    /// A file, which is withheld if it is neither verified nor trusted.
    fn offer_file(&mut self, path: PathBuf, bytes: Vec<u8>, is_trusted: impl FnOnce() -> bool) {
        let verdict = self.verify(&bytes);
        let origin = Origin::File(path);
        if verdict.is_verified() || is_trusted() {
            return self.offer(origin, Ok(bytes));
        }
        self.withheld.get_or_insert_with(|| (origin.clone(), verdict));
        self.tried.push(Tried { origin, outcome: Outcome::Withheld(verdict) });
    }

    /// A text that is only worth a mention if it is the one.
    fn offer_if_verified(&mut self, origin: Origin, bytes: &[u8]) {
        if !self.is_over() && self.verify(bytes).is_verified() {
            self.offer(origin, Ok(bytes.to_vec()));
        }
    }

    fn done(self) -> Source {
        let Self { document, hashes, best, withheld, tried } = self;
        let (from, verdict) = withheld.unwrap_or((Origin::Nowhere, HashVerdict::CannotTell(Unknown::NoText)));
        let nothing = Source { document, hashes, text: None, from, verdict, tried };
        let Some((from, verdict, bytes)) = best else { return nothing };
        Source { text: Some(SourceText::decode(&bytes)), from, verdict, ..nothing }
    }
}
