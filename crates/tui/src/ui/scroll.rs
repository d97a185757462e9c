//! Cursor and window of a list of any length.

use std::ops::Range;

use crate::engine::action::Action;

/// Rows that are kept between the cursor and the edge of the window: a fifth of it, and at most this many.
///
/// With more, a small window would scroll at nearly every move, and all of it would be sent again.
const MARGIN: usize = 3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scroll {
    pub selected: usize,
    pub top: usize,
    pub len: usize,
    pub height: usize,
}

impl Scroll {
    pub fn window(&self) -> Range<usize> {
        self.top..self.top.saturating_add(self.height).min(self.len)
    }

    pub fn set_len(&mut self, len: usize) {
        self.len = len;
        self.select(self.selected);
    }

    pub fn set_height(&mut self, height: usize) {
        self.height = height;
        self.select(self.selected);
    }

    fn margin(&self) -> usize {
        MARGIN.min(self.height / 5)
    }

    /// Moves the cursor, and scrolls as little as possible.
    pub fn select(&mut self, row: usize) {
        self.selected = row.min(self.len.saturating_sub(1));
        let margin = self.margin();
        let lowest = self.selected.saturating_add(margin + 1).saturating_sub(self.height);
        let highest = self.selected.saturating_sub(margin);
        self.top = self.top.max(lowest).min(highest).min(self.last_top());
    }

    /// Moves the cursor; scrolls it to the middle where it was out of view.
    pub fn reveal(&mut self, row: usize) {
        let seen = self.window().contains(&row);
        self.select(row);
        if !seen {
            self.center();
        }
    }

    pub fn center(&mut self) {
        self.top = self.selected.saturating_sub(self.height / 2).min(self.last_top());
    }

    fn last_top(&self) -> usize {
        self.len.saturating_sub(self.height)
    }

    fn scroll_window(&mut self, top: usize) {
        self.top = top.min(self.last_top());
        let margin = self.margin();
        let first = if self.top == 0 { 0 } else { self.top.saturating_add(margin) };
        let bottom = self.top.saturating_add(self.height.saturating_sub(1));
        let last = if self.top == self.last_top() { self.len.saturating_sub(1) } else { bottom.saturating_sub(margin) };
        self.selected = self.selected.clamp(first.min(last), last.max(first)).min(self.len.saturating_sub(1));
    }

    /// Scrolls without moving the cursor, which may leave the window.
    pub fn scroll_by(&mut self, rows: usize, down: bool) {
        let top = if down { self.top.saturating_add(rows) } else { self.top.saturating_sub(rows) };
        self.top = top.min(self.last_top());
    }

    /// Moves as `action` says; false where it is not a movement.
    pub fn move_cursor(&mut self, action: Action) -> bool {
        let page = self.height.max(1);
        match action {
            Action::Up => self.select(self.selected.saturating_sub(1)),
            Action::Down => self.select(self.selected.saturating_add(1)),
            Action::PageUp => self.page(page, false),
            Action::PageDown => self.page(page, true),
            Action::ScrollUp => self.scroll_window(self.top.saturating_sub(1)),
            Action::ScrollDown => self.scroll_window(self.top.saturating_add(1)),
            Action::Top => self.select(0),
            Action::Bottom => self.select(self.len),
            _ => return false,
        }
        true
    }

    /// Moves cursor and window together.
    fn page(&mut self, rows: usize, down: bool) {
        let moved = |at: usize| if down { at.saturating_add(rows) } else { at.saturating_sub(rows) };
        self.top = moved(self.top).min(self.last_top());
        self.select(moved(self.selected));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scroll(len: usize, height: usize) -> Scroll {
        Scroll { len, height, ..Scroll::default() }
    }

    #[test]
    fn the_cursor_keeps_its_distance_from_the_edges() {
        let mut list = scroll(100, 10);
        (0..7).for_each(|_| _ = list.move_cursor(Action::Down));
        assert_eq!((list.selected, list.top), (7, 0));
        list.move_cursor(Action::Down);
        assert_eq!((list.selected, list.top), (8, 1));
        list.move_cursor(Action::Bottom);
        assert_eq!((list.selected, list.top), (99, 90));
        list.move_cursor(Action::PageUp);
        assert_eq!((list.selected, list.top), (89, 82));
        (0..5).for_each(|_| _ = list.move_cursor(Action::ScrollUp));
        assert_eq!((list.selected, list.top), (84, 77));
        list.move_cursor(Action::Top);
        assert_eq!((list.selected, list.top), (0, 0));
    }

    #[test]
    fn a_small_window_scrolls_only_near_its_edges() {
        for (height, moves) in [(4, 3), (5, 3), (9, 7), (20, 16)] {
            let mut list = scroll(100, height);
            (0..moves).for_each(|_| _ = list.move_cursor(Action::Down));
            assert_eq!((list.selected, list.top), (moves, 0), "{height}");
            list.move_cursor(Action::Down);
            assert_eq!((list.selected, list.top), (moves + 1, 1), "{height}");
        }
    }

    #[test]
    fn the_wheel_leaves_the_cursor_where_it_is() {
        let mut list = scroll(100, 10);
        list.select(5);
        list.scroll_by(30, true);
        assert_eq!((list.selected, list.top), (5, 30));
        list.move_cursor(Action::Down);
        assert_eq!((list.selected, list.top), (6, 4), "a key brings it back");
        list.scroll_by(500, true);
        assert_eq!((list.selected, list.top), (6, 90));
        list.scroll_by(500, false);
        assert_eq!((list.selected, list.top), (6, 0));
    }

    #[test]
    fn lists_without_rows_and_windows_without_height_are_fine() {
        for (len, height) in [(0, 0), (0, 5), (5, 0), (1, 1), (usize::MAX, 3)] {
            let mut list = scroll(len, height);
            for action in [Action::Down, Action::Bottom, Action::PageDown, Action::ScrollDown, Action::Up] {
                list.move_cursor(action);
                assert!(list.selected <= len.saturating_sub(1) && list.top <= len, "{len} {height} {action:?}");
            }
        }
    }

    #[test]
    fn a_row_far_away_is_revealed_in_the_middle() {
        let mut list = scroll(1000, 20);
        list.reveal(500);
        assert_eq!((list.selected, list.top), (500, 490));
        list.reveal(495);
        assert_eq!((list.selected, list.top), (495, 490));
    }
}
