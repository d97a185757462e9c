//! The state of the screens as a link, and back: what the page has as its address.

use crate::app::App;
use crate::engine::program::Program;
use crate::overlays::goto;
use crate::panes::player::Learn;
use crate::state::effect::{Command, Effect, Event};
use crate::state::view::View;
use crate::ui::layout::Slot;
use pdblens_learn::Link;
use pdblens_learn::lesson::Page;
use pdblens_learn::lesson::file::{LessonStep, Panel};
use pdblens_nodes::rows::Tone;
use pdblens_session::text::safe::spaced_hex;

/// Steps that Back can take.
pub fn depth(app: &App) -> usize {
    app.stage.navigation.history_len().0
}

/// Takes steps of the history: back where `steps` is negative. Overlays are closed.
pub fn step_history(app: &mut App, steps: i32) -> Vec<Command> {
    app.stage.overlays.clear();
    (0..steps.unsigned_abs()).for_each(|_| app.switcher().go_back(steps < 0));
    app.update(Event::Tick)
}

/// Opens a link, or a place in any form that the prompt takes.
pub fn open(app: &mut App, text: &str) -> Vec<Command> {
    app.stage.overlays.clear();
    let effects = match Link::parse(text) {
        Some(link) => follow(app, &link),
        None => goto::answer(text, &app.stage.overlay_context()),
    };
    let mut out = Vec::new();
    app.apply(effects, &mut out);
    // The panes that are shown now ask for their jobs.
    out.extend(app.update(Event::Tick));
    out
}

/// Opens the page of a lesson that steps line programs side by side.
pub(super) fn open_programs(app: &mut App) -> Vec<Effect> {
    let shows_them = |step: &LessonStep| step.panel == Panel::Programs;
    let found = app.stage.lessons.list.iter().find_map(|lesson| {
        let step = lesson.steps.iter().position(shows_them)?;
        let page = lesson.pages().iter().position(|page| *page == Page::Step(step))?;
        Some(Link::Lesson { key: lesson.key(), page: page + 1 })
    });
    match found {
        Some(link) => follow(app, &link),
        None => vec![Effect::status(Tone::Warn, "no lesson of this list steps line programs")],
    }
}

/// Shows what a link leads to.
pub(super) fn follow(app: &mut App, link: &Link) -> Vec<Effect> {
    match link {
        Link::At { place, step, .. } => {
            let effects = goto::answer(place, &app.stage.overlay_context());
            let Some(selection) = effects.iter().find_map(|effect| match effect {
                Effect::Go(selection) => Some(*selection),
                _ => None,
            }) else {
                return effects;
            };
            if step.is_none() {
                return effects;
            }
            app.stage.show_in(View::Learn, selection);
            app.stage.with_player(Slot::Main(0), Learn::play);
        }
        Link::Bytes { kind, bytes, .. } => {
            app.show_pasted(View::Learn, &format!("{kind} {}", spaced_hex(bytes, usize::MAX)));
        }
        Link::Lesson { key, page } => {
            let Some(index) = app.stage.lessons.list.iter().position(|lesson| lesson.key() == *key) else {
                let keys: Vec<String> = app.stage.lessons.list.iter().map(pdblens_learn::lesson::Lesson::key).collect();
                return vec![Effect::status(
                    Tone::Warn,
                    format!("no lesson {key}: the lessons are {}", keys.join(", ")),
                )];
            };
            app.stage.lessons.update(|progress| progress.visit(key, page - 1));
            app.stage.lessons.set_open(Some(index));
            app.enter_view(View::Learn);
        }
    }
    app.stage.with_player(Slot::Main(0), |player, _| player.select_step(link));
    app.stage.sync_selection();
    Vec::new()
}
