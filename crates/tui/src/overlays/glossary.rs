//! The glossary: every term of the screens, each with an example in the open files.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::layout::Rect;

use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::Effect;
use crate::ui::fuzzy;
use crate::ui::theme::Role;
use pdblens_formats::reason::Reason;
use pdblens_learn::glossary::{self, Term};
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_session::session::Session;

/// Lines below the list: the meaning of the selected term, and where it is specified.
const MEANING: u16 = 5;

pub struct Glossary {
    /// Terms of the page that was on the screen: they are the first.
    first: Vec<&'static Term>,
    /// Examples that were looked for: drawing a line again looks for none.
    examples: Arc<Mutex<Examples>>,
}

/// Examples of terms, or reasons why there is none; `None` where the search was not made to its end.
type Examples = HashMap<&'static str, Option<Result<Place, Reason>>>;

/// A picker of all terms, those of a page first; accepting one goes to its example.
pub fn glossary(first: Vec<&'static Term>) -> Picker<Glossary> {
    Picker::new(Glossary { first, examples: Arc::default() })
}

/// Example of a term, or the reason why there is none, which is looked for once; `None` where that takes until the term is chosen.
fn example(
    found: &Mutex<Examples>,
    session: &Session,
    term: &'static Term,
    waits: bool,
) -> Option<Result<Place, Reason>> {
    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
    let known = found.entry(term.term.as_str()).or_insert_with(|| glossary::example_at_once(session, term));
    if known.is_none() && waits {
        *known = Some(glossary::example(session, term));
    }
    known.clone()
}

impl Glossary {
    /// Terms that match `typed`, best first; without a text those of the page, then the others in the order of the glossary.
    fn matching(&self, typed: &str) -> Vec<&'static Term> {
        if typed.trim().is_empty() {
            let is_other = |term: &&Term| self.first.iter().all(|first| !std::ptr::eq(*first, *term));
            return self.first.iter().copied().chain(glossary::terms().iter().filter(is_other)).collect();
        }
        let name = |term: &&'static Term| format!("{} {}", term.term, term.also.join(" "));
        fuzzy::rank(typed, usize::MAX, glossary::terms().iter(), name, |_| 0)
    }
}

impl Choices for Glossary {
    const TITLE: &'static str = "Glossary";
    const HEADLESS: bool = false;
    const DETAILED: bool = true;

    fn size(&self, _: Rect) -> (u16, u16) {
        (100, MEANING)
    }

    fn preview(&self, index: usize, typed: &str, cx: &OverlayContext<'_>) -> Option<Vec<(String, Role)>> {
        let Some(term) = self.matching(typed).get(index).copied() else {
            return Some(vec![("no such term".to_owned(), Role::Dim)]);
        };
        let of_page = typed.trim().is_empty() && index < self.first.len();
        let head = if of_page { format!("{}, on this page: ", term.term) } else { format!("{}: ", term.term) };
        let mut lines = vec![(head + &term.meaning, Role::Text), (term.specified_in.clone(), Role::Comment)];
        match cx.session.map(|session| example(&self.examples, session, term, false)) {
            Some(Some(Err(reason))) => lines.push((reason.text, Role::Mute)),
            // A keystroke does not wait for a search through all of a large file.
            Some(None) => lines.push(("An example is searched for when the term is chosen.".to_owned(), Role::Mute)),
            _ => {}
        }
        lines.retain(|(text, _)| !text.is_empty());
        Some(lines)
    }

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let found = self.matching(typed);
        let (session, examples) = (cx.session.cloned(), Arc::clone(&self.examples));
        let of_page = if typed.trim().is_empty() { self.first.len() } else { 0 };
        let columns = Head::list(["term", "example here", "meaning"]);
        Rows::new(found.len().to_string(), columns, found.len(), move |index| {
            let Some(term) = found.get(index) else { return Row::default() };
            let example = match session.as_deref().map(|session| example(&examples, session, term, false)) {
                Some(Some(Ok(place))) => place.to_string(),
                Some(None) => "…".to_owned(),
                Some(Some(Err(_))) | None => "–".to_owned(),
            };
            let tone = if index < of_page { Tone::Ok } else { Tone::Strong };
            let term_cell = Cell::toned(term.term.clone(), tone);
            Row::plain(vec![term_cell, Cell::toned(example, Tone::Dim), Cell::new(term.meaning.clone())])
        })
    }

    fn accept(&self, index: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let Some((session, term)) = cx.session.zip(self.matching(typed).get(index).copied()) else { return Vec::new() };
        match example(&self.examples, session, term, true) {
            Some(Ok(place)) => vec![Effect::Go(place.into())],
            Some(Err(reason)) => vec![Effect::SetStatus(Tone::Warn, reason.text)],
            None => Vec::new(),
        }
    }
}
