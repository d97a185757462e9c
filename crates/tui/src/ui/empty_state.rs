//! The text of an empty pane: the reason, what would fill it, and where to look instead.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::ui::grid::{Mark, fill_row};
use crate::ui::text::{put, width, wrap};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::Place;
use pdblens_nodes::rows::Tone;
use pdblens_query::missing_lines::MissingLines;
use pdblens_session::text::safe::visible;

#[derive(Clone, Debug, PartialEq, Eq)]
enum MessageLine {
    Text(String, Tone),
    Keys(Action, String),
    Link(String, Place),
    /// A thing and its outcome: a place that was searched, and what was found there.
    Pair(String, String, Tone),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmptyState(Vec<MessageLine>);

impl From<&MissingLines> for EmptyState {
    fn from(absence: &MissingLines) -> Self {
        let mut state = Self::default();
        if let Some(statement) = &absence.statement {
            state = state.text("reconstructed from IL as one statement, derived:").heading(statement);
        }
        let state = state.text(&absence.why);
        match &absence.instead {
            Some((what, place)) => state.link(what, *place),
            None => state,
        }
    }
}

impl From<String> for EmptyState {
    fn from(text: String) -> Self {
        Self::default().text(&text)
    }
}

impl EmptyState {
    /// Adds a dimmed paragraph.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.0.push(MessageLine::Text(text.to_owned(), Tone::Dim));
        self
    }

    /// Adds a paragraph that starts a new section.
    #[must_use]
    pub fn heading(mut self, text: &str) -> Self {
        self.0.push(MessageLine::Text(text.to_owned(), Tone::Text));
        self
    }

    #[must_use]
    pub fn keys(mut self, action: Action, what: impl Into<String>) -> Self {
        self.0.push(MessageLine::Keys(action, what.into()));
        self
    }

    #[must_use]
    pub fn link(mut self, what: &str, place: Place) -> Self {
        self.0.push(MessageLine::Link(what.to_owned(), place));
        self
    }

    #[must_use]
    pub fn pair(mut self, what: &str, outcome: &str, tone: Tone) -> Self {
        self.0.push(MessageLine::Pair(what.to_owned(), outcome.to_owned(), tone));
        self
    }

    pub fn first_sentence(&self) -> Option<&str> {
        self.0.iter().find_map(|line| match line {
            MessageLine::Text(text, _) => Some(text.as_str()),
            _ => None,
        })
    }

    /// The place that Enter goes to: that of the first link.
    pub fn link_target(&self) -> Option<Place> {
        self.0.iter().find_map(|line| match line {
            MessageLine::Link(_, place) => Some(*place),
            _ => None,
        })
    }

    /// Draws the lines; returns the position of the cursor, which stands on the first link.
    pub fn draw(
        &self,
        area: Rect,
        buf: &mut Buffer,
        look: &Look<'_>,
        keys_of: &dyn Fn(Action) -> String,
    ) -> Option<Position> {
        let room = area.width.saturating_sub(3) as usize;
        let mut writer = Writer { area, y: area.y, cursor: None };
        let wide = |of: fn(&MessageLine) -> Option<&str>| self.0.iter().filter_map(of).map(width).max().unwrap_or(0);
        let (left, right) = (
            wide(|line| if let MessageLine::Pair(what, ..) = line { Some(what) } else { None }),
            wide(|line| if let MessageLine::Pair(_, outcome, _) = line { Some(outcome) } else { None }),
        );
        let beside = left + right + 4 <= room;
        let keys = self.0.iter().filter_map(|line| match line {
            MessageLine::Keys(action, _) => Some(width(&keys_of(*action))),
            _ => None,
        });
        let keys = keys.max().unwrap_or(0);
        let mut last: Option<&MessageLine> = None;
        for line in &self.0 {
            // A blank line separates lines of different kinds.
            let apart = last.is_some_and(|last| match (last, line) {
                (MessageLine::Text(_, Tone::Text), MessageLine::Pair(..))
                | (MessageLine::Text(..), MessageLine::Link(..)) => false,
                (MessageLine::Text(_, a), MessageLine::Text(_, b)) => a != b && *b == Tone::Text,
                _ => std::mem::discriminant(last) != std::mem::discriminant(line),
            });
            writer.y += u16::from(apart);
            last = Some(line);
            match line {
                MessageLine::Text(text, tone) => writer.lines(buf, look, 1, room, text, *tone),
                MessageLine::Keys(action, what) => {
                    let style = look.theme.of(Role::Strong);
                    put(buf, area.x + 1, writer.y, writer.end(), &keys_of(*action), style, look.glyphs);
                    let indent = keys as u16 + 3;
                    writer.lines(buf, look, indent, room.saturating_sub(indent as usize - 1), what, Tone::Dim);
                }
                MessageLine::Link(what, place) => {
                    writer.link(buf, look, room, what, Some(*place) == self.link_target());
                }
                MessageLine::Pair(what, outcome, tone) if beside => {
                    let style = look.theme.of(Role::Dim);
                    put(buf, area.x + 3, writer.y, writer.end(), what, style, look.glyphs);
                    let x = area.x + 3 + left as u16 + 2;
                    put(buf, x, writer.y, writer.end(), outcome, look.theme.tone(*tone), look.glyphs);
                    writer.y += 1;
                }
                MessageLine::Pair(what, outcome, tone) => {
                    writer.lines(buf, look, 3, room.saturating_sub(2), what, Tone::Dim);
                    writer.lines(buf, look, 5, room.saturating_sub(4), outcome, *tone);
                }
            }
        }
        writer.cursor
    }
}

struct Writer {
    area: Rect,
    y: u16,
    cursor: Option<Position>,
}

impl Writer {
    /// The right end of the current line; 0 below the area.
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
