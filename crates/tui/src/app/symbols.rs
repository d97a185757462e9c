//! Symbol paths that the user adds, and the search for symbols of the image.

use std::sync::Arc;

use super::App;
use crate::engine::jobs::Queue;
use crate::overlays::confirm::Confirm;
use crate::overlays::path_prompt::PathPrompt;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::{Completed, Paths, expand_home, parse_symbol_path};
use pdblens_nodes::rows::Tone;
use pdblens_session::session::inputs::{Location, is_many};
use pdblens_session::session::read_file::MAX_WHOLE;
use pdblens_session::session::{OpenError, Session, summary_of};
use pdblens_session::store::http::{Http, host};
use pdblens_session::store::{MICROSOFT, SymbolPath};
use pdblens_session::text::safe::count;

/// A job that opens a pair of files and searches this machine for missing symbols; with `http`, servers too.
pub(super) fn open_job(
    label: String,
    open: impl FnOnce() -> Result<Session, OpenError> + Send + 'static,
    paths: Arc<Paths>,
    http: Option<Http>,
    message: fn(Completed) -> Msg,
) -> Effect {
    let (slot, queue) =
        if http.is_some() { ("symbols", Queue::Network) } else { (super::OPEN_SLOT, Queue::Interactive) };
    let job = Job::new(label, slot, move |token| {
        message(open().and_then(|session| {
            paths.symbols.complete(session, http.as_ref(), &mut |done, total| token.report_transfer(done, total))
        }))
    });
    Effect::Start(job.on(queue))
}

/// Returns whether the image has no symbols, or symbols that do not match.
pub(super) fn misses_symbols(session: &Session) -> bool {
    session.image().is_some() && (session.symbol_file().is_none() || session.pdb_match().is_mismatch())
}

impl App {
    /// Asks for a symbol path.
    pub(super) fn ask_for_symbols(&mut self) -> Vec<Effect> {
        let server = self.paths.symbols.environment.servers().next();
        let server = server.map_or(String::new(), |server| format!(" _NT_SYMBOL_PATH names {server}."));
        let note = format!("A server is contacted only after confirmation. Microsoft's is {MICROSOFT}.{server}");
        let title = "Symbol path: a folder, a store, a server, or a PDB";
        let image = self.session.as_ref().and_then(|session| session.image()).map(|image| image.path.clone());
        let prompt = PathPrompt::new(title, note, false, move |text| {
            let file = expand_home(text.trim());
            if let Some(image) = image.clone().filter(|_| file.is_file() && !is_many(&file)) {
                return vec![Effect::Start(Job::new(format!("opening {text}"), super::OPEN_SLOT, move |_| {
                    Msg::SymbolsNamed(Session::open(&[image, file]))
                }))];
            }
            let job = Job::new(format!("looking at {text}"), "symbol path", move |_| {
                Msg::SymbolPathChecked(parse_symbol_path(&text))
            });
            vec![Effect::Start(job)]
        });
        self.open_prompt(prompt)
    }

    /// Asks for confirmation where a symbol path has servers that the user has not named before.
    pub(super) fn confirm_symbol_path(&mut self, path: SymbolPath) -> Vec<Effect> {
        let known: Vec<&str> = self.paths.symbols.servers().collect();
        let new: Vec<&str> = path.servers().filter(|server| !known.contains(server)).collect();
        let hosts: Vec<String> = new.iter().filter_map(|server| host(server)).collect();
        if new.is_empty() {
            return self.add_symbol_path(path);
        }
        let hosts = hosts.join(", ");
        let text = vec![
            new.join(" "),
            format!(
                "This sends {hosts} the names and ids of the modules in the trace or the image. A file is used only if its id matches."
            ),
        ];
        let title = format!("Ask {hosts} for symbols?");
        self.open_overlay(Confirm::new(title, text, "ask", Msg::SymbolPathConfirmed(path)));
        Vec::new()
    }

    /// Adds a symbol path: it precedes the others.
    pub(super) fn add_symbol_path(&mut self, path: SymbolPath) -> Vec<Effect> {
        let mut paths = Paths::clone(&self.paths);
        let mut elements = path.elements;
        elements.extend(
            paths.symbols.named.elements.into_iter().filter(|known| !elements.contains(known)).collect::<Vec<_>>(),
        );
        paths.symbols.named = SymbolPath { elements };
        self.paths = Arc::new(paths);
        self.refresh_panes();
        let search = self.search_symbols();
        if search.is_none() {
            self.set_status(Tone::Text, "stack traces are resolved with these symbols too");
        }
        search.into_iter().collect()
    }

    /// Searches the symbol path for the symbols of the image, where those are missing.
    pub(super) fn search_symbols(&self) -> Option<Effect> {
        let session = self.session.as_ref().filter(|session| misses_symbols(session))?;
        let image = session.image()?;
        let (path, paths, mismatch) = (image.path.clone(), Arc::clone(&self.paths), session.symbol_file().is_some());
        let server = paths.symbols.servers().next();
        let label = match server {
            Some(server) => format!("asking {server} for the symbols of {}", image.name),
            None if paths.symbols.named.is_empty() => return None,
            None => format!("searching for the symbols of {}", image.name),
        };
        let open = move || match Location::of(&path).read(MAX_WHOLE) {
            // Opening by path would find the mismatched symbols beside the image again.
            Ok(bytes) if mismatch => Session::from_bytes(vec![(path, bytes)]),
            _ => Session::open(&[path]),
        };
        Some(open_job(label, open, paths, Some(Http::default()), Msg::SymbolsSearched))
    }

    /// Shows the image with other symbols, and says whether they match. Symbols that are open stay where others do not match.
    pub(super) fn take_pair(&mut self, session: Session) {
        let Some(file) = session.symbol_file() else {
            return self.set_status(Tone::Bad, "this file has no symbols: nothing has changed");
        };
        let (name, verdict) = (file.path.display().to_string(), session.pdb_match());
        let summary = summary_of(&session);
        let has_symbols = self.session.as_ref().is_some_and(|open| open.symbol_file().is_some());
        if verdict.is_mismatch() && has_symbols {
            let text = format!("{name}: {summary}; the open files stay, O opens it alone");
            return self.set_status(Tone::Bad, text);
        }
        let errors = |session: &Session| session.problems().len();
        if has_symbols && self.session.as_deref().is_some_and(|open| errors(open) < errors(&session)) {
            let text = count(errors(&session) as u64, "read error");
            return self.set_status(Tone::Bad, format!("{name} has {text}; the open files stay"));
        }
        let tone = if verdict.is_mismatch() { Tone::Bad } else { Tone::Ok };
        self.switch_session(Arc::new(session));
        self.set_status(tone, format!("{summary}: {name}"));
    }

    /// Takes the pair of the image with a PDB that was named.
    pub(super) fn take_named_symbols(&mut self, opened: Result<Session, OpenError>) -> Vec<Effect> {
        let here = self.navigation.selection();
        match opened {
            Ok(session) => self.take_pair(session),
            Err(error) => self.set_status(Tone::Bad, format!("{error}; the open files stay")),
        }
        self.show_start(here.unwrap_or_else(|| pdblens_nodes::Place::Overview.into()))
    }

    /// Takes the result of a search for the symbols of the image.
    pub(super) fn take_symbols(&mut self, found: Completed) -> Vec<Effect> {
        let here = self.navigation.selection();
        let start = here.unwrap_or_else(|| pdblens_nodes::Place::Overview.into());
        match found {
            Ok((session, looked)) => {
                self.set_looked(looked);
                match session.symbol_file() {
                    Some(_) => self.take_pair(session),
                    None => {
                        let message = "symbols not found: Match in the Overview lists the places searched";
                        self.set_status(Tone::Warn, message);
                    }
                }
            }
            Err(error) => self.set_status(Tone::Bad, error.to_string()),
        }
        self.show_start(start)
    }
}
