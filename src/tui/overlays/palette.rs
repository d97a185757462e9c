//! Every action by name.

use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::tui::core::action::{ACTIONS, Action, ActionDef};
use crate::tui::overlays::Scene;
use crate::tui::overlays::picker::{Answers, Picker};
use crate::tui::state::effect::Effect;
use crate::tui::ui::fuzzy;

/// Every action by name.
pub struct Commands;

/// A picker of every action.
pub fn palette() -> Picker<Commands> {
    Picker::new(Commands)
}

/// The actions that `typed` may mean, best first: the one of that name above all. Those of overlays make no sense by name.
fn found(typed: &str) -> Vec<&'static ActionDef> {
    let all = ACTIONS.iter().filter(|def| !matches!(def.action, Action::Accept | Action::Complete | Action::Palette));
    let mut found = fuzzy::best(typed, all, |def| format!("{} {}", def.name, def.help), |_| 0);
    found.sort_by_key(|def| def.name != typed.trim());
    found
}

impl Answers for Commands {
    fn title(&self) -> &'static str {
        "Commands"
    }

    fn rows(&self, typed: &str, scene: &Scene<'_>) -> Rows<'static> {
        let (keymap, ascii) = (scene.keymap.clone(), scene.look.glyphs.ascii);
        let found = found(typed);
        let columns = vec![Head::text(""), Head::text(""), Head::text("")];
        Rows::new(found.len().to_string(), columns, found.len(), move |index| {
            let Some(def) = found.get(index) else { return Row::default() };
            let keys = keymap.shown(def.action, ascii);
            Row::plain(vec![def.name.into(), Cell::toned(keys, Tone::Strong), Cell::toned(def.help, Tone::Dim)])
        })
    }

    fn marks(&self, typed: &str, column: usize, text: &str) -> Vec<usize> {
        if column == 1 { Vec::new() } else { fuzzy::marks(typed, text) }
    }

    fn take(&self, index: usize, typed: &str, _: &Scene<'_>) -> Vec<Effect> {
        found(typed).get(index).map(|def| Effect::Dispatch(def.action)).into_iter().collect()
    }
}
