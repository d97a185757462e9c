//! Drawing: panes with their rules, overlays, and the key hints at the bottom, which can be clicked. A message takes their place for a
//! while.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Clear, Widget};

use crate::app::files::misses_symbols;
use crate::app::header::{BarItem, Bars};
use crate::app::input::ClickTarget;
use crate::app::registry::OF_BOTH_FILES;
use crate::app::{App, Status, WHICH_KEY_DELAY};
use crate::engine::action::Action;
use crate::engine::key;
use crate::engine::keymap::{LIST, PLAYER, PREFIXES, PROMPT};
use crate::overlays::which_key;
use crate::panes::pane::{Context, Player};
use crate::state::view::{PaneId, View};
use crate::ui::frame;
use crate::ui::layout::{PlacedPane, Slot};
use crate::ui::text::{put, put_note, put_right, width, wrap};
use crate::ui::theme::Role;
use pdblens_nodes::rows::Tone;
use pdblens_session::precompiled::has_code;

/// The digit that leads back to the lesson that is taken.
pub(super) const LESSON: Action = Action::View(View::Learn.number());
/// Actions in the key hints, most important first.
const HINTS: [Action; 24] = [
    LESSON,
    Action::Predict,
    Action::WhatIf,
    Action::Handout,
    Action::NextBit,
    Action::HideAnswers,
    Action::Restart,
    Action::Follow,
    Action::NextPane,
    Action::MachineCode,
    Action::Symbols,
    Action::Compare,
    Action::GoTo,
    Action::Find,
    Action::Sort,
    Action::Quit,
    Action::Explain,
    Action::CopyValue,
    Action::Zoom,
    Action::Palette,
    Action::Back,
    Action::Filter,
    Action::NextPoint,
    Action::Editor,
];
/// Maximum number of rows of a status.
const MAX_STATUS: usize = 3;

/// Actions in the order in which they are given room: a learner's first question is what the selected thing is.
fn order(learns: bool) -> impl Iterator<Item = Action> {
    let is_first = move |action: &Action| learns && matches!(*action, LESSON | Action::Explain);
    let first = [LESSON, Action::Explain].into_iter().filter(is_first);
    first.chain(HINTS.into_iter().filter(move |action| !is_first(action)))
}

struct Hint {
    keys: String,
    what: String,
    click: Option<ClickTarget>,
}

impl App {
    fn bars(&self) -> Bars<'_> {
        Bars {
            files: &self.files,
            navigation: &self.navigation,
            layout: &self.layout,
            lessons: &self.lessons,
            look: self.look(true),
        }
    }

    pub(super) fn draw_screen(&self, buf: &mut Buffer) -> Option<Position> {
        let area = buf.area;
        buf.set_style(area, self.theme.of(Role::Text));
        // The size has changed, and its event is still to come.
        if area.is_empty() || area.as_size() != self.layout.size() {
            return None;
        }
        if self.layout.areas().too_small {
            put(buf, 0, 0, area.right(), "20x5 needed", self.theme.of(Role::Text), &self.glyphs);
            return None;
        }
        self.draw_bar(buf, self.layout.areas().header, &self.bars().header());
        self.draw_bar(buf, self.layout.areas().crumbs, &self.bars().breadcrumb());
        frame::lines(buf, self.layout.areas(), self.navigation.focus(), &self.theme, &self.glyphs);
        let mut cursor = self.draw_panes(buf);
        self.draw_hints(buf);
        for (index, overlay) in self.overlays.iter().enumerate() {
            let top = index + 1 == self.overlays.len();
            let at = overlay.draw(area, buf, &self.overlay_context());
            cursor = if top { at } else { cursor };
        }
        if !self.pending.is_empty() && self.now >= self.pending_since + WHICH_KEY_DELAY {
            which_key::draw(&self.pending, self.place(), buf, &self.overlay_context());
        }
        cursor.filter(|at| area.contains(*at))
    }

    /// The pane that the next Tab leads to, where it has no room beside the one with the focus.
    fn unplaced_pane(&self) -> Option<PaneId> {
        let slots = &self.layout.areas().slots;
        let at = slots.iter().position(|slot| *slot == self.navigation.focus())?;
        let slot = slots.get((at + 1) % slots.len())?;
        let is_placed = self.layout.areas().panes.iter().any(|placed| placed.slot == *slot);
        let is_alone = self.player_in(self.navigation.focus()).is_some_and(Player::is_alone);
        if is_placed || is_alone || self.layout.is_zoomed() { None } else { self.navigation.pane_in(*slot) }
    }

    /// Adds to the title of the pane with the focus the one that the next Tab leads to, where it is not shown. Bytes have a title with
    /// their fields already.
    fn announce_next(&self, title: &mut frame::Title, slot: Slot, cx: &Context<'_>) {
        let own = slot == self.navigation.focus() && !matches!(slot, Slot::Bytes | Slot::Fields);
        if own && let Some(pane) = self.unplaced_pane() {
            let name = self.panes[pane as usize].title(cx).name;
            let parts = [title.position.as_str(), &name, &self.key_of(Action::NextPane)];
            parts.join(" ").trim_start().clone_into(&mut title.position);
        }
    }

    fn draw_panes(&self, buf: &mut Buffer) -> Option<Position> {
        let Some(unfocused) = self.context(false) else {
            self.draw_opening(buf);
            return None;
        };
        let mut cursor = None;
        for placed in &self.layout.areas().panes {
            let Some(pane) = self.navigation.pane_in(placed.slot) else { continue };
            let focused = placed.slot == self.navigation.focus();
            let look = self.look(focused && self.overlays.is_empty());
            self.draw_rule(buf, placed, pane, &Context { look, ..unfocused });
            let cx = Context { look: self.look(focused), ..unfocused };
            let at = self.panes[pane as usize].draw(placed.body, buf, &cx);
            if focused {
                cursor = at.or(Some(placed.body.as_position()));
            }
            if let Some(text) = self.panes[pane as usize].ability().list().and_then(Self::no_match_text) {
                let body = placed.body;
                let above = u16::from(body.height > 1);
                let below = Rect { y: body.y + above, height: body.height - above, ..body };
                put_note(buf, below, &text, &self.look(false));
            }
        }
        cursor
    }

    /// Draws the rule of a pane with its title. Bytes and fields may share a rule, which the bytes draw.
    fn draw_rule(&self, buf: &mut Buffer, placed: &PlacedPane, pane: PaneId, cx: &Context<'_>) {
        let (slot, rule, focus) = (placed.slot, placed.rule, self.navigation.focus());
        let is_shared = self.layout.areas().panes.iter().any(|other| other.rule == rule && other.slot != slot);
        if is_shared && slot == Slot::Fields {
            return;
        }
        let mut title = self.panes[pane as usize].title(cx);
        if cx.session.pdb_match().is_mismatch() && OF_BOTH_FILES.contains(&pane) {
            title.warning = format!("{} mismatched pair", self.glyphs.bad);
        }
        let filter = |pane: PaneId| self.panes.get(pane as usize)?.ability().list()?.list_filter().filter.as_ref();
        let mut filtered = filter(pane);
        if is_shared && let Some(fields) = self.navigation.pane_in(Slot::Fields) {
            let key = if focus == Slot::Fields { String::new() } else { self.key_of(Action::NextPane) };
            let both = [self.panes[fields as usize].title(cx).name, key].join(" ");
            let taken = width(&title.name) + width(&title.of) + width(&both) + 10;
            let place = frame::shortened(&title.position, usize::from(rule.width).saturating_sub(taken), &self.glyphs);
            let space = if title.of.is_empty() || place.is_empty() { "" } else { " " };
            title.of = [title.of.as_str(), place].join(space);
            title.position = both;
            filtered = filtered.or_else(|| filter(fields));
        }
        self.announce_next(&mut title, slot, cx);
        if let Some(filter) = filtered {
            title.filter = format!("& {}", filter.query.text);
            title.position = filter.count_text(self.glyphs.more);
        }
        let in_focus = slot == focus || is_shared && focus == Slot::Fields;
        frame::title(buf, rule, &title, in_focus, &self.theme, &self.glyphs);
    }

    fn draw_opening(&self, buf: &mut Buffer) {
        for placed in &self.layout.areas().panes {
            let Some(pane) = self.navigation.pane_in(placed.slot) else { continue };
            let name = pane.def().name;
            let (title, focused) = (frame::Title::new(name), placed.slot == self.navigation.focus());
            frame::title(buf, placed.rule, &title, focused, &self.theme, &self.glyphs);
            if focused {
                let text = format!("opening {} {}", self.files.label(), self.glyphs.more);
                let body = placed.body;
                put(buf, body.x + 2, body.y, body.right(), &text, self.theme.of(Role::Dim), &self.glyphs);
            }
        }
    }

    fn draw_bar(&self, buf: &mut Buffer, line: Rect, parts: &[BarItem]) {
        if line.is_empty() {
            return;
        }
        if line.y == 0 {
            buf.set_style(line, self.theme.of(Role::Bar));
        }
        for (x, text, style, _) in parts {
            put(buf, *x, line.y, line.right(), text, *style, &self.glyphs);
        }
    }

    pub(super) fn click_targets(&self) -> Vec<(Rect, ClickTarget)> {
        let of = |line: Rect, parts: Vec<BarItem>| {
            let click_targets = move |(x, text, _, click_targets): BarItem| {
                Some((Rect { x, width: width(&text) as u16, ..line }, click_targets?))
            };
            parts.into_iter().filter_map(click_targets)
        };
        let bars = of(self.layout.areas().header, self.bars().header())
            .chain(of(self.layout.areas().crumbs, self.bars().breadcrumb()));
        bars.chain(self.hint_targets()).collect()
    }

    /// The clickable areas of the hints, while they show.
    fn hint_targets(&self) -> Vec<(Rect, ClickTarget)> {
        let line = self.layout.areas().hints;
        let idle = self.status.is_none()
            && self.count.is_none()
            && self.jobs.progress(self.now, self.glyphs.spinner).is_none();
        if !idle || line.width < 50 {
            return Vec::new();
        }
        let mut x = line.x + 1;
        let room = line.right().saturating_sub(1).saturating_sub(x);
        let mut targets = Vec::new();
        for hint in self.hints(room as usize) {
            let wide = (width(&hint.keys) + width(&hint.what) + 1) as u16;
            targets.extend(hint.click.map(|target| (Rect { x, width: wide, ..line }, target)));
            x += wide + 3;
        }
        targets
    }

    pub(super) fn key_of(&self, action: Action) -> String {
        let keys = self.keymap.keys_of(action, self.place()).unwrap_or_default();
        key::display(keys, self.glyphs.ascii)
    }

    /// Draws the bottom line: key hints, or for a while the status.
    fn draw_hints(&self, buf: &mut Buffer) {
        let (line, theme) = (self.layout.areas().hints, &self.theme);
        if line.is_empty() {
            return;
        }
        buf.set_style(line, theme.of(Role::Bar));
        let (mut x, mut end) = (line.x + 1, line.right().saturating_sub(1));
        if let Some(progress) = self.jobs.progress(self.now, self.glyphs.spinner) {
            let text = format!("{progress}   {} stop", self.key_of(Action::Cancel));
            let start = put_right(buf, x, line.y, end, &text, theme.of(Role::Warn), &self.glyphs);
            end = start.saturating_sub(2);
        }
        if !self.mouse && line.width >= 80 && end + 30 > line.right() {
            let text = format!("{} takes the mouse", self.key_of(Action::Mouse));
            end = put_right(buf, x, line.y, end, &text, theme.of(Role::Warn), &self.glyphs).saturating_sub(2);
        }
        if let Some(count) = self.count {
            let text = format!("{count} times {}", self.glyphs.more);
            put(buf, x, line.y, end, &text, theme.of(Role::Text), &self.glyphs);
            return;
        }
        if let Some(status) = &self.status {
            self.draw_status(buf, status, (x, end));
            return;
        }
        if line.width < 50 {
            let text = format!("{} keys", self.key_of(Action::Help));
            put(buf, x, line.y, end, &text, theme.of(Role::Dim), &self.glyphs);
            return;
        }
        for Hint { keys, what, .. } in self.hints(end.saturating_sub(x) as usize) {
            x = put(buf, x, line.y, end, &keys, theme.of(Role::Strong), &self.glyphs) + 1;
            x = put(buf, x, line.y, end, &what, theme.of(Role::Dim), &self.glyphs) + 3;
        }
    }

    /// Draws the status in the cells from `x` to `end`. A longer one is wrapped, and covers the rows above while it shows.
    fn draw_status(&self, buf: &mut Buffer, status: &Status, (x, end): (u16, u16)) {
        let (line, theme) = (self.layout.areas().hints, &self.theme);
        let style = match status.tone {
            Tone::Dim | Tone::Text => theme.of(Role::Text),
            tone => theme.tone(tone),
        };
        let room = usize::from(end.saturating_sub(x));
        let is_long = width(&status.text) > room;
        let mut lines = if is_long { wrap(&status.text, room) } else { vec![status.text.clone()] };
        let most = MAX_STATUS.min(usize::from(line.y) / 4 + 1);
        if lines.len() > most {
            // The rest is in the last row, which is cut if it is too long.
            let rest = lines.split_off(most - 1).join(" ");
            lines.push(rest);
        }
        let above = lines.len().saturating_sub(1) as u16;
        let covered = Rect { y: line.y - above, height: above, ..line };
        Clear.render(covered, buf);
        buf.set_style(covered, theme.of(Role::Bar));
        for (y, text) in (covered.y..).zip(&lines) {
            put(buf, x, y, end, text, style, &self.glyphs);
        }
    }

    /// Returns true if an action does something in the focused pane.
    fn offers(&self, action: Action) -> bool {
        match self.player_in(self.navigation.focus()) {
            Some(player) => player.offers(action),
            None => action != Action::Sort || self.facts(self.navigation.focus()).is_some_and(|facts| facts.sorts),
        }
    }

    fn typing_hints(&self) -> Vec<Hint> {
        let own = self.player_in(self.navigation.focus()).map_or(&[][..], Player::typing_hints);
        if !own.is_empty() {
            return self.prompt_hints(own, false);
        }
        let keys = format!("{} {}", self.key_of(Action::Down), self.key_of(Action::Up));
        let mut hints = self.prompt_hints(&[(Action::Accept, "check"), (Action::Complete, "hint")], false);
        hints.push(Hint { keys, what: "next and back, while empty".to_owned(), click: None });
        hints.extend(self.prompt_hints(&[(Action::Cancel, "stop typing")], false));
        hints
    }

    fn prompt_hints(&self, actions: &[(Action, &str)], can_be_clicked: bool) -> Vec<Hint> {
        let scope = if self.is_typing() { PROMPT } else { self.place() };
        let hint = |(action, what): &(Action, &str)| {
            let keys = key::display(self.keymap.keys_of(*action, scope)?, self.glyphs.ascii);
            let click = can_be_clicked.then_some(ClickTarget::Do(*action));
            Some(Hint { keys, what: (*what).to_owned(), click })
        };
        actions.iter().filter_map(hint).collect()
    }

    pub(super) fn lesson_name(&self) -> String {
        let number = self.lessons.current().map(|lesson| lesson.number).filter(|number| *number > 0);
        number.map_or_else(|| "lesson".to_owned(), |number| format!("lesson {number}"))
    }

    /// Returns whether an action is of use for what is selected.
    fn helps(&self, action: Action) -> bool {
        match action {
            Action::Symbols => self.files.session().is_some_and(|session| misses_symbols(session)),
            Action::View(_) => {
                self.lessons.open().is_some() && (self.navigation.view() != View::Learn || self.offers(action))
            }
            Action::Restart
            | Action::HideAnswers
            | Action::Predict
            | Action::NextBit
            | Action::WhatIf
            | Action::Handout => self.place() == PLAYER && self.offers(action),
            Action::Sort => self.offers(Action::Sort),
            Action::MachineCode => {
                self.navigation.view() == View::Methods && self.files.session().is_some_and(|session| has_code(session))
            }
            Action::Compare => self.navigation.view() == View::Compare,
            Action::Back => self.navigation.history_len().0 > 0,
            Action::Editor => self.navigation.selected().is_some_and(|selected| selected.document.is_some()),
            Action::NextPoint => self.navigation.selected().is_some_and(|selected| selected.point.is_some()),
            _ => true,
        }
    }

    /// The hints that have room, whole.
    fn fitting(mut hints: Vec<Hint>, room: usize) -> Vec<Hint> {
        // The last hint has no gap after it.
        let mut left = room + 3;
        hints.retain(|hint| {
            let rest = left.checked_sub(width(&hint.keys) + width(&hint.what) + 4);
            left = rest.unwrap_or(left);
            rest.is_some()
        });
        hints
    }

    /// The hints that fit into `room`: movement, the actions, and help.
    fn hints(&self, room: usize) -> Vec<Hint> {
        match self.overlays.last() {
            None if self.is_typing() => return self.typing_hints(),
            // Characters are typed there: a key of the panes would be text.
            Some(overlay) if overlay.takes_text() || overlay.keymap_name() == LIST => {
                return Self::fitting(self.prompt_hints(overlay.hints(), true), room);
            }
            _ => {}
        }
        let item = self.navigation.pane_in(self.navigation.focus()).map_or("row", |pane| pane.def().item);
        let player = self.player_in(self.navigation.focus());
        let (up, down) = (self.key_of(Action::Up), self.key_of(Action::Down));
        // The player continues with a key that has a name.
        let moves = if self.place() == PLAYER { format!("{down} {up}") } else { format!("{up}{down}") };
        let what = Action::Help.def().map_or("", |def| def.short).to_owned();
        let help = Hint { keys: self.key_of(Action::Help), what, click: Some(ClickTarget::Do(Action::Help)) };
        let own_item = match player {
            Some(player) => player.hint(Action::Down),
            None => self.facts(self.navigation.focus()).and_then(|facts| facts.item),
        };
        let item = own_item.unwrap_or(item);
        let wide = |hint: &Hint| width(&hint.keys) + width(&hint.what) + 4;
        let mut hints = vec![Hint { keys: moves, what: item.to_owned(), click: None }];
        // The last hint has no gap after it.
        let mut left = (room + 3).saturating_sub(wide(&help) + wide(&hints[0]));
        for action in order(self.place() == PLAYER).filter(|action| self.helps(*action)) {
            let Some(keys) = self.keymap.keys_of(action, self.place()) else { continue };
            let first = key::display(keys.get(..1).unwrap_or(keys), self.glyphs.ascii);
            let group = PREFIXES.iter().find(|(prefix, _)| keys.len() > 1 && *prefix == first);
            let short = || player.and_then(|player| player.hint(action)).or(action.def().map(|def| def.short));
            let what = match action {
                Action::View(_) => self.lesson_name(),
                _ => group.map_or_else(|| short().unwrap_or(""), |(_, name)| name).to_owned(),
            };
            // The first key of a group opens the list of the others.
            let click = if group.is_some() { keys.first().map(|key| ClickTarget::Press(*key)) } else { None };
            let click = click.or(Some(ClickTarget::Do(action)));
            let keys = if group.is_some() { first } else { key::display(keys, self.glyphs.ascii) };
            let hint = Hint { keys, what, click };
            if wide(&hint) > left {
                continue;
            }
            left -= wide(&hint);
            hints.push(hint);
        }
        hints.push(help);
        hints
    }
}
