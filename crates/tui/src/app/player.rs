//! Steps for the player: those of an answer, or of the selected record.

use std::sync::Arc;

use crate::app::stage::{Stage, with_all_points};
use crate::panes::player::Learn;
use crate::state::view::View;
use crate::ui::layout::Slot;
use pdblens_learn::Steps;
use pdblens_nodes::rows::Tone;
use pdblens_nodes::{self as nodes, MethodPart, Place};
use pdblens_session::session::Session;

/// Shows the steps of an answer; those of the record where it has none.
pub(super) fn take_chain(stage: &mut Stage, session: &Arc<Session>, steps: Option<Steps>) {
    if !stage.files.opened.is_shown(session) {
        return;
    }
    let Some(steps) = steps.filter(|steps| !steps.list.is_empty()) else { return play_record(stage) };
    if stage.navigation.view() != View::Learn
        && let Some(here) = stage.navigation.selection()
    {
        stage.show_in(View::Learn, here);
    }
    stage.with_player(Slot::Main(0), |player, _| player.play_steps(steps));
    stage.sync_selection();
}

/// Shows the steps of the selected record; those of a point with all of its method, which it counts from.
pub(super) fn play_record(stage: &mut Stage) {
    let Some((session, selected)) = stage.files.session().zip(stage.navigation.selected()) else {
        return;
    };
    let mut selection = selected.selection;
    let is_code = matches!(selection.place, Place::MethodPart(_, MethodPart::Il));
    let is_record = selected.fields.is_ok() || selected.required_index.is_some() || is_code;
    if !is_record {
        // Lists of streams and parts are made from the header of the file.
        let listed = matches!(selection.place, Place::Pages | Place::Streams | Place::Parts);
        if !listed || nodes::fields(session, Place::Header).is_none() {
            let text = "no record is selected: choose a row, and . steps through its bytes";
            return stage.set_status(Tone::Dim, text);
        }
        selection = Place::Header.into();
    }
    stage.show_in(View::Learn, with_all_points(session, selection));
    stage.with_player(Slot::Main(0), Learn::play);
    stage.sync_selection();
}
