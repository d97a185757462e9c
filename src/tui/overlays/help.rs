//! Help: all keys, from the keymap, searchable.

use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::tui::core::action::Action;
use crate::tui::core::keymap::{COUNT, Keymap};
use crate::tui::overlays::OverlayContext;
use crate::tui::overlays::picker::{Choices, Picker};
use crate::tui::state::effect::Effect;

/// The choices of the help.
pub struct Help;

/// A picker of all keys; accepting one performs its action.
pub fn help() -> Picker<Help> {
    Picker::new(Help)
}

struct Line {
    keys: String,
    name: &'static str,
    help: &'static str,
    action: Option<Action>,
}

/// Lines that have all words of `typed` in their keys, name or help; the count comes first.
fn matching_lines(keymap: &Keymap, typed: &str, ascii: bool) -> Vec<Line> {
    let words: Vec<String> = typed.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let bound = keymap.table(ascii).filter(|(_, keys)| !keys.is_empty());
    let bound = bound.map(|(def, keys)| Line { keys, name: def.name, help: def.help, action: Some(def.action) });
    let count = Line { keys: COUNT.0.to_owned(), name: "count", help: COUNT.1, action: None };
    let has = |line: &Line| {
        let text = format!("{} {}", line.name, line.help).to_lowercase();
        words.iter().all(|word| text.contains(word) || line.keys.to_lowercase().split(" · ").any(|key| key == word))
    };
    std::iter::once(count).chain(bound).filter(has).collect()
}

impl Choices for Help {
    fn title(&self) -> &'static str {
        "All keys"
    }

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let found = matching_lines(cx.keymap, typed, cx.look.glyphs.ascii);
        let columns = vec![Head::text(""), Head::text("")];
        Rows::new(found.len().to_string(), columns, found.len(), move |index| {
            let Some(line) = found.get(index) else { return Row::default() };
            Row::plain(vec![Cell::toned(line.keys.clone(), Tone::Strong), line.help.into()])
        })
    }

    fn accept(&self, index: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let found = matching_lines(cx.keymap, typed, cx.look.glyphs.ascii);
        found.get(index).and_then(|line| line.action).map(Effect::Dispatch).into_iter().collect()
    }
}
