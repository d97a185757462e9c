//! What a pane says where it has nothing to show: why, what would fill it, and where to look instead.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::nodes::Place;
use crate::nodes::rows::Tone;
use crate::query::missing_lines::Absence;
use crate::text::safe::visible;
use crate::tui::core::action::Action;
use crate::tui::ui::grid::{Mark, fill_row};
use crate::tui::ui::text::{put, width, wrap};
use crate::tui::ui::theme::{Look, Role};

/// A piece of what is said.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    /// Sentences.
    Text(String, Tone),
    /// What keys do here.
    Keys(Action, String),
    /// Where to look instead.
    Link(String, Place),
    /// Something, and what came of it.
    Pair(String, String, Tone),
}

/// What is said where there is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmptyState(Vec<Line>);

impl From<&Absence> for EmptyState {
    fn from(absence: &Absence) -> Self {
        let state = Self::default().text(&absence.why);
        match &absence.instead {
            Some((what, place)) => state.link(what, *place),
            None => state,
        }
    }
}

impl EmptyState {
    /// The same, and sentences.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.0.push(Line::Text(text.to_owned(), Tone::Dim));
        self
    }

    /// The same, and a sentence that parts what follows from what is before.
    #[must_use]
    pub fn heading(mut self, text: &str) -> Self {
        self.0.push(Line::Text(text.to_owned(), Tone::Text));
        self
    }

    /// The same, and what the keys of an action do here.
    #[must_use]
    pub fn keys(mut self, action: Action, what: impl Into<String>) -> Self {
        self.0.push(Line::Keys(action, what.into()));
        self
    }

    /// The same, and where to look instead.
    #[must_use]
    pub fn link(mut self, what: &str, place: Place) -> Self {
        self.0.push(Line::Link(what.to_owned(), place));
        self
    }

    /// The same, and something with what came of it.
    #[must_use]
    pub fn pair(mut self, what: &str, outcome: &str, tone: Tone) -> Self {
        self.0.push(Line::Pair(what.to_owned(), outcome.to_owned(), tone));
        self
    }

    /// The first sentence.
    pub fn first_sentence(&self) -> Option<&str> {
        self.0.iter().find_map(|line| match line {
            Line::Text(text, _) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Where Enter leads.
    pub fn link_target(&self) -> Option<Place> {
        self.0.iter().find_map(|line| match line {
            Line::Link(_, place) => Some(*place),
            _ => None,
        })
    }

    /// Draws it; returns where the cursor is to stand.
    pub fn draw(
        &self,
        area: Rect,
        buf: &mut Buffer,
        look: &Look<'_>,
        keys_of: &dyn Fn(Action) -> String,
    ) -> Option<Position> {
        let room = area.width.saturating_sub(3) as usize;
        let mut writer = Writer { area, y: area.y, cursor: None };
        let wide = |of: fn(&Line) -> Option<&str>| self.0.iter().filter_map(of).map(width).max().unwrap_or(0);
        let (left, right) = (
            wide(|line| if let Line::Pair(what, ..) = line { Some(what) } else { None }),
            wide(|line| if let Line::Pair(_, outcome, _) = line { Some(outcome) } else { None }),
        );
        let beside = left + right + 4 <= room;
        let keys = self.0.iter().filter_map(|line| match line {
            Line::Keys(action, _) => Some(width(&keys_of(*action))),
            _ => None,
        });
        let keys = keys.max().unwrap_or(0);
        let mut last: Option<&Line> = None;
        for line in &self.0 {
            // What is of one kind stands together.
            let apart = last.is_some_and(|last| match (last, line) {
                (Line::Text(_, Tone::Text), Line::Pair(..)) | (Line::Text(..), Line::Link(..)) => false,
                (Line::Text(_, a), Line::Text(_, b)) => a != b && *b == Tone::Text,
                _ => std::mem::discriminant(last) != std::mem::discriminant(line),
            });
            writer.y += u16::from(apart);
            last = Some(line);
            match line {
                Line::Text(text, tone) => writer.lines(buf, look, 1, room, text, *tone),
                Line::Keys(action, what) => {
                    let style = look.theme.of(Role::Strong);
                    put(buf, area.x + 1, writer.y, writer.end(), &keys_of(*action), style, look.glyphs);
                    let indent = keys as u16 + 3;
                    writer.lines(buf, look, indent, room.saturating_sub(indent as usize - 1), what, Tone::Dim);
                }
                Line::Link(what, place) => writer.link(buf, look, room, what, Some(*place) == self.link_target()),
                Line::Pair(what, outcome, tone) if beside => {
                    let style = look.theme.of(Role::Dim);
                    put(buf, area.x + 3, writer.y, writer.end(), what, style, look.glyphs);
                    let x = area.x + 3 + left as u16 + 2;
                    put(buf, x, writer.y, writer.end(), outcome, look.theme.tone(*tone), look.glyphs);
                    writer.y += 1;
                }
                Line::Pair(what, outcome, tone) => {
                    writer.lines(buf, look, 3, room.saturating_sub(2), what, Tone::Dim);
                    writer.lines(buf, look, 5, room.saturating_sub(4), outcome, *tone);
                }
            }
        }
        writer.cursor
    }
}

/// Where the next line goes.
struct Writer {
    area: Rect,
    y: u16,
    cursor: Option<Position>,
}

impl Writer {
    /// Lines end here, or where the area does below.
    const fn end(&self) -> u16 {
        if self.y < self.area.bottom() { self.area.right() } else { 0 }
    }

    fn lines(&mut self, buf: &mut Buffer, look: &Look<'_>, indent: u16, room: usize, text: &str, tone: Tone) {
        let style = look.theme.tone(tone);
        for line in wrap(&visible(text), room) {
            put(buf, self.area.x + indent, self.y, self.end(), &line, style, look.glyphs);
            self.y = self.y.saturating_add(1);
        }
    }

    fn link(&mut self, buf: &mut Buffer, look: &Look<'_>, room: usize, what: &str, chosen: bool) {
        let mark = if chosen && look.focused { Mark::Cursor } else { Mark::None };
        let style = mark.apply(look.theme.of(Role::Link), look, true);
        for (index, line) in wrap(&visible(what), room.saturating_sub(2)).iter().enumerate() {
            if self.y < self.area.bottom() {
                fill_row(buf, Rect { y: self.y, height: 1, ..self.area }, mark, look);
                if mark == Mark::Cursor && index == 0 {
                    self.cursor = Some(Position::new(self.area.x, self.y));
                }
            }
            let sign = if index == 0 { look.glyphs.leads } else { "" };
            let x = self.area.x + 1;
            put(buf, x, self.y, self.end(), sign, style, look.glyphs);
            put(buf, x + width(look.glyphs.leads) as u16 + 1, self.y, self.end(), line, style, look.glyphs);
            self.y = self.y.saturating_add(1);
        }
    }
}
