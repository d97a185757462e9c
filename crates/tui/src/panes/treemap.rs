//! A treemap, of the open files or of what differs in size between two builds: a box for each part, as large as its share; a part that has room shows its own parts inside it.

use std::collections::HashMap;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::panes::pane::Context;
use crate::state::effect::Effect;
use crate::state::message::{Inbox, Job};
use crate::state::selection::Selection;
use crate::ui::frame::Title;
use crate::ui::glyphs::BoxSides;
use crate::ui::text::{fit_path, put, width};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::fill::{By, FilePart, percent};

/// Size of a box that shows its parts.
const MIN_OUTER: (u16, u16) = (14, 4);
/// Boxes of a part at most: smaller parts share the last one.
const MAX_BOXES: usize = 24;

/// A box: its area, the indices that lead to its part, and its hue.
#[derive(Clone, Debug)]
struct Tile {
    area: Rect,
    path: Vec<usize>,
    hue: usize,
    /// True for the title of a box that shows its parts.
    is_outer: bool,
    /// Lines of its name.
    label: Vec<String>,
}

/// The treemap, and the part that it shows.
#[derive(Default)]
pub(super) struct Treemap {
    root: Option<Arc<FilePart>>,
    by: By,
    /// Indices that lead to the part that fills the pane.
    zoom: Vec<usize>,
    /// Indices below it, of the box of the cursor.
    chosen: Vec<usize>,
    size: Size,
    tiles: Vec<Tile>,
    lines: HashMap<(u16, u16), BoxSides>,
    found: Inbox<FilePart>,
}

/// The namespace, with its last dot, in which parts have at least half of their bytes together: their names go without it.
fn shared_namespace(parts: &[FilePart]) -> &str {
    let Some(largest) = parts.first().filter(|part| !part.name.contains(['/', '\\'])) else { return "" };
    let total: u64 = parts.iter().map(|part| part.bytes).sum();
    let is_shared = |prefix: &&str| {
        let inside = parts.iter().filter(|part| part.name.starts_with(prefix));
        inside.clone().count() > 1 && inside.map(|part| part.bytes).sum::<u64>() * 2 >= total
    };
    let prefixes = largest.name.rmatch_indices('.').map(|(at, _)| &largest.name[..=at]);
    prefixes.into_iter().find(is_shared).unwrap_or("")
}

/// A name on as few lines of a width as its words need, at most `most`; one line if it has no room.
fn label_lines(name: &str, wide: usize, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut before = ' ';
    let mut words: Vec<String> = Vec::new();
    for c in name.chars() {
        let begins = before == '.' || before == ' ' || c.is_uppercase() && before.is_lowercase();
        match words.last_mut() {
            Some(word) if !begins => word.push(c),
            _ => words.push(c.to_string()),
        }
        before = c;
    }
    for word in words {
        match lines.last_mut() {
            Some(line) if line.is_empty() || width(line) + width(word.trim_end()) <= wide => line.push_str(&word),
            _ => lines.push(word),
        }
    }
    let has_room = lines.len() <= most && lines.iter().all(|line| width(line.trim_end()) <= wide);
    if has_room { lines } else { vec![name.to_owned()] }
}

fn part_at<'p>(part: &'p FilePart, path: &[usize]) -> Option<&'p FilePart> {
    path.iter().try_fold(part, |part, index| part.parts.get(*index))
}

impl Treemap {
    /// A job that measures the parts, unless they are known or being measured.
    pub(super) fn job(&mut self, measure: impl FnOnce(By) -> FilePart + Send + 'static) -> Option<Job> {
        if self.root.is_some() || self.found.is_pending() {
            return None;
        }
        let by = self.by;
        Some(self.found.job("measuring the parts of the files", "fill", move |_| Some(measure(by))))
    }

    /// Takes the parts that were measured.
    pub(super) fn take_found(&mut self) {
        if let Some(mut root) = self.found.take() {
            // A single file fills the pane.
            if root.parts.len() == 1 {
                root = root.parts.remove(0);
            }
            self.root = Some(Arc::new(root));
            self.update();
        }
    }

    pub(super) fn resize(&mut self, size: Size) {
        if self.size != size {
            self.size = size;
            self.update();
        }
    }

    fn shown(&self) -> Option<&FilePart> {
        part_at(self.root.as_ref()?, &self.zoom)
    }

    /// The part of the cursor.
    fn part(&self) -> Option<&FilePart> {
        part_at(self.shown()?, &self.chosen)
    }

    /// Lays out the boxes.
    fn update(&mut self) {
        (self.tiles, self.lines) = (Vec::new(), HashMap::new());
        let Some(root) = self.root.clone() else { return };
        let Some(shown) = part_at(&root, &self.zoom) else { return };
        // The last row describes the box of the cursor.
        let area = Rect::new(0, 0, self.size.width, self.size.height.saturating_sub(1));
        self.lay_out(shown, area, &[], 0);
        if !self.tiles.iter().any(|tile| tile.path == self.chosen) {
            self.chosen = self.tiles.first().map_or_else(Vec::new, |tile| tile.path.clone());
        }
    }

    /// Lays out the parts of a part: each has a share of the area.
    fn lay_out(&mut self, part: &FilePart, area: Rect, path: &[usize], hue: usize) {
        let mut areas = Vec::new();
        let sizes: Vec<u64> = part.parts.iter().take(MAX_BOXES).map(|part| part.bytes).collect();
        self.split(&sizes, 0, area, &mut areas);
        // The names of files have dots too.
        let shared = if path.is_empty() { "" } else { shared_namespace(&part.parts) };
        for (index, area) in areas {
            let Some(inner) = part.parts.get(index) else { continue };
            let path = [path, &[index]].concat();
            let hue = if path.len() == 1 { index } else { hue };
            let is_outer = !inner.parts.is_empty() && area.width >= MIN_OUTER.0 && area.height >= MIN_OUTER.1;
            let most = if is_outer { 1 } else { area.height.saturating_sub(1).max(1).into() };
            let name = inner.name.strip_prefix(shared).unwrap_or(&inner.name);
            let label = label_lines(name, area.width.into(), most);
            self.tiles.push(Tile { area, path: path.clone(), hue, is_outer, label });
            if is_outer {
                // The parts of a part get their own hues below a file.
                let hue = if path.len() < 2 { path.len() + index } else { hue };
                self.lay_out(inner, Rect { y: area.y + 1, height: area.height - 1, ..area }, &path, hue);
            }
        }
    }

    /// Divides an area among sizes, the largest first: halves of about the same size, with a line between them.
    fn split(&mut self, sizes: &[u64], first: usize, area: Rect, areas: &mut Vec<(usize, Rect)>) {
        if area.is_empty() || sizes.is_empty() {
            return;
        }
        let total: u64 = sizes.iter().sum();
        let (mut before, mut at) = (sizes[0], 1);
        while at + 1 < sizes.len() && before + sizes[at] / 2 < total / 2 {
            before += sizes[at];
            at += 1;
        }
        // A cell is twice as high as it is wide.
        let is_wide = area.width > area.height * 2;
        let room = if is_wide { area.width } else { area.height };
        if sizes.len() == 1 || room < 5 {
            return areas.push((first, area));
        }
        let share = u128::from(room - 1) * u128::from(before) / u128::from(total.max(1));
        let one = (share as u16).clamp(1, room - 2);
        let (first_half, rest) = if is_wide {
            let line = area.x + one;
            self.draw_line((line, area.y), area.height, true);
            (Rect { width: one, ..area }, Rect { x: line + 1, width: area.width - one - 1, ..area })
        } else {
            let line = area.y + one;
            self.draw_line((area.x, line), area.width, false);
            (Rect { height: one, ..area }, Rect { y: line + 1, height: area.height - one - 1, ..area })
        };
        self.split(&sizes[..at], first, first_half, areas);
        self.split(&sizes[at..], first + at, rest, areas);
    }

    /// Adds a line, which joins those that it meets.
    fn draw_line(&mut self, (x, y): (u16, u16), len: u16, down: bool) {
        let (along, from, to) = if down {
            (BoxSides::VERTICAL, BoxSides::DOWN, BoxSides::UP)
        } else {
            let mut both = BoxSides::LEFT;
            both |= BoxSides::RIGHT;
            (both, BoxSides::RIGHT, BoxSides::LEFT)
        };
        let cell = |at: u16| if down { (x, y + at) } else { (x + at, y) };
        for at in 0..len {
            *self.lines.entry(cell(at)).or_insert(BoxSides::NONE) |= along;
        }
        let before = if down { y.checked_sub(1).map(|y| (x, y)) } else { x.checked_sub(1).map(|x| (x, y)) };
        for (end, side) in before.map(|at| (at, from)).into_iter().chain([(cell(len), to)]) {
            if let Some(sides) = self.lines.get_mut(&end) {
                *sides |= side;
            }
        }
    }

    /// Moves to the nearest box in a direction.
    fn step(&mut self, action: Action) {
        let Some(from) = self.tiles.iter().find(|tile| tile.path == self.chosen).map(|tile| tile.area) else { return };
        let middle = |area: Rect| (i32::from(area.x * 2 + area.width), i32::from(area.y * 2 + area.height) * 2);
        let distance = |to: Rect| {
            let (gap, aside) = match action {
                Action::Left => (i32::from(from.x) - i32::from(to.right()), middle(to).1 - middle(from).1),
                Action::Right => (i32::from(to.x) - i32::from(from.right()), middle(to).1 - middle(from).1),
                Action::Up => ((i32::from(from.y) - i32::from(to.bottom())) * 2, middle(to).0 - middle(from).0),
                _ => ((i32::from(to.y) - i32::from(from.bottom())) * 2, middle(to).0 - middle(from).0),
            };
            (gap >= 0).then_some(gap * 4 + aside.abs())
        };
        let leaves = self.tiles.iter().filter(|tile| !tile.is_outer);
        let nearest = leaves.filter_map(|tile| Some((distance(tile.area)?, tile))).min_by_key(|(far, _)| *far);
        if let Some((_, tile)) = nearest {
            self.chosen.clone_from(&tile.path);
        }
    }

    /// Handles an action; `None` leaves it to others.
    pub(super) fn perform(&mut self, action: Action) -> Option<Vec<Effect>> {
        match action {
            Action::Left | Action::Right | Action::Up | Action::Down => self.step(action),
            Action::Order => {
                self.by = if self.by == By::Type { By::Document } else { By::Type };
                (self.root, self.zoom, self.chosen) = (None, Vec::new(), Vec::new());
                // A running job measures the sizes for the other kind of owner.
                self.found = Inbox::default();
                self.update();
            }
            Action::Follow => {
                let part = self.part()?;
                // Of nested boxes, the outer one fills the pane first.
                let depth = if part.parts.is_empty() { self.chosen.len().saturating_sub(1) } else { self.chosen.len() };
                if depth == 0 {
                    return Some(part.place.map(|place| Effect::Go(place.into())).into_iter().collect());
                }
                let rest = self.chosen.split_off(depth);
                self.zoom.append(&mut self.chosen);
                self.chosen = rest;
                self.update();
            }
            Action::Back | Action::Parent if !self.zoom.is_empty() => {
                let last = self.zoom.pop()?;
                self.chosen = vec![last];
                self.update();
            }
            _ => return None,
        }
        Some(Vec::new())
    }

    pub(super) fn title(&self) -> Title {
        let shown = self.shown().map_or_else(String::new, |part| part.name.clone());
        let by = if self.by == By::Type { "by type" } else { "by document" };
        let is_difference = self.root.as_ref().is_some_and(|root| root.growth.is_some());
        let name = if is_difference { "What grew and shrank" } else { "What fills the files" };
        Title::new(name).of(format!("{shown}, {by}"))
    }

    pub(super) fn selection(&self) -> Option<Selection> {
        Some(self.part()?.place?.into())
    }

    pub(super) fn click(&mut self, at: Position) -> bool {
        let hit = self.tiles.iter().rev().find(|tile| tile.area.contains(at));
        let Some(path) = hit.map(|tile| tile.path.clone()) else { return false };
        self.chosen = path;
        true
    }

    pub(super) fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) {
        let look = &cx.look;
        let (Some(root), Some(shown)) = (&self.root, self.shown()) else {
            let text = format!("measuring {}", look.glyphs.more);
            put(buf, area.x + 1, area.y, area.right(), &text, look.theme.of(Role::Dim), look.glyphs);
            return;
        };
        if self.tiles.is_empty() {
            put(
                buf,
                area.x + 1,
                area.y,
                area.right(),
                "no part differs in size",
                look.theme.of(Role::Dim),
                look.glyphs,
            );
        }
        let faint = look.theme.of(Role::Faint);
        for ((x, y), sides) in &self.lines {
            let at = Position { x: area.x + x, y: area.y + y };
            if area.contains(at) {
                buf[at].set_char(look.glyphs.box_char(*sides)).set_style(faint);
            }
        }
        for tile in &self.tiles {
            if let Some(part) = part_at(shown, &tile.path) {
                let own = Rect { x: area.x + tile.area.x, y: area.y + tile.area.y, ..tile.area }.intersection(area);
                self.draw_tile(buf, &Tile { area: own, ..tile.clone() }, part, root.bytes, look);
            }
        }
        if let Some(part) = self.part() {
            let line = area.bottom().saturating_sub(1);
            let names: Vec<&str> = (1..=self.chosen.len())
                .filter_map(|len| Some(part_at(shown, &self.chosen[..len])?.name.as_str()))
                .collect();
            let path = names.join(&format!(" {} ", look.glyphs.step));
            let text = match part.growth {
                Some(growth) => format!("{path}  {growth:+} bytes"),
                None => format!("{path}  {} bytes, {} % of {}", part.bytes, percent(part.bytes, root.bytes), root.name),
            };
            put(buf, area.x + 1, line, area.right(), &text, look.theme.of(Role::Strong), look.glyphs);
        }
    }

    fn draw_tile(&self, buf: &mut Buffer, tile: &Tile, part: &FilePart, whole: u64, look: &Look<'_>) {
        let Tile { area, .. } = *tile;
        let is_chosen = tile.path == self.chosen && look.focused;
        let mut style = look.theme.field(tile.hue);
        if is_chosen {
            let marked = if tile.is_outer { Rect { height: 1, ..area } } else { area };
            buf.set_style(marked, look.theme.of(Role::Cursor));
            style = look.theme.of(Role::Cursor);
        }
        let share = match part.growth {
            Some(growth) => format!("{growth:+}"),
            None => format!("{} %", percent(part.bytes, whole)),
        };
        let is_bright = tile.path.last().is_none_or(|index| index.is_multiple_of(2));
        let fill = match part.growth {
            Some(growth) => Some(look.theme.of(if growth < 0 { Role::Removed } else { Role::Added })),
            None => look.theme.fill(tile.hue, is_bright),
        };
        if let Some(fill) = fill.filter(|_| !is_chosen && !tile.is_outer) {
            buf.set_style(area, fill);
            style = fill;
        }
        if area.width < 4 {
            return;
        }
        let (mut end, mut below) = (area.x, area.y);
        for (line, y) in tile.label.iter().zip(area.y..area.bottom()) {
            let name = fit_path(line.trim_end(), usize::from(area.width), look.glyphs);
            end = put(buf, area.x, y, area.right(), &name, style, look.glyphs);
            below = y + 1;
        }
        let is_filled = is_chosen || style.bg.is_some();
        let dim = if is_filled { style } else { look.theme.of(Role::Dim) };
        if usize::from(area.right().saturating_sub(end)) > width(&share) + 1 {
            put(buf, end + 1, below - 1, area.right(), &share, dim, look.glyphs);
        } else if below < area.bottom() && !tile.is_outer {
            put(buf, area.x, below, area.right(), &share, dim, look.glyphs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(name: &str, bytes: u64) -> FilePart {
        FilePart { name: name.to_owned(), bytes, ..FilePart::default() }
    }

    #[test]
    fn names_are_without_what_most_of_them_share() {
        let parts = [("App.Core.Models", 40), ("App.Core.Input", 30), ("App.Web", 20), ("Other", 10)];
        let parts = parts.map(|(name, bytes)| leaf(name, bytes)).to_vec();
        assert_eq!(shared_namespace(&parts), "App.Core.");
        assert_eq!(shared_namespace(&parts[..1]), "", "one part shares nothing");
        assert_eq!(label_lines("MethodDebugInformation", 12, 3), ["MethodDebug", "Information"]);
        assert_eq!(label_lines("Output.Models", 8, 3), ["Output.", "Models"]);
        assert_eq!(label_lines("method signatures", 10, 3), ["method ", "signatures"]);
        assert_eq!(label_lines("MethodDebugInformation", 12, 1), ["MethodDebugInformation"]);
    }

    #[test]
    fn boxes_do_not_overlap_and_lead_to_each_other() {
        let parts = [40, 30, 20, 10].map(|bytes| leaf("part", bytes)).to_vec();
        let outer = FilePart { parts, ..leaf("outer", 100) };
        let root = FilePart { parts: vec![outer, leaf("other", 50)], ..leaf("root", 150) };
        let mut map = Treemap { root: Some(Arc::new(root)), ..Treemap::default() };
        map.resize(Size { width: 60, height: 20 });
        let leaves: Vec<Rect> = map.tiles.iter().filter(|tile| !tile.is_outer).map(|tile| tile.area).collect();
        assert_eq!(leaves.len(), 5);
        for (index, one) in leaves.iter().enumerate() {
            assert!(leaves[index + 1..].iter().all(|other| !one.intersects(*other)), "{leaves:?}");
        }
        map.chosen = vec![0, 0];
        for action in [Action::Right, Action::Right, Action::Right] {
            map.step(action);
        }
        assert_eq!(map.chosen, [1], "{:?}", map.tiles);
        map.chosen = vec![0, 2];
        map.perform(Action::Follow);
        assert_eq!((map.zoom.as_slice(), map.chosen.as_slice()), (&[0][..], &[2][..]));
        map.perform(Action::Back);
        assert_eq!((map.zoom.len(), map.chosen.as_slice()), (0, &[0][..]));
        assert!(map.perform(Action::Back).is_none(), "the history has the next step");
    }
}
