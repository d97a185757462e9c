//! Texts cut where the least is lost: names in the middle, paths at their start, sentences at their end; and rows that differ
//! cut so that they look different.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::ui::columns::clip;
use crate::ui::glyphs::Glyphs;
use crate::ui::text::{cells, end_within, fit, fit_tree, start_within, width};
use pdblens_nodes::Place;
use pdblens_nodes::rows::{Cell, Row};
use pdblens_session::text::safe::visible;

/// Cells that a cut detail needs to be worth showing.
const MIN_DETAIL: usize = 6;
/// Words from which a text is a sentence, not a name.
const MIN_WORDS: usize = 4;
/// Cells below which a name keeps its start only.
const MIN_NAME: usize = 6;
/// Cells shown before the first difference of two texts.
const LEAD_IN: usize = 3;
/// Times that rows which still look alike are cut again.
const MAX_ROUNDS: usize = 6;

/// Cells of visible rows that are cut in another way, because their rows would look like others: the text by line and column.
pub type Distinct = HashMap<(usize, usize), String>;

/// A name cut in the middle; a sentence at its end, unless it ends with a long word, of which the end stays.
pub fn fit_name<'t>(text: &'t str, most: usize, glyphs: &Glyphs) -> Cow<'t, str> {
    let shown = visible(clip(text));
    if clip(text).len() == text.len() && cells(&shown) <= most {
        return shown;
    }
    if most < MIN_NAME {
        return fit(text, most, glyphs);
    }
    let room = most - glyphs.more.width();
    if text.contains(&format!(" {} ", glyphs.step)) {
        // Of a path of steps, the last one says what it is.
        return Cow::Owned(format!("{}{}", glyphs.more, visible(end_within(clip(text), room))));
    }
    if let Some(frame) = fit_frame(text, most, glyphs) {
        return Cow::Owned(frame);
    }
    if words(text) < MIN_WORDS {
        if let Some(called) = fit_call(text, most, glyphs) {
            return Cow::Owned(called);
        }
        let inside = text.find('>').filter(|_| text.starts_with('<')).map(|end| width(&text[..=end]));
        let first = inside.filter(|wide| *wide <= room * 2 / 3).unwrap_or(room / 3);
        let head = visible(start_within(text, first));
        let tail = visible(end_within(text, room - cells(&head)));
        return Cow::Owned(format!("{head}{}{tail}", glyphs.more));
    }
    let last = text.rfind(' ').map_or(0, |at| at + 1);
    let lead = visible(clip(text.get(..last).unwrap_or_default()));
    match most.checked_sub(cells(&lead)).filter(|room| *room >= 2 * MIN_NAME && clip(text).len() == text.len()) {
        Some(room) => {
            Cow::Owned(format!("{lead}{}{}", glyphs.more, visible(end_within(text, room - glyphs.more.width()))))
        }
        None => fit(text, most, glyphs),
    }
}

/// A frame of a trace, `at NAME(PARAMETERS) in FILE:LINE`: its method stays, and of a longer name the end, without parameters.
fn fit_frame(text: &str, most: usize, glyphs: &Glyphs) -> Option<String> {
    let (at, call) = text.split_at_checked(3).filter(|(at, _)| *at == "at ")?;
    let name =
        call.get(..=call.find('(')?).filter(|name| name.len() > 1 && !name.trim_end_matches(" (").contains(' '))?;
    if at.len() + width(name) + glyphs.more.width() <= most {
        return Some(fit(text, most, glyphs).into_owned());
    }
    let name = name.trim_end_matches('(').trim_end();
    let room = most.checked_sub(at.len() + glyphs.more.width())?;
    let end = visible(end_within(name, room));
    let is_whole = width(name) <= room;
    Some(if is_whole { format!("{at}{end}{}", glyphs.more) } else { format!("{at}{}{end}", glyphs.more) })
}

/// A name with parameters, cut in these: overloads have the same name, and differ by the end of the parameters. `None` where the name
/// leaves no room for them, and where a cut in the middle keeps both.
fn fit_call(text: &str, most: usize, glyphs: &Glyphs) -> Option<String> {
    let (head, open) = call_head(text, most, glyphs)?;
    let last = text.get(..open)?.rfind(['.', ':']).map_or(0, |at| at + 1);
    let room = most.checked_sub(width(&head) + glyphs.more.width()).filter(|room| *room > 0)?;
    let is_whole = head.ends_with(text.get(..open)?);
    let (call, around) = (width(clip(text.get(last..)?)), most - glyphs.more.width());
    let is_short = is_whole && width(&head) <= around * 2 / 3;
    if !is_short && call <= around * 2 / 3 {
        return None;
    }
    if !is_short && last > 0 && call <= around {
        // All of the call has room, and some of what precedes it.
        let before = visible(start_within(text.get(..last)?, around - call));
        return Some(format!("{before}{}{}", glyphs.more, visible(text.get(last..)?)));
    }
    let tail = visible(end_within(clip(text.get(open..)?), room));
    Some(format!("{head}{}{tail}", glyphs.more))
}

/// The name of a call up to its parenthesis, without what precedes the last separator where that leaves no room for the end of the
/// parameters, which is a second cut; and where the parameters begin.
fn call_head(text: &str, most: usize, glyphs: &Glyphs) -> Option<(String, usize)> {
    let open = call_open(text)? + 1;
    let name = text.get(..open).filter(|name| !name.starts_with([' ', '<']) && clip(name).len() == name.len())?;
    let room = most.saturating_sub(glyphs.more.width());
    if width(name) <= (room * 2 / 3).max(room.saturating_sub(MIN_NAME)) {
        return Some((visible(name).into_owned(), open));
    }
    let last = name.rfind(['.', ':']).map_or(0, |at| at + 1);
    let own = format!("{}{}", glyphs.more, visible(name.get(last..)?));
    (last > 0 && last + 1 < open && width(&own) <= room * 2 / 3).then_some((own, open))
}

/// Byte offset of the parenthesis before the parameters of a call: the first one that is not inside of template arguments.
fn call_open(text: &str) -> Option<usize> {
    if text.starts_with('(') {
        return None;
    }
    let mut depth = 0_usize;
    for (at, c) in clip(text).char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 || text[..at].trim_end_matches(['<', '=']).ends_with("operator") => return Some(at),
            _ => {}
        }
    }
    None
}

/// Number of words outside of brackets; parameters are no words of their own.
fn words(text: &str) -> usize {
    let (mut depth, mut count, mut before) = (0_usize, 1, ' ');
    for c in clip(text).chars() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 && !matches!(before, ',' | ' ') => count += 1,
            _ => {}
        }
        before = c;
    }
    count
}

/// The text of a cell in `wide` cells, and the detail beside it where there is room for it.
pub fn fit_cell<'c>(cell: &'c Cell, wide: usize, is_link: bool, glyphs: &Glyphs) -> (Cow<'c, str>, &'c str) {
    let space = usize::from(!cell.text.is_empty() && !cell.beside.is_empty());
    let left = wide.saturating_sub(width(clip(&cell.text)) + space);
    // A name may be cut as long as enough is left; a number may not.
    let whole = width(clip(&cell.beside));
    let needed = if is_link { whole.min(MIN_DETAIL) } else { whole };
    (fit_tree(&cell.text, wide, glyphs), if left >= needed { cell.beside.as_str() } else { "" })
}

/// Cells to draw in another way, so that no two of the visible rows look alike that differ; `columns` gives the cells of room and the
/// index of each visible column, in a row of a depth.
pub fn distinct(shown: &[Row], columns: &dyn Fn(&Row) -> Vec<(usize, usize)>, glyphs: &Glyphs) -> Distinct {
    let mut cut = Distinct::new();
    // Rows that show in full look alike only if they are.
    let is_cut = |row: &Row| columns(row).into_iter().any(|(wide, column)| is_cell_cut(row, wide, column));
    let candidates: Vec<(usize, &Row)> = shown.iter().enumerate().filter(|(_, row)| is_cut(row)).collect();
    if candidates.len() < 2 {
        return cut;
    }
    let drawn = |line: usize, row: &Row, (wide, column): (usize, usize), cut: &Distinct| {
        let Some(cell) = row.cells.get(column) else { return String::new() };
        if let Some(text) = cut.get(&(line, column)) {
            return text.clone();
        }
        let (text, beside) = fit_cell(cell, wide, is_link(cell), glyphs);
        format!("{text} {}", fit(beside, wide.saturating_sub(cells(&text) + 1), glyphs))
    };
    // Byte offsets from which a cell differs from others: all of them stay in sight.
    let mut marks: HashMap<(usize, usize), BTreeSet<usize>> = HashMap::new();
    for _ in 0..MAX_ROUNDS {
        // Rows by all their texts, and by each name that is cut.
        let mut alike: BTreeMap<(Option<usize>, u8, Vec<String>), Vec<usize>> = BTreeMap::new();
        for (line, row) in &candidates {
            let columns = columns(row);
            let texts: Vec<String> = columns.iter().map(|column| drawn(*line, row, *column, &cut)).collect();
            for ((wide, column), text) in columns.iter().zip(&texts) {
                if row.cells.get(*column).is_some_and(|cell| is_name_cut(cell, *wide)) {
                    alike.entry((Some(*column), row.depth, vec![text.clone()])).or_default().push(*line);
                }
            }
            alike.entry((None, row.depth, texts)).or_default().push(*line);
        }
        let mut changed = false;
        for ((only, ..), lines) in alike.into_iter().filter(|(_, lines)| lines.len() > 1) {
            let columns = shown.get(lines[0]).map(columns).unwrap_or_default();
            for (wide, column) in columns.into_iter().filter(|(_, column)| only.is_none_or(|only| only == *column)) {
                let texts: Vec<String> = lines.iter().map(|line| whole(&shown[*line], column)).collect();
                let Some(at) = first_difference(&texts) else { continue };
                for (line, text) in lines.iter().zip(&texts) {
                    let marks = marks.entry((*line, column)).or_default();
                    changed |= marks.insert(at);
                    cut.insert((*line, column), pieces(text, marks, wide, glyphs));
                }
                break;
            }
        }
        if !changed {
            break;
        }
    }
    cut
}

/// Returns true if a cell has a name that is longer than `wide` cells, or is with the parameters beside it.
fn is_name_cut(cell: &Cell, wide: usize) -> bool {
    let parameters = if cell.beside.starts_with('(') { width(clip(&cell.beside)) + 1 } else { 0 };
    width(clip(&cell.text)) + parameters > wide && words(&cell.text) < MIN_WORDS
}

/// Returns true if a cell leads to a row of its own. Nearly every cell of a table links to a heap: marking all would mark none.
pub fn is_link(cell: &Cell) -> bool {
    cell.to.is_some_and(|to| !matches!(to, Place::HeapEntry(..)))
}

/// Returns true if a cell has more text than fits in `wide` cells.
fn is_cell_cut(row: &Row, wide: usize, column: usize) -> bool {
    row.cells.get(column).is_some_and(|cell| {
        let details = if cell.beside.is_empty() { 0 } else { width(clip(&cell.beside)) + 1 };
        width(clip(&cell.text)) + details > wide || clip(&cell.text).len() < cell.text.len()
    })
}

/// The full text of a cell with the detail beside it.
fn whole(row: &Row, column: usize) -> String {
    let Some(cell) = row.cells.get(column) else { return String::new() };
    let text = format!("{} {}", cell.text, cell.beside);
    clip(text.trim_end()).to_owned()
}

/// Byte offset from which some of the texts differ; `None` where they are all the same.
fn first_difference(texts: &[String]) -> Option<usize> {
    let first = texts.first()?;
    let common = |other: &String| first.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let others: Vec<&String> = texts.iter().filter(|text| *text != first).collect();
    let at = others.into_iter().map(common).min()?;
    (0..=at).rev().find(|at| first.is_char_boundary(*at))
}

/// A name cut once so that all of the byte offsets stay in sight, each before or after the cut; `None` where it has no room for that.
fn one_cut(text: &str, marks: &BTreeSet<usize>, wide: usize, glyphs: &Glyphs) -> Option<String> {
    let is_sentence = words(text) >= MIN_WORDS && !text.contains("::");
    if is_sentence || text.contains(['/', '\\']) || clip(text).len() < text.len() {
        return None;
    }
    let room = wide.checked_sub(glyphs.more.width())?;
    // The name of a call stays.
    let call = call_open(text).filter(|open| marks.first().is_some_and(|mark| mark > open));
    let least = call.map_or(0, |open| width(&text[..=open]));
    let marks: Vec<usize> = marks.iter().copied().collect();
    let needed = |before: usize| {
        let head = before.checked_sub(1).and_then(|last| marks.get(last)).map_or(0, |mark| {
            let shown: usize = text[*mark..].graphemes(true).take(LEAD_IN).map(str::len).sum();
            width(&text[..mark + shown])
        });
        let tail = marks.get(before).map_or(0, |mark| width(&text[*mark..]));
        (head.max(least), tail)
    };
    let fitting = (0..=marks.len()).map(needed).filter(|(head, tail)| head + tail <= room);
    let (head, tail) = fitting.min_by_key(|(head, tail)| head + tail)?;
    let head = visible(start_within(text, head.max(room / 3).min(room - tail)));
    let tail = visible(end_within(text, room.saturating_sub(head.width())));
    Some(format!("{head}{}{tail}", glyphs.more))
}

/// A text of which what is at each of the byte offsets shows; `marks` are in order.
fn pieces(text: &str, marks: &BTreeSet<usize>, wide: usize, glyphs: &Glyphs) -> String {
    if let Some(text) = one_cut(text, marks, wide, glyphs) {
        return text;
    }
    if let (1, Some(at)) = (marks.len(), marks.first()) {
        return around(text, *at, wide, glyphs);
    }
    let each = (wide / marks.len().max(1)).saturating_sub(glyphs.more.width());
    let (mut out, mut end) = (String::new(), 0);
    for at in marks.iter().copied() {
        let (Some(before), true) = (text.get(..at), at >= end) else { continue };
        let lead_in: usize = before.graphemes(true).rev().take(LEAD_IN.min(each / 3)).map(str::len).sum();
        let from = (at - lead_in).max(end);
        let piece = start_within(text.get(from..).unwrap_or_default(), each);
        if from > end {
            out.push_str(glyphs.more);
        }
        out.push_str(&visible(piece));
        end = from + piece.len();
    }
    if end < text.len() {
        out.push_str(glyphs.more);
    }
    fit(&out, wide, glyphs).into_owned()
}

/// A path cut around the byte offset `at` of its folders, with its file at the end; `None` for other texts, and where there is room for
/// the end of the path anyway.
fn around_folder(text: &str, at: usize, wide: usize, glyphs: &Glyphs) -> Option<String> {
    let file = text.rfind(['/', '\\']).filter(|file| at < *file && !text.contains(' '))?;
    let (before, rest) = text.split_at_checked(at)?;
    let room = wide.checked_sub(2 * glyphs.more.width()).filter(|room| width(rest) > *room)?;
    let end = visible(end_within(text.get(file..)?, room * 2 / 3));
    let from = before.len() - end_within(before, LEAD_IN).len();
    let folder = visible(start_within(text.get(from..file)?, room - cells(&end)));
    Some(format!("{0}{folder}{0}{end}", glyphs.more))
}

/// A text cut around the byte offset `at`, from which it differs from others: its start, and what is at the offset.
fn around(text: &str, at: usize, wide: usize, glyphs: &Glyphs) -> String {
    if let Some(path) = around_folder(text, at, wide, glyphs) {
        return path;
    }
    let lead = text.len() - text.trim_start().len();
    let rest = text.get(at..).unwrap_or_default();
    let lead_in = visible(end_within(text.get(..at).unwrap_or_default(), LEAD_IN));
    let room = wide.saturating_sub(glyphs.more.width());
    let tail_wide = width(&lead_in) + width(rest);
    if let Some((head, open)) = call_head(text.trim_start(), wide, glyphs).filter(|(_, open)| lead == 0 && at > *open) {
        let lead_in = visible(end_within(text.get(open..at).unwrap_or_default(), LEAD_IN)).into_owned();
        let more = if lead_in.len() < at - open { glyphs.more } else { "" };
        return fit(&format!("{head}{more}{lead_in}{}", clip(rest)), wide, glyphs).into_owned();
    }
    let head = visible(start_within(text, (lead + room / 4).max(room.saturating_sub(tail_wide)).min(room)));
    if head.len() + lead_in.len() >= at {
        return fit(text, wide, glyphs).into_owned();
    }
    let tail = format!("{lead_in}{rest}");
    format!("{head}{}{}", glyphs.more, fit(&tail, room.saturating_sub(width(&head)), glyphs))
}

#[cfg(test)]
mod tests;
