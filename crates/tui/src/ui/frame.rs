//! Rules above panes, lines between columns, the characters where they meet, and the titles on the rules.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ui::glyphs::{BoxSides, Glyphs};
use crate::ui::layout::{Layout, Slot};
use crate::ui::text::{fit, put, put_right, width};
use crate::ui::theme::{Role, Theme, opaque};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Title {
    pub name: String,
    /// The subject of the pane, beside its name: a method, a record.
    pub of: String,
    /// Position in the list, at the right end.
    pub position: String,
    /// A doubt about the content, drawn after the name; empty where there is none.
    pub warning: String,
    /// Text of the filter; empty where the pane is not filtered.
    pub filter: String,
}

impl Title {
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    #[must_use]
    pub fn of(self, of: impl Into<String>) -> Self {
        Self { of: of.into(), ..self }
    }

    #[must_use]
    pub fn at(self, position: impl Into<String>) -> Self {
        Self { position: position.into(), ..self }
    }
}

/// Draws all rules and lines of `layout`; the rule of the focused pane is heavy.
pub fn lines(buf: &mut Buffer, layout: &Layout, focus: Slot, theme: &Theme, glyphs: &Glyphs) {
    let area = buf.area;
    let mut cells = vec![BoxSides::NONE; area.area() as usize];
    let mut add = |x: u16, y: u16, sides: BoxSides| {
        if x < area.width && y < area.height {
            cells[y as usize * area.width as usize + x as usize] |= sides;
        }
    };
    let is_line = |x: u16, y: u16| layout.lines.iter().any(|line| line.contains((x, y).into()));
    for placed in &layout.panes {
        let Rect { x, y, width, height } = placed.rule;
        if height == 0 {
            continue;
        }
        let (left, right) = if placed.slot == focus {
            (BoxSides::HEAVY_LEFT, BoxSides::HEAVY_RIGHT)
        } else {
            (BoxSides::LEFT, BoxSides::RIGHT)
        };
        for x in x..x + width {
            add(x, y, left | right);
        }
        if x > 0 && is_line(x - 1, y) {
            add(x - 1, y, right);
        }
        if is_line(x + width, y) {
            add(x + width, y, left);
        }
    }
    for line in &layout.lines {
        for y in line.y..line.bottom() {
            let up = if y > line.y { BoxSides::UP } else { BoxSides::NONE };
            add(line.x, y, up | BoxSides::DOWN);
        }
        // The line ends at the rule below.
        if layout.panes.iter().any(|placed| placed.rule.y == line.bottom() && placed.rule.height > 0) {
            add(line.x, line.bottom(), BoxSides::UP);
        }
    }
    let (faint, accent) = (theme.of(Role::Faint), theme.of(Role::Accent));
    for (cell, sides) in buf.content.iter_mut().zip(cells).filter(|(_, sides)| !sides.is_empty()) {
        let heavy = sides.intersects(BoxSides::HEAVY) && !sides.intersects(BoxSides::VERTICAL);
        cell.set_char(glyphs.box_char(sides)).set_style(if heavy { accent } else { faint });
    }
}

/// The leading parts of a text of parts with dots between, as many as fit.
pub fn shortened<'t>(text: &'t str, room: usize, glyphs: &Glyphs) -> &'t str {
    let dot = format!(" {} ", glyphs.dot);
    let mut text = text;
    while width(text) > room {
        match text.rsplit_once(dot.as_str()) {
            Some((shorter, _)) => text = shorter,
            None => break,
        }
    }
    text
}

/// The trailing parts of a text of parts with dots between, as many as fit: the order of a list is the last one. Empty where none fits.
fn last_parts<'t>(text: &'t str, room: usize, glyphs: &Glyphs) -> &'t str {
    let dot = format!(" {} ", glyphs.dot);
    let mut text = text;
    while width(text) > room {
        text = text.split_once(dot.as_str()).map_or("", |(_, rest)| rest);
    }
    text
}

/// Writes `title` on its rule. Where space is short, the warning is its sign alone, the position is dropped part by part, then the subject,
/// then the name is cut. A filtered pane keeps its filter and position, and drops subject and name.
pub fn title(buf: &mut Buffer, rule: Rect, title: &Title, focused: bool, theme: &Theme, glyphs: &Glyphs) {
    if rule.height == 0 || rule.width < 4 {
        return;
    }
    if !title.filter.is_empty() {
        return filtered(buf, rule, title, focused, theme, glyphs);
    }
    let (name, rest) = if focused { (Role::Accent, Role::Accent) } else { (Role::Dim, Role::Mute) };
    let room = rule.width as usize - 2;
    let spaced = |text: &str| if text.is_empty() { 0 } else { width(text) + 2 };
    let sign = title.warning.split(' ').next().unwrap_or_default();
    let has_room = spaced(&title.name) + width(&title.warning) + 1 + spaced(&title.position) < room;
    let doubt = if has_room { title.warning.as_str() } else { sign };
    let warning = if doubt.is_empty() { 0 } else { width(doubt) + 1 };
    let (named, of) = (spaced(&title.name) + warning, spaced(&title.of));
    let shown = shortened(&title.position, room.saturating_sub(named + of + 3), glyphs);
    let position = spaced(shown);
    let y = rule.y;
    let mut end = rule.right() - 1;
    if position > 0 && named + of + position < room {
        let role = if focused { Role::Accent } else { Role::Dim };
        end = put_right(buf, rule.x, y, end, &format!(" {shown} "), opaque(theme.of(role)), glyphs);
    }
    let mut x = rule.x + 1;
    if named > 0 {
        x = put(buf, x, y, end, " ", opaque(theme.of(name)), glyphs);
        let room = usize::from(end.saturating_sub(1 + warning as u16 + x));
        x = put(buf, x, y, end, &fit(&title.name, room, glyphs), opaque(theme.of(name)), glyphs);
        x = put(buf, x, y, end, " ", opaque(theme.of(name)), glyphs);
    }
    if warning > 0 && x < end {
        x = put(buf, x, y, end.saturating_sub(1), doubt, opaque(theme.of(Role::Bad)), glyphs);
        x = put(buf, x, y, end, " ", opaque(theme.of(Role::Bad)), glyphs);
    }
    if of > 0 && x + 4 < end {
        x = put(buf, x, y, end, " ", opaque(theme.of(rest)), glyphs);
        let of = fit(&title.of, usize::from(end.saturating_sub(1 + x)), glyphs);
        x = put(buf, x, y, end.saturating_sub(1), &of, opaque(theme.of(rest)), glyphs);
        put(buf, x, y, end, " ", opaque(theme.of(rest)), glyphs);
    }
}

fn filtered(buf: &mut Buffer, rule: Rect, title: &Title, focused: bool, theme: &Theme, glyphs: &Glyphs) {
    let role = if focused { Role::Accent } else { Role::Dim };
    let (y, mut x, mut end) = (rule.y, rule.x + 1, rule.right() - 1);
    let (filter, position) = (width(&title.filter) + 2, width(&title.position) + 2);
    if filter + position < rule.width as usize {
        end = put_right(buf, rule.x, y, end, &format!(" {} ", title.position), opaque(theme.of(role)), glyphs);
    }
    let mut left = (end - x) as usize;
    for (text, role) in [(&title.name, role), (&title.of, if focused { Role::Accent } else { Role::Mute })] {
        let room = left.saturating_sub(filter + 2);
        // A name that is cut would be that of another pane.
        let text = if *text == title.of { last_parts(text, room, glyphs) } else { text };
        let wide = width(text) + 2;
        if !text.is_empty() && wide <= room + 2 {
            x = put(buf, x, y, end, &format!(" {text} "), opaque(theme.of(role)), glyphs);
            left -= wide;
        }
    }
    put(buf, x, y, end, &format!(" {} ", title.filter), opaque(theme.of(Role::Match)), glyphs);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_a_list_stays_beside_its_filter() {
        let parts = |most| last_parts("class Object \u{b7} by name \u{2191}", most, &crate::ui::glyphs::UNICODE);
        assert_eq!(
            [parts(24), parts(23), parts(9)],
            ["class Object \u{b7} by name \u{2191}", "by name \u{2191}", "by name \u{2191}"]
        );
        assert_eq!(parts(8), "");
    }
}
