//! Command palette: every action by name.

use crate::engine::action::{ACTIONS, Action, ActionDef};
use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::Effect;
use crate::state::thing::Thing;
use crate::ui::fuzzy;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};

pub struct Palette;

pub fn palette() -> Picker<Palette> {
    Picker::new(Palette)
}

/// Words that people look for an action by, besides its name and its help.
const ALSO: &[(Action, &str)] = &[
    (Action::GoTo, "breakpoint overload search symbol"),
    (Action::FindInSources, "grep search text code"),
    (Action::Sort, "size biggest largest order"),
    (Action::SwitchFile, "recent history reopen"),
    (Action::View(3), "scope locals variables constants imports"),
    (Action::ByFile, "documents files"),
    (Action::View(1), "match mismatch findings health"),
    (Action::RefusedPoints, "quality never"),
    (Action::Why, "verdict hollow"),
    (Action::Programs, "four programs formats compare state machines"),
];

/// Actions that people open the palette for, in its order as long as nothing is typed; those that are not here follow, and those of the
/// cursor, whose keys are known by then, come last.
const SOUGHT: &[Action] = &[
    Action::GoTo,
    Action::OpenFile,
    Action::SwitchFile,
    Action::PasteTrace,
    Action::FindInSources,
    Action::Symbols,
    Action::FetchSource,
    Action::CopyCommand,
    Action::Export,
    Action::Sort,
    Action::Filter,
    Action::Explain,
    Action::Glossary,
    Action::Learn,
    Action::Handout,
    Action::Editor,
    Action::Theme,
    Action::Help,
    Action::SetMark,
    Action::GoToMark,
    Action::CloseFile,
];

/// The actions of the cursor begin the list of all actions; this is the first one after them.
const AFTER_CURSOR: Action = Action::PreviousPoint;

/// Position of an action in the palette as long as nothing is typed.
fn turn(def: &ActionDef) -> (usize, usize) {
    let of = |action: Action| ACTIONS.iter().position(|other| other.action == action).unwrap_or(0);
    let (declared, first) = (of(def.action), of(AFTER_CURSOR));
    let sought = SOUGHT.iter().position(|action| *action == def.action);
    (sought.unwrap_or(if declared < first { usize::MAX } else { SOUGHT.len() }), declared)
}

/// Name and help of an action, and the other words for it.
pub(super) fn words_of(def: &ActionDef) -> String {
    let also = ALSO.iter().find(|(action, _)| *action == def.action).map_or("", |(_, words)| words);
    format!("{} {} {also}", def.name, def.help)
}

/// Returns whether the name of an action has the input in it, or its description the words of the input.
pub(super) fn is_about(def: &ActionDef, typed: &str) -> bool {
    def.name.contains(typed)
        || is_view(def, typed)
        || typed.contains(' ') && def.help.to_lowercase().contains(&typed.to_lowercase())
}

/// Returns whether an action shows the view of that name.
pub(super) fn is_view(def: &ActionDef, typed: &str) -> bool {
    matches!(def.action, Action::View(_)) && def.short.eq_ignore_ascii_case(typed.trim())
}

/// Actions that match `typed`, best first, led by the one of exactly that name. Actions of overlays are left out.
pub(super) fn matching_actions(typed: &str) -> Vec<&'static ActionDef> {
    let all = ACTIONS.iter().filter(|def| !matches!(def.action, Action::Accept | Action::Complete | Action::Palette));
    let mut found = fuzzy::rank(typed, usize::MAX, all, |def| words_of(def), |_| 0);
    found.sort_by_key(|def| (def.name != typed.trim(), !is_view(def, typed)));
    if typed.trim().is_empty() {
        found.sort_by_key(|def| turn(def));
    }
    found
}

/// The actions that match; as long as nothing is typed, those of the thing under the cursor first.
fn choices(typed: &str, cx: &OverlayContext<'_>) -> Vec<&'static ActionDef> {
    let mut found = matching_actions(typed);
    if typed.trim().is_empty()
        && let Some(selected) = cx.selected
    {
        let offers = Thing::of(cx.pane, selected.selection.place).offers();
        let turn = |def: &&ActionDef| offers.iter().position(|(action, _)| *action == def.action);
        found.sort_by_key(|def| turn(def).unwrap_or(usize::MAX));
    }
    found
}

impl Choices for Palette {
    const TITLE: &'static str = "Commands";

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let (keymap, ascii) = (cx.keymap.clone(), cx.look.glyphs.ascii);
        let found = choices(typed, cx);
        let columns = Head::list(["", "", ""]);
        Rows::new(found.len().to_string(), columns, found.len(), move |index| {
            let Some(def) = found.get(index) else { return Row::default() };
            // An action without a key is run by its name, after the key of this list.
            let keys = Some(keymap.keys_text(def.action, ascii)).filter(|keys| !keys.is_empty());
            let keys = keys.unwrap_or_else(|| keymap.keys_text(Action::Palette, ascii));
            Row::plain(vec![def.name.into(), Cell::toned(keys, Tone::Strong), Cell::toned(def.help, Tone::Dim)])
        })
    }

    fn match_positions(&self, typed: &str, column: usize, text: &str) -> Vec<usize> {
        if column == 1 { Vec::new() } else { fuzzy::match_positions(typed, text) }
    }

    fn accept(&self, index: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        choices(typed, cx).get(index).map(|def| Effect::Dispatch(def.action)).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_look_for_is_first_and_the_cursor_last() {
        let all = matching_actions("");
        assert_eq!(all.len(), matching_actions(" ").len());
        assert!(all.iter().map(|def| def.action).zip(SOUGHT).all(|(action, sought)| action == *sought));
        assert_eq!(all.last().map(|def| def.action), Some(Action::Bottom));
        assert_eq!(all.iter().position(|def| def.action == Action::Up), Some(all.len() - 10));
    }

    #[test]
    fn actions_are_found_by_the_words_that_people_use() {
        for (typed, action) in [
            ("breakpoint", Action::GoTo),
            ("overload", Action::GoTo),
            ("size", Action::Sort),
            ("recent", Action::SwitchFile),
            ("scope", Action::View(3)),
        ] {
            assert_eq!(matching_actions(typed).first().map(|def| def.action), Some(action), "{typed}");
        }
    }
}
