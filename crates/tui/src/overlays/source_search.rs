//! Search for a text in all sources, in the statements of those that are not at hand, and in string literals.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ratatui::layout::Rect;

use crate::engine::action::Action;
use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::Paths;
use crate::ui::theme::Role;
use pdblens_nodes::rows::Rows;
use pdblens_query::search::{FoundLines, find_lines};
use pdblens_session::text::paths::file_name;

/// Minimum length of a text that is searched for.
const MIN_LETTERS: usize = 2;

pub struct SourceSearch {
    paths: Arc<Paths>,
    /// The text that was searched for last, and its lines once the search is done.
    asked: String,
    found: Arc<Mutex<Option<FoundLines>>>,
}

pub fn source_search(paths: Arc<Paths>) -> Picker<SourceSearch> {
    Picker::new(SourceSearch { paths, asked: String::new(), found: Arc::default() })
}

impl SourceSearch {
    fn found(&self) -> MutexGuard<'_, Option<FoundLines>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Choices for SourceSearch {
    const TITLE: &'static str = "Find in all sources, statements and literals";
    const HEADLESS: bool = false;

    fn rows(&self, _typed: &str, _: &OverlayContext<'_>) -> Rows<'static> {
        // The details have the path of the document.
        self.found().clone().unwrap_or_default().rows().changed(|row| {
            if let Some(document) = row.cells.first_mut() {
                document.text = file_name(&document.text).to_owned();
            }
        })
    }

    fn accept(&self, index: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let place = self.rows(typed, cx).get(index).and_then(|row| row.place);
        place.map(|place| Effect::Go(place.into())).into_iter().collect()
    }

    fn query_changed(&mut self, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let Some(session) = cx.session.map(Arc::clone) else { return Vec::new() };
        if typed == self.asked {
            return Vec::new();
        }
        typed.clone_into(&mut self.asked);
        // The job of an earlier text keeps its own inbox.
        self.found = Arc::default();
        if typed.chars().count() < MIN_LETTERS {
            return Vec::new();
        }
        let (paths, found, typed) = (Arc::clone(&self.paths), Arc::clone(&self.found), typed.to_owned());
        vec![Effect::Start(Job::new(format!("searching the sources for {typed}"), "source search", move |token| {
            let lines = find_lines(&session, &paths.sources, &typed, true, &|done, all| {
                token.report(done, all);
                !token.is_cancelled()
            });
            *found.lock().unwrap_or_else(PoisonError::into_inner) = Some(lines);
            Msg::OverlayReady
        }))]
    }

    fn pending(&self) -> Option<&'static str> {
        (self.asked.chars().count() >= MIN_LETTERS && self.found().is_none()).then_some("searching")
    }

    fn match_positions(&self, typed: &str, column: usize, text: &str) -> Vec<usize> {
        let lower = text.to_ascii_lowercase();
        let hit = if column == 2 { lower.find(&typed.to_ascii_lowercase()) } else { None };
        let from = hit.map_or(0, |at| lower[..at].chars().count());
        if hit.is_some() { (from..from + typed.chars().count()).collect() } else { Vec::new() }
    }

    fn empty_text(&self, _typed: &str) -> String {
        let is_asked = self.asked.chars().count() >= MIN_LETTERS;
        if is_asked { "no line has it" } else { "type two letters or more" }.to_owned()
    }

    fn size(&self, _: Rect) -> (u16, u16) {
        (u16::MAX, 2)
    }

    fn preview(&self, index: usize, _typed: &str, cx: &OverlayContext<'_>) -> Option<Vec<(String, Role)>> {
        let keys = |action| cx.keys(action, "");
        let found = self.found().clone().unwrap_or_default();
        let Some(row) = found.rows().get(index) else {
            let (fetch, folder) = (keys(Action::FetchSource), keys(Action::Symbols));
            let tip = format!(
                "Of sources that are not here, the statements from IL are searched: {fetch} fetches, {folder} says where to look."
            );
            return Some(vec![(tip, Role::Dim)]);
        };
        let cells = row.cells.iter().take(2).map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(":");
        Some(vec![(cells, Role::Ok)])
    }
}
