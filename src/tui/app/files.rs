//! Files: opening others, and switching between those that are open.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::App;
use super::registry::VIEWS;
use super::symbols::misses_symbols;
use crate::nodes::rows::Tone;
use crate::session::{OpenError, PdbMatch, Session};
use crate::tui::overlays::files::open_files;
use crate::tui::overlays::path_prompt::PathPrompt;
use crate::tui::state::effect::Effect;
use crate::tui::state::message::{Job, Msg};
use crate::tui::state::paths::expand_home;

/// Pairs that stay open.
const MAX_OPEN: usize = 32;

/// Opens a file: with the open one, where that lacks what the file is and both match; else by itself.
fn open(path: PathBuf, other: Option<PathBuf>) -> Result<Session, OpenError> {
    let alone = Session::open(std::slice::from_ref(&path));
    if let (Some(other), Ok(found)) = (other, &alone)
        && found.pdb_match() != PdbMatch::Matched
        && let Ok(pair) = Session::open(&[path, other])
        && pair.pdb_match() == PdbMatch::Matched
    {
        return Ok(pair);
    }
    alone
}

/// The path of the file whose other half is missing or does not match.
fn incomplete(session: &Session) -> Option<&Path> {
    match (session.image(), session.symbol_file()) {
        (Some(image), _) if misses_symbols(session) => Some(&image.path),
        (None, Some(symbols)) => Some(&symbols.path),
        _ => None,
    }
}

impl App {
    /// Asks for a file to open.
    pub(super) fn ask_for_file(&mut self) -> Vec<Effect> {
        let other = self.session.as_deref().and_then(incomplete).map(Path::to_owned);
        let note = match other.as_deref().and_then(Path::file_name) {
            Some(name) => format!("A DLL, EXE, PDB or archive. The other half of {} joins it.", name.to_string_lossy()),
            None => "A DLL, EXE, PDB or archive; its other half is looked for beside it.".to_owned(),
        };
        let prompt = PathPrompt::new("Open a file", note, false, move |text| {
            let (path, other) = (expand_home(text.trim()), other.clone());
            vec![Effect::Start(Job::new(format!("opening {text}"), "open file", move |_| {
                Msg::FileOpened(open(path, other))
            }))]
        });
        self.open_prompt(prompt)
    }

    /// Shows a file that was opened.
    #[allow(clippy::unused_self, reason = "messages are methods of the app")]
    pub(super) fn take_file(&mut self, opened: Result<Session, OpenError>) -> Vec<Effect> {
        match opened {
            Ok(session) => {
                let home = (VIEWS[0].home)(&session);
                vec![Effect::Visit(Arc::new(session), home.into())]
            }
            Err(error) => vec![Effect::SetStatus(Tone::Bad, error.to_string())],
        }
    }

    /// Lists the open files.
    pub(super) fn choose_file(&mut self) -> Vec<Effect> {
        self.remember_open();
        let overlay = open_files(self.opened.clone(), self.session.clone());
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
        for entries in [&mut self.back, &mut self.forward] {
            entries.retain(|entry| !Arc::ptr_eq(&entry.session, &session));
        }
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
