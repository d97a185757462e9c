//! Text in terminal cells: its width, the two rules by which it is cut, and lines of words.
//!
//! A path loses its front, as files differ in their name, and so does a qualified name if its member has room; of other names, the longest
//! words between brackets lose their middles, then the whole does; a sentence loses its end. Each cut shows an ellipsis.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::ui::glyphs::Glyphs;
use crate::ui::theme::{Look, Role};
use pdblens_session::text::safe::{is_plain, visible};

/// Characters of a text that is wrapped: a large screen has room for them.
const MAX_WRAPPED: usize = 10_000;
/// Bytes of a text up to which it is examined for being a path.
const MAX_PATH: usize = 4096;

/// Width of a text in cells, after it is made safe to show.
pub fn width(text: &str) -> usize {
    if is_plain(text) { text.len() } else { visible(text).width() }
}

/// A text made safe to show and cut to `most` cells at its end.
pub fn fit<'t>(text: &'t str, most: usize, glyphs: &Glyphs) -> Cow<'t, str> {
    // Only the start of a long text can show: the rest is not examined.
    let (head, cut) = head(text, most);
    let text = visible(head);
    if !cut && width(&text) <= most {
        return text;
    }
    let more = if most > 0 { glyphs.more } else { "" };
    Cow::Owned(format!("{}{more}", start_within(&text, most.saturating_sub(glyphs.more.width()))))
}

/// A text cut to `most` cells by the rule of its kind: a path at its front, everything else at its end. The indentation, the sign and the
/// number of a row of a tree stay.
pub fn fit_path<'t>(text: &'t str, most: usize, glyphs: &Glyphs) -> Cow<'t, str> {
    let rest = text.trim_start();
    let rest = [glyphs.open, glyphs.closed].into_iter().find_map(|sign| rest.strip_prefix(sign)).unwrap_or(rest);
    let numbered = rest.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = if numbered.starts_with(' ') { numbered } else { rest }.trim_start();
    let lead = &text[..text.len() - rest.len()];
    let room = most.saturating_sub(width(lead) + glyphs.more.width());
    if room == 0 || width(text) <= most {
        return fit(text, most, glyphs);
    }
    if !is_path(rest) {
        if let Some(end) = end_of_qualified(rest, room) {
            return Cow::Owned(format!("{lead}{}{end}", glyphs.more));
        }
        let Some(name) = shortened(rest, most.saturating_sub(width(lead)), glyphs) else {
            return fit(text, most, glyphs);
        };
        return Cow::Owned(format!("{lead}{name}"));
    }
    let path = visible(rest);
    let end = end_within(&path, room);
    // The path starts after a separator, unless there is none.
    let step = end.find(['/', '\\']).filter(|step| *step + 1 < end.len()).unwrap_or(0);
    Cow::Owned(format!("{lead}{}{}", glyphs.more, &end[step..]))
}

/// An operand cut to `most` cells: the type of its member goes, then the parameters, before the name of the member is cut.
pub fn fit_operand<'t>(text: &'t str, most: usize, glyphs: &Glyphs) -> Cow<'t, str> {
    let fitted = fit_path(text, most, glyphs);
    let start = part_starts(text).and_then(|starts| starts.last().copied()).unwrap_or(0);
    let member = text[start..].split(['(', '<']).next().unwrap_or_default();
    if fitted.contains(member) { fitted } else { fit_path(member, most, glyphs) }
}

/// Returns true for a path, absolute or to a file with an extension; a sentence or a command line may begin with one, and types have separators in their arguments.
fn is_path(text: &str) -> bool {
    if text.len() > MAX_PATH {
        return false;
    }
    let Some(file) = text.rfind(['/', '\\']).map(|at| &text[at..]) else { return false };
    let is_absolute = text.starts_with('/') || text.get(1..3) == Some(":\\");
    if is_absolute {
        return !file.contains(' ') && !text.contains(" /");
    }
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    extension.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.contains([' ', '(', '<'])
}

const EXTENSIONS: [&str; 4] = ["dll", "exe", "pdb", "mdb"];

/// The last parts of a qualified name, such as `Clock.Since(long)` of `Ticker.Clock.Since(long)`, that have room; `None` if none has, or if
/// it is no qualified name.
fn end_of_qualified(text: &str, room: usize) -> Option<&str> {
    if text.len() > MAX_PATH {
        return None;
    }
    let starts = part_starts(text)?;
    let last = &text[*starts.last()?..];
    // A file name: its extension says little.
    let is_file = starts.len() == 1 && last.len() <= 5 && last.chars().all(|c| c.is_ascii_lowercase());
    if is_file {
        return None;
    }
    let end = starts.into_iter().map(|start| &text[start..]).find(|end| width(end) <= room)?;
    // So does that of an assembly whose name has several parts.
    if EXTENSIONS.contains(&end) { None } else { Some(end) }
}

/// Cells that a word between brackets keeps.
const MIN_WORD: usize = 7;
/// Cells that brackets need beside a whole name, so that overloads differ: `(int, …oat)`.
const MIN_BRACKETS: usize = 10;

/// A name cut to `most` cells, with its start and its end: the longest words between brackets are cut in their middles, then the whole is.
/// `None` for a text that is no name.
fn shortened(text: &str, most: usize, glyphs: &Glyphs) -> Option<String> {
    // The signs of a list of parameters that is cut have one cell too.
    let is_narrow = |c: char| matches!(c, ' '..='~' | '…' | '×');
    if text.len() > MAX_PATH || most <= MIN_WORD || !text.chars().all(is_narrow) {
        return None;
    }
    // Names of the compiler begin with a bracket.
    let first = usize::from(!text.starts_with('('));
    let brackets = text.char_indices().skip(first).find(|(_, c)| matches!(c, '(' | '<' | '['));
    let head = brackets.map_or(text.len(), |(at, _)| at);
    if text[..head].contains(' ') {
        return None;
    }
    // A qualified name has its type before the member, which matters more.
    let start = part_starts(text).and_then(|starts| starts.last().copied()).filter(|_| brackets.is_some()).unwrap_or(0);
    let lead = if start > 0 { glyphs.more } else { "" };
    let (text, head, most) = (&text[start..], head.saturating_sub(start), most - width(lead));
    let middle = |word: &str, most: usize| {
        let behind = (most - 1) / 2;
        format!("{}{}{}", &word[..most - 1 - behind], glyphs.more, &word[word.len() - behind..])
    };
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices().skip(head) {
        match words.last_mut() {
            Some((_, end)) if *end == at && c.is_alphanumeric() => *end = at + 1,
            _ if c.is_alphanumeric() => words.push((at, at + 1)),
            _ => {}
        }
    }
    let longest = words.iter().map(|(from, to)| to - from).max().unwrap_or(0);
    let cut_at = |limit: usize| words.iter().map(|(from, to)| (to - from).saturating_sub(limit)).sum::<usize>();
    let limit = (MIN_WORD..=longest).rev().find(|limit| width(text) - cut_at(*limit) <= most).unwrap_or(MIN_WORD);
    let (mut out, mut next) = (lead.to_owned(), 0);
    for (from, to) in words.into_iter().filter(|(from, to)| to - from > limit) {
        out.push_str(&text[next..from]);
        out.push_str(&middle(&text[from..to], limit));
        next = to;
    }
    out.push_str(&text[next..]);
    if width(&out) <= most + width(lead) {
        return Some(out);
    }
    if !is_plain(text) {
        return None;
    }
    // The name before the brackets is whole, if some of what is in them has room.
    let kept = if head < text.len() && head + MIN_BRACKETS <= most { head } else { 0 };
    Some(format!("{lead}{}{}", &text[..kept], middle(&text[kept..], most - kept)))
}

/// Returns whether a text has at most `most` cells. Of a long one, at most four bytes a cell are looked at.
pub fn fits(text: &str, most: usize) -> bool {
    text.len() <= most.saturating_mul(4) && width(text) <= most
}

/// A text without its last clauses, as far as it has no room in `most` cells; whole where its first clause has none.
pub fn without_last_clauses(text: &str, most: usize) -> &str {
    let mut shown = text;
    while !fits(shown, most) {
        let end = [", ", "; ", ": "].into_iter().filter_map(|mark| shown.rfind(mark)).max();
        let Some(end) = end else { return text };
        shown = &shown[..end];
    }
    shown
}

/// A text without the namespaces of its types: `Dictionary<Int32, X>` of `System.Dictionary<System.Int32, A.B.X>`.
pub fn without_namespaces(text: &str) -> String {
    let (mut out, mut word) = (String::new(), String::new());
    for c in text.chars() {
        match c {
            '.' if !word.is_empty() => word.clear(),
            c if c.is_alphanumeric() || matches!(c, '_' | '`' | '.') => word.push(c),
            c => {
                out.push_str(&word);
                word.clear();
                out.push(c);
            }
        }
    }
    out + &word
}

/// Starts of the parts of a qualified name, but for the first; arguments in brackets have parts of their own.
fn part_starts(text: &str) -> Option<Vec<usize>> {
    let begins_name = |rest: &str| {
        rest.starts_with(|c: char| c.is_alphabetic() || "_<".contains(c))
            || [".ctor", ".cctor"].iter().any(|name| rest.starts_with(name))
    };
    let (mut starts, mut depth, mut after_separator) = (Vec::new(), 0_u32, true);
    for (at, c) in text.char_indices() {
        if after_separator {
            if !begins_name(&text[at..]) {
                return None;
            }
            if at > 0 {
                starts.push(at);
            }
        }
        // The dot of `.ctor` is part of the name.
        let is_separator = !after_separator && depth == 0 && matches!(c, '.' | '+');
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => return None,
            _ => {}
        }
        after_separator = is_separator;
    }
    Some(starts)
}

/// The longest start of a text, in whole characters, that has at most `most` cells when it is made safe to show.
pub(super) fn start_within(text: &str, most: usize) -> &str {
    if is_plain(text) {
        return &text[..text.len().min(most)];
    }
    let mut used = 0;
    for (at, part) in text.grapheme_indices(true) {
        used += width(part);
        if used > most {
            return &text[..at];
        }
    }
    text
}

/// The longest end of a text, in whole characters, that has at most `most` cells when it is made safe to show.
fn end_within(text: &str, most: usize) -> &str {
    let (mut used, mut from) = (0, text.len());
    for (at, part) in text.grapheme_indices(true).rev() {
        used += width(part);
        if used > most {
            break;
        }
        from = at;
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
pub fn head(text: &str, cells: usize) -> (&str, bool) {
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
    buf.set_stringn(x, y, fit(text, most, glyphs), most, style).0
}

/// Writes texts in their roles from `x` up to `end`; returns the x position after them.
pub fn put_parts(buf: &mut Buffer, (x, y, end): (u16, u16, u16), parts: &[(&str, Role)], look: &Look<'_>) -> u16 {
    parts.iter().fold(x, |x, (text, role)| put(buf, x, y, end, text, look.theme.of(*role), look.glyphs))
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

/// Breaks a text, made safe to show, into lines of at most `most` cells; longer words are broken after separators. Of a text that is longer
/// than any screen, only the start is looked at.
pub fn wrap(text: &str, most: usize) -> Vec<String> {
    let text = text.char_indices().nth(MAX_WRAPPED).map_or(text, |(end, _)| &text[..end]);
    let mut lines = vec![String::new()];
    // Made safe first: a tab or line break in a name does not separate words.
    for word in visible(text).split_whitespace() {
        let full = lines.last().is_some_and(|line| !line.is_empty() && width(line) + 1 + width(word) > most);
        if full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut().filter(|line| !line.is_empty()) {
            line.push(' ');
        }
        if width(word) <= most || most == 0 {
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

/// Rows of a line of which the part before a tab keeps its columns; the words after the tab are on rows of their own where they do not
/// fit beside it. True for the row with the columns.
pub fn wrap_row(line: &str, most: usize) -> Vec<(bool, String)> {
    let Some((columns, words)) = line.split_once('\t') else {
        return wrap(line, most).into_iter().map(|line| (false, line)).collect();
    };
    let (columns, words) = (visible(columns), visible(words));
    if width(&columns) + 2 + width(&words) <= most {
        return vec![(true, format!("{columns}  {words}"))];
    }
    let below = wrap(&words, most.saturating_sub(2)).into_iter().map(|line| (false, format!("  {line}")));
    std::iter::once((true, columns.into_owned())).chain(below).collect()
}

/// Byte offset where a long word is broken: after the last separator that fits, or at the limit.
fn break_at(word: &str, most: usize) -> usize {
    let (mut used, mut full, mut mark) = (0, 0, 0);
    for (at, part) in word.grapheme_indices(true) {
        used += width(part);
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
    let lines = wrap(text, area.width.saturating_sub(3) as usize).into_iter();
    put_lines(buf, area, 1, lines.map(|line| (line, Role::Dim)), look);
}

/// Draws lines from the top of an area, `indent` cells from its left edge.
pub fn put_lines<L: AsRef<str>>(
    buf: &mut Buffer,
    area: Rect,
    indent: u16,
    lines: impl IntoIterator<Item = (L, Role)>,
    look: &Look<'_>,
) {
    for ((line, role), y) in lines.into_iter().zip(area.y..area.bottom()) {
        put(buf, area.x + indent, y, area.right(), line.as_ref(), look.theme.of(role), look.glyphs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::glyphs::UNICODE;

    #[test]
    fn an_operand_loses_its_type_and_its_parameters_before_its_member() {
        let set = "Newtonsoft.Json.JsonSerializer.set_CheckAdditionalContent(bool)";
        for (text, most, shown) in [
            (set, 48, "…JsonSerializer.set_CheckAdditionalContent(bool)"),
            (set, 33, "…set_CheckAdditionalContent(bool)"),
            (set, 28, "set_CheckAdditionalContent"),
            (set, 22, "set_CheckAd…nalContent"),
            ("JsonTextReader(TextReader)", 22, "JsonTextReader"),
            ("\"a text (that is long)\"", 12, "\"a text (th…"),
            ("IL_0021", 4, "IL_…"),
        ] {
            assert_eq!(fit_operand(text, most, &UNICODE), shown, "{text}");
        }
    }

    #[test]
    fn a_clause_is_left_out_whole() {
        let text = "Stack traces resolve to lines: paste one, in any view";
        let of = |most: usize| without_last_clauses(text, most);
        assert_eq!(of(53), text);
        assert_eq!(of(52), "Stack traces resolve to lines: paste one");
        assert_eq!(of(30), "Stack traces resolve to lines");
        assert_eq!(of(20), text, "its start is cut as any text");
    }

    #[test]
    fn paths_lose_their_front_and_everything_else_its_end() {
        for (text, most, shown) in [
            ("/src/build/objects/main.obj", 18, "…/objects/main.obj"),
            ("C:\\a b\\objects\\main.obj", 14, "…\\main.obj"),
            ("agent/objects/Agent.obj", 12, "…/Agent.obj"),
            ("https://a.example/lib/Modern.cs", 16, "…/lib/Modern.cs"),
            ("main.obj", 6, "main.…"),
            ("Param/14981..14982", 12, "Param/…14982"),
            ("/a_long_name_without_folders", 8, "…folders"),
            ("/src/日本/日本語.cs", 12, "…/日本語.cs"),
            ("/nologo /debug /out:parcel.exe /dll", 20, "/nologo /debug /out…"),
            ("/src/main.cs is not there", 12, "/src/main.c…"),
            ("Acme.Storage.Read(Stream/Other)", 12, "…Read(…ther)"),
            ("Read(List<string>, Stream/Other)", 16, "Read(List<…ther)"),
            ("  ▾ 12 /src/build/main.obj", 17, "  ▾ 12 …/main.obj"),
            ("/src/main.cs", 1, "…"),
            ("/src/main.cs", 0, ""),
            ("Ticker.Clock.Since(long)", 20, "…Clock.Since(long)"),
            ("Ticker.Clock.Since(long)", 13, "…Since(long)"),
            ("Ticker.Clock.Since(long)", 8, "…Sin…ng)"),
            ("Ticker.Clock..ctor(int)", 12, "….ctor(int)"),
            ("Acme.W<!0>+<RestockAsync>d__2.crates", 8, "…crates"),
            ("    IEnumerator<System.Int32>.Reset", 12, "    …Reset"),
            ("Program.cs", 6, "Progr…"),
            ("Acme.SimpleNotificationService.dll", 32, "…SimpleNotificationService.dll"),
            ("Acme.SimpleNotificationService.dll", 26, "Acme.SimpleNo…nService.dll"),
            ("10.0.20348.1", 8, "10.0…8.1"),
            ("IL_0000..IL_0038", 10, "IL_00…0038"),
            ("a name. And more", 9, "a name. …"),
            ("(… ReadOnlySpan<char> ×3)", 22, "(… Read…Span<char> ×3)"),
        ] {
            assert_eq!(fit_path(text, most, &UNICODE), shown, "{text}");
            assert!(width(shown) <= most, "{text}");
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
        assert_eq!(wrap("at https://a.example/b c", 9), ["at", "https://", "a.example", "/b c"]);
        assert_eq!(wrap("日本語", 2), ["日", "本", "語"]);
    }
}
