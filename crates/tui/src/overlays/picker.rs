//! A text input with a list of choices below it: the base of palette, help and the prompt.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::engine::action::Action;
use crate::overlays::{Overlay, OverlayContext, Reply, place, popup, prompt};
use crate::state::breadcrumb::breadcrumb;
use crate::state::effect::Effect;
use crate::ui::fuzzy::MAX_TYPED;
use crate::ui::grid::Grid;
use crate::ui::input::Input;
use crate::ui::text::{fit, from_mark, put_lines, put_right, width, wrap};
use crate::ui::theme::Role;
use pdblens_nodes::Place;
use pdblens_nodes::rows::Rows;
use pdblens_session::session::Session;

/// The choices of a picker: they are filtered by its input, and one is accepted.
pub trait Choices {
    const TITLE: &'static str = "";
    const HEADLESS: bool = true;
    /// True if the preview has the full text of the row of the cursor.
    const DETAILED: bool = false;
    const MAX_ROWS: u16 = 24;

    fn title(&self) -> &'static str {
        Self::TITLE
    }

    /// The choices that match the input, made as they show.
    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static>;
    fn accept(&self, index: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect>;

    fn moved(&self, _index: usize, _typed: &str, _cx: &OverlayContext<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// The effects of closing the list without a choice.
    fn cancelled(&self) -> Vec<Effect> {
        Vec::new()
    }

    /// Completes the choices before one is accepted: a job may not have finished yet.
    fn settle(&mut self, _typed: &str, _cx: &OverlayContext<'_>) {}

    fn query_changed(&mut self, _typed: &str, _cx: &OverlayContext<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// Description of the choices that are still being collected.
    fn pending(&self) -> Option<&'static str> {
        None
    }

    fn match_positions(&self, _typed: &str, _column: usize, _text: &str) -> Vec<usize> {
        Vec::new()
    }

    fn empty_text(&self, _typed: &str) -> String {
        "nothing".to_owned()
    }

    /// Bytes of the text that are wrong: they are marked.
    fn wrong_part(&self, _typed: &str) -> Option<Range<usize>> {
        None
    }

    /// The widest that the box is on a screen, and the lines below the list.
    fn size(&self, _screen: Rect) -> (u16, u16) {
        (100, 1)
    }

    fn hints(&self) -> &'static [(Action, &'static str)] {
        &[
            (Action::Up, "up"),
            (Action::Down, "down"),
            (Action::Accept, "choose"),
            (Action::Complete, "complete"),
            (Action::Cancel, "close"),
        ]
    }

    /// Marks a choice in the place of completing it; false where choices cannot be marked.
    fn mark(&mut self, _index: usize, _typed: &str) -> bool {
        false
    }

    /// The input that a choice completes; `None` for its first cell.
    fn completion(&self, _index: usize, _typed: &str, _cx: &OverlayContext<'_>) -> Option<String> {
        None
    }

    /// The lines about a choice below the list, or about the input where there is none; `None` for its breadcrumb.
    fn preview(&self, _index: usize, _typed: &str, _cx: &OverlayContext<'_>) -> Option<Vec<(String, Role)>> {
        None
    }

    /// Draws the source of a choice below these lines, of which it takes half; false where it has none.
    fn draw_source(
        &self,
        _index: usize,
        _typed: &str,
        _area: Rect,
        _buf: &mut Buffer,
        _cx: &OverlayContext<'_>,
    ) -> bool {
        false
    }
}

pub struct Picker<C> {
    input: Input,
    grid: Grid,
    choices: C,
    /// True to accept the first choice as soon as there is one.
    accepts_first: bool,
}

impl<C: Choices> Picker<C> {
    pub fn new(choices: C) -> Self {
        let grid = Grid { headless: C::HEADLESS, detailed: C::DETAILED, ..Grid::default() };
        Self { input: Input::default(), grid, choices, accepts_first: false }
    }

    #[must_use]
    pub fn at(mut self, index: usize) -> Self {
        (self.grid.scroll.len, self.grid.scroll.height) = (index + 1, index + 1);
        self.grid.scroll.select(index);
        self
    }

    #[must_use]
    pub fn typing(self, text: &str) -> Self {
        Self { input: Input::new(text), ..self }
    }

    fn list_area(&self, screen: Rect) -> Rect {
        let area = self.area(screen);
        // The last rows show where the choice leads.
        let height = area.height.saturating_sub(5 + self.choices.size(screen).1);
        Rect { x: area.x + 1, y: area.y + 3, width: area.width.saturating_sub(2), height }
    }

    fn rows(&mut self, cx: &OverlayContext<'_>) -> Rows<'static> {
        let rows = self.choices.rows(self.input.text(), cx);
        self.grid.resize(&rows, self.list_area(cx.screen).height);
        rows
    }
}

pub(super) fn path_text(session: &Session, place: Place, cx: &OverlayContext<'_>) -> String {
    let steps: Vec<String> = breadcrumb(session, place, cx.views).into_iter().map(|(step, _)| step).collect();
    steps.join(&format!(" {} ", cx.look.glyphs.step))
}

/// Offset and length of the first typed word that a column cuts.
fn hidden_word(text: &str, cut: &str, typed: &str) -> Option<(usize, usize)> {
    if typed.len() > MAX_TYPED {
        return None;
    }
    let (lower, whole) = (cut.to_ascii_lowercase(), text.to_ascii_lowercase());
    let mut hidden = typed.split_whitespace().map(str::to_ascii_lowercase).filter(|word| !lower.contains(word));
    hidden.find_map(|word| Some((whole.find(&word)?, word.len())))
}

/// Splits a text into styled parts: characters at `marks` are highlighted.
fn highlight_matches(text: &str, marks: &[usize], style: Style, mark: Style) -> Vec<(String, Style)> {
    let mut parts: Vec<(String, Style)> = Vec::new();
    for (at, c) in text.chars().enumerate() {
        let style = if marks.contains(&at) { mark } else { style };
        match parts.last_mut().filter(|(_, last)| *last == style) {
            Some((part, _)) => part.push(c),
            None => parts.push((c.to_string(), style)),
        }
    }
    parts
}

impl<C: Choices> Overlay for Picker<C> {
    fn hints(&self) -> &'static [(Action, &'static str)] {
        self.choices.hints()
    }

    fn perform(&mut self, action: Action, cx: &OverlayContext<'_>) -> Reply {
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
                let row = self.grid.scroll.selected;
                if self.choices.mark(row, self.input.text()) {
                    return Reply::Stay(Vec::new());
                }
                let cell = || rows.get(row).and_then(|row| row.cells.into_iter().next()).map(|cell| cell.text);
                if let Some(text) = self.choices.completion(row, self.input.text(), cx).or_else(cell) {
                    self.input = Input::new(text);
                }
                Reply::Stay(self.changed(cx))
            }
            _ => {
                self.grid.move_cursor(action, &rows);
                Reply::Stay(self.choices.moved(self.grid.scroll.selected, self.input.text(), cx))
            }
        }
    }

    fn input(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn changed(&mut self, cx: &OverlayContext<'_>) -> Vec<Effect> {
        self.grid.scroll.select(0);
        self.accepts_first = false;
        self.choices.query_changed(self.input.text(), cx)
    }

    fn job_finished(&mut self, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let mut more = self.choices.query_changed(self.input.text(), cx);
        // Keep waiting while a job still improves the choices.
        let takes = more.is_empty() && self.choices.pending().is_none() && std::mem::take(&mut self.accepts_first);
        if takes {
            return vec![Effect::Dispatch(Action::Accept)];
        }
        more.extend(self.choices.moved(self.grid.scroll.selected, self.input.text(), cx));
        more
    }

    fn area(&self, screen: Rect) -> Rect {
        let (width, below) = self.choices.size(screen);
        place(screen, width, C::MAX_ROWS + 5 + below)
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
        let end = count.saturating_sub(1).max(inside.x);
        let cursor = self.input.draw(buf, x, inside.y, end, style, look.glyphs);
        if let Some(part) = self.choices.wrong_part(self.input.text()) {
            self.input.mark(buf, (x, end), cursor, &part, look.theme.of(Role::Warn));
        }
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
            let below = Rect { y, height: list.bottom().saturating_sub(y), ..inside };
            put_lines(buf, below, 0, text.lines().map(|line| (line, Role::Dim)), look);
        }
        let typed = self.input.text();
        let chosen = if rows.len > 0 { rows.get(grid.scroll.selected) } else { None };
        let said = self.choices.preview(grid.scroll.selected, typed, cx);
        let said = said.unwrap_or_else(|| {
            let path = chosen.and_then(|row| Some(path_text(cx.session?, row.place?, cx)));
            vec![(path.unwrap_or_default(), Role::Ok)]
        });
        let wide = inside.width as usize;
        let wrapped = |(text, role): &(String, Role)| wrap(text, wide).into_iter().map(|line| (line, *role)).collect();
        let lines: Vec<(String, Role)> = said.iter().flat_map(|said| -> Vec<_> { wrapped(said) }).collect();
        let below =
            Rect { y: list.bottom() + 1, height: (outer.bottom() - 1).saturating_sub(list.bottom() + 1), ..inside };
        grid.draw(buf, list, &rows, look, &|_, _| false, &|(_, column), cell, cut, style| {
            let most = width(cut);
            let moved = hidden_word(&cell.text, cut, typed).map(|mark| from_mark(&cell.text, mark, most, look.glyphs));
            let shown = moved.as_ref().map_or(Cow::Borrowed(cut), |text| fit(text, most, look.glyphs));
            let marks = self.choices.match_positions(typed, column, &shown);
            let mark = style.patch(look.theme.of(Role::Match));
            (!marks.is_empty()).then(|| highlight_matches(&shown, &marks, style, mark))
        });
        let half = (lines.len() as u16).min(below.height - below.height / 2);
        let rest = Rect { y: below.y + half, height: below.height - half, ..below };
        let has_source = self.choices.draw_source(grid.scroll.selected, typed, rest, buf, cx);
        let end = if has_source { rest.y } else { below.bottom() };
        put_lines(buf, Rect { height: end.saturating_sub(below.y), ..below }, 0, lines, look);
        Some(cursor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_a_column_cuts_is_found() {
        let hidden = |typed| hidden_word("abcdefghij", "abcde\u{2026}", typed);
        assert_eq!((hidden("B"), hidden("b J"), hidden("fg"), hidden("x")), (None, Some((9, 1)), Some((5, 2)), None));
        let parts = highlight_matches("abc", &[1], Style::new(), Style::new().bold());
        assert_eq!(parts.iter().map(|(part, _)| part.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    }
}
