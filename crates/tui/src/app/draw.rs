//! Drawing: panes with their rules, overlays, and the key hints at the bottom, which can be clicked. A message is drawn above them until
//! the next key.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Clear, Widget};

use crate::app::files::misses_symbols;
use crate::app::header::{BarItem, Bars};
use crate::app::input::ClickTarget;
use crate::app::navigation::Navigation;
use crate::app::registry::OF_BOTH_FILES;
use crate::app::{App, Status};
use crate::engine::action::Action;
use crate::engine::keymap::{LIST, PLAYER, PROMPT};
use crate::overlays::help::HelpLine;
use crate::overlays::menu::{Menu, MenuItem};
use crate::panes::pane::Context;
use crate::panes::player::Learn;
use crate::state::key_list::{GENERAL, keys_of_row};
use crate::state::page;
use crate::state::texts::TextState;
use crate::state::thing::{Offer, Thing};
use crate::state::view::{PaneId, View};
use crate::ui::frame;
use crate::ui::layout::{PlacedPane, Slot};
use crate::ui::text::{put, put_note, put_right, width, wrap};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::Place;
use pdblens_nodes::rows::Tone;
use pdblens_nodes::used_by::can_be_used;
use pdblens_session::precompiled::has_code;

/// The digit that leads back to the lesson that is taken.
pub(super) const LESSON: Action = Action::View(View::Learn.number());
/// Maximum number of rows of a status.
const MAX_STATUS: usize = 3;

/// Actions that keep their room whatever the thing is.
const LASTING: [Action; 2] = [Action::GoTo, Action::Menu];

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
            subject: self.facts(Slot::Main(0)).and_then(|facts| facts.subject),
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
        self.draw_cursor_line(buf, cursor);
        self.draw_hints(buf);
        for (index, overlay) in self.overlays.iter().enumerate() {
            let top = index + 1 == self.overlays.len();
            let at = overlay.draw(area, buf, &self.overlay_context());
            cursor = if top { at } else { cursor };
        }
        if let Some(status) = &self.status {
            self.draw_message(buf, status);
        }
        cursor.filter(|at| area.contains(*at))
    }

    /// The pane that the next Tab leads to, where it has no room beside the one with the focus.
    fn unplaced_pane(&self) -> Option<PaneId> {
        let slots = &self.layout.areas().slots;
        let at = slots.iter().position(|slot| *slot == self.navigation.focus())?;
        let slot = slots.get((at + 1) % slots.len())?;
        let is_placed = self.layout.areas().panes.iter().any(|placed| placed.slot == *slot);
        let is_alone = self.player_in(self.navigation.focus()).is_some_and(Learn::is_alone);
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
            let line = cursor_line(self).filter(|_| focused).map_or(0, |line| usize::from(line.width));
            let cx = Context { look: Look { line, ..self.look(focused) }, ..unfocused };
            let at = self.panes[pane as usize].draw(placed.body, buf, &cx);
            if focused {
                cursor = at.or(Some(placed.body.as_position()));
            }
            if let Some(text) = self.panes[pane as usize].list().and_then(Self::no_match_text) {
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
        let filter = |pane: PaneId| self.panes.get(pane as usize)?.list()?.grid().list_filter.filter.as_ref();
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
        if self.jobs.progress(self.now, self.glyphs.spinner).is_some() || line.width < 50 {
            return Vec::new();
        }
        let mut x = line.x + 1;
        let room = line.right() - 1 - x;
        let mut targets = Vec::new();
        for hint in self.hints(room as usize) {
            let wide = (width(&hint.keys) + width(&hint.what) + 1) as u16;
            targets.extend(hint.click.map(|target| (Rect { x, width: wide, ..line }, target)));
            x += wide + 3;
        }
        targets
    }

    pub(super) fn key_of(&self, action: Action) -> String {
        self.keymap.keys_of(action, self.place()).map_or_else(String::new, |key| key.display(self.glyphs.ascii))
    }

    /// Draws the bottom line: key hints.
    fn draw_hints(&self, buf: &mut Buffer) {
        let (line, theme) = (self.layout.areas().hints, &self.theme);
        if line.is_empty() {
            return;
        }
        buf.set_style(line, theme.of(Role::Bar));
        let (mut x, mut end) = (line.x + 1, line.right() - 1);
        if let Some(progress) = self.jobs.progress(self.now, self.glyphs.spinner) {
            let text = format!("{progress}   {} stop", self.key_of(Action::Cancel));
            let start = put_right(buf, x, line.y, end, &text, theme.of(Role::Warn), &self.glyphs);
            end = start.saturating_sub(2);
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

    /// Draws the full text of the row under the cursor instead of the line of bytes, where the row is cut. `at` is the cursor.
    fn draw_cursor_line(&self, buf: &mut Buffer, at: Option<Position>) {
        let focused = self.layout.areas().pane(self.navigation.focus());
        let (Some(at), Some(focused), Some(line)) = (at, focused, cursor_line(self)) else { return };
        let is_cut = (focused.body.x..focused.body.right())
            .any(|x| buf.cell((x, at.y)).is_some_and(|cell| cell.symbol() == self.glyphs.more));
        let text = self.text_of_row().unwrap_or_default();
        // The bytes of a fact say nothing.
        let is_summary = self.navigation.view() == View::Summary;
        if !is_summary && (!is_cut || text.is_empty()) {
            return;
        }
        let text = if is_cut { text } else { String::new() };
        Clear.render(line, buf);
        buf.set_style(line, self.theme.of(Role::Text));
        put(buf, line.x + 1, line.y, line.right(), &text, self.theme.of(Role::Text), &self.glyphs);
    }

    /// Cells of the row under the cursor of the focused list.
    pub(super) fn text_of_row(&self) -> Option<String> {
        let cx = self.context(true)?;
        let pane = self.panes.get(self.navigation.pane_in(self.navigation.focus())? as usize)?;
        let list = pane.list()?;
        let row = list.drawn(&cx)?.get(list.grid().row()?)?;
        let cells = row.cells.iter().flat_map(|cell| [cell.text.trim(), cell.beside.trim()]);
        Some(cells.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("  "))
    }

    /// Draws a message above the hints, on as many rows as it needs.
    fn draw_message(&self, buf: &mut Buffer, status: &Status) {
        let (line, theme) = (self.layout.areas().hints, &self.theme);
        if line.is_empty() {
            return;
        }
        let style = match status.tone {
            Tone::Dim | Tone::Text => theme.of(Role::Text),
            tone => theme.tone(tone),
        };
        let (x, end) = (line.x + 1, line.right() - 1);
        let room = usize::from(end.saturating_sub(x));
        let is_long = width(&status.text) > room;
        let mut lines = if is_long { wrap(&status.text, room) } else { vec![status.text.clone()] };
        let most = MAX_STATUS.min(usize::from(line.y) / 4 + 1);
        if lines.len() > most {
            // The rest is in the last row, which is cut if it is too long.
            let rest = lines.split_off(most - 1).join(" ");
            lines.push(rest);
        }
        let above = (lines.len() as u16).min(line.y);
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
            None => action != Action::Sort || self.slot_to_sort().is_some(),
        }
    }

    /// The slot whose list is sorted: the focused one, else the functions beside it.
    pub(super) fn slot_to_sort(&self) -> Option<Slot> {
        let is_code = self.navigation.view() == View::Methods;
        let slots = [Some(self.navigation.focus()), is_code.then_some(Slot::Nav)];
        slots.into_iter().flatten().find(|slot| self.facts(*slot).is_some_and(|facts| facts.sorts))
    }

    fn typing_hints(&self) -> Vec<Hint> {
        let own = self.player_in(self.navigation.focus()).map_or(&[][..], Learn::typing_hints);
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
            let keys = self.keymap.keys_of(*action, scope)?.display(self.glyphs.ascii);
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
        let selected = self.navigation.selected();
        let is_row = matches!(thing(&self.navigation), Thing::Frame | Thing::Change | Thing::User);
        let needs_row = matches!(
            action,
            Action::Follow
                | Action::Right
                | Action::Filter
                | Action::Sort
                | Action::Order
                | Action::Copy
                | Action::UsedBy
        );
        let pane = self.navigation.pane_in(self.navigation.focus()).and_then(|pane| self.panes.get(pane as usize));
        let list = pane.and_then(|pane| pane.list());
        if is_row && needs_row && list.is_some_and(|list| list.grid().row().is_none()) {
            return false;
        }
        match action {
            // A source that previews a row has lines, and no cell of the row.
            Action::Follow if self.place() == "source" && thing(&self.navigation) == Thing::Row => false,
            _ if self.in_page && page::unavailable(action).is_some() => false,
            Action::Symbols => {
                let text = self.navigation.document().and_then(|document| self.files.texts().get(document));
                self.navigation.view() == View::Trace
                    || matches!(text, Some(TextState::NotFound(_)))
                    || self.files.session().is_some_and(|session| misses_symbols(session))
            }
            Action::ReadAgain => self.threads.is_some() && self.navigation.view() == View::Trace,
            Action::Restart | Action::HideAnswers => self.place() == PLAYER && self.offers(action),
            Action::Right | Action::WhatIf if self.place() == PLAYER => self.offers(action),
            Action::WhatIf => selected.is_some_and(|selected| selected.fields.is_ok()),
            Action::Learn => selected.is_some_and(|selected| selected.fields.is_ok() || selected.point.is_some()),
            Action::UsedBy => {
                let here = self.files.session().zip(selected);
                here.is_some_and(|(session, selected)| can_be_used(session, selected.selection.place))
            }
            Action::FetchSource if self.navigation.view() == View::Summary => {
                self.facts(Slot::Top).is_some_and(|facts| facts.fetches)
            }
            Action::FetchSource => {
                let text = self.navigation.document().and_then(|document| self.files.texts().get(document));
                matches!(text, Some(TextState::NotFound(search)) if search.url.is_some())
            }
            Action::Parent => selected.is_some_and(|selected| selected.selection.place.parent().is_some()),
            Action::Order => {
                matches!(
                    self.navigation.view(),
                    View::Methods | View::Sources | View::UsedBy | View::File | View::Compare
                )
            }
            Action::Sort => self.offers(Action::Sort),
            Action::MachineCode => {
                self.navigation.view() == View::Methods && self.files.session().is_some_and(|session| has_code(session))
            }
            Action::Compare => self.place() != PLAYER || self.navigation.view() == View::Compare,
            Action::Back => self.navigation.history_len().0 > 0,
            Action::Forward => self.navigation.history_len().1 > 0,
            Action::CloseFile => self.files.opened.is_several(),
            Action::NextMatch | Action::PreviousMatch => self.search.has_text(),
            Action::Editor => {
                let line = self.facts(self.navigation.focus()).and_then(|facts| facts.source_line);
                line.is_some() || self.selected_line().is_ok()
            }
            Action::NextPoint => {
                let has_point = self.navigation.selected().is_some_and(|selected| selected.point.is_some());
                has_point || thing(&self.navigation) == Thing::Change
            }
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

    /// Actions for the hints, most useful first: those of the thing under the cursor.
    fn offers_here(&self) -> Vec<Offer> {
        let general = [Action::Back, Action::NextPane, Action::Find, Action::Zoom].map(|action| (action, ""));
        let is_left = self.lessons.open().is_some() && (self.navigation.view() != View::Learn || self.offers(LESSON));
        let lesson = is_left.then_some((LESSON, ""));
        let all = lesson.into_iter().chain(thing(&self.navigation).offers().iter().copied()).chain(general);
        all.filter(|(action, _)| !LASTING.contains(action) && self.helps(*action)).collect()
    }

    /// Hint of an action; `words` replace its usual ones.
    fn hint_of(&self, action: Action, words: &str) -> Option<Hint> {
        let keys = self.keymap.keys_of(action, self.place())?.display(self.glyphs.ascii);
        let own = self.player_in(self.navigation.focus()).and_then(|player| player.hint(action));
        let usual = || action.def().map_or("", |def| def.short);
        let what = match (action, own) {
            (Action::View(_), _) => self.lesson_name(),
            (_, Some(own)) => own.to_owned(),
            _ if !words.is_empty() => words.to_owned(),
            _ => usual().to_owned(),
        };
        Some(Hint { keys, what, click: Some(ClickTarget::Do(action)) })
    }

    /// Opens the menu of the thing under the cursor.
    pub(super) fn open_menu(&mut self) {
        let thing = thing(&self.navigation);
        let item = |(action, words): &Offer| {
            let of_page = page::unavailable(*action).filter(|_| self.in_page);
            let refusal = if self.helps(*action) { None } else { Some(of_page.unwrap_or(refusal(*action)).to_owned()) };
            MenuItem { action: *action, words, refusal }
        };
        let items = thing.offers().iter().map(item).collect();
        self.open_overlay(Menu { title: thing.name().to_owned(), scope: "", items, chosen: 0 });
    }

    /// The keys that work here: those of the thing under the cursor, then those that are of no kind of thing.
    pub(super) fn help_lines(&self) -> Vec<HelpLine> {
        let thing = thing(&self.navigation);
        let offers: Vec<&Offer> = thing.offers().iter().filter(|(action, _)| self.helps(*action)).collect();
        let of_thing = offers.iter().map(|(action, words)| {
            let help = action.def().map_or("", |def| def.help);
            HelpLine {
                keys: self.key_of(*action),
                help: format!("{}: {words} · {help}", thing.name()),
                action: *action,
            }
        });
        let is_new = |action: &Action| self.helps(*action) && offers.iter().all(|(offered, _)| offered != action);
        let general = GENERAL.iter().filter_map(|(actions, help)| {
            let here: Vec<Action> = actions.iter().copied().filter(|action| is_new(action)).collect();
            let keys = keys_of_row(&here, |action| self.key_of(action));
            Some(HelpLine { keys, help: (*help).to_owned(), action: *here.first()? })
        });
        let browser = page::lines().filter(|_| self.in_page);
        let browser = browser.map(|(keys, help, action)| {
            let keys = if keys.is_empty() { self.key_of(action) } else { keys.to_owned() };
            HelpLine { keys, help: help.to_owned(), action }
        });
        of_thing.chain(general).chain(browser).collect()
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

/// The line of bytes, which shows the full text of the row under the cursor where that is cut. Frames have their details below them.
fn cursor_line(app: &App) -> Option<Rect> {
    let is_there = app.navigation.view() != View::Trace && app.layout.is_folded(&app.navigation);
    app.layout.areas().pane(Slot::Bytes).filter(|_| is_there && !app.glyphs.ascii).map(|placed| placed.rule)
}

/// Thing under the cursor.
fn thing(navigation: &Navigation) -> Thing {
    let place = navigation.selection().map_or(Place::Overview, |here| here.place);
    Thing::of(navigation.pane_in(navigation.focus()), place)
}
