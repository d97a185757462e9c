//! The glossary: every term of the screens, each with an example in the open files.

use crate::learn::glossary::{self, Term};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::tui::overlays::OverlayContext;
use crate::tui::overlays::picker::{Choices, Picker};
use crate::tui::state::effect::Effect;
use crate::tui::ui::fuzzy;
use crate::tui::ui::theme::Role;

/// Lines below the list: the meaning of the selected term, and where it is specified.
const MEANING: u16 = 5;

/// The choices of the glossary.
pub struct Glossary {
    /// Terms of the page that was on the screen: they are the first.
    first: Vec<&'static Term>,
}

/// A picker of all terms, those of a page first; accepting one goes to its example.
pub fn glossary(first: Vec<&'static Term>) -> Picker<Glossary> {
    Picker::new(Glossary { first })
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
    fn title(&self) -> &'static str {
        "Glossary"
    }

    fn size(&self) -> (u16, u16) {
        (100, MEANING)
    }

    fn preview(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Option<Vec<(String, Role)>> {
        let Some(term) = self.matching(typed).get(index).copied() else {
            return Some(vec![("no such term".to_owned(), Role::Dim)]);
        };
        let of_page = typed.trim().is_empty() && index < self.first.len();
        let head = if of_page { format!("{}, on this page: ", term.term) } else { format!("{}: ", term.term) };
        Some(vec![(head + &term.meaning, Role::Text), (term.specified_in.clone(), Role::Comment)])
    }

    fn headless(&self) -> bool {
        false
    }

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let found = self.matching(typed);
        let session = cx.session.cloned();
        let of_page = if typed.trim().is_empty() { self.first.len() } else { 0 };
        let columns = vec![Head::text("term"), Head::text("example here"), Head::text("meaning")];
        Rows::new(found.len().to_string(), columns, found.len(), move |index| {
            let Some(term) = found.get(index) else { return Row::default() };
            let example = session.as_ref().and_then(|session| glossary::example(session, term));
            let example = example.map_or_else(|| "–".to_owned(), |place| place.to_string());
            let tone = if index < of_page { Tone::Ok } else { Tone::Strong };
            let term_cell = Cell::toned(term.term.clone(), tone);
            Row::plain(vec![term_cell, Cell::toned(example, Tone::Dim), Cell::new(term.meaning.clone())])
        })
    }

    fn accept(&self, index: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let Some((session, term)) = cx.session.zip(self.matching(typed).get(index).copied()) else { return Vec::new() };
        match glossary::example(session, term) {
            Some(place) => vec![Effect::Go(place.into())],
            None => vec![Effect::SetStatus(Tone::Warn, format!("nothing in the open files shows {}", term.term))],
        }
    }
}
