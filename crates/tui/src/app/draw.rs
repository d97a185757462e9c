//! Drawing: panes with their rules, overlays, and the key hints at the bottom, which can be clicked. A message is drawn above them until
//! the next key.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Clear, Widget};

use crate::app::App;
use crate::app::header::{BarItem, Bars};
use crate::app::hints::{Hint, Hints, thing};
use crate::app::input::ClickTarget;
use crate::app::registry::OF_BOTH_FILES;
use crate::app::search::no_match_text;
use crate::app::stage::{Stage, Status};
use crate::engine::action::Action;
use crate::overlays::menu::Menu;
use crate::panes::pane::Context;
use crate::panes::player::Learn;
use crate::state::view::{PaneId, View};
use crate::ui::card;
use crate::ui::frame;
use crate::ui::grid::leaves_out;
use crate::ui::layout::{PlacedPane, Slot};
use crate::ui::text::{put, put_note, put_right, width, wrap};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::rows::Tone;

/// Maximum number of rows of a status.
const MAX_STATUS: usize = 3;

/// Draws the stage, with the hints for it and the progress of a job.
pub(super) struct Painter<'a> {
    stage: &'a Stage,
    hints: Hints<'a>,
    progress: Option<String>,
}

impl App {
    /// Opens the menu of the thing under the cursor.
    pub(super) fn open_menu(&mut self) {
        let (title, items) = (thing(&self.stage.navigation).name().to_owned(), self.hints().menu());
        self.stage.open_overlay(Menu { title, scope: "", items, chosen: 0 });
    }

    pub(super) fn hints(&self) -> Hints<'_> {
        let (searches, has_threads) = (self.search.has_text(), self.threads.is_some());
        Hints { stage: &self.stage, in_page: self.in_page, searches, has_threads }
    }

    pub(super) fn painter(&self) -> Painter<'_> {
        let progress = self.jobs.progress(self.now, self.stage.glyphs.spinner);
        Painter { stage: &self.stage, hints: self.hints(), progress }
    }
}

impl Painter<'_> {
    fn bars(&self) -> Bars<'_> {
        Bars {
            files: &self.stage.files,
            navigation: &self.stage.navigation,
            layout: &self.stage.layout,
            lessons: &self.stage.lessons,
            subject: self.stage.facts(Slot::Main(0)).and_then(|facts| facts.subject),
            look: self.stage.look(true),
        }
    }

    pub(super) fn draw_screen(&self, buf: &mut Buffer) -> Option<Position> {
        let area = buf.area;
        buf.set_style(area, self.stage.theme.of(Role::Text));
        // The size has changed, and its event is still to come.
        if area.is_empty() || area.as_size() != self.stage.layout.size() {
            return None;
        }
        if self.stage.layout.areas().too_small {
            put(buf, 0, 0, area.right(), "20x5 needed", self.stage.theme.of(Role::Text), &self.stage.glyphs);
            return None;
        }
        self.draw_bar(buf, self.stage.layout.areas().header, &self.bars().header());
        self.draw_bar(buf, self.stage.layout.areas().crumbs, &self.bars().breadcrumb());
        frame::lines(
            buf,
            self.stage.layout.areas(),
            self.stage.navigation.focus(),
            &self.stage.theme,
            &self.stage.glyphs,
        );
        self.draw_card(buf);
        let mut cursor = self.draw_panes(buf);
        self.draw_cursor_line(buf, cursor);
        self.draw_hints(buf);
        for (index, overlay) in self.stage.overlays.iter().enumerate() {
            let top = index + 1 == self.stage.overlays.len();
            let at = overlay.draw(area, buf, &self.stage.overlay_context());
            cursor = if top { at } else { cursor };
        }
        if let Some(status) = &self.stage.status {
            self.draw_message(buf, status);
        }
        cursor.filter(|at| area.contains(*at))
    }

    /// The pane that the next Tab leads to, where it has no room beside the one with the focus.
    fn unplaced_pane(&self) -> Option<PaneId> {
        let slots = &self.stage.layout.areas().slots;
        let at = slots.iter().position(|slot| *slot == self.stage.navigation.focus())?;
        let slot = slots.get((at + 1) % slots.len())?;
        let is_placed = self.stage.layout.areas().panes.iter().any(|placed| placed.slot == *slot);
        let is_alone = self.stage.player_in(self.stage.navigation.focus()).is_some_and(Learn::is_alone);
        if is_placed || is_alone || self.stage.layout.is_zoomed() { None } else { self.stage.navigation.pane_in(*slot) }
    }

    /// Adds to the title of the pane with the focus the one that the next Tab leads to, where it is not shown. Bytes have a title with
    /// their fields already.
    fn announce_next(&self, title: &mut frame::Title, slot: Slot, cx: &Context<'_>) {
        let own = slot == self.stage.navigation.focus() && !matches!(slot, Slot::Bytes | Slot::Fields);
        if own && let Some(pane) = self.unplaced_pane() {
            let name = self.stage.panes[pane as usize].title(cx).name;
            let parts = [title.position.as_str(), &name, &self.stage.key_of(Action::NextPane)];
            parts.join(" ").trim_start().clone_into(&mut title.position);
        }
    }

    fn draw_card(&self, buf: &mut Buffer) {
        let (area, facts) = (self.stage.layout.areas().card, self.stage.facts(Slot::Main(0)).unwrap_or_default());
        let roles = std::iter::once(Role::Strong).chain(std::iter::repeat(Role::Dim));
        let lines = card::lines(&facts.card, area.width);
        let lines: Vec<(&str, Role)> = lines.iter().map(String::as_str).zip(roles).collect();
        card::draw(buf, area, (Role::Related, "", Role::Text), &lines, &self.stage.look(false));
    }

    fn draw_panes(&self, buf: &mut Buffer) -> Option<Position> {
        let Some(unfocused) = self.stage.context(false) else {
            self.draw_opening(buf);
            return None;
        };
        let mut cursor = None;
        for placed in &self.stage.layout.areas().panes {
            let Some(pane) = self.stage.navigation.pane_in(placed.slot) else { continue };
            let focused = placed.slot == self.stage.navigation.focus();
            let look = self.stage.look(focused && self.stage.overlays.is_empty());
            self.draw_rule(buf, placed, pane, &Context { look, ..unfocused });
            let line = cursor_line(self.stage).filter(|_| focused);
            let line = line.map_or(0, |line| usize::from(line.width.saturating_sub(1)));
            let cx = Context { look: Look { line, ..self.stage.look(focused) }, ..unfocused };
            let at = self.stage.panes[pane as usize].draw(placed.body, buf, &cx);
            if focused {
                cursor = at.or(Some(placed.body.as_position()));
            }
            if let Some(text) = self.stage.panes[pane as usize].list().and_then(no_match_text) {
                let body = placed.body;
                let above = u16::from(body.height > 1);
                let below = Rect { y: body.y + above, height: body.height - above, ..body };
                put_note(buf, below, &text, &self.stage.look(false));
            }
        }
        cursor
    }

    /// Draws the rule of a pane with its title. Bytes and fields may share a rule, which the bytes draw.
    fn draw_rule(&self, buf: &mut Buffer, placed: &PlacedPane, pane: PaneId, cx: &Context<'_>) {
        let (slot, rule, focus) = (placed.slot, placed.rule, self.stage.navigation.focus());
        let is_shared = self.stage.layout.areas().panes.iter().any(|other| other.rule == rule && other.slot != slot);
        if is_shared && slot == Slot::Fields {
            return;
        }
        let mut title = self.stage.panes[pane as usize].title(cx);
        if cx.session.pdb_match().is_mismatch() && OF_BOTH_FILES.contains(&pane) {
            title.warning = format!("{} mismatched pair", self.stage.glyphs.bad);
        }
        let filter = |pane: PaneId| self.stage.panes.get(pane as usize)?.list()?.grid().list_filter.filter.as_ref();
        let mut filtered = filter(pane);
        if is_shared && let Some(fields) = self.stage.navigation.pane_in(Slot::Fields) {
            let key = if focus == Slot::Fields { String::new() } else { self.stage.key_of(Action::NextPane) };
            let both = [self.stage.panes[fields as usize].title(cx).name, key].join(" ");
            let taken = width(&title.name) + width(&title.of) + width(&both) + 10;
            let place =
                frame::shortened(&title.position, usize::from(rule.width).saturating_sub(taken), &self.stage.glyphs);
            let space = if title.of.is_empty() || place.is_empty() { "" } else { " " };
            title.of = [title.of.as_str(), place].join(space);
            title.position = both;
            filtered = filtered.or_else(|| filter(fields));
        }
        self.announce_next(&mut title, slot, cx);
        if let Some(filter) = filtered {
            title.filter = format!("& {}", filter.query.text);
            title.position = filter.count_text(self.stage.glyphs.more);
        }
        let in_focus = slot == focus || is_shared && focus == Slot::Fields;
        frame::title(buf, rule, &title, in_focus, &self.stage.theme, &self.stage.glyphs);
    }

    fn draw_opening(&self, buf: &mut Buffer) {
        for placed in &self.stage.layout.areas().panes {
            let Some(pane) = self.stage.navigation.pane_in(placed.slot) else { continue };
            let name = pane.def().name;
            let (title, focused) = (frame::Title::new(name), placed.slot == self.stage.navigation.focus());
            frame::title(buf, placed.rule, &title, focused, &self.stage.theme, &self.stage.glyphs);
            if focused {
                let text = format!("opening {} {}", self.stage.files.label(), self.stage.glyphs.more);
                let body = placed.body;
                put(buf, body.x + 2, body.y, body.right(), &text, self.stage.theme.of(Role::Dim), &self.stage.glyphs);
            }
        }
    }

    fn draw_bar(&self, buf: &mut Buffer, line: Rect, parts: &[BarItem]) {
        if line.is_empty() {
            return;
        }
        if line.y == 0 {
            buf.set_style(line, self.stage.theme.of(Role::Bar));
        }
        for (x, text, style, _) in parts {
            put(buf, *x, line.y, line.right(), text, *style, &self.stage.glyphs);
        }
    }

    pub(super) fn click_targets(&self) -> Vec<(Rect, ClickTarget)> {
        let of = |line: Rect, parts: Vec<BarItem>| {
            let click_targets = move |(x, text, _, click_targets): BarItem| {
                Some((Rect { x, width: width(&text) as u16, ..line }, click_targets?))
            };
            parts.into_iter().filter_map(click_targets)
        };
        let bars = of(self.stage.layout.areas().header, self.bars().header())
            .chain(of(self.stage.layout.areas().crumbs, self.bars().breadcrumb()));
        bars.chain(self.hint_targets()).collect()
    }

    /// The clickable areas of the hints, while they show.
    fn hint_targets(&self) -> Vec<(Rect, ClickTarget)> {
        let line = self.stage.layout.areas().hints;
        if self.progress.is_some() || line.width < 50 {
            return Vec::new();
        }
        let mut x = line.x + 1;
        let room = line.right() - 1 - x;
        let mut targets = Vec::new();
        for hint in self.hints.in_room(room as usize) {
            let wide = (width(&hint.keys) + width(&hint.what) + 1) as u16;
            targets.extend(hint.click.map(|target| (Rect { x, width: wide, ..line }, target)));
            x += wide + 3;
        }
        targets
    }

    /// Draws the bottom line: key hints.
    fn draw_hints(&self, buf: &mut Buffer) {
        let (line, theme) = (self.stage.layout.areas().hints, &self.stage.theme);
        if line.is_empty() {
            return;
        }
        buf.set_style(line, theme.of(Role::Bar));
        let (mut x, mut end) = (line.x + 1, line.right() - 1);
        if let Some(progress) = &self.progress {
            let text = format!("{progress}   {} stop", self.stage.key_of(Action::Cancel));
            let start = put_right(buf, x, line.y, end, &text, theme.of(Role::Warn), &self.stage.glyphs);
            end = start.saturating_sub(2);
        }
        if line.width < 50 {
            let text = format!("{} keys", self.stage.key_of(Action::Help));
            put(buf, x, line.y, end, &text, theme.of(Role::Dim), &self.stage.glyphs);
            return;
        }
        for Hint { keys, what, .. } in self.hints.in_room(end.saturating_sub(x) as usize) {
            x = put(buf, x, line.y, end, &keys, theme.of(Role::Strong), &self.stage.glyphs) + 1;
            x = put(buf, x, line.y, end, &what, theme.of(Role::Dim), &self.stage.glyphs) + 3;
        }
    }

    /// Draws the full text of the row under the cursor instead of the line of bytes, where the row is cut. `at` is the cursor.
    fn draw_cursor_line(&self, buf: &mut Buffer, at: Option<Position>) {
        let focused = self.stage.layout.areas().pane(self.stage.navigation.focus());
        let (Some(at), Some(focused), Some(line)) = (at, focused, cursor_line(self.stage)) else { return };
        let is_cut = (focused.body.x..focused.body.right())
            .any(|x| buf.cell((x, at.y)).is_some_and(|cell| cell.symbol() == self.stage.glyphs.more));
        // A text that is longer than the line is beside its row.
        let room = usize::from(line.width.saturating_sub(1));
        let is_line = is_cut || leaves_out(buf, focused.body, &self.stage.look(true));
        let text = || self.stage.text_of_row(focused.body, (is_cut, room));
        let text = if is_line { text().unwrap_or_default() } else { String::new() };
        // The bytes of a fact say nothing.
        let is_summary = self.stage.navigation.view() == View::Summary;
        if !is_summary && text.is_empty() {
            return;
        }
        Clear.render(line, buf);
        buf.set_style(line, self.stage.theme.of(Role::Text));
        put(buf, line.x + 1, line.y, line.right(), &text, self.stage.theme.of(Role::Text), &self.stage.glyphs);
    }

    /// Draws a message above the hints, on as many rows as it needs.
    fn draw_message(&self, buf: &mut Buffer, status: &Status) {
        let (line, theme) = (self.stage.layout.areas().hints, &self.stage.theme);
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
            put(buf, x, y, end, text, style, &self.stage.glyphs);
        }
    }
}

/// The line of bytes, which shows the full text of the row under the cursor where that is cut. Frames have their details below them.
fn cursor_line(stage: &Stage) -> Option<Rect> {
    let is_there = stage.navigation.view() != View::Trace && stage.layout.is_folded(&stage.navigation);
    stage.layout.areas().pane(Slot::Bytes).filter(|_| is_there && !stage.glyphs.ascii).map(|placed| placed.rule)
}
