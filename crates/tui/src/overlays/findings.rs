//! Findings and notes of the check of all open files in one list, the most severe first.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::Paths;
use crate::state::selection::Selection;
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_query::check::{Grade, Remark, check_listing, summary};
use pdblens_session::session::Session;

/// Remarks of one rule of a pair that are listed.
const MAX_LISTED: usize = 4096;

pub type Remarks = Vec<(Arc<Session>, Remark)>;

pub struct Findings(Remarks);

pub fn findings(found: Remarks) -> Picker<Findings> {
    Picker::new(Findings(found))
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
        found.sort_by_key(|(_, remark)| Reverse(remark.grade));
        Msg::FindingsListed(found)
    }))
}

fn file_name(session: &Session) -> String {
    let image = session.image().map(|image| &image.name);
    image.or(session.symbol_file().map(|file| &file.name)).cloned().unwrap_or_default()
}

fn place_of(remark: &Remark) -> Option<Place> {
    remark.place.or(remark.span.map(Place::Bytes))
}

fn row(session: &Session, remark: &Remark, is_only: bool) -> Row {
    let (mark, text) = match remark.grade {
        Grade::Finding => (Tone::Bad, Tone::Text),
        Grade::Good | Grade::Note => (Tone::Dim, Tone::Dim),
    };
    let place = place_of(remark).map_or_else(String::new, |place| place.to_string());
    Row::plain(vec![
        Cell::toned(format!("{} {}", remark.grade.mark(), remark.rule), mark),
        Cell::toned(remark.sentence.clone(), text),
        Cell::new(place),
        Cell::toned(if is_only { String::new() } else { file_name(session) }, Tone::Dim),
    ])
}

impl Findings {
    /// The remarks with every typed word in their rule, text, place or file.
    fn matching(&self, typed: &str) -> impl Iterator<Item = (&(Arc<Session>, Remark), Row)> {
        let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
        let is_only = self.0.iter().all(|(session, _)| Arc::ptr_eq(session, &self.0[0].0));
        let rows = self.0.iter().map(move |found| (found, row(&found.0, &found.1, is_only)));
        rows.filter(move |(_, row)| {
            let text = row.tabbed().to_lowercase();
            words.iter().all(|word| text.contains(word))
        })
    }
}

impl Choices for Findings {
    fn title(&self) -> &'static str {
        "Findings of all open files"
    }

    fn rows(&self, typed: &str, _: &OverlayContext<'_>) -> Rows<'static> {
        let (remarks, rows): (Vec<Remark>, Vec<Row>) =
            self.matching(typed).map(|((_, remark), row)| (remark.clone(), row)).unzip();
        Rows::of(summary(&remarks), Head::list(["", "", "", ""]), rows)
    }

    fn completion(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Option<String> {
        self.matching(typed).nth(index).map(|((_, remark), _)| remark.rule.to_string())
    }

    fn accept(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        let Some(((session, remark), _)) = self.matching(typed).nth(index) else { return Vec::new() };
        let Some(place) = place_of(remark) else {
            let text = format!("{} is about the files as a whole: {}", remark.rule, remark.sentence);
            return vec![Effect::SetStatus(Tone::Text, text)];
        };
        vec![Effect::Visit(Arc::clone(session), Selection { place, part: remark.span })]
    }
}
