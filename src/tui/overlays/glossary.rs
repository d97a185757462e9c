//! The glossary: every term of the screens, each with an example in the open files.

use crate::learn::glossary::{self, Term};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::tui::overlays::OverlayContext;
use crate::tui::overlays::picker::{Choices, Picker};
use crate::tui::state::effect::Effect;
use crate::tui::ui::fuzzy;

/// The choices of the glossary.
pub struct Glossary;

/// A picker of all terms; accepting one goes to its example.
pub fn glossary() -> Picker<Glossary> {
    Picker::new(Glossary)
}

/// Terms that match `typed`, best first; all in the order of the glossary without a text.
fn matching(typed: &str) -> Vec<&'static Term> {
    let name = |term: &&'static Term| format!("{} {}", term.term, term.also.join(" "));
    fuzzy::rank(typed, usize::MAX, glossary::terms().iter(), name, |_| 0)
}

impl Choices for Glossary {
    fn title(&self) -> &'static str {
        "Glossary"
    }

    fn headless(&self) -> bool {
        false
    }

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let found = matching(typed);
        let session = cx.session.cloned();
        let columns = vec![Head::text("term"), Head::text("example here"), Head::text("meaning")];
        Rows::new(found.len().to_string(), columns, found.len(), move |index| {
            let Some(term) = found.get(index) else { return Row::default() };
            let example = session.as_ref().and_then(|session| glossary::example(session, term));
            let example = example.map_or_else(|| "–".to_owned(), |place| place.to_string());
            let term_cell = Cell::toned(term.term.clone(), Tone::Strong);
            Row::plain(vec![term_cell, Cell::toned(example, Tone::Dim), Cell::new(term.meaning.clone())])
        })
    }

    fn accept(&self, index: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let Some((session, term)) = cx.session.zip(matching(typed).get(index).copied()) else { return Vec::new() };
        match glossary::example(session, term) {
            Some(place) => vec![Effect::Go(place.into())],
            None => vec![Effect::SetStatus(Tone::Warn, format!("nothing in the open files shows {}", term.term))],
        }
    }
}
