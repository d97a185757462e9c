//! The pairs that a trace's frames are looked up in: found once, checked once, kept.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::builds::Choice;
use super::outcome::{Cause, Outcome, Proof, Refusal};
use super::symbols::{FindSymbols, Offer, goes_by};
use pdblens_formats::bytes::Guid;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::reason::Reason;
use pdblens_session::session::inputs::Location;
use pdblens_session::session::read_file::MAX_WHOLE;
use pdblens_session::session::{Image, PdbMatch, Session, codeview_ids, refused_partner};
use pdblens_session::symbols::{IdSuffix, SymbolId, SymbolReader};
use pdblens_session::text::safe::utf8;

const MAX_ANSWERS: usize = 4096;
/// The most files that are opened to find a method by its name alone.
const MAX_OPENED: usize = 500;

/// Names of functions and their addresses, by the part of the name after its last two underscores.
pub(super) type AheadIndex = HashMap<String, Vec<(String, u32)>>;

/// A pair, and an index of its methods.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) session: Arc<Session>,
    /// Its place in the library.
    pub(crate) number: usize,
    by_name: OnceCell<HashMap<String, Vec<Token>>>,
    /// Functions that an AOT compiler may have made of methods.
    pub(super) ahead: OnceCell<AheadIndex>,
    pub(super) optimized: OnceCell<Option<bool>>,
}

#[derive(Default)]
pub(crate) struct Library {
    pub(super) finders: Vec<Box<dyn FindSymbols>>,
    pub(super) pairs: Vec<Pair>,
    /// Number of pairs that were open before any search.
    pub(super) held: usize,
    opened: HashMap<PathBuf, Option<usize>>,
    answers: HashMap<Key, Result<usize, Refusal>>,
    /// Builds that a key could mean, where they are several.
    pub(super) several: HashMap<Key, Vec<usize>>,
    /// Those of them that traces are of, by the name of the module.
    pub(super) chosen: HashMap<String, Choice>,
    /// Pairs that a frame of the trace cannot be of, and the evidence.
    pub(super) condemned: HashMap<usize, String>,
    pub(super) required: Proof,
    all: Option<Vec<usize>>,
    /// Returns true once the answer is not wanted any more; asked before each file is opened.
    pub(super) stop: Option<Box<dyn Fn() -> bool>>,
}

impl Library {
    /// Adds a pair that is open already, before anything is looked for: it goes before everything that finders have.
    pub(crate) fn hold(&mut self, session: Arc<Session>) {
        self.pairs.insert(self.held, Pair::new(session, self.held));
        self.held = self.held.saturating_add(1);
    }

    pub(crate) fn pair(&self, index: usize) -> Option<&Pair> {
        self.pairs.get(index)
    }

    /// The session that a resolved frame was found in.
    pub(crate) fn session_of(&self, outcome: &Outcome) -> Option<&Arc<Session>> {
        let Outcome::Resolved(found) = outcome else { return None };
        Some(&self.pair(found.pair)?.session)
    }

    /// The pair that `key` asks for; or why there is none.
    pub(crate) fn find(&mut self, key: &Key) -> Result<usize, Refusal> {
        if let Some(known) = self.answers.get(key) {
            return known.clone();
        }
        let answer = self.look_for(key);
        if self.answers.len() >= MAX_ANSWERS {
            self.answers.clear();
            self.several.clear();
        }
        self.answers.insert(key.clone(), answer.clone());
        answer
    }

    pub(crate) fn all(&mut self) -> Vec<usize> {
        if self.all.is_none() {
            let files: Vec<Offer> = self.finders.iter().flat_map(|finder| finder.all()).take(MAX_OPENED).collect();
            let mut found: Vec<usize> =
                (0..self.held).filter(|index| self.is_useful(*index) && !self.is_mismatch(*index)).collect();
            for file in files {
                if let Some(index) = self.open(file).filter(|index| self.is_useful(*index) && !found.contains(index)) {
                    found.push(index);
                }
            }
            self.all = Some(self.one_of_each(found));
        }
        self.all.clone().unwrap_or_default()
    }

    fn look_for(&mut self, key: &Key) -> Result<usize, Refusal> {
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        // Images of that name without symbols.
        let mut bare: Vec<usize> = Vec::new();
        for index in 0..self.held {
            match self.pairs.get(index).map(|pair| pair.check(key)) {
                Some(Ok(true)) if self.is_mismatch(index) && !key.is_proof() => {
                    refused.extend(self.pairs.get(index).map(|pair| {
                        let reason = Reason::first(pair.session.match_reasons());
                        key.other_build(format!("{} does not match: {reason}", pair.path()))
                    }));
                }
                Some(Ok(true)) if self.is_useful(index) => return Ok(index),
                Some(Ok(true)) => bare.push(index),
                // It was not looked for by its name: another build only if it goes by that.
                Some(Err(reason)) if self.pairs.get(index).is_some_and(|pair| key.is_called_as(pair)) => {
                    refused.push(key.other_build(reason));
                }
                _ => refused.extend(self.without_image(key, index)),
            }
        }
        for finder in 0..self.finders.len() {
            for file in self.offers(finder, key) {
                let path = file.path.display().to_string();
                let Some(index) = self.open(file) else { continue };
                match self.pairs.get(index).map(|pair| pair.check(key)) {
                    Some(Ok(true)) if !self.is_useful(index) => {
                        bare.push(index);
                        refused.push(self.without_symbols(key, index, &path));
                    }
                    Some(Ok(true)) => found.push(index),
                    Some(Err(reason)) => refused.push(key.other_build(reason)),
                    _ => refused.extend(self.without_image(key, index)),
                }
            }
            refused.splice(..0, self.take_other_builds(key, &mut found, &bare));
            if !found.is_empty() {
                break;
            }
        }
        self.only_build(key, found, refused)
    }

    /// The pair of those that were found, if all are of one build; otherwise the reason for none.
    fn only_build(&mut self, key: &Key, found: Vec<usize>, refused: Vec<Refusal>) -> Result<usize, Refusal> {
        let found = self.one_of_each(found);
        match found.as_slice() {
            [only] => Ok(*only),
            [] => Err(match refused.into_iter().next() {
                Some(refusal) => refusal,
                None => {
                    Cause::NoSymbols(key.file().to_owned()).because(format!("no symbols of {} were found", key.name()))
                }
            }),
            [first, ..] if key.is_proof() => Ok(*first),
            several => {
                self.several.insert(key.clone(), several.to_owned());
                let paths: Vec<String> =
                    several.iter().filter_map(|index| self.pairs.get(*index)).map(Pair::path).collect();
                Err(Cause::Ambiguous.because(format!(
                    "there are {} builds of {}, and the trace does not say which: {}",
                    several.len(),
                    key.name(),
                    paths.join(", ")
                )))
            }
        }
    }

    fn offers(&self, finder: usize, key: &Key) -> Vec<Offer> {
        let Some(finder) = self.finders.get(finder) else { return Vec::new() };
        match key {
            Key::Name(name) | Key::Stamp(name, _) => finder.by_image_name(name),
            Key::Id(guid, rest, name) => {
                let rest = rest.map_or(IdSuffix::None, IdSuffix::Age);
                finder.by_id(SymbolId { guid: *guid, suffix: rest }, name)
            }
            Key::Mvid(mvid, name) => {
                let found = finder.by_mvid(*mvid);
                // Another build of that name is named in the reason.
                if found.is_empty() && !name.is_empty() { finder.by_image_name(name) } else { found }
            }
        }
    }

    /// The same build may be found under several names.
    fn one_of_each(&self, found: Vec<usize>) -> Vec<usize> {
        let build = |index: &usize| self.pairs.get(*index).map(Pair::build);
        let mut kept: Vec<usize> = Vec::new();
        for index in found {
            if !kept.iter().any(|other| *other == index || build(other) == build(&index)) {
                kept.push(index);
            }
        }
        kept
    }

    fn is_useful(&self, index: usize) -> bool {
        self.pairs.get(index).is_some_and(|pair| pair.session.symbol_file().is_some())
    }

    /// Returns whether image and symbols of a pair are of different builds, as they are only where both were named.
    fn is_mismatch(&self, index: usize) -> bool {
        self.pairs.get(index).is_some_and(|pair| pair.session.pdb_match().is_mismatch())
    }

    /// Refusal of an image without symbols; those beside it may be of another build.
    fn without_symbols(&self, key: &Key, index: usize, path: &str) -> Refusal {
        let pair = self.pairs.get(index);
        let reason = pair.map_or("", |pair| Reason::first(pair.session.match_reasons()));
        let is_other = pair.is_some_and(|pair| refused_partner(&pair.session).is_some());
        let file = key.file().to_owned();
        let cause = if is_other { Cause::OtherBuild(file) } else { Cause::NoSymbols(file) };
        cause.because(format!("no symbols of {} were found: {reason} ({path})", key.name()))
    }

    /// Refusal of symbols that go by the name of a module of which a trace has the version id, which only the image has.
    fn without_image(&self, key: &Key, index: usize) -> Option<Refusal> {
        let pair = self.pairs.get(index).filter(|pair| pair.session.image().is_none())?;
        if !matches!(key, Key::Mvid(..)) || !key.is_called_as(pair) {
            return None;
        }
        let (path, file) = (pair.path(), key.file());
        let reason = format!("{path} does not say which version of {file} it is of: its image is needed beside it");
        Some(Cause::NoSymbols(file.to_owned()).because(reason))
    }

    /// Opens a file with its partner, which may lie beside it or anywhere else.
    fn open(&mut self, file: Offer) -> Option<usize> {
        if file.bytes.is_none()
            && let Some(known) = self.opened.get(&file.path)
        {
            return *known;
        }
        if self.stop.as_ref().is_some_and(|stop| stop()) {
            return None;
        }
        let path = file.path;
        let session = match file.bytes {
            Some(bytes) => Session::from_bytes(vec![(path.clone(), bytes)]),
            None => Session::open(std::slice::from_ref(&path)).map(|session| self.with_symbols(&path, session)),
        };
        let index = session.ok().map(|session| {
            let number = self.pairs.len();
            self.pairs.push(Pair::new(Arc::new(session), number));
            number
        });
        self.opened.insert(path, index);
        index
    }

    /// The symbols of an image that has none beside it.
    fn with_symbols(&self, path: &Path, session: Session) -> Session {
        if session.symbol_file().is_some() {
            return session;
        }
        let Some(image) = session.image() else { return session };
        let names = image.pe.debug.iter().filter_map(|entry| entry.rsds()).map(|rsds| rsds.path.clone());
        for (id, name) in codeview_ids(&image.pe).zip(names) {
            for candidate in self.finders.iter().flat_map(|finder| finder.by_id(id, &name)) {
                let pair = match candidate.bytes {
                    Some(bytes) => match Location::of(path).read(MAX_WHOLE) {
                        Ok(image) => Session::from_bytes(vec![(path.to_owned(), image), (candidate.path, bytes)]),
                        Err(_) => continue,
                    },
                    None => Session::open(&[path.to_owned(), candidate.path]),
                };
                match pair {
                    Ok(pair) if pair.pdb_match() == PdbMatch::Matched => return pair,
                    _ => {}
                }
            }
        }
        session
    }
}

impl Pair {
    fn new(session: Arc<Session>, number: usize) -> Self {
        let (by_name, ahead, optimized) = Default::default();
        Self { session, number, by_name, ahead, optimized }
    }

    /// Returns whether the pair is the one that `key` asks for; the error names a build that does not match.
    fn check(&self, key: &Key) -> Result<bool, String> {
        let session = &self.session;
        match key {
            Key::Name(name) => Ok(self.is_called(name)),
            Key::Stamp(name, _) if !self.is_called(name) => Ok(false),
            Key::Stamp(_, stamp) => match session.image().map(|image| image.pe.coff.time_date_stamp) {
                Some(have) if have != *stamp => Err(format!(
                    "{} does not match: the report has the time stamp {stamp:08x}, its image {have:08x}",
                    self.path()
                )),
                _ => Ok(true),
            },
            Key::Id(guid, rest, _) => {
                let Some(have) = session.symbols().and_then(SymbolReader::id) else { return Ok(false) };
                let fits = match (rest, have.suffix) {
                    // A Windows PDB's age grows when it is written again; a trace gives a portable PDB the age 1.
                    (Some(age), IdSuffix::Age(have)) => have >= *age,
                    (Some(stamp), IdSuffix::Stamp(have)) => have == *stamp || *stamp == 1,
                    _ => true,
                };
                if have.guid == *guid && fits {
                    return Ok(true);
                }
                let wanted = rest.map_or(guid.to_string(), |rest| format!("{guid} {rest:x}"));
                Err(format!("{} does not match: the trace expects {wanted}, this PDB has {have}", self.path()))
            }
            Key::Mvid(mvid, _) => {
                let have = session.image().and_then(Image::mvid);
                if have == Some(*mvid)
                    || session.symbols().and_then(SymbolReader::id).is_some_and(|id| id.guid == *mvid)
                {
                    return Ok(true);
                }
                match have {
                    Some(have) if key.is_called_as(self) => Err(format!(
                        "{} does not match: the trace expects the module version id {mvid}, its image has {have}",
                        self.path()
                    )),
                    _ => Ok(false),
                }
            }
        }
    }

    /// Returns whether its file, its module or its assembly has that name.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let same = |other: &str| goes_by(other, name);
        let in_table = |table: TableId, column: usize| {
            let metadata = self.session.metadata()?;
            metadata.string_cell(table, 1, column).ok().map(|text| same(&utf8(text.data)))
        };
        match self.session.image() {
            Some(image) => {
                same(&image.name)
                    || in_table(TableId::MODULE, 1).unwrap_or(false)
                    || in_table(TableId::ASSEMBLY, 7).unwrap_or(false)
            }
            None => self.session.symbol_file().is_some_and(|symbols| same(&symbols.name)),
        }
    }

    /// Identity of the build: the GUID of the symbols, or the MVID of an image without symbols.
    fn build(&self) -> (Option<Guid>, Option<Guid>) {
        let symbols = self.session.symbols().and_then(SymbolReader::id).map(|id| id.guid);
        let image = self.session.image().and_then(Image::mvid);
        // Symbols alone and symbols with their image are the same build.
        if symbols.is_some() { (symbols, None) } else { (None, image) }
    }

    /// Its path: the symbols' where there are any.
    pub(crate) fn path(&self) -> String {
        let symbols = self.session.symbol_file().map(|symbols| &symbols.path);
        let path = symbols.or(self.session.image().map(|image| &image.path));
        path.map_or(String::new(), |path| path.display().to_string())
    }

    /// The methods whose own name, without what comes before its last dot, is `last`.
    pub(crate) fn methods_called(&self, last: &str) -> &[Token] {
        let by_name = self.by_name.get_or_init(|| {
            let mut index: HashMap<String, Vec<Token>> = HashMap::new();
            if let (Some(names), Some(metadata)) = (self.session.names(), self.session.metadata()) {
                for row in 1..=metadata.rows(TableId::METHOD_DEF) {
                    let method = Token::new(TableId::METHOD_DEF, row);
                    let own = names.method_name(method);
                    index.entry(last_part(&own).to_owned()).or_default().push(method);
                }
            }
            index
        });
        by_name.get(last).map_or(&[], Vec::as_slice)
    }
}

/// Returns the part after the last dot of a name: `ctor` of `.ctor`.
pub(crate) fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Key by which the module of a frame is looked up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// A file name or an assembly's name. It is no proof that the file found is the one that ran.
    Name(String),
    /// A file name or an assembly's name, and the time stamp in the COFF header: an image proves it, symbols alone do not.
    Stamp(String, u32),
    /// The id of the symbols: GUID, age or stamp, and what the file is called.
    Id(Guid, Option<u32>, String),
    /// The image's module version id, and the name of its file, which may be empty.
    Mvid(Guid, String),
}

impl Key {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Stamp(name, stamp) => format!("{name} with the time stamp {stamp:08x}"),
            Self::Id(guid, _, name) => format!("{name} {guid}"),
            Self::Mvid(mvid, name) if name.is_empty() => format!("the module {mvid}"),
            Self::Mvid(mvid, name) => format!("{name} with the module version id {mvid}"),
        }
    }

    /// Name of the file, for a summary.
    pub(super) fn file(&self) -> &str {
        match self {
            Self::Mvid(_, name) if name.is_empty() => "a module id",
            Self::Name(name) | Self::Stamp(name, _) | Self::Id(.., name) | Self::Mvid(_, name) => name,
        }
    }

    /// Returns whether a pair has the name in the key, if the key has one.
    pub(super) fn is_called_as(&self, pair: &Pair) -> bool {
        matches!(
            self,
            Self::Name(name) | Self::Stamp(name, _) | Self::Id(.., name) | Self::Mvid(_, name) if pair.is_called(name)
        )
    }

    /// Returns whether the key identifies a build.
    pub(crate) const fn is_proof(&self) -> bool {
        !matches!(self, Self::Name(_) | Self::Stamp(..))
    }

    /// Refusal of a build that it does not ask for.
    pub(super) fn other_build(&self, reason: String) -> Refusal {
        Cause::OtherBuild(self.file().to_owned()).because(reason)
    }
}
