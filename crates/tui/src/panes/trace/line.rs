//! Lines of a stack trace as the pane lists them, and below them the frames of modules whose symbols are missing.

use std::sync::Arc;

use crate::engine::action::Action;
use crate::ui::text::width;
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Row, Tone};
use pdblens_query::trace::{Cause, Outcome};
use pdblens_session::session::Session;
use pdblens_session::text::parameters::{condensed, types_written};
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
    /// The sign before a frame: found, known without a line, or something is missing.
    pub(super) sign: Option<Tone>,
    /// Action that gets what is missing: a symbol path, which Enter sets, too, or another file.
    pub(super) remedy: Option<Action>,
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

/// Types of parameters that a cut frame has.
const MAX_TYPES: usize = 8;

/// A frame of .NET without the namespaces of its names, the names of its parameters and the file, which the result has:
/// `Type.Method(int, bool)`, or `Type.Method(int, …)` where that takes more than `room` cells. Any other text as it is.
pub(super) fn short_frame(text: &str, room: usize) -> String {
    let parts = text.strip_prefix("at ").and_then(|rest| rest.split_once('('));
    let Some((name, (parameters, rest))) = parts.and_then(|(name, rest)| Some((name, rest.split_once(')')?))) else {
        return text.to_owned();
    };
    // Mono writes a blank before the parameters, and the IL offset behind them; `(wrapper …)` is before a name.
    let name = name.strip_suffix(' ').filter(|_| rest.starts_with(" [0x")).unwrap_or(name);
    if name.is_empty() || name.contains(' ') {
        return text.to_owned();
    }
    // A constructor has two dots before its name; arguments in brackets have names of their own.
    let arguments = name.find(['[', '<']).unwrap_or(name.len());
    let dots = name[..arguments].match_indices('.').map(|(at, _)| at).filter(|at| !name[..*at].ends_with('.'));
    // Behind the arguments of a type is the method.
    let is_of_type = name[arguments..].rsplit([']', '>']).next().is_some_and(|rest| rest.starts_with('.'));
    let start = dots.rev().nth(usize::from(!is_of_type)).map_or(0, |at| at + 1);
    let types = types_written(parameters);
    let types: Vec<&str> = types.iter().map(String::as_str).collect();
    let name = &name[start..];
    let whole = format!("{name}{}", condensed(&types, &[], room.saturating_sub(width(name))));
    if width(&whole) <= room || types.is_empty() {
        return whole;
    }
    let cut = |shown: usize| format!("{name}({}, …)", types[..shown].join(", "));
    let fitting = (1..types.len().min(MAX_TYPES)).rev().map(cut).find(|text| width(text) <= room);
    fitting.unwrap_or_else(|| format!("{name}(…)"))
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

/// The sign of a frame, and what gets that which it lacks.
pub(super) fn state(outcome: &Outcome) -> (Tone, Option<Action>) {
    if missing_symbols(outcome).is_some() {
        return (Tone::Warn, Some(Action::Symbols));
    }
    match outcome {
        Outcome::Resolved(_) | Outcome::Known => (Tone::Ok, None),
        Outcome::No(refusal) => match refusal.cause {
            Cause::NoModule | Cause::NoMethod | Cause::NoOffset => (Tone::Warn, Some(Action::SwitchFile)),
            _ => (Tone::Dim, None),
        },
        Outcome::Candidates { .. } => (Tone::Dim, None),
    }
}

/// Lines before a frame that its exception is looked for in.
const MAX_BEFORE: usize = 500;
/// Bytes of an exception that a card has.
const MAX_EXCEPTION: usize = 2000;

/// The exception that a line of a trace is about, if it is no frame.
fn opened(line: &TraceLine) -> Option<&str> {
    let text = line.text().strip_prefix("---> ").unwrap_or(line.text());
    // The lines of a crash report begin with quotes and brackets.
    let is_text = line.row.depth == 0 && line.frame.is_empty() && text != WHAT_TO_GET;
    (is_text && text.starts_with(char::is_alphanumeric)).then(|| &text[..text.floor_char_boundary(MAX_EXCEPTION)])
}

/// The line of an exception that is the only one of frames: the card has it, and the list need not say whose they are.
pub(super) fn only_exception(lines: &[TraceLine]) -> Option<usize> {
    let mut found = (0..lines.len()).filter(|line| opened(&lines[*line]).is_some());
    let first = found.next()?;
    let is_above = |line: &TraceLine| line.row.depth > 0 && !line.frame.is_empty();
    (found.next().is_none() && lines[first..].iter().any(is_above)).then_some(first)
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

/// The card above the frames: the exception of the chosen one, and how many frames have a line and why others have none. It has as many
/// lines for all frames, so that the list does not move.
#[derive(Default)]
pub(super) struct Card {
    /// The first exception of the trace, for a line that has none.
    first: Option<String>,
    summary: String,
}

impl Card {
    pub(super) fn of(lines: &[TraceLine], summary: String) -> Self {
        Self { first: lines.iter().take(MAX_BEFORE).find_map(opened).map(str::to_owned), summary }
    }

    pub(super) fn lines(&self, lines: &[TraceLine], chosen: usize) -> Vec<String> {
        let exception = exception(lines, chosen).map(str::to_owned).or_else(|| self.first.clone());
        exception.into_iter().chain([self.summary.clone()]).filter(|line| !line.is_empty()).collect()
    }
}

/// Heading of the modules without symbols.
const WHAT_TO_GET: &str = "What to get";
/// Limit on the modules without symbols that are listed.
const MAX_MODULES: usize = 64;

/// The cause that a frame has no line for, where that is the lack of symbols of a module.
pub(super) fn missing_symbols(outcome: &Outcome) -> Option<&Cause> {
    let (Outcome::No(refusal) | Outcome::Candidates { refusal, .. }) = outcome else { return None };
    match &refusal.cause {
        cause @ (Cause::NoSymbols(module) | Cause::OtherBuild(module)) if !module.is_empty() => Some(cause),
        _ => None,
    }
}

/// Counts a frame of a module without symbols.
pub(super) fn add_missing(missing: &mut Vec<(Cause, u64)>, cause: &Cause) {
    let has_room = missing.len() < MAX_MODULES;
    match missing.iter_mut().find(|(known, _)| known == cause) {
        Some((_, frames)) => *frames += 1,
        None if has_room => missing.push((cause.clone(), 1)),
        None => {}
    }
}

/// The modules without symbols, those with most frames first, below a heading.
pub(super) fn missing_lines(mut missing: Vec<(Cause, u64)>) -> Vec<TraceLine> {
    missing.sort_by_key(|(_, frames)| std::cmp::Reverse(*frames));
    let heading = Row::plain(vec![Cell::toned(WHAT_TO_GET, Tone::Strong)]);
    let above = [Row::default(), heading].map(|row| TraceLine { row, ..TraceLine::default() });
    let help = "Enter sets the symbol path: a folder, a store or a server that has these symbols.".to_owned();
    let details = Arc::new(vec![(help, Tone::Text)]);
    let line = |(cause, frames): &(Cause, u64)| {
        let text = format!("{cause}: {}", count(*frames, "frame"));
        let cells = vec![Cell::toned(text, Tone::Warn), Cell::toned("get symbols", Tone::Dim)];
        let row = Row { depth: 1, ..Row::plain(cells) };
        let (sign, remedy) = (Some(Tone::Warn), Some(Action::Symbols));
        TraceLine { row, details: Arc::clone(&details), sign, remedy, ..TraceLine::default() }
    };
    above.into_iter().filter(|_| !missing.is_empty()).chain(missing.iter().map(line)).collect()
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
        let of = |at: usize| Card::of(&lines, "3 resolved".to_owned()).lines(&lines, at);
        assert_eq!(
            [2, 4, 6, 9].map(of),
            ["Inner: b", "Outer: a", "Outer: a", "Other: c"]
                .map(|exception| vec![exception.to_owned(), "3 resolved".to_owned()])
        );
        assert_eq!(of(7)[0], "Outer: a", "the card keeps its rows");
        lines.insert(0, text("{"));
        lines.insert(1, text("\"il_offset\": \"0x1\","));
        assert_eq!(Card::of(&lines[..2], String::new()).lines(&lines, 1), [""; 0], "a crash report has no exception");
    }

    #[test]
    fn a_frame_loses_namespaces_and_names_of_parameters() {
        let short = [
            (
                "at Acme.Web.Server.Start(String[] args, Int32& at) in /src/Server.cs:line 7",
                "Server.Start(string[], int&)",
            ),
            ("at Acme.Web.Server..ctor(Options options)", "Server..ctor(Options)"),
            ("at Acme.Web.Server.Run (System.String[] args) [0x0000a] in <3e05>:0", "Server.Run(string[])"),
            ("at (wrapper managed-to-native) Acme.Web.Run()", "at (wrapper managed-to-native) Acme.Web.Run()"),
            ("at Acme.List`1[System.String].Add(T item)", "List`1[System.String].Add(T)"),
            ("at Server.Start()", "Server.Start()"),
            ("at start (app.js:3)", "at start (app.js:3)"),
            ("tally!clamp+0x19", "tally!clamp+0x19"),
        ];
        for (frame, expected) in short {
            assert_eq!(short_frame(frame, 40), expected);
        }
        let frame = "at Acme.Server.Start(String[] args, Int64 a, Int64 b)";
        let of = |room: usize| short_frame(frame, room);
        assert_eq!(
            [36, 33, 28, 20].map(of),
            ["(string[], long, long)", "(string[], long ×2)", "(string[], …)", "(…)"]
                .map(|end| format!("Server.Start{end}"))
        );
    }
}
