//! Drawing: header, breadcrumb, panes with their rules, key hints, overlays.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::app::hints::LESSON;
use crate::app::mouse::ClickTarget;
use crate::app::registry::{OF_BOTH_FILES, PANES};
use crate::app::{App, WHICH_KEY_DELAY};
use crate::engine::action::Action;
use crate::overlays::which_key;
use crate::panes::pane::{Context, Player};
use crate::state::breadcrumb::full_label;
use crate::state::view::View;
use crate::ui::frame;
use crate::ui::glyphs::Glyphs;
use crate::ui::layout::Slot;
use crate::ui::text::{fit, fit_path, put, width, wrap};
use crate::ui::theme::Role;
use pdblens_nodes::Place;

/// Minimum width of a shortened step.
const MIN_SHORT_STEP: usize = 16;

/// An item of a bar: x position, text, style, and the effect of a click.
pub(super) type BarItem = (u16, String, Style, Option<ClickTarget>);

impl App {
    /// Draws the screen; returns the position of the cursor.
    pub fn draw(&self, buf: &mut Buffer) -> Option<Position> {
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
        self.draw_bar(buf, self.layout.areas().header, &self.header());
        self.draw_bar(buf, self.layout.areas().crumbs, &self.breadcrumb_bar());
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
    fn unplaced_pane(&self) -> Option<usize> {
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
        if let Some(pane) = self.unplaced_pane().filter(|_| own) {
            let name = self.panes[pane].title(cx).name;
            let parts = [title.position.as_str(), &name, &self.key_of(Action::NextPane)];
            parts.join(" ").trim_start().clone_into(&mut title.position);
        }
    }

    fn draw_panes(&self, buf: &mut Buffer) -> Option<Position> {
        let Some((session, selected)) = self.session.as_ref().zip(self.navigation.selected()) else {
            self.draw_opening(buf);
            return None;
        };
        let mut cursor = None;
        for placed in &self.layout.areas().panes {
            let Some(pane) = self.navigation.pane_in(placed.slot) else { continue };
            let focused = placed.slot == self.navigation.focus() && self.overlays.is_empty();
            let cx = self.context(session, selected, focused);
            let mut title = self.panes[pane].title(&cx);
            if session.pdb_match().is_mismatch() && OF_BOTH_FILES.contains(&PANES[pane].id) {
                title.warning = format!("{} mismatched pair", self.glyphs.bad);
            }
            let filter = |pane: usize| self.panes.get(pane)?.list()?.list_filter().filter.as_ref();
            let mut filtered = filter(pane);
            let shared =
                self.layout.areas().panes.iter().any(|other| other.rule == placed.rule && other.slot != placed.slot);
            if shared && placed.slot == Slot::Fields {
                continue;
            }
            let in_focus =
                placed.slot == self.navigation.focus() || (shared && self.navigation.focus() == Slot::Fields);
            if shared {
                // Bytes and fields share a rule.
                let fields = self
                    .navigation
                    .pane_in(Slot::Fields)
                    .map(|pane| self.panes[pane].title(&cx).name)
                    .unwrap_or_default();
                let key =
                    if self.navigation.focus() == Slot::Fields { String::new() } else { self.key_of(Action::NextPane) };
                let both = [fields, key].join(" ");
                let accept_search = width(&title.name) + width(&title.of) + width(&both) + 10;
                let room = (placed.rule.width as usize).saturating_sub(accept_search);
                let place = frame::shortened(&title.position, room, &self.glyphs);
                title.of =
                    [title.of.as_str(), place].join(if title.of.is_empty() || place.is_empty() { "" } else { " " });
                title.position = both;
                filtered = filtered.or_else(|| filter(self.navigation.pane_in(Slot::Fields)?));
            }
            self.announce_next(&mut title, placed.slot, &cx);
            if let Some(filter) = filtered {
                title.filter = format!("& {}", filter.query.text());
                title.position = filter.count_text(self.glyphs.more);
            }
            frame::title(buf, placed.rule, &title, in_focus, &self.theme, &self.glyphs);
        }
        for placed in &self.layout.areas().panes {
            let Some(pane) = self.navigation.pane_in(placed.slot) else { continue };
            let focused = placed.slot == self.navigation.focus();
            let cx = self.context(session, selected, focused);
            let at = self.panes[pane].draw(placed.body, buf, &cx);
            if focused {
                cursor = at.or(Some(placed.body.as_position()));
            }
            if let Some(text) = self.panes[pane].list().and_then(Self::no_match_text) {
                let body = placed.body;
                let y = if body.height > 1 { body.y + 1 } else { body.y };
                for (line, y) in wrap(&text, body.width.saturating_sub(2) as usize).iter().zip(y..body.bottom()) {
                    put(buf, body.x + 1, y, body.right(), line, self.theme.of(Role::Dim), &self.glyphs);
                }
            }
        }
        cursor
    }

    fn draw_opening(&self, buf: &mut Buffer) {
        for placed in &self.layout.areas().panes {
            let Some(pane) = self.navigation.pane_in(placed.slot) else { continue };
            let name = PANES[pane].id;
            let (title, focused) = (frame::Title::new(name), placed.slot == self.navigation.focus());
            frame::title(buf, placed.rule, &title, focused, &self.theme, &self.glyphs);
            if focused {
                let text = format!("opening {} {}", self.file_names(), self.glyphs.more);
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

    /// The clickable areas above the panes.
    pub(super) fn click_targets(&self) -> Vec<(Rect, ClickTarget)> {
        let of = |line: Rect, parts: Vec<BarItem>| {
            let click_targets = move |(x, text, _, click_targets): BarItem| {
                Some((Rect { x, width: width(&text) as u16, ..line }, click_targets?))
            };
            parts.into_iter().filter_map(click_targets)
        };
        let bars =
            of(self.layout.areas().header, self.header()).chain(of(self.layout.areas().crumbs, self.breadcrumb_bar()));
        bars.chain(self.hint_targets()).collect()
    }

    fn breadcrumb_bar(&self) -> Vec<BarItem> {
        let (line, theme) = (self.layout.areas().crumbs, &self.theme);
        if line.is_empty() {
            return Vec::new();
        }
        let mut parts: Vec<BarItem> = Vec::new();
        let mut end = line.right().saturating_sub(1);
        let mut right = String::new();
        if let Some(selected) = self.navigation.selected() {
            right = selected.selection.place.code_unit().map_or_else(String::new, |of| of.to_string());
        }
        if line.width >= 110 {
            let dot = self.glyphs.dot;
            let (back, forward) = self.navigation.history_len();
            let history = format!("back {} {dot} forward {}", back, forward);
            right = if right.is_empty() { history } else { format!("{right} {dot} {history}") };
            let wide = width(&right) as u16;
            end -= wide;
            parts.push((end, right, theme.of(Role::Dim), None));
            end -= 2;
        }
        // Where the contents of the overview have no room, a beginner finds the lessons here.
        if line.width < 110 && self.navigation.view() == View::Overview && self.navigation.history_len().0 == 0 {
            let text = format!("New here? {} Learn", View::Learn.number());
            end = end.saturating_sub(width(&text) as u16);
            let target = ClickTarget::Do(LESSON);
            parts.push((end, text, theme.of(Role::Accent), Some(target)));
            end = end.saturating_sub(2);
        }
        let mut breadcrumb_steps = self.navigation.breadcrumb_steps(self.session.as_deref());
        // The last steps that fit.
        let gap = width(self.glyphs.step) + 2;
        let room = end.saturating_sub(line.x + 1) as usize;
        self.spell_out_signature(&mut breadcrumb_steps, room, gap);
        let first = shorten_steps(&mut breadcrumb_steps, room, gap, &self.glyphs);
        let mut x = line.x + 1;
        for (index, (text, place)) in breadcrumb_steps.iter().enumerate().skip(first) {
            if index > first || first > 0 {
                let step = if index == first { self.glyphs.more } else { self.glyphs.step };
                parts.push((x, format!(" {step} "), theme.of(Role::Mute), None));
                x += gap as u16;
            }
            let last = index + 1 == breadcrumb_steps.len();
            let style = theme.of(if last { Role::Strong } else { Role::Dim });
            let text = fit(text, end.saturating_sub(x) as usize, &self.glyphs).into_owned();
            let wide = width(&text) as u16;
            // All places of the Learn view have views of their own.
            let is_learn = index == 0 && self.navigation.view() == View::Learn;
            let target = if is_learn { ClickTarget::Do(LESSON) } else { ClickTarget::Go(*place) };
            parts.push((x, text, style, Some(target)));
            x += wide;
        }
        parts
    }

    /// Replaces the step of the method by all of its signature where all steps fit then.
    fn spell_out_signature(&self, steps: &mut [(String, Place)], room: usize, gap: usize) {
        let taken: usize = steps.iter().map(|(text, _)| width(text) + gap).sum();
        let Some((text, place)) = steps.iter_mut().rfind(|(_, place)| matches!(place, Place::Method(_))) else {
            return;
        };
        let full = self.session.as_ref().and_then(|session| full_label(session, *place));
        if let Some(full) = full.filter(|full| taken - width(text) + width(full) <= room + gap) {
            *text = full;
        }
    }
}

/// Index of the first step that is drawn. The last steps that fit into `room` are drawn whole; the one before them is shortened to
/// the width that is left, if that is at least [`MIN_SHORT_STEP`].
fn shorten_steps(steps: &mut [(String, Place)], room: usize, gap: usize, glyphs: &Glyphs) -> usize {
    let first = first_that_fits(steps, room, gap);
    let taken: usize = steps.iter().skip(first).map(|(text, _)| width(text) + gap).sum();
    let left = room.saturating_sub(taken + if first > 1 { gap } else { 0 });
    match first.checked_sub(1).filter(|_| left >= MIN_SHORT_STEP) {
        Some(before) => {
            steps[before].0 = fit_path(&steps[before].0, left, glyphs).into_owned();
            before
        }
        None => first,
    }
}

/// Index of the first of the last steps that fit into `room`; the last one is shown in any case.
pub(super) fn first_that_fits(steps: &[(String, Place)], mut room: usize, gap: usize) -> usize {
    let mut first = steps.len();
    for (index, (text, _)) in steps.iter().enumerate().rev() {
        let is_last = index + 1 == steps.len();
        let wide = width(text) + if is_last { 0 } else { gap };
        // An ellipsis precedes the first step that is shown, unless all are.
        let sign = if index > 0 { gap } else { 0 };
        if wide + sign > room && !is_last {
            break;
        }
        (first, room) = (index, room.saturating_sub(wide));
    }
    first
}
