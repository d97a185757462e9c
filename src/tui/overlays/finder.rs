//! Everything with a name, by whatever part of it one remembers.

use std::sync::{Arc, Mutex, PoisonError};

use super::Scene;
use super::picker::{Answers, Picker};
use crate::model::index::Index;
use crate::model::text::count;
use crate::model::{Cell, Head, Row, Rows, Tone};
use crate::tui::app::Effect;
use crate::tui::fuzzy;
use crate::tui::jobs::Job;

/// From this many names on, likeness is judged by the worker; until it is done, names that have the text show.
const MANY: usize = 20_000;
/// How many answers are kept.
const KEPT: usize = 1000;

/// Everything with a name.
pub struct Finder {
    index: Arc<Index>,
    /// What was typed, and the answers to it: the best first.
    found: Arc<Mutex<(String, Vec<u32>)>>,
}

/// A picker of everything in `index`.
pub fn finder(index: Arc<Index>) -> Picker<Finder> {
    let all = (0..index.len().min(KEPT) as u32).collect();
    Picker::new(Finder { index, found: Arc::new(Mutex::new((String::new(), all))) })
}

impl Finder {
    fn found(&self) -> Vec<u32> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    fn keep(&self, typed: &str, found: Vec<u32>) {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = (typed.to_owned(), found);
    }
}

/// The names that have `typed` in them, whatever the case; as many as are kept.
fn containing(index: &Index, typed: &str) -> Vec<u32> {
    let wanted = typed.trim().to_ascii_lowercase();
    let has = |name: &str| {
        let (name, wanted) = (name.as_bytes(), wanted.as_bytes());
        name.windows(wanted.len().max(1)).any(|part| part.eq_ignore_ascii_case(wanted))
    };
    let all = 0..index.len() as u32;
    all.filter(|i| wanted.is_empty() || has(index.name(*i as usize))).take(KEPT).collect()
}

fn alike(index: &Index, typed: &str, stop: &dyn Fn() -> bool) -> Vec<u32> {
    let wanted = (0..index.len() as u32).take_while(|i| i % 1024 != 0 || !stop());
    let mut found = fuzzy::best(typed, wanted, |i| index.name(*i as usize));
    found.truncate(KEPT);
    found
}

impl Answers for Finder {
    fn title(&self) -> &'static str {
        "Find"
    }

    fn rows(&self, _: &str, _: &Scene<'_>) -> Rows<'static> {
        let (index, found) = (Arc::clone(&self.index), self.found());
        let shown =
            if found.len() == KEPT { format!("{KEPT}+ of {}", index.len()) } else { count(found.len() as u64, "name") };
        Rows::new(shown, vec![Head::text(""), Head::text("")], found.len(), move |row| {
            let Some(at) = found.get(row).map(|i| *i as usize) else { return Row::default() };
            let Some(place) = index.place(at) else { return Row::default() };
            Row::at(place, vec![Cell::new(index.name(at)), Cell::toned(place.to_string(), Tone::Dim)])
        })
    }

    fn take(&self, row: usize, _: &str, _: &Scene<'_>) -> Vec<Effect> {
        let place = self.found().get(row).and_then(|i| self.index.place(*i as usize));
        place.map(|place| Effect::Go(place.into())).into_iter().collect()
    }

    fn typed(&mut self, typed: &str, _: &Scene<'_>) -> Vec<Effect> {
        if self.index.len() < MANY || typed.trim().is_empty() {
            self.keep(typed, alike(&self.index, typed, &|| false));
            return Vec::new();
        }
        self.keep(typed, containing(&self.index, typed));
        let (index, found, typed) = (Arc::clone(&self.index), Arc::clone(&self.found), typed.to_owned());
        vec![Effect::Start(Job {
            what: "finding".to_owned(),
            slot: "find",
            work: Box::new(move |ticket| {
                let best = alike(&index, &typed, &|| ticket.cancelled());
                Box::new(move |app| {
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    if found.0 == typed {
                        found.1 = best;
                    }
                    app.dirty = true;
                    Vec::new()
                })
            }),
        })]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Session;

    #[test]
    fn names_are_found_by_a_part_and_by_likeness() {
        let index = Session::sample().index(&|_, _| true);
        let names = |found: Vec<u32>| found.iter().map(|i| index.name(*i as usize).to_owned()).collect::<Vec<_>>();
        assert_eq!(names(containing(&index, "k.sInCe")), ["Ticker.Clock.Since"]);
        assert_eq!(names(alike(&index, "clksince", &|| false)), ["Ticker.Clock.Since"]);
        assert_eq!(containing(&index, "").len(), index.len());
    }
}
