//! The resolution of a stack trace.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::line::{TraceLine, add_missing, missing_lines, missing_symbols, state};
use crate::engine::action::Action;
use crate::engine::jobs::CancelToken;
use crate::panes::trace::detail;
use crate::state::paths::{Paths, session_name};
use pdblens_nodes::code_unit::{self, CodeUnit, MethodView};
use pdblens_nodes::rows::{Cell, Row, Tone};
use pdblens_nodes::{MethodPart, Place, SequencePoint};
use pdblens_query::breakpoint::{self, Judge, Sign, Why};
use pdblens_query::trace::{
    Candidate, CandidateLines, Cause, Files, Frame, Offset, Outcome, Resolved, Sink, Summary, Told, Tracer, UNPROVED,
    finders,
};
use pdblens_query::where_is::Relation;
use pdblens_session::session::Session;
use pdblens_session::source::SourceOptions;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;

/// Candidates that an ambiguous frame lists.
pub(super) const MAX_CANDIDATES: usize = 6;
/// Codes of the notes on uncertain results.
const DOUBTS: &[&str] = &["or-kickoff", "or-line-of-call", "hidden", "older-version", "missing-delta"];

#[derive(Default)]
pub(super) struct ResolvedTrace {
    pub(super) lines: Vec<TraceLine>,
    pub(super) frames: FrameCounts,
    /// The line that the command writes after the text, without the number of frames; empty without frames.
    pub(super) summary: String,
    /// The trace as the command prints it.
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FrameCounts {
    pub(super) all: usize,
    pub(super) resolved: usize,
    /// Frames that had their line already.
    pub(super) known: usize,
    /// Frames without a result, for which more symbols might help.
    pub(super) lost: usize,
    /// Modules whose symbols were read.
    pub(super) modules: usize,
}

impl FrameCounts {
    /// A sentence about what a symbol path has added to the counts before it.
    pub(super) fn gained_since(&self, before: Self) -> String {
        let modules = count(self.modules.saturating_sub(before.modules) as u64, "more PDB");
        let frames = count(self.resolved.saturating_sub(before.resolved) as u64, "more frame");
        format!("symbol path set: {modules}, {frames} resolved, {} of {}", self.resolved, self.all)
    }
}

pub(super) struct ToldFrame {
    frame: Frame,
    outcome: Outcome,
    sentences: Vec<(String, Tone)>,
}

/// Collects the outcome of each frame with the index of its line.
pub(super) struct FrameCollector<'t> {
    pub(super) told: Vec<(usize, ToldFrame)>,
    /// The text with the lines of its frames added.
    pub(super) text: Vec<u8>,
    pub(super) summary: Summary,
    pub(super) token: &'t CancelToken,
}

impl FrameCollector<'_> {
    /// Adds what an ambiguous frame could be below its line; a JSON document stays one.
    fn add_candidates(&mut self, outcome: &Outcome) {
        let Outcome::Candidates { found: candidates, .. } = outcome else { return };
        if self.text.trim_ascii_start().starts_with(b"{") || self.text.trim_ascii_start().starts_with(b"[{") {
            return;
        }
        let ends_line = self.text.ends_with(b"\n");
        let said = candidates.iter().map(|candidate| format!("      could be {}", candidate_text(candidate)));
        let lines = said.collect::<Vec<_>>().join("\n");
        let text = if ends_line { format!("{lines}\n") } else { format!("\n{lines}") };
        self.text.extend_from_slice(text.as_bytes());
    }
}

/// A cause in a few words, the module first, by which the frames of a trace differ.
fn brief(cause: &Cause) -> String {
    match cause {
        Cause::NoSymbols(module) if !module.is_empty() => format!("{module}: no symbols here"),
        Cause::OtherBuild(module) if !module.is_empty() => format!("{module}: another build"),
        cause => cause.to_string(),
    }
}

/// A candidate with its files and lines, each after two spaces.
fn candidate_text(candidate: &Candidate) -> String {
    let lines = candidate.lines.iter().map(|lines| format!("  {}:{}", file_name(&lines.path), range(lines)));
    std::iter::once(candidate.code.name().to_owned()).chain(lines).collect()
}

fn range(lines: &CandidateLines) -> String {
    if lines.last > lines.first { format!("{}–{}", lines.first, lines.last) } else { lines.first.to_string() }
}

impl Sink for FrameCollector<'_> {
    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.text.extend_from_slice(text);
        if self.token.is_cancelled() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
        let index = (told.line as usize).saturating_sub(1);
        self.summary.add(told.outcome);
        self.add_candidates(told.outcome);
        let (frame, outcome) = (told.frame.clone(), told.outcome.clone());
        self.told.push((index, ToldFrame { frame, outcome, sentences: told.sentences() }));
        Ok(())
    }
}

pub(super) struct Resolver<'t> {
    pub(super) open: Arc<Session>,
    pub(super) tracer: Tracer,
    pub(super) token: &'t CancelToken,
    /// Places of known lines: the same ones recur.
    pub(super) known: HashMap<(String, u32, String), Option<FoundPlace>>,
    pub(super) signs: Signs<'t>,
}

/// Signs of breakpoints at the points of frames.
pub(super) struct Signs<'p> {
    sources: &'p SourceOptions,
    /// Causes of the modules, by the address of their session, which the tracer keeps.
    modules: HashMap<usize, Option<Why>>,
    points: HashMap<(usize, Place), Sign>,
}

impl Signs<'_> {
    fn of(&mut self, session: &Arc<Session>, of: CodeUnit, (number, point): (u32, &SequencePoint)) -> Sign {
        let key = Arc::as_ptr(session).addr();
        if let Some(known) = self.points.get(&(key, of.point(number))) {
            return *known;
        }
        let known = self.modules.remove(&key);
        let judge = match known {
            Some(module) => Judge::with(session, self.sources, module),
            None => Judge::of(session, self.sources),
        };
        let sign = judge.point(of, point).sign();
        self.modules.insert(key, judge.module().cloned());
        self.points.insert((key, of.point(number)), sign);
        sign
    }

    /// The sign at the point of a frame, which has its lines.
    fn of_frame(&mut self, session: &Arc<Session>, found: &Resolved) -> Option<Sign> {
        let (of, lines) = (found.code.unit(), [found.line, found.column, found.end_line, found.end_column]);
        let has_lines =
            |point: &SequencePoint| [point.start_line, point.start_column, point.end_line, point.end_column] == lines;
        let view = MethodView::of(session, of);
        let points = (1..).zip(&*view.points).filter(|(_, point)| !point.is_hidden() && has_lines(point));
        let before = points.clone().filter(|(_, point)| point.offset <= found.offset.value()).last();
        let point = before.or_else(|| points.clone().next())?;
        Some(self.of(session, of, point))
    }
}

/// A place in a session, its line and its offset.
pub(super) type FoundPlace = (Arc<Session>, Place, [String; 2]);

impl Resolver<'_> {
    /// The rows of a frame: its link, then remarks and candidates.
    pub(super) fn frame(&mut self, frame: &Frame, outcome: &Outcome) -> Vec<TraceLine> {
        let said = |text: String, tone: Tone| TraceLine {
            row: Row::plain(vec![Cell::toned(text, tone)]),
            ..TraceLine::default()
        };
        match outcome {
            Outcome::Resolved(found) => {
                let place = found.code.unit().code(found.offset.value());
                let pair = self.tracer.pair(found.pair);
                let sign = pair.as_ref().and_then(|pair| self.signs.of_frame(pair, found));
                let mark = if found.is_marked() { format!(" {UNPROVED}") } else { String::new() };
                let text = format!(
                    "{}{}:{}{mark}",
                    sign.map_or_else(String::new, |sign| format!("{} ", sign.text())),
                    file_name(&found.path),
                    found.line
                );
                let mut link = self.link(found.pair, place, text);
                link.row.cells.push(Cell::new(found.code.unit().label(found.offset.value().into())));
                let mut lines = vec![link];
                let call = found.call.as_ref().filter(|call| call.relation == Relation::After);
                lines.extend(call.map(|call| said(call.sentence(), Tone::Dim)));
                lines.extend(found.doubt.iter().map(|doubt| said(doubt.text.clone(), Tone::Warn)));
                lines.extend(found.contradiction.iter().map(|found| said(found.text.clone(), Tone::Warn)));
                // Only notes on uncertain results get a row.
                let doubtful = found.notes.iter().filter(|note| DOUBTS.contains(&note.reason));
                lines.extend(doubtful.map(|note| said(note.text.clone(), Tone::Dim)));
                lines
            }
            Outcome::Known => match self.known_line(frame) {
                Some((pair, place, [text, offset])) => {
                    let mut link = self.link_to(pair, place, text);
                    link.row.cells.push(Cell::new(offset));
                    vec![link]
                }
                None => vec![said("line already in the trace".to_owned(), Tone::Dim)],
            },
            Outcome::Candidates { found: candidates, refusal } => {
                let reason = brief(&refusal.cause);
                let link = |candidate: &Candidate, text| {
                    let place = match candidate.code.unit() {
                        CodeUnit::Method(method) => Place::MethodPart(method, MethodPart::Points),
                        CodeUnit::Function(rva) => Place::Function(rva),
                    };
                    self.link(candidate.pair, place, text)
                };
                if let ([candidate], Cause::NoOffset | Cause::MachineCode) = (candidates.as_slice(), &refusal.cause) {
                    // The lines first: the file often is that of the type.
                    let lines = |lines: &CandidateLines| format!("{} in {}", range(lines), file_name(&lines.path));
                    let lines: Vec<String> = candidate.lines.iter().map(lines).collect();
                    let lines = if lines.is_empty() { "no lines".to_owned() } else { lines.join(", ") };
                    return vec![link(candidate, format!("{reason}: {lines}"))];
                }
                // The reason, then the candidates.
                let mut lines = vec![said(reason, Tone::Warn)];
                let some = candidates.iter().take(MAX_CANDIDATES);
                lines.extend(some.map(|candidate| link(candidate, format!("could be {}", candidate_text(candidate)))));
                let more = candidates.len().saturating_sub(MAX_CANDIDATES);
                lines.extend((more > 0).then(|| said(format!("and {more} more"), Tone::Dim)));
                lines
            }
            // All of the reason is in the details: here, what differs from frame to frame comes first.
            Outcome::No(refusal) => vec![said(brief(&refusal.cause), Tone::Dim)],
        }
    }

    pub(super) fn link(&self, pair: usize, place: Place, text: String) -> TraceLine {
        let Some(pair) = self.tracer.pair(pair) else { return TraceLine::default() };
        self.link_to(pair, place, text)
    }

    /// A row with a link; names the session where it is not the open one.
    pub(super) fn link_to(&self, pair: Arc<Session>, place: Place, text: String) -> TraceLine {
        let other = if Arc::ptr_eq(&pair, &self.open) { String::new() } else { format!("in {}", session_name(&pair)) };
        let cell = Cell { to: Some(place), ..Cell::new(text).beside(other) };
        TraceLine { row: Row::plain(vec![cell]), to: Some((pair, place)), ..TraceLine::default() }
    }

    /// The place of a frame that has a line already, `in FILE:line N`: in the open session, else in the others.
    pub(super) fn known_line(&mut self, frame: &Frame) -> Option<FoundPlace> {
        let Offset::Line(line) = frame.offset else { return None };
        let name = file_name(frame.path.as_deref()?);
        let method = frame.name.rsplit(['.', ':']).next().unwrap_or_default();
        let key = (name.to_owned(), line, method.to_owned());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut found = find_in_session(&self.open, name, line, method, &mut self.signs);
        if found.is_none() && !self.token.is_cancelled() {
            let others = self.tracer.pairs().into_iter();
            found = others
                .filter(|pair| !Arc::ptr_eq(pair, &self.open))
                .find_map(|pair| find_in_session(&pair, name, line, method, &mut self.signs));
        }
        self.known.insert(key, found.clone());
        found
    }
}

/// The point on a line of a document, preferably in a method whose name contains `method`.
pub(super) fn find_in_session(
    pair: &Arc<Session>,
    name: &str,
    line: u32,
    method: &str,
    signs: &mut Signs<'_>,
) -> Option<FoundPlace> {
    let query = pdblens_query::address::line_query(pair, name, line, None).ok()?;
    let found = breakpoint::bind(pair, &query);
    if found.line != line {
        return None;
    }
    let hits = || found.hits.iter();
    let hit = hits().find(|hit| code_unit::name(pair, hit.of).contains(method)).or_else(|| hits().next())?;
    let sign = signs.of(pair, hit.of, (hit.number, &hit.point)).text();
    let texts = [format!("{sign} {name}:{line}"), hit.of.label(hit.point.offset.into())];
    Some((Arc::clone(pair), hit.place(), texts))
}

pub(super) fn plain_line(line: &str) -> TraceLine {
    let text = line.trim();
    let row = if text.is_empty() { Row::default() } else { Row::plain(vec![Cell::toned(text, Tone::Dim)]) };
    TraceLine { row, ..TraceLine::default() }
}

/// Emphasizes the lines right above the frames: the messages of exceptions.
pub(super) fn emphasize_headings(lines: &mut [TraceLine]) {
    let is_frame = |line: &TraceLine| line.row.depth > 0;
    let begins = |line: &TraceLine, with: &str| line.row.cells.first().is_some_and(|cell| cell.text.starts_with(with));
    for index in 1..lines.len() {
        let [above, below] = &mut lines[index - 1..=index] else { continue };
        if !is_frame(above) && !begins(above, "---") && (is_frame(below) || begins(below, "--->")) {
            above.row.cells.iter_mut().for_each(|cell| cell.tone = Tone::Strong);
        }
    }
}

/// The rows of a line of the trace: its own, with the first thing that is said about its frames, then one for each of the others.
fn rows_of_line(
    line: &str,
    said: Vec<TraceLine>,
    text: &Arc<str>,
    details: &Arc<Vec<(String, Tone)>>,
    state: Option<(Tone, Option<Action>)>,
) -> Vec<TraceLine> {
    let mut said = said.into_iter();
    let Some(TraceLine { row: first, to, .. }) = said.next() else { return vec![plain_line(line)] };
    let tone = if to.is_some() { Tone::Text } else { Tone::Dim };
    let cells = std::iter::once(Cell::toned(line.trim(), tone)).chain(first.cells).collect();
    let row = Row { depth: 1, ..Row::plain(cells) };
    let (sign, remedy) = state.map_or((None, None), |(sign, remedy)| (Some(sign), remedy));
    let own = TraceLine { row, to, details: Arc::clone(details), frame: Arc::clone(text), sign, remedy };
    let others = said.map(|line| {
        let row = Row { depth: 2, ..line.row };
        TraceLine { row, details: Arc::clone(details), frame: Arc::clone(text), ..line }
    });
    [own].into_iter().chain(others).collect()
}

pub(super) fn resolve(session: &Arc<Session>, text: &str, paths: &Paths, token: &CancelToken) -> ResolvedTrace {
    let named = Files::along(&paths.symbols.named);
    let folder = session.image().map(|image| &image.path).or(session.symbol_file().map(|file| &file.path));
    let beside = folder.and_then(|path| path.parent());
    // A file that was named without its folder is in the current one.
    let beside = beside.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let files = beside.map_or_else(Files::default, Files::beside);
    let searched = detail::searched(beside, paths);
    let transfer = token.clone();
    let finders = finders(&paths.symbols, named.and(files), &|| {
        let token = transfer.clone();
        Box::new(move |done, of| token.report_transfer(done, of))
    });
    let stop = token.clone();
    let mut tracer = Tracer::new(finders).with(Arc::clone(session)).until(Box::new(move || stop.is_cancelled()));
    let mut collector = FrameCollector { told: Vec::new(), text: Vec::new(), summary: Summary::default(), token };
    // The only error is cancellation: the result so far is shown.
    let _ = tracer.run(text.as_bytes(), &mut collector);
    let summary = collector.summary;
    let printed = String::from_utf8_lossy(&collector.text).into_owned();
    let mut told = collector.told.into_iter().peekable();
    let signs = Signs { sources: &paths.sources, modules: HashMap::new(), points: HashMap::new() };
    let mut resolver = Resolver { open: Arc::clone(session), tracer, token, known: HashMap::new(), signs };
    // The numbers of the line below the trace.
    let [all, resolved, known] = [summary.frames, summary.resolved, summary.known].map(|count| count as usize);
    let (mut lines, mut frames) = (Vec::new(), FrameCounts { all, resolved, known, lost: 0, modules: 0 });
    let mut missing = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let (mut said, mut details, mut first) = (Vec::new(), Vec::new(), None);
        while let Some((_, ToldFrame { frame, outcome, sentences })) = told.next_if(|(at, _)| *at == index) {
            let found = resolver.frame(&frame, &outcome);
            frames.lost += usize::from(matches!(outcome, Outcome::No(_)));
            said.extend(found);
            first = first.or_else(|| Some(state(&outcome)));
            if let Some(cause) = missing_symbols(&outcome) {
                // The row may cut the name of the module.
                details.push((brief(cause), Tone::Warn));
                add_missing(&mut missing, cause);
                first = Some((Tone::Warn, Some(Action::Symbols)));
            }
            details.extend(sentences);
        }
        let is_searched = first.is_some_and(|(_, remedy)| remedy == Some(Action::Symbols));
        details.extend(is_searched.then(|| (searched.clone(), Tone::Dim)));
        let details = Arc::new(details);
        let text: Arc<str> = line.trim().into();
        lines.extend(rows_of_line(line, said, &text, &details, first));
    }
    frames.modules = resolver.tracer.pairs().iter().filter(|pair| pair.symbols().is_some()).count();
    emphasize_headings(&mut lines);
    lines.extend(missing_lines(missing));
    // The title has the number of frames.
    let summary = summary
        .to_string()
        .split_once(": ")
        .filter(|_| summary.frames > 0)
        .map_or_else(String::new, |(_, rest)| rest.to_owned());
    ResolvedTrace { lines, frames, summary, text: printed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<(u8, bool, String)> {
        let session = Arc::new(Session::sample());
        let traced = resolve(&session, text, &Paths::default(), &CancelToken::default());
        let said = |line: TraceLine| {
            let text: Vec<&str> = line.row.cells.iter().map(|cell| cell.text.as_str()).collect();
            (line.row.depth, line.to.is_some(), text.join(" | ").trim().to_owned())
        };
        traced.lines.into_iter().map(said).collect()
    }

    #[test]
    fn frames_become_links_and_what_is_not_certain_is_said() {
        let text = "System.Exception: no\n   at Ticker.Clock.Since(Int64 t) in Ticker.dll:token 0x6000003+0x1\n   \
                    at Other.Thing() in Other.dll:token 0x6000001+0x0\n\n   at Ticker.Program.Main(String[] args)\n   \
                    at Ticker.Program.Main(String[] args) in /_/ticker/Program.cs:line 13";
        let seen = seen(text);
        assert_eq!(seen[0], (0, false, "System.Exception: no".to_owned()));
        assert!(seen[1].1 && seen[1].2.contains("Clock.cs") && seen[1].2.ends_with("~ | IL_0001"), "{seen:?}");
        assert!(!seen[2].1 && seen[2].2.contains("Other.dll"), "{seen:?}");
        assert_eq!(seen[3].2, "");
        assert!(seen[4].1 && seen[4].2.contains("no IL offset: 10–18 in Program.cs"), "{seen:?}");
        assert!(seen[5].1 && seen[5].2.contains("Program.cs:13"), "{seen:?}");
        let session = Arc::new(Session::sample());
        let copied = resolve(&session, text, &Paths::default(), &CancelToken::default()).text;
        let below = copied.lines().skip_while(|line| !line.ends_with("Main(String[] args)")).nth(1);
        assert!(below.is_some_and(|line| line.contains("could be Ticker.Program.Main")), "{copied}");
    }
}
