//! The list of open files.

use std::sync::Arc;

use crate::nodes::Place;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::{PdbMatch, Session};
use crate::tui::overlays::OverlayContext;
use crate::tui::overlays::picker::{Choices, Picker};
use crate::tui::state::effect::Effect;

/// The open pairs, the last one first.
pub struct OpenFiles {
    sessions: Vec<Arc<Session>>,
    shown: Option<Arc<Session>>,
}

/// A picker of the open files.
pub fn open_files(mut sessions: Vec<Arc<Session>>, shown: Option<Arc<Session>>) -> Picker<OpenFiles> {
    sessions.reverse();
    Picker::new(OpenFiles { sessions, shown })
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

impl OpenFiles {
    fn matching(&self, typed: &str) -> Vec<Arc<Session>> {
        let typed = typed.to_lowercase();
        let has = |session: &&Arc<Session>| {
            let (name, folder) = names(session);
            typed.split_whitespace().all(|word| format!("{folder}/{name}").to_lowercase().contains(word))
        };
        self.sessions.iter().filter(has).cloned().collect()
    }
}

impl Choices for OpenFiles {
    fn title(&self) -> &'static str {
        "Open files"
    }

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let found = self.matching(typed);
        let (shown, look) = (self.shown.clone(), [cx.look.glyphs.ok, cx.look.glyphs.bad, cx.look.glyphs.warn]);
        let columns = vec![Head::text(""), Head::text(""), Head::text("")];
        Rows::new(found.len().to_string(), columns, found.len(), move |index| {
            let Some(session) = found.get(index) else { return Row::default() };
            let (name, folder) = names(session);
            let is_shown = shown.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, session));
            let verdict = session.pdb_match();
            let (sign, tone) = match verdict {
                PdbMatch::Matched => (look[0], Tone::Ok),
                PdbMatch::Mismatched(_) => (look[1], Tone::Bad),
                _ => (look[2], Tone::Warn),
            };
            let name = Cell::toned(name, if is_shown { Tone::Strong } else { Tone::Text });
            let verdict = Cell::toned(format!("{sign} {}", verdict.summary()), tone);
            Row::plain(vec![name, verdict, Cell::toned(folder, Tone::Dim)])
        })
    }

    fn accept(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        let found = self.matching(typed).into_iter().nth(index);
        found.map(|session| Effect::Visit(session, Place::Overview.into())).into_iter().collect()
    }
}
