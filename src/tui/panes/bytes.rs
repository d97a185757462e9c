//! The bytes of what is selected, in the file or stream they are in, with those around them.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::bytes::{SpaceId, Span};
use crate::model::Place;
use crate::tui::action::Action;
use crate::tui::app::Effect;
use crate::tui::pane::{Context, Pane, Selection, Title};
use crate::tui::theme::Role;
use crate::tui::widgets::hex::{Hex, bytes_a_row, digits};
use crate::tui::widgets::scroll::Scroll;
use crate::tui::widgets::text::put;

/// How many rows show above what is selected, where there is room.
const ABOVE: usize = 2;

#[derive(Default)]
struct Bytes {
    /// The rows of the space, as many bytes each as the width allows.
    scroll: Scroll,
    row: usize,
    space: SpaceId,
    len: u64,
    /// The byte the cursor is on.
    at: u64,
    /// The bytes that show, and the offset of the first.
    window: Vec<u8>,
    start: u64,
    error: Option<String>,
    /// Whether there is something to show.
    any: bool,
}

/// Makes one.
pub fn new() -> Box<dyn Pane> {
    Box::new(Bytes { row: 16, ..Bytes::default() })
}

impl Bytes {
    fn rows(&self) -> usize {
        usize::try_from(self.len.div_ceil(self.row as u64)).unwrap_or(usize::MAX)
    }

    fn row_of(&self, offset: u64) -> usize {
        usize::try_from(offset / self.row as u64).unwrap_or(usize::MAX)
    }

    /// Reads what shows.
    fn read(&mut self, cx: &Context<'_>) {
        let rows = self.scroll.window();
        self.start = rows.start as u64 * self.row as u64;
        let end = (rows.end as u64 * self.row as u64).min(self.len);
        let span = Span::new(self.space, self.start, end.saturating_sub(self.start));
        match cx.session.spaces.read(span) {
            Ok(bytes) => {
                self.window = bytes.into_owned();
                self.error = None;
            }
            Err(error) => {
                self.window.clear();
                self.error = Some(error.to_string());
            }
        }
    }

    /// Puts the cursor on a byte.
    fn select(&mut self, at: u64, cx: &Context<'_>) {
        self.at = at.min(self.len.saturating_sub(1));
        self.scroll.select(self.row_of(self.at));
        self.read(cx);
    }

    fn hex<'a>(&'a self, cx: &Context<'_>) -> Hex<'a> {
        let here = |span: &Span| span.space == self.space;
        let part = cx.linked.selection.part.filter(here);
        let chosen = cx.linked.span().filter(here);
        // The hues are for what is small enough to tell apart.
        let fields: Vec<Span> = cx.linked.hues().filter(here).take(64).collect();
        Hex {
            bytes: &self.window,
            start: self.start,
            row: self.row,
            digits: digits(self.len),
            chosen: part.or(chosen),
            outer: cx.linked.outer.filter(here).or(chosen),
            fields,
            cursor: cx.look.focused.then_some(self.at),
        }
    }
}

impl Pane for Bytes {
    fn title(&self, cx: &Context<'_>) -> Title {
        let title = Title::new("Bytes");
        if !self.any {
            return title;
        }
        let name = cx.session.spaces.get(self.space).map_or("", |space| space.name.as_str());
        let chosen = cx.linked.selection.part.or(cx.linked.span()).filter(|span| span.space == self.space);
        let (dot, wide) = (cx.look.glyphs.dot, digits(self.len));
        let at = match chosen {
            Some(span) if !cx.look.focused => format!("{:0wide$x}+{} {dot} of {}", span.start, span.len, self.len),
            _ => format!("{:0wide$x} {dot} of {}", self.at, self.len),
        };
        title.of(name).at(at)
    }

    fn act(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if !self.any {
            return None;
        }
        let (n, row) = (count.unwrap_or(1) as u64, self.row as u64);
        match action {
            Action::Left => self.select(self.at.saturating_sub(n), cx),
            Action::Right => self.select(self.at.saturating_add(n), cx),
            Action::Up if self.at >= row * n => self.select(self.at - row * n, cx),
            Action::Down if self.at + row * n < self.len => self.select(self.at + row * n, cx),
            Action::Up | Action::Down => {}
            Action::Follow => {
                let fields = cx.linked.fields.as_ref().ok()?;
                let to = fields.rows.get(fields.at(self.at)?)?.to?;
                return Some(vec![Effect::Go(to.into())]);
            }
            _ => {
                if !self.scroll.act(action, count) {
                    return None;
                }
                self.at = (self.scroll.selected as u64 * row + self.at % row).min(self.len.saturating_sub(1));
                self.read(cx);
            }
        }
        Some(Vec::new())
    }

    fn show(&mut self, cx: &Context<'_>) {
        let whole = cx.linked.span();
        let Some(span) = cx.linked.selection.part.or(whole) else {
            self.any = self.len > 0;
            return;
        };
        let len = cx.session.spaces.get(span.space).map_or(0, crate::bytes::Space::len);
        let moved = self.space != span.space;
        (self.any, self.space, self.len) = (len > 0, span.space, len);
        self.scroll.set_len(self.rows());
        self.at = span.start.min(len.saturating_sub(1));
        // The beginning of what it is all about stays in sight where it can.
        let (first, last) = (self.row_of(self.at), self.row_of(span.end().saturating_sub(1).max(span.start)));
        let window = self.scroll.window();
        self.scroll.selected = first.min(self.rows().saturating_sub(1));
        if moved || !window.contains(&first) || !window.contains(&last) {
            let above = ABOVE.min(self.scroll.height.saturating_sub(1) / 2);
            self.scroll.top = first.saturating_sub(above).min(self.rows().saturating_sub(self.scroll.height));
        }
        self.read(cx);
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.row = bytes_a_row(size.width);
        self.scroll.len = self.rows();
        self.scroll.height = size.height as usize;
        self.scroll.reveal(self.row_of(self.at));
        if self.any {
            self.read(cx);
        }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if !self.any || self.error.is_some() {
            let text = self.error.as_deref().unwrap_or("no bytes stand for this");
            put(buf, area.x + 1, area.y, area.right(), text, cx.look.theme.of(Role::Dim), cx.look.glyphs);
            return None;
        }
        self.hex(cx).draw(buf, area, &cx.look)
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        if !self.any {
            return None;
        }
        let byte = Span::new(self.space, self.at, 1);
        // A byte of what is selected is a part of it; any other is a place of its own.
        match cx.linked.span().filter(|span| span.covers(byte)) {
            Some(_) if !matches!(cx.linked.selection.place, Place::Bytes(_)) => {
                Some(Selection { part: Some(byte), ..cx.linked.selection })
            }
            _ => Some(Place::Bytes(byte).into()),
        }
    }

    fn point(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let Some(offset) = self.hex(cx).at(at, area) else { return false };
        self.select(offset, cx);
        true
    }
}
