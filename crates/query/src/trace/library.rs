//! The pairs that a trace's frames are looked up in: found once, checked once, kept.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::builds::Choice;
use super::context::Above;
use super::frame::{Edit, Frame, Module};
use super::index::MethodIndex;
use super::memo::Memo;
use super::outcome::{Cause, Outcome, Proof, Refusal};
use super::symbols::{FindSymbols, Offer, goes_by};
use pdblens_formats::bytes::Guid;
use pdblens_formats::metadata::TableId;
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
    /// Path of its symbols, or of an image without.
    pub(super) path: String,
    pub(super) methods: OnceCell<MethodIndex>,
    /// Names that were made to tell overloads apart.
    pub(super) names_made: Cell<u32>,
    /// Functions that an AOT compiler may have made of methods.
    pub(super) ahead: OnceCell<AheadIndex>,
}

/// All that the outcome of a frame depends on.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    frame: Frame,
    above: Above,
    /// Build of its module that was chosen, and why.
    choice: Option<(usize, String)>,
    /// Number of pairs that are open.
    pub(super) pairs: usize,
}

#[derive(Default)]
pub(crate) struct Library {
    pub(super) finders: Vec<Box<dyn FindSymbols>>,
    pub(super) pairs: Vec<Rc<Pair>>,
    /// Number of pairs that were open before any search.
    pub(super) held: usize,
    opened: HashMap<PathBuf, Option<Rc<Pair>>>,
    /// Builds that a module could be.
    answers: HashMap<Module, Result<Vec<Rc<Pair>>, Refusal>>,
    /// Those of several that traces are of, by the name of the module.
    pub(super) chosen: HashMap<String, Choice>,
    /// Pairs that a frame of the trace cannot be of, and the evidence.
    pub(super) condemned: HashMap<usize, String>,
    pub(super) required: Proof,
    /// Methods that an IL offset led to are left without a name.
    pub(super) is_without_names: bool,
    pub(super) outcomes: Memo<Question, Result<Outcome, Refusal>>,
    /// Reasons for which a frame cannot be of a pair, which is known by its number.
    pub(super) contradictions: Memo<(Frame, Above, usize), Option<String>>,
    all: Option<Vec<Rc<Pair>>>,
    /// Returns true once the answer is not wanted any more; asked before each file is opened.
    pub(super) stop: Option<Box<dyn Fn() -> bool>>,
}

/// Pairs that were looked at for a module.
#[derive(Default)]
struct PairSearch {
    found: Vec<Rc<Pair>>,
    /// Images of its name without symbols.
    bare: Vec<Rc<Pair>>,
    refused: Vec<Refusal>,
}

impl Library {
    /// Adds a pair that is open already, before anything is looked for: it goes before everything that finders have.
    pub(crate) fn hold(&mut self, session: Arc<Session>) {
        self.add(session);
        self.held = self.pairs.len();
    }

    fn add(&mut self, session: Arc<Session>) -> Rc<Pair> {
        let pair = Rc::new(Pair::new(session, self.pairs.len()));
        self.pairs.push(Rc::clone(&pair));
        pair
    }

    /// The session that a resolved frame was found in.
    pub(crate) fn session_of(&self, outcome: &Outcome) -> Option<&Arc<Session>> {
        let Outcome::Resolved(found) = outcome else { return None };
        Some(&self.pairs.get(found.pair)?.session)
    }

    pub(super) fn question(&self, frame: &Frame, above: &Above) -> Question {
        let choice = self.choice(&frame.module).map(|choice| (choice.pair.number, choice.note.text.clone()));
        let (frame, above) = anywhere(frame, above);
        Question { frame, above, choice, pairs: self.pairs.len() }
    }

    /// The pair of a module; or why there is none.
    pub(crate) fn find(&mut self, module: &Module) -> Result<Rc<Pair>, Refusal> {
        let builds = self.builds(module)?;
        if let [only] = builds.as_slice() {
            return Ok(Rc::clone(only));
        }
        let paths: Vec<&str> = builds.iter().map(|pair| pair.path.as_str()).collect();
        Err(Cause::Ambiguous.because(format!(
            "there are {} builds of {}, and the trace does not say which: {}",
            paths.len(),
            module.description(),
            paths.join(", ")
        )))
    }

    /// The builds that a module could be, of one of which it is; or why there is none.
    pub(super) fn builds(&mut self, module: &Module) -> Result<Vec<Rc<Pair>>, Refusal> {
        if let Some(known) = self.answers.get(module) {
            return known.clone();
        }
        let answer = self.look_for(module);
        if self.answers.len() >= MAX_ANSWERS {
            self.answers.clear();
        }
        self.answers.insert(module.clone(), answer.clone());
        answer
    }

    pub(crate) fn all(&mut self) -> Vec<Rc<Pair>> {
        if self.all.is_none() {
            let files: Vec<Offer> = self.finders.iter().flat_map(|finder| finder.all()).take(MAX_OPENED).collect();
            let mut found: Vec<Rc<Pair>> =
                self.pairs.iter().take(self.held).filter(|pair| !pair.is_mismatch()).cloned().collect();
            found.extend(files.into_iter().filter_map(|file| self.open(file)));
            found.retain(|pair| pair.has_symbols());
            self.all = Some(one_of_each(found));
        }
        self.all.clone().unwrap_or_default()
    }

    fn look_for(&mut self, module: &Module) -> Result<Vec<Rc<Pair>>, Refusal> {
        let mut search = PairSearch::default();
        for pair in self.pairs.iter().take(self.held) {
            search.add(module, pair, false);
        }
        if let Some(first) = search.found.first() {
            return Ok(vec![Rc::clone(first)]);
        }
        for finder in 0..self.finders.len() {
            for file in self.offers(finder, module) {
                if let Some(pair) = self.open(file) {
                    search.add(module, &pair, true);
                }
            }
            self.take_other_builds(module, &mut search.found, &search.bare, &mut search.refused);
            if !search.found.is_empty() {
                break;
            }
        }
        let mut found = one_of_each(search.found);
        if found.is_empty() {
            return Err(search.refused.into_iter().next().unwrap_or_else(|| {
                let reason = format!("no symbols of {} were found", module.description());
                Cause::NoSymbols(module.file().to_owned()).because(reason)
            }));
        }
        if module.is_proof() {
            found.truncate(1);
        }
        Ok(found)
    }

    fn offers(&self, finder: usize, module: &Module) -> Vec<Offer> {
        let Some(finder) = self.finders.get(finder) else { return Vec::new() };
        match module {
            Module::Symbols(guid, rest, name) => {
                let rest = rest.map_or(IdSuffix::None, IdSuffix::Age);
                finder.by_id(SymbolId { guid: *guid, suffix: rest }, name)
            }
            Module::Mvid(mvid, name) => {
                let found = finder.by_mvid(*mvid);
                // Another build of that name is named in the reason.
                if found.is_empty() && !name.is_empty() { finder.by_image_name(name) } else { found }
            }
            _ => finder.by_image_name(module.name()),
        }
    }

    /// Opens a file with its partner, which may lie beside it or anywhere else.
    fn open(&mut self, file: Offer) -> Option<Rc<Pair>> {
        if file.bytes.is_none()
            && let Some(known) = self.opened.get(&file.path)
        {
            return known.clone();
        }
        if self.stop.as_ref().is_some_and(|stop| stop()) {
            return None;
        }
        let path = file.path;
        let session = match file.bytes {
            Some(bytes) => Session::from_bytes(vec![(path.clone(), bytes)]),
            None => Session::open(std::slice::from_ref(&path)).map(|session| self.with_symbols(&path, session)),
        };
        let pair = session.ok().map(|session| self.add(Arc::new(session)));
        self.opened.insert(path, pair.clone());
        pair
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
    pub(super) fn new(session: Arc<Session>, number: usize) -> Self {
        let (methods, names_made, ahead) = Default::default();
        let symbols = session.symbol_file().map(|symbols| &symbols.path);
        let path = symbols.or(session.image().map(|image| &image.path));
        let path = path.map_or(String::new(), |path| path.display().to_string());
        Self { session, number, path, methods, names_made, ahead }
    }

    /// Returns whether the pair is of a module; the refusal names a build that does not match.
    fn check(&self, module: &Module) -> Result<bool, Refusal> {
        let session = &self.session;
        let have = session.symbols().and_then(SymbolReader::id);
        match module {
            Module::Stamped(name, stamp) if self.is_called(name) => {
                match session.image().map(|image| image.pe.coff.time_date_stamp) {
                    Some(have) if have != *stamp => Err(module.other_build(format!(
                        "{} does not match: the report has the time stamp {stamp:08x}, its image {have:08x}",
                        self.path
                    ))),
                    _ => Ok(true),
                }
            }
            Module::Symbols(guid, rest, _) => {
                let Some(have) = have else { return Ok(false) };
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
                let text = format!("{} does not match: the trace expects {wanted}, this PDB has {have}", self.path);
                Err(module.other_build(text))
            }
            Module::Mvid(mvid, name) => match session.image().and_then(Image::mvid) {
                image if image == Some(*mvid) || have.is_some_and(|id| id.guid == *mvid) => Ok(true),
                Some(have) if self.is_called(name) => Err(module.other_build(format!(
                    "{} does not match: the trace expects the module version id {mvid}, its image has {have}",
                    self.path
                ))),
                _ => Ok(false),
            },
            _ => Ok(self.is_called(module.name())),
        }
    }

    fn has_symbols(&self) -> bool {
        self.session.symbol_file().is_some()
    }

    /// Returns whether image and symbols are of different builds, as they are only where both were named.
    fn is_mismatch(&self) -> bool {
        self.session.pdb_match().is_mismatch()
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
}

/// A frame and the one above it without their places in the text: all that the judgement looks at.
pub(super) fn anywhere(frame: &Frame, above: &Above) -> (Frame, Above) {
    let frame = Frame { range: 0..0, row: 0, path: None, edit: Edit::None, ..frame.clone() };
    (frame, Above { row: 0, ..above.clone() })
}

/// The same build may be found under several names.
fn one_of_each(found: Vec<Rc<Pair>>) -> Vec<Rc<Pair>> {
    let mut kept: Vec<Rc<Pair>> = Vec::new();
    for pair in found {
        if !kept.iter().any(|other| other.number == pair.number || other.build() == pair.build()) {
            kept.push(pair);
        }
    }
    kept
}

impl PairSearch {
    /// Adds a pair where it belongs. One that was open already was not looked for by its name.
    fn add(&mut self, module: &Module, pair: &Rc<Pair>, is_offered: bool) {
        let is_called = || pair.is_called(module.name());
        let why = || Reason::first(pair.session.match_reasons());
        let file = || module.file().to_owned();
        match pair.check(module) {
            Ok(true) if pair.is_mismatch() && !module.is_proof() => {
                self.refused.push(module.other_build(format!("{} does not match: {}", pair.path, why())));
            }
            Ok(true) if pair.has_symbols() => self.found.push(Rc::clone(pair)),
            Ok(true) => {
                self.bare.push(Rc::clone(pair));
                if is_offered {
                    // Symbols beside it may be of another build.
                    let is_other = refused_partner(&pair.session).is_some();
                    let cause = if is_other { Cause::OtherBuild(file()) } else { Cause::NoSymbols(file()) };
                    let (name, path) = (module.description(), &pair.path);
                    self.refused.push(cause.because(format!("no symbols of {name} were found: {} ({path})", why())));
                }
            }
            Err(refusal) if is_offered || is_called() => self.refused.push(refusal),
            // Symbols go by the name of a module of which a trace has the version id, which only the image has.
            _ if pair.session.image().is_none() && matches!(module, Module::Mvid(..)) && is_called() => {
                let (path, name) = (&pair.path, module.file());
                let reason =
                    format!("{path} does not say which version of {name} it is of: its image is needed beside it");
                self.refused.push(Cause::NoSymbols(file()).because(reason));
            }
            _ => {}
        }
    }
}

impl Module {
    /// The module, where a build of it can be looked for.
    ///
    /// # Errors
    /// Nothing will ever identify it.
    pub(super) fn known(&self) -> Result<Option<&Self>, Refusal> {
        match self {
            Self::Unknown | Self::Faulting | Self::Loaded => Ok(None),
            Self::Footer(short) => {
                Err(Cause::NoModule.because(format!("the report does not say which module {short} is")))
            }
            Self::Mvid(mvid, _) if mvid.is_nil() => Err(Cause::NoOffset
                .because("the module id is all zeros: IL2CPP writes that, and keeps neither module nor IL offset")),
            _ => Ok(Some(self)),
        }
    }

    /// Says by what its build is known.
    pub(super) fn note(&self) -> Option<Reason> {
        let (reason, text) = match self {
            Self::Unknown | Self::Faulting | Self::Loaded | Self::Footer(_) => return None,
            Self::File(name) => ("by-name", format!("{name} by name: nothing in the trace says which build")),
            Self::Stamped(name, stamp) => {
                ("by-stamp", format!("{name} by name and by the time stamp of its image, {stamp:08x}"))
            }
            Self::Mvid(mvid, name) if name.is_empty() => ("by-id", format!("module by its version id {mvid}")),
            Self::Mvid(mvid, name) => ("by-id", format!("{name} by its version id {mvid}")),
            Self::Symbols(guid, _, name) => ("by-id", format!("{name} by its id {guid}")),
        };
        Some(Reason::new(reason, text))
    }

    /// Its name and what else identifies it.
    fn description(&self) -> String {
        match self {
            Self::Stamped(name, stamp) => format!("{name} with the time stamp {stamp:08x}"),
            Self::Symbols(guid, _, name) => format!("{name} {guid}"),
            Self::Mvid(mvid, name) if name.is_empty() => format!("the module {mvid}"),
            Self::Mvid(mvid, name) => format!("{name} with the module version id {mvid}"),
            _ => self.name().to_owned(),
        }
    }

    /// Name of the file or of the assembly; empty where the trace has none.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Unknown | Self::Faulting | Self::Loaded => "",
            Self::File(name)
            | Self::Stamped(name, _)
            | Self::Footer(name)
            | Self::Mvid(_, name)
            | Self::Symbols(.., name) => name,
        }
    }

    /// Name of the file, for a summary.
    fn file(&self) -> &str {
        match self.name() {
            "" => "a module id",
            name => name,
        }
    }

    /// Returns whether it identifies a build.
    pub(crate) fn is_proof(&self) -> bool {
        match self {
            Self::Symbols(..) => true,
            Self::Mvid(mvid, _) => !mvid.is_nil(),
            _ => false,
        }
    }

    /// Refusal of a build that is not the one in the trace.
    pub(super) fn other_build(&self, reason: String) -> Refusal {
        Cause::OtherBuild(self.file().to_owned()).because(reason)
    }
}
