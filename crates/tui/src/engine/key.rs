//! Keys: parsing from tables and configuration, display on the screen.

use std::fmt::Write;

use crate::engine::press::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key; letters are upper case where shift was held.
    pub code: KeyCode,
    pub ctrl: bool,
    pub alt: bool,
    /// True if shift was held, for keys that are not characters.
    pub shift: bool,
}

/// Names of special keys: in tables and configuration, on the screen, and in ASCII.
const NAMES: &[(&str, KeyCode, &str, &str)] = &[
    ("enter", KeyCode::Enter, "↵", "Enter"),
    ("esc", KeyCode::Esc, "Esc", "Esc"),
    ("tab", KeyCode::Tab, "⇥", "Tab"),
    ("backspace", KeyCode::Backspace, "⌫", "Bksp"),
    ("space", KeyCode::Char(' '), "Space", "Space"),
    ("up", KeyCode::Up, "↑", "Up"),
    ("down", KeyCode::Down, "↓", "Down"),
    ("left", KeyCode::Left, "←", "Left"),
    ("right", KeyCode::Right, "→", "Right"),
    ("home", KeyCode::Home, "Home", "Home"),
    ("end", KeyCode::End, "End", "End"),
    ("pageup", KeyCode::PageUp, "PgUp", "PgUp"),
    ("pagedown", KeyCode::PageDown, "PgDn", "PgDn"),
    ("delete", KeyCode::Delete, "Del", "Del"),
    ("insert", KeyCode::Insert, "Ins", "Ins"),
];

impl Key {
    const fn plain(code: KeyCode) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    /// The key of a terminal event; `None` for a release.
    ///
    /// Terminals differ in how they report shift: here it is part of a character, and a modifier of other keys only.
    pub(crate) fn from_event(event: KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let held = |modifier| event.modifiers.contains(modifier);
        let (code, shift) = match event.code {
            KeyCode::BackTab => (KeyCode::Tab, true),
            KeyCode::Char(c) if held(KeyModifiers::SHIFT) => (KeyCode::Char(c.to_ascii_uppercase()), false),
            KeyCode::Char(c) => (KeyCode::Char(c), false),
            code => (code, held(KeyModifiers::SHIFT)),
        };
        Some(Self { code, shift, ctrl: held(KeyModifiers::CONTROL), alt: held(KeyModifiers::ALT) })
    }

    /// Parses a key: `j`, `G`, `ctrl-p`, `shift-tab`, `f1`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut chars = text.chars();
        if let (Some(c), None) = (chars.next(), chars.next()) {
            return Some(Self::plain(KeyCode::Char(c)));
        }
        if let Some(rest) = text.strip_prefix("ctrl-") {
            return Self::parse(rest).map(|key| Self { ctrl: true, ..key });
        }
        if let Some(rest) = text.strip_prefix("alt-") {
            return Self::parse(rest).map(|key| Self { alt: true, ..key });
        }
        if let Some(rest) = text.strip_prefix("shift-") {
            return Self::parse(rest).map(|key| Self { shift: true, ..key });
        }
        if let Some((_, code, ..)) = NAMES.iter().find(|(name, ..)| *name == text) {
            return Some(Self::plain(*code));
        }
        let number = text.strip_prefix('f').and_then(|n| n.parse().ok()).filter(|n| (1..=12).contains(n))?;
        Some(Self::plain(KeyCode::F(number)))
    }

    pub(crate) const fn typed_char(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }

    /// The key as the screen shows it: `^o`, `↵`, `Alt-←`.
    pub fn display(self, ascii: bool) -> String {
        let mut out = String::new();
        if self.ctrl {
            out.push('^');
        }
        if self.alt {
            out.push_str("Alt-");
        }
        if self.shift {
            out.push_str(if ascii { "Shift-" } else { "⇧" });
        }
        match self.code {
            KeyCode::F(n) => {
                let _ = write!(out, "F{n}");
            }
            code => match NAMES.iter().find(|(_, named, ..)| *named == code) {
                Some((.., symbol, word)) => out.push_str(if ascii { word } else { symbol }),
                None => out.extend(code.as_char()),
            },
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written_and_shown_short() {
        let shown = |text| Key::parse(text).unwrap().display(false);
        assert_eq!(shown("ctrl-p"), "^p");
        assert_eq!(shown("shift-tab"), "⇧⇥");
        assert_eq!(shown("alt-left"), "Alt-←");
        assert_eq!(shown("f1"), "F1");
        assert_eq!(Key::parse("G").unwrap().display(true), "G");
        for wrong in ["", "hyper-x", "f13", "enterr"] {
            assert_eq!(Key::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn terminals_that_speak_of_shift_apart_mean_the_same_key() {
        let event = |code, modifiers| Key::from_event(KeyEvent::new(code, modifiers)).unwrap();
        let upper = event(KeyCode::Char('G'), KeyModifiers::SHIFT);
        assert_eq!(upper, event(KeyCode::Char('g'), KeyModifiers::SHIFT));
        assert_eq!(upper, event(KeyCode::Char('G'), KeyModifiers::NONE));
        assert_eq!(event(KeyCode::BackTab, KeyModifiers::SHIFT), Key::parse("shift-tab").unwrap());
    }
}
