//! The units of a folder or container, and what is known of each once it was opened.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ListState;
use crate::engine::jobs::CancelToken;
use crate::state::paths::{Paths, names_of};
use crate::state::prospects::{self, Prospect, prospects};
use crate::state::text_group::counts_of_texts;
use crate::ui::glyphs::Glyphs;
use pdblens_nodes::rows::{Cell, Head, Row, Tone};
use pdblens_nodes::table::attributes::target_framework;
use pdblens_query::breakpoint::is_optimized;
use pdblens_query::check::{Grade, Remark, check_while, findings};
use pdblens_session::session::inputs::{Location, Unit, names_in};
use pdblens_session::session::{PdbMatch, Session, codeview_id};
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
const STATUSES: [Tone; 4] = [Tone::Bad, Tone::Ok, Tone::Warn, Tone::Dim];

/// Facts about a unit, once it was opened.
pub(super) struct UnitFacts {
    pub(super) tone: Tone,
    /// Where the PDB is, or why it is none.
    pdb: &'static str,
    pub(super) verdict: PdbMatch,
    pub(super) sentence: String,
    /// The id of both halves, or the one that the image names.
    pub(super) id: String,
    pub(super) size: u64,
    framework: String,
    built: &'static str,
    /// Documents whose text is at hand, of all.
    sources: String,
    methods: u32,
    pub(super) prospects: Vec<Prospect>,
    /// Findings and notes of the check.
    pub(super) remarks: Vec<Remark>,
}

pub(super) type Read = Result<UnitFacts, String>;

fn status_of(read: &Read) -> Tone {
    read.as_ref().map_or(Tone::Bad, |facts| facts.tone)
}

pub struct Listing {
    pub paths: Vec<PathBuf>,
    pub units: Vec<Unit>,
    /// Paths of the units, below the folder or in the container.
    pub(super) names: Vec<String>,
    /// What was listed, and how many files that is.
    pub(super) heading: (String, String),
    facts: Mutex<Vec<Option<Arc<Read>>>>,
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
        Self {
            paths: paths.to_owned(),
            names: names_in(paths, &units),
            heading: (names_of(paths), heading),
            facts: Mutex::new(vec![None; units.len()]),
            units,
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

    fn all_facts(&self) -> MutexGuard<'_, Vec<Option<Arc<Read>>>> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn facts(&self, unit: usize) -> Option<Arc<Read>> {
        self.all_facts().get(unit)?.clone()
    }

    /// The first units that were not opened yet.
    pub(super) fn unread(&self, most: usize, limit: usize) -> Vec<usize> {
        let facts = self.all_facts();
        facts
            .iter()
            .enumerate()
            .take(limit)
            .filter(|(_, facts)| facts.is_none())
            .map(|(unit, _)| unit)
            .take(most)
            .collect()
    }

    /// Opens a unit and keeps what it is.
    pub(super) fn read(&self, unit: usize, paths: &Paths, token: &CancelToken) {
        let Some(files) = self.units.get(unit) else { return };
        let found = read(files, paths, token);
        if !token.is_cancelled()
            && let Some(facts) = self.all_facts().get_mut(unit)
        {
            *facts = Some(Arc::new(found));
        }
    }

    /// Forgets the units without a PDB, which may be found by another symbol path.
    pub(super) fn forget_missing(&self) {
        for facts in self.all_facts().iter_mut() {
            facts.take_if(|facts| facts.as_ref().as_ref().is_ok_and(|facts| facts.verdict == PdbMatch::NoPdb));
        }
    }

    /// The status of a unit; `None` until it was opened.
    pub(super) fn status(&self, unit: usize) -> Option<Tone> {
        self.facts(unit).map(|read| status_of(&read))
    }

    /// Number of units of a status.
    pub(super) fn count(&self, status: Tone) -> usize {
        self.known().iter().filter(|read| status_of(read) == status).count()
    }

    /// What was read so far.
    pub(super) fn known(&self) -> Vec<Arc<Read>> {
        self.all_facts().iter().flatten().cloned().collect()
    }

    /// Place of a unit in the order of the list: by status, then by name.
    pub(super) fn rank(&self, unit: usize) -> (usize, String) {
        let status = self.status(unit);
        let rank = STATUSES.iter().position(|other| Some(*other) == status).unwrap_or(STATUSES.len());
        (rank, self.names.get(unit).map_or_else(String::new, |name| name.to_lowercase()))
    }

    /// Returns whether a unit has a problem: it cannot be opened, its halves do not match, or the check has a finding.
    pub(super) fn is_wrong(&self, unit: usize) -> bool {
        let Some(facts) = self.facts(unit) else { return false };
        facts.as_ref().as_ref().map_or(true, |facts| facts.tone == Tone::Bad || findings(&facts.remarks) > 0)
    }

    /// All remarks with their units.
    pub(super) fn remarks(&self) -> Vec<(usize, Remark)> {
        let of = |(unit, facts): (usize, &Option<Arc<Read>>)| {
            let remarks =
                facts.as_deref().and_then(|facts| facts.as_ref().ok()).map_or(&[][..], |facts| &facts.remarks);
            remarks.iter().map(move |remark| (unit, remark.clone())).collect::<Vec<_>>()
        };
        self.all_facts().iter().enumerate().flat_map(of).collect()
    }

    pub(super) fn row(&self, unit: usize, glyphs: &Glyphs) -> Row {
        let name = self.names.get(unit).map_or("", String::as_str);
        let mut cells = vec![Cell::default(); COLUMNS.len()];
        cells[0] = Cell::new(name);
        match self.facts(unit).as_deref() {
            None => cells[0].tone = Tone::Dim,
            Some(Err(_)) => cells[1] = Cell::toned(format!("{} cannot be opened", glyphs.bad), Tone::Bad),
            Some(Ok(facts)) => {
                let is_dim = matches!(facts.tone, Tone::Warn | Tone::Dim);
                cells[0].tone = if is_dim { Tone::Dim } else { Tone::Text };
                cells[1] = Cell::toned(facts.pdb, if facts.tone == Tone::Ok { Tone::Dim } else { facts.tone });
                cells[2] = Cell::toned(facts.framework.as_str(), Tone::Dim);
                cells[3] = Cell::toned(facts.built, Tone::Dim);
                cells[4] = Cell::toned(facts.sources.as_str(), Tone::Dim);
                cells[5] = Cell::toned(facts.methods.to_string(), Tone::Dim);
                cells[6] = Cell::toned(facts.size.div_ceil(1024).to_string(), Tone::Dim);
                let findings = findings(&facts.remarks);
                cells[7] = Cell::toned(findings.to_string(), if findings > 0 { Tone::Bad } else { Tone::Dim });
            }
        }
        Row { depth: 1, ..Row::plain(cells) }
    }
}

fn read(unit: &Unit, paths: &Paths, token: &CancelToken) -> Read {
    let session = unit.open().map_err(|error| error.to_string())?;
    let mut report = |done, total| token.report_transfer(done, total);
    // Servers are asked for the pair that is opened.
    let (session, _) = paths.symbols.complete(session, None, &mut report).map_err(|error| error.to_string())?;
    let mut remarks = check_while(&session, &paths.sources, &|_, _| !token.is_cancelled()).unwrap_or_default();
    remarks.retain(|remark| remark.grade != Grade::Good);
    let verdict = session.pdb_match();
    let texts = if verdict == PdbMatch::Matched { counts_of_texts(&session, paths, token) } else { None };
    let all: usize = texts.iter().flatten().map(|(_, number)| number).sum();
    let here: usize = texts.iter().flatten().filter(|(group, _)| group.is_at_hand()).map(|(_, number)| number).sum();
    let (pdb, tone) = pdb(&session);
    let id = session.symbols().and_then(SymbolReader::id);
    let named = || session.image()?.pe.debug.iter().find_map(codeview_id);
    Ok(UnitFacts {
        tone,
        pdb,
        verdict,
        sentence: prospects::sentence(&session, ""),
        id: id.or_else(named).map_or_else(String::new, |id| id.to_string()),
        size: unit.size().unwrap_or(0),
        framework: target_framework(&session).unwrap_or_default(),
        built: match is_optimized(&session) {
            Some(true) => "release",
            Some(false) => "debug",
            None => "",
        },
        sources: if all > 0 { format!("{here} of {all}") } else { String::new() },
        methods: session.methods(),
        prospects: if verdict == PdbMatch::Matched { prospects(&session, texts.as_ref(), "") } else { Vec::new() },
        remarks,
    })
}

/// Where the PDB is, in a word, and the status of the unit. An image without methods, such as one of translated texts, needs no symbols.
fn pdb(session: &Session) -> (&'static str, Tone) {
    let file = session.symbol_file();
    let folder = session.image().and_then(|image| image.path.parent());
    let verdict = session.pdb_match();
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
