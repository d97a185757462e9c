//! Text that fits, measured as terminals measure it.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::model::text::visible;
use crate::tui::glyphs::Glyphs;

/// How many cells `text` takes once it is made safe to show.
pub fn width(text: &str) -> usize {
    visible(text).width()
}

/// `text`, safe to show, and no wider than `most`: what is cut off becomes `…`.
pub fn fit<'t>(text: &'t str, most: usize, glyphs: &Glyphs) -> Cow<'t, str> {
    // A cell never needs more than this of a long text; looking at the rest would cost what it is long.
    let (head, cut) = head(text, most);
    let text = visible(head);
    if !cut && text.width() <= most {
        return text;
    }
    let room = most.saturating_sub(glyphs.more.width());
    let (mut out, mut used) = (String::new(), 0);
    for part in text.graphemes(true) {
        let wide = part.width();
        if used + wide > room {
            break;
        }
        out.push_str(part);
        used += wide;
    }
    if most > 0 {
        out.push_str(glyphs.more);
    }
    Cow::Owned(out)
}

/// As much of `text` as `cells` could ever show, and whether something is left.
fn head(text: &str, cells: usize) -> (&str, bool) {
    let most = cells.saturating_mul(16).saturating_add(64);
    if text.len() <= most {
        return (text, false);
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    (&text[..end], true)
}

/// Writes `text`, safe to show, from `(x, y)` up to `end`; returns where it stopped.
pub fn put(buf: &mut Buffer, x: u16, y: u16, end: u16, text: &str, style: Style, glyphs: &Glyphs) -> u16 {
    if x >= end || !buf.area.contains((x, y).into()) {
        return x;
    }
    let most = (end - x) as usize;
    buf.set_stringn(x, y, fit(text, most, glyphs), most, style).0
}

/// The same, ending at `end`; nothing where it does not fit behind `x`.
pub fn put_right(buf: &mut Buffer, x: u16, y: u16, end: u16, text: &str, style: Style, glyphs: &Glyphs) -> u16 {
    let wide = width(text);
    if wide > end.saturating_sub(x) as usize {
        return end;
    }
    let start = end - wide as u16;
    put(buf, start, y, end, text, style, glyphs);
    start
}

/// `text` in lines no wider than `most`, broken between words where there are any.
pub fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let full = lines.last().is_some_and(|line| !line.is_empty() && line.width() + 1 + word.width() > most);
        if full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::glyphs::UNICODE;

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
    fn words_are_wrapped() {
        assert_eq!(wrap("how far the line moves", 8), ["how far", "the line", "moves"]);
    }
}
