//! The details of a frame below the trace: all that is known of it, and the source of a frame of another module.

use std::path::Path;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::panes::preview::Preview;
use crate::state::paths::{MAX_SEARCHED, Paths};
use crate::ui::text::{put, put_right, wrap};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::rows::Tone;
use pdblens_session::store::Element;
use pdblens_session::text::paths::without_passwords;

/// Places where the symbols of frames are looked for, as a sentence.
pub(super) fn searched(beside: Option<&Path>, paths: &Paths) -> String {
    let own =
        beside.map(|folder| std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()).display().to_string());
    let path = &paths.symbols;
    let named = path.named.elements.iter().chain(&path.environment.elements).filter_map(Element::plain);
    let servers = path.servers().map(without_passwords);
    let all = own.into_iter().chain(named.map(|place| place.display().to_string())).chain(servers);
    let all: Vec<String> = all.take(MAX_SEARCHED).collect();
    if all.is_empty() { "No folder was searched.".to_owned() } else { format!("Searched {}.", all.join(", ")) }
}

/// Rows that details take with their heading and rule, in a pane of a width.
pub(super) fn rows(heading: &str, sentences: &[(String, Tone)], width: u16) -> u16 {
    let room = width.saturating_sub(2).max(1) as usize;
    let rows = 1 + wrap(heading, room).len() + sentences.iter().map(|(text, _)| wrap(text, room).len()).sum::<usize>();
    u16::try_from(rows).unwrap_or(u16::MAX)
}

/// Rows with a heading that the source keeps beneath the details, which have `all` lines of text and cannot do without `essential` ones:
/// half of the area where the text leaves it, then its heading and the line of the frame.
fn source_rows(rows: Option<usize>, height: u16, essential: usize, all: usize) -> u16 {
    let room = usize::from(height.saturating_sub(1));
    let wanted = rows.map_or(0, |rows| rows + 1).min(usize::from(height / 2));
    let left = room.saturating_sub(all).max(room.saturating_sub(essential).min(2));
    wanted.min(left) as u16
}

pub(super) struct Details<'a> {
    pub(super) heading: &'a str,
    /// True for a frame that leads somewhere: its row has the answer, and may have no room for all of the frame.
    pub(super) is_link: bool,
    pub(super) sentences: &'a [(String, Tone)],
    pub(super) preview: Option<&'a Preview>,
}

type TextLines = Vec<(String, Tone)>;

/// The lines of details in an area, as far as they are text.
struct Text {
    lines: TextLines,
    /// Rows for them; the source below has the rest.
    room: usize,
}

impl Details<'_> {
    /// The lines in an area with its rule. Where the text is longer than the area, the reason why a frame leads nowhere comes before it.
    fn text(&self, area: Rect) -> Text {
        let wide = area.width.saturating_sub(2).max(1) as usize;
        let height = usize::from(area.height.saturating_sub(1));
        let lines =
            |text: &str, tone: Tone| wrap(text, wide).into_iter().map(move |line| (line, tone)).collect::<TextLines>();
        let heading = if self.heading.is_empty() { Vec::new() } else { lines(self.heading, Tone::Strong) };
        let said: TextLines = self.sentences.iter().flat_map(|(text, tone)| lines(text, *tone)).collect();
        let (essential, remarks): (Vec<_>, Vec<_>) = said.into_iter().partition(|(_, tone)| *tone != Tone::Dim);
        let all = heading.len() + essential.len() + remarks.len();
        let rows = self.preview.map(Preview::rows);
        let source = source_rows(rows, area.height, heading.len() + essential.len(), all);
        let room = height.saturating_sub(usize::from(source));
        let is_frame_first = heading.len() + essential.len() <= room || self.is_link && heading.len() < room;
        let parts = if is_frame_first { [heading, essential, remarks] } else { [essential, heading, remarks] };
        Text { lines: parts.into_iter().flatten().collect(), room }
    }

    /// The first line that shows, after `from` was moved by a page; `None` where there is no more text in that direction.
    pub(super) fn page(&self, area: Rect, from: usize, down: bool) -> Option<usize> {
        let text = self.text(area);
        let (last, page) = (text.lines.len().saturating_sub(text.room), text.room.saturating_sub(1).max(1));
        let to = if down { from.saturating_add(page).min(last) } else { from.min(last).saturating_sub(page) };
        (!area.is_empty() && to != from.min(last)).then_some(to)
    }
}

/// Draws details under a rule, from one of their lines on. Where they have more than the area, the rule says so, with the key that
/// shows it.
pub(super) fn draw(buf: &mut Buffer, area: Rect, details: &Details<'_>, (from, key): (usize, &str), look: &Look<'_>) {
    let mute = look.theme.of(Role::Mute);
    let end = area.right().saturating_sub(1);
    let rule = look.glyphs.begins.repeat(area.width as usize);
    put(buf, area.x, area.y, area.right(), &rule, mute, look.glyphs);
    let x = put(buf, area.x + 1, area.y, end, " frame ", mute, look.glyphs);
    let text = details.text(area);
    let from = from.min(text.lines.len().saturating_sub(text.room));
    if text.lines.len() > text.room {
        let (first, last, all) = (from + 1, from + text.room, text.lines.len());
        let part = format!(" lines {first}–{last} of {all} {} {key} ", look.glyphs.dot);
        put_right(buf, x, area.y, end, &part, look.theme.of(Role::Text), look.glyphs);
    }
    let mut y = area.y + 1;
    for (line, tone) in text.lines.iter().skip(from).take(text.room) {
        put(buf, area.x + 1, y, end, line, look.theme.tone(*tone), look.glyphs);
        y += 1;
    }
    if let Some(preview) = details.preview {
        preview.draw(Rect { y, height: area.bottom().saturating_sub(y), ..area }, buf, look);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_leaves_room_for_the_text_of_the_frame() {
        let rows = |height, essential, all| source_rows(Some(7), height, essential, all);
        assert_eq!(rows(17, 2, 3), 8);
        assert_eq!(rows(10, 2, 3), 5);
        assert_eq!(rows(10, 5, 8), 2, "its heading and its line, before the remarks");
        assert_eq!(rows(10, 8, 8), 1);
        assert_eq!(rows(10, 9, 12), 0, "the text of a long frame is not cut for it");
        assert_eq!(source_rows(None, 10, 2, 3), 0);
    }
}
