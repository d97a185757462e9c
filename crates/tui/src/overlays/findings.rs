//! Findings and notes of the check of all open files in one list, the most severe first.

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::Arc;

use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::{Paths, session_name};
use crate::state::selection::Selection;
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_query::check::{Grade, Remark, check_listing, summary};
use pdblens_session::session::Session;
use pdblens_session::session::inputs::Unit;

/// Remarks of one rule of a pair that are listed.
const MAX_LISTED: usize = 4096;

pub type Remarks = Vec<(Arc<Session>, Remark)>;

/// The files that a remark is about: open ones, or those of a list, with their name, that are opened when the remark is followed.
pub enum Of {
    Open(Arc<Session>),
    Unit(Unit, String),
}

#[derive(Clone)]
pub struct Findings {
    found: Arc<Vec<(Of, Remark)>>,
    /// The list of files that closing leads back to: what was listed, and its units.
    list: Option<(Vec<PathBuf>, Vec<Unit>)>,
}

/// Remarks of one rule that are listed as long as nothing is typed: others are counted.
const MAX_UNFOLDED: usize = 3;

pub fn findings(found: Remarks) -> Picker<Findings> {
    let found = found.into_iter().map(|(session, remark)| (Of::Open(session), remark)).collect();
    Picker::new(Findings { found: Arc::new(found), list: None })
}

/// The remarks on the files of a list.
pub fn findings_of_list(list: (Vec<PathBuf>, Vec<Unit>), mut found: Vec<(Of, Remark)>) -> Picker<Findings> {
    found.sort_by_key(|(_, remark)| (Reverse(remark.grade), remark.rule));
    Picker::new(Findings { found: Arc::new(found), list: Some(list) })
}

/// A job that checks open files as `pdblens check` does.
pub fn findings_job(sessions: Vec<Arc<Session>>, paths: Arc<Paths>) -> Effect {
    Effect::Start(Job::new("checking the files", "findings", move |token| {
        let mut found: Remarks = Vec::new();
        for session in sessions {
            let go_on = |done, total| {
                token.report(done, total);
                !token.is_cancelled()
            };
            let Some(remarks) = check_listing(&session, &paths.sources, MAX_LISTED, &go_on) else { return Msg::Redraw };
            let remarks = remarks.into_iter().filter(|remark| remark.grade != Grade::Good);
            found.extend(remarks.map(|remark| (Arc::clone(&session), remark)));
        }
        found.sort_by_key(|(_, remark)| (Reverse(remark.grade), remark.rule));
        Msg::FindingsListed(found)
    }))
}

fn place_of(remark: &Remark) -> Option<Place> {
    remark.place.or(remark.span.map(Place::Bytes))
}

fn row(of: &Of, remark: &Remark, is_only: bool) -> Row {
    let file = match of {
        _ if is_only => "",
        Of::Open(session) => session_name(session),
        Of::Unit(_, name) => name,
    };
    let (mark, text) = match remark.grade {
        Grade::Finding => (Tone::Bad, Tone::Text),
        Grade::Good | Grade::Note => (Tone::Dim, Tone::Dim),
    };
    let place = place_of(remark).map_or_else(String::new, |place| place.to_string());
    Row::plain(vec![
        Cell::toned(format!("{} {}", remark.grade.mark(), remark.rule), mark),
        Cell::toned(remark.sentence.clone(), text),
        Cell::new(place),
        Cell::toned(file, Tone::Dim),
    ])
}

impl Findings {
    /// The listed remarks, each with the number of further remarks of its rule that are folded into it.
    fn listed(&self, typed: &str) -> Vec<(&(Of, Remark), Row, usize)> {
        let found: Vec<_> = self.matching(typed).collect();
        let is_typed = !typed.trim().is_empty();
        let same = |one: &Remark, other: &Remark| (one.rule, one.grade) == (other.rule, other.grade);
        let of_rule = found.chunk_by(|(one, _), (other, _)| same(&one.1, &other.1));
        let mut listed = Vec::new();
        for remarks in of_rule {
            let shown = if is_typed || remarks.len() <= MAX_UNFOLDED + 1 { remarks.len() } else { MAX_UNFOLDED };
            listed.extend(remarks.iter().take(shown).map(|(found, row)| (*found, row.clone(), 0)));
            if let Some((found, row)) = remarks.get(shown) {
                let more = remarks.len() - shown;
                let text = Cell::toned(format!("{more} more of this rule: Enter lists them"), Tone::Dim);
                let cells = row.cells.iter().take(1).cloned().chain([text]).collect();
                listed.push((*found, Row::plain(cells), more));
            }
        }
        listed
    }

    /// The remarks with every typed word in their rule, text, place or file.
    fn matching(&self, typed: &str) -> impl Iterator<Item = (&(Of, Remark), Row)> {
        let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
        let is_first = |(of, _): &(Of, Remark)| match (of, self.found.first()) {
            (Of::Open(session), Some((Of::Open(first), _))) => Arc::ptr_eq(session, first),
            _ => false,
        };
        let is_only = self.found.iter().all(is_first);
        let rows = self.found.iter().map(move |found| (found, row(&found.0, &found.1, is_only)));
        rows.filter(move |(_, row)| {
            let text = row.tabbed().to_lowercase();
            words.iter().all(|word| text.contains(word))
        })
    }
}

impl Choices for Findings {
    fn title(&self) -> &'static str {
        if self.list.is_some() { "Findings of all files of the list" } else { "Findings of all open files" }
    }

    fn rows(&self, typed: &str, _: &OverlayContext<'_>) -> Rows<'static> {
        let remarks: Vec<Remark> = self.matching(typed).map(|((_, remark), _)| remark.clone()).collect();
        let rows = self.listed(typed).into_iter().map(|(_, row, _)| row).collect();
        Rows::of(summary(&remarks), Head::list(["", "", "", ""]), rows)
    }

    fn completion(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Option<String> {
        self.listed(typed).get(index).map(|((_, remark), ..)| remark.rule.to_string())
    }

    fn accept(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        let listed = self.listed(typed);
        let Some(((of, remark), _, more)) = listed.get(index) else { return Vec::new() };
        if *more > 0 {
            let all = Picker::new(self.clone()).typing(remark.rule);
            return vec![Effect::Open(Box::new(all))];
        }
        let selection = place_of(remark).map(|place| Selection { place, part: remark.span });
        match (of, selection) {
            (Of::Open(session), Some(selection)) => vec![Effect::Visit(Arc::clone(session), selection)],
            (Of::Open(_), None) => {
                let text = format!("{} is about the files as a whole: {}", remark.rule, remark.sentence);
                vec![Effect::SetStatus(Tone::Text, text)]
            }
            (Of::Unit(unit, _), _) => {
                vec![Effect::Update(Box::new(Msg::UnitChosen(unit.clone(), place_of(remark), None)))]
            }
        }
    }

    fn cancelled(&self) -> Vec<Effect> {
        let list = self.list.clone().map(|(paths, units)| Msg::ContainerListed(paths, Ok(units)));
        list.into_iter().map(|list| Effect::Update(Box::new(list))).collect()
    }
}
