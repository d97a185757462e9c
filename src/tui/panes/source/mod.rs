//! The Source pane: the text of a document, the selected range, and marks where points begin.

mod empty;
mod line;

use self::empty::{empty_state, no_text_reason};
use self::line::{Line, TAB, bar_of, columns_of, glyphs};
use crate::nodes::code_unit;
use crate::nodes::document;
use crate::query::breakpoint;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::Style;

use crate::nodes::Place;
use crate::nodes::method::MethodView;
use crate::nodes::rows::{Cell, Row, Rows, Tone};
use crate::query::breakpoint::LineQuery;
use crate::session::Session;
use crate::source::HashVerdict;
use crate::text::paths::file_name;
use crate::tui::core::action::Action;
use crate::tui::panes::pane::{Context, List, Pane};
use crate::tui::state::effect::Effect;
use crate::tui::state::selection::{Lines, Selection};
use crate::tui::state::texts::{Text, TextState};
use crate::tui::ui::frame::Title;
use crate::tui::ui::grid::{Mark, fill_row};
use crate::tui::ui::list_filter::{self, ListFilter};
use crate::tui::ui::scroll::Scroll;
use crate::tui::ui::text::{put, put_right};
use crate::tui::ui::theme::Role;

#[derive(Default)]
struct Source {
    scroll: Scroll,
    list_filter: ListFilter,
    /// Cells that are scrolled out on the left.
    left: usize,
    width: u16,
    document: Option<u32>,
    text: Option<Arc<Text>>,
    /// UTF-16 column of the last click, from 1.
    column: Option<u32>,
}

#[allow(missing_docs)]
pub fn new() -> Box<dyn Pane> {
    Box::new(Source::default())
}

impl Source {
    /// Width of the line numbers with bar and gap.
    fn gutter(&self) -> u16 {
        let digits = self.text.as_ref().map_or(1, |text| text.lines().max(1).ilog10() + 1);
        digits.max(3) as u16 + 3
    }

    fn line(&self) -> u32 {
        self.scroll.selected as u32 + 1
    }

    /// The point of the current method that begins on the cursor's line or covers it.
    fn point_here(&self, cx: &Context<'_>) -> Option<usize> {
        let view = cx.selected.method.as_deref()?;
        point_at(view, self.document?, self.line(), self.column, cx.selected.point)
    }

    /// Scrolls horizontally to a column.
    fn reveal_column(&mut self, line: u32, column: u32) {
        let Some(text) = &self.text else { return };
        let line = text.line(line.saturating_sub(1) as usize);
        let room = self.width.saturating_sub(self.gutter()) as usize;
        let cell =
            glyphs(line).take(100_000).take_while(|glyph| glyph.column < column).last().map_or(0, |g| g.cell + g.wide);
        if cell < self.left || cell + 8 > self.left + room {
            self.left = if cell + 16 < room { 0 } else { cell.saturating_sub(room / 4) };
        }
    }

    /// Draws a line, `(index, number)`, with number and marks; returns whether the cursor is on it.
    fn draw_line(
        &self,
        whole: Rect,
        (index, line): (usize, u32),
        text: &Text,
        buf: &mut Buffer,
        cx: &Context<'_>,
    ) -> bool {
        let (look, theme, y) = (&cx.look, cx.look.theme, whole.y);
        let gutter = self.gutter().min(whole.width);
        let linked = cx.selected.lines.is_some_and(|lines| (lines.start..=lines.end).contains(&line));
        let at_cursor = look.focused && index == self.scroll.selected;
        let number = match linked || at_cursor {
            // Without colours, the lines of the selection have bars too: the number of the cursor's line is reversed.
            true if at_cursor && theme.of(Role::Related).bg.is_none() => Role::Cursor,
            true => Role::Strong,
            false => Role::Mute,
        };
        put_right(buf, whole.x, y, whole.x + gutter - 2.min(gutter), &line.to_string(), theme.of(number), look.glyphs);
        let about = self.document.and_then(|document| cx.texts.info.get(document));
        if gutter > 2 && about.is_some_and(|about| !about.coverage.beginning(line).is_empty()) {
            // A breakpoint can bind here.
            let role = if linked { Role::Accent } else { Role::Mute };
            put(buf, whole.x + gutter - 2, y, whole.right(), look.glyphs.other, theme.of(role), look.glyphs);
        }
        let body = Rect { x: whole.x + gutter, width: whole.width - gutter, ..whole };
        if at_cursor {
            fill_row(buf, whole, Mark::Related, look);
            buf.set_style(whole, theme.of(Role::Related));
        } else if let Some(lines) = cx.selected.lines.filter(|_| linked) {
            buf.set_stringn(whole.x, y, bar_of(lines, line, look), 1, theme.of(Role::Accent));
        }
        if body.width == 0 {
            return at_cursor;
        }
        let marked = cx.selected.lines.and_then(|lines| columns_of(lines, line));
        // Lines after the first are marked from the start of their text.
        let content = text.line(index);
        let first = content.encode_utf16().take_while(|unit| matches!(unit, 0x20 | 9)).count() as u32 + 1;
        let marked = marked.map(|(from, to)| (if from == 1 { first } else { from }, to));
        let shown = Line { text: content, left: self.left, marked };
        let pieces = self.document.map_or(&[][..], |document| cx.texts.highlighting(document, index));
        let colour = |byte: usize| {
            let piece = pieces.partition_point(|(end, _)| *end as usize <= byte);
            pieces.get(piece).map_or(Style::new(), |(_, role)| theme.of(*role))
        };
        shown.draw(buf, body, look, &colour);
        self.list_filter.highlight(buf, body, None, look);
        if at_cursor && theme.of(Role::Span).bg.is_some() && marked.is_some() {
            // On the cursor's line, which has the background of a selection, the selection has that of the cursor.
            shown.reground(buf, body, theme.of(Role::Cursor));
        }
        at_cursor
    }
}

/// The point on a line, or at a column of it; `current` is preferred among several.
fn point_at(view: &MethodView, document: u32, line: u32, column: Option<u32>, current: Option<usize>) -> Option<usize> {
    let there = |index: &usize| {
        view.points.get(*index).is_some_and(|point| {
            let lines = point.start_line..=point.end_line;
            !point.is_hidden() && point.document == document && lines.contains(&line)
        })
    };
    let under = |index: &usize| {
        let (Some(point), Some(column)) = (view.points.get(*index), column) else { return false };
        (line > point.start_line || column >= point.start_column)
            && (line < point.end_line || column < point.end_column || point.end_column == 0)
    };
    let begins = |index: &usize| view.points.get(*index).is_some_and(|point| point.start_line == line);
    let all = || (0..view.points.len()).filter(there);
    // In order of preference: the smallest under the mouse, the selected one, the first that begins here, any.
    let size = |index: &usize| view.points.get(*index).map(|p| (p.end_line - p.start_line, p.end_column));
    all()
        .filter(under)
        .min_by_key(size)
        .or_else(|| current.filter(|index| column.is_none() && there(index)))
        .or_else(|| all().find(begins))
        .or_else(|| all().next())
}

/// The point of any method on a line.
fn elsewhere(session: &Session, document: u32, line: u32, column: Option<u32>) -> Option<Place> {
    // With very many methods a search at every key would be slow.
    if code_unit::count(session) > 20_000 {
        return None;
    }
    let found = breakpoint::bind(session, &LineQuery { documents: vec![document], line, column });
    let hit = found.hits.first().filter(|_| found.line == line)?;
    Some(hit.place())
}

impl Pane for Source {
    fn title(&self, cx: &Context<'_>) -> Title {
        let name = cx.selected.document.and_then(|row| document::name(cx.session, row)).unwrap_or_default();
        let title = Title::new(if name.is_empty() { "Source" } else { file_name(&name) });
        let Some(text) = &self.text else { return title };
        let glyphs = cx.look.glyphs;
        let from = text.from.name();
        let title = title.of(match text.verdict {
            HashVerdict::Verified(_) => format!("{} {from}", glyphs.ok),
            HashVerdict::Differs => format!("{} {from}, text differs", glyphs.bad),
            HashVerdict::CannotTell(_) => format!("{} {from}", glyphs.warn),
        });
        if cx.look.focused { title.at(format!("{}/{}", self.line(), text.lines())) } else { title }
    }

    fn perform(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        let n = count.unwrap_or(1) * TAB;
        self.column = None;
        match action {
            Action::Left => self.left = self.left.saturating_sub(n),
            Action::Right => self.left = self.left.saturating_add(n).min(1 << 20),
            Action::Follow if self.text.is_none() => {
                let leads = empty_state(cx).and_then(|state| state.link_target());
                return Some(vec![leads.map_or_else(
                    || Effect::SetStatus(Tone::Dim, no_text_reason(cx)),
                    |place| Effect::Go(place.into()),
                )]);
            }
            Action::Follow => {
                let (of, point) = (cx.selected.method.as_ref()?.of, self.point_here(cx)?);
                return Some(vec![Effect::Go(of.point(point as u32 + 1).into())]);
            }
            _ if self.text.is_none() => return None,
            _ => return self.scroll.move_cursor(action, count).then(Vec::new),
        }
        Some(Vec::new())
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        let document = cx.selected.document;
        let loaded = document.and_then(|row| cx.texts.get(row));
        let text = match loaded {
            Some(TextState::Found(text)) => Some(Arc::clone(text)),
            _ => None,
        };
        let same = match (&text, &self.text) {
            (Some(new), Some(old)) => Arc::ptr_eq(new, old),
            (new, old) => new.is_some() == old.is_some(),
        };
        if document != self.document {
            (self.left, self.scroll.top) = (0, 0);
        }
        if document != self.document || !same {
            (self.document, self.text, self.list_filter) = (document, text, ListFilter::default());
            self.scroll.set_len(self.text.as_ref().map_or(0, |text| text.lines()));
        }
        let Some(lines) = cx.selected.lines else { return };
        let (first, last) = (lines.start.saturating_sub(1) as usize, lines.end.saturating_sub(1) as usize);
        self.scroll.reveal(last);
        self.scroll.reveal(first);
        if let Some((column, _)) = lines.columns {
            self.reveal_column(lines.start, column);
        }
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.width = size.width;
        let unseen = self.scroll.height == 0;
        self.scroll.set_height(size.height as usize);
        if unseen {
            self.scroll.center();
        }
        if let Some(Lines { start, columns: Some((column, _)), .. }) = cx.selected.lines {
            self.reveal_column(start, column);
        }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let Some(text) = &self.text else {
            return empty_state(cx)?.draw(area, buf, &cx.look, &|action| cx.keys(action));
        };
        let mut cursor = None;
        for (row, index) in self.scroll.window().enumerate() {
            let (y, line) = (area.y + row as u16, index as u32 + 1);
            if y >= area.bottom() {
                break;
            }
            if self.draw_line(Rect { y, height: 1, ..area }, (index, line), text, buf, cx) {
                cursor = Some(Position::new(area.x, y));
            }
        }
        cursor
    }

    fn source_window(&self) -> Option<(u32, std::ops::Range<usize>)> {
        self.text.as_ref()?;
        Some((self.document?, self.scroll.window()))
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        let document = self.document?;
        let point = self.point_here(cx).zip(cx.selected.method.as_ref());
        let place = match point {
            Some((index, view)) => view.of.point(index as u32 + 1),
            None => {
                elsewhere(cx.session, document, self.line(), self.column).unwrap_or(Place::Line(document, self.line()))
            }
        };
        Some(place.into())
    }

    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        if self.text.is_none() {
            return empty_state(cx).is_some_and(|state| state.link_target().is_some());
        }
        let line = self.scroll.top + at.y.saturating_sub(area.y) as usize;
        let Some(text) = self.text.clone().filter(|_| line < self.scroll.len) else { return false };
        self.scroll.selected = line;
        let cell = (at.x.saturating_sub(area.x + self.gutter())) as usize + self.left;
        self.column = glyphs(text.line(line)).take_while(|glyph| glyph.cell <= cell).last().map(|glyph| glyph.column);
        true
    }

    fn list(&self) -> Option<&dyn List> {
        Some(self)
    }

    fn list_mut(&mut self) -> Option<&mut dyn List> {
        Some(self)
    }

    fn copied_text(&self, action: Action, _: &Context<'_>) -> Option<String> {
        let text = self.text.as_ref()?;
        matches!(action, Action::CopyRow | Action::CopyValue).then(|| text.line(self.scroll.selected).to_owned())
    }
}

impl List for Source {
    fn parts(&self) -> (&Scroll, &ListFilter) {
        (&self.scroll, &self.list_filter)
    }

    fn parts_mut(&mut self) -> (&mut Scroll, &mut ListFilter) {
        (&mut self.scroll, &mut self.list_filter)
    }

    fn row_source(&self, _: &Context<'_>) -> Option<list_filter::RowSource> {
        let text = Arc::clone(self.text.as_ref()?);
        Some(Arc::new(move |_| {
            let text = Arc::clone(&text);
            Some(Rows::new("", Vec::new(), text.lines(), move |line| Row::plain(vec![Cell::new(text.line(line))])))
        }))
    }

    fn unavailable_reason(&self, cx: &Context<'_>) -> String {
        no_text_reason(cx)
    }

    fn can_filter(&self) -> bool {
        false
    }
}
