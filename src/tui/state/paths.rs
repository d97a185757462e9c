//! Where sources and symbols are looked for: what the command line said, and what was named since.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::http::{Http, host};
use crate::model::source::Map;
use crate::model::store::{Element, Looked, SymbolPath, SymbolPaths};
use crate::model::{OpenError, Session, SourceOptions, Tone};
use crate::tui::app::App;
use crate::tui::app::Effect;
use crate::tui::core::jobs::{Finish, Job, Ticket};
use crate::tui::overlays::confirm::Confirm;
use crate::tui::overlays::path_prompt::PathPrompt;

/// Where sources and symbols are looked for.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// Where the texts of documents are.
    pub sources: SourceOptions,
    /// Where symbols are that are not beside their image.
    pub symbols: SymbolPaths,
    /// Where the symbols of the image were looked for last.
    pub looked: Vec<Looked>,
}

/// What a search for symbols comes to.
pub type Completed = Result<(Session, Vec<Looked>), OpenError>;

/// A job that opens a pair, and takes symbols that are missing from this machine; with `http` from servers too.
pub fn completing(
    what: String,
    open: impl FnOnce() -> Result<Session, OpenError> + Send + 'static,
    paths: Arc<Paths>,
    http: Option<Http>,
    finish: fn(&mut App, Completed) -> Vec<Effect>,
) -> Effect {
    let slot = if http.is_some() { "symbols" } else { "open" };
    let work = move |ticket: &Ticket| -> Finish {
        let completed = open().and_then(|session| {
            paths.symbols.complete(session, http.as_ref(), &mut |done, of| ticket.fetched(done, of))
        });
        Box::new(move |app: &mut App| finish(app, completed))
    };
    Effect::Start(Job { what, slot, work: Box::new(work) })
}

/// A path as it was typed: `~/` is the user's own folder.
pub fn typed(text: &str) -> PathBuf {
    let home = text.strip_prefix("~/").zip(etcetera::home_dir().ok());
    home.map_or_else(|| text.into(), |(rest, home)| home.join(rest))
}

/// What was named as the place of sources.
#[derive(Debug, PartialEq, Eq)]
enum Named {
    Root(PathBuf),
    Map(Map),
}

/// Understands a folder, or `OLD=NEW`; says why where it is neither.
fn named(text: &str) -> Result<Named, String> {
    let root = typed(text.trim());
    if root.is_dir() {
        return Ok(Named::Root(root));
    }
    let no_folder = |path: &Path| format!("{}: there is no such folder", path.display());
    match Map::parse(text.trim()) {
        Some(Map { old, new }) => {
            let new = typed(&new.to_string_lossy());
            if new.is_dir() { Ok(Named::Map(Map { old, new })) } else { Err(no_folder(&new)) }
        }
        None => Err(no_folder(&root)),
    }
}

/// Understands a symbol path; says why where a folder in it is none, or nothing is in it.
fn symbol_path(text: &str) -> Result<SymbolPath, String> {
    let path = SymbolPath::parse(&typed(text.trim()).to_string_lossy());
    if path.is_empty() {
        return Err(format!("{text}: this is no symbol path"));
    }
    match path.elements.iter().filter_map(Element::plain).find(|place| !place.exists()) {
        Some(missing) => Err(format!("{}: there is no such folder", missing.display())),
        None => Ok(path),
    }
}

impl App {
    /// Asks where the sources are.
    pub(in crate::tui) fn ask_for_sources(&self) -> Vec<Effect> {
        let document = self.linked().and_then(|linked| linked.document);
        let name = self.session.as_ref().zip(document).and_then(|(session, row)| session.document_name(row));
        let about = match name {
            Some(name) => format!("A text is looked for by the end of its path in the symbols: {name}"),
            None => "A text is looked for by the end of its path in the symbols.".to_owned(),
        };
        let title = "Where are the sources? a folder, or OLD=NEW";
        PathPrompt::open(title, about, true, |text| {
            vec![Effect::Start(Job {
                what: format!("looking at {text}"),
                slot: "source root",
                work: Box::new(move |_| {
                    let found = named(&text);
                    Box::new(move |app: &mut Self| {
                        match found {
                            Ok(found) => app.name_sources(found),
                            Err(why) => app.say(Tone::Bad, why),
                        }
                        Vec::new()
                    })
                }),
            })]
        })
    }

    fn name_sources(&mut self, named: Named) {
        let mut sources = self.paths.sources.clone();
        // What was named last is looked at first.
        let place = match named {
            Named::Root(root) => {
                let shown = root.display().to_string();
                sources.roots.retain(|known| *known != root);
                sources.roots.insert(0, root);
                shown
            }
            Named::Map(map) => {
                let shown = map.new.display().to_string();
                sources.maps.retain(|known| *known != map);
                sources.maps.insert(0, map);
                shown
            }
        };
        self.set_sources(sources);
        self.say(Tone::Text, format!("looking for every text again, in {place} too"));
    }

    /// Asks where more symbols are.
    pub(in crate::tui) fn ask_for_symbols(&self) -> Vec<Effect> {
        let named = self.paths.symbols.environment.servers().next();
        let named = named.map_or(String::new(), |server| format!(" _NT_SYMBOL_PATH names {server}."));
        let about = format!("A server is asked only after you said so. `srv*` is Microsoft's.{named}");
        let title = "Where are symbols? a folder, a store, a server";
        PathPrompt::open(title, about, true, |text| {
            vec![Effect::Start(Job {
                what: format!("looking at {text}"),
                slot: "symbol path",
                work: Box::new(move |_| {
                    let found = symbol_path(&text);
                    Box::new(move |app: &mut Self| match found {
                        Ok(path) => app.confirm_symbols(path),
                        Err(why) => {
                            app.say(Tone::Bad, why);
                            Vec::new()
                        }
                    })
                }),
            })]
        })
    }

    /// Asks whether servers may be asked, where the path names some that were not named before.
    fn confirm_symbols(&mut self, path: SymbolPath) -> Vec<Effect> {
        let known: Vec<&str> = self.paths.symbols.servers().collect();
        let new: Vec<&str> = path.servers().filter(|server| !known.contains(server)).collect();
        let hosts: Vec<String> = new.iter().filter_map(|server| host(server)).collect();
        if new.is_empty() {
            return self.name_symbols(path);
        }
        let hosts = hosts.join(", ");
        let text = vec![
            new.join(" "),
            format!(
                "{hosts} learns the names and ids of the modules that a trace or the image names. What it answers is used only \
                 where its id is the right one."
            ),
        ];
        vec![Effect::Open(Box::new(Confirm::new(format!("Ask {hosts} for symbols?"), text, "ask", move || {
            let path = path.clone();
            vec![Effect::Change(Box::new(move |app: &mut Self| app.name_symbols(path)))]
        })))]
    }

    fn name_symbols(&mut self, path: SymbolPath) -> Vec<Effect> {
        let mut paths = Paths::clone(&self.paths);
        let mut elements = path.elements;
        elements.extend(
            paths.symbols.named.elements.into_iter().filter(|known| !elements.contains(known)).collect::<Vec<_>>(),
        );
        paths.symbols.named = SymbolPath { elements };
        self.paths = Arc::new(paths);
        self.show_again();
        let ask = self.ask_servers();
        if ask.is_none() {
            self.say(Tone::Text, "frames of stack traces are looked for there too");
        }
        ask.into_iter().collect()
    }

    /// Has sources looked for elsewhere from now on: all texts are looked for again.
    pub(in crate::tui) fn set_sources(&mut self, sources: SourceOptions) {
        self.paths = Arc::new(Paths { sources, ..Paths::clone(&self.paths) });
        self.texts.look_again();
        self.show_again();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_or_a_map_is_named_and_nothing_else() {
        let here = env!("CARGO_MANIFEST_DIR");
        assert_eq!(named(here), Ok(Named::Root(here.into())));
        let map = Map { old: "/_/".into(), new: here.into() };
        assert_eq!(named(&format!(" /_/={here} ")), Ok(Named::Map(map)));
        assert!(named("/no/such=folder").unwrap_err().contains("folder: there is no such folder"));
        assert!(named("").is_err() && named("=").is_err());
    }
}
