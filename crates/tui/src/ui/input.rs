//! A line of text input.

use std::ops::Range;

use crate::engine::press::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::engine::key::Key;
use crate::ui::glyphs::Glyphs;
use crate::ui::text::{head, put};

/// Greatest number of bytes of a pasted text that becomes a line.
pub const MAX_PASTED: usize = 1 << 20;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    text: String,
    /// Byte offset of the cursor.
    at: usize,
}

impl Input {
    /// A line with a text, and the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { at: text.len(), text }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Puts the cursor at a byte offset, or at the end where it is past that.
    pub fn move_to(&mut self, at: usize) {
        self.at = if self.text.is_char_boundary(at) { at } else { self.text.len() };
    }

    /// Types over the character at the cursor; a blank is passed over.
    pub fn overwrite(&mut self, c: char) {
        if self.text[self.at..].starts_with(' ') {
            self.at += 1;
        }
        let to = self.after();
        self.text.replace_range(self.at..to, c.encode_utf8(&mut [0; 4]));
        self.at += c.len_utf8();
    }

    /// Inserts a text; control characters become spaces, and a tab two, which are between cells.
    pub fn paste(&mut self, text: &str) {
        let text = text.trim_end().replace('\t', "  ");
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.text.insert_str(self.at, &line);
        self.at += line.len();
    }

    /// Handles a key; returns whether the text has changed.
    pub fn key(&mut self, key: Key) -> bool {
        let len = self.text.len();
        if let Some(c) = key.typed_char() {
            self.text.insert(self.at, c);
            self.at += c.len_utf8();
            return true;
        }
        match (key.code, key.ctrl) {
            (KeyCode::Backspace, false) | (KeyCode::Char('h'), true) => {
                let from = self.before();
                self.text.drain(from..self.at);
                self.at = from;
            }
            (KeyCode::Char('w'), true) => {
                let kept = self.text[..self.at].trim_end();
                let from = kept.rfind(char::is_whitespace).map_or(0, |at| at + 1);
                self.text.drain(from..self.at);
                self.at = from;
            }
            (KeyCode::Char('u'), true) => {
                self.text.drain(..self.at);
                self.at = 0;
            }
            (KeyCode::Delete, _) | (KeyCode::Char('d'), true) => {
                let to = self.after();
                self.text.drain(self.at..to);
            }
            (KeyCode::Left, _) | (KeyCode::Char('b'), true) => self.at = self.before(),
            (KeyCode::Right, _) | (KeyCode::Char('f'), true) => self.at = self.after(),
            (KeyCode::Home, _) | (KeyCode::Char('a'), true) => self.at = 0,
            (KeyCode::End, _) | (KeyCode::Char('e'), true) => self.at = self.text.len(),
            _ => {}
        }
        // No key replaces a text by one of the same length.
        self.text.len() != len
    }

    fn before(&self) -> usize {
        self.text[..self.at].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        self.text[self.at..].graphemes(true).next().map_or(self.at, |part| self.at + part.len())
    }

    /// Draws the line from `(x, y)` up to `end`, scrolled so that the cursor is visible; returns its position.
    pub fn draw(&self, buf: &mut Buffer, x: u16, y: u16, end: u16, style: Style, glyphs: &Glyphs) -> Position {
        let from = self.first_visible(x, end);
        put(buf, x, y, end, &self.text[from..], style, glyphs);
        Position::new(x + self.text[from..self.at].width() as u16, y)
    }

    /// Byte offset of the first character that is drawn between the columns `x` and `end`: of a long text only what is before the cursor
    /// and fits is examined.
    fn first_visible(&self, x: u16, end: u16) -> usize {
        let mut room = end.saturating_sub(x).saturating_sub(1) as usize;
        let fits = |(_, part): &(usize, &str)| {
            let rest = room.checked_sub(part.width());
            room = rest.unwrap_or(room);
            rest.is_some()
        };
        self.text[..self.at].grapheme_indices(true).rev().take_while(fits).last().map_or(self.at, |(at, _)| at)
    }

    /// Styles the cells of a part of the text, which was drawn between the columns `x` and `end` with the cursor at `cursor`.
    pub fn mark(&self, buf: &mut Buffer, (x, end): (u16, u16), cursor: Position, part: &Range<usize>, style: Style) {
        let first = self.first_visible(x, end);
        let Some(shown) = self.text.get(first..).map(|text| head(text, end.saturating_sub(x).into()).0) else { return };
        let column = |at: usize| {
            let before = shown.get(..at.saturating_sub(first)).unwrap_or(shown);
            (usize::from(x) + before.width()).min(end.into()) as u16
        };
        let (from, to) = (column(part.start), column(part.end));
        buf.set_style(Rect::new(from, cursor.y, to.saturating_sub(from), 1), style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_over_keeps_the_length() {
        let mut input = Input::new("sint 77 01");
        input.move_to(5);
        "41f".chars().for_each(|c| input.overwrite(c));
        assert_eq!(input.text(), "sint 41 f1");
    }
    use crate::ui::glyphs::UNICODE;

    fn typed(keys: &str) -> Input {
        let mut input = Input::default();
        for key in keys.split(' ') {
            input.key(Key::parse(key).unwrap());
        }
        input
    }

    #[test]
    fn a_line_is_edited_by_characters_as_people_see_them() {
        assert_eq!(typed("a b left c").text(), "acb");
        assert_eq!(typed("a b space c ctrl-w").text(), "ab ");
        assert_eq!(typed("a b ctrl-a delete ctrl-e x").text(), "bx");
        let mut input = Input::new("cafe\u{301}");
        assert!(input.key(Key::parse("backspace").unwrap()) && !input.key(Key::parse("left").unwrap()));
        assert!(!input.key(Key::parse("end").unwrap()), "the cursor alone has moved");
        assert_eq!(input.text(), "caf");
        input.paste("\u{1b}[31m\nx\n");
        assert_eq!(input.text(), "caf [31m x");
        assert!(!input.key(Key::parse("enter").unwrap()));
    }

    #[test]
    fn the_cursor_stays_in_the_line_however_long_it_is() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 10, 1));
        let at = Input::new("0123456789日本").draw(&mut buf, 2, 0, 10, Style::new(), &UNICODE);
        assert!(at.x < 10, "{at}");
    }
}
