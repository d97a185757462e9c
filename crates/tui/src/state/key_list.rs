//! Lists of keys for help, docs/keys.md and the man page: those that are of no kind of thing, and those of each kind.

use std::fmt::Write;

use crate::engine::action::Action;
use crate::engine::keymap::{KEYS, Keymap, PALETTE_ONLY, PROMPT, When};
use crate::state::thing::Thing;

/// A row of the help: actions whose keys are named together, and what they do.
pub(crate) type KeyRow = (&'static [Action], &'static str);

use Action::{
    Back, Bottom, Cancel, CloseFile, CollapseAll, Down, ExpandAll, Filter, Find, Findings, Follow, Forward, GoTo,
    GoToMark, Help, Left, Menu, NextMatch, NextPane, NextPoint, PageDown, PageUp, Palette, Parent, PreviousMatch,
    PreviousPane, PreviousPoint, Quit, Right, ScrollDown, ScrollUp, SetMark, Sort, SwitchFile, Symbols, Top, Up, View,
    Zoom,
};

/// Keys that do the same in every view, those that matter most first.
pub(crate) const GENERAL: &[KeyRow] = &[
    (&[Follow], "Go there: follow the link under the cursor, or open what is selected"),
    (&[Back], "Go back"),
    (&[Menu], "Show what can be done with the thing under the cursor"),
    (&[GoTo], "Ask: a name, a token, Name+0xF, File.cs:21, #blob 0xb5, an address, a term, a pasted frame, a command"),
    (
        &[View(1), View(2), View(3), View(4), View(5), View(6)],
        "Summary · File, again for the other file · Code · Trace · Compare · Learn",
    ),
    (&[Up, Down], "Move up, down"),
    (&[Left, Right], "Fold and unfold; in a row, go to another cell, lane or bit"),
    (&[CollapseAll, ExpandAll], "Fold, unfold everything"),
    (&[PageUp, PageDown], "Move up, down a screenful"),
    (&[Top, Bottom], "Go to the first, the last row"),
    (&[ScrollUp, ScrollDown], "Scroll; the selection stays while it is visible"),
    (&[NextPane, PreviousPane], "Go to the next, the previous pane"),
    (&[Parent], "Go out to what contains the selection"),
    (&[Forward], "Go forward again"),
    (&[PreviousPoint, NextPoint], "Step to the previous, the next sequence point or change, from any pane"),
    (&[Find], "Find as you type, COLUMN:text in one column; ⇥ looks in all source text"),
    (&[NextMatch, PreviousMatch], "Go to the next, the previous match"),
    (&[Filter], "Show only rows with a text; COLUMN:text, COLUMN=text for a whole cell; Esc shows all"),
    (&[Sort], "Sort by the selected column; again to reverse, again for the order of the file"),
    (&[Findings], "List the findings of all open files"),
    (&[SetMark, GoToMark], "Mark the selection with a letter, go to a mark"),
    (&[SwitchFile], "List open and recent files; a typed path opens another one, or a stack trace"),
    (&[CloseFile], "Close the files on the screen"),
    (&[Symbols], "Say where to look for sources and PDBs: a folder, OLD=NEW, a PDB, a store, a server"),
    (&[Zoom], "Show the focused pane on the whole screen, or restore the layout"),
    (&[Palette], "Choose a command by name"),
    (&[Help], "Show the keys that work here"),
    (&[Cancel], "Close the topmost list, end the filter, or stop the running job"),
    (&[Quit], "Quit"),
];

/// The keys that do the same everywhere, each with its meaning, then the kinds of things, each with its keys.
pub fn documented_keys() -> Vec<(Vec<String>, String)> {
    let keymap = Keymap::default();
    let key = |action| Some(keymap.keys_text(action, false)).filter(|key| !key.is_empty());
    let general = GENERAL.iter().map(|(actions, help)| {
        (actions.iter().filter_map(|action| key(*action)).collect::<Vec<_>>(), (*help).to_owned())
    });
    let of_things = Thing::ALL.iter().map(|thing| {
        let offers = thing.offers().iter().filter_map(|(action, words)| Some(format!("{} {words}", key(*action)?)));
        (vec![format!("on a {}", thing.name())], offers.collect::<Vec<_>>().join(", "))
    });
    general.chain(of_things).collect()
}

/// The keys of several actions, one after the other.
pub(crate) fn keys_of_row(actions: &[Action], key_of: impl Fn(Action) -> String) -> String {
    let mut keys: Vec<String> = actions.iter().map(|action| key_of(*action)).filter(|key| !key.is_empty()).collect();
    // Digits of views are a range.
    if let [first, _, .., last] = keys.as_slice() {
        keys = vec![format!("{first}–{last}")];
    }
    keys.join(" ")
}

/// The tables of docs/keys.md: general keys, actions of each kind of thing, keys of text input, actions without key.
pub fn markdown() -> String {
    let keymap = Keymap::default();
    let key = |action| keymap.keys_text(action, false);
    let code = |action| Some(key(action)).filter(|key| !key.is_empty()).map(|key| format!("`{key}`"));
    let mut out = "| keys | what they do |\n| --- | --- |\n".to_owned();
    for (actions, help) in GENERAL {
        let _ = writeln!(out, "| {} | {help} |", keys_of_row(actions, |action| code(action).unwrap_or_default()));
    }
    out.push_str("\nWhat can be done with a thing, most useful first; `Space` and the right mouse button show it:\n\n");
    out.push_str("| thing | keys |\n| --- | --- |\n");
    for thing in Thing::ALL {
        let offers = thing.offers().iter().filter_map(|(action, words)| Some(format!("{} {words}", code(*action)?)));
        let _ = writeln!(out, "| {} | {} |", thing.name(), offers.collect::<Vec<_>>().join(" · "));
    }
    for (words, scope) in [("In the menu of `y`", crate::engine::keymap::COPY), ("Where text is typed", PROMPT)] {
        let _ = writeln!(out, "\n{words}:\n\n| keys | what they do |\n| --- | --- |");
        let mut named = Vec::new();
        for (_, when, action) in KEYS.iter().filter(|(_, when, _)| *when == When::In(scope)) {
            if let (Some(def), Some(key)) = (action.def(), keymap.keys_of(*action, scope))
                && *when == When::In(scope)
                && !named.contains(action)
            {
                named.push(*action);
                let _ = writeln!(out, "| `{}` | {} |", key.display(false), def.help);
            }
        }
    }
    out.push_str("\nOnly by name, with `:` or `o`:\n\n| command | what it does |\n| --- | --- |\n");
    for def in PALETTE_ONLY.iter().filter_map(|action| action.def()) {
        let _ = writeln!(out, "| `{}` | {} |", def.name, def.help);
    }
    out
}
