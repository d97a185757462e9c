//! Hints: what can be done with the thing under the cursor, for the line of keys, the menu and the help.

use crate::app::files::misses_symbols;
use crate::app::input::ClickTarget;
use crate::app::navigation::Navigation;
use crate::app::stage::LESSON;
use crate::app::stage::Stage;
use crate::engine::action::Action;
use crate::engine::keymap::{LIST, PLAYER, PROMPT};
use crate::overlays::help::HelpLine;
use crate::overlays::menu::MenuItem;
use crate::panes::pane::Pane;
use crate::panes::player::Learn;
use crate::state::key_list::{GENERAL, keys_of_row};
use crate::state::page;
use crate::state::texts::TextState;
use crate::state::thing::{Offer, Thing};
use crate::state::view::View;
use crate::ui::layout::Slot;
use crate::ui::text::width;
use pdblens_nodes::Place;
use pdblens_nodes::used_by::can_be_used;
use pdblens_session::precompiled::has_code;

/// Offers for the thing under the cursor, most useful first.
pub(super) struct Hints<'a> {
    pub(super) stage: &'a Stage,
    pub(super) in_page: bool,
    /// True if there is a search to repeat.
    pub(super) searches: bool,
    /// True if there are threads of a process to read again.
    pub(super) has_threads: bool,
}

/// Actions that keep their room whatever the thing is.
const LASTING: [Action; 2] = [Action::GoTo, Action::Menu];

pub(super) struct Hint {
    pub(super) keys: String,
    pub(super) what: String,
    pub(super) click: Option<ClickTarget>,
}

impl Hints<'_> {
    /// The items of the menu of the thing under the cursor; what does nothing here has its reason.
    pub(super) fn menu(&self) -> Vec<MenuItem> {
        let item = |(action, words): &Offer| {
            let of_page = page::unavailable(*action).filter(|_| self.in_page);
            let refusal = if self.helps(*action) { None } else { Some(of_page.unwrap_or(refusal(*action)).to_owned()) };
            MenuItem { action: *action, words, refusal }
        };
        thing(&self.stage.navigation).offers().iter().map(item).collect()
    }

    /// Returns true if an action does something in the focused pane.
    fn offers(&self, action: Action) -> bool {
        match self.stage.player_in(self.stage.navigation.focus()) {
            Some(player) => player.offers(action),
            None => action != Action::Sort || self.stage.slot_to_sort().is_some(),
        }
    }

    fn typing_hints(&self) -> Vec<Hint> {
        let own = self.stage.player_in(self.stage.navigation.focus()).map_or(&[][..], Learn::typing_hints);
        if !own.is_empty() {
            return self.prompt_hints(own, false);
        }
        let keys = format!("{} {}", self.stage.key_of(Action::Down), self.stage.key_of(Action::Up));
        let mut hints = self.prompt_hints(&[(Action::Accept, "check"), (Action::Complete, "hint")], false);
        hints.push(Hint { keys, what: "next and back, while empty".to_owned(), click: None });
        hints.extend(self.prompt_hints(&[(Action::Cancel, "stop typing")], false));
        hints
    }

    fn prompt_hints(&self, actions: &[(Action, &str)], can_be_clicked: bool) -> Vec<Hint> {
        let scope = if self.stage.is_typing() { PROMPT } else { self.stage.place() };
        let hint = |(action, what): &(Action, &str)| {
            let keys = self.stage.keymap.keys_of(*action, scope)?.display(self.stage.glyphs.ascii);
            let click = can_be_clicked.then_some(ClickTarget::Do(*action));
            Some(Hint { keys, what: (*what).to_owned(), click })
        };
        actions.iter().filter_map(hint).collect()
    }

    /// Returns whether an action is of use for what is selected.
    fn helps(&self, action: Action) -> bool {
        let selected = self.stage.navigation.selected();
        let is_row = matches!(thing(&self.stage.navigation), Thing::Frame | Thing::Change | Thing::User);
        let needs_row = matches!(
            action,
            Action::Follow
                | Action::Right
                | Action::Filter
                | Action::Sort
                | Action::NextPoint
                | Action::Order
                | Action::Copy
                | Action::UsedBy
        );
        let list = self.stage.pane_in(self.stage.navigation.focus()).and_then(<dyn Pane>::list);
        if is_row && needs_row && list.is_some_and(|list| list.grid().row().is_none()) {
            return false;
        }
        match action {
            // A source that previews a row has lines, and no cell of the row.
            Action::Follow if self.stage.place() == "source" && thing(&self.stage.navigation) == Thing::Row => false,
            _ if self.in_page && page::unavailable(action).is_some() => false,
            Action::Symbols => {
                let text = self.stage.navigation.document().and_then(|document| self.stage.files.texts().get(document));
                self.stage.navigation.view() == View::Trace
                    || matches!(text, Some(TextState::NotFound(_)))
                    || self.stage.files.session().is_some_and(|session| misses_symbols(session))
            }
            Action::ReadAgain => self.has_threads && self.stage.navigation.view() == View::Trace,
            Action::Restart | Action::HideAnswers => self.stage.place() == PLAYER && self.offers(action),
            Action::Right | Action::WhatIf if self.stage.place() == PLAYER => self.offers(action),
            Action::WhatIf => selected.is_some_and(|selected| selected.fields.is_ok()),
            Action::Learn => selected.is_some_and(|selected| selected.fields.is_ok() || selected.point.is_some()),
            Action::UsedBy => {
                let here = self.stage.files.session().zip(selected);
                here.is_some_and(|(session, selected)| can_be_used(session, selected.selection.place))
            }
            Action::FetchSource if self.stage.navigation.view() == View::Summary => {
                self.stage.facts(Slot::Top).is_some_and(|facts| facts.fetches)
            }
            Action::FetchSource => {
                let text = self.stage.navigation.document().and_then(|document| self.stage.files.texts().get(document));
                matches!(text, Some(TextState::NotFound(search)) if search.url.is_some())
            }
            Action::Parent => selected.is_some_and(|selected| selected.selection.place.parent().is_some()),
            Action::Order => {
                matches!(
                    self.stage.navigation.view(),
                    View::Methods | View::Sources | View::UsedBy | View::File | View::Compare
                )
            }
            Action::Sort => self.offers(Action::Sort),
            Action::MachineCode => {
                self.stage.navigation.view() == View::Methods
                    && self.stage.files.session().is_some_and(|session| has_code(session))
            }
            Action::Compare => self.stage.place() != PLAYER || self.stage.navigation.view() == View::Compare,
            Action::Back => self.stage.navigation.history_len().0 > 0,
            Action::Forward => self.stage.navigation.history_len().1 > 0,
            Action::CloseFile => self.stage.files.opened.is_several(),
            Action::NextMatch | Action::PreviousMatch => self.searches,
            Action::Editor => {
                let line = self.stage.facts(self.stage.navigation.focus()).and_then(|facts| facts.source_line);
                line.is_some() || self.stage.selected_line().is_ok()
            }
            Action::NextPoint => {
                let has_point = self.stage.navigation.selected().is_some_and(|selected| selected.point.is_some());
                has_point || thing(&self.stage.navigation) == Thing::Change
            }
            _ => true,
        }
    }

    /// The hints that have room, whole.
    fn cut(mut hints: Vec<Hint>, room: usize) -> Vec<Hint> {
        // The last hint has no gap after it.
        let mut left = room + 3;
        hints.retain(|hint| {
            let rest = left.checked_sub(width(&hint.keys) + width(&hint.what) + 4);
            left = rest.unwrap_or(left);
            rest.is_some()
        });
        hints
    }

    /// Actions for the hints, most useful first: those of the thing under the cursor.
    fn offers_here(&self) -> Vec<Offer> {
        let general = [Action::Back, Action::NextPane, Action::Find, Action::Zoom].map(|action| (action, ""));
        let is_left =
            self.stage.lessons.open().is_some() && (self.stage.navigation.view() != View::Learn || self.offers(LESSON));
        let lesson = is_left.then_some((LESSON, ""));
        let all = lesson.into_iter().chain(thing(&self.stage.navigation).offers().iter().copied()).chain(general);
        all.filter(|(action, _)| !LASTING.contains(action) && self.helps(*action)).collect()
    }

    /// Hint of an action; `words` replace its usual ones.
    fn hint_of(&self, action: Action, words: &str) -> Option<Hint> {
        let keys = self.stage.keymap.keys_of(action, self.stage.place())?.display(self.stage.glyphs.ascii);
        let own = self.stage.player_in(self.stage.navigation.focus()).and_then(|player| player.hint(action));
        let usual = || action.def().map_or("", |def| def.short);
        let what = match (action, own) {
            (Action::View(_), _) => self.stage.lessons.name(),
            (_, Some(own)) => own.to_owned(),
            _ if !words.is_empty() => words.to_owned(),
            _ => usual().to_owned(),
        };
        Some(Hint { keys, what, click: Some(ClickTarget::Do(action)) })
    }

    /// The keys that work here: those of the thing under the cursor, then those that are of no kind of thing.
    pub(super) fn help_lines(&self) -> Vec<HelpLine> {
        let thing = thing(&self.stage.navigation);
        let offers: Vec<&Offer> = thing.offers().iter().filter(|(action, _)| self.helps(*action)).collect();
        let of_thing = offers.iter().map(|(action, words)| {
            let help = action.def().map_or("", |def| def.help);
            HelpLine {
                keys: self.stage.key_of(*action),
                help: format!("{}: {words} · {help}", thing.name()),
                action: *action,
            }
        });
        let is_new = |action: &Action| self.helps(*action) && offers.iter().all(|(offered, _)| offered != action);
        let general = GENERAL.iter().filter_map(|(actions, help)| {
            let here: Vec<Action> = actions.iter().copied().filter(|action| is_new(action)).collect();
            let keys = keys_of_row(&here, |action| self.stage.key_of(action));
            Some(HelpLine { keys, help: (*help).to_owned(), action: *here.first()? })
        });
        let browser = page::lines().filter(|_| self.in_page);
        let browser = browser.map(|(keys, help, action)| {
            let keys = if keys.is_empty() { self.stage.key_of(action) } else { keys.to_owned() };
            HelpLine { keys, help: help.to_owned(), action }
        });
        of_thing.chain(general).chain(browser).collect()
    }

    /// The hints that fit into `room`: movement, the actions, and help.
    pub(super) fn in_room(&self, room: usize) -> Vec<Hint> {
        match self.stage.overlays.last() {
            None if self.stage.is_typing() => return self.typing_hints(),
            // Characters are typed there: a key of the panes would be text.
            Some(overlay) if overlay.takes_text() || overlay.keymap_name() == LIST => {
                return Self::cut(self.prompt_hints(overlay.hints(), true), room);
            }
            _ => {}
        }
        let item = self.stage.navigation.focused().map_or("row", |pane| pane.def().item);
        let player = self.stage.player_in(self.stage.navigation.focus());
        let (up, down) = (self.stage.key_of(Action::Up), self.stage.key_of(Action::Down));
        // The player continues with a key that has a name.
        let moves = if self.stage.place() == PLAYER { format!("{down} {up}") } else { format!("{up}{down}") };
        let what = Action::Help.def().map_or("", |def| def.short).to_owned();
        let help = Hint { keys: self.stage.key_of(Action::Help), what, click: Some(ClickTarget::Do(Action::Help)) };
        let own_item = match player {
            Some(player) => player.hint(Action::Down),
            None => self.stage.facts(self.stage.navigation.focus()).and_then(|facts| facts.item),
        };
        let item = own_item.unwrap_or(item);
        let wide = |hint: &Hint| width(&hint.keys) + width(&hint.what) + 4;
        let mut hints = vec![Hint { keys: moves, what: item.to_owned(), click: None }];
        // The last hint has no gap after it.
        let mut left = (room + 3).saturating_sub(wide(&help) + wide(&hints[0]));
        let lasting: Vec<Hint> = LASTING.into_iter().filter_map(|action| self.hint_of(action, "")).collect();
        left = left.saturating_sub(lasting.iter().map(wide).sum());
        for (action, words) in self.offers_here() {
            let Some(hint) = self.hint_of(action, words).filter(|hint| wide(hint) <= left) else { continue };
            left -= wide(&hint);
            hints.push(hint);
        }
        // Those that are the same everywhere keep the right end.
        if let Some(gap) = left.checked_sub(4) {
            hints.push(Hint { keys: String::new(), what: " ".repeat(gap), click: None });
        }
        hints.extend(lasting);
        hints.push(help);
        hints
    }
}

/// The reason why an action does nothing here.
const fn refusal(action: Action) -> &'static str {
    match action {
        Action::MachineCode => "no machine code: no recording, and the image is not ReadyToRun",
        Action::Editor => "no source file of this machine is selected",
        Action::UsedBy => "nothing can refer to this",
        Action::FetchSource => "the source is here, or the PDB has no URL for it",
        Action::Learn | Action::WhatIf => "no record with bytes is selected",
        Action::Symbols => "no symbols are missing",
        Action::Parent => "already at the top level",
        Action::Sort => "no list to sort",
        Action::NextPoint => "no sequence point is selected",
        _ => "does nothing here",
    }
}

/// Thing under the cursor.
pub(super) fn thing(navigation: &Navigation) -> Thing {
    let place = navigation.selection().map_or(Place::Overview, |here| here.place);
    Thing::of(navigation.focused(), place)
}
