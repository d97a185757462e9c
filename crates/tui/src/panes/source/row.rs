//! The rows of the source pane: numbers, marks and texts of lines, and spans where there is no text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::Source;
use super::line::{Line, bar_of, columns_of, cut_text};
use crate::panes::pane::Context;
use crate::state::texts::Text;
use crate::ui::grid::{Mark, fill_row};
use crate::ui::text::{put, put_right, width};
use crate::ui::theme::Role;
use pdblens_query::breakpoint::{LinePart, Sign};
use pdblens_session::source::HashVerdict;

impl Source {
    /// Draws the number of a line and the marks in its margin; returns the area of the text.
    fn draw_margin(&self, whole: Rect, (line, at_cursor): (u32, bool), buf: &mut Buffer, cx: &Context<'_>) -> Rect {
        let (look, theme, y) = (&cx.look, cx.look.theme, whole.y);
        let gutter = self.gutter().min(whole.width);
        let linked = cx.selected.lines.is_some_and(|lines| (lines.start..=lines.end).contains(&line));
        let number = match linked || at_cursor {
            // Without colours, the lines of the selection have bars too: the number of the cursor's line is reversed.
            true if at_cursor && theme.of(Role::Related).bg.is_none() => Role::Cursor,
            true => Role::Strong,
            false => Role::Mute,
        };
        put_right(buf, whole.x, y, whole.x + gutter - 2.min(gutter), &line.to_string(), theme.of(number), look.glyphs);
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
        if at_cursor {
            fill_row(buf, whole, Mark::Related, look);
            buf.set_style(whole, theme.of(Role::Related));
        } else if linked && let Some(lines) = cx.selected.lines {
            buf.set_stringn(whole.x, y, bar_of(lines, line, look), 1, theme.of(Role::Accent));
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

    /// Draws a row; returns all that the row of the cursor says, if it is cut.
    pub(super) fn draw_row(&self, whole: Rect, row: usize, buf: &mut Buffer, cx: &Context<'_>) -> Option<String> {
        let at_cursor = self.has_cursor(row, cx);
        match (&self.text, &self.ghost) {
            (Some(text), _) => {
                let line = row as u32 + 1;
                let body = self.draw_margin(whole, (line, at_cursor), buf, cx);
                self.draw_text(body, (row, line), text, buf, cx);
                let room = usize::from(body.width).saturating_sub(width(text.line(row)) + 2);
                let target = if at_cursor { self.target(line, cx) } else { None };
                if let Some(target) = target.filter(|target| width(target) <= room) {
                    let mute = cx.look.theme.of(Role::Mute);
                    put_right(buf, body.x, body.y, body.right(), &target, mute, cx.look.glyphs);
                }
                if at_cursor { cut_text(text.line(row), self.left, body.width.into()) } else { None }
            }
            (None, Some(ghost)) => {
                let mut body = Rect { x: whole.x + self.gutter().min(whole.width), ..whole };
                body.width = whole.right() - body.x;
                if ghost.is_line(row) {
                    body = self.draw_margin(whole, (ghost.line(row), at_cursor), buf, cx);
                } else if at_cursor {
                    fill_row(buf, whole, Mark::Related, &cx.look);
                }
                let selected = cx.selected.lines;
                let is_whole = ghost.draw(row, body, buf, (self.left, selected), (cx.session, &cx.look));
                if at_cursor && !is_whole {
                    ghost.whole(row, selected, cx.session).map(|whole| whole.replace('\t', "  "))
                } else {
                    None
                }
            }
            (None, None) => None,
        }
    }

    pub(super) fn has_cursor(&self, row: usize, cx: &Context<'_>) -> bool {
        cx.look.focused && row == self.grid.scroll.selected
    }

    /// Draws the text of a line, `(index, number)`, with its marked part.
    fn draw_text(&self, body: Rect, (index, line): (usize, u32), text: &Text, buf: &mut Buffer, cx: &Context<'_>) {
        if body.width == 0 {
            return;
        }
        let (look, theme) = (&cx.look, cx.look.theme);
        let marked = cx.selected.lines.and_then(|lines| columns_of(lines, line));
        // Lines after the first are marked from the start of their text.
        let content = text.line(index);
        let first = content.encode_utf16().take_while(|unit| matches!(unit, 0x20 | 9)).count() as u32 + 1;
        let marked = marked.map(|(from, to)| (if from == 1 { first } else { from }, to));
        let shown = Line { text: content, left: self.left, marked, doubtful: self.is_doubtful() };
        let pieces = self.document.map_or(&[][..], |document| cx.texts.highlighting(document, index));
        let colour = |byte: usize| {
            let piece = pieces.partition_point(|(end, _)| *end as usize <= byte);
            pieces.get(piece).map_or(Style::new(), |(_, role)| theme.of(*role))
        };
        shown.draw(buf, body, look, &colour);
        self.grid.list_filter.highlight(buf, body, None, look);
        let at_cursor = self.has_cursor(index, cx);
        if at_cursor && !shown.doubtful && theme.of(Role::Span).bg.is_some() && marked.is_some() {
            // On the cursor's line, which has the background of a selection, the selection has that of the cursor.
            shown.reground(buf, body, theme.of(Role::Cursor));
        }
    }
}
