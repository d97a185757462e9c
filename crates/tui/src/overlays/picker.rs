//! A text input with a list of choices below it: the base of palette, help and the prompt.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::engine::action::Action;
use crate::engine::key::Key;
use crate::overlays::{Overlay, OverlayContext, Reply, place, popup, prompt};
use crate::state::breadcrumb::breadcrumb;
use crate::state::effect::Effect;
use crate::ui::grid::Grid;
use crate::ui::input::Input;
use crate::ui::text::{put, put_right, width, wrap};
use crate::ui::theme::Role;
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Row, Rows, Tone};
use pdblens_session::session::Session;

/// The choices of a picker: they are filtered by its input, and one is accepted.
pub trait Choices {
    /// The title of the box.
    fn title(&self) -> &'static str;

    /// The choices that match the input, made as they show.
    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static>;

    /// The effects of accepting a choice.
    fn accept(&self, index: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect>;

    /// The effects of moving to a choice.
    fn moved(&self, _index: usize, _typed: &str) -> Vec<Effect> {
        Vec::new()
    }

    /// The effects of closing the list without a choice.
    fn cancelled(&self) -> Vec<Effect> {
        Vec::new()
    }

    /// Completes the choices before one is accepted: a job may not have finished yet.
    fn settle(&mut self, _typed: &str, _cx: &OverlayContext<'_>) {}

    /// Requests a job for a new input.
    fn query_changed(&mut self, _typed: &str, _cx: &OverlayContext<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// Description of the choices that are still being collected.
    fn pending(&self) -> Option<&'static str> {
        None
    }

    /// Positions of the characters that match the input.
    fn match_positions(&self, _typed: &str, _column: usize, _text: &str) -> Vec<usize> {
        Vec::new()
    }

    /// The text where there is no choice.
    fn empty_text(&self, _typed: &str) -> String {
        "nothing".to_owned()
    }

    /// The widest that the box is, and the lines below the list.
    fn size(&self) -> (u16, u16) {
        (100, 1)
    }

    /// Rows of the list at most.
    fn most_rows(&self) -> u16 {
        24
    }

    /// The lines about a choice below the list, or about the input where there is none; `None` for its breadcrumb.
    fn preview(&self, _index: usize, _typed: &str, _cx: &OverlayContext<'_>) -> Option<Vec<(String, Role)>> {
        None
    }

    /// Returns whether the columns have no titles.
    fn headless(&self) -> bool {
        true
    }
}

/// A text input with a list of choices.
pub struct Picker<C> {
    input: Input,
    grid: Grid,
    choices: C,
    /// True to accept the first choice as soon as there is one.
    accepts_first: bool,
}

impl<C: Choices> Picker<C> {
    /// Creates a picker with an empty input.
    pub fn new(choices: C) -> Self {
        let grid = Grid { headless: choices.headless(), ..Grid::default() };
        Self { input: Input::default(), grid, choices, accepts_first: false }
    }

    /// Moves to a choice.
    #[must_use]
    pub fn at(mut self, index: usize) -> Self {
        (self.grid.scroll.len, self.grid.scroll.height) = (index + 1, index + 1);
        self.grid.scroll.select(index);
        self
    }

    /// Sets the input.
    #[must_use]
    pub fn typing(self, text: &str) -> Self {
        Self { input: Input::new(text), ..self }
    }

    fn list_area(&self, screen: Rect) -> Rect {
        let area = self.area(screen);
        // The last rows show where the choice leads.
        let height = area.height.saturating_sub(5 + self.choices.size().1);
        Rect { x: area.x + 1, y: area.y + 3, width: area.width.saturating_sub(2), height }
    }

    fn rows(&mut self, cx: &OverlayContext<'_>) -> Rows<'static> {
        let rows = self.choices.rows(self.input.text(), cx);
        self.grid.resize(&rows, self.list_area(cx.screen).height);
        rows
    }

    fn changed(&mut self, cx: &OverlayContext<'_>) -> Vec<Effect> {
        self.grid.scroll.select(0);
        self.accepts_first = false;
        self.choices.query_changed(self.input.text(), cx)
    }

    /// The breadcrumb of a choice, or its complete text where that is cut.
    #[allow(clippy::unused_self, reason = "a method reads better than a function of the module")]
    fn location(&self, chosen: Option<&Row>, list: Rect, cx: &OverlayContext<'_>) -> (String, Role) {
        let cut = chosen.and_then(|row| cut_text(row, list));
        match (chosen.and_then(|row| row.place), cx.session) {
            (Some(place), Some(session)) => (path_text(session, place, cx), Role::Ok),
            _ => (cut.unwrap_or_default(), Role::Dim),
        }
    }
}

/// The last text of a row, where that is what the list cuts.
fn cut_text(row: &Row, list: Rect) -> Option<String> {
    let (last, before) = row.cells.split_last()?;
    let taken: usize = before.iter().map(|cell| width(&cell.text) + 2).sum();
    let room = usize::from(list.width).saturating_sub(2);
    (taken <= room / 2 && taken + width(&last.text) > room).then(|| last.text.clone())
}

/// The breadcrumb of a place in a line.
pub(super) fn path_text(session: &Session, place: Place, cx: &OverlayContext<'_>) -> String {
    let steps: Vec<String> = breadcrumb(session, place, cx.views).into_iter().map(|(step, _)| step).collect();
    steps.join(&format!(" {} ", cx.look.glyphs.step))
}

/// Splits a text into styled parts: characters at `marks` are highlighted. The start is cut where they would not show
/// in `most` cells; an ellipsis marks each end that is cut.
fn highlight_matches(
    text: &str,
    marks: &[usize],
    most: usize,
    [style, mark, more]: [Style; 3],
    sign: &str,
) -> Vec<(String, Style)> {
    let (first, last) = (marks.iter().min().copied().unwrap_or(0), marks.iter().max().copied().unwrap_or(0));
    let (len, cut) = (text.chars().count(), width(sign));
    let from = if len <= most || last + cut < most {
        0
    } else {
        let from = first.saturating_sub(most / 4).max((last + 1 + 2 * cut).saturating_sub(most));
        // The end of the text is at the right edge: no cell stays empty.
        from.min((len + cut).saturating_sub(most))
    };
    let mut parts: Vec<(String, Style)> = Vec::new();
    if from > 0 {
        parts.push((sign.to_owned(), more));
    }
    let room = if from > 0 { most.saturating_sub(cut) } else { most };
    let is_cut = len - from.min(len) > room;
    let shown = if is_cut { room.saturating_sub(cut) } else { room };
    for (at, c) in text.chars().enumerate().skip(from).take(shown) {
        let style = if marks.contains(&at) { mark } else { style };
        match parts.last_mut().filter(|(_, last)| *last == style) {
            Some((part, _)) => part.push(c),
            None => parts.push((c.to_string(), style)),
        }
    }
    parts.extend(is_cut.then(|| (sign.to_owned(), more)));
    parts
}

impl<C: Choices> Overlay for Picker<C> {
    fn hints(&self) -> &'static [(Action, &'static str)] {
        &[
            (Action::Up, "up"),
            (Action::Down, "down"),
            (Action::Accept, "choose"),
            (Action::Complete, "complete"),
            (Action::Cancel, "close"),
        ]
    }

    fn perform(&mut self, action: Action, count: Option<usize>, cx: &OverlayContext<'_>) -> Reply {
        if matches!(action, Action::Accept | Action::Follow) {
            self.choices.settle(self.input.text(), cx);
        }
        let rows = self.rows(cx);
        match action {
            Action::Cancel | Action::Quit => Reply::Close(self.choices.cancelled()),
            Action::Accept | Action::Follow => match rows.len {
                0 => {
                    self.accepts_first = self.choices.pending().is_some();
                    Reply::Stay(Vec::new())
                }
                _ => Reply::Close(self.choices.accept(self.grid.scroll.selected, self.input.text(), cx)),
            },
            Action::Complete => {
                let text = rows.get(self.grid.scroll.selected).and_then(|row| row.cells.into_iter().next());
                if let Some(cell) = text {
                    self.input = Input::new(cell.text);
                }
                Reply::Stay(self.changed(cx))
            }
            _ => {
                self.grid.move_cursor(action, count, &rows);
                Reply::Stay(self.choices.moved(self.grid.scroll.selected, self.input.text()))
            }
        }
    }

    fn key(&mut self, key: Key, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let before = self.input.text().to_owned();
        self.input.key(key);
        if before == self.input.text() { Vec::new() } else { self.changed(cx) }
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        self.input.paste(text);
        self.changed(cx)
    }

    fn job_finished(&mut self, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let more = self.choices.query_changed(self.input.text(), cx);
        // Keep waiting while a job still improves the choices.
        let takes = more.is_empty() && self.choices.pending().is_none() && std::mem::take(&mut self.accepts_first);
        if takes { vec![Effect::Dispatch(Action::Accept)] } else { more }
    }

    fn area(&self, screen: Rect) -> Rect {
        let (width, below) = self.choices.size();
        place(screen, width, self.choices.most_rows() + 5 + below)
    }

    fn click(&mut self, at: Position, cx: &OverlayContext<'_>) -> Option<bool> {
        let list = self.list_area(cx.screen);
        let rows = self.rows(cx);
        self.area(cx.screen).contains(at).then(|| self.grid.click(at, list, &rows))
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let (outer, list) = (self.area(area), self.list_area(area));
        let look = &cx.look;
        let inside = popup(buf, outer, self.choices.title(), look);
        if inside.height < 2 {
            return None;
        }
        let rows = self.choices.rows(self.input.text(), cx);
        let count =
            put_right(buf, inside.x, inside.y, inside.right(), &rows.title, look.theme.of(Role::Mute), look.glyphs);
        let style = look.theme.of(Role::Text);
        let x = prompt(buf, inside, look);
        let cursor = self.input.draw(buf, x, inside.y, count.saturating_sub(1).max(inside.x), style, look.glyphs);
        let mut grid = self.grid.clone();
        grid.resize(&rows, list.height);
        if rows.len == 0 {
            let text = match (self.choices.pending(), self.accepts_first) {
                (Some(what), true) => format!("{what}: the first result is accepted as soon as it arrives"),
                (Some(what), false) => what.to_owned(),
                (None, _) => self.choices.empty_text(self.input.text()),
            };
            // The titles of the columns have the first row.
            let y = list.y + u16::from(!self.grid.headless);
            put(buf, inside.x, y, inside.right(), &text, look.theme.tone(Tone::Dim), look.glyphs);
        }
        let typed = self.input.text();
        let chosen = if rows.len > 0 { rows.get(grid.scroll.selected) } else { None };
        let said = self.choices.preview(grid.scroll.selected, typed, cx);
        let is_own = said.is_none() && chosen.as_ref().is_some_and(|row| row.place.is_none());
        let said = said.unwrap_or_else(|| vec![self.location(chosen.as_ref(), list, cx)]);
        let wide = inside.width as usize;
        let wrapped = |(text, role): &(String, Role)| wrap(text, wide).into_iter().map(|line| (line, *role)).collect();
        let mut lines: Vec<(String, Role)> = said.iter().flat_map(|said| -> Vec<_> { wrapped(said) }).collect();
        let below =
            Rect { y: list.bottom() + 1, height: (outer.bottom() - 1).saturating_sub(list.bottom() + 1), ..inside };
        // A text is in full at one place: below the list where it fits, else over it.
        if is_own && lines.len() <= usize::from(below.height) {
            grid.detailed = chosen.as_ref().is_some_and(|row| cut_text(row, list).is_some());
        } else if is_own {
            lines.clear();
        }
        grid.draw(buf, list, &rows, look, &|_, _| false, &|(_, column), cell, cut, style| {
            let styles = [style, style.patch(look.theme.of(Role::Match)), style.patch(look.theme.of(Role::Mute))];
            let (wide, marks) = (width(cut), self.choices.match_positions(typed, column, cut));
            let words = || typed.split_whitespace().map(str::to_lowercase);
            let (lower, all) = (cut.to_lowercase(), cell.text.to_lowercase());
            let hides = words().any(|word| all.contains(&word) && !lower.contains(&word));
            if !marks.is_empty() && !hides || column > 0 {
                return (!marks.is_empty()).then(|| highlight_matches(cut, &marks, wide, styles, look.glyphs.more));
            }
            // The match is in what would be cut.
            let marks = self.choices.match_positions(typed, column, &cell.text);
            (!marks.is_empty()).then(|| highlight_matches(&cell.text, &marks, wide, styles, look.glyphs.more))
        });
        for (y, (line, role)) in (below.y..below.bottom()).zip(&lines) {
            put(buf, inside.x, y, inside.right(), line, look.theme.of(*role), look.glyphs);
        }
        Some(cursor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_stands_for_each_end_that_is_cut() {
        let cut = |mark: usize, most| -> String {
            let parts = highlight_matches("abcdefghij", &[mark], most, [Style::new(); 3], "\u{2026}");
            parts.into_iter().map(|(part, _)| part).collect()
        };
        assert_eq!(
            [cut(1, 10), cut(1, 6), cut(9, 6), cut(5, 6)],
            ["abcdefghij", "abcde\u{2026}", "\u{2026}fghij", "\u{2026}efgh\u{2026}"]
        );
    }
}
