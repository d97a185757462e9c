//! Help: all keys, from the keymap, searchable.

use ratatui::layout::Rect;

use crate::engine::action::Action;
use crate::engine::keymap::{COUNT, Keymap};
use crate::overlays::OverlayContext;
use crate::overlays::palette::words_of;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::Effect;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};

pub struct Help;

/// A picker of all keys; accepting one performs its action.
pub fn help() -> Picker<Help> {
    Picker::new(Help)
}

/// The keys that matter most; the help begins with them.
const FIRST: [Action; 10] = [
    Action::GoTo,
    Action::Follow,
    Action::Back,
    Action::NextPane,
    Action::Find,
    Action::NextPoint,
    Action::CopyCommand,
    Action::Learn,
    Action::OpenFile,
    Action::Quit,
];

struct HelpLine {
    keys: String,
    /// Name, help, and other words to find it by.
    words: String,
    help: &'static str,
    action: Option<Action>,
}

/// Lines that have all words of `typed` in their keys, name or help; those that matter most come first, then the count.
fn matching_lines(keymap: &Keymap, typed: &str, ascii: bool) -> Vec<HelpLine> {
    let words: Vec<String> = typed.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let bound = keymap.table(ascii).filter(|(_, keys)| !keys.is_empty());
    let mut bound: Vec<HelpLine> = bound
        .map(|(def, keys)| HelpLine { keys, words: words_of(def), help: def.help, action: Some(def.action) })
        .collect();
    let place = |action: Option<Action>| FIRST.iter().position(|first| Some(*first) == action);
    bound.sort_by_key(|line| place(line.action).unwrap_or(FIRST.len()));
    let others = bound.split_off(FIRST.len().min(bound.len()));
    let count = HelpLine { keys: COUNT.0.to_owned(), words: format!("count {}", COUNT.1), help: COUNT.1, action: None };
    let has = |line: &HelpLine| {
        let text = line.words.to_lowercase();
        words.iter().all(|word| text.contains(word) || line.keys.to_lowercase().split(" · ").any(|key| key == word))
    };
    let mut found: Vec<HelpLine> = bound.into_iter().filter(has).collect();
    // Search results are one list, without the heading.
    if words.is_empty() {
        found.push(HelpLine { keys: String::new(), words: String::new(), help: "All other keys", action: None });
    }
    found.extend(std::iter::once(count).chain(others).filter(has));
    found
}

impl Choices for Help {
    const TITLE: &'static str = "All keys";

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let found = matching_lines(cx.keymap, typed, cx.look.glyphs.ascii);
        let columns = Head::list(["", ""]);
        let keys = found.iter().filter(|line| !line.keys.is_empty()).count();
        Rows::new(keys.to_string(), columns, found.len(), move |index| {
            let Some(line) = found.get(index) else { return Row::default() };
            if line.keys.is_empty() {
                return Row::plain(vec![Cell::toned(line.help, Tone::Dim)]);
            }
            Row::plain(vec![Cell::toned(line.keys.clone(), Tone::Strong), line.help.into()])
        })
    }

    fn size(&self, _: Rect) -> (u16, u16) {
        (100, 3)
    }

    fn accept(&self, index: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let found = matching_lines(cx.keymap, typed, cx.look.glyphs.ascii);
        found.get(index).and_then(|line| line.action).map(Effect::Dispatch).into_iter().collect()
    }
}
