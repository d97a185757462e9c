//! Key bindings: the default table, changed by the configuration.

use crate::engine::action::Action;
use crate::engine::key::Key;

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
pub(crate) const PLAYER: &str = "player";
pub(crate) const TRACE: &str = "trace";
/// The scope of the menu of what can be copied.
pub(crate) const COPY: &str = "copy";

/// The default bindings. Lists of keys name the first one of an action; the others are for hands that know them from elsewhere.
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
    ("ctrl-u", When::Always, Action::PageUp),
    ("pagedown", When::Always, Action::PageDown),
    ("ctrl-f", When::Always, Action::PageDown),
    ("ctrl-d", When::Always, Action::PageDown),
    ("shift-up", When::Always, Action::ScrollUp),
    ("shift-down", When::Always, Action::ScrollDown),
    ("g", When::Always, Action::Top),
    ("home", When::Always, Action::Top),
    ("G", When::Always, Action::Bottom),
    ("end", When::Always, Action::Bottom),
    ("[", When::Always, Action::PreviousPoint),
    ("]", When::Always, Action::NextPoint),
    ("enter", When::Always, Action::Follow),
    ("space", When::Always, Action::Menu),
    ("shift-right", When::Always, Action::ExpandAll),
    ("shift-left", When::Always, Action::CollapseAll),
    ("backspace", When::Always, Action::Back),
    ("L", When::Always, Action::Forward),
    ("u", When::Always, Action::Parent),
    ("o", When::Always, Action::GoTo),
    ("r", When::Always, Action::UsedBy),
    ("w", When::Always, Action::Why),
    ("a", When::Always, Action::MachineCode),
    ("t", When::Always, Action::Order),
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
    ("/", When::Always, Action::Find),
    ("n", When::Always, Action::NextMatch),
    ("N", When::Always, Action::PreviousMatch),
    ("&", When::Always, Action::Filter),
    ("s", When::Always, Action::Sort),
    ("!", When::Always, Action::Findings),
    (":", When::Always, Action::Palette),
    ("y", When::Always, Action::Copy),
    ("i", When::Always, Action::Explain),
    ("c", When::Always, Action::WhatIf),
    ("e", When::Always, Action::Editor),
    (".", When::Always, Action::Learn),
    ("x", When::Always, Action::HideAnswers),
    ("f", When::Always, Action::FetchSource),
    ("p", When::Always, Action::Symbols),
    ("O", When::Always, Action::SwitchFile),
    ("X", When::Always, Action::CloseFile),
    ("d", When::Always, Action::Compare),
    ("m", When::Always, Action::SetMark),
    ("'", When::Always, Action::GoToMark),
    ("?", When::Always, Action::Help),
    ("f1", When::Always, Action::Help),
    ("ctrl-l", When::Always, Action::Redraw),
    ("ctrl-z", When::Always, Action::Suspend),
    ("esc", When::Always, Action::Cancel),
    ("q", When::Always, Action::Quit),
    ("ctrl-c", When::Always, Action::Quit),
    ("R", When::In(PLAYER), Action::Restart),
    ("R", When::In(TRACE), Action::ReadAgain),
    ("v", When::In(COPY), Action::CopyValue),
    ("h", When::In(COPY), Action::CopyHex),
    ("a", When::In(COPY), Action::CopyAddress),
    ("r", When::In(COPY), Action::CopyRow),
    ("j", When::In(COPY), Action::CopyJson),
    ("c", When::In(COPY), Action::CopyCommand),
    ("t", When::In(COPY), Action::CopyTrace),
    ("l", When::In(COPY), Action::CopyLink),
    ("w", When::In(COPY), Action::Export),
    ("p", When::In(COPY), Action::Handout),
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

/// Actions without a key: they are found in the command palette.
pub const PALETTE_ONLY: &[Action] = &[
    Action::Programs,
    Action::PasteTrace,
    Action::OpenFile,
    Action::FindInSources,
    Action::RefusedPoints,
    Action::Glossary,
    Action::Coverage,
    Action::Tables,
    Action::ByType,
    Action::ByFile,
    Action::ResetSplits,
    Action::Mouse,
    Action::Theme,
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    pub key: Key,
    pub when: When,
    pub action: Action,
}

#[derive(Clone, Debug)]
pub struct Keymap {
    /// In the order of the table.
    pub bindings: Vec<Binding>,
}

impl Default for Keymap {
    fn default() -> Self {
        let binding = |(key, when, action): &(&str, When, Action)| {
            Key::parse(key).map(|key| Binding { key, when: when.clone(), action: *action })
        };
        Self { bindings: KEYS.iter().filter_map(binding).collect() }
    }
}

impl Keymap {
    /// Binds `key` to the action called `name`; an empty name unbinds it.
    pub fn bind(&mut self, key: &str, when: When, name: &str) -> Result<(), String> {
        let key = Key::parse(key).ok_or_else(|| format!("`{key}` is not a key"))?;
        self.bindings.retain(|binding| binding.key != key || binding.when != when);
        if name.is_empty() {
            return Ok(());
        }
        let action = Action::named(name).ok_or_else(|| format!("unknown action `{name}`"))?;
        self.bindings.insert(0, Binding { key, when, action });
        Ok(())
    }

    /// The action of a key in the scope `place`; with `typing`, bindings that hold everywhere are left out.
    pub fn lookup(&self, key: Key, place: &str, typing: bool) -> Option<Action> {
        let here = |binding: &&Binding| matches!(binding.when, When::In(name) if name == place);
        let always = |binding: &&Binding| !typing && binding.when == When::Always;
        let mut of_key = self.bindings.iter().filter(|binding| binding.key == key);
        let found = of_key.clone().find(here).or_else(|| of_key.find(always));
        found.map(|binding| binding.action)
    }

    /// The first binding of an action in a scope, else everywhere, else in any other scope.
    pub(crate) fn keys_of(&self, action: Action, place: &str) -> Option<Key> {
        let there =
            |binding: &&Binding| binding.action == action && matches!(binding.when, When::In(name) if name == place);
        let always = |binding: &&Binding| binding.action == action && binding.when == When::Always;
        let anywhere = |binding: &&Binding| binding.action == action && binding.when != When::In(PROMPT);
        let mut found = self.bindings.iter().find(there).or_else(|| self.bindings.iter().find(always));
        if place.is_empty() {
            found = found.or_else(|| self.bindings.iter().find(anywhere));
        }
        found.map(|binding| binding.key)
    }

    /// The first key of an action as text, after that of the menu that it is in; empty without any.
    pub(crate) fn keys_text(&self, action: Action, ascii: bool) -> String {
        let text = |action, place| self.keys_of(action, place).map(|key| key.display(ascii));
        let copied = || Some(format!("{} {}", text(Action::Copy, "*")?, text(action, COPY)?));
        text(action, "*")
            .or_else(copied)
            .or_else(|| text(action, PLAYER))
            .or_else(|| text(action, TRACE))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::action::ACTIONS;

    fn key(text: &str) -> Key {
        Key::parse(text).unwrap()
    }

    #[test]
    fn no_key_is_bound_twice_in_one_place() {
        let all = Keymap::default().bindings;
        assert_eq!(all.len(), KEYS.len(), "every key in the table can be parsed");
        for (index, binding) in all.iter().enumerate() {
            let twice = all.iter().skip(index + 1).find(|other| other.when == binding.when && other.key == binding.key);
            assert!(twice.is_none(), "{binding:?} and {twice:?}");
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
    fn a_letter_means_one_thing_outside_of_menus_and_prompts() {
        for (text, when, action) in KEYS.iter().filter(|(text, ..)| text.len() == 1) {
            if [When::In(PROMPT), When::In(COPY)].contains(when) {
                continue;
            }
            let also = |(other, w, a): &&(&str, When, Action)| other == text && a != action && *w == When::Always;
            assert_eq!(KEYS.iter().find(also), None, "{text}");
        }
    }

    #[test]
    fn every_action_can_be_had_without_control_and_without_alt() {
        for def in ACTIONS.iter().filter(|def| ![Action::Redraw, Action::Suspend].contains(&def.action)) {
            let plain = |text: &str| !key(text).ctrl && !key(text).alt;
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
    fn the_focused_pane_goes_first() {
        let mut keymap = Keymap::default();
        assert_eq!(keymap.lookup(key("g"), "points", false), Some(Action::Top));
        keymap.bind("g", When::In("bytes"), "bottom").unwrap();
        assert_eq!(keymap.lookup(key("g"), "bytes", false), Some(Action::Bottom));
        keymap.bind("q", When::Always, "").unwrap();
        assert_eq!(keymap.lookup(key("q"), "points", false), None);
        assert_eq!(keymap.lookup(key("j"), PROMPT, true), None, "letters are text where text is typed");
        assert!(keymap.bind("x", When::Always, "explode").is_err());
        assert!(keymap.bind("g g", When::Always, "top").is_err(), "a sequence is no key");
    }
}
