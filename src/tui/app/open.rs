//! The pair that is open: how it is opened, how its symbols are completed, and another one in its place.

use std::sync::Arc;

use ratatui::layout::Size;

use crate::model::http::Http;
use crate::model::store::Looked;
use crate::model::{Session, Tone};
use crate::tui::app::App;
use crate::tui::app::Effect;
use crate::tui::core::action::Action;
use crate::tui::overlays::finder::Names;
use crate::tui::panes::pane::{PANES, Selection, VIEWS};
use crate::tui::state::paths::{Completed, Paths, completing};
use crate::tui::state::texts::Texts;

/// The pane that is about no pair: it keeps what it shows.
const OF_NO_PAIR: &str = "trace";

impl App {
    /// Opens what the command line named, with symbols that are on this machine.
    pub(super) fn open(&self) -> Effect {
        let (files, paths) = (self.options.files.clone(), Arc::clone(&self.paths));
        let what = format!("opening {}", self.file_names());
        completing(
            what,
            move || {
                let session = Session::open(&files);
                // The first thing that shows is how many methods there are.
                let _ = session.as_ref().map(Session::methods);
                session
            },
            paths,
            None,
            |app, opened| match opened {
                Ok((session, looked)) => app.opened(Arc::new(session), looked),
                Err(error) => vec![Effect::Fail(error)],
            },
        )
    }

    fn opened(&mut self, session: Arc<Session>, looked: Vec<Looked>) -> Vec<Effect> {
        let start = (VIEWS[self.view].home)(&session);
        self.session = Some(session);
        self.set_looked(looked);
        self.lay_out();
        if let Some(ask) = self.ask_servers() {
            // Where to begin may be something that only the symbols have.
            self.show(start.into());
            return vec![ask];
        }
        self.begin(start.into())
    }

    /// Shows what the command line asks for; nothing in particular is `start`.
    fn begin(&mut self, start: Selection) -> Vec<Effect> {
        match self.options.at.take() {
            Some(at) => {
                let effects = crate::tui::overlays::goto::answer(&at, &self.scene());
                // What leads nowhere is said over what would show without it.
                if !effects.iter().any(|effect| matches!(effect, Effect::Go(_))) {
                    self.show(start);
                }
                effects
            }
            None => {
                self.show(start);
                Vec::new()
            }
        }
    }

    /// Asks the servers that the user named for the symbols of the image, where those are still missing.
    pub(in crate::tui) fn ask_servers(&self) -> Option<Effect> {
        let session = self.session.as_ref().filter(|session| session.misses_symbols())?;
        let image = session.image.as_ref()?;
        let (path, paths, wrong) = (image.path.clone(), Arc::clone(&self.paths), session.symbols.is_some());
        let server = paths.symbols.servers().next();
        let what = match server {
            Some(server) => format!("asking {server} for the symbols of {}", image.name),
            None if paths.symbols.named.is_empty() => return None,
            None => format!("looking for the symbols of {}", image.name),
        };
        let open = move || match std::fs::read(&path) {
            // Those of another build would be found beside the image again.
            Ok(bytes) if wrong => Session::from_bytes(vec![(path, bytes)]),
            _ => Session::open(&[path]),
        };
        Some(completing(what, open, paths, Some(Http::default()), Self::completed))
    }

    /// Takes what became of a search for the image's symbols.
    fn completed(&mut self, found: Completed) -> Vec<Effect> {
        let here = self.linked.as_ref().map(|linked| linked.selection);
        let start = here.unwrap_or_else(|| crate::model::Place::Overview.into());
        match found {
            Ok((session, looked)) => {
                self.set_looked(looked);
                match &session.symbols {
                    Some(file) => {
                        let from = file.path.display().to_string();
                        self.say(Tone::Ok, format!("the symbols are found: {from}"));
                        self.switch(Arc::new(session));
                    }
                    None => {
                        self.say(Tone::Warn, "the symbols were found nowhere; the Source pane says where was looked");
                    }
                }
            }
            Err(error) => self.say(Tone::Bad, error.to_string()),
        }
        self.begin(start)
    }

    fn set_looked(&mut self, looked: Vec<Looked>) {
        self.paths = Arc::new(Paths { looked, ..Paths::clone(&self.paths) });
    }

    /// Shows a place of another pair, which is open from then on; going back leads to this one again.
    pub(in crate::tui) fn visit(&mut self, session: Arc<Session>, selection: Selection) {
        if self.is_open(&session) {
            return self.go(selection);
        }
        self.remember();
        self.switch(session);
        self.go(selection);
        let back =
            crate::tui::core::key::shown(self.keymap.keys_of(Action::Back, "").unwrap_or_default(), self.glyphs.ascii);
        self.say(Tone::Text, format!("{} is open now; {back} goes back", self.file_names()));
    }

    /// Whether that pair is the one that is open.
    pub(super) fn is_open(&self, session: &Arc<Session>) -> bool {
        self.session.as_ref().is_some_and(|open| Arc::ptr_eq(open, session))
    }

    /// Puts a pair in the place of the one that is open: nothing that is known of that one stays.
    pub(super) fn switch(&mut self, session: Arc<Session>) {
        self.jobs.forget_all();
        self.session = Some(session);
        (self.texts, self.names) = (Texts::default(), Names::default());
        for ((pane, size), def) in self.panes.iter_mut().zip(&mut self.sizes).zip(PANES) {
            if def.id != OF_NO_PAIR {
                *pane = (def.new)();
            }
            *size = Size::ZERO;
        }
        for memory in &mut self.memory {
            memory.linked = None;
        }
        self.linked = None;
        self.dirty = true;
    }
}
