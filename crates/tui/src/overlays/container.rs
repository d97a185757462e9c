//! The list of the files in a folder or container, to see which need a look: each image with its symbol file, whether they match, the
//! findings of the check, what it was built for, and sizes. It is filtered, sorted and stepped through without opening a pair.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ratatui::layout::Rect;

use crate::engine::action::Action;
use crate::engine::jobs::{CancelToken, Queue};
use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::{Command, Effect};
use crate::state::message::{Job, Msg};
use crate::state::paths::Paths;
use crate::ui::glyphs::Glyphs;
use crate::ui::sort::Sort;
use crate::ui::theme::Role;
use pdblens_nodes::overview::embedded_sources;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::table::attributes::target_framework;
use pdblens_query::breakpoint::is_optimized;
use pdblens_query::check::{Grade, check_while, findings, summary};
use pdblens_session::session::inputs::{Unit, names_in};
use pdblens_session::session::{PdbMatch, Session};
use pdblens_session::symbols::SymbolReader;

/// Units that one job opens before the list is drawn again.
const BATCH: usize = 4;
/// Units that are opened; the others have a verdict when they are chosen.
const MAX_OPENED: usize = 2000;
/// Findings of a unit that its preview lists.
const MAX_FINDINGS: usize = 3;
/// Index of the column of the match, which a list is sorted by unless another column is chosen.
const STATE: usize = 1;
/// Columns of a list on a screen of fewer cells, which leave the names their room.
const NARROW: usize = 5;
const MIN_WIDE: u16 = 100;

/// Columns in the order in which they are given room.
const COLUMNS: [Head; 8] = [
    Head::text("file"),
    Head::text("match"),
    Head::number("findings"),
    Head::number("bytes"),
    Head::text("for"),
    Head::text("built"),
    Head::text("embedded"),
    Head::number("methods"),
];

/// Facts about a unit, once it was opened.
struct UnitFacts {
    state: String,
    tone: Tone,
    findings: usize,
    /// The first findings; below them the number of findings and notes.
    sentences: Vec<String>,
    summary: String,
    framework: String,
    built: &'static str,
    /// Embedded sources and documents.
    embedded: String,
    methods: u32,
}

/// The state of a list that is left, to come back to it.
#[derive(Clone, Default)]
struct ListState {
    typed: String,
    sort: Option<Sort>,
    /// Units in the order of the list.
    order: Vec<usize>,
    unit: Option<usize>,
}

pub struct Listing {
    pub paths: Vec<PathBuf>,
    pub units: Vec<Unit>,
    /// Paths of the units, below the folder or in the container.
    names: Vec<String>,
    facts: Vec<OnceLock<Result<UnitFacts, String>>>,
    kept: Mutex<ListState>,
}

pub struct ContainerFiles {
    listing: Arc<Listing>,
    paths: Arc<Paths>,
    now: ListState,
    /// Units whose facts were asked for.
    asked: usize,
    /// True if nothing else is open: closing the list ends the program.
    is_only: bool,
}

impl Listing {
    pub fn new(paths: &[PathBuf], units: Vec<Unit>) -> Self {
        let facts = units.iter().map(|_| OnceLock::new()).collect();
        let kept = Mutex::new(ListState { order: (0..units.len()).collect(), ..ListState::default() });
        Self { paths: paths.to_owned(), names: names_in(paths, &units), units, facts, kept }
    }

    fn kept(&self) -> MutexGuard<'_, ListState> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a file is one of the unit that was chosen last.
    pub fn has_chosen(&self, path: &Path) -> bool {
        let chosen = self.kept().unit.and_then(|unit| self.units.get(unit));
        chosen.is_some_and(|unit| unit.files().any(|file| file == path))
    }

    fn facts(&self, unit: usize) -> Option<&Result<UnitFacts, String>> {
        self.facts.get(unit)?.get()
    }

    /// Returns whether a unit has a problem: it cannot be opened, its halves do not match, or the check has a finding.
    fn is_wrong(&self, unit: usize) -> bool {
        match self.facts(unit) {
            Some(Ok(facts)) => facts.findings > 0 || facts.tone == Tone::Bad,
            Some(Err(_)) => true,
            None => false,
        }
    }

    fn row(&self, unit: usize, glyphs: &Glyphs) -> Row {
        let name = self.names.get(unit).map_or("", String::as_str);
        let size = self.units.get(unit).and_then(Unit::size).map_or_else(String::new, |size| size.to_string());
        let mut cells = vec![Cell::default(); COLUMNS.len()];
        (cells[0], cells[3]) = (Cell::new(name), Cell::toned(size, Tone::Dim));
        match self.facts(unit) {
            None => {}
            Some(Err(_)) => cells[STATE] = Cell::toned(format!("{} cannot be opened", glyphs.bad), Tone::Bad),
            Some(Ok(facts)) => {
                let sign = sign(facts.tone, glyphs);
                cells[STATE] = Cell::toned(format!("{sign} {}", facts.state), facts.tone);
                let tone = if facts.findings > 0 { Tone::Bad } else { Tone::Dim };
                cells[2] = Cell::toned(facts.findings.to_string(), tone);
                cells[4] = Cell::new(facts.framework.as_str());
                cells[5] = Cell::new(facts.built);
                cells[6] = Cell::toned(facts.embedded.as_str(), Tone::Dim);
                cells[7] = Cell::toned(facts.methods.to_string(), Tone::Dim);
                if facts.tone == Tone::Dim {
                    cells[0].tone = Tone::Dim;
                }
            }
        }
        Row::plain(cells)
    }

    /// The number of units by their match: `13 ✓ 171 ! 0 ✗ 137 ·`.
    fn counts(&self, glyphs: &Glyphs) -> String {
        let tone = |unit: usize| match self.facts(unit) {
            Some(Ok(facts)) => Some(facts.tone),
            Some(Err(_)) => Some(Tone::Bad),
            None => None,
        };
        let number = |wanted: Tone| (0..self.units.len()).filter(|unit| tone(*unit) == Some(wanted)).count();
        let text = |wanted: Tone| format!("{} {}", number(wanted), sign(wanted, glyphs));
        [Tone::Ok, Tone::Warn, Tone::Bad, Tone::Dim].map(text).join("  ")
    }
}

const fn sign(tone: Tone, glyphs: &Glyphs) -> &'static str {
    match tone {
        Tone::Ok => glyphs.ok,
        Tone::Bad => glyphs.bad,
        Tone::Dim => glyphs.dot,
        _ => glyphs.warn,
    }
}

/// A picker of the units of a listing, at the one that was chosen last, and the effect that begins to open them.
pub fn container_files(
    listing: Arc<Listing>,
    paths: Arc<Paths>,
    is_only: bool,
) -> (Picker<ContainerFiles>, Vec<Effect>) {
    let now = listing.kept().clone();
    let asked = listing.facts.iter().position(|facts| facts.get().is_none()).unwrap_or(listing.units.len());
    let (typed, unit) = (now.typed.clone(), now.unit);
    let mut files = ContainerFiles { listing, paths, now, asked, is_only };
    let effects = files.next_batch();
    let at = unit.and_then(|unit| files.matching(&typed).iter().position(|other| *other == unit));
    (Picker::new(files).typing(&typed).at(at.unwrap_or(0)), effects)
}

impl ContainerFiles {
    /// Units whose row has all words of the input, in the order of the list.
    fn matching(&self, typed: &str) -> Vec<usize> {
        let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
        let text = |unit: usize| {
            let Some(Ok(facts)) = self.listing.facts(unit) else { return String::new() };
            format!(" {} {} {}", facts.state, facts.framework, facts.built)
        };
        let matches = |unit: &usize| {
            let name = self.listing.names.get(*unit).map_or("", String::as_str);
            let row = if words.is_empty() { String::new() } else { format!("{name}{}", text(*unit)).to_lowercase() };
            words.iter().all(|word| row.contains(word))
        };
        self.now.order.iter().copied().filter(matches).collect()
    }

    /// A job that opens the next units, when those before are done.
    fn next_batch(&mut self) -> Vec<Effect> {
        let (from, to) = (self.asked, (self.asked + BATCH).min(self.listing.units.len()).min(MAX_OPENED));
        let is_done = self.listing.facts.iter().take(from).all(|facts| facts.get().is_some());
        if from == to || !is_done {
            return Vec::new();
        }
        self.asked = to;
        let (listing, paths) = (Arc::clone(&self.listing), Arc::clone(&self.paths));
        let label = format!("checking file {to} of {}", listing.units.len());
        let job = Job::new(label, "container", move |token| {
            for (unit, facts) in listing.units.iter().zip(&listing.facts).take(to).skip(from) {
                if token.is_cancelled() {
                    break;
                }
                let found = read(unit, &paths, token);
                if !token.is_cancelled() {
                    // A second result would be the same.
                    let _ = facts.set(found);
                }
            }
            Msg::OverlayReady
        });
        vec![Effect::Start(job.on(Queue::Background))]
    }

    fn unit_at(&self, row: usize, typed: &str) -> Option<usize> {
        self.matching(typed).into_iter().nth(row)
    }

    /// Puts the units in their order; the row that has the same unit then.
    fn arrange(&mut self, row: usize, typed: &str, glyphs: &Glyphs) -> usize {
        let unit = self.unit_at(row, typed);
        let all: Vec<usize> = (0..self.listing.units.len()).collect();
        self.now.order = match self.now.sort {
            Some(sort) => {
                let rows: Vec<Row> = all.iter().map(|unit| self.listing.row(*unit, glyphs)).collect();
                sort.sorted(&rows.iter().collect::<Vec<_>>())
            }
            None => all,
        };
        self.matching(typed).iter().position(|other| Some(*other) == unit).unwrap_or(0)
    }
}

fn read(unit: &Unit, paths: &Paths, token: &CancelToken) -> Result<UnitFacts, String> {
    let session = unit.open().map_err(|error| error.to_string())?;
    let remarks = check_while(&session, &paths.sources, &|_, _| !token.is_cancelled()).unwrap_or_default();
    let wrong = remarks.iter().filter(|remark| remark.grade == Grade::Finding);
    let documents = session.symbols().map_or(0, SymbolReader::documents);
    let embedded = embedded_sources(&session);
    let (state, tone) = state(&session);
    Ok(UnitFacts {
        state: state.to_owned(),
        tone,
        findings: findings(&remarks),
        sentences: wrong.take(MAX_FINDINGS).map(|remark| format!("{}: {}", remark.rule, remark.sentence)).collect(),
        summary: summary(&remarks),
        framework: target_framework(&session).unwrap_or_default(),
        built: match is_optimized(&session) {
            Some(true) => "release",
            Some(false) => "debug",
            None => "",
        },
        embedded: if documents > 0 { format!("{embedded} of {documents}") } else { String::new() },
        methods: session.methods(),
    })
}

/// The match of a unit in words. An image without methods, such as one of translated texts, needs no symbols.
fn state(session: &Session) -> (&'static str, Tone) {
    let is_embedded = session.symbol_file().is_some_and(|file| file.embedded);
    let has_no_code = session.metadata().is_some() && session.methods() == 0;
    match session.pdb_match() {
        PdbMatch::Matched if is_embedded => ("PDB is inside", Tone::Ok),
        PdbMatch::NoPdb if has_no_code => ("no code", Tone::Dim),
        PdbMatch::Matched => (PdbMatch::Matched.summary(), Tone::Ok),
        other if other.is_mismatch() => (other.summary(), Tone::Bad),
        PdbMatch::NoPdb => ("no PDB", Tone::Warn),
        other => (other.summary(), Tone::Warn),
    }
}

impl Choices for ContainerFiles {
    const HEADLESS: bool = false;
    const TAKES_KEYS: bool = true;
    const MAX_ROWS: u16 = 1000;

    fn title(&self) -> &'static str {
        if self.listing.paths.len() == 1 { "Files in this container or folder" } else { "Files that were named" }
    }

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let (found, listing, glyphs) = (self.matching(typed), Arc::clone(&self.listing), *cx.look.glyphs);
        let sort = self.now.sort.and_then(|sort| Some(sort.label(COLUMNS.get(sort.column)?.name, &glyphs)));
        let shown = format!("{} of {}", found.len(), listing.units.len());
        let title = sort.into_iter().chain([listing.counts(&glyphs), shown]).collect::<Vec<_>>().join("   ");
        let mut rows = Rows::new(title, COLUMNS.to_vec(), found.len(), move |index| {
            found.get(index).map_or_else(Row::default, |unit| listing.row(*unit, &glyphs))
        });
        rows.narrow = (cx.screen.width < MIN_WIDE).then_some(NARROW);
        rows
    }

    fn accept(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        let Some(at) = self.unit_at(index, typed) else { return Vec::new() };
        *self.listing.kept() = ListState { typed: typed.to_owned(), unit: Some(at), ..self.now.clone() };
        let unit = self.listing.units.get(at);
        unit.map(|unit| Effect::Update(Box::new(Msg::UnitChosen(unit.clone())))).into_iter().collect()
    }

    fn perform(&mut self, action: Action, at: (usize, Option<usize>), typed: &str, cx: &OverlayContext<'_>) -> usize {
        let (row, column) = at;
        let found = self.matching(typed);
        let is_wrong = |row: &usize| found.get(*row).is_some_and(|unit| self.listing.is_wrong(*unit));
        match action {
            Action::Sort => {
                let column = column.unwrap_or(STATE);
                self.now.sort = Sort::next(self.now.sort, column, COLUMNS.get(column).is_some_and(|head| head.right));
                self.arrange(row, typed, cx.look.glyphs)
            }
            Action::NextMatch => (row + 1..found.len()).chain(0..row).find(is_wrong).unwrap_or(row),
            Action::PreviousMatch => (0..row).rev().chain((row + 1..found.len()).rev()).find(is_wrong).unwrap_or(row),
            _ => row,
        }
    }

    fn refresh(&mut self, row: usize, typed: &str, cx: &OverlayContext<'_>) -> usize {
        if self.now.sort.is_some() { self.arrange(row, typed, cx.look.glyphs) } else { row }
    }

    fn cancelled(&self) -> Vec<Effect> {
        if self.is_only { vec![Command::Quit.into()] } else { Vec::new() }
    }

    fn query_changed(&mut self, _typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        self.next_batch()
    }

    fn empty_text(&self, _typed: &str) -> String {
        "no row contains this text".to_owned()
    }

    fn size(&self, _: Rect) -> (u16, u16) {
        (u16::MAX, 5)
    }

    fn preview(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Option<Vec<(String, Role)>> {
        let at = self.unit_at(index, typed)?;
        let files = self.listing.units.get(at)?.files().map(|file| file.display().to_string());
        let mut lines = vec![(files.collect::<Vec<_>>().join(" + "), Role::Dim)];
        match self.listing.facts(at) {
            Some(Ok(facts)) => {
                lines.push((facts.summary.clone(), Role::Dim));
                lines.extend(facts.sentences.iter().map(|sentence| (sentence.clone(), Role::Bad)));
            }
            Some(Err(error)) => lines.push((error.clone(), Role::Bad)),
            None => {}
        }
        Some(lines)
    }
}
