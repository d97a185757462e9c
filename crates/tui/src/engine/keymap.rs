//! Key bindings: the default table, changed by the configuration.

use std::fmt::Write;

use crate::engine::action::{ACTIONS, Action, ActionDef};
use crate::engine::key::{self, Key};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// Everywhere except where text is typed.
    Always,
    /// In the pane or overlay of that name; it has precedence over [`When::Always`].
    In(&'static str),
}

/// The scope of overlays that take text.
pub const PROMPT: &str = "prompt";
/// The scope of lists whose text is typed after `/`.
pub(crate) const LIST: &str = "list";
pub const TRACE: &str = "trace";
pub const SOURCE: &str = "source";
pub(crate) const DOCUMENTS: &str = "documents";
pub(crate) const PLAYER: &str = "player";

/// The default bindings. The keys of a sequence are separated by spaces.
pub const KEYS: &[(&str, When, Action)] = &[
    ("up", When::Always, Action::Up),
    ("k", When::Always, Action::Up),
    ("down", When::Always, Action::Down),
    ("j", When::Always, Action::Down),
    ("left", When::Always, Action::Left),
    ("h", When::Always, Action::Left),
    ("right", When::Always, Action::Right),
    ("l", When::Always, Action::Right),
    ("pageup", When::Always, Action::PageUp),
    ("ctrl-b", When::Always, Action::PageUp),
    ("pagedown", When::Always, Action::PageDown),
    ("ctrl-f", When::Always, Action::PageDown),
    ("U", When::Always, Action::HalfUp),
    ("ctrl-u", When::Always, Action::HalfUp),
    ("D", When::Always, Action::HalfDown),
    ("ctrl-d", When::Always, Action::HalfDown),
    ("K", When::Always, Action::ScrollUp),
    ("ctrl-y", When::Always, Action::ScrollUp),
    ("J", When::Always, Action::ScrollDown),
    ("ctrl-e", When::Always, Action::ScrollDown),
    ("g g", When::Always, Action::Top),
    ("home", When::Always, Action::Top),
    ("G", When::Always, Action::Bottom),
    ("end", When::Always, Action::Bottom),
    ("c", When::Always, Action::Center),
    ("[", When::Always, Action::PreviousPoint),
    ("]", When::Always, Action::NextPoint),
    ("enter", When::Always, Action::Follow),
    ("space", When::Always, Action::Menu),
    ("E", When::Always, Action::ExpandAll),
    ("C", When::Always, Action::CollapseAll),
    ("H", When::Always, Action::Back),
    ("backspace", When::Always, Action::Back),
    ("ctrl-o", When::Always, Action::Back),
    ("alt-left", When::Always, Action::Back),
    ("L", When::Always, Action::Forward),
    ("alt-right", When::Always, Action::Forward),
    ("u", When::Always, Action::Parent),
    ("alt-up", When::Always, Action::Parent),
    ("o", When::Always, Action::GoTo),
    ("ctrl-g", When::Always, Action::GoTo),
    ("r", When::Always, Action::UsedBy),
    ("a", When::Always, Action::MachineCode),
    ("t", When::Always, Action::Order),
    ("R", When::Always, Action::CallerTree),
    ("1", When::Always, Action::View(1)),
    ("2", When::Always, Action::View(2)),
    ("3", When::Always, Action::View(3)),
    ("4", When::Always, Action::View(4)),
    ("5", When::Always, Action::View(5)),
    ("6", When::Always, Action::View(6)),
    ("tab", When::Always, Action::NextPane),
    ("shift-tab", When::Always, Action::PreviousPane),
    ("b", When::Always, Action::FoldBytes),
    ("z", When::Always, Action::Zoom),
    (">", When::Always, Action::Wider),
    ("<", When::Always, Action::Narrower),
    ("+", When::Always, Action::Taller),
    ("-", When::Always, Action::Shorter),
    ("=", When::Always, Action::ResetSplits),
    ("/", When::Always, Action::Find),
    ("g /", When::Always, Action::FindInSources),
    ("g b", When::Always, Action::RefusedPoints),
    ("n", When::Always, Action::NextMatch),
    ("N", When::Always, Action::PreviousMatch),
    ("&", When::Always, Action::Filter),
    ("s", When::Always, Action::Sort),
    ("!", When::Always, Action::Findings),
    ("F", When::Always, Action::FindAnything),
    ("ctrl-p", When::Always, Action::FindAnything),
    (":", When::Always, Action::Palette),
    ("y v", When::Always, Action::CopyValue),
    ("y h", When::Always, Action::CopyHex),
    ("y a", When::Always, Action::CopyAddress),
    ("y r", When::Always, Action::CopyRow),
    ("y j", When::Always, Action::CopyJson),
    ("y c", When::Always, Action::CopyCommand),
    ("y t", When::Always, Action::CopyTrace),
    ("i", When::Always, Action::Explain),
    ("I", When::Always, Action::Glossary),
    ("e", When::Always, Action::WhatIf),
    ("w", When::Always, Action::Handout),
    ("Y", When::Always, Action::Export),
    ("v", When::Always, Action::Editor),
    (".", When::Always, Action::Learn),
    ("x", When::Always, Action::HideAnswers),
    ("S", When::Always, Action::SourceRoot),
    ("f", When::Always, Action::FetchSource),
    ("P", When::Always, Action::Symbols),
    ("O", When::Always, Action::OpenFile),
    ("W", When::Always, Action::SwitchFile),
    ("X", When::Always, Action::CloseFile),
    ("d", When::Always, Action::Compare),
    ("m", When::Always, Action::SetMark),
    ("'", When::Always, Action::GoToMark),
    ("M", When::Always, Action::Mouse),
    ("T", When::Always, Action::Theme),
    ("?", When::Always, Action::Help),
    ("f1", When::Always, Action::Help),
    ("ctrl-l", When::Always, Action::Redraw),
    ("ctrl-z", When::Always, Action::Suspend),
    ("esc", When::Always, Action::Cancel),
    ("q", When::Always, Action::Quit),
    ("ctrl-c", When::Always, Action::Quit),
    ("O", When::In(TRACE), Action::OpenTrace),
    ("e", When::In(TRACE), Action::Editor),
    ("e", When::In(SOURCE), Action::Editor),
    ("e", When::In(DOCUMENTS), Action::Editor),
    ("space", When::In(PLAYER), Action::Down),
    ("backspace", When::In(PLAYER), Action::Up),
    ("p", When::In(PLAYER), Action::Predict),
    ("b", When::In(PLAYER), Action::NextBit),
    ("B", When::In(PLAYER), Action::PreviousBit),
    ("r", When::In(PLAYER), Action::Restart),
    ("up", When::In(PROMPT), Action::Up),
    ("ctrl-p", When::In(PROMPT), Action::Up),
    ("down", When::In(PROMPT), Action::Down),
    ("ctrl-n", When::In(PROMPT), Action::Down),
    ("pageup", When::In(PROMPT), Action::PageUp),
    ("pagedown", When::In(PROMPT), Action::PageDown),
    ("enter", When::In(PROMPT), Action::Accept),
    ("tab", When::In(PROMPT), Action::Complete),
    ("esc", When::In(PROMPT), Action::Cancel),
    ("ctrl-c", When::In(PROMPT), Action::Cancel),
    ("ctrl-z", When::In(PROMPT), Action::Suspend),
];

/// Names of the groups that sequences with the same first key form.
pub(crate) const PREFIXES: &[(&str, &str)] = &[("g", "go"), ("y", "copy")];

/// An example of a count, and its description.
pub const COUNT: (&str, &str) =
    ("0 1 2 j", "Move 12 rows down: a count begins with 0, because digits alone choose views");

/// Actions without a key: they are found in the command palette.
pub const PALETTE_ONLY: &[Action] = &[
    Action::PasteTrace,
    Action::Coverage,
    Action::Toggle,
    Action::Tables,
    Action::ByType,
    Action::ByFile,
    Action::GoToken,
    Action::GoOffset,
    Action::GoInstruction,
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    pub keys: Vec<Key>,
    pub when: When,
    pub action: Action,
}

#[derive(Clone, Debug)]
pub struct Keymap {
    /// In the order of the table.
    pub bindings: Vec<Binding>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    Action(Action),
    /// The start of longer sequences.
    Pending,
    Unbound,
}

impl Default for Keymap {
    fn default() -> Self {
        let binding = |(keys, when, action): &(&str, When, Action)| {
            Key::parse_sequence(keys).map(|keys| Binding { keys, when: when.clone(), action: *action })
        };
        Self { bindings: KEYS.iter().filter_map(binding).collect() }
    }
}

impl Keymap {
    /// Binds `keys` to the action called `name`; an empty name unbinds them.
    pub fn bind(&mut self, keys: &str, when: When, name: &str) -> Result<(), String> {
        let keys = Key::parse_sequence(keys).ok_or_else(|| format!("`{keys}` is not a key"))?;
        self.bindings.retain(|binding| binding.keys != keys || binding.when != when);
        if name.is_empty() {
            return Ok(());
        }
        let action = Action::named(name).ok_or_else(|| format!("unknown action `{name}`"))?;
        self.bindings.insert(0, Binding { keys, when, action });
        Ok(())
    }

    /// Looks up a sequence in the scope `place`; with `typing`, bindings that hold everywhere are left out.
    pub fn lookup(&self, keys: &[Key], place: &str, typing: bool) -> Match {
        for always in [false, true] {
            if always && typing {
                break;
            }
            let mut here = self.bindings.iter().filter(|b| match b.when {
                When::Always => always,
                When::In(name) => !always && name == place,
            });
            let mut pending = false;
            let found = here.find(|binding| {
                pending |= binding.keys.len() > keys.len() && binding.keys.starts_with(keys);
                binding.keys == keys
            });
            match found {
                Some(binding) => return Match::Action(binding.action),
                None if pending => return Match::Pending,
                None => {}
            }
        }
        Match::Unbound
    }

    pub fn following<'k>(&'k self, keys: &'k [Key], place: &'k str) -> impl Iterator<Item = (&'k [Key], Action)> {
        self.bindings.iter().filter_map(move |binding| {
            let here = binding.when == When::Always || matches!(binding.when, When::In(name) if name == place);
            let rest = binding.keys.strip_prefix(keys).filter(|rest| here && !rest.is_empty())?;
            Some((rest, binding.action))
        })
    }

    /// The first binding of an action in a scope, else everywhere, else in any other scope.
    pub(crate) fn keys_of(&self, action: Action, place: &str) -> Option<&[Key]> {
        let there =
            |binding: &&Binding| binding.action == action && matches!(binding.when, When::In(name) if name == place);
        let always = |binding: &&Binding| binding.action == action && binding.when == When::Always;
        let anywhere = |binding: &&Binding| binding.action == action && binding.when != When::In(PROMPT);
        let mut found = self.bindings.iter().find(there).or_else(|| self.bindings.iter().find(always));
        if place.is_empty() {
            found = found.or_else(|| self.bindings.iter().find(anywhere));
        }
        found.map(|binding| binding.keys.as_slice())
    }

    /// All bindings of an action that hold everywhere, as text: `↑ · k`.
    pub(crate) fn keys_text(&self, action: Action, ascii: bool) -> String {
        let keys = self.bindings.iter().filter(|b| b.action == action && b.when == When::Always);
        let keys: Vec<String> = keys.map(|binding| key::display(&binding.keys, ascii)).collect();
        let scopes = [(TRACE, "in a trace"), (PLAYER, "in the player")];
        let in_scope = |(scope, name): &(&'static str, &str)| {
            let found = self.bindings.iter().find(|b| b.action == action && b.when == When::In(scope))?;
            Some(format!("{} {name}", key::display(&found.keys, ascii)))
        };
        match scopes.iter().find_map(in_scope) {
            Some(text) if keys.is_empty() => text,
            _ => keys.join(" · "),
        }
    }

    pub fn table(&self, ascii: bool) -> impl Iterator<Item = (&'static ActionDef, String)> {
        ACTIONS.iter().map(move |def| (def, self.keys_text(def.action, ascii)))
    }
}

/// The default bindings with the help of their actions, for docs/keys.md and the man page.
pub fn documented_keys() -> Vec<(Vec<String>, &'static str)> {
    keys_for(&When::Always)
}

fn keys_for(when: &When) -> Vec<(Vec<String>, &'static str)> {
    let keymap = Keymap::default();
    let rows = ACTIONS.iter().map(|def| {
        let of = |binding: &&Binding| binding.action == def.action && binding.when == *when;
        let keys = keymap.bindings.iter().filter(of).map(|binding| key::display(&binding.keys, false)).collect();
        (keys, def.help)
    });
    rows.filter(|(keys, _): &(Vec<String>, _)| !keys.is_empty()).collect()
}

/// The tables of docs/keys.md: general keys, keys of the player and of text input, actions without key.
pub fn markdown() -> String {
    let mut out = String::new();
    for (words, rows) in [
        ("", documented_keys()),
        ("\nIn a stack trace:\n\n", keys_for(&When::In(TRACE))),
        ("\nIn source text:\n\n", keys_for(&When::In(SOURCE))),
        ("\nIn the list of documents:\n\n", keys_for(&When::In(DOCUMENTS))),
        ("\nIn the player:\n\n", keys_for(&When::In(PLAYER))),
        ("\nWhere text is typed:\n\n", keys_for(&When::In(PROMPT))),
    ] {
        let _ = writeln!(out, "{words}| keys | what they do |\n| --- | --- |");
        for (keys, help) in rows {
            let keys: Vec<String> = keys.iter().map(|keys| format!("`{keys}`")).collect();
            let _ = writeln!(out, "| {} | {help} |", keys.join(" "));
        }
    }
    out.push_str("\nOnly by name, with `:`:\n\n| command | what it does |\n| --- | --- |\n");
    for def in PALETTE_ONLY.iter().filter_map(|action| action.def()) {
        let _ = writeln!(out, "| `{}` | {} |", def.name, def.help);
    }
    let (keys, help) = COUNT;
    let _ = writeln!(out, "\n{help} (`{keys}`).");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<Key> {
        Key::parse_sequence(text).unwrap()
    }

    #[test]
    fn no_key_is_bound_twice_in_one_place_and_none_hides_a_sequence() {
        let all = Keymap::default().bindings;
        assert_eq!(all.len(), KEYS.len(), "every key in the table can be parsed");
        for (index, binding) in all.iter().enumerate() {
            for other in all.iter().skip(index + 1).filter(|other| other.when == binding.when) {
                let clash = other.keys.starts_with(&binding.keys) || binding.keys.starts_with(&other.keys);
                assert!(!clash, "{binding:?} and {other:?}");
            }
        }
    }

    #[test]
    fn every_action_has_help_and_a_key_or_is_palette_only_by_name() {
        for (index, def) in ACTIONS.iter().enumerate() {
            assert!(!def.help.is_empty() && !def.short.is_empty(), "{}", def.name);
            assert!(ACTIONS.iter().skip(index + 1).all(|other| other.name != def.name), "{} twice", def.name);
            let bound = KEYS.iter().any(|(.., action)| *action == def.action);
            assert_ne!(bound, PALETTE_ONLY.contains(&def.action), "{}", def.name);
        }
        for (keys, _, action) in KEYS {
            assert!(action.def().is_some(), "{keys} does something without help");
        }
    }

    #[test]
    fn every_action_can_be_had_without_control_and_without_alt() {
        for def in ACTIONS.iter().filter(|def| ![Action::Redraw, Action::Suspend].contains(&def.action)) {
            let plain = |text: &str| keys(text).iter().all(|key| !key.ctrl && !key.alt);
            let bound = KEYS.iter().any(|(keys, _, action)| *action == def.action && plain(keys));
            assert!(bound || PALETTE_ONLY.contains(&def.action), "{}", def.name);
        }
    }

    #[test]
    fn control_i_is_tab_and_control_m_is_enter_on_a_terminal() {
        for (text, ..) in KEYS {
            assert!(!["ctrl-i", "ctrl-m", "ctrl-h", "ctrl-s", "ctrl-q"].contains(text), "{text}");
        }
    }

    #[test]
    fn the_focused_pane_goes_first_and_sequences_wait() {
        let mut keymap = Keymap::default();
        assert_eq!(keymap.lookup(&keys("g"), "points", false), Match::Pending);
        assert_eq!(keymap.lookup(&keys("g g"), "points", false), Match::Action(Action::Top));
        assert_eq!(keymap.lookup(&keys("g x"), "points", false), Match::Unbound);
        keymap.bind("g", When::In("bytes"), "top").unwrap();
        assert_eq!(keymap.lookup(&keys("g"), "bytes", false), Match::Action(Action::Top));
        keymap.bind("q", When::Always, "").unwrap();
        assert_eq!(keymap.lookup(&keys("q"), "points", false), Match::Unbound);
        assert_eq!(keymap.lookup(&keys("j"), PROMPT, true), Match::Unbound, "letters are text where text is typed");
        assert!(keymap.bind("x", When::Always, "explode").is_err());
    }
}
