//! Drawing: header, breadcrumb, panes with their rules, key hints, overlays.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::nodes::Place;
use crate::nodes::rows::Tone;
use crate::tui::app::mouse::ClickTarget;
use crate::tui::app::registry::{PANES, VIEWS};
use crate::tui::app::symbols::misses_symbols;
use crate::tui::app::{App, WHICH_KEY_DELAY};
use crate::tui::core::action::Action;
use crate::tui::core::key;
use crate::tui::core::keymap::{PLAYER, PREFIXES, PROMPT};
use crate::tui::overlays::which_key;
use crate::tui::state::breadcrumb::breadcrumb;
use crate::tui::ui::frame;
use crate::tui::ui::layout::Slot;
use crate::tui::ui::text::{fit, put, put_right, width, wrap};
use crate::tui::ui::theme::Role;

/// Actions in the key hints, most important first.
const HINTS: [Action; 15] = [
    Action::Predict,
    Action::HideAnswers,
    Action::Follow,
    Action::NextPane,
    Action::Symbols,
    Action::GoTo,
    Action::Find,
    Action::FindAnything,
    Action::Quit,
    Action::CopyValue,
    Action::Zoom,
    Action::Palette,
    Action::Back,
    Action::Filter,
    Action::NextPoint,
];

/// An item of a bar: x position, text, style, and the effect of a click.
pub(super) type BarItem = (u16, String, Style, Option<ClickTarget>);

impl App {
    /// Draws the screen; returns the position of the cursor.
    pub fn draw(&self, buf: &mut Buffer) -> Option<Position> {
        let area = buf.area;
        buf.set_style(area, self.theme.of(Role::Text));
        // The size has changed, and its event is still to come.
        if area.is_empty() || area.as_size() != self.size {
            return None;
        }
        if self.layout.too_small {
            put(buf, 0, 0, area.right(), "20x5 needed", self.theme.of(Role::Text), &self.glyphs);
            return None;
        }
        self.draw_bar(buf, self.layout.header, &self.header());
        self.draw_bar(buf, self.layout.crumbs, &self.breadcrumb_bar());
        frame::lines(buf, &self.layout, self.focus(), &self.theme, &self.glyphs);
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

    fn draw_panes(&self, buf: &mut Buffer) -> Option<Position> {
        let Some((session, selected)) = self.session.as_ref().zip(self.selected.as_ref()) else {
            self.draw_opening(buf);
            return None;
        };
        let mut cursor = None;
        for placed in &self.layout.panes {
            let Some(pane) = self.pane_in(placed.slot) else { continue };
            let focused = placed.slot == self.focus() && self.overlays.is_empty();
            let cx = self.context(session, selected, focused);
            let mut title = self.panes[pane].title(&cx);
            let filter = |pane: usize| self.panes.get(pane)?.list()?.list_filter().filter.as_ref();
            let mut filtered = filter(pane);
            let shared = self.layout.panes.iter().any(|other| other.rule == placed.rule && other.slot != placed.slot);
            if shared && placed.slot == Slot::Fields {
                continue;
            }
            let in_focus = placed.slot == self.focus() || (shared && self.focus() == Slot::Fields);
            if shared {
                // Bytes and fields share a rule.
                let fields =
                    self.pane_in(Slot::Fields).map(|pane| self.panes[pane].title(&cx).name).unwrap_or_default();
                let key = if self.focus() == Slot::Fields { String::new() } else { self.key_of(Action::NextPane) };
                let both = [fields, key].join(" ");
                let accept_search = width(&title.name) + width(&title.of) + width(&both) + 10;
                let room = (placed.rule.width as usize).saturating_sub(accept_search);
                let place = frame::shortened(&title.position, room, &self.glyphs);
                title.of =
                    [title.of.as_str(), place].join(if title.of.is_empty() || place.is_empty() { "" } else { " " });
                title.position = both;
                filtered = filtered.or_else(|| filter(self.pane_in(Slot::Fields)?));
            }
            if let Some(filter) = filtered {
                title.filter = format!("& {}", filter.query.text());
                title.position = filter.count_text(self.glyphs.more);
            }
            frame::title(buf, placed.rule, &title, in_focus, &self.theme, &self.glyphs);
        }
        for placed in &self.layout.panes {
            let Some(pane) = self.pane_in(placed.slot) else { continue };
            let focused = placed.slot == self.focus();
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
        for placed in &self.layout.panes {
            let Some(pane) = self.pane_in(placed.slot) else { continue };
            let name = PANES[pane].id;
            let (title, focused) = (frame::Title::new(name), placed.slot == self.focus());
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
        of(self.layout.header, self.header()).chain(of(self.layout.crumbs, self.breadcrumb_bar())).collect()
    }

    pub(super) fn breadcrumb_steps(&self) -> Vec<(String, Place)> {
        let found = self.session.as_ref().zip(self.selected.as_ref());
        found.map_or_else(Vec::new, |(session, selected)| breadcrumb(session, selected.selection.place, VIEWS))
    }

    fn breadcrumb_bar(&self) -> Vec<BarItem> {
        let (line, theme) = (self.layout.crumbs, &self.theme);
        if line.is_empty() {
            return Vec::new();
        }
        let mut parts: Vec<BarItem> = Vec::new();
        let mut end = line.right().saturating_sub(1);
        let mut right = String::new();
        if let Some(selected) = &self.selected {
            right = selected.selection.place.code_unit().map_or_else(String::new, |of| of.to_string());
        }
        if line.width >= 110 {
            let dot = self.glyphs.dot;
            let history = format!("back {} {dot} forward {}", self.back.len(), self.forward.len());
            right = if right.is_empty() { history } else { format!("{right} {dot} {history}") };
            let wide = width(&right) as u16;
            end -= wide;
            parts.push((end, right, theme.of(Role::Dim), None));
            end -= 2;
        }
        let breadcrumb_steps = self.breadcrumb_steps();
        // The last steps that fit.
        let gap = width(self.glyphs.step) + 2;
        let mut room = end.saturating_sub(line.x + 1) as usize;
        let mut first = breadcrumb_steps.len();
        while first > 0 {
            let wide = width(&breadcrumb_steps[first - 1].0) + if first == breadcrumb_steps.len() { 0 } else { gap };
            if wide > room && first < breadcrumb_steps.len() {
                break;
            }
            room = room.saturating_sub(wide);
            first -= 1;
        }
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
            parts.push((x, text, style, Some(ClickTarget::Go(*place))));
            x += wide;
        }
        parts
    }

    fn key_of(&self, action: Action) -> String {
        let keys = self.keymap.keys_of(action, self.place()).unwrap_or_default();
        key::display(keys, self.glyphs.ascii)
    }

    /// Draws the bottom line: key hints, or for a while the status.
    fn draw_hints(&self, buf: &mut Buffer) {
        let (line, theme) = (self.layout.hints, &self.theme);
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
            let style = match status.tone {
                Tone::Dim | Tone::Text => theme.of(Role::Text),
                tone => theme.tone(tone),
            };
            put(buf, x, line.y, end, &status.text, style, &self.glyphs);
            return;
        }
        if line.width < 50 {
            let text = format!("{} keys", self.key_of(Action::Help));
            put(buf, x, line.y, end, &text, theme.of(Role::Dim), &self.glyphs);
            return;
        }
        for (keys, what) in self.hints(end.saturating_sub(x) as usize) {
            x = put(buf, x, line.y, end, &keys, theme.of(Role::Strong), &self.glyphs) + 1;
            x = put(buf, x, line.y, end, &what, theme.of(Role::Dim), &self.glyphs) + 3;
        }
    }

    /// Returns true if an action does something in the focused pane.
    fn offers(&self, action: Action) -> bool {
        self.pane_in(self.focus()).and_then(|pane| self.panes.get(pane)).is_none_or(|pane| pane.offers(action))
    }

    /// Hints while an answer is typed.
    fn typing_hints(&self) -> Vec<(String, String)> {
        let key = |action| {
            let keys = self.keymap.keys_of(action, PROMPT).unwrap_or_default();
            key::display(keys, self.glyphs.ascii)
        };
        let page = format!("{} {}", self.key_of(Action::Down), self.key_of(Action::Up));
        let all = [
            (key(Action::Accept), "check"),
            (key(Action::Complete), "hint"),
            (page, "next and back, while empty"),
            (key(Action::Cancel), "stop typing"),
        ];
        all.into_iter().map(|(keys, what)| (keys, what.to_owned())).collect()
    }

    /// The hints that fit into `room`: movement, the actions, and help.
    fn hints(&self, room: usize) -> Vec<(String, String)> {
        if self.overlays.is_empty() && self.is_typing() {
            return self.typing_hints();
        }
        let item = self.pane_in(self.focus()).map_or("row", |pane| PANES[pane].item);
        let (up, down) = (self.key_of(Action::Up), self.key_of(Action::Down));
        // The player goes on with a key that has a name.
        let moves = if self.place() == PLAYER { format!("{down} {up}") } else { format!("{up}{down}") };
        let help = (self.key_of(Action::Help), Action::Help.def().map_or("", |def| def.short).to_owned());
        let wide = |(keys, what): &(String, String)| width(keys) + width(what) + 4;
        let mut hints = vec![(moves, item.to_owned())];
        // The last hint has no gap after it.
        let mut left = (room + 3).saturating_sub(wide(&help) + wide(&hints[0]));
        let without_symbols = self.session.as_ref().is_some_and(|session| misses_symbols(session));
        let helps = |action: &Action| match action {
            Action::Symbols => without_symbols,
            Action::HideAnswers | Action::Predict => self.place() == PLAYER && self.offers(*action),
            Action::Back => !self.back.is_empty(),
            Action::NextPoint => self.selected.as_ref().is_some_and(|selected| selected.point.is_some()),
            _ => true,
        };
        for action in HINTS.into_iter().filter(helps) {
            let Some(keys) = self.keymap.keys_of(action, self.place()) else { continue };
            let first = key::display(keys.get(..1).unwrap_or(keys), self.glyphs.ascii);
            let group = PREFIXES.iter().find(|(prefix, _)| keys.len() > 1 && *prefix == first);
            let what = group.map_or_else(|| action.def().map_or("", |def| def.short), |(_, name)| name);
            let hint = (if group.is_some() { first } else { key::display(keys, self.glyphs.ascii) }, what.to_owned());
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
