//! The rows of the source pane: numbers, marks and texts of lines, and spans where there is no text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Source;
use crate::panes::ghost::coloured;
use crate::panes::pane::Context;
use crate::state::selection::LineSpan;
use crate::state::texts::Text;
use crate::ui::code_line::{Line, indentation, wrapped};
use crate::ui::grid::{Mark, fill_row};
use crate::ui::text::{put, put_right, width};
use crate::ui::theme::{Look, Role};
use crate::ui::tree::ListState;
use pdblens_query::breakpoint::{LinePart, Sign};
use pdblens_session::source::HashVerdict;

impl Source {
    /// Draws the samples and the number of a line and the marks in its margin, on the first line of `whole`; returns the area of the text.
    fn draw_margin(
        &self,
        whole: Rect,
        (line, at_cursor, linked): (u32, bool, bool),
        buf: &mut Buffer,
        cx: &Context<'_>,
    ) -> Rect {
        let (look, theme, y) = (&cx.look, cx.look.theme, whole.y);
        let gutter = self.gutter().min(whole.width);
        let number = match linked || at_cursor {
            // Without colours, the lines of the selection have bars too: the number of the cursor's line is reversed.
            true if at_cursor && theme.of(Role::Related).bg.is_none() => Role::Cursor,
            true => Role::Strong,
            false => Role::Mute,
        };
        put_right(buf, whole.x, y, whole.x + gutter - 3.min(gutter), &line.to_string(), theme.of(number), look.glyphs);
        if let Some(count) = self.samples.get(&line) {
            let (figure, role) =
                if count.samples > 0 { (count.samples, Role::Strong) } else { (count.total, Role::Mute) };
            let end = whole.x + self.samples_width().min(gutter);
            put_right(buf, whole.x + 1, y, end, &figure.to_string(), theme.of(role), look.glyphs);
        }
        let about = self.document.and_then(|document| cx.texts.info.get(document));
        let verdict = about.and_then(|about| about.verdict(line));
        let sign = verdict.and_then(|found| if at_cursor { Some(found.sign()) } else { found.sign_of_line() });
        if gutter > 2
            && let Some(sign) = sign
        {
            let role = match sign {
                Sign::Stops | Sign::Setting if linked => Role::Accent,
                Sign::Stops | Sign::Setting => Role::Text,
                Sign::Never if self.is_doubtful() => Role::Warn,
                Sign::Moves | Sign::Never => Role::Mute,
            };
            let sign = look.glyphs.breakpoint(sign);
            put(buf, whole.x + gutter - 2, y, whole.right(), sign, theme.of(role), look.glyphs);
        }
        for y in whole.y..whole.bottom() {
            let row = Rect { y, height: 1, ..whole };
            if at_cursor {
                fill_row(buf, row, Mark::Related, look);
            } else if linked && let Some(lines) = cx.selected.lines {
                let bar = if self.text.is_some() { bar_of(lines, line, look) } else { look.glyphs.bar };
                buf.set_stringn(row.x, y, bar, 1, theme.of(Role::Accent));
            }
        }
        Rect { x: whole.x + gutter, width: whole.width - gutter, ..whole }
    }

    /// Verdict on a line without code: the line that a breakpoint moves to.
    fn target(&self, line: u32, cx: &Context<'_>) -> Option<String> {
        let verdict = cx.texts.info.get(self.document?)?.verdict(line)?;
        if matches!(verdict.line, LinePart::Moves(_)) { Some(verdict.words()) } else { None }
    }

    fn is_doubtful(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.verdict == HashVerdict::Differs)
    }

    /// The row that wraps: that of the cursor, or without the focus, of the selection.
    fn wrapping(&self, list: &ListState, cx: &Context<'_>) -> Option<usize> {
        let lines = cx.selected.lines.filter(|_| !cx.look.focused);
        let of_selection = lines.map(|lines| self.row_of(lines));
        of_selection.or_else(|| cx.look.focused.then_some(list.grid.scroll.selected))
    }

    /// The rows that are drawn, each with its lines. Where the one that wraps would end below `area`, the first ones are left out.
    pub(super) fn placed(&self, area: Rect, list: &ListState, cx: &Context<'_>) -> Vec<(usize, Rect)> {
        let wraps = self.wrapping(list, cx);
        let wide = area.width.saturating_sub(self.gutter());
        let height = |row: usize| match (&self.text, &self.ghost) {
            _ if wraps != Some(row) => 1,
            (Some(text), _) => wrapped(text.line(row), self.shift(list), wide.into()).len() as u16,
            (None, ghost) => ghost.as_ref().map_or(1, |ghost| ghost.height(row, wide, cx.session)),
        };
        let mut rows: Vec<(usize, u16)> = list.grid.scroll.window().map(|row| (row, height(row))).collect();
        let upto = rows.iter().position(|(row, _)| wraps == Some(*row)).unwrap_or(0);
        let taken: u16 = rows.iter().take(upto + 1).map(|(_, height)| height).sum();
        rows.drain(..usize::from(taken.saturating_sub(area.height)).min(upto));
        let mut y = area.y;
        let place = |(row, height): (usize, u16)| {
            let lines = Rect { y, height: height.min(area.bottom().saturating_sub(y)), ..area };
            y = y.saturating_add(height).min(area.bottom());
            (row, lines)
        };
        rows.into_iter().map(place).filter(|(_, lines)| lines.height > 0).collect()
    }

    /// Draws a row on its lines.
    pub(super) fn draw_row(&self, whole: Rect, row: usize, buf: &mut Buffer, list: &ListState, cx: &Context<'_>) {
        let at_cursor = has_cursor(row, list, cx);
        match (&self.text, &self.ghost) {
            (Some(text), _) => {
                let line = row as u32 + 1;
                let linked = cx.selected.lines.is_some_and(|lines| (lines.start..=lines.end).contains(&line));
                let body = self.draw_margin(whole, (line, at_cursor, linked), buf, cx);
                self.draw_text(body, (row, line), text, buf, list, cx);
                let room = usize::from(body.width).saturating_sub(width(text.line(row)) + 2);
                let target = if at_cursor { self.target(line, cx) } else { None };
                if let Some(target) = target.filter(|target| width(target) <= room) {
                    let mute = cx.look.theme.of(Role::Mute);
                    put_right(buf, body.x, body.y, body.right(), &target, mute, cx.look.glyphs);
                }
            }
            (None, Some(ghost)) => {
                let chosen = ghost.is_chosen(row, cx.selected.lines);
                let body = if ghost.is_point(row) {
                    self.draw_margin(whole, (ghost.line(row), at_cursor, chosen), buf, cx)
                } else {
                    if at_cursor {
                        fill_row(buf, whole, Mark::Related, &cx.look);
                    }
                    let gutter = self.gutter().min(whole.width);
                    Rect { x: whole.x + gutter, width: whole.width - gutter, ..whole }
                };
                ghost.draw(row, body, buf, (self.left, chosen), (cx.session, &cx.look));
            }
            (None, None) => {}
        }
    }

    /// Draws the text of a line, `(index, number)`, with its marked part.
    fn draw_text(
        &self,
        body: Rect,
        (index, line): (usize, u32),
        text: &Text,
        buf: &mut Buffer,
        list: &ListState,
        cx: &Context<'_>,
    ) {
        if body.width == 0 {
            return;
        }
        let (look, theme) = (&cx.look, cx.look.theme);
        let marked = cx.selected.lines.and_then(|lines| columns_of(lines, line));
        // Lines after the first are marked from the start of their text.
        let content = text.line(index);
        let first = content.encode_utf16().take_while(|unit| matches!(unit, 0x20 | 9)).count() as u32 + 1;
        let marked = marked.map(|(from, to)| (if from == 1 { first } else { from }, to));
        let pieces = self.document.map_or(&[][..], |document| cx.texts.highlighting(document, index));
        let colour = |byte: usize| {
            let piece = pieces.partition_point(|(end, _)| *end as usize <= byte);
            coloured(pieces.get(piece).map_or(Role::Text, |(_, role)| *role), look)
        };
        // On the cursor's line, which has the background of a selection, the selection has that of the cursor.
        let is_regrounded =
            has_cursor(index, list, cx) && !self.is_doubtful() && theme.of(Role::Span).bg.is_some() && marked.is_some();
        let wraps = body.height > 1;
        let lines =
            if wraps { wrapped(content, self.shift(list), body.width.into()) } else { vec![(self.shift(list), 0)] };
        for ((left, hanging), y) in lines.into_iter().zip(body.y..body.bottom()) {
            let hanging = hanging as u16;
            let place = Rect { x: body.x + hanging, y, width: body.width - hanging, height: 1 };
            // A line that is indented less than what is left out begins at the edge.
            let left = if hanging > 0 { left } else { left.min(self.left + indentation(content).unwrap_or(0)) };
            let shown = Line { text: content, left, marked, doubtful: self.is_doubtful() };
            shown.draw(buf, place, look, (!wraps, &colour));
            if is_regrounded {
                shown.reground(buf, place, theme.of(Role::Cursor));
            }
        }
        list.grid.list_filter.highlight(buf, body, None, look);
    }
}

pub(super) fn has_cursor(row: usize, list: &ListState, cx: &Context<'_>) -> bool {
    cx.look.focused && row == list.grid.scroll.selected
}

/// The columns that `lines` covers in a line.
pub(crate) fn columns_of(lines: LineSpan, line: u32) -> Option<(u32, u32)> {
    if !(lines.start..=lines.end).contains(&line) {
        return None;
    }
    let (first, last) = lines.columns?;
    Some((if line == lines.start { first } else { 1 }, if line == lines.end { last } else { u32::MAX }))
}

/// The bar in the margin of a covered line: its ends are visible without colour.
pub(crate) fn bar_of(lines: LineSpan, line: u32, look: &Look<'_>) -> &'static str {
    match (line == lines.start, line == lines.end) {
        (true, false) => look.glyphs.bar_begins,
        (false, true) => look.glyphs.bar_ends,
        _ => look.glyphs.bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_over_several_lines_marks_each_of_them() {
        let lines = LineSpan { start: 3, end: 5, columns: Some((9, 4)) };
        let seen: Vec<_> = (2..=6).map(|line| columns_of(lines, line)).collect();
        assert_eq!(seen, [None, Some((9, u32::MAX)), Some((1, u32::MAX)), Some((1, 4)), None]);
    }
}
