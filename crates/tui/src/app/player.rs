//! The way into the player: the record of the selection, or the chain of an answer about it.

use std::sync::Arc;

use super::App;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::selection::Selection;
use crate::state::view::View;
use crate::ui::layout::Slot;
use pdblens_learn::Steps;
use pdblens_learn::chain::{self, Asked};
use pdblens_nodes::rows::Tone;
use pdblens_nodes::{self as nodes, MethodPart, PePart, Place};
use pdblens_session::session::Session;

/// Message where nothing can be stepped through.
const NO_RECORD: &str = "no record is selected: choose a row, and . steps through its bytes";

impl App {
    /// Shows the steps of an answer about the selection, else those of the selected record; in the player, leads back.
    pub(super) fn open_player(&mut self) -> Vec<Effect> {
        if self.navigation.view() == View::Learn {
            self.go_back(true);
            return Vec::new();
        }
        let Some((session, asked)) = self.session.clone().zip(self.asked()) else {
            self.play_record();
            return Vec::new();
        };
        let job = Job::new("following the answer", "chain", move |_| {
            let steps = chain::answer(&session, asked);
            Msg::ChainFollowed(session, steps.map(Box::new))
        });
        vec![Effect::Start(job)]
    }

    /// Question that the selection is in its view.
    fn asked(&self) -> Option<Asked> {
        let selected = self.navigation.selected()?;
        let place = selected.selection.place;
        let lines = selected.document.zip(selected.lines);
        match self.navigation.view() {
            View::Overview => (place == Place::Overview).then_some(Asked::SymbolKey),
            View::Pe => (place == Place::PePart(PePart::DebugDirectory)).then_some(Asked::SymbolKey),
            View::Sources => match (place, lines) {
                (Place::Document(row), _) => Some(Asked::Document(row)),
                (_, lines) => lines.map(|(row, lines)| Asked::Line(row, lines.start)),
            },
            View::Trace => place.code_unit().map(|of| Asked::Code(of, selected.code.start)),
            _ => None,
        }
    }

    /// Shows the steps of an answer; those of the record where it has none.
    pub(super) fn take_chain(&mut self, session: &Arc<Session>, steps: Option<Steps>) {
        if !self.is_open(session) {
            return;
        }
        let Some(steps) = steps.filter(|steps| !steps.list.is_empty()) else { return self.play_record() };
        if self.navigation.view() != View::Learn {
            self.enter_player(None);
        }
        self.with_player(Slot::Main(0), |player, _| player.play_steps(steps));
        self.sync_selection();
    }

    /// Shows the steps of the selected record; those of a point with all of its method, which it counts from.
    fn play_record(&mut self) {
        let Some(selected) = self.navigation.selected() else { return };
        let mut selection = selected.selection;
        let is_code = matches!(selection.place, Place::MethodPart(_, MethodPart::Il));
        let is_record = selected.fields.is_ok() || selected.required_index.is_some() || is_code;
        if !is_record {
            // Lists of streams and parts are made from the header of the file.
            let listed = matches!(selection.place, Place::Pages | Place::Streams | Place::Parts);
            let header = self
                .session
                .as_ref()
                .filter(|_| listed)
                .and_then(|session| nodes::fields(session, Place::Header).map(|_| Place::Header));
            let Some(header) = header else { return self.set_status(Tone::Dim, NO_RECORD) };
            selection = header.into();
        }
        self.enter_player(Some(self.with_all_points(selection)));
        self.with_player(Slot::Main(0), |player, cx| player.play(cx));
        self.sync_selection();
    }

    fn enter_player(&mut self, selection: Option<Selection>) {
        self.navigation.push_history(self.session.as_ref());
        self.navigation.take_forward();
        self.navigation.set_view(View::Learn);
        self.layout.reset_zoom();
        self.navigation.set_focus(Slot::Main(0));
        self.update_layout();
        if let Some(selection) = selection.or(self.navigation.selection()) {
            self.show(selection);
        }
    }

    /// A point as a part of all points of its method; any other selection as it is.
    pub(super) fn with_all_points(&self, selection: Selection) -> Selection {
        let Place::MethodPart(method, MethodPart::Point(_)) = selection.place else { return selection };
        let part = selection.part.or_else(|| nodes::bytes(self.session.as_ref()?, selection.place));
        Selection { place: Place::MethodPart(method, MethodPart::Points), part }
    }
}
