//! The theme (dark, light, ansi or mono), from the environment or from the terminal's answer to a query of its background (OSC 11).
//!
//! The program does not wait for the answer. It arrives among the keys and is read as keys: `Alt-]` `1` `1` `;` `r` `g` `b`
//! `:` … up to `^g` or `Alt-\`. [`AnswerFilter`] removes it and passes on every other event, so that no typed key is lost even
//! if the answer is late or never comes.
//!
//! On Unix crossterm reads what else terminals answer. On Windows there is no such reader: an answer that a console host asked for
//! (device attributes, `ESC [ ? 1 ; 2 c`) arrives as single keys, and is removed too.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Query of the background colour (OSC 11), ended by BEL, which more terminals accept than ST.
pub(super) const QUERY: &str = "\x1b]11;?\x07";
const PREFIX: &str = "\x1b]11;";
/// Starts of device attributes (DA1, DA2), which end with `c`.
const ATTRIBUTES: [&str; 2] = ["\x1b[?", "\x1b[>"];
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// The name of a theme.
    Theme(String),
    /// The terminal has to be asked; until it answers, only its own sixteen colours are sure to be readable.
    Ask,
}

/// Chooses the theme from the option, then `PDBLENS_THEME`, `NO_COLOR`, `TERM` and `COLORFGBG`.
///
/// `exists` tells the themes that there are.
pub(crate) fn theme_by_environment(
    asked: Option<&str>,
    exists: &dyn Fn(&str) -> bool,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Known {
    let theme = |name: &str| Known::Theme(name.to_owned());
    if let Some(name) = asked.map(str::to_owned).or_else(|| variable("PDBLENS_THEME")).filter(|name| exists(name)) {
        return Known::Theme(name);
    }
    // Terminals of Digital before the VT525 have no colours.
    let is_plain =
        |term: String| term == "dumb" || ["vt1", "vt2", "vt3", "vt4"].iter().any(|kind| term.starts_with(kind));
    if variable("NO_COLOR").is_some() || variable("TERM").is_some_and(is_plain) {
        return theme("mono");
    }
    // Terminals with sixteen colours at most, and those that print the query.
    let few = ["linux", "ansi", "screen", "xterm-color", "Eterm"];
    if variable("TERM").is_some_and(|term| few.contains(&term.as_str())) {
        return theme("ansi");
    }
    // "15;0": the last number is the background, of the sixteen.
    let last = variable("COLORFGBG").and_then(|colours| colours.rsplit(';').next()?.parse::<u8>().ok());
    last.map_or(Known::Ask, |background| theme(if matches!(background, 7 | 15) { "light" } else { "dark" }))
}

#[derive(Debug, Default)]
pub struct AnswerFilter {
    /// Time of the query; `None` once it is answered.
    asked: Option<Instant>,
    /// True if every answer of the terminal arrives as keys.
    as_keys: bool,
    /// Events that may be the start of the answer.
    held: Vec<Event>,
    /// The held events as the terminal sent them.
    text: String,
}

#[derive(Debug, Default, PartialEq)]
pub struct Filtered {
    pub events: Vec<Event>,
    /// True if the answer names a light background; `None` without an answer.
    pub light: Option<bool>,
}

impl AnswerFilter {
    /// A filter that expects an answer about the background only if the terminal was asked, and other answers where they arrive as keys.
    pub fn new(asked: bool) -> Self {
        Self { asked: asked.then(Instant::now), as_keys: cfg!(windows), ..Self::default() }
    }

    fn may_be_answer(&self, text: &str) -> bool {
        let of_background = PREFIX.starts_with(text) || text.starts_with(PREFIX) && text.len() <= MAX_ANSWER;
        self.asked.is_some() && of_background || self.as_keys && may_be_attributes(text)
    }

    /// Time to wait for the next event; `None` if no event is held back.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        (!self.held.is_empty()).then_some(if self.text.len() > 2 { ANSWER_TIMEOUT } else { PREFIX_TIMEOUT })
    }

    /// Holds an event back, completes the answer, or passes events on.
    pub fn filter(&mut self, event: Event) -> Filtered {
        let Event::Key(key) = &event else { return Filtered { events: vec![event], light: None } };
        if self.asked.is_none() && !self.as_keys {
            return Filtered { events: vec![event], light: None };
        }
        if key.kind == KeyEventKind::Release && !self.held.is_empty() {
            return Filtered::default();
        }
        let may_split = self.as_keys || self.asked.is_some_and(|asked| asked.elapsed() < SPLIT_TIMEOUT);
        let whole = key.code != KeyCode::Esc || !self.held.is_empty() || may_split;
        let came = if whole && key.kind != KeyEventKind::Release { text(*key) } else { None };
        let text = came.map(|came| format!("{}{came}", self.text));
        let Some(text) = text.filter(|text| self.may_be_answer(text)) else {
            let mut events = self.release();
            if events.is_empty() {
                return Filtered { events: vec![event], light: None };
            }
            // The held events were no answer; this event may begin one.
            let taken = self.filter(event);
            events.extend(taken.events);
            return Filtered { events, ..taken };
        };
        if ATTRIBUTES.iter().any(|prefix| text.starts_with(prefix)) && text.ends_with('c') {
            self.release();
            return Filtered::default();
        }
        let body = text.strip_prefix(PREFIX).unwrap_or_default();
        match body.strip_suffix('\x07').or_else(|| body.strip_suffix("\x1b\\")) {
            // An unknown answer is dropped: it was not typed.
            Some(body) => {
                let light = is_light(body);
                *self = Self { as_keys: self.as_keys, ..Self::default() };
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

/// Returns whether a text is the start of device attributes, or all of them: numbers and semicolons, then `c`.
fn may_be_attributes(text: &str) -> bool {
    ATTRIBUTES.iter().any(|prefix| {
        let body = text.strip_prefix(prefix).map(|body| body.strip_suffix('c').unwrap_or(body));
        let is_body = |body: &str| body.bytes().all(|byte| byte.is_ascii_digit() || byte == b';');
        prefix.starts_with(text) || text.len() <= MAX_ANSWER && body.is_some_and(is_body)
    })
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
    // Approximates the power of 2.2 within 0.01: `powf` would be the only use of libm.
    let linear = |part: f64| part * part * (0.8 + 0.2 * part);
    Some(0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) > MID_LUMINANCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_is_read_in_this_order() {
        let theme = |asked, set: &'static [(&str, &str)]| {
            let variable = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
            theme_by_environment(asked, &|name| name != "pink", &variable)
        };
        let named = |name: &str| Known::Theme(name.to_owned());
        assert_eq!(theme(Some("light"), &[("PDBLENS_THEME", "ansi"), ("NO_COLOR", "1")]), named("light"));
        assert_eq!(theme(None, &[("PDBLENS_THEME", "ansi"), ("NO_COLOR", "1")]), named("ansi"));
        assert_eq!(theme(None, &[("NO_COLOR", "1"), ("COLORFGBG", "0;15")]), named("mono"));
        assert_eq!(theme(None, &[("PDBLENS_THEME", "pink"), ("NO_COLOR", "1")]), named("mono"));
        assert_eq!(theme(None, &[("TERM", "dumb")]), named("mono"));
        assert_eq!(theme(None, &[("TERM", "vt100"), ("COLORFGBG", "0;15")]), named("mono"));
        assert_eq!(theme(None, &[("TERM", "linux"), ("COLORFGBG", "0;15")]), named("ansi"));
        assert_eq!(theme(None, &[("COLORFGBG", "0;15")]), named("light"));
        assert_eq!(theme(None, &[("COLORFGBG", "15;default;0")]), named("dark"));
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

    /// Keys one by one, as a console of Windows delivers them: each pressed and released.
    fn console_events(text: &str) -> Vec<Event> {
        let key = |c| match c {
            '\x1b' => KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE),
            c => KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE),
        };
        let released = |c| KeyEvent { kind: KeyEventKind::Release, ..key(c) };
        text.chars().flat_map(|c| [Event::Key(key(c)), Event::Key(released(c))]).collect()
    }

    /// Characters of the keys that are left over.
    fn left_over(as_keys: bool, asked: bool, came: &str) -> String {
        let (mut filter, mut left) = (AnswerFilter { as_keys, ..AnswerFilter::new(asked) }, Vec::new());
        for event in console_events(came) {
            left.extend(filter.filter(event).events);
        }
        left.extend(filter.release());
        let pressed = left.into_iter().filter_map(|event| match event {
            Event::Key(key) if key.kind == KeyEventKind::Press => text(key),
            _ => None,
        });
        pressed.collect()
    }

    #[test]
    fn an_answer_that_arrives_as_single_keys_is_never_typed() {
        for asked in [false, true] {
            for answer in ["\x1b[?1;2c", "\x1b[?62;22c", "\x1b[>0;276;0c", "\x1b[?6c"] {
                assert_eq!(left_over(true, asked, &format!("j{answer}k{answer}")), "jk", "{answer:?}");
            }
            // What is typed is passed on: Esc alone, twice, before other keys, and what no answer has in it.
            for typed in ["\x1b", "\x1b\x1bq", "\x1b[", "\x1b[?", "\x1b[?x", "\x1b?c", "?1;2c", "\x1b[?1;2", "\x1bc"] {
                assert_eq!(left_over(true, asked, typed), typed, "{typed:?}");
            }
        }
        assert_eq!(left_over(true, true, "j\x1b]11;rgb:ff/ff/ff\x07\x1b[?1;2ck"), "jk");
        assert_eq!(left_over(false, false, "\x1b[?1;2c"), "\x1b[?1;2c");
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
