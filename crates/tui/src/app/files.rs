//! Files: opening others, and switching between those that are open.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::App;
use super::symbols::misses_symbols;
use crate::engine::action::Action;
use crate::engine::jobs::Queue;
use crate::overlays::container::container_files;
use crate::overlays::files::open_files;
use crate::overlays::finder::Names;
use crate::overlays::path_prompt::PathPrompt;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::expand_home;
use crate::state::view::View;
use pdblens_nodes::Place;
use pdblens_nodes::rows::Tone;
use pdblens_query::definition::definition;
use pdblens_query::search::Index;
use pdblens_session::session::inputs::{Location, Unit, open_or_list, others, own_unit};
use pdblens_session::session::{OpenError, PdbMatch, Session};

/// Pairs that stay open.
const MAX_OPEN: usize = 32;

/// Opens a file: with the open one, where that lacks what the file is and both match, even if the same symbols are beside it too;
/// else by itself.
fn open(path: &Path, other: Option<PathBuf>) -> Result<Session, OpenError> {
    let pair = |other| Session::open(&[path.to_owned(), other]).ok();
    match other.and_then(pair).filter(|pair| pair.pdb_match() == PdbMatch::Matched) {
        Some(pair) => Ok(pair),
        None => open_or_list(&[path.to_owned()]),
    }
}

/// The path of the file whose other half is missing or does not match.
fn incomplete(session: &Session) -> Option<&Path> {
    match (session.image(), session.symbol_file()) {
        (Some(image), _) if misses_symbols(session) => Some(&image.path),
        (None, Some(symbols)) => Some(&symbols.path),
        _ => None,
    }
}

/// Returns whether a session has a file.
fn has_file(session: &Session, path: &Path) -> bool {
    let images = session.image().map(|image| image.path.as_path());
    images.into_iter().chain(session.symbol_file().map(|file| file.path.as_path())).any(|own| own == path)
}

/// Inputs that were named, and their pairs, where those are several; else the error.
pub(super) fn several(error: OpenError) -> Result<(Vec<PathBuf>, Vec<Unit>), OpenError> {
    let (paths, choices) = match error {
        OpenError::Ambiguous { path, choices } => (vec![path], choices),
        OpenError::Several { paths, choices } => (paths, choices),
        other => return Err(other),
    };
    Ok((paths, choices.into_iter().map(Unit::of_files).collect()))
}

/// A job that collects the names of files; `None` where all are known.
pub(super) fn names_job(files: Vec<(Arc<Session>, Names)>) -> Option<Effect> {
    let unknown: Vec<_> = files.into_iter().filter(|(_, names)| names.get().is_none()).collect();
    if unknown.is_empty() {
        return None;
    }
    let job = Job::new("collecting names of the other files", "other names", move |token| {
        for (session, names) in unknown {
            let index = Index::build(&session, &|_, _| !token.is_cancelled());
            if token.is_cancelled() {
                break;
            }
            // A second index has the same names.
            let _ = names.set(index);
        }
        Msg::OverlayReady
    });
    Some(Effect::Start(job.on(Queue::Background)))
}

impl App {
    /// The open files that are not shown, with their names.
    pub(super) fn other_names(&mut self) -> Vec<(Arc<Session>, Names)> {
        let opened = &self.opened;
        self.known_names.retain(|(session, _)| opened.iter().any(|open| Arc::ptr_eq(open, session)));
        let others: Vec<Arc<Session>> = opened.iter().filter(|session| !self.is_open(session)).cloned().collect();
        others.into_iter().map(|session| (Arc::clone(&session), self.names_of(&session))).collect()
    }

    /// The names of a session: those that are known of it.
    pub(super) fn names_of(&mut self, session: &Arc<Session>) -> Names {
        if let Some((_, names)) = self.known_names.iter().find(|(other, _)| Arc::ptr_eq(other, session)) {
            return Arc::clone(names);
        }
        let names = Names::default();
        self.known_names.push((Arc::clone(session), Arc::clone(&names)));
        names
    }

    /// Asks for a file to open.
    pub(super) fn ask_for_file(&mut self) -> Vec<Effect> {
        let other = self.session.as_deref().and_then(incomplete).map(Path::to_owned);
        let note = match other.as_deref().and_then(Path::file_name) {
            Some(name) => {
                format!("A DLL, EXE, PDB or archive. A file that matches {} is added to it.", name.to_string_lossy())
            }
            None => "A DLL, EXE, PDB or archive; the matching file is searched for beside it.".to_owned(),
        };
        let prompt = PathPrompt::new("Open a file", note, false, move |text| {
            let (path, other) = (expand_home(text.trim()), other.clone());
            vec![Effect::Start(Job::new(format!("opening {text}"), "open file", move |_| {
                Msg::FileOpened(open(&path, other))
            }))]
        });
        self.open_prompt(prompt.of_existing())
    }

    /// Goes to the definition of an operand in this or another of the open files, else to the operand's own place.
    pub(super) fn follow_operand(&self, to: Place) -> Effect {
        let others: Vec<Arc<Session>> = self.opened.iter().filter(|other| !self.is_open(other)).cloned().collect();
        let found = self.session.as_ref().and_then(|session| definition(session, to, &others));
        match found {
            Some((session, method)) if self.is_open(&session) => Effect::Go(Place::Method(method).into()),
            Some((session, method)) => Effect::Visit(session, Place::Method(method).into()),
            None => Effect::Go(to.into()),
        }
    }

    /// Shows a file that was opened.
    pub(super) fn take_file(&mut self, opened: Result<Session, OpenError>) -> Vec<Effect> {
        match opened {
            Ok(session) => {
                let home = (View::Overview.def().home)(&session);
                let mut effects: Vec<Effect> = self.remember_recent(&session).into_iter().collect();
                let others = self.remember_container(&session);
                let session = Arc::new(session);
                self.join(&session);
                effects.push(Effect::Visit(session, home.into()));
                effects.extend(others.map(|text| Effect::SetStatus(Tone::Text, text)));
                effects
            }
            Err(error) => match several(error) {
                Ok((paths, units)) => self.list_container(&paths, units),
                Err(error) => vec![Effect::SetStatus(Tone::Bad, error.to_string())],
            },
        }
    }

    /// Replaces the shown file by a pair that has it and its other half: it is not open twice, and the history leads into the pair.
    fn join(&mut self, pair: &Arc<Session>) {
        let joins = |old: &&Arc<Session>| {
            pair.pdb_match() == PdbMatch::Matched && incomplete(old).is_some_and(|path| has_file(pair, path))
        };
        let Some(old) = self.session.clone().filter(|old| joins(&old)) else { return };
        self.navigation.push_history(self.session.as_ref());
        self.opened.retain(|other| !Arc::ptr_eq(other, &old));
        self.navigation.replace(&old, pair);
        self.switch_session(Arc::clone(pair));
        self.remember_open();
        self.set_status(Tone::Text, format!("{} is open now", self.file_names()));
    }

    /// Lists the pairs of what was named, which are several.
    pub(super) fn list_container(&mut self, paths: &[PathBuf], units: Vec<Unit>) -> Vec<Effect> {
        self.add_container(paths);
        let own = if let [path] = paths { own_unit(path, &units) } else { None };
        let (picker, effects) = container_files(paths, units, self.session.is_none());
        self.open_overlay(match own {
            Some(own) => picker.at(own),
            None => picker,
        });
        effects
    }

    /// Keeps the container that a session was opened from for the list of files; the sentence that names the others in it, if there are
    /// others that were not named.
    pub(super) fn remember_container(&mut self, session: &Session) -> Option<String> {
        let image = session.image().map(|image| &image.path);
        let path = image.or_else(|| session.symbol_file().map(|file| &file.path))?;
        let Location::Entry { container, path } = Location::of(path) else { return None };
        self.add_container(std::slice::from_ref(&container));
        let (others, key) = (others(session), self.key_of(Action::SwitchFile));
        let name = container.file_name().unwrap_or_default().display();
        (others > 0).then(|| format!("{path} is open, 1 of {} in {name}: {key} leads to the list", others + 1))
    }

    fn add_container(&mut self, paths: &[PathBuf]) {
        self.containers.retain(|other| other != paths);
        self.containers.insert(0, paths.to_vec());
    }

    /// Opens a pair that was chosen in a list, with symbols that do not match where they are all there is.
    pub(super) fn open_unit(&mut self, unit: Unit) -> Vec<Effect> {
        if self.session.is_none() {
            // The first files: chosen in the list of what the command line names.
            self.options.files = unit.files().map(Path::to_owned).collect();
            return vec![self.open_by(move || unit.open())];
        }
        let name = unit.path().file_name().unwrap_or_default().display().to_string();
        vec![Effect::Start(Job::new(format!("opening {name}"), "open file", move |_| Msg::FileOpened(unit.open())))]
    }

    /// Lists the open files, and those that were opened before.
    pub(super) fn choose_file(&mut self) -> Vec<Effect> {
        self.remember_open();
        let overlay =
            open_files(self.opened.clone(), self.session.clone(), self.containers.clone(), self.closed_recents());
        self.open_overlay(overlay);
        Vec::new()
    }

    /// Closes the shown pair; the last one stays.
    pub(super) fn close_file(&mut self) {
        self.remember_open();
        let Some(session) = self.session.clone() else { return };
        let Some(next) = self.opened.iter().rfind(|other| !Arc::ptr_eq(other, &session)).cloned() else {
            return self.set_status(Tone::Dim, "this is the only file: q quits");
        };
        let name = self.file_names();
        self.opened.retain(|other| !Arc::ptr_eq(other, &session));
        self.navigation.forget(&session);
        self.switch_session(next);
        self.show_home();
        self.set_status(Tone::Text, format!("{name} is closed"));
    }

    /// Adds the shown pair to those that are open, as the last one.
    pub(super) fn remember_open(&mut self) {
        let Some(session) = &self.session else { return };
        self.opened.retain(|other| !Arc::ptr_eq(other, session));
        self.opened.push(Arc::clone(session));
        if self.opened.len() > MAX_OPEN {
            self.opened.remove(0);
        }
    }
}
