//! Text measured and cut in terminal cells.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::ui::cut::fit_name;
use crate::ui::glyphs::Glyphs;
use crate::ui::theme::{Look, Role};
use pdblens_session::text::safe::{is_plain, visible};

/// Width of a text in cells, after it is made safe to show.
pub fn width(text: &str) -> usize {
    match single_cells(text) {
        Some(cells) => cells,
        None => visible(text).width(),
    }
}

/// Width in cells of a text that is safe to show.
pub(super) fn cells(text: &str) -> usize {
    single_cells(text).unwrap_or_else(|| text.width())
}

/// Number of characters of a text that are all [single](is_single).
fn single_cells(text: &str) -> Option<usize> {
    if is_plain(text) {
        return Some(text.len());
    }
    text.chars().try_fold(0, |cells, c| is_single(c).then_some(cells + 1))
}

/// Returns whether a character is certainly shown in one cell of its own, whatever is beside it: most of the text and the signs on a
/// screen, for which the tables of Unicode are not needed.
fn is_single(c: char) -> bool {
    matches!(c,
        ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{2ff}' | '\u{391}'..='\u{3ff}' | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205e}' | '\u{2190}'..='\u{22ff}' | '\u{2500}'..='\u{25fc}')
}

/// Longer paths, in cells, are cut at the end.
const PATH: usize = 300;

/// A path cut at the start, after a separator where possible, as paths differ in the file name; a name cut in the middle.
pub fn fit_path<'t>(text: &'t str, most: usize, glyphs: &Glyphs) -> Cow<'t, str> {
    let (head, cut) = head(text, PATH);
    // A sentence may begin with a path.
    let file = head.rsplit(['/', '\\']).next().unwrap_or(head);
    let is_path = (head.starts_with('/') || head.get(1..3) == Some(":\\")) && !file.contains(' ');
    // Arguments of a command can begin with a slash too.
    let is_path = is_path && !head.contains(" /");
    let path = visible(head);
    if !is_path || cut || cells(&path) <= most || most <= glyphs.more.width() {
        return fit_name(text, most, glyphs);
    }
    let end = end_within(&path, most - glyphs.more.width());
    // Start after a separator, unless there is none.
    let step = end.find(['/', '\\']).filter(|step| *step + 1 < end.len()).unwrap_or(0);
    Cow::Owned(format!("{}{}", glyphs.more, &end[step..]))
}

/// A text of a tree cut to `most` cells: the sign and the number of its row stay, and of a path or of a name after a number the end.
pub fn fit_tree<'t>(text: &'t str, most: usize, glyphs: &Glyphs) -> Cow<'t, str> {
    let rest = text.trim_start();
    let rest = [glyphs.open, glyphs.closed].into_iter().find_map(|sign| rest.strip_prefix(sign)).unwrap_or(rest);
    let numbered = rest.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = numbered.len() < rest.trim_start().len() && numbered.starts_with(' ');
    let rest = if is_numbered { numbered } else { rest };
    let (lead, rest) = text.split_at(text.len() - rest.trim_start().len());
    if lead.is_empty() || text.len() > PATH {
        return fit_path(text, most, glyphs);
    }
    let room = most.saturating_sub(cells(lead));
    let end = match is_numbered && !rest.contains(' ') {
        true => fit_end(rest, room, glyphs),
        false => fit_path(rest, room, glyphs),
    };
    Cow::Owned(format!("{lead}{end}"))
}

/// A short text cut at its start.
fn fit_end<'t>(text: &'t str, most: usize, glyphs: &Glyphs) -> Cow<'t, str> {
    let text = visible(text);
    if cells(&text) <= most || most <= glyphs.more.width() {
        return text;
    }
    Cow::Owned(format!("{}{}", glyphs.more, end_within(&text, most - glyphs.more.width())))
}

/// A text made safe to show and cut to `most` cells, with `…` at the end.
pub fn fit<'t>(text: &'t str, most: usize, glyphs: &Glyphs) -> Cow<'t, str> {
    // Only the start of a long text can show: the rest is not examined.
    let (head, cut) = head(text, most);
    let text = visible(head);
    if !cut && cells(&text) <= most {
        return text;
    }
    let more = if most > 0 { glyphs.more } else { "" };
    Cow::Owned(format!("{}{more}", start_within(&text, most.saturating_sub(glyphs.more.width()))))
}

/// The longest start of a text, in whole characters, that has at most `most` cells when it is made safe to show.
pub fn start_within(text: &str, most: usize) -> &str {
    if is_plain(text) {
        return &text[..text.len().min(most)];
    }
    let mut room = most;
    let cut = text.grapheme_indices(true).find(|(_, part)| match room.checked_sub(width(part)) {
        Some(left) => {
            room = left;
            false
        }
        None => true,
    });
    cut.map_or(text, |(at, _)| &text[..at])
}

/// The longest end of a text, in whole characters, that has at most `most` cells when it is made safe to show.
pub fn end_within(text: &str, most: usize) -> &str {
    if is_plain(text) {
        return &text[text.len().saturating_sub(most)..];
    }
    let (mut room, mut from) = (most, text.len());
    for (at, part) in text.grapheme_indices(true).rev() {
        let Some(left) = room.checked_sub(width(part)) else { break };
        (room, from) = (left, at);
    }
    &text[from..]
}

/// A text cut at the start so that the match of `len` bytes at `at` is visible in `most` cells.
pub fn from_mark<'t>(text: &'t str, (at, len): (usize, usize), most: usize, glyphs: &Glyphs) -> Cow<'t, str> {
    let piece = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let near = at < most.saturating_mul(16);
    if near && width(piece(0, at + len)) + usize::from(at + len < text.len()) <= most {
        return Cow::Borrowed(text);
    }
    let more = width(glyphs.more);
    // Text before the match takes the space that the text after it leaves, at least half of the rest.
    let behind = width(head(piece(at, text.len()), most).0);
    let room = most.saturating_sub(more + behind).max(most.saturating_sub(width(piece(at, at + len)) + 2 * more) / 2);
    let from = at - end_within(piece(0, at), room).len();
    Cow::Owned(format!("{}{}", glyphs.more, piece(from, text.len())))
}

/// The start of `text` that `cells` can show at most, and whether it was cut.
fn head(text: &str, cells: usize) -> (&str, bool) {
    let most = cells.saturating_mul(16).saturating_add(64);
    if text.len() <= most {
        return (text, false);
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    (&text[..end], true)
}

/// Writes a text from `(x, y)` up to `end`; returns the x position after it.
pub fn put(buf: &mut Buffer, x: u16, y: u16, end: u16, text: &str, style: Style, glyphs: &Glyphs) -> u16 {
    if x >= end || !buf.area.contains((x, y).into()) {
        return x;
    }
    let most = (end - x) as usize;
    set(buf, x, y, &fit(text, most, glyphs), most, style)
}

/// Writes the start of a text into at most `most` cells from `(x, y)`; returns the x position after it.
pub fn set(buf: &mut Buffer, x: u16, y: u16, text: &str, most: usize, style: Style) -> u16 {
    if single_cells(text).is_none() || !buf.area.contains((x, y).into()) {
        return buf.set_stringn(x, y, text, most, style).0;
    }
    let (at, room) = (buf.index_of(x, y), usize::from(buf.area.right() - x).min(most));
    let mut end = x;
    for (cell, c) in buf.content[at..].iter_mut().zip(text.chars().take(room)) {
        cell.set_char(c).set_style(style);
        end += 1;
    }
    end
}

/// Changes the style of all cells of an area.
pub fn set_style(buf: &mut Buffer, area: Rect, style: Style) {
    let area = buf.area.intersection(area);
    if area.is_empty() || style == Style::new() {
        return;
    }
    for y in area.top()..area.bottom() {
        let at = buf.index_of(area.x, y);
        buf.content[at..at + usize::from(area.width)].iter_mut().for_each(|cell| {
            cell.set_style(style);
        });
    }
}

/// Writes a text that ends at `end`; nothing where it does not fit after `x`. Returns its x position.
pub fn put_right(buf: &mut Buffer, x: u16, y: u16, end: u16, text: &str, style: Style, glyphs: &Glyphs) -> u16 {
    let wide = width(text);
    if wide > end.saturating_sub(x) as usize {
        return end;
    }
    let start = end - wide as u16;
    put(buf, start, y, end, text, style, glyphs);
    start
}

/// Breaks a text, made safe to show, into lines of at most `most` cells; longer words are broken after separators.
pub fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    // Made safe first: a tab or line break in a name does not separate words.
    for word in visible(text).split_whitespace() {
        let full = lines.last().is_some_and(|line| !line.is_empty() && cells(line) + 1 + cells(word) > most);
        if full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut().filter(|line| !line.is_empty()) {
            line.push(' ');
        }
        if cells(word) <= most || most == 0 {
            lines.last_mut().into_iter().for_each(|line| line.push_str(word));
            continue;
        }
        let mut rest = word;
        while !rest.is_empty() {
            // The line is empty here.
            let (head, tail) = rest.split_at(break_at(rest, most));
            lines.last_mut().into_iter().for_each(|line| line.push_str(head));
            if !tail.is_empty() {
                lines.push(String::new());
            }
            rest = tail;
        }
    }
    lines
}

/// Breaks a text, made safe to show, into lines of `most` cells without regard to words.
pub fn wrap_anywhere(text: &str, most: usize) -> Vec<String> {
    let text = visible(text);
    let (mut lines, mut rest) = (Vec::new(), &*text);
    while !rest.is_empty() {
        let line = start_within(rest, most);
        // A character wider than the line has a line of its own.
        let line = if line.is_empty() { rest.graphemes(true).next().unwrap_or(rest) } else { line };
        lines.push(line.to_owned());
        rest = &rest[line.len()..];
    }
    lines
}

/// The first lines of a long text.
pub fn wrap_head(text: &str, most: usize) -> Vec<String> {
    wrap(head(text, 120).0, most)
}

/// Byte offset where a long word is broken: after the last separator that fits, or at the limit.
fn break_at(word: &str, most: usize) -> usize {
    let (mut used, mut full, mut mark) = (0, 0, 0);
    for (at, part) in word.grapheme_indices(true) {
        used += cells(part);
        if used > most && at > 0 {
            break;
        }
        full = at + part.len();
        if part.ends_with(['/', '\\', '.', ',', '-', '_', '>', '(', '+']) {
            mark = full;
        }
    }
    // A separator near the start would leave the line nearly empty.
    if full < word.len() && mark * 2 > full { mark } else { full }
}

/// Draws a dimmed paragraph at the top of a pane that has nothing else to show.
pub fn put_note(buf: &mut Buffer, area: Rect, text: &str, look: &Look<'_>) {
    let lines = wrap(text, area.width.saturating_sub(3) as usize);
    for (y, line) in (area.y..area.bottom()).zip(&lines) {
        put(buf, area.x + 1, y, area.right(), line, look.theme.of(Role::Dim), look.glyphs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::glyphs::UNICODE;

    #[test]
    fn single_characters_take_a_cell_and_join_no_others() {
        let all: Vec<char> = ('\0'..=char::MAX).filter(|c| is_single(*c)).collect();
        for c in &all {
            let text = c.to_string();
            assert!(text.width() == 1 && visible(&text) == text, "{c:?}");
            for other in ["a".to_owned(), text.clone(), "\u{2194}".to_owned()] {
                let pair = format!("{other}{c}");
                assert_eq!((pair.graphemes(true).count(), pair.width()), (2, 2), "{pair:?}");
            }
        }
        let text: String = all.iter().collect();
        assert_eq!((text.graphemes(true).count(), width(&text), cells(&text)), (all.len(), all.len(), all.len()));
    }

    #[test]
    fn paths_are_cut_at_their_start_and_arguments_at_their_end() {
        assert_eq!(fit_tree("/src/build/objects/main.obj", 18, &UNICODE), "…/objects/main.obj");
        assert_eq!(fit_tree("/nologo /debug /out:parcel.exe /dll", 20, &UNICODE), "/nologo /debug /out…");
    }

    #[test]
    fn texts_are_written_as_the_buffer_writes_them() {
        let style = Style::new().fg(ratatui::style::Color::Red);
        for text in ["", "plain", "δ → größe", "日本x", "a\u{301}b", "x\u{200b}y", "tab\there"] {
            for (x, most) in [(0, 9), (3, 2), (7, 9), (8, 9), (2, 0)] {
                let area = Rect::new(0, 0, 8, 2);
                let (mut ours, mut theirs) = (Buffer::empty(area), Buffer::empty(area));
                let end = if x < 8 { theirs.set_stringn(x, 1, text, most, style).0 } else { x };
                assert_eq!(if x < 8 { set(&mut ours, x, 1, text, most, style) } else { x }, end, "{text:?} {x} {most}");
                assert_eq!(ours, theirs, "{text:?} {x} {most}");
                set_style(&mut ours, Rect::new(x, 0, 3, 2), style);
                theirs.set_style(Rect::new(x, 0, 3, 2), style);
                assert_eq!(ours, theirs);
            }
        }
    }

    #[test]
    fn text_is_cut_by_cells_and_never_through_a_character() {
        assert_eq!(fit("Main", 4, &UNICODE), "Main");
        assert_eq!(fit("MainLoop", 5, &UNICODE), "Main…");
        assert_eq!(fit("日本語", 4, &UNICODE), "日…");
        assert_eq!(fit("e\u{301}tude", 3, &UNICODE), "e\u{301}t…");
        assert_eq!(fit("x", 0, &UNICODE), "");
        assert_eq!(fit("a\x1b[2J", 20, &UNICODE), "a\\x1b[2J");
        assert_eq!(fit(&"a".repeat(10_000_000), 3, &UNICODE), "aa…");
    }

    #[test]
    fn what_is_looked_for_shows_however_narrow_it_is() {
        let text = "System.Collections.Generic.IEnumerator.Reset";
        let seen =
            |mark: (usize, usize), most| fit(&from_mark(text, mark, most, &UNICODE), most, &UNICODE).into_owned();
        assert_eq!(seen((0, 6), 16), "System.Collecti…");
        assert_eq!(seen((7, 8), 16), "System.Collecti…");
        assert_eq!(seen((39, 5), 16), "…numerator.Reset");
        assert_eq!(seen((27, 11), 16), "….IEnumerator.R…");
        assert_eq!(seen((27, 11), 8), "…IEnume…");
        assert_eq!(seen((39, 5), 80), text);
        assert_eq!(seen((39, 5), 0), "");
    }

    #[test]
    fn words_are_wrapped() {
        assert_eq!(wrap("how far the line moves", 8), ["how far", "the line", "moves"]);
        assert_eq!(wrap("a\tb is not there", 7), ["a\\tb is", "not", "there"]);
        assert_eq!(wrap("a 0123456789 b", 4), ["a", "0123", "4567", "89 b"]);
        assert!(wrap_head(&"x".repeat(1 << 20), 10).len() < 500);
        assert_eq!(wrap("at https://a.example/b c", 9), ["at", "https://", "a.example", "/b c"]);
        assert_eq!(wrap("日本語", 2), ["日", "本", "語"]);
        assert_eq!(wrap_anywhere("日本語 abc", 5), ["日本", "語 ab", "c"]);
        assert_eq!(wrap_anywhere("日本", 1), ["日", "本"]);
    }
}
