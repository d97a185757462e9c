//! The Match pane: whether image and symbols belong together. Of a pair that matches, what a debugger makes of it: breakpoints, sources,
//! stack traces. Of another, the ids under each other, every candidate that was looked at, and what repairs the missing or wrong half.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::Style;

use crate::engine::action::Action;
use crate::engine::jobs::JobHandle;
use crate::panes::pane::{Context, Facts, Pane, ability};
use crate::panes::row_list::RowList;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::Paths;
use crate::state::prospects::{self, Judged, prospects, tone};
use crate::state::selection::Selection;
use crate::ui::frame::Title;
use crate::ui::layout::ContentSize;
use crate::ui::text::{width, wrap};
use pdblens_formats::reason::Reason;
use pdblens_nodes::rows::{Cell, Head, Row, Tone};
use pdblens_nodes::{PePart, Place, finding};
use pdblens_session::session::candidates::{self, Candidate};
use pdblens_session::session::{PdbMatch, Session, codeview_id};
use pdblens_session::symbols::SymbolReader;
use pdblens_session::text::paths::without_passwords;

/// Columns, whose names are those of exports.
const COLUMNS: &[Head] = &[Head::text("subject"), Head::text("value"), Head::text("result")];

/// A file near the open one, with the pair that it makes.
struct Near {
    path: String,
    verdict: Option<PdbMatch>,
    pair: Option<Arc<Session>>,
}

/// The effect of Enter on a row.
#[derive(Clone)]
enum Leads {
    Nowhere,
    Go(Selection),
    Do(Action),
    Use(Arc<Session>),
    /// To the files of the same name that are not listed yet.
    Unfold,
}

#[derive(Default)]
struct VerdictPane {
    list: RowList,
    leads: Vec<Leads>,
    /// Files that were looked at, once that is done.
    near: Option<Arc<Vec<Near>>>,
    /// True if all of them are listed.
    unfolded: bool,
    /// Verdict and sources, once they are known with `paths`.
    judged: Option<Judged>,
    paths: Arc<Paths>,
    /// Width of the pane, which sentences are wrapped to.
    width: u16,
    looking: JobHandle,
    inbox: Arc<Mutex<Option<JobResult>>>,
}

enum JobResult {
    Near(Vec<Near>),
    Judged(Judged),
}

pub fn new() -> Box<dyn Pane> {
    Box::new(VerdictPane { list: RowList::unfolding(COLUMNS), ..VerdictPane::default() })
}

/// True where the other half is missing or wrong.
fn needs_repair(session: &Session) -> bool {
    !matches!(session.pdb_match(), PdbMatch::Matched | PdbMatch::Unknown)
}

/// A row whose last cells are left out where they are empty: what is before them then has their room.
fn row(cells: [Cell; 3], depth: u8) -> Row {
    let mut row = Row { depth, ..Row::plain(cells.into()) };
    while row.cells.pop_if(|cell| cell.text.is_empty()).is_some() {}
    row
}

fn sentence(session: &Session, cx: &Context<'_>) -> Row {
    let tone = tone(Some(session.pdb_match()));
    let text = prospects::sentence(session, " is open alone");
    let sample = if session.is_sample() { ", the built-in sample" } else { "" };
    Row::plain(vec![Cell::toned(format!("{} {text}{sample}", cx.look.glyphs.sign(tone)), tone)])
}

/// Cells of a file name beside which an id shows in full in 80 columns.
const SHORT_NAME: usize = 14;

/// The name of a file, or what it is if the name is long; the line above has both names.
fn short<'n>(name: &'n str, what: &'n str) -> &'n str {
    if width(name) <= SHORT_NAME { name } else { what }
}

fn id_row(who: String, id: String, leads: Leads) -> (Row, Leads) {
    (row([Cell::toned(who, Tone::Dim), Cell::new(id), Cell::default()], 1), leads)
}

/// The ids that the image expects, and the one that the symbols have, under each other; `other` is the pair with the half that is not
/// open, whose id is listed too.
fn ids(session: &Session, other: Option<&Session>) -> Vec<(Row, Leads)> {
    let mut rows = image_ids(session);
    if rows.is_empty()
        && let Some(pair) = other
    {
        // Its rows are of a file that is not open.
        rows.extend(image_ids(pair).into_iter().map(|(row, _)| (row, Leads::Nowhere)));
    }
    if let Some((file, id)) =
        session.symbol_file().or_else(|| other?.symbol_file()).and_then(|file| Some((file, file.reader().id()?)))
    {
        rows.push(id_row(format!("{} has", short(&file.name, "the PDB")), id.to_string(), Leads::Nowhere));
    }
    rows
}

/// The ids that the image expects; its MVID where it expects none.
fn image_ids(session: &Session) -> Vec<(Row, Leads)> {
    let mut rows = Vec::new();
    if let Some(image) = session.image() {
        let entries = image.pe.debug.iter().enumerate();
        rows.extend(entries.filter_map(|(index, entry)| {
            let leads = Leads::Go(Place::PePart(PePart::Debug(index as u16)).into());
            Some(id_row(format!("{} expects", short(&image.name, "the image")), codeview_id(entry)?.to_string(), leads))
        }));
        if rows.is_empty()
            && let Some(mvid) = image.mvid()
        {
            rows.push(id_row(
                format!("{} has the MVID", short(&image.name, "the image")),
                mvid.to_string(),
                Leads::Nowhere,
            ));
        }
    }
    rows
}

/// The remarks on the inputs, and the reasons that say more than the ids and the finding.
fn reasons(session: &Session) -> Vec<(Row, Leads)> {
    let known = finding::known(session);
    let finding = known.findings.first().map(|finding| finding.sentence.as_str());
    let says_ids =
        |reason: &&Reason| matches!(reason.reason, "same-id" | "other-id") || finding == Some(reason.text.as_str());
    let inputs = session.remarks().iter().map(|remark| ("input", remark));
    let reasons = session.match_reasons().iter().filter(|reason| !says_ids(reason));
    let reasons = reasons.map(|reason| ("reason", &reason.text));
    let entries = Leads::Go(Place::PePart(PePart::DebugDirectory).into());
    let line = |(name, text): (&str, &String)| {
        (row([Cell::toned(name, Tone::Dim), Cell::new(text.as_str()), Cell::default()], 1), entries.clone())
    };
    inputs.chain(reasons).map(line).collect()
}

/// The first finding, which leads to its place; nothing of a mismatch, whose reasons are there.
fn first_finding(session: &Session, cx: &Context<'_>) -> Option<(Row, Leads)> {
    let known = finding::known(session);
    if session.pdb_match().is_mismatch() {
        return None;
    }
    let first = known.findings.first()?;
    let label =
        format!("{} {}", cx.look.glyphs.bad, if known.findings.len() > 1 { "first finding" } else { "finding" });
    let cells = [Cell::toned(label, Tone::Bad), Cell::toned(first.sentence.as_str(), Tone::Bad), Cell::default()];
    Some((row(cells, 1), Leads::Go(Selection { place: first.place, part: first.span })))
}

/// Limit on the files that are listed though they do not match: their names say little, and the repairs come after them.
const MAX_OTHER_BUILDS: usize = 6;

impl VerdictPane {
    fn make(&mut self, cx: &Context<'_>) {
        if !Arc::ptr_eq(&self.paths, cx.paths) {
            (self.paths, self.judged) = (Arc::clone(cx.paths), None);
        }
        match self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(JobResult::Near(found)) => self.near = Some(Arc::new(found)),
            Some(JobResult::Judged(found)) => self.judged = Some(found),
            None => {}
        }
        let session = cx.session;
        let mut rows = vec![(sentence(session, cx), Leads::Nowhere)];
        match session.symbols().and_then(SymbolReader::id) {
            Some(id) if session.pdb_match() == PdbMatch::Matched => {
                let cells = [Cell::toned("both have", Tone::Dim), Cell::new(id.to_string()), Cell::default()];
                rows.push((row(cells, 1), Leads::Go(Place::PePart(PePart::DebugDirectory).into())));
            }
            _ if session.pdb_match() == PdbMatch::Matched => {}
            _ => rows.extend(ids(session, self.beside(session))),
        }
        rows.extend(reasons(session));
        rows.extend(first_finding(session, cx));
        if needs_repair(session) {
            self.add_candidates(&mut rows, cx);
            add_repairs(&mut rows, cx);
        } else if session.pdb_match() == PdbMatch::Matched {
            self.add_prospects(&mut rows, cx);
        }
        let (rows, leads): (Vec<Row>, Vec<Leads>) = rows.into_iter().unzip();
        self.leads = leads;
        self.list.replace(rows);
    }

    /// The pair with the file beside the open one that does not match it: the other half, where only one is open.
    fn beside(&self, session: &Session) -> Option<&Session> {
        let open = session.image().map(|image| &image.path).or_else(|| Some(&session.symbol_file()?.path))?;
        let open = std::path::absolute(open).ok()?;
        let is_beside = |near: &&Near| Path::new(&near.path).parent() == open.parent();
        let refused = |near: &&Near| near.verdict.is_some_and(PdbMatch::is_mismatch);
        self.near.as_deref()?.iter().filter(is_beside).find(refused)?.pair.as_deref()
    }

    /// Lines that sentences beside a label take beyond their first one.
    fn wrapped_lines(&self) -> usize {
        let pairs = || self.list.rows().iter().filter(|row| row.cells.len() == 2);
        let label = pairs().filter_map(|row| row.cells.first()).map(|cell| width(&cell.text)).max().unwrap_or(0);
        let room = usize::from(self.width).saturating_sub(label + 6);
        if room == 0 {
            return 0;
        }
        let sentences = pairs().filter_map(|row| row.cells.last());
        sentences.map(|cell| wrap(&cell.text, room).len().saturating_sub(1)).sum()
    }

    fn add_prospects(&self, rows: &mut Vec<(Row, Leads)>, cx: &Context<'_>) {
        let glyphs = cx.look.glyphs;
        for found in prospects(cx.session, self.judged.as_ref(), glyphs.more) {
            let (key, action) = (format!("{} {}", found.view.number(), found.view.def().name()), found.action());
            let label = Cell::toned(format!("{} {}", found.sign(glyphs), found.label), found.tone);
            let cells = [label, Cell::new(found.text), Cell::toned(key, Tone::Dim)];
            rows.push((row(cells, 1), Leads::Do(action)));
            if !found.remedy.is_empty() {
                let cells = [Cell::default(), Cell::toned(found.remedy, Tone::Dim), Cell::default()];
                rows.push((row(cells, 1), Leads::Nowhere));
            }
        }
    }

    fn add_candidates(&self, rows: &mut Vec<(Row, Leads)>, cx: &Context<'_>) {
        let glyphs = cx.look.glyphs;
        let mut label = "also examined";
        let mut add = |path: &str, outcome: String, tone: Tone, leads: Leads| {
            let cells =
                [Cell::toned(std::mem::take(&mut label), Tone::Dim), Cell::new(path), Cell::toned(outcome, tone)];
            rows.push((row(cells, 1), leads));
        };
        let has_image = cx.session.image().is_some();
        let unusable = if has_image { "cannot be opened as symbols" } else { "cannot be opened as an image" };
        match &self.near {
            None => add(glyphs.more, String::new(), Tone::Dim, Leads::Nowhere),
            Some(near) => {
                let open = cx.session.symbol_file().and_then(|file| std::path::absolute(&file.path).ok());
                let open = open.map(|path| path.display().to_string());
                // Those that match come first.
                let others: Vec<_> = near.iter().filter(|near| Some(&near.path) != open.as_ref()).collect();
                let fits = others.iter().filter(|near| near.verdict == Some(PdbMatch::Matched)).count();
                let most = if self.unfolded { usize::MAX } else { fits + MAX_OTHER_BUILDS };
                let shown = others.len().min(most);
                for near in others.iter().take(shown) {
                    let (text, leads) = match (near.verdict, &near.pair) {
                        (Some(PdbMatch::Matched), Some(pair)) => {
                            let text = format!("{} matches  {} use it", glyphs.ok, cx.keys(Action::Follow));
                            (text, Leads::Use(Arc::clone(pair)))
                        }
                        (Some(verdict), Some(pair)) => {
                            let follow = cx.keys(Action::Follow);
                            let text = format!("{} {}  {follow} open anyway", glyphs.bad, verdict.summary());
                            (text, Leads::Use(Arc::clone(pair)))
                        }
                        (Some(verdict), None) => (format!("{} {}", glyphs.bad, verdict.summary()), Leads::Nowhere),
                        (None, _) => (format!("{} {unusable}", glyphs.warn), Leads::Nowhere),
                    };
                    add(&near.path, text, tone(near.verdict), leads);
                }
                if shown < others.len() {
                    let rest = format!("and {} more of that name", others.len() - shown);
                    let text = format!("{} none of them matches  {} list them", glyphs.bad, cx.keys(Action::Follow));
                    add(&rest, text, Tone::Dim, Leads::Unfold);
                }
            }
        }
        for looked in &cx.paths.looked {
            add(&looked.place, looked.outcome.to_string(), Tone::Dim, Leads::Nowhere);
        }
    }
}

fn add_repairs(rows: &mut Vec<(Row, Leads)>, cx: &Context<'_>) {
    let symbols = &cx.paths.symbols;
    let set = if symbols.named.is_empty() { "not set" } else { "set" };
    let server =
        symbols.servers().next().map_or(String::new(), |server| format!("; it asks {}", without_passwords(server)));
    let half = if cx.session.image().is_some() { "open the PDB" } else { "open the DLL or EXE" };
    for (action, what, detail) in [
        (Action::OpenFile, half, String::new()),
        (Action::Symbols, "symbol path: a folder, a store, or a server to fetch from", format!("{set}{server}")),
    ] {
        let cells = [Cell::toned(cx.keys(action), Tone::Strong), Cell::new(what), Cell::toned(detail, Tone::Dim)];
        rows.push((row(cells, 1), Leads::Do(action)));
    }
}

impl Pane for VerdictPane {
    fn title(&self, _: &Context<'_>) -> Title {
        let title = Title::new("Match");
        let scroll = &self.list.grid.scroll;
        // The repairs are the last rows: where they are below the edge, the position says that there is more.
        let is_cut = self.list.rows().len() + self.wrapped_lines() > scroll.height;
        if is_cut { title.at(format!("{}/{}", scroll.selected + 1, scroll.len)) } else { title }
    }

    fn perform(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if action == Action::Follow {
            return Some(match self.leads.get(self.list.grid.row()?)?.clone() {
                Leads::Nowhere => Vec::new(),
                Leads::Unfold => {
                    self.unfolded = true;
                    self.make(cx);
                    Vec::new()
                }
                Leads::Go(to) => vec![Effect::Go(to)],
                Leads::Do(action) => vec![Effect::Dispatch(action)],
                Leads::Use(session) => vec![Effect::Visit(session, Place::Overview.into())],
            });
        }
        self.list.grid.scroll.move_cursor(action, count).then(Vec::new)
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        self.make(cx);
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.width = size.width;
        self.list.resize(size.height);
        self.make(cx);
    }

    fn facts(&self, _: &Context<'_>) -> Facts {
        let content_size =
            ContentSize { width: 0, height: (self.list.rows().len().max(1) + self.wrapped_lines()) as u16, brief: 0 };
        Facts { content_size, ..Facts::default() }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let none = |_: (usize, usize), _: &Cell, _: &str, _: Style| None;
        self.list.grid.draw(buf, area, &self.list.shown(), &cx.look, &|_, _| false, &none)
    }

    fn selection(&self, _: &Context<'_>) -> Option<Selection> {
        Some(Place::Overview.into())
    }

    ability!(List, list);

    fn background_job(&mut self, session: &Arc<Session>) -> Option<Job> {
        let needs_repair = needs_repair(session);
        // Of files that nothing compares, no texts are counted.
        let is_known = match session.pdb_match() {
            PdbMatch::Matched => self.judged.is_some(),
            _ => self.near.is_some() || !needs_repair,
        };
        if is_known || self.looking.is_pending() {
            return None;
        }
        let (session, inbox, paths) = (Arc::clone(session), Arc::clone(&self.inbox), Arc::clone(&self.paths));
        let label = if needs_repair { "searching for the matching file" } else { "searching for the sources" };
        let job = Job::new(label, "candidates", move |token| {
            let found = if needs_repair {
                Some(JobResult::Near(candidates::near(&session).into_iter().map(of_candidate).collect()))
            } else {
                Judged::of(&session, &paths, token).map(JobResult::Judged)
            };
            *inbox.lock().unwrap_or_else(PoisonError::into_inner) = found;
            Msg::PaneReady
        });
        self.looking = job.handle();
        Some(job)
    }
}

fn of_candidate(candidate: Candidate) -> Near {
    let verdict = candidate.pdb_match();
    let path = candidate.path.display().to_string();
    Near { path, verdict, pair: candidate.session.map(Arc::new) }
}
