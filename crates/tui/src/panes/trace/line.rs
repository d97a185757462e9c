//! Lines of a stack trace as the pane lists them, and below them the frames of modules whose symbols are missing.

use std::sync::Arc;

use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Row, Tone};
use pdblens_query::trace::{Cause, Outcome};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

/// A row and its link, which may lead to another session.
#[derive(Clone, Debug, Default)]
pub(super) struct TraceLine {
    pub(super) row: Row,
    pub(super) to: Option<(Arc<Session>, Place)>,
    /// Sentences about the frame, for the details: all of the reason, the notes, the symbols.
    pub(super) details: Arc<Vec<(String, Tone)>>,
    /// The frame as the trace has it; empty for other lines.
    pub(super) frame: Arc<str>,
    /// True for a frame of a module without symbols, and a line about one: Enter sets the symbol path.
    pub(super) is_missing: bool,
}

impl TraceLine {
    /// The frame, or what the line says about one.
    pub(super) fn text(&self) -> &str {
        self.row.cells.first().map_or("", |cell| cell.text.trim())
    }

    /// The heading of the details: the frame, which the sentences below do not repeat as they do what a line says about it.
    pub(super) fn heading(&self) -> &str {
        if self.frame.is_empty() { self.text() } else { &self.frame }
    }
}

/// A frame of .NET without the namespaces of its names, the names of its parameters and the file, which the result has: `at Type.Method(int)`.
/// Any other text as it is.
pub(super) fn short_frame(text: &str) -> String {
    let parts = text.strip_prefix("at ").and_then(|rest| rest.split_once('(')).filter(|(name, _)| !name.contains(' '));
    let Some((name, (parameters, _))) = parts.and_then(|(name, rest)| Some((name, rest.split_once(')')?))) else {
        return text.to_owned();
    };
    // A constructor has two dots before its name; arguments in brackets have names of their own.
    let arguments = name.find(['[', '<']).unwrap_or(name.len());
    let dots = name[..arguments].match_indices('.').map(|(at, _)| at).filter(|at| !name[..*at].ends_with('.'));
    // Behind the arguments of a type is the method.
    let is_of_type = name[arguments..].rsplit([']', '>']).next().is_some_and(|rest| rest.starts_with('.'));
    let start = dots.rev().nth(usize::from(!is_of_type)).map_or(0, |at| at + 1);
    let types = parameters.split(", ").map(|parameter| parameter.split(' ').next().unwrap_or_default());
    format!("at {}({})", &name[start..], types.collect::<Vec<_>>().join(", "))
}

/// Index in `resolved` of the frame that is selected in `lines`; among equal frames of a recursion, the one with the same ordinal.
pub(super) fn position_of_same(lines: &[TraceLine], selected: usize, resolved: &[TraceLine]) -> Option<usize> {
    if selected == 0 {
        return None;
    }
    let chosen = lines.get(selected)?.text();
    let earlier = lines.iter().take(selected).filter(|line| line.text() == chosen).count();
    // A line about a frame has that frame too, but another text.
    let equal = resolved.iter().enumerate().filter(|(_, line)| !line.frame.is_empty() && line.text() == chosen);
    equal.map(|(index, _)| index).nth(earlier)
}

/// Lines before a frame that its exception is looked for in.
const MAX_BEFORE: usize = 500;
/// Bytes of an exception that a card has.
const MAX_EXCEPTION: usize = 2000;
/// Modules without symbols that a card names.
const MAX_NAMED: usize = 3;

/// The exception that a line of a trace is about, if it is no frame.
fn opened(line: &TraceLine) -> Option<&str> {
    let text = line.text();
    let is_exception = line.row.depth == 0 && line.frame.is_empty() && !text.is_empty() && !text.starts_with("--- ");
    is_exception
        .then(|| text.strip_prefix("---> ").unwrap_or(text))
        .map(|text| &text[..text.floor_char_boundary(MAX_EXCEPTION)])
}

/// The exception of the frame on a line: the last text before it that is no frame, of one that had another inside the text before that.
fn exception(lines: &[TraceLine], at: usize) -> Option<&str> {
    let mut open: Vec<&str> = Vec::new();
    for line in lines.get(at.saturating_sub(MAX_BEFORE)..=at)?.iter().filter(|line| line.row.depth == 0) {
        match line.text() {
            "" => open.clear(),
            text if text.starts_with("--- ") => _ = text.contains("inner exception").then(|| open.pop()),
            _ => open.extend(opened(line)),
        }
    }
    open.pop()
}

/// The card above the frames: the exception of the chosen one, and the modules whose symbols are missing. It has as many lines for all
/// frames, so that the list does not move.
#[derive(Default)]
pub(super) struct Card {
    /// The first exception of the trace, for a line that has none.
    first: Option<String>,
    modules: Option<String>,
}

impl Card {
    pub(super) fn of(lines: &[TraceLine]) -> Self {
        let first = lines.iter().take(MAX_BEFORE).find_map(opened).map(str::to_owned);
        let is_module = |line: &&TraceLine| line.is_missing && line.row.depth == 1 && line.frame.is_empty();
        let modules: Vec<&str> = lines.iter().filter(is_module).map(TraceLine::text).collect();
        let (named, more) = modules.split_at(modules.len().min(MAX_NAMED));
        let more = (!more.is_empty()).then(|| format!("{} more", more.len()));
        let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).chain(more).collect();
        Self { first, modules: (!named.is_empty()).then(|| named.join("   ")) }
    }

    pub(super) fn lines(&self, lines: &[TraceLine], chosen: usize) -> Vec<String> {
        let exception = exception(lines, chosen).map(str::to_owned).or_else(|| self.first.clone());
        exception.into_iter().chain(self.modules.clone()).collect()
    }
}

/// Limits on the modules without symbols that are listed, and on the frames of each.
const MAX_MODULES: usize = 64;
const MAX_FRAMES: usize = 20;
pub(super) type MissingModule = (Cause, Vec<MissingFrame>);

pub(super) struct MissingFrame {
    /// The method or function; empty where the frame has none.
    pub(super) name: String,
    /// The frame as the trace has it.
    pub(super) text: Arc<str>,
    pub(super) details: Arc<Vec<(String, Tone)>>,
}

/// The cause that a frame has no line for, where that is the lack of symbols of a module.
pub(super) fn missing_symbols(outcome: &Outcome) -> Option<&Cause> {
    let (Outcome::No(refusal) | Outcome::Candidates { refusal, .. }) = outcome else { return None };
    match &refusal.cause {
        cause @ (Cause::NoSymbols(module) | Cause::OtherBuild(module)) if !module.is_empty() => Some(cause),
        _ => None,
    }
}

pub(super) fn add_missing(missing: &mut Vec<MissingModule>, cause: Cause, frame: MissingFrame) {
    let has_room = missing.len() < MAX_MODULES;
    match missing.iter_mut().find(|(known, _)| *known == cause) {
        Some((_, frames)) => frames.push(frame),
        None if has_room => missing.push((cause, vec![frame])),
        None => {}
    }
}

/// The modules without symbols, those with most frames first, each with its frames.
pub(super) fn missing_lines(missing: &[MissingModule]) -> Vec<TraceLine> {
    let line = |row: Row, is_missing: bool, details: Vec<(String, Tone)>| TraceLine {
        row,
        details: Arc::new(details),
        is_missing,
        ..TraceLine::default()
    };
    let mut modules: Vec<&MissingModule> = missing.iter().collect();
    modules.sort_by_key(|(_, frames)| std::cmp::Reverse(frames.len()));
    let mut lines = Vec::new();
    for (cause, frames) in modules {
        if lines.is_empty() {
            lines.push(line(Row::default(), false, Vec::new()));
        }
        let text = format!("{cause}: {}", count(frames.len() as u64, "frame"));
        let cells = vec![Cell::toned(text, Tone::Warn), Cell::toned("get symbols", Tone::Dim)];
        let help = "Enter sets the symbol path: a folder, a store or a server that has these symbols.".to_owned();
        lines.push(line(Row { depth: 1, ..Row::plain(cells) }, true, vec![(help, Tone::Text)]));
        lines.extend(frames.iter().take(MAX_FRAMES).map(|MissingFrame { name, text, details }| {
            let shown = if name.is_empty() { text } else { name.as_str() };
            let row = Row { depth: 2, ..Row::plain(vec![Cell::toned(shown, Tone::Dim)]) };
            TraceLine { row, details: Arc::clone(details), frame: Arc::clone(text), is_missing: true, to: None }
        }));
        let more = frames.len().saturating_sub(MAX_FRAMES);
        let said = format!("and {more} more");
        let row = Row { depth: 2, ..Row::plain(vec![Cell::toned(said, Tone::Dim)]) };
        lines.extend((more > 0).then(|| line(row, true, Vec::new())));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_card_has_the_exception_of_the_frame() {
        let text = |text: &str| TraceLine { row: Row::plain(vec![Cell::new(text)]), ..TraceLine::default() };
        let frame =
            || TraceLine { row: Row { depth: 1, ..Row::default() }, frame: "at A.B()".into(), ..TraceLine::default() };
        let mut lines = vec![text("Outer: a"), text("---> Inner: b"), frame()];
        lines.extend([text("--- End of inner exception stack trace ---"), frame()]);
        lines.extend([
            text("--- End of stack trace from previous location ---"),
            frame(),
            text(""),
            text("Other: c"),
            frame(),
        ]);
        let of = |at: usize| Card::of(&lines).lines(&lines, at);
        assert_eq!(
            [2, 4, 6, 9].map(of),
            [["Inner: b"], ["Outer: a"], ["Outer: a"], ["Other: c"]].map(|card| card.map(str::to_owned))
        );
        assert_eq!(of(7), ["Outer: a"], "the card keeps its rows");
        let module = |name: &str| TraceLine {
            is_missing: true,
            row: Row { depth: 1, ..text(name).row },
            ..TraceLine::default()
        };
        lines.extend(["a.dll: 9 frames", "b.dll: 3 frames", "c.dll: 1 frame", "d.dll: 1 frame"].map(module));
        assert_eq!(Card::of(&lines).lines(&lines, 9)[1], "a.dll: 9 frames   b.dll: 3 frames   c.dll: 1 frame   1 more");
    }

    #[test]
    fn a_frame_loses_namespaces_and_names_of_parameters() {
        let short = [
            (
                "at Acme.Web.Server.Start(String[] args, Int32& at) in /src/Server.cs:line 7",
                "at Server.Start(String[], Int32&)",
            ),
            ("at Acme.Web.Server..ctor(Options options)", "at Server..ctor(Options)"),
            ("at Acme.List`1[System.String].Add(T item)", "at List`1[System.String].Add(T)"),
            ("at Server.Start()", "at Server.Start()"),
            ("at start (app.js:3)", "at start (app.js:3)"),
            ("tally!clamp+0x19", "tally!clamp+0x19"),
        ];
        for (frame, expected) in short {
            assert_eq!(short_frame(frame), expected);
        }
    }
}
