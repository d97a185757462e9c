//! The list of open files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine::action::Action;
use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::{expand_home, names_of};
use crate::state::prospects::tone;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_session::session::inputs::units;
use pdblens_session::session::{OpenError, Session, summary_of};

/// The open pairs, the last one first.
#[derive(Default)]
pub struct OpenFiles {
    sessions: Vec<Arc<Session>>,
    shown: Option<Arc<Session>>,
    /// Folders and containers whose files were listed, those that were named together in one entry.
    containers: Vec<Vec<PathBuf>>,
    recents: Vec<Vec<PathBuf>>,
    /// True if the choice is a build to compare the shown pair with.
    compares: bool,
    /// Choices to compare, the old build first.
    marked: Vec<Choice>,
}

const MAX_MARKED: usize = 2;

/// Most bytes of a path that is typed.
const MAX_TYPED: usize = 1 << 12;

/// A choice: an open pair, the files of a container, the files of a pair that was opened before, or a path that was typed.
#[derive(Clone)]
enum Choice {
    Open(Arc<Session>),
    Container(Vec<PathBuf>),
    Recent(Vec<PathBuf>),
    Typed(PathBuf),
    /// A file whose path is completed as it is typed.
    Another,
}

/// A picker of the open files, and of those that were opened before.
pub fn open_files(
    mut sessions: Vec<Arc<Session>>,
    shown: Option<Arc<Session>>,
    containers: Vec<Vec<PathBuf>>,
    recents: Vec<Vec<PathBuf>>,
) -> Picker<OpenFiles> {
    sessions.reverse();
    Picker::new(OpenFiles { sessions, shown, containers, recents, ..OpenFiles::default() })
}

/// A picker of the builds that the shown pair can be compared with: open ones, those that were opened before, or a typed path.
pub fn files_to_compare(mut sessions: Vec<Arc<Session>>, recents: Vec<Vec<PathBuf>>) -> Picker<OpenFiles> {
    sessions.reverse();
    Picker::new(OpenFiles { sessions, recents, compares: true, ..OpenFiles::default() })
}

pub fn comparison_job(files: Vec<PathBuf>) -> Job {
    let name = names_of(&files);
    Job::new(format!("opening {name}"), "open compared", move |_| {
        Msg::CompareWith(Session::open(&files).map(Arc::new), None)
    })
}

type Opened = Result<Arc<Session>, OpenError>;

/// A job that opens two builds, the old one first, and compares them.
pub fn job_of_two(
    before: impl FnOnce() -> Opened + Send + 'static,
    after: impl FnOnce() -> Opened + Send + 'static,
) -> Job {
    Job::new("opening two builds", "open compared", move |_| match after() {
        Ok(after) => Msg::CompareWith(before(), Some(after)),
        Err(error) => Msg::CompareWith(Err(error), None),
    })
}

/// The names of files, and the folder of the first one.
fn recent_names(files: &[PathBuf]) -> (String, String) {
    let folder = files.first().and_then(|path| path.parent()).map(|path| path.display().to_string());
    (names_of(files), folder.unwrap_or_default())
}

fn path_row(paths: &[PathBuf], kind: &str) -> Row {
    let (name, folder) = recent_names(paths);
    Row::plain(vec![name.into(), Cell::toned(kind, Tone::Dim), Cell::toned(folder, Tone::Dim)])
}

fn marked_row(mut row: Row, mark: &str) -> Row {
    if let Some(name) = row.cells.first_mut() {
        name.text.insert_str(0, mark);
    }
    row
}

/// The names of a pair, and its folder.
fn names(session: &Session) -> (String, String) {
    let files = [
        session.image().map(|file| (file.name.clone(), file.path.clone())),
        session.symbol_file().map(|file| (file.name.clone(), file.path.clone())),
    ];
    let names: Vec<&str> = files.iter().flatten().map(|(name, _)| name.as_str()).collect();
    let folder = files.iter().flatten().find_map(|(_, path)| path.parent()).map(|path| path.display().to_string());
    (names.join(" + "), if session.is_sample() { "built-in sample".to_owned() } else { folder.unwrap_or_default() })
}

fn is_shown(session: &Arc<Session>, shown: Option<&Arc<Session>>) -> bool {
    shown.is_some_and(|shown| Arc::ptr_eq(shown, session))
}

impl Choice {
    fn open(&self) -> Opened {
        match self {
            Self::Open(session) => Ok(Arc::clone(session)),
            other => Session::open(&other.paths()).map(Arc::new),
        }
    }

    fn paths(&self) -> Vec<PathBuf> {
        match self {
            Self::Open(session) => session.paths().into_iter().map(Path::to_owned).collect(),
            Self::Container(paths) | Self::Recent(paths) => paths.clone(),
            Self::Typed(path) => vec![path.clone()],
            Self::Another => Vec::new(),
        }
    }
}

impl OpenFiles {
    fn matching(&self, typed_path: &str) -> Vec<Choice> {
        // `/` begins to filter, as in the list of a folder.
        // No system has a longer path: a pasted log is none.
        let is_short = typed_path.len() <= MAX_TYPED;
        let typed = if is_short { typed_path.trim_start_matches('/').to_lowercase() } else { String::new() };
        let matches = |(name, folder): (String, String)| {
            is_short && typed.split_whitespace().all(|word| format!("{folder}/{name}").to_lowercase().contains(word))
        };
        let open = self.sessions.iter().filter(|session| matches(names(session))).cloned().map(Choice::Open);
        let recent = self.recents.iter().filter(|files| matches(recent_names(files))).cloned().map(Choice::Recent);
        let containers = self.containers.iter().filter(|paths| matches(recent_names(paths)));
        let is_path = |text: &str| text.contains(['/', '\\']) || Path::new(text).extension().is_some();
        let wants_path = is_short && if self.compares { !typed_path.trim().is_empty() } else { is_path(typed_path) };
        let path = wants_path.then(|| Choice::Typed(expand_home(typed_path.trim())));
        let other = (!self.compares && typed_path.is_empty()).then_some(Choice::Another);
        open.chain(containers.cloned().map(Choice::Container)).chain(recent).chain(path).chain(other).collect()
    }
}

impl Choices for OpenFiles {
    fn title(&self) -> &'static str {
        if self.compares {
            "Compare with an open file, or type a path"
        } else {
            "Open and recent files, or type a path"
        }
    }

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let found = self.matching(typed);
        let marked: Vec<Vec<PathBuf>> = self.marked.iter().map(Choice::paths).collect();
        let (shown, glyphs) = (self.shown.clone(), *cx.look.glyphs);
        let columns = Head::list(["", "", ""]);
        Rows::new(found.len().to_string(), columns, found.len(), move |index| {
            let mark = found.get(index).and_then(|choice| marked.iter().position(|paths| *paths == choice.paths()));
            let mark = mark.and_then(|mark| ["old: ", "new: "].get(mark)).copied().unwrap_or_default();
            let session = match found.get(index) {
                Some(Choice::Open(session)) => session,
                Some(Choice::Recent(files)) => return marked_row(path_row(files, "recent"), mark),
                Some(Choice::Container(paths)) => return path_row(paths, "list of its files"),
                Some(Choice::Typed(path)) => return path_row(std::slice::from_ref(path), "path"),
                Some(Choice::Another) => return Row::plain(vec!["another file, by its path".into()]),
                None => return Row::default(),
            };
            let (name, folder) = names(session);
            let is_shown = is_shown(session, shown.as_ref());
            let tone = tone(Some(session.pdb_match()));
            let name = Cell::toned(name, if is_shown { Tone::Strong } else { Tone::Text });
            let verdict = Cell::toned(format!("{} {}", glyphs.sign(tone), summary_of(session)), tone);
            marked_row(Row::plain(vec![name, verdict, Cell::toned(folder, Tone::Dim)]), mark)
        })
    }

    fn accept(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        if let [before, after] = self.marked.as_slice() {
            let open = |choice: Choice| move || choice.open();
            return vec![Effect::Start(job_of_two(open(before.clone()), open(after.clone())))];
        }
        match self.matching(typed).into_iter().nth(index) {
            Some(Choice::Open(session)) if self.compares => {
                vec![Effect::Update(Box::new(Msg::CompareWith(Ok(session), None)))]
            }
            Some(Choice::Recent(files)) if self.compares => vec![Effect::Start(comparison_job(files))],
            Some(Choice::Typed(path)) if self.compares => vec![Effect::Start(comparison_job(vec![path]))],
            Some(Choice::Typed(path)) => vec![Effect::Update(Box::new(Msg::PathTyped(path.display().to_string())))],
            Some(Choice::Another) => vec![Effect::Dispatch(Action::OpenFile)],
            // The pair that is shown stays where it is.
            Some(Choice::Open(session)) if is_shown(&session, self.shown.as_ref()) => Vec::new(),
            Some(Choice::Open(session)) => vec![Effect::Update(Box::new(Msg::OpenFileChosen(session)))],
            Some(Choice::Container(paths)) => {
                let label = format!("listing {}", recent_names(&paths).0);
                vec![Effect::Start(Job::new(label, "open file", move |_| {
                    let units = units(&paths);
                    Msg::ContainerListed(paths, units)
                }))]
            }
            Some(Choice::Recent(files)) => {
                let name = files.first().and_then(|path| path.file_name()).unwrap_or_default();
                vec![Effect::Start(Job::new(format!("opening {}", name.display()), "open file", move |_| {
                    Msg::FileOpened(Session::open(&files))
                }))]
            }
            None => Vec::new(),
        }
    }

    fn mark(&mut self, index: usize, typed: &str) -> bool {
        let choice = self.matching(typed).into_iter().nth(index);
        let Some(choice) = choice.filter(|choice| !self.compares && !choice.paths().is_empty()) else { return false };
        if matches!(choice, Choice::Container(_) | Choice::Typed(_)) {
            return false;
        }
        let marked = self.marked.len();
        self.marked.retain(|other| other.paths() != choice.paths());
        if self.marked.len() == marked {
            self.marked.truncate(MAX_MARKED - 1);
            self.marked.push(choice);
        }
        true
    }

    fn hints(&self) -> &'static [(Action, &'static str)] {
        match self.marked.len() {
            _ if self.compares => &[(Action::Accept, "compare"), (Action::Cancel, "close")],
            MAX_MARKED => &[(Action::Accept, "compare the marked two"), (Action::Cancel, "close")],
            _ => &[
                (Action::Up, "up"),
                (Action::Down, "down"),
                (Action::Accept, "choose"),
                (Action::Complete, "mark: two are compared"),
                (Action::Cancel, "close"),
            ],
        }
    }
}
