//! The units of a folder or container, and what is known of each once it was opened.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ListState;
use crate::engine::jobs::CancelToken;
use crate::overlays::findings::Of;
use crate::state::paths::{Paths, names_of};
use crate::state::prospects::{self, Judged, Prospect, prospects};
use crate::ui::glyphs::Glyphs;
use pdblens_nodes::rows::{Cell, Head, Row, Tone};
use pdblens_nodes::table::attributes::target_framework;
use pdblens_query::breakpoint::{Judge, Verdict, is_optimized};
use pdblens_query::check::{Grade, Remark, check_while, findings, left_out};
use pdblens_session::session::inputs::{Location, Unit, names_in};
use pdblens_session::session::{OpenError, PdbMatch, Session, codeview_id};
use pdblens_session::store::http::Http;
use pdblens_session::symbols::SymbolReader;
use pdblens_session::text::safe::count;

/// Columns in the order in which they are given room. The sign of the status is in the indentation of the first.
pub(super) const COLUMNS: [Head; 8] = [
    Head::text("  file"),
    Head::text("PDB"),
    Head::text("for"),
    Head::text("built"),
    Head::text("sources"),
    Head::number("methods"),
    Head::number("KB"),
    Head::number("findings"),
];
/// The statuses in the order of the list: what is wrong precedes, and what needs nothing is last.
pub(super) const STATUSES: [Tone; 4] = [Tone::Bad, Tone::Ok, Tone::Warn, Tone::Dim];

/// Facts about a unit, once it was opened.
#[derive(Default)]
pub(super) struct UnitFacts {
    /// Its status; `Text` until it was opened.
    pub(super) tone: Tone,
    /// Place of the PDB in a word, or the reason why there is none.
    pdb: &'static str,
    /// The verdict, or why it cannot be opened.
    pub(super) sentence: String,
    /// The id, of both halves or the one that the image names.
    pub(super) id: String,
    pub(super) can_be_opened: bool,
    /// True for an image with code and no PDB.
    pub(super) lacks_pdb: bool,
    pub(super) size: u64,
    framework: String,
    built: &'static str,
    /// Verdict on its breakpoints; `None` without code of .NET.
    pub(super) breakpoints: Option<Verdict>,
    /// Documents whose text is at hand, of all.
    sources: String,
    /// Empty for native code.
    methods: String,
    pub(super) prospects: Vec<Prospect>,
    /// Findings and notes of the check.
    pub(super) remarks: Vec<Remark>,
}

impl UnitFacts {
    /// A text after the sign of breakpoints.
    fn breakpoint(&self, glyphs: &Glyphs, text: &str) -> String {
        self.breakpoints.map_or_else(String::new, |verdict| format!("{} {text}", glyphs.breakpoint(verdict.sign())))
    }
}

pub struct Listing {
    pub paths: Vec<PathBuf>,
    pub units: Vec<Unit>,
    /// Paths of the units, below the folder or in the container.
    pub(super) names: Vec<String>,
    /// The name of what was listed, and the number of files in it.
    pub(super) heading: [String; 2],
    facts: Mutex<Vec<Arc<UnitFacts>>>,
    kept: Mutex<ListState>,
}

impl Listing {
    pub fn new(paths: &[PathBuf], units: Vec<Unit>) -> Self {
        let is_inside = |unit: &Unit| matches!(Location::of(unit.path()), Location::Entry { container, .. } if paths.contains(&container));
        let files = count(units.len() as u64, "file");
        let heading = match paths {
            [_] if units.first().is_some_and(is_inside) => format!("a container of {files}"),
            [_] => format!("a folder of {files}"),
            _ => format!("{files} that were named"),
        };
        let (names, facts) = (names_in(paths, &units), Mutex::new(vec![Arc::default(); units.len()]));
        Self {
            paths: paths.to_owned(),
            units,
            names,
            heading: [names_of(paths), heading],
            facts,
            kept: Mutex::default(),
        }
    }

    pub(super) fn kept(&self) -> MutexGuard<'_, ListState> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the unit that is opened: Back leads to its row.
    pub fn choose(&self, unit: &Unit) {
        self.kept().unit = self.units.iter().position(|other| other == unit);
    }

    /// Returns whether a file is one of the unit that was chosen last.
    pub fn has_chosen(&self, path: &Path) -> bool {
        let chosen = self.kept().unit.and_then(|unit| self.units.get(unit));
        chosen.is_some_and(|unit| unit.files().any(|file| file == path))
    }

    pub(super) fn facts(&self) -> MutexGuard<'_, Vec<Arc<UnitFacts>>> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn of(&self, unit: usize) -> Arc<UnitFacts> {
        self.facts().get(unit).cloned().unwrap_or_default()
    }

    /// Number of units of a status.
    pub(super) fn count(&self, status: Tone) -> usize {
        self.facts().iter().filter(|facts| facts.tone == status).count()
    }

    /// Opens a unit and keeps what it is.
    pub(super) fn read(&self, unit: usize, paths: &Paths, http: Option<&Http>, token: &CancelToken) {
        let Some(files) = self.units.get(unit) else { return };
        let found = read(files, paths, http, token).unwrap_or_else(|error| {
            let is_foreign = matches!(error, OpenError::NativeCode { .. });
            let (tone, pdb) = if is_foreign { (Tone::Dim, "not Windows") } else { (Tone::Bad, "cannot be opened") };
            UnitFacts { tone, pdb, sentence: error.to_string(), ..UnitFacts::default() }
        });
        if !token.is_cancelled() {
            self.facts()[unit] = Arc::new(found);
        }
    }

    /// Forgets the units without a PDB, which may be found by another symbol path.
    pub(super) fn forget_missing(&self) {
        self.facts().iter_mut().filter(|facts| facts.lacks_pdb).for_each(|facts| *facts = Arc::default());
    }

    /// Place of a unit in the order of the list: by status, then by name.
    pub(super) fn rank(&self, unit: usize) -> (usize, String) {
        let tone = self.of(unit).tone;
        (STATUSES.iter().position(|other| *other == tone).unwrap_or(STATUSES.len()), self.names[unit].to_lowercase())
    }

    /// Returns whether a unit has a problem: it cannot be opened, its halves do not match, or the check has a finding.
    pub(super) fn is_wrong(&self, unit: usize) -> bool {
        let facts = self.of(unit);
        facts.tone == Tone::Bad || findings(&facts.remarks) > 0
    }

    /// Findings and notes of all units.
    pub(super) fn remarks(&self) -> Vec<(Of, Remark)> {
        let of = |(facts, (unit, name)): (&Arc<UnitFacts>, (&Unit, &String))| {
            let remarks = facts.remarks.iter();
            remarks.map(|remark| (Of::Unit(unit.clone(), name.clone()), remark.clone())).collect::<Vec<_>>()
        };
        self.facts().iter().zip(self.units.iter().zip(&self.names)).flat_map(of).collect()
    }

    pub(super) fn row(&self, unit: usize, glyphs: &Glyphs) -> Row {
        let facts = self.of(unit);
        let found = findings(&facts.remarks);
        let dim = |text: &str| Cell::toned(text, Tone::Dim);
        let is_plain = matches!(facts.tone, Tone::Ok | Tone::Bad);
        let numbers = |text: String| if facts.can_be_opened { text } else { String::new() };
        let cells = vec![
            Cell::toned(self.names[unit].as_str(), if is_plain { Tone::Text } else { Tone::Dim }),
            Cell::toned(facts.pdb, if facts.tone == Tone::Ok { Tone::Dim } else { facts.tone }),
            dim(&facts.framework),
            dim(&facts.breakpoint(glyphs, facts.built)),
            dim(&facts.sources),
            dim(&facts.methods),
            dim(&numbers(facts.size.div_ceil(1024).to_string())),
            Cell::toned(numbers(found.to_string()), if found > 0 { Tone::Bad } else { Tone::Dim }),
        ];
        Row { depth: 1, ..Row::plain(cells) }
    }
}

fn read(unit: &Unit, paths: &Paths, http: Option<&Http>, token: &CancelToken) -> Result<UnitFacts, OpenError> {
    let (session, _) = paths.symbols.complete(unit.open()?, http, &mut |done, all| token.report_transfer(done, all))?;
    let checked = || check_while(&session, &paths.sources, &|_, _| !token.is_cancelled()).unwrap_or_default();
    let mut remarks = if left_out(&session).is_some() { Vec::new() } else { checked() };
    remarks.retain(|remark| remark.grade != Grade::Good);
    let is_match = session.pdb_match() == PdbMatch::Matched;
    let judged = if is_match { Judged::of(&session, paths, token) } else { None };
    let texts = || judged.iter().flat_map(|judged| &judged.texts);
    let all: usize = texts().map(|(_, number)| number).sum();
    let here: usize = texts().filter(|(group, _)| group.is_at_hand()).map(|(_, number)| number).sum();
    let (pdb, tone) = pdb(&session);
    let id = session.symbols().and_then(SymbolReader::id);
    let named = || session.image()?.pe.debug.iter().find_map(codeview_id);
    Ok(UnitFacts {
        tone,
        pdb,
        sentence: prospects::sentence(&session, ""),
        id: id.or_else(named).map_or_else(String::new, |id| id.to_string()),
        can_be_opened: true,
        lacks_pdb: session.pdb_match() == PdbMatch::NoPdb && tone == Tone::Warn,
        size: unit.size().unwrap_or(0),
        framework: target_framework(&session).unwrap_or_default(),
        built: is_optimized(&session).map_or("", |is_optimized| if is_optimized { "release" } else { "debug" }),
        sources: if all > 0 { format!("{here} of {all}") } else { String::new() },
        methods: session.metadata().map_or_else(String::new, |_| session.methods().to_string()),
        breakpoints: (session.methods() > 0).then(|| Judge::of(&session, &paths.sources).of_module()),
        prospects: if is_match { prospects(&session, judged.as_ref(), "") } else { Vec::new() },
        remarks,
    })
}

/// Place of the PDB in a word, and the status of the unit. An image without methods, such as one of translated texts, needs no symbols.
fn pdb(session: &Session) -> (&'static str, Tone) {
    let (file, verdict) = (session.symbol_file(), session.pdb_match());
    let folder = session.image().and_then(|image| image.path.parent());
    let word = match verdict {
        PdbMatch::Matched if file.is_some_and(|file| file.embedded) => "inside",
        PdbMatch::Matched if file.and_then(|file| file.path.parent()) == folder => "beside",
        PdbMatch::Matched => "found",
        PdbMatch::NoPdb if session.metadata().is_some() && session.methods() == 0 => return ("", Tone::Dim),
        PdbMatch::NoPdb => "none",
        PdbMatch::NoImage => "alone",
        PdbMatch::Unknown => "no id",
        PdbMatch::NeedsBase => "delta",
        PdbMatch::Mismatched(_) => verdict.summary().rsplit(": ").next().unwrap_or_default(),
    };
    (word, prospects::tone(Some(verdict)))
}
