//! Dark, light, ansi or mono: what the environment says, or else the terminal, when it is asked for its background (OSC 11).
//!
//! Nothing waits for the answer. It comes in between the keys, and is read as keys: `Alt-]` `1` `1` `;` `r` `g` `b` `:` … up to
//! `^g` or `Alt-\`. [`Answer`] takes it out from among them and hands on everything else, so that nothing that is typed is
//! lost, however late the answer is, or whether there ever is one.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// "What is your background?", ended as every terminal understands it.
pub(super) const QUESTION: &str = "\x1b]11;?\x07";

/// How the answer begins.
const BEGINS: &str = "\x1b]11;";
/// No answer is longer.
const LONGEST: usize = 40;
/// How long a key is held back that may be the beginning of an answer; and the rest of what nobody types.
const REST: [Duration; 2] = [Duration::from_millis(30), Duration::from_millis(500)];
/// How long an answer is looked for that comes in pieces.
const PIECES: Duration = Duration::from_secs(2);
/// The luminance on which black and white text have the same contrast (WCAG 2).
const MIDDLE: f64 = 0.179;

/// What is known of the theme before anything is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Which it is.
    Theme(&'static str),
    /// The terminal has to be asked; until it answers, only its own sixteen colours can be read for sure.
    Ask,
}

/// What can be known without asking the terminal.
pub fn theme_by_environment(asked: Option<&str>, variable: &dyn Fn(&str) -> Option<String>) -> Known {
    let named = |name: &str| crate::tui::core::THEME_NAMES.into_iter().find(|known| *known == name);
    if let Some(known) = asked.and_then(named).or_else(|| variable("PDBLENS_THEME").as_deref().and_then(named)) {
        return Known::Theme(known);
    }
    if variable("NO_COLOR").is_some() || variable("TERM").as_deref() == Some("dumb") {
        return Known::Theme("mono");
    }
    // Those that have no other colours, and those that would be confused by the question.
    let few = ["linux", "vt100", "ansi", "screen", "xterm-color", "Eterm"];
    if variable("TERM").is_some_and(|term| few.contains(&term.as_str())) {
        return Known::Theme("ansi");
    }
    // "15;0": the last number is the background, of the sixteen.
    let last = variable("COLORFGBG").and_then(|colours| colours.rsplit(';').next()?.parse::<u8>().ok());
    last.map_or(Known::Ask, |background| Known::Theme(if matches!(background, 7 | 15) { "light" } else { "dark" }))
}

/// Looks for the terminal's answer among what it sends.
#[derive(Debug, Default)]
pub struct Answer {
    /// When the question was asked; nothing once it is answered.
    asked: Option<Instant>,
    /// What may be the beginning of the answer, and how the terminal sent it.
    held: Vec<Event>,
    text: String,
}

/// What comes of what came.
#[derive(Debug, Default, PartialEq)]
pub struct Taken {
    /// What the user did.
    pub events: Vec<Event>,
    /// Whether the background is light, if that is the answer.
    pub light: Option<bool>,
}

impl Answer {
    /// Looks for an answer, if something was asked.
    pub fn new(asked: bool) -> Self {
        Self { asked: asked.then(Instant::now), ..Self::default() }
    }

    /// How long to wait for more, where something is held back.
    pub fn patience(&self) -> Option<Duration> {
        (!self.held.is_empty()).then(|| REST[usize::from(self.text.len() > 2)])
    }

    /// Takes what came.
    pub fn take(&mut self, event: Event) -> Taken {
        let (Some(asked), Event::Key(key)) = (self.asked, &event) else {
            return Taken { events: vec![event], light: None };
        };
        if key.kind == KeyEventKind::Release && !self.held.is_empty() {
            return Taken::default();
        }
        let whole = key.code != KeyCode::Esc || !self.held.is_empty() || asked.elapsed() < PIECES;
        let came = text(*key).filter(|_| whole && key.kind != KeyEventKind::Release);
        let text = came.map(|came| format!("{}{came}", self.text));
        let Some(text) =
            text.filter(|text| BEGINS.starts_with(text.as_str()) || text.starts_with(BEGINS) && text.len() <= LONGEST)
        else {
            let mut events = self.give_up();
            if events.is_empty() {
                return Taken { events: vec![event], light: None };
            }
            // What was held back is none; this may begin one.
            let taken = self.take(event);
            events.extend(taken.events);
            return Taken { events, ..taken };
        };
        let body = text.strip_prefix(BEGINS).unwrap_or_default();
        match body.strip_suffix('\x07').or_else(|| body.strip_suffix("\x1b\\")) {
            // An answer that is not understood was not typed either.
            Some(body) => {
                let light = is_light(body);
                *self = Self::default();
                Taken { events: Vec::new(), light }
            }
            None => {
                self.held.push(event);
                self.text = text;
                Taken::default()
            }
        }
    }

    /// Nothing more came: what was held back was typed.
    pub fn give_up(&mut self) -> Vec<Event> {
        self.text.clear();
        std::mem::take(&mut self.held)
    }
}

/// What the terminal sent so that it was read as this key.
fn text(key: KeyEvent) -> Option<String> {
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc if !alt => Some("\x1b".to_owned()),
        KeyCode::Char('g') if control => Some("\x07".to_owned()),
        KeyCode::Char(_) if control => None,
        KeyCode::Char(c) if alt => Some(format!("\x1b{c}")),
        KeyCode::Char(c) => Some(c.to_string()),
        _ => None,
    }
}

/// Whether `rgb:1515/1818/2121` is nearer to white than to black, as the eye sees it.
fn is_light(colour: &str) -> Option<bool> {
    let parts = colour.strip_prefix("rgb:").or_else(|| colour.strip_prefix("rgba:"))?;
    let share = |part: &str| {
        let digits = u32::try_from(part.len()).ok().filter(|digits| (1..=4).contains(digits))?;
        Some(f64::from(u32::from_str_radix(part, 16).ok()?) / f64::from(16_u32.pow(digits) - 1))
    };
    let parts: Option<Vec<f64>> = parts.split('/').take(3).map(share).collect();
    let [red, green, blue] = parts?.try_into().ok()?;
    Some(0.2126 * red.powf(2.2) + 0.7152 * green.powf(2.2) + 0.0722 * blue.powf(2.2) > MIDDLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_in_this_order() {
        let theme = |asked, set: &'static [(&str, &str)]| {
            let variable = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
            theme_by_environment(asked, &variable)
        };
        assert_eq!(theme(Some("light"), &[("PDBLENS_THEME", "ansi"), ("NO_COLOR", "1")]), Known::Theme("light"));
        assert_eq!(theme(None, &[("PDBLENS_THEME", "ansi"), ("NO_COLOR", "1")]), Known::Theme("ansi"));
        assert_eq!(theme(None, &[("NO_COLOR", "1"), ("COLORFGBG", "0;15")]), Known::Theme("mono"));
        assert_eq!(theme(None, &[("TERM", "dumb")]), Known::Theme("mono"));
        assert_eq!(theme(None, &[("TERM", "linux"), ("COLORFGBG", "0;15")]), Known::Theme("ansi"));
        assert_eq!(theme(None, &[("COLORFGBG", "0;15")]), Known::Theme("light"));
        assert_eq!(theme(None, &[("COLORFGBG", "15;default;0")]), Known::Theme("dark"));
        assert_eq!(theme(None, &[("TERM", "xterm-256color"), ("COLORFGBG", "default")]), Known::Ask);
    }

    /// What crossterm makes of these bytes: escape and a character are that character with Alt.
    fn events(text: &str) -> Vec<Event> {
        let mut chars = text.chars().peekable();
        let mut events = Vec::new();
        while let Some(c) = chars.next() {
            let (code, modifiers) = match c {
                '\x1b' => match chars.next() {
                    Some(c) => (KeyCode::Char(c), KeyModifiers::ALT),
                    None => (KeyCode::Esc, KeyModifiers::NONE),
                },
                '\x07' => (KeyCode::Char('g'), KeyModifiers::CONTROL),
                c if c.is_uppercase() => (KeyCode::Char(c), KeyModifiers::SHIFT),
                c => (KeyCode::Char(c), KeyModifiers::NONE),
            };
            events.push(Event::Key(KeyEvent::new(code, modifiers)));
        }
        events
    }

    /// What is left for the user, and what was answered.
    fn told(asked: bool, came: Vec<Event>) -> (Vec<Event>, Vec<bool>) {
        let (mut answer, mut left, mut light) = (Answer::new(asked), Vec::new(), Vec::new());
        for event in came {
            let taken = answer.take(event);
            left.extend(taken.events);
            light.extend(taken.light);
        }
        left.extend(answer.give_up());
        (left, light)
    }

    #[test]
    fn the_answer_is_taken_out_from_among_the_keys() {
        for (answer, light) in [
            ("\x1b]11;rgb:1515/1818/2121\x07", false),
            ("\x1b]11;rgb:FBFB/fbfb/f8f8\x1b\\", true),
            ("\x1b]11;rgb:f/f/f\x07", true),
            ("\x1b]11;rgba:0000/0000/0000/ffff\x1b\\", false),
        ] {
            let came = events(&format!("jg{answer}Gq"));
            assert_eq!(told(true, came), (events("jgGq"), vec![light]), "{answer:?}");
        }
        // Where somebody pressed Esc, and where reads end in the middle of an escape.
        let escaped = events("\x1b").into_iter().chain(events("\x1b]11;rgb:ff/ff/ff\x07")).collect();
        assert_eq!(told(true, escaped), (events("\x1b"), vec![true]));
        let split: Vec<Event> = events("\x1b").into_iter().chain(events("]11;rgb:ff/ff/ff\x07")).collect();
        assert_eq!(told(true, split), (Vec::new(), vec![true]));
    }

    #[test]
    fn what_is_no_answer_was_typed() {
        for typed in ["\x1b]", "\x1b]1", "\x1b]12;rgb", "\x1b]11;\x1bx", "j\x1b", "\x1b\x07", &"\x1b]11;".repeat(9)] {
            assert_eq!(told(true, events(typed)), (events(typed), Vec::new()), "{typed:?}");
        }
        let long = format!("\x1b]11;{}\x07", "0".repeat(50));
        assert_eq!(told(true, events(&long)).0, events(&long));
        // Nobody asked, so nobody answers; and nobody answers twice.
        let answer = "\x1b]11;rgb:ff/ff/ff\x07";
        assert_eq!(told(false, events(answer)), (events(answer), Vec::new()));
        assert_eq!(told(true, events(&answer.repeat(2))), (events(answer), vec![true]));
    }

    #[test]
    fn an_answer_that_is_not_understood_is_not_typed() {
        assert_eq!(told(true, events("\x1b]11;red\x07j")), (events("j"), Vec::new()));
    }

    #[test]
    fn colours_are_light_or_dark_as_the_eye_sees_them() {
        for (colour, light) in [
            ("rgb:0000/0000/0000", false),
            ("rgb:ffff/ffff/ffff", true),
            ("rgb:0000/0000/ffff", false),
            ("rgb:0000/ffff/0000", true),
            ("rgb:fdfd/f6f6/e3e3", true),
            ("rgb:0000/2b2b/3636", false),
        ] {
            assert_eq!(is_light(colour), Some(light), "{colour}");
        }
        for wrong in ["rgb:", "rgb:ff/ff", "rgb:fffff/ff/ff", "rgb:gg/00/00", "#ffffff"] {
            assert_eq!(is_light(wrong), None, "{wrong}");
        }
    }
}
