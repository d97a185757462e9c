//! The theme (dark, light, ansi or mono), from the environment or from the terminal's answer to a query of its background (OSC 11).
//!
//! The program does not wait for the answer. It arrives among the keys and is read as keys: `Alt-]` `1` `1` `;` `r` `g` `b`
//! `:` … up to `^g` or `Alt-\`. [`AnswerFilter`] removes it and passes on every other event, so that no typed key is lost even
//! if the answer is late or never comes.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Query of the background colour (OSC 11), ended by BEL, which more terminals accept than ST.
pub(super) const QUERY: &str = "\x1b]11;?\x07";

const PREFIX: &str = "\x1b]11;";
/// Limit of an answer in bytes; `rgba:` with four digits a channel has 31.
const MAX_ANSWER: usize = 40;
/// Delay after which a held `Alt-]` counts as typed.
const PREFIX_TIMEOUT: Duration = Duration::from_millis(30);
/// The same for a longer part of the prefix, which no user types.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(500);
/// Time after the query in which a single Esc may be the start of an answer that was split between two reads.
const SPLIT_TIMEOUT: Duration = Duration::from_secs(2);
/// Relative luminance against which black and white text have the same contrast (WCAG 2).
const MID_LUMINANCE: f64 = 0.179;

/// The theme, as far as it is known before the first frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// One of `THEME_NAMES`.
    Theme(&'static str),
    /// The terminal has to be asked; until it answers, only its own sixteen colours are sure to be readable.
    Ask,
}

/// Chooses the theme from the option, then `PDBLENS_THEME`, `NO_COLOR`, `TERM` and `COLORFGBG`.
pub fn theme_by_environment(asked: Option<&str>, variable: &dyn Fn(&str) -> Option<String>) -> Known {
    let named = |name: &str| crate::tui::core::THEME_NAMES.into_iter().find(|known| *known == name);
    if let Some(known) = asked.and_then(named).or_else(|| variable("PDBLENS_THEME").as_deref().and_then(named)) {
        return Known::Theme(known);
    }
    if variable("NO_COLOR").is_some() || variable("TERM").as_deref() == Some("dumb") {
        return Known::Theme("mono");
    }
    // Terminals with sixteen colours at most, and those that print the query.
    let few = ["linux", "vt100", "ansi", "screen", "xterm-color", "Eterm"];
    if variable("TERM").is_some_and(|term| few.contains(&term.as_str())) {
        return Known::Theme("ansi");
    }
    // "15;0": the last number is the background, of the sixteen.
    let last = variable("COLORFGBG").and_then(|colours| colours.rsplit(';').next()?.parse::<u8>().ok());
    last.map_or(Known::Ask, |background| Known::Theme(if matches!(background, 7 | 15) { "light" } else { "dark" }))
}

/// Separates the terminal's answer from the keys.
#[derive(Debug, Default)]
pub struct AnswerFilter {
    /// Time of the query; `None` once it is answered.
    asked: Option<Instant>,
    /// Events that may be the start of the answer.
    held: Vec<Event>,
    /// The held events as the terminal sent them.
    text: String,
}

/// The result of filtering an event.
#[derive(Debug, Default, PartialEq)]
pub struct Filtered {
    /// Input of the user.
    pub events: Vec<Event>,
    /// True if the answer names a light background; `None` without an answer.
    pub light: Option<bool>,
}

impl AnswerFilter {
    /// A filter that expects an answer only if the terminal was asked.
    pub fn new(asked: bool) -> Self {
        Self { asked: asked.then(Instant::now), ..Self::default() }
    }

    /// Time to wait for the next event; `None` if no event is held back.
    pub fn timeout(&self) -> Option<Duration> {
        (!self.held.is_empty()).then_some(if self.text.len() > 2 { ANSWER_TIMEOUT } else { PREFIX_TIMEOUT })
    }

    /// Holds an event back, completes the answer, or passes events on.
    pub fn filter(&mut self, event: Event) -> Filtered {
        let (Some(asked), Event::Key(key)) = (self.asked, &event) else {
            return Filtered { events: vec![event], light: None };
        };
        if key.kind == KeyEventKind::Release && !self.held.is_empty() {
            return Filtered::default();
        }
        let whole = key.code != KeyCode::Esc || !self.held.is_empty() || asked.elapsed() < SPLIT_TIMEOUT;
        let came = text(*key).filter(|_| whole && key.kind != KeyEventKind::Release);
        let text = came.map(|came| format!("{}{came}", self.text));
        let Some(text) = text
            .filter(|text| PREFIX.starts_with(text.as_str()) || text.starts_with(PREFIX) && text.len() <= MAX_ANSWER)
        else {
            let mut events = self.release();
            if events.is_empty() {
                return Filtered { events: vec![event], light: None };
            }
            // The held events were no answer; this event may begin one.
            let taken = self.filter(event);
            events.extend(taken.events);
            return Filtered { events, ..taken };
        };
        let body = text.strip_prefix(PREFIX).unwrap_or_default();
        match body.strip_suffix('\x07').or_else(|| body.strip_suffix("\x1b\\")) {
            // An unknown answer is dropped: it was not typed.
            Some(body) => {
                let light = is_light(body);
                *self = Self::default();
                Filtered { events: Vec::new(), light }
            }
            None => {
                self.held.push(event);
                self.text = text;
                Filtered::default()
            }
        }
    }

    /// Releases the held events: they were typed.
    pub fn release(&mut self) -> Vec<Event> {
        self.text.clear();
        std::mem::take(&mut self.held)
    }
}

/// The characters that crossterm reads as this key.
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

/// True if the relative luminance of `rgb:1515/1818/2121` is above [`MID_LUMINANCE`].
fn is_light(colour: &str) -> Option<bool> {
    let parts = colour.strip_prefix("rgb:").or_else(|| colour.strip_prefix("rgba:"))?;
    let share = |part: &str| {
        let digits = u32::try_from(part.len()).ok().filter(|digits| (1..=4).contains(digits))?;
        Some(f64::from(u32::from_str_radix(part, 16).ok()?) / f64::from(16_u32.pow(digits) - 1))
    };
    let parts: Option<Vec<f64>> = parts.split('/').take(3).map(share).collect();
    let [red, green, blue] = parts?.try_into().ok()?;
    Some(0.2126 * red.powf(2.2) + 0.7152 * green.powf(2.2) + 0.0722 * blue.powf(2.2) > MID_LUMINANCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_is_read_in_this_order() {
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

    /// The events that crossterm makes of these bytes: escape and a character are that character with Alt.
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

    /// The events that are passed on, and the answers.
    fn filtered(asked: bool, came: Vec<Event>) -> (Vec<Event>, Vec<bool>) {
        let (mut filter, mut left, mut light) = (AnswerFilter::new(asked), Vec::new(), Vec::new());
        for event in came {
            let taken = filter.filter(event);
            left.extend(taken.events);
            light.extend(taken.light);
        }
        left.extend(filter.release());
        (left, light)
    }

    #[test]
    fn the_answer_is_separated_from_the_keys() {
        for (answer, light) in [
            ("\x1b]11;rgb:1515/1818/2121\x07", false),
            ("\x1b]11;rgb:FBFB/fbfb/f8f8\x1b\\", true),
            ("\x1b]11;rgb:f/f/f\x07", true),
            ("\x1b]11;rgba:0000/0000/0000/ffff\x1b\\", false),
        ] {
            let came = events(&format!("jg{answer}Gq"));
            assert_eq!(filtered(true, came), (events("jgGq"), vec![light]), "{answer:?}");
        }
        // After Esc was pressed, and with a read that ends within an escape sequence.
        let escaped = events("\x1b").into_iter().chain(events("\x1b]11;rgb:ff/ff/ff\x07")).collect();
        assert_eq!(filtered(true, escaped), (events("\x1b"), vec![true]));
        let split: Vec<Event> = events("\x1b").into_iter().chain(events("]11;rgb:ff/ff/ff\x07")).collect();
        assert_eq!(filtered(true, split), (Vec::new(), vec![true]));
    }

    #[test]
    fn events_that_are_no_answer_are_passed_on() {
        for typed in ["\x1b]", "\x1b]1", "\x1b]12;rgb", "\x1b]11;\x1bx", "j\x1b", "\x1b\x07", &"\x1b]11;".repeat(9)] {
            assert_eq!(filtered(true, events(typed)), (events(typed), Vec::new()), "{typed:?}");
        }
        let long = format!("\x1b]11;{}\x07", "0".repeat(50));
        assert_eq!(filtered(true, events(&long)).0, events(&long));
        // No answer without a query, and only one to a query.
        let answer = "\x1b]11;rgb:ff/ff/ff\x07";
        assert_eq!(filtered(false, events(answer)), (events(answer), Vec::new()));
        assert_eq!(filtered(true, events(&answer.repeat(2))), (events(answer), vec![true]));
    }

    #[test]
    fn an_unknown_answer_is_dropped() {
        assert_eq!(filtered(true, events("\x1b]11;red\x07j")), (events("j"), Vec::new()));
    }

    #[test]
    fn colours_are_light_or_dark_by_their_luminance() {
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
