//! Frames of modules whose symbols are missing, listed below the trace by their modules.

use std::sync::Arc;

use super::line::TraceLine;
use pdblens_nodes::rows::{Cell, Row, Tone};
use pdblens_query::trace::{Cause, Outcome};
use pdblens_session::text::safe::count;

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
