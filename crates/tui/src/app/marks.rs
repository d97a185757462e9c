//! Marks: letters that lead back to a selection, in whichever files it is.

use std::sync::Arc;

use super::App;
use super::history::HistoryEntry;
use crate::app::registry::VIEWS;
use crate::overlays::marks::MarkPrompt;
use crate::state::breadcrumb::breadcrumb;
use crate::state::effect::Effect;
use pdblens_nodes::rows::Tone;

impl App {
    /// Asks for the letter of a mark.
    pub(super) fn ask_for_mark(&mut self, sets: bool) {
        let label = |entry: &HistoryEntry| {
            let steps = breadcrumb(&entry.session, entry.selection.place, VIEWS);
            let steps: Vec<String> = steps.into_iter().map(|(step, _)| step).collect();
            steps.join(&format!(" {} ", self.glyphs.step))
        };
        let marks = self.marks.iter().map(|(letter, entry)| (*letter, label(entry))).collect();
        self.open_overlay(MarkPrompt::new(sets, marks));
    }

    /// Marks the selection with a letter, or goes to what the letter marks.
    pub(super) fn take_mark(&mut self, sets: bool, letter: char) -> Vec<Effect> {
        if sets {
            if let Some(entry) = self.history_entry() {
                self.marks.insert(letter, entry);
                self.set_status(Tone::Text, format!("marked {letter}"));
            }
            return Vec::new();
        }
        let here = self.history_entry();
        match self.marks.get(&letter).cloned() {
            // The history gets no step to where one is.
            Some(entry) if here.is_some_and(|here| here.is_same_step(&entry)) => {
                self.set_focus(entry.focus);
                Vec::new()
            }
            Some(entry) if self.is_open(&entry.session) => vec![Effect::Go(entry.selection)],
            Some(entry) => vec![Effect::Visit(Arc::clone(&entry.session), entry.selection)],
            None => vec![Effect::SetStatus(Tone::Dim, format!("there is no mark {letter}"))],
        }
    }
}
