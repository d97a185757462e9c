//! Search paths for sources and symbols: those of the command line, and those that the user has added since.

use std::path::{Path, PathBuf};

use crate::engine::action::Action;
use crate::ui::empty_state::EmptyState;
use pdblens_nodes::rows::Tone;
use pdblens_query::{process, samples};
use pdblens_session::session::inputs::is_many;
use pdblens_session::session::{OpenError, Session};
use pdblens_session::source::{Map, SourceOptions};
use pdblens_session::store::{Element, Looked, SymbolPath, SymbolPaths};
use pdblens_session::text::safe::visible;

/// Limit of the searched places that an empty pane lists.
pub(crate) const MAX_SEARCHED: usize = 12;

#[derive(Clone, Debug, Default)]
pub struct Paths {
    pub sources: SourceOptions,
    /// Paths of symbols that are not beside their image.
    pub symbols: SymbolPaths,
    /// The last search for the symbols of the image.
    pub looked: Vec<Looked>,
    /// A recording or an image with the machine code of the files.
    pub native: Option<PathBuf>,
    /// A profile whose samples are counted at the lines.
    pub samples: Option<PathBuf>,
}

impl Paths {
    /// Gives a session the machine code and the samples that are at hand.
    pub(crate) fn attach_known(&self, session: &Session) {
        process::attach_known(session, self.native.as_deref());
        if let Some(profile) = &self.samples {
            samples::attach(session, profile, self.native.as_deref());
        }
    }

    /// Adds the key that sets the symbol path and the places that were searched, unless a symbol file is open.
    pub(crate) fn add_symbol_search(&self, mut state: EmptyState, session: &Session) -> EmptyState {
        if session.symbol_file().is_some() {
            return state;
        }
        state = state.keys(Action::Symbols, "set symbol path: a folder, a store or a server that has the PDB");
        if !self.looked.is_empty() {
            state = state.heading("searched");
        }
        for looked in self.looked.iter().take(MAX_SEARCHED) {
            state = state.pair(&looked.place, &looked.outcome.to_string(), Tone::Dim);
        }
        state
    }
}

/// Adds the key that opens the image, to the reason why there is none.
pub(crate) fn add_image_key(state: EmptyState) -> EmptyState {
    state.keys(Action::SwitchFile, "open the DLL or EXE")
}

/// The text of a pane that shows parts of the image, where none is open.
pub(crate) fn no_image() -> EmptyState {
    add_image_key(EmptyState::default().text("No image is open: headers and sections are in the DLL or EXE."))
}

/// Files or folders that are named one by one in a line.
const MAX_NAMED: usize = 4;

/// The name of the image, else of the symbols.
pub(crate) fn session_name(session: &Session) -> &str {
    let symbols = session.symbol_file().map(|file| file.name.as_str());
    session.image().map(|image| image.name.as_str()).or(symbols).unwrap_or_default()
}

/// The names of files or folders in a line, the first ones of many.
pub fn names_of(paths: &[PathBuf]) -> String {
    let name = |path: &PathBuf| visible(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy()).into_owned();
    let named = if paths.len() > MAX_NAMED { MAX_NAMED - 1 } else { paths.len() };
    let mut names: Vec<String> = paths.iter().take(named).map(name).collect();
    if paths.len() > named {
        names.push(format!("{} more", paths.len() - named));
    }
    names.join(" + ")
}

/// The result of opening a pair of files and completing it with symbols.
pub type Completed = Result<(Session, Vec<Looked>), OpenError>;

#[derive(Debug, PartialEq, Eq)]
pub enum SourcePath {
    Root(PathBuf),
    /// A prefix of document names, and the folder that replaces it.
    Map(Map),
}

/// A path as it was typed, with `~/` expanded to the home folder.
pub(crate) fn expand_home(text: &str) -> PathBuf {
    let home = text.strip_prefix("~/").zip(etcetera::home_dir().ok());
    home.map_or_else(|| text.into(), |(rest, home)| home.join(rest))
}

impl SourcePath {
    /// Parses a folder, or `OLD=NEW`; the folder must exist.
    pub fn parse(text: &str) -> Result<Self, String> {
        let root = expand_home(text.trim());
        if root.is_dir() {
            return Ok(Self::Root(root));
        }
        let no_folder = |path: &Path| format!("no such folder: {}", path.display());
        match Map::parse(text.trim()) {
            Some(Map { old, new }) => {
                let new = expand_home(&new.to_string_lossy());
                if new.is_dir() { Ok(Self::Map(Map { old, new })) } else { Err(no_folder(&new)) }
            }
            None => Err(no_folder(&root)),
        }
    }
}

/// Parses a symbol path; its folders must exist.
pub(crate) fn parse_symbol_path(text: &str) -> Result<SymbolPath, String> {
    let path = SymbolPath::parse(&expand_home(text.trim()).to_string_lossy());
    if path.is_empty() {
        return Err(format!("{text}: not a symbol path"));
    }
    match path.elements.iter().filter_map(Element::plain).find(|place| !place.exists() && !is_many(place)) {
        Some(missing) => Err(format!("no such folder: {}", missing.display())),
        None => Ok(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_or_a_map_is_a_source_path_and_nothing_else() {
        let here = env!("CARGO_MANIFEST_DIR");
        assert_eq!(SourcePath::parse(here), Ok(SourcePath::Root(here.into())));
        let map = Map { old: "/_/".into(), new: here.into() };
        assert_eq!(SourcePath::parse(&format!(" /_/={here} ")), Ok(SourcePath::Map(map)));
        assert!(SourcePath::parse("/no/such=folder").unwrap_err().contains("no such folder: folder"));
        assert!(SourcePath::parse("").is_err() && SourcePath::parse("=").is_err());
    }
}
