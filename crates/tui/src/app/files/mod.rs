//! Files: which are open and which were, their names, where sources and symbols are searched for, and changes on disk.

mod background;
mod opened;
pub(super) mod recents;
mod reload;
mod sources;
mod symbols;

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use self::opened::Opened;
use self::recents::{Recent, Recents};
pub(super) use self::reload::WATCH;
use self::reload::Watch;
pub(super) use self::symbols::misses_symbols;
use crate::engine::jobs::{JobHandle, Queue};
use crate::overlays::confirm::Confirm;
use crate::overlays::container::{Listing, container_files};
use crate::overlays::files::{comparison_job, files_to_compare, open_files};
use crate::overlays::finder::Names;
use crate::overlays::path_prompt::PathPrompt;
use crate::state::comparison::Comparison;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::{Paths, expand_home, names_of};
use crate::state::texts::Texts;
use pdblens_formats::reason::Reason;
use pdblens_query::process;
use pdblens_query::search::Index;
use pdblens_session::session::inputs::{Location, Unit, open_or_list, others, own_unit};
use pdblens_session::session::read_file::open_text;
use pdblens_session::session::stamps::Stamp;
use pdblens_session::session::{OpenError, PdbMatch, Session, summary_of};
use pdblens_session::store::Looked;

/// Slot of the job that opens the files.
pub(super) const OPEN: &str = "open";
/// A pair of files, and its names once they are collected.
type NamesOf = (Arc<Session>, Names);

/// Opens a file: with the open one, where that lacks what the file is and both match, even if the same symbols are beside it too;
/// else by itself. Of a file that does not match, the pair is offered.
fn open(path: &Path, other: Option<PathBuf>) -> Msg {
    let pair = other.and_then(|other| Session::open(&[path.to_owned(), other]).ok());
    match pair {
        Some(pair) if pair.pdb_match() == PdbMatch::Matched => Msg::FileOpened(Ok(pair)),
        Some(pair) if pair.pdb_match().is_mismatch() => Msg::MismatchOpened(Box::new(pair), path.to_owned()),
        _ => Msg::FileOpened(open_or_list(&[path.to_owned()])),
    }
}

const MAX_TRACE_BYTES: u64 = 16 << 20;

/// Content of a text file, which may have stack traces.
fn read_trace(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    open_text(path).ok()?.take(MAX_TRACE_BYTES).read_to_end(&mut bytes).ok()?;
    (!bytes.contains(&0)).then_some(bytes)
}

pub(super) fn mismatch_question(pair: Session, path: PathBuf) -> Confirm {
    let name = path.file_name().unwrap_or_default().display().to_string();
    let text = vec![
        format!("{name}: {}", summary_of(&pair)),
        "Lines, sources and names of a pair that does not match are of another build.".to_owned(),
    ];
    let alone = Job::new(format!("opening {name}"), "open file", move |_| Msg::FileOpened(open_or_list(&[path])));
    let question = Confirm::new("Open both as a pair?".to_owned(), text, "open anyway", Msg::FileOpened(Ok(pair)));
    question.or("open it alone", vec![Effect::Start(alone)])
}

/// The path of the file whose other half is missing or does not match.
fn incomplete(session: &Session) -> Option<&Path> {
    match (session.image(), session.symbol_file()) {
        (Some(image), _) if misses_symbols(session) => Some(&image.path),
        (None, Some(symbols)) => Some(&symbols.path),
        _ => None,
    }
}

/// A job that collects the names of files; `None` where all are known.
fn names_job(label: &str, slot: &'static str, queue: Queue, files: &[NamesOf]) -> Option<Effect> {
    let unknown: Vec<_> = files.iter().filter(|(_, names)| names.get().is_none()).cloned().collect();
    if unknown.is_empty() {
        return None;
    }
    let job = Job::new(label, slot, move |token| {
        for (session, names) in unknown {
            let index = Index::build(&session, &|done, total| {
                token.report(done, total);
                !token.is_cancelled()
            });
            if token.is_cancelled() {
                break;
            }
            // A second index has the same names.
            let _ = names.set(index);
        }
        Msg::OverlayReady
    });
    Some(Effect::Start(job.on(queue)))
}

/// The names of a pair among those that are known; they are collected later.
fn known(files: &mut Vec<NamesOf>, session: &Arc<Session>) -> Names {
    if let Some((_, names)) = files.iter().find(|(other, _)| Arc::ptr_eq(other, session)) {
        return Arc::clone(names);
    }
    let names = Names::default();
    files.push((Arc::clone(session), Arc::clone(&names)));
    names
}

pub(super) struct Files {
    /// The files of the command line; empty for the built-in sample.
    named: Vec<PathBuf>,
    pub(super) opened: Opened,
    /// Folders and containers whose files were listed, those that were named together in one entry; the last one first.
    containers: Vec<Vec<PathBuf>>,
    listing: Option<Arc<Listing>>,
    pub(super) recents: Recents,
    names: Vec<NamesOf>,
    compared: Option<Arc<Comparison>>,
    paths: Arc<Paths>,
    texts: Texts,
    allowed_hosts: HashSet<String>,
    pub(super) watch: Watch,
    index_job: JobHandle,
}

impl Files {
    pub(super) fn new(named: Vec<PathBuf>, paths: Paths, recents: Option<Vec<Recent>>, now: Instant) -> Self {
        Self {
            named,
            opened: Opened::default(),
            containers: Vec::new(),
            listing: None,
            recents: Recents(recents),
            names: Vec::new(),
            compared: None,
            paths: Arc::new(paths),
            texts: Texts::default(),
            allowed_hosts: HashSet::new(),
            watch: Watch::new(now),
            index_job: JobHandle::default(),
        }
    }

    /// The builds that are compared, the new one of which is shown.
    pub(super) fn compared(&self) -> Option<&Arc<Comparison>> {
        self.compared.as_ref().filter(|compared| self.opened.is_shown(&compared.after))
    }

    pub(super) fn compare(&mut self, before: Arc<Session>) {
        self.compared = self.opened.shown.as_ref().map(|after| Arc::new(Comparison::new(before, Arc::clone(after))));
    }

    /// A list of the other open files to compare with; the prompt for a path where there are none.
    pub(super) fn comparison_prompt(&self) -> Vec<Effect> {
        let others = self.opened.others();
        if !others.is_empty() {
            return vec![Effect::Open(Box::new(files_to_compare(others, self.recents.closed(&self.opened.all))))];
        }
        let note = "A DLL, EXE or PDB of an older build, which the open files are compared with.".to_owned();
        let prompt = PathPrompt::new("Compare with", note, false, |text| {
            vec![Effect::Start(comparison_job(vec![expand_home(text.trim())]))]
        });
        prompt.of_existing().open()
    }

    pub(super) const fn session(&self) -> Option<&Arc<Session>> {
        self.opened.shown.as_ref()
    }

    pub(super) const fn paths(&self) -> &Arc<Paths> {
        &self.paths
    }

    pub(super) const fn texts(&self) -> &Texts {
        &self.texts
    }

    pub(super) const fn texts_mut(&mut self) -> &mut Texts {
        &mut self.texts
    }

    pub(super) fn set_session(&mut self, session: Arc<Session>) {
        self.opened.shown = Some(session);
        self.texts = Texts::default();
    }

    /// Takes the stamps of files, if they are shown.
    pub(super) fn take_stamps(&mut self, session: &Arc<Session>, found: Vec<(PathBuf, Stamp)>) -> Vec<Effect> {
        if !self.opened.is_shown(session) {
            return Vec::new();
        }
        self.watch.take_stamps(session, found, &self.paths)
    }

    /// Keeps where the symbols of the image were searched for.
    pub(super) fn set_looked(&mut self, looked: Vec<Looked>) {
        self.paths = Arc::new(Paths { looked, ..Paths::clone(&self.paths) });
    }

    /// The names of the files that are open or being opened.
    pub(super) fn label(&self) -> String {
        match &self.opened.shown {
            Some(session) if session.is_sample() => "built-in sample".to_owned(),
            Some(session) => {
                let names = session.image().into_iter().map(|file| file.name.as_str());
                let names = names.chain(session.symbol_file().into_iter().map(|file| file.name.as_str()));
                names.collect::<Vec<_>>().join(" + ")
            }
            None if self.named.is_empty() => "the built-in sample".to_owned(),
            None => names_of(&self.named),
        }
    }

    /// Opens the files of the command line. A place is one of the program's own assembly: then a folder is not listed.
    pub(super) fn open(&self, has_place: bool) -> Effect {
        let files = self.named.clone();
        self.open_by(move || if has_place { Session::open(&files) } else { open_or_list(&files) })
    }

    /// Opens the first files by a function, and completes them with symbols on this machine.
    fn open_by(&self, open: impl FnOnce() -> Result<Session, OpenError> + Send + 'static) -> Effect {
        let native = self.paths.native.clone();
        let opened = move || {
            let session = open()?;
            // Counted here because the first frame shows the number of methods.
            session.methods();
            if let Some(path) = native {
                let failed =
                    |reason: Reason| OpenError::Io { path: path.clone(), error: io::Error::other(reason.text) };
                let attached = process::attach(&session, &path).map_err(failed);
                // A process may have compiled no code of these files.
                if process::named(&path).is_none() {
                    attached?;
                }
            }
            Ok(session)
        };
        symbols::open_job(format!("opening {}", self.label()), opened, Arc::clone(&self.paths), None, Msg::Opened)
    }

    /// The names of the shown pair and of the other open ones, and the jobs that collect those that are not known.
    pub(super) fn names(&mut self) -> Option<(Names, Vec<NamesOf>, Vec<Effect>)> {
        let (session, others) = (self.opened.shown.clone()?, self.opened.others());
        self.names.retain(|(known, _)| [&session].into_iter().chain(&others).any(|open| Arc::ptr_eq(open, known)));
        let others: Vec<_> =
            others.into_iter().map(|other| (Arc::clone(&other), known(&mut self.names, &other))).collect();
        let names = known(&mut self.names, &session);
        let other_names = names_job("collecting names of the other files", "other names", Queue::Background, &others);
        let own = names_job("collecting names", "names", Queue::Interactive, &[(session, Arc::clone(&names))]);
        Some((names, others, other_names.into_iter().chain(own).collect()))
    }

    pub(super) fn file_prompt(&self) -> PathPrompt {
        let other = self
            .opened
            .shown
            .as_deref()
            .and_then(incomplete)
            .map(|path| path.file_name().unwrap_or_default().display());
        let joins = other.map_or("the matching file is searched for beside it".to_owned(), |name| {
            format!("a file that matches {name} is added to it")
        });
        let note = format!("A DLL, EXE, PDB or archive: {joins}. Or a log with stack traces.");
        let open = |path| vec![Effect::Update(Box::new(Msg::PathTyped(path)))];
        PathPrompt::new("Open a file", note, false, open).of_existing()
    }

    /// Opens a path that was typed, with the half that it completes; text is a stack trace.
    pub(super) fn open_path(&self, text: String) -> Effect {
        let other = self.opened.shown.as_deref().and_then(incomplete).map(Path::to_owned);
        Effect::Start(Job::new(format!("opening {text}"), "open file", move |_| {
            let path = expand_home(text.trim());
            match open(&path, other) {
                Msg::FileOpened(Err(error)) => match read_trace(&path) {
                    Some(bytes) => Msg::TraceFileRead(text, Ok(bytes)),
                    None => Msg::FileOpened(Err(error)),
                },
                opened => opened,
            }
        }))
    }

    /// Lists the pairs of what was named, where those are several; else the error.
    pub(super) fn list_several(&mut self, error: OpenError) -> Result<Vec<Effect>, OpenError> {
        let (paths, choices) = match error {
            OpenError::Ambiguous { path, choices } => (vec![path], choices),
            OpenError::Several { paths, choices } => (paths, choices),
            other => return Err(other),
        };
        Ok(self.list_container(&paths, choices.into_iter().map(Unit::of_files).collect()))
    }

    pub(super) fn list_container(&mut self, paths: &[PathBuf], units: Vec<Unit>) -> Vec<Effect> {
        self.add_container(paths);
        let own = if let [path] = paths { own_unit(path, &units) } else { None };
        let known = self.listing.take().filter(|listing| listing.paths == paths && listing.units == units);
        let is_new = known.is_none();
        self.listing = Some(known.unwrap_or_else(|| Arc::new(Listing::new(paths, units))));
        self.show_listing(if is_new { own } else { None })
    }

    /// The list that the shown pair was chosen from, at its row.
    pub(super) fn listing_of_shown(&self) -> Option<Vec<Effect>> {
        let (session, listing) = (self.opened.shown.as_ref()?, self.listing.as_ref()?);
        let is_chosen = session.paths().into_iter().any(|path| listing.has_chosen(path));
        is_chosen.then(|| self.show_listing(None))
    }

    fn show_listing(&self, own: Option<usize>) -> Vec<Effect> {
        let Some(listing) = &self.listing else { return Vec::new() };
        let (list, mut effects) =
            container_files(Arc::clone(listing), Arc::clone(&self.paths), own, self.opened.shown.is_none());
        effects.insert(0, Effect::Open(Box::new(list)));
        // The list is laid out after the overlay is on the screen.
        effects.insert(1, Effect::Update(Box::new(Msg::OverlayReady)));
        effects
    }

    /// Keeps the container that a session was opened from for the list of files; the sentence that names the others in it, if there are
    /// others that were not named.
    pub(super) fn remember_container(&mut self, session: &Session, key: &str) -> Option<String> {
        let image = session.image().map(|image| &image.path);
        let path = image.or_else(|| session.symbol_file().map(|file| &file.path))?;
        let Location::Entry { container, path } = Location::of(path) else { return None };
        self.add_container(std::slice::from_ref(&container));
        let others = others(session);
        let name = container.file_name().unwrap_or_default().display();
        (others > 0).then(|| format!("{path} is open, 1 of {} in {name}: {key} leads to the list", others + 1))
    }

    fn add_container(&mut self, paths: &[PathBuf]) {
        self.containers.retain(|other| other != paths);
        self.containers.insert(0, paths.to_vec());
    }

    /// Opens a pair that was chosen in a list, with symbols that do not match where they are all there is.
    pub(super) fn open_unit(&mut self, unit: Unit) -> Vec<Effect> {
        if let Some(listing) = &self.listing {
            listing.choose(&unit);
        }
        if self.opened.shown.is_none() {
            // The first files: chosen in the list of what the command line names.
            self.named = unit.files().map(Path::to_owned).collect();
            return vec![self.open_by(move || unit.open())];
        }
        let name = unit.path().file_name().unwrap_or_default().display().to_string();
        vec![Effect::Start(Job::new(format!("opening {name}"), "open file", move |_| Msg::FileOpened(unit.open())))]
    }

    pub(super) fn list(&mut self) -> Effect {
        self.opened.remember();
        let (opened, shown) = (self.opened.all.clone(), self.opened.shown.clone());
        Effect::Open(Box::new(open_files(
            opened,
            shown,
            self.containers.clone(),
            self.recents.closed(&self.opened.all),
        )))
    }
}
