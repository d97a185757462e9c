//! The Match pane: whether image and symbols belong together. Of a pair that matches, what a debugger makes of it: breakpoints, sources,
//! stack traces. Of another, the ids under each other, every candidate that was looked at, and what repairs the missing or wrong half.

use std::path::Path;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::engine::jobs::Queue;
use crate::panes::list_pane::{self, Shows};
use crate::panes::pane::{Context, Facts, Pane};
use crate::state::effect::Effect;
use crate::state::message::{Inbox, Job, Msg};
use crate::state::paths::Paths;
use crate::state::prospects::{self, Judged, checked, prospects, tone};
use crate::state::selection::Selection;
use crate::state::view::View;
use crate::ui::card;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::layout::ContentSize;
use crate::ui::shares::distribute;
use crate::ui::text::{put, put_right, width, without_last_clauses, wrap};
use crate::ui::theme::{Look, Role};
use crate::ui::tree::ListState;
use pdblens_formats::reason::Reason;
use pdblens_nodes::regions::{self, FileRegion};
use pdblens_nodes::rows::{Cell, Head, Row, Tone};
use pdblens_nodes::table::attributes;
use pdblens_nodes::{PePart, Place, Side, finding, overview};
use pdblens_query::check::Remark;
use pdblens_session::session::candidates::{self, Candidate};
use pdblens_session::session::{PdbMatch, Session, codeview_id, hold};
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
    rows: Arc<Vec<Row>>,
    leads: Vec<Leads>,
    /// Files that were looked at, once that is done.
    near: Option<Arc<Vec<Near>>>,
    /// True if all of them are listed.
    unfolded: bool,
    /// Contents that fill the files of a pair that matches.
    parts: Vec<FileShares>,
    /// Verdict and sources, once they are known with `paths`.
    judged: Option<Judged>,
    paths: Arc<Paths>,
    found: Inbox<JobResult>,
}

enum JobResult {
    Near(Vec<Near>),
    Judged(Judged, Vec<FileShares>),
    Checked(Vec<Remark>),
}

pub fn new() -> Box<dyn Pane> {
    list_pane::new(Grid { headless: true, unfolds: true, ..Grid::default() }, VerdictPane::default())
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

/// Rows of the card of a pair that matches, and its sentences at most.
const CARD_ROWS: u16 = 3;
const MAX_SENTENCES: usize = 4;

/// A file with the bytes of each kind of its content.
struct FileShares {
    name: &'static str,
    bytes: u64,
    parts: Vec<(&'static str, u64)>,
}

fn is_match(session: &Session) -> bool {
    session.pdb_match() == PdbMatch::Matched
}

/// Content of a region in a word.
fn content(region: &FileRegion) -> &'static str {
    match region.name.as_str() {
        "method bodies" => "IL",
        "#~" | "#-" => "tables",
        "#Strings" | "#US" => "names",
        "#Blob" => "blobs",
        "resources" => "resources",
        name if name.contains("PDB") => "PDB",
        _ => "other",
    }
}

/// Shares of the managed image and of the portable PDB, the contents in the order of the file.
fn shares(session: &Session) -> Vec<FileShares> {
    let image = regions::of_sections(session).into_iter().flatten();
    let image = image.flat_map(|region| match region.name.as_str() {
        "metadata" => regions::inside(session, &region),
        _ => vec![region],
    });
    let image: Vec<FileRegion> = image.collect();
    let files = [("image", image), ("PDB", regions::of_metadata(session, Side::Pdb))];
    let of_file = |(name, regions): (&'static str, Vec<FileRegion>)| {
        let mut parts: Vec<(&'static str, u64)> = Vec::new();
        for region in &regions {
            let name = content(region);
            match parts.iter_mut().find(|(other, _)| *other == name) {
                Some((_, bytes)) => *bytes += region.span.len,
                None => parts.push((name, region.span.len)),
            }
        }
        FileShares { name, bytes: parts.iter().map(|(_, bytes)| bytes).sum(), parts }
    };
    files.map(of_file).into_iter().filter(|file| file.parts.len() > 1).collect()
}

/// Draws the shares of a file as a bar; a size is left out before a name is.
fn draw_shares(buf: &mut Buffer, bar: Rect, file: &FileShares, look: &Look<'_>) {
    let lens: Vec<u64> = file.parts.iter().map(|(_, bytes)| *bytes).collect();
    let mut x = bar.x;
    for (index, ((name, bytes), cells)) in file.parts.iter().zip(distribute(&lens, bar.width.into())).enumerate() {
        let end = (x + cells as u16).min(bar.right());
        let style = look.theme.field(index);
        for at in x..end {
            buf.set_stringn(at, bar.y, look.glyphs.fills[index % 2], 1, style);
        }
        let long = format!(" {name} {} % ", (100 * bytes + file.bytes / 2) / file.bytes.max(1));
        let short = format!(" {name} ");
        if let Some(text) = [long, short].into_iter().find(|text| width(text) <= cells) {
            put(buf, x, bar.y, end, &text, look.theme.of(Role::Text), look.glyphs);
        }
        x = end;
    }
}

/// The verdict on a pair that matches.
fn right_pdb(session: &Session) -> String {
    let name = session.symbol_file().map_or("", |file| file.name.as_str());
    let sample = if session.is_sample() { ", the built-in sample" } else { "" };
    format!("{name} is the right PDB{sample}")
}

/// Assembly, framework, language and optimisation in words.
fn build(session: &Session) -> String {
    let assembly = overview::assembly(session).map(|(name, version)| format!("{name} {version}"));
    let framework = attributes::target_framework(session).map(|name| framework_name(&name));
    let options = session.symbols().map(|symbols| symbols.compilation().options).unwrap_or_default();
    let option = |wanted: &str| options.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let language = option("language").zip(option("language-version"));
    let language = language.map(|(name, version)| format!("{name} {}", version.trim_end_matches(".0")));
    let optimised = attributes::is_optimized(session).map(|yes| if yes { "release" } else { "debug" }.to_owned());
    let facts = [assembly, framework, language, optimised];
    facts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// `.NET 8`, `.NET Standard 2.0`, `.NET Framework 4.7.2`
fn framework_name(moniker: &str) -> String {
    if let Some(version) = moniker.strip_prefix("netstandard") {
        return format!(".NET Standard {version}");
    }
    if let Some(version) = moniker.strip_prefix("netcoreapp") {
        return format!(".NET Core {version}");
    }
    match moniker.strip_prefix("net") {
        Some(version) if version.contains('.') => format!(".NET {}", version.trim_end_matches(".0")),
        Some(digits) if digits.chars().all(|digit| digit.is_ascii_digit()) => {
            let digits: Vec<String> = digits.chars().map(String::from).collect();
            format!(".NET Framework {}", digits.join("."))
        }
        _ => moniker.to_owned(),
    }
}

impl VerdictPane {
    /// True while a text of a document is not known to be at hand.
    fn misses_texts(&self) -> bool {
        self.judged.as_ref().is_some_and(|judged| judged.texts.keys().any(|group| !group.is_at_hand()))
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
    fn wrapped_lines(&self, list: &ListState) -> usize {
        let pairs = || self.rows.iter().filter(|row| row.cells.len() == 2);
        let label = pairs().filter_map(|row| row.cells.first()).map(|cell| width(&cell.text)).max().unwrap_or(0);
        let room = usize::from(list.size.width).saturating_sub(label + 6);
        if room == 0 {
            return 0;
        }
        let sentences = pairs().filter_map(|row| row.cells.last());
        sentences.map(|cell| wrap(&cell.text, room).len().saturating_sub(1)).sum()
    }

    fn add_prospects(&self, rows: &mut Vec<(Row, Leads)>, chosen: usize, cx: &Context<'_>) {
        let glyphs = cx.look.glyphs;
        for (index, found) in prospects(cx.session, self.judged.as_ref(), glyphs.more).into_iter().enumerate() {
            let keys = found.keys.iter().map(|(action, words)| {
                // The files of Code have no key of their own.
                let key = cx.keys(if *action == Action::ByFile { Action::Follow } else { *action });
                format!("{key} {words}")
            });
            let keys = Cell::toned(keys.collect::<Vec<_>>().join("  "), Tone::Dim);
            let text = Cell::toned(format!("{} {}", found.sign(glyphs), found.text), found.tone);
            let Some((action, _)) = found.keys.last() else { continue };
            let leads = found.place.map_or(Leads::Do(*action), |place| Leads::Go(place.into()));
            rows.push((Row { depth: 1, ..Row::plain(vec![text, keys]) }, leads.clone()));
            if index == chosen && !found.remedy.is_empty() {
                let remedy = Cell::toned(format!("  {}", found.remedy), Tone::Dim);
                rows.push((Row { depth: 1, ..Row::plain(vec![remedy]) }, leads.clone()));
            }
        }
    }

    /// Rows of the card, and of the strip of both files below the sentences.
    fn rows_around(&self, cx: &Context<'_>) -> (u16, u16) {
        if !is_match(cx.session) {
            return (0, 0);
        }
        (CARD_ROWS, if self.parts.is_empty() { 0 } else { self.parts.len() as u16 + 1 })
    }

    /// Draws the card with the verdict, and what fills the files below the sentences.
    fn draw_around(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) {
        let look = &cx.look;
        let (above, below) = self.rows_around(cx);
        let card = Rect { height: CARD_ROWS, ..area }.intersection(area);
        if card.is_empty() {
            return;
        }
        let is_id = |reason: &&Reason| matches!(reason.reason, "same-id" | "other-id");
        let reasons = cx.session.match_reasons().iter().filter(|reason| !is_id(reason));
        let reasons: Vec<&str> = reasons.map(|reason| reason.text.as_str()).collect();
        let (name, build) = (right_pdb(cx.session), build(cx.session));
        let id = cx.session.symbols().and_then(SymbolReader::id).map_or_else(String::new, |id| id.to_string());
        let why = if reasons.is_empty() { id } else { format!("{id}; {}", reasons.join("; ")) };
        let lines = [
            (name.as_str(), Role::Strong),
            (why.as_str(), Role::Text),
            ("Its lines and stack traces can be trusted.", Role::Text),
        ];
        card::draw(buf, card, (Role::Added, look.glyphs.ok, Role::Ok), &lines, look);
        // Where the first row has no room beside the name, the last one has.
        let fits = width(&name) + width(&build) + 8 < usize::from(card.width);
        let y = if fits { card.y } else { card.bottom() - 1 };
        let build =
            if fits || width(lines[2].0) + width(&build) + 8 < usize::from(card.width) { build } else { String::new() };
        put_right(buf, card.x, y, card.right() - 1, &build, look.theme.of(Role::Dim), look.glyphs);
        let top = area.bottom().saturating_sub(below);
        if below == 0 || top < area.y + above + 1 {
            return;
        }
        let of = format!("{} File", cx.keys(Action::View(View::File.number())));
        card::rule(buf, Rect { y: top, height: 1, ..area }, "What fills the files", &of, false, look);
        let largest = self.parts.iter().map(|file| file.bytes).max().unwrap_or(1).max(1);
        for (file, y) in self.parts.iter().zip(top + 1..area.bottom()) {
            put(buf, area.x + 3, y, area.right(), file.name, look.theme.of(Role::Dim), look.glyphs);
            let size = match file.bytes {
                bytes if bytes < 1_000_000 => format!("{}.{} KB", bytes / 1000, bytes / 100 % 10),
                bytes => format!("{}.{:02} MB", bytes / 1_000_000, bytes / 10_000 % 100),
            };
            put_right(buf, area.x + 3, y, area.x + 18, &size, look.theme.of(Role::Mute), look.glyphs);
            let room = u64::from(area.width.saturating_sub(21));
            let wide = (room * file.bytes).div_ceil(largest) as u16;
            let bar = Rect { x: area.x + 20, y, width: wide.max(1), height: 1 }.intersection(area);
            draw_shares(buf, bar, file, look);
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
                            // The sentence above has the rest of it.
                            let why = verdict.summary();
                            let is_said = cx.session.pdb_match().is_mismatch();
                            let rest = why.strip_prefix("PDB does not match: ").filter(|_| is_said);
                            let why = rest.unwrap_or(why);
                            let text = format!("{} {why}  {follow} open anyway", glyphs.bad);
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
        (Action::SwitchFile, half, String::new()),
        (Action::Symbols, "symbol path: a folder, a store, or a server to fetch from", format!("{set}{server}")),
    ] {
        let cells = [Cell::toned(cx.keys(action), Tone::Strong), Cell::new(what), Cell::toned(detail, Tone::Dim)];
        rows.push((row(cells, 1), Leads::Do(action)));
    }
}

impl Shows for VerdictPane {
    fn title(&self, list: &ListState, cx: &Context<'_>) -> Title {
        let (title, scroll) = (Title::new("Match"), &list.grid.scroll);
        // The repairs are the last rows: where they are below the edge, the position says that there is more.
        let is_cut = !is_match(cx.session) && self.rows.len() + self.wrapped_lines(list) > scroll.height;
        if is_cut { title.at(format!("{}/{}", scroll.selected + 1, scroll.len)) } else { title }
    }

    fn load(&mut self, list: &mut ListState, cx: &Context<'_>) {
        if !Arc::ptr_eq(&self.paths, cx.paths) {
            (self.paths, self.judged) = (Arc::clone(cx.paths), None);
        }
        match self.found.take() {
            Some(JobResult::Near(found)) => self.near = Some(Arc::new(found)),
            Some(JobResult::Judged(found, parts)) => (self.judged, self.parts) = (Some(found), parts),
            Some(JobResult::Checked(found)) => {
                if let Some(judged) = &mut self.judged {
                    judged.remarks = Some(found);
                }
            }
            None => {}
        }
        let session = cx.session;
        let mut rows = Vec::new();
        if is_match(session) {
            self.add_prospects(&mut rows, list.grid.scroll.selected, cx);
        } else {
            rows.push((sentence(session, cx), Leads::Nowhere));
            rows.extend(ids(session, self.beside(session)));
            rows.extend(reasons(session));
            rows.extend(first_finding(session, cx));
        }
        if needs_repair(session) {
            self.add_candidates(&mut rows, cx);
            add_repairs(&mut rows, cx);
        }
        let (rows, leads): (Vec<Row>, Vec<Leads>) = rows.into_iter().unzip();
        self.leads = leads;
        self.rows = Arc::new(rows);
    }

    fn made(&self) -> Option<(&'static [Head], &Arc<Vec<Row>>)> {
        Some((COLUMNS, &self.rows))
    }

    fn perform(&mut self, action: Action, list: &mut ListState, cx: &Context<'_>) -> Option<Vec<Effect>> {
        match action {
            Action::FetchSource if is_match(cx.session) && self.misses_texts() => {
                let documents = cx.session.symbols().map_or(0, SymbolReader::documents);
                Some(vec![Effect::Update(Box::new(Msg::SourcesWanted((1..=documents).collect())))])
            }
            Action::Explain => Some(vec![Effect::Dispatch(Action::Glossary)]),
            Action::Follow => Some(match self.leads.get(list.grid.row()?)?.clone() {
                Leads::Nowhere => Vec::new(),
                Leads::Unfold => {
                    self.unfolded = true;
                    self.load(list, cx);
                    Vec::new()
                }
                Leads::Go(to) => vec![Effect::Go(to)],
                Leads::Do(action) => vec![Effect::Dispatch(action)],
                Leads::Use(session) => vec![Effect::Visit(session, Place::Overview.into())],
            }),
            _ => None,
        }
    }

    fn area(&self, pane: Rect, _: &ListState, cx: &Context<'_>) -> Rect {
        let (above, below) = self.rows_around(cx);
        let height = pane.height.saturating_sub(above + below);
        Rect { y: pane.y + above.min(pane.height), height, ..pane }
    }

    fn facts(&self, list: &ListState, cx: &Context<'_>) -> Facts {
        let (above, below) = self.rows_around(cx);
        // The second line of a sentence has its room, whichever is chosen.
        let rows =
            if is_match(cx.session) { MAX_SENTENCES + 1 } else { self.rows.len().max(1) + self.wrapped_lines(list) };
        let content_size = ContentSize { width: 0, height: rows as u16 + above + below, brief: 0 };
        Facts { content_size, fetches: is_match(cx.session) && self.misses_texts(), ..Facts::default() }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, list: &ListState, cx: &Context<'_>) -> Option<Position> {
        if is_match(cx.session) {
            self.draw_around(area, buf, cx);
        }
        let (rows, area) = (self.rows(list, cx)?, self.area(area, list, cx));
        list.grid.draw(buf, area, &rows, &cx.look, &|_, _| false, &|(_, column), cell, text, style| {
            // A sentence ends before a clause that is cut; the line below has all of it.
            let start = text.strip_suffix(cx.look.glyphs.more).filter(|_| column == 0 && cell.tone != Tone::Dim)?;
            let shown = without_last_clauses(&cell.text, width(start));
            (shown != cell.text).then(|| vec![(format!("{shown}{}", cx.look.glyphs.more), style)])
        })
    }

    fn selection(&self, _: &ListState, _: &Context<'_>) -> Option<Selection> {
        Some(Place::Overview.into())
    }

    fn job(&mut self, _: &ListState, session: &Arc<Session>) -> Option<Job> {
        let needs_repair = needs_repair(session);
        // Of files that nothing compares, no texts are counted.
        let is_known = match session.pdb_match() {
            PdbMatch::Matched => self.judged.as_ref().is_some_and(|judged| judged.remarks.is_some()),
            _ => self.near.is_some() || !needs_repair,
        };
        if is_known || self.found.is_pending() {
            return None;
        }
        let (session, paths) = (Arc::clone(session), Arc::clone(&self.paths));
        if is_match(&session) && self.judged.is_some() {
            let job = self.found.job("checking the files", "check", move |token| {
                Some(JobResult::Checked(checked(&session, &paths, token)))
            });
            return Some(job.on(Queue::Background));
        }
        let label = if needs_repair { "searching for the matching file" } else { "searching for the sources" };
        Some(self.found.job(label, "candidates", move |token| {
            if needs_repair {
                Some(JobResult::Near(candidates::near(&session).into_iter().map(of_candidate).collect()))
            } else {
                hold(&session);
                Judged::of(&session, &paths, token).map(|found| JobResult::Judged(found, shares(&session)))
            }
        }))
    }
}

fn of_candidate(candidate: Candidate) -> Near {
    let verdict = candidate.pdb_match();
    let path = candidate.path.display().to_string();
    Near { path, verdict, pair: candidate.session.map(Arc::new) }
}
