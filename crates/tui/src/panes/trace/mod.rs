//! The Trace pane: a pasted stack trace whose resolved frames are links.
//!
//! The frames are resolved by a job, in the open files, those beside them, and the symbol path. Uncertain results are
//! marked: an ambiguous frame lists its candidates, an unresolved one the reason.

mod detail;
mod line;
mod resolve;

use std::collections::HashMap;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use self::detail::Details;
use self::line::{Card, TraceLine};
use self::resolve::{FrameCounts, ResolvedTrace, plain_line, resolve};
use crate::engine::action::Action;
use crate::engine::jobs::{CancelToken, Queue};
use crate::panes::list_pane::{self, Shows};
use crate::panes::pane::{Context, Facts, Pane};
use crate::panes::preview::Preview;
use crate::state::effect::Effect;
use crate::state::message::{Inbox, Job, Msg};
use crate::state::paths::Paths;
use crate::state::selection::Selection;
use crate::state::view::PaneId;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::layout::ContentSize;
use crate::ui::list_filter::ListFilter;
use crate::ui::text::{put, width};
use crate::ui::theme::{Role, is_reversed};
use crate::ui::tree::ListState;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{FunctionPart, MethodPart, Place, TableId, Token, code_tree};
use pdblens_query::breakpoint::Sign;
use pdblens_query::shell_command::{command, trace_command};
use pdblens_session::session::Session;

/// The size of a trace, in bytes.
const MAX_TEXT: usize = 16 << 20;
/// Columns, whose names are those of exports.
const COLUMNS: &[Head] = &[Head::text("frame"), Head::text("result"), Head::number("offset")];
/// Cells of a list that has room for offsets.
const WITH_OFFSETS: usize = 100;

#[derive(Default)]
struct Trace {
    text: Option<String>,
    /// The session that the last job was started for.
    asked: Option<Arc<Session>>,
    lines: Vec<TraceLine>,
    rows: Arc<Vec<Row>>,
    card: Card,
    /// Cells of the longest frame, and of the longest result of one.
    widest: usize,
    widest_result: usize,
    /// Counts of the frames; `None` until they are resolved.
    frames: Option<FrameCounts>,
    /// The trace with the lines of its frames, for copying; empty until they are resolved.
    printed: String,
    found: Inbox<ResolvedTrace>,
    previews: Previews,
    paths: Arc<Paths>,
    /// Counts before a symbol path was added, which the answer tells what it gained.
    before: Option<FrameCounts>,
    /// True if frames are links, which have their source below the pane, and if some are of other modules.
    has_links: bool,
    has_foreign: bool,
    /// Rows that the longest details take in a width.
    wanted: (u16, u16),
    /// The first visible line of long details, and the row that they belong to.
    details_from: (usize, usize),
}

/// The sources of frames of other modules, made by jobs; by the row of the frame.
#[derive(Default)]
struct Previews {
    known: HashMap<usize, Arc<Preview>>,
    asked: Option<usize>,
    found: Inbox<(usize, Preview)>,
}

/// The origins of traces whose frames are read; an example follows.
const READ: &str = "Frames of .NET, Mono, Unity, Android, Rust, Breakpad and Sentry, and of the debuggers Visual Studio, WinDbg and SOS, \
                    become links; for example:";
/// Limit on the rows of details with a source.
const MAX_DETAILS: u16 = 14;
/// Rows that the list keeps, and the least that details take.
const MIN_LIST: u16 = 3;
const MIN_BELOW: u16 = 3;
/// Rows of details above the source of a frame, which scroll.
const BESIDE_SOURCE: u16 = 5;
/// Cells of a row beside its frame, its result and its offset: margin, level, gap, the key of what is missing.
const MARGINS: usize = 8;
/// Cells of an offset.
const OFFSET: usize = 6;
/// Frames whose details are measured.
const MAX_MEASURED: usize = 2000;

pub fn new() -> Box<dyn Pane> {
    list_pane::new(Grid { headless: true, ..Grid::default() }, Trace::default())
}

impl Trace {
    fn take(&mut self, list: &mut ListState, session: &Session) {
        let Some(traced) = self.found.take() else { return };
        (self.frames, self.printed) = (Some(traced.frames), traced.text);
        let chosen = line::position_of_same(&self.lines, list.grid.scroll.selected, &traced.lines);
        self.has_foreign = traced.lines.iter().any(|line| line.to.iter().any(|(pair, _)| !is_shown(pair, session)));
        self.set(traced.lines, traced.summary, list);
        list.grid.scroll.top = 0;
        let linked = || self.lines.iter().position(|line| line.to.is_some());
        list.grid.scroll.select(chosen.or_else(linked).unwrap_or(0));
    }

    /// The area of the list, and that of the details below it: the same for all frames, so that the list does not move. The source of
    /// another module is among the details.
    fn split(&self, area: Rect) -> (Rect, Rect) {
        let usual = if self.has_foreign && area.height >= 9 { (area.height * 2 / 5).min(MAX_DETAILS) } else { 0 };
        let room = area.height.saturating_sub(MIN_LIST);
        let beside_all = area.height.saturating_sub(self.lines.len().try_into().unwrap_or(u16::MAX));
        let most = if self.has_links { beside_all.max(BESIDE_SOURCE.min(area.height / 3)) } else { room };
        let below = usual.max(self.wanted.1.min(most)).min(room);
        let below = if below < MIN_BELOW { 0 } else { below };
        let list = Rect { height: area.height - below, ..area };
        (list, Rect { y: list.bottom(), height: below, ..area })
    }

    /// Measures the details of all frames.
    fn measure(&mut self, width: u16) {
        let rows = |line: &TraceLine| detail::rows(line.heading(), &line.details, width);
        let known = self.lines.iter().filter(|line| !line.details.is_empty()).take(MAX_MEASURED);
        self.wanted = (width, known.map(rows).max().unwrap_or(0));
    }

    fn chosen(&self, list: &ListState) -> Option<&TraceLine> {
        self.lines.get(list.grid.row()?)
    }

    /// The frame of another module that the cursor is on, with its row.
    fn foreign(&self, list: &ListState, session: &Session) -> Option<(usize, &Arc<Session>, Place)> {
        let row = list.grid.row()?;
        let (pair, place) = self.lines.get(row)?.to.as_ref()?;
        (!is_shown(pair, session)).then_some((row, pair, *place))
    }

    fn details<'a>(&'a self, list: &ListState, session: &Session) -> Option<Details<'a>> {
        let line = self.chosen(list)?;
        Some(Details {
            heading: line.heading(),
            is_link: line.to.is_some(),
            sentences: &line.details,
            preview: self.preview(list, session),
        })
    }

    fn details_from(&self, list: &ListState) -> usize {
        let (row, from) = self.details_from;
        if list.grid.row() == Some(row) { from } else { 0 }
    }

    /// Scrolls details that are longer than their area; false where there is no more of them.
    fn page_details(&mut self, down: bool, list: &ListState, session: &Session) -> bool {
        let below = self.split(Rect::from((Position::ORIGIN, list.size))).1;
        let to = self.details(list, session).and_then(|details| details.page(below, self.details_from(list), down));
        let (Some(row), Some(to)) = (list.grid.row(), to) else { return false };
        self.details_from = (row, to);
        true
    }

    fn preview(&self, list: &ListState, session: &Session) -> Option<&Preview> {
        self.previews.known.get(&self.foreign(list, session)?.0).map(|preview| &**preview)
    }

    fn preview_job(&mut self, list: &ListState, session: &Session) -> Option<Job> {
        let (row, pair, place) = self.foreign(list, session)?;
        if self.previews.known.contains_key(&row) || self.previews.asked == Some(row) {
            return None;
        }
        let (pair, paths) = (Arc::clone(pair), Arc::clone(&self.paths));
        self.previews.asked = Some(row);
        let find = move |_: &CancelToken| Some((row, Preview::of(&pair, place, &paths)));
        Some(self.previews.found.job("reading the source of the frame", "preview", find))
    }

    fn set(&mut self, mut lines: Vec<TraceLine>, summary: String, list: &mut ListState) {
        (self.previews, self.details_from) = (Previews::default(), (0, 0));
        self.card = Card::of(&lines, summary);
        if let Some(exception) = line::only_exception(&lines) {
            lines.remove(exception);
        }
        self.rows = Arc::new(lines.iter().map(|line| line.row.clone()).collect());
        let frames = || lines.iter().filter(|line| line.row.depth == 1);
        self.widest = frames().map(|line| width(line.text())).max().unwrap_or(0);
        let results = frames().filter_map(|line| line.row.cells.get(1));
        self.widest_result = results.map(|cell| width(&cell.text)).max().unwrap_or(0);
        self.has_links = lines.iter().any(|line| line.to.is_some());
        self.lines = lines;
        self.measure(list.size.width);
        list.grid.list_filter = ListFilter::default();
        list.grid.scroll.set_len(self.rows.len());
        list.grid.scroll.set_height(self.split(Rect::from((Position::ORIGIN, list.size))).0.height.into());
    }

    /// The next line with a link.
    fn next_link(&self, list: &ListState, forward: bool) -> Option<usize> {
        let from = list.grid.scroll.selected;
        let line = |line: usize| self.lines.get(list.grid.list_filter.row(line)?);
        let leads = |at: &usize| line(*at).is_some_and(|line| line.to.is_some());
        if forward { (from + 1..list.grid.scroll.len).find(leads) } else { (0..from).rfind(leads) }
    }

    fn paste(&mut self, text: &str, list: &mut ListState) -> Vec<Effect> {
        let end = (0..=text.len().min(MAX_TEXT)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        // Terminals paste line breaks as carriage returns.
        let lines = text[..end].replace("\r\n", "\n").replace('\r', "\n");
        // The text is shown at once, the results when they are known.
        let chosen = self.chosen(list).map(|line| line.text().to_owned()).unwrap_or_default();
        self.set(lines.lines().map(plain_line).collect(), String::new(), list);
        (self.text, self.asked, self.frames) = (Some(lines), None, None);
        // Threads that are read again keep the frame under the cursor.
        let same = || self.lines.iter().position(|line| line.text() == chosen);
        list.grid.scroll.select(if chosen.is_empty() { None } else { same() }.unwrap_or(0));
        let cut =
            (end < text.len()).then(|| Effect::SetStatus(Tone::Warn, "only the first 16 MB were read".to_owned()));
        cut.into_iter().collect()
    }
}

impl Shows for Trace {
    fn title(&self, _: &ListState, cx: &Context<'_>) -> Title {
        let title = Title::new("Stack trace");
        match (&self.text, self.frames) {
            (None, _) => title,
            (Some(_), None) => title.at(format!("resolving {}", cx.look.glyphs.more)),
            (Some(_), Some(FrameCounts { all, resolved, known, lost, .. })) => {
                let with_line = if known > 0 { format!(", {known} with a line already") } else { String::new() };
                let title = title.at(format!("{resolved} of {all} frames resolved{with_line}"));
                if lost > 0 { title.of(format!("{} adds symbols", cx.keys(Action::Symbols))) } else { title }
            }
        }
    }

    fn perform(&mut self, action: Action, list: &mut ListState, cx: &Context<'_>) -> Option<Vec<Effect>> {
        match action {
            Action::PasteTrace => cx.pasted.map(|text| self.paste(text, list)),
            Action::Follow if self.chosen(list).is_some_and(|line| line.remedy == Some(Action::Symbols)) => {
                Some(vec![Effect::Dispatch(Action::Symbols)])
            }
            Action::Follow if self.text.is_none() => Some(self.paste(&example(cx.session), list)),
            Action::Follow => {
                let line = self.chosen(list)?;
                let Some((pair, place)) = line.to.clone() else {
                    let (reason, tone) = line.details.first()?.clone();
                    return Some(vec![Effect::SetStatus(tone, reason)]);
                };
                if is_shown(&pair, cx.session) {
                    return Some(vec![Effect::Go(place.into())]);
                }
                Some(vec![Effect::Visit(pair, place.into())])
            }
            Action::PageDown | Action::PageUp if self.page_details(action == Action::PageDown, list, cx.session) => {
                Some(Vec::new())
            }
            // Moves between frames.
            Action::Left | Action::Right => {
                if let Some(to) = self.next_link(list, action == Action::Right) {
                    list.grid.scroll.select(to);
                }
                Some(Vec::new())
            }
            _ => None,
        }
    }

    fn load(&mut self, list: &mut ListState, cx: &Context<'_>) {
        if !Arc::ptr_eq(&self.paths, cx.paths) {
            // The symbol path has changed: resolve again.
            if self.paths.symbols != cx.paths.symbols {
                (self.asked, self.before) = (None, self.frames.or(self.before));
            }
            self.paths = Arc::clone(cx.paths);
            self.previews = Previews::default();
        }
        self.previews.known.extend(self.previews.found.take().map(|(row, preview)| (row, Arc::new(preview))));
        self.take(list, cx.session);
        if self.wanted.0 != list.size.width {
            self.measure(list.size.width);
            self.details_from = (0, 0);
        }
    }

    fn made(&self) -> Option<(&'static [Head], &Arc<Vec<Row>>)> {
        Some((COLUMNS, &self.rows))
    }

    /// The frames; names that have no room lose their namespaces: the whole frame is below the list.
    fn rows<'c>(&'c self, list: &'c ListState, cx: &Context<'c>) -> Option<Rows<'c>> {
        let wide = usize::from(list.size.width);
        let is_short = self.widest + 2 > wide / 2;
        let offsets = if wide < WITH_OFFSETS { 0 } else { OFFSET };
        let room = wide.saturating_sub(self.widest_result.min(wide / 2) + offsets + MARGINS);
        let key = |action: Action| (action, cx.keys(action));
        let keys = [Action::Symbols, Action::SwitchFile].map(key);
        Some(Rows::new("", Head::list(["", "", ":"]), self.lines.len(), move |index| {
            let Some(line) = self.lines.get(index) else { return Row::default() };
            let mut row = line.row.clone();
            if let (true, 1, Some(cell)) = (is_short, row.depth, row.cells.first_mut()) {
                cell.text = line::short_frame(&cell.text, room);
            }
            if offsets == 0 {
                row.cells.truncate(2);
            }
            let key = keys.iter().find(|(action, _)| line.remedy == Some(*action));
            row.cells.extend(key.map(|(_, key)| Cell::toned(key.as_str(), Tone::Strong)));
            row
        }))
    }

    fn area(&self, pane: Rect, _: &ListState, _: &Context<'_>) -> Rect {
        self.split(pane).0
    }

    fn facts(&self, list: &ListState, cx: &Context<'_>) -> Facts {
        // Source, bytes and fields are those of frames of the open files: beside another line they would be empty, and the details
        // need their rows.
        let is_here = |line: &TraceLine| line.to.as_ref().is_some_and(|(pair, _)| is_shown(pair, cx.session));
        let hides: &[PaneId] =
            if self.chosen(list).is_some_and(is_here) { &[] } else { &[PaneId::Source, PaneId::Bytes, PaneId::Fields] };
        let details = if hides.is_empty() { self.wanted.1.min(BESIDE_SOURCE) } else { self.wanted.1 };
        let height = self.lines.len().saturating_add(details.into()).min(999) as u16;
        Facts {
            hides,
            content_size: ContentSize { height, ..ContentSize::default() },
            source_line: self.preview(list, cx.session).and_then(Preview::source_line),
            card: self.card.lines(&self.lines, list.grid.row().unwrap_or(0)),
            ..Facts::default()
        }
    }

    fn empty(&self, _: &ListState, cx: &Context<'_>) -> Option<EmptyState> {
        self.text.is_none().then(|| {
            EmptyState::default()
                .heading("Paste a stack trace here.")
                .keys(Action::SwitchFile, "open a file with a stack trace")
                .keys(Action::Symbols, "set symbol path: folder, store or server with the symbols of its frames")
                .text(READ)
                .keys(Action::Follow, example(cx.session))
        })
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, list: &ListState, cx: &Context<'_>) -> Option<Position> {
        let (upper, below) = self.split(area);
        let grid = Grid { detailed: !below.is_empty(), ..list.grid.clone() };
        if !below.is_empty()
            && let Some(details) = self.details(list, cx.session)
        {
            let key = format!("{} {}", cx.keys(Action::PageUp), cx.keys(Action::PageDown));
            detail::draw(buf, below, &details, (self.details_from(list), &key), &cx.look);
        }
        let at = grid.draw(
            buf,
            upper,
            &self.rows(list, cx)?,
            &cx.look,
            &|_, _| false,
            &|(row, column), cell, text, style| {
                if let Some(sign) = Sign::ALL.into_iter().find(|sign| text.starts_with(sign.text())) {
                    let ascii = text.replacen(sign.text(), cx.look.glyphs.breakpoint(sign), 1);
                    return cx.look.glyphs.ascii.then(|| vec![(format!("{ascii} {}", cell.beside), style)]);
                }
                // The method name of a frame is emphasized.
                let is_frame = |line: &&TraceLine| column == 0 && line.row.depth == 1 && line.text().starts_with("at ");
                self.lines.get(row).filter(is_frame)?;
                let rest = text.strip_prefix("at ").unwrap_or(text);
                let before = &text[..text.len() - rest.len()];
                let end = rest.find([' ', '(']).unwrap_or(rest.len());
                let is_cursor = style.bg.is_some() || is_reversed(style);
                let dim = if is_cursor { style } else { style.patch(cx.look.theme.of(Role::Dim)) };
                let (name, rest) = rest.split_at(end);
                Some(vec![(before.to_owned(), dim), (name.to_owned(), style), (rest.to_owned(), dim)])
            },
        );
        for (line, y) in grid.scroll.window().zip(upper.top()..upper.bottom()) {
            let sign = grid.list_filter.row(line).and_then(|row| self.lines.get(row)?.sign);
            // The sign of a frame with a line takes more cells than there are in ASCII.
            let Some(tone) = sign.filter(|tone| *tone != Tone::Ok || !cx.look.glyphs.ascii) else { continue };
            let row = buf.cell((upper.x + 1, y)).map_or_else(Style::default, ratatui::buffer::Cell::style);
            let style = if is_reversed(row) { row } else { row.patch(cx.look.theme.tone(tone)) };
            put(buf, upper.x + 1, y, upper.right(), cx.look.glyphs.sign(tone), style, cx.look.glyphs);
        }
        at
    }

    fn selection(&self, list: &ListState, cx: &Context<'_>) -> Option<Selection> {
        let here = self.chosen(list)?.to.as_ref().filter(|(pair, _)| is_shown(pair, cx.session));
        Some(here.map_or(Place::Trace, |(_, place)| *place).into())
    }

    fn job(&mut self, list: &ListState, session: &Arc<Session>) -> Option<Job> {
        // A job for another session was cancelled, or had no symbols.
        let lost =
            |asked: &&Arc<Session>| !Arc::ptr_eq(asked, session) && (self.frames.is_none() || same(asked, session));
        if self.text.is_none() || self.asked.as_ref().is_some_and(|asked| !lost(&asked)) {
            return self.preview_job(list, session);
        }
        let text = self.text.clone()?;
        (self.asked, self.frames) = (Some(Arc::clone(session)), None);
        let (session, paths, before) = (Arc::clone(session), Arc::clone(&self.paths), self.before.take());
        let job = self.found.job_with("resolving the trace", "trace", move |token| {
            let traced = resolve(&session, &text, &paths, token);
            let gained = before.map(|before| traced.frames.gained_since(before));
            (Some(traced), gained.map_or(Msg::PaneReady, Msg::TraceResolved))
        });
        Some(job.on(Queue::Own))
    }

    fn copied(&self, action: Action, list: &ListState, cx: &Context<'_>) -> Option<String> {
        if action == Action::CopyTrace {
            let is_resolved = self.frames.is_some();
            return self.text.as_ref().map(|text| if is_resolved { self.printed.clone() } else { text.clone() });
        }
        if action == Action::CopyCommand {
            // The frame, in the files that it was resolved in.
            let line = self.chosen(list)?;
            return match &line.to {
                Some((pair, place)) => {
                    let is_code = matches!(place, Place::MethodPart(_, MethodPart::Instruction(_)))
                        || matches!(place, Place::FunctionPart(_, FunctionPart::CodeAt(_)));
                    Some(command(pair, if is_code { "where" } else { "show" }, &place.to_string()))
                }
                None if line.frame.is_empty() => None,
                None => trace_command(cx.session, &line.frame),
            };
        }
        list.grid.copied_text(action, &self.rows(list, cx)?)
    }
}

/// A frame of the open files as a runtime prints it.
fn example(session: &Session) -> String {
    let name = |file: &str| file.rsplit('.').next_back().unwrap_or(file).to_owned();
    match (NativeView::of(session), session.image()) {
        (Some(native), _) => {
            let module =
                session.image().map(|image| image.name.as_str()).or(session.symbol_file().map(|pdb| &*pdb.name));
            let function = match native.functions().first() {
                Some(first) if native.is_read() => native.name_of(first),
                _ => "main".to_owned(),
            };
            format!("{}!{function}+0x4", name(module.unwrap_or("app")))
        }
        (None, Some(image)) if session.methods() > 0 => {
            let first = code_tree::first_point(session).or_else(|| code_tree::first_body(session));
            let token = first.and_then(Place::method).unwrap_or(Token::new(TableId::METHOD_DEF, 1));
            format!("at {} in {}:token {token}+0x0", session.method_name(token), image.name)
        }
        _ => "at App.Program.Main(String[] args) in Program.cs:line 12".to_owned(),
    }
}

/// Returns whether two sessions have the same image.
fn same(a: &Session, b: &Session) -> bool {
    let path = |session: &Session| session.image().map(|image| image.path.clone());
    path(a).is_some() && path(a) == path(b)
}

/// Returns whether the files of a frame are those that are shown, which may have been opened once more since.
fn is_shown(pair: &Arc<Session>, session: &Session) -> bool {
    std::ptr::eq(Arc::as_ptr(pair), session) || same(pair, session)
}
