//! The Scopes pane: the names of a method with the code where each is in scope (arguments, locals, constants) and its imports.

mod brief;
mod wrapped;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::panes::pane::{Context, Facts, List, Pane};
use crate::panes::scopes::brief::in_scope;
use crate::panes::scopes::wrapped::{Block, Detail, Stops};
use crate::state::effect::Effect;
use crate::state::selection::Selection;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::full_text;
use crate::ui::glyphs::Glyphs;
use crate::ui::grid::{Grid, Mark, fill_row};
use crate::ui::layout::ContentSize;
use crate::ui::list_filter::{ListFilter, RowSource};
use crate::ui::scroll::Scroll;
use crate::ui::text::{put_note, width};
use crate::ui::theme::{opaque, scope_role};
use pdblens_nodes::code_unit::CodeUnit;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::rows::{Head, Row, Rows, Tone};
use pdblens_nodes::{MethodPart, Place};
use pdblens_query::scope_names::{NameRow, names};
use pdblens_session::text::safe::count;

/// Rows of the pane, even if there are fewer names.
const MIN_ROWS: usize = 4;

/// Rows of the pane where it has room for the names in scope alone.
const MAX_BRIEF: usize = 12;

/// Cells of a line before the pane knows its own.
const USUAL_WIDTH: u16 = 34;

/// Names that are measured.
const MAX_MEASURED: usize = 500;

const COLUMNS: &[Head] = &[Head::text(""), Head::text(""), Head::text("")];
/// Names of the columns in exports, as the pane draws no headings.
const NAMES: &[Head] = &[Head::text("name"), Head::text("type"), Head::text("range")];
/// The column of the ranges, which have the colours of the brackets beside IL.
const RANGE: usize = 2;

#[derive(Default)]
struct Scopes {
    grid: Grid,
    size: Size,
    of: Option<CodeUnit>,
    names: Arc<Vec<NameRow>>,
    /// Lines of all rows in the width of the pane, and of those that can be in scope at one offset.
    lines: usize,
    named_lines: usize,
    /// Rows that the pane shows when it is scrolled to the end.
    last_rows: usize,
}

#[allow(missing_docs)]
pub fn new() -> Box<dyn Pane> {
    Box::new(Scopes::default())
}

/// The rows; names that are not in scope at `offset` are dim. With `glyphs`, a sign tells the two apart.
fn rows(names: &Arc<Vec<NameRow>>, offset: Option<u32>, glyphs: Option<&Glyphs>) -> Rows<'static> {
    let names = Arc::clone(names);
    let signs = glyphs.zip(offset).map(|(glyphs, _)| (glyphs.other, glyphs.dash));
    Rows::new("", COLUMNS.to_vec(), names.len(), move |index| {
        let Some(name) = names.get(index) else { return Row::default() };
        let mut row = name.row.clone();
        let (holds, kept) = offset.map_or((true, None), |offset| name.at(offset));
        // Its place at this instruction alone.
        if let Some((cell, kept)) = row.cells.get_mut(RANGE).zip(kept) {
            cell.text = kept;
        }
        let has_range = name.range.is_some() || name.moving.is_some();
        if let (Some((inside, outside)), Some(cell), true) = (signs, row.cells.first_mut(), has_range) {
            cell.text = format!("{} {}", if holds { inside } else { outside }, cell.text);
        }
        if !holds {
            row.cells.iter_mut().for_each(|cell| cell.tone = Tone::Dim);
        }
        row
    })
}

/// The selected offset of the code.
fn offset(cx: &Context<'_>) -> Option<u32> {
    let code = &cx.selected.code;
    (!code.is_empty()).then_some(code.start)
}

/// The first rows, which give the positions of the columns.
fn measured(rows: &Rows<'_>) -> Vec<Row> {
    (0..rows.len.min(MAX_MEASURED)).filter_map(|index| rows.get(index)).collect()
}

impl Scopes {
    fn load(&mut self, cx: &Context<'_>) {
        let of = cx.selected.method.as_ref().map(|view| view.of);
        if self.of != of {
            let found = cx.selected.method.as_deref().map_or_else(Vec::new, |view| names(cx.session, view));
            (self.of, self.names, self.grid) =
                (of, Arc::new(found), Grid { headless: true, idle: true, ..Grid::default() });
            self.measure(cx.look.glyphs);
        }
        let (mut grid, rows) = (self.grid.clone(), rows(&self.names, None, None));
        // The wheel reaches the last row, though each takes several lines.
        grid.resize(&rows, self.last_rows.max(1) as u16);
        self.grid = grid;
    }

    /// Counts the lines of the rows in the width of the pane.
    fn measure(&mut self, glyphs: &Glyphs) {
        let wide = if self.size.width > 0 { self.size.width } else { USUAL_WIDTH };
        let rows = rows(&self.names, Some(0), Some(glyphs));
        let stops = Stops::of(&measured(&rows).iter(), wide.into());
        let lines = |index| rows.get(index).map_or(1, |row| stops.block(&row, Detail::Whole, glyphs).len());
        let heights: Vec<usize> = (0..rows.len).map(lines).collect();
        let is_named =
            |index: &usize| self.names.get(*index).is_some_and(|name| name.row.depth > 0 && name.range.is_some());
        let named_lines = (0..rows.len).filter(is_named).map(|index| heights[index]).sum();
        let mut room = usize::from(self.size.height);
        let fits = |height: &&usize| {
            let left = room.checked_sub(**height);
            room = left.unwrap_or(0);
            left.is_some()
        };
        let last_rows = heights.iter().rev().take_while(fits).count();
        let lines = heights.iter().sum();
        drop(rows);
        (self.lines, self.named_lines, self.last_rows) = (lines, named_lines, last_rows);
    }

    /// Returns whether the pane has room for the names in scope alone, and not the focus.
    fn is_brief(&self, cx: &Context<'_>) -> bool {
        !cx.look.focused && usize::from(self.size.height) < self.lines && offset(cx).is_some()
    }

    /// The rows of the short version.
    fn brief(&self, at: u32, cx: &Context<'_>) -> Vec<brief::Shown> {
        let of = |glyphs| rows(&self.names, Some(at), glyphs);
        let both = (&of(None), &of(Some(cx.look.glyphs)));
        brief::shown(&self.names, at, both, (self.size.width.into(), self.size.height.into()), cx.look.glyphs)
    }

    fn draw_brief(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>, at: u32) {
        let found = self.brief(at, cx);
        if found.is_empty() {
            put_note(buf, area, "no names in scope here", &cx.look);
        }
        let mut y = area.y;
        for one in found {
            let is_linked = one.row.place.is_some() && one.row.place == Some(cx.selected.selection.place);
            let mark = if is_linked { Mark::Related } else { Mark::None };
            let next = y.saturating_add(one.block.len() as u16).min(area.bottom());
            (y..next).for_each(|y| fill_row(buf, Rect { y, height: 1, ..area }, mark, &cx.look));
            wrapped::draw(buf, (area, y), (&one.row, &one.block, mark), None, &self.grid.list_filter, &cx.look);
            y = next;
        }
    }

    /// The visible rows with their lines: index of the line of the list, index of the row, the row.
    fn visible(&self, height: u16, cx: &Context<'_>) -> Vec<(usize, usize, Row, Block)> {
        let glyphs = cx.look.glyphs;
        let rows = rows(&self.names, offset(cx), Some(glyphs));
        let stops = Stops::of(&measured(&rows).iter(), self.size.width.into());
        let (scroll, filter) = self.grid.parts();
        let room = usize::from(height);
        // Without the focus no row is being read whole: more names have room.
        let is_short = !cx.look.focused && self.lines > room;
        let detail = if is_short { Detail::Short } else { Detail::Whole };
        let (mut found, mut taken) = (Vec::new(), 0);
        for line in scroll.top..scroll.len {
            // The cursor row shows whole, as far as it has room.
            let is_past_cursor =
                self.grid.idle || line > scroll.selected || !scroll.window().contains(&scroll.selected);
            if taken >= room && is_past_cursor {
                break;
            }
            let Some((index, row)) = filter.row(line).and_then(|index| Some((index, rows.get(index)?))) else { break };
            let block = stops.block(&row, detail, glyphs);
            taken += block.len();
            found.push((line, index, row, block));
            while taken > room && !is_past_cursor && found.len() > 1 {
                taken -= found.remove(0).3.len();
            }
        }
        found
    }

    fn draw_list(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let (scroll, filter) = self.grid.parts();
        let (mut y, mut cursor, mut cut) = (area.y, None, None);
        for (line, index, mut row, block) in self.visible(area.height, cx) {
            if filter.is_context_row(index) {
                row.cells.iter_mut().for_each(|cell| cell.tone = Tone::Dim);
            }
            let mark = match line == scroll.selected {
                true if cx.look.focused => Mark::Cursor,
                true if !self.grid.idle => Mark::Related,
                _ if row.place == Some(cx.selected.selection.place) => Mark::Related,
                _ => Mark::None,
            };
            let end = y.saturating_add(block.len() as u16);
            (y..end.min(area.bottom())).for_each(|y| fill_row(buf, Rect { y, height: 1, ..area }, mark, &cx.look));
            if mark == Mark::Cursor {
                cursor = Some(Position::new(area.x, y));
                cut = (end > area.bottom()).then(|| row.tabbed().replace('\t', "  "));
            }
            let scope = self.names.get(index).and_then(|name| name.scope);
            let hue = scope.map(|scope| opaque(cx.look.theme.of(scope_role(scope)).not_dim()));
            wrapped::draw(buf, (area, y), (&row, &block, mark), hue, filter, &cx.look);
            y = end;
            if y >= area.bottom() {
                break;
            }
        }
        if let Some((at, text)) = cursor.zip(cut) {
            full_text::draw(buf, (area, area.y.saturating_sub(1)), at.y, &[text], &cx.look);
        }
        cursor
    }

    /// The position in the title: the longest text that has room.
    fn position(&self, texts: &[String], cx: &Context<'_>) -> String {
        // The name with its spaces, the spaces around the position, and the ends of the rule.
        let doubt = if cx.session.pdb_match().is_mismatch() { 2 } else { 0 };
        let room = usize::from(self.size.width).saturating_sub(width(" Scopes ") + 2 + 3 + doubt);
        let fits = |text: &&String| width(text) <= room;
        texts.iter().find(fits).or(texts.last()).cloned().unwrap_or_default()
    }
}

impl Pane for Scopes {
    fn title(&self, cx: &Context<'_>) -> Title {
        let title = Title::new("Scopes");
        let (Some(view), Some(offset)) = (&cx.selected.method, offset(cx)) else {
            let is_cut = !cx.look.focused && usize::from(self.size.height) < self.lines;
            let rows = format!("{} {}", count(self.names.len() as u64, "row"), cx.keys(Action::NextPane));
            return if is_cut { title.at(rows) } else { title };
        };
        let label = view.of.label(offset.into());
        if cx.selected.is_past_end {
            let size = view.size.unwrap_or_default();
            let end = format!("{label} is past the end");
            return title.at(self.position(&[format!("{end}: {size} bytes"), end, "past the end".to_owned()], cx));
        }
        let number = in_scope(&self.names, offset).len();
        let text = format!("{number} in scope at {label}");
        let long = format!("{} {text}", cx.look.glyphs.other);
        if !self.is_brief(cx) {
            return title.at(self.position(&[long, text, format!("{number} at {label}")], cx));
        }
        let shown = self.brief(offset, cx).iter().filter(|shown| shown.index.is_some()).count();
        let (all, key, dot) = (self.names.len(), cx.keys(Action::NextPane), cx.look.glyphs.dot);
        let more = format!("{dot} {} more {key}", all - shown);
        let short = format!("{number} of {all} at {label} {key}");
        let least = format!("{number} at {label} {key}");
        let texts = [format!("{long} {more}"), format!("{text} {more}"), short, least, format!("{number} at {label}")];
        title.at(self.position(&texts, cx))
    }

    fn perform(&mut self, action: Action, count: Option<usize>, _: &Context<'_>) -> Option<Vec<Effect>> {
        if action == Action::Follow {
            let place = self.names.get(self.grid.row()?)?.row.place?;
            return Some(vec![Effect::Go(place.into())]);
        }
        let acted = self.grid.scroll.move_cursor(action, count);
        self.grid.idle &= !acted;
        acted.then(Vec::new)
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        self.load(cx);
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        if self.size != size {
            self.size = size;
            self.measure(cx.look.glyphs);
        }
        self.load(cx);
    }

    fn facts(&self, cx: &Context<'_>) -> Facts {
        // The reason why a method has no lines needs the room, and nothing is in scope yet.
        let has_reason = cx.selected.no_lines.is_some() && offset(cx).is_none();
        let brief = if has_reason { 1 } else { self.named_lines.clamp(1, MAX_BRIEF) as u16 };
        let content_size = ContentSize { width: 0, height: self.lines.clamp(MIN_ROWS, 999) as u16, brief };
        Facts { content_size, ..Facts::default() }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if self.names.is_empty() {
            let text = match NativeView::of(cx.session) {
                Some(_) => "Select a function to see its variables and inlined calls.",
                None => "Select a method to see its locals, constants and imports.",
            };
            let state = EmptyState::default().text(text);
            return state.draw(area, buf, &cx.look, &|action| cx.keys(action));
        }
        if let Some(at) = offset(cx).filter(|_| self.is_brief(cx)) {
            self.draw_brief(area, buf, cx, at);
            return None;
        }
        self.draw_list(area, buf, cx)
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        // The method stays selected: a record of another view would take it from the other panes.
        let token = cx.selected.method.as_ref().map(|view| view.of)?;
        match token {
            CodeUnit::Method(token) => {
                let part = self.names.get(self.grid.row()?)?.row.span;
                Some(Selection { place: Place::MethodPart(token, MethodPart::Scopes), part })
            }
            CodeUnit::Function(_) => self.names.get(self.grid.row()?)?.row.place.map(Selection::from),
        }
    }

    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let down = usize::from(at.y.saturating_sub(area.y));
        let blocks: Vec<(Option<usize>, usize)> = match offset(cx).filter(|_| self.is_brief(cx)) {
            Some(code) => self.brief(code, cx).into_iter().map(|shown| (shown.index, shown.block.len())).collect(),
            None => self.visible(area.height, cx).into_iter().map(|(_, index, _, b)| (Some(index), b.len())).collect(),
        };
        let mut end = 0;
        let under = blocks.into_iter().find(|(_, lines)| {
            end += lines;
            down < end
        });
        let Some(row) = under.and_then(|(index, _)| index) else { return false };
        self.grid.reveal(row);
        true
    }

    fn list(&self) -> Option<&dyn List> {
        Some(self)
    }

    fn list_mut(&mut self) -> Option<&mut dyn List> {
        Some(self)
    }

    fn copied_text(&self, action: Action, cx: &Context<'_>) -> Option<String> {
        self.grid.copied_text(action, &rows(&self.names, offset(cx), None))
    }
}

impl List for Scopes {
    fn parts(&self) -> (&Scroll, &ListFilter) {
        self.grid.parts()
    }

    fn parts_mut(&mut self) -> (&mut Scroll, &mut ListFilter) {
        self.grid.parts_mut()
    }

    fn row_source(&self, _: &Context<'_>) -> Option<RowSource> {
        let names = Arc::clone(&self.names);
        Some(Arc::new(move |_| {
            let mut rows = rows(&names, None, None);
            rows.columns = NAMES.to_vec();
            Some(rows)
        }))
    }

    fn reveal(&mut self, row: usize) {
        self.grid.reveal(row);
    }
}
