//! The Source pane: the text of a document, the selected range, and marks where points begin.

mod empty;
mod row;

use std::collections::HashMap;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use self::empty::{content_width, empty_state, no_text_reason};
use self::row::has_cursor;
use crate::engine::action::Action;
use crate::panes::ghost::Ghost;
use crate::panes::list_pane::{self, Shows};
use crate::panes::pane::{Context, Facts, Pane};
use crate::state::effect::Effect;
use crate::state::selection::{LineSpan, Selection};
use crate::state::texts::{Text, TextState};
use crate::state::view::View;
use crate::ui::code_line::{TAB, cell_of, glyphs, indentation};
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::layout::ContentSize;
use crate::ui::list_filter::{ListFilter, RowSource};
use crate::ui::tree::ListState;
use pdblens_nodes::method::MethodView;
use pdblens_nodes::rows::{Cell, Row, Rows, Tone};
use pdblens_nodes::{Place, code_unit, document};
use pdblens_query::breakpoint::{self, LineQuery};
use pdblens_query::samples::{self, Count};
use pdblens_session::session::Session;
use pdblens_session::source::HashVerdict;
use pdblens_session::text::paths::file_name;

/// Rows that the reason takes why there is no text.
const REASON_HEIGHT: u16 = 9;

#[derive(Default)]
struct Source {
    /// Cells that are scrolled out on the left.
    left: usize,
    size: Size,
    document: Option<u32>,
    text: Option<Arc<Text>>,
    /// The spans of the document, where it has no text.
    ghost: Option<Ghost>,
    /// UTF-16 column of the last click, from 1.
    column: Option<u32>,
    /// Samples of the lines of the document, if it has any.
    samples: HashMap<u32, Count>,
}

pub fn new() -> Box<dyn Pane> {
    list_pane::new(Grid::default(), Source::default())
}

impl Source {
    /// Width of the samples before the line numbers, without the bar.
    fn samples_width(&self) -> u16 {
        let figure = |count: &Count| if count.samples > 0 { count.samples } else { count.total };
        let digits = self.samples.values().filter_map(|count| figure(count).checked_ilog10()).max();
        digits.map_or(0, |digits| digits as u16 + 2)
    }

    /// Width of the line numbers with bar, gap and samples.
    fn gutter(&self) -> u16 {
        let last = self.ghost.as_ref().map_or(1, Ghost::last_line);
        let last = self.text.as_ref().map_or(last as usize, |text| text.lines());
        let digits = last.max(1).ilog10() + 1;
        digits.max(3) as u16 + 4 + self.samples_width()
    }

    fn line(&self, list: &ListState) -> u32 {
        let row = list.grid.scroll.selected;
        self.ghost.as_ref().map_or(row as u32 + 1, |ghost| ghost.line(row))
    }

    fn row(&self, line: u32) -> usize {
        self.ghost.as_ref().map_or(line.saturating_sub(1) as usize, |ghost| ghost.row(line))
    }

    fn row_of(&self, lines: LineSpan) -> usize {
        self.ghost.as_ref().map_or_else(|| self.row(lines.start), |ghost| ghost.row_of(lines))
    }

    /// Cells that are not drawn: those that are scrolled out, and what all visible lines are indented by.
    fn shift(&self, list: &ListState) -> usize {
        let Some(text) = &self.text else { return self.left };
        let shared = list.grid.scroll.window().filter_map(|row| indentation(text.line(row))).min();
        self.left + shared.unwrap_or(0)
    }

    const fn is_empty(&self) -> bool {
        self.text.is_none() && self.ghost.is_none()
    }

    /// Takes the text that is known, or the spans where there is none; returns whether it is another one than before.
    fn take_text(&mut self, list: &mut ListState, cx: &Context<'_>) -> bool {
        let document = cx.selected.document;
        if document != self.document {
            (self.left, list.grid.scroll.top) = (0, 0);
        }
        let loaded = document.and_then(|row| cx.texts.get(row));
        let text = match loaded {
            Some(TextState::Found(text)) => Some(Arc::clone(text)),
            _ => None,
        };
        let info = if matches!(loaded, Some(TextState::NotFound(_))) { document } else { None };
        let info = info.and_then(|row| cx.texts.info.get(row));
        let same_text = match (&text, &self.text) {
            (Some(new), Some(old)) => Arc::ptr_eq(new, old),
            (new, old) => new.is_some() == old.is_some(),
        };
        let same_ghost = match (info, &self.ghost) {
            (Some(info), Some(ghost)) => ghost.is_of(info),
            (info, ghost) => ghost.is_none() && info.is_none_or(|info| info.coverage.is_empty()),
        };
        if document == self.document && same_text && same_ghost {
            return false;
        }
        let line = if document == self.document { self.line(list) } else { 1 };
        if document != self.document {
            let lines = samples::of(cx.session).zip(document).map(|(samples, row)| samples.of_document(row));
            self.samples = lines.into_iter().flatten().map(|line| (line.line, line.count)).collect();
        }
        (self.document, self.text, list.grid.list_filter) = (document, text, ListFilter::default());
        if !same_ghost {
            self.ghost = info.and_then(Ghost::of);
        }
        let rows = self.ghost.as_ref().map_or(0, Ghost::len);
        list.grid.scroll.set_len(self.text.as_ref().map_or(rows, |text| text.lines()));
        list.grid.scroll.select(self.row(line));
        true
    }

    /// The point of the current method that begins on the cursor's line or covers it.
    fn point_here(&self, list: &ListState, cx: &Context<'_>) -> Option<usize> {
        let view = cx.selected.method.as_deref()?;
        point_at(view, self.document?, self.line(list), self.column, cx.selected.point)
    }

    fn reveal_column(&mut self, list: &ListState, line: u32, column: u32) {
        let room = self.size.width.saturating_sub(self.gutter()) as usize;
        // A pane without room, behind one that has the whole screen, shows its lines from their start once it has some.
        if room == 0 {
            return;
        }
        let cell = match &self.text {
            Some(text) => cell_of(text.line(line.saturating_sub(1) as usize), column),
            // A statement is dedented, and wraps.
            None => 0,
        };
        let cell = cell.saturating_sub(self.shift(list) - self.left);
        if cell < self.left || cell + 8 > self.left + room {
            self.left = if cell + 16 < room { 0 } else { cell.saturating_sub(room / 4) };
        }
    }
}

impl Shows for Source {
    fn title(&self, list: &ListState, cx: &Context<'_>) -> Title {
        let name = cx.selected.document.and_then(|row| document::name(cx.session, row)).unwrap_or_default();
        let title = Title::new(if name.is_empty() { "Source" } else { file_name(&name) });
        let glyphs = cx.look.glyphs;
        if let Some(ghost) = &self.ghost {
            let from = match ghost.point(0).filter(|piece| !piece.of.is_native()) {
                Some(_) if cx.session.metadata().is_some() => "reconstructed from IL",
                Some(_) => "lines of its points",
                None => "calls of its code",
            };
            let doubt = ghost.doubt(list.grid.scroll.selected, cx.session).map(|doubt| format!(", {doubt}"));
            let title = title.of(format!("{from}{}{}", doubt.unwrap_or_default(), skipped(cx)));
            let at = format!("{}/{}", self.line(list), ghost.last_line());
            return if cx.look.focused { title.at(at) } else { title };
        }
        let Some(text) = &self.text else { return title };
        let from = text.from.name();
        let title = title.of(match text.verdict {
            HashVerdict::Verified(_) => format!("{} {from}{}", glyphs.ok, skipped(cx)),
            HashVerdict::Differs => format!("{} {from}, text differs", glyphs.bad),
            HashVerdict::CannotTell(_) => format!("{} {from}", glyphs.warn),
        });
        if cx.look.focused { title.at(format!("{}/{}", self.line(list), text.lines())) } else { title }
    }

    fn perform(&mut self, action: Action, list: &mut ListState, cx: &Context<'_>) -> Option<Vec<Effect>> {
        self.column = None;
        match action {
            Action::Left => self.left = self.left.saturating_sub(TAB),
            Action::Right => self.left = self.left.saturating_add(TAB).min(1 << 20),
            Action::Follow if self.is_empty() => {
                return Some(vec![Effect::SetStatus(Tone::Dim, no_text_reason(cx))]);
            }
            Action::Follow => {
                if let Some(piece) = self.ghost.as_ref().and_then(|ghost| ghost.point(list.grid.scroll.selected)) {
                    return Some(vec![Effect::Go(piece.place().into())]);
                }
                let (of, point) = (cx.selected.method.as_ref()?.of, self.point_here(list, cx)?);
                return Some(vec![Effect::Go(of.point(point as u32 + 1).into())]);
            }
            _ => return None,
        }
        Some(Vec::new())
    }

    fn load(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let is_new = self.take_text(list, cx) && list.grid.scroll.height > 0;
        if std::mem::replace(&mut self.size, list.size) == list.size && !is_new {
            return;
        }
        let unseen = list.grid.scroll.height == 0;
        let height = self.area(Rect::from((Position::ORIGIN, self.size)), list, cx).height;
        list.grid.scroll.set_height(height as usize);
        if unseen {
            list.grid.scroll.center();
        }
        if let Some(LineSpan { start, columns: Some((column, _)), .. }) = cx.selected.lines {
            self.reveal_column(list, start, column);
        }
    }

    fn show(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let (Some(lines), scroll) = (cx.selected.lines, &mut list.grid.scroll) else { return };
        // The cursor stays on the name of a method whose first span is selected.
        if self.ghost.as_ref().is_some_and(|ghost| ghost.is_name_of(scroll.selected, lines)) {
            return scroll.reveal(scroll.selected);
        }
        if self.text.is_some() {
            scroll.reveal(self.row(lines.end));
        }
        scroll.reveal(self.row_of(lines));
        if let Some((column, _)) = lines.columns {
            self.reveal_column(list, lines.start, column);
        }
    }

    fn facts(&self, list: &ListState, cx: &Context<'_>) -> Facts {
        let width = content_width(self.ghost.is_some(), cx);
        // Beside code, which then has the room.
        let has_reason = cx.view.view == View::Methods && self.is_empty() && cx.selected.document.is_none();
        let height = if has_reason { REASON_HEIGHT } else { 0 };
        let document = if self.text.is_some() { self.document } else { None };
        Facts {
            content_size: ContentSize { width, height, brief: 0 },
            source_window: document.map(|document| (document, list.grid.scroll.window())),
            ..Facts::default()
        }
    }

    fn empty(&self, _: &ListState, cx: &Context<'_>) -> Option<EmptyState> {
        if self.is_empty() { empty_state(cx) } else { None }
    }

    fn area(&self, pane: Rect, _: &ListState, cx: &Context<'_>) -> Rect {
        let lines = if self.is_empty() { 0 } else { empty::notice_height(pane, cx) };
        Rect { y: pane.y + lines, height: pane.height - lines, ..pane }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, list: &ListState, cx: &Context<'_>) -> Option<Position> {
        if self.is_empty() {
            return None;
        }
        let below = self.area(area, list, cx);
        empty::draw_notice(Rect { height: area.height - below.height, ..area }, buf, cx);
        let mut cursor = None;
        for (row, lines) in self.placed(below, list, cx) {
            self.draw_row(lines, row, buf, list, cx);
            if has_cursor(row, list, cx) {
                cursor = Some(lines.as_position());
            }
        }
        cursor
    }

    fn selection(&self, list: &ListState, cx: &Context<'_>) -> Option<Selection> {
        let document = self.document.filter(|_| !self.is_empty())?;
        if let Some(piece) = self.ghost.as_ref().and_then(|ghost| ghost.point(list.grid.scroll.selected)) {
            return Some(piece.place().into());
        }
        let point = self.point_here(list, cx).zip(cx.selected.method.as_ref());
        let place = match point {
            Some((index, view)) => view.of.point(index as u32 + 1),
            None => elsewhere(cx.session, document, self.line(list), self.column)
                .unwrap_or(Place::Line(document, self.line(list))),
        };
        Some(place.into())
    }

    fn click(&mut self, at: Position, area: Rect, list: &mut ListState, cx: &Context<'_>) -> Option<bool> {
        let below = self.area(area, list, cx);
        let under = self.placed(below, list, cx).into_iter().find(|(_, lines)| lines.contains(at));
        let Some((row, lines)) = under else { return Some(false) };
        list.grid.scroll.selected = row;
        let cell = usize::from(at.x.saturating_sub(area.x + self.gutter())) + self.shift(list);
        let cell = cell + usize::from(at.y - lines.y) * usize::from(below.width.saturating_sub(self.gutter()));
        let text = self.text.as_ref().map(|text| text.line(row));
        self.column =
            text.and_then(|text| glyphs(text).take_while(|glyph| glyph.cell <= cell).last().map(|glyph| glyph.column));
        Some(true)
    }

    fn copied(&self, action: Action, list: &ListState, cx: &Context<'_>) -> Option<String> {
        let row = list.grid.scroll.selected;
        match (&self.text, &self.ghost) {
            _ if !matches!(action, Action::CopyRow | Action::CopyValue) => None,
            (Some(text), _) => Some(text.line(row).to_owned()),
            (None, ghost) => Some(ghost.as_ref()?.text(row, cx.session)),
        }
    }

    fn source(&self, _: &ListState, _: &Context<'_>) -> Option<RowSource> {
        let Some(text) = self.text.clone() else {
            let ghost = self.ghost.clone()?;
            return Some(Arc::new(move |session| {
                let ghost = ghost.clone();
                let (len, row) = (ghost.len(), move |row| Row::plain(vec![Cell::new(ghost.text(row, session))]));
                Some(Rows::new("", Vec::new(), len, row))
            }));
        };
        Some(Arc::new(move |_| {
            let text = Arc::clone(&text);
            Some(Rows::new("", Vec::new(), text.lines(), move |line| Row::plain(vec![Cell::new(text.line(line))])))
        }))
    }
}

/// The reason that the dots of all lines are grey.
fn skipped(cx: &Context<'_>) -> &'static str {
    if breakpoint::why_of_module(cx.session).is_some() { " · Just My Code skips it" } else { "" }
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
    let found = breakpoint::bind(session, &LineQuery::of(document, line, column));
    if found.line != line {
        return None;
    }
    let hit = found.hits.first()?;
    Some(hit.place())
}
