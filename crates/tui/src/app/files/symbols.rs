//! Symbol paths that the user adds, and the search for symbols of the image.

use std::sync::Arc;

use super::{Files, OPEN};
use crate::engine::jobs::Queue;
use crate::overlays::confirm::Confirm;
use crate::overlays::path_prompt::PathPrompt;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::{Completed, Paths, SourcePath, expand_home, parse_symbol_path};
use pdblens_nodes::document;
use pdblens_nodes::rows::Tone;
use pdblens_session::session::inputs::{Location, is_many};
use pdblens_session::session::read_file::MAX_WHOLE;
use pdblens_session::session::{OpenError, Session};
use pdblens_session::source::Map;
use pdblens_session::store::http::{Http, host};
use pdblens_session::store::{MICROSOFT, SymbolPath};
use pdblens_session::text::paths::without_passwords;

/// A job that opens a pair of files and searches this machine for missing symbols; with `http`, servers too.
pub(super) fn open_job(
    label: String,
    open: impl FnOnce() -> Result<Session, OpenError> + Send + 'static,
    paths: Arc<Paths>,
    http: Option<Http>,
    message: fn(Completed) -> Msg,
) -> Effect {
    let (slot, queue) = if http.is_some() { ("symbols", Queue::Own) } else { (OPEN, Queue::Interactive) };
    let job = Job::new(label, slot, move |token| {
        let mut report = |done, total| token.report_transfer(done, total);
        let completed = open().and_then(|session| paths.symbols.complete(session, http.as_ref(), &mut report));
        if let Ok((session, _)) = &completed {
            paths.attach_known(session);
        }
        message(completed)
    });
    Effect::Start(job.on(queue))
}

/// Returns whether the image has no symbols, or symbols that do not match.
pub(in crate::app) fn misses_symbols(session: &Session) -> bool {
    session.image().is_some() && (session.symbol_file().is_none() || session.pdb_match().is_mismatch())
}

impl Files {
    /// The prompt for places to look in: of a folder, for sources and PDBs; `document` is the one that shows the selection.
    pub(in crate::app) fn look_prompt(&self, document: Option<u32>) -> PathPrompt {
        let server = self.paths.symbols.environment.servers().next();
        let server =
            server.map_or(String::new(), |server| format!(" _NT_SYMBOL_PATH names {}.", without_passwords(server)));
        let name = self.opened.shown.as_ref().zip(document).and_then(|(session, row)| document::name(session, row));
        let name = name.map_or(String::new(), |name| format!(" Sources are matched by the end of {name}."));
        let note = format!("A server is contacted only after confirmation. Microsoft's is {MICROSOFT}.{server}{name}");
        let title = "Where to look: a folder, OLD=NEW, a PDB, a store, a server";
        let image = self.opened.shown.as_ref().and_then(|session| session.image()).map(|image| image.path.clone());
        PathPrompt::new(title, note, false, move |text| {
            let file = expand_home(text.trim());
            if file.is_file()
                && !is_many(&file)
                && let Some(image) = image.clone()
            {
                return vec![Effect::Start(Job::new(format!("opening {text}"), OPEN, move |_| {
                    Msg::SymbolsNamed(Session::open(&[image, file]))
                }))];
            }
            let (sources, symbols) = (text.clone(), text.clone());
            let of_sources = Job::new(format!("looking at {text}"), "source root", move |_| {
                Msg::SourcePathChecked(SourcePath::parse(&sources))
            });
            let of_symbols = Job::new(format!("looking at {text}"), "symbol path", move |_| {
                Msg::SymbolPathChecked(parse_symbol_path(&symbols))
            });
            let is_map = !file.is_dir() && !text.contains("//") && Map::parse(text.trim()).is_some();
            match (is_map, file.is_dir()) {
                (true, _) => vec![Effect::Start(of_sources)],
                (false, true) => vec![Effect::Start(of_sources), Effect::Start(of_symbols)],
                (false, false) => vec![Effect::Start(of_symbols)],
            }
        })
    }

    /// Asks for confirmation where a symbol path has servers that the user has not named before.
    pub(in crate::app) fn confirm_symbol_path(&self, path: SymbolPath) -> Effect {
        let known: Vec<&str> = self.paths.symbols.servers().collect();
        let new: Vec<&str> = path.servers().filter(|server| !known.contains(server)).collect();
        let hosts: Vec<String> = new.iter().filter_map(|server| host(server)).collect();
        if new.is_empty() {
            return Effect::Update(Box::new(Msg::SymbolPathConfirmed(path)));
        }
        let hosts = hosts.join(", ");
        let text = vec![
            without_passwords(&new.join(" ")),
            format!(
                "This sends {hosts} the names and ids of the modules in the trace or the image. A file is used only if its id matches."
            ),
        ];
        let title = format!("Ask {hosts} for symbols?");
        Effect::Open(Box::new(Confirm::new(title, text, "ask", Msg::SymbolPathConfirmed(path))))
    }

    /// Adds a symbol path: it precedes the others.
    pub(in crate::app) fn add_symbol_path(&mut self, path: SymbolPath) -> Vec<Effect> {
        let mut paths = Paths::clone(&self.paths);
        let mut elements = path.elements;
        elements.extend(
            paths.symbols.named.elements.into_iter().filter(|known| !elements.contains(known)).collect::<Vec<_>>(),
        );
        paths.symbols.named = SymbolPath { elements };
        self.paths = Arc::new(paths);
        let text = "symbol path set; stack traces use it, too";
        // A list of files below the prompt looks for their symbols, too.
        let listed = Effect::Update(Box::new(Msg::OverlayReady));
        vec![Effect::refresh(), self.search_symbols().unwrap_or_else(|| Effect::status(Tone::Text, text)), listed]
    }

    /// Searches the symbol path for the symbols of the image, where those are missing.
    pub(in crate::app) fn search_symbols(&self) -> Option<Effect> {
        let session = self.opened.shown.as_ref().filter(|session| misses_symbols(session))?;
        let image = session.image()?;
        let (path, paths, mismatch) = (image.path.clone(), Arc::clone(&self.paths), session.symbol_file().is_some());
        let server = paths.symbols.servers().next();
        let label = match server {
            Some(server) => format!("asking {} for the symbols of {}", without_passwords(server), image.name),
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
}
