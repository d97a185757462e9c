//! The finder: everything that has a name, by fuzzy matching.

use crate::nodes;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::query::search::Index;
use crate::text::safe::count;
use crate::tui::overlays::OverlayContext;
use crate::tui::overlays::picker::{Choices, Picker};
use crate::tui::state::effect::Effect;
use crate::tui::state::message::{Job, Msg};
use crate::tui::ui::fuzzy;

/// Number of names from which ranking is a job; until it is done, names that contain the text are shown.
const ASYNC_LIMIT: usize = 20_000;
const MAX_RESULTS: usize = 1000;

/// The names, once they are collected.
pub type Names = Arc<OnceLock<Index>>;

/// The choices of the finder.
pub struct Finder {
    names: Names,
    answer: Arc<Mutex<Answer>>,
}

/// The result for a text among a number of names, best first.
#[derive(Default)]
struct Answer {
    typed: String,
    among: usize,
    found: Arc<[u32]>,
    /// True if the matches are ranked; else they only contain the text.
    is_ranked: bool,
}

/// A picker of all names.
pub fn finder(names: Names) -> Picker<Finder> {
    Picker::new(Finder { names, answer: Arc::default() })
}

impl Finder {
    /// The result for a text: the known one, or one that is quickly computed.
    fn results(&self, typed: &str) -> Arc<[u32]> {
        let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(index) = self.names.get() else { return Arc::default() };
        if answer.typed != typed || answer.among != index.len() {
            let few = index.len() < ASYNC_LIMIT || typed.trim().is_empty();
            let found = if few { rank_names(index, typed, &|| false) } else { index.containing(typed, MAX_RESULTS) };
            *answer = Answer { typed: typed.to_owned(), among: index.len(), found: found.into(), is_ranked: few };
        }
        Arc::clone(&answer.found)
    }
}

/// Names that match `typed`, best first; `stop` is polled for cancellation.
pub fn rank_names(index: &Index, typed: &str, stop: &dyn Fn() -> bool) -> Vec<u32> {
    let wanted = (0..index.len() as u32).take_while(|i| i % 1024 != 0 || !stop());
    let mut found = fuzzy::rank(typed, MAX_RESULTS, wanted, |i| index.name(*i as usize), |i| index.rank(*i as usize));
    found.truncate(MAX_RESULTS);
    found
}

impl Choices for Finder {
    fn title(&self) -> &'static str {
        "Find"
    }

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let session = cx.session.map(Arc::clone);
        let (names, found) = (Arc::clone(&self.names), self.results(typed));
        let all = names.get().map_or(0, Index::len);
        let shown = match found.len() {
            _ if names.get().is_none() => String::new(),
            MAX_RESULTS => format!("{MAX_RESULTS}+ of {all}"),
            few => count(few as u64, "name"),
        };
        Rows::new(shown, vec![Head::text(""), Head::text(""), Head::text("")], found.len(), move |row| {
            let at = found.get(row).map(|index| *index as usize);
            let Some((index, at)) = names.get().zip(at) else { return Row::default() };
            let Some(place) = index.place(at) else { return Row::default() };
            let about = session.as_ref().map_or_else(String::new, |session| nodes::context(session, place));
            let kind = Cell::toned(index.kind(at), Tone::Dim);
            Row::at(place, vec![Cell::new(index.name(at)), kind, Cell::toned(about, Tone::Dim)])
        })
    }

    fn match_positions(&self, typed: &str, column: usize, text: &str) -> Vec<usize> {
        if column == 0 { fuzzy::match_positions(typed, text) } else { Vec::new() }
    }

    fn accept(&self, row: usize, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        let at = self.results(typed).get(row).copied();
        let place = self.names.get().zip(at).and_then(|(index, at)| index.place(at as usize));
        place.map(|place| Effect::Go(place.into())).into_iter().collect()
    }

    fn pending(&self) -> Option<&'static str> {
        self.names.get().is_none().then_some("collecting names")
    }

    fn query_changed(&mut self, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        self.results(typed);
        let is_ranked = self.answer.lock().unwrap_or_else(PoisonError::into_inner).is_ranked;
        if is_ranked || self.names.get().is_none() {
            return Vec::new();
        }
        let (names, answer, typed) = (Arc::clone(&self.names), Arc::clone(&self.answer), typed.to_owned());
        vec![Effect::Start(Job::new("finding", "find", move |token| {
            let is_ranked =
                names.get().map(|index| rank_names(index, &typed, &|| token.is_cancelled())).unwrap_or_default();
            let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
            if answer.typed == typed && !token.is_cancelled() {
                (answer.found, answer.is_ranked) = (is_ranked.into(), true);
            }
            Msg::OverlayReady
        }))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    #[test]
    fn names_are_found_by_a_part_and_by_likeness() {
        let index = Index::build(&Session::sample(), &|_, _| true);
        let names = |found: Vec<u32>| found.iter().map(|i| index.name(*i as usize).to_owned()).collect::<Vec<_>>();
        assert_eq!(names(index.containing("k.sInCe", MAX_RESULTS)), ["Ticker.Clock.Since"]);
        assert_eq!(names(rank_names(&index, "clksince", &|| false)), ["Ticker.Clock.Since"]);
        assert_eq!(names(rank_names(&index, "since clock", &|| false)), ["Ticker.Clock.Since"]);
        // Of equal matches, a method precedes a parameter.
        assert_eq!(names(rank_names(&index, "args", &|| false))[0], "args");
        assert_eq!(rank_names(&index, "", &|| false).len(), index.len());
    }
}
